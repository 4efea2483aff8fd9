# SPDX-License-Identifier: BSD-3-Clause
# Correlation and cosine of numbers: each value against numpy's and against the
# plain definition, and the same bits however they are computed.
load ../../helpers

# errors: what libcore/metric/inner.h states, but for numpy's own
errors() {
	printf '%s\n' 'f32 f32 1.6e-5' 'f64 f64 6e-14' 'u8 u8 1e-15' 'u16 u16 1e-15' \
		'u32 u32 6e-14' 'signed32 f32 1.6e-5' 'signed64 f64 6e-14' 'missing32 f32 1e-12' \
		'missing64 f64 1e-12'
}

setup_file() {
	can_import numpy || return 0
	"$PYTHON" "$TOP/tests/flow/inner.py" make "$BATS_FILE_TMPDIR"
}

# pairs DIR: the records of a run, by number
pairs() {
	vsim-merge -f -o pairs.res.h5 "$1"
	vsim-view --no-header -c i,j,value pairs.res.h5
}

# bats test_tags=long
@test "inner: r, r2 and cosine of each type of numbers are numpy's" {
	local type element error metric t
	requires python numpy
	while read -r type element error; do
		vsim-pack --matrix "$BATS_FILE_TMPDIR/$type.npy" --element "$element" -o "$type.vec.h5"
		while read -r metric t; do
			vsim-run -f -m $metric -t $t -o run "$type.vec.h5"
			pairs run >got
			[ $t != -1.5 ] || [ "$(wc -l <got)" = 1830 ]
			"$PYTHON" "$TOP/tests/flow/inner.py" check \
				"$BATS_FILE_TMPDIR/$type.npy" $metric "$error" $t <got
			vsim-verify --against "$type.vec.h5" pairs.res.h5
		done <<-END
			r -1.5
			r2 0.3
			cosine 0.9
		END
	done < <(errors)
}

@test "inner: two vectors that are alike correlate by 1, opposed ones by -1, a constant by 0" {
	printf 'id\t%s\n' 'a b c d e' 'x 1.1 7 3.3 9.1 0.7' 'y 1.1 7 3.3 9.1 0.7' \
		'z 2.2 14 6.6 18.2 1.4' 'o 10 10 10 10 10' 'w 0.1 0.1 0.1 0.1 0.1' |
		tr ' ' '\t' >x.tsv
	sed 's/id\t//' x.tsv | sed '1s/^/id\t/' >y.tsv
	for element in f32 f64; do
		vsim-pack --matrix y.tsv --element $element -fo x.vec.h5
		vsim-run -f -m r -t -1.5 -o run x.vec.h5
		pairs run >got
		diff got - <<-END
			0	1	1
			0	2	1
			0	3	0
			0	4	0
			1	2	1
			1	3	0
			1	4	0
			2	3	0
			2	4	0
			3	4	0
		END
	done
	printf 'id\ta\tb\tc\nx\t0\t1\t5\ny\t9\t8\t4\nz\t0\t0\t0\n' >z.tsv
	vsim-pack --matrix z.tsv -fo x.vec.h5
	vsim-run -f -m r -t -1.5 -o run x.vec.h5
	pairs run >got
	diff got - <<-END
		0	1	-1
		0	2	0
		1	2	0
	END
}

# same_bits TYPE...: of such numbers
same_bits() {
	local type metric t step
	requires python numpy
	for type; do
		vsim-pack --matrix "$BATS_FILE_TMPDIR/$type.npy" --element ${type/[sm]*[dg]/f} \
			-o $type.vec.h5
		vsim-permute --order random --seed 5 -fo turned.vec.h5 $type.vec.h5
		while read -r metric t; do
			vsim-run -f -m $metric -t $t --cpu scalar --no-prune -j1 \
				-o want $type.vec.h5
			for step in $(cpu_steps); do
				[ $step != popcnt ] || continue
				vsim-run -f -m $metric -t $t --cpu "$step" -j2 \
					--tile 17 -o got $type.vec.h5
				quietly vsim-verify --compare want got
			done
			vsim-run -f -m $metric -t $t -o got turned.vec.h5
			vsim-merge --unpermute -f -o want.res.h5 want
			vsim-merge --unpermute -f -o got.res.h5 got
			quietly vsim-verify --compare want.res.h5 got.res.h5
		done <<-END
			r 0.2
			r2 0.7
			cosine -2
		END
	done
}

