# SPDX-License-Identifier: BSD-3-Clause
# Association of pairs and triples with the case-control status, against Python.
load ../../helpers
load ../association

@test "association: thresholds and --top take the lowest of k2, first of equals" {
	made 6 30 100 0 50
	all k2 3
	rows x | sort -k4,4g >all.tsv
	t=$(awk 'NR == 40 { print $4 }' all.tsv)
	vsim-run -f -m k2 -w 3 -t "$t" -o few --merge few.res.h5 x.vec.h5
	awk -v t="$t" '$4 < t' all.tsv | sort >want
	rows few | sort | cmp - want
	vsim-verify --against x.vec.h5 few
	vsim-threshold -f --below "$t" -o cut.res.h5 x.res.h5
	rows cut | sort | cmp - want
	vsim-verify --against x.vec.h5 cut.res.h5
	vsim-run -f -m k2 -w 3 --top 25 -o top --merge top.res.h5 x.vec.h5
	head -25 all.tsv | sort >want
	rows top | sort | cmp - want
	vsim-threshold -f --top 25 -o cut.res.h5 x.res.h5
	rows cut | sort | cmp - want
}

# bats test_tags=install
@test "association: the worked example of the page" {
	py example x
	vsim-pack --tped x -o x.vec.h5
	for of in k2:9.7291 lbf:2.5667 mi:0.3034 g:9.7090 \
		beta:0.742857 alpha:0.044444; do
		all "${of%:*}" 2
		vsim-view x.res.h5 | awk -v want="${of#*:}" \
			'NR == 2 { d = $3 - want; exit !(d * d < 3e-9) }' ||
			complain "$of: $(vsim-view x.res.h5)"
	done
}

@test "association: k2 of vectors that say nothing is ln (789! / (381! 407!))" {
	awk 'BEGIN { for (v = 0; v < 3; v++) {
		printf "1 v%d 0 %d", v, v + 1
		for (k = 0; k < 788; k++) printf " A A"
		print "" } }' >x.tped
	awk 'BEGIN { for (k = 0; k < 788; k++)
		print k, k, 0, 0, 0, 1 + (k < 407) }' >x.tfam
	vsim-pack --tped x -o x.vec.h5
	for w in 2 3; do
		all k2 $w
		vsim-view -c value,lbf,mi x.res.h5 | awk -v want=548.8814192420673 \
			'NR == 2 { d = $1 - want; exit !(d * d < 1e-24 && !$2 && !$3) }' ||
			complain "$(vsim-view x.res.h5)"
	done
}

@test "association: without cases and controls, or one of them, 3 and a remedy" {
	made 1 5 20 0 20
	run -3 --separate-stderr vsim-run -m k2 --top 3 -o run x.vec.h5
	[[ $stderr == *"0 controls and 20 cases"* ]]
	[ ! -e run ]
	made 1 5 20 0 0
	run -3 --separate-stderr vsim-run -m k2 --top 3 -o run x.vec.h5
	[[ $stderr == *"--pheno"* ]]
	[ ! -e run ]
	vsim-pack --synthetic random --vectors 5 --fields 20 -o y.vec.h5
	run -3 --separate-stderr vsim-run -m k2 --top 3 -o run y.vec.h5
	[[ $stderr == *"--pheno"* ]]
	run -2 --separate-stderr vsim-run -m mi -t 0 --metric-histogram h \
		-o run x.vec.h5
	[[ $stderr == *"--metric-histogram"* ]]
}

@test "association: interaction of pairs is what PLINK computes" {
	requires cmd plink1.9
	made 6 60 500 0 220
	all inter 2
	plink1.9 --tfile x --fast-epistasis boost --epi1 1 --allow-no-sex \
		--out p >/dev/null
	vsim-view x.res.h5 | awk 'NR == FNR { if (FNR > 1) want[$2 " " $4] = $5; next }
		FNR > 1 { w = want[$1 " " $2]; d = $3 - w; n++
			if (w == "" || d * d > (1e-5 * (1 + $3)) ^ 2) {
				print $0, w; bad = 1 } }
		END { exit bad || n != 1770 }' p.epi.cc -
}

