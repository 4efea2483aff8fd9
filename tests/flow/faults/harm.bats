# SPDX-License-Identifier: BSD-3-Clause
# What is done to the programs from outside: limits, signals, closed streams,
# names that are taken. Nothing that was there is lost, nothing half-made left.
load ../../helpers

# table N: N sites of 40 samples
table() {
	awk -v n="$1" 'BEGIN {
		for (k = 0; k < n; k++) {
			printf "rs%d", k
			for (q = 0; q < 40; q++)
				printf "\t%d", (k * 7 + q * q * (k % 11 + 1)) % 3
			print ""
		}
	}'
}

# made: x.vec.h5, its run and e.res.h5
made() {
	table 100 >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	vsim-run -t 0 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
}

# begun NAME CMD...: CMD in the background as process $begun, its stdin the
# FIFO NAME; it has read some when we are back, and waits for the rest at
# descriptor $feed
begun() {
	mkfifo "$1"
	"${@:2}" <"$1" 3>&- &
	begun=$!
	exec {feed}>"$1"
	table 3000 >&"$feed" # more than a pipe holds
}

# fed: the rest of what $feed reads, and its end
fed() {
	exec {feed}>&-
}

limited() {
	(
		ulimit -f 4 # 4 KiB
		"$@"
	)
}

@test "harm: a limit of file size is an error like a full disk" {
	! races || skip "tsan"
	made
	local cmd
	for cmd in "vsim-pack --tsv x.tsv -o y" \
		"vsim-permute --order random -o y x.vec.h5" \
		"vsim-run -t 0 -o y x.vec.h5" \
		"vsim-threshold --min 0.1 -o y e.res.h5" \
		"vsim-threshold --min 0.1 -o y run" \
		"vsim-merge -o y run" "vsim-view -o y e.res.h5"; do
		# shellcheck disable=SC2086
		refuses 4 'File too large' limited $cmd
		gone y y.tmp-*
	done
}

@test "harm: few descriptors are the machine's failure, no answer and no ruin" {
	! races || skip "tsan: libomp aborts where it gets none"
	made
	few() {
		ulimit -n "$1"
		"${@:2}" 3>&-
	}
	local n cmd
	for n in 5 6 7 8; do
		for cmd in "vsim-pack --tsv x.tsv -o y" \
			"vsim-run -t 0 -o y x.vec.h5" \
			"vsim-threshold --min 0.1 -o y run" \
			"vsim-merge -o y run" "vsim-verify run" \
			"vsim-verify --against x.vec.h5 e.res.h5"; do
			# shellcheck disable=SC2086
			run --separate-stderr few $n $cmd
			[ "$status" = 0 ] ||
				{ [ "$status" = 4 ] &&
					[[ $stderr == *"Too many open files" ]]; } ||
				complain "$n: $cmd: $status: $stderr"
			[ "$status" = 0 ] || gone y
			rm -rf y
		done
	done
}

# bats test_tags=long
@test "harm: names as long as a file system has them are written, by each writer" {
	local n stem name
	printf 'id\ta\tb\nv\t0\t1\nw\t0\t1\n' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	vsim-run -t -1 -o run --merge e.res.h5 x.vec.h5
	for n in 243 248 255; do
		stem=$(printf "%0$((n - 7))d" 0)
		quietly vsim-pack --tsv x.tsv -o $stem.vec.h5
		quietly vsim-permute -f --order random -o $stem.vec.h5 x.vec.h5
		quietly vsim-merge -o $stem.res.h5 run
		quietly vsim-threshold -f --above -1 -o $stem.res.h5 e.res.h5
		quietly vsim-view -o $stem.tsvvvv e.res.h5
		quietly vsim-run -f -t -1 -o other --stats $stem.sta.ml x.vec.h5
		for name in ${stem}.direct ${stem}.direct; do
			quietly vsim-threshold -f --above -1 -o $name run
		done
		quietly vsim-verify $stem.vec.h5 $stem.res.h5 ${stem}.direct
		rm -rf "$stem".*
	done
	gone
}

@test "harm: a stack that is too small is said, by each program" {
	local program
	for program in run pack merge verify view threshold permute; do
		(
			ulimit -s 64
			refuses 4 'stack is limited to 64 kB; allow 1024 or more' \
				"vsim-$program" --version
		)
	done
}

