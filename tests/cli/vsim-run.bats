# SPDX-License-Identifier: BSD-3-Clause
# vsim-run: what it writes, what it refuses, how it stops and goes on.
load ../helpers

# table ROWS COLUMNS: genotypes, some alike, as TSV
table() {
	awk -v n="$1" -v m="$2" 'BEGIN {
		srand(7)
		for (v = 0; v < n; v++)
			for (q = 0; q < m; q++) {
				if (v % 4 == 0 || rand() < 0.2)
					g[q] = int(3 * rand())
				printf "%s%s", g[q], q + 1 < m ? "\t" : "\n"
			}
	}'
}

# packed ROWS COLUMNS: x.vec.h5
packed() {
	table "$1" "$2" >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
}

# edges RUNDIR: its records as text
edges() {
	rm -f e.res.h5
	vsim-merge -o e.res.h5 "$1" && vsim-view e.res.h5
}

@test "run: silence, one sealed shard and a runfile" {
	packed 40 100
	quietly vsim-run -t 0.5 -o run x.vec.h5
	[ "$(ls run)" = "complete.yaml
run.yaml
shard-00000.shard.h5" ]
	quietly vsim-verify run
	gone
}

@test "run: counts that are not those of the genotypes are refused" {
	requires python numpy h5py
	packed 40 100
	forge() {
		"$PYTHON" "$TOP/tests/cli/forge.py" x.vec.h5 "$1"
	}
	vsim-run -t 0.7 -o run x.vec.h5
	# by its counts the vector is too rare to pass with any
	forge "f['vectors/genotype_count'][17] = [98, 2, 0, 0]"
	refuses 3 'x.vec.h5: /vectors/genotype_count: row 17 is not what the vector has' \
		vsim-run -t 0.7 -f -o run x.vec.h5
	vsim-run -t 0.7 --no-prune -f -o run x.vec.h5
}

# limited CMD...: with 10 seconds and 4 GiB
limited() {
	(
		sanitized || ulimit -v 4194304
		timeout 10 "$@"
	)
}

@test "run: a number of vectors that the file does not hold takes no memory" {
	requires python numpy h5py
	packed 40 100
	local n
	for n in 41 39 2**31; do
		cp x.vec.h5 y.vec.h5
		"$PYTHON" "$TOP/tests/cli/forge.py" y.vec.h5 \
			"f['vectors'].attrs['n_vectors'] = np.int64($n)" keep-content
		refuses 3 'has 40 entries along dimension 0, must have' \
			vsim-run -t 0.7 -o run y.vec.h5
	done
	# all columns have as many rows as that, and store none of them
	cp x.vec.h5 y.vec.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" y.vec.h5 '
v = f["vectors"]
for name in list(v):
    if hasattr(v[name], "dtype") and v[name].shape[0] == 40:
        like = v[name].shape[1:], v[name].dtype
        del v[name]
        v.create_dataset(name, (4 * 10**9,) + like[0], like[1])
v.attrs["n_vectors"] = np.int64(4 * 10**9)' keep-content
	local cmd
	for cmd in "vsim-run -t 0.7 -o run" "vsim-view -g" \
		"vsim-permute --order source -o o"; do
		# shellcheck disable=SC2086
		refuses 3 'has fewer bytes than its rows must have' \
			limited $cmd y.vec.h5
	done
	gone run o
}

@test "run: numbers that add up to too much are refused, the file named once" {
	requires python numpy h5py
	local k
	awk 'BEGIN { for (v = 0; v < 6000; v++)
		for (q = 0; q < 64; q++)
			printf "1e300%s", q < 63 ? "\t" : "\n" }' >x.tsv
	vsim-pack --matrix x.tsv --element f64 -o x.vec.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" x.vec.h5 \
		'f["vectors/values"][...] = 1e308; f["vectors/value_sum"][...] = np.inf'
	# threads find some at the same time
	for k in 1 2 3 4; do
		refuses 3 '^vsim-run: x.vec.h5: vector [0-9]+: its numbers add' \
			vsim-run -m ps -t 0.9 -j 4 -o run x.vec.h5
		rm -rf run
	done
}

@test "run: the runfile repeats it; the command line wins over it" {
	packed 40 100
	vsim-run -t 0.5 --value f32 -o run x.vec.h5
	vsim-run --config run/run.yaml -o again
	[ "$(edges run)" = "$(edges again)" ]
	vsim-run --config run/run.yaml -t 2 --allow-empty -o none
	[ "$(edges none | wc -l)" = 1 ]
	# in its own directory too
	vsim-run --config run/run.yaml -f
	[ "$(edges run)" = "$(edges again)" ]
}

