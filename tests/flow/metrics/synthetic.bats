# SPDX-License-Identifier: BSD-3-Clause
# Made-up vectors, and results of them whose values are known beforehand.
load ../../helpers
load ../metrics

# make_up NAME VECTORS FIELDS [OPTION...]: analytic ones
make_up() {
	vsim-pack --synthetic analytic --vectors "$2" --fields "$3" \
		-o "$1.vec.h5" -f "${@:4}"
}

# closed NAME RUN-OPTION...: run, and hold the run to the closed form
closed() {
	rm -rf r
	vsim-run --allow-empty -o r "${@:2}" "$1.vec.h5"
	vsim-verify --closed-form "$1.vec.h5" r
}

@test "synthetic: an entry depends on seed, vector and field alone" {
	requires python numpy h5py
	local e
	for e in smallest bit u16 f32 f64; do
		vsim-pack --synthetic random --vectors 50 --fields 200 \
			--element $e --seed 7 -o few.vec.h5 -f
		vsim-pack --synthetic random --vectors 130 --fields 700 \
			--element $e --seed 7 -o many.vec.h5 -f
		vsim-pack --synthetic random --vectors 50 --fields 200 \
			--element $e --seed 8 -o other.vec.h5 -f
		vsim-verify few.vec.h5 many.vec.h5 other.vec.h5
		for x in few many other; do
			vsim-view -g --no-header $x.vec.h5 >$x.tsv
		done
		head -n 50 many.tsv | cut -f 1-201 | cmp - few.tsv
		! cmp -s few.tsv other.tsv
	done
}

@test "synthetic: random calls are as frequent and as missing as is said" {
	requires python numpy
	vsim-pack --synthetic random --vectors 300 --fields 4000 --missing 0.2 \
		-o x.vec.h5
	vsim-view -c n0,n1,n2,missing --no-header x.vec.h5 >counts
	"$PYTHON" - <<-'END'
		import numpy as np
		n = np.loadtxt("counts")
		assert (n.sum(1) == 4000).all()
		assert abs(n[:, 3].mean() / 4000 - .2) < .003
		c = n[:, :3].sum(1)
		f = (n[:, 1] + 2 * n[:, 2]) / (2 * c)
		# u^2 / 2: mean 1/6, quarter points 1/32 and 9/32
		assert abs(f.mean() - 1 / 6) < .03
		assert abs(np.quantile(f, .75) - 9 / 32) < .06 and f.max() < .55
		# Hardy and Weinberg: heterozygotes 2 f (1 - f)
		z = (n[:, 1] - c * 2 * f * (1 - f)) / np.sqrt(c * f + 1)
		assert abs(z).max() < 5, z
	END
}

# The law of libcore/bits/synthetic.h from the file's side: what two or three
# vectors have in common is a product over the axes of a box.
@test "synthetic: analytic entries lie in a box, along one axis each" {
	requires python numpy h5py
	make_up x 90 1000 --missing 0.15 --element u8 --seed 5 2>said ||
		grep -q 'cannot be combined with --element u8' said
	make_up x 90 1010 --missing 0.15 --seed 5
	make_up y 90 1010 --element u8 --seed 5
	"$PYTHON" - <<-'END'
		import h5py, numpy as np
		v = h5py.File("x.vec.h5")["vectors"]
		p = np.unpackbits(v["planes"][:], axis=2, bitorder="little")[..., :1010]
		g = np.where((p[:, 0] == 1) & (p[:, 1] == 0), 3, p[:, 0] + p[:, 1])
		for x, sides in (g, (10, 10, 10)), (h5py.File(
		        "y.vec.h5")["vectors/values"][:], (10, 10, 10)):
		    assert (x[:, 1000:] == 0).all()
		    box = x[:, :1000].reshape(-1, *sides)
		    seen = set()
		    for k, b in enumerate(box):
		        axis = 2 - k % 3
		        line = np.moveaxis(b, axis, 0).reshape(10, -1)
		        assert (line == line[:, :1]).all()
		        seen.add(tuple(line[:, 0]))
		        assert line[:, 0].any()
		    assert len(seen) > 60
		assert (g == 3).any() and 0 < (g == 3).mean() < .3
	END
}

# counts FIELDS...: CCC and DUO of vectors with these fields
counts() {
	local n
	for n; do
		make_up x 300 $n --seed $n
		closed x -m ccc -t 0.3
		make_up x 300 $n --seed $n --missing 0.2
		closed x -m ccc -t 0.3
		closed x -m ccc -t 0.3 --value f32 --no-prune
		make_up b 300 $n --element bit --missing 0.1
		closed b -m duo -t 0.4
		make_up t 40 $n --missing 0.1
		closed t -m ccc --way 3 -t 0.3
		make_up t 40 $n --element bit
		closed t -m duo --way 3 -t 0.3
	done
}

# bats test_tags=install
@test "closed form: CCC and DUO, with and without missing calls, 2 and 3 ways" {
	counts 64
}

# bats test_tags=long
@test "closed form: CCC and DUO with one field and with many" {
	counts 1 1000
}

# bats test_tags=install
@test "closed form: each kernel, 2 and 3 ranks, tiles" {
	local kernel n
	make_up x 300 130 --missing 0.1 --seed 3
	make_up n 300 130 --element u8 --seed 3
	for kernel in $(kernels ccc); do
		closed x -m ccc -t 0.3 --kernel "$kernel"
	done
	requires mpi 3
	for n in 2 3; do
		rm -rf r
		ranks $n vsim-run -m ccc -t 0.3 -j 1 --tile 40 -o r x.vec.h5
		vsim-verify --closed-form x.vec.h5 r
		rm -rf r
		ranks $n vsim-run -m ps -t 0.3 -j 2 --tile 64 -o r n.vec.h5
		vsim-verify --closed-form n.vec.h5 r
	done
}

