# SPDX-License-Identifier: BSD-3-Clause
# Results of PLINK beside those of the same options here.

# pruned WINDOW STEP T LEAST: PLINK's lists for x.bed, of what stays and what goes,
# are those of vsim-threshold, from r2 in ld.res.h5 and from x.vec.h5; more than
# LEAST go
pruned() {
	local window=("${1%kb}") from
	[[ $1 != *kb ]] || window+=(kb)
	plink1.9 --bfile x --indep-pairwise "${window[@]}" "$2" "$3" \
		--allow-no-sex --out p >/dev/null
	vsim-threshold -f --prune x --window "$1" --step "$2" --above "$3" \
		ld.res.h5
	for from in x.vec.h5 x.bed; do
		vsim-threshold -f --prune v --window "$1" --step "$2" \
			--above "$3" $from 2>/dev/null
		cmp x.prune.in v.prune.in || complain "$*: $from"
		cmp x.prune.out v.prune.out || complain "$*: $from"
	done
	cmp p.prune.in x.prune.in || complain "$*: $(wc -l <p.prune.in) in"
	cmp p.prune.out x.prune.out || complain "$*: $(wc -l <p.prune.out) out"
	[ "$(wc -l <x.prune.out)" -gt "$4" ]
}

# clumps P1 P2 R2 KB INPUT: all columns of PLINK's clumps of x.bed and p.txt but P,
# which is rounded there, are those of vsim-threshold, from a result or vectors
clumps() {
	plink1.9 --bfile x --clump p.txt --clump-p1 "$1" --clump-p2 "$2" \
		--clump-r2 "$3" --clump-kb "$4" --allow-no-sex --out c >/dev/null
	vsim-threshold -f --clump p.txt --clump-p1 "$1" --clump-p2 "$2" \
		--above "$3" --clump-kb "$4" -o x.clumped "$5"
	diff <(awk 'NF { $5 = ""; print }' c.clumped) \
		<(awk '{ $5 = ""; print }' x.clumped) ||
		complain "$*: $(wc -l <x.clumped) lines"
	[ "$(wc -l <x.clumped)" -gt 10 ]
}

# p_values SEED: p.txt of most variants of x.bim, a third of them below 0.1
p_values() {
	awk -v seed="$1" 'BEGIN { srand(seed); print "SNP P" } rand() < 0.95 {
		print $2, rand() < 0.3 ? 10 ^ (-7 * rand()) : rand() }' x.bim \
		>p.txt
}
