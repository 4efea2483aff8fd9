# SPDX-License-Identifier: BSD-3-Clause
# Tables straight from a run: the text that vsim-view makes of its merged result.
load ../../helpers
load ../../cli/pack

# vectors: x.vec.h5, 400 sites of two chromosomes with gaps, and x.bed
vectors() {
	requires cmd plink1.9
	zcat "$TOP/examples/chr20.vcf.gz" | awk 'BEGIN { OFS = "\t" }
		/^#/ { print; next }
		n < 400 && ++m % 9 == 1 {
			if (n++ >= 250) $1 = 21
			for (q = 10; q <= NF; q++)
				if ((n * 7 + q * 13) % 41 == 0) $q = "./."
			print
		}' >x.vcf
	plink1.9 --vcf x.vcf --make-bed --out x >/dev/null
	vsim-pack --vcf x.vcf -o x.vec.h5
}

# same FORMAT OPTION...: the table of a run is that of its result
same() {
	local to=$1 view=()
	shift
	vsim-run -f "$@" -o run --merge e.res.h5 "${from:-x.vec.h5}" 2>/dev/null
	[ -z "${columns:-}" ] || view=(-c "$columns")
	vsim-view --to "$to" "${view[@]}" e.res.h5 >want
	vsim-run "$@" --to "$to" "${view[@]}" -o - "${from:-x.vec.h5}" \
		>got 2>/dev/null
	cmp want got || complain "$to $*"
	[ "$(wc -l <want)" -gt "${least:-20}" ] || complain "$to $*: few lines"
}

# bats test_tags=long
@test "direct: the table is the text of the merged result" {
	local columns from least
	vectors
	same ld -m r2 -t 0.3
	same ld -m r2 -t 0.3 --max-kb 20
	same ld -m r2 -t 0.1 --max-sites 9 --tile 32
	same tsv -m ccc -t 0.6
	same csv -m ccc -t 0.6 --value f32
	same abc -m r2 -t 0.5 --inter-chromosome -j 3 --tile 50
	same json-lines -m ccc -t 0.6 --within-chromosome
	same bedpe -m r2 -t 0.4 --tile 16
	same tsv -m ccc -w 3 -t 0.4
	same tsv -m r2 --top 50
	same tsv -m r2 -t 0.1 --pairs-between 20 21
	columns=i,j,num,n,value,id1,pos2,freq1 same csv -m ccc -t 0.6
	# more records of a band than are sorted at once
	least=70000 same tsv -m ccc -t 0.01
	least=70000 same tsv -m ccc -t 0.01 -j 2 --tile 200
	vsim-permute --order random -o p.vec.h5 x.vec.h5
	from=p.vec.h5 same tsv -m ccc -t 0.6
	from=p.vec.h5 columns=i,j,cell,value same tsv -m ccc -t 0.6
	vsim-run -f -m r2 -t 0.3 --to ld -o want x.vec.h5
	vsim-run -m r2 -t 0.3 --to ld --no-header -o - x.vec.h5 |
		cmp <(tail -n +2 want) -
}

@test "direct: records beyond the memory are sorted on disk" {
	zcat "$TOP/examples/chr20.vcf.gz" | awk '/^#/ || ++n <= 700' |
		vsim-pack --vcf - -o x.vec.h5
	vsim-run -m r2 -t 0.0001 --to tsv -o - x.vec.h5 >want
	# 26,214 records are held, and the first row of tiles has more
	TMPDIR=$PWD vsim-run -m r2 -t 0.0001 --memory 4M --tile 350 --to tsv \
		-o - x.vec.h5 2>/dev/null >got
	cmp want got
	[ "$(wc -l <want)" -gt 100000 ]
	run -0 ls -A
	[[ "$output" != *vsim-run* ]]
}

@test "direct: a plan counts the genotypes that are held in memory" {
	local bytes
	{
		printf 'id'
		printf '\ts%d' $(seq 640)
		echo
		awk 'BEGIN { for (v = 0; v < 300; v++) { printf "v" v
			for (q = 0; q < 640; q++) printf "\t%d", (v * q + q) % 3
			print "" } }'
	} >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	planned() {
		vsim-run -n -j 1 -m r2 -t 0.5 --tile 100 "$1" |
			sed -n 's/^memory_of_a_rank: //p'
	}
	tail -n +2 x.tsv | awk '{ line = "1 v" NR " 0 " NR
		for (k = 2; k <= NF; k++)
			line = line ($k == 0 ? " A A" : $k == 1 ? " A C" : " C C")
		print line }' >y.tped
	seq 640 | awk '{ print $1, $1, 0, 0, 0, -9 }' >y.tfam
	bytes=$(($(planned y.tped) - $(planned x.vec.h5)))
	# two planes of 640 bits a vector
	[ "$bytes" = $((300 * 160)) ]
}

