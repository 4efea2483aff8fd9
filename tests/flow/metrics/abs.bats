# SPDX-License-Identifier: BSD-3-Clause
# Absolute values, --abs: what passes is what numpy's |r| says, with its sign, whatever
# computes, and files that differ in it stay apart.
load ../../helpers
load ../metrics

setup_file() {
	requires python numpy
	cd "$BATS_FILE_TMPDIR"
	"$PYTHON" - <<-'END'
		import numpy as np
		rng = np.random.default_rng(8)
		# blocks of a common factor, half of each block negated
		f = rng.normal(size=(20, 157))
		x = np.repeat(f, 7, axis=0) + rng.normal(size=(140, 157)) * .8
		x[::2] *= -1
		np.save("f64.npy", x)
		np.save("f32.npy", x.astype("f4"))
		np.save("u8.npy", np.clip(x * 20 + 128, 0, 255).astype("u1"))
		x[rng.random(x.shape) < .05] = np.nan
		np.save("gaps.npy", x)
		g = np.digitize(x, [-.6, .9]).astype(object)
		for name, missing in ("gt", False), ("gtm", True):
		    with open(name + ".tsv", "w") as to:
		        print("id", *(f"s{k}" for k in range(157)), sep="\t", file=to)
		        for k, row in enumerate(g):
		            row = ["NA" if missing and np.isnan(v) else min(c, 2)
		                   for c, v in zip(row, x[k])]
		            print(f"v{k}", *row, sep="\t", file=to)
	END
	for t in f64 f32 u8; do
		vsim-pack --matrix $t.npy --element $t -o $t.vec.h5
	done
	vsim-pack --matrix gaps.npy --element f64 -o gaps.vec.h5
	for t in gt gtm; do
		vsim-pack --tsv $t.tsv --label given -o $t.vec.h5
	done
	vsim-pack --tsv gt.tsv --label given --ploidy 1 -o one.vec.h5 2>said
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

records() {
	vsim-view --no-header -c i,j,value "$1"
}

# far FILE METRIC T: the records of |value| > T, however computed
far() {
	local file=$1.vec.h5 n
	local ask=(-m "$2" -t "$3" --abs)
	vsim-run -f -m "$2" -t -1.5 -o all --merge all.res.h5 "$file"
	records all.res.h5 | awk -v t="$3" '$3 > t + 0 || -$3 > t + 0' >want
	for n in '[$]3 < 0' '[$]3 > 0'; do
		[ "$(awk "${n/\[\$\]/\$}" want | wc -l)" -gt 20 ] || complain "$*: few of $n"
	done
	[[ $3 != 0.* ]] ||
		[ "$(records all.res.h5 | wc -l)" -gt $(($(wc -l <want) + 100)) ]
	alike "$file" "${ask[@]}"
}

# bats test_tags=install
@test "abs: the pairs of numpy's |r| > T, with their signs" {
	vsim-run -f -m r -t 0.5 --abs -o run --merge e.res.h5 f64.vec.h5
	records e.res.h5 >got
	"$PYTHON" - <<-'END'
		import numpy as np
		r = np.corrcoef(np.load("f64.npy"))
		got = [line.split() for line in open("got")]
		have = {(int(i), int(j)): float(v) for i, j, v in got}
		want = {(i, j): r[i, j] for i in range(140) for j in range(i + 1, 140)
		        if abs(r[i, j]) > .5}
		assert min(abs(abs(r) - .5).flat) > 1e-9
		assert have.keys() == want.keys() and len(have) > 300
		assert all(abs(have[k] - want[k]) < 1e-13 for k in want)
		assert min(have.values()) < -.5 < .5 < max(have.values())
	END
	vsim-view --no-header --to knn e.res.h5 |
		awk -F'\t' '{ r = $NF < 0 ? -$NF : $NF; bad += $1 == at && r > last
			at = $1; last = r } END { exit bad || NR < 600 }'
}

@test "abs: the same bits with and without bounds, on ranks, in stages" {
	far f64 r 0.5
	far gt r 0.4
	far gtm r 0.4
}

# bats test_tags=long
@test "abs: other signed metrics and other numbers" {
	far f32 r 0.5
	far u8 r 0.5
	far gaps r 0.5
	far f64 spearman 0.5
	far gaps spearman 0.45
	far f64 cosine 0.5
	far one yule 0.7
	far gtm r -1
	far gt r 0
}

