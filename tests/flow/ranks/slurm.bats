# SPDX-License-Identifier: BSD-3-Clause
# examples/slurm.sh on a Slurm of two nodes, which are daemons on this machine.
# bats file_tags=long
load ../../helpers

# daemon CMD...: in the background, for ten minutes at most
daemon() {
	timeout -k 5 600 "$@" >>"$SLURM/daemons.log" 2>&1 3>&- &
	echo $! >>"$SLURM/pids"
}

# configure PORT: ports from this one on
configure() {
	local host
	host=$(hostname)
	cat >"$SLURM_CONF" <<-EOT
	ClusterName=vsim
	SlurmctldHost=$host(127.0.0.1)
	SlurmctldPort=$1
	SlurmUser=root
	AuthType=auth/munge
	AuthInfo=socket=$SLURM/munge
	StateSaveLocation=$SLURM/state
	SlurmdSpoolDir=$SLURM/spool.%n
	SlurmctldPidFile=$SLURM/slurmctld.pid
	SlurmdPidFile=$SLURM/slurmd.%n.pid
	TmpFS=$SLURM/tmp.%n
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	AccountingStorageType=accounting_storage/none
	ReturnToService=2
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SlurmdParameters=config_overrides
	SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=2,bf_interval=2
	KillWait=2
	NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($1 + 1)) CPUs=4
	NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($1 + 2)) CPUs=4
	PartitionName=all Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP
	EOT
}

# lacking: why there is no Slurm here, or nothing
lacking() {
	local p
	for p in munged slurmctld slurmd sbatch srun scancel scontrol; do
		command -v "$p" >/dev/null || {
			echo "no program $p"
			return
		}
	done
	[ "$(id -u)" = 0 ] || echo "needs root"
	! sanitized || echo "a sanitized MPI leaks"
}

setup_file() {
	local try n
	export PATH=$PATH:/usr/sbin
	export SLURM=$BATS_FILE_TMPDIR/slurm
	export SLURM_CONF=$SLURM/slurm.conf
	LACKING=$(lacking)
	export LACKING
	[ -z "$LACKING" ] || return 0
	mkdir -p "$SLURM"/{state,tmp.n1,tmp.n2}
	# the daemons end where the tests are killed, too
	setsid bash -c "$(declare -f stop)
		while kill -0 $$; do sleep 1; done
		stop 1" >/dev/null 2>&1 3>&- &
	(umask 077 && head -c 1024 /dev/urandom >"$SLURM/key")
	daemon munged -F --force --key-file="$SLURM/key" \
		--socket="$SLURM/munge" --pid-file="$SLURM/munged.pid" \
		--log-file="$SLURM/munged.log" --seed-file="$SLURM/seed"
	for try in 1 2 3; do
		configure $((20000 + RANDOM / 2))
		daemon slurmctld -D -f "$SLURM_CONF"
		for n in n1 n2; do
			daemon slurmd -D -N $n -f "$SLURM_CONF"
		done
		for _ in {1..40}; do
			[ "$(timeout 5 sinfo -h -t idle -o %D 2>/dev/null)" != 2 ] ||
				return 0
			sleep 0.5
		done
		stop
	done
	LACKING="Slurm does not start: $(tail -n 3 "$SLURM/daemons.log")"
}

# stop: the jobs, and all daemons but munged, which is the first
stop() {
	local pids pid
	[ -e "$SLURM/pids" ] || return 0
	timeout 10 scancel -u root 2>/dev/null
	# a daemon that ends leaves the steps of its jobs behind
	for _ in {1..100}; do
		[ -n "$(timeout 5 squeue -h 2>/dev/null)" ] || break
		sleep 0.1
	done
	pids=$(tail -n +"${1:-2}" "$SLURM/pids" 2>/dev/null)
	for pid in $pids; do
		kill "$pid" 2>/dev/null
	done
	for pid in $pids; do
		for _ in {1..80}; do
			kill -0 "$pid" 2>/dev/null || break
			sleep 0.1
		done
		kill -9 "$pid" 2>/dev/null
	done
	return 0
}

teardown_file() {
	[ -n "$LACKING" ] || stop 1
	rm -f "$SLURM/pids"
}

