# SPDX-License-Identifier: BSD-3-Clause
# Names, sizes, tags, layout.
load words

# a library's members go by their stems, and so do those who look for one
@test "names: no stem twice in a library, rows.h apart" {
	none "$(sources | grep -v -e /rows.h -e ^tests/ |
		sed -E 's|^([^/]*)(.*)/([^/]*)\.[ch]$|\1 \3 \2|' | sort -u |
		awk '{ stem = $1 "/" $2 } stem == was; { was = stem }')"
}

@test "names: file names are lower case" {
	none "$(sources | grep '[A-Z]')"
}

@test "names: a struct is called struct" {
	none "$(sources | xargs grep -nE '^typedef (struct|union|enum)')"
}

@test "rows.h: no condition around a row" {
	none "$(sources rows.h | xargs -r grep -nE '^ *# *(if|else|elif)' |
		grep -vE '#ifndef VS_[A-Z0-9_]+_H$')"
}

@test "sizes: no file over 800 lines, the Makefile under 300" {
	none "$(sources '*.*' | grep -v ^tests/data/ | xargs wc -l |
		awk '$2 != "total" && $1 > 800')"
	[ "$(wc -l <Makefile)" -lt 300 ]
}

@test "layout: the top level holds what CONTRIBUTING names, and nothing else" {
	cd "$TOP"
	git rev-parse --git-dir >/dev/null 2>&1 || skip 'no clone of git'
	none "$(git ls-files |
		cut -d/ -f1 | sort -u | grep -vxE '\..*|Makefile|[A-Z]+\.md|LICENSE|CITATION\.cff|tools|libcore|cuda|formats|tests|man|examples')"
}

@test "licence: each source carries its tag" {
	none "$(sources | xargs grep -L \
		'SPDX-License-Identifier: BSD-3-Clause')"
}

# bats test_tags=long
@test "layout: clang-format would change nothing" {
	requires cmd clang-format
	clang-format --version | grep -q 'version 14\.' ||
		skip "another clang-format than 14 lays out differently"
	none "$(sources | xargs clang-format --dry-run 2>&1 |
		awk -F: '/warning: code should/ && !seen[$1]++ { print $1 ":" $2 }')"
}

@test "layout: no line ends in a space" {
	none "$(sources '*.*' | grep -v ^tests/data/ |
		xargs grep -nE '[ 	]+$' Makefile man/* 2>/dev/null)"
}
