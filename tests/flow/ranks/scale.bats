# SPDX-License-Identifier: BSD-3-Clause
# Predictions of runs on clusters from a model of nodes and links, and the tables of
# vsim-scale(7).
load ../../helpers

# model [SED]: cluster.yaml, changed
model() {
	sed "${1-}" "$TOP/examples/cluster.yaml" >m.yaml
}

# predict KEY ARG...: a line of the prediction, which is made once
predict() {
	local key=$1 made
	shift
	made=$(cksum <<<"$* $(<m.yaml)")
	[ -e "predicted.$made" ] || vsim-run -n -t 0.7 --cpu scalar \
		--model m.yaml "$@" >"predicted.$made"
	sed -n "s/^$key: //p" "predicted.$made"
}

# is A B: equal within a thousandth
is() {
	awk -v a="$1" -v b="$2" \
		'BEGIN { exit !(a >= b * 0.999 && a <= b * 1.001) }' ||
		complain "$1 is not $2"
}

@test "scale: ranks of a ring count what the others' vectors leave time for" {
	local one='s/^node_ranks:.*/node_ranks: 1/
		s/^node_cores:.*/node_cores: 1/; s/^core_rate:.*/core_rate: 1e9/
		s/^node_latency:.*/node_latency: 0/'
	local a b
	model "$one"
	# 8000 x 7999 / 2 pairs of 1000 samples, 4 ranks of 1e9 a second
	is "$(predict seconds_computing --ranks 4 --shape 8000x1000)" 7.999
	[ "$(predict exchange --ranks 4 --shape 8000x1000)" = ring ]
	[ "$(predict nodes --ranks 4 --shape 8000x1000)" = 4 ]
	predict seconds_waiting --ranks 4 --shape 8000x1000 |
		awk '{ exit !($1 < 1e-9) }'
	# two parts are passed on, each in two thirds of the time of its pairs, of
	# which the first half waits for none
	model "$one; s/^node_link:.*/node_link: 2.2e5/"
	predict seconds_waiting --ranks 4 --shape 8000x1000 |
		awk '{ exit !($1 < 1e-9) }'
	# two parts, P s each, come block by block, and the last one is then paired
	# with half of a rank's 2000: 2 P + its pairs - all of 7.999 s, and 0.8 P by
	# another link
	model "$one; s/^node_link:.*/node_link: 8e4/"
	a=$(predict seconds_waiting --ranks 4 --shape 8000x1000)
	model "$one; s/^node_link:.*/node_link: 1e5/"
	b=$(predict seconds_waiting --ranks 4 --shape 8000x1000)
	is "$(awk -v a="$a" -v b="$b" 'BEGIN { print (0.8 * a - b) / 0.2 }')" \
		"$(predict block --ranks 4 --shape 8000x1000 |
			awk '{ print 7.999 - $1 * 1000 / 1e6 }')"
	awk -v p="$a" -v q="$b" \
		'BEGIN { exit !(p - q > 2 * 2000 * 256 * (1 / 8e4 - 1 / 1e5)) }'
}

# bats test_tags=long
@test "scale: a prediction is the sum of its parts, and reads what the plan says" {
	local a b c
	model
	vsim-run -n -t 0.7 --model m.yaml --ranks 1024 \
		--shape 90000000x500000 >plan
	awk -F': ' '/^seconds_predicted/ { all = $2; next }
		/^seconds_/ { sum += $2 }
		END { exit !(sum > 0.999 * all && sum < 1.001 * all) }' plan
	grep -x 'exchange: fetch' plan
	grep -x 'ranks: 1024' plan
	grep -x 'nodes: 256' plan
	grep -x 'threads: 32' plan
	# each block once, and the genotype counts of a share
	set -- --ranks 9216 --shape 90000000x500000
	is "$(predict read_by_a_rank --exchange file "$@")" \
		"$(predict received_by_a_rank --exchange file "$@" |
			awk '{ print $1 + 90e6 * 32 / 9216 }')"
	# of those that are fetched, a share
	is "$(predict read_by_a_rank "$@")" \
		"$(awk 'BEGIN { print 9766 * 16 * 7813 + 90e6 * 32 / 9216 }')"
	# a single thread counts while they come: on a link of a hundredth it waits
	# for few of what any rank receives at the most, on one of a hundred
	# thousandth for most of them, and counts meanwhile
	model 's/^node_cores:.*/node_cores: 4/'
	a=$(predict seconds_reading "$@")
	c=$(predict received_by_a_rank "$@")
	model 's/^node_cores:.*/node_cores: 4/; s/^node_link:.*/node_link: 25e7/'
	b=$(predict seconds_reading "$@")
	awk -v a="$a" -v b="$b" -v c="$c" 'BEGIN { x = c * 4 / 25e7
		exit !(b > a && b - a < 0.1 * x) }'
	model 's/^node_cores:.*/node_cores: 4/; s/^node_link:.*/node_link: 25e4/'
	b=$(predict seconds_reading "$@")
	a=$(predict seconds_computing "$@")
	awk -v a="$a" -v b="$b" -v c="$c" 'BEGIN { x = c * 4 / 25e4
		exit !(a + b < 1.03 * x && a + b > 0.75 * x && b > 0.5 * x) }'
	# of few rows of blocks in memory more columns pass
	set -- --ranks 1024 --exchange file --shape 90000000x500000
	predict read_by_a_rank "$@" >plan.file
	predict read_by_a_rank "$@" --memory 40G >less
	awk 'NR == 1 { n = $1 } END { exit !($1 > 2 * n) }' plan.file less
	# by bounds a tenth is left to count
	model 's/^pruned:.*/pruned: 10/'
	is "$(predict seconds_computing --ranks 1024 --shape 90000000x500000)" \
		"$(awk '/^seconds_computing/ { print $2 / 10 }' plan)"
}

