#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tests/gpu/check.sh [--twin]
# Build the CUDA plugin for the first device of this machine, compare each engine
# with the plain definition, measure it and the device, and write the results
# to tests/gpu/evidence/DATE-DEVICE.json (EVIDENCE=FOLDER, or OUT=FOLDER: there),
# as of COMMIT=ID where it is not the one that is checked out.
# Needs nvcc, make and a C compiler; no MPI, no HDF5, and installs nothing: where
# the programs can be built too, whole runs are compared with the CPU's and timed.
# PREBUILT=FOLDER has vsim-cuda.so, vsim-pack, vsim-run, vsim-merge, vsim-view,
# vsim-verify, and their libraries in lib/, for what cannot be built here.
# A part that fails does not stop the others; together they take less than eight
# minutes (BUDGET=SECONDS).  Exit 0 when all is right or there is no device,
# which is one line.
# --twin: no device but its twin on the CPU and few cases, to try this script;
# CASES=--few, --small: the same cases of what takes itself for a device.
prebuilt=${PREBUILT:+$(cd "$PREBUILT" && pwd)}
cd "$(dirname "$0")/../.." || exit 4
twin=
[ "${1-}" = --twin ] && twin=yes
out=build/gpu
began=$(date +%s)
day=$(date +%Y-%m-%d)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
cc=${CC:-$(command -v gcc || command -v clang || command -v cc)}
# times as long where tests/run found a machine that has more to do
[ "${SLOW:-0}" -gt 0 ] || SLOW=1
budget=$((${BUDGET:-450} * SLOW))
export DEPS=0
left() { echo $((budget - $(date +%s) + began)); }
# limit SECONDS CMD...: as long as that and the budget allow; 125: no time is left,
# so that part is left out, which is not a failure
limit() {
	[ "$(left)" -gt 10 ] || return 125
	limit=$(($1 * SLOW))
	[ $limit -lt "$(left)" ] || limit=$(left)
	shift
	if command -v timeout >/dev/null; then timeout -k 10 "$limit" "$@"; else "$@"; fi
}
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
evidence=${EVIDENCE:-${OUT:-tests/gpu/evidence}}
mkdir -p "$evidence" || exit 4
evidence=$evidence/$day-$name.json
driver=$(nvidia-smi --query-gpu=driver_version,power.limit,clocks.max.sm \
	--format=csv,noheader 2>/dev/null | head -n 1)
echo "$card, compute capability $cap, driver and limits: ${driver:-not known}"

# ---- what was seen, rewritten after each step --------------------------------
built=null checked=null ceilings=null sanitizer=null races=null whole=null
triples=null triples_races=null soak=null two=null
plugin=built
json() { if [ "$1" = 0 ] || [ "$1" = 1 ]; then cat "$2"; else echo null; fi; }
: >$out/check.json
: >$out/whole.json
write() {
	{
		printf '{"card": "%s",\n"capability": "%s",\n' "$card" "$cap"
		printf '"date": "%s",\n"commit": "%s",\n' "$day" \
			"${COMMIT:-$(git describe --always --dirty 2>/dev/null || cat .ci/commit)}"
		printf '"nvcc": "%s",\n"cpu": "%s",\n' \
			"$("$nvcc" --version 2>/dev/null | sed -n 's/.*release //p')" \
			"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
		printf '"seconds": %d,\n"plugin": "%s",\n' \
			$(($(date +%s) - began)) "$plugin"
		printf '"build_exit": %s,\n"check_exit": %s,\n"ceilings_exit": %s,\n' \
			$built $checked $ceilings
		printf '"memory_exit": %s,\n"races_exit": %s,\n"whole_exit": %s,\n' \
			$sanitizer $races $whole
		printf '"triples_memory_exit": %s,\n"triples_races_exit": %s,\n' \
			"$triples" "$triples_races"
		printf '"soak_exit": %s,\n"two_exit": %s,\n' $soak $two
		printf '"driver": "%s",\n' "$driver"
		printf '"ceilings": %s,\n' "$(json $ceilings $out/ceilings.json)"
		printf '"whole_runs": [%s],\n' "$(cat $out/whole.json)"
		printf '"engines": {%s}}\n' "$(cat $out/check.json)"
	} >"$evidence.part" && mv "$evidence.part" "$evidence"
}

