# SPDX-License-Identifier: BSD-3-Clause
# Ranks that take tiles of a slower one: the result is the same, the slow one does few.
load ../../helpers

# slow_one RANKS RUN-OPTION...: vsim-run of which the last rank is by scalar code and
# the others by the best, into run
slow_one() {
	local n=$1
	shift
	rm -rf run
	# each rank has one shard, however slow
	set -- --stats s.yaml --commit-every 600 -o run "$@" x.vec.h5
	ranks $((n - 1)) vsim-run "$@" : -n 1 vsim-run --kernel scalar "$@"
	vsim-merge -f -o run.res.h5 run
}

# values_of SHARD: how many it has computed
values_of() {
	vsim-view -H "$1" | sed -n 's/^#stats_metrics: //p'
}

# stat NAME: of s.yaml
stat_of() {
	sed -n "s/^$1: //p" s.yaml
}

# bats test_tags=long
@test "balance: of four ranks one is slow: it does a small part, the result is equal" {
	requires mpi 4
	requires cpu avx2
	vsim-pack --synthetic random --vectors 4000 --fields 16000 -o x.vec.h5
	vsim-run -t 0.6 -j 1 --no-prune --merge one.res.h5 -o one x.vec.h5
	slow_one 4 -t 0.6 -j 1 --no-prune
	[ "$(content run.res.h5)" = "$(content one.res.h5)" ]
	[ "$(stat_of tiles_of_other_ranks)" -gt 0 ]
	# it has a quarter of the pairs by the plan
	slow=$(values_of run/shard-00003.shard.h5) all=0
	for s in run/*.shard.h5; do
		all=$((all + $(values_of "$s")))
	done
	echo "the slow rank did $slow of $all"
	[ $((6 * slow)) -lt "$all" ]
}

# bats test_tags=long
@test "balance: triples of which one rank of three is slow" {
	requires mpi 3
	requires cpu avx2
	vsim-pack --synthetic random --vectors 300 --fields 2000 -o x.vec.h5
	vsim-run -w 3 -t 0.2 -j 1 --no-prune --merge one.res.h5 -o one x.vec.h5
	slow_one 3 -w 3 -t 0.2 -j 1 --no-prune
	[ "$(content run.res.h5)" = "$(content one.res.h5)" ]
	[ "$(stat_of tiles_of_other_ranks)" -gt 0 ]
}
