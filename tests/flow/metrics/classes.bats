# SPDX-License-Identifier: BSD-3-Clause
# Thresholds by class of cell: what they keep of all values that there are.
load ../../helpers

data() {
	requires python numpy
	"$PYTHON" "$TOP/tests/flow/oracle.py" make "$@" >x.tsv
	vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
}

# agrees WAY THRESHOLDS [RUN-OPTION...]: all is there
agrees() {
	path "$2" "$1" "${@:3}"
	"$PYTHON" "$TOP/tests/flow/classes.py" all "$1" "$2" >want
	listed "$1" >got
	diff want got >differ || complain "$*:" "$(head -n 5 differ)"
	[ -s want ]
}

# pairs KIND THRESHOLDS...: of data of this kind
pairs() {
	local t how=$1
	simulate
	# shellcheck disable=SC2086
	data 150 200 4 $how
	path -1 2 --no-prune
	listed 2 >all
	for t in "${@:2}"; do
		agrees 2 $t
		agrees 2 $t --no-prune --cpu scalar
		[ -z "$how" ] && agrees 2 $t --backend cuda --tile 70
		vsim-verify e.res.h5 run
		vsim-verify --against x.vec.h5 e.res.h5
	done
}

# bats test_tags=long
@test "classes: pairs, by classes and by sums, calls missing or not" {
	pairs '' LL=0.4 LL=0.5,LH=0.4,HH=0.3 LL+HH=0.3
	pairs 'missing=0.05 vectors' LL+HH=0.62 LL=0.7,LH=off,HH=0.6,LL+HH=0.6
}

# bats test_tags=long
@test "classes: pairs, by each class and by sums, calls missing or not" {
	local how
	for how in '' 'missing=0.05 vectors'; do
		pairs "$how" LL=0.4 LH=0.45 HH=0.2 LL+HH=0.62 LL=0,LH=off \
			LL=0.5,LH=0.4,HH=0.3 LL=0.7,LH=off,HH=0.6,LL+HH=0.6 \
			LH=0.48,LL+HH=0.66 LL=-1 LL+HH=0.3 LL+HH=-1
	done
}

# triples KIND THRESHOLDS...
triples() {
	local t
	# shellcheck disable=SC2086
	data 34 130 4 $1
	path -1 3 --no-prune
	listed 3 >all
	for t in "${@:2}"; do
		agrees 3 $t
		agrees 3 $t --no-prune
		vsim-verify e.res.h5 run
		vsim-verify --against x.vec.h5 e.res.h5
	done
}

# bats test_tags=long
@test "classes: some of triples, exhaustively and by candidates" {
	triples '' LLL=0.2,LLH=0.26,LHH=0.31,HHH=0.3,LLL+HHH=0.45 LLH=0.24
	triples missing=0.05 LLH=0.27,LLL+HHH=0.42 LLL+HHH=0
}

# bats test_tags=long
@test "classes: triples, exhaustively and by candidates" {
	local how
	for how in '' missing=0.05; do
		triples "$how" LLL=0.2 LLH=0.24 LHH=0.28 HHH=0.28 LLL+HHH=0.4 \
			LLL=0.2,LLH=0.26,LHH=0.31,HHH=0.3,LLL+HHH=0.45 \
			LLH=0.27,LLL+HHH=0.42
	done
}

@test "classes: a triple far above the rest is found by candidates" {
	data 30 130 4
	# three vectors alike, half of each allele and no heterozygote
	awk 'BEGIN { OFS = "\t" } NR == 1 { print; next }
		NR < 5 { for (f = 2; f <= NF; f++) $f = 2 * (f % 2) } { print }' \
		x.tsv >y.tsv
	vsim-pack -f --tsv y.tsv --label given -o x.vec.h5
	path -1 3 --no-prune
	listed 3 >all
	agrees 3 LLL+HHH=1.1
	[ "$(wc -l <got)" = 2 ]
	agrees 3 LLL=0.9,LLL+HHH=1.1
}

