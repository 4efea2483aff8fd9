# SPDX-License-Identifier: BSD-3-Clause
# Numbers of a VCF: a field of FORMAT as vectors, against bcftools.
load ../../helpers

# made N_SITE N_SAMPLE: x.vcf with DS, DP, AD and GP, some sites without DS
made() {
	requires python numpy h5py
	requires cmd bcftools
	"$PYTHON" - "$@" >x.vcf <<-'PY'
	import sys
	import numpy as np
	v, n = map(int, sys.argv[1:])
	r = np.random.default_rng(7)
	print("##fileformat=VCFv4.2")
	for name, number, kind in (("GT", 1, "String"), ("DS", "A", "Float"),
	        ("DP", 1, "Integer"), ("AD", "R", "Integer"), ("GP", "G", "Float"),
	        ("FT", 1, "String")):
	    print(f'##FORMAT=<ID={name},Number={number},Type={kind},Description="x">')
	print("##contig=<ID=1>\n##contig=<ID=2>")
	print("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT",
	      *(f"s{q}" for q in range(n)), sep="\t")
	for k in range(v):
	    alt = "C,G" if k % 50 == 9 else "C"
	    some = k % 30 != 7
	    cells = []
	    for x, d in zip(r.random(n) * 2, r.integers(0, [9, 300, 70000][k % 3], n)):
	        ds = f"{x:.{k % 6}f}" + (",0.5" if "," in alt else "")
	        cells.append(f"0/1:{ds}:{d}:1,2:PASS" if some else f"0/1:{d}:1,2:PASS")
	    print(1 + k % 2, 10 + k, f"v{k}", "A", alt, ".", ".", ".",
	          "GT:DS:DP:AD:FT" if some else "GT:DP:AD:FT", *cells, sep="\t")
	PY
}

@test "dosages: DS of a VCF and of its BCF are the floats that bcftools shows" {
	made 300 37
	bcftools view -Ob x.vcf >x.bcf
	bcftools view -Oz x.vcf >x.vcf.gz
	run --separate-stderr vsim-pack --vcf x.vcf --format-field DS -o a.vec.h5
	[ "$status" = 0 ]
	[ "${stderr_lines[0]}" = "vsim-pack: x.vcf: 6 sites with more than two alleles were left out" ]
	[ "${stderr_lines[1]}" = "vsim-pack: x.vcf: 10 sites without DS were left out" ]
	vsim-pack --vcf x.bcf --format-field DS -o b.vec.h5 2>/dev/null
	vsim-pack --vcf - --format-field DS --element f64 -o c.vec.h5 <x.vcf.gz 2>/dev/null
	vsim-pack --vcf x.vcf --format-field DP --element smallest -o d.vec.h5 2>/dev/null ||
		complain "DP"
	bcftools query -e 'N_ALT>1 || FORMAT/DS="."' -f '%ID[\t%DS]\n' x.vcf >ds
	bcftools query -e 'N_ALT>1' -f '%ID[\t%DP]\n' x.vcf >dp
	[ "$(wc -l <ds)" = 284 ]
	"$PYTHON" - <<-'PY'
	import h5py
	import numpy as np
	def text(name):
	    rows = [x.rstrip("\n").split("\t") for x in open(name)]
	    return ([x[0] for x in rows], np.array([x[1:] for x in rows], float))
	for name, want, kind in (("a", "ds", "f4"), ("b", "ds", "f4"), ("c", "ds", "f8"),
	        ("d", "dp", "f4")):
	    f = h5py.File(name + ".vec.h5")
	    ids, x = text(want)
	    got = f["vectors/values"][...]
	    assert got.dtype == kind, (name, got.dtype)
	    assert (got == x.astype("f4")).all(), name
	PY
}