# bats test_tags=long
@test "association: columns of tables, their scores and significance" {
	local columns=controls,cases,k2,lbf,mi,g,df,p,inter,inter_df,inter_p,alpha,beta
	made 8 9 300 0.04 130
	all k2 2
	vsim-view -c "id1,id2,value,$columns" x.res.h5 >x.tsv
	py show x 2 x.tsv
	awk 'NR > 1 && $3 != $6' x.tsv | none_of
	vsim-permute --order random -f -o y.vec.h5 x.vec.h5
	vsim-run -f -m inter -w 3 -t -1 -o run y.vec.h5
	vsim-merge -f --unpermute -o y.res.h5 run
	vsim-view -c "id1,id2,id3,value,$columns" y.res.h5 >y.tsv
	py show x 3 y.tsv
	awk 'NR > 1 && $4 != $13' y.tsv | none_of
	# of another metric
	vsim-run -f -m r2 -t -1 -o run x.vec.h5
	vsim-merge -f -o z.res.h5 run
	vsim-view -c "id1,id2,k2" z.res.h5 | cmp - <(cut -f 1,2,3 x.tsv |
		sed '1s/value/k2/')
}

# bats test_tags=long
@test "association: a record that is missing is found" {
	local m row
	requires python numpy h5py
	made 9 30 120 0.03 50
	for m in inter:9 k2:85 mi:0.06; do
		vsim-run -f -m "${m%:*}" -t "${m#*:}" -o run --merge x.res.h5 \
			x.vec.h5 2>/dev/null
		vsim-verify --against x.vec.h5 x.res.h5
		for row in 0 3 "np.argmin(f['records/value'])"; do
			cp x.res.h5 bad.res.h5
			"$PYTHON" "$TOP/tests/cli/forge.py" bad.res.h5 \
				"i = int(f['records/i'][$row])
del f['nodes']
cut('records', $row)
f['index/i_offset'][i + 1:] -= 1"
			refuses 1 'is not listed' \
				vsim-verify --against x.vec.h5 bad.res.h5
		done
	done
}

@test "threshold: --p-value keeps what the test finds, --bonferroni of all" {
	made 12 40 300 0 140
	all inter 2
	vsim-threshold -f --p-value 0.01 -o few.res.h5 x.res.h5
	vsim-view -c id1,id2,inter_p x.res.h5 | awk 'NR == 1 || $3 <= 0.01' >want
	[ "$(wc -l <want)" -gt 3 ]
	vsim-view -c id1,id2,inter_p few.res.h5 | cmp - want
	vsim-threshold -f --p-value 1 --bonferroni -o few.res.h5 x.res.h5
	vsim-view -c id1,id2,inter_p x.res.h5 |
		awk 'NR == 1 || $3 <= 1 / 780' >want
	vsim-view -c id1,id2,inter_p few.res.h5 | cmp - want
	vsim-view -H few.res.h5 | grep -q 'p at most 0.00128'
	# pairs of 10 vectors with all 40, each once
	vsim-run -f -m g -t -1 --pairs-between 0-9 0-39 -o few \
		--merge x.res.h5 x.vec.h5
	vsim-threshold -f --p-value 0.5 --bonferroni -o few.res.h5 x.res.h5
	vsim-view -H few.res.h5 | awk -v n="$(vsim-view x.res.h5 | wc -l)" '
		/p at most/ { d = $NF * (n - 1) - 0.5; ok = d * d < 1e-9 }
		END { exit n != 346 || !ok }' || complain "$(vsim-view -H few.res.h5)"
	refuses 2 '--bonferroni requires --p-value' \
		vsim-threshold --min 0 --bonferroni -o no.res.h5 x.res.h5
	vsim-pack --synthetic random --vectors 5 --fields 20 -f -o y.vec.h5
	vsim-run -f -m ccc -t 0 -o run --merge y.res.h5 y.vec.h5
	refuses 3 '--pheno' vsim-threshold --p-value 0.1 -o no.res.h5 y.res.h5
	[ ! -e no.res.h5 ]
}
