# SPDX-License-Identifier: BSD-3-Clause
# The whole path against values worked out elsewhere: by hand, and by oracle.py,
# the definition in numpy. Equal means equal text, to the last bit.
load ../../helpers

COLUMNS=i,j,a,b,num,n,value

oracle() {
	"$PYTHON" "$TOP/tests/flow/oracle.py" "$@"
}

# path TSV T [RUN-OPTION...]: pack, run, merge; leaves e.res.h5
path() {
	rm -rf run e.res.h5 x.vec.h5
	vsim-pack --tsv "$1" --label given -o x.vec.h5 &&
		vsim-run -t "$2" --allow-empty -o run "${@:3}" x.vec.h5 &&
		vsim-merge -o e.res.h5 run
}

found() {
	vsim-view --no-header -c $COLUMNS e.res.h5
}

# agrees TSV T [RUN-OPTION...]: the path finds what the oracle finds
agrees() {
	path "$@"
	oracle edges "$1" "$2" >want
	found >got
	diff want got >differ || complain "$1 at $2:" "$(head -n 5 differ)"
}

# by_hand STEP...: every case of tests/data/hand, by these steps of the CPU
by_hand() {
	local f cpu
	for f in "$TOP"/tests/data/hand/*.tsv; do
		grep -v '^#' "${f%.tsv}.edges" >want
		grep -v '^#' "$f" >x.tsv
		for cpu; do
			path x.tsv 0 --cpu $cpu
			found | diff want - || complain "$f --cpu $cpu"
		done
		can_import numpy || continue
		oracle edges x.tsv 0 | diff want - || complain "oracle on $f"
	done
}

# bats test_tags=install
@test "hand: every case of tests/data/hand, by the plainest kernel and the best" {
	by_hand $(cpu_steps | sed -n '1p; $p')
}

# bats test_tags=long
@test "hand: every case of tests/data/hand, by each kernel" {
	by_hand $(cpu_steps)
}

# bats test_tags=install
@test "hand: greater than the threshold is greater, not equal" {
	grep -v '^#' "$TOP/tests/data/hand/three-by-four.tsv" >x.tsv
	path x.tsv 0.65625
	[ "$(found)" = "$(printf '0\t1\t0\t1\t6\t4\t0.75\n0\t1\t1\t0\t6\t4\t0.75')" ]
	path x.tsv 0.6562499999999999
	[ "$(found | wc -l)" = 4 ]
	grep -v '^#' "$TOP/tests/data/hand/identical.tsv" >x.tsv
	path x.tsv 1
	[ -z "$(found)" ]
}

@test "oracle: it finds one changed genotype and one lost record" {
	requires python numpy h5py
	oracle make 30 65 1 >x.tsv
	path x.tsv 0.2
	sed '4s/0/1/4' x.tsv >y.tsv
	! diff <(oracle edges y.tsv 0.2) <(found) >/dev/null
	! diff <(oracle edges x.tsv 0.2) <(found | sed 7d) >/dev/null
	oracle check x.tsv 0.2 e.res.h5
	run ! oracle check y.tsv 0.2 e.res.h5
	run ! oracle check x.tsv 0.1 e.res.h5
}

# shapes KIND...: numbers of vectors and fields about every edge of a word, a
# panel and a tile, thresholds in turn
shapes() {
	requires python numpy
	local v f x t=(0.7 0.2 0) k=0
	for f in 1 63 64 65 1940; do
		for v in 1 2 3 200; do
			x=${t[k++ % 3]}-$v-$f
			echo "$x.tsv make $v $f $((v + f)) $*"
			echo "$x.want edges $x.tsv ${x%%-*}"
		done
	done | oracle each
	for x in *.want; do
		path "${x%.want}.tsv" "${x%%-*}"
		found | diff "$x" - >differ ||
			complain "${x%.want}: $(head -n 5 differ)"
	done
	[ "$(ls *.want | wc -l)" = 20 ]
}

# bats test_tags=install
@test "oracle: dense, 1 to 200 vectors of 1 to 1940 fields" {
	shapes
}

# bats test_tags=long
@test "oracle: 5 % of the calls missing, 1 to 200 vectors of 1 to 1940 fields" {
	shapes missing
}

# bats test_tags=long
@test "oracle: whole vectors and whole samples missing" {
	shapes missing vectors samples
}

@test "oracle: only whole samples missing, only whole vectors" {
	requires python numpy
	for how in samples vectors; do
		oracle make 70 130 8 $how >x.tsv
		agrees x.tsv 0
		agrees x.tsv 0.5
	done
}

# bats test_tags=long
@test "oracle: every threshold on the same data, also one that is attained" {
	requires python numpy
	for how in '' missing; do
		oracle make 150 65 2 $how >x.tsv
		for t in 0 0.2 0.5 0.7 0.9 "$(oracle attained x.tsv)"; do
			agrees x.tsv "$t"
		done
		# the attained value itself is not listed
		run ! grep -q "$(printf '\t')$t\$" got
		grep -q . got
	done
}

# bats test_tags=long
@test "oracle: more ranks than panels, and than vectors" {
	requires python numpy
	requires mpi 4
	for v in 1 2 3 5; do
		oracle make $v 65 9 missing >x.tsv
		vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
		oracle edges x.tsv 0 >want
		for n in 2 3 4; do
			rm -rf run e.res.h5
			ranks $n vsim-run -t 0 -j 1 -o run x.vec.h5
			vsim-merge -o e.res.h5 run
			found | diff want - || complain "$v vectors, $n ranks"
		done
	done
}

# bats test_tags=long
@test "oracle: every tile edge, one vector wide and wider than all" {
	requires python numpy
	oracle make 67 100 4 missing >x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	oracle edges x.tsv 0.4 >want
	for tile in 1 2 7 16 66 67 68 1000; do
		rm -rf run e.res.h5
		vsim-run -t 0.4 --tile $tile -o run x.vec.h5
		vsim-merge -o e.res.h5 run
		found | diff want - || complain "tile $tile"
	done
}

# bats test_tags=long
@test "oracle: vectors that pass with none stand in any block, of any rank" {
	requires python numpy
	requires mpi 3
	for how in '' missing:0.01; do
		oracle make 150 65 4 $how >x.tsv
		vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
		oracle edges x.tsv 0.7 >want
		grep -q . want
		for way in 1x7 1x64 1x1000 3x7 3x20; do
			rm -rf run e.res.h5
			ranks ${way%x*} vsim-run -t 0.7 --tile ${way#*x} \
				-o run x.vec.h5
			vsim-merge -o e.res.h5 run
			found | diff want - || complain "$way, $how"
		done
	done
}

# bats test_tags=long
@test "oracle: values kept as f32 are the f64 values rounded once" {
	requires python numpy h5py
	for how in '' missing; do
		oracle make 120 333 6 $how >x.tsv
		path x.tsv 0.3 --value f32
		oracle check x.tsv 0.3 e.res.h5 f32
		[ "$("$PYTHON" -c 'import h5py
print(h5py.File("e.res.h5")["records/value"].dtype)')" = float32 ]
		vsim-verify --against x.vec.h5 e.res.h5
	done
}

@test "oracle: it finds the same in a vectors file as in the table" {
	requires python numpy h5py
	oracle make 50 77 5 missing vectors >x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	diff <(oracle edges x.tsv 0.3) <(oracle edges x.vec.h5 0.3)
}

# bats test_tags=long
@test "oracle: duo with one allele per call, dense and missing, by each kernel" {
	requires python numpy
	local how cpu v
	for how in '' missing; do
		for v in 2 150; do
			# without heterozygous calls nothing else is missing
			oracle make $v 130 $v $how |
				awk -F'\t' -v OFS='\t' -v how="$how" 'NR > 1 && !how {
					for (k = 2; k <= NF; k++)
						if ($k == 1)
							$k = (k + NR) % 3 ? 0 : 2
				} 1' >x.tsv
			vsim-pack -f --tsv x.tsv --label given --ploidy 1 -o x.vec.h5 2>said
			[ -z "$how" ] || grep -q 'taken as missing' said
			vsim-verify x.vec.h5
			for t in 0 0.3; do
				oracle duo x.tsv $t >want
				for cpu in $(cpu_steps); do
					rm -rf run e.res.h5
					vsim-run -m duo -t $t --cpu $cpu -o run x.vec.h5
					vsim-merge -o e.res.h5 run
					found | diff want - >differ ||
						complain "$how $v at $t, $cpu: $(head -n 5 differ)"
				done
				vsim-verify --against x.vec.h5 e.res.h5
			done
		done
	done
	grep -q . want
}

@test "duo: wants vectors of ploidy 1, and ccc of 2" {
	requires python numpy
	oracle make 5 30 1 >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	run -3 --separate-stderr vsim-run -m duo -t 0 -o run x.vec.h5
	[[ $stderr == *"of ploidy 2"*"--ploidy 1"* ]] && [ ! -e run ]
	vsim-pack -f --tsv x.tsv --ploidy 1 -o x.vec.h5
	run -3 --separate-stderr vsim-run -m ccc -t 0 -o run x.vec.h5
	[[ $stderr == *"of ploidy 1"*"--ploidy 2"* ]] && [ ! -e run ]
	vsim-permute --order frequency -o y.vec.h5 x.vec.h5
	vsim-run -m duo -t -1 -o run y.vec.h5
}
