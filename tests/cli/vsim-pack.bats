# SPDX-License-Identifier: BSD-3-Clause
load ../helpers

IN=$TOP/tests/data/in
CHR20=$VSIM_TEST_DATA/1000g-chr20
MOUSE=$VSIM_TEST_DATA/mouse-hs1940/mouse_hs1940

# as_text X.vec.h5...: X.vec.h5.txt each, of source alleles, by h5py alone
as_text() {
	requires python numpy h5py
	"$PYTHON" "$TOP/tests/vecdump.py" --source "$@"
}

# as_labels X.vec.h5...: the same, of labels 0 and 1
as_labels() {
	requires python numpy h5py
	"$PYTHON" "$TOP/tests/vecdump.py" "$@"
}

# readers: the options of genotype inputs, by the rows
readers() {
	local f
	for f in $(sed -n 's/^READER(\(.*\))/\1/p' "$TOP"/formats/in/rows.h); do
		sed -n 's/^\t\.name = "\(.*\)",/\1/p' "$TOP/formats/in/in_$f.c"
	done
}

# inputs OPTION good|bad: lines "name option argument"
inputs() {
	local f name arg
	for f in "$IN/$1/$2"/*.$([ $2 = good ] && echo want || echo says); do
		name=$(basename "${f%.*}")
		if grep -q -- "--$1 PREFIX" <<<"$help"; then
			arg=${f%.*}
		else
			for arg in "${f%.*}".*; do
				case $arg in
				*.want | *.says | *.warns) ;;
				*) break ;;
				esac
			done
		fi
		echo "$name --$1 $arg"
	done
}

walk_good() {
	local name opt arg bad=
	while read -r name opt arg; do
		run --separate-stderr vsim-pack "$opt" "$arg" --label given \
			-o "$name.vec.h5"
		[ "$status" = 0 ] && [ -z "$output" ] ||
			bad+="$name: exit $status: $output $stderr"$'\n'
		if [ -f "$IN/$1/good/$name.warns" ]; then
			[ "${#stderr_lines[@]}" = 1 ] && grep -qf \
				"$IN/$1/good/$name.warns" <<<"$stderr" ||
				bad+="$name: said: $stderr"$'\n'
		else
			[ -z "$stderr" ] || bad+="$name: said: $stderr"$'\n'
		fi
	done < <(inputs "$1" good)
	as_text ./*.vec.h5
	for name in *.vec.h5; do
		name=${name%.vec.h5}
		diff "$IN/$1/good/$name.want" "$name.vec.h5.txt" >d ||
			bad+="$name: wanted <, got >: $(cat d)"$'\n'
	done
	[ -z "$bad" ] || complain "$bad"
}

walk_bad() {
	local name opt arg bad=
	while read -r name opt arg; do
		refuses 3 "$(cat "$IN/$1/bad/$name.says")" \
			vsim-pack "$opt" "$arg" -o x.vec.h5 2>why ||
			bad+="$name: $(cat why)"$'\n'
		gone x.vec.h5 2>why || bad+="$name: $(cat why)"$'\n'
	done < <(inputs "$1" bad)
	[ -z "$bad" ] || complain "$bad"
}

@test "pack: readers are those with folders of good and bad inputs" {
	[ "$(readers | sort)" = "$(cd "$IN" && ls -d -- */good | sed 's#/.*##' |
		grep -vx matrix | sort)" ]
	for r in $(readers); do
		[[ $(vsim-pack --help) == *"--$r "*"--$r "* ]] || complain "$r"
		run -2 --separate-stderr vsim-pack -o x.vec.h5
		[[ $stderr == *"--$r,"* ]] || complain "$stderr"
		run -2 --separate-stderr vsim-pack --matrix x --maf 0.1 -o x.vec.h5
		[[ $stderr == *"--$r"* ]] || complain "$stderr"
	done
}

@test "pack: each good input gives the calls written beside it" {
	local help r
	help=$(vsim-pack --help)
	for r in $(readers); do
		mkdir $r
		(cd $r && walk_good $r)
	done
}

@test "pack: each bad input is refused, naming file and place, nothing left" {
	local help r
	help=$(vsim-pack --help)
	for r in $(readers); do
		walk_bad $r
	done
}

# ---- against other programs ----

# vcf_text FILE: as vecdump.py --source shows it, by bcftools and awk; diploid
vcf_text() {
	bcftools query -f '%CHROM\t%POS\t%ID\t%REF\t%ALT[\t%GT]\n' "$1" |
		awk -F '\t' '{
			printf "%s\t%s\t%s\t%s\t%s", $1, $2, $3, $4, $5
			for (i = 6; i <= NF; i++) {
				a = substr($i, 1, 1); b = substr($i, 3, 1)
				g = a == "." || b == "." ? "." : a + b
				printf "\t%s", g
			}
			print ""
		}'
}

# traw_text FILE: the same of plink --recode A-transpose, which counts A1
traw_text() {
	awk 'BEGIN { OFS = "\t" } NR > 1 {
		pos = $4 > 0 ? $4 : 0
		printf "%s\t%s\t%s\t%s\t%s", $1, pos, $2, $5, $6
		for (i = 7; i <= NF; i++)
			printf "\t%s", ($i == "NA" ? "." : 2 - $i)
		print ""
	}' "$1"
}

