#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The gain of each bound and filter of vsim-run: user seconds of one thread with
# it, and how many times as many without it (VSIM_WITHOUT), minima of some runs
# taken in turns. `make bench BENCH=ablation`; DATA=DIR has the real data.
#
# LEAST=N      runs of each (5)
# ONLY=WORD    rows whose name has this word
set -eu
export LC_ALL=C
: "${LEAST:=5}" "${ONLY:=}" "${DATA:=${VSIM_TEST_DATA:-}}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# user VSIM_WITHOUT RUN-OPTION...: seconds
user() {
	local TIMEFORMAT=%U
	{ time VSIM_WITHOUT=$1 vsim-run -f -j 1 --backend cpu -o run "${@:2}" \
		>/dev/null 2>&1; } 2>&1 | tail -n 1
}

# row WHAT 'NAME ...' RUN-OPTION...: a line; a name may be several with commas
row() {
	local what=$1 name k
	[[ $what == *$ONLY* ]] || return 0
	for ((k = 0; k < LEAST; k++)); do
		for name in none $2; do
			echo "$name $(user "${name/#none/}" "${@:3}")"
		done
	done | awk -v what="$what" '
		!($1 in least) { order[n++] = $1 }
		!($1 in least) || $2 < least[$1] { least[$1] = $2 }
		END {
			printf "%-35s %7.2f", what, least["none"]
			for (k = 1; k < n; k++)
				printf " %s=%.2f", order[k],
					least[order[k]] / least["none"]
			print ""
		}'
}

# generate MODEL VECTORS FIELDS SHARE NAME [MISSING]
generate() {
	gen_bed "$1" "$2" "$3" "$4" g "${@:6}"
	vsim-pack -f --bfile g -o "$5.vec.h5" 2>/dev/null
}

# numbers TYPE VECTORS FIELDS
numbers() {
	min_rates npy "$1" "$2" "$3" >n.npy
	vsim-pack -f --matrix n.npy --element "$1" -o "$1.vec.h5" 2>/dev/null
}

alleles='single-vector block-bound representatives prefix batch-filter
	row-filter batch-filter,row-filter'
triples='single-vector candidates cost-model triangle-bound pair-bound
	range-bound column-bound'

generate ld 60000 2504 0 rare
generate ld 40000 2504 0.05 common
generate hwe 8000 2504 0.01 missing
generate ld 20000 5000 0.05 long
generate hwe 1000 2000 0 independent
generate ld 3000 2504 0.05 few
generate ld 1000 200 0.05 gaps 0.03
generate ld 3000 400 0.05 calls 0.03
generate ld 1500 2504 0 fewer
generate hwe 300 2000 0 tiny
for type in u8 f32; do
	numbers $type 6000 2000
done
row 'start alone' '' -t 0.7 independent.vec.h5
row '1/f, -t 0.7' "$alleles" -t 0.7 rare.vec.h5
row '1/f, -t 0.65' "$alleles" -t 0.65 rare.vec.h5
row 'MAF >= 5 %, -t 0.7' "$alleles" -t 0.7 common.vec.h5
row 'MAF >= 5 %, -t 0.65' "$alleles" -t 0.65 common.vec.h5
row 'MAF >= 5 %, 5000 samples' "$alleles" -t 0.7 long.vec.h5
row '1 % missing, -t 0.6' "$alleles" -t 0.6 missing.vec.h5
row '1/f, r2, -t 0.8' 'single-vector block-bound prefix row-filter' \
	-m r2 -t 0.8 rare.vec.h5
row 'MAF >= 5 %, r2, -t 0.5' 'block-bound prefix' -m r2 -t 0.5 common.vec.h5
row '1 % missing, r2, -t 0.8' 'row-filter' -m r2 -t 0.8 missing.vec.h5
for type in u8 f32; do
	for t in 0.99 0.8; do
		row "ps of $type, -t $t" \
			'block-bound byte-bound byte-edges row-filter' \
			-m ps -t $t $type.vec.h5
	done
done
row 'triples, MAF >= 5 %, -t 0.5' "$triples" --way 3 -t 0.5 few.vec.h5
row 'triples, 1/f, -t 0.25' "$triples" --way 3 -t 0.25 fewer.vec.h5
row 'triples, 3 % missing, 200 samples' "$triples" --way 3 -t 0.4 \
	gaps.vec.h5
row 'triples, 3 % missing, 400 samples' "$triples" --way 3 -t 0.5 \
	calls.vec.h5
row 'triples, independent, -t 0.4' "$triples" --way 3 -t 0.4 \
	independent.vec.h5
numbers f32 600 500
row 'triples, ps of f32, -t 0.8' 'pair-bound column-bound' -m ps --way 3 \
	-t 0.8 f32.vec.h5
row 'triples, --top 1000' 'threshold-steps' --way 3 --top 1000 few.vec.h5
row 'histogram' 'row-histogram' --metric-histogram t -t 0.9 few.vec.h5
row 'histogram of triples' 'triple-histogram' --way 3 --metric-histogram t \
	-t 0.9 tiny.vec.h5
if [ -r "$DATA/mouse-hs1940/mouse_hs1940.bed" ]; then
	vsim-pack -f --bfile "$DATA/mouse-hs1940/mouse_hs1940" -o mouse.vec.h5
	row 'mouse, -t 0.7' "$alleles" -t 0.7 mouse.vec.h5
	row 'mouse, -t 0.65' "$alleles" -t 0.65 mouse.vec.h5
	row 'mouse, r2, -t 0.8' 'block-bound prefix row-filter' -m r2 -t 0.8 \
		mouse.vec.h5
	row 'mouse, triples, -t 0.5' 'triangle-bound' --way 3 -t 0.5 \
		mouse.vec.h5
fi
for file in unphased reference; do
	[ -r "$DATA/1000g-chr20/$file.vcf.gz" ] || continue
	vsim-pack -f --vcf "$DATA/1000g-chr20/$file.vcf.gz" -o chr20.vec.h5 \
		2>/dev/null
	row "chr20 $file, -t 0.7" "$alleles" -t 0.7 chr20.vec.h5
	row "chr20 $file, -t 0.65" "$alleles" -t 0.65 chr20.vec.h5
	row "chr20 $file, r2, -t 0.8" 'block-bound row-filter' -m r2 -t 0.8 \
		chr20.vec.h5
done
