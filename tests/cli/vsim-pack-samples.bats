# SPDX-License-Identifier: BSD-3-Clause
# vsim-pack: samples and sites that are kept, and phenotypes.
load ../helpers
load pack

# ---- lists ----

@test "pack: ids of a list that are not there are counted; none is an error" {
	local b=$IN/bfile/good/five-samples
	printf 'I2\nI9\nF4 I4\nF1 I4\n' >k
	run --separate-stderr vsim-pack --bfile "$b" --keep k -o k.vec.h5
	[ "$status" = 0 ]
	[[ $stderr == "vsim-pack: k: 2 of its samples are not in $b, first I9" ]]
	printf 'rs3 rs8\nrs1\nrs3\nrs9\n' >e
	run --separate-stderr vsim-pack --bfile "$b" --extract e -o e.vec.h5
	[ "$status" = 0 ]
	[[ $stderr == "vsim-pack: e: 2 of its ids are not in $b, first rs8" ]]
	as_text k.vec.h5 e.vec.h5
	[ "$(cut -f 6- k.vec.h5.txt | head -n 1)" = "1	." ]
	[ "$(cut -f 3 e.vec.h5.txt | xargs)" = "rs1 rs3" ]
	# a header of plink2 says what stands in the columns
	printf '#IID\tSEX\nI2\t2\nI4\t1\n' >h
	quietly vsim-pack --bfile "$b" --keep h -o h.vec.h5
	as_text h.vec.h5
	cmp h.vec.h5.txt k.vec.h5.txt
	printf '#FID\tIID\tSEX\nF2\tI2\t2\nF4\tI4\t1\n' >h
	quietly vsim-pack -f --bfile "$b" --keep h -o h.vec.h5
	as_text h.vec.h5
	cmp h.vec.h5.txt k.vec.h5.txt
	echo I9 >k
	refuses 3 'k: names none of the 5 samples, first I9$' vsim-pack --bfile \
		"$b" --keep k -o x.vec.h5
	echo rs1,rs3 >e
	refuses 3 'five-samples.bed: no site is left of 3: 3 not selected .--extract.*; --extract names none of them, first rs1,rs3$' \
		vsim-pack --bfile "$b" --extract e -o x.vec.h5
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

@test "pack: names of samples that hold blanks are found in lists and tables" {
	requires python h5py
	local h='##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT'
	printf "$h\tS 1\tS 2\tS\t2\n1\t5\ta\tA\tC\t.\t.\t.\tGT\t0/0\t0/1\t1/1\t./.\n" >x.vcf
	local list want
	while IFS=: read -r list want; do
		printf "$list" >k
		quietly vsim-pack -f --vcf x.vcf --keep k --label given -o k.vec.h5
		[ "$(vsim-view -g --no-header k.vec.h5 | cut -f 2- | xargs)" = "$want" ] ||
			complain "$list"
	done <<-'EOT'
	S 1\nS 2\n:0 1
	  S 2  \n:1
	0\tS 1\textra\n2\n:0 NA
	#IID\tSEX\nS 1\t2\n2\t1\n:0 NA
	#FID\tIID\n0\tS 1\n\tS\n:0 2
	S\n2\n:2 NA
	0 S\n:2
	S 1\r\n:0
	EOT
	# without tabs all words before the phenotypes are the id
	for list in 'IID\tage old\tBMI\nS 2\t3\t\nS\t4\t7\n' \
		'#IID age_old BMI\nS 2 3 NA\nS 4 7\n' \
		'IID\tage.old\tBMI\n  S 2\t3\tNA\t\nS 4\t7\n'; do
		printf "$list" >p
		vsim-pack -f --vcf x.vcf --pheno p -o p.vec.h5 2>said
		diff - <(samples p.vec.h5) <<-'EOT'
		age_old nan 3.0 4.0 nan
		bmi nan nan 7.0 nan
		EOT
		grep -q 'p: 2 of 4 samples have no line in it' said
	done
	printf 'IID\tx\nS 3 1\n' >p
	refuses 3 'p: line 2: 2 phenotypes where the header names 1' \
		vsim-pack --vcf x.vcf --pheno p -o x.vec.h5
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
	# two of which would be A_B_1
	printf '%s 0 0 0 -9\n' 'A_B 1' 'A B_1' 'C 1' 'D 2' 'E 3' >s.fam
	quietly vsim-pack -f --bfile s --label given -o a.vec.h5
	vsim-view --genotypes a.vec.h5 >a.tsv
	[ "$(head -n 1 a.tsv)" = "id	A_B 1	A B_1	C 1	D 2	E 3" ]
	quietly vsim-pack -f --tsv a.tsv --label given -o t.vec.h5
	vsim-view --genotypes t.vec.h5 | cmp - a.tsv
	printf 'FAM%d 1 0 0 0 -9\n' 1 2 3 4 5 >s.fam
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
for k in "sex", "case", "trait":
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
	sex 1 2 0 2 1
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

# bats test_tags=install
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
	ID x\nI1 1\n:line 1: names no phenotype; unless a header begins with IID
	IID\nI1\n:line 1: names no phenotype
	IID x X\nI1 1 2\n:line 1: phenotypes x and X: names must differ
	IID x\nI1 1 2\n:line 2: 2 phenotypes where the header names 1
	IID x\nI1 1\nI1 2\n:line 3: sample I1 occurs twice
	IID x\nI1 tall\n:phenotype x contains words
	IID x\nI9 1\n:names none of the 5 samples
	EOT
	gone x.vec.h5
}

@test "pack: phenotypes without a header; -9 is missing in any spelling" {
	requires python h5py
	local b=$IN/bfile/good/five-samples
	printf 'F%d I%d %s\n' 4 4 '-9 7' 1 1 '1.0 -9.00' 2 2 '2.0 1' \
		3 3 '-9.0 5' 5 5 '1.0 8' >p
	run -0 --separate-stderr vsim-pack --bfile "$b" --pheno p -o p.vec.h5
	[ "$stderr" = "vsim-pack: p: without a header of FID IID or IID, its \
columns are FID, IID, pheno, pheno2 and so on" ]
	diff - <(samples p.vec.h5 | grep -v sex) <<-'EOT'
	case 0 1 255 255 0
	pheno2 nan 1.0 5.0 7.0 8.0
	EOT
	quietly vsim-pack -f --bfile "$b" --pheno <(sed '1i FID IID a b' p) \
		--pheno-name b -o q.vec.h5
	[ "$(samples q.vec.h5 | grep trait)" = "trait nan 1.0 5.0 7.0 8.0" ]
	refuses 3 'no phenotype is called b; without a header they are pheno' \
		vsim-pack --bfile "$b" --pheno p --pheno-name b -o x.vec.h5
	# of a .fam, too
	for x in bed bim; do
		cp "$b.$x" s.$x
	done
	# whose sexes may be letters, as in PLINK 2
	awk '{ print $1, $2, 0, 0, substr("MFm12", NR, 1), $3 }' p >s.fam
	vsim-pack --bfile s -o s.vec.h5
	diff - <(samples s.vec.h5) <<-'EOT'
	sex 1 2 1 1 2
	case 255 0 1 255 0
	EOT
	# a header by another name is a line of no sample
	refuses 3 'names none of the 5 samples; unless a header begins with IID' \
		vsim-pack --bfile "$b" --pheno <(sed 's/^F/x/' p) -o x.vec.h5
}

@test "pack: a case status of 0 and 1, and one that is named" {
	requires python h5py
	local b=$IN/bfile/good/five-samples
	printf 'FID IID smokes T2D\n' >p
	printf 'F%d I%d %s\n' 1 1 '0 1' 2 2 '1 1' 3 3 '1 0' 4 4 'NA NA' \
		5 5 '0 1' >>p
	run -0 --separate-stderr vsim-pack --bfile "$b" --pheno p -o p.vec.h5
	[ "$stderr" = "vsim-pack: p: its first column of 0 and 1 is used as \
case status; --pheno-name selects another" ]
	diff - <(samples p.vec.h5 | grep -v sex) <<-'EOT'
	case 0 1 1 255 0
	t2d 1.0 1.0 0.0 nan 1.0
	EOT
	run -0 --separate-stderr vsim-pack -fv --bfile "$b" --pheno p \
		--pheno-name t2D -o p.vec.h5
	[[ $stderr == *'1 controls, 3 cases, 1 samples of unknown status'* ]]
	[[ $stderr != *'taken for'* ]]
	diff - <(samples p.vec.h5 | grep -v sex) <<-'EOT'
	case 1 1 0 255 1
	smokes 0.0 1.0 1.0 nan 0.0
	EOT
	# 1 and 2 come first, 0 is unknown then
	sed -i '1s/T2D/T2D sick/; 2,$s/$/ 1/; 3s/1$/2/; 4s/1$/0/' p
	run -0 --separate-stderr vsim-pack -f --bfile "$b" --pheno p -o p.vec.h5
	[ -z "$stderr" ]
	[ "$(samples p.vec.h5 | grep case)" = 'case 0 1 255 0 0' ]
	# who is neither is counted
	run -0 --separate-stderr vsim-run -m k2 -t 1e9 -o run p.vec.h5
	[ "$stderr" = "vsim-run: p.vec.h5: 3 controls and 1 cases; 1 samples \
of unknown status are left out" ]
	# of a .fam only when it is named
	for x in bed bim; do
		cp "$b.$x" s.$x
	done
	printf 'F I%d 0 0 1 %s\n' 1 '1 7' 2 '0 8' 3 '0 9' 4 '-9 8' 5 '1 8' >s.fam
	run -0 --separate-stderr vsim-pack --bfile s -o s.vec.h5
	[ "$stderr" = "vsim-pack: s: phenotype pheno has values 0 and 1, not \
1 and 2; --pheno-name pheno uses it as case status, 1 for cases" ]
	[ "$(samples s.vec.h5 | grep -c case)" = 0 ]
	vsim-pack -f --bfile s --pheno-name pheno -o s.vec.h5
	[ "$(samples s.vec.h5 | grep case)" = 'case 1 0 0 255 1' ]
	# a trait is a phenotype too
	run -0 --separate-stderr vsim-pack -f --bfile s --pheno-name pheno2 \
		-o s.vec.h5
	[ -z "$stderr" ]
	[ "$(samples s.vec.h5 | grep trait)" = 'trait 7.0 8.0 9.0 8.0 8.0' ]
	sed -i 's/ [789]$/ 7/' s.fam
	refuses 3 's.fam: phenotype pheno2 is neither a case status' \
		vsim-pack --bfile s --pheno-name pheno2 -o q.vec.h5
	refuses 3 's.fam: no phenotype is called t2d' \
		vsim-pack --bfile s --pheno-name t2d -o q.vec.h5
	refuses 3 'p: no phenotype is called bmi' \
		vsim-pack --bfile "$b" --pheno p --pheno-name bmi -o q.vec.h5
	refuses 2 '--pheno-name requires --pheno' vsim-pack \
		--vcf "$IN/vcf/good/slash-and-bar.vcf" --pheno-name a -o q.vec.h5
	gone q.vec.h5
}

@test "pack: a column called sex, in any case, is not a phenotype" {
	requires python h5py
	local b=$IN/pfile/good/of-a-bed
	cp "$b.pgen" s.pgen
	cp "$b.pvar" s.pvar
	awk 'NR == 1 { print "#IID\tsex" } !/^#/ { print $2 "\t" (1 + NR % 2) }' \
		"$b.psam" >s.psam
	vsim-pack --pfile s -o s.vec.h5
	[ "$(samples s.vec.h5 | cut -d ' ' -f 1)" = sex ]
}

# ---- selections ----

@test "pack: a selection has the vectors of the .bed that plink makes of it" {
	requires cmd plink1.9
	synthetic s 700 41 5
	# names that a .bim may have, and parents, one of them absent
	awk 'BEGIN { split("1 2 3 10 23 25 26", c) }
		{ $1 = c[1 + int((NR - 1) / 100)]; print }' OFS='\t' s.bim >b
	mv b s.bim
	awk '{ $3 = NR % 5 ? 0 : "I1"; $4 = NR % 7 ? 0 : "gone"; print }' s.fam >f
	mv f s.fam
	awk '{ print $2 }' s.bim | sed -n 'p;n;n' >ids
	awk '{ print $2 }' s.bim | sed -n 'n;n;n;p' | xargs -n 7 >out
	awk '{ print $1, $2 }' s.fam | sed -n 'n;p' >some
	awk '{ print $1, $2 }' s.fam | sed -n 'n;n;p' >gone
	local k=0 ours plinks
	while IFS=: read -r ours plinks; do
		k=$((k + 1))
		# shellcheck disable=SC2086
		plink1.9 --bfile s --allow-no-sex --keep-allele-order \
			${plinks:-$ours} --make-bed --out p >/dev/null 2>&1
		# shellcheck disable=SC2086
		vsim-pack --bfile s $ours -o o$k.vec.h5 2>>said
		vsim-pack --bfile p -o p$k.vec.h5 2>>said
	done <<-'EOT'
	--chr 1:
	--chr 2-10:
	--chr chr1,3,26:
	--chr 2 --from-kb 1.2504 --to-kb 1.5:
	--chr 2 --from-kb 1.5 --to-kb 1.25:
	--chr 10 --to-kb 3.1709:
	--chr 10 --to-kb 3.171:
	--chr 1 --from-kb 0.3:
	--remove gone:
	--keep some --remove gone:
	--exclude out:
	--extract ids --exclude out --chr 1-3:
	--keep-founders:--filter-founders
	--keep some --keep-founders --chr 2:--keep some --filter-founders --chr 2
	--chr 10,MT:
	EOT
	! grep -vE 'have parents here|as X and Y|as in PLINK|as PLINK does' said
	as_text ./*.vec.h5
	[ "$k" = 15 ]
	for k in $(seq $k); do
		cmp p$k.vec.h5.txt o$k.vec.h5.txt || complain "case $k"
	done
	[ "$(wc -l <o5.vec.h5.txt)" = 26 ]
	"$PYTHON" - "$k" <<-'PY'
	import h5py, sys
	for k in range(1, int(sys.argv[1]) + 1):
	    a, b = (h5py.File(f"{x}{k}.vec.h5") for x in "op")
	    assert (a["vectors/planes"][...] == b["vectors/planes"][...]).all(), k
	PY
}

@test "pack: names of chromosomes are compared without chr, and X is 23" {
	local v=$BATS_TEST_TMPDIR/x.vcf
	{
		printf '##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
		printf '##contig=<ID=%s>\n' chr1 chr2 chrX HLA-A 3
		printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
		for c in chr1 chr2 chrX HLA-A 3; do
			printf '%s\t7\ti%s\tA\tC\t.\t.\t.\tGT\t0/0\t0/1\n' $c $c
		done
	} >"$v"
	while IFS=: read -r list want; do
		vsim-pack -f --vcf "$v" --chr "$list" -o x.vec.h5 2>said
		! grep -v 'on X and Y are read as diploid' said
		[ "$(vsim-view --no-header -c id x.vec.h5 | xargs)" = "$want" ] ||
			complain "$list"
	done <<-'EOT'
	1:ichr1
	chr1:ichr1
	1-3:ichr1 ichr2 i3
	X,HLA-A:ichrX iHLA-A
	23,HLA-A:ichrX iHLA-A
	chr2-chr9:ichr2 i3
	EOT
	quietly vsim-pack -f --vcf "$v" --chr HLA-A --from-kb 0.007 -o x.vec.h5
	run --separate-stderr vsim-pack -f --vcf "$v" --chr 2,24,5-9 -o x.vec.h5
	[ "$status" = 0 ]
	[ "${stderr_lines[0]}" = "vsim-pack: --chr: $v has no site on 24" ]
	[ "${stderr_lines[1]}" = "vsim-pack: --chr: $v has no site on 5-9" ]
	refuses 3 "$v: no site is left of 5: 5 not selected .--extract" vsim-pack -f \
		--vcf "$v" --chr Y -o y.vec.h5
	refuses 3 "$v: no site is left of 5: 5 not selected .--extract" vsim-pack -f \
		--vcf "$v" --chr 23 --autosomes 29 -o y.vec.h5
	refuses 2 'a range must end with its greater number' vsim-pack --vcf "$v" \
		--chr 3-1 -o y.vec.h5
	refuses 2 'a name is empty' vsim-pack --vcf "$v" --chr 1,,2 -o y.vec.h5
	for list in '' '--chr 1-2' '--chr 1,2'; do
		# shellcheck disable=SC2086
		refuses 2 '--to-kb needs --chr with one chromosome' vsim-pack \
			--vcf "$v" $list --to-kb 3 -o y.vec.h5
	done
	refuses 3 '--keep-founders: .*x.vcf names no parents' vsim-pack \
		--vcf "$v" --keep-founders -o y.vec.h5
	printf 'a\nb\n' >all
	refuses 3 'x.vcf: no sample is left of 2' vsim-pack --vcf "$v" \
		--remove all -o y.vec.h5
	# lists of which nothing is there leave nothing out
	: >none
	vsim-pack -f --vcf "$v" --remove none --exclude none -o x.vec.h5 2>said
	! grep -v 'on X and Y are read as diploid' said
	echo zz >zz
	run --separate-stderr vsim-pack -f --vcf "$v" --remove zz --exclude zz -o x.vec.h5
	[ "$status" = 0 ] && [ "${#stderr_lines[@]}" = 3 ]
	[ "$(vsim-view --no-header -c id x.vec.h5 | wc -l)" = 5 ]
	gone y.vec.h5
}
