#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The table of `make bench`, in less than a minute: counting kernels beside
# their limits; then whole programs, from their start to the sealed file, on all
# cores allowed. A rate is nominal: all pairs times fields per second, whether
# or not a pair had to be counted.
#
# BENCH=long      larger sets too, and codecs
# SIZES="VxS ..." V independent variants of S samples too, e.g. 20000x50000
# LEAST=N         tries of each command (2); the fastest counts
set -eu
export LC_ALL=C OMP_WAIT_POLICY=${OMP_WAIT_POLICY-}
[ "$OMP_WAIT_POLICY" ] || unset OMP_WAIT_POLICY
: "${BENCH:=short}" "${SIZES:=}" "${LEAST:=2}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# seconds CMD...: by the clock, and by all cores together; the least of some
seconds() {
	local TIMEFORMAT='%3R %3U %3S' k
	for ((k = 0; k < LEAST; k++)); do
		{ time "$@" >/dev/null 2>&1; } 2>&1 || return
	done | awk '!n++ || $1 < s { s = $1 } n == 1 || $2 + $3 < c { c = $2 + $3 }
		END { print s, c }'
}

# figure KEY: a figure of the run measured last
figure() {
	sed -n "s/^$1: //p" s.yaml
}

# data MODEL VxS SHARE [MISSING]: g.bed and g.vec.h5
data() {
	gen_bed "$1" "${2%x*}" "${2#*x}" "$3" g "${@:4}"
	vsim-pack -f --bfile g -o g.vec.h5
}

# row WHAT VxS 'SECONDS CPU-SECONDS' [PEAK-BYTES COUNTED-PAIRS [SECONDS-UNPRUNED]]
row() {
	awk -v what="$1" -v size="$2" -v s="$3" -v rss="${4:-}" \
		-v counted="${5:-}" -v slow="${6:-}" 'BEGIN {
		split(size, d, "x")
		split(s, t, " ")
		pairs = d[1] * (d[1] - 1) / 2
		printf "%-30s %12s %9.1f %8.3f %8.3f", what, size,
			pairs * d[2] / t[1] * 1e-9, t[1], t[2]
		if (rss != "")
			printf " %6.0f %6.0f %8.3f", rss * 1e-6,
				(rss - d[1] * d[2] / 4) * 1e-6, 100 * counted / pairs
		if (slow != "")
			printf " %6.1f", slow / t[1]
		print "" }'
}

# run WHAT VxS OPTION...: a row of vsim-run on g.vec.h5
run() {
	local s
	s=$(seconds vsim-run -f -t 0.7 --stats s.yaml -o run "${@:3}" \
		g.vec.h5) || return 0
	row "$1" "$2" "$s" "$(figure peak_rss)" "$(figure pairs_counted)" \
		"${unpruned:-}"
	last=${s% *}
}

# both WHAT VxS: unpruned, and pruned with how many times faster it is
both() {
	local unpruned=
	run "$1, --no-prune" "$2" --no-prune
	unpruned=$last
	run "$1" "$2"
}

linked() {
	data ld "$1" 0
	both 'linked, 1/f' "$1"
	data ld "$1" 0.05
	both 'linked, MAF >= 5 %' "$1"
}

# numbers TYPE VxF: Proportional Similarity
numbers() {
	min_rates npy "$1" "${2%x*}" "${2#*x}" >n.npy
	vsim-pack -f --matrix n.npy --element "$1" -o g.vec.h5
	run "ps of $1, --no-prune" "$2" -m ps -t 0.99 --no-prune
	local unpruned=$last t
	for t in 0.99 0.8; do
		run "ps of $1, -t $t" "$2" -m ps -t $t
	done
}

