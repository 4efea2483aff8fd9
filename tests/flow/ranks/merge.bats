# SPDX-License-Identifier: BSD-3-Clause
# Ranks of vsim-merge write one file together, with the content that one process writes.
load ../../helpers

# together N: N ranks, and parallel HDF5
together() {
	requires mpi "$1"
	[[ $(probed H5_CFLAGS) == *mpi* ]] || skip "HDF5 is not parallel"
}

# same RANKS ARGUMENT...: ranks write what one process writes
same() {
	local n=$1 want
	shift
	vsim-merge -f -o one.res.h5 "$@"
	want=$(content one.res.h5)
	quietly ranks "$n" vsim-merge -f -j 1 -o all.res.h5 "$@"
	[ -n "$want" ] && [ "$(content all.res.h5)" = "$want" ] ||
		complain "$n ranks, $*: $(content all.res.h5), not $want"
	vsim-verify all.res.h5
	vsim-view all.res.h5 >all.txt
	vsim-view one.res.h5 | cmp - all.txt
	gone
}

# run_of N ARGUMENT...: a run on N random vectors
run_of() {
	vsim-pack -f --synthetic random --vectors "$1" --fields 40 --missing 0.1 -o x.vec.h5
	vsim-run "${@:2}" -o run x.vec.h5
}

# bats test_tags=install
@test "merge: ranks write one file" {
	together 2
	run_of 300 -t 0.1
	same 2 run
	same 2 --no-nodes --codec none run
}

@test "merge: 1 to 4 ranks, several rounds, each codec" {
	together 4
	local n codec
	run_of 420 -t -1 --tile 64
	for n in 1 2 3 4; do
		same $n run
	done
	same 2 --memory 20M run
	ranks 2 vsim-merge -v -f -j 1 --memory 20M -o all.res.h5 run 2>said
	grep -q 'sorted in 3 bands' said
	for codec in zstd none; do
		same 3 --codec $codec run
	done
	same 3 --level 6 run
	vsim-permute --order frequency -o y.vec.h5 x.vec.h5
	vsim-run -t 0.1 -o turned y.vec.h5
	same 3 --unpermute turned
}

@test "merge: ranks, triples, stages, an earlier result, few records and none" {
	together 3
	run_of 60 --way 3 -t 0.1
	same 3 run
	rm -r run
	run_of 60 -t 0.1 --stage 1/2
	vsim-run -t 0.1 --stage 2/2 -o run2 x.vec.h5
	same 3 run run2
	vsim-run -t 9 --allow-empty -o none x.vec.h5
	same 3 none
	vsim-run --top 1 -o top x.vec.h5
	same 3 top
	printf 'id\ta\tb\nv\t0\t1\nw\t0\t1\n' >two.tsv
	vsim-pack --tsv two.tsv -o two.vec.h5
	vsim-run --metric r2 -t 0 -o two two.vec.h5
	same 3 two
	vsim-pack --synthetic random --vectors 40 --fields 40 --missing 0.1 -o s.vec.h5
	vsim-run -t 0.1 -o old s.vec.h5 --merge old.res.h5
	vsim-run -t 0.1 --against old.res.h5 -o new x.vec.h5
	same 3 new old.res.h5
}

@test "merge: ranks add up a summary as one process does" {
	together 2
	run_of 60 --metric r2 --summary degree -t 0.1
	vsim-merge -o one run
	ranks 2 vsim-merge -o all run
	for f in one.*; do
		cmp "$f" "all${f#one}"
	done
	rm -r run
	run_of 60 --metric r2 --summary degree=0.1 -t 0.2
	same 2 run
	cmp one.degree.tsv all.degree.tsv
	vsim-verify --compare one.res.h5 all.res.h5
}

@test "merge: all ranks refuse together, with one line" {
	together 3
	run_of 60 -t 0.1
	refuses 2 'part cannot be combined with several ranks: ranks share' \
		ranks 3 vsim-merge --part 1/3 -o o.res.h5 run
	refuses 2 'partial cannot be combined with several ranks' \
		ranks 3 vsim-merge --partial -o o.res.h5 run
	refuses 2 'reproducible cannot be combined with several ranks' \
		ranks 3 vsim-merge --reproducible -o o.res.h5 run
	refuses 2 'unknown option' ranks 3 vsim-merge --wrong -o o.res.h5 run
	refuses 3 'No such' ranks 3 vsim-merge -o o.res.h5 nothing
	refuses 4 'a part is sorted in memory' ranks 3 vsim-merge --memory 1M -o o.res.h5 run
	refuses 4 'cannot' ranks 3 vsim-merge -o /proc/o.res.h5 run
	gone o.res.h5
	echo mine >o.res.h5
	refuses 2 'exists' ranks 3 vsim-merge -o o.res.h5 run
	grep -qx mine o.res.h5
	flip "$(ls run/*.shard.h5)" 9000
	refuses 3 'is damaged' ranks 3 vsim-merge -f -o o.res.h5 run
	grep -qx mine o.res.h5
	gone
}

# rank N: the process of the Nth rank that started, not a child of one
rank() {
	local p name parent
	for p in /proc/[0-9]*; do
		read -r name <"$p/comm" && [ "$name" = vsim-merge ] &&
			[ "$(readlink "$p/cwd")" = "$PWD" ] || continue
		read -r _ _ _ parent _ <"$p/stat" &&
			read -r name <"/proc/$parent/comm" || continue
		[ "$name" = vsim-merge ] || echo "${p#/proc/}"
	done 2>/dev/null | sort -n | sed -n "$1p"
}

@test "merge: a killed rank leaves nothing under the name" {
	together 3
	local pid victim killed k
	run_of 1200 -t -1 -j 1
	for victim in 1 2 3; do
		ranks 3 vsim-merge -j 1 -o o.res.h5 run 2>said &
		pid=$!
		for ((k = 0; k < 200; k++)); do
			[ -z "$(rank 3)" ] || break
		done
		killed=$(rank $victim)
		for ((k = 0; k < 2000; k++)); do
			compgen -G 'o.res.h5.tmp-*' >/dev/null && break
			sleep 0.005
		done
		kill -9 "$killed"
		! wait $pid
		[ ! -e o.res.h5 ]
		# a temporary file stays only if its own rank is killed
		[ "$victim" = 1 ] || gone
		rm -f o.res.h5.tmp-*
	done
	same 3 run
}
