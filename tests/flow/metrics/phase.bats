# SPDX-License-Identifier: BSD-3-Clause
# Linkage disequilibrium of haplotypes: values by the likelihood, in numpy, and by
# PLINK; the whole path from vectors to records.
load ../../helpers
load ../metrics

# found METRIC T [RUN-OPTION...]: records of x.vec.h5
found() {
	vsim-run -f -m "$1" -t "$2" -o run --merge e.res.h5 "${@:3}" x.vec.h5 &&
		vsim-view --no-header -c i,j,n,value e.res.h5
}

# content: of e.res.h5
content() {
	vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p'
}

# packed VECTORS FIELDS PLOIDY KIND...: x.tsv and x.vec.h5
packed() {
	requires python numpy
	"$PYTHON" "$TOP/tests/flow/oracle.py" make "$1" "$2" 7 "${@:4}" >x.tsv
	vsim-pack -f --tsv x.tsv --label given --ploidy "$3" -o x.vec.h5 2>said
}

# right METRIC T LEAST [PLOIDY]: what is found in at least this many pairs
right() {
	found "$1" "$2" >got
	"$PYTHON" "$TOP/tests/flow/phase.py" "$1" x.tsv got "$2" "${4:-2}" >said
	[ "$(wc -l <said)" = 1 ] && [ "$(sed 's/right //' said)" -ge "$3" ] ||
		complain "$*: $(head -n 5 said)"
}

# bats test_tags=install
@test "phase: dprime, r2em and d are of the most likely haplotypes" {
	local how ploidy
	for how in '' 'missing vectors samples'; do
		for ploidy in 2 1; do
			packed 50 71 $ploidy $how
			right dprime 0.3 50 $ploidy
			right r2em 0.02 50 $ploidy
			right d -1 1225 $ploidy
			grep -q '	-0' got
			quietly vsim-verify --against x.vec.h5 e.res.h5 run
		done
	done
	vsim-run -f -m r2-em -t 0.02 -o run x.vec.h5
	# haplotypes leave nothing to guess
	found r2 0.1 >want
	found r2em 0.1 >got
	[ "$(wc -l <want)" -gt 10 ]
	diff <(cut -f 1-3 want) <(cut -f 1-3 got)
}

@test "phase: PLINK's within the digits it prints, missing calls too" {
	requires python numpy
	command -v plink1.9 >/dev/null || skip "no plink1.9"
	local how m
	for how in '' missing=0.03; do
		packed 80 60 2 $how
		awk -F'\t' 'BEGIN { call[0] = " A A"; call[1] = " A C"
				call[2] = " C C"; call["NA"] = " 0 0" }
			NR == 1 { n = NF - 1; next }
			{ for (k = 1; k <= n; k++) g[k] = g[k] call[$(k + 1)]
			  print "1", $1, 0, NR >"x.map" }
			END { for (k = 1; k <= n; k++)
				print "f" k, "s" k, 0, 0, 0, -9 g[k] >"x.ped" }' x.tsv
		plink1.9 --file x --make-bed --out x >/dev/null
		plink1.9 --bfile x --r2 inter-chr dprime --ld-window-r2 0 --out p >/dev/null
		vsim-pack -f --bfile x -o x.vec.h5 2>said
		for m in r2em dprime; do
			found $m -1 >/dev/null
			vsim-view --no-header -c id1,id2,value e.res.h5 >ours
			awk -v column="$([ $m = r2em ] && echo 7 || echo 8)" '
				NR == FNR { v[$1 " " $2] = $3; next }
				FNR > 1 { k = $3 " " $6; n++
					if (!(k in v)) { print "lost", $0; next }
					d = v[k] - $column
					if (d < 0) d = -d
					if (d > 1e-5 * $column + 1e-9) print "differs", $0, v[k] }
				END { if (n < 3000) print "only", n }' ours p.ld >differ
			[ ! -s differ ] || complain "$m $how: $(head -n 5 differ)"
			# in PLINK's own columns, and its order
			vsim ld x.bed --metric $m --min-r2 0 --window-kb all --to ld >ours
			awk -v column="$([ $m = r2em ] && echo 7 || echo 8)" '
				{ print $1, $2, $3, $4, $5, $6, $column }' p.ld |
				paste -d ' ' - ours | awk '
				$1 != $8 || $2 != $9 || $3 != $10 || $4 != $11 ||
					$5 != $12 || $6 != $13 { print "other", $0 }
				NR == 1 ? $7 != $14 : ($7 - $14) ^ 2 > 1e-10 * $7 ^ 2 + 1e-18 {
					print "differs", $0 }
				END { if (NR < 3000) print "only", NR }' >differ
			[ ! -s differ ] || complain "ld $m $how: $(head -n 5 differ)"
		done
	done
}

