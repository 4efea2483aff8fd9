# SPDX-License-Identifier: BSD-3-Clause
# A run in stages: each record in one of them, all of them the whole.
# shellcheck disable=SC2086
load ../../helpers

# of WAY T: x.vec.h5 and what a run that is not cut finds
of() {
	vsim-pack -f --synthetic random --vectors 150 --fields 400 -o x.vec.h5
	ask="--way $1 -t $2"
	vsim-run $ask -o whole --merge whole.res.h5 x.vec.h5
	want=$(content whole.res.h5)
	[ "$(vsim-view --no-header whole.res.h5 | wc -l)" -gt 100 ]
}

# merged RUNDIR...: they make up the whole
merged() {
	vsim-merge -f -o e.res.h5 "$@"
	[ "$(content e.res.h5)" = "$want" ]
}

stages_of() {
	local k
	of "$1" "$2"
	for k in 1 2 3; do
		vsim-run $ask --stage $k/3 -j $k -o part$k x.vec.h5
		vsim-verify part$k
	done
	"$PYTHON" "$TOP/tests/flow/stages.py" part?/*.shard.h5
	merged part3 part1 part2

	run -3 vsim-merge -f -o e.res.h5 part2 part2/shard-00000.shard.h5
	[[ $output == *"are the same shard"* ]]
	run -3 vsim-merge -f -o e.res.h5 part2
	[[ $output == *"stages 1, 3 of 3 are missing or unfinished"* ]]
	vsim-merge -f --partial -o e.res.h5 part1 part3
	run -3 vsim-merge -f -o e.res.h5 part1 whole
	[[ $output == *"number of stages differs"* ]]
}

@test "stages: three of pairs, each computed apart, make up the run" {
	stages_of 2 0.4
}

# bats test_tags=long
@test "stages: three of triples make up the run" {
	stages_of 3 0.17
}

# bats test_tags=long
@test "stages: into one directory one after the other, by --resume" {
	of 3 0.17
	vsim-run $ask --stage 2/3 -o run x.vec.h5
	run -3 vsim-run $ask --resume --stage 1/2 -o run x.vec.h5
	[[ $output == *"number of stages differs"* ]]
	vsim-run $ask --resume --stage 3/3 -o run x.vec.h5
	vsim-verify run
	run -3 vsim-merge -f -o e.res.h5 run
	[[ $output == *"stages 1 of 3"* ]]
	vsim-run $ask --resume --stage 1/3 -o run x.vec.h5
	vsim-verify run
	merged run
}

@test "stages: ranks share a stage, and others the next one" {
	requires mpi 3
	of 2 0.4
	vsim-run $ask --stage 1/2 -o part1 x.vec.h5
	ranks 3 vsim-run $ask --stage 2/2 -o part2 x.vec.h5
	merged part1 part2
}

@test "stages: the plan of a stage states its share" {
	of 2 0.4
	vsim-run -n $ask --stage 2/3 x.vec.h5 >plan
	grep -qx 'stage: 2' plan
	grep -qx 'stages: 3' plan
	n=$(sed -n 's/^pairs_of_a_rank: \([0-9]*\) to .*/\1/p' plan)
	((n > 11175 / 5 && n < 11175 / 2))
	[ "$(sed -n 's/^tile: //p' plan)" = 32 ]
}

# read_by PROGRAM ARGUMENT...: bytes that it reads in all
read_by() {
	"$PYTHON" -c '
import os, subprocess, sys
p = subprocess.Popen(sys.argv[1:])
os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT)
with open("/proc/%d/io" % p.pid) as f:
    print(int(f.readline().split()[1]))
sys.exit(p.wait())' "$@"
}