@test "direct: a window takes the memory of its neighbours, not of all vectors" {
	local n reach
	requires mpi 2
	for n in 9000 18000; do
		awk -v n=$n 'BEGIN {
			for (v = 1; v <= n; v++) {
				line = "1 v" v " 0 " v
				for (q = 0; q < 12; q++)
					line = line ((v * q * q + v) % 7 < 3 ? \
						" A C" : " A A")
				print line
			}
		}' >x$n.tped
		seq 12 | awk '{ print $1, $1, 0, 0, 0, -9 }' >x$n.tfam
		vsim-pack --tped x$n -o x$n.vec.h5
		vsim-run -n -m r2 -t 0.5 --max-sites 9 x$n.vec.h5 >plan
		grep -q 'blocks: streamed' plan
		sed -n 's/^memory_of_a_rank: //p' plan
	done >bytes
	[ "$(uniq bytes | wc -l)" = 1 ]
	# fewer and more neighbours than a block has vectors
	for reach in 20 5000; do
		vsim-run -f -m r2 -t 0.9 --max-sites $reach -o one \
			--merge one.res.h5 x9000.vec.h5
		vsim-run -f -m r2 -t 0.9 --max-sites $reach --to tsv -o got \
			x9000.vec.h5
		vsim-view one.res.h5 | cmp - got
		ranks 2 vsim-run -f -m r2 -t 0.9 --max-sites $reach -o two \
			--merge two.res.h5 x9000.vec.h5
		[ "$(content one.res.h5)" = "$(content two.res.h5)" ]
	done
}

