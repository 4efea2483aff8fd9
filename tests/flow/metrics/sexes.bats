# SPDX-License-Identifier: BSD-3-Clause
# X and Y: what PLINK counts there, and what the other metrics do.
load ../../helpers
load ../plink

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

made() {
	"$PYTHON" "$TOP/tests/flow/sexes.py" make "$1" x "$2"
}

# judged WHAT PLINKS OURS: the judge of sexes.py
judged() {
	"$PYTHON" "$TOP/tests/flow/sexes.py" "$@"
}

# all_pairs METRIC T FILE NAME: pairs above T of a vectors file, NAME.res.h5
all_pairs() {
	vsim-run -f -m "$1" -t "$2" -o run --merge "$4.res.h5" -f "$3"
	vsim-verify --against "$3" "$4.res.h5"
}

# either_way NAME: records of NAME.res.h5, whichever of a pair is the first
either_way() {
	vsim-view --no-header -c id1,id2,value "$1.res.h5" |
		awk '{ print $1 < $2 ? $1 " " $2 : $2 " " $1, $3 }' | sort
}

@test "sexes: r2, --maf, --max-missing and --prune of X, Y, XY and MT are PLINK's" {
	requires cmd plink1.9
	made 1 odd
	run --separate-stderr vsim-pack --bfile x -o x.vec.h5
	[ "$status" = 0 ] && [ "${#stderr_lines[@]}" = 4 ]
	[[ $stderr == *'chromosomes 23 and 24 are counted as X and Y'*'the sex of '*' of 90 samples is unknown'*' heterozygous calls of males on X or Y'*' calls on Y of samples that are not male'* ]]
	vsim-verify x.vec.h5
	all_pairs r2 -1 x.vec.h5 ld
	# with counts of alleles it does not make A1 the rarer one
	plink1.9 --bfile x --allow-no-sex --freq counts --out p >p.out 2>&1
	plink1.9 --bfile x --allow-no-sex --r2 inter-chr --ld-window-r2 0 \
		--out p >p.out 2>&1
	n=$(sed -n 's/^Warning: \([0-9]*\) het. haploid.*/\1/p' p.out)
	[[ $stderr == *": $n heterozygous calls of males"* ]] || complain "$n"
	vsim-view -c id1,id2,value ld.res.h5 >o
	judged ld p.ld o
	vsim-view -c id,freq1,allele1 x.vec.h5 >o
	judged freq p.frq.counts o
	pruned 50 5 0.5 5
	pruned 20 1 0.2 50
	pruned 30kb 1 0.3 30
	while read -r ours plinks; do
		vsim-pack -f --bfile x $ours -o q.vec.h5 2>said
		plink1.9 --bfile x --allow-no-sex $plinks --write-snplist \
			--out q >said
		vsim-view --no-header -c id q.vec.h5 | cmp - q.snplist
		[ "$(wc -l <q.snplist)" -lt 125 ]
	done <<-'EOT'
	--maf=0.2 --maf 0.2
	--maf=0.35 --maf 0.35
	--max-missing=0.03 --geno 0.03
	EOT
}

@test "sexes: --clump of X, Y, XY and MT is PLINK's" {
	requires cmd plink1.9
	local how seed=3
	for how in odd clean whole; do
		made $((seed++)) $how
		vsim-pack -f --bfile x -o x.vec.h5 2>said
		p_values $seed
		clumps 1 1 0.3 10 x.vec.h5
		clumps 1 1 0.05 50 x.vec.h5
		clumps 0.05 1 0.1 20 x.vec.h5
	done
}

# bats test_tags=long
@test "sexes: CCC and scores take X as diploid, and a file can have it so" {
	made 2 clean
	vsim-pack --bfile x --label a1 -o x.vec.h5 2>said
	vsim-pack --bfile x --label a1 --sex-chromosomes diploid -o d.vec.h5
	for m in ccc g; do
		all_pairs $m 0.3 x.vec.h5 x
		all_pairs $m 0.3 d.vec.h5 d
		[ "$(vsim-view x.res.h5 | sort | sha1sum)" = \
			"$(vsim-view d.res.h5 | sort | sha1sum)" ] || complain $m
	done
	[ "$(vsim-view -c id1,id2,controls,cases --vectors x.vec.h5 x.res.h5 |
		sort | sha1sum)" = "$(vsim-view -c id1,id2,controls,cases \
		--vectors d.vec.h5 d.res.h5 | sort | sha1sum)" ]
	all_pairs r2 0.1 x.vec.h5 x
	all_pairs r2 0.1 d.vec.h5 d
	refuses 1 '' vsim-verify --compare d.res.h5 x.res.h5
	cp x.vec.h5 y.vec.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" y.vec.h5 \
		"f['vectors/male_count'][30] += [1, -1]"
	refuses 3 'y.vec.h5: vector 30 does not have the haploid calls that' \
		vsim-run -m ccc -t 0 -o new y.vec.h5
	refuses 1 '/vectors/male_count: row 30: states' vsim-verify y.vec.h5
	gone new
	# the counts of males decide which vectors cannot pass
	made 2 whole
	vsim-pack -f --bfile x -o w.vec.h5 2>said
	all_pairs ccc 0.8 w.vec.h5 w
	[ "$(vsim-view --no-header w.res.h5 | wc -l)" -gt 5 ]
	made 2 clean
	printf 'v%s\n' 1_1 23_1 23_2 >ids
	vsim-pack -f --bfile x --sex-chromosomes diploid --extract ids -o d.vec.h5
	all_pairs r2 0 d.vec.h5 d
	refuses 3 'is on X or Y in only one of the two files' vsim-run \
		-m r2 -t 0 --against d.res.h5 -o new x.vec.h5
}

