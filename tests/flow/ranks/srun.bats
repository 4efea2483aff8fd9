# SPDX-License-Identifier: BSD-3-Clause
# Tasks that srun starts become ranks, or are refused; by Slurm's variables.
load ../../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	vsim-pack --synthetic random --vectors 30 --fields 50 -o x.vec.h5
	go=(vsim-run -t 0.5 -o run x.vec.h5)
}

# task RANK N CMD...: CMD as a task of a step of N, with srun's variables
task() {
	local rank=$1 n=$2
	shift 2
	SLURM_JOB_ID=7 SLURM_STEP_ID=${STEP:-0} SLURM_STEP_NUM_TASKS=$n \
		SLURM_NTASKS=$n SLURM_NPROCS=$n SLURM_PROCID=$rank \
		SLURM_LOCALID=$rank SLURM_NODEID=0 "$@"
}

@test "srun without PMI: refused, with what to do, by its first task alone" {
	refuses 2 'srun started 4 processes.*srun --mpi=pmix' \
		task 0 4 "${go[@]}"
	refuses 2 'srun --mpi=pmix' task 0 4 vsim-run -n -t 0.5 x.vec.h5
	run --separate-stderr task 3 4 "${go[@]}"
	[ "$status" = 2 ] && [ -z "$output$stderr" ]
	gone run
	# an older Slurm, without the step's number of tasks
	refuses 2 'srun --mpi=pmix' task 0 4 env -u SLURM_STEP_NUM_TASKS \
		"${go[@]}"
	gone run
	# help and version are no run
	task 1 4 vsim-run --version >/dev/null
	# runs of their own, where that is meant
	quietly task 1 4 env -u SLURM_STEP_ID "${go[@]}"
}

@test "srun -n 1, batch scripts, array jobs and shells of a job run alone" {
	quietly task 0 1 "${go[@]}"
	# sbatch -n 8: no step, rank 0 of nothing
	SLURM_JOB_ID=7 SLURM_NTASKS=8 SLURM_NPROCS=8 SLURM_PROCID=0 \
		SLURM_LOCALID=0 quietly vsim-run -f -t 0.5 -o run x.vec.h5
	SLURM_JOB_ID=7 SLURM_NTASKS=8 SLURM_PROCID=0 SLURM_STEP_ID=batch \
		quietly vsim-run -f -t 0.5 -o run x.vec.h5
	# numbers of the batch step and of an interactive one
	STEP=4294967291 quietly task 0 8 vsim-run -f -t 0.5 -o run x.vec.h5
	STEP=4294967290 quietly task 0 8 vsim-run -f -t 0.5 -o run x.vec.h5
	SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=4 quietly task 0 1 \
		vsim-run -t 0.5 --stage 2/4 -o stage x.vec.h5
	# salloc: a job and no step
	SLURM_JOB_ID=7 SLURM_NTASKS=8 \
		quietly vsim-run -f -t 0.5 -o run x.vec.h5
}

# bats test_tags=long
@test "srun: a PMI that makes runs of one rank each is refused too" {
	[ "$(probed MPI_FLAVOUR)" != mpich ] || skip "needs Open MPI's variables"
	requires mpi 2
	# as PMIx starts it, but of a world of one
	refuses 2 'srun started 4 processes' task 0 4 ranks 1 \
		env -u OMPI_COMM_WORLD_SIZE "${go[@]}"
	gone run
	# mpirun within a step knows how many it starts
	quietly task 0 4 ranks 1 "${go[@]}"
	quietly task 0 4 ranks 2 vsim-run -f -t 0.5 -o run x.vec.h5
	quietly vsim-verify run
}

@test "without MPI: vsim runs as one process, more of them are refused" {
	requires cmd gcc
	! sanitized || skip "its objects are sanitized"
	# the files that call MPI, as a build with MPI=none compiles them
	gcc -std=gnu11 -O1 -Wall -Wextra -Werror -DVSIM_NO_MPI -I"$TOP" \
		-c "$TOP"/libcore/plan/comm{,_exchange,_inner,_window}.c
	# shellcheck disable=SC2046
	gcc -fopenmp -Wl,--as-needed -o vsim-run "$VSIM_BUILD/tools/vsim-run.o" \
		comm{,_exchange,_inner,_window}.o "$VSIM_BUILD"/libvs{tools,fmt,cuda,core}.a \
		$(probed H5_LIBS) $(probed DEP_LIBS) -ldl -lm -Wl,-Map=map
	! grep -q 'libvscore.a(comm_[eiw]' map
	./vsim-run --version | grep -x 'libraries .*, no MPI; .*'
	quietly ./vsim-run -t 0.2 -o run x.vec.h5
	quietly vsim-verify --against x.vec.h5 run
	refuses 2 'started 3 processes, but .* built without MPI' \
		env OMPI_COMM_WORLD_SIZE=3 ./vsim-run -f -t 0.2 -o run x.vec.h5
	run --separate-stderr env PMI_SIZE=3 PMI_RANK=1 ./vsim-run -t 0.2 x.vec.h5
	[ "$status" = 2 ] && [ -z "$output$stderr" ]
}

@test "an mpirun that is not of this MPI: refused" {
	local n
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 # MPI itself leaks
	for n in OMPI_COMM_WORLD_SIZE PMI_SIZE MPI_LOCALNRANKS; do
		refuses 2 'an MPI launcher started 3 processes' \
			env "$n=3" "${go[@]}"
	done
	gone run
}
