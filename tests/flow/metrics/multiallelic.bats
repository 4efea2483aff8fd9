# SPDX-License-Identifier: BSD-3-Clause
# Sites of several alleles, a vector for each ALT, against bcftools norm.
load ../../helpers
load ../../cli/pack

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

@test "multiallelic: filters treat each vector separately; others are refused" {
	made
	vsim-pack --vcf x.vcf --multiallelic split --maf 0.2 --exclude <(echo v0) \
		-o a.vec.h5 2>/dev/null
	vsim-pack --vcf split.vcf --maf 0.2 --exclude <(echo v0) -o b.vec.h5 2>/dev/null
	as_text a.vec.h5 b.vec.h5
	[ "$(wc -l <a.vec.h5.txt)" -gt 20 ]
	cmp a.vec.h5.txt b.vec.h5.txt
	refuses 2 '--multiallelic requires --vcf' vsim-pack --bfile x \
		--multiallelic split -o x.vec.h5
	refuses 2 '--format-field cannot be combined with --multiallelic' vsim-pack \
		--vcf x.vcf --format-field DS --multiallelic split -o x.vec.h5
	refuses 2 'not one of drop|split|whole' vsim-pack --vcf x.vcf \
		--multiallelic all -o x.vec.h5
	# an allele that the site does not have
	sed 's,\t0/0,\t0/9,;s,\t0|0,\t0|9,' x.vcf >bad.vcf
	refuses 3 'names an allele that the site does not have' vsim-pack \
		--vcf bad.vcf --multiallelic split -o x.vec.h5
	gone x.vec.h5
}

@test "multiallelic: whole makes a vector of copies for each allele" {
	made
	bcftools view -Ob x.vcf >x.bcf
	vsim-pack --vcf x.vcf --multiallelic whole -o a.vec.h5 2>said
	vsim-pack --vcf x.bcf --multiallelic whole --label alt -o b.vec.h5 2>/dev/null
	as_text [ab].vec.h5
	cmp [ab].vec.h5.txt
	run ! grep -qE 'more than (two|once)' said
	n=$(grep -v '^#' x.vcf | cut -f 10- | tr '\t' '\n' | grep -c '^[0-9]*$')
	grep -q ": $n haploid calls were taken as homozygous" said
	"$PYTHON" - <<-'PY'
	got = [l.rstrip("\n").split("\t") for l in open("a.vec.h5.txt")]
	want = []
	for line in open("x.vcf"):
	    if line[0] == "#":
	        continue
	    w = line.rstrip("\n").split("\t")
	    alleles = [w[3], *w[4].split(",")]
	    id_ = w[2] if w[2] != "." else f"{w[0]}:{w[1]}:{w[3]}:{w[4]}"
	    for k, a in enumerate(alleles):
	        calls = []
	        for x in w[9:]:
	            x = x.replace("|", "/").split("/")
	            x = x * (3 - len(x))
	            calls.append("." if "." in x else str(x.count(str(k))))
	        want.append([w[0], w[1], id_, ",".join(alleles[:k] + alleles[k + 1:]), a,
	                     *calls])
	for g, w in zip(got, want):
	    # alleles are shortened in names
	    begin = g[2].split("~")[0]
	    w[2] = g[2] if begin != g[2] and w[2].startswith(begin) else w[2]
	bad = [(g, w) for g, w in zip(got, want) if g != w]
	assert len(got) == len(want) and not bad, (len(got), len(want), bad[:1])
	PY
}

# Each pair of alleles of two sites, by the formula of vsim-metrics(7) from the text
# bats test_tags=long
@test "multiallelic: whole and -t HH=T have every k x k cell of CCC" {
	made
	grep -vE '^1\t27\t' x.vcf | grep -P '^#|^1\t\d+\t' | head -n 64 >y.vcf
	vsim-pack --vcf y.vcf --multiallelic whole -o x.vec.h5 2>/dev/null
	vsim-run -t HH=0.2 --min-kb 0.001 -o run --merge x.res.h5 x.vec.h5
	vsim-view --no-header -c pos1,allele1,pos2,allele2,value x.res.h5 >got
	vsim-verify --against x.vec.h5 x.res.h5
	"$PYTHON" - <<-'PY'
	sites = []
	for line in open("y.vcf"):
	    if line[0] == "#":
	        continue
	    w = line.rstrip("\n").split("\t")
	    calls = []
	    for x in w[9:]:
	        x = x.replace("|", "/").split("/")
	        calls.append(None if "." in x else x * (3 - len(x)))
	    for k, a in enumerate([w[3], *w[4].split(",")]):
	        n = [None if c is None else c.count(str(k)) for c in calls]
	        known = [x for x in n if x is not None]
	        sites.append((w[1], a, n, sum(known) / (2 * len(known))))
	want = {}
	for i, (p, a, x, f) in enumerate(sites):
	    for q, b, y, g in sites[i + 1:]:
	        both = [(s, t) for s, t in zip(x, y) if None not in (s, t)]
	        v = 4.5 * sum(s * t for s, t in both) / (4 * len(both)) * \
	            (1 - 2 / 3 * f) * (1 - 2 / 3 * g)
	        if p != q and v > .2:
	            want[p, a, q, b] = v
	got = {tuple(w[:4]): float(w[4]) for w in
	       (l.rstrip("\n").split("\t") for l in open("got"))}
	assert got.keys() == want.keys() and len(want) > 1000, (len(got), len(want))
	assert max(abs(got[k] - want[k]) for k in want) < 1e-12
	PY
}