# products VxF: r of f32, beside OpenBLAS's sgemm of the same numbers by numpy,
# which counts each pair twice: its rate is that of all V x V pairs, by its own clock
products() {
	min_rates npy f32 "${1%x*}" "${1#*x}" >n.npy
	vsim-pack -f --matrix n.npy --element f32 -o g.vec.h5
	run 'r of f32, --no-prune' "$1" -m r -t 0.9 --no-prune
	local unpruned=$last
	run 'r of f32, -t 0.9' "$1" -m r -t 0.9
	run 'cosine of f32, -t 0.9' "$1" -m cosine -t 0.9
	"${PYTHON:-/usr/bin/python3}" - "$1" <<-'END' 2>/dev/null || true
		import sys, time
		import numpy as np
		x = np.load("n.npy")
		y = x.copy()  # or it would be taken for ssyrk
		took = []
		for k in range(3):
		    began = time.perf_counter()
		    x @ y.T
		    took.append(time.perf_counter() - began)
		print("%-30s %12s %9.1f %8.3f" % ("numpy's sgemm", sys.argv[1],
		      len(x) ** 2 * x.shape[1] / min(took) * 1e-9, min(took)))
	END
}

plink() {
	local s size=$1
	data hwe "$size" 0
	run vsim-run "$size" --no-prune
	if command -v plink1.9 >/dev/null && s=$(seconds plink1.9 --bfile g \
		--r2 inter-chr gz --ld-window-r2 0.9 --out p); then
		row 'plink1.9 --r2 inter-chr' "$size" "$s"
	fi
	if command -v plink2 >/dev/null && s=$(seconds plink2 --bfile g \
		--indep-pairwise "${size%x*}" 1 0.9 --out p); then
		row 'plink2 --indep-pairwise' "$size" "$s"
	fi
}

# other WHAT 'SECONDS CPU-SECONDS' AMOUNT UNIT
other() {
	awk -v what="$1" -v s="$2" -v n="$3" -v unit="$4" 'BEGIN {
		split(s, t, " ")
		printf "%-43s %9s %8.3f %8.3f", what, "", t[1], t[2]
		if (n)
			printf "  %.1f %s", n / t[1] * 1e-6, unit
		print "" }'
}

# gaps VxS: few samples, of which calls are missing; times what it takes if none
# is, and beside it, if BENCH is long, PLINK
gaps() {
	local metric missing s complete size=$1
	for metric in 'r2 -t 0.8' 'ccc -t 0.7'; do
		for missing in 0 0.01 0.035 0.1; do
			data ld "$size" 0.05 $missing
			# shellcheck disable=SC2086
			s=$(seconds vsim-run -f -m $metric -o run g.vec.h5)
			[ $missing != 0 ] || complete=${s#* }
			gap_row "$metric, $missing missing, $size" "$s" "$complete"
			[ "$missing ${metric%% *} $BENCH" != '0.035 r2 long' ] ||
				gap_plink "$metric" "$size" "$complete"
		done
	done
}

gap_row() {
	awk -v what="$1" -v s="$2" -v least="$3" 'BEGIN {
		split(s, t, " ")
		printf "%-43s %9s %8.3f %8.3f  %.2f times complete\n", what, "",
			t[1], t[2], t[2] / least }'
}

gap_plink() {
	local s
	if command -v plink1.9 >/dev/null; then
		s=$(seconds plink1.9 --bfile g --r2 inter-chr gz \
			--ld-window-r2 "${1##* }" --out p)
		gap_row "plink1.9, $1, 0.035 missing, $2" "$s" "$3"
	fi
	# it lists no pairs: those of a variant that is dropped are left out
	if command -v plink2 >/dev/null; then
		s=$(seconds plink2 --bfile g --indep-pairwise "${2%x*}" 1 \
			"${1##* }" --out p)
		gap_row "plink2 --indep-pairwise, ${1##* }, $2" "$s" "$3"
	fi
}

# triples WHAT OPTION...: of g.vec.h5, at the threshold that only kin reaches
triples() {
	local s
	s=$(seconds vsim-run -f --way 3 -t 0.5 --stats s.yaml -o run \
		"${@:2}" g.vec.h5)
	other "$1" "$s" "$(awk '/^comparisons:/ { print $2 * 1e-3 }' s.yaml)" \
		'G comparisons/s'
}

