# SPDX-License-Identifier: BSD-3-Clause
# The power goes, or MPI fails, at any moment: what is left is old or new, and the
# next run makes it whole. make campaign tries more moments.
load ../../helpers

# shim NAME: its library, of tests/faults
shim() {
	requires cmd gcc
	! sanitized || skip "asan"
	# shellcheck disable=SC2046
	gcc -D_GNU_SOURCE -O1 -w $(probed DEP_CFLAGS) -shared -fPIC -o "$1.so" \
		"$TOP/tests/faults/$1.c"
}

# cuts COUNT JOBS: at each flush, and as often in between
cuts() {
	shim record
	in_memory
	"$PYTHON" "$TOP/tests/faults/cuts.py" "$VSIM_BUILD" "$SCRATCH/cuts" \
		"$PWD/record.so" --count "$1" --flushes --jobs "$2"
}

# bats test_tags=long
@test "cuts: after a power cut files are old or new, and the next run ends well" {
	cuts 8 pack-over,run-saved,merge
}

# bats test_tags=long
@test "cuts: more jobs, at more moments" {
	cuts 60 pack-tsv,pack-over,run-pairs,run-saved,run-over,merge,threshold-dir
}

# bats test_tags=long
@test "cuts: a rank whose MPI fails says so and ends all with 4; --resume continues" {
	requires mpi 3
	shim fault_mpi
	in_memory
	set -- "$PYTHON" "$TOP/tests/faults/mpi.py" "$VSIM_BUILD" "$SCRATCH/mpi" \
		"$PWD/fault_mpi.so" --each 1
	"$@" --jobs pairs,ps,fetch --how once
	"$@" --jobs top --how all
}
