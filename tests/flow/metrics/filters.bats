# SPDX-License-Identifier: BSD-3-Clause
# Pairs chosen by chromosome and distance: those of all pairs that obey.
load ../../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# sites SEED [UNSORTED]: x.tped and x.tfam, 420 sites of 3 chromosomes about 1 kb
# apart that resemble their neighbours, gaps, and some of no known place
sites() {
	awk -v seed="$1" -v mixed="${2-}" 'BEGIN {
		srand(seed)
		for (q = 1; q <= 90; q++) {
			print "f" q, "s" q, 0, 0, 1 + q % 2, 1 + q % 2 >"x.tfam"
			g[q] = int(3 * rand())
		}
		for (v = 1; v <= 420; v++) {
			chrom = v <= 180 ? 1 : v <= 300 ? 2 : 3
			pos = v == 181 || v == 301 || v == 1 ? 500 : \
				pos + int(2000 * rand())
			line = "v" v " 0 " (v % 60 == 7 ? 0 : pos)
			for (q = 1; q <= 90; q++) {
				if (rand() < 0.15) g[q] = int(3 * rand())
				x = rand() < 0.04 ? "0 0" : g[q] == 0 ? "A A" : \
					g[q] == 1 ? "A C" : "C C"
				line = line " " x
			}
			lost = v < 4 || (mixed && v % 90 == 8)
			print mixed ? rand() : v, lost ? 0 : chrom, line
		}
	}' | LC_ALL=C sort -k1,1g | cut -d' ' -f2- >x.tped
	vsim-pack -f --tped x -o x.vec.h5
}

# rows FILE: records with the places of their vectors
rows() {
	vsim-view --no-header --file-order -c \
		i,j,chrom1,pos1,chrom2,pos2,value${columns:+,$columns} "$1"
}

# obey RULE: of rows those that a rule of awk over same (one chromosome), apart
# (bases) and sites (rows of the input) lets pass, if both places are known
obey() {
	awk -F'\t' '$3 != 0 && $5 != 0 && ('"${known:-\$4 > 0 && \$6 > 0}"') {
		same = $3 == $5
		apart = $6 > $4 ? $6 - $4 : $4 - $6
		sites = $2 > $1 ? $2 - $1 : $1 - $2
		if ('"$1"') print
	}'
}

# judged METRIC T RULE OPTION...: a run with the options has those of all that
# obey the rule
judged() {
	local metric=$1 t=$2 rule=$3
	shift 3
	[ -e all-$metric.tsv ] || {
		vsim-run -f -m "$metric" -t "$t" -o all x.vec.h5
		vsim-merge -f -o all.res.h5 all
		rows all.res.h5 >"all-$metric.tsv"
	}
	obey "$rule" <"all-$metric.tsv" >want
	[ -s want ] || complain "$metric $*: the rule leaves nothing"
	vsim-run -f -m "$metric" -t "$t" "$@" -o run x.vec.h5 2>err
	vsim-merge -f -o run.res.h5 run
	rows run.res.h5 >got
	cmp want got || complain "$metric $*: $(wc -l <want) wanted, $(wc -l <got)"
	vsim-verify --against x.vec.h5 run.res.h5 ||
		complain "$metric $*: not right"
	vsim-verify run || complain "$metric $*: not sound"
}

# rules METRIC T: every rule, in a band and not
rules() {
	judged "$1" "$2" 'same && apart <= 9000' --max-kb 9
	judged "$1" "$2" 'same && apart <= 120000' --max-kb 120
	judged "$1" "$2" '!same || apart >= 30500' --min-kb 30.5
	judged "$1" "$2" 'same && apart >= 3000 && apart <= 12000' \
		--min-kb 3 --max-kb 12
	judged "$1" "$2" 'same && apart >= 40000' --min-kb 40 --within-chromosome
	known=1 judged "$1" "$2" same --within-chromosome
	known=1 judged "$1" "$2" '!same' --inter-chromosome
}

# bats test_tags=long
@test "filters: pairs of all that obey, r2, ccc and k2, with gaps" {
	sites 3
	rules r2 0.05
	columns=a,b,num,n
	judged ccc 0.3 'same && apart <= 9000' --max-kb 9
	known=1 judged ccc 0.3 '!same' --inter-chromosome
	columns=
	known=1 judged inter 6 same --within-chromosome
	judged k2 1e300 'same && apart <= 9000' --max-kb 9
	[ "$(wc -l <err)" = 1 ]
	grep -q ': [0-9]* vectors without a known position are in no pair$' err
}

