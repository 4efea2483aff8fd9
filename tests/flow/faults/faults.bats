# SPDX-License-Identifier: BSD-3-Clause
# A machine that fails at one call, whichever: exit 4, a sentence, nothing half
# made under the output's name; or the call was not needed and all is there.
load ../../helpers

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	"$PYTHON" "$TOP/tests/flow/oracle.py" make 60 30 1 missing >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	vsim-run -t 0.3 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	gcc -D_GNU_SOURCE -O1 -w -shared -fPIC -o fault.so "$TOP/tests/faults/fault.c"
}

setup() {
	requires cmd gcc
	! sanitized || skip "asan"
	cd "$BATS_TEST_TMPDIR"
	cp -r "$BATS_FILE_TMPDIR"/* .
}

commands="vsim-pack --tsv x.tsv -o y
vsim-permute --order random -o y x.vec.h5
vsim-run -j 2 -t 0.3 -o y x.vec.h5
vsim-merge --memory 70K -o y run
vsim-threshold --min 0.4 -o y e.res.h5
vsim-threshold --top 7 -o y run"

# faulty CALL K CMD...: CMD, whose call K of this name fails
faulty() {
	rm -rf y
	run --separate-stderr env LD_PRELOAD="$PWD/fault.so" FAULT_CALL="$1" \
		FAULT_AT="$2" FAULT_COUNT="$PWD/n" "${@:3}"
}

# each CALL MOST CHECK: CHECK after each command, with up to MOST of its calls
# failing in turn
each() {
	local cmd k n
	while read -r cmd; do
		# shellcheck disable=SC2086
		faulty "$1" 0 $cmd
		n=$(cat n)
		for ((k = 1; k <= n; k += 1 + (n - 1) / $2)); do
			# shellcheck disable=SC2086
			faulty "$1" $k $cmd
			$3 || complain "call $k of $n, $1: $cmd" \
				"exit $status: $output $stderr"
		done
	done <<<"$commands"
}

reported() {
	[ "$status" = 0 ] && vsim-verify y && [ -z "$stderr" ] && gone && return
	# flushed late, what is whole may stand there
	[ "$status" = 4 ] && [ "${#stderr_lines[@]}" = 1 ] &&
		[ ! -e y/.lock ] && gone &&
		{ [ ! -e y ] || [ -d y ] || vsim-verify y; }
}

# bats test_tags=long
@test "faults: what cannot be written, flushed or renamed" {
	each write 6 reported
	each fsync 3 reported
	each rename 3 reported
}

# campaign OPTION...: places of some jobs at which calls fail or kill
campaign() {
	local inputs=$BATS_FILE_TMPDIR.inputs
	in_memory
	"$PYTHON" "$TOP/tests/faults/campaign.py" "$VSIM_BUILD" \
		"$SCRATCH/campaign" "$PWD/fault.so" --inputs "$inputs" "$@"
}

# bats test_tags=long
@test "faults: a directory that is replaced is the old or the new one throughout" {
	campaign --jobs threshold-dir --calls rename,unlink --how once,kill \
		--each 8
	campaign --jobs threshold-aside --calls rename --how once,kill --each 8
}

# bats test_tags=long
@test "faults: without memory, in HDF5 too, exit 4, a sentence and no file" {
	campaign --jobs pack-bed,run-pairs,merge,threshold-dir,verify-against \
		--calls alloc,strdup --how once,on --each 8
}

# bats test_tags=long
@test "faults: vsim-verify that gets no memory says no such thing as no" {
	campaign --jobs verify --calls strdup --how on --each 24
	campaign --jobs verify,pack-bed --calls alloc --how once --each 20 \
		--in-order
}

# bats test_tags=long
@test "faults: a directory that is replaced with the last memory keeps its files" {
	campaign --jobs threshold-dir,threshold-aside --calls alloc --how on \
		--last 50 --each 16
}

# bats test_tags=long
@test "faults: a directory that is replaced with any of the last memory" {
	campaign --jobs threshold-dir,threshold-aside --calls alloc --how on \
		--last 50
}

# bats test_tags=long
@test "faults: without memory for a runfile, exit 4 or the complete result" {
	local k
	printf '%s: %s\n' input x.vec.h5 threshold 0.3 output y \
		pairs-between '[0-9, "1\x30-29"]' >c.yaml
	vsim-run --config c.yaml
	mv y whole
	# the first 65 are those of the options
	for ((k = 1; k < 66; k += 2)); do
		faulty alloc $k vsim-run -j 1 --config c.yaml
		reported || complain "alloc $k: exit $status: $stderr"
		[ "$status" = 4 ] || vsim-verify --compare y whole ||
			complain "alloc $k: another result"
	done
}

# bats test_tags=long
@test "faults: an input that another program changes meanwhile is refused" {
	campaign --jobs threshold-none,run-none --calls read --how alter \
		--each 70
	campaign --jobs view-none,merge-none,permute-none,verify-against \
		--calls read --how alter --each 24
}

@test "faults: without threads" {
	campaign --jobs run-ps,merge,verify-against --calls thread \
		--how once,on --each 6
	# thread 1 waits for signals
	FAULT_HOW=on faulty thread 2 vsim-run -j 2 -t 0.3 -o y x.vec.h5
	[ "$status" = 4 ] && [ "${#stderr_lines[@]}" = 1 ] &&
		[[ $stderr == *"2 threads: cannot start a thread: "* ]]
}

# bats test_tags=long
@test "faults: after a kill the next run removes what was being written" {
	campaign --jobs run-pairs,run-triples,run-top --calls rename,write \
		--how kill --each 6
	# behind the renaming of what --merge makes
	campaign --jobs run-near --calls close --how kill --last 1
}

# bats test_tags=long
@test "faults: a read that fails is the machine's failure, exit 4" {
	campaign --jobs verify,threshold-dir,permute,pack-bcf --calls read,stat \
		--how once --each 6
	campaign --jobs pack-vcf --calls write --how once,on --each 18
	# dropped where a call failed: attributes, groups, the completion file
	campaign --jobs threshold-dir --calls open --how once --each 16
}

# bats test_tags=long
@test "faults: metadata forged under a right seal is refused by all readers" {
	local f=$TOP/tests/data/forged/metadata.vec.h5 cmd
	for cmd in vsim-view "vsim-view --header" "vsim-run -n -t 0.1" \
		"vsim-run -t 0.1 -o y" "vsim-permute --order source -o y"; do
		# shellcheck disable=SC2086
		refuses 3 'HDF5 crashes on it' $cmd "$f"
		gone y
	done
	cp "$f" run/shard-00001.shard.h5
	for cmd in "vsim-merge -o y run" "vsim-threshold --min 0.4 -o y run"; do
		# shellcheck disable=SC2086
		refuses 3 'shard-00001' $cmd
		gone y
	done
	"$PYTHON" "$TOP/tests/faults/forged.py" "$VSIM_BUILD" "$PWD/forged" \
		x.vec.h5 e.res.h5 run/shard-00000.shard.h5 --count 12
}

# bats test_tags=long
@test "faults: values and logs forged under right sums are refused or taken as they are" {
	requires python numpy h5py
	FAULT_CALL=fsync FAULT_AT=30 FAULT_HOW=kill \
		LD_PRELOAD=$PWD/fault.so vsim-run -j 1 -t 0.3 --tile 6 \
		--commit-every 0 --metric-histogram h.tsv -o killed \
		"$PWD/x.vec.h5" && complain "not killed"
	"$PYTHON" "$TOP/tests/faults/forged.py" "$VSIM_BUILD" "$PWD/forged" \
		x.vec.h5 e.res.h5 run/shard-00000.shard.h5 killed --values --count 14
}

@test "faults: a fuzz target that finds no corpus does not count as passed" {
	local target=$VSIM_BUILD/tests/fuzz/f_h5
	[ -x "$target" ] || skip "make check-fuzz builds it"
	run "$target" 1
	[ "$status" = 1 ]
	[[ $output == *'top folder of the source'* ]]
}

@test "faults: one child looks at many shards; of a forged one its name is said" {
	local k cmd
	for k in 1 2 3 4 5 6 7; do
		vsim-run -t 0.3 --tile 20 --stage $k/7 -o run$k x.vec.h5
		mv run$k/*.shard.h5 many-$k.shard.h5
	done
	mkdir many
	mv many-* many
	for cmd in "vsim-merge -o y many" "vsim-verify many" \
		"vsim-threshold --min 0.4 -o y many"; do
		# shellcheck disable=SC2086
		faulty fork 0 $cmd
		# names are read from the vectors file
		[ "$status" = 0 ] && [ "$(cat n)" -le 2 ] ||
			complain "$cmd: $status, $(cat n) children: $stderr"
		# a child that is not to be had is had for each file
		# shellcheck disable=SC2086
		faulty fork 1 $cmd
		[ "$status" = 0 ] && [ "$(cat n)" -ge 8 ]
	done
	cp "$TOP/tests/data/forged/metadata.vec.h5" many/many-5.shard.h5
	for cmd in "vsim-merge -o y many" "vsim-verify many" \
		"vsim-threshold --min 0.4 -o y many"; do
		rm -rf y
		# shellcheck disable=SC2086
		run --separate-stderr $cmd
		[[ $status = [13] ]] && [[ $stderr == *many-5.shard.h5* ]] ||
			complain "$cmd: $status $stderr"
		gone y
	done
}

@test "faults: the child that looks at a file says nothing itself" {
	cat >noise.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		static pid_t first;
		__attribute__((constructor)) static void
		begin(void) { first = getpid(); }
		int sigaltstack(const stack_t *a, stack_t *b) {
			if (getpid() != first)
				dprintf(2, "corrupted double-linked list\n");
			return (int)syscall(SYS_sigaltstack, a, b);
		}
	END
	gcc -w -shared -fPIC -o noise.so noise.c
	LD_PRELOAD=$PWD/noise.so quietly vsim-threshold --min 0.4 -o y e.res.h5
}

@test "faults: without /proc no plugin of the working directory is opened" {
	cat >plugin.c <<-'END'
		#include <fcntl.h>
		__attribute__((constructor)) static void
		here(void) { creat("opened", 0644); }
	END
	gcc -w -shared -fPIC -o vsim-cuda.so plugin.c
	set -- vsim-run -f --backend cuda -t 0.3 -o y x.vec.h5
	unset VSIM_PLUGIN_PATH
	FAULT_HOW=on faulty readlink 1 "$@"
	[[ $stderr == *"/proc does not tell"* ]] || complain "$status: $stderr"
	gone opened
	# the plugin is one that says when it is opened
	VSIM_PLUGIN_PATH=. run "$@"
	[ -e opened ]
}

# bats test_tags=long
@test "faults: a date that is set forwards and backwards changes nothing" {
	gcc -D_GNU_SOURCE -O1 -w -shared -fPIC -o clock.so \
		"$TOP/tests/faults/clock.c"
	"$PYTHON" "$TOP/tests/faults/clock.py" "$VSIM_BUILD" "$PWD/clock" \
		"$PWD/clock.so" --rounds 1 --by 86400
}

# in_order FILE: of the calls in order the machine may lose its power after any:
# under its name stands a whole file or none, and at the end it does stand there
in_order() {
	awk -F'\t' '
	function dir(f) { return f ~ /\// ? substr(f, 1, match(f, "/[^/]*$") - 1) : "." }
	function bad(why) { print why; wrong = 1 }
	{ sub("^" ENVIRON["PWD"] "/", "", $2) }
	$2 == ENVIRON["PWD"] { $2 = "." }
	$1 == "write" {
		unflushed[$2] = 1
		# a log is appended to, its bytes have hashes
		if ($2 in named && $2 !~ /[.]log$/)
			bad($2 " is written to under its last name")
	}
	$1 == "fsync" { flushed[$2] = 1; delete unflushed[$2]; delete moved[$2] }
	$1 == "rename" {
		if (!($2 in flushed)) bad($2 " is renamed, never flushed")
		if ($2 in unflushed) bad($2 " is written to, then renamed")
		moved[dir($3)] = named[$3] = flushed[$3] = 1
		if ($2 in named) { delete named[$2]; moved[dir($2)] = 1 }
		else n++
	}
	$1 == "unlink" && $2 in named {
		if (dir($2) in moved) bad($2 " is removed before a rename is flushed")
		delete named[$2]
	}
	END {
		for (d in moved) bad("directory " d " is not flushed after a rename")
		if (!n) bad("nothing is renamed")
		exit wrong
	}' "$1"
}

@test "faults: flushed, renamed, and the directory flushed, in this order" {
	local cmd
	while read -r cmd; do
		rm -rf y order
		# shellcheck disable=SC2086
		LD_PRELOAD=$PWD/fault.so FAULT_ORDER=$PWD/order $cmd
		in_order order || complain "$cmd:" "$(in_order order)"
	done <<<"$commands
vsim-run -j 2 -t 0.3 --tile 20 --commit-every 0 -o y x.vec.h5
vsim-run --commit-every 0 -t 0.3 -o y x.vec.h5
vsim-run -f -t 0.3 --stats s --metric-histogram h -o y x.vec.h5
vsim-view -o y e.res.h5"
}

# most_files ORDER: of a run in the directory y at any time, of those names that
# the calls in order make, move and remove, with temporary ones
most_files() {
	awk -F'\t' '
	function made(f) {
		sub(".*/", "", f)
		if (f ~ /^shard/ && !(f in there)) { there[f] = 1; n++ }
	}
	function gone(f) { sub(".*/", "", f); if (f in there) { delete there[f]; n-- } }
	$1 == "write" || $1 == "rename" { made($2) }
	$1 == "rename" { gone($2); made($3) }
	$1 == "unlink" { gone($2) }
	{ most = n > most ? n : most }
	END { print most + 0 }' "$1"
}

