# SPDX-License-Identifier: BSD-3-Clause
# The check of a CUDA device, where there is none.
load ../helpers

@test "check-gpu: without a device it is skipped in one line" {
	PATH=$BATS_TEST_TMPDIR:$PATH
	printf '#!/bin/sh\nexit 1\n' >nvcc
	chmod +x nvcc
	run "$TOP/tests/gpu/check.sh"
	[ "$status" = 0 ] && [ "${#lines[@]}" = 1 ] && [[ $output == skipped:* ]]
}

@test "check-gpu: with the twin of a device all is right, and said in JSON" {
	requires cmd gcc
	requires python json
	EVIDENCE=$PWD run "$TOP/tests/gpu/check.sh" --twin
	[ "$status" = 0 ] || complain "$output"
	"$PYTHON" - <<-'END'
		import glob, json
		seen = json.load(open(glob.glob("*-twin.json")[0]))
		engine, = seen["engines"].values()
		tally, = engine["seen"]["equality"]
		assert engine["exit"] == 0 and tally["cases"] > 20, seen
		assert tally["wrong"] == 0 and tally["pairs"] > 1e5, seen
	END
}
