#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A run that is stopped or killed has lost no more than --commit-every and what
# comes on top, however slow it is, and is gone at once.

load ../../helpers

# begin OPTION...: a slow run in the background, saved every second, or so often
begin() {
	vsim-run --commit-every "${every:-1}" --cpu scalar -j 1 -o run "$@" 2>err &
	run_pid=$!
}

# sealed N: after N seconds at most there is a shard, or something in a log
sealed() {
	for k in $(seq $((10 * $1))); do
		compgen -G 'run/shard-*.shard.h5' >/dev/null && return
		[ "$(committed run)" = 0 ] || return 0
		sleep 0.1
	done
	return 1
}

# n_sealed: tiles in shards and logs
n_sealed() {
	{
		echo "#n_tiles: $(committed run)"
		for f in run/shard-*.shard.h5; do
			vsim-view -H "$f" 2>/dev/null || true
		done
	} | awk '/^#n_tiles: / { n += $2 } END { print n + 0 }'
}

# more_sealed FEW N: after N seconds at most more than FEW tiles are saved
more_sealed() {
	local till=$((SECONDS + $2))

	while [ "$(n_sealed)" -le "$1" ]; do
		[ $SECONDS -lt $till ] || complain "$1 tiles in $2 s" || return
		sleep 0.1
	done
}

# n_done: tiles that --resume -v found in run
n_done() {
	sed -n 's/.* \([0-9]*\) of .* tiles are done already$/\1/p' err
}

# ends SIGNAL: it is gone with a line, in two seconds on a busy machine; by the
# signal if that asks to end, with 4 if it warns
ends() {
	local code=0 want=4 from=$(date +%s%N)

	case $1 in INT | TERM | HUP) want=$((128 + $(kill -l "$1"))) ;; esac

	kill -"$1" "$run_pid"
	wait "$run_pid" || code=$?
	[ $(($(date +%s%N) - from)) -lt 2000000000 ] &&
		[ "$code" -eq $want ] && grep -q 'stopped by a signal' err
}

# busy N: wait until it has used N seconds of a CPU
busy() {
	for k in $(seq 300); do
		[ "$(awk '{ print $14 }' /proc/$run_pid/stat)" -lt \
			$(($1 * $(getconf CLK_TCK))) ] || break
		sleep 0.1
	done
}

# packed NAME PACK-OPTION...: g.vec.h5, packed once for all tests
packed() {
	local file=$BATS_FILE_TMPDIR/$1.vec.h5

	[ -e "$file" ] || vsim-pack "${@:2}" -o "$file"
	ln -s "$file" g.vec.h5
}

genotypes() {
	packed genotypes --vcf "$TOP/examples/chr20.vcf.gz"
}

# counted_for_a_second: pairs that keep any machine busy without records for
# longer than it takes to see that the first of them are sealed
counted_for_a_second() {
	packed many --synthetic random --vectors 7000 --fields 20000
}

# counted_for_long: which are stopped and gone on with more than once
counted_for_long() {
	packed more --synthetic random --vectors 20000 --fields 20000
}

# counted: let most be the number of files of the rank, if that is greater
counted() {
	local n=$(compgen -G 'run/shard-*' | wc -l)

	most=$((n > most ? n : most))
}

@test "run: SIGTERM at any time: what is said to be saved is there" {
	local said

	packed numbers --synthetic random --element f64 --vectors 256 \
		--fields 20000
	for s in 0.02 0.04 0.06 0.1 0.2 0.3; do
		timeout -s TERM $s vsim-run -m ps -t 0.9 --no-prune -j 1 \
			--cpu scalar -o run g.vec.h5 2>err || true
		said=$(<err)
		case $said in
		*"finished work is saved in run"*)
			compgen -G 'run/shard-*' >/dev/null
			;;
		*"before it began" | *"before anything was saved in run")
			[ -z "$(ls -A run 2>/dev/null)" ]
			;;
		?*) complain "$said" ;;
		esac
		rm -rf run
	done
}

