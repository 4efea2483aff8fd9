# SPDX-License-Identifier: BSD-3-Clause
# Effects by regression with covariates, against decimals, R and PLINK.
load ../../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

py() {
	"$PYTHON" "$TOP/tests/flow/refit.py" "$@"
}

COLUMNS_OF=effect,effect_se,effect_p,effect_or,effect_n,effect_note

# refitted SEED VECTORS SAMPLES MISSING trait|cases WAY: xSEED.tsv
refitted() {
	local x=x$1 ids=id1,id2 metric=f pheno=() covar=()
	py make "${@:1:5}" "$x"
	if [ "$5" = trait ]; then
		pheno=(--pheno "$x.pheno" --pheno-name y)
	else
		metric=g
	fi
	[ "$6" = 2 ] || ids=$ids,id3
	[ $(($1 % 4)) = 0 ] || covar=(--covar "$x.cov")
	vsim-pack --tped "$x" "${pheno[@]}" -f -o "$x.vec.h5"
	vsim-view --no-header -c id,allele1 "$x.vec.h5" >"$x.labels"
	py label "$x"
	vsim-run -f -m $metric -w "$6" -t -1 -o run --merge "$x.res.h5" \
		"$x.vec.h5" 2>/dev/null
	vsim-view --no-header -c $ids,$COLUMNS_OF "${covar[@]}" "$x.res.h5" \
		>"$x.tsv" 2>"$x.said"
}

@test "refit: effects of pairs and triples are those of decimals" {
	local k kind=(trait cases) missing=(0 0.05 0.1)
	for k in 1 2 3 6 9; do
		refitted $k 4 $((32 + 3 * k)) "${missing[k % 3]}" \
			"${kind[k % 2]}" 2
		py judge 2 x$k
	done
	refitted 7 4 45 0.05 trait 3
	refitted 8 3 60 0 cases 3
	py judge 3 x7 x8
}

# bats test_tags=long
@test "refit: effects of 200 random sets are those of R's lm and glm" {
	local k way kind=(trait cases) missing=(0 0.05 0.1)
	requires cmd Rscript
	for ((k = 0; k < 200; k++)); do
		way=$((2 + k / 2 % 2))
		refitted $k 4 $((30 * way - 10 + k)) "${missing[k % 3]}" \
			"${kind[k % 2]}" $way
		echo x$k >>sets$way
	done
	for way in 2 3; do
		# shellcheck disable=SC2046
		Rscript --vanilla "$TOP/tests/flow/refit.R" $way $(cat sets$way)
	done | tee equal
	awk '{ equal += $1 } END { exit !(equal > 600) }' equal
}

# fitted NAME OPTION...: the table of NAME.res.h5
fitted() {
	vsim-view --no-header -c "id1,id2,$COLUMNS_OF" "${@:2}" "$1.res.h5"
}

@test "refit: the same bits for threads, formats' order and a permuted file" {
	refitted 2 12 90 0.05 trait 2
	fitted x2 --covar x2.cov -j 1 | cmp - x2.tsv
	fitted x2 --covar x2.cov --sort value -j 2 | sort | cmp - <(sort x2.tsv)
	vsim-permute --order random --seed 4 -o p.vec.h5 x2.vec.h5
	vsim-run -m f -t -1 -o p --merge p.res.h5 p.vec.h5 2>/dev/null
	fitted p --covar x2.cov 2>/dev/null | sort | cmp - <(sort x2.tsv)
}

@test "refit: after --unpermute effects are of allele1 as shown" {
	local columns=id1,allele1,id2,allele2,effect,effect_p,effect_or
	local label
	refitted 3 5 90 0 cases 2
	for label in minor given; do
		vsim-pack --tped x3 --label $label -f -o $label.vec.h5
		vsim-run -m g -t -1 -o $label --merge p.res.h5 $label.vec.h5
		vsim-merge --unpermute --vectors $label.vec.h5 -f \
			-o $label.res.h5 $label
		vsim-view --no-header -c $columns --vectors $label.vec.h5 \
			--to csv $label.res.h5 >$label.csv
		rm p.res.h5
	done
	! cmp -s <(vsim-view -c id,allele1 minor.vec.h5) \
		<(vsim-view -c id,allele1 given.vec.h5)
	"$PYTHON" - <<-'P'
	one, other = ([r.strip().split(",") for r in open(x + ".csv")]
	              for x in ("minor", "given"))
	assert len(one) == len(other) == 10
	for a, b in zip(one, other):
	    assert a[:4] == b[:4], (a, b)
	    assert all(x == y or abs(float(x) / float(y) - 1) < 1e-9
	               for x, y in zip(a[4:], b[4:])), (a, b)
	P
}

