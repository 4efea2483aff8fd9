#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From a VCF to its strongest pairs: all pairs of 24,990 SNPs on chromosome 20.
# usage: demo.sh [THRESHOLD]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

say() {
	printf '$ %s\n' "$*" >&2
	"$@"
}

say vsim-pack -v --vcf "$here/chr20.vcf.gz" -o chr20.vec.h5
say vsim-run -v -m ccc -t "${1:-0.7}" -o run chr20.vec.h5
say vsim-merge -o edges.res.h5 run
say vsim-verify -v --against chr20.vec.h5 --sample 100000 edges.res.h5
echo '$ vsim-view edges.res.h5 | sort -k5,5gr | head' >&2
vsim-view edges.res.h5 >edges.tsv
head -n 1 edges.tsv
sort -k5,5gr edges.tsv | head
