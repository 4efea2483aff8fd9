# SPDX-License-Identifier: BSD-3-Clause
# Results to be shown by vsim-view.

ORACLE=$TOP/tests/flow/oracle.py

# made VECTORS FIELDS T [HOW]: x.vec.h5, run, e.res.h5
made() {
	requires python numpy h5py
	"$PYTHON" "$ORACLE" make "$1" "$2" 4 "${@:4}" >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	vsim-run -t "$3" -o run x.vec.h5
	vsim-merge -o e.res.h5 run
}

site() {
	printf '%s\t%s\t%s\t%s\t%s\t.\t.\t.\tGT' "${@:1:5}"
	printf '\t%s' "${@:6}"
	echo
}

# six sites on three contigs, one with colons in its name; an id twice, one
# with no name; labels: alt
places() {
	{
		printf '##fileformat=VCFv4.2\n##contig=<ID=2>\n##contig=<ID=10>\n'
		printf '##contig=<ID=HLA:A*01:1-9>\n'
		printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
		printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT'
		printf '\ts%s' 1 2 3 4
		echo
		site 2 100 rs1 A G 0/0 0/1 1/1 0/1
		site 2 200 rs2 C T 0/0 0/1 1/1 ./.
		site 2 201 dup C T 0/0 0/1 1/1 1/1
		site 10 100 dup C T 0/1 0/1 1/1 0/0
		site 10 300 . TA T 1/1 0/1 0/0 0/1
		site 'HLA:A*01:1-9' 5 h A C 0/0 0/1 1/1 0/1
	} >p.vcf
	vsim-pack --vcf p.vcf --label alt -o p.vec.h5
	vsim-run -t -1 -o prun p.vec.h5
	vsim-merge -o p.res.h5 prun
}

# pairs OPTION...: "id1 id2" of the records shown of p.res.h5, each pair once
pairs() {
	vsim-view --no-header -c i,j "$@" p.res.h5 | sort -u | xargs
}

# bare FIELDS COMMAND...: some columns of its lines but the first
bare() {
	"${@:2}" | tail -n +2 | cut -f "$1"
}
