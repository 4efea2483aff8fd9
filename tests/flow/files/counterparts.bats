# SPDX-License-Identifier: BSD-3-Clause
# Options on real data beside the programs that people compare them with: PLINK,
# bcftools, numpy and SciPy.
# bats file_tags=long
load ../../helpers
load ../plink

# mouse: x.bed of the mice, those variants that have a place on an autosome; PLINK
# takes frequencies of founders alone, so all are founders; and it keeps what has one
# genotype alone and begins a chromosome, which vsim-threshold(1) says that it does not
mouse() {
	requires data mouse-hs1940
	requires cmd plink1.9
	plink1.9 --bfile "$VSIM_TEST_DATA/mouse-hs1940/mouse_hs1940" --autosome \
		--make-bed --out y >/dev/null
	awk '{ print $1, $2, 0, 0, $5, $6 }' y.fam >z
	mv z y.fam
	plink1.9 --bfile y --freq --out y >/dev/null
	awk 'FNR > 1 && $1 != last && $5 == 0 { print $2; next }
		{ last = $1 }' y.frq >begin
	[ -s begin ]
	plink1.9 --bfile y --exclude begin --make-bed --out x >/dev/null
}

# chr20: x.bed of chromosome 20
chr20() {
	requires data 1000g-chr20
	requires cmd plink1.9
	plink1.9 --vcf "$VSIM_TEST_DATA/1000g-chr20/reference.vcf.gz" \
		--make-bed --out x >/dev/null
	# some ids occur more than once
	awk '{ $2 = "v" NR; print }' x.bim >y
	mv y x.bim
}

