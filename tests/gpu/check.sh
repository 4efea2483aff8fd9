#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tests/gpu/check.sh [--twin]
# Build the CUDA plugin for the first device of this machine, hold each engine
# to the plain definition, measure it and the device, and write what was seen
# to tests/gpu/evidence/DATE-DEVICE.json (EVIDENCE=FOLDER: there).  Needs nvcc,
# make and a C compiler; no MPI, no HDF5.  Some minutes.  Exit 0 when all is
# right or there is no device, which is one line.
# --twin: no device but its twin on the CPU and few cases, to try this script.
cd "$(dirname "$0")/../.." || exit 4
twin=
[ "${1-}" = --twin ] && twin=yes
out=build/gpu
began=$(date +%s)
day=$(date +%Y-%m-%d)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
cc=${CC:-$(command -v gcc || command -v clang || command -v cc)}
limit() { if command -v timeout >/dev/null; then timeout -k 10 "$@"; else shift; "$@"; fi; }
skip() {
	echo "skipped: $*"
	exit 0
}
mkdir -p "$out" || exit 4

# ---- which device ------------------------------------------------------------
if [ $twin ]; then
	cap=0 card=twin
else
	[ -x "$nvcc" ] || skip "no nvcc"
	[ "$cc" ] || skip "no C compiler"
	cat >$out/which.cu <<-'END'
		#include <stdio.h>
		int main() {
			cudaDeviceProp p;
			int n = 0;
			cudaError_t e = cudaGetDeviceCount(&n);
			if (!e && n) e = cudaGetDeviceProperties(&p, 0);
			if (e || !n) return puts(e ? cudaGetErrorString(e) : "none"), 1;
			return printf("%d%d %s\n", p.major, p.minor, p.name), 0;
		}
	END
	"$nvcc" -o $out/which $out/which.cu >$out/which.log 2>&1 ||
		skip "$nvcc does not compile: $(tail -n 1 $out/which.log)"
	which=$($out/which) || skip "no CUDA device: $which"
	cap=${which%% *} card=${which#* }
fi
name=$(printf %s "$card" | tr -cs 'A-Za-z0-9' - | sed 's/-$//')
evidence=${EVIDENCE:-tests/gpu/evidence}
mkdir -p "$evidence" || exit 4
evidence=$evidence/$day-$name.json
echo "$card, compute capability $cap"

# ---- what was seen, rewritten after each step --------------------------------
built=null checked=null ceilings=null sanitizer=null
json() { if [ "$1" = 0 ] || [ "$1" = 1 ]; then cat "$2"; else echo null; fi; }
: >$out/check.json
write() {
	{
		printf '{"card": "%s",\n"capability": "%s",\n' "$card" "$cap"
		printf '"date": "%s",\n"commit": "%s",\n' "$day" \
			"$(git describe --always --dirty 2>/dev/null || cat .ci/commit)"
		printf '"nvcc": "%s",\n"cpu": "%s",\n' \
			"$("$nvcc" --version 2>/dev/null | sed -n 's/.*release //p')" \
			"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
		printf '"seconds": %d,\n' $(($(date +%s) - began))
		printf '"build_exit": %s,\n"check_exit": %s,\n"sanitizer_exit": %s,\n' \
			$built $checked $sanitizer
		printf '"ceilings": %s,\n' "$(json $ceilings $out/ceilings.json)"
		printf '"engines": {%s}}\n' "$(cat $out/check.json)"
	} >"$evidence.part" && mv "$evidence.part" "$evidence"
}

# ---- build -------------------------------------------------------------------
build() {
	[ $twin ] || make -j"$(nproc)" cuda CUDA=1 CC="$cc" NVCC="$nvcc" O=$out \
		NVCC_GENCODE="-gencode arch=compute_$cap,code=sm_$cap" || return
	flags='-std=gnu11 -O2 -fopenmp -ffp-contract=off -D_GNU_SOURCE -I.'
	rm -f $out/*.o $out/libvs.a
	# what needs a library that is not here is not needed here
	for f in libcore/base/*.c libcore/bits/*.c libcore/metric/*.c cuda/*.c; do
		# shellcheck disable=SC2086
		"$cc" $flags -c -o "$out/$(basename "$f" .c).o" "$f"
	done
	ar rcs $out/libvs.a $out/*.o &&
		"$cc" $flags -o $out/gpu_check tests/gpu/gpu_check.c $out/libvs.a \
			-ldl -lm
}
build >$out/build.log 2>&1
built=$?
write
if [ $built != 0 ]; then
	tail -n 40 $out/build.log
	echo "build failed: $out/build.log"
	exit 4
fi
export VSIM_PLUGIN_PATH="$PWD/$out"

# ---- right, and how fast: an engine that hangs is no harm to the others ------
cases=
[ $twin ] && cases='--twin --small'
checked=0 ran=
for engine in $($out/gpu_check --list); do
	[ "$twin$ran" != yesyes ] || continue # one is like the other
	# shellcheck disable=SC2086
	limit 120 $out/gpu_check $cases "$engine" >$out/one.json 2>$out/$engine.log
	code=$?
	grep -E '^[^0-9]' $out/$engine.log
	case $code in
	0) ran=yes ;;
	3) ;; # not for this device
	*) checked=$code ;;
	esac
	echo "$engine: exit $code"
	{
		[ -s $out/check.json ] && cat $out/check.json && echo ,
		printf '"%s": {"exit": %d, "seen": %s}' "$engine" $code \
			"$(json $code $out/one.json)"
	} >$out/check.part
	mv $out/check.part $out/check.json
	write
done

[ $ran ] || checked=3
# ---- what the device can do --------------------------------------------------
if [ ! $twin ]; then
	"$nvcc" -O3 -gencode "arch=compute_$cap,code=sm_$cap" -o $out/ceilings \
		tests/gpu/ceilings.cu -lcublas >$out/ceilings.log 2>&1 &&
		limit 90 $out/ceilings >$out/ceilings.json 2>>$out/ceilings.log
	ceilings=$?
	cat $out/ceilings.log
	[ $ceilings = 0 ] && cat $out/ceilings.json
	write
fi

# ---- memory watched ----------------------------------------------------------
watch=$(command -v compute-sanitizer || echo "$(dirname "$nvcc")/compute-sanitizer")
if [ ! $twin ] && [ -x "$watch" ] && [ $(($(date +%s) - began)) -lt 360 ]; then
	limit 110 "$watch" --error-exitcode 9 $out/gpu_check --small \
		>$out/sanitizer.log 2>&1
	sanitizer=$?
	grep -E '^=====|wrong' $out/sanitizer.log | tail -n 20
	write
fi
echo "exit codes: check $checked, ceilings $ceilings, sanitizer $sanitizer"
echo "$evidence"
[ $checked = 0 ] && { [ $sanitizer = null ] || [ $sanitizer = 0 ]; }
