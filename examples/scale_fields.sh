#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Predict the gain from splitting the fields over ranks, or from copies of a ring,
# which vsim-run does not do: the second table in vsim-scale(7).
# usage: scale_fields.sh [MODEL [SHAPE...]]
#
# With fields in P parts, a group of P ranks does the work of one of R / P ranks on
# vectors of F / P fields, as vsim-run predicts it, and adds up its counts: 4 bytes
# per counted pair, of which (P - 1) / P are sent, during counting. Bounds are
# assumed to skip as many pairs with few fields as with all.
# Each of 16 copies of a ring does a sixteenth of the steps of R / 16 ranks.
set -eu
here=$(dirname "$0")
model=${1:-$here/cluster.yaml}
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- 81000000x600960 10000000x4000000 800000x488000 \
	90000000x500000
ranks=${RANKS:-1024 9216}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

of_model() {
	sed -n "s/^$1: *\([^ ]*\).*/\1/p" "$model"
}

# plan VECTORS FIELDS RANKS PARTS PRUNED: for R / P ranks, while all R read
plan() {
	files=$(awk -v b="$(of_model all_files)" -v p="$4" 'BEGIN { print b / p }')
	sed "s/^pruned:.*/pruned: $5/; s/^all_files:.*/all_files: $files/" \
		"$model" >"$work/model.yaml"
	vsim-run -n -t 0.7 --cpu scalar --ranks $(($3 / $4)) \
		--model "$work/model.yaml" --shape "$1x$2"
}

# seconds VECTORS FIELDS RANKS PARTS PRUNED
seconds() {
	plan "$1" $(($2 / $4)) "$3" "$4" "$5" |
		awk -v p="$4" -v pruned="$5" -v k="$(of_model node_ranks)" \
			-v link="$(of_model node_link)" '
		/^pairs_of_a_rank/ { pairs = $NF }
		/^seconds_predicted/ { all = $2 }
		END {
			sum = pairs / pruned * 4 * (p - 1) / p * k / link
			print (all > sum ? all : sum)
		}'
}

# copies VECTORS FIELDS RANKS COPIES PRUNED
copies() {
	plan "$@" | awk -v p="$4" '
		/^seconds_(comp|wait)/ { steps += $2 }
		/^seconds_predicted/ { all = $2 }
		/^exchange: ring/ { ring = 1 }
		END {
			if (ring)
				printf "%.0f", all - steps + steps / p
			else
				print "-"
		}'
}

echo ' vectors  samples  ranks  pruned   1 part        2        4       16  16 copies'
for shape in "$@"; do
	for n in $ranks; do
		for pruned in 1 40; do
			printf '%8d  %7d  %5d  %6d' "${shape%x*}" \
				"${shape#*x}" "$n" $pruned
			for parts in 1 2 4 16; do
				printf '  %7.0f' "$(seconds "${shape%x*}" \
					"${shape#*x}" "$n" $parts $pruned)"
			done
			printf '  %9s\n' "$(copies "${shape%x*}" \
				"${shape#*x}" "$n" 16 $pruned)"
		done
	done
done