use_prebuilt() {
	[ -e "$prebuilt/vsim-cuda.so" ] &&
		cp "$prebuilt/vsim-cuda.so" $out && plugin=prebuilt
}
# ---- build -------------------------------------------------------------------
build() {
	[ $twin ] || make -j"$(nproc)" cuda CUDA=1 CC="$cc" NVCC="$nvcc" O=$out \
		NVCC_GENCODE="-gencode arch=compute_$cap,code=sm_$cap" ||
		use_prebuilt || return
	flags='-std=gnu11 -O2 -fopenmp -ffp-contract=off -D_GNU_SOURCE -I.'
	flags="$flags -ffunction-sections"
	rm -f $out/*.o $out/libvs.a
	# what needs a library or a kernel that is not here is not needed here
	for f in libcore/base/*.c libcore/bits/*.c libcore/metric/*.c cuda/*.c \
		libcore/engine/tables/tables.c libcore/engine/tables/table_bound.c \
		libcore/engine/hits.c libcore/kern/tables/*.c \
		libcore/engine/slab/counted_triples.c \
		libcore/engine/slab/triple_data.c; do
		# shellcheck disable=SC2086
		"$cc" $flags -c -o "$out/$(basename "$f" .c).o" "$f"
	done
	ar rcs $out/libvs.a $out/*.o || return
	# shellcheck disable=SC2086
	"$cc" $flags -Wl,--gc-sections -o $out/gpu_check tests/gpu/gpu_check.c \
		$out/libvs.a -ldl -lm
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

# ---- right, and how fast: an engine that hangs does not stop the others ------
cases=${CASES-}
[ $twin ] && cases='--twin --small'
checked=0 ran=
for engine in $($out/gpu_check --list); do
	[ "$twin$ran" != yesyes ] || continue # one is like the other
	# shellcheck disable=SC2086
	limit 75 $out/gpu_check $cases "$engine" >$out/one.json 2>"$out/$engine.log"
	code=$?
	grep -E '^[^0-9]' "$out/$engine.log"
	case $code in
	0) ran=yes ;;
	3) ;;   # not for this device
	125) ;; # no time
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
	own=$cap # Hopper's own instructions have a target of their own
	[ "$cap" != 90 ] || own=90a
	"$nvcc" -O3 -I. -gencode "arch=compute_$own,code=sm_$own" \
		-o $out/ceilings tests/gpu/ceilings.cu -ldl >$out/ceilings.log 2>&1 &&
		limit 60 $out/ceilings >$out/ceilings.json 2>>$out/ceilings.log
	ceilings=$?
	cat $out/ceilings.log
	write
fi

# ---- memory watched, and the order of threads --------------------------------
watch=$(command -v compute-sanitizer || echo "$(dirname "$nvcc")/compute-sanitizer")
# watched LOG SECONDS CMD...: sets code; "refused" where the tool cannot watch
watched() {
	log=$1
	shift
	limit "$@" >"$log" 2>&1
	code=$?
	[ $code != 125 ] || code='"skipped"'
	if grep -qE 'Device not supported|Unable to find|not supported on' "$log"; then
		code='"refused"'
	fi
	grep -hE '^=====|wrong' "$log" | tail -n 15
}
if [ ! $twin ] && [ -x "$watch" ]; then
	watched $out/sanitizer.log 90 "$watch" --error-exitcode 9 \
		$out/gpu_check --small
	sanitizer=$code
	write
	watched $out/races.log 60 "$watch" --tool racecheck --error-exitcode 9 \
		$out/gpu_check --small mma
	races=$code
	write
fi

# ---- whole runs, where there are programs ------------------------------------
run() { "$bin/vsim-run" -f -o $out/run "$@" >>$out/whole.log 2>&1; }
# result OPTIONS...: the content of what a run with them finds
result() {
	run "$@" $out/x.vec.h5 &&
		"$bin/vsim-merge" -f -o $out/e.res.h5 $out/run >>$out/whole.log 2>&1 &&
		"$bin/vsim-view" -H $out/e.res.h5 | sed -n 's/^#content_xxh128: //p'
}
# pack KIND VECTORS FIELDS: where set, a share of $lacking of the calls is missing
lacking=
pack() {
	# shellcheck disable=SC2086
	"$bin/vsim-pack" -f --synthetic $1 --vectors "$2" --fields "$3" \
		${lacking:+--missing $lacking} -o $out/x.vec.h5 >>$out/whole.log 2>&1
}
whole() {
	want=$(result -t 0.4 --backend cpu) && [ "$want" ] || return
	for how in "cuda" "cuda+cpu" "cuda --no-prune" "cuda --tile $((n / 4))"; do
		# shellcheck disable=SC2086
		[ "$(result -t 0.4 --backend $how)" = "$want" ] ||
			{ echo "WRONG: $how" && return 1; }
		echo "whole run, --backend $how: as the CPU"
	done
}
# same HOW...: a run is the CPU's on the device, alone and beside it
same() {
	want=$(result "$@" --backend cpu) && [ "$want" ] || return
	for on in cuda cuda+cpu; do
		[ "$(result "$@" --backend $on)" = "$want" ] ||
			{ echo "WRONG: $*, $on" && return 1; }
	done
	echo "whole run, $*, $(cat $out/what): as the CPU"
}
# triples of alleles: around the ends of words, steps, stages and blocks, all
# that pass 0, by class, the strongest; diploid, with missing calls, haploid
whole_alleles() {
	sizes='40x1 40x33 200x255 200x257 300x882 150x1023 150x1025 60x3000' many=150
	[ ! "$cases" ] || sizes=30x257 many=30
	for size in $sizes; do
		pack random "${size%x*}" "${size#*x}" && echo "$size" >$out/what &&
			same -w 3 -t 0.2 || return
	done
	same -w 3 -t 0 && same -w 3 --top 200 &&
		same -w 3 -t LLH=0.12,LLL+HHH=0.35 --no-prune || return
	"$bin/vsim-pack" -f --synthetic epistasis --vectors "$many" --fields 1025 \
		--missing 0.05 -o $out/x.vec.h5 >>$out/whole.log 2>&1 &&
		echo "calls missing" >$out/what &&
		same -w 3 -t 0.2 && same -w 3 --top 200 || return
	"$bin/vsim-pack" -f --synthetic random --element bit --vectors "$many" \
		--fields 882 -o $out/x.vec.h5 >>$out/whole.log 2>&1 &&
		echo "ploidy 1" >$out/what && same -w 3 -m duo -t 0.2
}
# the same of tables, and of many samples
whole_samples() {
	sizes='40x15 40x31 40x33 90x255 90x257 70x1023 70x1025 60x3000 30x65537
		20x100000'
	[ ! "$cases" ] || sizes=30x257
	for size in $sizes; do
		echo "$size" >$out/what
		for lacking in 0 0.001 0.01 0.05 0.3; do
			pack epistasis "${size%x*}" "${size#*x}" &&
				same -m g --top 50 && same -m g -w 3 --top 50 &&
				same -m k2 -w 3 --top 9 || return
			[ ! "$cases" ] || [ $lacking != 0.01 ] || break
		done
		lacking=
	done
	[ "$cases" ] || pack epistasis 400 20000 || return
	echo "${cases:-400x20000}" >$out/what
	same -m k2 -w 3 --top 100
}
# the same run again and again, for a minute
whole_soak() {
	seconds=60 again=0
	[ ! "$cases" ] || seconds=1
	pack random "$n" 2049 && want=$(result -t 0.4 --backend cpu) &&
		[ "$want" ] || return
	until=$(($(date +%s) + seconds))
	while [ "$(date +%s)" -lt $until ] && [ "$(left)" -gt 60 ]; do
		again=$((again + 1))
		[ "$(result -t 0.4 --backend cuda)" = "$want" ] ||
			{ echo "WRONG: run $again" && return 1; }
	done
	echo "$again runs one after another: as the CPU"
}
# two programs on the device at once, each with one half of all pairs
whole_two() {
	pack random "$n" 2049 && want=$(result -t 0.4 --backend cpu) &&
		[ "$want" ] || return
	for k in 1 2; do
		"$bin/vsim-run" -f -t 0.4 --backend cuda --gpu-memory 2G \
			--stage $k/2 -o $out/run$k $out/x.vec.h5 \
			>>$out/whole.log 2>&1 &
	done
	wait
	"$bin/vsim-merge" -f -o $out/e.res.h5 $out/run1 $out/run2 \
		>>$out/whole.log 2>&1 || return
	[ "$("$bin/vsim-view" -H $out/e.res.h5 |
		sed -n 's/^#content_xxh128: //p')" = "$want" ] ||
		{ echo "WRONG: two at once" && return 1; }
	rm -rf $out/run1 $out/run2
	echo "two programs at once: as the CPU"
}
# of numbers, around the ends of words, tiles and runs
whole_numbers() {
	for of in u8 u16 u32 f32 f64; do
		for size in 300x1 300x127 300x129 300x1000 70x20000; do
			[ ! "$cases" ] || size=70x129
			"$bin/vsim-pack" -f --synthetic random --element $of \
				--vectors "${size%x*}" --fields "${size#*x}" \
				-o $out/x.vec.h5 >>$out/whole.log 2>&1 &&
				echo "$of $size" >$out/what &&
				same -m ps -t 0.65 && same -m ps --top 50 ||
				return
		done
	done
}
# of cases and controls, without and with missing calls
whole_tables() {
	for missing in 0 0.05; do
		"$bin/vsim-pack" -f --synthetic epistasis --vectors 300 --fields 1025 \
			--missing "$missing" -o $out/x.vec.h5 >>$out/whole.log 2>&1 ||
			return
		echo "missing $missing" >$out/what
		for how in "k2 --top 100" "mi -t 0.005" "g -t 12" "inter -t 9" \
			"alpha -t 0.005" "beta --top 100" "k2 -w 3 --top 100" \
			"g -w 3 -t 60" "inter -w 3 -t 40"; do
			# shellcheck disable=SC2086
			same -m $how || return
		done
	done
}
# watch_runs LOG OPTION...: of the tool; sets code, of the first run that is wrong
watch_runs() {
	said=$out/$1
	shift
	for size in 40x1 70x300 40x31 30x257 20x1025 6x70000; do
		for how in "-w 3 -t 0.2" "-w 3 -m g --top 20" "-m k2 --top 20" \
			"-m ps -t 0.5" "-w 3 -m g --top 9" "-m g --top 9"; do
			kind=epistasis lacking=
			case $how in
			*9) lacking=0.05 ;; # with missing calls
			esac
			case $how in
			*ps*) kind='random --element f32' ;;
			*0.2) kind=random ;;
			*) [ $size != 40x1 ] || continue ;; # no cases
			esac
			# shellcheck disable=SC2086
			pack "$kind" "${size%x*}" "${size#*x}" &&
				watched "$said" 30 "$watch" "$@" \
					--error-exitcode 9 "$bin/vsim-run" -f $how \
					--backend cuda --allow-empty -o $out/run \
					$out/x.vec.h5
			lacking=
			[ "$code" = 0 ] || return
		done
	done
}
# timed VECTORS FIELDS BACKEND OPTION...: one run over all sets, unpruned, by the
# clock of the wall and by the run's own account of its parts
timed() {
	vectors=$1 fields=$2 backend=$3
	shift 3
	start=$(date +%s.%N)
	limit 100 "$bin/vsim-run" -f -o $out/run "$@" --backend "$backend" \
		--stats $out/stats.yaml $out/x.vec.h5 >>$out/whole.log 2>&1 || return
	end=$(date +%s.%N)
	wall=$(echo "$start $end" | awk '{ printf "%.3f", $2 - $1 }')
	sed -n 's/^comparisons: //p' $out/stats.yaml |
		awk -v wall="$wall" -v what="$vectors x $fields, ${lacking:-0} missing, $backend $*" \
			'{ printf "whole run, %s: %.3f s by the wall, %.3e comparisons/s\n",
			what, wall, $1 / wall }'
	comma=
	[ ! -s $out/whole.json ] || comma=,
	{
		printf '%s\n' "$comma"
		printf '{"vectors": %d, "fields": %d, "missing": %s, "backend": "%s", "options": "%s", "wall_s": %s, "stats": {%s}}' \
			"$vectors" "$fields" "${lacking:-0}" "$backend" "$*" "$wall" \
			"$(sed -nE 's/^([a-z_0-9]+): (-?[0-9][-+0-9.e]*)$/"\1": \2/p' \
				$out/stats.yaml | paste -sd,)"
	} >>$out/whole.json
	write
}
bin=
if [ ! $twin ]; then
	if limit 150 make -j"$(nproc)" all CUDA=0 CC="$cc" O=$out >$out/programs.log 2>&1; then
		bin=$out
	elif [ -x "$prebuilt/vsim-run" ]; then
		bin=$prebuilt
		export LD_LIBRARY_PATH="$bin/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
	else
		echo "no whole runs: $(tail -n 1 $out/programs.log)"
	fi
fi
if [ "$bin" ]; then
	: >$out/whole.log
	export HDF5_PLUGIN_PATH="$PWD/$out/plugin"
	[ "$cases" ] && n=300 || n=3000
	pack random "$n" 1025 && whole && whole_alleles && whole_tables &&
		whole_samples && whole_numbers
	whole=$?
	[ $whole = 0 ] || tail -n 5 $out/whole.log
	write
	whole_two
	two=$?
	write
	whole_soak
	soak=$?
	write
	# memory and order of threads of tables, triples of alleles and numbers
	if [ -x "$watch" ]; then
		watch_runs triples.log
		triples=$code
		watch_runs triples-races.log --tool racecheck
		triples_races=$code
		write
	fi
	# many fields; many pairs
	for size in ${SIZES:-20000x100000 400000x2504}; do
		[ ! "$cases" ] || size=300x1025
		[ "$(left)" -gt 60 ] || break
		pack random "${size%x*}" "${size#*x}" || break
		for on in cuda cuda+cpu; do
			timed "${size%x*}" "${size#*x}" $on -t 0.9 --no-prune
		done
	done
	# tables of pairs, and of triples
	for size in ${TABLES:-20000x16384x2 2500x5004x3 6000x5004x3 1000x100000x3}; do
		[ ! "$cases" ] || size=60x1025x3
		[ "$(left)" -gt 40 ] || break
		way=${size##*x} size=${size%x*}
		pack epistasis "${size%x*}" "${size#*x}" || break
		timed "${size%x*}" "${size#*x}" cuda -m k2 -w "$way" --top 10
	done
	# triples of them where calls are missing
	for size in 2500x5004x0.01 2500x5004x0.05 1000x100000x0.01 \
		1000x100000x0.05; do
		[ ! "$cases" ] || break
		[ "$(left)" -gt 40 ] || break
		lacking=${size##*x} size=${size%x*}
		pack epistasis "${size%x*}" "${size#*x}" || break
		timed "${size%x*}" "${size#*x}" cuda -m k2 -w 3 --top 10
	done
	lacking=
	# triples of alleles
	for size in ${ALLELES:-4000x882 2500x16384}; do
		[ ! "$cases" ] || size=60x1025
		[ "$(left)" -gt 40 ] || break
		pack random "${size%x*}" "${size#*x}" || break
		timed "${size%x*}" "${size#*x}" cuda -w 3 -t 0.3
	done
	rm -rf $out/x.vec.h5 $out/run $out/e.res.h5
fi
echo "exit codes: check $checked, ceilings $ceilings, memory $sanitizer," \
	"races $races, whole runs $whole, two at once $two, soak $soak, memory and" \
	"races of whole runs $triples $triples_races; $(($(date +%s) - began)) s"
echo "$evidence"
for code in $checked $sanitizer $races $whole $two $soak $triples $triples_races; do
	case $code in
	0 | null | '"refused"' | '"skipped"') ;;
	*) exit 1 ;;
	esac
done
