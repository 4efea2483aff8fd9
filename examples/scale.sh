#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Predict the time of large runs on 1 to 9,216 ranks: the table in vsim-scale(7).
# usage: scale.sh [MODEL [SHAPE...]]
set -eu
here=$(dirname "$0")
model=${1:-$here/cluster.yaml}
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- 2:28000000x882 2:81000000x600960 2:10000000x4000000 \
	2:12000000x2504 2:800000x488000 2:90000000x500000 3:800000x488000
counts='1 64 512 1024 4600 9216'
ranks=${RANKS:-$counts}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for pruned in 1 10 40; do
	sed "s/^pruned:.*/pruned: $pruned/" "$model" >"$work/$pruned.yaml"
done

# plan WAY:SHAPE RANKS PRUNED: with a kernel that runs on any machine, so that all
# print the same
plan() {
	vsim-run -n -w "${1%%:*}" -t 0.7 --cpu scalar --ranks "$2" \
		--model "$work/$3.yaml" --shape "${1#*:}" --allow-empty
}

for shape in "$@"; do
	echo "$shape" | awk -F'[:x]' '{
		printf "%s of %d vectors, %d samples\n", \
			$1 == 3 ? "triples" : "pairs", $2, $3
		print "ranks  received    memory             1 x" \
			"            10 x            40 x"
	}'
	for n in $ranks; do
		for pruned in 1 10 40; do
			plan "$shape" "$n" $pruned 2>"$work/said" ||
				sed 's/.*/no: &/' "$work/said"
		done | awk -v n="$n" '
		function size(x) {
			return x >= 9.995e11 ? sprintf("%.3g TB", x / 1e12) : \
				x >= 9.995e8 ? sprintf("%.3g GB", x / 1e9) : \
				sprintf("%.3g MB", x / 1e6)
		}
		function time(s) {
			return s >= 63115200 ? sprintf("%.3g y", s / 31557600) : \
				s >= 172800 ? sprintf("%.3g d", s / 86400) : \
				s >= 7200 ? sprintf("%.3g h", s / 3600) : \
				s >= 100 ? sprintf("%.3g min", s / 60) : \
				sprintf("%.3g s", s)
		}
		BEGIN { FS = ": "; got = 0 }
		/^no: / { why = $0 }
		/^received_by_a_rank: / { got = $2 }
		/^memory_of_a_rank: / { memory = $2 }
		/^seconds_predicted: / { seconds[++k] = $2 }
		/^efficiency_predicted: / { share[k] = $2 }
		END {
			if (!k) {
				sub(/^no: vsim-run: /, "", why)
				printf "%5d  %s\n", n, why
				exit
			}
			printf "%5d  %8s  %8s", n, got ? size(got) : "-", \
				size(memory)
			for (k = 1; k <= 3; k++)
				printf "  %8s %3.0f %%", time(seconds[k]), \
					100 * share[k]
			print ""
		}'
	done
done
