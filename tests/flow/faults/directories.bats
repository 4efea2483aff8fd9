# SPDX-License-Identifier: BSD-3-Clause
# Runs on more than 256 ranks have a directory for each 256 of them: all that takes
# a run takes one with such directories.
load ../../helpers

# text RUN: its records
text() {
	vsim-merge -f -o text.res.h5 "$1"
	vsim-view --no-header text.res.h5
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	vsim-pack --synthetic random --vectors 120 --fields 60 -o x.vec.h5
	requires mpi 4
	ranks 4 vsim-run -j 1 -t 0.3 -o run x.vec.h5
	text run >want
	# the shards of a run on 600 ranks, two of them of the last ones
	mkdir run/000 run/002
	mv run/shard-00000* run/shard-00001* run/000
	local f
	for f in run/shard-00002*; do
		mv "$f" "run/002/shard-00512${f#run/shard-00002}"
	done
}

# records RUN: they are those wanted
records() {
	text "$1" | cmp - want
}

# bats test_tags=long
@test "directories: of ranks are read, verified, merged and resumed" {
	records run
	quietly vsim-verify run
	# neither other directories are the run's, nor what belongs in none of such a name
	mkdir run/old run/12 run/1234 run/123
	vsim-run -t 0.6 -o other x.vec.h5
	for f in run/old run/12 run/1234 run/123 run/002; do
		cp other/shard-00000.shard.h5 $f
	done
	records run
	# what is lost is made again, what a killed rank left is removed
	rm run/002/shard-00512*
	touch run/000/shard-00001.shard.h5.tmp-0123abcd
	vsim-run -r -t 0.3 -o run x.vec.h5
	records run
	gone run/000/*.tmp-*
	# nor are these removed
	vsim-run -f -t 0.3 -o run x.vec.h5
	for f in run/old run/12 run/1234 run/123 run/002; do
		cmp other/shard-00000.shard.h5 $f/shard-00000.shard.h5
	done
	gone run/000
}

# bats test_tags=long
@test "directories: the directories of ranks are replaced completely, and other files stay" {
	vsim-threshold --above 0.5 -o strict run
	vsim-merge -o y.res.h5 run
	vsim-threshold --above 0.5 -o z.res.h5 y.res.h5
	vsim-view --no-header z.res.h5 >half
	[ -s half ]
	text strict | cmp - half
	[ "$(cd strict && ls 000 002)" = "$(cd run && ls 000 002)" ]
	# a run of few ranks takes its place
	vsim-run -f -t 0.6 -o strict x.vec.h5
	gone strict/000 strict/002
	vsim-run -t 0.3 -o flat x.vec.h5
	echo mine >run/000/notes
	vsim-threshold -f --above 0.5 -o run flat
	text run | cmp - half
	[ "$(cat run/000/notes)" = mine ]
	[ "$(find . -name notes | wc -l)" = 1 ]
	gone run/002 run.*
}

@test "directories: files behind a link in place of a directory do not belong to the run" {
	vsim-run -t 0.3 -o linked x.vec.h5
	ln -s ../run/000 linked/000
	records linked
}
