# SPDX-License-Identifier: BSD-3-Clause
# --pairs-between: of what each metric's definition in numpy lists the pairs of
# one vector of either set, chosen here, by every way to compute.
load ../../helpers
load ../metrics

# those SETS: lines, i and j before all, of pairs between LO-HI and LO-HI
those() {
	awk -F '\t' -v sets="$1" '
		BEGIN { split(sets, s, /[- ]/) }
		function is(v, k) { return v >= s[k] && v <= s[k + 1] }
		is($1, 1) && is($2, 3) || is($2, 1) && is($1, 3)'
}

# lists COLUMNS FILE: e.res.h5 is what FILE says, and is found right
lists() {
	quietly vsim-verify run e.res.h5
	vsim-view --no-header -c "$1" e.res.h5 |
		diff "$2" - >differ || complain "${how[*]}: $(head -n 5 differ)"
}

# row METRIC T SETS...: the pairs between two ranges of 130 vectors
row() {
	local sets kind content how columns n=2 vectors=130 metric=$1
	columns=$(columns "$1" 2)
	for kind in '' 'missing vectors samples'; do
		# shellcheck disable=SC2086
		data "$metric" $((61 + 13 * ${#kind})) $kind
		want "$metric" 2 "$2" >all
		for sets in "${@:3}"; do
			# shellcheck disable=SC2206
			how=(-m "$metric" -t "$2" --pairs-between $sets)
			content=
			finds 1 -j 1 --no-prune
			those "$sets" <all >want
			[ "$(wc -l <want)" -gt 3 ] || complain "nothing passes"
			lists "$columns" want
			finds 1 -j 2 --tile 13
			vsim-verify --against x.vec.h5 run e.res.h5
		done
		# a rank more for data that miss calls
		! can_start $n || finds $n -j 1 --tile 11
		n=3
	done
}

overlap='10-19 15-120' apart='100-129 3-20' alone='7-7 0-129'
inside='30-90 41-50' same='20-99 20-99' touch='0-64 65-129'

# bats test_tags=long
@test "between: ccc" { row ccc 0.3 "$apart" "$inside" "$overlap"; }
# bats test_tags=long
@test "between: duo" { row duo 0.3 "$alone" "$overlap"; }
# bats test_tags=long
@test "between: r2" { row r2 0.1 "$same" "$touch"; }
# bats test_tags=long
@test "between: r" { row r 0.1 "$alone" "$inside"; }
# bats test_tags=long
@test "between: cosine" { row cosine 0.4 "$overlap" "$apart"; }
# bats test_tags=long
@test "between: ps" { row ps 0.5 "$same" "$alone"; }

# bats test_tags=long
@test "between: a device, blocks read time and again, stages, --top, histogram" {
	local how=(-t 0.2 --pairs-between "${overlap% *}" "${overlap#* }") content=
	local vectors=130 columns k
	columns=$(columns ccc 2)
	data ccc 900
	want ccc 2 0.2 | those "$overlap" >want
	finds 1 -j 1
	lists "$columns" want
	simulate
	finds 1 --backend cuda --tile 40
	finds 1 --backend cuda+cpu -j 2
	finds 1 -j 1 --no-prune --memory 30M --tile 20
	vsim-run "${how[@]}" -n --memory 6500K --tile 3 x.vec.h5 |
		grep -qx 'blocks: streamed'
	finds 1 -j 1 --memory 6500K --tile 3
	for k in 1 2 3; do
		vsim-run "${how[@]}" --stage $k/3 -o run$k x.vec.h5
		quietly vsim-verify run$k
	done
	refuses 3 'stages 2 of 3 are missing' vsim-merge -o no.res.h5 run1 run3
	vsim-merge -f -o e.res.h5 run[123]
	lists "$columns" want
	rm -rf run
	vsim-run "${how[@]}" --top 100 --tile 9 -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	sort -s -t '	' -k 7,7gr want | head -n 100 | sort -n >best
	vsim-view --no-header -c "$columns" e.res.h5 | sort -n | diff best -
	want ccc 2 -1 | those "$overlap" |
		"$PYTHON" "$TOP/tests/flow/histogram.py" 2 2 >table
	rm -rf run
	vsim-run "${how[@]}" --tile 9 --metric-histogram got -o run -v x.vec.h5 \
		2>said
	diff table got
	[ "$(grep -c 'as the fields do' said)" = 3 ]
	can_start 3 || return 0
	rm -rf run got
	ranks 3 vsim-run "${how[@]}" --tile 9 --metric-histogram got -o run x.vec.h5
	diff table got
	rm -rf run
	ranks 3 vsim-run "${how[@]}" --top 100 --tile 9 -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	vsim-view --no-header -c "$columns" e.res.h5 | sort -n | diff best -
}

# two chromosomes of 40 variants each, 1 kb apart
variants() {
	awk 'BEGIN {
		OFS = "\t"; srand(5)
		print "##fileformat=VCFv4.2"
		printf "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"
		for (s = 0; s < 50; s++) printf "\ts%d", s
		print ""
		for (v = 0; v < 80; v++) {
			f = rand()
			printf "%d\t%d\trs%d\tA\tC\t.\t.\t.\tGT", 1 + int(v / 40),
				1000 * (v % 40 + 1), v
			for (s = 0; s < 50; s++)
				printf "\t%d/%d", rand() < f, rand() < f
			print ""
		}
	}' >x.vcf
	vsim-pack --vcf x.vcf -o x.vec.h5
	vsim-permute --order random -o r.vec.h5 x.vec.h5
}

# named FILE: records by the names that their vectors have
named() {
	vsim-view --no-header -c id1,allele1,id2,allele2,value "$@" |
		awk -F '\t' -v OFS='\t' '$1 > $3 { t = $1; $1 = $3; $3 = t
			t = $2; $2 = $4; $4 = t } 1' | sort
}

@test "between: ids and regions, in another order, and back in the first one" {
	local file
	variants
	printf 'rs%d more words\n' 3 45 77 9 12 >ids
	vsim-run -t 0.3 -o all x.vec.h5
	vsim-merge -o all.res.h5 all
	# in region 2:1000-20000 stand rs40 to rs59
	named all.res.h5 | awk '
		function a(v) { return v ~ /^rs(3|45|77|9|12)$/ }
		function b(v) { v = substr(v, 3) + 0; return v >= 40 && v < 60 }
		a($1) && b($3) || a($3) && b($1)' >want
	[ "$(wc -l <want)" -gt 20 ]
	for file in x r; do
		vsim-run -t 0.3 --pairs-between @ids 2:1000-20000 --tile 7 \
			-o $file-run $file.vec.h5
		vsim-merge -o $file.res.h5 $file-run
		vsim-merge --unpermute -o $file-back.res.h5 $file-run
		for file in $file $file-back; do
			named $file.res.h5 | diff want -
			vsim-verify --against x.vec.h5 $file.res.h5 ||
				vsim-verify --against r.vec.h5 $file.res.h5
		done
	done
	# sets in the other order are the same, and so is a file in another
	[ "$(vsim-view -H x-back.res.h5 | grep content_xxh)" = \
		"$(vsim-view -H r-back.res.h5 | grep content_xxh)" ]
	vsim-run -t 0.3 --pairs-between 2:1000-20000 @- -o other x.vec.h5 <ids
	vsim-merge -o other.res.h5 other
	vsim-verify --compare other.res.h5 x.res.h5
	# the runfile repeats it
	sed 's/^output: .*/output: again/; s/@-/@ids/' other/run.yaml >again.yaml
	vsim-run --config again.yaml
	vsim-merge -o again.res.h5 again
	vsim-verify --compare again.res.h5 x.res.h5
	# and what a threshold leaves is still between them
	vsim-threshold --above 0.4 -o less.res.h5 x.res.h5
	vsim-threshold --above 0.4 -o less x-run
	vsim-verify --against x.vec.h5 less less.res.h5
	awk '$5 > 0.4' want >fewer
	named less.res.h5 | diff fewer -
}

@test "between: the page's words on both sets are true" {
	requires python numpy h5py
	requires cmd xxh128sum
	variants
	vsim-run -t 0.3 --pairs-between 10-40 30-79 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	for f in run/*.h5 e.res.h5; do
		"$PYTHON" -c "
import sys, h5py
f = h5py.File('$f')
rows = [list(f['sets/' + s]) for s in ('first', 'both', 'second')]
assert rows == [list(range(10, 30)), list(range(30, 41)), list(range(41, 80))]
for s in 'first', 'both', 'second':
    sys.stdout.buffer.write(f['sets/' + s][()].astype('<i8').tobytes())
" | xxh128sum | sed 's/ .*//; s/^/#between: 31 50 11 /' >want
		vsim-view -H $f | grep '^#between: ' | diff want -
		vsim-view -H $f | grep -qx '#between_names: 10-40 30-79'
	done
	"$PYTHON" "$TOP/tests/flow/content.py" run/*.h5 e.res.h5
	# what is drawn is between them, and a missing record is met in the end
	vsim-verify -v --against x.vec.h5 --sample 40 run e.res.h5 2>said
	[ "$(grep -cE ' (3[0-9]|40) pairs searched' said)" = 2 ]
	# a forger's pair that is not between them, and sets that are others
	cp e.res.h5 bad.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" bad.h5 'f["records/j"][0] = 11'
	run --separate-stderr vsim-verify bad.h5
	[ "$status" = 1 ] && [[ $stderr == *'are not of two sets'* ]]
	cp e.res.h5 bad.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" bad.h5 'f["sets/first"][0] = 9'
	run --separate-stderr vsim-verify bad.h5
	[ "$status" = 1 ] && [[ $stderr == *'not what /run says'* ]]
	# one that is missing
	cp e.res.h5 bad.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" bad.h5 'cut("records", 5)
f["index/i_offset"][int(f["records/i"][5]) + 1:] -= 1'
	for how in '' '--sample 9000'; do
		# shellcheck disable=SC2086
		run --separate-stderr vsim-verify $how --against x.vec.h5 bad.h5
		[ "$status" = 1 ] && [[ $stderr == *'not listed'* ]]
	done
}

# bats test_tags=long
@test "between: killed, resumed on other ranks; other sets do not go on with it" {
	local how=(-t 0.2 --cpu scalar --tile 8) columns vectors=400 part
	columns=$(columns ccc 2)
	data ccc 700
	want ccc 2 0.2 | those '0-199 150-399' >want
	vsim-run "${how[@]}" --pairs-between 0-199 150-399 -j 1 --commit-every 0 \
		-o run x.vec.h5 2>/dev/null &
	for _ in $(seq 200); do
		[ "$(committed run)" -gt 1 ] && break
		sleep 0.02
	done
	kill -KILL $! 2>/dev/null || true
	wait $! || true
	refuses 3 'unfinished' vsim-merge -o e.res.h5 run
	refuses 3 'two sets of vectors differs' \
		vsim-run "${how[@]}" --resume --pairs-between 0-199 151-399 -o run \
		x.vec.h5
	refuses 3 'two sets of vectors differs' \
		vsim-run "${how[@]}" --resume -o run x.vec.h5
	part=(vsim-run "${how[@]}" --resume --pairs-between 0-199 150-399 -o run)
	if can_start 3; then
		ranks 3 "${part[@]}" x.vec.h5
	else
		"${part[@]}" x.vec.h5
	fi
	vsim-merge -o e.res.h5 run
	lists "$columns" want
	# shards of two questions
	vsim-run "${how[@]}" --pairs-between 0-199 151-399 -o other x.vec.h5
	refuses 3 'two sets of vectors differs' \
		vsim-merge -o no.res.h5 run other
	vsim-merge --partial -o p.res.h5 other
	run --separate-stderr vsim-verify --compare e.res.h5 p.res.h5
	[ "$status" = 1 ] && [[ $stderr == *between* ]]
}

@test "between: what cannot be is refused in one line" {
	local between=(vsim-run -t 0.3 -o run --pairs-between)
	variants
	echo rs7 >ids
	printf '%s\n' rs7 rs700 rs701 >more
	: >none
	refuses 3 'no vector is called rs700, nor by other' \
		"${between[@]}" @ids @more x.vec.h5
	refuses 3 '@none: no vector .* is in it' "${between[@]}" @none @ids x.vec.h5
	refuses 3 'cannot open|No such file' "${between[@]}" @lost @ids x.vec.h5
	refuses 3 '2:90000-: no vector .* is in it' \
		"${between[@]}" 2:90000- @ids x.vec.h5
	refuses 3 '3-80: are not rows from 0 to 79' "${between[@]}" 3-80 1 x.vec.h5
	refuses 3 '9-3: are not rows from 0 to 79' "${between[@]}" 9-3 1 x.vec.h5
	refuses 3 'the same single variant' "${between[@]}" @ids 7-7 x.vec.h5
	refuses 2 'requires an argument A B' "${between[@]}" @ids
	refuses 2 '--pairs-between cannot be combined with --way 3' \
		"${between[@]}" 0-3 4-9 --way 3 \
		x.vec.h5
	gone run
	can_start 2 || return 0
	refuses 3 'no vector is called rs700' \
		ranks 2 "${between[@]}" @ids @more x.vec.h5
	vsim-pack --synthetic analytic --vectors 60 --fields 500 -o a.vec.h5
	vsim-run -t 0.1 --pairs-between 0-9 10-59 -o run a.vec.h5
	vsim-merge -o e.res.h5 run
	refuses 3 'is part of a run' vsim-verify --closed-form a.vec.h5 e.res.h5
}
