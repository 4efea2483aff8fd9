#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A pipeline of Slurm jobs, from a VCF to a merged result in this directory.
# usage: slurm.sh VCF T ranks N     run one job of N MPI ranks
#        slurm.sh VCF T array N     run an array of N jobs, one stage each
# It submits all jobs with their dependencies, and prints the id of the last.
# environment: PARTS, the number of jobs that pack a part of the VCF each [N];
# SBATCH, options for the jobs of the run, such as '-p long -t 12:00:00 -c 16'.
#
# A job of the run gets SIGTERM a minute before its time limit, saves its work and
# requeues itself. A job that lost its node, or was preempted or cancelled, resumes
# when it is requeued or submitted again, on any number of ranks. The programs
# refuse inputs that have changed since then.
set -eu

fail() {
	code=$1
	shift
	printf 'slurm.sh: %s\n' "$*" >&2
	exit "$code"
}

# submit NAME OPTION... -- STEP...: submit a job for this step, and print its id
submit() {
	name=$1
	shift
	for word; do
		shift
		[ "$word" != -- ] || word=$script
		set -- "$@" "$word"
	done
	sbatch --parsable --requeue --kill-on-invalid-dep=yes \
		--open-mode=append -J "$x.$name" -o '%x.%j.log' "$@"
}

# requeued CMD...: run CMD, and requeue this job if SIGTERM interrupts it
requeued() {
	stopped=
	pid=
	trap stop TERM
	"$@" &
	pid=$!
	code=0
	# the signal ends the first wait, the end of the program the second
	wait "$pid" || code=$?
	if [ -n "$stopped" ]; then
		code=0
		wait "$pid" || code=$?
	fi
	if [ -n "$stopped" ] && [ "$code" != 0 ]; then
		scontrol requeue "$SLURM_JOB_ID"
		# wait for Slurm to end the job, so that it does not count as failed
		sleep 60
	fi
	exit "$code"
}

# stop: signal the program, or the ranks directly, since srun would kill them
stop() {
	stopped=1
	if [ "$step" = step-ranks ]; then
		scancel --signal=TERM "$SLURM_JOB_ID"
	elif [ -n "$pid" ]; then
		kill -TERM "$pid"
	fi
}

# ---- the steps, each in a job ----

step=${1-}
case $step in
step-pack) # VCF X PARTS
	k=$SLURM_ARRAY_TASK_ID
	exec vsim-pack -f --vcf "$2" --part "$k/$4" -o "$3.part.$k.vec.h5"
	;;
step-join) # X PARTS
	x=$2
	k=$3
	set --
	while [ "$k" -gt 0 ]; do
		set -- "$@" "$x.part.$k.vec.h5"
		k=$((k - 1))
	done
	vsim-pack --parts -f -o "$x.vec.h5" "$@"
	rm -f "$@"
	exit
	;;
step-ranks) # X T N
	requeued srun -n "$4" --mpi=pmix \
		vsim-run --resume -t "$3" -o "$2.run" "$2.vec.h5"
	;;
step-array) # X T N
	requeued vsim-run --resume -t "$3" --stage "$SLURM_ARRAY_TASK_ID/$4" \
		-o "$2.run.$SLURM_ARRAY_TASK_ID" "$2.vec.h5"
	;;
step-merge) # X RUNDIR...
	x=$2
	shift 2
	exec vsim-merge -f -o "$x.res.h5" "$@"
	;;
esac

# ---- submission ----

case $#-${3-} in
4-ranks | 4-array) ;;
*) fail 2 'usage: slurm.sh VCF T ranks|array N' ;;
esac
command -v sbatch >/dev/null || fail 4 'no program sbatch on PATH'
[ -r "$1" ] || fail 3 "$1: cannot read"
script=$0
vcf=$(realpath "$1")
x=$(basename "$vcf" | sed 's/\.gz$//; s/\.[^.]*$//')
t=$2
how=$3
n=$4
parts=${PARTS:-$n}

pack=$(submit pack --array="1-$parts" -- step-pack "$vcf" "$x" "$parts")
join=$(submit join --dependency="afterok:$pack" -- step-join "$x" "$parts")
if [ "$how" = ranks ]; then
	set -- "$x.run"
	job="-n $n"
else
	set --
	k=0
	while [ "$k" -lt "$n" ]; do
		k=$((k + 1))
		set -- "$@" "$x.run.$k"
	done
	job="--array=1-$n"
fi
# shellcheck disable=SC2086
run=$(submit run --dependency="afterok:$join" --signal=B:TERM@60 $job \
	${SBATCH-} -- "step-$how" "$x" "$t" "$n")
submit merge --dependency="afterok:$run" -- step-merge "$x" "$@"