@test "classes: what they keep does not depend on ranks, nor on rounding" {
	requires mpi 2
	data 150 200 5 missing
	rm -rf a b
	vsim-run -t LL=0.4,LL+HH=0.6 -o a x.vec.h5
	ranks 2 vsim-run -t LL+HH=0.6,LL=0.40 --tile 40 -o b x.vec.h5
	vsim-merge -o a.res.h5 a
	vsim-merge -o b.res.h5 b
	vsim-verify --compare b.res.h5 a.res.h5
	vsim-run -f -t LL=0.4,LL+HH=0.6 --value f32 -o b x.vec.h5
	vsim-merge -f -o b.res.h5 b
	vsim-verify b.res.h5
	vsim-verify --against x.vec.h5 b.res.h5
	[ "$(vsim-view --no-header -c i,j,cell a.res.h5 | cksum)" = \
		"$(vsim-view --no-header -c i,j,cell b.res.h5 | cksum)" ]
}

@test "classes: what is none, or is not of the metric, is refused" {
	local t
	data 9 20 3
	for t in LL LL= LL=x LL=1,LL=2 LL=1, =1 HL=1 LLL=1 LL=off LL+LH=1 \
		HH+LL=1 LL=inf; do
		refuses 2 "--threshold ${t//+/.}: (thresholds of LL|not a finite)" \
			vsim-run -t $t -o run x.vec.h5
	done
	refuses 2 'thresholds of LLL, LLH, LHH, HHH and LLL.HHH expected' \
		vsim-run -w 3 -t LL=1 -o run x.vec.h5
	refuses 2 'has one value, and no classes of cells' \
		vsim-run -m r2 -t LL=1 -o run x.vec.h5
	vsim-run -t LL=0.3 -o run x.vec.h5
	refuses 3 'threshold' vsim-run -t LL=0.4 --resume -o run x.vec.h5
	refuses 2 'thresholds by class of cell' \
		vsim-merge --unpermute -o e.res.h5 run
}

# bats test_tags=long
@test "classes: vsim-threshold keeps what a run would have kept" {
	local way t n
	for way in 2 3; do
		n=$((way == 2 ? 300 : 34))
		data $n 130 4 missing
		rm -rf all low
		vsim-run -t -1 -w $way --tile $((n / 3)) -o all x.vec.h5
		vsim-merge -f -o all.res.h5 all
		if [ $way = 2 ]; then
			set -- LL=0.5 LH=0.45,LL+HH=0.7 LL=0.5,LL+HH=0.72
		else
			set -- LLL=0.22 LLH=0.27,LLL+HHH=0.42 \
				LLL=0.22,LLL+HHH=0.45
		fi
		for t; do
			path $t $way --tile $((n / 3))
			vsim-threshold -f --above $t -o b.res.h5 all.res.h5
			vsim-verify --compare b.res.h5 e.res.h5
			rm -rf low
			vsim-threshold --above $t -o low all
			vsim-verify low
			vsim-merge -f -o b.res.h5 low
			vsim-verify --compare b.res.h5 e.res.h5
		done
		# from sums that were kept to higher ones
		path $2 $way
		vsim-threshold -f --above ${2%??}9 -o b.res.h5 e.res.h5
		path ${2%??}9 $way
		vsim-verify --compare b.res.h5 e.res.h5
		refuses 3 'does not list all that this keeps' \
			vsim-threshold -f --above $1 -o c.res.h5 b.res.h5
		refuses 2 'not thresholds by class of cell' vsim-threshold \
			-f --above HL=1 -o c.res.h5 b.res.h5
		quietly vsim-threshold -f --above 0.43 -o c.res.h5 b.res.h5
		vsim-verify --against x.vec.h5 c.res.h5
	done
	# what a sum is made of is above 0
	vsim-run -f -t 0 -o run x.vec.h5
	vsim-merge -f -o all.res.h5 run
	vsim-threshold -f --above LL+HH=0.3 -o b.res.h5 all.res.h5
	path LL+HH=0.3 2
	vsim-verify --compare b.res.h5 e.res.h5
	vsim-run -f -t 0.2 -o run x.vec.h5
	refuses 3 'does not list all' \
		vsim-threshold --above LL+HH=1 -o low2 run
	refuses 3 'does not list all' vsim-threshold --above LL=0.1 -o low2 run
}
