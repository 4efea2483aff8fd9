# SPDX-License-Identifier: BSD-3-Clause
# vsim-threshold: fewer records of a shard, of a run or of a merged result
load ../helpers

ORACLE=$TOP/tests/flow/oracle.py

# made [HOW]: x.vec.h5, its run in tiles by one or two ranks, and e.res.h5
made() {
	requires python numpy h5py
	"$PYTHON" "$ORACLE" make 60 40 11 missing >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	if [ "$1" = ranks ]; then
		requires mpi 2
		ranks 2 vsim-run -t 0.3 --tile 8 -o run x.vec.h5
	else
		vsim-run -t 0.3 --tile 8 -o run x.vec.h5
	fi
	vsim-merge -o e.res.h5 run
}

states() {
	vsim-view -H "$1" | sed -n "s/^#$2: //p"
}

# as_filter AWK-CONDITION OPTION...: on e.res.h5 the options keep the lines
# where the condition holds, and before merging they do so as well
as_filter() {
	local condition=$1
	shift
	rm -rf less.res.h5 less merged.res.h5
	quietly vsim-threshold "$@" -o less.res.h5 e.res.h5
	[ "$(vsim-view -c i,j,cell,value less.res.h5)" = \
		"$(vsim-view -c i,j,cell,value e.res.h5 |
			awk "NR == 1 || $condition")" ]
	[ "$(vsim-view less.res.h5 | wc -l)" -gt 1 ]
	quietly vsim-threshold "$@" -o less run
	quietly vsim-merge -o merged.res.h5 less
	[ "$(content merged.res.h5)" = "$(content less.res.h5)" ]
	quietly vsim-verify less.res.h5 less merged.res.h5
	quietly vsim-verify --against x.vec.h5 less.res.h5
	quietly vsim-verify --against x.vec.h5 less
	gone
}

# bats test_tags=install
@test "threshold: bounds, before merging and after" {
	made ranks
	# a value that occurs
	x=$(vsim-view --no-header -c value e.res.h5 | sort -g | sed -n 400p)
	as_filter "\$4 >= $x" --min "$x"
	[ "$(states less.res.h5 threshold_op)" = ge ]
	[ "$(states less.res.h5 threshold)" = "$x" ]
	as_filter "\$4 > $x" --above "$x"
	[ "$(states less.res.h5 threshold_op)" = gt ]
	as_filter "\$4 > $x" --above "$x" --min "$x"
	[ "$(states less.res.h5 threshold_op)" = gt ]
	as_filter "\$4 <= $x" --max "$x"
	[ "$(states less.res.h5 threshold)" = 0.3 ]
	[ "$(states less.res.h5 selection)" = "max $x" ]
	as_filter "\$4 > 0.5 && \$4 <= 0.6" --above 0.5 --max 0.6
}

@test "threshold: the result equals that of a run with this threshold" {
	made
	vsim-run -t 0.55 --tile 8 -o higher x.vec.h5
	vsim-merge -o higher.res.h5 higher
	vsim-threshold --above 0.55 -o less.res.h5 e.res.h5
	[ "$(content less.res.h5)" = "$(content higher.res.h5)" ]
	vsim-threshold --above 0.55 -o less run
	vsim-merge -o merged.res.h5 less
	vsim-verify --compare higher.res.h5 merged.res.h5
	# a bound that is not stricter changes nothing
	vsim-threshold --min 0.3 -o same.res.h5 e.res.h5
	[ "$(content same.res.h5)" = "$(content e.res.h5)" ]
}

# bats test_tags=long
@test "threshold --cells: labels or numbers" {
	made
	as_filter '$3 == 3' --cells 11
	[ "$(states less.res.h5 cell_mask)" = 8 ]
	as_filter '$3 == 1 || $3 == 2' --cells 10,1
	as_filter '$3 != 2' --cells 0,1,11
	vsim-threshold --cells 1 -o a.res.h5 less.res.h5
	[ "$(states a.res.h5 cell_mask)" = 2 ]
}

