# SPDX-License-Identifier: BSD-3-Clause
# A disk that fills: one sentence, code 4, nothing unfinished left, nobody crashes.
load ../../helpers

make_vectors() {
	awk 'BEGIN { for (k = 0; k < 400; k++) {
		printf "rs" k
		for (q = 0; q < 40; q++)
			printf "\t" (k * 7 + q * q * (k % 11 + 1)) % 3
		print "" } }' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
}

# full CMD...: CMD has filled the disk
full() {
	run --separate-stderr "$@"
	[ "$status" = 4 ] && [ -z "$output" ] &&
		[[ $stderr == *"No space left on device"* ]] &&
		[[ $stderr != *egmentation* ]] ||
		complain "exit $status: $output $stderr"
	# a rank that had finished keeps its sealed shard for --resume
	[ -z "$(find disk -type f ! -name '*.shard.h5' ! -name run.yaml)" ] ||
		complain "left: $(find disk)"
	local f
	for f in disk/run/*.shard.h5; do
		[ ! -e "$f" ] || vsim-verify "$f" || complain "not whole: $f"
	done
	rm -rf disk/run
}

@test "full disk: vsim-run on one and two ranks, whatever the size" {
	requires mpi 2
	make_vectors
	for size in 16k 64k 96k; do
		small_disk disk $size
		full vsim-run -m ccc -t 0 -o disk/run x.vec.h5
		full ranks 2 vsim-run -m ccc -t 0 -o disk/run x.vec.h5
		umount disk
		SMALL_DISKS=
	done
}

@test "full disk: vsim-merge, vsim-threshold, vsim-permute, vsim-pack" {
	make_vectors
	vsim-run -m ccc -t 0 -o run x.vec.h5
	small_disk disk 16k
	full vsim-merge -o disk/e.res.h5 run
	full vsim-permute --order random -o disk/p.vec.h5 x.vec.h5
	full vsim-pack --tsv x.tsv -o disk/x.vec.h5
	full vsim-threshold --min 0.1 -o disk/t.shard.h5 run
}

# bats test_tags=long
@test "full disk: one rank of two fails, and its sentence is heard" {
	requires mpi 2
	make_vectors
	local k
	for k in 1 2 3 4 5 6; do
		small_disk disk 128k
		run --separate-stderr ranks 2 vsim-run -m ccc -t 0 \
			-o disk/run x.vec.h5
		umount disk
		SMALL_DISKS=
		[ "$status" = 0 ] || {
			[ "$status" = 4 ] && [[ $stderr == *"No space left"* ]]
		} || complain "exit $status: $output $stderr"
	done
}
