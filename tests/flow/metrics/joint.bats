# SPDX-License-Identifier: BSD-3-Clause
# --min-joint: what rests on few samples is not recorded, whatever computes; the
# records wanted are those that the definition in numpy lists with as many.
load ../../helpers
load ../metrics

# data METRIC: x.vec.h5 with a third of the calls missing, in some vectors and
# samples more
holes() {
	vectors=$1
	data "$2" "$3" missing=0.3 vectors samples
}

# agree METRIC WAY T: the first run, with the options how, has the records that are wanted,
# with as many samples as the middle one of all, n; the column of samples is the
# one before the value
agree() {
	columns=$(columns "$1" "$2")
	want "$1" "$2" "$3" >all
	n=$(awk -F'\t' '{ print $(NF - 1) }' all | sort -n |
		awk '{ n[NR] = $1 } END { print n[int(NR / 2) + 1] }')
	awk -F'\t' -v n="$n" '$(NF - 1) >= n' all >want
	[ -s want ] && [ "$(wc -l <want)" -lt "$(wc -l <all)" ] ||
		complain "$*, $n: $(wc -l <want) of $(wc -l <all) records"
	how=(-m "$1" --way "$2" -t "$3" --min-joint "$n")
	finds 1 -j 1 --no-prune
	vsim-view --no-header -c "$columns" e.res.h5 | diff want - >differ ||
		complain "$*:" "$(head -n 5 differ)"
	[ "$(vsim-view -H e.res.h5 | sed -n 's/^#min_joint: //p')" = "$n" ]
	vsim-verify run e.res.h5
	vsim-verify --against x.vec.h5 e.res.h5
	vsim-verify --against x.vec.h5 run
}

# ways METRIC: kernels, pruned or not, threads and tiles
ways() {
	local kernel
	for kernel in $(kernels "$1"); do
		finds 1 -j 2 --kernel "$kernel"
		finds 1 -j 1 --kernel "$kernel" --no-prune --tile 17
	done
	finds 1 -j 2 --tile 33
}

# bats test_tags=long
@test "joint: pairs of ccc and duo by each kernel and by ranks" {
	requires mpi 2
	local metric content
	simulate
	for metric in ccc duo; do
		content=
		holes 130 $metric 150
		agree $metric 2 0.6
		# duo counts as ccc does
		[ $metric = duo ] || ways $metric
		finds 1 --cpu popcnt
		finds 1 --memory 40M --tile 20
		finds 1 --backend cuda+cpu -j 2
		finds 2 -j 1 --tile 20
	done
}

# bats test_tags=long
@test "joint: thresholds below 0, of classes and of the ones that pass alone" {
	local content t
	holes 60 ccc 100
	for t in -1 0; do
		content=
		agree ccc 2 $t
		finds 1 -j 2
	done
	content=
	how=(-t LL=0.7,LH=0.5,LL+HH=0.9 --min-joint 0.5)
	finds 1 --no-prune
	finds 1 --tile 7 -j 2
	vsim-verify --against x.vec.h5 e.res.h5
	rm -rf all
	vsim-run "${how[@]:0:2}" -o all x.vec.h5
	vsim-threshold --min-joint 50% -o less all
	vsim-merge -f -o less.res.h5 less
	vsim-verify --compare less.res.h5 e.res.h5
}

# bats test_tags=long
@test "joint: metrics of moments" {
	requires mpi 2
	local metric content
	holes 90 r2 120
	for metric in $(moments); do
		content=
		agree $metric 2 0.1
		[ $metric != r ] || ways $metric
		content=
		agree $metric 2 -1
	done
	finds 2 -j 1 --tile 20
}

# bats test_tags=long
@test "joint: triples, by candidates and without, with tiles and ranks" {
	requires mpi 2
	local metric content
	for metric in ccc duo; do
		content=
		holes 40 $metric 70
		agree $metric 3 0.4
		[ $metric = ccc ] || ways $metric
		finds 1 --tile 9
		finds 2 -j 1 --tile 9
	done
}