@test "scale: triples read all vectors on each node, and a GPU has rates of its own" {
	model
	# 16 nodes of 4 ranks
	is "$(predict read_by_all -w 3 --ranks 64 --shape 10000x2000 --allow-empty)" \
		"$(awk 'BEGIN { print 10000 * (16 * 2 * 8 * 32 + 32) }')"
	is "$(predict seconds_computing -w 3 --ranks 64 --shape 10000x2000)" \
		"$(awk 'BEGIN { n = 10000
			print n * (n - 1) * (n - 2) / 6 * 2000 / 64 / 32 / 7e11 }')"
	is "$(predict seconds_computing --ranks 64 --shape 100000x2000)" \
		"$(awk 'BEGIN { print 1e5 * 99999 / 2 * 2000 / 64 / 32 / 5e11 }')"
	echo 'node_gpus: 4
gpu_rate: 64e12' >>m.yaml
	is "$(predict seconds_computing --ranks 64 --shape 100000x2000)" \
		"$(awk 'BEGIN { print 1e5 * 99999 / 2 * 2000 / 64 / 80e12 }')"
	echo 'gpu_rate_triples: 9.6e12' >>m.yaml
	is "$(predict seconds_computing -w 3 --ranks 64 --shape 10000x2000)" \
		"$(awk 'BEGIN { n = 10000
			print n * (n - 1) * (n - 2) / 6 * 2000 / 64 / 32e12 }')"
	refuses 4 'fit in memory' vsim-run -n -w 3 -t 0.7 --model m.yaml \
		--shape 4000000x600000 --memory 64G --ranks 9216 --top 9
	refuses 3 'no more than 4801280 vectors' vsim-run -n -w 3 -t 0.7 \
		--model m.yaml --shape 28000000x882
}

@test "scale: triples of vectors that do not fit in memory are not predicted" {
	model 's/^node_ranks:.*/node_ranks: 1/'
	vsim-pack --synthetic random --vectors 300 --fields 8000 -o x.vec.h5
	local memory
	set -- -n -w 3 -t 0.45 --no-prune -j 1
	memory=$(vsim-run "$@" x.vec.h5 | sed -n 's/^memory_of_a_rank: //p')
	set -- "$@" --memory $((memory - 250000))
	vsim-run "$@" x.vec.h5 | grep -qx 'blocks: streamed'
	for input in '--shape 300x8000' x.vec.h5; do
		# shellcheck disable=SC2086
		refuses 4 'model cannot predict .* fit in memory' \
			vsim-run "$@" --model m.yaml $input
	done
}

@test "scale: vectors of a file are predicted with the records of a sample" {
	vsim-pack --synthetic random --vectors 300 --fields 60 -o x.vec.h5
	model
	vsim-run -n -t 0.4 --model m.yaml --ranks 2 x.vec.h5 >plan
	is "$(sed -n 's/^records_predicted: //p' plan)" \
		"$(sed -n 's/^records_estimated: //p' plan)"
	grep -x "model: 'm.yaml'" plan
	vsim-run -n -t 0.4 --top 9 --model m.yaml --shape 300x60 >/dev/null
	# the same plan without them
	vsim-run -n -t 0.4 --model m.yaml --ranks 2 --shape 300x60 >shape
	diff <(grep -E '^(pairs|tile|ranks|block|received|seconds_comp)' plan) \
		<(grep -E '^(pairs|tile|ranks|block|received|seconds_comp)' shape)
}

@test "scale: memory is that of the model's caches, not of this machine's" {
	local a b c
	predict_memory() {
		model "$1"
		predict memory_of_a_rank --ranks 64 --shape 28000000x882
	}
	a=$(predict_memory)
	b=$(predict_memory /core_cache/d)
	c=$(predict_memory 's/^core_cache:.*/core_cache: 1M/')
	[ "$a" = 662927168 ]
	[ "$b" = 606353216 ]
	[ "$c" = "$b" ]
}