# bats test_tags=long
@test "run: the records of a rank are in one log, which survives and is resumed" {
	local n times=0 last=0 most=0 found want
	packed fast --synthetic random --vectors 14000 --fields 4000
	set -- -j 1 --no-prune --tile 400 -m r2 -t 0.0002 -o run g.vec.h5
	vsim-run "$@" 2>/dev/null
	want=$(sed -n 's/^records_sum: //p' run/complete.yaml)
	rm -r run
	vsim-run --commit-every 1 "$@" 2>err &
	run_pid=$!
	while [ $times -lt 3 ]; do
		counted
		n=$(committed run)
		[ "$n" = $last ] || times=$((times + 1))
		last=$n
		kill -0 $run_pid
		sleep 0.02
	done
	kill -9 $run_pid
	! wait $run_pid
	found=$(committed run)
	[ -z "$(compgen -G 'run/shard-*.shard.h5')" ]
	vsim-run -v --resume --commit-every 1 "$@" 2>err &
	run_pid=$!
	while kill -0 $run_pid 2>/dev/null; do
		counted
		sleep 0.02
	done
	wait $run_pid
	echo "$found tiles saved, $(n_done) found, $most files at once"
	[ "$(n_done)" = "$found" ]
	# the log, and the shard that is written
	[ $most -le 2 ]
	[ "$(ls run/shard-*)" = run/shard-00000.shard.h5 ]
	vsim-merge -o x.res.h5 run
	[ "$(vsim-view -H x.res.h5 |
		sed -n 's/^#records_sum: //p')" = "$want" ]
}

@test "run: many records of r2 are sealed in time, and SIGTERM ends it at once" {
	genotypes
	begin -m r2 -t -1 g.vec.h5
	sealed 8
	ends TERM
}

# bats test_tags=long
@test "run: SIGTERM amid a tile of many records leaves those before it sealed" {
	local size=0 till=$((SECONDS + 25))
	genotypes
	# nothing is sealed for 30 seconds, a quarter of that
	vsim-run -j 2 --commit-every 120 -m r2 -t -1 --tile 4000 \
		-o run g.vec.h5 2>err &
	run_pid=$!
	# a tile has 16 million records at most, of less than 4 bytes
	while [ "$size" -lt 80000000 ]; do
		[ $SECONDS -lt $till ] || complain "$size bytes in 25 s"
		sleep 0.1
		size=$(stat -c %s run/shard-*.log 2>/dev/null) || size=0
	done
	[ -z "$(compgen -G 'run/shard-*.shard.h5')" ]
	ends TERM
	[ "$(n_sealed)" -gt 0 ]
}

@test "run: pairs are sealed in time, and SIGUSR1 ends it at once" {
	genotypes
	begin -t 0.5 --no-prune g.vec.h5
	sealed 8
	ends USR1
}

# bats test_tags=long
@test "run: what a device has of a dropped tile ends with it" {
	genotypes
	simulate
	begin -t 0.5 --no-prune --backend cuda+cpu g.vec.h5
	sleep 4
	ends TERM
}

# bats test_tags=long
@test "run: long vectors of numbers are sealed in time, and SIGHUP ends it" {
	"$PYTHON" -c '
import random
print("v\t" + "\t".join("f%d" % k for k in range(3000)))
for v in range(1200):
    print("r%d\t" % v + "\t".join("%.4g" % random.random() for k in range(3000)))
' >x.tsv
	vsim-pack --matrix x.tsv -o f.vec.h5
	begin -m ps -t 0.1 --no-prune f.vec.h5
	sealed 8
	ends HUP
}

@test "run: a given tile of all vectors is sealed in time, for it is cut" {
	genotypes
	begin -t 0.5 --no-prune --tile 30000 g.vec.h5
	sealed 8
	ends TERM
	rm -r run
	begin --way 3 -t 0.3 --stage 1/2 --tile 30000 g.vec.h5
	sealed 8
	ends TERM
}