@test "run: the runfile holds any name" {
	local name text
	packed 10 20
	for name in 'a b' "it's" '"q" \' $'new\nline' $'a\ttab' '#c: d' '- x' '*' \
		null 'ü' '~' ' ' $'\177' $'\u85 \u2028\ufeff' $'\xff\xfe' \
		$'\xc0\xaf \xed\xa0\x80'; do
		mv x.vec.h5 "./$name"
		vsim-run -t 0 -o run -- "$name"
		vsim-run --config run/run.yaml -o "run $name"
		text=$(edges run)
		rm -r run
		[ "$text" = "$(edges "run $name")" ]
		mv "./$name" x.vec.h5
	done
}

@test "run: the runfile holds any two words; those of earlier versions are read" {
	local ids=$'i\td s\xff' list first
	packed 40 100
	vsim-run -t 0 -o all x.vec.h5
	edges all | cut -f 1 | sort -u | head -n 9 >"$ids"
	vsim-run -t 0 --pairs-between "@$ids" 5-30 -o run x.vec.h5
	grep -qx "pairs-between: \[!!binary \"[A-Za-z0-9+/=]*\", '5-30'\]" \
		run/run.yaml
	vsim-run --config run/run.yaml -o again
	[ "$(edges run)" = "$(edges again)" ]
	vsim-run -t 0 --pairs-between 0-9 5-30 -o rows x.vec.h5
	first=$(edges rows)
	for list in '"0-9\t5-30"' "'0-9 5-30'" '[0-9, 5-30]' \
		'[!!binary MC05, "5-3\x30"]' $'\n- !!binary |\n   MC\n   05\n- 5-30'; do
		printf 'pairs-between: %s\n' "$list" >list.yaml
		vsim-run --config list.yaml -f -t 0 -o rows x.vec.h5
		[ "$first" = "$(edges rows)" ]
	done
	# no binary, a NUL in it, not two, not an option of two
	for list in 'pairs-between: [!!binary MC05=, 5-30]' \
		'pairs-between: [!!binary AAAA, 5-30]' 'pairs-between: [0-9]' \
		'pairs-between: [[0-9], 5-30]' 'output: !!binary /w=' \
		'input: [a, b]'; do
		echo "$list" >list.yaml
		refuses 3 'list.yaml: line 1: ' \
			vsim-run --config list.yaml -t 0 -o bad x.vec.h5
	done
	echo 'threshold: [1, 2]' >list.yaml
	refuses 2 'list.yaml: line 1: threshold: one value expected' \
		vsim-run --config list.yaml -o bad x.vec.h5
	gone bad
}

@test "run: a wrong runfile is refused, naming the line" {
	packed 3 10
	printf 'threshold: 0.5\nthreshhold: 1\n' >a.yaml
	refuses 2 'a.yaml: line 2: threshhold: unknown option' \
		vsim-run --config a.yaml -o run x.vec.h5
	printf 'threshold: [1\n' >b.yaml
	refuses 3 'b.yaml: line [0-9]+: is not YAML' \
		vsim-run --config b.yaml -o run x.vec.h5
	printf -- '- 1\n' >c.yaml
	refuses 3 'c.yaml: line 1: is not a mapping' \
		vsim-run --config c.yaml -o run x.vec.h5
	printf 'threshold: 0.5\ninput: x.vec.h5\nthreshold: 0.6\n' >e.yaml
	refuses 3 'e.yaml: line 3: threshold stands twice' \
		vsim-run --config e.yaml -o run x.vec.h5
	printf 'threshold: "0.5\\0 and more"\n' >f.yaml
	refuses 3 'f.yaml: line 1: an option has one plain value' \
		vsim-run --config f.yaml -o run x.vec.h5
	printf 'threshold: abc\n' >d.yaml
	refuses 2 '--threshold abc: not a finite number' \
		vsim-run --config d.yaml -o run x.vec.h5
	refuses 3 'none.yaml: cannot open' \
		vsim-run --config none.yaml -o run x.vec.h5
	gone run
}

