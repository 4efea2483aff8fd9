# SPDX-License-Identifier: BSD-3-Clause
# Vectors with a case-control status, run and compared with Python: `load
# association`, behind the helpers.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

py() {
	"$PYTHON" "$TOP/tests/flow/association.py" "$@"
}

# made SEED VECTORS SAMPLES MISSING CASES: x.vec.h5
made() {
	py make "$@" x
	vsim-pack --tped x -f -o x.vec.h5
}

# all METRIC WAY OPTION...: every combination, in x.res.h5
all() {
	local t=-1
	[ "$1" != k2 ] || t=1e300
	[ "$1" != lbf ] || t=-1e300
	vsim-run -f -m "$1" -w "$2" -t "$t" -o run x.vec.h5 "${@:3}"
	vsim-merge -f -o x.res.h5 run
}

# judged "METRIC..." OPTION...: pairs and triples
judged() {
	local m w metrics=$1
	shift
	for m in $metrics; do
		for w in 2 3; do
			all "$m" "$w" "$@"
			vsim-view x.res.h5 >x.tsv
			py judge x "$m" "$w" x.tsv
			vsim-verify --against x.vec.h5 run
		done
	done
}

digest() {
	vsim-verify "$1" >&2
	vsim-view -H "$1" | awk '/^#content/ { print $NF; exit }'
}

# rows NAME: ids and value of a result of triples
rows() {
	vsim-view "$1.res.h5" | awk '
		NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
		{ print $1, $at["id2"], $at["id3"], $at["value"] }'
}

# edges MISSING: classes about as large as a word or a block of words, compared with
# Python
edges() {
	local sizes="1 31 32 33 63 64 65 1023 1024 1025" cases controls missing=$1
	for cases in $sizes; do
		# another size for the controls each time
		controls=$(awk -v n="$cases" '{ for (k = 1; k <= NF; k++)
			if ($k == n) print $((k + 3) % NF + 1) }' <<<"$sizes")
		# where calls are missing one sample is of neither class
		made "$cases" 6 $((cases + controls + (${#missing} > 1))) \
			"$missing" "$cases"
		[ "$(vsim-run -n -m g -t 0 --verbose -o run x.vec.h5 2>&1 |
			grep -c "$controls controls and $cases cases")" = \
			$((${#missing} > 1)) ]
		judged "k2 mi g inter"
	done
}

none_of() {
	local found
	found=$(cat)
	[ -z "$found" ] || complain "$found"
}
