# SPDX-License-Identifier: BSD-3-Clause
# A tool is a program, a page, a bats file and a line in vsim.7.
load words

tools() {
	for t in tools/vsim*; do
		basename "$t" .c
	done
}

# the long options of --help, and of a page
help_options() {
	{
		"$1" --help
		[ "$1" != vsim ] || for v in $(vsim --help |
			sed -n '/^questions/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
			vsim "$v" --help
		done
	} | grep -oE '^ +(-., )?--[a-z][a-z0-9-]*' |
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
	for p in man/vsim*.1; do
		[ -f "tools/$(basename "$p" .1).c" ] ||
			[ -f "tools/$(basename "$p" .1)" ] || bad+="$p has no tool"$'\n'
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

# "group: --option" for each option, in the order of the page
page_groups() {
	awk '/^\.Sh/ { inside = $2 == "OPTIONS" } !inside { next }
		/^\.Ss/ { sub(/^\.Ss /, ""); group = $0 }
		/^\.It Fl/ { n = split($0, word, "Fl -")
			for (k = 2; k <= n; k++) {
				sub(/ .*/, "", word[k])
				print group ": --" word[k]
			} }' "$1"
}

@test "pages: options stand in the groups and the order of --help" {
	local bad= t said
	for t in $(tools | grep vsim-); do
		said=$(diff <("$t" --list-options | awk -F '\t' '{ print $6 ": --" $2 }') \
			<(page_groups "man/$t.1")) || bad+="$t (< help, > page): $said"$'\n'
		# the headings that a reader of --help sees are these
		said=$(diff <("$t" --list-options | awk -F '\t' '!seen[$6]++ { print $6 ":" }') \
			<("$t" --help | sed -n '/^exit/q; /^examples/q; /^usage/d; /^[A-Z].*:$/p')) ||
			bad+="$t (< table, > help): $said"$'\n'
	done
	none "$bad"
}

@test "tools: --help has one line for each option, -h the common ones" {
	local bad= t n
	for t in $(tools | grep vsim-); do
		# a heading, an option, a detail of one, or nothing
		bad+=$("$t" --help | sed -n '/^[A-Z][A-Za-z ]*:$/,/^e/p' |
			grep -vE '^$|^[A-Z].*:$|^  (-.,|   ) --|^ {8}[^ ]|^ {21}|^e' |
			sed "s/^/$t: /")
		n=$("$t" -h | wc -l)
		[ "$n" -le 25 ] || bad+="$t -h: $n lines"$'\n'
		n=$("$t" -h | grep -cE '^  (-.,|   ) --')
		[ "$n" -ge 4 ] || bad+="$t -h: $n options"$'\n'
		"$t" -h | tail -1 | grep -qx "$t --help lists all options" ||
			bad+="$t -h does not name --help"$'\n'
	done
	none "$bad"
}

@test "pages: a synopsis has the commonest calls, of options that there are" {
	local bad= t calls name
	for t in $(tools); do
		calls=$(sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "man/$t.1")
		[ "$(wc -l <<<"$calls")" -le 24 ] &&
			[ "$(grep -c '^\.Nm$' <<<"$calls")" -le 5 ] ||
			bad+="$t: a list, and not the commonest calls"$'\n'
		for name in $(grep -oE '(Fl|\|) -[a-z][a-z0-9-]*' <<<"$calls" |
			sed 's/^.* -/--/'); do
			help_options "$t" | grep -qx -e "$name" ||
				bad+="$t: no option $name"$'\n'
		done
	done
	# an option of one letter has one dash in all of a page
	bad+=$(grep -nE 'Fl -[a-z]( |$)' man/*.[157] || true)
	none "$bad"
}

# rows MACRO: the kernels of kern/rows.h, of any processor
rows() {
	sed -nE "s/^((X86|ARM)\()?($1)(\(|, )([a-z0-9]+).*/\5/p" libcore/kern/rows.h | sort -u
}

@test "pages: kernels are those of kern/rows.h, in the page and in --version" {
	local page said
	page=$(sed -n '/^\.Sh KERNELS/,/^\.Sh CHECKPOINTS/s/^\.It Cm //p' \
		man/vsim-internals.7 | tr -d ' ' | tr , '\n' | sort -u)
	none "$(diff <(rows 'DENSE|MINIMA') <(echo "$page"))"
	# --help points to --version, which lists those of this processor
	for said in $(vsim-run --version | sed -n 's/^kernels \(.*\);.*/\1/p'); do
		grep -qx "$said" <<<"$page" || complain "kernel $said"
	done
	[ -n "$said" ]
}

@test "pages: engines of a GPU are those of cuda/rows.h" {
	none "$(diff <(sed -n 's/^X(\([a-z0-9]*\),.*/\1/p' cuda/rows.h | sort) \
		<(sed -n '/^\.Fl -engine :/,/^\.El/s/^\.It Cm //p' man/vsim-internals.7 |
			tr -d ' ' | tr , '\n' | sort))"
}

@test "pages: metrics are those of metric/rows.h, in the pages and in --help" {
	local names m page bad=
	names=$(sed -nE 's/^METRIC\(([a-z0-9]+).*/\1/p' libcore/metric/rows.h)
	[ "$(wc -w <<<"$names")" -ge 8 ]
	for m in $names; do
		[ -f "libcore/metric/$m.h" ] || bad+="no libcore/metric/$m.h"$'\n'
		grep -q "^        $m  *[^ ]" <(vsim-run --help) ||
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
		[ "$t" != vsim ] || continue
		# the synopsis may follow
		run -2 --separate-stderr "$t"
		[[ -z $output && ${stderr_lines[0]} == "$t: "* ]] ||
			complain "$t: $output $stderr"
	done
}

@test "pages: mandoc has nothing to say" {
	requires cmd mandoc
	# a word such as .fam at the beginning of a line would be lost
	none "$(grep -nE '^\.[a-z]' man/*.[157])"
	# examples come before the options
	none "$(mandoc -T lint -W warning man/*.[157] |
		grep -v 'sections out of conventional order')"
}