# bats test_tags=long
@test "joint: linked variants with most calls present" {
	requires python numpy h5py
	local content kernel
	"$PYTHON" - >x.tsv <<-'END'
	import numpy as np
	rng = np.random.default_rng(3)
	rows = []
	for v in range(300):
	    if v % 6 == 0:
	        f = rng.uniform(0.2, 0.8)
	    fresh = rng.binomial(2, f, 700)
	    rows.append(np.where(rng.random(700) < (0.01 if v % 6 else 1), fresh,
	                         rows[-1] if rows else 0))
	print("id", *(f"s{q}" for q in range(700)), sep="\t")
	for v, g in enumerate(rows):
	    lost = rng.random(700) < (0.1 if v % 5 == 0 else 0.002)
	    print(f"v{v}", *np.where(lost, "NA", g), sep="\t")
	END
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	agree ccc 2 0.7
	ways ccc
}

# bats test_tags=long
@test "joint: the greatest of all and the histogram leave the same out" {
	requires python numpy h5py
	local content=
	holes 80 ccc 100
	want ccc 2 -1 >all
	want ccc 2 0 | awk -F'\t' '$6 >= 52' |
		sort -t "$(printf '\t')" -k7,7gr | head -n 40 | cut -f 7 >want
	vsim-run --top 40 --min-joint 52 -o top x.vec.h5
	vsim-merge -o top.res.h5 top
	vsim-view --no-header -c value top.res.h5 | sort -gr | diff want -
	awk -F'\t' '$6 >= 52' all | "$PYTHON" "$TOP/tests/flow/histogram.py" \
		2 2 >want
	for j in 1 2; do
		rm -rf run
		vsim-run -v -t 0.7 -j $j --min-joint 52 -o run \
			--metric-histogram got x.vec.h5 2>said
		diff want got
		grep -q "values are left out by --min-joint" said
	done
	how=(-t 0.7 --min-joint 52)
	finds 1 --metric-histogram got
	finds 1
	want r2 2 -1 | awk -F'\t' '$3 >= 52' |
		"$PYTHON" "$TOP/tests/flow/histogram.py" 2 none >want
	rm -rf run
	vsim-run -m r2 -t 0.7 --min-joint 52 -o run --metric-histogram got \
		x.vec.h5
	diff want got
	holes 30 ccc 60
	want ccc 3 -1 | awk -F'\t' '$6 >= 21' |
		"$PYTHON" "$TOP/tests/flow/histogram.py" 3 3 >want
	rm -rf run
	vsim-run --way 3 -t 0.4 --min-joint 35% -o run --metric-histogram got \
		x.vec.h5
	diff want got
	content=
	how=(--way 3 -t 0.4 --min-joint 21)
	finds 1 --metric-histogram got
	finds 1
	finds 1 --no-prune
}

@test "joint: without missing calls nothing is left out, or all refused" {
	requires python numpy
	vectors=40
	data ccc 50
	vsim-run -t 0.7 -o a x.vec.h5
	vsim-run -t 0.7 --min-joint 50 -o b x.vec.h5
	vsim-merge -o a.res.h5 a
	vsim-merge -o b.res.h5 b
	vsim-view a.res.h5 >a.tsv
	vsim-view --min-joint 100% b.res.h5 | diff a.tsv -
	refuses 2 'min-joint 51: x.vec.h5 has 50 samples' \
		vsim-run -t 0.7 --min-joint 51 -o c x.vec.h5
	gone c
}

@test "joint: the condition belongs to the run, and its parts must agree" {
	requires python numpy
	holes 40 ccc 60
	vsim-run -t 0.6 --min-joint 30 --stage 1/2 -o run x.vec.h5
	grep -q "^min-joint: '\?30" run/run.yaml
	refuses 3 'least number of joint calls' \
		vsim-run -t 0.6 --resume --stage 2/2 -o run x.vec.h5
	refuses 3 'least number of joint calls' vsim-run -t 0.6 --resume \
		--min-joint 31 --stage 2/2 -o run x.vec.h5
	# the same count, called otherwise
	vsim-run -t 0.6 --resume --min-joint 50% --stage 2/2 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	vsim-verify --against x.vec.h5 e.res.h5
	vsim-run -t 0.6 -o other x.vec.h5
	refuses 3 'least number of joint calls' \
		vsim-merge -o no.res.h5 run other
	vsim-merge -o all.res.h5 other
	run -1 vsim-verify --compare e.res.h5 all.res.h5
	[[ $output == *min_joint* ]]
}

