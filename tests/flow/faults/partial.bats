# SPDX-License-Identifier: BSD-3-Clause
# vsim-merge --partial of runs that are at work, or were killed: what is sealed and
# what logs have.
load ../../helpers

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	vsim-pack --synthetic random --vectors 180 --fields 40 -o x.vec.h5
	vsim-run -t 0.3 -o run --merge all.res.h5 x.vec.h5
	gcc -D_GNU_SOURCE -O1 -w -shared -fPIC -o fault.so \
		"$TOP/tests/faults/fault.c"
}

setup() {
	requires cmd gcc
	requires python numpy h5py
	! sanitized || skip "asan"
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_FILE_TMPDIR"/*.h5 "$BATS_FILE_TMPDIR"/fault.so .
}

teardown() {
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || :
}

# check PARTIAL...: each has what all.res.h5 has in the tiles that it does not list
# as missing; a line with the number of its tiles for each
check() {
	"$PYTHON" - "$@" <<-'END'
	import sys
	import h5py
	import numpy as np

	def read(path):
	    with h5py.File(path) as f:
	        lacks = set()
	        if "tiles" in f:
	            lacks = set(zip(f["tiles/bi"][:], f["tiles/bj"][:]))
	        return [f["records/" + c][:] for c in
	                ("i", "j", "cell", "num", "value")], lacks

	whole, _ = read("all.res.h5")
	tiles = list(zip(whole[0] // 6, whole[1] // 6))
	for path in sys.argv[1:]:
	    part, lacks = read(path)
	    want = np.array([t not in lacks for t in tiles])
	    for a, b in zip(part, whole):
	        assert np.array_equal(a, b[want]), (path, len(a), want.sum())
	    print(30 * 31 // 2 - len(lacks))
	END
}

# bats test_tags=long
@test "partial: of killed ranks what their logs have" {
	requires mpi 3
	local k had had_n n found=0
	for k in 12 30; do
		rm -rf run
		FAULT_CALL=fsync FAULT_AT=$k FAULT_HOW=kill ranks 3 \
			env LD_PRELOAD="$PWD/fault.so" vsim-run -j 1 -t 0.3 \
			--tile 6 --commit-every 0 -o run x.vec.h5 2>/dev/null &&
			complain "not killed at $k"
		had=$(md5sum run/*)
		n=$(committed run)
		vsim-merge -f --partial -o p.res.h5 run
		quietly vsim-verify p.res.h5
		quietly vsim-verify --against x.vec.h5 p.res.h5
		had_n=$(check p.res.h5)
		[ "$had_n" = "$n" ] || complain "$had_n tiles of $n"
		found=$((found + n))
		# for others to look at
		[ "$(md5sum run/*)" = "$had" ]
		[ -z "$(find . -name '*checkpoints*')" ]
	done
	echo "$found tiles of logs"
	[ "$found" -gt 20 ]
	vsim-run --resume -j 1 -t 0.3 --tile 6 --commit-every 0 -o run x.vec.h5
	vsim-merge -f --partial -o p.res.h5 run
	[ "$(content p.res.h5)" = "$(content all.res.h5)" ]
	# whole files alone are wanted without the option
	refuses 2 'exists already' vsim-merge --partial -o p.res.h5 run
	[ -z "$(find . -name '*checkpoints*')" ]
}

@test "partial: of a run that is at work, time and again" {
	local k
	vsim-run -j 1 -t 0.3 --tile 6 --commit-every 0 -o run x.vec.h5 &
	pid=$!
	while [ "$(committed run)" = 0 ] && kill -0 $pid 2>/dev/null; do
		sleep 0.01
	done
	for k in 1 2 3 4 5 6 7 8 9; do
		# stopped at some moment, or not
		[ $((k % 3)) = 0 ] || kill -STOP $pid 2>/dev/null || :
		vsim-merge --partial -o p.$k.res.h5 run
		kill -CONT $pid 2>/dev/null || :
	done
	wait $pid
	echo tiles: $(check p.*.res.h5)
	[ -z "$(find . -name '*checkpoints*')" ]
	vsim-merge -f -o p.res.h5 run
	[ "$(content p.res.h5)" = "$(content all.res.h5)" ]
}

@test "partial: of a run killed when its log has become a shard, and is still there" {
	FAULT_CALL=unlink FAULT_AT=2 FAULT_HOW=kill LD_PRELOAD=$PWD/fault.so \
		vsim-run -j 1 -t 0.3 --tile 6 --commit-every 0 -o run \
		x.vec.h5 && complain "not killed"
	[ "$(ls run/shard*)" = "$(printf '%s\n' run/shard-00000.shard.h5{,.log})" ]
	vsim-merge --partial -o p.res.h5 run
	vsim-merge -o e.res.h5 run
	[ "$(content p.res.h5)" = "$(content all.res.h5)" ]
	[ "$(content e.res.h5)" = "$(content all.res.h5)" ]
	vsim-run --resume -j 1 -t 0.3 -o run x.vec.h5
	[ "$(ls run/shard*)" = run/shard-00000.shard.h5 ]
}

@test "partial: nothing stays of a merge that is ended, or cannot be written" {
	local k
	FAULT_CALL=fsync FAULT_AT=30 FAULT_HOW=kill LD_PRELOAD=$PWD/fault.so \
		vsim-run -j 1 -t 0.3 --tile 6 --commit-every 0 -o run \
		x.vec.h5 && complain "not killed"
	for k in 1 2 3 4 5 6; do
		run env LD_PRELOAD="$PWD/fault.so" FAULT_CALL=fsync FAULT_AT=$k \
			vsim-merge --partial -o new/p.res.h5 run
		[ "$status" = 4 ] || [ -e new/p.res.h5 ] ||
			complain "fsync $k: exit $status: $output"
		[ -e new/p.res.h5 ] || [ ! -e new ] || complain "fsync $k: $(ls new)"
		rm -rf new
	done
	# TERM at any moment
	for k in 0.005 0.01 0.015 0.02 0.03; do
		timeout -s TERM $k vsim-merge --partial -o new/p.res.h5 run || :
		[ -z "$(find . -name '*checkpoints*' -o -path './new/*.tmp-*')" ]
		rm -rf new
	done
}
