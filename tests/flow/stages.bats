# SPDX-License-Identifier: BSD-3-Clause
# A run in stages: each record in one of them, all of them the whole.
# shellcheck disable=SC2086
load ../helpers

export OMPI_MCA_pml=ob1 OMPI_MCA_osc=^ucx OMPI_MCA_coll=^hcoll
export OMPI_MCA_mtl=^ofi

content() {
	vsim-view -H "$1" | sed -n 's/^#content_xxh128: //p'
}

# of WAY T: x.vec.h5 and what a run that is not cut finds
of() {
	vsim-pack -f --synthetic random --vectors 150 --fields 400 -o x.vec.h5
	ask="--way $1 -t $2"
	vsim-run $ask -o whole x.vec.h5
	vsim-merge -o whole.res.h5 whole
	want=$(content whole.res.h5)
	[ "$(vsim-view --no-header whole.res.h5 | wc -l)" -gt 100 ]
}

# merged RUNDIR...: they make up the whole
merged() {
	vsim-merge -f -o e.res.h5 "$@"
	[ "$(content e.res.h5)" = "$want" ]
}

stages_of() {
	local k
	of "$1" "$2"
	for k in 1 2 3; do
		vsim-run $ask --stage $k/3 -j $k -o part$k x.vec.h5
		vsim-verify part$k
	done
	merged part3 part1 part2

	run -3 vsim-merge -f -o e.res.h5 part2 part2/shard-00000.shard.h5
	[[ $output == *"are the same shard"* ]]
	run -3 vsim-merge -f -o e.res.h5 part2
	[[ $output == *"stages 1, 3 of 3 are missing or unfinished"* ]]
	vsim-merge -f --partial -o e.res.h5 part1 part3
	run -3 vsim-merge -f -o e.res.h5 part1 whole
	[[ $output == *"number of stages differs"* ]]
}

@test "stages: three of pairs, each computed apart, make up the run" {
	stages_of 2 0.4
}

@test "stages: three of triples make up the run" {
	stages_of 3 0.17
}

@test "stages: into one directory one after the other, by --resume" {
	of 3 0.17
	vsim-run $ask --stage 2/3 -o run x.vec.h5
	run -3 vsim-run $ask --resume --stage 1/2 -o run x.vec.h5
	[[ $output == *"number of stages differs"* ]]
	vsim-run $ask --resume --stage 3/3 -o run x.vec.h5
	vsim-verify run
	run -3 vsim-merge -f -o e.res.h5 run
	[[ $output == *"stages 1 of 3"* ]]
	vsim-run $ask --resume --stage 1/3 -o run x.vec.h5
	vsim-verify run
	merged run
}

@test "stages: ranks share a stage, and others the next one" {
	requires mpi 3
	of 2 0.4
	vsim-run $ask --stage 1/2 -o part1 x.vec.h5
	ranks 3 vsim-run $ask --stage 2/2 -o part2 x.vec.h5
	merged part1 part2
}

@test "stages: the plan of one tells of its share" {
	of 2 0.4
	vsim-run -n $ask --stage 2/3 x.vec.h5 >plan
	grep -qx 'stage: 2' plan
	grep -qx 'stages: 3' plan
	n=$(sed -n 's/^pairs_of_a_rank: \([0-9]*\) to .*/\1/p' plan)
	((n > 11175 / 5 && n < 11175 / 2))
	[ "$(sed -n 's/^tile: //p' plan)" = 32 ]
}

@test "stages: what is no stage is refused" {
	for s in 0/3 4/3 2 1/ /2 a/b 1/2x 1/99999 -1/2; do
		run -2 vsim-run -t 0.7 --stage=$s -o run x.vec.h5
		[[ $output == *"--stage $s: 2/5 is the second of five"* ]]
	done
}