@test "joint: an absent record, and one that rests on too few, are found" {
	requires python numpy h5py
	holes 40 ccc 60
	vsim-run -t 0.6 --min-joint 30 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	cp e.res.h5 lower.res.h5
	cp e.res.h5 higher.res.h5
	forge=("$PYTHON" "$TOP/tests/cli/forge.py")
	"${forge[@]}" lower.res.h5 'f["run"].attrs.modify("min_joint", np.int64(20))'
	run -1 vsim-verify --against x.vec.h5 lower.res.h5
	[[ $output == *'is not listed'* ]] || complain "$output"
	"${forge[@]}" higher.res.h5 'f["run"].attrs.modify("min_joint", np.int64(40))'
	run -1 vsim-verify higher.res.h5
	[[ $output == *'has a count that cannot be'* ]] || complain "$output"
}

# bats test_tags=long
@test "joint: counts and shares are read, and other words refused" {
	requires python numpy
	local word
	holes 30 ccc 50
	for word in 25 0.5 .5 50% 1/2 0.49 49% 0.4800000001 48.0000000001%; do
		vsim-run -f -t 0.6 --min-joint $word -o run x.vec.h5
		vsim-merge -f -o e.res.h5 run
		[ "$(vsim-view -H e.res.h5 | sed -n 's/^#min_joint: //p')" = 25 ]
	done
	for word in 0 -1 1.5 5. 1.0 0.0 101% 0% % '' few 51 1e2; do
		refuses 2 'min-joint' \
			vsim-run -t 0.6 --min-joint "$word" -o no x.vec.h5
		refuses 2 'min-joint' \
			vsim-view --min-joint "$word" e.res.h5
		refuses 2 'min-joint' \
			vsim-threshold --min-joint "$word" -o no.res.h5 e.res.h5
	done
	gone no no.res.h5
	vsim-run -f -t 0.6 -o all x.vec.h5
	vsim-merge -o all.res.h5 all
	vsim-view e.res.h5 >want
	vsim-view --min-joint 50% all.res.h5 | diff want -
	[ "$(vsim-view all.res.h5 | wc -l)" -gt "$(wc -l <want)" ]
	# a file that does not tell
	"$PYTHON" "$TOP/tests/cli/forge.py" all.res.h5 'del f["records/nvalid"]'
	refuses 3 'no /records/nvalid' vsim-view --min-joint 2 all.res.h5
	refuses 3 'no /records/nvalid' \
		vsim-threshold --min-joint 2 -o no.res.h5 all.res.h5
	printf 'id\ta\tb\nx\t1\t2\ny\t2\t2\n' | vsim-pack --matrix - -o n.vec.h5
	printf 'id\ta\tb\nx\t1\t.\ny\t0\t1\n' |
		vsim-pack --tsv - --ploidy 1 -o b.vec.h5
	for f in n b; do
		refuses 2 '--min-joint cannot be combined with --metric ps' \
			vsim-run -m ps -t 0.6 --min-joint 1 -o no $f.vec.h5
	done
}

@test "joint: a run whose strongest record rests on few samples says so" {
	requires mpi 2
	requires python numpy
	local said
	# v0 and v1 meet in three samples alone
	{
		printf 'id'
		printf '\ts%d' {1..40}
		printf '\nv0\t2\t2\t2'
		printf '\t0%.0s' {4..22}
		printf '\tNA%.0s' {23..40}
		printf '\nv1\t2\t2\t2'
		printf '\tNA%.0s' {4..22}
		printf '\t0%.0s' {23..40}
		printf '\nv2'
		printf '\t%d' {0,1,2,1}{,,,,,,,,,}
		printf '\n'
	} >x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	run --separate-stderr vsim-run -t 0 -o run x.vec.h5
	said='vsim-run: the strongest pair (v0, v1) is based on 3 of 40 samples: '
	said+='--min-joint drops such records'
	[ "$status" = 0 ] && [ "$stderr" = "$said" ] || complain "$stderr"
	vsim-merge -o e.res.h5 run
	# above what any pair without missing calls has
	[ "$(vsim-view --no-header -c value e.res.h5 | sort -gr |
		awk 'NR == 1 { print ($1 > 3) }')" = 1 ]
	run --separate-stderr ranks 2 vsim-run -t 0 -j 1 --tile 1 -o two x.vec.h5
	[ "$stderr" = "$said" ] || complain "$stderr"
	quietly vsim-run -t 0 --min-joint 10% -o ten x.vec.h5
	run --separate-stderr vsim-run -w 3 -t 0 -o triples x.vec.h5
	[[ $stderr == *'the strongest triple (v0, v1, v2) is based on 3 of 40'* ]]
}
