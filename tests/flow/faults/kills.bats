#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# bats file_tags=long
# Runs are killed at random moments and gone on with: kills.py tells how much that
# costs, and that nothing differs in the end.

load ../../helpers

@test "run: twelve kills, and each run has its records in the end" {
	requires mpi 3
	"$PYTHON" "$TOP/tests/flow/kills.py" "$VSIM_BUILD" "$PWD/kills" \
		"$TOP/examples/chr20.vcf.gz" 12
}
