# SPDX-License-Identifier: BSD-3-Clause
# --metric-histogram against the values that the oracles list, put into buckets
# in Python; every way to compute gives one table.
load ../../helpers
load ../metrics

oracle() {
	"$PYTHON" "$TOP/tests/flow/oracle.py" "$@"
}

buckets() {
	"$PYTHON" "$TOP/tests/flow/histogram.py" "$@"
}

# table RUN-OPTION...: the table of x.vec.h5
table() {
	rm -rf run
	vsim-run -t 0.9 -o run --metric-histogram got "$@" x.vec.h5
}

# tells RUN-OPTION...: the table is the one wanted
tells() {
	table "$@"
	diff want got >differ || complain "$*:" "$(head -n 5 differ)"
}

# bats test_tags=long
@test "histogram: pairs of ccc and duo, calls missing or not, by each kernel" {
	requires python numpy h5py
	local how cpu kernel
	for how in '' missing 'missing vectors samples'; do
		oracle make 90 131 7 $how >x.tsv
		vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
		oracle edges x.tsv -1 | buckets 2 2 >want
		for cpu in $(cpu_steps); do
			tells --cpu $cpu -j 2
		done
		for kernel in $(kernels ccc); do
			tells --kernel "$kernel"
		done
		tells --tile 33 -j 1
		tells --memory 30M --tile 20
		tells -t -1
		vsim-pack -f --ploidy 1 --tsv x.tsv --label given -o x.vec.h5 \
			2>/dev/null
		oracle duo x.tsv -1 | buckets 2 2 >want
		tells -m duo
	done
}

@test "histogram: a label is the file's, whichever allele is the common one" {
	requires python numpy h5py
	oracle make 60 90 3 | sed 's/\t0/\tx/g; s/\t2/\t0/g; s/\tx/\t2/g' >x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	oracle edges x.tsv -1 | buckets 2 2 >want
	tells
}

@test "histogram: values at an edge, and above 1, and of empty vectors" {
	requires python numpy h5py
	# frequencies of halves and quarters; calls missing where 1 is common
	printf 'id\ta\tb\tc\td\nv\t0\t0\t2\t2\nw\t0\t0\t2\t2\nx\t1\t1\t1\t1\n' >x.tsv
	printf 'y\tNA\tNA\tNA\tNA\nz\t0\t0\t0\t0\nu\tNA\t0\tNA\tNA\n' >>x.tsv
	printf 'a\tNA\t0\t2\t2\nb\t0\tNA\tNA\tNA\nc\t0\t2\t2\t2\n' >>x.tsv
	printf 'd\t0\t2\tNA\tNA\ne\tNA\t2\t0\t0\n' >>x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	oracle edges x.tsv -1 | buckets 2 2 >want
	[ "$(wc -l <want)" -gt 1002 ]
	tells
	oracle triples x.tsv -1 | buckets 3 3 >want
	tells --way 3
}

@test "histogram: another multiplier and gamma, by the records of a full run" {
	requires python numpy h5py
	local way
	oracle make 30 50 9 missing >x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	for way in 2 3; do
		table -t -1 --way $way --multiplier 9 --gamma 1
		vsim-merge -f -o e.res.h5 run
		vsim-view --no-header -c \
			i,j,$([ $way = 2 ] || echo k,)cell,value e.res.h5 >values
		[ "$(wc -l <values)" = "$([ $way = 2 ] && echo 1740 || echo 32480)" ]
		"$PYTHON" - values >want.all <<-'END'
			import collections, itertools, math, sys
			n, both = collections.Counter(), collections.Counter()
			lines = (line.split() for line in open(sys.argv[1]))
			for _, of in itertools.groupby(lines, lambda x: x[:-2]):
			    v = [float(x[-1]) for x in of]
			    n.update(math.floor(x * 1000) for x in v)
			    if v[0] > 0 and v[-1] > 0:
			        both[math.floor((v[0] + v[-1]) * 1000)] += 1
			for k in range(max(1000, *n, *both) + 1):
			    print(n[k], both[k], sep="\t")
		END
		tail -n +2 got | cut -f 3,$((way + 5)) | diff want.all -
	done
}

