#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Find gene families that expand and contract together, from a table of copy numbers
# by species (Desc, Family ID and one column per species, as for CAFE):
#	species.svg   heat map of the gene content that species share (PS)
#	families.svg  network of the families with the most similar profiles
#	clusters.tsv  clusters of such families, by MCL, one per line
# usage: gene_families.sh TABLE [DIRECTORY [THRESHOLD]]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
table=${1:?usage: gene_families.sh TABLE [DIRECTORY [THRESHOLD]]}
out=${2:-.} threshold=${3:-0.97}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# drop families with few copies or the same size in nearly all species
awk -F '\t' -v OFS='\t' '
	NR == 1 { $1 = "id"; for (k = 2; k < NF; k++) $k = $(k + 1); NF--; print; next }
	{
		sum = differ = 0
		for (k = 3; k <= NF; k++) {
			sum += $k
			differ += $k != $3
		}
		if (sum < 3 * (NF - 2) || differ < 3)
			next
		$1 = "family" $2
		for (k = 2; k < NF; k++) $k = $(k + 1)
		NF--
		print
	}' "$table" >"$work/families.tsv"

# species: columns of the table
vsim-pack --matrix "$work/families.tsv" --transpose -o "$work/species.vec.h5"
vsim-run -m ps -t 0 -o "$work/species" --merge "$work/species.res.h5" \
	"$work/species.vec.h5"
vsim-plot heatmap -f -o "$out/species.svg" "$work/species.res.h5"
vsim-view --sort value -c id1,id2,value "$work/species.res.h5"

# families: rows of the table, as shares of their sums
vsim-pack --matrix "$work/families.tsv" --normalize sum -o "$work/x.vec.h5"
vsim-run -m ps -t "$threshold" -o "$work/run" --merge "$work/x.res.h5" \
	"$work/x.vec.h5"
vsim-plot network -f -o "$out/families.svg" "$work/x.res.h5"
"$here/clusters.sh" "$work/x.res.h5" >"$out/clusters.tsv"
