#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The strongest pairs or triples with their family-wise p: the share of searches
# with the status of the samples dealt out anew that find one as strong.
# usage: family_wise.sh X.vec.h5 [METRIC [WAY [N [PERMUTATIONS]]]]
#        k2, 2 (pairs), 10 records and 99 permutations unless given; what was
#        found is kept in X.vec.h5.null, so that a second call goes on
set -eu
input=${1:?usage: family_wise.sh X.vec.h5 [METRIC [WAY [N [PERMUTATIONS]]]]}
metric=${2:-k2} way=${3:-2} n=${4:-10} permutations=${5:-99}
keep=$input.null/$metric-$way
columns=id1,id2
[ "$way" = 2 ] || columns=$columns,id3
mkdir -p "$keep"

# search NAME OPTION...: the values found, in $keep/NAME.tsv
search() {
	name=$1
	shift
	[ ! -e "$keep/$name.tsv" ] || return 0
	vsim-run -f -m "$metric" -w "$way" -o "$keep/run" \
		--merge "$keep/all.res.h5" "$@" "$input"
	vsim-view -c "$columns,value" -f -o "$keep/$name.tsv" "$keep/all.res.h5"
}

search "top-$n" --top "$n"
seed=0
while [ "$seed" -lt "$permutations" ]; do
	seed=$((seed + 1))
	search "null-$seed" --top 1 --shuffle-cases "$seed"
	tail -n +2 "$keep/null-$seed.tsv"
done >"$keep/null.tsv"
rm -rf "$keep/run" "$keep/all.res.h5"

# of k2 lower is stronger
order=gr sign=1
[ "$metric" != k2 ] || order=g sign=-1
printf '%s\tp_family\n' "$(head -n 1 "$keep/top-$n.tsv")"
awk -v OFS='\t' -v sign=$sign -v permutations="$permutations" '
	null { best[++n] = sign * $NF }
	!null && FNR > 1 {
		reached = 1
		for (k = 1; k <= n; k++)
			reached += best[k] >= sign * $NF
		print $0, reached / (permutations + 1)
	}' null=1 "$keep/null.tsv" null=0 "$keep/top-$n.tsv" |
	sort -k"$((way + 1)),$((way + 1))$order" -k1,1