# lines: x.bed of x.bed, a call of two different alleles missing: of inbred lines
# PLINK's estimate of haplotypes has no choice, and its r2 is that of genotypes
lines() {
	requires python numpy
	"$PYTHON" - <<-'PY'
	import numpy as np
	n = sum(1 for _ in open("x.fam"))
	b = np.fromfile("x.bed", np.uint8)
	g = np.unpackbits(b[3:].reshape(-1, (n + 3) // 4), axis=1, bitorder="little")
	g = g.reshape(len(g), -1, 2)
	g[(g[:, :, 0] == 0) & (g[:, :, 1] == 1)] = 1, 0
	with open("x.bed", "wb") as f:
	    f.write(b[:3].tobytes())
	    np.packbits(g.reshape(len(g), -1), axis=1, bitorder="little").tofile(f)
	PY
}

# window KB T: pairs and r2 of PLINK, to the digits that it prints
window() {
	plink1.9 --bfile x --r2 --ld-window-kb "$1" --ld-window 999999 \
		--ld-window-r2 "$2" --out p >/dev/null
	awk 'NR > 1 { print $3 "\t" $6 "\t" $7 }' p.ld | sort >theirs
	vsim-run -f -m r2 -t "$2" --max-kb "$1" -o run --merge x.res.h5 x.vec.h5
	vsim-view --no-header -c id1,id2,value x.res.h5 | sort >ours
	[ "$(wc -l <theirs)" -gt 500 ] || complain "$(wc -l <theirs) pairs"
	awk -F'\t' 'NR == FNR { at[$1 "\t" $2] = $3; next }
		# PLINK prints six digits, and keeps what is at the bound
		!(($1 "\t" $2) in at) { if ($3 > t + 1e-6 * t) bad++; next }
		{
			d = at[$1 "\t" $2] - $3
			n++
			if (d > 1e-5 * $3 || d < -1e-5 * $3)
				bad++
		}
		END { for (k in at) all++; exit bad > 0 || n != all }' \
		t="$2" ours theirs ||
		complain "$1 kb: $(wc -l <ours) pairs, PLINK has $(wc -l <theirs)"
}

@test "counterparts: --max-kb is PLINK's --ld-window-kb, mice and chromosome 20" {
	local of
	for of in mouse chr20; do
		$of
		vsim-pack -f --bfile x -o x.vec.h5 2>/dev/null
		window 150 0.2
		window 1000 0.8
	done
}

@test "counterparts: --prune is PLINK's --indep-pairwise, mice and chromosome 20" {
	local of
	for of in mouse chr20; do
		$of
		vsim-pack -f --bfile x -o x.vec.h5 2>/dev/null
		vsim-run -f -m r2 -t 0.1 --within-chromosome --max-sites 199 \
			-o run --merge ld.res.h5 x.vec.h5 2>/dev/null
		pruned 50 5 0.5 1000
		pruned 50 5 0.2 1000
		pruned 200 20 0.1 1000
		vsim-run -f -m r2 -t 0.2 --max-kb 500 -o run --merge ld.res.h5 \
			x.vec.h5 2>/dev/null
		pruned 100kb 1 0.8 1000
		pruned 500kb 1 0.2 1000
	done
}

# clump P1 P2 R2 KB: the clumps of PLINK, all columns but P, which is rounded there
clump() {
	plink1.9 --bfile x --clump p.txt --clump-p1 "$1" --clump-p2 "$2" \
		--clump-r2 "$3" --clump-kb "$4" --out c >/dev/null
	vsim-threshold -f --clump p.txt --clump-p1 "$1" --clump-p2 "$2" \
		--above "$3" --clump-kb "$4" -o x.clumped ld.res.h5 2>/dev/null
	diff <(awk 'NF { $5 = ""; print }' c.clumped) \
		<(awk '{ $5 = ""; print }' x.clumped) ||
		complain "$*: $(wc -l <x.clumped) lines"
	[ "$(wc -l <x.clumped)" -gt "$5" ]
}

@test "counterparts: --clump is PLINK's, mice by their phenotype" {
	mouse
	lines
	plink1.9 --bfile x --assoc --out a >/dev/null
	awk 'NR == 1 || $NF != "NA" { print $2, $NF }' a.qassoc >p.txt
	vsim-pack --bfile x --ploidy 1 --label a2 -o x.vec.h5 2>/dev/null
	vsim-run -m r2 -t 0.1 --max-kb 1000 -o run --merge ld.res.h5 x.vec.h5 \
		2>/dev/null
	clump 1e-4 0.01 0.5 250 20
	clump 1e-3 0.05 0.2 1000 50
}

@test "counterparts: --clump is PLINK's, chromosome 20" {
	chr20
	lines
	awk 'BEGIN { srand(4); print "SNP P" }
		{ print $2, rand() < 0.1 ? 10 ^ (-8 * rand()) : rand() }' x.bim >p.txt
	vsim-pack --bfile x --ploidy 1 --label a2 -o x.vec.h5 2>/dev/null
	vsim-run -m r2 -t 0.2 --max-kb 250 -o run --merge ld.res.h5 x.vec.h5 \
		2>/dev/null
	clump 1e-4 0.01 0.5 250 200
	clump 1e-3 0.5 0.2 100 200
}

# sites EXPRESSION OPTION...: those that bcftools has for the one and vsim-pack for
# the other
sites() {
	bcftools query -i "$1" -f '%POS\n' x.vcf >theirs
	vsim-pack -f --vcf x.vcf "${@:2}" -o x.vec.h5 2>/dev/null
	vsim-view --no-header -c pos x.vec.h5 >ours
	[ "$(wc -l <theirs)" -gt 300 ]
	[ "$(wc -l <theirs)" -lt "$n" ]
	cmp theirs ours || complain "${*:2}: $(wc -l <ours) sites, bcftools \
has $(wc -l <theirs)"
}

@test "counterparts: filters of vsim-pack have the sites that bcftools counts" {
	requires data 1000g-chr20
	requires cmd bcftools
	# a call in eight is missing, of some sites half of them
	bcftools annotate -x INFO "$VSIM_TEST_DATA/1000g-chr20/unphased.vcf.gz" |
		awk 'BEGIN { FS = OFS = "\t"; srand(6) }
		!/^#/ {
			p = NR % 7 ? 0.03 : NR % 5 ? 0.1 : 0.5
			for (k = 10; k <= NF; k++)
				if (rand() < p)
					$k = "./."
		}
		{ print }' >x.vcf
	n=$(grep -vc '^#' x.vcf)
	sites 'MAF >= 0.05' --maf 0.05
	sites 'MAF >= 0.01' --maf 0.01
	sites 'F_MISSING <= 0.04' --max-missing 0.04
	sites 'MAF >= 0.2 && F_MISSING <= 0.1' --maf 0.2 --max-missing 0.1
	sites 'AC > 0 && AC < AN' --drop-monomorphic
	sites 'CHROM == "20" && POS >= 1200000 && POS <= 1500000' \
		--chr 20 --from-kb 1200 --to-kb 1500
	sites 'POS >= 1200000 && POS <= 1500000 && MAF >= 0.1' \
		--chr 20 --from-kb 1200 --to-kb 1500 --maf 0.1
}

# pairs METRIC TABLE [OPTION...]: value of all pairs of a table
pairs() {
	vsim-pack -f --matrix "$2" "${@:3}" -o x.vec.h5
	vsim-run -f -m "$1" -t -1.5 --allow-empty -o run --merge x.res.h5 x.vec.h5
	vsim-view -c value --no-header x.res.h5 >got
}

# numpy CODE: want of x, the table; got are our values
numpy() {
	"$PYTHON" - "$1" "$2" <<-'PY'
	import sys
	import numpy as np
	x = np.loadtxt(sys.argv[1], delimiter="\t", skiprows=1, dtype=str)
	x = x[:, 1:].astype(float)
	at = np.triu_indices(len(x), 1)
	exec(sys.argv[2])
	got = np.loadtxt("got")
	assert got.shape == want.shape, (got.shape, want.shape)
	assert abs(got - want).max() < 1e-13, abs(got - want).max()
	PY
}

@test "counterparts: r is numpy.corrcoef, ecologists' tables" {
	requires data ecology
	requires python numpy
	local d
	for d in BCI mite dune; do
		zcat "$VSIM_TEST_DATA/ecology/$d.tsv.gz" >x.tsv
		pairs r x.tsv
		numpy x.tsv 'want = np.corrcoef(x)[at]'
		pairs r2 x.tsv
		numpy x.tsv 'want = np.corrcoef(x)[at] ** 2'
		pairs cosine x.tsv
		numpy x.tsv 'norm = np.sqrt((x * x).sum(1))
want = (x @ x.T / np.outer(norm, norm))[at]'
	done
}

@test "counterparts: r of ranks is SciPy's spearmanr, cosine its cosine" {
	requires data ecology
	requires python numpy scipy
	local d
	for d in BCI mite; do
		zcat "$VSIM_TEST_DATA/ecology/$d.tsv.gz" >x.tsv
		pairs r x.tsv --normalize rank
		numpy x.tsv 'from scipy.stats import spearmanr
want = spearmanr(x, axis=1)[0][at]'
		pairs cosine x.tsv
		numpy x.tsv 'from scipy.spatial.distance import pdist
want = 1 - pdist(x, "cosine")'
	done
}
