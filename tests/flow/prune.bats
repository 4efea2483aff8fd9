# SPDX-License-Identifier: BSD-3-Clause
# Lists of variants pruned by linkage disequilibrium: PLINK's.
load ../helpers
load plink

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# sites: x.bed, x.vec.h5 and their r2 above 0.1, 900 variants of three
# chromosomes in blocks of like ones, of some one genotype alone, with gaps
sites() {
	requires cmd plink1.9
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		for (q = 1; q <= 80; q++)
			print "f" q, "s" q, 0, 0, 1, 1 >"x.tfam"
		for (v = 1; v <= 900; v++) {
			if (v == 1 || v == 401 || v == 701) {
				chrom++
				pos = 1000
			}
			pos += int(3000 * rand())
			line = chrom " v" v " 0 " pos
			p = 0.1 + 0.8 * rand()
			for (q = 1; q <= 80; q++) {
				if (v == 1 || rand() < (rand() < 0.3 ? 0.4 : 0.08))
					g[q] = (rand() < p) + (rand() < p)
				x = v % 97 == 5 ? 1 : v % 101 == 7 ? 0 : g[q]
				line = line " " (rand() < 0.03 ? "0 0" : \
					x == 0 ? "A A" : x == 1 ? "A C" : "C C")
			}
			print line
		}
	}' >x.tped
	plink1.9 --tfile x --make-bed --allow-no-sex --out x >/dev/null
	vsim-pack -f --bfile x -o x.vec.h5
	vsim-run -f -m r2 -t 0.1 --within-chromosome -o run --merge ld.res.h5 \
		x.vec.h5
}

@test "prune: the lists are those of PLINK's --indep-pairwise" {
	sites 3
	pruned 50 5 0.5 50
	pruned 50 5 0.2 50
	pruned 20 3 0.3 50
	pruned 7 7 0.2 50
	pruned 2 1 0.15 50
	pruned 900 1 0.2 50
	pruned 30kb 1 0.4 50
	pruned 200kb 1 0.2 50
	pruned 9000kb 1 0.3 50
}

@test "prune: of real genotypes too" {
	requires cmd plink1.9
	zcat "$TOP/examples/chr20.vcf.gz" | sed 9000q >c.vcf
	plink1.9 --vcf c.vcf --make-bed --out x >/dev/null
	vsim-pack --bfile x -o x.vec.h5 2>/dev/null
	vsim-run -m r2 -t 0.2 --max-kb 500 -o run --merge ld.res.h5 x.vec.h5
	pruned 50kb 1 0.5 50
	pruned 500kb 1 0.2 50
	refuses 2 'has pairs of max_kb 500 alone' \
		vsim-threshold --prune q --window 501kb ld.res.h5
	refuses 2 'has pairs of max_kb 500 alone' \
		vsim-threshold --prune q --window 50 ld.res.h5
	vsim-run -f -m r2 -t 0.2 --max-sites 49 -o run --merge ld.res.h5 -f \
		x.vec.h5
	pruned 50 5 0.2 50
	refuses 2 'has pairs of max_sites 49 alone' \
		vsim-threshold --prune q --window 51 ld.res.h5
	gone q.prune.in q.prune.out
}

@test "prune: haploid vectors, as PLINK's of inbred lines; no numbers" {
	sites 4
	# both alleles of a call are its first one
	awk '{ for (k = 5; k < NF; k += 2) $(k + 1) = $k; print }' x.tped >y
	mv y x.tped
	plink1.9 --tfile x --make-bed --allow-no-sex --out x >/dev/null
	vsim-pack -f --bfile x --ploidy 1 --label a2 -o x.vec.h5
	vsim-run -f -m r2 -t 0.1 --within-chromosome -o run \
		--merge ld.res.h5 -f x.vec.h5
	pruned 50 5 0.2 50
	pruned 100kb 1 0.3 50
	printf 's\ta\tb\tc\nx\t1\t2\t0\ny\t2\t2\t1\n' |
		vsim-pack --matrix - -o n.vec.h5
	vsim-run -m ps -t 0.1 -o numbers --merge n.res.h5 n.vec.h5
	refuses 2 'is of numbers' vsim-threshold --prune q n.res.h5
	gone q.prune.in
}

@test "prune: whatever the order of the vectors" {
	local want
	sites 5
	vsim-threshold --prune a --window 40 ld.res.h5
	vsim-permute --order random -o p.vec.h5 x.vec.h5
	vsim-run -f -m r2 -t 0.1 --within-chromosome -o run \
		--merge p.res.h5 p.vec.h5
	vsim-threshold --prune b --window 40 p.res.h5
	vsim-merge --unpermute -o u.res.h5 run
	vsim-threshold --prune c --window 40 --vectors p.vec.h5 u.res.h5
	for want in in out; do
		cmp a.prune.$want b.prune.$want
		cmp a.prune.$want c.prune.$want
	done
}