# bats test_tags=long
@test "closed form: CCC and DUO of 7 and 130 fields" {
	counts 7 130
}

# similar FIELDS...: Proportional Similarity of each type of numbers
similar() {
	local e n
	for e in u8 u16 u32 f32 f64; do
		for n; do
			make_up x 300 $n --element $e --seed $n
			closed x -m ps -t 0.3
		done
	done
}

# bats test_tags=install
@test "closed form: Proportional Similarity of each type of number" {
	similar 130
	make_up t 50 130 --element f64
	closed t -m ps --way 3 -t 0.3
}

# bats test_tags=long
@test "closed form: Proportional Similarity of few numbers, of many, and of triples" {
	local e
	similar 5 1000
	for e in u8 u16 u32 f32; do
		make_up t 50 130 --element $e
		closed t -m ps --way 3 -t 0.3
	done
}

@test "closed form: Proportional Similarity of bits, missing ones as 0" {
	local n m
	for n in 5 130 1000; do
		for m in 0 0.2; do
			make_up x 300 $n --element bit --missing $m --seed $n
			closed x -m ps -t 0.3
		done
	done
	make_up t 50 130 --element bit --missing 0.1
	closed t -m ps --way 3 -t 0.3
}

# closed_moments FIELDS...: metrics of moments of vectors with these fields
closed_moments() {
	local n m kind
	for n; do
		for kind in '' '--missing 0.2' '--element bit'; do
			# shellcheck disable=SC2086
			make_up x 300 $n --seed $n $kind
			for m in $(moments $([[ $kind != *bit ]] || echo 1)); do
				closed x -m $m -t "$(strong $m 0.2 "$n")"
			done
		done
	done
}

# bats test_tags=long
@test "closed form: metrics of moments of 7 and 1000 fields" {
	closed_moments 7 1000
}

# bats test_tags=long
@test "closed form: metrics of moments, with and without missing calls" {
	closed_moments 1 130
	closed x -m r -t -0.3
	# alike vectors correlate fully
	make_up x 4000 60 --missing 0.1
	closed x -m r2 -t 0.999
	closed x -m r2 -t 0.999 --value f32 --no-prune
	vsim-view --no-header r/*.h5 | grep -q .
}

# bats test_tags=long
@test "closed form: more vectors than kinds, permuted, merged and put back" {
	make_up x 2500 60 --seed 4
	vsim-permute --order random --seed 9 -o p.vec.h5 x.vec.h5
	closed x -m ccc -t 0.9
	vsim-merge -o x.res.h5 r
	vsim-verify --closed-form x.vec.h5 x.res.h5
	closed p -m ccc -t 0.9
	vsim-merge --unpermute -o p.res.h5 r
	vsim-verify --closed-form p.vec.h5 p.res.h5
	vsim-verify --closed-form x.vec.h5 p.res.h5
	refuses 3 'was not computed from' \
		vsim-verify --closed-form x.vec.h5 r
}

@test "closed form: a value changed, a record dropped or doubled is found" {
	requires python numpy h5py
	make_up x 200 130
	vsim-run -m ccc -t 0.5 -o r x.vec.h5
	vsim-merge -o x.res.h5 r
	forge() {
		cp x.res.h5 y.res.h5
		"$PYTHON" "$TOP/tests/cli/forge.py" y.res.h5 "$1"
	}
	forge 'f["records/value"][7] = np.nextafter(f["records/value"][7], 2)'
	refuses 1 'vectors [0-9]+ [0-9]+, cell .: .* differs from .* closed' \
		vsim-verify --closed-form x.vec.h5 y.res.h5
	forge 'cut("records", 3)'
	refuses 1 'records where the closed form has|i_offset' \
		vsim-verify --closed-form x.vec.h5 y.res.h5
	rm -r r
	vsim-threshold --min 0.6 -o t.res.h5 x.res.h5
	vsim-verify --closed-form x.vec.h5 t.res.h5
}

@test "closed form: what has none says so" {
	make_up x 20 30
	vsim-run -m ccc -t 0 -o r x.vec.h5
	vsim-pack --synthetic random --vectors 20 --fields 30 -o q.vec.h5
	vsim-pack --tsv <(printf '0\t1\n2\t1\n') -o g.vec.h5
	refuses 3 'random vectors have no closed form' \
		vsim-verify --closed-form q.vec.h5 r
	refuses 3 'were not generated' vsim-verify --closed-form g.vec.h5 r
	refuses 2 'is one shard' vsim-verify --closed-form x.vec.h5 \
		r/shard-00000.shard.h5
	refuses 2 'is a vectors file' vsim-verify --closed-form x.vec.h5 \
		x.vec.h5
	refuses 2 '--synthetic requires --vectors' vsim-pack --synthetic random -o y.vec.h5
	refuses 2 '--fields requires --synthetic' \
		vsim-pack --tsv x --fields 3 -o y.vec.h5
	gone y.vec.h5
}

# bats test_tags=slow,mpi,long
@test "closed form: 100,000 vectors, the same from one rank and from two" {
	requires mpi 2
	make_up x 100000 60 --seed 2
	vsim-run -m ccc -t 0.99 -o one x.vec.h5
	vsim-verify --closed-form x.vec.h5 one
	ranks 2 vsim-run -m ccc -t 0.99 -j 1 -o two x.vec.h5
	vsim-verify --compare two one
}
