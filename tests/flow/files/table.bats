# SPDX-License-Identifier: BSD-3-Clause
# Every metric of pairs and of triples along the whole path, against its
# definition in numpy, and the same content by every kernel, with the bound and
# without, on threads and ranks.
load ../../helpers
load ../metrics

# row METRIC WAY VECTORS T: one row of the table
row() {
	local vectors=$3 content first kernel kind n tried prune=
	local how=(-m "$1" -w "$2" -t "$4")
	for kind in '' 'missing vectors samples'; do
		# shellcheck disable=SC2086
		data "$1" $((61 + 13 * ${#kind})) $kind
		content=
		finds 1 -j 1 --no-prune
		first=$(sums said)
		want "$1" "$2" "$4" >want
		vsim-view --no-header -c "$(columns "$1" "$2")" e.res.h5 |
			diff want - >differ || complain "$*: $(head -n 5 differ)"
		[ "$(wc -l <want)" -gt 20 ] || complain "$*: nothing passes"
		[ "${first%% *}" = "$(wc -l <want)" ]
		tried=0
		for kernel in $(all_kernels "$1"); do
			# in turn
			[ "$prune" ] && prune= || prune=--no-prune
			agree -j 2 --kernel "$kernel" $prune
		done
		[ $tried -gt 1 ] || [ "$(cpu_steps)" = scalar ] ||
			complain "$tried kernels"
		# a rank more for data that miss calls
		n=2
		[ -z "$kind" ] || n=3
		! can_start $n ||
			finds $n -j $((4 - n)) --tile $((vectors / 4))
	done
}

# bats test_tags=install
@test "table: ccc of pairs" { row ccc 2 130 0.35; }
# bats test_tags=install
@test "table: ccc of triples" { row ccc 3 30 0.2; }
# bats test_tags=long
@test "table: duo of pairs" { row duo 2 130 0.4; }
# bats test_tags=long
@test "table: duo of triples" { row duo 3 30 0.15; }
# bats test_tags=install
@test "table: r2" { row r2 2 130 0.3; }
# bats test_tags=long
@test "table: r" { row r 2 130 0.3; }
# bats test_tags=long
@test "table: cosine" { row cosine 2 130 0.6; }
# bats test_tags=install
@test "table: jaccard" { row jaccard 2 130 0.4; }
# bats test_tags=long
@test "table: dice" { row dice 2 130 0.6; }
# bats test_tags=install
@test "table: hamming" { row hamming 2 130 20; }
# bats test_tags=install
@test "table: yule" { row yule 2 130 0.5; }
# bats test_tags=install
@test "table: ps of pairs" { row ps 2 130 0.6; }
# bats test_tags=install
@test "table: ps of triples" { row ps 3 30 0.6; }