# bats test_tags=long
@test "sexes: the same by permutation, by parts and by the ploidy of a VCF's calls" {
	made 3 clean
	vsim-pack --bfile x --label a1 -o x.vec.h5 2>said
	all_pairs r2 0.1 x.vec.h5 x
	either_way x >want
	vsim-permute --order random --seed 5 -o y.vec.h5 x.vec.h5
	vsim-verify y.vec.h5
	all_pairs ccc 0.3 y.vec.h5 c
	all_pairs r2 0.1 y.vec.h5 y
	either_way y | cmp - want
	for k in 1 2 3 4 5 6; do
		vsim-pack --vcf x.vcf --label alt --part $k/6 -o p$k.vec.h5
	done
	[[ $(vsim-view -H p1.vec.h5) != *haploid* ]]
	vsim-pack --parts -o p.vec.h5 p?.vec.h5
	vsim-pack --vcf x.vcf --label alt -o v.vec.h5
	vsim-verify --compare v.vec.h5 p.vec.h5
	vsim-verify v.vec.h5
	all_pairs r2 0.1 v.vec.h5 v
	either_way v | cmp - want
	awk '{ print $2, $5 }' x.fam >sexes
	vsim-pack -f --vcf x.vcf --label alt --update-sex sexes -o v.vec.h5
	vsim-verify --compare p.vec.h5 v.vec.h5
	# of no stated ploidy and no sex nothing is known
	sed 's,\t\([01.]\)\(\t\|$\),\t\1/\1\2,g;s,\t\([01.]\)\(\t\|$\),\t\1/\1\2,g' \
		x.vcf | sed '/^#/b' >w.vcf
	run --separate-stderr vsim-pack --vcf w.vcf -o w.vec.h5
	[[ $stderr == *': 70 sites on X and Y are read as diploid'* ]]
}

@test "sexes: pseudo-autosomal regions, chromosomes of other animals, wrong sexes" {
	made 4 odd
	awk '{ $4 += $1 == 23 ? 2699520 - 20000 : 0; print }' x.bim >b && mv b x.bim
	vsim-pack --bfile x --split-par b37 -o x.vec.h5 2>said
	vsim-view -c chrom --no-header x.vec.h5 | sort | uniq -c |
		awk '{ print $2 ":" $1 }' | xargs >n
	[ "$(cat n)" = '1:25 23:25 24:25 25:15 26:15 XY:20' ]
	for build in hg19 GRCh37 grch37; do
		vsim-pack -f --bfile x --split-par $build -o y.vec.h5 2>said
		vsim-view -c chrom --no-header y.vec.h5 | grep -c XY >n
		[ "$(cat n)" = 20 ]
	done
	refuses 2 "split-par hg20: not one of b36.b37.b38" vsim-pack -f --bfile x \
		--split-par hg20 -o y.vec.h5
	vsim-pack -f --bfile x --autosomes 29 -o x.vec.h5
	[[ $(vsim-view -H x.vec.h5) != *haploid* ]]
	# codes of PLINK's --output-chr 0M
	vsim-pack -f --bfile x -o x.vec.h5 2>said
	vsim-view -g x.vec.h5 >g
	sed 's:^23 :0X :; s:^24 :0y :' x.bim >b
	cmp b x.bim && exit 1
	mv b x.bim
	vsim-pack -f --bfile x -o x.vec.h5 2>said
	vsim-view -g x.vec.h5 | cmp - g
	while IFS=: read -r line why; do
		printf '%b\n' "$line" >s
		refuses 3 "$why" vsim-pack --bfile x --update-sex s -o q.vec.h5
	done <<-'EOT'
	f0 s0 boy:line 1.*: boy is not a sex
	f0 s0 1\nf0 s0 2:line 2.*: sample s0 occurs twice, with different sexes
	f0 nobody 1:names none of the 90 samples
	f0 s0 0 0:has 4 columns; expected IID SEX
	#IID AGE\ns0 1:names no columns IID and SEX
	EOT
	gone q.vec.h5
}

@test "sexes: a chromosome with two names is said to be two" {
	local a b
	cd "$BATS_TEST_TMPDIR" || return
	printf 's%d s%d 0 0 1 1\n' 1 1 2 2 3 3 >x.tfam
	while read -r a b; do
		printf '%s v1 0 5 A A A C C C\n%s v2 0 9 A C A C C C\n' "$a" "$b" >x.tped
		run -0 --separate-stderr vsim-pack --tped x -fo x.vec.h5
		[[ $stderr == *"$a and $b are names of one chromosome and count as two"* ]]
		run -0 --separate-stderr vsim-run -m r2 -t -1 --to tsv -o - x.tped
		[[ $stderr == *"$a and $b are names of one chromosome and count as two"* ]]
	done <<-'END'
		X 23
		1 chr1
		chrM 26
		MT chrM
		x chrX
		04 4
		25 XY
	END
	while read -r a b; do
		printf '%s v1 0 5 A A A C C C\n%s v2 0 9 A C A C C C\n' "$a" "$b" >x.tped
		run -0 --separate-stderr vsim-pack --tped x -fo x.vec.h5
		[[ $stderr != *'names of one chromosome'* ]]
	done <<-'END'
		X 24
		1 11
		chr2 chr20
		scaffold_12345678901 scaffold_12345678902
		1 1
	END
}
