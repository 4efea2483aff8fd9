# SPDX-License-Identifier: BSD-3-Clause
# Connected components and degrees of the graph of a result.
load ../../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# blocks: x.vec.h5, 300 vectors in blocks of like ones, and ids, rows with names
blocks() {
	awk 'BEGIN {
		srand(11)
		for (v = 0; v < 300; v++) {
			if (v == 0 || rand() < 0.2) p = 0.1 + 0.8 * rand()
			line = "v" v
			for (q = 0; q < 80; q++) {
				if (!v || rand() < 0.25)
					g[q] = (rand() < p) + (rand() < p)
				line = line "\t" (rand() < 0.02 ? "NA" : g[q])
			}
			print line
		}
	}' | LC_ALL=C sort -t"$(printf '\t')" -k2,9 >body
	{
		printf id
		printf '\ts%d' {1..80}
		echo
		cat body
	} >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	awk -F'\t' '{ print NR - 1 "\t" $1 }' body >ids
}

# theirs RESULT COLUMNS OPTION...: both tables are those of the records left by
# the options
theirs() {
	local from=$1 columns=$2 what
	shift 2
	if [ $# -gt 0 ]; then
		vsim-threshold -f "$@" -o kept.res.h5 "$from"
	else
		cp "$from" kept.res.h5
	fi
	vsim-view --no-header -c "$columns" kept.res.h5 >records
	[ "$(wc -l <records)" -gt 30 ]
	for what in components degrees; do
		"$PYTHON" "$TOP/tests/flow/components.py" ids $what \
			<records >want
		vsim-threshold --$what "$@" -o - "$from" >got
		cmp want got || complain "$what $*: $(wc -l <want) lines"
	done
}

# bats test_tags=long
@test "components: those of pairs, by any condition, and of cells" {
	requires python sys
	blocks
	vsim-run -m r2 -t 0.1 -o run --merge r2.res.h5 x.vec.h5
	theirs r2.res.h5 i,j
	theirs r2.res.h5 i,j --above 0.4
	theirs r2.res.h5 i,j --min 0.2 --max 0.5
	vsim-threshold --components --above 0.4 -o - r2.res.h5 >t
	[ "$(awk 'NR > 1 { print $4 }' t | sort -u | wc -l)" -gt 5 ]
	vsim-run -f -t 0.55 -o run --merge ccc.res.h5 x.vec.h5
	theirs ccc.res.h5 i,j
	theirs ccc.res.h5 i,j --above 0.65
	theirs ccc.res.h5 i,j --cells 00,11
	head -n 40 body | cut -f1 >few
	theirs ccc.res.h5 i,j --keep few --keep-either
	# a permuted file names vectors as the input does
	vsim-permute --order frequency -o p.vec.h5 x.vec.h5
	vsim-run -f -t 0.55 -o run --merge p.res.h5 p.vec.h5
	vsim-threshold --components -o want.tsv ccc.res.h5
	vsim-threshold --components -o got.tsv p.res.h5
	cmp want.tsv got.tsv
}

@test "components: a triple joins three vectors, and counts once for each" {
	requires python sys
	blocks
	vsim-run -w 3 -t 0.3 -o run --merge t.res.h5 x.vec.h5
	theirs t.res.h5 i,j,k
	theirs t.res.h5 i,j,k --above 0.32
}

@test "components: what cannot be is refused" {
	blocks
	vsim-run -m r2 -t 0.1 -o run --merge r2.res.h5 x.vec.h5
	refuses 2 'not a merged result' vsim-threshold --components -o - run/*.shard.h5
	refuses 2 '--components cannot be combined with --degrees' \
		vsim-threshold --components --degrees -o - r2.res.h5
	refuses 2 '--prune cannot be combined with --components' \
		vsim-threshold --components --prune y -o - r2.res.h5
	refuses 2 '--degrees cannot be combined with --top' \
		vsim-threshold --degrees --top 5 -o - r2.res.h5
	refuses 2 '--output, --prune or --blocks is required' vsim-threshold --degrees r2.res.h5
	refuses 2 '--degrees cannot be combined with --codec' \
		vsim-threshold --degrees --codec zstd -o - r2.res.h5
	refuses 2 '--prune cannot be combined with --level' \
		vsim-threshold --prune y --level 3 --above 0.5 r2.res.h5
	echo old >there
	refuses 2 'there' vsim-threshold --degrees -o there r2.res.h5
	vsim-threshold -f --degrees --above 0.999 -o there r2.res.h5
	[ "$(wc -l <there)" = 1 ]
}