# bats test_tags=long
@test "faults: a rank has one log, which is found whenever it is killed, or cannot write" {
	local call how k most=0 n want found=0
	local ask="-j 1 -t 0.3 --tile 6 --commit-every 0"
	rm -rf y order
	# shellcheck disable=SC2086
	LD_PRELOAD=$PWD/fault.so FAULT_ORDER=$PWD/order \
		vsim-run $ask -o y x.vec.h5
	in_order order
	# one of which it has the name alone, and the log
	[ "$(most_files order)" -le 2 ] || complain "$(most_files order) files"
	vsim-merge -f -o want.res.h5 y
	want=$(vsim-view -H want.res.h5 | sed -n 's/^#content_xxh128: //p')
	for call in rename write fsync unlink; do
		for how in kill once; do
			for k in $([ $how = kill ] && echo 1 2 40 || echo 7 80); do
				rm -rf y order
				# shellcheck disable=SC2086
				LD_PRELOAD=$PWD/fault.so FAULT_CALL=$call \
					FAULT_AT=$k FAULT_HOW=$how \
					vsim-run $ask -o y x.vec.h5 2>err || :
				find y -name 'shard*' -printf 'write\t%p\n' >order \
					2>/dev/null || :
				[ "$(wc -l <order)" -le 2 ] ||
					complain "$call $k $how: $(ls y)"
				# shellcheck disable=SC2086
				LD_PRELOAD=$PWD/fault.so FAULT_ORDER=$PWD/order \
					vsim-run -v $ask --resume -o y x.vec.h5 2>err
				n=$(most_files order)
				most=$((n > most ? n : most))
				n=$(sed -n 's/.* \([0-9]*\) of .* tiles are done already$/\1/p' err)
				found=$((${n:-0} > found ? ${n:-0} : found))
				[ "$(ls y/shard*)" = y/shard-00000.shard.h5 ] ||
					complain "$call $k $how: $(ls y)"
				vsim-merge -f -o e.res.h5 y
				[ "$(vsim-view -H e.res.h5 |
					sed -n 's/^#content_xxh128: //p')" = "$want" ] ||
					complain "$call $k $how: other content"
			done
		done
	done
	echo "$found tiles found, $most files at once"
	[ "$found" -gt 10 ]
	[ "$most" -le 2 ]
}

