# SPDX-License-Identifier: BSD-3-Clause
# All ways to one result: each kernel, pruned or not, one thread or two, one to
# four ranks, calls missing or not. The first is the definition's; the others have
# its records by their number and sum.
load ../../helpers

T=0.7

oracle() {
	"$PYTHON" "$TOP/tests/flow/oracle.py" "$@"
}

# data SHARE: x.vec.h5 with this share of calls missing, and the first result, which
# is the definition's
data() {
	requires python numpy h5py
	oracle make 300 1000 21 "missing=$1" >x.tsv
	vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
	rm -rf run
	vsim-run -v -t $T -j 1 --kernel scalar --no-prune --stats all.yaml \
		-o run x.vec.h5 2>all.said
	vsim-merge -f -o first.res.h5 run
	oracle check x.tsv $T first.res.h5
	[ "$(sums all.said)" ]
}

# sums FILE: the records and their sum, as -v said them
sums() {
	grep -oE '[0-9]+ records, sum [0-9a-f]+' "$1"
}

# same CMD...: the run of CMD has the records of the first one
same() {
	"$@" -f -v -t $T -o run x.vec.h5 2>said &&
		[ "$(sums said)" = "$(sums all.said)" ] ||
		complain "$*: $(cat said)" "not: $(cat all.said)"
}

counted() {
	sed -n 's/^pairs_counted: //p' "$1"
}

# alone SHARE: every kernel, pruned and not, on one and two threads
alone() {
	local kernel prune j
	data "$1"
	for kernel in $(kernels ccc); do
		for prune in --no-prune ''; do
			for j in 1 2; do
				# shellcheck disable=SC2086
				same vsim-run -j $j --kernel "$kernel" $prune \
					--stats s.yaml
			done
		done
	done
	# and something was left out, unless so little is known of a pair
	[ "$1" = 0.3 ] || [ "$(counted s.yaml)" -lt "$(counted all.yaml)" ]
}

# bats test_tags=long
@test "ways: every kernel, pruned or not, 1 and 2 threads; dense" {
	alone 0
}

# bats test_tags=long
@test "ways: every kernel, pruned or not, 1 and 2 threads; 1 % missing" {
	alone 0.01
}

# bats test_tags=long
@test "ways: every kernel, pruned or not, 1 and 2 threads; 5 % missing" {
	alone 0.05
}

# bats test_tags=long
@test "ways: every kernel, pruned or not, 1 and 2 threads; 30 % missing" {
	alone 0.3
}

# crowd SHARE TURN: every kernel, with ranks and pruning chosen so that in
# three turns each meets 2, 3 and 4 ranks, and in two both
crowd() {
	requires mpi 4
	local n kernel turn=$2 how
	data "$1"
	for kernel in $(kernels ccc); do
		n=$((2 + turn % 3))
		how=(-j 1 --no-prune --tile $((60 - 10 * n)))
		[ $((turn % 2)) = 0 ] ||
			how=(-j $((1 + turn / 2 % 2)) --tile $((20 * n)))
		: $((turn++))
		same ranks $n vsim-run "${how[@]}" --kernel "$kernel"
	done
}

# bats test_tags=long
@test "ways: 2 to 4 ranks, every kernel, pruned or not; dense" {
	crowd 0 0
}

# bats test_tags=long
@test "ways: 2 to 4 ranks, every kernel, pruned or not; 1 % missing" {
	crowd 0.01 1
}

# bats test_tags=long
@test "ways: 2 to 4 ranks, every kernel, pruned or not; 5 % missing" {
	crowd 0.05 2
}

# bats test_tags=long
@test "ways: 2 to 4 ranks, every kernel, pruned or not; 30 % missing" {
	crowd 0.3 3
}

# linked: x.tsv of 600 variants, each as the one before but for some calls drawn
# again, one in a hundred at most; now and then a fresh one
linked() {
	"$PYTHON" - >x.tsv <<-'END'
	import numpy as np
	rng = np.random.default_rng(7)
	rows = []
	for v in range(600):
	    if v % 6 == 0:
	        f, odd = rng.uniform(0.2, 0.8), rng.choice([0, 0.003, 0.01])
	    fresh = rng.binomial(2, f, 2100)
	    new = rng.random(2100) < (1 if v % 6 == 0 else odd)
	    rows.append(np.where(new, fresh, rows[-1]) if rows else fresh)
	print("id", *(f"s{q}" for q in range(2100)), sep="\t")
	for v, g in enumerate(rows):
	    print(f"v{v}", *g.tolist(), sep="\t")
	END
}

# bats test_tags=long
@test "ways: linked variants, leaders counted for others or not" {
	requires python numpy h5py
	local label kernel way
	linked
	simulate
	for label in given minor; do
		vsim-pack -f --tsv x.tsv --label $label -o x.vec.h5
		rm -rf run
		vsim-run -v -t $T -j 1 --no-prune -o run x.vec.h5 2>all.said
		vsim-merge -f -o first.res.h5 run
		[ $label = minor ] || oracle check x.tsv $T first.res.h5
		[ "$(sums all.said)" ]
		for kernel in $(kernels ccc); do
			same vsim-run -j 2 --kernel "$kernel" --stats s.yaml
			[ "$(counted s.yaml)" -lt 179700 ]
		done
		for way in '--tile 77' '--memory 40M' '--backend cuda+cpu'; do
			# shellcheck disable=SC2086
			same vsim-run -j 2 $way
		done
	done
}