# bats test_tags=long
@test "filters: files that are not sorted by position" {
	sites 4 mixed
	rules r2 0.05
}

@test "filters: --max-kb 0 compares pairs at one position" {
	sites 6
	awk '{ $4 = int($4 / 5000); print }' x.tped >y && mv y x.tped
	vsim-pack -f --tped x -o x.vec.h5
	judged r2 0.05 'same && apart == 0' --max-kb 0
	vsim-run -m r2 -t 0.05 --max-kb 0 --min-kb 1 -o no x.vec.h5 2>err &&
		complain "no pair is left"
	grep -q 'no pair is left' err
}

@test "filters: distance in sites, permuted or not" {
	local want
	sites 5
	awk '$1 != 0' x.tped >y && mv y x.tped
	vsim-pack -f --tped x -o x.vec.h5
	known=1 judged r2 0.05 'same && sites <= 1' --max-sites 1
	vsim-run -m r2 -t 0.05 --max-sites 6 --max-kb 8 -o first x.vec.h5 2>/dev/null
	vsim-merge --unpermute -o first.res.h5 first
	vsim-permute --order frequency -o p.vec.h5 x.vec.h5
	vsim-run -m r2 -t 0.05 --max-sites 6 --max-kb 8 -o second p.vec.h5 2>/dev/null
	vsim-verify --against p.vec.h5 second
	vsim-merge --unpermute -o second.res.h5 second
	vsim-verify --compare first.res.h5 second.res.h5
	vsim-verify --against x.vec.h5 second.res.h5
	[ "$(rows first.res.h5 | wc -l)" -gt 100 ]
}

