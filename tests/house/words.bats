# SPDX-License-Identifier: BSD-3-Clause
# Plain technical English: words that sources and pages do not use, and clauses
# with which no comment begins.
load words

@test "words: sources, messages and pages use standard terms" {
	local words='told|so many|so much of|by large|by and large|toil|in vain'
	words+='|first cache|second cache|third cache|nobody asked|by hand of'
	words+='|whoever|wont'
	# an option's alias may be an old word, which its test and the list of
	# changes name
	none "$(grep -rnIEi --exclude-dir=data --exclude=words.bats \
		"\b($words)\b" libcore formats tools cuda man tests examples \
		README.md CONTRIBUTING.md CHANGELOG.md |
		grep -v -e "\.aliases = " -e '`told`' -e 'told -.* least')"
}

@test "words: the grammar is that of a native speaker" {
	# words of translations, in all text
	none "$(grep -rnIE --exclude-dir=data --exclude=words.bats '\banew\b' \
		libcore formats tools cuda man tests examples .packaging README.md \
		CONTRIBUTING.md CHANGELOG.md)"
	# in pages: an opening genitive, what stands or tells, a default that reads
	# as its opposite
	local first='Of (a|an|the|all|pairs|triples|numbers|such|each|those) '
	none "$(grep -nE "^$first" man/*.[157] README.md)"
	none "$(grep -nEw 'unless given|hands? back|goes on with|gone on with' \
		man/*.[157] README.md)"
	none "$(grep -nE '\bstands? (twice|behind|at the end|in their|in any)\b' \
		man/*.[157] README.md)"
	local where='beside|passed over|with commas between|at the most|'
	where+='whole or not at all|(is|are|was|were) of'
	none "$(grep -nEw "$where" man/*.[157] README.md)"
	# in messages
	none "$(grep -rnE --include='*.[ch]' \
		'"[^"]*\b(cannot look|goes on from|stands at|is wanted, |wanted (is|are) |for want of|leaves such out|answers another)\b' \
		libcore formats tools cuda)"
	none "$(grep -rnE --include='*.[ch]' \
		'"[^"]*\b(stands twice|should stand|goes on with (it|them)|is no (number|file|directory|regular|row|shard|vectors|result|VCF|PLINK|log|sex))\b' \
		libcore formats tools cuda)"
	# code is no person
	none "$(grep -rnE --include='*.[ch]' --include='*.cu' \
		'^[[:space:]]*(/\*|\*) (.*[;:,] )?who (reads|has|counts|counted|opens|wants|writes|calls) ' \
		libcore formats tools cuda)"
}

@test "words: no comment begins with a question or a dangling clause" {
	local first='Of|As|What|Who|Whom|Whose|How many|How much|Where|Which'
	first+='|May|Is|Are|Has|Does|Can'
	none "$(find libcore formats tools cuda tests -name '*.[ch]' -o \
		-name '*.cu' -o -name '*.cuh' | sort | xargs awk -v first="($first) " '
		$0 ~ "^[ \t]*/\\* " first || open && $0 ~ "^[ \t]*\\* " first {
			print FILENAME ":" FNR ": " $0
		}
		{ open = $0 ~ "^[ \t]*/\\*$" }')"
}

@test "words: a source begins with a sentence that says what it is" {
	none "$(find libcore formats tools cuda tests -name '*.[ch]' -o \
		-name '*.cu' -o -name '*.cuh' | sort | xargs awk '
		FNR == 2 { two = $0; sub(/^\/\* */, "", two) }
		FNR == 3 && two == "" { two = $0; sub(/^ \* /, "", two) }
		FNR == 2 && !/^\/\*/ || FNR == 3 && two !~ /^[A-Za-z0-9\047]+[- ,:.]/ {
			print FILENAME ": " $0
		}')"
}

@test "words: no line of a source is wider than 80 columns" {
	none "$(find libcore formats tools cuda tests -name '*.[ch]' -o \
		-name '*.cu' -o -name '*.cuh' | sort | xargs awk -F '\t' '{
			wide = length($1)
			for (k = 2; k <= NF; k++)
				wide += 8 - wide % 8 + length($k)
		}
		wide > 80 { print FILENAME ":" FNR ": " $0 }')"
}