@test "dosages: fields that are no single number are refused, naming the place" {
	made 8 5
	while IFS=: read -r field words; do
		refuses 3 "x.vcf: $words" vsim-pack --vcf x.vcf \
			--format-field "$field" -o y.vec.h5
	done <<-'EOT'
	GT:genotypes .GT. are read by default
	XX:its header has no FORMAT field called XX
	FT:FORMAT field FT is not a number
	GP:no site has GP
	AD:line 11 .1:10.: sample s0: has several numbers where one is wanted
	EOT
	sed '/^1\t12/s/0\/1:[0-9.]*:/0\/1:1,5x:/2' x.vcf >k.vcf
	refuses 3 'k.vcf: line 13: sample s1: its value is not a number' \
		vsim-pack --vcf k.vcf --format-field DS -o y.vec.h5
	sed '/^1\t12/s/0\/1:[0-9.]*:/0\/1:.:/2' x.vcf >m.vcf
	vsim-pack --vcf m.vcf --format-field DS -o m.vec.h5 2>/dev/null
	[ "$(vsim-view -g --no-header m.vec.h5 | sed -n 3p | cut -f 1,3)" = "v2	NA" ]
	vsim-pack --vcf m.vcf --format-field DS --missing-as-zero -o w.vec.h5 \
		2>/dev/null
	[ "$(vsim-view -g --no-header w.vec.h5 | sed -n 3p | cut -f 1,3)" = "v2	0" ]
	sed '/^1\t12/s/0\/1:[0-9.]*:/0\/1:-1:/2' x.vcf >n.vcf
	vsim-pack --vcf n.vcf --format-field DS -o n.vec.h5 2>/dev/null
	[ "$(vsim-view -g --no-header n.vec.h5 | sed -n 3p | cut -f 1,3)" = "v2	-1" ]
	refuses 2 '--format-field requires --vcf' vsim-pack --matrix x \
		--format-field DS -o z.vec.h5
	refuses 2 '--format-field cannot be combined with --label' vsim-pack --vcf x.vcf \
		--format-field DS --label alt -o z.vec.h5
	printf l >b.txt
	refuses 3 'b.txt: is not a VCF or BCF' vsim-pack --vcf b.txt \
		--format-field DS -o z.vec.h5
	gone z.vec.h5
}