@test "harm: what came ignored, as by nohup, stays ignored" {
	hung_up() {
		trap '' HUP
		exec "$@"
	}
	begun in hung_up vsim-pack --tsv - -o x.vec.h5
	kill -HUP $begun
	fed
	wait $begun
	vsim-verify x.vec.h5
}

@test "harm: no file gets the number of a stream that came closed" {
	table 3000 >x.tsv
	closed() {
		exec "$@" >&- 2>&-
	}
	begun in closed vsim-pack -v --tsv - -o x.vec.h5
	[ "$(readlink /proc/$begun/fd/1)" = /dev/null ]
	[ "$(readlink /proc/$begun/fd/2)" = /dev/null ]
	fed
	wait $begun
	vsim-verify x.vec.h5
	# what has nothing to say ends well, what cannot say it does not
	quietly bash -c 'vsim-verify x.vec.h5 <&- >&-'
	refuses 4 'stdout: cannot write' bash -c 'vsim-view x.vec.h5 >&-'
	refuses 4 'standard input: cannot read' \
		bash -c 'vsim-pack --tsv - -o y.vec.h5 <&-'
}

@test "harm: of two that write one file the first has it, but for -f" {
	local first feed_first
	apart() {
		exec {feed_first}>&-
		exec "$@"
	}
	begun in1 vsim-pack --tsv - -o x.vec.h5
	first=$begun feed_first=$feed
	begun in2 apart vsim-pack --tsv - -o x.vec.h5 2>said
	table 1 >&"$feed"
	feed=$feed_first fed
	wait $first
	cp x.vec.h5 kept
	fed
	! wait $begun
	[ "$(cat said)" = \
		"vsim-pack: x.vec.h5: exists already; -f replaces it" ]
	cmp x.vec.h5 kept
	gone
}