@test "faults: a library that ends the program gives no answer" {
	local n cmd
	# the first thread of vsim-verify is our own, and one less is not a failure
	while read -r n cmd; do
		# shellcheck disable=SC2086
		faulty thread "$n" $cmd
		[ "$status" = 4 ] || complain "$cmd: exit $status: $stderr"
		gone
	done <<-END
		1 vsim-run -j 2 -t 0.3 -o y x.vec.h5
		2 vsim-verify -j 2 --against x.vec.h5 e.res.h5
	END
	faulty thread 1 vsim-verify -j 2 e.res.h5
	[ "$status" = 0 ]
}

# bats test_tags=long
@test "faults: one rank of three that gets no thread ends all of them" {
	requires mpi 3
	local k ended=
	cat >one <<-'END'
		[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 1 ] || export LD_PRELOAD=$FAULT
		exec "$@"
	END
	# the first ones are MPI's own
	for k in 1 2 3 4 5 6; do
		rm -rf y
		export FAULT=$PWD/fault.so FAULT_CALL=thread FAULT_AT=$k
		run ranks 3 timeout -k 5 40 sh one vsim-run -j 1 -t 0.3 -o y x.vec.h5
		[ "$status" != 124 ] && [ "$status" != 137 ] ||
			complain "thread $k: the ranks do not end"
		[[ $output != *"vsim-run: "*"cannot start a thread"* ]] ||
			ended+="$status "
	done
	[[ $ended == 4* ]] || complain "$ended $output"
}