@test "prune: without windows no two that are kept exceed the bound" {
	sites 7
	vsim-run -f -m r2 -t 0.15 -o run --merge all.res.h5 x.vec.h5
	vsim-view --no-header -c id1,id2,chrom1,chrom2 all.res.h5 >pairs
	awk '$3 != $4 { n++ } END { exit n < 20 }' pairs
	vsim-threshold --prune w all.res.h5
	awk 'NR == FNR { kept[$1]; next } $1 in kept && $2 in kept { bad++ }
		END { exit bad > 0 }' w.prune.in pairs
	# and none went for nothing, but those of one genotype
	awk 'NR == FNR { near[$1]; near[$2]; next } !($1 in near)' pairs \
		w.prune.out >alone
	plink1.9 --bfile x --hardy --allow-no-sex --out h >/dev/null
	awk 'NR == FNR { split($6, n, "/"); if ((n[1] > 0) + (n[2] > 0) + \
		(n[3] > 0) < 2) flat[$2]; next } !($1 in flat)' h.hwe alone |
		none_left
	sort w.prune.in w.prune.out | cmp - <(cut -f2 x.bim | sort)
}

none_left() {
	[ -z "$(cat)" ]
}

@test "prune: a value that was rounded to the bound of its run counts" {
	local pair
	requires python struct
	sites 6
	vsim-view --no-header -c i,j,value,id1,id2 ld.res.h5 >exact
	vsim-run -f -m r2 -t 0.1 --value f32 -o run --merge f.res.h5 x.vec.h5
	vsim-view --no-header -c i,j,value f.res.h5 >rounded
	# f32 has fewer digits: as many as tell it from others
	pair=$(awk 'NR == FNR { at[$1 " " $2] = $3; next }
		at[$1 " " $2] < $3 && $3 > 0.3 { print at[$1 " " $2], $4, $5
			exit }' <("$PYTHON" -c 'import struct, sys
for l in sys.stdin:
    i, j, v = l.split()
    print(i, j, repr(struct.unpack("f", struct.pack("f", float(v)))[0]))' \
		<rounded) exact)
	vsim-run -f -m r2 -t "${pair%% *}" --value f32 -o run --merge g.res.h5 \
		-f x.vec.h5
	vsim-threshold --prune g g.res.h5
	[ "$(grep -cxE "$(cut -d' ' -f2- <<<"$pair" | tr ' ' '|')" \
		g.prune.in)" -lt 2 ]
}

@test "prune: what does not fit is refused, nothing is overwritten" {
	sites 9
	refuses 2 '--window goes with --prune' \
		vsim-threshold --window 5 --above 0.3 -o q ld.res.h5
	refuses 2 '--step goes with a --window of a number of variants' \
		vsim-threshold --prune q --step 5 ld.res.h5
	refuses 2 '--step goes with a --window of a number of variants' \
		vsim-threshold --prune q --window 9kb --step 5 ld.res.h5
	refuses 2 '--step 5: more than the 4 variants of a window' \
		vsim-threshold --prune q --window 4 --step 5 ld.res.h5
	refuses 2 '--prune takes no condition but --above' \
		vsim-threshold --prune q --top 5 ld.res.h5
	refuses 2 'leave -o out' \
		vsim-threshold --prune q -o q ld.res.h5
	refuses 3 'vsim-merge makes one of a run' vsim-threshold --prune q run
	refuses 2 'no merged result' \
		vsim-threshold --prune q run/shard-00000.shard.h5
	refuses 2 'ld.res.h5 lists values above 0.1: a lower bound needs' \
		vsim-threshold --prune q --above 0.05 ld.res.h5
	for w in 1 0.5 -3 kb -5kb 5mb; do
		refuses 2 'a number of variants is needed' \
			vsim-threshold --prune q "--window=$w" ld.res.h5
	done
	vsim-run -f -t 0.5 -o run --merge c.res.h5 x.vec.h5
	refuses 2 'one value is needed' vsim-threshold --prune q c.res.h5
	vsim-threshold --top 50 -o few.res.h5 ld.res.h5
	refuses 2 'lists all pairs above its threshold, not' \
		vsim-threshold --prune q few.res.h5
	gone q.prune.in q.prune.out
	echo mine >q.prune.out
	refuses 2 'q.prune.out: exists already' vsim-threshold --prune q ld.res.h5
	[ "$(cat q.prune.out)" = mine ]
	gone q.prune.in
	mv x.vec.h5 y.vec.h5
	refuses 3 'name it by --vectors FILE' vsim-threshold --prune r ld.res.h5
	vsim-threshold --prune r --vectors y.vec.h5 ld.res.h5
}