# bats test_tags=long
@test "run: triples in a given tile go on after kill -9 with the same digest" {
	local few content='content [0-9a-f]{32}'
	genotypes
	vsim-run -w 3 -t 0.36 -o whole g.vec.h5
	begin --way 3 -t 0.36 --tile 30000 g.vec.h5
	sealed 8
	few=$(n_sealed)
	more_sealed "$few" 15
	kill -9 "$run_pid"
	wait "$run_pid" || true
	vsim-run --resume -w 3 -t 0.36 --tile 30000 -v -o run g.vec.h5 2>err
	[ "$(n_done)" -gt "$few" ]
	vsim-merge -v -o whole.res.h5 whole 2>want
	vsim-merge -v -o run.res.h5 run 2>err
	[[ $(<want) =~ $content ]]
	grep -q "${BASH_REMATCH[0]}" err
}

# bats test_tags=long
@test "run: triples, all of them, are sealed in time, and SIGTERM ends it" {
	vsim-pack --vcf "$TOP/examples/chr20.vcf.gz" --maf 0.2 -o s.vec.h5
	begin --way 3 -t 0.6 --no-prune s.vec.h5
	sealed 8
	ends TERM
}

# bats test_tags=long
@test "run: --top resumes after kill -9 from the sealed shard, with the same result" {
	counted_for_a_second
	vsim-run --top 500 -o whole g.vec.h5
	vsim-merge -o whole.res.h5 whole
	every=0 begin --top 500 --no-prune g.vec.h5
	sealed 10
	kill -STOP "$run_pid" # lest it ends before vsim-merge has looked
	run vsim-merge -o early.res.h5 run
	[ "$status" -eq 3 ]
	kill -9 "$run_pid"
	wait "$run_pid" || true
	vsim-run --resume --top 500 -v -o run g.vec.h5 2>err
	grep -q 'tiles are done already' err
	vsim-merge -o run.res.h5 run
	cmp <(vsim-view whole.res.h5) <(vsim-view run.res.h5)
}

# bats test_tags=long
@test "run: SIGTERM ends it among the candidates of a block of all vectors" {
	genotypes
	begin --way 3 --top 100 --tile 30000 g.vec.h5
	# pairs take the first of three seconds of a CPU
	busy 3
	ends TERM
	# by itself, not by the thread that watches over that
	grep -q 'finished work is saved' err
}

