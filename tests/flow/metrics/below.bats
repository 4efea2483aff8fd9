# SPDX-License-Identifier: BSD-3-Clause
# An upper limit of values, --below: what is left is what a run without it has
# below that, whatever computes, and files that differ in it stay apart.
load ../../helpers
load ../metrics

setup_file() {
	requires python numpy
	cd "$BATS_FILE_TMPDIR"
	"$PYTHON" "$TOP/tests/flow/oracle.py" make 120 131 7 missing >x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	vsim-pack --tsv x.tsv --label given --ploidy 1 -o one.vec.h5 2>said
	sed '2,$s/NA/0/g; 2,$s/\t2/\t200/g' x.tsv >n.tsv
	vsim-pack --matrix n.tsv -o n.vec.h5
	"$PYTHON" "$TOP/tests/flow/association.py" make 3 40 120 0.05 60 t
	vsim-pack --tped t -o t.vec.h5
	"$PYTHON" "$TOP/tests/flow/oracle.py" make 30 131 7 missing >few.tsv
	vsim-pack --tsv few.tsv --label given -o few.vec.h5
	sed '2,$s/NA/0/g; 2,$s/\t2/\t200/g' few.tsv >fewn.tsv
	vsim-pack --matrix fewn.tsv -o fewn.vec.h5
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

records() {
	vsim-view --no-header -c "$columns" "$1"
}

# limited FILE WAY METRIC T X: t < value < X, or value < T and X
limited() {
	local file=$1 columns=i,j,value
	local ask=(-m "$3" -w "$2" -t "$4")
	[ "$2" = 2 ] || columns=i,j,k,value
	case $3 in ccc | duo) columns=${columns/value/cell,value} ;; esac
	rm -rf run part*
	vsim-run "${ask[@]}" -o run "$file"
	vsim-merge -f -o all.res.h5 run
	records all.res.h5 | awk -v x="$5" '$NF < x' >want
	[ "$(wc -l <want)" -gt 10 ] || complain "$*: $(wc -l <want) below"
	[ "$(records all.res.h5 | wc -l)" -gt "$(($(wc -l <want) + 10))" ] ||
		complain "$*: nothing is above"
	ask+=(--below "$5")
	alike "$file" "${ask[@]}"
}

# bats test_tags=long
@test "below: metrics of alleles and of moments" {
	limited x.vec.h5 2 ccc 0.3 0.5
	limited x.vec.h5 2 r2 0.01 0.05
	limited x.vec.h5 2 r -1 0
	limited one.vec.h5 2 hamming 70 50
}

# bats test_tags=long
@test "below: numbers, triples and each family" {
	limited n.vec.h5 2 ps 0.3 0.5
	limited n.vec.h5 2 cosine 0.3 0.5
	limited n.vec.h5 2 euclid 3000 1500
	limited few.vec.h5 3 ccc 0.1 0.2
	limited fewn.vec.h5 3 ps 0.4 0.5
	limited one.vec.h5 2 duo 0.3 0.5
	limited one.vec.h5 2 yule 0 0.5
}

# bats test_tags=long
@test "below: tables of cases and controls, pairs and triples" {
	limited t.vec.h5 2 mi 0.001 0.02
	limited t.vec.h5 2 k2 84 80
	limited t.vec.h5 2 inter 1 4
	limited t.vec.h5 3 g 5 30
}

@test "below: thresholds by class, the strongest, and a limit of 0" {
	local columns=i,j,value
	vsim-run -f -m ccc -t LL=0.4,HH=0.4,LL+HH=0.6 -o run x.vec.h5
	vsim-merge -f -o all.res.h5 run
	vsim-view --no-header -c i,j,a,b,value all.res.h5 |
		awk '$5 < 0.45' >want
	[ "$(wc -l <want)" -gt 10 ]
	vsim-run -f -m ccc -t LL=0.4,HH=0.4,LL+HH=0.6 --below 0.45 -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	vsim-view --no-header -c i,j,a,b,value e.res.h5 | diff want -
	quietly vsim-verify --against x.vec.h5 e.res.h5
	vsim-run -f -m r2 --top 40 --below 0.03 -o run x.vec.h5
	vsim-merge -f -o top.res.h5 run
	vsim-run -f -m r2 -t 0 -o run x.vec.h5
	vsim-merge -f -o all.res.h5 run
	records all.res.h5 | awk '$3 < 0.03' | sort -k3,3gr | head -n 40 |
		sort -n -k1,1 -k2,2 >want
	records top.res.h5 | diff want -
	vsim-run -f -m r -t -1 --below 0 -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	[ "$(records e.res.h5 | awk '$3 >= 0' | wc -l)" = 0 ]
	[ "$(vsim-view -H e.res.h5 | grep '^#below')" = "#below: 0" ]
}

@test "below: stages, runs and results that differ in it stay apart" {
	vsim-run -f -m r2 -t 0.01 --stage 1/2 -o one x.vec.h5
	vsim-run -f -m r2 -t 0.01 --below 0.05 --stage 2/2 -o two x.vec.h5
	refuses 3 'upper limit of values differs' vsim-merge -f -o no.res.h5 one two
	refuses 3 'upper limit of values differs' vsim-run -m r2 -t 0.01 \
		--below 0.06 --stage 1/2 --resume -o two x.vec.h5
	vsim-run -m r2 -t 0.01 --below 0.05 --stage 1/2 --resume -o two x.vec.h5
	vsim-merge -f -o e.res.h5 two
	vsim-view -H e.res.h5 | grep -qx '#below: 0.05'
	vsim-view -H e.res.h5 | grep -q '^#required_features: .* below'
	vsim-run -f -m r2 -t 0.01 --below 0.04 -o run x.vec.h5
	vsim-merge -f -o f.res.h5 run
	refuses 1 'below: 0.05 against 0.04' vsim-verify --compare f.res.h5 e.res.h5
	refuses 3 'its upper limit of values differs' vsim-run -m r2 -t 0.01 \
		--against e.res.h5 -o no x.vec.h5
	"$PYTHON" "$TOP/tests/flow/content.py" e.res.h5 two/*.shard.h5
	# a value beyond it is not a record
	"$PYTHON" "$TOP/tests/cli/forge.py" f.res.h5 \
		'f["run"].attrs.modify("below", np.float64(0.03))'
	refuses 1 'does not pass' vsim-verify f.res.h5
}

@test "below: what needs the strong values refuses it, a device leaves it" {
	vsim-run -f -m r2 -t 0.01 --below 0.05 -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	refuses 2 'with all pairs above its threshold' \
		vsim-threshold --prune p --above 0.02 e.res.h5
	refuses 2 '--permutations cannot be combined with --below' vsim-run \
		--permutations 5 -m mi -t 0 --below 1 -o no t.vec.h5
	refuses 2 'nothing can pass: --below leaves all of it out' \
		vsim-run -m r2 -t 0.5 --below 0.5 -o no x.vec.h5
	refuses 2 '--below x: not a finite number' \
		vsim-run -m r2 -t 0.5 --below x -o no x.vec.h5
	refuses 2 'no device supports below yet' vsim-run -m ccc -t 0.3 --below 0.4 \
		--backend cuda -o no x.vec.h5
	vsim-run -f -v -m ccc -t 0.3 --below 0.4 -o run x.vec.h5 2>said
	grep -q 'no device supports below yet: the CPU computes' said
}
