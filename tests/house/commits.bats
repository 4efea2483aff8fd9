# SPDX-License-Identifier: BSD-3-Clause
# Subjects of commits, since the list of areas in CONTRIBUTING.md was made.
load words

SINCE=1433e512

@test "commits: each subject begins with an area of the list, and says something" {
	cd "$TOP"
	git cat-file -e $SINCE 2>/dev/null || skip 'no history of git'
	local areas
	areas=$(sed -n '/^    vsim/,/^$/p' CONTRIBUTING.md | xargs | tr ' ' '|')
	[ "$(tr -cd '|' <<<"$areas" | wc -c)" -gt 40 ]
	none "$(git log --no-merges --format='%h %s' $SINCE.. |
		grep -vE "^[0-9a-f]+ ($areas): [^ ].{8,72}$")"
}

@test "commits: an area is a program, a folder, or one of six files" {
	local bad= area
	for area in $(sed -n '/^    vsim/,/^$/p' "$TOP/CONTRIBUTING.md"); do
		case $area in
		vsim | vsim-*) [ -e "$TOP/tools/$area.c" ] ||
			[ -e "$TOP/tools/$area" ] || bad+="$area " ;;
		permute) ;; # a folder until its only module became part of its program
		build | ci | packaging | readme | contributing | changelog) ;;
		*) (cd "$TOP" && find libcore formats cuda tools tests man examples \
			-type d -name "$area" | grep -q .) || bad+="$area " ;;
		esac
	done
	none "$bad"
}