@test "run: two at a time do not share a directory; a killed one is no hindrance" {
	packed 40 100
	mkdir run
	echo 'process 77 on there' >run/.lock
	exec 9<>run/.lock
	flock 9
	refuses 3 'run: another run writes here: process 77 on there; let it' \
		vsim-run -t 0.5 -o run x.vec.h5
	refuses 3 'another run writes here' \
		vsim-run -f -t 0.5 -o run x.vec.h5
	[ "$(ls -A run)" = .lock ]
	exec 9>&-
	quietly vsim-run -t 0.5 -o run x.vec.h5
	[ "$(ls -A run)" = "complete.yaml
run.yaml
shard-00000.shard.h5" ]
}

@test "run: --dry-run prints the plan and writes nothing" {
	packed 40 100
	run --separate-stderr vsim-run -n -t 0.5 -o run x.vec.h5
	[ "$status" = 0 ] && [ -z "$stderr" ]
	[[ $output == *"pairs: 780"* ]]
	[[ $output == *"comparisons: 78000"* ]]
	gone run
}

# computes RUN-OPTION...: what a dry run says computes, and what did
computes() {
	vsim-run -n -t 0.5 --no-prune "$@" x.vec.h5 | sed -n 's/^compute: //p'
	rm -rf run
	vsim-run -t 0.5 --no-prune -o run --stats - "$@" x.vec.h5 |
		sed -n 's/^compute: //p'
}

@test "run: --dry-run names what will compute, pairs or triples" {
	local cpu how
	packed 40 100
	for cpu in $(cpu_steps); do
		for how in '--way 2' '--way 3' '--way 3 --metric-histogram h'; do
			[ "$(computes --backend cpu --cpu $cpu $how | uniq | wc -l)" = 1 ]
		done
	done
}

@test "run: wrong usage names the word and leaves nothing" {
	packed 3 10
	refuses 2 '--threshold abc: not a finite number' vsim-run -t abc -o run x.vec.h5
	refuses 2 '--threshold nan: not a finite number' vsim-run -t nan -o run x.vec.h5
	refuses 2 '--threshold is missing' vsim-run -o run x.vec.h5
	refuses 2 '--output is missing' vsim-run -t 0.5 x.vec.h5
	refuses 2 'no vectors file given' vsim-run -t 0.5 -o run
	refuses 2 'y: one operand too many' vsim-run -t 0.5 -o run x.vec.h5 y
	refuses 2 '-m CC: not one of ccc|duo|ps|r2|r|cosine|jaccard|dice; did you mean ccc?' \
		vsim-run -m CC -t 0.5 -o run x.vec.h5
	refuses 2 'unknown option --treshold; did you mean --threshold?' \
		vsim-run --treshold 0.5 -o run x.vec.h5
	refuses 2 '--memory 4000: these are bytes, and too few; did you mean 4000M?' \
		vsim-run --memory 4000 -t 0.5 -o run x.vec.h5
	vsim-run -m CCC -t 0.5 -o upper x.vec.h5
	grep -q "^metric: 'ccc'" upper/run.yaml
	refuses 2 '-m r3: not one of ccc' vsim-run -m r3 -t 0.5 -o run x.vec.h5
	refuses 2 '-w 4: outside 2 to 3' vsim-run -w 4 -t 0.5 -o run x.vec.h5
	refuses 2 '--cpu z80: not one of' \
		vsim-run --cpu z80 -t 0.5 -o run x.vec.h5
	refuses 2 'VSIM_CPU z80: not one of' \
		env VSIM_CPU=z80 vsim-run -t 0.5 -o run x.vec.h5
	refuses 2 'give one of them' vsim-run -f -r -t 0.5 -o run x.vec.h5
	refuses 2 '--level 12: deflate has 1 to 9' vsim-run --codec deflate \
		--level 12 -t 0.5 -o run x.vec.h5
	gone run
}

@test "run: what fits in some memory fits in more, read in blocks or at once" {
	"$PYTHON" -c '
row = "\t".join(str(k * 7 % 63) for k in range(20000))
print("v\t" + "\t".join("f%d" % k for k in range(20000)))
for v in range(200):
    print("r%d\t%s" % (v, row))
' >w.tsv
	vsim-pack --matrix w.tsv -o w.vec.h5
	fits=
	for m in 20 26 29 30 31 33 35 36 40 50; do
		code=0
		vsim-run -n -j 1 -m ps -t 0.5 --memory ${m}M w.vec.h5 >plan \
			2>err || code=$?
		[ "$code" -eq 0 ] || [ -z "$fits" ]
		[ "$code" -ne 0 ] || fits+=" $m"
	done
	[ -n "$fits" ]
}

@test "run: a wrong input is named, exit 3, and leaves nothing" {
	packed 20 50
	refuses 3 'none.vec.h5' vsim-run -t 0.5 -o run none.vec.h5
	refuses 3 'x.tsv' vsim-run -t 0.5 -o run x.tsv
	mkdir dir
	refuses 3 'dir' vsim-run -t 0.5 -o run dir
	head -c -1 x.vec.h5 >cut.vec.h5
	refuses 3 'cut.vec.h5' vsim-run -t 0.5 -o run cut.vec.h5
	cp x.vec.h5 bit.vec.h5
	flip bit.vec.h5 3000 5
	refuses 3 'bit.vec.h5' vsim-run -t 0.5 -o run bit.vec.h5
	gone run
}

@test "run: an output that cannot be is named, what is there stays" {
	packed 20 50
	echo mine >file
	refuses 4 'file/b: cannot make directory: Not a directory' \
		vsim-run -t 0.5 -o file/b x.vec.h5
	# directories above it are made, and go with a run that fails
	quietly vsim-run -t 0.5 -o a/b/ x.vec.h5
	vsim-verify a/b
	refuses 3 'no.vec.h5' vsim-run -t 0.5 -o n/e/w no.vec.h5
	refuses 2 'directory|regular' vsim-run -t 0.5 --stats . -o n/e/w x.vec.h5
	gone n
	refuses 2 'file: is there and no directory' vsim-run -t 0.5 -o file x.vec.h5
	[ "$(cat file)" = mine ]
	vsim-run -t 0.5 -o run x.vec.h5
	cp -r run before
	refuses 2 'run: holds 1 shards of a run already' \
		vsim-run -t 0.6 -o run x.vec.h5
	diff -r run before
	echo mine >run/notes
	quietly vsim-run -f -t 0.6 -o run x.vec.h5
	[ "$(cat run/notes)" = mine ]
	[ "$(edges run)" != "$(edges before)" ]
}

@test "run: a full disk is said, exit 4, and no temporary stays" {
	requires root
	packed 400 64
	small_disk full 300k
	refuses 4 'full/run.*No space left on device' \
		vsim-run -t -1 -o full/run x.vec.h5
	gone full/run/*.tmp-*
}

@test "run: temporary files of killed runs go, other files stay" {
	packed 40 30
	local mine='notes x.tmp-0123abcd run.yaml.tmp-1 mycomplete.yaml.tmp-0123abcd'
	for how in "" -f --resume; do
		rm -rf run
		if [ "$how" ]; then vsim-run -t 0.5 -o run x.vec.h5; else mkdir run; fi
		(cd run && touch $mine shard-00003-0001.shard.h5.tmp-0123abcd \
			run.yaml.tmp-00000c45 complete.yaml.tmp-ffffffff)
		# while another run is there they are its own
		(flock 9; refuses 3 'another run writes' \
			vsim-run -t 0.5 $how -o run x.vec.h5) 9>run/.lock
		[ "$(ls run/*.tmp-* | wc -l)" = 6 ]
		quietly vsim-run -t 0.5 $how -o run x.vec.h5
		(cd run && ls $mine) >/dev/null
		[ "$(ls run/*.tmp-* | wc -l)" = 3 ]
	done
}

# few RUNDIR RANKS: a finished run, four shards of each rank at most and no others
few() {
	[ "$(ls "$1" | grep -vE '^shard-[0-9]{5}(-[0-9]{4})?.shard.h5$')" = \
		"$(printf 'complete.yaml\nrun.yaml')" ]
	[ "$(ls "$1"/*.shard.h5 | wc -l)" -le $((4 * $2)) ]
}

@test "run: killed and resumed, the result is the same to the byte" {
	packed 900 600
	vsim-run -t 0.55 --cpu scalar --tile 32 -o whole x.vec.h5
	edges whole >want
	[ "$(wc -l <want)" -gt 1000 ]
	# stop it by the clock wherever it is; late machines only stop later
	for signal in TERM KILL; do
		rm -rf part
		vsim-run -t 0.55 --cpu scalar --tile 32 -j 1 --commit-every 0 \
			-o part x.vec.h5 2>/dev/null &
		for _ in $(seq 200); do
			[ "$(ls part 2>/dev/null | grep -c '5$')" -gt 1 ] && break
			sleep 0.02
		done
		kill -$signal $! 2>/dev/null || true
		wait $! || true
		run --separate-stderr vsim-merge -o no.res.h5 part
		[ "$status" = 3 ] && [[ $stderr == *missing* ]]
		quietly vsim-run --resume -t 0.55 -o part x.vec.h5
		few part 1
		edges part | cmp - want
	done
}

@test "run: resumed on other ranks, the result is the same" {
	requires mpi 3
	packed 600 400
	vsim-run -t 0.4 --cpu scalar --tile 32 -o whole x.vec.h5
	vsim-run -t 0.4 --cpu scalar --tile 32 -j 1 --commit-every 0 \
		-o part x.vec.h5 2>/dev/null &
	for _ in $(seq 200); do
		[ "$(ls part 2>/dev/null | grep -c '5$')" -gt 1 ] && break
		sleep 0.02
	done
	kill $! && wait $! || true
	quietly ranks 3 vsim-run --resume -t 0.4 -o part x.vec.h5
	edges whole >want
	edges part | cmp - want
}

@test "run: stopped on three ranks, resumed on two, the result is the same" {
	requires mpi 3
	packed 600 400
	vsim-run -t 0.4 --cpu scalar --tile 32 -o whole x.vec.h5
	ranks 3 vsim-run -t 0.4 --cpu scalar --tile 32 -j 1 --commit-every 0 \
		-o part x.vec.h5 2>/dev/null &
	for _ in $(seq 200); do
		[ "$(ls part 2>/dev/null | grep -c '5$')" -gt 3 ] && break
		sleep 0.02
	done
	# the launcher itself, which ends its ranks; none may be left
	# shellcheck disable=SC2046
	kill $(ps -o pid= --ppid $!) 2>/dev/null || true
	wait $! || true
	vsim-run -n --resume -t 0.4 -o part x.vec.h5 >plan
	# the tiles stay those that were begun
	grep -qx 'tile: 32' plan
	quietly ranks 2 vsim-run --resume -t 0.4 -o part x.vec.h5
	edges whole >want
	edges part | cmp - want
}

@test "run: memory of a rank: one panel, two of two or three, three of more" {
	requires mpi 4
	vsim-pack --synthetic random --vectors 4096 --fields 4096 -o x.vec.h5
	local n want m=()
	# planes of a rank's vectors, without what does not grow with ranks
	for n in 1 2 3 4; do
		m[n]=$(ranks $n vsim-run -n -t 0.7 -j 1 --tile 64 --no-prune \
			x.vec.h5 | sed -n 's/^memory_of_a_rank: //p')
	done
	want=$((4096 * 4096 / 4)) # all planes
	grows() {
		local got=$((m[1] - m[$1])) part=$2
		[ $((got * 100 / want)) -ge $((part - 3)) ] &&
			[ $((got * 100 / want)) -le $((part + 3)) ] ||
			complain "$1 ranks: $got less of $want, not $part %"
	}
	grows 2 0
	grows 3 33
	grows 4 25
}

@test "run: --resume refuses the shards of another question" {
	packed 20 50
	vsim-run -t 0.5 -o run x.vec.h5
	cp -r run before
	refuses 3 'belongs to another run: its threshold differs' \
		vsim-run -r -t 0.6 -o run x.vec.h5
	table 21 50 >y.tsv
	vsim-pack --tsv y.tsv -o y.vec.h5
	refuses 3 'belongs to another run' vsim-run -r -t 0.5 -o run y.vec.h5
	diff -r -x run.yaml run before
}

@test "run: every rank leaves with the same code and one of them speaks" {
	requires mpi 3
	packed 20 50
	run --separate-stderr ranks 3 vsim-run -t 0.5 -o run none.vec.h5
	[ "$status" = 3 ]
	[ "$(grep -c '^vsim-run: none.vec.h5' <<<"$stderr")" = 1 ]
	gone run
}

@test "run: one shard a rank, also for ranks without a tile" {
	requires mpi 4
	packed 33 50
	quietly ranks 4 vsim-run -t 0.5 -o run x.vec.h5
	[ "$(ls run/*.shard.h5 | wc -l)" = 4 ]
	quietly vsim-verify run
}

@test "run: what is sealed on the way is made one, and up to four files stay" {
	packed 60 100
	vsim-run -t 0.4 -o run x.vec.h5
	vsim-merge -o one.res.h5 run
	for tile in 30 20 7; do
		quietly vsim-run -f -j 1 --commit-every 0 --tile $tile -t 0.4 \
			-o run x.vec.h5
		few run 1
		quietly vsim-merge -f -o many.res.h5 run
		quietly vsim-verify --compare one.res.h5 many.res.h5
	done
	# nothing is left to do
	ls run >files
	quietly vsim-run -r --tile 7 -t 0.4 -o run x.vec.h5
	ls run | diff - files
}

@test "run: -v tells rate, records and sums; --stats writes them" {
	packed 40 100
	run --separate-stderr vsim-run -v --stats s.yaml -t 0.5 -o run x.vec.h5
	[ "$status" = 0 ] && [ -z "$output" ]
	[[ $stderr =~ 780\ pairs\ of\ 100\ samples ]]
	grep -q '^comparisons: 78000$' s.yaml
	[ "$(sed -n 's/^records: //p' s.yaml)" = \
		"$(($(edges run | wc -l) - 1))" ]
}

@test "run: of a sorted file each of several ranks has its share" {
	requires mpi 2
	# frequencies rise
	awk 'BEGIN {
		srand(3)
		for (v = 0; v < 12000; v++) {
			f = 0.02 + 0.48 * v / 12000
			for (q = 0; q < 40; q++)
				printf "%s%s", (rand() < f) + (rand() < f),
					q < 39 ? "\t" : "\n"
		}
	}' >x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	tiles() {
		ranks 2 vsim-run -n "$@" x.vec.h5 | sed -n 's/^block: //p'
	}
	# 47 blocks of 256, made 20 for each; ten where all is counted
	[ "$(tiles -t 0.7)" = 300 ]
	[ "$(tiles -t 0.7 --no-prune)" = 600 ]
	vsim-permute --order random --seed 1 -o r.vec.h5 x.vec.h5
	mv r.vec.h5 x.vec.h5
	[ "$(tiles -t 0.7)" = 600 ]
	run --separate-stderr ranks 2 vsim-run -v --stats s.yaml -t 0.7 -o run \
		x.vec.h5
	[[ $stderr =~ ranks\ computed\ for\ .*,\ the\ busiest\ for ]]
	awk '/^seconds_compute_mean/ { m = $2 } /^seconds_compute_most/ { b = $2 }
		END { exit !(m > 0 && b >= m) }' s.yaml
}

@test "run: a tiny run starts and ends within 50 ms of processor time" {
	packed 3 10
	local best=99999 t
	TIMEFORMAT=%U+%S
	for _ in 1 2 3 4 5; do
		rm -rf run
		t=$( { time vsim-run -t 0.5 -o run x.vec.h5; } 2>&1 |
			awk -F+ '{ printf "%d", 1000 * ($1 + $2) }')
		[ "$t" -lt "$best" ] && best=$t
	done
	[[ $VSIM_BUILD == */release ]] || skip "times are those of release"
	[ "$best" -lt 50 ] || complain "$best ms"
}

