# SPDX-License-Identifier: BSD-3-Clause
# P-values of correlations, and records chosen by them, against closed forms.
load ../../helpers

setup_file() {
	can_import decimal || return 0
	cd "$BATS_FILE_TMPDIR" || return
	"$PYTHON" "$TOP/tests/flow/significance.py" make .
	vsim-pack --matrix x.tsv -o numbers.vec.h5
	vsim-pack --tped x -o genotypes.vec.h5
}

setup() {
	requires python decimal
	cd "$BATS_TEST_TMPDIR" || return
}

oracle() {
	"$PYTHON" "$TOP/tests/flow/significance.py" "$@"
}

# result METRIC DATA ARG...: x.res.h5
result() {
	vsim-run -f -m "$1" "${@:3}" -o run "$BATS_FILE_TMPDIR/$2.vec.h5"
	vsim-merge -f -o x.res.h5 run
}

# records FILE [COLUMN]: by place, with p last
records() {
	vsim-view --no-header -c "i,j,value,${2:-p}" "$1" | sort
}

@test "significance: p of correlations is that of Student's t, by closed forms" {
	local metric
	for metric in r r2 spearman; do
		result $metric numbers -t -2
		vsim-view --no-header -c n,value,p x.res.h5 | oracle p $metric 435
	done
	for metric in r r2; do
		result $metric genotypes -t -2
		vsim-view --no-header -c n,value,p x.res.h5 | oracle p $metric 780
	done
}

@test "significance: chi2 of correlations is n r2, chi2_p its tail by erf's series" {
	result r numbers -t -2
	vsim-view --no-header -c n,value,chi2,chi2_p x.res.h5 | oracle chi2 r 435
	result r2 genotypes -t -2
	vsim-view --no-header -c n,value,chi2,chi2_p x.res.h5 | oracle chi2 r2 780
	result jaccard genotypes -t 0.5
	refuses 2 'no such column here' vsim-view -c chi2 x.res.h5
}

@test "significance: r beside r2 has the bits of --metric r, in views and tables" {
	local file=$BATS_FILE_TMPDIR/genotypes.vec.h5
	result r genotypes -t -2
	vsim-view --no-header -c i,j,value x.res.h5 | sort >want
	[ "$(awk '$3 < 0' want | wc -l)" -gt 100 ]
	result r2 genotypes -t -1
	vsim-view --no-header -c i,j,r x.res.h5 | sort | diff want -
	vsim-view --no-header --top 9 -c value,r x.res.h5 |
		awk '{ d = $1 - $2 * $2; bad += d * d > 1e-30 } END { exit bad || NR != 9 }'
	vsim-run -m r2 -t -1 --to tsv --no-header -c i,j,r -o - "$file" | sort | diff want -
	vsim-run -m r2 -t -1 --to csv --no-header -c i,j,r -o - \
		"$BATS_FILE_TMPDIR/x.tped" \
		2>said | tr , '\t' | sort | diff want -
	# vectors in another order, and a result in that of the source
	vsim-permute --order random -fo y.vec.h5 "$file"
	vsim-run -f -m r2 -t -1 -o run y.vec.h5
	vsim-merge -f --unpermute -o y.res.h5 run
	vsim-view --no-header -c i,j,r --vectors y.vec.h5 y.res.h5 | sort | diff want -
	refuses 3 'is not the vectors file' vsim-view -c r --vectors "$file" y.res.h5
	result r2 numbers -t 0.1
	refuses 3 'holds numbers' vsim-view -c r x.res.h5
	result r genotypes -t 0.1
	refuses 2 'no such column here' vsim-view -c r x.res.h5
}

@test "significance: --p-value of correlations keeps what has that p, without the vectors" {
	result r2 genotypes -t 0
	records x.res.h5 >all
	cp x.res.h5 far.res.h5
	vsim-threshold --p-value 0.01 -o p.res.h5 far.res.h5
	records p.res.h5 >got
	awk '$4 <= 0.01' all | cmp - got
	[ "$(wc -l <got)" -gt 20 ]
	vsim-threshold --p-value 0.01 --bonferroni -o b.res.h5 far.res.h5
	records b.res.h5 >fewer
	awk '$4 <= 0.01 / 780' all | cmp - fewer
	[ "$(wc -l <fewer)" -lt "$(wc -l <got)" ]
}

@test "significance: --fdr is Benjamini and Hochberg over all pairs compared" {
	local data metric least n rate
	for data in "numbers r -2" "numbers spearman 0.2" "genotypes r2 0" \
		"numbers r 0 --abs"; do
		read -r data metric least n <<<"$data"
		# shellcheck disable=SC2086
		result "$metric" "$data" -t "$least" $n
		records x.res.h5 >all
		n=435
		[ "$data" = numbers ] || n=780
		vsim-view --no-header -c p,q x.res.h5 | oracle q $n
		for rate in $(oracle rates $n <all) 0.1; do
			vsim-threshold --fdr "$rate" -fo d.res.h5 x.res.h5
			records d.res.h5 >got
			oracle kept $n "$rate" <all | cmp - got
		done
		[ -s got ]
		# of the shards, too
		rm -rf fewer
		vsim-threshold --fdr 0.1 -o fewer run
		vsim-merge -f -o d.res.h5 fewer
		records d.res.h5 | cmp - got
	done
	vsim-view -H d.res.h5 | grep 'false discovery rate at most 0.1, p at most'
}

# bats test_tags=long
@test "significance: --fdr of tables of cases and controls goes by the test of their scores" {
	result g genotypes -t -1
	records x.res.h5 >all
	vsim-threshold --fdr 0.5 -o d.res.h5 x.res.h5
	records d.res.h5 >got
	oracle kept 780 0.5 <all | cmp - got
	result inter genotypes -t 0
	records x.res.h5 inter_p >all
	vsim-threshold --fdr 0.9 -fo d.res.h5 x.res.h5
	records d.res.h5 inter_p >got
	oracle kept 780 0.9 <all | cmp - got
	vsim-view --no-header -c inter_p,q x.res.h5 | oracle q 780
}

@test "significance: --fdr says where the run may have left out what would pass" {
	result r2 genotypes -t 0.4
	run -0 --separate-stderr vsim-threshold --fdr 0.05 -o d.res.h5 x.res.h5
	[[ $stderr == *'all records pass, and weaker ones may; vsim-run with a lower -t'* ]]
	result r2 genotypes -t 0
	run -0 --separate-stderr vsim-threshold --fdr 0.05 -fo d.res.h5 x.res.h5
	[[ $stderr != *'weaker ones may'* ]]
	run -2 vsim-threshold --fdr 0.05 --min 0.5 -fo d.res.h5 x.res.h5
	run -2 vsim-threshold --fdr 0.05 --top 5 -fo d.res.h5 x.res.h5
	run -2 vsim-threshold --fdr 2 -fo d.res.h5 x.res.h5
	# a metric of genotypes other than a correlation, without case status
	vsim-threshold --fdr 1e-300 -fo d.res.h5 x.res.h5
	[ -z "$(vsim-view --no-header d.res.h5)" ]
}
