#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Clusters of alleles that go together: the edges of a result, by MCL.
# usage: clusters.sh EDGES.res.h5 >clusters.tsv      one cluster to a line
# exit: 0 done, 2 wrong usage, 4 machine failed, else what vsim-view says
set -eu

fail() {
	code=$1
	shift
	printf 'clusters.sh: %s\n' "$*" >&2
	exit "$code"
}

[ $# = 1 ] || fail 2 'usage: clusters.sh EDGES.res.h5 >clusters.tsv'
command -v vsim-view >/dev/null || fail 4 'no program vsim-view on PATH'
command -v mcl >/dev/null ||
	fail 4 'no program mcl: on Debian and Ubuntu it is the package mcl'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# ended SIGNAL: as by the signal, so that the shell that runs this ends its loop
ended() {
	rm -rf "$work"
	trap - EXIT "$1"
	kill -s "$1" $$
}
for signal in HUP INT TERM; do
	# shellcheck disable=SC2064
	trap "ended $signal" "$signal"
done

# a pipe has the exit code of its last program alone
{
	code=0
	vsim-view --to abc "$1" || code=$?
	echo "$code" >"$work/code"
} | {
	# mcl takes no empty graph; a result without records has no clusters
	IFS= read -r line || exit 0
	{
		printf '%s\n' "$line"
		cat
	} | mcl - --abc -I 2 -o "$work/clusters" 2>"$work/said" || {
		cat "$work/said" >&2
		: >"$work/failed"
	}
}
code=$(cat "$work/code")
[ "$code" = 0 ] || exit "$code"
[ ! -e "$work/failed" ] || fail 4 'mcl failed'
[ -e "$work/clusters" ] || exit 0
# a reader that has enough, such as head, is no failure
cat "$work/clusters" || [ $? = 141 ] || fail 4 'cannot write'
