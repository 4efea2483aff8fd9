# SPDX-License-Identifier: BSD-3-Clause
# Clumps of variants with p-values around the most significant: PLINK's.
load ../../helpers
load ../plink

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# lines SEED: x.bed, x.vec.h5, r2 above 0.1 within 300 kb and p-values, of 700
# variants of two chromosomes in inbred lines: of these PLINK's estimate of
# haplotypes has no choice, and its r2 is that of genotypes
lines() {
	requires cmd plink1.9
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		for (q = 1; q <= 90; q++)
			print "f" q, "s" q, 0, 0, 1, 1 >"x.tfam"
		print "CHR SNP BETA P" >"p.txt"
		for (v = 1; v <= 700; v++) {
			if (v == 1 || v == 401) {
				chrom++
				pos = 1000
			}
			pos += int(9000 * rand())
			line = chrom " v" v " 0 " pos
			p = 0.1 + 0.8 * rand()
			for (q = 1; q <= 90; q++) {
				if (v == 1 || rand() < (rand() < 0.3 ? 0.4 : 0.08))
					g[q] = rand() < p
				line = line " " (rand() < 0.03 ? "0 0" : \
					g[q] ? "A A" : "C C")
			}
			print line
			u = rand() < 0.2 ? 10 ^ (-7 * rand()) : rand()
			if (v % 50)
				print chrom, "v" v, 1, v % 60 ? u : "NA" >"p.txt"
		}
	}' >x.tped
	plink1.9 --tfile x --make-bed --allow-no-sex --out x >/dev/null
	vsim-pack -f --bfile x -o x.vec.h5
	vsim-run -f -m r2 -t 0.1 --max-kb 300 -o run --merge ld.res.h5 x.vec.h5
}

@test "clump: the clumps are PLINK's" {
	lines 3
	clumps 1e-4 0.01 0.5 250 x.vec.h5
	clumps 1e-4 0.01 0.5 250 ld.res.h5
	vsim-pack --bfile x --ploidy 1 -o h.vec.h5
	clumps 1e-3 0.5 0.2 300 h.vec.h5
	clumps 1e-3 0.5 0.2 300 ld.res.h5
	clumps 0.05 1 0.11 40 ld.res.h5
	clumps 1 1 0.3 100 ld.res.h5
	[ "$(awk 'NR > 1 { n += 1 + $6 } END { print n }' x.clumped)" = \
		"$(awk 'NR > 1 && $4 != "NA"' p.txt | wc -l)" ]
}

# bats test_tags=long
@test "clump: of vectors by haplotypes, PLINK's of real genotypes" {
	requires cmd plink1.9
	local how
	zcat "$TOP/examples/chr20.vcf.gz" | sed 1500q >c.vcf
	plink1.9 --vcf c.vcf --make-bed --out x >/dev/null
	vsim-pack --bfile x -o x.vec.h5 2>/dev/null
	p_values 1
	for how in '1e-4 0.01 0.5 250' '1e-3 0.5 0.2 1000' '1 1 0.05 20' '1 1 0.8 100'; do
		clumps $how x.vec.h5
	done
	# whatever the order of the vectors
	vsim-permute --order random -o y.vec.h5 x.vec.h5
	vsim-threshold --clump p.txt --clump-p1 1 --clump-p2 1 --above 0.8 \
		--clump-kb 100 -o y.clumped y.vec.h5
	cmp x.clumped y.clumped
	refuses 2 '--clump requires --threshold or --above: -t 0.2 is common' \
		vsim-threshold --clump p.txt -o q x.vec.h5
	printf 's\ta\tb\tc\nx\t1\t2\t0\ny\t2\t2\t1\n' |
		vsim-pack --matrix - -o n.vec.h5
	refuses 3 'n.vec.h5: holds numbers .u8., but genotypes are required; of numbers give a result of vsim-run -m r2 --merge' \
		vsim-threshold --clump p.txt --above 0.5 -o q n.vec.h5
	gone q
}