@test "run: each kernel, pruned or not, gives the same records" {
	local k
	# rare and common variants, calls missing in a few
	awk 'BEGIN {
		srand(5)
		for (v = 0; v < 700; v++) {
			f = rand() * rand() * 0.9
			for (q = 0; q < 90; q++) {
				if (v % 5 == 0 || rand() < 0.15)
					g[q] = (rand() < f) + (rand() < f)
				printf "%s%s", v % 7 == 3 && rand() < 0.1 ? "NA" : g[q],
					q < 89 ? "\t" : "\n"
			}
		}
	}' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	vsim-run --no-prune --kernel scalar -t 0.55 -o whole x.vec.h5
	edges whole >want
	[ "$(wc -l <want)" -gt 100 ]
	for k in $(kernels ccc); do
		vsim-run -f -v --kernel "$k" -t 0.55 -o run x.vec.h5 2>said
		# some pairs were left out, or this would show nothing
		grep -q '^vsim-run: [1-9][0-9.]* % of the pairs' said
		! grep -q ' 100.00 %' said
		diff want <(edges run)
	done
}

# beyond MOST ARG...: such a run is refused and says that values are at most MOST;
# with --allow-empty it finds nothing and says nothing
beyond() {
	local most=$1
	shift
	rm -rf run
	refuses 2 "^vsim-run: --threshold [^ ]*: nothing can pass: .* at most $most[ ;].*--allow-empty" \
		vsim-run -o run "$@" x.vec.h5
	refuses 2 'nothing can pass' vsim-run -n "$@" x.vec.h5
	gone run
	quietly vsim-run --allow-empty -o run "$@" x.vec.h5
	[ "$(edges run | wc -l)" = 1 ]
}