# both N_SITE N_SAMPLE: y.vcf, with GT and a DS of the same copies
both() {
	requires python numpy
	"$PYTHON" - "$@" >y.vcf <<-'PY'
	import sys
	import numpy as np
	v, n = map(int, sys.argv[1:])
	r = np.random.default_rng(11)
	print("##fileformat=VCFv4.2")
	print('##FORMAT=<ID=GT,Number=1,Type=String,Description="x">')
	print('##FORMAT=<ID=DS,Number=A,Type=Float,Description="x">')
	print("##contig=<ID=1,length=5000>\n##contig=<ID=X>")
	print("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT",
	      *(f"s{q}" for q in range(n)), sep="\t")
	h = r.random((2, n)) < 0.4
	for k in range(v):
	    h ^= r.random((2, n)) < 0.04
	    g = h.sum(axis=0)
	    gone = r.random(n) < (0.3 if k % 9 == 4 else 0.02)
	    if k == 5:
	        g[:] = 2
	    cells = ["./.:." if m else f"{'0/0 0/1 1/1'.split()[x]}:{x}"
	             for x, m in zip(g, gone)]
	    print("1X"[k >= v // 2], 100 + 7 * k, f"v{k}" if k % 6 else ".", "A",
	          "CT"[k % 2], ".", ".", ".", "GT:DS", *cells, sep="\t")
	PY
}

# bats test_tags=long
@test "dosages: sites are kept, and what goes by place or frequency is as of calls" {
	both 60 40
	printf 's%d\n' 3 5 8 9 11 14 20 21 30 33 36 >some
	printf 'v%d ' 1 2 3 8 9 10 19 20 21 22 33 35 40 >ids
	local how a b
	a() { vsim-pack -f --vcf y.vcf "$@"; }
	while IFS= read -r how; do
		# shellcheck disable=SC2086
		a $how --label given -o g.vec.h5
		# shellcheck disable=SC2086
		a $how --format-field DS -o d.vec.h5
		cmp <(vsim-view -g g.vec.h5) <(vsim-view -g d.vec.h5) ||
			complain "$how"
		cmp <(vsim-view -c id,chrom,pos,allele0,allele1 g.vec.h5) \
			<(vsim-view -c id,chrom,pos,allele0,allele1 d.vec.h5) ||
			complain "$how"
	done <<-'EOT'
	--maf 0.3
	--max-missing 0.2 --chr X
	--drop-monomorphic --keep some
	--remove some --extract ids --maf 0.1
	--exclude ids --chr 1 --from-kb 0.15 --to-kb 0.4

	EOT
	a --format-field DS --part 1/2 -o p1.vec.h5
	a --format-field DS --part 2/2 -o p2.vec.h5
	vsim-pack -f --parts -o j.vec.h5 p2.vec.h5 p1.vec.h5
	quietly vsim-verify --compare d.vec.h5 j.vec.h5
	quietly vsim-permute --order random -o q.vec.h5 d.vec.h5
	cmp <(vsim-view -c id,pos,allele1,sum --file-order q.vec.h5 | sort) \
		<(vsim-view -c id,pos,allele1,sum d.vec.h5 | sort)
	# runs: the same records, and what is made of them
	for x in g d; do
		vsim-run -f -m r2 -t 0.1 --max-kb 0.05 -o $x $x.vec.h5 --merge $x.near.res.h5
		vsim-run -f -m r2 -t 0.05 -o $x $x.vec.h5 --merge $x.res.h5
		vsim-view -c id1,pos1,id2,chrom2 $x.near.res.h5 >$x.near
		vsim-view -r X:400-450 -c id1,id2 $x.res.h5 >$x.region
		vsim-view --to ld $x.res.h5 | awk '{ print $1, $2, $3, $5, $6 }' >$x.ld
		vsim-threshold --prune $x --window 20 --step 3 --above 0.2 $x.res.h5
		awk 'BEGIN { print "SNP P" } { print $1, "0.0000" NR % 7 + 1 NR }' \
			$x.prune.in >$x.p
		vsim-threshold --clump $x.p --clump-kb 1 --above 0.1 -o $x.clumps $x.res.h5
	done
	for x in near region ld prune.in prune.out clumps; do
		cmp g.$x d.$x
		[ "$(wc -l <g.$x)" -gt 2 ]
	done
	refuses 3 'y.vcf: no site is left of 60: 60 not selected .--extract' vsim-pack \
		--vcf y.vcf --format-field DS --chr 7 -o z.vec.h5
	refuses 3 '1:100:A:C .1:100., sample s0: is not a dosage from 0 to 2' vsim-pack \
		--vcf <(sed '/^#/!s/:[012]/:7/' y.vcf) --format-field DS --maf 0.1 -o z.vec.h5
	gone z.vec.h5
}

@test "dosages: of X and Y no sex is regarded, and one line says so" {
	printf '%s\n' '##fileformat=VCFv4.2' \
		'##FORMAT=<ID=DS,Number=A,Type=Float,Description="x">' >x.vcf
	printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n' >>x.vcf
	printf '%s\t5\tv%s\tA\tC\t.\t.\t.\tDS\t0.5\t1.5\n' 1 1 chrX 2 24 3 >>x.vcf
	run --separate-stderr vsim-pack --vcf x.vcf --format-field DS -o x.vec.h5
	[ "$status" = 0 ]
	[[ $stderr = *'the DS of 2 sites on X and Y are compared as they are, without regard to sex'* ]]
	# nor of calls of one allele
	sed 's/DS/GT/; s/Number=A,Type=Float/Number=1,Type=String/
		s/0\.5\t1\.5/0\/0\t1\/1/' x.vcf >g.vcf
	run --separate-stderr vsim-pack --vcf g.vcf --ploidy 1 -o g.vec.h5
	[ "$status" = 0 ]
	[[ $stderr = *'the calls of 2 sites on X and Y are compared as they are, without regard to sex; without --ploidy 1'* ]]
	sed 's/^1\t5/1\tx5/' g.vcf >bad.vcf
	refuses 3 'line .*: column 2 is not a position' \
		vsim-pack --vcf bad.vcf -o bad.vec.h5
}
