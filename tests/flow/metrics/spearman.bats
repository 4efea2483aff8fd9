# SPDX-License-Identifier: BSD-3-Clause
# Spearman's correlation: r of ranks that vsim-run makes itself, against numpy's and
# scipy's, against ranks that vsim-pack made, and the same bits however computed.
load ../../helpers

setup_file() {
	can_import numpy || return 0
	"$PYTHON" "$TOP/tests/flow/inner.py" make "$BATS_FILE_TMPDIR"
	cd "$BATS_FILE_TMPDIR" || return
	# small counts, nearly all of them ties; a vector is constant
	"$PYTHON" - <<-'END'
		import numpy
		x = numpy.random.default_rng(4).poisson(1, (61, 389))
		x[1::2] += x[::2][:30]
		x[7] = 2
		numpy.save("counts.npy", x.astype("u1"))
		x = x.astype(float)
		x[numpy.random.default_rng(5).random(x.shape) < 0.1] = numpy.nan
		numpy.save("gaps.npy", x)
	END
}

# pairs DIR: the records of a run, by number
pairs() {
	vsim-merge -f -o pairs.res.h5 "$1"
	vsim-view --no-header -c i,j,value pairs.res.h5
}

# packed TYPE: x.vec.h5 of numbers of this type
packed() {
	local element=${1/[sm]*[dg]/f}
	[ $1 != counts ] || element=u8
	[ $1 != gaps ] || element=f64
	vsim-pack --matrix "$BATS_FILE_TMPDIR/$1.npy" --element $element -fo x.vec.h5
}

# foreign TYPE...: each correlation of such numbers
foreign() {
	local type
	requires python numpy
	for type; do
		packed $type
		vsim-run -f -m spearman -t -1.5 -o run --merge pairs.res.h5 x.vec.h5
		vsim-view --no-header -c i,j,value pairs.res.h5 >got
		"$PYTHON" "$TOP/tests/flow/inner.py" spearman \
			"$BATS_FILE_TMPDIR/$type.npy" <got
		quietly vsim-verify --against x.vec.h5 pairs.res.h5 run
		# r of the ranks that vsim-pack makes, to the bit
		vsim-pack --matrix "$BATS_FILE_TMPDIR/$type.npy" --normalize rank -fo ranks.vec.h5
		vsim-run -f -m r -t -1.5 -o ranks --merge ranks.res.h5 ranks.vec.h5
		vsim-view --no-header -c i,j,value ranks.res.h5 | diff got -
	done
}

# bats test_tags=install
@test "spearman: numpy's and scipy's correlation of ranks, with ties and gaps" {
	foreign counts gaps
}

# bats test_tags=long
@test "spearman: numpy's and scipy's correlation of ranks, of each type" {
	foreign u8 u16 u32 signed32 signed64 missing32 missing64
}

# bats test_tags=long
@test "spearman: the same bits for any kernel, thread, tile, bound and order" {
	local type step t
	requires python numpy
	for type in counts gaps signed64; do
		packed $type
		vsim-permute --order random --seed 5 -fo turned.vec.h5 x.vec.h5
		for t in 0.05 -0.1; do
			vsim-run -f -m spearman -t $t --cpu scalar --no-prune -j1 -o want x.vec.h5
			for step in $(cpu_steps); do
				[ $step != popcnt ] || continue
				vsim-run -f -m spearman -t $t --cpu "$step" -j2 --tile 17 -o got x.vec.h5
				quietly vsim-verify --compare want got
			done
			vsim-run -f -m spearman -t $t -o got turned.vec.h5
			vsim-merge --unpermute -f -o want.res.h5 want
			vsim-merge --unpermute -f -o got.res.h5 got
			quietly vsim-verify --compare want.res.h5 got.res.h5
		done
	done
}

