# SPDX-License-Identifier: BSD-3-Clause
# Choices of pairs and triples by place, by sets and by an earlier result, with each
# other and with every way to run: what remains is what each of them leaves.
load ../../helpers

wanted() {
	requires python numpy h5py
	"$PYTHON" "$TOP/tests/flow/wanted.py" "$@"
}

# bats test_tags=long
@test "wanted: a few of all combinations" {
	wanted 700 1
	wanted 50 2 histogram
}

# bats test_tags=long
@test "wanted: some of all combinations, in the order of the input or not" {
	requires mpi 2
	wanted 50 2
	wanted 50 3
	wanted 50 4
}
