# SPDX-License-Identifier: BSD-3-Clause
# On other kinds of CPU, emulated: an instruction that a CPU lacks ends a
# program there.
# bats file_tags=long
load ../../helpers

@test "emulated: aarch64's kernels count right" {
	requires cmd aarch64-linux-gnu-gcc qemu-aarch64-static
	local out=$PWD/test file bits=()
	echo 'int main(void) { return 0; }' >none.c
	aarch64-linux-gnu-gcc -static -o none none.c 2>/dev/null ||
		skip 'no C library for aarch64'
	cd "$TOP"
	# all but what needs hwloc or xxhash, which have no library here
	for file in libcore/bits/*.c; do
		case $file in
		*/affinity.c | */record_digest.c) ;;
		*) bits+=("$file") ;;
		esac
	done
	for test in t_lanes t_minima t_kernel; do
		aarch64-linux-gnu-gcc -std=gnu11 -Wall -Wextra -Werror -O2 \
			-ffp-contract=off -fopenmp -static -I. -D_GNU_SOURCE \
			-o "$out" tests/unit/$test.c libcore/base/{fail,limits,mem,num}.c \
			"${bits[@]}" libcore/kern/*.c libcore/kern/*/*.c -lm
		run qemu-aarch64-static "$out" quick
		[ "$status" = 0 ] || complain "$output"
	done
	[[ $output == *'dense neon'* && $output == *'sparse neon'* ]] &&
		[[ $output == *'dense nibble64'* ]] || complain "$output"
}

@test "emulated: older x86-64 takes what it has, and the result is the same" {
	requires cmd qemu-x86_64-static
	local cpu step kernel run
	run=$(command -v vsim-run)
	# a sanitizer's shadow takes all memory there before it gives up
	[[ $VSIM_BUILD != */[at]san ]] || skip 'this build does not run in qemu'
	qemu-x86_64-static -cpu max "$run" --version >/dev/null 2>&1 ||
		skip 'this build does not run in qemu'
	awk 'BEGIN { srand(3); for (v = 0; v < 150; v++) for (q = 0; q < 400; q++)
		printf "%s%s", rand() < 0.02 ? "NA" : int(3 * rand() ^ (1 + v % 3)),
			q < 399 ? "\t" : "\n" }' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	vsim-run -t 0.45 -o want x.vec.h5
	while read -r cpu step kernel; do
		qemu-x86_64-static -cpu $cpu "$run" --version >version
		grep -q "this CPU supports at most $step\$" version ||
			complain "$cpu" "$(<version)"
		qemu-x86_64-static -cpu $cpu "$run" -f -v -t 0.45 -o got \
			x.vec.h5 2>said || complain "$cpu" "$(<said)"
		grep -q "cpu-$kernel" said || complain "$cpu" "$(<said)"
		vsim-verify --compare want got || complain "$cpu differs"
	done <<-END
		core2duo scalar nibble64
		Nehalem popcnt nibble64
		Haswell avx2 nibble128
	END
}
