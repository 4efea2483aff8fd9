# SPDX-License-Identifier: BSD-3-Clause
# Each folder of C has a budget of lines, and all have one together.
load words

# lines: of each folder's own C and CUDA, and of all, as in budget.tsv
lines() {
	find libcore formats cuda tools -type f \
		\( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
		xargs -0 wc -l | awk '$2 != "total" {
			all += $1
			sub("/[^/]*$", "", $2)
			n[$2] += $1
		}
		END { for (d in n) print d "\t" n[d]; print "total\t" all }' | sort
}

@test "budget: no folder has more lines than it is allowed" {
	local over
	over=$(lines | awk -F'\t' '
		NR == FNR { if (!/^#/) most[$1] = $2; next }
		!($1 in most) { print $1 ": has no line in budget.tsv"; next }
		$2 > most[$1] {
			print $1 ": " $2 " lines, and " most[$1] " are allowed"
		}' tests/house/budget.tsv -)
	none "$over"
}

@test "budget: each line names an existing folder" {
	diff <(grep -v '^#' tests/house/budget.tsv | cut -f1) <(lines | cut -f1)
}
