# SPDX-License-Identifier: BSD-3-Clause
# Default memory and threads stay within the limits of the process's cgroup.
load ../../helpers

setup_file() {
	# 52 MB of planes
	vsim-pack --synthetic random --vectors 16000 --fields 13000 \
		-o "$BATS_FILE_TMPDIR/x.vec.h5"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	ln -s "$BATS_FILE_TMPDIR/x.vec.h5" .
}

# group CONTROLLER FILE VALUE: a new cgroup of version 1 or 2 with that limit, in
# $group; skip where none can be made
group() {
	local dir name
	name=vsim-test-$$-$BATS_TEST_NUMBER
	for dir in "/sys/fs/cgroup/$1" /sys/fs/cgroup; do
		[ -e "$dir/cgroup.procs" ] &&
			mkdir "$dir/$name" 2>/dev/null || continue
		GROUPS_MADE="$GROUPS_MADE $dir/$name"
		if { echo "$3" >"$dir/$name/$2"; } 2>/dev/null; then
			group=$dir/$name
			return
		fi
	done
	skip "cannot make a cgroup with $2 here"
}

# inside CMD...: CMD in $group
inside() {
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
}

teardown() {
	local d
	for d in $GROUPS_MADE; do
		rmdir "$d"
	done
}

# planned WORD: what vsim-run -n says of it
planned() {
	sed -n "s/^$1: //p"
}

limit_name() {
	if [ -e /sys/fs/cgroup/memory/cgroup.procs ]; then
		echo memory.limit_in_bytes
	else
		echo memory.max
	fi
}

# bats test_tags=long
@test "run: vectors that do not fit in the cgroup's memory are read block by block" {
	! sanitized ||
		skip "a sanitizer takes more memory than the group has"
	[ "$(vsim-run -n -t 0.6 x.vec.h5 | planned blocks)" = "in memory" ]
	group memory "$(limit_name)" 96M
	inside vsim-run -n -t 0.6 x.vec.h5 >plan
	[ "$(planned memory_of_a_rank <plan)" -lt $((72 << 20)) ]
	[ "$(planned blocks <plan)" != "in memory" ]
	# a part, as all would take seconds
	quietly inside vsim-run --no-prune -t 0.6 --stage 1/20 -o run x.vec.h5
}

# bats test_tags=long
@test "run: where memory is short fewer threads work, and a line says so" {
	vsim-run -n -j 16 -t 0.6 --memory 100M x.vec.h5 >plan 2>err
	got=$(planned threads <plan)
	[ "$got" -gt 0 ] && [ "$got" -lt 16 ]
	[ "$(planned memory_of_a_rank <plan)" -le $((100 << 20)) ]
	grep -v '^vsim-run: --threads 16: more than the' err >said || true
	[ "$(wc -l <said)" = 1 ]
	grep -q "^vsim-run: memory for $got of 16 threads: --memory allows" err
	vsim-pack --synthetic random --vectors 60 --fields 300000 -o t.vec.h5
	vsim-run -t 0.1 --top 20 -w 3 -j 1 -o one t.vec.h5
	vsim-run -t 0.1 --top 20 -w 3 -j 8 --memory 400M -o few t.vec.h5 2>err
	grep -q '^vsim-run: memory for . of 8 threads: ' err
	vsim-merge -o one.res.h5 one
	vsim-merge -o few.res.h5 few
	vsim-verify --compare one.res.h5 few.res.h5
}

@test "run: Slurm's limit of a job counts where it limits by no cgroup" {
	SLURM_JOB_ID=7 SLURM_MEM_PER_CPU=24 SLURM_CPUS_ON_NODE=4 \
		vsim-run -n -t 0.6 x.vec.h5 >plan
	[ "$(planned memory_of_a_rank <plan)" -lt $((72 << 20)) ]
}

@test "run: ranks share the limit" {
	requires mpi 2
	SLURM_JOB_ID=7 SLURM_MEM_PER_NODE=192 \
		ranks 2 vsim-run -n -t 0.6 x.vec.h5 >plan
	[ "$(planned memory_of_a_rank <plan)" -lt $((72 << 20)) ]
}

# bats test_tags=long
@test "run: threads are no more than the cgroup's quota" {
	local quota=cpu.max value='100000 100000'
	[ "$(nproc)" -gt 1 ] || skip "one CPU"
	if [ -e /sys/fs/cgroup/cpu/cpu.cfs_quota_us ] ||
		[ -e /sys/fs/cgroup/cpu/cgroup.procs ]; then
		quota=cpu.cfs_quota_us value=100000
	fi
	group cpu $quota "$value"
	[ "$(inside vsim-run -n -t 0.6 x.vec.h5 | planned threads)" = 1 ]
	[ "$(vsim-run -n -t 0.6 x.vec.h5 | planned threads)" -gt 1 ]
}