@test "pages: options that vsim-plink(7) has in place of PLINK's are options" {
	local program verb help=$BATS_TEST_TMPDIR/help named=$BATS_TEST_TMPDIR/named
	for program in pack run merge threshold view; do
		"vsim-$program" --help
	done >"$help"
	for verb in ld prune epistasis; do
		vsim $verb --help >>"$help"
	done
	sed -n '/^.It Em PLINK/,/^.El/s/^.It.* Ta //p' "$TOP/man/vsim-plink.7" |
		grep -oE -- '--[a-z0-9-]+' | sort -u >"$named"
	[ "$(wc -l <"$named")" -gt 9 ]
	none "$(comm -23 "$named" <(grep -oE -- '--[a-z0-9-]+' "$help" | sort -u))"
}

# listed PAGE WORDS: words that the page does not have in bold, in a line of .It or
# .Cm, and which lists they are of
listed() {
	[ "$(wc -w <<<"$2")" -gt 3 ] || echo "$1: no words"
	comm -23 <(tr ' ' '\n' <<<"$2" | sort -u) \
		<(sed -nE 's/^\.(It )?Cm //p' "$TOP/man/$1" | grep -oE '^[a-z-]+|[|,] *[a-z-]+' |
			tr -d '|, ' | sort -u) | sed "s/^/$1: /"
}

@test "pages: words of formats, summaries, plots and questions are in their pages" {
	none "$(
		listed vsim-view.1 "$(vsim-view --list-options |
			awk -F'\t' '$2 == "to" { gsub(/\|/, " ", $4); print $4 }')"
		listed vsim-run.1 "$(sed -n 's/^SUMMARY([a-z_]*, "\([^"]*\)".*/\1/p' \
			"$TOP/libcore/metric/summary_rows.h" | xargs)"
		listed vsim-plot.1 "$(sed -n 's/^    Kind("\([a-z]*\)".*/\1/p' \
			"$TOP/tools/plot/command.py" | xargs)"
		listed vsim.1 "$(sed -n 's/^RECIPE(\([a-z]*\),.*/\1/p' \
			"$TOP/tools/chain/rows.h" | xargs)"
	)"
}
