# SPDX-License-Identifier: BSD-3-Clause
# Association: permuted tables, and runs with the cases shuffled.
load ../../helpers
load ../association

# bats test_tags=long
@test "association: permuted tables are as shuffled samples; null is uniform" {
	made 9 6 200 0.05 80
	all g 2
	vsim-view -c id1,id2,p_permuted --permutations 2000 x.res.h5 >x.tsv
	py permuted x x.tsv 2000
	vsim-view -c id1,id2,p_permuted --permutations 2000 -i v3 x.res.h5 >y.tsv
	grep -vxFf x.tsv y.tsv | none_of
	vsim-view -c id1,id2,p_permuted --permutations 2000 --seed 2 x.res.h5 \
		>y.tsv
	[ -n "$(diff x.tsv y.tsv)" ]
	refuses 2 'p_permuted' vsim-view --permutations 9 x.res.h5
	refuses 2 'p_permuted' vsim-view -c p --seed 2 x.res.h5
	refuses 2 'p_permuted' vsim-view --seed 2 x.vec.h5
	# 780 pairs of vectors and a status that know nothing of each other: p
	# below 0.1 within 4.5 standard errors, wider since pairs share vectors
	made 10 40 400 0 200
	all g 2
	vsim-view -c p_permuted,p,inter_p --permutations 300 x.res.h5 | awk '
		NR > 1 { n++; for (k = 1; k <= 3; k++) low[k] += $k <= 0.1 }
		END { for (k = 1; k <= 3; k++) {
				print low[k], n
				bad += low[k] <= 30 || low[k] >= 135 }
			exit bad || n != 780 }'
}

# bats test_tags=long
@test "association: --shuffle-cases permutes the labels, each way as often" {
	local seed
	# 8 samples with a combination of their own each, and one of neither class
	printf '1 v0 0 1 A A A A A A A C A C A C C C C C C C\n1 v1 0 2 A A A C C C A A A C C C A A A C C C\n' >x.tped
	for q in 1 2 3 4 5 6 7 8; do
		echo "f$q i$q 0 0 1 $((q < 3 ? 2 : 1))"
	done >x.tfam
	echo "f9 i9 0 0 1 -9" >>x.tfam
	vsim-pack --tped x -o x.vec.h5
	for seed in $(seq 140); do
		vsim-run -f -m g -t -1 --shuffle-cases "$seed" \
			-o run --merge x.res.h5 x.vec.h5
		vsim-view -c cases,g,value x.res.h5 | tail -n 1
	done >cases
	# two cases of eight samples, each of them one in four times: 7 degrees
	# of freedom, 24.3 in one of a thousand
	awk '{ split($1, n, ","); two = 0
		for (k = 1; k <= 9; k++) { two += n[k]; sum[k] += n[k] }
		if (two != 2 || $2 != $3) bad = 1 }
	END { for (k = 1; k <= 9; k++) { if (!sum[k]) none++
			else x += (sum[k] - 35) ^ 2 / 26.25 }
		exit bad || none != 1 || x > 24.3 * 8 / 7 }' cases ||
		complain "$(cat cases)"
}

@test "association: a shuffled run says so, is verified and joins no other" {
	made 7 40 200 0.03 90
	vsim-run -f -m lbf -t -50 --shuffle-cases 5 -o a x.vec.h5
	vsim-verify --against x.vec.h5 a
	vsim-run -f -m lbf -t -50 --shuffle-cases 5 --tile 7 -o b \
		--merge b.res.h5 x.vec.h5
	vsim-verify --compare a b
	vsim-view -H b.res.h5 | grep -q '^#case_seed: 5$'
	vsim-view -H b.res.h5 | grep -q '^#required_features: .*case_seed'
	# its tables are of the shuffled cases, in a threshold's result too
	vsim-threshold -f --p-value 0.2 -o c.res.h5 b.res.h5
	vsim-view -c value,lbf,p c.res.h5 |
		awk 'NR > 1 && ($1 != $2 || $3 > 0.2) { exit 1 } END { exit NR < 9 }'
	vsim-verify --against x.vec.h5 c.res.h5
	vsim-run -f -m lbf -t -50 -o d x.vec.h5
	refuses 1 'case_seed: ' vsim-verify --compare a d
	refuses 3 'shuffling of cases' vsim-merge -o no.res.h5 a d
	refuses 2 '--shuffle-cases cannot be combined with --metric r2' vsim-run -m r2 -t 0 --shuffle-cases 1 \
		-o no x.vec.h5
	# the samples' own status gives other values
	requires python numpy h5py
	"$PYTHON" "$TOP/tests/cli/forge.py" b.res.h5 'f["run"].attrs.modify("case_seed", np.int64(6))'
	refuses 1 'value .* expected' vsim-verify --against x.vec.h5 b.res.h5
}
