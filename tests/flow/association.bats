# SPDX-License-Identifier: BSD-3-Clause
# Association of pairs and triples with the case-control status, against Python.
load ../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

py() {
	python3 "$TOP/tests/flow/association.py" "$@"
}

# made SEED VECTORS SAMPLES MISSING CASES: x.vec.h5
made() {
	py make "$@" x
	vsim-pack --tped x -f -o x.vec.h5
}

# all METRIC WAY OPTION...: every combination, in x.res.h5
all() {
	local t=-1
	[ "$1" != k2 ] || t=1e300
	[ "$1" != lbf ] || t=-1e300
	vsim-run -f -m "$1" -w "$2" -t "$t" -o run x.vec.h5 "${@:3}"
	vsim-merge -f -o x.res.h5 run
}

# judged "METRIC..." OPTION...: pairs and triples
judged() {
	local m w metrics=$1
	shift
	for m in $metrics; do
		for w in 2 3; do
			all "$m" "$w" "$@"
			vsim-view x.res.h5 >x.tsv
			py judge x "$m" "$w" x.tsv
			vsim-verify --against x.vec.h5 run
		done
	done
}

digest() {
	vsim-verify "$1" >&2
	vsim-view -H "$1" | awk '/^#content/ { print $NF; exit }'
}

# rows NAME: ids and value of a result of triples
rows() {
	vsim-view "$1.res.h5" | awk '
		NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
		{ print $1, $at["id2"], $at["id3"], $at["value"] }'
}

# bats test_tags=long
@test "association: classes of 1, 31 to 33, 63 to 65 and all but one sample" {
	local n
	for n in 1 31 32 33 63 64 65 89; do
		made "$n" 9 90 0 "$n"
		judged k2
		all inter 2
		vsim-view x.res.h5 >x.tsv
		py judge x inter 2 x.tsv
	done
}

@test "association: classes of 1023 to 1025 samples, on every level of CPU" {
	local n=1023 cpu
	for cpu in scalar popcnt avx2 avx512 avx512icl amx; do
		made 7 7 1100 0 "$n"
		n=$((n < 1025 ? n + 1 : 1023))
		vsim-run --cpu "$cpu" -n -t 0.5 -o run x.vec.h5 >/dev/null 2>&1 ||
			continue
		judged mi --cpu "$cpu"
	done
}