# association WAY VxS [OPTION...]: K2 of pairs or triples, every other sample a
# case; the first of a size beside PLINK
association() {
	local way=$1 size=$2 s
	if [ $# = 2 ]; then
		gen_bed hwe "${size%x*}" "${size#*x}" 0 g
		awk '{ $6 = 1 + NR % 2; print }' g.fam >h.fam
		mv h.fam g.fam
		vsim-pack -f --bfile g -o g.vec.h5
	fi
	s=$(seconds vsim-run -f -m k2 --way "$way" --top 10 --stats s.yaml \
		-o run "${@:3}" g.vec.h5)
	other "k2 --way $way, $size ${*:3}" "$s" \
		"$(awk '/^comparisons:/ { print $2 * 1e-3 }' s.yaml)" \
		'G sets x samples/s'
	if [ "$way$#" = 22 ] && command -v plink1.9 >/dev/null &&
		s=$(seconds plink1.9 --bfile g --fast-epistasis boost \
			--allow-no-sex --epi1 1e-9 --out p); then
		other "plink1.9 --fast-epistasis boost, $size" "$s" \
			"$(awk '/^comparisons:/ { print $2 * 1e-3 }' s.yaml)" \
			'G sets x samples/s'
	fi
}

# records WHAT -t T: g.vec.h5 to shards, to a result, to yes and to text
records() {
	local n s
	s=$(seconds vsim-run -f "${@:2}" --stats s.yaml -o run g.vec.h5)
	n=$(figure records)
	other "writing, $1" "$s" "$n" 'M records/s'
	other "vsim-merge of them" \
		"$(seconds vsim-merge -f -o e.res.h5 run)" "$n" 'M records/s'
	other "vsim-verify of the result" \
		"$(seconds vsim-verify e.res.h5)" "$n" 'M records/s'
	other "vsim-view of the result" \
		"$(seconds vsim-view e.res.h5)" "$n" 'M records/s'
}

pair_rates
echo
min_rates
echo
echo "whole programs, $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg), t = 0.7;" \
	"seconds by the clock and"
echo "of all cores; peak MB, and without the packed planes; share of pairs counted;"
echo "times as fast as --no-prune"
printf '%-30s %12s %9s %8s %8s %6s %6s %8s %6s\n' '' size G/s seconds cores \
	MB more counted/% times

for missing in 0 0.01 0.05; do
	data hwe 20000x10000 $missing
	run "$missing missing, --no-prune" 20000x10000 --no-prune
	[ $missing != 0 ] || other "vsim-pack --bfile, 20000x10000" \
		"$(seconds vsim-pack -f --bfile g -o p.vec.h5)" \
		"$(wc -c <g.bed)" 'MB/s of .bed'
done
data hwe 10000x5000 0
run '--cpu avx2 --no-prune' 10000x5000 --cpu avx2 --no-prune
data hwe 2000x5000 0
run '--cpu popcnt --no-prune' 2000x5000 --cpu popcnt --no-prune
run '--cpu scalar --no-prune' 2000x5000 --cpu scalar --no-prune
for size in 40000x427 40000x882 5000x50000; do
	data hwe $size 0
	run --no-prune $size --no-prune
done
gaps 10000x427
linked 40000x2504
plink 4000x5000
for type in u8 f32 f64; do
	numbers $type 5000x2000
done
products 20000x2000
data ld 1500x427 0.05
records '1500x427, -t 0' -t 0
data hwe 1000x2000 0
triples '--way 3 --no-prune, 1000x2000, -t 0.5' --no-prune
triples '--way 3, 1000x2000, -t 0.5'
association 2 4000x5000
association 2 4000x5000 --cpu popcnt
association 3 300x16384
association 3 300x16384 --cpu popcnt
mouse=${VSIM_TEST_DATA:-}/mouse-hs1940/mouse_hs1940
if [ -r "$mouse.bed" ]; then
	vsim-pack -f --bfile "$mouse" -o g.vec.h5
	triples '--way 3, 12226 mouse variants, -t 0.5'
fi
printf '0\t1\t2\n2\t1\t0\n' >tiny.tsv
vsim-pack --tsv tiny.tsv -o tiny.vec.h5
LEAST=10
other 'start and end, two vectors of three' \
	"$(seconds vsim-run -f -t 0.7 -o run tiny.vec.h5)" 0 ''
LEAST=2
for size in $SIZES; do
	data hwe "$size" 0
	both independent "$size"
done
[ "$BENCH" = long ] || exit 0
data hwe 20000x50000 0
both independent 20000x50000
gaps 40000x427
linked 100000x2504
plink 10000x5000
plane_files
