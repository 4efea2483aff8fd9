# SPDX-License-Identifier: BSD-3-Clause
# A tool is a program, a page, a bats file and a line in vsim.7.
load words

tools() {
	for t in tools/vsim-*.c; do
		basename "$t" .c
	done
}

# the long options of --help, and of a page
help_options() {
	"$1" --help | grep -oE '^ +(-., )?--[a-z][a-z0-9-]*' |
		grep -oE -e '--[a-z].*' | sort -u
}

page_options() {
	grep -E '^\.It Fl' "$1" | grep -oE 'Fl -[a-z][a-z0-9-]*' |
		sed 's/^Fl -/--/' | sort -u
}

@test "tools: each has its page, its bats file and its line in vsim.7" {
	local bad= t
	for t in $(tools); do
		[ -f "man/$t.1" ] || bad+="man/$t.1 is missing"$'\n'
		[ -f "tests/cli/$t.bats" ] ||
			bad+="tests/cli/$t.bats is missing"$'\n'
		grep -q "^\.\(It \)\?Xr $t 1" man/vsim.7 ||
			bad+="man/vsim.7 does not name $t"$'\n'
		grep -qw -- "$t" Makefile || bad+="not in TOOLS: $t"$'\n'
	done
	none "$bad"
}

@test "pages: each page of section 1 has its tool" {
	local bad= p
	for p in man/vsim-*.1; do
		[ -f "tools/$(basename "$p" .1).c" ] || bad+="$p has no tool"$'\n'
	done
	none "$bad"
}

@test "pages: --help lists the options of the page" {
	local bad= t said
	for t in $(tools); do
		said=$(diff <(help_options "$t") <(page_options "man/$t.1")) ||
			bad+="$t (< help, > page): $said"$'\n'
	done
	none "$bad"
}

# rows MACRO: the kernels of kern/rows.h, of any processor
rows() {
	sed -nE "s/^($1)(86|64)?\(([a-z0-9]+).*/\3/p" libcore/kern/rows.h | sort -u
}

@test "pages: kernels are those of kern/rows.h, in the page and in --help" {
	local page said
	page=$(sed -n '/^\.It Fl -kernel/,/^\.It Fl -no-/s/^\.Cm \([a-z0-9]*\).*/\1/p' \
		man/vsim-run.1 | sort -u)
	none "$(diff <(rows 'DENSE|MINIMA') <(echo "$page"))"
	# of this processor: those that --version lists
	said=$(vsim-run --help | tr -s ' \n' ' ' |
		sed 's/.* count by one of //; s/; numbers by one of.*//')
	[ "$said" = "$(vsim-run --version |
		sed -n 's/^kernels \(.*\);.*/\1/p')" ]
}

@test "pages: engines of a GPU are those of cuda/rows.h" {
	none "$(diff <(sed -n 's/^X(\([a-z0-9]*\),.*/\1/p' cuda/rows.h | sort) \
		<(sed -n '/^\.Fl -engine :/,/^\.El/s/^\.It Cm //p' man/vsim.7 |
			tr -d ' ' | tr , '\n' | sort))"
}

@test "pages: metrics are those of metric/rows.h, in the pages and in --help" {
	local names m page bad=
	names=$(sed -nE 's/^METRIC\(([a-z0-9]+).*/\1/p' libcore/metric/rows.h)
	[ "$(wc -w <<<"$names")" -ge 8 ]
	for m in $names; do
		[ -f "libcore/metric/$m.h" ] || bad+="no libcore/metric/$m.h"$'\n'
		grep -q "; $m, " <(vsim-run --help | tr -s ' \n' ' ') ||
			bad+="--help does not name $m"$'\n'
		grep -qE "^\.Cm $m\b" man/vsim-run.1 || bad+="vsim-run.1: $m"$'\n'
		grep -qE "^\.(Cm|It Cm) (.*, )?$m\b" man/vsim-metrics.7 man/vsim-association.7 ||
			bad+="no formula: $m"$'\n'
		grep -qE "^\.It Cm .*\b$m\b" man/vsim.7 || bad+="vsim.7: $m"$'\n'
		grep -qE "^\.Ql $m\b" man/vsim-results.5 ||
			bad+="vsim-results.5: $m"$'\n'
		grep -q "^| .*\`$m\`" README.md || bad+="README.md: $m"$'\n'
	done
	none "$bad"
}

@test "tools: --help and --version go to stdout and leave with 0" {
	local t
	for t in $(tools); do
		run --separate-stderr "$t" --help
		[ "$status" = 0 ] && [ -n "$output" ] && [ -z "$stderr" ] ||
			complain "$t --help: $status $stderr"
		none "$(awk 'length > 80' <<<"$output")"
		run --separate-stderr "$t" --version
		[ "$status" = 0 ] && [[ $output == "$t "* ]] && [ -z "$stderr" ] ||
			complain "$t --version: $status $output $stderr"
	done
}

@test "tools: an unknown option and a missing operand leave with 2" {
	local t
	for t in $(tools); do
		refuses 2 no-such-option "$t" --no-such-option
		refuses 2 . "$t"
	done
}

@test "pages: mandoc has nothing to say" {
	requires cmd mandoc
	# a word such as .fam at the beginning of a line would be lost
	none "$(grep -nE '^\.[a-z]' man/*.[157])"
	none "$(mandoc -T lint -W warning man/*.[157])"
}
