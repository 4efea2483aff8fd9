#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fuzz.sh BUILD SECONDS [SEED] [TARGET...]: the fuzz targets of tests/fuzz, all or
# those named, each its share of the time: by libFuzzer where clang has it, else by
# their own driver. Inputs that break one stay in BUILD/campaign/fuzz.
build=$(cd "$1" && pwd) || exit
seconds=$2 seed=${3:-1}
shift $(($# < 3 ? $# : 3))
cd "$(dirname "$0")/../.." || exit
work=$build/campaign/fuzz
mkdir -p "$work"
TMPDIR=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) || exit
export TMPDIR VSIM_BUILD="$work"
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 1' INT TERM
ulimit -c 0
export ASAN_OPTIONS="detect_leaks=1:handle_abort=2:$ASAN_OPTIONS"
[ $# != 0 ] || set -- $(find tests/fuzz -name 'f_*.c' | sort |
	sed 's|.*/f_||; s|[.]c$||')
each=$((seconds / $#))
[ $each -gt 0 ] || each=1
libfuzzer=
if command -v clang >/dev/null && echo 'int LLVMFuzzerTestOneInput(void) {}' |
	clang -w -x c -fsanitize=fuzzer - -o "$TMPDIR/probe" 2>/dev/null; then
	make -s BUILD=fuzz CC=clang CUDA=0 fuzzers || exit
	libfuzzer=build/fuzz/tests/fuzz
fi
bad=0
for t; do
	log=$work/$t.log
	if [ -n "$libfuzzer" ]; then
		mkdir -p "$work/corpus-$t"
		"$build/tests/fuzz/f_$t" --seeds "$work/corpus-$t" &&
			$libfuzzer/f_"$t" -seed="$seed" -max_total_time=$each \
				-timeout=30 -rss_limit_mb=4096 -max_len=20000 \
				-artifact_prefix="$work/$t-" "$work/corpus-$t" \
				>"$log" 2>&1
		code=$?
		# a child that looks at a file may die
		[ $code != 0 ] || rm -f "$work/$t"-crash-*
		n=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log")
		cov=$(sed -n 's/^#.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
	else
		n=0 code=0 end=$(($(date +%s) + each))
		while [ $code = 0 ] && [ "$(date +%s)" -lt $end ]; do
			"$build/tests/fuzz/f_$t" 2000 $((seed * 100000 + n)) \
				>"$log" 2>&1
			code=$?
			n=$((n + 2000))
		done
	fi
	if [ $code != 0 ]; then
		bad=1
		grep -E 'SUMMARY|^not ok|f_[a-z0-9_]*[.]c:[0-9]*: ' "$log" |
			head -n 3
		echo "$t: exit $code, see $log"
	fi
	echo "$t: ${n:-?} inputs${libfuzzer:+ by libFuzzer, ${cov:-?} edges covered}"
done
exit $bad
