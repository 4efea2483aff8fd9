# SPDX-License-Identifier: BSD-3-Clause
# Lists of variants pruned by linkage disequilibrium: PLINK's.
load ../../helpers
load ../plink

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
	pruned 80kb 1 0.2 50
	pruned 200kb 1 0.2 50
	pruned 9000kb 1 0.3 50
}

# bats test_tags=long
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
	refuses 2 'has numbers' vsim-threshold --prune q n.res.h5
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

# shared: x.vcf, 90 sites of like genotypes by three, ids that other sites have
# too, sites without one at places that repeat, with chr and without, and two
# alternative alleles
shared() {
	awk 'BEGIN {
		srand(9)
		print "##fileformat=VCFv4.2"
		head = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"
		for (q = 1; q <= 40; q++)
			head = head "\ts" q
		print head
		for (v = 0; v < 90; v++) {
			id = v % 5 ? "rs" int(v / 2) % 30 : v % 2 ? "." : "1:7:A:C"
			line = (v % 3 ? "1" : "chr1") "\t" 1 + v % 7 "\t" id \
				"\tA\t" (v % 4 ? "C" : "C,G") "\t.\t.\t.\tGT"
			for (q = 1; q <= 40; q++) {
				if (v % 3 == 0)
					g[q] = int(3 * rand())
				if (rand() < 0.1)
					g[q] = 0
				line = line "\t" (v % 4 ? int(g[q] / 2) "/" (g[q] > 0) : \
					int(3 * rand()) "/" g[q])
			}
			print line
		}
	}' >x.vcf
}