# bats test_tags=install
@test "inner: the same bits for any kernel, thread, tile, pruning and order" {
	same_bits u8 missing32
}

# bats test_tags=long
@test "inner: so of other types" {
	same_bits signed32 f64
}

# bats test_tags=mpi
@test "inner: ranks, stages, sets and --top give what one rank gives" {
	requires python numpy
	requires mpi 3
	vsim-pack --matrix "$BATS_FILE_TMPDIR/f32.npy" --element f32 -o x.vec.h5
	vsim-run -m r -t 0.2 -o want x.vec.h5
	ranks 3 vsim-run -m r -t 0.2 --tile 9 -o got x.vec.h5
	quietly vsim-verify --compare want got
	vsim-run -m r -t 0.2 --tile 9 --stage 1/2 -o part x.vec.h5
	vsim-run -m r -t 0.2 --tile 9 --stage 2/2 --resume -o part x.vec.h5
	quietly vsim-verify --compare want part
	pairs want | LC_ALL=C sort -k3,3gr | head -20 | sort >strongest
	vsim-run -m r --top 20 -o top x.vec.h5
	pairs top | sort >got.txt
	diff strongest got.txt
	vsim-run -m r -t 0.2 --pairs-between 0-19 20-60 -o between x.vec.h5
	pairs between >got.txt
	pairs want | awk '$1 < 20 && $2 >= 20' | diff - got.txt
}

# bats test_tags=mpi
@test "inner: where entries are missing each pair has its own fields, counted in nvalid" {
	requires python numpy h5py
	vsim-pack --matrix "$BATS_FILE_TMPDIR/missing64.npy" -o x.vec.h5
	[ "$(vsim-view -g --no-header x.vec.h5 | grep -c NA)" -ge 50 ]
	vsim-verify x.vec.h5
	vsim-run -m r -t -1.5 -o all x.vec.h5
	pairs all >all.txt
	vsim-view --no-header -c i,j,n pairs.res.h5 >n.txt
	"$PYTHON" - "$BATS_FILE_TMPDIR/missing64.npy" <<-'END'
		import sys
		import numpy
		there = ~numpy.isnan(numpy.load(sys.argv[1]))
		n = there.astype(int) @ there.T
		for line in open("n.txt"):
		    i, j, got = map(int, line.split())
		    assert got == n[i, j], line
	END
	# a vector that is all missing, one that is constant in what is shared, and equal ones
	grep -P '^(26\t27|31\t32|35\t36)\t' all.txt | diff - <(printf '26\t27\t0\n31\t32\t0\n35\t36\t1\n')
	vsim-run -m r -t 0.2 --min-joint 330 --metric-histogram h.tsv -o joint x.vec.h5
	pairs joint >got.txt
	paste all.txt n.txt | awk '$3 > 0.2 && $6 >= 330' | cut -f 1-3 | diff - got.txt
	[ -s got.txt ]
	[ "$(awk 'NR > 1 { n += $3 } END { print n }' h.tsv)" = "$(awk '$3 >= 330' n.txt | wc -l)" ]
	# text, columns for vectors, and shares of what is there
	vsim-view -g x.vec.h5 >x.tsv
	vsim-pack --matrix x.tsv -o text.vec.h5
	vsim-verify --compare x.vec.h5 text.vec.h5
	printf 'id\ta\tb\tc\nx\t1\tNA\t3\ny\tNA\t\tnan\n' >small.tsv
	for how in 'z -1 NA 1' 'rank 1 NA 2' 'sum 0.25 NA 0.75'; do
		vsim-pack --matrix small.tsv --normalize ${how%% *} -fo small.vec.h5
		[ "$(vsim-view -g --no-header small.vec.h5 | xargs)" = "x ${how#* } y NA NA NA" ]
	done
	refuses 3 'some numbers are missing, which --metric ps does not support; -m r2.r.spearman.cosine leaves' \
		vsim-run -m ps -t 0.5 -o run small.vec.h5
	refuses 3 'small.tsv: line 2, column 3 .b.: the entry is missing; --missing-as-zero' \
		vsim-pack --matrix small.tsv --element u8 -o y.vec.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" x.vec.h5 \
		"f.attrs['required_features'] = np.bytes_('f64 signed')"
	refuses 3 'vector 0, field .*: nan is not finite' \
		vsim-run -m r -t 0.5 -o run x.vec.h5
	gone y.vec.h5 run
	requires mpi 3
	ranks 3 vsim-run -m r -t -1.5 --tile 9 -o ranks text.vec.h5
	quietly vsim-verify --compare all ranks
}