# bats test_tags=mpi
@test "spearman: ranks, stages, sets, a resumed run, an earlier result, --top, histogram" {
	local type
	requires python numpy
	for type in counts gaps; do
		packed $type
		vsim-run -f -m spearman -t 0.05 -o want x.vec.h5
		vsim-run -f -m spearman -t 0.05 --tile 9 --stage 1/2 -o part x.vec.h5
		vsim-run -m spearman -t 0.05 --tile 9 --stage 2/2 --resume -o part x.vec.h5
		quietly vsim-verify --compare want part
		pairs want | LC_ALL=C sort -k3,3gr | head -20 | sort >strongest
		vsim-run -f -m spearman --top 20 -o top x.vec.h5
		pairs top | sort | diff strongest -
		vsim-run -f -m spearman -t 0.05 --pairs-between 0-19 20-60 -o between x.vec.h5
		pairs between >got.txt
		pairs want | awk '$1 < 20 && $2 >= 20' | diff - got.txt
		vsim-run -f -m spearman -t 0.05 --metric-histogram h.tsv -o run x.vec.h5
		awk 'NR > 1 { n += $3 } END { exit n != 1830 }' h.tsv
		vsim-run -f -m spearman -t 0.05 --below 0.4 -o run x.vec.h5
		pairs run >got.txt
		pairs want | awk '$3 < 0.4' | diff - got.txt
	done
	vsim-run -f -m spearman -t 0.05 --min-joint 320 -o run x.vec.h5
	vsim-merge -f -o all.res.h5 want
	vsim-merge -f -o pairs.res.h5 run
	vsim-view --no-header -c i,j,value,n all.res.h5 | awk '$4 >= 320' >want.txt
	[ "$(wc -l <want.txt)" -gt 20 ]
	vsim-view --no-header -c i,j,value,n pairs.res.h5 | diff want.txt -
	requires mpi 3
	ranks 3 vsim-run -m spearman -t 0.05 --tile 9 -o got x.vec.h5
	quietly vsim-verify --compare want got
}

@test "spearman: an earlier result is completed, and another metric's is refused" {
	requires python numpy
	packed counts
	"$PYTHON" -c "
import numpy
numpy.save('old.npy', numpy.load('$BATS_FILE_TMPDIR/counts.npy')[:40])"
	vsim-pack --matrix old.npy -o old.vec.h5
	vsim-run -m spearman -t 0.05 -o old --merge old.res.h5 old.vec.h5
	vsim-run -m spearman -t 0.05 -o all --merge all.res.h5 x.vec.h5
	vsim-run -m spearman -t 0.05 --against old.res.h5 -o run x.vec.h5
	vsim-merge -o new.res.h5 run old.res.h5
	quietly vsim-verify --compare all.res.h5 new.res.h5
	refuses 3 'metric' vsim-run -m r -t 0.05 --against old.res.h5 -o no x.vec.h5
}

@test "spearman: shown by name; 0/0 of a constant; refused of genotypes and triples" {
	requires python numpy
	packed counts
	vsim-run -m spearman -t -1.5 -o run --merge x.res.h5 x.vec.h5
	[ "$(vsim-view -H x.res.h5 | grep -c '^#metric: spearman')" = 1 ]
	vsim-view --to matrix x.res.h5 >matrix
	[ "$(awk 'NR == 9 { print $9, $10 }' matrix)" = "NA NA" ]
	[ "$(awk 'NR == 10 { print $10 }' matrix)" = 1 ]
	vsim-run -m spearman -t -1.5 --to tsv -o - x.vec.h5 >table
	vsim-view x.res.h5 | diff table -
	vsim-pack --synthetic random --vectors 9 --fields 9 -o g.vec.h5
	refuses 3 'g.vec.h5: holds genotypes, and --metric spearman ranks numbers: use -m r2.r.cosine, or' \
		vsim-run -m spearman -t 0.5 -o no g.vec.h5
	refuses 2 '--way 3 cannot be combined with --metric spearman' \
		vsim-run -m spearman -w 3 -t 0.5 -o no x.vec.h5
	refuses 2 'no device supports this metric' \
		vsim-run -m spearman --backend cuda -t 0.5 -o no x.vec.h5
	refuses 2 'spearman of pairs is at most 1' vsim-run -m spearman -t 1 -o no x.vec.h5
	gone no
}
