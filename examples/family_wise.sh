#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Print the strongest pairs or triples with their family-wise p-values: the share
# of searches with permuted case labels that find a value as strong.
# usage: family_wise.sh X.vec.h5 [METRIC [WAY [N [PERMUTATIONS]]]]
#        The defaults are k2, 2 (pairs), 10 records and 99 permutations.
#        Finished searches are kept in X.vec.h5.null, so an interrupted call can
#        be repeated.
set -eu
input=${1:?usage: family_wise.sh X.vec.h5 [METRIC [WAY [N [PERMUTATIONS]]]]}
metric=${2:-k2} way=${3:-2} n=${4:-10} permutations=${5:-99}
keep=$input.null/$metric-$way-$n-$permutations
columns=id1,id2
[ "$way" = 2 ] || columns=$columns,id3
mkdir -p "$keep"

[ -e "$keep/top.res.h5" ] || vsim-run --resume -m "$metric" -w "$way" \
	--top "$n" --permutations "$permutations" -o "$keep/run" \
	--merge "$keep/top.res.h5" "$input"
vsim-view --sort value -c "$columns,value,p_family" "$keep/top.res.h5"