# synthetic PREFIX N_SITE N_SAMPLE SEED: .bed with rare alleles and missing
# calls, some sites and samples altogether missing
synthetic() {
	requires python numpy
	"$PYTHON" - "$@" <<-'PY'
	import sys
	import numpy as np
	name, v, n, seed = sys.argv[1], *map(int, sys.argv[2:])
	r = np.random.default_rng(seed)
	f = r.choice([0, .02, .05, .1, .3, .5, .8, 1], (v, 1))
	g = (r.random((v, n)) < f).astype(int) + (r.random((v, n)) < f)
	gone = r.random((v, n)) < r.choice([0, .05, .1, .3], (v, 1))
	gone[3], gone[:, n // 2] = True, True
	code = np.where(gone, 1, np.array([0, 2, 3])[g]).astype("u1")
	code = np.pad(code, ((0, 0), (0, -n % 4))).reshape(v, -1, 4)
	code = (code << np.array([0, 2, 4, 6], "u1")).sum(axis=2).astype("u1")
	with open(name + ".bed", "wb") as o:
	    o.write(b"\x6c\x1b\x01" + code.tobytes())
	with open(name + ".bim", "w") as o:
	    for k in range(v):
	        print(1 + k // 100, f"v{k}", 0, 10 * k + 10, *r.permutation(
	            list("ACGT"))[:2], sep="\t", file=o)
	with open(name + ".fam", "w") as o:
	    for q in range(n):
	        print(f"F{q // 3}", f"I{q}", 0, 0, 1 + q % 2, -9, file=o)
	PY
}

# bats test_tags=long
@test "pack: chr20 as bcftools reads it, .vcf.gz, BCF and through a pipe" {
	requires data 1000g-chr20
	requires cmd bcftools
	local f=$CHR20/reference.vcf.gz
	vsim-pack --vcf "$f" -o a.vec.h5 2>&1 |
		grep -q ': 3 variant ids occur more than once, first rs369887745$'
	bcftools view -Ou "$f" | vsim-pack --vcf - -o b.vec.h5
	bcftools view -Ob "$f" >c.bcf
	vsim-pack --vcf c.bcf --label alt -o c.vec.h5
	gzip -dc "$f" | vsim-pack --vcf /dev/stdin --label given -o d.vec.h5
	as_text [abcd].vec.h5
	vcf_text "$f" >want
	[ "$(wc -l <want)" = 24990 ]
	for x in a b c d; do
		cmp want $x.vec.h5.txt
	done
}

# bats test_tags=long
@test "pack: mouse-hs1940, chromosome 1, as plink reads it" {
	requires data mouse-hs1940
	requires cmd plink1.9
	plink1.9 --bfile "$MOUSE" --mouse --chr 1 --keep-allele-order \
		--recode A-transpose --out p >/dev/null
	awk 'NR > 1 { print $2 }' p.traw >ids
	quietly vsim-pack --bfile "$MOUSE" --extract ids -o m.vec.h5
	as_text m.vec.h5
	[ "$(wc -l <ids)" -gt 700 ]
	traw_text p.traw | cmp - m.vec.h5.txt
}

# but for sites without any call, which plink --maf lets pass
@test "pack: sites and samples left are those that plink leaves" {
	requires cmd plink1.9
	synthetic s 600 61 1
	awk 'NR % 3' s.fam | awk '{ print $1, $2 }' | sort -R >some
	awk 'NR % 4 { print $2 }' s.bim | sort -R >ids
	local k=0 ours plinks
	while IFS=: read -r ours plinks; do
		k=$((k + 1))
		# shellcheck disable=SC2086
		vsim-pack --bfile s $ours --label a2 -o o$k.vec.h5 ||
			complain "$ours"
		# shellcheck disable=SC2086
		plink1.9 --bfile s --allow-no-sex --keep-allele-order $plinks \
			--recode A-transpose --out p$k >/dev/null
		traw_text p$k.traw >want$k
	done <<-'EOT'
	--maf 0.05:--maf 0.05 --geno 0.999
	--maf 0.1 --max-missing 0.1:--maf 0.1 --geno 0.1
	--max-missing 0.0491803278688524590163934:--geno 0.0491803278688524590163934
	--max-missing 0.04918032786885246:--geno 0.04918032786885246
	--keep some:--keep some
	--extract ids:--extract ids
	--keep some --extract ids --maf 0.025 --max-missing 0.3:--keep some --extract ids --maf 0.025 --geno 0.3
	--maf 0.5:--maf 0.5 --geno 0.999
	--drop-monomorphic:--mac 1
	EOT
	as_text o*.vec.h5
	for k in $(seq $k); do
		cmp want$k o$k.vec.h5.txt || complain "case $k"
	done
}

