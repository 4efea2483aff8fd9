#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Plant an interaction of two SNPs on chromosome 20 and find it among all pairs:
# the genotypes of the 300 people are real, their status is made up.
# usage: planted.sh [ID ID]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
first=${1:-rs6039500} second=${2:-rs7273150}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

say() {
	printf '$ %s\n' "$*" >&2
	"$@"
}

say vsim-pack --vcf "$here/chr20.vcf.gz" --maf 0.05 -o plain.vec.h5
vsim-view -g plain.vec.h5 >genotypes.tsv
# a case carries the minor allele of exactly one of the two SNPs; every tenth
# person has the opposite status
awk -v a="$first" -v b="$second" '
	NR == 1 { n = NF; for (q = 2; q <= n; q++) id[q] = $q }
	$1 == a || $1 == b {
		found++
		for (q = 2; q <= n; q++)
			carries[q] += $q == 1 || $q == 2
	}
	END {
		if (found != 2)
			exit 1
		print "IID", "status"
		for (q = 2; q <= n; q++)
			print id[q], 1 + ((carries[q] == 1) != (q % 10 == 0))
	}' genotypes.tsv >status.txt || {
	echo "planted.sh: $first $second: not two common SNPs" >&2
	exit 3
}
say vsim-pack --vcf "$here/chr20.vcf.gz" --maf 0.05 --pheno status.txt \
	-o study.vec.h5
say vsim-run -m k2 --top 10 -o run --merge top.res.h5 study.vec.h5
say vsim-verify --against study.vec.h5 top.res.h5
echo '$ vsim-view -c id1,id2,value top.res.h5 | sort -k3,3g' >&2
vsim-view -c id1,id2,value top.res.h5 >top.tsv
head -n 1 top.tsv
tail -n +2 top.tsv | sort -k3,3g