# bats test_tags=long
@test "association: classes at the edges of words, 0, 5 and 30 % missing" {
	local sizes="1 31 32 33 63 64 65 1023 1024 1025" cases controls missing
	for cases in $sizes; do
		# another size for the controls each time
		controls=$(awk -v n="$cases" '{ for (k = 1; k <= NF; k++)
			if ($k == n) print $((k + 3) % NF + 1) }' <<<"$sizes")
		for missing in 0 0.05 0.3; do
			# where calls are missing one sample is of neither class
			made "$cases" 6 $((cases + controls + (${#missing} > 1))) \
				"$missing" "$cases"
			[ "$(vsim-run -n -m g -t 0 --verbose -o run x.vec.h5 2>&1 |
				grep -c "$controls controls and $cases cases")" = \
				$((${#missing} > 1)) ]
			judged "k2 mi g inter"
		done
	done
}

# bats test_tags=long
@test "association: more samples than are listed at a time" {
	local cpu
	for cpu in scalar avx2 ""; do
		vsim-run --cpu "${cpu:-scalar}" -n -t 0.5 -o run x.vec.h5 \
			>/dev/null 2>&1 || [ $? != 4 ] || continue
		made 11 6 9001 0 4300
		judged k2 ${cpu:+--cpu "$cpu"}
		made 11 5 9001 0.03 4300
		judged mi ${cpu:+--cpu "$cpu"}
	done
}

@test "association: 5 and 30 % of calls missing, some samples of neither class" {
	made 3 11 200 0.05 70
	judged "k2 lbf mi g"
	made 4 10 150 0.3 60
	judged k2 --cpu popcnt
}

@test "association: the same whatever tiles, threads, ranks, stages and kernels" {
	local w n first
	for n in 0 0.05; do
		made 5 150 130 "$n" 61
		for w in 2 3; do
			all k2 "$w" -j 1
			first=$(digest x.res.h5)
			[ -n "$first" ]
			all k2 "$w" -j 2 --tile 37
			[ "$(digest x.res.h5)" = "$first" ]
			all k2 "$w" --cpu popcnt --tile 64
			[ "$(digest x.res.h5)" = "$first" ]
			ranks 3 vsim-run -f -m k2 -w "$w" \
				-t 1e300 --tile 20 -o run x.vec.h5
			vsim-merge -f -o x.res.h5 run
			[ "$(digest x.res.h5)" = "$first" ]
			rm -rf run
			for k in 2 1; do
				vsim-run -r -m k2 -w "$w" -t 1e300 --stage $k/2 \
					-o run x.vec.h5 --tile 50 || {
					complain "stage $k"
				}
			done
			vsim-merge -f -o x.res.h5 run
			[ "$(digest x.res.h5)" = "$first" ]
		done
	done
}

# bats test_tags=long
@test "association: the same for ranks, by stages, by kernels, gone on with" {
	local w missing cpu n k first
	requires mpi 3
	for missing in 0 0.05; do
		made 5 60 130 "$missing" 61
		for w in 2 3; do
			first=
			for cpu in $(cpu_steps); do
				for n in 1 3; do
					rm -rf run
					ranks "$n" vsim-run -m g -w "$w" -t 8 \
						--cpu "$cpu" --tile 9 -o run x.vec.h5
					vsim-merge -f -o x.res.h5 run
					: "${first:=$(digest x.res.h5)}"
					[ "$(digest x.res.h5)" = "$first" ] ||
						complain "$w $cpu $n ranks"
					# half of it, and then the rest
					rm -rf run
					for k in 2 1; do
						ranks "$n" vsim-run -r -m g -w "$w" \
							-t 8 --cpu "$cpu" --tile 9 \
							--stage $k/2 -o run x.vec.h5
					done
					vsim-merge -f -o x.res.h5 run
					[ "$(digest x.res.h5)" = "$first" ] ||
						complain "$w $cpu $n ranks, stages"
				done
			done
			[ -n "$first" ]
		done
	done
}

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

@test "association: permuted, in little memory, between two sets, in f32" {
	made 8 200 120 0 55
	vsim-run -f -m lbf -t 0.5 -o a x.vec.h5
	vsim-merge -f --unpermute -o a.res.h5 a
	vsim-permute --order random -o y.vec.h5 x.vec.h5
	vsim-run -f -m lbf -t 0.5 --memory 16M --tile 30 -o b y.vec.h5
	vsim-merge -f --unpermute -o b.res.h5 b
	[ "$(vsim-view a.res.h5)" = "$(vsim-view b.res.h5)" ]
	vsim-verify --against x.vec.h5 b.res.h5
	vsim-run -f -m k2 -t 75 --value f32 -o c x.vec.h5
	vsim-verify --against x.vec.h5 c
	vsim-run -f -m g -t 9 --pairs-between 0-49 40-120 -o d x.vec.h5
	vsim-verify --against x.vec.h5 d
}

# bats test_tags=long
@test "association: the same without the bound, gaps and uneven classes too" {
	local of kind way cut
	for of in "0 150" "0 30" "0.1 160"; do
		made 9 40 300 ${of% *} ${of#* }
		for of in "k2 2" "lbf 2" "mi 2" "inter 2" "g 3" "k2 3" \
			"alpha 2" "beta 3" "alpha 3"; do
			kind=${of% *} way=${of#* }
			set -- -m "$kind" -w "$way" --top 90
			[ "$kind" != lbf ] || set -- "$@" -t -50
			vsim-run -f "$@" -o a --merge a.res.h5 x.vec.h5
			vsim-run -f "$@" -o b --merge b.res.h5 --no-prune x.vec.h5
			[ "$(digest a.res.h5)" = "$(digest b.res.h5)" ] ||
				complain "$of: $(digest a.res.h5)"
			cut=$(vsim-view a.res.h5 | awk 'NR > 1 { print $at }
				{ while (NR == 1 && $++at != "value"); }' |
				sort -g | sed -n 45p)
			for of in a b; do
				set -- --no-prune
				[ $of = b ] || shift
				vsim-run -f -m "$kind" -w "$way" -t "$cut" \
					-o $of --merge $of.res.h5 "$@" x.vec.h5
			done
			[ "$(digest a.res.h5)" = "$(digest b.res.h5)" ] ||
				complain "$kind $way $cut: $(digest a.res.h5)"
			vsim-verify --against x.vec.h5 a.res.h5
		done
	done
}

# bats test_tags=long
@test "association: interaction of triples, and with missing calls" {
	made 4 5 400 0 190
	judged inter
	made 5 5 150 0.1 70
	judged inter
}

# bats test_tags=long
@test "association: alpha and beta, whatever the classes, with missing calls" {
	local n
	for n in 1 45 89; do
		made "$n" 8 90 0 "$n"
		judged "alpha beta"
	done
	made 5 6 150 0.1 70
	judged "alpha beta"
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

none_of() {
	local found
	found=$(cat)
	[ -z "$found" ] || complain "$found"
}

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
@test "association: --shuffle-cases deals out anew, each way as often" {
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

@test "association: a shuffled run says so, is verified and is no other's" {
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
	refuses 2 'looks at no cases' vsim-run -m r2 -t 0 --shuffle-cases 1 \
		-o no x.vec.h5
	# the samples' own status gives other values
	requires python numpy h5py
	"$PYTHON" "$TOP/tests/cli/forge.py" b.res.h5 'f["run"].attrs.modify("case_seed", np.int64(6))'
	refuses 1 'value .* expected' vsim-verify --against x.vec.h5 b.res.h5
}

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
	refuses 2 'goes with --p-value' \
		vsim-threshold --min 0 --bonferroni -o no.res.h5 x.res.h5
	vsim-pack --synthetic random --vectors 5 --fields 20 -f -o y.vec.h5
	vsim-run -f -m ccc -t 0 -o run --merge y.res.h5 y.vec.h5
	refuses 3 '--pheno' vsim-threshold --p-value 0.1 -o no.res.h5 y.res.h5
	[ ! -e no.res.h5 ]
}