# within ARG...: such a run says nothing, were it of other vectors than these
within() {
	rm -rf run
	quietly vsim-run -o run --no-prune "$@" x.vec.h5
}

@test "run: a threshold that no value can pass is refused, with the greatest value" {
	# 9/2 f (1 - 2f/3)^n is greatest at f = 1/2 of pairs, 3/8 of triples
	packed 12 40
	beyond 1 -t 1
	beyond 1 -t 2 -m r2
	beyond 1 -t 1 -m r
	beyond 1 -t 1 -m cosine
	beyond 1 -t 1 -m jaccard
	beyond 1 --top 5 -t 1
	beyond 0.711914 -w 3 -t 0.712
	beyond 2 -t 2.000001 --multiplier 9
	beyond 1 -t LL=1,LL+HH=2
	within -t 0.999999
	within -t 0.999999 -m r2
	within -w 3 -t 0.7119
	within -t 1.999999 --multiplier 9
	within -t LL=1,LL+HH=1.99
	within -t 2 --metric-histogram h.tsv
	# an allele may be in all of the fields that two vectors share
	printf 'id\ta\tb\nv\t2\t0\nw\t2\tNA\n' >x.tsv
	vsim-pack -f --tsv x.tsv -o x.vec.h5
	within -t 2
	beyond 4.5 -t 4.6
	printf 'id\ta\tb\nv\t2\t0.5\nw\t2\t1\n' >x.tsv
	vsim-pack -f --matrix x.tsv -o x.vec.h5
	beyond 1 -t 1 -m ps
	within -t 0.999999 -m ps
}

