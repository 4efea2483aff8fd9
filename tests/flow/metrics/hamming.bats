# SPDX-License-Identifier: BSD-3-Clause
# Metrics of vectors of ploidy 1, one of which is stronger where it is lower: what
# the whole path does with them besides the values, which moments.bats holds.
load ../../helpers
load ../metrics

setup_file() {
	requires python numpy
	cd "$BATS_FILE_TMPDIR"
	"$PYTHON" "$TOP/tests/flow/oracle.py" make 120 131 7 missing >x.tsv
	vsim-pack --tsv x.tsv --label given --ploidy 1 -o x.vec.h5 2>said
	vsim-pack --tsv x.tsv --label given -o two.vec.h5
	for m in hamming yule; do
		"$PYTHON" "$TOP/tests/flow/moments.py" $m x.tsv \
			"$(strong $m 0 131)" 1 >$m.want
		vsim-run -m $m -t "$(strong $m 0 131)" -o $m x.vec.h5
		vsim-merge -o $m.res.h5 $m
	done
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

@test "hamming, yule: verified alone, by the vectors and by a closed form" {
	local m
	vsim-pack -f --synthetic analytic --element bit --vectors 300 \
		--fields 130 -o s.vec.h5
	for m in hamming yule; do
		vsim-view --no-header -c i,j,n,value $m.res.h5 | diff $m.want -
		quietly vsim-verify $m $m.res.h5
		quietly vsim-verify --against x.vec.h5 $m.res.h5
		vsim-run -f -m $m -t "$(strong $m 0.3 130)" -o s s.vec.h5
		quietly vsim-verify --closed-form s.vec.h5 s
		cp $m.res.h5 bad.res.h5
		"$PYTHON" "$TOP/tests/cli/forge.py" bad.res.h5 \
			'f["records/value"][3] += 0.125'
		refuses 1 'pair .* expected value' vsim-verify --against x.vec.h5 bad.res.h5
	done
}

# bats test_tags=long
@test "hamming, yule: the strongest, by stages, tiles and the emulated card" {
	local m key how
	for m in hamming yule; do
		key=4,4gr
		! states $m '.lower = true' || key=4,4g
		vsim-run -f -m $m --top 50 -t "$(strong $m 0 131)" -o run x.vec.h5
		vsim-merge -f -o top.res.h5 run
		vsim-view --no-header -c i,j,n,value top.res.h5 | wc -l |
			grep -qx 50
		vsim-view --no-header -c value top.res.h5 | sort -g >got
		sort -k$key $m.want | head -n 50 | cut -f 4 | sort -g | diff - got
		for how in 1 2 3; do
			vsim-run -f -m $m -t "$(strong $m 0 131)" --stage $how/3 \
				-o part$how x.vec.h5
		done
		vsim-merge -f -o e.res.h5 part1 part2 part3
		[ "$(content e.res.h5)" = "$(content $m.res.h5)" ]
		vsim-run -f -v -m $m -t "$(strong $m 0 131)" --tile 17 -j 2 \
			--no-prune -o run x.vec.h5 2>said
		grep -q 'no device supports this metric yet: the CPU computes' said
		vsim-merge -f -o e.res.h5 run
		[ "$(content e.res.h5)" = "$(content $m.res.h5)" ]
		refuses 2 'no device supports this metric yet' vsim-run -m $m \
			--backend cuda -t "$(strong $m 0 131)" -o no x.vec.h5
	done
}

@test "hamming, yule: a stronger bound, 0/0 and the diagonal of a matrix" {
	vsim-threshold --below 30 -o low.res.h5 hamming.res.h5
	vsim-view --no-header -c i,j,n,value low.res.h5 |
		diff <(awk '$4 < 30' hamming.want) -
	vsim-run -f -m hamming -t 132 -o run x.vec.h5
	vsim-merge -f -o all.res.h5 run
	vsim-view --to matrix all.res.h5 | awk 'NR == 2 { print $2 }' | grep -qx 0
	vsim-run -f -m yule -t -2 -o run x.vec.h5
	vsim-merge -f -o all.res.h5 run
	vsim-view --to matrix all.res.h5 | awk 'NR == 2 { print $2 }' | grep -qx 1
}

@test "hamming, yule: refused of genotypes, and where nothing can pass" {
	refuses 3 'have ploidy 2, but --metric hamming needs 1' \
		vsim-run -m hamming -t 5 -o no two.vec.h5
	refuses 2 'no hamming is below 0' vsim-run -m hamming -t 0 -o no x.vec.h5
	refuses 2 'yule of pairs is at most 1' vsim-run -m yule -t 1 -o no x.vec.h5
	refuses 2 'hamming depends on the data' vsim-run -m hamming -o no x.vec.h5
	refuses 2 'is for pairs' vsim-run -m yule -w 3 -t 0.5 -o no x.vec.h5
}