# bats test_tags=long
@test "stages: one of many reads the vectors of its rows and columns alone" {
	# a block is a chunk of the file
	vsim-pack --synthetic random --vectors 2944 --fields 65536 -o x.vec.h5
	size=$(stat -c %s x.vec.h5)
	set -- vsim-run -t 0.49 --allow-empty -f --tile 64 -j 1 x.vec.h5 -o run
	one=$(read_by "$@" --stage 17/32)
	"$PYTHON" "$TOP/tests/flow/stages.py" run/*.shard.h5
	echo "of $size bytes a stage reads $one"
	# a side of its square at least
	[ "$one" -gt $((size / 8)) ]
	# 3 of sqrt(2 * 32), of 46 blocks, and what is not vectors
	[ "$one" -lt $((size * 3 / 8 + size / 46 + 4000000)) ]
}

# bats test_tags=long
@test "stages: a changed byte is found, or in what the stage does not need" {
	vsim-pack --synthetic random --vectors 300 --fields 500 -o x.vec.h5
	"$PYTHON" -c '
import random, re, subprocess, sys

def run(*words):
    return subprocess.run(words, capture_output=True, text=True)

def stage(path):
    """Exit code, and the records of the stage."""
    code = run("vsim-run", "-t", "0.55", "-j", "1", "-f", "--stage", "1/2", "-o",
               "run", path).returncode
    head = run("vsim-view", "-H", "run/shard-00000.shard.h5").stdout
    return code, re.findall("^#(?:records_sum|n_records|n_evaluated): .*$", head,
                            re.M)

rng, found = random.Random(4), 0
want = stage("x.vec.h5")
assert want[0] == 0 and len(want[1]) == 3
with open("x.vec.h5", "rb") as f:
    whole = f.read()
for _ in range(30):
    at = rng.randrange(512, len(whole))
    with open("y.vec.h5", "wb") as f:
        f.write(whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) +
                whole[at + 1:])
    have = stage("y.vec.h5")
    found += have[0] == 3
    if have[0] != 3 and have != want:
        sys.exit("byte %d: %s, not %s" % (at, have, want))
print("%d of 30 changed bytes were found" % found)
sys.exit(found < 15)'
}

# filtered WORDS-OF-A-FILTER...: three stages of it make up the run
filtered() {
	local k
	ask="-m r2 -t 0.3 $*"
	vsim-run $ask -f -o whole --merge whole.res.h5 x.vec.h5
	vsim-view -H whole.res.h5 >head
	[ "$(sed -n 's/^#n_records: //p' head)" -gt 20 ]
	want=$(sed -n 's/^#content_xxh128: //p' head)
	for k in 1 2 3; do
		vsim-run $ask -f --tile 32 --stage $k/3 -o part$k x.vec.h5
		vsim-verify part$k
	done
	"$PYTHON" "$TOP/tests/flow/stages.py" part?/*.shard.h5
	merged part1 part2 part3
}

# missing: of those that filtered has made, the second is missed
missing() {
	vsim-merge -f --partial -o e.res.h5 part1 part3
	vsim-verify e.res.h5
	run -3 vsim-merge -f -o e.res.h5 part1 part3
	[[ $output == *"stages 2 of 3 are missing or unfinished"* ]]
}

# x.vec.h5: three chromosomes; every fifth site is like the one before it
make_sites() {
	awk 'BEGIN { srand(3); OFS = "\t"
		print "##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=2>"
		print "##contig=<ID=3>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">"
		printf "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"
		for (s = 0; s < 60; s++) printf "\ts%d", s
		print ""
		for (v = 0; v < 600; v++) {
			printf "%d\t%d\tv%d\tA\tC\t.\t.\t.\tGT",
				1 + int(v / 250), 1000 * (v % 250 + 1), v
			for (s = 0; s < 60; s++) {
				if (v % 5 == 0 || rand() < 0.15)
					g[s] = int(3 * rand())
				printf "\t%s", g[s] == 0 ? "0/0" : g[s] == 1 ? "0/1" : "1/1"
			}
			print ""
		}
	}' >x.vcf
	vsim-pack --vcf x.vcf -o x.vec.h5
}

# bats test_tags=long
@test "stages: of pairs near each other, of a chromosome, of two, and between sets" {
	make_sites
	filtered --max-kb 20
	missing
	filtered --max-sites 7
	filtered --within-chromosome
	missing
	filtered --within-chromosome --min-kb 30 -t 0.15
	filtered --inter-chromosome -t 0.15
	sed -n '/^[^#]/s/^[^\t]*\t[^\t]*\t\([^\t]*\).*/\1/p' x.vcf | awk 'NR % 3 == 0' >a
	sed -n '/^[^#]/s/^[^\t]*\t[^\t]*\t\([^\t]*\).*/\1/p' x.vcf | awk 'NR % 4 == 0' >b
	filtered --pairs-between @a @b
	missing
	filtered --pairs-between @a @b --max-kb 100
	filtered --pairs-between @a @b --within-chromosome
	filtered --pairs-between @a 0-599 --within-chromosome
}

# planned WORD: what the plan says
planned() {
	sed -n "s/^$1: \([0-9.e+]*\).*/\1/p" plan
}