@test "run: a threshold that none of these vectors can pass is refused" {
	# of 20 alleles one is the rare one: f = 0.05 and 0.95
	local rare=$(printf '\t%d' 1 0 0 0 0 0 0 0 0 0) arg
	{
		printf 'id'
		printf '\ts%d' 0 1 2 3 4 5 6 7 8 9
		printf '\nv%s\nw%s\n' "$rare" "$rare"
	} >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	# 9/2 37/40 (1 - 2/3 0.95)^2 of the common alleles
	quietly vsim-run -o run -t 0.5596 x.vec.h5
	[ "$(edges run | wc -l)" = 2 ]
	refuses 3 'threshold 0.7: nothing can pass: .* no two of the 2 vectors' \
		vsim-run -o none -t 0.7 x.vec.h5
	gone none
	for arg in --no-prune --allow-empty; do
		quietly vsim-run -o "none$arg" -t 0.7 $arg x.vec.h5
		[ "$(edges "none$arg" | wc -l)" = 1 ]
	done
	# one vector has no pairs, whatever the threshold
	head -n 2 x.tsv >y.tsv
	vsim-pack -f --tsv y.tsv -o x.vec.h5
	quietly vsim-run -f -o run -t 0.7 x.vec.h5
	# constant vectors have no correlation
	sed 's/\t1/\t0/g' x.tsv >y.tsv
	vsim-pack -f --tsv y.tsv -o x.vec.h5
	refuses 3 'nothing can pass' vsim-run -o none -m r2 -t 0 x.vec.h5
}

