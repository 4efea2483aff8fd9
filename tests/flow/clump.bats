# SPDX-License-Identifier: BSD-3-Clause
# Clumps of variants with p-values around the most significant: PLINK's.
load ../helpers

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

# theirs P1 P2 R2 KB: all columns but P, which is rounded there
theirs() {
	plink1.9 --bfile x --clump p.txt --clump-p1 "$1" --clump-p2 "$2" \
		--clump-r2 "$3" --clump-kb "$4" --allow-no-sex --out c >/dev/null
	vsim-threshold -f --clump p.txt --clump-p1 "$1" --clump-p2 "$2" \
		--above "$3" --clump-kb "$4" -o x.clumped ld.res.h5
	diff <(awk 'NF { $5 = ""; print }' c.clumped) \
		<(awk '{ $5 = ""; print }' x.clumped) ||
		complain "$*: $(wc -l <x.clumped) lines"
	[ "$(wc -l <x.clumped)" -gt 10 ]
}

@test "clump: the clumps are PLINK's" {
	lines 3
	theirs 1e-4 0.01 0.5 250
	theirs 1e-3 0.5 0.2 300
	theirs 0.05 1 0.11 40
	theirs 1 1 0.3 100
	[ "$(awk 'NR > 1 { n += 1 + $6 } END { print n }' x.clumped)" = \
		"$(awk 'NR > 1 && $4 != "NA"' p.txt | wc -l)" ]
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
	SNP Q\nv1 1\n:line 1: a header is needed
	SNP P\nv1 1\nv1 0.5\n:line 3: variant v1 stands twice
	SNP P\nv1 1\nv2 1.5\n:line 3: P is 1.5, not from 0 to 1
	SNP P\nv1 1\nv2 low\n:line 3: P is low, not from 0 to 1
	SNP P\nv1 1\nv2\n:line 3: fewer columns
	SNP P\nw1 1\n:has p-values of no variant
	:is empty
	END
	refuses 2 'has pairs of max_kb 300 alone' \
		vsim-threshold --clump p.txt --clump-kb 301 -o q ld.res.h5
	refuses 2 'no output' vsim-threshold --clump p.txt ld.res.h5
	refuses 2 'give one of them' \
		vsim-threshold --clump p.txt --prune q -o q ld.res.h5
	refuses 2 '--clump takes no condition but --above' \
		vsim-threshold --clump p.txt --min 0.5 -o q ld.res.h5
	gone q
}
