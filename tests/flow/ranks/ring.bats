# SPDX-License-Identifier: BSD-3-Clause
# Vectors that ranks pass round a ring, over a link that is slow.
load ../../helpers

# slow_link: its library, of tests/faults
slow_link() {
	requires cmd gcc
	! sanitized || skip "asan"
	# shellcheck disable=SC2046
	gcc -D_GNU_SOURCE -O1 -w $(probed DEP_CFLAGS) -shared -fPIC \
		-o slow_link.so "$TOP/tests/faults/slow_link.c"
}

# over RATE RANKS RUN-OPTION...: vsim-run whose ranks get that many bytes a second
over() {
	local rate=$1 n=$2
	shift 2
	rm -rf run
	ranks "$n" env SLOW_LINK="$rate" \
		LD_PRELOAD="${LD_PRELOAD-}:$PWD/slow_link.so" \
		vsim-run --no-prune --stats s.yaml -o run "$@"
}

# stat NAME: of s.yaml
stat() {
	sed -n "s/^$1: //p" s.yaml
}

# late RATE RUN-OPTION...: x.vec.h5 over links of that rate has one rank's content
late() {
	local rate=$1
	shift
	vsim-run "$@" --no-prune --merge one.res.h5 -o one x.vec.h5
	for way in 2x1 3x2 5x1; do
		over "$rate" "${way%x*}" "$@" -j "${way#*x}" --tile 90 x.vec.h5
		vsim-merge -f -o run.res.h5 run
		[ "$(content run.res.h5)" = "$(content one.res.h5)" ]
		# some were waited for
		awk -v s="$(stat seconds_wait)" 'BEGIN { exit !(s > 0.01) }'
	done
}

# bats test_tags=long
@test "ring: vectors that come late, 2 to 5 ranks, 1 and 2 threads" {
	requires mpi 5
	slow_link
	vsim-pack --synthetic random --vectors 800 --fields 16000 -o x.vec.h5
	late 4e6 -t 0.51
}

# bats test_tags=long
@test "ring: numbers that come late" {
	requires mpi 5
	slow_link
	awk 'BEGIN { srand(1); for (i = 0; i < 400; i++) { printf "v%d", i
		for (k = 0; k < 3000; k++) printf " %d", 9 * rand(); print "" } }' |
		tr ' ' '\t' >x.tsv
	vsim-pack --matrix x.tsv -o x.vec.h5
	late 1.4e6 -m cosine -t 0.77
}