setup() {
	[ -z "$LACKING" ] || skip "$LACKING"
	# both nodes have the same /dev/shm, where ranks of two would collide
	export OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo
	export OMPI_MCA_pml=ob1 OMPI_MCA_osc=^ucx UCX_LOG_LEVEL=fatal
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	cd "$BATS_TEST_TMPDIR" || return
	mkdir vcf bin
	vcf=$PWD/vcf/chr20.vcf
	zcat "$TOP/examples/chr20.vcf.gz" | sed 7000q >"$vcf"
	vsim-pack --vcf "$vcf" -o one.vec.h5
	vsim-run -t 0.7 -o one one.vec.h5
	vsim-merge -o one.res.h5 one
}

# slow: vsim-run takes long, and seals often
slow() {
	printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$(command -v vsim-run)" \
		"--no-prune -j 1 --tile 700 --commit-every 0" >bin/vsim-run
	chmod +x bin/vsim-run
	PATH=$PWD/bin:$PATH
}

# ended JOB: its jobs have no more to do
ended() {
	for _ in {1..1200}; do
		[ -n "$(timeout 10 squeue -h -j "$1" 2>/dev/null)" ] || return 0
		sleep 0.1
	done
	complain "$(squeue)" "$(cat ./*.log)"
}

# same: the result is that of one rank
same() {
	[ -e chr20.res.h5 ] || complain "$(cat ./*.log "$SLURM/daemons.log")"
	vsim-verify chr20.res.h5
	diff <(vsim-view -H one.res.h5 | grep content_) \
		<(vsim-view -H chr20.res.h5 | grep content_) ||
		complain "$(cat ./*.log)"
}

# job NAME: the id of the job of a step
job() {
	squeue -h -n "chr20.$1" -o %A | sort -n | tail -n 1
}

# sealed FILE...: wait for the first of them
sealed() {
	for _ in {1..600}; do
		compgen -G "$1" >/dev/null && return
		sleep 0.05
	done
	complain "no $1: $(squeue) $(cat ./*.log)"
}

@test "slurm.sh: a job of ranks over two nodes, and an array of stages" {
	srun --mpi=list 2>&1 | grep -qw pmix || skip "this Slurm has no pmix"
	ended "$("$TOP/examples/slurm.sh" "$vcf" 0.7 ranks 6)"
	same
	[ "$(find chr20.run -name '*.shard.h5' | wc -l)" = 6 ]
	rm -r chr20.*
	ended "$(PARTS=2 "$TOP/examples/slurm.sh" "$vcf" 0.7 array 3)"
	same
	[ -d chr20.run.3 ]
	run -2 "$TOP/examples/slurm.sh" "$vcf" 0.7
	run -3 "$TOP/examples/slurm.sh" absent.vcf 0.7 array 3
}

# requeues HOW N SHARDS: a job of the run, sent SIGTERM as Slurm does when its time
# is nearly up, is requeued
requeues() {
	local last job
	last=$("$TOP/examples/slurm.sh" "$vcf" 0.7 "$1" "$2")
	sealed "$3"
	job=$(squeue -h -n chr20.run -t R -o %i | sort | sed 1q)
	scancel --signal=TERM --batch "$job"
	for _ in {1..300}; do
		[ -z "$(squeue -h -j "$job" -t PD -o %i)" ] || break
		sleep 0.1
	done
	grep -q 'vsim-run: stopped by a signal; finished work is saved' \
		./*.run.*.log || complain "$(squeue)" "$(cat ./*.log)"
	# not in two minutes, but when the node knows that the first one is over
	scontrol update "JobId=$job" StartTime=now+3
	ended "$last"
	same
}

@test "slurm.sh: a job that gets SIGTERM is requeued and resumes" {
	slow
	requeues array 2 'chr20.run.1/*.shard.h5'
	rm -r chr20.*
	srun --mpi=list 2>&1 | grep -qw pmix || skip "this Slurm has no pmix"
	requeues ranks 2 'chr20.run/*.shard.h5'
}

@test "slurm.sh: a cancelled run is resumed by the next job, on other ranks" {
	srun --mpi=list 2>&1 | grep -qw pmix || skip "this Slurm has no pmix"
	slow
	last=$("$TOP/examples/slurm.sh" "$vcf" 0.7 ranks 2)
	sealed 'chr20.run/*.shard.h5'
	scancel "$(job run)" "$last"
	ended "$last"
	[ ! -e chr20.res.h5 ] && [ ! -e chr20.run/complete.yaml ]
	ended "$("$TOP/examples/slurm.sh" "$vcf" 0.7 ranks 3)"
	same
}
