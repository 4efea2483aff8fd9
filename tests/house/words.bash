# SPDX-License-Identifier: BSD-3-Clause
# Words for the house tests, which read the tree itself.
load ../helpers

setup() {
	cd "$TOP" || return
}

# sources [NAME-PATTERN]: our C files
sources() {
	local dir dirs=()
	for dir in libcore formats tools cuda tests; do
		[ ! -d $dir ] || dirs+=($dir)
	done
	find "${dirs[@]}" -type f \( -name "${1:-*.[ch]}" \) | sort
}

# what the Makefile gives to a compiler, warnings as errors
compiler_flags() {
	printf '%s\n' -std=gnu11 -Wall -Wextra -Werror -fopenmp -I. \
		-D_GNU_SOURCE -ffp-contract=off -fno-math-errno
	# shellcheck disable=SC2046
	printf '%s\n' $(probed H5_CFLAGS) $(probed DEP_CFLAGS)
}

# none TEXT: fails, showing TEXT, unless it is empty
none() {
	[ -z "$1" ] || complain "$1"
}
