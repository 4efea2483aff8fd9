#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Cluster the alleles of a merged result with MCL.
# usage: clusters.sh EDGES.res.h5 >clusters.tsv      one cluster per line
# exit: 0 done, 2 wrong usage, 4 machine failed, otherwise the status of vsim-view
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
# ended SIGNAL: die of the signal, so that a loop of the calling shell ends too
ended() {
	rm -rf "$work"
	trap - EXIT "$1"
	kill -s "$1" $$
}
for signal in HUP INT TERM; do
	# shellcheck disable=SC2064
	trap "ended $signal" "$signal"
done

# the status of a pipe is that of its last program, so save the other one
{
	code=0
	vsim-view --to abc "$1" || code=$?
	echo "$code" >"$work/code"
} | {
	# mcl refuses an empty graph; without records there are no clusters
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
# a reader such as head may exit first
cat "$work/clusters" || [ $? = 141 ] || fail 4 'cannot write'
