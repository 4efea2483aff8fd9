# SPDX-License-Identifier: BSD-3-Clause
# Tiles that no rank has computed, or two, since MPI counts wrongly: the run says so
# and ends with 4, before anything takes it for complete.
load ../../helpers

ready() {
	requires mpi 3
	requires cmd gcc
	! sanitized || skip "asan"
	# shellcheck disable=SC2046
	gcc -D_GNU_SOURCE -O1 -w $(probed DEP_CFLAGS) -shared -fPIC \
		-o lost.so "$TOP/tests/faults/lost_tiles.c"
	vsim-pack --synthetic random --vectors 600 --fields 50 -o x.vec.h5
}

# broken [NAME=VALUE...]: the run of which MPI counts wrongly
broken() {
	ranks 3 env LD_PRELOAD="${LD_PRELOAD-}:$PWD/lost.so" "$@" \
		vsim-run -m r2 -t 0.2 --tile 40 -o run x.vec.h5
}

@test "lost tiles: a run that lacks some ends with 4, and --resume computes them" {
	ready
	run -4 --separate-stderr broken LOST_TILES=1
	[[ $stderr == *'run: the shards have '*' of the 120 tiles of the run: tiles were lost; vsim-run --resume computes them'* ]]
	[ ! -e run/complete.yaml ]
	quietly vsim-run --resume -m r2 -t 0.2 --tile 40 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	vsim-run -m r2 -t 0.2 -o one --merge one.res.h5 x.vec.h5
	[ "$(vsim-view e.res.h5 | sort | sum)" = "$(vsim-view one.res.h5 | sort | sum)" ]
}

@test "lost tiles: a run with tiles that two ranks have computed ends with 4" {
	ready
	run -4 --separate-stderr broken LOST_TILES=1 TWICE=1
	[[ $stderr == *'are there twice, or in another shard too: remove it, and vsim-run --resume repeats its part'* ]]
	[ ! -e run/complete.yaml ]
	# as often as it says so
	for _ in 1 2 3; do
		rm "$(sed -n 's/^vsim-run: \(.*\.shard\.h5\): .*: remove it, .*/\1/p' <<<"$stderr")"
		run --separate-stderr vsim-run --resume -m r2 -t 0.2 --tile 40 -o run x.vec.h5
		[ "$status" != 0 ] || break
	done
	[ "$status" = 0 ]
	vsim-merge -o e.res.h5 run
}
