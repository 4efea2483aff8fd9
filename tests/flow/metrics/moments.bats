# SPDX-License-Identifier: BSD-3-Clause
# Metrics of moments, from vectors to text, against their definition in numpy, r2
# against PLINK.
load ../../helpers
load ../metrics

# found METRIC T [RUN-OPTION...]: records of x.vec.h5
found() {
	vsim-run -f -m "$1" -t "$2" -o run --merge e.res.h5 "${@:3}" x.vec.h5 &&
		vsim-view --no-header -c i,j,n,value e.res.h5
}

# finds METRIC T [RUN-OPTION...]: those of want.METRIC=T
finds() {
	found "$@" >got
	diff "want.$1=$2" got >differ || complain "$*:" "$(head -n 5 differ)"
}

# agrees METRIC T [RUN-OPTION...]: of vectors of this ploidy
agrees() {
	"$PYTHON" "$TOP/tests/flow/moments.py" "$1" x.tsv "$2" "${ploidy:-2}" >"want.$1=$2"
	finds "$@"
}

# each VECTORS THRESHOLDS KIND...: each metric of data of each kind and ploidy
each() {
	requires python numpy
	local how metric t ploidy asked
	for how in "${@:3}"; do
		"$PYTHON" "$TOP/tests/flow/oracle.py" make "$1" 131 7 $how >x.tsv
		for ploidy in 2 1; do
			vsim-pack -f --tsv x.tsv --label given --ploidy $ploidy \
				-o x.vec.h5 2>said
			asked=(r=-0.2 r2=0.1)
			for metric in $(moments $ploidy); do
				for t in $2 0.1; do
					asked+=("$metric=$(strong $metric "$t" 131)")
				done
			done
			# shellcheck disable=SC2046
			"$PYTHON" "$TOP/tests/flow/moments.py" each x.tsv $ploidy \
				$(printf '%s\n' "${asked[@]}" | sort -u)
			for metric in $(moments $ploidy); do
				for t in $2; do
					finds $metric "$(strong $metric $t 131)"
					[ -s got ] || complain "$metric at $t: none"
				done
				finds $metric "$(strong $metric 0.1 131)" \
					--tile 33 --no-prune
				vsim-verify --against x.vec.h5 e.res.h5 run
			done
			finds r -0.2
			grep -q '	-0' got
			vsim-verify --against x.vec.h5 e.res.h5 run
			finds r2 0.1 --memory 40M --tile 20
		done
	done
}

# bats test_tags=install
@test "moments: each metric, of vectors and samples that miss calls" {
	each 110 '0 0.3' 'missing vectors samples'
}

# bats test_tags=long
@test "moments: each metric, of vectors that miss none" {
	each 110 '0 0.3' ''
}

# bats test_tags=long
@test "moments: each metric, dense and missing, at each threshold" {
	each 150 '-1 0 0.3 0.8' '' missing 'missing vectors samples'
}

# bats test_tags=long
@test "moments: ranks find what one finds, and f32 rounds it" {
	requires mpi 3
	requires python numpy
	"$PYTHON" "$TOP/tests/flow/oracle.py" make 120 100 3 missing >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	found r2 0.05 >one
	for n in 2 3; do
		rm -rf run e.res.h5
		ranks $n vsim-run -m r2 -t 0.05 -j 1 -o run x.vec.h5
		vsim-merge -o e.res.h5 run
		vsim-view --no-header -c i,j,n,value e.res.h5 | diff one -
	done
	found r2 0.05 --value f32 >f32
	[ "$(cut -f 1-3 f32)" = "$(cut -f 1-3 one)" ]
	! diff one f32 >/dev/null
}

