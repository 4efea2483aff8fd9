# SPDX-License-Identifier: BSD-3-Clause
# Results of PLINK beside those of the same options here.

# pruned WINDOW STEP T LEAST: of x.bed and its r2, ld.res.h5, PLINK's lists of what
# stays and what goes are those of vsim-threshold, and more than LEAST go
pruned() {
	local window=("${1%kb}")
	[[ $1 != *kb ]] || window+=(kb)
	plink1.9 --bfile x --indep-pairwise "${window[@]}" "$2" "$3" \
		--allow-no-sex --out p >/dev/null
	vsim-threshold -f --prune x --window "$1" --step "$2" --above "$3" \
		ld.res.h5
	cmp p.prune.in x.prune.in || complain "$*: $(wc -l <p.prune.in) in"
	cmp p.prune.out x.prune.out || complain "$*: $(wc -l <p.prune.out) out"
	[ "$(wc -l <x.prune.out)" -gt "$4" ]
}