# bats test_tags=long
@test "filters: ranks, tiles, threads, stages, memory and resume do not show" {
	local want how
	requires mpi 3
	sites 6
	vsim-run -m r2 -t 0.05 --max-kb 9 -o first x.vec.h5 2>/dev/null
	vsim-merge -o first.res.h5 first
	for how in '1 --tile 7' '2 --tile 16' '3 -j 2' '3 --tile 5' \
		'1 --tile 9 --memory 12M -j 1' '1 --no-prune'; do
		# shellcheck disable=SC2086
		ranks "${how%% *}" vsim-run -f -m r2 -t 0.05 --max-kb 9 \
			${how#* } -o run x.vec.h5 2>/dev/null
		vsim-merge -f -o run.res.h5 run
		vsim-verify --compare first.res.h5 run.res.h5 ||
			complain "$how"
	done
	for k in 1 2 3; do
		vsim-run -m r2 -t 0.05 --max-kb 9 --tile 11 --stage $k/3 \
			-o stages-$k x.vec.h5 2>/dev/null
	done
	vsim-merge -f -o run.res.h5 stages-?
	vsim-verify --compare first.res.h5 run.res.h5
	vsim-run --resume -m r2 -t 0.05 --max-kb 9 -o first x.vec.h5 2>/dev/null
	run ! vsim-run --resume -m r2 -t 0.05 --inter-chromosome -o first x.vec.h5
	[[ $output == *'choice of pairs by chromosome and distance differs'* ]]
	vsim-run -f -m r2 -t 0.05 --max-kb 8 -o run x.vec.h5 2>/dev/null
	vsim-merge -f -o run.res.h5 run
	refuses 1 'pair_filter: max_kb' \
		vsim-verify --compare first.res.h5 run.res.h5
}

# bats test_tags=long
@test "filters: a device has the same pairs" {
	local filter how
	sites 6
	for filter in '--max-kb 9' '--min-kb 30 --within-chromosome'; do
		# shellcheck disable=SC2086
		vsim-run -f -t 0.3 $filter -o run --merge x.res.h5 \
			--backend cpu x.vec.h5 2>/dev/null
		for how in '0 cuda' '3 cuda+cpu'; do
			simulate "seed=${how% *}"
			# shellcheck disable=SC2086
			vsim-run -f -t 0.3 $filter -o run --tile 90 \
				--stats s.yaml --merge d.res.h5 \
				--backend "${how#* }" x.vec.h5 2>/dev/null
			[[ $how = *+* ]] || grep -qx 'device_share: 1' s.yaml
			vsim-verify --compare x.res.h5 d.res.h5 ||
				complain "$filter $how"
		done
	done
}

@test "filters: --top has the greatest of the pairs wanted" {
	sites 7
	vsim-run -m r2 -t -1 -o all x.vec.h5
	vsim-merge -o all.res.h5 all
	for rule in 'same && apart <= 9000;--max-kb 9' \
		'!same;--inter-chromosome'; do
		rows all.res.h5 | obey "${rule%;*}" | cut -f7 | sort -gr |
			head -n 25 >want
		# shellcheck disable=SC2086
		vsim-run -f -m r2 --top 25 ${rule#*;} -o top x.vec.h5 2>/dev/null
		vsim-merge -f -o top.res.h5 top
		rows top.res.h5 | cut -f7 | sort -gr >got
		cmp want got
	done
}

@test "filters: they are stated, and Bonferroni counts their pairs" {
	sites 8
	vsim-run -m k2 -t 1e300 --max-kb 9 -o run x.vec.h5 2>/dev/null
	vsim-merge -o run.res.h5 run
	vsim-view -H run.res.h5 >head
	grep -qx '#pair_filter: max_kb 9' head
	grep -q '^#required_features: .*pair_filter' head
	n=$(rows run.res.h5 | wc -l)
	grep -qx "#filtered_pairs: $n" head
	vsim-run -n -m k2 -t 1e300 --max-kb 9 x.vec.h5 2>/dev/null >plan
	grep -qx "filtered_pairs: $n" plan
	grep -qx "comparisons: $((n * 90))" plan
	# rates are by the pairs wanted, of parts of a run they are not known
	vsim-run -f -v -m k2 -t 1e300 --max-kb 9 --tile 60 --stats s.yaml \
		-o again x.vec.h5 2>err
	grep -qx "pairs: $n" s.yaml
	grep -qx "comparisons: $((n * 90))" s.yaml
	grep -q ": $n pairs of 90 samples in " err
	! grep -q 'no other can pass' err
	vsim-run -f -v -m k2 -t 1e300 --max-kb 9 --tile 60 --stage 1/2 \
		--stats s.yaml -o half x.vec.h5 2>err
	grep -q '^pairs_counted: ' s.yaml
	! grep -q '^pairs: \|^comparisons: ' s.yaml
	! grep -q 'of 90 samples in' err
	# the level of Bonferroni is by the pairs that were compared
	vsim-view --no-header -c p run.res.h5 |
		awk -v n="$n" '$1 <= 0.5 / n { k++ } END { print k + 0 }' >want
	vsim-threshold --p-value 0.5 --bonferroni -o t.res.h5 run.res.h5
	[ "$(vsim-view --no-header t.res.h5 | wc -l)" = "$(cat want)" ]
}

# forged STATEMENT MESSAGE: the result so changed is found not to be right
forged() {
	cp run.res.h5 bad.res.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" bad.res.h5 "$1"
	refuses 1 "$2" vsim-verify --sample 99999 --against x.vec.h5 bad.res.h5
}

# bats test_tags=long
@test "filters: a result that lacks pairs or has others is found" {
	requires python h5py numpy
	sites 8
	vsim-run -m k2 -t 1e300 --max-kb 9 -o run x.vec.h5 2>/dev/null
	vsim-merge -o run.res.h5 run
	"$PYTHON" "$TOP/tests/flow/content.py" run/*.h5 run.res.h5
	forged 'f["run"].attrs.modify("pair_filter", np.bytes_("max_kb 8"))' \
		'states [0-9]* pairs of max_kb 8, x.vec.h5 has [0-9]*$'
	forged 'cut("records", 5)
f["index/i_offset"][int(f["records/i"][5]) + 1:] -= 1' 'not listed'
	# the last pair of a row, made one with the last vector
	forged 'last = f["index/i_offset"][int(f["records/i"][0]) + 1] - 1
f["records/j"][last] = 419' 'is listed but left out by pair_filter'
}

@test "filters: what goes with no filter is refused" {
	sites 9
	refuses 2 '--inter-chromosome cannot be combined with --max-kb' \
		vsim-run -t 0.2 --inter-chromosome --max-kb 5 -o q x.vec.h5
	refuses 2 'no pair is left' \
		vsim-run -t 0.2 --min-kb 6 --max-kb 5 -o q x.vec.h5
	vsim-pack --synthetic random --vectors 9 --fields 50 -o s.vec.h5
	refuses 3 'no variant has a known' vsim-run -t 0.2 --max-kb 5 -o q s.vec.h5
	gone q
}

@test "filters: pairs and r2 of PLINK's windows" {
	requires cmd plink1.9
	sites 10
	# PLINK pairs what has no chromosome with its like
	awk '$1 != 0 && $4 != 0' x.tped >y.tped
	cp x.tfam y.tfam
	vsim-pack --tped y -o y.vec.h5
	plink1.9 --tfile y --r2 --ld-window-kb 9 --ld-window 999999 \
		--ld-window-r2 0.1 --allow-no-sex --out y >/dev/null
	awk 'NR > 1 { print $3 "\t" $6 }' y.ld | sort >want
	vsim-run -m r2 -t 0.1 --max-kb 9 -o run y.vec.h5
	vsim-merge -o run.res.h5 run
	vsim-view --no-header -c id1,id2 run.res.h5 | sort >got
	[ "$(wc -l <want)" -gt 200 ]
	cmp want got
}

# obey3 RULE: of rows of triples those all of whose pairs obey, as obey has it
obey3() {
	awk -F'\t' 'function near(v, w,   same, apart, sites) {
		same = $(v + 3) == $(w + 3)
		apart = $(v + 6) - $(w + 6)
		apart = apart < 0 ? -apart : apart
		sites = $w - $v
		return '"$1"'
	}
	$4 != 0 && $5 != 0 && $6 != 0 && ('"${known:-0}"' ||
		($7 > 0 && $8 > 0 && $9 > 0)) &&
		near(1, 2) && near(1, 3) && near(2, 3)'
}

rows3() {
	vsim-view --no-header --file-order -c \
		i,j,k,chrom1,chrom2,chrom3,pos1,pos2,pos3,value"$columns" "$1"
}

# judged3 METRIC T RULE OPTION...: a run over triples has those of all that obey
judged3() {
	local metric=$1 t=$2 rule=$3
	shift 3
	[ -e all-$metric.tsv ] || {
		vsim-run -f -w 3 -m "$metric" -t "$t" -o all x.vec.h5
		vsim-merge -f -o all.res.h5 all
		rows3 all.res.h5 >"all-$metric.tsv"
	}
	obey3 "$rule" <"all-$metric.tsv" >want
	[ -s want ] || complain "$metric $*: the rule leaves nothing"
	vsim-run -f -w 3 -m "$metric" -t "$t" "$@" -o run x.vec.h5 2>err
	vsim-merge -f -o run.res.h5 run
	rows3 run.res.h5 >got
	cmp want got || complain "$metric $*: $(wc -l <want) wanted, $(wc -l <got)"
	vsim-verify --sample 3000 --against x.vec.h5 run.res.h5 ||
		complain "$metric $*: not right"
}

# rules3 METRIC T OPTION...: every rule of triples
rules3() {
	local metric=$1 t=$2
	shift 2
	judged3 "$metric" "$t" 'same && apart <= 9000' --max-kb 9 "$@"
	judged3 "$metric" "$t" '!same || apart >= 30500' --min-kb 30.5 "$@"
	judged3 "$metric" "$t" 'same && apart >= 2000 && apart <= 16000' \
		--min-kb 2 --max-kb 16 "$@"
	known=1 judged3 "$metric" "$t" same --within-chromosome "$@"
	known=1 judged3 "$metric" "$t" '!same' --inter-chromosome "$@"
}

# bats test_tags=long
@test "filters: triples all of whose pairs obey, with gaps, counted or not" {
	sites 3
	awk 'NR % 3 == 0' x.tped >y && mv y x.tped
	vsim-pack -f --tped x -o x.vec.h5
	columns=,cell,num,n
	rules3 ccc 0.3
	VSIM_WITHOUT=cost-model rules3 ccc 0.3 --tile 16
	VSIM_WITHOUT=candidates rules3 ccc 0.3
	VSIM_WITHOUT=candidates rules3 ccc 0.3 --tile 24
	columns= known=1 judged3 inter 12 same --within-chromosome
	columns= judged3 k2 1e300 'same && apart <= 9000' --max-kb 9
	n=$(wc -l <got)
	grep -qE ' (is|are) in no triple$' err
	grep -qx "#filtered_pairs: $n" <(vsim-view -H run.res.h5)
	vsim-run -n -w 3 -m k2 -t 1e300 --max-kb 9 x.vec.h5 2>/dev/null >plan
	grep -qx "filtered_triples: $n" plan
	vsim-view --no-header -c p run.res.h5 |
		awk -v n="$n" '$1 <= 0.5 / n { k++ } END { print k + 0 }' >want
	vsim-threshold --p-value 0.5 --bonferroni -o t.res.h5 run.res.h5
	[ "$(vsim-view --no-header t.res.h5 | wc -l)" = "$(cat want)" ]
}

# bats test_tags=long
@test "filters: triples of files that are not sorted by position" {
	sites 4 mixed
	awk 'NR % 4 == 0' x.tped >y && mv y x.tped
	vsim-pack -f --tped x -o x.vec.h5
	rules3 ccc 0.3
	VSIM_WITHOUT=candidates rules3 ccc 0.3
}

# bats test_tags=long
@test "filters: triples on ranks, in stages, resumed, and the greatest" {
	local how k
	requires mpi 2
	sites 6
	awk 'NR % 2 == 0' x.tped >y && mv y x.tped
	vsim-pack -f --tped x -o x.vec.h5
	columns=,cell
	judged3 ccc 0.3 'same && apart <= 14000' --max-kb 14
	cp run.res.h5 first.res.h5
	for how in '2 --tile 16' '2 -j 2' '1 --tile 9 -j 1' '1 --no-prune'; do
		# shellcheck disable=SC2086
		ranks "${how%% *}" vsim-run -f -w 3 -t 0.3 --max-kb 14 \
			${how#* } -o run x.vec.h5 2>/dev/null
		vsim-merge -f -o run.res.h5 run
		vsim-verify --compare first.res.h5 run.res.h5 ||
			complain "$how"
	done
	for k in 1 2 3; do
		vsim-run -w 3 -t 0.3 --max-kb 14 --tile 20 --stage $k/3 \
			-o stages-$k x.vec.h5 2>/dev/null
	done
	vsim-merge -f -o run.res.h5 stages-?
	vsim-verify --compare first.res.h5 run.res.h5
	rows3 first.res.h5 | cut -f10 | sort -gr | head -n 25 >want
	vsim-run -f -w 3 --top 25 --max-kb 14 -o top x.vec.h5 2>/dev/null
	vsim-merge -f -o top.res.h5 top
	rows3 top.res.h5 | cut -f10 | sort -gr >got
	cmp want got
}

# histogram OF: rows of --metric-histogram, by awk from records of all cells; of
# the columns lo and ALL
histogram() {
	awk -F'\t' '{ n[int(1000 * $7)]++ } END {
		for (k = 0; k <= 1000; k++)
			if (n[k]) printf "%.3f\t%d\n", k / 1000, n[k]
	}'
}

# bats test_tags=long
@test "filters: a histogram counts the selected pairs" {
	local of metric rule option
	sites 3
	for of in r2 ccc; do
		vsim-run -f -m "$of" -t -1 -o all x.vec.h5
		vsim-merge -f -o all.res.h5 all
		rows all.res.h5 >all.tsv
		for rule in 'same && apart <= 9000;--max-kb 9' \
			'!same || apart >= 30500;--min-kb 30.5' \
			'same && apart <= 9000;--max-kb 9 --tile 50 -j 1' \
			'!same;--inter-chromosome'; do
			known=$([ "${rule#*inter}" = "$rule" ] || echo 1) \
				obey "${rule%;*}" <all.tsv | histogram >want
			# shellcheck disable=SC2086
			vsim-run -f -m "$of" -t 0.5 ${rule#*;} -o run \
				--metric-histogram h.tsv x.vec.h5 2>/dev/null
			awk 'NR > 1 && $3 { print $1 "\t" $3 }' h.tsv >got
			cmp want got || complain "$of ${rule#*;}"
		done
	done
	# of sums of cells too, and row by row or one by one
	cp h.tsv first
	VSIM_WITHOUT=row-histogram vsim-run -f -t 0.5 --inter-chromosome \
		-o run --metric-histogram h.tsv x.vec.h5 2>/dev/null
	cmp first h.tsv
	vsim-run --resume -t 0.5 --inter-chromosome -o run \
		--metric-histogram again.tsv x.vec.h5 2>/dev/null
	cmp first again.tsv
}

# bats test_tags=long
@test "filters: between two sets, with a histogram and without" {
	local of
	sites 5
	vsim-run -m r2 -t -1 -o all x.vec.h5
	vsim-merge -o all.res.h5 all
	rows all.res.h5 >all.tsv
	for of in '--max-kb 30;same && apart <= 30000' \
		'--min-kb 30.5;!same || apart >= 30500'; do
		obey "${of#*;}" <all.tsv | awk '($1 >= 20 && $1 <= 120 &&
			$2 >= 90 && $2 <= 400) || ($2 >= 20 && $2 <= 120 &&
			$1 >= 90 && $1 <= 400)' >want
		# shellcheck disable=SC2086
		vsim-run -f -m r2 -t -1 ${of%;*} --pairs-between 20-120 90-400 \
			--metric-histogram h.tsv --tile 16 -o run x.vec.h5 \
			2>/dev/null
		vsim-merge -f -o run.res.h5 run
		rows run.res.h5 >got
		cmp want got
		vsim-verify --against x.vec.h5 run.res.h5
		vsim-verify --against x.vec.h5 run
		vsim-view -H run.res.h5 >head
		grep -qx "#filtered_pairs: $(wc -l <want)" head
		histogram <want >table
		awk 'NR > 1 && $3 { print $1 "\t" $3 }' h.tsv >got
		cmp table got
	done
}

@test "filters: distances of a decimal kb are exact to the base, in six options" {
	local kb=1.001 more
	for more in 0 1001 2003; do
		echo "1 v$more 0 $((1000 + more)) A A C C A A A A C C C C"
	done >e.tped
	printf 'f%d s 0 0 1 1\n' 1 2 3 4 5 6 >e.tfam
	vsim-pack --tped e.tped -o e.vec.h5
	pairs() {
		vsim-run -f -m r2 -t 0.1 "$@" -o run --merge e.res.h5 e.vec.h5
		vsim-view --no-header e.res.h5 | cut -f1,2 | xargs
	}
	# 1.001 * 1000 is less than 1001 in floating point, 2.003 - 1.001 is more
	[ "$(pairs --max-kb $kb)" = "v0 v1001" ]
	[ "$(pairs --max-kb 1.0010000000000000000001)" = "v0 v1001" ]
	[ "$(pairs --max-kb 1.0009999999999999999999)" = "" ]
	[ "$(pairs --min-kb $kb --max-kb 1.002)" = "v0 v1001 v1001 v2003" ]
	[ "$(pairs --min-kb 1.0010000000000000000001)" = "v0 v2003 v1001 v2003" ]
	pairs >/dev/null
	vsim-threshold --prune p --window ${kb}kb e.res.h5
	[ "$(xargs <p.prune.in)" = "v0 v2003" ]
	vsim-threshold -f --prune p --window 1.0009999kb e.res.h5
	[ "$(xargs <p.prune.in)" = "v0 v1001 v2003" ]
	printf '%s\n' 'SNP P' 'v0 1e-9' 'v1001 1e-8' >t
	[ "$(vsim-threshold --clump t --clump-kb 1.002 -o - e.res.h5 |
		sed 1d | cut -f3,6)" = v0$'\t'1 ]
	[ "$(vsim-threshold --clump t --clump-kb $kb -o - e.res.h5 |
		sed 1d | cut -f3,6 | xargs)" = "v0 0 v1001 0" ]
	# a runfile holds the same decimal
	vsim-run -f -m r2 -t 0.1 --max-kb +$kb -o run e.vec.h5
	grep -qx "max-kb: +$kb" run/run.yaml
	rm run/complete.yaml
	quietly vsim-run --resume --config run/run.yaml
	vsim-merge -f -o e.res.h5 run
	[ "$(vsim-view --no-header e.res.h5 | cut -f1,2 | xargs)" = "v0 v1001" ]
	vsim-pack -f --tped e.tped --chr 1 --from-kb 2.001 --to-kb 2.001 \
		-o e.vec.h5
	[ "$(vsim-view -g --no-header e.vec.h5 | wc -l)" = 1 ]
}
