# SPDX-License-Identifier: BSD-3-Clause
# Sites of several alleles, a vector for each ALT, against bcftools norm.
load ../helpers
load ../cli/pack

# made: x.vcf of sites with 1 to 5 ALT, haploid, missing and half-missing calls
made() {
	requires python numpy h5py
	requires cmd bcftools
	"$PYTHON" - >x.vcf <<-'PY'
	import numpy as np
	r = np.random.default_rng(3)
	n = 53
	print("##fileformat=VCFv4.2")
	print('##FORMAT=<ID=GT,Number=1,Type=String,Description="x">')
	print("##contig=<ID=1>")
	print("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT",
	      *(f"s{q}" for q in range(n)), sep="\t")
	for k in range(200):
	    alts = ["C", "G", "T", "AT", "ACGTACGTACGTACGTACGTACGTACGT"][:r.integers(1, 6)]
	    if k == 17:
	        alts = ["A" * 3 + "ACGT"[j % 4] + "C" * (j // 4) for j in range(140)]
	    a = r.integers(0, len(alts) + 1, (n, 2)) * (r.random((n, 2)) < .6)
	    cells = []
	    for x, y in a:
	        u = r.random()
	        cells.append("./." if u < .1 else f"{x}" if u < .15 else
	                     f"{x}{'/|'[k % 2]}{y}")
	    print(1, 10 + k, "." if k % 3 else f"v{k}", "A", ",".join(alts), ".", ".", ".",
	          "GT", *cells, sep="\t")
	PY
	bcftools norm -m- x.vcf >split.vcf 2>/dev/null
}

@test "multiallelic: a vector for each ALT has the calls of bcftools norm -m-" {
	made
	bcftools view -Ob x.vcf >x.bcf
	vsim-pack --vcf x.vcf --multiallelic split --label alt -o a.vec.h5 2>said
	vsim-pack --vcf x.bcf --multiallelic split --label alt -o b.vec.h5 2>/dev/null
	vsim-pack --vcf split.vcf --label alt -o c.vec.h5 2>/dev/null
	as_text [abc].vec.h5
	[ "$(wc -l <c.vec.h5.txt)" -gt 600 ]
	cmp c.vec.h5.txt a.vec.h5.txt
	cmp c.vec.h5.txt b.vec.h5.txt
	# haploid calls are counted once, not for each allele
	n=$(grep -v '^#' x.vcf | cut -f 10- | tr '\t' '\n' | grep -c '^[0-9]*$')
	grep -q ": $n haploid calls were taken as homozygous" said
	run ! grep -q 'more than two' said
	# copies of the alleles of a site add up to what is not REF
	"$PYTHON" - <<-'PY'
	import collections
	sum_, want = collections.Counter(), {}
	for line in open("a.vec.h5.txt"):
	    w = line.rstrip("\n").split("\t")
	    sum_[w[1]] += sum(int(x) for x in w[5:] if x != ".")
	for line in open("x.vcf"):
	    if line[0] != "#":
	        w = line.rstrip("\n").split("\t")
	        n = 0
	        for x in w[9:]:
	            x = x.replace("|", "/").split("/")
	            x = x * (3 - len(x))
	            n += sum(y not in "0." for y in x)
	        want[w[1]] = n
	assert sum_ == want
	PY
}

@test "multiallelic: filters take each vector by itself; others are refused" {
	made
	vsim-pack --vcf x.vcf --multiallelic split --maf 0.2 --exclude <(echo v0) \
		-o a.vec.h5 2>/dev/null
	vsim-pack --vcf split.vcf --maf 0.2 --exclude <(echo v0) -o b.vec.h5 2>/dev/null
	as_text a.vec.h5 b.vec.h5
	[ "$(wc -l <a.vec.h5.txt)" -gt 20 ]
	cmp a.vec.h5.txt b.vec.h5.txt
	refuses 2 '--multiallelic goes with --vcf' vsim-pack --bfile x \
		--multiallelic split -o x.vec.h5
	refuses 2 '--multiallelic does not go with --format-field' vsim-pack \
		--vcf x.vcf --format-field DS --multiallelic split -o x.vec.h5
	refuses 2 'not one of drop|split' vsim-pack --vcf x.vcf \
		--multiallelic whole -o x.vec.h5
	# an allele that the site does not have
	sed 's,\t0/0,\t0/9,;s,\t0|0,\t0|9,' x.vcf >bad.vcf
	refuses 3 'names an allele that the site does not have' vsim-pack \
		--vcf bad.vcf --multiallelic split -o x.vec.h5
	gone x.vec.h5
}