@test "direct: of many tiles without a wanted pair none wakes a thread" {
	# 300 blocks, whose 45,000 tiles woke threads 5,000 to 26,000 times
	"$PYTHON" - <<-'PY'
	import os, resource, subprocess
	n, chromosome = 600000, 100000
	with open("x.bed", "wb") as f:
	    f.write(b"\x6c\x1b\x01" + bytes((v * v // 7 + v * k) % 256 for v in range(n)
	                                   for k in (3, 5)))
	with open("x.bim", "w") as f:
	    f.writelines(f"{v // chromosome + 1} v{v} 0 {v % chromosome + 1} A C\n"
	                 for v in range(n))
	with open("x.fam", "w") as f:
	    f.writelines(f"f{q} s{q} 0 0 1 -9\n" for q in range(8))
	subprocess.run(["vsim-pack", "--bfile", "x", "-o", "x.vec.h5"], check=True,
	               stderr=subprocess.DEVNULL)
	for to in ["--to", "ld", "-o", "x.ld", "x.bed"], \
	        ["--metric-histogram", "h.tsv", "-o", "run", "x.vec.h5"]:
	    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw
	    subprocess.run(["vsim-run", "-m", "r2", "-t", "0.99", "-j", "2", "--max-sites",
	                    "2"] + to, check=True, stderr=subprocess.DEVNULL)
	    woken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw - before
	    assert woken < 2500, (to, woken)
	PY
	[ "$(wc -l <x.ld)" -gt 20000 ]
}

@test "direct: any input of genotypes, as if it were packed" {
	local how from
	vectors
	vsim-pack --bfile x -o b.vec.h5
	vsim-run -m r2 -t 0.3 --to ld -o want b.vec.h5
	for from in x.bed x x.bim; do
		vsim-run -f -m r2 -t 0.3 --to ld -o got $from
		cmp want got || complain "$from"
	done
	vsim-run -m r2 -t 0.3 --to ld -o - x.vec.h5 >want
	vsim-run -m r2 -t 0.3 --to ld -o - x.vcf | cmp want -
	vsim-run -m r2 -t 0.3 --to ld -o - - <x.vcf | cmp want -
	cut -f2 x.bim | sed -n '2~3p' >list
	cut -d' ' -f1,2 x.fam | sed 40q >samples
	for how in "--maf 0.2" "--max-missing 0.03 --chr 20" "--extract list" \
		"--exclude list --keep samples" "--remove samples"; do
		# shellcheck disable=SC2086
		vsim-pack -f --bfile x $how -o y.vec.h5
		vsim-run -m ccc -t 0.5 --to tsv -o - y.vec.h5 >want
		# shellcheck disable=SC2086
		vsim-run -m ccc -t 0.5 $how --to tsv -o - x.bed | cmp want - ||
			complain "$how"
	done
	awk '{ $6 = 1 + NR % 2; print }' x.fam >y && mv y x.fam
	vsim-pack -f --bfile x -o y.vec.h5
	vsim-run -m mi --top 30 --to tsv -o - y.vec.h5 >want
	vsim-run -m mi --top 30 --to tsv -o - x.bed | cmp want -
	vsim-run -m ccc -t 0.5 -n x.bed >plan
	grep -q pairs plan
}

# bats test_tags=long
@test "direct: bad inputs are refused in the words of vsim-pack" {
	local kind name opt arg help bad=
	help=$(vsim-pack --help)
	for kind in bfile pfile vcf eigenstrat tped file; do
		while read -r name opt arg; do
			for how in "vsim-run -m r2 -t 0.1 --to tsv -o q" \
				"vsim-threshold --prune q --window 9 --above 0.2"; do
				# shellcheck disable=SC2086
				refuses 3 "$(cat "$IN/$kind/bad/$name.says")" $how "$arg" \
					2>why || bad+="$how $kind/$name: $(cat why)"$'\n'
			done
			run ! compgen -G 'q*'
		done < <(inputs $kind bad)
	done
	: >nothing
	refuses 3 'nothing: is empty' vsim-run -m r2 -t 0.1 --to tsv -o q nothing
	[ -z "$bad" ] || complain "$bad"
}

@test "direct: X and Y are counted as in a vectors file" {
	vectors
	awk '{ $5 = 1 + NR % 2; print }' x.fam >y && mv y x.fam
	awk '$1 == 21 { $1 = 23 } 1' OFS='\t' x.bim >y && mv y x.bim
	vsim-pack --bfile x -o y.vec.h5 2>/dev/null
	vsim-run -m ccc -t 0.55 --to tsv -c id1,allele1,freq1,id2,value,n -o - \
		y.vec.h5 >want
	vsim-run -m ccc -t 0.55 --to tsv -c id1,allele1,freq1,id2,value,n -o - \
		x.bed 2>/dev/null | cmp want -
	[ "$(wc -l <want)" -gt 20 ]
}

@test "direct: the pairs of PLINK's windows" {
	vectors
	vsim-run -m r2 -t 0.2 --max-kb 50 --max-sites 30 --to ld -o got x.bed
	plink1.9 --bfile x --r2 --ld-window-kb 50 --ld-window 31 \
		--ld-window-r2 0.2 --allow-no-sex --out p >/dev/null
	# PLINK's has six digits
	awk 'FNR == NR { if (FNR > 1) r[$3 " " $6] = $7; next }
		FNR > 1 && !(($3 " " $6) in r) { bad++ }
		FNR > 1 { d = r[$3 " " $6] - $7; n++ }
		d > 1e-5 || d < -1e-5 { bad++ }
		END { exit bad > 0 || n < 200 }' p.ld got
	[ "$(wc -l <got)" = "$(wc -l <p.ld)" ]
}

@test "direct: refusals leave nothing, a file is not replaced, a pipe may close" {
	vectors
	refuses 2 '--to cannot be combined with --resume' \
		vsim-run -t 0.6 --to tsv --resume -o q x.vec.h5
	refuses 2 '--to cannot be combined with --merge' \
		vsim-run -t 0.6 --to tsv --merge e.res.h5 -o q x.vec.h5
	refuses 2 '--columns requires --to' \
		vsim-run -t 0.6 -c id1 -o q x.vec.h5
	refuses 2 '--to ld: it has columns of its own' \
		vsim-run -m r2 -t 0.6 --to ld -c id1 -o q x.vec.h5
	refuses 2 '--to ld shows r2, r2em, dprime or d' \
		vsim-run -m ccc -t 0.6 --to ld -o q x.vec.h5
	refuses 2 'which have no third vector' \
		vsim-run -t 0.6 --to tsv -c id3 -o q x.vec.h5
	refuses 2 'tables of cases or of a trait, effects, p_family and q are shown by vsim-view' \
		vsim-run -t 0.6 --to tsv -c id1,k2 -o q x.vec.h5
	refuses 2 'x.bed requires --to, --dry-run or --permute-test: shards name' \
		vsim-run -t 0.6 -o q x.bed
	refuses 2 '--maf requires genotypes: vsim-pack makes the choice' \
		vsim-run -t 0.6 --maf 0.1 --to tsv -o q x.vec.h5
	refuses 3 'no site is left' vsim-run -t 0.6 --chr 9 --to tsv -o q x.bed
	head -c 5000 x.bed >y.bed
	cp x.bim y.bim && cp x.fam y.fam
	refuses 3 'y.bed' vsim-run -t 0.6 --to tsv -o q y.bed
	gone q
	echo mine >q
	refuses 2 'q: exists already' vsim-run -t 0.6 --to tsv -o q x.bed
	[ "$(cat q)" = mine ]
	vsim-run -f -t 0.6 --to tsv -o q x.bed
	[ "$(wc -l <q)" -gt 20 ]
	# shellcheck disable=SC2216
	run -0 bash -o pipefail -c \
		'vsim-run -m r2 -t 0.0001 --to tsv -o - x.bed | head -1'
	[ "$output" = $'id1\tid2\tvalue' ]
}
