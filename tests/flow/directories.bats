# SPDX-License-Identifier: BSD-3-Clause
# Runs on more than 256 ranks have a directory for each 256 of them: all that takes
# a run takes one with such directories.
load ../helpers

# text RUN: its records
text() {
	vsim-merge -f -o text.res.h5 "$1"
	vsim-view --no-header text.res.h5
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	vsim-pack --synthetic random --vectors 120 --fields 60 -o x.vec.h5
	can_start 4 || skip "4 ranks cannot be started here"
	ranks 4 vsim-run -j 1 -t 0.3 -o run x.vec.h5
	text run >want
	# the shards of a run on 600 ranks, two of them of the last ones
	mkdir run/000 run/002
	mv run/shard-00000* run/shard-00001* run/000
	mv run/shard-00002* run/002
}

# records RUN: they are those wanted
records() {
	text "$1" | cmp - want
}

@test "directories: of ranks are read, verified, merged and resumed" {
	records run
	quietly vsim-verify run
	# another directory is none of ours
	mkdir run/old run/12
	cp run/002/*.shard.h5 run/old
	cp run/002/*.shard.h5 run/12
	records run
	# what is lost is made again, what a killed rank left is removed
	rm run/002/*.shard.h5
	touch run/000/shard-00001.shard.h5.tmp-0123abcd
	vsim-run -r -t 0.3 -o run x.vec.h5
	records run
	gone run/000/*.tmp-*
}

@test "directories: of ranks are replaced whole, and a stranger's file stays" {
	vsim-threshold --above 0.5 -o strict run
	vsim-merge -o y.res.h5 run
	vsim-threshold --above 0.5 -o z.res.h5 y.res.h5
	vsim-view --no-header z.res.h5 >half
	[ -s half ]
	text strict | cmp - half
	[ "$(ls strict/000 strict/002)" = "$(ls run/000 run/002 | sed s/run/strict/)" ]
	# a run of few ranks takes its place
	vsim-run -f -t 0.6 -o strict x.vec.h5
	gone strict/000 strict/002
	vsim-run -t 0.3 -o flat x.vec.h5
	echo mine >run/000/notes
	vsim-threshold -f --above 0.5 -o run flat
	text run | cmp - half
	[ "$(find . -name notes -exec cat {} +)" = mine ]
	[ "$(find . -name '*.shard.h5' -path '*old-*' | wc -l)" = 0 ]
}
