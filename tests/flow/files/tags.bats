# SPDX-License-Identifier: BSD-3-Clause
# Tags of variants: the file that PLINK's --show-tags all writes.
load ../../helpers

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	vsim-pack --vcf "$TOP/examples/chr20.vcf.gz" --maf 0.01 -o x.vec.h5 2>said
	vsim-run -m r2 -t 0.2 -o run --merge e.res.h5 x.vec.h5
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

@test "tags: byte for byte PLINK's, of two windows and bounds" {
	command -v plink1.9 >/dev/null || skip "no plink1.9"
	local kb t
	# the variants of the vectors, named as there
	vsim-view --no-header -c id x.vec.h5 >ids
	zcat "$TOP/examples/chr20.vcf.gz" |
		awk -F'\t' -v OFS='\t' '/^#/ || $3 != "." || ($3 = $1 ":" $2)' >x.vcf
	plink1.9 --vcf x.vcf --double-id --extract ids --make-bed --out x >/dev/null
	for kb in 250 20; do
		for t in 0.8 0.3; do
			plink1.9 --bfile x --show-tags all --tag-r2 $t --tag-kb $kb \
				--out p >/dev/null
			vsim-threshold -f --tags -t $t --window ${kb}kb -o got e.res.h5
			cmp p.tags.list got || complain "$kb kb, $t"
			[ "$(grep -c '|' got)" -gt 100 ]
		done
	done
	vsim-threshold --tags -t 0.8 -o - e.res.h5 >got
	plink1.9 --bfile x --show-tags all --out p >/dev/null
	cmp p.tags.list got
}

@test "tags: what is refused" {
	refuses 2 'needs kb' vsim-threshold --tags --window 50 -o no e.res.h5
	refuses 2 'lists values above 0.2' vsim-threshold --tags -t 0.1 -o no e.res.h5
	refuses 2 'cannot be combined' vsim-threshold --tags --components -o no e.res.h5
	vsim-run -m r2 -t 0.2 --max-kb 100 -o near --merge near.res.h5 x.vec.h5
	refuses 2 'a smaller window is needed' vsim-threshold --tags -o no near.res.h5
	vsim-threshold --tags --window 100kb -o yes near.res.h5
}