@test "run: ranks with CPUs of their own use all of these" {
	[ "$(nproc)" -ge 4 ] || skip "fewer than 4 CPUs"
	[ "$(probed MPI_FLAVOUR)" != mpich ] || skip "needs Open MPI's variables"
	requires mpi 2
	ranks 2 sh -c 'at=$((2 * OMPI_COMM_WORLD_RANK)) &&
		exec taskset -c $at,$((at + 1)) vsim-run -n -t 0.6 x.vec.h5' >plan
	[ "$(planned threads <plan)" = 2 ]
}

gigabyte() {
	(
		ulimit -v 1048576
		"$@"
	)
}

# repeated HEAD TEXT: HEAD, and TEXT 3,000 times, packed by gzip
repeated() {
	local k
	# shellcheck disable=SC2059
	printf "$1" | gzip -1
	for k in {1..30}; do printf '%s' "$2"; done | gzip -1 >member
	for k in {1..100}; do cat member; done
}

# bats test_tags=long
@test "limits: sizes that a few bytes state take no memory" {
	! sanitized || skip "asan"
	local input head="%%MatrixMarket matrix coordinate real general"
	# of a header's length, 118 bytes
	npy() {
		printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' \
			"{'descr': '|u1', 'fortran_order': False, 'shape': ($1), }"
	}
	npy 1,500000000 >a.npy
	npy 500000000,1 >b.npy
	printf '%s\n1073741824 1 1\n1 1 1\n' "$head" >c.mtx
	printf '%s\n1 536870911 1\n1 1 1\n' "$head" >d.mtx
	printf '%s\n65536 65536 1\n1 1 1\n' "$head" >e.mtx
	printf '%s\n20000 20000 300000000\n1 1 1\n' "$head" >f.mtx
	for input in *.npy *.mtx; do
		refuses 3 "$input: " narrow vsim-pack --matrix $input -o y
		gone y
	done
	head -c 300000000 /dev/zero | tr '\0' 1 >line
	refuses 3 'line 1: has more than the 256 MiB' vsim-pack --tsv line -o y
	{ printf '##fileformat=VCFv4.2\n##' && cat line; } >x.vcf
	refuses 3 '256 MiB' \
		vsim-pack --vcf x.vcf -o y
	# 300 kB of one line, of a header of many, and of a line behind a header
	repeated '##fileformat=VCFv4.2\n##' "$(head -c 100000 line)" >a.vcf.gz
	repeated '##fileformat=VCFv4.2\n' "##x=$(head -c 99995 line)"$'\n' \
		>b.vcf.gz
	head='##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL'
	head+='\tFILTER\tINFO\tFORMAT\tA\n1\t1\t'
	repeated "$head" "$(head -c 100000 line)" >c.vcf.gz
	for input in *.vcf.gz; do
		refuses 3 '256 MiB' \
			gigabyte vsim-pack --vcf $input -o y
	done
	gone y
}

@test "limits: a program without memory ends with 4, and calls no file damaged" {
	! sanitized || skip "asan"
	local cmd kb status short=0
	printf 'rs%d\t0\t1\t2\t0\n' 1 2 3 4 5 6 7 8 >s.tsv
	vsim-pack --tsv s.tsv -o s.vec.h5
	vsim-run -t 0 -o run s.vec.h5
	for cmd in "vsim-verify s.vec.h5" "vsim-merge -f -o y run" \
		"vsim-permute -f --order random -o y s.vec.h5"; do
		for ((kb = 13000; kb < 17000; kb += 400)); do
			status=0
			# shellcheck disable=SC2086
			addresses $kb $cmd >said 2>&1 || status=$?
			short=$((short + (status == 4)))
			# where libraries cannot be loaded or start, before main
			[[ " 0 4 127 " == *" $status "* ]] ||
				grep -q ^libgomp: said ||
				complain "$cmd: $kb KB: exit $status: $(cat said)"
		done
	done
	[ $short -gt 3 ]
}

# bats test_tags=long
@test "limits: a BCF and a VCF are packed at any limit of memory, or not, in time" {
	! sanitized || skip "asan"
	local g=$TOP/tests/data/in/vcf/good f kb status short=0
	for f in bcf.bcf bgzip.vcf.gz; do
		for ((kb = 20000; kb < 100000; kb += 1900)); do
			status=0
			addresses $kb timeout 20 vsim-pack -f -j 2 \
				--vcf "$g/$f" -o y >said 2>&1 || status=$?
			short=$((short + (status == 4)))
			[[ " 0 4 127 " == *" $status "* ]] ||
				complain "$f: $kb KB: exit $status: $(cat said)"
		done
	done
	[ $short -gt 3 ]
}

# addresses KB CMD...: CMD with that many of them
addresses() {
	(
		ulimit -v "$1"
		"${@:2}"
	)
}

# narrow CMD...: CMD with 600 MB of addresses
narrow() {
	(
		ulimit -v 600000
		"$@"
	)
}