@test "refit: covariates are found by name, missing ones leave samples out" {
	refitted 2 3 40 0 trait 2
	awk 'NR > 1 { print $1, $2, NR * NR % 17, NR % 3 }' x2.pheno >plain
	sed '1i FID IID age batch' plain >named
	sed '1i #fid\tiid\tage\tbatch' plain | tr ' ' '\t' >tabs
	{ echo FID IID batch other age; awk '{ print $1, $2, $4, 7, $3 }' plain |
		sort -r; } >reordered
	fitted x2 --covar plain >want 2>said
	grep -q 'plain: without a header .* FID, IID, COV1, COV2' said
	fitted x2 >without
	[ "$(wc -l <want)" = 3 ]
	! cmp -s want without
	fitted x2 --covar named | cmp - want
	fitted x2 --covar tabs | cmp - want
	fitted x2 --covar plain --covar-name COV1,COV2 | cmp - want
	fitted x2 --covar reordered --covar-name age,batch 2>said | cmp - want
	[ ! -s said ]
	# constant: said, and the same effects
	fitted x2 --covar reordered 2>said | cut -f7,8 | uniq |
		cmp - <(printf '40\t.\n')
	grep -q 'reordered: covariate other has the same value everywhere' said

	# a missing value, a sample without a line, and one that is not known
	sed '2s/ [^ ]*$/ NA/; 3d; 4s/ [^ ]*$/ -9/; $s/^[^ ]* /z /' named >some
	run -0 --separate-stderr fitted x2 --covar some
	[ "$(cut -f7 <<<"$output" | uniq)" = 36 ]
	[ "${stderr_lines[0]}" = "vsim-view: some: 4 of 40 samples lack a covariate, and effects leave them out; 2 have no line" ]
	[[ ${stderr_lines[1]} =~ ^vsim-view:\ some:\ 1\ of\ its\ samples\ are\ not\ in\ .*x2.vec.h5$ ]]
	awk 'NR == FNR { if (FNR > 1 && $4 != "NA" && $4 != -9) has[$1 $2]; next }
		FNR > 1 && !($1 $2 in has) { $3 = "NA" } 1' some x2.pheno >less
	vsim-pack --tped x2 --pheno less --pheno-name y -o less.vec.h5
	vsim-run -m f -t -1 -o less.run --merge less.res.h5 less.vec.h5 2>/dev/null
	"$PYTHON" - "$output" "$(fitted less --covar named)" <<-'P'
	import sys
	for a, b in zip(*(x.splitlines() for x in sys.argv[1:])):
	    a, b = a.split(), b.split()
	    assert a[:2] + a[5:] == b[:2] + b[5:], (a, b)
	    for x, y in zip(a[2:5], b[2:5]):
	        assert abs(float(x) - float(y)) < 1e-11, (a, b)
	P
}

