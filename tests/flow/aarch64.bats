# SPDX-License-Identifier: BSD-3-Clause
# The kernels on another kind of CPU, emulated.
load ../helpers

@test "aarch64: its kernels count right, compiled there and emulated here" {
	requires cmd aarch64-linux-gnu-gcc qemu-aarch64-static
	local out=$PWD/t_kernel
	echo 'int main(void) { return 0; }' >none.c
	aarch64-linux-gnu-gcc -static -o none none.c 2>/dev/null ||
		skip 'no C library for aarch64'
	cd "$TOP"
	aarch64-linux-gnu-gcc -std=gnu11 -Wall -Wextra -Werror -O2 \
		-fopenmp -static -I. -D_GNU_SOURCE -o "$out" \
		tests/unit/t_kernel.c libcore/base/{err,mem}.c \
		libcore/bits/{cpu,panel,vec}.c libcore/kern/*.c
	run qemu-aarch64-static "$out" quick
	[ "$status" = 0 ] || complain "$output"
	[[ $output == *'dense neon'* && $output == *'sparse neon'* ]] &&
		[[ $output == *'dense nibble64'* ]] || complain "$output"
}