# mark NAME: a line of run/complete.yaml
mark() {
	sed -n "s/^$1: //p" run/complete.yaml
}

@test "run: complete.yaml is there when the run is, and at no other time" {
	packed 60 100
	vsim-run -t 0.4 --tile 20 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	[ "$(mark n_shards) $(mark n_tiles)" = "1 6" ]
	for name in n_records records_sum source_sum vectors_content run_uuid; do
		[ -n "$(mark $name)" ] && [ "$(mark $name)" = \
			"$(vsim-view -H e.res.h5 | sed -n "s/^#$name: //p")" ]
	done
	# what is refused changes nothing
	cp run/complete.yaml before
	refuses 2 'holds 1 shards' vsim-run -t 0.4 -o run x.vec.h5
	refuses 3 'threshold differs' vsim-run --resume -t 0.5 -o run x.vec.h5
	vsim-run -n -f -t 0.5 -o run x.vec.h5 >plan
	refuses 2 'tiles that run holds were done without it' vsim-run --resume -t 0.4 -o run \
		--metric-histogram h.tsv x.vec.h5
	cmp run/complete.yaml before
	# nothing is left to do: it is written again
	rm run/complete.yaml
	quietly vsim-run --resume -t 0.4 -o run x.vec.h5
	grep -v '^#' run/complete.yaml | diff - <(grep -v '^#' before)
	! races || skip "tsan"
	# -f takes it away before the shards; a limit on files stops the new ones
	(ulimit -f 1 && ! vsim-run -f -t 0.4 -o run x.vec.h5) 2>words
	grep -q 'cannot write' words
	[ ! -e run/complete.yaml ]
	quietly vsim-run --resume -t 0.4 -o run x.vec.h5
	[ "$(mark n_records)" = "$(sed -n 's/^n_records: //p' before)" ]
	gone
}

@test "run: gone on with when it is complete, its records are left to those who use them" {
	local at digest
	packed 200 60
	vsim-run -t 0.4 --tile 20 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	digest=$(vsim-view -H e.res.h5 | grep '^#content_xxh128: ')
	# a byte of the middle, which is of records
	at=$(($(stat -c %s run/shard-00000.shard.h5) / 2))
	flip run/shard-00000.shard.h5 $at
	quietly vsim-run --resume -t 0.4 --tile 20 -o run x.vec.h5
	refuses 3 'damaged' vsim-merge -o no.res.h5 run
	# all is read where the run is not complete, or not what is stated
	sed -i 's/^n_records: /&1/' run/complete.yaml
	refuses 3 'damaged' vsim-run --resume -t 0.4 --tile 20 -o run x.vec.h5
	rm run/complete.yaml
	refuses 3 'damaged' vsim-run --resume -t 0.4 --tile 20 -o run x.vec.h5
	rm run/shard-00000.shard.h5
	quietly vsim-run --resume -t 0.4 --tile 20 -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	[ "$(vsim-view -H e.res.h5 | grep '^#content_xxh128: ')" = "$digest" ]
	# what is stated is not believed of shards that have other sums
	vsim-run -f -t 0.5 --tile 20 -o other x.vec.h5
	cp other/complete.yaml run
	quietly vsim-run --resume -t 0.4 --tile 20 -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	[ "$(vsim-view -H e.res.h5 | grep '^#content_xxh128: ')" = "$digest" ]
}

@test "run: gone on with when it is complete, it reads no vectors and computes nothing" {
	packed 200 60
	vsim-run -t 0.4 --tile 20 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	cp run/complete.yaml before
	quietly vsim-run --resume -t 0.4 --tile 20 --stats s.yaml -o run x.vec.h5
	for name in seconds_input seconds_compute comparisons pairs; do
		grep -Eqx "$name: 0(\.0*)?" s.yaml
	done
	grep -v '^#' run/complete.yaml | diff - <(grep -v '^#' before)
	requires mpi 3
	rm -r run
	ranks 3 vsim-run -t 0.4 --tile 20 -o run x.vec.h5
	ranks 2 vsim-run --resume -t 0.4 --tile 20 --stats s.yaml -o run x.vec.h5
	grep -Eqx "seconds_compute_most: 0(\.0*)?" s.yaml
	# one tile of one shard is enough not to be
	rm run/shard-00001.shard.h5
	quietly vsim-run --resume -t 0.4 --tile 20 --stats s.yaml -o run x.vec.h5
	grep -Eqx "pairs: [1-9][0-9]*" s.yaml
	vsim-merge -o again.res.h5 run
	digest=$(vsim-view -H e.res.h5 | grep '^#content_xxh128: ')
	[ -n "$digest" ]
	[ "$(vsim-view -H again.res.h5 | grep '^#content_xxh128: ')" = "$digest" ]
}

@test "run: complete.yaml of stages, and of shards that were lost since" {
	packed 200 60
	vsim-run -t 0.4 --stage 1/2 -o run x.vec.h5
	[ "$(mark n_stages)" = 2 ]
	n=$(mark n_tiles)
	! races || skip "tsan"
	# gone on with, and failed
	(ulimit -f 1 && ! vsim-run -t 0.4 --stage 2/2 --resume -o run x.vec.h5) \
		2>words
	[ ! -e run/complete.yaml ]
	vsim-run -t 0.4 --stage 2/2 --resume -o run x.vec.h5
	[ "$(mark n_tiles)" -gt "$n" ]
	quietly vsim-merge -o e.res.h5 run
	requires mpi 2
	rm -r run
	ranks 2 vsim-run -t 0.4 --tile 20 -o run x.vec.h5
	[ "$(mark n_shards)" = 2 ]
	run vsim-verify -v run
	[[ $output == *"run: complete.yaml is of these shards"* ]]
	# a hint and no proof
	rm run/shard-00001.shard.h5
	refuses 3 'run: [0-9]+ tiles are missing, tile .* first: the run was complete, and 1 shards are gone since' \
		vsim-merge -o no.res.h5 run
	run -1 vsim-verify run
	[[ $output == *"tiles are missing" ]]
}

# bats test_tags=long
@test "run: triples of as many vectors as 64 bits number, and no more" {
	vsim-pack --synthetic random --vectors 4801280 --fields 1 -o x.vec.h5
	run -0 vsim-run -n --way 3 -t 0.5 x.vec.h5
	[[ $output == *$'\n'"triples: 18446738006366306560"$'\n'* ]]
	# tiles are no larger than their values can be numbered
	run -0 vsim-run -n --way 3 -t 0.5 --tile 4000000 x.vec.h5
	vsim-pack -f --synthetic random --vectors 4801281 --fields 1 -o x.vec.h5
	refuses 3 'no more than 4801280 vectors' \
		vsim-run -n --way 3 -t 0.5 x.vec.h5
}