@test "harm: no output takes the place of what is read, links too" {
	made
	seq -f rs%g 0 99 >rows
	ln rows list
	ln -s e.res.h5 l.res.h5
	sha256sum x.* e.* rows run/* >before
	refuses 2 'e.res.h5: is input and output' vsim-view -f -o e.res.h5 \
		l.res.h5
	refuses 2 'is input and output' vsim-view -f -o l.res.h5 e.res.h5
	refuses 2 'list: is input and output' vsim-view -f -o list -i @rows \
		e.res.h5
	refuses 2 'is input and output' vsim-threshold -f --keep list \
		-o rows e.res.h5
	refuses 2 'is input and output' vsim-merge -f -o x.vec.h5 run
	refuses 2 'is input and output' vsim-permute -f --order list \
		--list list -o rows x.vec.h5
	refuses 2 'is input and output' vsim-run -t 0 -o y --stats x.vec.h5 \
		x.vec.h5
	refuses 2 'is input and output' vsim-run -t 0 -o y \
		--metric-histogram x.vec.h5 x.vec.h5
	gone y
	sha256sum -c --quiet before
}

@test "harm: a name with control characters does not break a line" {
	made
	run --separate-stderr vsim-view --id $'a\nb\e[2J' e.res.h5
	[ "$status" = 0 ] && [ "${#stderr_lines[@]}" = 1 ] &&
		[[ $stderr == *'called a?b?[2J' ]] || complain "$stderr"
	refuses 3 'a[?]b: cannot open' vsim-view $'a\nb'
}

@test "harm: an output without a name, and one called like a stream" {
	made
	local cmd
	for cmd in "vsim-pack --tsv x.tsv -o" \
		"vsim-permute --order random x.vec.h5 -o" \
		"vsim-run -t 0 x.vec.h5 -o" \
		"vsim-threshold --min 0.1 e.res.h5 -o" \
		"vsim-threshold --min 0.1 run -o" "vsim-merge run -o"; do
		# shellcheck disable=SC2086
		refuses 2 'name of the output is empty' $cmd ''
		# shellcheck disable=SC2086
		refuses 2 '-: the output needs a name' $cmd -
		gone ./-
	done
}

@test "harm: shards are not replaced in a directory that a run is writing" {
	requires cmd flock
	made
	cp -r run other
	sha256sum other/*.h5 >before
	refuses 3 'other: another run writes here' \
		flock other/.lock vsim-threshold -f --min 0.3 -o other run
	sha256sum -c --quiet before
	gone
	quietly vsim-threshold -f --min 0.3 -o other run
	[ ! -e other/.lock ]
	[ "$(ls other)" = "$(ls run)" ]
	! sha256sum -c --status before
}

# bats test_tags=long
@test "harm: the lock file of a directory is a file of our own" {
	made
	echo precious >mine
	local how tool
	for how in "ln -s ../mine" "ln mine" "mkfifo" "mkdir" "ln -s ../none"; do
		rm -rf run/.lock
		[ "$how" != "ln mine" ] || ln mine run/.lock
		[ "$how" = "ln mine" ] || $how run/.lock
		for tool in "vsim-run -f -t 0 -o run x.vec.h5" \
			"vsim-run --resume -t 0 -o run x.vec.h5" \
			"vsim-threshold -f --min 0.3 -o run e"; do
			rm -rf e
			vsim-threshold --min 0.1 -o e run
			# shellcheck disable=SC2086
			refuses 3 'run/.lock: .*; remove it' $tool
			[ "$(cat mine)" = precious ] && gone none
		done
	done
}

@test "harm: a file that is replaced keeps its mode" {
	made
	chmod 600 e.res.h5
	vsim-merge -f -o e.res.h5 run
	[ "$(stat -c %a e.res.h5)" = 600 ]
	vsim-threshold --min 0.1 -o less run
	chmod 700 less
	vsim-threshold -f --min 0.2 -o less run
	[ "$(stat -c %a less)" = 700 ]
}

# modes FILE...: those of them all, each once
modes() {
	stat -c %a "$@" | sort -u | tr '\n' ' '
}

@test "harm: shards and what else a run replaces keep their mode, --resume too" {
	made
	cp -r run less
	cp -r run all
	chmod 600 less/*.* all/*.yaml
	chmod 640 all/*.h5
	vsim-threshold -f --min 0.2 -o less/ run
	[ "$(modes less/*.*)" = "600 " ]
	(umask 000 && vsim-run -f -t 0.3 -o less/ x.vec.h5)
	[ "$(modes less/*.*)" = "600 " ]
	(umask 077 && vsim-run -f -t 0.3 -o all x.vec.h5)
	[ "$(modes all/*.*)" = "600 " ] # no more than any
	# killed between the removal and the first shard
	rm less/*.h5 less/complete.yaml
	vsim-run --resume -t 0.3 -o less x.vec.h5
	[ "$(modes less/*.*)" = "600 " ]
	chmod 660 less/*.*
	vsim-run -f -t 0.3 -o less x.vec.h5
	[ "$(modes less/*.*)" = "660 " ]
	(umask 027 && vsim-run -t 0.3 -o new x.vec.h5)
	[ "$(modes new/*.*)" = "640 " ]
	# run.yaml is narrowed before anything is removed
	cp -r new old
	chmod 600 old/*.h5
	rm old/complete.yaml
	mkdir old/complete.yaml
	refuses 4 'complete.yaml' vsim-run -f -t 0.3 -o old x.vec.h5
	[ "$(modes old/run.yaml)" = "600 " ]
}

@test "harm: of ranks too, a replaced shard keeps its mode" {
	requires mpi 2
	made
	chmod 600 run/*.*
	ranks 2 vsim-run -f -j 1 -t 0.3 --tile 10 -o run x.vec.h5
	[ "$(modes run/*.*)" = "600 " ]
}

@test "harm: outputs that cannot be written are refused before the run" {
	made
	local what
	for what in --stats --metric-histogram; do
		refuses 4 'x.vec.h5/file: .*Not a directory' vsim-run -t 0 \
			-o y $what x.vec.h5/file x.vec.h5
		refuses 2 'full: is not a regular file' vsim-run -t 0 -o y \
			$what /dev/full x.vec.h5
		gone y
		vsim-run -t 0 -f -o z $what - x.vec.h5 >said
		[ -s said ]
		gone ./-
	done
}

@test "harm: -f gives up the shards of a run only for another that begins" {
	made
	vsim-verify run
	refuses 4 'memory needed' vsim-run -f -t 0 --memory 1K -o run x.vec.h5
	vsim-verify run
}