@test "moments: r2 is PLINK's within the digits it prints, missing calls too" {
	requires python numpy
	command -v plink1.9 >/dev/null || skip "no plink1.9"
	for how in '' missing=0.03; do
		"$PYTHON" "$TOP/tests/flow/oracle.py" make 80 200 5 $how >x.tsv
		# as .ped: two alleles a call
		awk -F'\t' 'BEGIN { call[0] = " A A"; call[1] = " A C"
				call[2] = " C C"; call["NA"] = " 0 0" }
			NR == 1 { n = NF - 1; next }
			{ for (k = 1; k <= n; k++) g[k] = g[k] call[$(k + 1)]
			  print "1", $1, 0, NR >"x.map" }
			END { for (k = 1; k <= n; k++)
				print "f" k, "s" k, 0, 0, 0, -9 g[k] >"x.ped" }' x.tsv
		plink1.9 --file x --make-bed --out x >/dev/null
		plink1.9 --bfile x --r2 inter-chr --ld-window-r2 0 --out p >/dev/null
		vsim-pack -f --bfile x -o x.vec.h5
		found r2 0 >/dev/null
		vsim-view --to ld e.res.h5 >ours
		# their zeros are listed, ours are not above 0
		awk 'NR == FNR { if (FNR > 1) r[$3 " " $6] = $7; next }
			FNR > 1 { n++; k = $3 " " $6
				if (!(k in r)) { if ($7 > 0) print "lost", $0; next }
				d = r[k] - $7
				if (d < 0) d = -d
				if (d > 1e-5 * $7 + 1e-12) print "differs", $0, r[k]
				seen++ }
			END { if (seen < 1000) print "only", seen, "pairs seen" }' ours p.ld >differ
		[ ! -s differ ] || complain "$how: $(head -n 5 differ)"
	done
}

@test "moments: of haplotypes too; not of triples, nor of metrics that a device lacks" {
	requires python numpy
	"$PYTHON" "$TOP/tests/flow/oracle.py" make 40 60 2 |
		awk -F'\t' -v OFS='\t' 'NR > 1 { for (k = 2; k <= NF; k++)
			if ($k == 1) $k = (k * NR) % 3 ? 2 : 0 } 1' >x.tsv
	vsim-pack --tsv x.tsv --label given --ploidy 1 -o x.vec.h5
	agrees r2 0.1
	agrees r 0.1
	vsim-verify --against x.vec.h5 e.res.h5
	ploidy=1 agrees hamming 20
	ploidy=1 agrees yule 0.3
	run -2 --separate-stderr vsim-run -m r2 -w 3 -t 0 -o no x.vec.h5
	[[ $stderr == *"--way 3 cannot be combined with --metric r2"* ]]
	awk -F'\t' -v OFS='\t' 'NR == 2 { $3 = "NA" } 1' x.tsv >y.tsv
	vsim-pack --tsv y.tsv --label given --ploidy 1 -o y.vec.h5
	refuses 2 'no device supports this metric yet' \
		vsim-run -m yule --backend cuda -t 0 -o no y.vec.h5
	[ ! -e no ]
	run -2 --separate-stderr vsim-threshold --cells 11 -o y.res.h5 e.res.h5
	[[ $stderr == *"one value a pair"* ]]
}

# bats test_tags=long
@test "moments: put back into the first order they are judged, and compare" {
	# 30 vectors, of every other one allele 1 is the common one
	awk 'BEGIN {
		srand(5); printf "id"
		for (s = 0; s < 40; s++) printf "\ts%d", s
		for (v = 0; v < 30; v++) {
			printf "\nv%d", v
			f = v % 2 ? 0.7 : 0.3
			for (s = 0; s < 40; s++)
				printf "\t%s", rand() < 0.03 ? "NA" : \
					(rand() < f) + (rand() < f)
		}
		print ""
	}' >x.tsv
	local m
	vsim-pack --tsv x.tsv --label minor -o x.vec.h5
	vsim-pack --tsv x.tsv --label given -o given.vec.h5
	vsim-permute --order random -o p.vec.h5 x.vec.h5
	for m in r cosine jaccard dice; do
		vsim-run -m $m -t 0.2 -o "r$m" p.vec.h5
		vsim-merge --unpermute -o $m.res.h5 "r$m"
		quietly vsim-verify --against p.vec.h5 $m.res.h5
		quietly vsim-verify --against x.vec.h5 $m.res.h5
		quietly vsim-verify --against x.vec.h5 --sample 20 $m.res.h5
		refuses 1 "$m depends on the alleles labelled 1 in the vectors file of the run" \
			vsim-verify --against given.vec.h5 $m.res.h5
		vsim-run -m $m -t 0.2 -o "x$m" x.vec.h5
		vsim-merge --unpermute -o x$m.res.h5 "x$m"
		quietly vsim-verify --compare $m.res.h5 x$m.res.h5
		vsim-run -m $m -t 0.2 -o "g$m" given.vec.h5
		vsim-merge --unpermute -o g$m.res.h5 "g$m"
		refuses 1 . vsim-verify --compare $m.res.h5 g$m.res.h5
	done
}
