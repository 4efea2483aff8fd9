# SPDX-License-Identifier: BSD-3-Clause
# Haplotype blocks: PLINK's files, and a plain definition.
load ../../helpers

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	# every id its own; some calls missing
	zcat "$TOP/examples/chr20.vcf.gz" | awk -F'\t' -v OFS='\t' '
		/^#/ { print; next }
		NR % 3 { next }
		{
			$3 = "v" NR
			for (c = 10; c <= NF; c++)
				if ((c * 7 + NR * 13) % 41 == 0)
					$c = "./."
			print
		}' >x.vcf
	vsim-pack --vcf x.vcf -o x.vec.h5 2>said
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

# plink NAME OPTION ..
plink() {
	plink1.9 --allow-no-sex --bfile "$1" --blocks no-pheno-req "${@:2}" --out p >/dev/null
}

@test "blocks: byte for byte PLINK's, by several rules, some calls missing" {
	command -v plink1.9 >/dev/null || skip "no plink1.9"
	local rule of
	plink1.9 --vcf x.vcf --double-id --make-bed --out x >/dev/null
	for rule in '' '--blocks-max-kb 30' '--blocks-min-maf 0.2' \
		'--blocks-strong-lowci 0.6 --blocks-strong-highci 0.99' \
		'--blocks-recomb-highci 0.95 --blocks-inform-frac 0.8' \
		'--blocks-strong-lowci 0.755 --blocks-min-maf 0'; do
		plink x $rule
		vsim-threshold -f --blocks v $rule x.vec.h5
		for of in blocks blocks.det; do
			cmp p.$of v.$of || complain "$rule"
		done
		[ "$(wc -l <v.blocks)" -gt 5 ]
	done
	plink x no-small-max-span
	vsim-threshold -f --blocks v --blocks-any-span x.vec.h5
	cmp p.blocks.det v.blocks.det
}

@test "blocks: the plain definition" {
	requires python numpy
	local n
	n=$(grep -v '^#' x.vcf | awk '$2 - first > 80000 && NR > 1 { exit }
		NR == 1 { first = $2 } END { print NR }')
	(grep '^#' x.vcf; grep -v '^#' x.vcf | head -n "$n") >few.vcf
	vsim-pack --vcf few.vcf -o few.vec.h5 2>said
	vsim-view -g few.vec.h5 >few.tsv
	vsim-view -c id,chrom,pos few.vec.h5 >few.sites
	vsim-threshold -f --blocks v --blocks-max-kb 40 --blocks-min-maf 0.1 few.vec.h5
	"$PYTHON" "$TOP/tests/flow/blocks.py" few.tsv few.sites 0.1 40 >want
	cmp want v.blocks.det
	[ "$(wc -l <want)" -gt 5 ]
}

@test "blocks: what is refused" {
	refuses 2 'exceeds --blocks-strong-highci' vsim-threshold --blocks no \
		--blocks-recomb-highci 0.99 x.vec.h5
	refuses 2 'cannot be combined' vsim-threshold --blocks no --tags x.vec.h5
	refuses 2 'requires --blocks' \
		vsim-threshold --tags --blocks-min-maf 0.1 -o no x.vec.h5
	refuses 2 exists vsim-threshold --blocks v x.vec.h5
}