@test "phase: the same bits by any tile, thread, stage and rank, and of the strongest" {
	requires python numpy
	local m want how
	packed 90 150 2 missing=0.02
	for m in dprime r2em; do
		found $m 0.1 -j 1 >all
		want=$(content)
		for how in '--tile 17 -j 2' '--kernel scalar' '--no-prune --tile 40'; do
			# shellcheck disable=SC2086
			found $m 0.1 $how >/dev/null
			[ "$(content)" = "$want" ] || complain "$m $how"
		done
		for how in 1 2 3; do
			vsim-run -f -m $m -t 0.1 --stage $how/3 -o part$how x.vec.h5
		done
		vsim-merge -f -o e.res.h5 part1 part2 part3
		[ "$(content)" = "$want" ]
		found $m 0.1 --top 50 >/dev/null
		vsim-view --no-header -c value e.res.h5 | sort -gr >got
		cut -f 4 all | sort -gr | head -n 50 | diff - got
		vsim-run -f -m $m -t 0.1 --metric-histogram one.tsv -j 1 -o run x.vec.h5
		vsim-run -f -m $m -t 0.1 --metric-histogram two.tsv -j 2 --tile 17 -o run \
			x.vec.h5
		diff <(grep -v '^#' one.tsv) <(grep -v '^#' two.tsv)
		awk -v t=0.1 '!/^#/ { n += $NF } END { exit !(n > 4000) }' one.tsv
		refuses 2 'no device supports this metric yet' vsim-run -m $m \
			--backend cuda -t 0.1 -o no x.vec.h5
	done
	found d -0.01 --below 0.01 >got
	awk '$4 <= -0.01 || $4 >= 0.01' got | wc -l | grep -qx 0
	refuses 2 'dprime of pairs is at most 1' vsim-run -m dprime -t 1 -o no x.vec.h5
	refuses 2 'is for pairs' vsim-run -m dprime -w 3 -t 0.5 -o no x.vec.h5
}

# bats test_tags=long
@test "phase: ranks find what one finds" {
	requires mpi 3
	requires python numpy
	packed 90 150 2 missing
	found dprime 0.2 -j 1 >/dev/null
	want=$(content)
	for n in 2 3; do
		rm -rf run e.res.h5
		ranks $n vsim-run -m dprime -t 0.2 -j 1 -o run x.vec.h5
		vsim-merge -o e.res.h5 run
		[ "$(content)" = "$want" ]
	done
}

# bats test_tags=long
@test "phase: a closed form, and labels that change nothing but the sign" {
	local m element
	for element in '' '--element bit'; do
		# shellcheck disable=SC2086
		vsim-pack -f --synthetic analytic $element --vectors 300 \
			--fields 130 -o s.vec.h5
		for m in dprime r2em d; do
			vsim-run -f -m $m -t 0.1 -o s s.vec.h5
			quietly vsim-verify --closed-form s.vec.h5 s
		done
	done
	packed 60 90 2 missing
	vsim-pack -f --tsv x.tsv --label minor -o y.vec.h5
	for m in dprime r2em; do
		found $m 0.1 | cut -f 1,2,4 >want
		vsim-run -f -m $m -t 0.1 -o run --merge y.res.h5 y.vec.h5
		vsim-view --no-header -c i,j,value y.res.h5 | diff want -
	done
	found dprime 0.1 >/dev/null
	"$PYTHON" "$TOP/tests/cli/forge.py" e.res.h5 'f["records/value"][3] -= 0.05'
	refuses 1 'pair .* expected value' vsim-verify --against x.vec.h5 e.res.h5
}
