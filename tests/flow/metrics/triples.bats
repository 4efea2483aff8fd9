# SPDX-License-Identifier: BSD-3-Clause
# Triples along the whole path, against the definition in numpy: kernels,
# threads, ranks, tiles, by candidates and exhaustively, stopped and resumed.
load ../../helpers

COLUMNS=i,j,k,cell,num,n,value

oracle() {
	"$PYTHON" "$TOP/tests/flow/oracle.py" "$@"
}

found() {
	vsim-view --no-header -c $COLUMNS e.res.h5
}

# path T [RUN-OPTION...]: run x.vec.h5, merge; leaves e.res.h5
path() {
	vsim-run -f --way 3 -t "$1" -o run --merge e.res.h5 "${@:2}" x.vec.h5
}

# agrees T [RUN-OPTION...]
agrees() {
	path "$@"
	oracle triples x.tsv "$1" >want
	found >got
	diff want got >differ || complain "at $1:" "$(head -n 5 differ)"
}

data() {
	requires python numpy
	oracle make "$@" >x.tsv
	vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
}

# bats test_tags=long
@test "triples: few vectors, each threshold, calls missing or not" {
	local how v t
	for how in '' missing 'missing vectors samples'; do
		for v in 1 2 3 30; do
			data $v 130 $v $how
			for t in 0 0.2 0.4; do
				agrees $t
			done
		done
	done
}

@test "triples: above minus zero as above zero" {
	data 12 40 5
	agrees -0.0
	agrees -0.0 --no-prune
	[ -s got ]
}

# bats test_tags=long
@test "triples: each kernel, tiles, threads, candidates; one content" {
	local how cpu tile prune want=
	for how in '' missing; do
		data 60 300 5 $how
		want=
		for cpu in $(cpu_steps); do
			for prune in '' --no-prune; do
				path 0.33 --cpu $cpu -j 2 $prune \
					--tile $((9 + ${#cpu}))
				found >"got$how"
				[ "$want" ] || oracle triples x.tsv 0.33 >want
				want=1
				diff want "got$how" || complain "$cpu $prune"
			done
		done
	done
}

# bats test_tags=long
@test "triples: ranks share the tiles" {
	requires mpi 3
	local n
	data 50 200 6 missing
	oracle triples x.tsv 0.3 >want
	for n in 2 3; do
		rm -rf run
		ranks $n vsim-run --way 3 -t 0.3 -j 1 --tile 7 -o run x.vec.h5
		vsim-merge -f -o e.res.h5 run
		found | diff want - || complain "$n ranks"
		rm -rf run
		ranks $n vsim-run --way 3 -t 0.3 -j 1 --no-prune -o run x.vec.h5
		vsim-merge -f -o e.res.h5 run
		found | diff want - || complain "$n ranks, all"
	done
	data 60 300 6
	oracle triples x.tsv 0.4 >want
	[ -s want ]
	for n in 2 3; do
		rm -rf run
		ranks $n vsim-run --way 3 -t 0.4 -j 1 --tile 7 -v -o run \
			x.vec.h5 2>said
		grep -q ' candidates$' said
		vsim-merge -f -o e.res.h5 run
		found | diff want - || complain "$n ranks, candidates"
	done
}

@test "triples: half of the shards of a run, resumed, give the whole result" {
	local content
	data 50 200 7
	path 0.2 --tile 8 --commit-every 0
	vsim-view -H e.res.h5 | grep ^#content >whole
	rm "$(ls run/*.shard.h5 | head -n 1)"
	run ! vsim-merge -f -o p.res.h5 run
	vsim-run --resume --way 3 -t 0.2 --tile 8 -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	vsim-view -H e.res.h5 | grep ^#content | diff whole -
}

@test "triples: in another order of the vectors the same lines are shown" {
	data 40 100 8
	path 0.2
	found | sort >want
	vsim-permute --order random --seed 3 -o y.vec.h5 x.vec.h5
	mv y.vec.h5 x.vec.h5
	path 0.2
	found | sort | diff want -
}

# bats test_tags=long
@test "triples: verified by the definition; a record changed is found" {
	local how
	for how in '' missing; do
		data 30 90 10 $how
		path 0.25
		vsim-verify --against x.vec.h5 run
		vsim-verify --against x.vec.h5 e.res.h5
		vsim-verify --against x.vec.h5 --sample 200 e.res.h5
		vsim-threshold --above 0.3 -o e5.res.h5 e.res.h5
		vsim-verify --against x.vec.h5 e5.res.h5
		rm -f e5.res.h5
	done
	oracle make 30 90 11 >x.tsv
	vsim-pack -f --tsv x.tsv --label given -o y.vec.h5
	run -1 vsim-verify --against y.vec.h5 e.res.h5
}

@test "triples: above a higher threshold, of some cells, of some vectors" {
	data 30 90 12
	path 0.15
	oracle triples x.tsv 0.25 | awk '$4 == 0 || $4 == 7' >want
	[ -s want ]
	vsim-threshold --above 0.25 --cells 000,111 -o e2.res.h5 e.res.h5
	vsim-view --no-header -c $COLUMNS e2.res.h5 | diff want -
	printf 'v3\nv5\nv8\nv9\n' >list
	vsim-threshold --keep list -o e3.res.h5 e.res.h5
	oracle triples x.tsv 0.15 |
		awk '/^[3589]\t[3589]\t[3589]\t/' >want
	vsim-view --no-header -c $COLUMNS e3.res.h5 | diff want -
	run -2 vsim-threshold --cells 01 -o e4.res.h5 e.res.h5
	grep -q '000 to 111' <<<"$output"
}

@test "triples: a graph of an unknown form and ps on a device are refused" {
	data 5 20 9
	path 0
	run ! vsim-view --to abc e.res.h5
	grep -q 'triples' <<<"$output"
	run -2 vsim-run --way 3 -m ps -t 0.5 --backend cuda -o run2 x.vec.h5
	grep -q 'CPU only' <<<"$output"
}