# bats test_tags=long
@test "pack: a haploid call counts as plink counts it" {
	requires cmd plink2
	# newer ones want to know the sexes
	printf '#IID\tSEX\ns1\t2\ns2\t1\ns3\t1\n' >p.psam
	plink2 --vcf "$IN/vcf/good/haploid-x.vcf" --psam p.psam \
		--split-par hg38 --make-bed --out p >/dev/null
	vsim-pack --bfile p --label a1 -o p.vec.h5
	vsim-pack --vcf "$IN/vcf/good/haploid-x.vcf" --label alt -o v.vec.h5 \
		2>/dev/null
	as_labels p.vec.h5 v.vec.h5
	cut -f 2- p.vec.h5.txt >p
	cut -f 2- v.vec.h5.txt | cmp - p
}

@test "pack: a .tped made by plink equals its .bed" {
	requires cmd plink1.9
	synthetic s 200 33 2
	plink1.9 --bfile s --allow-no-sex --recode transpose --out t >/dev/null
	vsim-pack --bfile s --label minor --drop-monomorphic -o b.vec.h5
	vsim-pack --tped t --label minor --drop-monomorphic -o t.vec.h5
	as_labels b.vec.h5 t.vec.h5
	# where both alleles are as frequent, label 1 may be either
	awk 'function tie(  i, s, c) {
		for (i = 6; i <= NF; i++)
			if ($i != ".") { s += $i; c++ }
		return s == c
	} !tie()' b.vec.h5.txt >b
	awk 'function tie(  i, s, c) {
		for (i = 6; i <= NF; i++)
			if ($i != ".") { s += $i; c++ }
		return s == c
	} !tie()' t.vec.h5.txt >t
	[ "$(wc -l <b)" -gt 100 ]
	cmp b t
}

@test "pack: a table made by plink equals its .bed" {
	requires cmd plink1.9
	synthetic s 200 33 3
	plink1.9 --bfile s --allow-no-sex --keep-allele-order \
		--recode A-transpose --out t >/dev/null
	cut -f 2,7- t.traw | vsim-pack --tsv - --label given -o t.vec.h5
	vsim-pack --bfile s --label a1 -o b.vec.h5
	as_labels b.vec.h5 t.vec.h5
	cut -f 3,6- b.vec.h5.txt >b
	cut -f 3,6- t.vec.h5.txt | cmp - b
}

# ---- labels ----

