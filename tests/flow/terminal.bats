# SPDX-License-Identifier: BSD-3-Clause
# What a terminal shows, and a file does not.
load ../helpers

setup() {
	requires cmd script
	script -qec true /dev/null </dev/null >/dev/null 2>&1 ||
		skip "no terminal can be made here"
	cd "$BATS_TEST_TMPDIR" || return
}

# closes LINE CMD...: on a terminal CMD says this line and nothing else, S being
# some seconds; elsewhere nothing; with -v the line is the last one anywhere
closes() {
	local want="^vsim-[a-z]*: ${1/ S s/, [0-9.]+ s}\$"
	shift
	quietly "$@"
	run script -qec "$(printf '%q ' "$@")" /dev/null </dev/null
	[ "$status" = 0 ] && [[ ${output%$'\r'} =~ $want ]] ||
		complain "$*" "on a terminal: $output" "wanted: $want"
	run --separate-stderr "$@" -v
	[ "$status" = 0 ] && [[ ${stderr_lines[-1]} =~ $want ]] ||
		complain "$* -v: $stderr"
}

@test "terminal: what writes a file ends with what is in it" {
	printf 'id\ta\tb\tc\nv\t0\t1\t2\nw\t0\t1\t1\nx\t2\t0\t1\n' >x.tsv
	closes '3 vectors of 3 samples S s: x.vec.h5' \
		vsim-pack -f --tsv x.tsv -o x.vec.h5
	closes '3 vectors of 3 samples S s: m.vec.h5' \
		vsim-pack -f --matrix x.tsv -o m.vec.h5
	closes '3 vectors S s: y.vec.h5' \
		vsim-permute -f --order random -o y.vec.h5 x.vec.h5
	closes '3 pairs, 12 records S s: run' \
		vsim-run -f -t -1 -o run x.vec.h5
	closes 'nothing was left to do S s: run' \
		vsim-run --resume -t -1 -o run x.vec.h5
	closes '1 triples, 8 records S s: three' \
		vsim-run -f --way 3 -t -1 -o three x.vec.h5
	closes '1 shards, 12 records S s: e.res.h5' \
		vsim-merge -f -o e.res.h5 run
	closes '4 of 12 records kept S s: t.res.h5' \
		vsim-threshold -f --cells 11,00 --min -1 --top 4 -o t.res.h5 e.res.h5
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
	[ "$(grep -c ': 1 pairs, 4 records, .* s: run$' said)" = 1 ]
}