# bats test_tags=long
@test "inner: bounds by bytes leave out pairs, and none that passes" {
	local name element metric t step
	requires python numpy
	"$PYTHON" - <<-'END'
		import numpy
		rng = numpy.random.default_rng(5)
		def linked(x, share):  # groups of 8 whose correlations are near the thresholds
		    x[:80] += share * numpy.repeat(rng.normal(size=(10, 1500)), 8, axis=0)
		    return x
		numpy.save("normal.npy", linked(rng.normal(size=(400, 1500)), 0.35).astype("f4"))
		tails = linked(rng.standard_t(6, size=(400, 1500)), 0.75)
		tails[:9] *= numpy.logspace(-300, 200, 9)[:, None]
		tails[10] = 3
		numpy.save("tails.npy", tails)
		numpy.save("counts.npy", numpy.rint(linked(rng.normal(size=(400, 1500)), 0.35) * 9 + 50)
		           .astype("u2"))
	END
	while read -r name element metric t; do
		vsim-pack --matrix $name.npy --element $element -fo x.vec.h5
		VSIM_WITHOUT=byte-bound vsim-run -f -m $metric -t $t -o want x.vec.h5
		for step in avx2 $(cpu_steps | tail -1); do
			vsim-run -f -m $metric -t $t --cpu $step --stats s.yaml -o got x.vec.h5
			quietly vsim-verify --compare want got
			[ "$step" = scalar ] || awk '/^comparisons:/ { all = $2 }
				/^comparisons_counted:/ { exit !($2 < all / 2) }' s.yaml ||
				complain "$name $metric $step: $(grep counted s.yaml)"
		done
		[ "$(sed -n 's/^records: //p' s.yaml)" -gt 20 ]
	done <<-END
		normal f32 r 0.11
		normal f32 r2 0.016
		tails f64 r 0.25
		tails f64 cosine 0.25
		counts u16 r 0.11
	END
}

@test "inner: a histogram counts all values, --min-joint and triples are refused" {
	requires python numpy
	vsim-pack --matrix "$BATS_FILE_TMPDIR/f64.npy" -o x.vec.h5
	vsim-run -m r -t 0.5 --metric-histogram h.tsv -o run x.vec.h5
	[ "$(awk 'NR > 1 { n += $3 } END { print n }' h.tsv)" = 1830 ]
	[ "$(awk '$1 < -0.4 { n += $3 } END { print (n > 0) }' h.tsv)" = 1 ]
	vsim-pack --matrix "$BATS_FILE_TMPDIR/signed64.npy" -o signed.vec.h5
	vsim-run -f -m cosine -t -1.5 --metric-histogram h.tsv -o run signed.vec.h5
	pairs run >got
	[ "$(awk '$1 < 0 { n += $3 } END { print n }' h.tsv)" = "$(awk '$3 < 0' got | wc -l)" ]
	vsim-verify pairs.res.h5
	refuses 2 '--min-joint: no numbers of x.vec.h5 are missing' \
		vsim-run -m r -t 0.5 --min-joint 3 -o joint x.vec.h5
	refuses 2 '--way 3 cannot be combined with --metric r' \
		vsim-run -m r -t 0.5 --way 3 -o triples x.vec.h5
	refuses 3 'holds numbers, and --metric jaccard compares genotypes: -m ps.r2.r.spearman.cosine.euclid compares numbers' \
		vsim-run -m jaccard -t 0.5 -o no x.vec.h5
	gone joint triples no
}