# bats test_tags=long
@test "stages: the plan of a stage with a filter has what it counts and reads" {
	make_sites
	sed -n '/^[^#]/s/^[^\t]*\t[^\t]*\t\([^\t]*\).*/\1/p' x.vcf |
		awk 'NR % 3 == 0' >a
	while read -r ask; do
		for k in '' 1/3 2/3 3/3; do
			set -- -m r2 -t 0.3 --tile 32 -j 1 --memory 9M $ask \
				${k:+--stage $k} x.vec.h5
			vsim-run -n --ranks 1 --model "$TOP/examples/cluster.yaml" \
				"$@" >plan
			vsim-run -f -o run --stats stats "$@"
			grep -qx "pairs_counted: $(planned pairs_of_a_rank)" stats ||
				complain "$* plans $(planned pairs_of_a_rank):" \
					"$(grep counted stats)"
			[ -n "$k" ] || continue
			# beside 32 bytes of counts of each vector; the shard
			# has the last block for whole, and of distances what is
			# read at the most
			read=$(vsim-view -H run/*.shard.h5 |
				sed -n 's/^#stats_bytes_input: //p')
			awk -v n="$(planned read_by_a_rank)" -v r="$read" \
				-v least="$([[ $ask == --within* ]] && echo 0.97)" '
				BEGIN { n -= 600 * 32
				exit !(n > 0 && n <= r * 1.01 && n > r * least) }' ||
				complain "$* reads $read, plans" "$(cat plan)"
		done
	done <<-'END'
		--within-chromosome
		--within-chromosome --no-prune
		--pairs-between @a 0-599 --within-chromosome
		--max-kb 20
		--max-sites 90 --no-prune
		--inter-chromosome
	END
}

# bats test_tags=long
@test "stages: ranks share one within chromosomes, and between two sets" {
	requires mpi 3
	local how
	make_sites
	for how in '' '--pairs-between 3-420 150-599'; do
		filtered --within-chromosome $how
		for exchange in '' '--exchange fetch' '--exchange file'; do
			ranks 3 vsim-run $ask -f --tile 32 $exchange \
				--stage 2/3 -o part2 x.vec.h5
			vsim-verify part2
			merged part1 part2 part3
		done
	done
}

# earlier: part2 is as an earlier program wrote it
earlier() {
	# as that wrote it, but for the tiles
	"$PYTHON" "$TOP/tests/cli/forge.py" part2/shard-00000.shard.h5 '
words = f.attrs["required_features"]
words = words.decode() if isinstance(words, bytes) else words
assert "chromosomes" in words
f.attrs["required_features"] = np.bytes_(words.replace(" chromosomes", ""))
del f["chromosomes"]'
	run -3 vsim-run $ask --resume --stage 3/3 -o part2 x.vec.h5
	[[ $output == *"its order of stages, which an earlier program spread, differs"* ]]
	run -3 vsim-merge -f -o e.res.h5 part1 part2 part3
	[[ $output == *"order of stages"* ]]
	# of its own kind it has the tiles of a spread stage to have
	run -1 vsim-verify part2
	[[ $output == *"are missing"* ]]
	run -3 vsim-merge -f -o e.res.h5 part2
	[[ $output == *"stages 1, 2, 3 of 3 are missing"* ]]
}

# bats test_tags=long
@test "stages: one of an earlier program, which spread those within chromosomes" {
	local how
	make_sites
	for how in '' '--pairs-between 3-420 150-599'; do
		filtered --within-chromosome $how
		earlier
	done
}

@test "stages: one within chromosomes reads the vectors of some alone" {
	# eight chromosomes; a block is a chunk of the file
	"$PYTHON" -c '
import random
draw = random.Random(5)
# no missing call: 1 of the codes 0 to 3
codes = [(x | y << 2 | z << 4 | w << 6) for x in (0, 2, 3) for y in (0, 2, 3)
         for z in (0, 2, 3) for w in (0, 2, 3)]
table = bytes(codes[k % 81] for k in range(256))
with open("x.bed", "wb") as bed, open("x.bim", "w") as bim:
    bed.write(b"\x6c\x1b\x01")
    for v in range(2944):
        bed.write(draw.randbytes(4096).translate(table) * 4)
        bim.write("%d v%d 0 %d A C\n" % (1 + v * 8 // 2944, v, v + 1))
with open("x.fam", "w") as fam:
    for s in range(65536):
        fam.write("f i%d 0 0 0 -9\n" % s)'
	vsim-pack --bfile x -o x.vec.h5
	size=$(stat -c %s x.vec.h5)
	set -- vsim-run -m r2 -t 0.99 --allow-empty --within-chromosome -f --tile 64 \
		-j 1 x.vec.h5 -o run
	one=$(read_by "$@" --stage 17/32)
	"$PYTHON" "$TOP/tests/flow/stages.py" run/*.shard.h5
	echo "of $size bytes a stage reads $one"
	# a root of 16 * 32 at least
	[ "$one" -gt $((size * 4 / 100)) ]
	# 1 of 32 and 3 of the root of 16 * 32, two of 46 blocks, and the rest
	[ "$one" -lt $((size * 21 / 100 + 4000000)) ]
}

@test "stages: invalid stages are refused" {
	for s in 0/3 4/3 2 1/ /2 a/b 1/2x 1/99999 -1/2; do
		run -2 vsim-run -t 0.7 --stage=$s -o run x.vec.h5
		[[ $output == *"--stage $s: expected K/N, such as 2/5"* ]]
	done
}