# bats test_tags=long
@test "threshold --top-per-vector: by plain sorting, whatever the shards" {
	made ranks
	for k in 1 3 10; do
		vsim-view --file-order --no-header -c i,j,cell,value e.res.h5 |
			sort -s -k4,4gr |
			awk -v k=$k '{ a = n[$1]++ < k; b = n[$2]++ < k }
				a || b' |
			sort -n -k1,1 -k2,2 -k3,3 >want
		rm -rf t.res.h5 m.res.h5 t
		vsim-threshold --top-per-vector $k -o t.res.h5 e.res.h5
		vsim-view --file-order --no-header -c i,j,cell,value t.res.h5 |
			diff want -
		vsim-threshold --top-per-vector $k -o t run
		vsim-merge -o m.res.h5 t
		[ "$(content m.res.h5)" = "$(content t.res.h5)" ]
	done
	quietly vsim-verify --against x.vec.h5 t.res.h5
	# of what the other conditions leave
	vsim-threshold --max 0.5 -o low.res.h5 e.res.h5
	vsim-threshold --top-per-vector 2 -o a.res.h5 low.res.h5
	vsim-threshold --max 0.5 --top-per-vector 2 -o b.res.h5 e.res.h5
	[ "$(content a.res.h5)" = "$(content b.res.h5)" ]
}

# bats test_tags=install
@test "threshold --top: by plain sorting of all shards, and as vsim-run has it" {
	local n
	made ranks
	for n in 1 7 100; do
		vsim-view --file-order --no-header -c i,j,cell,value e.res.h5 |
			sort -s -k4,4gr | head -n $n |
			sort -n -k1,1 -k2,2 -k3,3 >want
		[ "$(wc -l <want)" = $n ]
		rm -rf t.res.h5 m.res.h5 t top
		vsim-threshold --top $n -o t.res.h5 e.res.h5
		vsim-view --file-order --no-header -c i,j,cell,value t.res.h5 |
			diff want -
		vsim-threshold --top $n -o t run
		vsim-merge -o m.res.h5 t
		[ "$(content m.res.h5)" = "$(content t.res.h5)" ]
		vsim-run -t 0.2 --top $n -o top x.vec.h5
		vsim-merge -f -o m.res.h5 top
		vsim-view --file-order --no-header -c i,j,cell,value m.res.h5 |
			diff want -
	done
	quietly vsim-verify --against x.vec.h5 t.res.h5
	# all there are, and of what the other conditions leave
	vsim-threshold --top 1000000 -o all.res.h5 e.res.h5
	vsim-view --no-header -c i,j,cell,value all.res.h5 >all
	vsim-view --no-header -c i,j,cell,value e.res.h5 | diff - all
	vsim-threshold --max 0.5 -o low.res.h5 e.res.h5
	vsim-threshold --top 9 -o a.res.h5 low.res.h5
	vsim-threshold --max 0.5 --top 9 -o b.res.h5 e.res.h5
	[ "$(content a.res.h5)" = "$(content b.res.h5)" ]
	# each of two stages has others, and together they are too many
	vsim-run -t 0.2 --stage 2/3 --tile 8 -o stage x.vec.h5
	refuses 3 'stage: has [0-9]* of the [0-9]* tiles of the run, and --top is of all' \
		vsim-threshold --top 9 -o x.res.h5 stage
	refuses 3 '/shard-.*: has .* and --top-per-vector is of all' \
		vsim-threshold --top-per-vector 2 -o x.res.h5 "$(ls stage/*.h5)"
	gone x.res.h5
	refuses 2 '--top cannot be combined with --top-per-vector' vsim-threshold --top 2 \
		--top-per-vector 2 -o x.res.h5 e.res.h5
}

# bats test_tags=long
@test "threshold --keep: both ends, or either; by id or by row" {
	made
	printf 'v3 some words\n\n# not an id\nv8\nv20\nv33\nv41\n' >list
	pick='$1 ~ /^(3|8|20|33|41)$/'
	as_filter "$pick && ${pick/1/2}" --keep list
	as_filter "$pick || ${pick/1/2}" --keep list --keep-either
	printf '3\n8\n20\n33\n41\n' >rows
	as_filter "$pick || ${pick/1/2}" --keep rows --by row --keep-either
	vsim-threshold --keep - --keep-either -o s.res.h5 e.res.h5 <list
	[ "$(content s.res.h5)" = "$(content less.res.h5)" ]
	# rows are the original ones
	vsim-permute --order random --seed 3 -o r.vec.h5 x.vec.h5
	vsim-run -t 0.3 -o run.r r.vec.h5
	vsim-threshold --keep rows --by row --keep-either -o less.r run.r
	vsim-merge -o r.res.h5 less.r
	[ "$(vsim-view r.res.h5 | sort)" = "$(vsim-view less.res.h5 | sort)" ]
}

