#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The whole way as jobs of Slurm, from a VCF to one result in this folder.
# usage: slurm.sh VCF T ranks N     the run is one job of N ranks of MPI
#        slurm.sh VCF T array N     it is N jobs of an array, each a stage of it
# It submits all jobs, each after those it needs, and prints the id of the last.
# environment: PARTS jobs pack a part of the VCF each (N); SBATCH has options for
# the jobs of the run, as '-p long -t 12:00:00 -c 16'.
#
# A job of the run that Slurm stops is requeued by itself: a minute before its
# time is up it gets SIGTERM, and seals what it has. One that lost its node, or was
# preempted or cancelled, goes on when it is requeued or submitted again, on any
# number of ranks, since shards that are sealed stay. What a file is written from
# must be the same then: the programs look, and refuse what is not.
set -eu

fail() {
	code=$1
	shift
	printf 'slurm.sh: %s\n' "$*" >&2
	exit "$code"
}

# submit NAME OPTION... -- STEP...: the id of a job of this script's step
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

# requeued CMD...: requeue this job if it gets SIGTERM before CMD is done
requeued() {
	stopped=
	pid=
	trap stop TERM
	"$@" &
	pid=$!
	code=0
	# a wait ends with the signal, the next one with the program
	wait "$pid" || code=$?
	if [ -n "$stopped" ]; then
		code=0
		wait "$pid" || code=$?
	fi
	if [ -n "$stopped" ] && [ "$code" != 0 ]; then
		scontrol requeue "$SLURM_JOB_ID"
		# not to end as failed before Slurm ends it
		sleep 60
	fi
	exit "$code"
}

# stop: the program, or the ranks: a signal to srun would kill them
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