# searched_above: the least number that some tiles of triples are searched above
searched_above() {
	for f in run/*.shard.h5; do
		vsim-view -H "$f" 2>/dev/null || true
	done | sed -n 's/^#selection: .* so far above \(.*\), unfinished$/\1/p' |
		sort -g | head -n 1
}

# bats test_tags=long
@test "run: candidates of triples, all in some neighbours, are sealed as they come" {
	local from at worst=0 few last=0
	: >seals
	# a family of 800 among 6000, whose triples take nearly all of the time
	awk 'BEGIN { srand(4); for (v = -1; v < 6000; v++) {
		printf v < 0 ? "id" : "v" v
		p = rand()
		for (q = 0; q < 200; q++) {
			if (v < 0)
				g = first[q] = 2 * (rand() < 0.5)
			else if (v < 2000 || v >= 2800)
				g = (rand() < p) + (rand() < p)
			else
				g = rand() < 0.25 ? 2 * (rand() < 0.5) : first[q]
			printf "\t%s", v < 0 ? q : g
		}
		print "" } }' >x.tsv
	vsim-pack --tsv x.tsv --label given -o g.vec.h5
	from=$(date +%s%N)
	begin --way 3 -t 0.52 g.vec.h5
	# a fast machine does all in seven seconds
	for k in $(seq 70); do
		few=$(committed run)
		[ "$few" = "$last" ] || date +%s%N >>seals
		last=$few
		[ "$(wc -l <seals)" -lt 4 ] || break
		sleep 0.1
	done
	kill -KILL "$run_pid"
	wait "$run_pid" || true
	# every second, and some for a busy machine
	for at in $(sort -nu seals) $(date +%s%N); do
		[ $((at - from)) -le $worst ] || worst=$((at - from))
		from=$at
	done
	[ $worst -lt 3500000000 ] || complain "$worst ns without a seal"
	! can_start 3 || ranks 3 timeout -s KILL 2 vsim-run --resume --way 3 \
		--commit-every 1 --cpu scalar -j 1 -t 0.52 -o run g.vec.h5 || true
	vsim-run --resume --way 3 -t 0.52 -v -j 2 -o run g.vec.h5 2>err
	grep -q 'tiles are done already' err
	vsim-merge -o run.res.h5 run
	vsim-verify run run.res.h5
	vsim-run --way 3 -t 0.52 -v -j 2 -o whole g.vec.h5 2>err
	grep -q ' candidates' err
	vsim-merge -o whole.res.h5 whole
	[ "$(vsim-view -H run.res.h5 | grep ^#content_xxh128)" = \
		"$(vsim-view -H whole.res.h5 | grep ^#content_xxh128)" ]
}

# bats test_tags=long
@test "run: --top of triples resumes after kill -9 below the thresholds it reached" {
	local last=9 now signal of='--way 3 --top 20000 --commit-every 0 -v'
	# families, the more alike the sooner: each step finds some of the greatest
	awk 'BEGIN { srand(4); for (v = -1; v < 600; v++) {
		printf v < 0 ? "id" : "v" v
		for (q = 0; q < 200; q++) {
			g = rand() < 0.4 ? 2 : rand() < 0.1
			if (v % 5 > 0 && rand() > v / 700)
				g = old[q]
			old[q] = g
			printf "\t%s", v < 0 ? q : g
		}
		print "" } }' >x.tsv
	vsim-pack --tsv x.tsv --label given -o g.vec.h5
	vsim-run --way 3 --top 20000 --no-prune -o whole g.vec.h5
	vsim-merge -o whole.res.h5 whole
	for signal in KILL TERM KILL; do
		vsim-run $of --cpu scalar -j 1 $([ $last = 9 ] || echo --resume) \
			-o run g.vec.h5 2>err &
		run_pid=$!
		for k in $(seq 300); do
			now=$(searched_above)
			[ "$(printf '%s\n' $last $now | sort -g |
				head -n 1)" = $last ] || break
			sleep 0.05
		done
		kill -$signal "$run_pid"
		wait "$run_pid" || true
		[ $last = 9 ] || grep -q 'gone on with' err
		[ "$now" != $last ]
		last=$now
		refuses 3 'is from an unfinished run' vsim-merge -o early.res.h5 run
	done
	! can_start 3 || ranks 3 timeout -s KILL 0.7 vsim-run $of --resume \
		--cpu scalar -j 1 -o run g.vec.h5 || true
	vsim-run --resume --way 3 --top 20000 -o run g.vec.h5
	vsim-merge -o run.res.h5 run
	cmp <(vsim-view whole.res.h5) <(vsim-view run.res.h5)
}

# running: the processes of vsim-run; others run in other directories
running() {
	local p
	for p in /proc/[0-9]*; do
		[ "$(cat "$p/comm" 2>/dev/null)" != vsim-run ] ||
			[ "$(readlink "$p/cwd")" != "$PWD" ] || echo "${p#/proc/}"
	done
}

# bats test_tags=long
@test "run: ranks of which one gets SIGTERM all end by it" {
	requires mpi 2
	counted_for_a_second
	ranks 2 sh -c 'vsim-run --commit-every 0 --cpu scalar -j 1 --no-prune -m r2 \
		-t 0.0005 -o run g.vec.h5
		echo $? >code.$$' 2>err &
	sealed 15
	set -- $(running)
	[ $# -eq 2 ]
	kill -TERM "$2"
	wait
	# the launcher may end a shell that is later than the other
	[ "$(sort -u code.*)" = 143 ] || complain "$(cat code.* err)"
	[ "$(n_sealed)" -gt 0 ]
}

# bats test_tags=long
@test "run: ranks end when their launcher is killed, and the run resumes" {
	counted_for_a_second
	ranks 3 vsim-run --commit-every 0 --cpu scalar -j 1 --no-prune -m r2 \
		-t 0.0005 -o run g.vec.h5 2>err &
	sealed 15
	# the launcher is the parent of a rank
	set -- $(running)
	[ $# -eq 3 ]
	kill -9 "$(awk '{ print $4 }' /proc/"$1"/stat)"
	for k in $(seq 30); do
		kill -0 "$1" 2>/dev/null || kill -0 "$2" 2>/dev/null ||
			kill -0 "$3" 2>/dev/null || break
		sleep 0.1
	done
	! kill -0 "$1" && ! kill -0 "$2" && ! kill -0 "$3"
	vsim-run --resume -m r2 -t 0.0005 -o run g.vec.h5
	vsim-run -m r2 -t 0.0005 -o whole g.vec.h5
	vsim-merge -o run.res.h5 run
	vsim-merge -o whole.res.h5 whole
	cmp <(vsim-view run.res.h5) <(vsim-view whole.res.h5)
}

@test "run: make that is interrupted leaves no run behind" {
	genotypes
	printf 'all:\n\tcd . && vsim-run --cpu scalar -j 1 -m r2 -t -1 -o run g.vec.h5; true\n' >Makefile
	make >log 2>&1 &
	make_pid=$!
	for k in $(seq 100); do
		[ -e run/.lock ] && break
		sleep 0.1
	done
	run_pid=$(awk '{ print $2 }' run/.lock)
	kill -0 "$run_pid"
	kill -TERM "$make_pid"
	wait "$make_pid" || true
	for k in $(seq 30); do
		kill -0 "$run_pid" 2>/dev/null || break
		sleep 0.1
	done
	! kill -0 "$run_pid"
}

# adds_up N FILE...: in each shard the histogram has the values of its tiles, N
# rows of them, and the histograms of all add up to the table in want if it is
# there
adds_up() {
	"$PYTHON" - "$@" <<-'END'
		import os, sys, h5py
		rows, total = int(sys.argv[1]), None
		for path in sys.argv[2:]:
		    f = h5py.File(path)
		    h = f["histogram"]
		    n = [int(a) + (int(b) << 64) for a, b in
		         zip(h["low"][:], h["high"][:])]
		    wide = int(h.attrs["n_bucket"])
		    assert len(n) == wide * int(h.attrs["n_row"]) + 6, path
		    few = n[wide * int(h.attrs["n_row"])]
		    of_tiles = sum(int(x) for x in f["tiles/evaluated"][:])
		    assert sum(n[:rows * wide]) + few == of_tiles > 0, path
		    total = [a + b for a, b in zip(total or [0] * len(n), n)]
		if os.path.exists("want"):
		    table = [line.split() for line in open("want")][1:]
		    for k, line in enumerate(table):
		        got = [total[r * wide + k] for r in range(rows + 1)]
		        assert [int(x) for x in line[3:]] == got, line
	END
}

# same_as_whole: what was found, by content, and the table are those of an
# undisturbed run
same_as_whole() {
	vsim-merge -o whole.res.h5 whole
	vsim-merge -o run.res.h5 run
	[ "$(vsim-view -H run.res.h5 | grep ^#content)" = \
		"$(vsim-view -H whole.res.h5 | grep ^#content)" ]
	diff want got
}

# bats test_tags=long
@test "run: counts of --metric-histogram are sealed with their tiles, and resumed" {
	requires python numpy h5py
	requires mpi 3
	counted_for_long
	vsim-run -t 0.6 -o whole --metric-histogram want g.vec.h5
	begin -t 0.6 --metric-histogram got g.vec.h5 -j 3
	sealed 15
	ends TERM
	[ ! -e got ]
	ranks 3 vsim-run --resume --commit-every 1 --cpu scalar -j 1 -t 0.6 \
		--metric-histogram got -v -o run g.vec.h5 2>err &
	for k in $(seq 150); do
		[ "$(committed run/shard-00002.shard.h5.log)" = 0 ] || break
		sleep 0.1
	done
	kill -9 "$(awk '{ print $2 }' run/.lock)"
	wait $! || true
	grep -q 'tiles are done already' err
	[ ! -e got ] && [ ! -e run/complete.yaml ]
	vsim-run --resume -t 0.6 --metric-histogram got -v -o run g.vec.h5 2>err ||
		complain "$(cat err)" "$(ls -la run)"
	grep -q 'tiles are done already' err
	[ "$(grep -c 'as the fields do' err)" = 3 ]
	same_as_whole
	adds_up 3 run/shard-*.shard.h5
	grep -q '^n_tiles' run/complete.yaml
	# of what is complete the table is written again
	mv got before
	ranks 2 vsim-run --resume -t 0.6 --metric-histogram got -o run g.vec.h5
	diff want got
}

# bats test_tags=long
@test "run: --metric-histogram resumes after kill -9 on another number of ranks" {
	requires mpi 2
	counted_for_a_second
	vsim-run -t 0.9 -o whole --metric-histogram want g.vec.h5
	ranks 2 vsim-run --commit-every 0 --cpu scalar -j 1 -t 0.9 -o run \
		--metric-histogram got g.vec.h5 2>err &
	sealed 15
	kill -9 "$(awk '{ print $2 }' run/.lock)"
	wait $! || true
	[ ! -e got ]
	vsim-run --resume -t 0.9 -v -o run \
		--metric-histogram got g.vec.h5 2>err || complain "$(cat err)"
	grep -q 'tiles are done already' err
	same_as_whole
}

# bats test_tags=long
@test "run: --metric-histogram of triples is sealed, and resumed" {
	requires python numpy h5py
	requires mpi 2
	vsim-pack --synthetic random --vectors 1500 --fields 300 -o g.vec.h5
	vsim-run --way 3 -t 0.7 -o whole --metric-histogram want g.vec.h5
	begin --way 3 -t 0.7 --metric-histogram got -j 2 g.vec.h5
	more_sealed 0 15
	more_sealed "$(n_sealed)" 15
	ends TERM
	ranks 2 vsim-run --resume --way 3 -t 0.7 --metric-histogram got -v -j 1 \
		-o run g.vec.h5 2>err
	grep -q 'tiles are done already' err
	[ "$(grep -c 'as the fields do' err)" = 4 ]
	same_as_whole
	adds_up 4 run/shard-*.shard.h5
}

# bats test_tags=long
@test "run: --top with --metric-histogram resumes from the sealed counts" {
	local few
	requires mpi 2
	counted_for_long
	vsim-run --top 500 -o whole --metric-histogram want g.vec.h5
	begin --top 500 --metric-histogram got g.vec.h5
	more_sealed 0 15
	more_sealed "$(n_sealed)" 15
	kill -9 "$run_pid"
	wait "$run_pid" || true
	few=$(n_sealed)
	begin --resume --top 500 --metric-histogram got -j 3 g.vec.h5
	more_sealed "$few" 15
	ends TERM
	ranks 2 vsim-run --resume --top 500 --metric-histogram got -v -j 1 -o run \
		g.vec.h5 2>err
	[ "$(n_done)" -gt "$few" ]
	same_as_whole
}

@test "run: sealed counts that are damaged, cut short, or missing are refused" {
	vsim-pack --synthetic random --vectors 300 --fields 90 -o x.vec.h5
	again() {
		vsim-run --resume -t 0.5 -o run --metric-histogram got x.vec.h5
	}
	vsim-run -t 0.5 --tile 50 -o run --metric-histogram got x.vec.h5
	mv got want
	cp run/shard-00000.shard.h5 whole
	again
	diff want got
	rm got
	for at in 600 $(($(stat -c %s whole) / 2)) \
		$(($(stat -c %s whole) - 1)); do
		cp whole run/shard-00000.shard.h5
		flip run/shard-00000.shard.h5 "$at"
		refuses 3 'shard-00000.shard.h5: is damaged' again
	done
	head -c 5000 whole >run/shard-00000.shard.h5
	refuses 3 'shard-00000.shard.h5: is cut short' again
	gone got
	# of another run
	vsim-run -f -t 0.4 --tile 50 -o run --metric-histogram got x.vec.h5
	refuses 3 'another run: its threshold differs' again
	# counts of none of the tiles, or of some
	vsim-run -f -t 0.5 --tile 50 -o run x.vec.h5
	refuses 2 '21 of the 21 tiles .* without it' again
}