@test "scale: a model or a shape that cannot be is one line" {
	local key
	for key in node_ranks all_files core_rate_triples start; do
		model "/^$key:/d"
		refuses 2 "m.yaml: $key is missing" vsim-run -n -t 0.7 \
			--model m.yaml --shape 9x9
	done
	model '$ a node_rank: 4'
	refuses 2 node_rank vsim-run -n -t 0.7 --model m.yaml --shape 9x9
	model 's/^pruned:.*/pruned: 0.5/'
	refuses 2 'line [0-9]*: .*pruned' vsim-run -n -t 0.7 --model m.yaml \
		--shape 9x9
	model '$ a input: x.vec.h5'
	refuses 2 'input belongs in a runfile' vsim-run -n -t 0.7 --model m.yaml \
		--shape 9x9
	refuses 3 'none.yaml' vsim-run -n -t 0.7 --model none.yaml --shape 9x9
	refuses 2 '--model requires --dry-run' vsim-run -t 0.7 -o r --model m.yaml x
	for key in 9 x 9x 9x9x9 0x9 9x0 -1x9 5000000000x9 9x16777216 9,9; do
		refuses 2 "expected VECTORSxSAMPLES" vsim-run -n -t 0.7 \
			--shape "$key"
	done
	refuses 2 '--shape requires --dry-run' vsim-run -t 0.7 -o r --shape 9x9
	refuses 2 '--shape cannot be combined with x.vec.h5' vsim-run -n -t 0.7 --shape 9x9 x.vec.h5
	refuses 2 '--shape cannot be combined with --pairs-between' vsim-run -n -t 0.7 --shape 9x9 \
		--pairs-between 0-1 2-3
	refuses 2 'counts cases' vsim-run -n -m k2 -t 9 --shape 9x9
	refuses 3 'genotypes' vsim-run -n -m ps -t 0.9 --shape 9x9
}

@test "scale: any memory that is enough is kept, and ranks without more read blocks" {
	local m n way all
	# rates at which blocks of several sizes are halved into tiles
	model 's/^node_ranks:.*/node_ranks: 1/; s/^node_cores:.*/node_cores: 1/
		s/^core_rate:.*/core_rate: 1e10/'
	for m in 26 28 30 32 34 36; do
		for n in 1 2 4; do for way in '' '--exchange file'; do
			# shellcheck disable=SC2086
			all=$(vsim-run -n -t 0.95 -j 1 --cpu scalar --ranks $n \
				--model m.yaml --memory ${m}M $way \
				--shape 60000x4000) || complain "$m $n $way"
			awk -v m=$m '/^memory_of_a_rank/ {
				exit !($2 <= m * 1048576) }' <<<"$all"
			[ $n = 1 ] || grep -qx 'exchange: file' <<<"$all"
		done; done
	done
	[ "$(predict exchange --ranks 4 --memory 2G --shape 60000x4000)" = ring ]
	# one that is named is had, or refused
	for way in ring fetch; do
		refuses 2 "exchange $way: not possible with this memory" \
			vsim-run -n -t 0.95 -j 1 --cpu scalar --ranks 4 \
			--model m.yaml --memory 30M --exchange $way \
			--shape 60000x4000
	done
	refuses 2 '--exchange cannot be combined with --way 3' vsim-run -n -w 3 -t 0.4 \
		--ranks 4 --exchange ring --shape 600x100
	refuses 2 'exchange ring: not possible' vsim-run -n -t 0.9 \
		--ranks 9209 --exchange ring --shape 60000x100
}

# page SECTION: its table
page() {
	awk -v name="$1" '
		/^\.S[sh] / { here = $0 == ".Ss " name }
		/^\.Ed/ { table = 0 }
		table { print }
		/^\.Bd/ { table = here }' "$TOP/man/vsim-scale.7"
}

# bats test_tags=long
@test "scale: the page has what examples/scale.sh prints: 9,216 ranks" {
	RANKS=9216 "$TOP/examples/scale.sh" "$TOP/examples/cluster.yaml" \
		2:90000000x500000 >printed
	[ "$(wc -l <printed)" = 3 ]
	page 'Large runs' | grep -A 8 "$(head -n 1 printed)" >table
	while IFS= read -r line; do
		grep -qxF "$line" table || complain "not in the page: $line"
	done <printed
}

# bats test_tags=long
@test "scale: the page has what examples/scale.sh prints" {
	diff <(page 'Large runs') <("$TOP/examples/scale.sh")
}

# bats test_tags=long
@test "scale: the page has what examples/scale_fields.sh prints: 9,216 ranks" {
	RANKS=9216 "$TOP/examples/scale_fields.sh" \
		"$TOP/examples/cluster.yaml" 10000000x4000000 >printed
	[ "$(wc -l <printed)" = 3 ]
	page 'Fields over ranks' >table
	while IFS= read -r line; do
		grep -qxF "$line" table || complain "not in the page: $line"
	done <printed
}

# bats test_tags=long
@test "scale: the page has what examples/scale_fields.sh prints" {
	diff <(page 'Fields over ranks') <("$TOP/examples/scale_fields.sh")
}
