# SPDX-License-Identifier: BSD-3-Clause
# Vectors sorted by frequency before they are cut into blocks: whatever the tiles and
# the ranks, the same pairs are left out, and all results are equal.
load ../../helpers

# counted: pairs that the last run counted
counted() {
	sed -n 's/^pairs_counted: //p' s.yaml
}

# ordered DIR: each shard states one order; unordered DIR: none does
ordered() {
	local s
	for s in "$1"/*.shard.h5; do
		vsim-view -H "$s" | sed -n 's/^#order: //p'
	done | sort -u >orders
	[ "$(wc -l <orders)" = 1 ]
	grep -Eq '^frequency [0-9a-f]{32}$' orders
}

unordered() {
	local s
	for s in "$1"/*.shard.h5; do
		! vsim-view -H "$s" | grep -E '^#order: .|features:.* order'
	done
}

# rare: variants of all frequencies, some like the one before, 2 % of calls missing
rare() {
	awk -v n="$1" -v fields="$2" 'BEGIN {
		srand(7)
		printf "id"
		for (q = 0; q < fields; q++) printf "\ts" q
		print ""
		for (v = 0; v < n; v++) {
			f = rand() * rand()
			alike = rand() < 0.4
			printf "v" v
			for (q = 0; q < fields; q++) {
				if (!alike || rand() < 0.05)
					g[q] = (rand() < f) + (rand() < f)
				printf "\t%s", rand() < 0.02 ? "NA" : g[q]
			}
			print ""
		}
	}' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
}

# bats test_tags=long
@test "order: 1, 2 and 4 ranks and three tile sizes count the same number of pairs" {
	requires mpi 4
	local one n how
	vsim-pack --vcf "$TOP/examples/chr20.vcf.gz" -o x.vec.h5
	vsim-run -m r2 -t 0.8 -j 1 --stats s.yaml --merge one.res.h5 -o one x.vec.h5
	one=$(counted)
	unordered one # a block
	for how in '1 --tile 700' '1 --tile 2000' '1 --tile 6000' 2 4; do
		rm -rf run
		# shellcheck disable=SC2086
		ranks ${how%% *} vsim-run -m r2 -t 0.8 -j 1 --stats s.yaml -o run \
			x.vec.h5 ${how#[0-9]}
		ordered run
		vsim-merge -f -o run.res.h5 run
		[ "$(content run.res.h5)" = "$(content one.res.h5)" ]
		n=$(counted)
		echo "$how: $n of $one"
		[ $((100 * n)) -lt $((105 * one)) ]
	done
	# what it gains
	VSIM_WITHOUT=order vsim-run -m r2 -t 0.8 -j 1 --tile 700 --stats s.yaml \
		-o without x.vec.h5
	unordered without
	[ "$(counted)" -gt $((2 * one)) ]
}

# bats test_tags=long
@test "order: each way to exchange vectors, of correlations with missing calls" {
	requires mpi 3
	local m how
	rare 4500 90
	for m in r2 r cosine; do
		vsim-run -m "$m" -t 0.6 --no-prune --merge "$m.res.h5" -o "$m" x.vec.h5
		unordered "$m"
		for how in '3 --exchange ring' '2 --exchange fetch' \
			'3 --exchange file' '1 --tile 500 -j 2' \
			'1 --tile 300 --memory 20M'; do
			rm -rf run
			# shellcheck disable=SC2086
			ranks ${how%% *} vsim-run -m "$m" -t 0.6 -o run x.vec.h5 \
				${how#[0-9]}
			ordered run
			vsim-merge -f -o run.res.h5 run
			[ "$(content run.res.h5)" = "$(content "$m.res.h5")" ]
		done
		vsim-verify --against x.vec.h5 run.res.h5
	done
	vsim-run -m r2 -t 0.6 --to tsv -o one.tsv x.vec.h5
	vsim-run -m r2 -t 0.6 --to tsv --tile 500 -o tiles.tsv x.vec.h5
	cmp one.tsv tiles.tsv
	vsim-run -m r2 --top 50 --merge top.res.h5 -o top x.vec.h5
	vsim-run -m r2 --top 50 --tile 500 --merge t.res.h5 -o t x.vec.h5
	ordered t
	[ "$(content top.res.h5)" = "$(content t.res.h5)" ]
}

# bats test_tags=long
@test "order: a run resumes in the order in which it began" {
	requires mpi 2
	local first second
	rare 4500 90
	for first in order byte-edges; do
		second=byte-edges
		[ $first = byte-edges ] && second=order
		rm -rf run
		VSIM_WITHOUT=$first ranks 2 vsim-run -m r2 -t 0.6 -o run x.vec.h5
		cp run/shard-00001.shard.h5 "$first.shard.h5"
		vsim-merge -f -o whole.res.h5 run
		rm run/shard-00001.shard.h5 run/complete* 2>/dev/null || :
		vsim-merge -f --partial -o part.res.h5 run
		vsim-verify --against x.vec.h5 run/shard-00000.shard.h5
		VSIM_WITHOUT=$second vsim-run --resume -m r2 -t 0.6 -o run x.vec.h5
		if [ $first = order ]; then unordered run; else ordered run; fi
		vsim-merge -f -o run.res.h5 run
		[ "$(content run.res.h5)" = "$(content whole.res.h5)" ]
	done
	# shards of both orders are of two runs
	cp order.shard.h5 run/shard-00001.shard.h5
	refuses 3 'order of vectors differs' vsim-merge -f -o mixed.res.h5 run
	cp byte-edges.shard.h5 bad.shard.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" bad.shard.h5 \
		'f["order/row"][0:2] = f["order/row"][0:2][::-1]'
	refuses 1 '/order/row is not what /run says' vsim-verify bad.shard.h5
}

@test "order: places, sets, stages and other metrics keep that of the file" {
	rare 4500 60
	local how
	for how in '-m ccc -t 0.6' '-m r2 -t 0.6 --stage 1/2' \
		'-m r2 -t 0.6 --pairs-between 0-99 0-4499' '-m r2 -t 0.6 --no-prune'; do
		rm -rf run
		# shellcheck disable=SC2086
		vsim-run $how --tile 500 -o run x.vec.h5
		unordered run
	done
}
