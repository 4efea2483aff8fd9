# SPDX-License-Identifier: BSD-3-Clause
# Thresholds by permutation: --permute-test.
load ../../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# common V F: x.tsv and x.vec.h5 of common variants, that resemble each other
common() {
	awk -v v="$1" -v n="$2" 'BEGIN {
		srand(3)
		printf "id"
		for (q = 0; q < n; q++) printf "\ts%d", q
		print ""
		for (k = 0; k < v; k++) {
			printf "v%d", k
			for (q = 0; q < n; q++) {
				if (!k || rand() < 0.3) g[q] = int(3 * rand())
				printf "\t%d", g[q]
			}
			print ""
		}
	}' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
}

# shown KEY: of the YAML in said
shown() {
	sed -n "s/^$1: //p" said
}

# bats test_tags=long
@test "permute test: of r2 it is what numpy finds of permuted samples" {
	requires python numpy
	common 40 60
	"$PYTHON" "$TOP/tests/flow/permute_test.py" x.tsv 60 >want
	vsim-run -m r2 --permute-test 99 x.vec.h5 >said
	read -r mean error <want
	awk -v got="$(shown threshold)" -v mean="$mean" -v error="$error" \
		'BEGIN { exit !(got > mean - 4 * error && got < mean + 4 * error) }' ||
		complain "$(cat said want)"
	# linked as they are the vectors themselves have more
	vsim-run -m r2 --top 1 -o run --merge top.res.h5 x.vec.h5
	awk -v got="$(vsim-view --no-header -c value top.res.h5)" \
		-v null="$(shown null_strongest)" 'BEGIN { exit !(got > null) }'
}

# bats test_tags=long
@test "permute test: of metrics with cases it is that of --shuffle-cases" {
	requires python sys
	local of metric seed way
	"$PYTHON" "$TOP/tests/flow/association.py" make 5 24 120 0.03 60 x
	vsim-pack --tped x -o x.vec.h5
	for of in 'k2 2' 'inter 2' 'g 3'; do
		metric=${of% *} way=${of#* }
		for seed in {1..19}; do
			vsim-run -f -m "$metric" -w "$way" --top 1 \
				--shuffle-cases "$seed" -o run --merge t.res.h5 \
				-f x.vec.h5
			vsim-view --no-header -c value t.res.h5
		done | LC_ALL=C sort -g$([ "$metric" = k2 ] || echo r) >want
		[ "$(wc -l <want)" = 19 ]
		vsim-run -m "$metric" -w "$way" --permute-test 19 x.vec.h5 >said
		[ "$(shown permutations)" = 19 ]
		[ "$(shown threshold)" = "$(head -n 1 want)" ]
		[ "$(shown null_strongest)" = "$(head -n 1 want)" ]
		[ "$(shown null_median)" = "$(sed -n 10p want)" ]
		[ "$(shown null_weakest)" = "$(tail -n 1 want)" ]
	done
	# the fifth of 99 is the threshold
	for seed in {1..99}; do
		vsim-run -f -m mi --top 1 --shuffle-cases "$seed" -o run \
			--merge t.res.h5 -f x.vec.h5
		vsim-view --no-header -c value t.res.h5
	done | LC_ALL=C sort -gr >want
	vsim-run -m mi --permute-test 99 x.vec.h5 >said
	[ "$(shown threshold)" = "$(sed -n 5p want)" ]
}

# bats test_tags=long
@test "permute test: ranks, tiles, threads and order do not show" {
	local of how
	requires mpi 2
	common 70 50
	vsim-permute --order frequency -o p.vec.h5 x.vec.h5
	for of in '-m r2' '-m ccc' '-w 3' '-m r2 --pairs-between 0-9 20-69'; do
		# shellcheck disable=SC2086
		vsim-run $of --permute-test 19 x.vec.h5 >want
		grep -q '^threshold: 0' want
		for how in '1 --tile 9' '2 -j 2' '1 -j 1 --no-prune'; do
			# shellcheck disable=SC2086
			ranks "${how%% *}" vsim-run $of ${how#* } \
				--permute-test 19 x.vec.h5 >got
			cmp want got || complain "$of $how"
		done
		[[ $of = *between* ]] && continue
		# shellcheck disable=SC2086
		vsim-run $of --permute-test 19 p.vec.h5 >got
		cmp want got || complain "$of, in another order"
	done
	[ "$(ls)" = "$(printf '%s\n' got p.vec.h5 want x.tsv x.vec.h5)" ]
}

@test "permute test: values are compared as a run does, and not below -t" {
	common 30 40
	vsim-run -m r --permute-test 39 x.vec.h5 >want
	vsim-run -m r --value f32 --permute-test 39 x.vec.h5 >got
	cmp want got
	[[ $(sed -n 's/^threshold: //p' want) = 0.?????????* ]]
	vsim-run -m r -t 0.9 --permute-test 39 x.vec.h5 >said
	[ "$(shown threshold)$(shown null_weakest)" = 0.90.9 ]
}

@test "permute test: what goes with none is refused" {
	common 9 20
	refuses 2 '--permute-test cannot be combined with --output' \
		vsim-run -m r2 --permute-test 19 -o run x.vec.h5
	refuses 2 '--permute-test cannot be combined with --top' vsim-run --permute-test 19 --top 3 x.vec.h5
	refuses 2 '--permute-test cannot be combined with thresholds by class' \
		vsim-run --permute-test 19 -t LL=0.2 x.vec.h5
	refuses 2 '--permute-test cannot be combined with --backend cuda' \
		vsim-run --permute-test 19 --backend cuda x.vec.h5
	refuses 2 '18' vsim-run --permute-test 18 x.vec.h5
	gone run
}