@test "abs: the strongest of either sign, in --top, views and thresholds" {
	vsim-run -f -m r -t -1.5 -o run --merge all.res.h5 f64.vec.h5
	records all.res.h5 | awk '{ a = $3; sub(/^-/, "", a); print a "\t" $0 }' |
		sort -k1,1gr -k2,2n -k3,3n | cut -f2- >sorted
	head -n 150 sorted | sort -n -k1,1 -k2,2 >want
	[ "$(awk '$3 < 0' want | wc -l)" -gt 50 ]
	for how in '' '--no-prune' '--tile 17'; do
		# shellcheck disable=SC2086
		vsim-run -f -m r --top 150 --abs $how -o run --merge top.res.h5 f64.vec.h5
		records top.res.h5 | diff want -
	done
	vsim-run -f -m r -t 0.3 --abs -o run --merge e.res.h5 f64.vec.h5
	vsim-view --no-header -c i,j,value --top 40 e.res.h5 | diff <(head -n 40 sorted) -
	vsim-view --no-header -c i,j,value --sort value e.res.h5 |
		diff <(awk '$3 > .3 || $3 < -.3' sorted) -
	records e.res.h5 | awk '$3 > .6 || $3 < -.6' >want
	vsim-view --no-header -c i,j,value -t 0.6 e.res.h5 | diff want -
	vsim-threshold -f -t 0.6 -o t.res.h5 e.res.h5
	records t.res.h5 | diff want -
	# it is the result that the run itself would give
	vsim-run -f -m r -t 0.6 --abs -o run --merge same.res.h5 f64.vec.h5
	[ "$(content t.res.h5)" = "$(content same.res.h5)" ]
	vsim-threshold -f --above 0.6 -o t.res.h5 e.res.h5
	records t.res.h5 | diff <(awk '$3 > .6' want) -
	vsim-view -H t.res.h5 | grep -qx '#selection: above 0.6'
	vsim-threshold -f --top 40 -o t.res.h5 e.res.h5
	records t.res.h5 | diff <(head -n 40 sorted | sort -n -k1,1 -k2,2) -
	vsim-threshold -f --components -t 0.6 -o t.tsv e.res.h5
	vsim-run -f -m r2 -t 0.36 -o run --merge r2.res.h5 f64.vec.h5
	vsim-threshold -f --components -t 0.36 -o r2.tsv r2.res.h5
	diff t.tsv r2.tsv
}

@test "abs: stages and results that differ in it stay apart" {
	vsim-run -f -m r -t 0.5 --stage 1/2 -o one gt.vec.h5
	vsim-run -f -m r -t 0.5 --abs --stage 2/2 -o two gt.vec.h5
	refuses 3 'use of absolute values differs' vsim-merge -f -o no.res.h5 one two
	vsim-run -m r -t 0.5 --abs --stage 1/2 --resume -o two gt.vec.h5
	vsim-merge -f -o e.res.h5 two
	vsim-view -H e.res.h5 | grep -qx '#absolute: 1'
	vsim-view -H e.res.h5 | grep -q '^#required_features: .* absolute'
	"$PYTHON" "$TOP/tests/flow/content.py" e.res.h5 two/*.shard.h5
	# a weak value of either sign is not a record
	for value in 0.49 -0.49; do
		cp e.res.h5 f.res.h5
		"$PYTHON" "$TOP/tests/cli/forge.py" f.res.h5 \
			"f['records/value'][0] = $value"
		refuses 1 'does not pass' vsim-verify f.res.h5
	done
	cp e.res.h5 f.res.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" f.res.h5 \
		'f["run"].attrs.modify("absolute", np.int64(2))'
	refuses 1 'is inconsistent' vsim-verify f.res.h5
}

@test "abs: refused where it means nothing, left to the CPU by devices" {
	local m
	for m in r2 ccc jaccard; do
		refuses 2 "--abs cannot be combined with --metric $m: this metric has no" \
			vsim-run -m $m -t 0.5 --abs -o no gt.vec.h5
	done
	refuses 2 'this metric has no negative values' vsim-run -m euclid -t 5 \
		--abs -o no f64.vec.h5
	refuses 2 '--below' vsim-run -m r -t 0.1 --abs --below 0.5 -o no gt.vec.h5
	refuses 2 'no records are kept' vsim-run -m r --abs --summary degree -t 0.5 \
		-o no gt.vec.h5
	refuses 2 'nothing can pass' vsim-run -m r -t 1.5 --abs -o no gt.vec.h5
	refuses 2 'no device supports absolute yet' vsim-run -m r -t 0.5 --abs \
		--backend cuda -o no gt.vec.h5
	# a histogram counts signed values, whatever is kept
	vsim-run -f -m r -t 0.5 --abs --metric-histogram a.tsv -o run gt.vec.h5
	vsim-run -f -m r -t 0.5 --metric-histogram b.tsv -o run gt.vec.h5
	diff a.tsv b.tsv
}