@test "prune: no pair comes back with an id that several variants have" {
	local how n
	shared
	for how in drop split; do
		vsim-pack -f --vcf x.vcf --multiallelic $how -o x.vec.h5
		vsim-run -f -m r2 -t 0.2 -o run --merge ld.res.h5 x.vec.h5
		run -0 --separate-stderr vsim-threshold -f --prune x ld.res.h5
		[[ "$stderr" == *"only because another variant of the same id"* ]]
		vsim-pack -f --vcf x.vcf --multiallelic $how --extract x.prune.in \
			-o in.vec.h5
		vsim-pack -f --vcf x.vcf --multiallelic $how --exclude x.prune.out \
			-o not-out.vec.h5
		vsim-view -g in.vec.h5 | cmp - <(vsim-view -g not-out.vec.h5)
		n=$(vsim-view -g --no-header in.vec.h5 | wc -l)
		[ "$n" = "$(wc -l <x.prune.in)" ] && [ "$n" -gt 5 ]
		vsim-run -f -m r2 -t 0.2 -o run --merge again.res.h5 in.vec.h5
		vsim-view --no-header again.res.h5 | none_left
	done
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

# bats test_tags=long
@test "prune: the rounded value decides, however close it is to the bound" {
	seq 4 | awk '{ print "f" $1, "s" $1, 0, 0, 1, 1 }' >x.tfam
	# r2 is 1/3, in double precision 0.3333333333333333
	printf '1 %s 0 %s A A A A A %s A C\n' a 1 C b 2 A >x.tped
	while read -r above out; do
		vsim-threshold -f --prune q --above "$above" x.tped
		[ "$(wc -l <q.prune.out)" -eq "$out" ] || complain "$above"
	done <<-end
		0.3333333333333333 0
		0.3333333333333332 1
		0.33333333333 1
		0.33333333334 0
	end
}

@test "prune: what does not fit is refused, nothing is overwritten" {
	sites 9
	refuses 2 '--window requires --prune' \
		vsim-threshold --window 5 --above 0.3 -o q ld.res.h5
	refuses 2 '--step goes with a --window of a number of variants' \
		vsim-threshold --prune q --step 5 ld.res.h5
	refuses 2 '--step goes with a --window of a number of variants' \
		vsim-threshold --prune q --window 9kb --step 5 ld.res.h5
	refuses 2 '--step 5: more than the 4 variants of a window' \
		vsim-threshold --prune q --window 4 --step 5 ld.res.h5
	refuses 2 '--prune cannot be combined with --top' \
		vsim-threshold --prune q --top 5 ld.res.h5
	refuses 2 '--prune cannot be combined with --output' \
		vsim-threshold --prune q -o q ld.res.h5
	refuses 3 'vsim-merge makes one of a run' vsim-threshold --prune q run
	refuses 2 'not a merged result' \
		vsim-threshold --prune q run/shard-00000.shard.h5
	refuses 2 'ld.res.h5 lists values above 0.1: a lower bound needs' \
		vsim-threshold --prune q --above 0.05 ld.res.h5
	for w in 1 0.5 -3 kb -5kb 5mb; do
		refuses 2 'expected a number of variants' \
			vsim-threshold --prune q "--window=$w" ld.res.h5
	done
	vsim-run -f -t 0.5 -o run --merge c.res.h5 x.vec.h5
	refuses 2 'one value per pair is required' vsim-threshold --prune q c.res.h5
	vsim-threshold --top 50 -o few.res.h5 ld.res.h5
	refuses 2 'with all pairs above its threshold is required, not' \
		vsim-threshold --prune q few.res.h5
	gone q.prune.in q.prune.out
	echo mine >q.prune.out
	refuses 2 'q.prune.out: exists already' vsim-threshold --prune q ld.res.h5
	[ "$(cat q.prune.out)" = mine ]
	gone q.prune.in
	mv x.vec.h5 y.vec.h5
	refuses 3 'use --vectors FILE' vsim-threshold --prune r ld.res.h5
	vsim-threshold --prune r --vectors y.vec.h5 ld.res.h5
}

@test "prune: genotypes in the order of the genome, whatever the CPU offers" {
	local cpu
	sites 11
	vsim-threshold --prune a --window 30 --step 3 --above 0.3 ld.res.h5
	for cpu in scalar popcnt; do
		VSIM_CPU=$cpu vsim-threshold -f --prune b --window 30 --step 3 \
			--above 0.3 x.vec.h5
		cmp a.prune.in b.prune.in
	done
	# without a window all pairs count, of any two chromosomes
	vsim-run -f -m r2 -t 0.15 -o run --merge all.res.h5 x.vec.h5
	vsim-threshold -f --prune a all.res.h5
	vsim-threshold -f --prune b --above 0.15 x.vec.h5
	cmp a.prune.out b.prune.out
	refuses 2 '--prune requires --threshold or --above' \
		vsim-threshold --prune q x.vec.h5
	vsim-permute --order random -o p.vec.h5 x.vec.h5
	refuses 3 'vsim-permute --order position' \
		vsim-threshold --prune q --above 0.2 p.vec.h5
	printf 's\ta\tb\tc\nx\t1\t2\t0\ny\t2\t2\t1\n' |
		vsim-pack --matrix - -o n.vec.h5
	refuses 3 'holds numbers.*; of numbers give a result' vsim-threshold --prune q --above 0.2 n.vec.h5
	gone q.prune.in q.prune.out
}

# pruned_of INPUT OPTION...: the lists of the input are those of it packed
pruned_of() {
	local input=$1
	shift
	vsim-threshold -f --prune d --window 40 --above 0.3 "$@" "$input"
	cmp a.prune.in d.prune.in || complain "$input $*"
	cmp a.prune.out d.prune.out || complain "$input $*"
}

@test "prune: any input of genotypes, and a choice of its sites" {
	sites 13
	plink1.9 --bfile x --recode vcf --allow-no-sex --out x >/dev/null
	vsim-threshold --prune a --window 40 --above 0.3 x.vec.h5
	pruned_of x.bed
	pruned_of x
	pruned_of x.tped
	vsim-pack --vcf x.vcf -o v.vec.h5 2>/dev/null
	vsim-threshold -f --prune a --window 40 --above 0.3 v.vec.h5
	pruned_of x.vcf
	pruned_of - <x.vcf
	cut -f2 x.bim | sed -n '3~4p' >list
	for only in "--maf 0.2" "--max-missing 0.02" "--extract list" \
		"--exclude list --chr 2-3" "--chr 1 --from-kb 100 --to-kb 400" \
		--drop-monomorphic; do
		# shellcheck disable=SC2086
		vsim-pack -f --bfile x $only -o v.vec.h5
		vsim-threshold -f --prune a --window 40 --above 0.3 v.vec.h5
		# shellcheck disable=SC2086
		pruned_of x.bed $only
	done
	refuses 2 '--maf requires genotypes: vsim-pack makes the choice' \
		vsim-threshold --prune q --above 0.2 --maf 0.1 x.vec.h5
	refuses 2 '--chr requires --prune' \
		vsim-threshold --above 0.2 --chr 1 -o q ld.res.h5
	refuses 2 '--prune requires --threshold or --above' \
		vsim-threshold --prune q x.bed
	refuses 3 'no site is left' \
		vsim-threshold --prune q --above 0.2 --chr 9 x.bed
	printf 's\ta\tb\tc\nx\t1\t2\t0\ny\t2\t2\t1\n' >table
	refuses 3 'table: is a table; vsim-pack makes a vectors file of it' \
		vsim-threshold --prune q --above 0.2 table
	tac x.bim >y.bim
	cp x.bed y.bed && cp x.fam y.fam
	refuses 3 'before packing bcftools sort' \
		vsim-threshold --prune q --above 0.2 y.bed
	gone q.prune.in q.prune.out
}