# bats test_tags=long
@test "histogram: metrics of moments" {
	requires python numpy h5py
	local how metric ploidy
	for how in '1 missing' '2 ' '2 missing'; do
		ploidy=${how%% *}
		oracle make 90 131 7 ${how#* } >x.tsv
		vsim-pack -f --tsv x.tsv --label given --ploidy "$ploidy" \
			-o x.vec.h5 2>said
		for metric in $(moments "$ploidy"); do
			if states $metric '.highest = INFINITY'; then
				refuses 2 "cannot be combined with --metric $metric" \
					vsim-run -m $metric -t 9 -o no \
					--metric-histogram no.tsv x.vec.h5
				continue
			fi
			"$PYTHON" "$TOP/tests/flow/moments.py" $metric x.tsv \
				-2 "$ploidy" | buckets 2 none >want
			tells -m $metric -j 2
			tells -m $metric --tile 17
		done
	done
}

@test "histogram: proportional similarity" {
	requires python numpy h5py
	awk 'BEGIN { srand(5); for (i = -1; i < 60; i++) {
		printf i < 0 ? "id" : "v" i
		for (q = 0; q < 70; q++)
			printf "\t%d", i < 0 ? q : rand() * i
		print "" } }' >n.tsv
	"$PYTHON" "$TOP/tests/flow/ps.py" n.tsv exact -1 |
		buckets 2 none >want
	vsim-pack --matrix n.tsv -o x.vec.h5
	tells -m ps
	tells -m ps --tile 7 -j 2
	head -n 31 n.tsv >few.tsv
	"$PYTHON" "$TOP/tests/flow/ps.py" few.tsv exact -1 3 |
		buckets 3 none >want
	vsim-pack -f --matrix few.tsv -o x.vec.h5
	tells -m ps --way 3 -j 2
	sed '2,$s/\t\([0-9]*\)/\t\1.25/g' n.tsv >f.tsv
	"$PYTHON" "$TOP/tests/flow/ps.py" f.tsv f64 -1 |
		buckets 2 none >want
	vsim-pack -f --matrix f.tsv -o x.vec.h5
	vsim-view -H x.vec.h5 | grep -q 'f[36][24]'
	tells -m ps
}

# bats test_tags=long
@test "histogram: triples" {
	requires python numpy h5py
	local how cpu
	for how in '' missing 'missing vectors'; do
		oracle make 40 70 11 $how >x.tsv
		vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
		oracle triples x.tsv -1 | buckets 3 3 >want
		for cpu in $(cpu_steps); do
			tells --way 3 --cpu $cpu -j 2
		done
		tells --way 3 --tile 7
	done
}

# digest RUN-OPTION...
digest() {
	rm -rf run
	vsim-run -o run "$@" x.vec.h5
	vsim-merge -f -o r.res.h5 run
	vsim-view -H r.res.h5 | sed -n 's/^#content_xxh128: //p'
}

# bats test_tags=long
@test "histogram: the records beside it are those of a run without" {
	requires python numpy
	local how t want got
	for how in '' missing 'missing vectors samples'; do
		oracle make 150 131 8 $how >x.tsv
		vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
		for t in 0.6 0.25 0.0625 0 LL=0.6,HH=0.1 LL+HH=0.6; do
			want=$(digest -t $t)
			got=$(digest -t $t --metric-histogram got)
			[ "$got" = "$want" ] || complain "$how $t: other records"
		done
	done
}

