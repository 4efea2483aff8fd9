# SPDX-License-Identifier: BSD-3-Clause
# Vectors that ranks pass round a ring, over a link that is slow.
load ../helpers

setup_file() {
	load ../helpers
	gcc -D_GNU_SOURCE -O1 -w $(probed DEP_CFLAGS) -shared -fPIC \
		-o "$BATS_FILE_TMPDIR/slow_link.so" \
		"$TOP/tests/faults/slow_link.c"
}

# content FILE
content() {
	vsim-view -H "$1" | sed -n 's/^#content_xxh128: //p'
}

# over RATE RANKS RUN-OPTION...: vsim-run whose ranks get that many bytes a second
over() {
	local rate=$1 n=$2
	shift 2
	rm -rf run
	ranks "$n" env SLOW_LINK="$rate" \
		LD_PRELOAD="$LD_PRELOAD:$BATS_FILE_TMPDIR/slow_link.so" \
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
	for way in 2x1 2x2 3x1 4x2 5x1; do
		over "$rate" "${way%x*}" "$@" -j "${way#*x}" --tile 90 x.vec.h5
		vsim-merge -f -o run.res.h5 run
		[ "$(content run.res.h5)" = "$(content one.res.h5)" ]
		# some were waited for
		awk -v s="$(stat seconds_wait)" 'BEGIN { exit !(s > 0.01) }'
	done
}

@test "ring: vectors that come late, 2 to 5 ranks, 1 and 2 threads" {
	requires mpi 5
	vsim-pack --synthetic random --vectors 1600 --fields 20000 -o x.vec.h5
	late 5e6 -t 0.51
}

@test "ring: numbers that come late" {
	requires mpi 5
	awk 'BEGIN { srand(1); for (i = 0; i < 600; i++) { printf "v%d", i
		for (k = 0; k < 3000; k++) printf " %d", 9 * rand(); print "" } }' |
		tr ' ' '\t' >x.tsv
	vsim-pack --matrix x.tsv -o x.vec.h5
	late 1e6 -m cosine -t 0.77
}

@test "ring: a rank counts what has come while the rest comes" {
	requires mpi 2
	vsim-pack --synthetic random --vectors 6000 --fields 40000 -o x.vec.h5
	over 1e12 2 -j 1 -t 0.9 x.vec.h5
	# half of the work comes before the first of the other's vectors: the
	# panel, in 1/1.5 of the time of all of it, would be waited for by a sixth
	rate=$(awk -v s="$(stat cpu_compute_mean)" \
		'BEGIN { print 1.5 * 3000 * 10000 / s }')
	over "$rate" 2 -j 1 -t 0.9 x.vec.h5
	awk -v wait="$(stat seconds_wait)" -v s="$(stat seconds_compute)" \
		'BEGIN { print "waited", wait, "of", s; exit !(wait < 0.05 * s) }'
}