@test "clump: p-values are those of the table, other columns, packed, -" {
	lines 5
	vsim-threshold --clump p.txt -o a.clumped ld.res.h5
	awk 'NR == FNR { p[$2] = $4; next } FNR > 1 && p[$3] != $5 { bad++ }
		FNR > 2 && $5 < last { bad++ } { last = $5 }
		END { exit bad > 0 }' p.txt a.clumped
	awk 'NR == 1 { print "#ID\tX\tP"; next } { print $2 "\t0\t" $4 }' p.txt |
		gzip >q.gz
	vsim-threshold --clump q.gz -o - ld.res.h5 | cmp - a.clumped
	(cat p.txt && echo 1 none 1 0.5) >r.txt
	run -0 --separate-stderr vsim-threshold --clump r.txt -o r.clumped \
		ld.res.h5
	[ "$stderr" = "vsim-threshold: r.txt: 1 of its variants are not among \
those of the result" ]
	cmp a.clumped r.clumped
}

@test "clump: what does not fit is refused" {
	lines 7
	local text says
	while IFS=: read -r text says; do
		printf "$text" >t
		refuses 3 "t: $says" vsim-threshold --clump t -o q ld.res.h5
	done <<-'END'
	SNP Q\nv1 1\n:line 1: a header is needed that names a column of p-values
	A P\nv1 1\n:line 1: a header is needed that names a column of ids
	SNP P TEST\nv1 1 DOM\n:no variant of the result has a row whose TEST is ADD
	SNP LOG10P\nv1 -1\n:line 2: -log10 of P is -1, not 0 or more
	SNP P\nv1 1\nv1 0.5\n:line 3: variant v1 occurs twice
	SNP P\nv1 1\nv2 1.5\n:line 3: P is 1.5, not from 0 to 1
	SNP P\nv1 1\nv2 low\n:line 3: P is low, not from 0 to 1
	SNP P\nv1 1\nv2\n:line 3: fewer columns
	SNP P GENE\nv1 1 A\nv2 0.5\n:line 3: fewer columns
	SNP P\nv1 1\nv2 0.5 0.1\n:line 3: more columns than the header names
	SNP\tP\nv1\t1\nv2\t0.5\t\t1\n:line 3: more columns than the header names
	SNP P\nw1 1\n:has p-values of no variant
	:is empty
	END
	refuses 2 'has pairs of max_kb 300 alone' \
		vsim-threshold --clump p.txt --clump-kb 301 -o q ld.res.h5
	refuses 2 '--output, --prune or --blocks is required' vsim-threshold --clump p.txt ld.res.h5
	refuses 2 '--clump-kb requires --clump' \
		vsim-threshold --clump-kb 3 --above 0.5 -o q ld.res.h5
	refuses 2 '--prune cannot be combined with --clump' \
		vsim-threshold --clump p.txt --prune q -o q ld.res.h5
	refuses 2 '--clump cannot be combined with --min' \
		vsim-threshold --clump p.txt --min 0.5 -o q ld.res.h5
	gone q
}

# row D: r2 is 1 of all variants, at 1000 bases and those D behind it
row() {
	local d
	for d in 0 "$@"; do
		echo "1 d$d 0 $((1000 + d)) A A C C A A A A C C C C"
	done >e.tped
	printf 'f%d s 0 0 1 1\n' 1 2 3 4 5 6 >e.tfam
	vsim-pack -f --tped e.tped -o e.vec.h5
	vsim-run -f -m r2 -t 0.1 -o erun --merge e.res.h5 e.vec.h5
}

# members [OPTION...]: of the clumps of t, one a line, index first
members() {
	vsim-threshold --clump t "$@" -o - e.res.h5 |
		sed 1d | cut -f3,5,12 | tr '\t' ' '
}

@test "clump: distance and second p are exclusive, the first is not: PLINK's" {
	requires cmd plink1.9
	local kb p1 p2
	row 998 999 1000 1001 1002 4999 5000
	plink1.9 --tfile e --make-bed --allow-no-sex --out e >/dev/null
	printf '%s\n' 'SNP P' 'd0 1e-8' 'd998 1e-4' 'd999 0.00010' 'd1000 0.0002' \
		'd1001 0.05' 'd1002 0.0499' 'd4999 0.01' 'd5000 0.001' >t
	while read -r kb p1 p2; do
		plink1.9 --bfile e --clump t --clump-kb "$kb" --clump-p1 "$p1" \
			--clump-p2 "$p2" --allow-no-sex --out c >/dev/null
		vsim-threshold -f --clump t --clump-kb "$kb" --clump-p1 "$p1" \
			--clump-p2 "$p2" -o ours e.res.h5
		diff <(awk 'NF { $5 = ""; print }' c.clumped) \
			<(awk '{ $5 = ""; print }' ours) ||
			complain "$kb $p1 $p2"
	done <<-'END'
	1.001 1e-4 0.01
	1.0009 1e-4 0.0002
	0.999 1e-8 0.05
	1.002 1e-4 1e-4
	5 0.0001 0.001
	4.9999 0.01 0.05
	END
}