# bats test_tags=long
@test "histogram: ranks, to a file and to standard output" {
	requires python numpy h5py
	requires mpi 3
	local n
	oracle make 250 64 5 >x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	oracle edges x.tsv -1 | buckets 2 2 >want
	tells
	for n in 2 3; do
		rm -rf run got
		ranks $n vsim-run -t 0.9 -o run -j 1 --metric-histogram got \
			x.vec.h5
		diff want got
	done
	rm -rf run
	[ "$(vsim-run -t 0.9 -o run --metric-histogram - x.vec.h5)" = \
		"$(cat want)" ]
	# a reader that ends early is no failure, a full device is one
	run --separate-stderr bash -c 'vsim-run -f -t 0.9 -o run \
		--metric-histogram - x.vec.h5 | true; echo ${PIPESTATUS[0]}'
	[ "$output" = 0 ] && [ -z "$stderr" ]
	run -4 --separate-stderr bash -c 'vsim-run -f -t 0.9 -o run \
		--metric-histogram - x.vec.h5 >/dev/full'
	[[ $stderr == *'cannot write: No space left'* ]]
	gone got.tmp
}

@test "histogram: those of stages add up to that of the run" {
	local k
	vsim-pack --synthetic random --vectors 200 --fields 90 -o x.vec.h5
	table --tile 40
	for k in 1 2 3; do
		vsim-run -t 0.9 -o run$k --tile 40 --stage $k/3 \
			--metric-histogram stage$k x.vec.h5
	done
	awk -v OFS='\t' 'FNR == 1 { print; next }
		{ for (c = 3; c <= NF; c++) n[FNR, c] += $c; lo[FNR] = $1; hi[FNR] = $2 }
		FNR > most { most = FNR }
		END { for (r = 2; r <= most; r++)
			print lo[r], hi[r], n[r, 3] + 0, n[r, 4] + 0,
				n[r, 5] + 0, n[r, 6] + 0, n[r, 7] + 0 }' \
		stage1 stage2 stage3 | uniq >sum
	diff got sum
	refuses 2 '--top cannot be combined with --stage' vsim-run --top 3 --stage 1/2 -o run4 \
		x.vec.h5
}

# stated RUN-OPTION...: the sums of counts it speaks of, a class a line
stated() {
	rm -rf run
	ranks "$n" vsim-run -t 0.9 -o run -v -j 1 --metric-histogram got "$@" \
		x.vec.h5 2>&1 |
		sed -n 's/.*the counts of \([LH]*\) sum to \([0-9]*\), as .*/\1 \2/p'
}

# bats test_tags=long
@test "histogram: the counts of all sum to what the fields say" {
	requires python numpy
	requires mpi 2
	local how way n
	for how in '' missing; do
		oracle make 70 90 13 $how >x.tsv
		vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
		for way in 2 3; do
			n=$((4 - way))
			"$PYTHON" "$TOP/tests/flow/counts.py" $way 2 <x.tsv >want
			[ "$(wc -l <want)" = $((way + 1)) ]
			stated --way $way >found
			diff want found
		done
		vsim-pack -f --ploidy 1 --tsv x.tsv --label given -o x.vec.h5 \
			2>/dev/null
		for way in 2 3; do
			n=$((way - 1))
			"$PYTHON" "$TOP/tests/flow/counts.py" $way 1 <x.tsv >want
			stated -m duo --way $way --tile 20 >found
			diff want found
		done
	done
}

@test "histogram: what it cannot count is refused, and no table left" {
	vsim-pack --synthetic random --vectors 40 --fields 64 -o x.vec.h5
	refuses 2 '--metric-histogram cannot be combined with --backend cuda' vsim-run -t 0.5 -o run \
		--backend cuda --metric-histogram got x.vec.h5
	vsim-run -t 0.5 -o run --tile 10 x.vec.h5
	refuses 2 '10 of the 10 tiles in run' vsim-run -t 0.5 -o run \
		--resume --metric-histogram got x.vec.h5
	gone got
	# what an earlier run has counted is held to its tiles at once
	vsim-run -t 0.5 -f -o run --tile 10 --metric-histogram got x.vec.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" run/shard-00000.shard.h5 \
		"f['histogram/low'][300] += 1"
	rm got
	refuses 3 'run: has histograms of 3121 values, and tiles of 3120' \
		vsim-run -t 0.5 -o run --resume --metric-histogram got x.vec.h5
	gone got
	: >none
	refuses 4 'none' vsim-run -t 0.5 -f -o run \
		--metric-histogram none/got x.vec.h5
}
