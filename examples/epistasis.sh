#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Find pairs of SNPs that interact in a case-control study in PLINK files, and
# what a third SNP adds to the strongest pair.
# usage: epistasis.sh PREFIX COLUMN OUT
#   PREFIX  of the .bed, .bim and .fam
#   COLUMN  of the .fam with the status: 0 control, 1 case, otherwise unknown
#   OUT     directory for pairs.tsv and triples.tsv, strongest first
set -eu
[ $# = 3 ] || {
	echo 'usage: epistasis.sh PREFIX COLUMN OUT' >&2
	exit 2
}
prefix=$1 column=$2 out=$3
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() {
	printf '$ %s\n' "$*" >&2
	"$@"
}

awk -v c="$column" '
	BEGIN { print "FID", "IID", "status" }
	$c == "0" || $c == "1" { print $1, $2, $c; n[$c]++ }
	END { exit !(n[0] && n[1]) }' "$prefix.fam" >"$work/status" || {
	echo "epistasis.sh: $prefix.fam: column $column has no 0 and 1" >&2
	exit 3
}
say vsim-pack --bfile "$prefix" --maf 0.05 --pheno "$work/status" \
	-o "$work/x.vec.h5"

# the likelihood ratio of pure interaction; only pairs on different chromosomes,
# since neighbours often represent one locus
say vsim-run -m inter --top 20 --inter-chromosome -o "$work/pairs" \
	--merge "$work/pairs.res.h5" "$work/x.vec.h5"
say vsim-verify --sample 1000 --against "$work/x.vec.h5" "$work/pairs.res.h5"
say vsim-view -c id1,id2,value,inter_df,inter_p "$work/pairs.res.h5" \
	>"$work/pairs.tsv"

# strongest FILE COLUMN: the header, then the lines in descending order of COLUMN
strongest() {
	head -n 1 "$1"
	tail -n +2 "$1" | sort -t "$(printf '\t')" -k"$2,$2gr" -k1,1 -k2,2
}
strongest "$work/pairs.tsv" 3 >"$out/pairs.tsv"
sed -n 2p "$out/pairs.tsv" | cut -f 1 >"$work/first"
sed -n 2p "$out/pairs.tsv" | cut -f 2 >"$work/second"

# that pair with each third SNP
say vsim-run -m lbf -w 3 --top 20 \
	--triples-between "@$work/first" "@$work/second" -o "$work/triples" \
	--merge "$work/triples.res.h5" "$work/x.vec.h5"
say vsim-verify --sample 1000 --against "$work/x.vec.h5" "$work/triples.res.h5"
say vsim-view -c id1,id2,id3,value,g,df,p "$work/triples.res.h5" \
	>"$work/triples.tsv"
strongest "$work/triples.tsv" 4 >"$out/triples.tsv"
head -n 4 "$out/pairs.tsv" "$out/triples.tsv"
