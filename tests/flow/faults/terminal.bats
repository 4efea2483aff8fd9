# SPDX-License-Identifier: BSD-3-Clause
# What a terminal shows, and a file does not.
load ../../helpers

setup() {
	requires cmd script
	script -qec true /dev/null </dev/null >/dev/null 2>&1 ||
		skip "no terminal can be made here"
	cd "$BATS_TEST_TMPDIR" || return
}

# closes LINE CMD...: on a terminal CMD says this line, S being some seconds, and
# what comes next; elsewhere nothing; with -v the line is the last one anywhere
closes() {
	local want="^vsim-[a-z]*: ${1/ S s/, [0-9.]+ s}\$"
	shift
	quietly "$@"
	run script -qec "$(printf '%q ' "$@")" /dev/null </dev/null
	[ "$status" = 0 ] && [[ ${lines[0]%$'\r'} =~ $want ]] &&
		[[ ${#lines[@]} = 1 || ${lines[1]} == *': next: vsim-'* ]] ||
		complain "$*" "on a terminal: $output" "wanted: $want"
	run --separate-stderr "$@" -v
	[ "$status" = 0 ] && [[ ${stderr_lines[-1]} =~ $want ]] ||
		complain "$* -v: $stderr"
}

# bats test_tags=long
@test "terminal: what writes a file ends with what is in it" {
	printf 'id\ta\tb\tc\nv\t0\t1\t2\nw\t0\t1\t1\nx\t2\t0\t1\n' >x.tsv
	closes '3 variants of 3 samples S s: x.vec.h5' \
		vsim-pack -f --tsv x.tsv -o x.vec.h5
	closes '3 vectors of 3 samples S s: m.vec.h5' \
		vsim-pack -f --matrix x.tsv -o m.vec.h5
	closes '3 variants S s: y.vec.h5' \
		vsim-permute -f --order random -o y.vec.h5 x.vec.h5
	closes '3 variants of 3 samples, 3 pairs compared, 12 records found S s: run' \
		vsim-run -f -t -1 -o run x.vec.h5
	closes 'nothing was left to do S s: run' \
		vsim-run --resume -t -1 -o run x.vec.h5
	closes '3 variants of 3 samples, 1 triple compared, 8 records found S s: three' \
		vsim-run -f --way 3 -t -1 -o three x.vec.h5
	closes '3 vectors of 3 samples, 3 pairs compared, 1 found S s: r' \
		vsim-run -f -m r -t 0.8 -o r m.vec.h5
	closes '3 variants of 3 samples, 3 pairs compared S s: sum' \
		vsim-run -f -m r2 --summary degree -t 0.5 -o sum x.vec.h5
	closes '1 shard, 12 records S s: e.res.h5' \
		vsim-merge -f -o e.res.h5 run
	closes '4 of 12 records kept S s: t.res.h5' \
		vsim-threshold -f --cells 11,00 --min -1 --top 4 -o t.res.h5 e.res.h5
}

@test "terminal: the next command is named, and runs" {
	local next
	printf 'id\ta\tb\tc\nv\t0\t1\t2\nw\t0\t1\t1\nx\t2\t0\t1\n' >x.tsv
	next=$(script -qec 'vsim-pack --tsv x.tsv -o x.vec.h5' /dev/null </dev/null |
		tr -d '\r' | sed -n 's/.*: next: //p')
	[ "$next" = 'vsim-run -m r2 -t 0.5 -o run x.vec.h5' ]
	next=$(script -qec "$next --allow-empty" /dev/null </dev/null |
		tr -d '\r' | sed -n 's/.*: next: //p')
	[ "$next" = 'vsim-merge -o X.res.h5 run' ]
	next=$(script -qec "$next" /dev/null </dev/null |
		tr -d '\r' | sed -n 's/.*: next: //p')
	[ "$next" = 'vsim-view --sort value X.res.h5' ]
	$next
	next=$(script -qec 'vsim-threshold -t 0.1 -o t.res.h5 X.res.h5' /dev/null \
		</dev/null | tr -d '\r' | sed -n 's/.*: next: //p')
	[ "$next" = 'vsim-view --sort value t.res.h5' ]
	$next
	next=$(script -qec 'vsim-permute --order random -o p.vec.h5 x.vec.h5' \
		/dev/null </dev/null | tr -d '\r' | sed -n 's/.*: next: //p')
	[ "$next" = 'vsim-run -m r2 -t 0.5 -o run p.vec.h5' ]
	next=$(script -qec 'vsim-run -m r2 -t 0.1 --stage 1/2 -o a x.vec.h5' \
		/dev/null </dev/null | tr -d '\r' | sed -n 's/.*: next: //p')
	[ "$next" = 'vsim-merge -o X.res.h5 a ... (all stages)' ]
	# a chain of programs tells the counts alone
	run script -qec 'vsim ld x.vec.h5 --min-r2 0.1 --window-kb all --sort value' \
		/dev/null </dev/null
	[[ $output != *next:* && $output != *' s: '* ]]
	[ "$(grep -c 'vsim-run: 3 variants of 3 samples, 3 pairs compared, 3 found, ' \
		<<<"$output")" = 1 ]
}

@test "terminal: what answers, shows or plans has no closing line" {
	printf 'id\ta\tb\nv\t0\t1\nw\t0\t1\n' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	run script -qec 'vsim-verify x.vec.h5' /dev/null </dev/null
	[ "$status" = 0 ] && [ -z "$output" ]
	run script -qec 'vsim-run -n -t 0.5 x.vec.h5 | grep -c vsim-run:' \
		/dev/null </dev/null
	[ "${output%$'\r'}" = 0 ]
	: >none
	run script -qec 'vsim-run -t 0.5 -o none/run x.vec.h5' /dev/null </dev/null
	[ "$status" != 0 ] && [ "${#lines[@]}" = 1 ]
}

@test "terminal: of several ranks one closes" {
	requires mpi 2
	printf 'id\ta\tb\nv\t0\t1\nw\t0\t1\n' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	ranks 2 vsim-run -v -t -1 -o run x.vec.h5 2>said
	[ "$(grep -c ': 2 variants of 2 samples, 1 pair compared, 4 records found, .* s: run$' said)" = 1 ]
}

# bats test_tags=long
@test "terminal: a narrow one has no line twice, and ^C ends a loop behind a clean one" {
	requires cmd python3
	vsim-pack --synthetic random --vectors 60000 --fields 4000 -o x.vec.h5
	cat >loop.sh <<-'END'
		for k in 1 2; do
			vsim-run -f -t 0.9 --no-prune --cpu scalar -j 1 -o run x.vec.h5
			echo $?
		done
	END
	python3 - <<-'END'
		import fcntl, os, pty, re, select, struct, sys, termios, time

		def size(fd, columns):
		    fcntl.ioctl(fd, termios.TIOCSWINSZ,
		                struct.pack("HHHH", 24, columns, 0, 0))

		pid, fd = pty.fork()
		if not pid:
		    os.environ.pop("TMUX", None)
		    time.sleep(0.1)
		    os.execvp("bash", ["bash", "loop.sh"])
		size(fd, 44)
		widths, seen, columns, sent = [], b"", 44, False
		until = time.time() + 60
		while time.time() < until:
		    if not select.select([fd], [], [], 0.1)[0]:
		        continue
		    try:
		        got = os.read(fd, 65536)
		    except OSError:
		        break
		    if not got:
		        break
		    seen += got
		    for line in re.findall(rb"vsim-run: pairs[^\r\n\033]*", got):
		        widths.append((columns, len(line)))
		    if len(widths) > 1 and columns == 44:
		        columns = 24
		        size(fd, 24)
		        time.sleep(0.25)
		    elif columns == 24 and widths[-1][0] == 24 and not sent:
		        os.write(fd, b"\3")
		        sent = True
		status = os.waitpid(pid, 0)[1]
		# the first one behind a new size may have been under way
		wide = [w for k, w in enumerate(widths) if k and widths[k - 1][0] == w[0]]
		assert wide and all(n <= c - 3 for c, n in wide), widths
		last = seen.decode().replace("\r\n", "\n").rsplit("\r\033[J", 1)[1]
		assert last.startswith("vsim-run: stopped by a signal"), repr(last)
		assert last.count("vsim-run") == 1, repr(last)
		assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == 2, status
	END
	! vsim-verify run 2>/dev/null
}
