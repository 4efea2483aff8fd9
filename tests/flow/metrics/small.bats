# SPDX-License-Identifier: BSD-3-Clause
# Every genotype vector of four samples, all pairs of them, and triples of fewer: no
# kernel loses or adds a record at a threshold that a value attains or just misses.
# What is right comes from the definitions in Python.
load ../../helpers
load ../metrics

small() {
	"$PYTHON" "$TOP/tests/flow/small.py" "$@"
}

# judged METRIC WAY KERNELS THRESHOLDS: x.vec.h5 against the lines of want
judged() {
	[ -s want ] || complain "$1 -w $2: nothing to find"
	small judge "$1" "$2" "$(columns "$1" "$2")" "$3" want x.vec.h5 "$4"
}

# list METRIC: its kernels, with commas between them
list() {
	kernels "$1" | paste -sd, -
}

# calls METRIC WAY SAMPLES [dense]: x.tsv, x.vec.h5 and want
calls() {
	small make "${@:3}" >x.tsv
	if [ "$1" = ps ]; then
		# numbers of which some are great, and none for a missing call
		sed -i '2,$s/NA/0/g; 2,$s/\t2/\t200/g; 2,$s/\t1/\t3/g' x.tsv
		vsim-pack -f --matrix x.tsv -o x.vec.h5
	else
		vsim-pack -f --tsv x.tsv --label given --ploidy "$(ploidy "$1")" \
			-o x.vec.h5 2>said
	fi
	want "$1" "$2" "$(strong "$1" -1 "$3")" >want
}

# pairs SAMPLES THRESHOLDS: each metric, by each of its kernels
pairs() {
	local m how
	requires python numpy
	for m in ccc duo ps $(moments) $(moments 1 | grep -vxF "$(moments)"); do
		for how in dense ''; do
			calls "$m" 2 "$1" $how
			judged "$m" 2 "$(list "$m")" "$2"
		done
	done
}

# bats test_tags=long
@test "small: pairs of all vectors of four samples, by each kernel" {
	pairs 4 8
}

# bats test_tags=long
@test "small: triples of all vectors of two samples, and of three without gaps" {
	local m
	requires python numpy
	for m in ccc duo ps; do
		calls $m 3 2
		judged $m 3 - 4
		calls $m 3 3 dense
		judged $m 3 - 4
	done
}

# bats test_tags=long
@test "small: scores of cases and controls, pairs of all vectors of four samples" {
	local m t samples
	requires python numpy
	for m in $(grep -l VS_FAMILY_TABLES "$TOP"/libcore/metric/*.h | xargs grep -L '\.trait' |
		xargs -n 1 basename -s .h | grep -vxF metric); do
		t=-1e300
		samples=4
		case $m in
		k2) t=1e300 ;;
		inter) samples=3 ;; # a fit in Python takes 10 ms a pair
		esac
		small tped $samples x
		vsim-pack -f --tped x -o x.vec.h5
		vsim-run -m "$m" -t "$t" --to tsv --columns id1,id2,n,value -o - x.vec.h5 >x.tsv
		"$PYTHON" "$TOP/tests/flow/association.py" judge x "$m" 2 x.tsv
		vsim-run -m "$m" -t "$t" --to tsv --columns i,j,n,value --no-header -o - x.vec.h5 >want
		small judge "$m" 2 i,j,n,value - want x.vec.h5 8
	done
}
