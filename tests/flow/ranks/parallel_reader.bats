# SPDX-License-Identifier: BSD-3-Clause
# A merged result, read collectively by ranks that share one parallel HDF5.
load ../../helpers

# bats test_tags=long
@test "parallel reader: ranks read shares of a merged result together" {
	local codec n want
	requires mpi 3
	# a sanitizer's own allocator is not linked into the reader
	! sanitized || skip "the reader is built without sanitizers"
	# shellcheck disable=SC2046
	gcc -std=gnu11 -Wall -Wextra -o reader "$TOP/tests/flow/parallel_reader.c" \
		$(probed H5_CFLAGS) $(probed H5_LIBS) -lz -ldl -lm -lpthread \
		2>said || skip "no parallel HDF5 to build with: $(tail -n 1 said)"
	vsim-pack --synthetic random --vectors 500 --fields 200 -o x.vec.h5
	vsim-run -t 0.3 -o run x.vec.h5
	for codec in deflate none; do
		vsim-merge --codec $codec -o $codec.res.h5 run
		want=$(vsim-view --no-header -c i,j,value $codec.res.h5 | awk '
			{ n++; i += $1; j += $2; v += $3 }
			END { printf "%d %.0f %.0f %.6f\n", n, i, j, v }' |
			sed 's/..$//')
		[ "${want%% *}" -gt 131072 ]
		for n in 1 3; do
			[ "$(ranks $n ./reader $codec.res.h5 |
				sed 's/..$//')" = "$want" ]
		done
	done
}