@test "clump: p-values below the range of doubles keep their order and text" {
	row 1 2 3 4
	printf '%s\n' 'SNP P' 'd0 1.5e-400' 'd1 1.4999999999999999999999e-400' \
		'd2 15.1E-401' 'd3 2e-1000' 'd4 0.5' >t
	[ "$(members --clump-p2 1)" = "d3 2e-1000 d0(1),d1(1),d2(1),d4(1)" ]
	[ "$(members --clump-p2 1.5e-400)" = "d3 2e-1000 d1(1)" ]
	[ "$(members --clump-p1 2e-1001)" = "" ]
	[ "$(members --clump-kb 0.001)" = "d3 2e-1000 NONE
d1 1.4999999999999999999999e-400 NONE
d0 1.5e-400 NONE
d2 15.1E-401 NONE" ]
	printf '%s\n' 'SNP LOG10P' 'd0 400.5' 'd1 1000' 'd2 4' 'd3 0' 'd4 NA' >t
	[ "$(members --clump-kb 0.001)" = "d1 1e-1000 NONE
d0 3.16228e-401 NONE
d2 1e-04 NONE" ]
	[ "$(members --clump-p2 0.5)" = "d1 1e-1000 d0(1),d2(1)" ]
}

@test "clump: columns have today's names, and rows of other tests are left out" {
	row 1
	local head
	while read -r head; do
		printf '%s\nd0\t\t1e-5\nd1\t\t1e-6\n' "${head// /$'\t'}" >t
		[ "$(members)" = "d1 1e-6 d0(1)" ] || complain "$head"
	done <<-'END'
	SNP X P
	#ID X p
	rsid X p_value
	variant_id X P-value
	MarkerName X p.value
	MarkerID X Pvalue
	END
	printf '%s\n' 'SNP rsid P Q' 'a d0 1e-5 1e-7' 'd0 d1 1e-6 1e-5' >t
	run -0 --separate-stderr members --clump-id-field rsid --clump-field Q
	[ "$output" = "d0 1e-7 d1(1)" ] && [ -z "$stderr" ]
	run -0 --separate-stderr members
	[ "$output" = "d0 1e-6 NONE" ]
	[[ "$stderr" = *"ids are taken from column SNP; --clump-id-field names \
another"* ]]
	printf '%s\n' 'ID TEST P' 'd0 ADD 1e-5' 'd0 COV 1e-9' 'd1 ADD 1e-6' >t
	run -0 --separate-stderr members
	[ "$output" = "d1 1e-6 d0(1)" ]
	[[ "$stderr" = *"1 rows are left out whose TEST is not ADD"* ]]
	[ "$(members --clump-test COV)" = "d0 1e-9 NONE" ]
	printf 'ID\tP\nd0\t1e-5\t\nd1\t1e-6\n' >t2
	[ "$(vsim-threshold --clump t2 -o - e.res.h5 | cut -f 3 | xargs)" = 'SNP d1' ]
	refuses 3 'no column is called TEST, which --clump-test reads' \
		vsim-threshold --clump t2 --clump-test ADD -o q e.res.h5
	refuses 3 'no column is called Z' \
		vsim-threshold --clump t --clump-p-field Z -o q e.res.h5
	printf '%s\n' '1 d0 0 7 A A C C A A A A C C C C' >>e.tped
	vsim-pack -f --tped e.tped -o e.vec.h5
	vsim-run -f -m r2 -t 0.1 -o erun --merge e.res.h5 e.vec.h5
	refuses 3 'several variants of the vectors file are called d0' \
		vsim-threshold --clump t -o q e.res.h5
	gone q
}