@test "refit: covariates that cannot be used are refused with the remedy" {
	refitted 2 3 40 0 trait 2
	awk 'NR > 1 { print $1, $2, NR, NR % 2 ? "F" : "M" }' x2.pheno >plain
	sed '1i FID IID age sex' plain >named
	refuses 3 'named: covariate sex contains words that are not numbers, first [^ ]*; code k categories as k - 1 columns of 0 and 1, or choose others with --covar-name' \
		fitted x2 --covar named
	fitted x2 --covar named --covar-name age >/dev/null
	refuses 3 'plain: no covariate is called age; without a header they are COV1, COV2 ...' \
		fitted x2 --covar plain --covar-name age
	refuses 3 'named: no covariate is called bmi' \
		fitted x2 --covar named --covar-name age,bmi
	refuses 2 '--covar-name: age occurs twice' \
		fitted x2 --covar named --covar-name age,age
	sed 's/^/z/' plain >others
	refuses 3 'others: names none of the 40 samples; unless a header begins with IID, FID and IID come first' \
		fitted x2 --covar others
	cut -d' ' -f2,3 plain >short
	refuses 3 'short: line 1: names no covariate; unless a header begins with IID, FID and IID come first' \
		fitted x2 --covar short
	awk 'NR > 1 { $3 = "NA" } 1' named >none
	refuses 3 'none: no sample has all of its covariates; --covar-name selects some' \
		fitted x2 --covar none --covar-name age
	cut -d' ' -f1,2 named >bare
	refuses 3 'bare: line 1: names no covariate' fitted x2 --covar bare
	: >empty
	refuses 3 'empty: names none of the 40 samples' fitted x2 --covar empty
	refuses 2 '--covar' vsim-view -c id1,value --covar named x2.res.h5
	refuses 2 'effects, p_family and q are shown by vsim-view' \
		vsim-run -m f -t -1 --to tsv -o - -c effect x2.vec.h5
}

@test "refit: effects of pairs of mice are those of PLINK's --epistasis" {
	local mouse=$VSIM_TEST_DATA/mouse-hs1940/mouse_hs1940 name metric
	requires data mouse-hs1940
	requires cmd plink1.9
	awk '{ print $1, $2, 0, 0, $5, -9 }' "$mouse.fam" >fam
	plink1.9 --bed "$mouse.bed" --bim "$mouse.bim" --fam fam --maf 0.1 \
		--autosome --thin-count 24 --seed 3 --allow-no-sex \
		--make-bed --out x >said
	awk 'BEGIN { print "FID IID y case" }
		{ print $1, $2, $6, $6 == "NA" ? -9 : 1 + ($6 > 0.1) }' \
		"$mouse.fam" >pheno
	for name in y case; do
		metric=f
		[ $name = y ] || metric=g
		plink1.9 --bfile x --pheno pheno --pheno-name $name --epistasis \
			--epi1 1 --allow-no-sex --out $name >said
		vsim-pack --bfile x --pheno pheno --pheno-name $name -o $name.vec.h5
		vsim-run -m $metric -t -1 -o $name --merge $name.res.h5 \
			$name.vec.h5 2>/dev/null
		vsim-view --no-header -c id1,allele1,id2,allele2,$COLUMNS_OF \
			$name.res.h5 >$name.tsv
		"$PYTHON" - x.bim $name.epi.[qc][tc] $name.tsv <<-'P'
		import math, sys
		bim, plink, here = ([r.split() for r in open(x)]
		                    for x in sys.argv[1:])
		first = {r[1]: r[4] for r in bim}
		want = {(r[1], r[3]): r[4:6] for r in plink[1:]}
		assert len(want) == len(here) > 100, (len(want), len(here))
		trait, equal = plink[0][4] == "BETA_INT", 0
		for a, x, b, y, effect, se, p, ratio, n, note in here:
		    value, square = map(float, want[a, b])
		    if note != "." or math.isnan(value):
		        continue
		    equal += 1
		    sign = -1 if (x == first[a]) != (y == first[b]) else 1
		    effect, se = float(effect), float(se)
		    got = sign * effect if trait else math.exp(sign * effect)
		    assert abs(got / value - 1) < 1e-4, (a, b, got, value)
		    assert abs((effect / se) ** 2 - square) < 1e-4 * (1 + square), (
		        a, b, effect, se, square)
		assert equal > 0.9 * len(here), equal
		P
	done
}

@test "refit: vsim epistasis shows effects with --covar" {
	refitted 2 5 60 0 cases 2
	vsim epistasis x2.vec.h5 --covar x2.cov --top 4 >table 2>/dev/null
	[ "$(head -1 table | cut -f7-)" = "$(printf '%s\t' value inter_p \
		effect effect_se effect_p effect_or)effect_n" ]
	vsim-view --no-header -c id1,id2,effect_p --covar x2.cov x2.res.h5 \
		2>/dev/null | sort >all
	[ "$(tail -n +2 table | cut -f1,4,11 | sort | comm -12 - all | wc -l)" = 4 ]
}