# bats test_tags=long
@test "inner: the correlation of ranks is Spearman's, of z-scores r itself" {
	requires python numpy
	vsim-pack --matrix "$BATS_FILE_TMPDIR/signed64.npy" --normalize rank -o ranks.vec.h5
	vsim-run -m r -t -1.5 -o ranks ranks.vec.h5
	pairs ranks >ranks.txt
	vsim-pack --matrix "$BATS_FILE_TMPDIR/signed64.npy" --normalize z -o z.vec.h5
	vsim-run -m r -t -1.5 -o z z.vec.h5
	pairs z | "$PYTHON" "$TOP/tests/flow/inner.py" check \
		"$BATS_FILE_TMPDIR/signed64.npy" r 6e-14 -1.5
	"$PYTHON" "$TOP/tests/flow/inner.py" spearman "$BATS_FILE_TMPDIR/signed64.npy" <ranks.txt
}

@test "inner: numbers below 0 are marked in the file, and are not for ps" {
	requires python numpy h5py
	printf 'id\ta\tb\tc\nx\t-1.5\t2\t0\ny\t3\t-4\t0\n' >x.tsv
	vsim-pack --matrix x.tsv --codec none -o x.vec.h5
	[ "$(vsim-view -g --no-header x.vec.h5 | xargs)" = "x -1.5 2 0 y 3 -4 0" ]
	vsim-verify x.vec.h5
	refuses 3 'some numbers are negative, but --metric ps needs numbers of 0 or more; -m r2.r.spearman.cosine.euclid takes any' \
		vsim-run -m ps -t 0.5 -o run x.vec.h5
	refuses 3 'x.tsv: row 1, x: a negative number has no share of a sum' vsim-pack \
		--matrix x.tsv --normalize sum -o y.vec.h5
	refuses 3 'x.tsv: line 2, column 2 .a.: -1.5 does not fit u8' vsim-pack \
		--matrix x.tsv --element u8 -o y.vec.h5
	printf 'id\ta\tb\tc\nx\t-1.5\t2\t0\ny\t3\t1e299\t0\n' >z.tsv
	refuses 3 'z.tsv: some numbers are negative, and some are 2.990 or more' \
		vsim-pack --matrix z.tsv -o y.vec.h5
	for value in 1e299 np.nan; do
		cp x.vec.h5 forged.vec.h5
		"$PYTHON" "$TOP/tests/cli/forge.py" forged.vec.h5 \
			"f['vectors/values'][1, 1] = $value"
		refuses 3 'vector 1, field 1: .* is not finite, or 2.990 or more' \
			vsim-run -m r -t 0.5 -o run forged.vec.h5
	done
	cp x.vec.h5 forged.vec.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" forged.vec.h5 \
		"f.attrs['required_features'] = np.bytes_('f64')"
	refuses 3 'vector 0, field 0: -1.5 is negative or not finite' \
		vsim-run -m r -t 0.5 -o run forged.vec.h5
	gone y.vec.h5 run
}

# bats test_tags=long
@test "inner: words whose sums pass 2^53 are those of the definition, too" {
	local metric cpu
	requires python numpy
	"$PYTHON" - <<-'END'
		import numpy
		x = numpy.random.default_rng(1).integers(64000, 65536, (3, 2**21 + 77))
		numpy.save("x.npy", x.astype("u2"))
	END
	vsim-pack --matrix x.npy -o x.vec.h5
	for metric in cosine r; do
		for cpu in $(cpu_steps); do
			vsim-run -f -m $metric -t -1.5 --cpu "$cpu" -o run x.vec.h5
			pairs run >"$cpu"
			cmp scalar "$cpu"
		done
		vsim-verify --against x.vec.h5 pairs.res.h5
	done
}

