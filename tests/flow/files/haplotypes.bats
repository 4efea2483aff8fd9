# SPDX-License-Identifier: BSD-3-Clause
# Haplotypes of phased calls, from a VCF or BCF to r2 and D'.
load ../../helpers

# vcf CALL...: x.vcf with a site of these calls, of samples s1, s2, ...
vcf() {
	{
		printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n'
		printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="call">\n'
		printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT'
		printf '\ts%d' $(seq $#)
		printf '\n1\t5\trs1\tA\tC\t.\t.\t.\tGT'
		printf '\t%s' "$@"
		echo
	} >x.vcf
}

@test "haplotypes: two fields for each sample, named by it" {
	vcf '0|1' '1|0' '1/1' '.|1' '1' '.'
	vsim-pack --vcf x.vcf --haplotypes --label alt -o x.vec.h5
	vsim-view -g x.vec.h5 >got
	tail -n 1 got | grep -q '0	1	1	0	1	1	NA	1	1	NA	NA	NA$' ||
		complain "$(cat got)"
	head -n 1 got | grep -q 's1_1	s1_2	s2_1'
	# of several ALT, and of BCF
	vcf '0|2' '1|2' '2|0'
	sed -i 's/A\tC/A\tC,G/' x.vcf
	vsim-pack -f --vcf x.vcf --haplotypes --label alt --multiallelic split \
		--keep <(printf 's1_2\ns2_1\n') -o x.vec.h5
	vsim-view --no-header -c n0,n1,n2 x.vec.h5 | tr '\n' ' ' |
		grep -qx '1	1	0 1	1	0 '
}

@test "haplotypes: what is refused" {
	vcf '0|1' '0/1'
	refuses 3 'sample s2: its call is not phased' vsim-pack --vcf x.vcf \
		--haplotypes -o no
	vcf '0' '1'
	refuses 3 'needs calls of two alleles' vsim-pack --vcf x.vcf --haplotypes -o no
	refuses 2 'cannot be combined' vsim-pack --vcf x.vcf --haplotypes --ploidy 2 -o no
	refuses 2 'requires --vcf' vsim-pack --bfile x --haplotypes -o no
}

@test "haplotypes: r2 and dprime of chr20, by numpy" {
	requires python numpy
	zcat "$TOP/examples/chr20.vcf.gz" | sed 400q >x.vcf
	vsim-pack --vcf x.vcf --haplotypes -o x.vec.h5 2>said
	for m in r2 r2em dprime; do
		vsim-run -f -m $m -t 0.1 -o run --merge e.res.h5 x.vec.h5
		quietly vsim-verify --against x.vec.h5 e.res.h5
		vsim-view --no-header -c id1,id2,value e.res.h5 >got.$m
	done
	"$PYTHON" - <<-'END'
		import numpy as np
		ids, g = [], []
		for line in open("x.vcf"):
		    if line[0] != "#":
		        c = line.split()
		        ids.append(c[2] if c[2] != "." else c[0] + ":" + c[1])
		        g.append([int(a) for x in c[9:] for a in x.split("|")])
		g = np.array(g, float)
		at = {name: k for k, name in enumerate(ids)}
		for m in ("r2", "r2em", "dprime"):
		    n = 0
		    for line in open("got." + m):
		        a, b, v = line.split()
		        x, y = g[at[a]], g[at[b]]
		        p, q = x.mean(), y.mean()
		        d = (x * y).mean() - p * q
		        most = min(p * (1 - q), q * (1 - p)) if d > 0 else min(
		            p * q, (1 - p) * (1 - q))
		        want = abs(d) / most if m == "dprime" else d * d / (
		            p * (1 - p) * q * (1 - q))
		        assert abs(float(v) - want) < 1e-12, (m, line, want)
		        n += 1
		    assert n > 100, (m, n)
	END
}
