# SPDX-License-Identifier: BSD-3-Clause
# --log FILE: the lines of stderr, kept
load ../../helpers

# plain FILE: the lines of a log as stderr had them
plain() {
	sed -nE 's/^20[0-9]{2}(-[0-9]{2}){2}T([0-9]{2}:){2}[0-9]{2}Z (vsim-[a-z]+)\[[0-9]+\]: /\3: /p' "$1"
}

# logged WANT CMD...: with --log all CMD says on stderr is appended to the log
logged() {
	local code=0 before after
	before=$(cat log 2>/dev/null | wc -l)
	"${@:2}" --log log >/dev/null 2>err || code=$?
	[ "$code" = "$1" ] && [ -s err ] || complain "$*: $code" "$(cat err)"
	after=$(wc -l <log)
	[ "$((after - before))" = "$(wc -l <err)" ]
	diff <(plain log | tail -n "$((after - before))") err
}

@test "log: what each program says on stderr is appended, good or bad" {
	printf 'id\ta\tb\tc\nx\t0\t1\t2\ny\t1\t2\t2\nz\t2\t1\t0\n' >x.tsv
	logged 0 vsim-pack -v --tsv x.tsv -o x.vec.h5
	logged 0 vsim-permute -v --order random -o p.vec.h5 x.vec.h5
	logged 0 vsim-run -v -t 0 -o run x.vec.h5
	logged 0 vsim-merge -v -o e.res.h5 run
	logged 0 vsim-threshold -v --above 0.1 -o t.res.h5 e.res.h5
	logged 0 vsim-verify -v e.res.h5
	logged 2 vsim-run -t 0.5 -o run x.vec.h5
	logged 3 vsim-view absent.res.h5
	logged 2 vsim-pack --matrix x.tsv --tsv x.tsv -o y.vec.h5
	vsim-permute -f --order random --seed 5 -o p.vec.h5 x.vec.h5
	logged 1 vsim-verify --against p.vec.h5 e.res.h5
	for t in pack permute run merge threshold view verify; do
		grep -q "Z vsim-$t\[" log || complain "$t"
	done
	# also what is wrong behind the option
	run -2 --separate-stderr vsim-view --log log --no-such-option e.res.h5
	[ "$(plain log | tail -n 1)" = "$stderr" ]
	# the date is that of now, whatever SOURCE_DATE_EPOCH says
	SOURCE_DATE_EPOCH=0 vsim-verify -v --log new e.res.h5 2>/dev/null
	[ "$(head -c 2 new)" = 20 ]
	rm -f new
	vsim-view --help --log new >/dev/null
	quietly vsim-verify --log new e.res.h5
	[ ! -s new ]
}

@test "log: the lines of ranks, of an error too" {
	requires mpi 2
	vsim-pack --synthetic random --vectors 40 --fields 30 -o x.vec.h5
	ranks 2 vsim-run -v --log log -t 0.3 -o run x.vec.h5 2>err
	diff <(plain log) <(grep ^vsim-run: err)
	rm log
	run ! ranks 2 vsim-run --log log -t 0.3 -o run x.vec.h5
	[ "$(wc -l <log)" = 1 ]
	grep -q ': run: holds 2 shards' log || complain "$(cat log)"
}

@test "log: a link, a directory and a file that is none are refused" {
	printf 'id\ta\tb\nx\t0\t1\ny\t1\t2\n' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	cp x.tsv y.tsv
	refuses 2 'y.tsv: is not a vsim log' \
		vsim-view -H x.vec.h5 --log y.tsv
	cmp x.tsv y.tsv
	printf 2026 >short
	refuses 2 'short: is not a vsim log' vsim-view -H x.vec.h5 --log short
	: >log
	ln -s log link
	refuses 2 'link: is a symbolic link' vsim-view -H --log link x.vec.h5
	refuses 4 "$PWD/.: cannot open the log" vsim-view -H --log "$PWD/." x.vec.h5
	mkfifo pipe
	refuses 2 'pipe: is not a regular file' vsim-view -H --log pipe x.vec.h5
	refuses 4 'cannot open the log: No such' vsim-view -H --log no/log x.vec.h5
	refuses 2 'output is empty' vsim-view -H --log= x.vec.h5
	[ ! -s log ]
}

@test "log: a line that cannot be written is reported once, exit 4" {
	printf 'id\ta\tb\nx\t0\t1\ny\t1\t2\n' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5 --log log -v 2>/dev/null
	while [ "$(wc -c <log)" -lt 1024 ]; do
		cat log log >more
		head -c 1024 more >log
	done
	vsim-run -t 0 -o run --merge e.res.h5 x.vec.h5
	run -4 --separate-stderr bash -c 'ulimit -f 1
		vsim-verify -v --log log e.res.h5'
	[ "$(grep -c 'log: cannot write: File too large' <<<"$stderr")" = 1 ]
	[ "${#stderr_lines[@]}" -gt 1 ]
	# an error of its own stays
	run -3 --separate-stderr bash -c 'ulimit -f 1
		vsim-verify --log log absent.res.h5'
	[[ $stderr == *absent* ]]
	[ "$(wc -c <log)" = 1024 ]
}