@test "inner: real tables of species are numpy's" {
	local name metric
	requires python numpy
	requires data ecology
	for name in BCI varespec; do
		vsim-pack --matrix "$VSIM_TEST_DATA/ecology/$name.tsv.gz" --transpose -fo x.vec.h5
		vsim-view x.vec.h5 >x.txt
		"$PYTHON" - <<-'END'
			import h5py, numpy
			f = h5py.File("x.vec.h5")
			numpy.save("x.npy", f["vectors/values"][:])
		END
		for metric in r cosine; do
			vsim-run -f -m $metric -t 0.4 -o run x.vec.h5
			pairs run >got
			"$PYTHON" "$TOP/tests/flow/inner.py" check x.npy $metric 6e-14 0.4 <got
		done
	done
}

# bats test_tags=mpi,long
@test "inner: distances below a threshold are numpy's, with any kernel, thread and order" {
	local type element t step
	requires python numpy
	while read -r type element; do
		vsim-pack --matrix "$BATS_FILE_TMPDIR/$type.npy" --element $element -fo x.vec.h5
		# of the last type also what has no bound
		for t in near half $([ $type != u32 ] || echo 1e308); do
			[ $t = 1e308 ] || t=$("$PYTHON" "$TOP/tests/flow/inner.py" distance \
				"$BATS_FILE_TMPDIR/$type.npy" $t)
			vsim-run -f -m euclid -t "$t" -o run x.vec.h5
			pairs run >got
			"$PYTHON" "$TOP/tests/flow/inner.py" cdist \
				"$BATS_FILE_TMPDIR/$type.npy" "$t" <got
			vsim-verify --against x.vec.h5 pairs.res.h5
			for step in $(cpu_steps); do
				[ $step != popcnt ] || continue
				vsim-run -f -m euclid -t "$t" --cpu "$step" -j2 --tile 17 -o got.run x.vec.h5
				quietly vsim-verify --compare run got.run
			done
			vsim-run -f -m euclid -t "$t" --no-prune -o got.run x.vec.h5
			quietly vsim-verify --compare run got.run
		done
	done <<-END
		signed32 f32
		signed64 f64
		u8 u8
		u32 u32
	END
	vsim-run -m euclid --top 20 -o top x.vec.h5
	pairs top >top.txt
	LC_ALL=C sort -k3,3g got | head -20 | sort -k1,1n -k2,2n | diff - top.txt
	vsim-run -f -m r -t 0.2 -o run x.vec.h5
	for step in 'run 1' 'got.run 0'; do
		vsim-merge -f -o m.res.h5 ${step% *}
		vsim-view --to matrix m.res.h5 >m.txt
		[ "$(awk -v want=${step#* } 'NR > 1 && $NR != want' m.txt)" = "" ] &&
			[ "$(wc -l <m.txt)" -gt 20 ]
	done
	refuses 2 '--threshold 0: nothing can pass: no euclid is below 0' \
		vsim-run -m euclid -t 0 -o no x.vec.h5
	refuses 2 '--way 3 cannot be combined with --metric euclid' \
		vsim-run -m euclid -t 1 --way 3 -o no x.vec.h5
	refuses 2 '--metric-histogram cannot be combined with --metric euclid' \
		vsim-run -m euclid -t 1 --metric-histogram h.tsv -o no x.vec.h5
	vsim-pack --matrix "$BATS_FILE_TMPDIR/missing64.npy" -o missing.vec.h5
	refuses 3 'some numbers are missing, but --metric euclid needs complete vectors' \
		vsim-run -m euclid -t 1 -o no missing.vec.h5
	vsim-pack --synthetic random --vectors 9 --fields 9 -o genotypes.vec.h5
	refuses 3 'holds genotypes, and --metric euclid compares numbers' \
		vsim-run -m euclid -t 1 -o no genotypes.vec.h5
	gone no h.tsv
	requires mpi 3
	vsim-run -f -m euclid -t "$t" -o run x.vec.h5
	ranks 3 vsim-run -m euclid -t "$t" --tile 9 -o ranks x.vec.h5
	quietly vsim-verify --compare run ranks
}