# xxh128: of stdin
xxh128() {
	PYTHONPATH=$TOP/tests/flow "$PYTHON" -c 'import sys, content
print(content.hash128(sys.stdin.buffer.read()).hex())'
}

# bats test_tags=long
@test "threshold --keep: parts of a run by different lists are refused" {
	made
	for k in 1 2; do
		vsim-run -t 0.3 --stage $k/2 --tile 8 -o stage$k x.vec.h5
	done
	seq 0 29 | sed 's/^/v/' >one
	# the same names in another order, one of them twice
	{ tac one && echo '# v40' && echo 'v3 again'; } >two
	seq 0 30 | sed 's/^/v/' >other
	seq 0 29 >rows
	vsim-threshold --keep one -o kept1 stage1
	for list in two other rows; do
		by=id
		[ $list != rows ] || by=row
		vsim-threshold --keep $list --by $by -o $list.2 stage2
	done
	vsim-threshold --keep other -o other.1 stage1
	vsim-merge -o parts.res.h5 kept1 two.2
	# no content digest is of the list, nor is when records were dropped
	"$PYTHON" "$TOP/tests/flow/content.py" kept1/*.h5 parts.res.h5
	vsim-merge -o whole.res.h5 stage1 stage2
	vsim-threshold --keep two -o less.res.h5 whole.res.h5
	[ "$(content parts.res.h5)" = "$(content less.res.h5)" ]
	first=$({ echo id && LC_ALL=C sort one; } | xxh128)
	[ "$(states parts.res.h5 kept_list)" = "$first" ]
	[ "$(states less.res.h5 kept_list)" = "$first" ]
	for list in other rows; do
		refuses 3 'list of vectors whose records were kept differs' \
			vsim-merge -o no.res.h5 kept1 $list.2
	done
	# of two lists both count
	vsim-threshold --keep other -o twice1 kept1
	vsim-threshold --keep other -o twice2 two.2
	vsim-threshold --keep one -o twice3 other.2
	vsim-merge -o twice.res.h5 twice1 twice2
	other=$({ echo id && LC_ALL=C sort other; } | xxh128)
	both=$(printf %s%s "$first" "$other" | xxh128)
	[ "$(states twice.res.h5 kept_list)" = "$both" ]
	refuses 3 'list of vectors whose records were kept differs' \
		vsim-merge -o no.res.h5 twice1 twice3
}

@test "threshold --keep: names that no vector has are reported once" {
	made
	printf 'v3\nnobody\nv8\nnothing\n' >list
	run --separate-stderr vsim-threshold --keep list --keep-either \
		-o a.res.h5 e.res.h5
	[ "$status" = 0 ] && [ -z "$output" ]
	[[ $stderr == *"is called nobody, nor by other names given" ]]
	[ "${#stderr_lines[@]}" = 1 ]
	refuses 3 'list2' vsim-threshold --keep list2 -o b.res.h5 e.res.h5
	refuses 3 'v3: row out of range, 0 to 59' vsim-threshold --keep list \
		--by row -o b.res.h5 e.res.h5
	gone b.res.h5
}

@test "threshold: a shard gives a shard, in its tiles" {
	made
	s=run/shard-00000.shard.h5
	quietly vsim-threshold --above 0.5 -o less.shard.h5 $s
	[ "$(states less.shard.h5 n_tiles)" = "$(states $s n_tiles)" ]
	[ "$(states less.shard.h5 n_evaluated)" = "$(states $s n_evaluated)" ]
	quietly vsim-merge -o a.res.h5 less.shard.h5
	vsim-threshold --above 0.5 -o b.res.h5 e.res.h5
	[ "$(content a.res.h5)" = "$(content b.res.h5)" ]
}

@test "threshold: the run of another threshold cannot be mixed in" {
	made ranks
	vsim-threshold --above 0.5 -o less.shard.h5 run/shard-00001.shard.h5
	refuses 3 'threshold differs' vsim-merge -o a.res.h5 \
		run/shard-00000.shard.h5 less.shard.h5
	vsim-threshold --max 0.5 -o max.shard.h5 run/shard-00001.shard.h5
	refuses 3 'selection of records differs' vsim-merge -o a.res.h5 \
		run/shard-00000.shard.h5 max.shard.h5
}

@test "threshold: nothing left is a result too" {
	made
	quietly vsim-threshold --above 4 -o a.res.h5 e.res.h5
	[ "$(vsim-view --no-header a.res.h5 | wc -l)" = 0 ]
	quietly vsim-threshold --above 4 -o none run
	quietly vsim-merge -o b.res.h5 none
	[ "$(content a.res.h5)" = "$(content b.res.h5)" ]
	quietly vsim-verify a.res.h5 none b.res.h5
}

@test "threshold: a partial result stays partial" {
	made ranks
	vsim-merge --partial -o p.res.h5 run/shard-00001.shard.h5
	vsim-threshold --above 0.5 -o less.res.h5 p.res.h5
	[ "$(states less.res.h5 coverage)" = partial ]
	[ "$(states less.res.h5 n_tiles_missing)" = \
		"$(states p.res.h5 n_tiles_missing)" ]
	quietly vsim-verify --against x.vec.h5 less.res.h5
}

@test "threshold: works without names, unless a list asks for them" {
	made
	rm x.vec.h5
	vsim-merge --no-nodes -o n.res.h5 run
	quietly vsim-threshold --above 0.5 -o a.res.h5 n.res.h5
	quietly vsim-threshold --top-per-vector 2 -o less run
	vsim-threshold --above 0.5 -o b.res.h5 e.res.h5
	[ "$(content a.res.h5)" = "$(content b.res.h5)" ]
	echo v3 >list
	refuses 3 'x.vec.h5 not found; use --vectors' \
		vsim-threshold --keep list -o c.res.h5 n.res.h5
	gone c.res.h5
}

@test "threshold: damaged and mixed input is refused, nothing is left" {
	made ranks
	s=run/shard-00001.shard.h5
	cp $s whole
	flip $s $(($(stat -c %s $s) / 2))
	refuses 3 "$s" vsim-threshold --above 0.5 -o less run
	gone less
	cp whole $s
	vsim-run -t 0.5 --tile 8 -o other x.vec.h5
	cp other/shard-00000.shard.h5 run/shard-00009.shard.h5
	refuses 3 'threshold differs' vsim-threshold --above 0.5 -o less run
	refuses 3 'x.tsv' vsim-threshold --above 0.5 -o less x.tsv
	refuses 3 'x.vec.h5' vsim-threshold --above 0.5 -o less x.vec.h5
	mkdir empty
	refuses 3 'empty: contains no shards' vsim-threshold --min 1 -o less empty
	gone less
}

# bats test_tags=long
@test "threshold, view, merge: a record or tile that cannot be is refused by all" {
	made
	shard=run/shard-00000.shard.h5
	# refused FILE CHANGE REGEX [VIEWED]: the forged file, by each program;
	# VIEWED: what is wrong is nothing that vsim-view shows
	refused() {
		rm -rf forged
		mkdir forged
		cp $1 forged/x.h5
		"$PYTHON" "$TOP/tests/cli/forge.py" forged/x.h5 "$2
if 'tiles' in f: sum_tiles()"
		refuses 3 "forged/x.h5: $3" \
			vsim-threshold --min 0.31 -o less.h5 forged/x.h5
		gone less.h5
		refuses 1 "forged/x.h5: $3" vsim-verify forged/x.h5
		[[ $4 ]] || {
			run --separate-stderr vsim-view forged/x.h5
			[[ $status == 3 && $stderr =~ $3 ]] || complain "view $2"
		}
		[[ $1 == $shard ]] || return 0
		refuses 3 "(forged/x.h5: $3|twice)" \
			vsim-merge -o less.h5 forged/x.h5
	}
	for f in $shard e.res.h5; do
		refused $f 'f["records/num"][3] = 4 * f["records/nvalid"][3] + 1' \
			'/records: row 3 has a count that cannot be'
		refused $f 'f["records/nvalid"][3] = 0' \
			'/records: row 3 has a count that cannot be'
		refused $f 'f["records/value"][3] = 0.3' \
			'/records: row 3 has the value 0.3, which does not pass'
		refused $f 'f["run"].attrs.modify("cell_mask", np.int32(14))' \
			'(/records: row [0-9]+ names vectors or a cell|/tiles: row 0: [0-9]+ values)'
	done
	refused $shard 'f["tiles/evaluated"][2] += 4' \
		'/tiles: row 2: [0-9]+ values evaluated'
	refused $shard 'del f["tiles"]' '/tiles' viewed
	refused $shard 'cut("tiles", slice(None))' '/tiles: hold 0 records' viewed
	refused $shard 'f["records/j"][0] = 59' \
		'/records: row [0-9]+: vectors [0-9]+ and [0-9]+ do not belong to tile'
	refused $shard 'r = f["records"]
for x in r: a = r[x][:]; a[2] = a[0]; r[x][:] = a
' '/records: pair [0-9]+ [0-9]+ cell [0-3] comes twice' viewed
	# records of a tile in any order, none twice
	cp $shard turned.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" turned.h5 'r = f["records"]
for x in r: a = r[x][:]; a[[0, 2]] = a[[2, 0]]; r[x][:] = a'
	quietly vsim-threshold --min 0.31 -o less.h5 turned.h5
	quietly vsim-verify less.h5
}

# bats test_tags=long
@test "threshold: an output that exists stays unless -f, and -f spares others" {
	made ranks
	mkdir less
	echo mine >less/notes
	quietly vsim-threshold --above 0.5 -o less run
	refuses 2 'less: holds 2 shards of a run already; -f' \
		vsim-threshold --above 0.6 -o less run
	vsim-merge -o a.res.h5 less
	quietly vsim-threshold -f --above 0.6 -o less/ run
	[ "$(cat less/notes)" = mine ]
	vsim-merge -o b.res.h5 less
	[ "$(content a.res.h5)" != "$(content b.res.h5)" ]
	refuses 2 'b.res.h5: exists already' \
		vsim-threshold --above 0.6 -o b.res.h5 a.res.h5
	refuses 2 'b.res.h5: is not a directory' \
		vsim-threshold -f --above 0.6 -o b.res.h5 run
	refuses 2 'run: is input and output' \
		vsim-threshold -f --above 0.6 -o ./run run
	refuses 2 'is input and output' \
		vsim-threshold -f --above 0.6 -o ./a.res.h5 a.res.h5
	refuses 4 'x.tsv/such' vsim-threshold --above 0.6 -o x.tsv/such run
	quietly vsim-threshold --above 0.6 -o new/er/some run
	vsim-verify new/er/some
	quietly vsim-threshold --above 0.6 -o newer/b.res.h5 a.res.h5
	vsim-verify newer/b.res.h5
	gone
}

@test "threshold: a full disk is one line, and nothing is left on it" {
	made ranks
	small_disk disk 12k
	refuses 4 'No space left' vsim-threshold --max 2 -o disk/a.res.h5 e.res.h5
	refuses 4 'No space left' vsim-threshold --max 2 -o disk/less run
	[ -z "$(ls -A disk)" ]
}

@test "threshold: stopped by a signal, no directory is left" {
	made
	for wait in 0.005 0.01 0.02 0.04; do
		vsim-threshold --top-per-vector 3 -o less run 2>said &
		pid=$!
		sleep $wait
		kill -TERM $pid || true
		wait $pid || [ ! -e less ]
		gone
		rm -rf less
	done
}

@test "threshold: wrong usage" {
	# the synopsis has lines of its own
	run -2 --separate-stderr vsim-threshold
	[ "$stderr" = "vsim-threshold: nothing to do
$(vsim-threshold --help | sed '/^$/,$d')" ]
	[ "$(grep -c '^       vsim-threshold --' <<<"$stderr")" = 3 ]
	refuses 2 '--threshold, --above, --min, --max, --below, --min-joint, --p-value, --cells, --keep, --fdr, --top, --top-per-vector, --prune, --clump, --tags, --blocks, --components or --degrees is required' vsim-threshold -o x run
	refuses 2 '--output, --prune or --blocks is required' vsim-threshold --min 1 run
	refuses 2 'no value can pass' vsim-threshold --min 0.8 --max 0.7 -o x run
	refuses 2 'no value can pass' vsim-threshold --above 0.7 --max 0.7 -o x run
	refuses 2 'no value can pass.* --threshold' vsim-threshold -t 0.7 --max 0.7 -o x run
	refuses 2 '--threshold cannot be combined with --above' \
		vsim-threshold -t 0.7 --above 0.7 -o x run
	refuses 2 '--threshold abc: not a finite number' vsim-threshold -t abc -o x run
	refuses 2 'abc: not a finite number' vsim-threshold --min abc -o x run
	refuses 2 'nan: not a finite number' vsim-threshold --above nan -o x run
	refuses 2 '--above 0,7: not a finite .* did you mean 0.7[?]$' \
		vsim-threshold --above 0,7 -o x run
	refuses 2 'unknown option --min-r2; use -t$' vsim-threshold --min-r2 0.5 run
	refuses 2 'unknown option --maf-x; .*' vsim-threshold --maf-x 0.5 run
	refuses 2 'not one of 00' vsim-threshold --cells 12 -o x run
	refuses 2 'not one of 00' vsim-threshold --cells 1,,2 -o x run
	refuses 2 'outside 1' vsim-threshold --top-per-vector 0 -o x run
	refuses 2 '--keep-either requires --keep' vsim-threshold --min 1 --keep-either -o x run
	gone x
}

@test "threshold: a limit beyond all values of the metric is refused" {
	vsim-pack --synthetic random --vectors 20 --fields 40 -o x.vec.h5
	vsim-run -m r2 -t 0 -o run --merge r2.res.h5 x.vec.h5
	refuses 2 '^vsim-threshold: --threshold 1: nothing can pass: r2 of pairs is at most 1$' \
		vsim-threshold -t 1 -o x r2.res.h5
	refuses 2 '--above 80: nothing can pass: .* did you mean 0.8[?]$' \
		vsim-threshold --above 80 -o x run
	refuses 2 '--min 1.1: nothing can pass' vsim-threshold --min 1.1 -o x r2.res.h5
	quietly vsim-threshold --min 1 -o one.res.h5 r2.res.h5
	refuses 2 '--threshold 2: nothing can pass' vsim-view -t 2 r2.res.h5
	refuses 2 '--threshold 2: nothing can pass' \
		vsim-threshold --prune x -t 2 x.vec.h5
	refuses 2 '--above 2: nothing can pass' \
		vsim-threshold --prune x --above 2 r2.res.h5
	vsim-run -f -t 0.3 --multiplier 9 -o run x.vec.h5
	quietly vsim-threshold -t 1.9 -o two run
	refuses 2 '--threshold 2.01: nothing can pass: ccc of pairs is at most 2$' \
		vsim-threshold -t 2.01 -o x run
	printf 'id\ta\tb\nx\t1\t2\ny\t4\t6\nz\t1\t3\n' >m.tsv
	vsim-pack --matrix m.tsv -o m.vec.h5
	vsim-run -f -m euclid -t 100 -o run m.vec.h5
	for limit in '-t 0' '--below 0' '--max -1'; do
		# shellcheck disable=SC2086
		refuses 2 'nothing can pass: no euclid is below 0$' \
			vsim-threshold $limit -o x run
	done
	gone x
}

@test "threshold: a complete run stays complete, and no other becomes so" {
	made ranks
	quietly vsim-threshold --above 0.5 -o less run
	[ "$(sed -n 's/^n_shards: //p' less/complete.yaml)" = 2 ]
	vsim-merge -o b.res.h5 less
	[ "$(sed -n 's/^records_sum: //p' less/complete.yaml)" = \
		"$(states b.res.h5 records_sum)" ]
	quietly vsim-threshold -f --above 0.6 -o less run
	vsim-merge -f -o b.res.h5 less
	[ "$(sed -n 's/^n_records: //p' less/complete.yaml)" = \
		"$(states b.res.h5 n_records)" ]
	# of a run that is not complete, or has lost a shard since
	mv run/complete.yaml .
	quietly vsim-threshold -f --above 0.6 -o less run
	gone less/complete.yaml
	quietly vsim-threshold --above 0.6 -o other run
	gone other/complete.yaml
	mv complete.yaml run
	rm run/shard-00001.shard.h5
	quietly vsim-threshold -f --above 0.6 -o less run
	gone less/complete.yaml
}