@test "pack: each label names the allele it counts" {
	local l
	for l in minor a1 a2 given; do
		vsim-pack --bfile "$IN/bfile/good/five-samples" --label $l \
			-o $l.vec.h5
	done
	as_labels ./*.vec.h5
	diff - a1.vec.h5.txt <<-'EOT'
	1	100	rs1	G	A	2	1	0	.	1
	1	200	rs2	T	C	0	0	1	2	2
	2	50	rs3	G	GA	.	2	2	2	1
	EOT
	diff - a2.vec.h5.txt <<-'EOT'
	1	100	rs1	A	G	0	1	2	.	1
	1	200	rs2	C	T	2	2	1	0	0
	2	50	rs3	GA	G	.	0	0	0	1
	EOT
	cmp a2.vec.h5.txt given.vec.h5.txt
	# rs1 and rs2 are ties: the second allele is label 1
	cmp a2.vec.h5.txt minor.vec.h5.txt
	[ "$("$PYTHON" -c 'import h5py
for l in "minor", "a1", "a2", "given":
    v = h5py.File(l + ".vec.h5")["vectors"]
    print(v.attrs["allele_rule"].decode(), *v["allele1_source"])')" = \
"minor1 1 1 1
a1 0 0 0
a2 1 1 1
given 1 1 1" ]
}

@test "pack: minor is minor among the samples kept" {
	synthetic s 300 50 4
	awk 'NR <= 20 { print $2 }' s.fam >some
	vsim-pack --bfile s --keep some -o s.vec.h5
	as_labels s.vec.h5
	awk '{ s = c = 0
		for (i = 6; i <= NF; i++) if ($i != ".") { s += $i; c++ }
		if (NF != 25 || s > c) bad++; if (s < c) n++
	} END { exit bad || n < 50 }' s.vec.h5.txt
}

@test "pack: a label that the input cannot have is refused" {
	refuses 2 'alt: --bfile knows' vsim-pack --bfile \
		"$IN/bfile/good/five-samples" --label alt -o x.vec.h5
	refuses 2 'a1: --vcf knows' vsim-pack --vcf \
		"$IN/vcf/good/slash-and-bar.vcf" --label a1 -o x.vec.h5
	refuses 2 'major: not one of' vsim-pack --vcf \
		"$IN/vcf/good/slash-and-bar.vcf" --label major -o x.vec.h5
	gone x.vec.h5
}

@test "pack: a table of one allele a call has no 2, one of two has" {
	local row
	# held until the 2, and what follows it
	printf 'id\ta\tb\tc\nx\t0\t1\tNA\ny\t1\t0\t2\nz\t1\t0\t0\n' >two.tsv
	run --separate-stderr vsim-pack --tsv two.tsv --ploidy 1 --label given \
		-o two.vec.h5
	[ "$status" = 0 ]
	[[ $stderr == *'3 heterozygous calls were taken as missing'* ]]
	[ "$(vsim-view -g --no-header two.vec.h5 | xargs)" = \
		"x 0 NA NA y NA 0 1 z NA 0 0" ]
	sed 's/2/1/' two.tsv >one.tsv
	quietly vsim-pack --tsv one.tsv --ploidy 1 --label given -o one.vec.h5
	vsim-view -g one.vec.h5 | cmp - one.tsv
	vsim-pack -v -f --tsv one.tsv --ploidy 1 -o x.vec.h5 2>&1 |
		grep -q 'there is no 2, so a 1 is a call of one allele'
	# filters and labels count that allele: 0.2 of 5 is not below 0.2
	printf 'id\ta\tb\tc\td\te\nx\t1\t0\t0\t0\t0\ny\t1\t1\t1\t0\tNA\n' |
		vsim-pack --tsv - --ploidy 1 --maf 0.2 -o f.vec.h5
	[ "$(vsim-view -g --no-header f.vec.h5 | xargs)" = \
		"x 1 0 0 0 0 y 0 0 0 1 NA" ]
	# a mistake behind the rows that were held is named
	printf '0\t1\n0\t3\n' >bad.tsv
	refuses 3 'bad.tsv: line 2, column 2 .s2.: 3 is not a genotype' \
		vsim-pack --tsv bad.tsv --ploidy 1 -o x2.vec.h5
	gone x2.vec.h5
}

@test "pack: a mean genotype file of BIMBAM, as calls and as numbers" {
	# id, the allele that is counted, the other one, its mean copies
	printf 'rs1, A, G, 0, 1, 2, 0.1\nrs2, T, C, 1.95, 0.5, NA, 1.1\nrs3, X, Y, 1.5,0,0,0.89\n' >x.txt
	run --separate-stderr vsim-pack --tsv x.txt --label given -o x.vec.h5
	[ "$status" = 0 ]
	[ "$stderr" = "vsim-pack: x.txt: 3 mean genotypes are more than 0.1 from 0, 1 and 2 and were taken as missing" ]
	diff - <(vsim-view -c id,allele0,allele1,n0,n1,n2,missing x.vec.h5) <<-'EOT'
	#id	allele0	allele1	n0	n1	n2	missing
	rs1	G	A	2	1	1	0
	rs2	C	T	0	1	1	2
	rs3	Y	X	2	0	0	2
	EOT
	[ "$(vsim-view -g --no-header x.vec.h5 | xargs)" = \
		"rs1 0 1 2 0 rs2 2 NA NA 1 rs3 NA 0 0 NA" ]
	# inbred lines without a 2: held, and their alleles with them
	printf 'rs1 X Y 0 1 0.5\nrs2 X Y 1 1 0\n' >y.txt
	vsim-pack --tsv y.txt --ploidy 1 --label given -o y.vec.h5
	[ "$(vsim-view -g --no-header y.vec.h5 | xargs)" = "rs1 0 1 NA rs2 1 1 0" ]
	[ "$(vsim-view --no-header -c allele0,allele1 y.vec.h5 | xargs)" = "Y X Y X" ]
	vsim-pack --matrix y.txt -o m.vec.h5
	[ "$(vsim-view -g --no-header m.vec.h5 | xargs)" = "rs1 0 1 0.5 rs2 1 1 0" ]
	# names of columns are no such row
	printf 'plot,A,C,2001,2002\nx,1,2,3,4\n' >years.csv
	vsim-pack --matrix years.csv -o n.vec.h5
	[ "$(vsim-view -g n.vec.h5 | xargs)" = "id A C 2001 2002 x 1 2 3 4" ]
	printf 'rs1, A, G, 0, 1\nrs2, A, G, 2.5, 1\n' >bad.txt
	refuses 3 'bad.txt: line 2, column 4 .s1.: 2.5 is not a genotype' \
		vsim-pack --tsv bad.txt -o x2.vec.h5
	gone x2.vec.h5
}

# ---- lists ----

@test "pack: ids of a list that are not there are counted; none is an error" {
	local b=$IN/bfile/good/five-samples
	printf 'I2\nI9\nF4 I4\nF1 I4\n' >k
	run --separate-stderr vsim-pack --bfile "$b" --keep k -o k.vec.h5
	[ "$status" = 0 ]
	[[ $stderr == "vsim-pack: k: 2 of its samples are not in $b" ]]
	printf 'rs3 rs8\nrs1\nrs3\nrs9\n' >e
	run --separate-stderr vsim-pack --bfile "$b" --extract e -o e.vec.h5
	[ "$status" = 0 ]
	[[ $stderr == "vsim-pack: e: 2 of its ids are not in $b" ]]
	as_text k.vec.h5 e.vec.h5
	[ "$(cut -f 6- k.vec.h5.txt | head -n 1)" = "1	." ]
	[ "$(cut -f 3 e.vec.h5.txt | xargs)" = "rs1 rs3" ]
	echo I9 >k
	refuses 3 'k: names none of the 5 samples' vsim-pack --bfile "$b" \
		--keep k -o x.vec.h5
	echo rs9 >e
	refuses 3 'no site is left of 3: .*3 not listed' vsim-pack --bfile \
		"$b" --extract e -o x.vec.h5
	: >e
	refuses 3 'e: lists no variants' vsim-pack --bfile "$b" --extract e \
		-o x.vec.h5
	refuses 3 'nowhere: cannot open' vsim-pack --bfile "$b" --keep nowhere \
		-o x.vec.h5
	gone x.vec.h5
}

@test "pack: an id alone keeps all who bear it" {
	echo I1 | vsim-pack --bfile "$IN/bfile/good/same-iid-in-two-families" \
		--keep - -o x.vec.h5
	as_text x.vec.h5
	[ "$(awk '{ print NF - 5; exit }' x.vec.h5.txt)" = 2 ]
}

@test "pack: samples of several families may all have the id 1" {
	requires python h5py
	local x
	for x in bed bim; do
		cp "$IN/bfile/good/five-samples.$x" s.$x
	done
	printf 'FAM%d 1 0 0 0 -9\n' 1 2 3 4 5 >s.fam
	quietly vsim-pack --bfile s --label given -o s.vec.h5
	quietly vsim-verify s.vec.h5
	quietly vsim-permute --order random -o p.vec.h5 s.vec.h5
	quietly vsim-verify p.vec.h5
	# the table of genotypes calls them as a .traw of PLINK does
	vsim-view --genotypes s.vec.h5 >s.tsv
	[ "$(head -n 1 s.tsv)" = "id	FAM1_1	FAM2_1	FAM3_1	FAM4_1	FAM5_1" ]
	quietly vsim-pack --tsv s.tsv --label given -o t.vec.h5
	vsim-view --genotypes t.vec.h5 | cmp - s.tsv
	# lists and tables find each by family and id
	printf 'FAM4 1\nFAM2 1\n' >k
	printf 'FID IID x\nFAM2 1 2.5\nFAM4 1 4.5\n' >p
	quietly vsim-pack --bfile s --keep k --pheno p -o k.vec.h5
	quietly vsim-verify k.vec.h5
	[ "$(samples k.vec.h5 | grep ^x)" = "x 2.5 4.5" ]
	[ "$(vsim-view -g k.vec.h5 | head -n 1)" = "id	FAM2_1	FAM4_1" ]
	# by the id alone a line would be of five
	printf 'IID x\n1 2.5\n' >p
	refuses 3 'p: line 2: sample 1: its id is in several families; begin' \
		vsim-pack --bfile s --pheno p -o x.vec.h5
	gone x.vec.h5
}

# ---- phenotypes ----

samples() {
	"$PYTHON" -c 'import h5py, sys
f = h5py.File(sys.argv[1])
for k in "sex", "case":
    if k in f["samples"]: print(k, *f["samples"][k][...])
for k, d in f.get("phenotypes", {}).items(): print(k, *d[...])' "$1"
}

@test "pack: phenotypes of a .fam" {
	requires python h5py
	for x in bed bim; do
		cp "$IN/bfile/good/five-samples.$x" s.$x
	done
	printf 'F I%d 0 0 %s\n' 1 '1 1 0.5 x 2 -9' 2 '2 2 NA y 1 -9' \
		3 '0 0 -9 z 2 -9' 4 'f -9 1e3 1 2 -9' 5 '1 1 nan 2 2 -9' >s.fam
	quietly vsim-pack --bfile s -o s.vec.h5
	diff - <(samples s.vec.h5) <<-'EOT'
	sex 1 2 0 0 1
	case 0 1 255 255 0
	pheno2 0.5 nan nan 1000.0 nan
	pheno4 2.0 1.0 2.0 2.0 2.0
	EOT
	# without a case it is a number like any other
	sed -i 's/ 2 2 NA/ 2 0.25 NA/' s.fam
	vsim-pack --bfile s -f -o s.vec.h5
	[ "$(samples s.vec.h5 | grep '^pheno ')" = "pheno 1.0 0.25 0.0 nan 1.0" ]
	[ "$(samples s.vec.h5 | grep -c case)" = 0 ]
}

@test "pack: phenotypes of a table, matched by id, go with the samples kept" {
	requires python h5py
	local b=$IN/bfile/good/five-samples
	printf 'FID\tIID\tBMI\tT2D\tAge.Y\n' >p
	printf 'F%d\tI%d\t%s\n' 3 3 '31.5	2	7' 1 1 'NA	1	8' \
		9 9 '1	1	1' 5 5 '25	NA	9' >>p
	run --separate-stderr vsim-pack --bfile "$b" --pheno p -o p.vec.h5
	[ "$status" = 0 ]
	[ "$stderr" = "vsim-pack: p: 2 of 5 samples have no line in it" ]
	diff - <(samples p.vec.h5) <<-'EOT'
	sex 1 2 1 2 1
	case 0 255 1 255 255
	age_y 8.0 nan 7.0 nan 9.0
	bmi nan nan 31.5 nan 25.0
	EOT
	printf 'IID x\ns2 4\ns1 3\ns5 5\n' >q
	printf 's5\ns2\n' >k
	quietly vsim-pack --vcf "$IN/vcf/good/slash-and-bar.vcf" --pheno q \
		--keep k -o q.vec.h5
	[ "$(samples q.vec.h5)" = "x 4.0 5.0" ]
	local bad
	while IFS=: read -r bad words; do
		printf "$bad" >p
		refuses 3 "p: $words" vsim-pack --bfile "$b" --pheno p \
			-o x.vec.h5
	done <<-'EOT'
	ID x\nI1 1\n:line 1: the header must begin with FID IID
	IID\nI1\n:line 1: names no phenotype
	IID x X\nI1 1 2\n:line 1: phenotypes x and X: names must differ
	IID x\nI1 1 2\n:line 2: 2 phenotypes where the header names 1
	IID x\nI1 1\nI1 2\n:line 3: sample I1 stands twice
	IID x\nI1 tall\n:phenotype x holds words
	IID x\nI9 1\n:names none of the 5 samples
	EOT
	gone x.vec.h5
}

# ---- what the file says ----

@test "pack: a date that is none of the years up to 9999 is not written" {
	local when
	for when in 253402300799 253402300800 9223372036854775807 -1; do
		SOURCE_DATE_EPOCH=$when vsim-pack -f --bfile \
			"$IN/bfile/good/five-samples" -o b.vec.h5
		vsim-view -H b.vec.h5 | sed -n 's/^#created: //p'
	done >said
	[[ $(cat said) =~ ^9999-12-31T23:59:59Z($'\n2'[0-9]{3}-[-0-9T:]{14}Z){3}$ ]] ||
		complain "$(cat said)"
}

@test "pack: sources and command are stated, digests are xxh128 of the bytes" {
	requires python h5py
	requires cmd xxhsum
	local b=$IN/bfile/good/five-samples v=$IN/vcf/good/bgzip.vcf.gz
	SOURCE_DATE_EPOCH=0 vsim-pack --bfile "$b" --no-host -o b.vec.h5
	vsim-pack --vcf - -o v.vec.h5 <"$v"
	cat "$IN/tsv/good/zstd.tsv.zst" | vsim-pack --tsv - -o t.vec.h5
	"$PYTHON" - <<-'PY' >got
	import h5py
	for f in "bvt":
	    s = h5py.File(f + ".vec.h5")["sources"]
	    for k in range(len(s["name"])):
	        print(s["xxh128"][k].decode(), s["size"][k], s["name"][k].decode())
	p = h5py.File("b.vec.h5")["provenance"]
	print(*(p[k][0].decode() for k in ("tool", "started", "host", "command")))
	PY
	{
		for x in fam bim bed; do
			echo "$(xxhsum -H2 <$b.$x | cut -d ' ' -f 1)" \
				"$(stat -c %s $b.$x)" $b.$x
		done
		echo "$(xxhsum -H2 <"$v" | cut -d ' ' -f 1) -1 -"
		echo "$(xxhsum -H2 <"$IN/tsv/good/zstd.tsv.zst" |
			cut -d ' ' -f 1) -1 -"
		echo "vsim-pack 1970-01-01T00:00:00Z  vsim-pack --bfile $b" \
			"--no-host -o b.vec.h5"
	} | diff - got
}

@test "pack: content is the same for any threads, codec and level" {
	requires python h5py
	synthetic s 3000 133 5
	vsim-pack --bfile s -j 1 -o a.vec.h5
	vsim-pack --bfile s -j 2 --level 9 -o b.vec.h5
	vsim-pack --bfile s -j 7 --codec deflate -o c.vec.h5
	vsim-pack --bfile s --codec none --maf 0 -o d.vec.h5
	[ "$("$PYTHON" -c 'import h5py
print(*{h5py.File(x + ".vec.h5").attrs["content_xxh128"] for x in "abcd"})' |
		wc -w)" = 1 ]
}

# bats test_tags=long
@test "pack: lines of megabytes, packed or not, byte by byte" {
	requires cmd zstd
	requires python h5py
	"$PYTHON" -c '
import random
r = random.Random(8)
print("id", *(f"sample{q}" for q in range(300000)), sep="\t")
for v in range(3):
    print(f"v{v}", *r.choices(("0", "1", "2", "NA"), k=300000), sep="\t")' >t
	[ "$(head -n 1 t | wc -c)" -gt 3000000 ]
	gzip -1 <t >t.gz
	zstd -qk t
	sed "s/\$/\r/" t >t.crlf
	vsim-pack --tsv t -o a.vec.h5
	vsim-pack --tsv t.gz -o b.vec.h5
	dd if=t.zst bs=99 status=none | vsim-pack --tsv - -o c.vec.h5
	vsim-pack --tsv t.crlf -o d.vec.h5
	"$PYTHON" - <<-'PY'
	import h5py
	import numpy as np
	want = [l.split("\t")[1:] for l in open("t").read().split("\n")[1:-1]]
	want = np.array([[{"NA": 3}.get(x) or int(x) for x in l] for l in want])
	for x in "abcd":
	    p = h5py.File(x + ".vec.h5")["vectors/planes"][...]
	    b = np.unpackbits(p, axis=2, bitorder="little")[:, :, :300000]
	    g = b[:, 0] + b[:, 1] + 2 * (b[:, 0] & ~b[:, 1] & 1)
	    s = h5py.File(x + ".vec.h5")["vectors/allele1_source"][...]
	    g = np.where((s == 0)[:, None] & (g < 3), 2 - g, g)
	    assert (g == want).all(), x
	PY
	cut -f 1-4 t >s
	{ while IFS= read -r -n 1 -d '' c; do printf %s "$c"; done; } <s |
		vsim-pack --tsv - -o s.vec.h5
	as_text s.vec.h5
	tail -n +2 s | sed 's/NA/./g' | cut -f 2- >want
	cut -f 6- s.vec.h5.txt | cmp - want
}

# ---- outputs ----

@test "pack: wrong usage is told with the remedy" {
	local b="--bfile $IN/bfile/good/five-samples"
	refuses 2 'no input: one of --bfile' vsim-pack -o x.vec.h5
	refuses 2 'no output: -o' vsim-pack $b
	refuses 2 'one input at a time' vsim-pack $b --tsv t -o x.vec.h5
	refuses 2 'HDF5 cannot write to a stream' vsim-pack $b -o -
	refuses 2 'deflate has 1 to 9' vsim-pack $b --codec deflate \
		--level 12 -o x.vec.h5
	refuses 2 '--maf 0.6: outside' vsim-pack $b --maf 0.6 -o x.vec.h5
	refuses 2 '--maf nan: not a finite' vsim-pack $b --maf nan -o x.vec.h5
	refuses 2 '--max-missing x: not a' vsim-pack $b --max-missing x -o x.vec.h5
	refuses 2 'standard input can be one file only' vsim-pack --vcf - \
		--keep - -o x.vec.h5
	refuses 2 'y: what is read is named by an option' vsim-pack $b -o x.vec.h5 y
	gone x.vec.h5
}

@test "pack: files of other programs are named with what reads them" {
	local name words g=$IN/bfile/good/five-samples
	touch p.pgen p.pvar p.psam z.pgen z.pvar.zst z.psam q.ped q.map s.bgen
	for name in bed bim fam; do
		tee gz.$name <"$g.$name" >zst.$name
	done
	mv gz.bed gz.bed.gz
	mv zst.bim zst.bim.zst
	touch t.tped t.tfam v.vcf.gz
	# --bfile NAME: what it says behind the file that is not there
	while IFS=: read -r name words; do
		refuses 3 "[.]bed: cannot open: .*; $words\$" vsim-pack \
			--bfile $name -o x.vec.h5
	done <<-'EOT'
	p:p.pgen is there: plink2 --pfile p --make-bed --out p
	p.pgen:p.pgen is there: plink2 --pfile p --make-bed --out p
	z:z.pvar.zst is there: plink2 --pfile z vzs --make-bed --out z
	q:q.ped is there: plink1.9 --file q --make-bed --out q
	s:s.bgen is there: plink2 --bgen s.bgen ref-first --make-bed --out s
	gz:gz.bed.gz is there: gunzip gz.bed.gz
	gz.bed.gz:gz.bed.gz is there: gunzip gz.bed.gz
	t:t.tped is there: vsim-pack --tped t
	v:v.vcf.gz is there: vsim-pack --vcf v.vcf.gz
	EOT
	refuses 3 'zst.bim: cannot open: .*; zst.bim.zst is there: zstd -d zst.bim.zst$' \
		vsim-pack --bfile zst -o x.vec.h5
	refuses 3 'none.bed: cannot open: [^;]*$' vsim-pack --bfile none -o x.vec.h5
	refuses 3 'nor: cannot open: [^;]*$' vsim-pack --vcf nor -o x.vec.h5
	# a name without its ending, or with another; no hint behind another file's
	touch w.vcf.gz u.bcf m.npy
	for try in vcf:w:w.vcf.gz vcf:w.vcf:w.vcf.gz vcf:u.vcf.gz:u.bcf matrix:m:m.npy; do
		IFS=: read -r option name there <<<"$try"
		refuses 3 " $name: cannot open: .*; $there is there: vsim-pack --$option $there\$" \
			vsim-pack --$option "$name" -o x.vec.h5
	done
	cp "$IN/vcf/good/slash-and-bar.vcf" own.bed
	refuses 3 '^vsim-pack: nor: cannot open: No such file or directory$' \
		vsim-pack --vcf own.bed --keep nor -o x.vec.h5
	# a file behind another option, or none, or given to another program
	refuses 3 'is no VCF.*; .*five-samples.bed is for: vsim-pack --bfile' \
		vsim-pack --vcf "$g.bed" -o x.vec.h5
	for name in tsv matrix; do
		refuses 3 'column .* is for: vsim-pack --vcf ' vsim-pack \
			--$name "$IN/vcf/good/slash-and-bar.vcf" -o x.vec.h5
	done
	refuses 2 'by an option: plink2 --pfile p --make-bed' \
		vsim-pack p.pgen -o x.vec.h5
	refuses 2 'by an option: vsim-pack --bfile .*five-samples$' \
		vsim-pack "$g.fam" -o x.vec.h5
	refuses 3 'is not a file of vsim; it is for vsim-pack --bfile' \
		vsim-run -t 0.5 -o r "$g.bed"
	gone x.vec.h5 r
	# each of the three names the prefix
	for name in bed bim fam; do
		quietly vsim-pack -f --bfile "$g.$name" -o x.vec.h5
	done
}

@test "pack: ids that occur more than once are counted" {
	printf 'id\ta\tb\nx\t0\t1\ny\t1\t1\nz\t1\t2\ny\t1\t0\nx\t1\t0\ny\t2\t0\n' >x.tsv
	run --separate-stderr vsim-pack --tsv x.tsv -o x.vec.h5
	[ "$status" = 0 ]
	[ "$stderr" = "vsim-pack: x.tsv: 2 variant ids occur more than once, first x" ]
	# of those that are packed
	echo 'y z' | vsim-pack --tsv x.tsv --extract - -f -o x.vec.h5 2>&1 |
		grep -q ': 1 variant ids occur more than once, first y$'
	echo z | quietly vsim-pack --tsv x.tsv --extract - -f -o x.vec.h5
}

@test "pack: a directory in place of a file is told" {
	mkdir d d.bed
	refuses 3 'd: is a directory' vsim-pack --vcf d -o x.vec.h5
	refuses 3 'd: is a directory' vsim-pack --tsv d -o x.vec.h5
	refuses 3 'd.bed: is a directory' vsim-pack --bfile d -o x.vec.h5
	refuses 2 'd: is not a regular file' vsim-pack --bfile \
		"$IN/bfile/good/five-samples" -f -o d
	gone x.vec.h5
}

@test "pack: what exists is kept without -f, and after a failure with it" {
	local b="--bfile $IN/bfile/good/five-samples"
	echo precious >x.vec.h5
	refuses 2 'x.vec.h5: exists already; -f' vsim-pack $b -o x.vec.h5
	refuses 3 'cut short' vsim-pack --bfile "$IN/bfile/bad/cut-short" -f \
		-o x.vec.h5
	refuses 3 'line 3' vsim-pack --tsv "$IN/tsv/bad/a-three.tsv" -f \
		-o x.vec.h5
	[ "$(cat x.vec.h5)" = precious ]
	gone
	quietly vsim-pack $b -f -o x.vec.h5
	[ "$(head -c 5 x.vec.h5 | tail -c 4)" = VSIM ]
}

@test "pack: an output that is an input is refused, links too" {
	for x in bed bim fam; do
		cp "$IN/bfile/good/five-samples.$x" s.$x
	done
	ln -s s.fam l.fam
	echo I1 >k
	for x in s.bed s.bim s.fam l.fam k; do
		refuses 2 'is input and output' vsim-pack --bfile s \
			--keep k -f -o $x
	done
	cp "$IN/tsv/good/neither.tsv" t
	refuses 2 't: is input and output' vsim-pack --tsv t -f -o t
	cmp t "$IN/tsv/good/neither.tsv"
	cmp s.bed "$IN/bfile/good/five-samples.bed"
}

@test "pack: directories above the output are made, and not left by a failure" {
	local b="--bfile $IN/bfile/good/five-samples"
	quietly vsim-pack $b -o a/b/c.vec.h5
	vsim-verify a/b/c.vec.h5
	quietly vsim-pack $b -o "$PWD/a//d/c.vec.h5"
	[ -e a/d/c.vec.h5 ]
	# what was there stays, what was made goes
	refuses 3 'cut short' vsim-pack --bfile "$IN/bfile/bad/cut-short" \
		-o a/e/f/c.vec.h5
	refuses 3 'line 3' vsim-pack --tsv "$IN/tsv/bad/a-three.tsv" \
		-o a/e/f/c.vec.h5
	refuses 3 'line 3' vsim-pack --tsv "$IN/tsv/bad/a-three.tsv" \
		-o n/e/w/c.vec.h5
	gone a/e n
	[ -d a/b ]
}

@test "pack: a place that cannot be written, a full disk: exit 4, nothing left" {
	local b="--bfile $IN/bfile/good/five-samples"
	touch none
	refuses 4 'none/x.vec.h5: .*Not a directory' vsim-pack $b \
		-o none/x.vec.h5
	synthetic s 4000 2000 6
	small_disk full 300k
	refuses 4 'full/x.vec.h5.*: No space left' vsim-pack --bfile s \
		-o full/x.vec.h5
	refuses 4 'full/x.vec.h5.*: No space left' vsim-pack --bfile s \
		--codec none -j 1 -o full/x.vec.h5
	[ -z "$(ls -A full)" ]
	quietly vsim-pack $b -o full/x.vec.h5
}

@test "pack: killed at any time it leaves nothing" {
	synthetic s 20000 400 7
	for t in 0.01 0.02 0.04 0.08; do
		timeout -s TERM $t vsim-pack --bfile s -o x.vec.h5 || true
		rm -f x.vec.h5
		gone
	done
	mkfifo f
	exec 9<>f
	vsim-pack --tsv f -o x.vec.h5 9>&- &
	sleep 0.2
	kill $!
	! wait $!
	exec 9>&-
	gone x.vec.h5
}

@test "pack: inputs turned at random end with 0 or 3, one line, no crash" {
	requires python random
	"$PYTHON" "$TOP/tests/fuzz_pack.py" "$IN" "${FUZZ_SEED:-1}" \
		"${FUZZ_ROUNDS:-200}"
	gone x.vec.h5
}
