# SPDX-License-Identifier: BSD-3-Clause
# Association with missing calls and samples of neither class, against Python.
load ../helpers
load association

# bats test_tags=long
@test "association: classes at the edges of words, 5 % missing" {
	edges 0.05
}

# bats test_tags=long
@test "association: classes at the edges of words, 30 % missing" {
	edges 0.3
}

@test "association: 5 and 30 % of calls missing, some samples of neither class" {
	made 3 11 200 0.05 70
	judged "k2 lbf mi g"
	made 4 10 150 0.3 60
	judged k2 --cpu popcnt
}

# bats test_tags=long
@test "association: interaction of triples, and with missing calls" {
	made 4 5 400 0 190
	judged inter
	made 5 5 150 0.1 70
	judged inter
}

# bats test_tags=long
@test "association: alpha and beta, whatever the classes, with missing calls" {
	local n
	for n in 1 45 89; do
		made "$n" 8 90 0 "$n"
		judged "alpha beta"
	done
	made 5 6 150 0.1 70
	judged "alpha beta"
}
