# SPDX-License-Identifier: BSD-3-Clause
# vsim-run: what it writes, what it refuses, how it stops and goes on.
load ../helpers
load run

# bats test_tags=install
@test "run: silence, one sealed shard and a runfile" {
	packed 40 100
	quietly vsim-run -t 0.5 -o run x.vec.h5
	[ "$(ls run)" = "complete.yaml
run.yaml
shard-00000.shard.h5" ]
	quietly vsim-verify run
	gone
}

@test "run: counts and sums that are not those of the vectors are refused" {
	requires python numpy h5py
	local o
	forge() {
		cp "$1" y.vec.h5
		"$PYTHON" "$TOP/tests/cli/forge.py" y.vec.h5 "$2"
	}
	vsim-pack --synthetic random --vectors 40 --fields 100 --missing 0.1 \
		-o x.vec.h5
	# as if no call were missing; each filter and metric takes the same rows
	forge x.vec.h5 "c = f['vectors/genotype_count']
c[17] = c[17] + [c[17][3], 0, 0, -c[17][3]]"
	for o in '-t 0.7' '-t 0 -m r2' '-t 0.1 -m jaccard --no-prune' \
		'-n -t 0 -m r' '-t 0 -w 3 --cpu scalar'; do
		# shellcheck disable=SC2086
		refuses 3 'y.vec.h5: vector 17 does not have the counts that' \
			vsim-run --allow-empty $o -o run y.vec.h5
		gone run
	done
	refuses 3 'y.vec.h5: vector 17 does not have the counts that' \
		vsim-permute --order source -o z.vec.h5 y.vec.h5
	forge x.vec.h5 "f['vectors/genotype_count'][9] = [100, 0, 2, -2]"
	refuses 3 '/vectors/genotype_count: row 9 does not add up to the fields' \
		vsim-run -n -t 0 -m r2 y.vec.h5
	seq -s ' ' 60 | tr ' ' '\n' | paste - - - | vsim-pack --matrix - \
		--element f32 -f -o x.vec.h5
	forge x.vec.h5 "f['vectors/value_sum'][3] += 1"
	refuses 3 'y.vec.h5: vector 3 does not have the sum that' \
		vsim-run -m cosine -t 0 -o run y.vec.h5
	gone run z.vec.h5
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
			vsim-run -m ps -t 0.9 -j 2 -o run x.vec.h5
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
	# but what has removed shards once does not do so again
	refuses 2 'run: holds 1 shard of a run already' \
		vsim-run --config run/run.yaml
	rm run/*.shard.h5 run/complete.yaml
	vsim-run --resume --config run/run.yaml
	vsim-run --resume --config run/run.yaml
	[ "$(edges run)" = "$(edges again)" ]
	! grep -E 'force|resume|config' run/run.yaml
	echo 'force: true' >>run/run.yaml
	refuses 2 'run.yaml: line [0-9]*: force is only for the command line' \
		vsim-run --config run/run.yaml
}

# bats test_tags=long
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

# bats test_tags=long
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
	refuses 3 'e.yaml: line 3: threshold occurs twice' \
		vsim-run --config e.yaml -o run x.vec.h5
	printf 'threshold: "0.5\\0 and more"\n' >f.yaml
	refuses 3 'f.yaml: line 1: an option has one plain value' \
		vsim-run --config f.yaml -o run x.vec.h5
	printf 'threshold: abc\n' >d.yaml
	refuses 2 '--threshold abc: not a finite number' \
		vsim-run --config d.yaml -o run x.vec.h5
	refuses 3 'none.yaml: cannot open' \
		vsim-run --config none.yaml -o run x.vec.h5
	printf 'threshold: 0.3\n---\nthreshold: 0.9\n' >g.yaml
	refuses 3 'g.yaml: line 2: a second document begins' \
		vsim-run --config g.yaml -o run x.vec.h5
	printf 'threshold: 0.3\nconfig: a.yaml\n' >h.yaml
	refuses 2 'h.yaml: line 2: config is only for the command line' \
		vsim-run --config h.yaml -o run x.vec.h5
	# at once, and not after a time that is the square of the length
	{ printf 'threshold: ' && printf '%0400000d' 0 | tr 0 '['; } >i.yaml
	(ulimit -t 1
		refuses 3 'i.yaml: line 1: an option has one plain value' \
			vsim-run --config i.yaml -o run x.vec.h5)
	: >j.yaml
	refuses 3 'j.yaml: line 1: is not a mapping' \
		vsim-run --config j.yaml -o run x.vec.h5
	gone run
}

@test "run: two at a time do not share a directory; a killed one does not block the next" {
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
	refuses 2 '--threshold 0,7: not a finite number; did you mean 0.7[?]$' \
		vsim-run -t 0,7 -o run x.vec.h5
	refuses 2 '--max-kb 1,000: not a decimal number; did you mean 1000[?]$' \
		vsim-run -t 0 -o q --max-kb 1,000 x.vec.h5
	refuses 2 '--max-kb 1,5: not a decimal number; did you mean 1.5[?]$' \
		vsim-run -t 0.7 --max-kb 1,5 -o run x.vec.h5
	refuses 2 'missing: -m ccc -t 0.7 keeps strong pairs' \
		vsim-run -o run x.vec.h5
	refuses 2 'missing: -m r2 -t 0.5 keeps strong pairs, -t -1 all of them$' \
		vsim-run -m r2 -o run x.vec.h5
	refuses 2 'missing: -m ccc -t 0.4 keeps strong triples.* below 0.712' \
		vsim-run -w 3 -o run x.vec.h5
	refuses 2 'missing: k2 depends .* --top 100 .* what is below T' \
		vsim-run -m k2 -o run x.vec.h5
	refuses 2 '-t=0.7: a one-letter option takes no =: write -t 0.7' \
		vsim-run -t=0.7 -o run x.vec.h5
	refuses 2 'unknown option --ld-window-r2; use -t$' \
		vsim-run --ld-window-r2 0.5 -o run x.vec.h5
	refuses 2 'unknown option --r2; use -m r2$' vsim-run --r2 x.vec.h5
	refuses 2 '-m bray: use -m ps, 1 less' vsim-run -m bray -t 0.5 x.vec.h5
	refuses 2 '-m kendall: use -m spearman' vsim-run -m kendall -t 0.5 x.vec.h5
	vsim-run -n -m Pearson -t 0.5 x.vec.h5 | grep -q pairs
	refuses 2 '--output, --dry-run or --permute-test is required' vsim-run -t 0.5 x.vec.h5
	run -2 --separate-stderr vsim-run -t 0.5 -o run
	[ "$stderr" = "vsim-run: no vectors file given
$(vsim-run --help | sed 2q)" ]
	refuses 2 'y: too many operands' vsim-run -t 0.5 -o run x.vec.h5 y
	refuses 2 '-m CC: not one of ccc|duo|ps|r2|r|spearman|cosine|jaccard|dice; did you mean ccc?' \
		vsim-run -m CC -t 0.5 -o run x.vec.h5
	refuses 2 'unknown option --treshold; did you mean --threshold?' \
		vsim-run --treshold 0.5 -o run x.vec.h5
	refuses 2 '--memory 4000: too few bytes; did you mean 4000M?' \
		vsim-run --memory 4000 -t 0.5 -o run x.vec.h5
	vsim-run -m CCC -t 0.5 -o upper x.vec.h5
	grep -q "^metric: 'ccc'" upper/run.yaml
	refuses 2 '-m r3: not one of ccc' vsim-run -m r3 -t 0.5 -o run x.vec.h5
	refuses 2 '-w 4: outside 2 to 3' vsim-run -w 4 -t 0.5 -o run x.vec.h5
	refuses 2 '--cpu z80: not one of' \
		vsim-run --cpu z80 -t 0.5 -o run x.vec.h5
	refuses 2 'VSIM_CPU z80: not one of' \
		env VSIM_CPU=z80 vsim-run -t 0.5 -o run x.vec.h5
	refuses 2 '--force cannot be combined with --resume' vsim-run -f -r -t 0.5 -o run x.vec.h5
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

@test "run: an impossible output is named, and existing files stay" {
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
	refuses 2 'file: exists and is not a directory' vsim-run -t 0.5 -o file x.vec.h5
	[ "$(cat file)" = mine ]
	vsim-run -t 0.5 -o run x.vec.h5
	cp -r run before
	refuses 2 'run: holds 1 shard of a run already' \
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

# few RUNDIR RANKS: a finished run, one shard of each rank and no other files
few() {
	[ "$(ls "$1" | grep -vE '^shard-[0-9]{5}(-[0-9]{4})?.shard.h5$')" = \
		"$(printf 'complete.yaml\nrun.yaml')" ]
	[ "$(ls "$1"/*.shard.h5 | wc -l)" = "$2" ]
}

# bats test_tags=install
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
			[ "$(committed part)" -gt 1 ] && break
			sleep 0.02
		done
		kill -$signal $! 2>/dev/null || true
		wait $! || true
		run --separate-stderr vsim-merge -o no.res.h5 part
		[ "$status" = 3 ] && [[ $stderr == *'run is unfinished'* ]]
		quietly vsim-run --resume -t 0.55 -o part x.vec.h5
		few part 1
		edges part | cmp - want
	done
}

# bats test_tags=install
@test "run: resumed on other ranks, the result is the same" {
	requires mpi 3
	packed 600 400
	vsim-run -t 0.4 --cpu scalar --tile 32 -o whole x.vec.h5
	vsim-run -t 0.4 --cpu scalar --tile 32 -j 1 --commit-every 0 \
		-o part x.vec.h5 2>/dev/null &
	for _ in $(seq 200); do
		[ "$(committed part)" -gt 1 ] && break
		sleep 0.02
	done
	kill $! && wait $! || true
	quietly ranks 3 vsim-run --resume -t 0.4 -o part x.vec.h5
	edges whole >want
	edges part | cmp - want
}

# bats test_tags=install
@test "run: stopped on three ranks, resumed on two, the result is the same" {
	requires mpi 3
	packed 600 400
	vsim-run -t 0.4 --cpu scalar --tile 32 -o whole x.vec.h5
	ranks 3 vsim-run -t 0.4 --cpu scalar --tile 32 -j 1 --commit-every 0 \
		-o part x.vec.h5 2>/dev/null &
	for _ in $(seq 200); do
		[ "$(committed part)" -gt 3 ] && break
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

# bats test_tags=long
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

# bats test_tags=install
@test "run: every rank leaves with the same code and one of them speaks" {
	requires mpi 3
	packed 20 50
	run --separate-stderr ranks 3 vsim-run -t 0.5 -o run none.vec.h5
	[ "$status" = 3 ]
	[ "$(grep -c '^vsim-run: none.vec.h5' <<<"$stderr")" = 1 ]
	gone run
}

# bats test_tags=long
@test "run: one shard a rank, also for ranks without a tile" {
	requires mpi 4
	packed 33 50
	quietly ranks 4 vsim-run -t 0.5 -o run x.vec.h5
	[ "$(ls run/*.shard.h5 | wc -l)" = 4 ]
	quietly vsim-verify run
}

@test "run: however often it commits, a rank has one shard in the end" {
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

@test "run: -v reports rate, records and sums; --stats writes them" {
	packed 40 100
	run --separate-stderr vsim-run -v --stats s.yaml -t 0.5 -o run x.vec.h5
	[ "$status" = 0 ] && [ -z "$output" ]
	[[ $stderr =~ 780\ pairs\ of\ 100\ samples ]]
	grep -q '^comparisons: 78000$' s.yaml
	[ "$(sed -n 's/^records: //p' s.yaml)" = \
		"$(($(edges run | wc -l) - 1))" ]
}

# bats test_tags=long
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
	# 47 blocks of 256, made 20 for each; six where all is counted
	[ "$(tiles -t 0.7)" = 300 ]
	[ "$(tiles -t 0.7 --no-prune)" = 1000 ]
	vsim-permute --order random --seed 1 -o r.vec.h5 x.vec.h5
	mv r.vec.h5 x.vec.h5
	[ "$(tiles -t 0.7)" = 1000 ]
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

# bats test_tags=long
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
# with --allow-empty it says so and finds nothing
beyond() {
	local most=$1
	shift
	rm -rf run
	refuses 2 "^vsim-run: --threshold [^ ]*: nothing can pass: .* at most $most[ ;].*--allow-empty" \
		vsim-run -o run "$@" x.vec.h5
	refuses 2 'nothing can pass' vsim-run -n "$@" x.vec.h5
	gone run
	vsim-run --allow-empty -o run "$@" x.vec.h5 2>said
	grep -qx "vsim-run: --threshold [^ ]*: nothing can pass: .* at most $most\( .*\)\?" said
	[ "$(wc -l <said)" = 1 ]
	[ "$(edges run | wc -l)" = 1 ]
}

# within ARG...: such a run says nothing, were it of other vectors than these
within() {
	rm -rf run
	quietly vsim-run -o run --no-prune "$@" x.vec.h5
}

# bats test_tags=long
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

@test "run: a threshold that no vectors of the file can pass is refused" {
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

# bats test_tags=long
@test "run: triples are limited to what 64 bits can count" {
	vsim-pack --synthetic random --vectors 4801280 --fields 1 -o x.vec.h5
	run -0 vsim-run -n --way 3 -t 0.5 x.vec.h5
	[[ $output == *$'\n'"triples: 18446738006366306560"$'\n'* ]]
	# tiles are no larger than their values can be numbered
	run -0 vsim-run -n --way 3 -t 0.5 --tile 4000000 x.vec.h5
	vsim-pack -f --synthetic random --vectors 4801281 --fields 1 -o x.vec.h5
	refuses 3 'no more than 4801280 vectors' \
		vsim-run -n --way 3 -t 0.5 x.vec.h5
}

@test "run: OMP_NUM_THREADS counts up to the cores allowed, and -v says so" {
	packed 40 100
	(
		# a thread's buffers of each of 8000 were 1.3 GB
		sanitized || ulimit -v 1000000
		OMP_NUM_THREADS=8000 quietly vsim-run -t 0.5 -o run x.vec.h5
	)
	OMP_NUM_THREADS=8000 vsim-run -v -f -t 0.5 -o run x.vec.h5 2>said
	grep -q 'OMP_NUM_THREADS 8000: limited to the allowed cores' said
	vsim-run -f -j 999 -t 0.5 -o run --merge e.res.h5 x.vec.h5 2>said
	diff <(sed -E 's/[0-9]+ cores?/N cores/' said) \
		<(echo 'vsim-run: --threads 999: more than the N cores allowed')
	for arg in "vsim-merge -f -o f.res.h5 run" "vsim-view -o list e.res.h5" \
		"vsim-verify e.res.h5"; do
		# shellcheck disable=SC2086
		$arg -j 999 2>said
		grep -q -e ': --threads 999: more than the [0-9]* cores\? allowed$' said
		[ "$(wc -l <said)" = 1 ] || complain "$arg: $(cat said)"
	done
	OMP_NUM_THREADS=1 quietly vsim-run -f -t 0.5 -o run x.vec.h5
}
