# SPDX-License-Identifier: BSD-3-Clause
# vsim-run --against: an earlier result and the run of what is new make, merged,
# the result of the whole, by every metric and in every order of the vectors.
load ../../helpers
load ../metrics

# pack METRIC TABLE OUT
pack() {
	case $1 in
	ps) vsim-pack -f --matrix "$2" --element u16 -o "$3" ;;
	duo) vsim-pack -f --tsv "$2" --label given --ploidy 1 -o "$3" 2>said ;;
	*) vsim-pack -f --tsv "$2" --label given -o "$3" ;;
	esac
}

# earlier CONDITION OPTION...: old.vec.h5 and old.res.h5 of the lines of x.tsv
# that awk picks
earlier() {
	awk "NR == 1 || ($1)" x.tsv >old.tsv
	pack "$metric" old.tsv old.vec.h5
	vsim-run -f "${@:2}" -o old --merge old.res.h5 -f old.vec.h5
}

# whole OPTION...: the content of the run of all
whole() {
	vsim-run -f "$@" -o all --merge all.res.h5 x.vec.h5
	content all.res.h5
}

# completes WANT OPTION...: run and earlier result are WANT together
completes() {
	vsim-verify run
	vsim-merge -f -o new.res.h5 run old.res.h5
	[ "$(content new.res.h5)" = "$1" ] ||
		complain "$metric, ${*:2}: another content than the whole has"
	vsim-verify new.res.h5
}

# row METRIC WAY T [OPTION...]: vectors at the end, in between and in front, and
# an order in which the old ones are mixed
row() {
	local metric=$1 kind old want how=(-m "$1" -w "$2" -t "$3" "${@:4}")
	for kind in '' 'missing vectors'; do
		# shellcheck disable=SC2086
		data "$metric" $((61 + 8 * ${#kind})) $kind
		pack "$metric" x.tsv x.vec.h5
		want=$(whole "${how[@]}")
		[ "$(vsim-view --no-header all.res.h5 | wc -l)" -gt 20 ]
		for old in "NR < 0.8 * $vectors" 'NR % 5' 'NR > 4'; do
			earlier "$old" "${how[@]}"
			vsim-run -f "${how[@]}" --against old.res.h5 --tile 9 \
				-o run x.vec.h5
			completes "$want" "${how[@]}" "$old"
		done
		vsim-permute -f --order random --seed 3 -o p.vec.h5 x.vec.h5
		vsim-run -f "${how[@]}" --against old.res.h5 -o run p.vec.h5
		# thresholds by class are of the labels in the vectors file
		case $3 in *=*) ;; *)
			vsim-merge -f --unpermute -o source.res.h5 all
			vsim-merge -f --unpermute -o new.res.h5 old.res.h5 run
			[ "$(content new.res.h5)" = \
				"$(content source.res.h5)" ] ||
				complain "$metric: another content in another order"
			;;
		esac
		vsim-run -f "${how[@]}" -o all --merge all.res.h5 -f p.vec.h5
		completes "$(content all.res.h5)" "${how[@]}" permuted
		vsim-verify --against p.vec.h5 run new.res.h5
	done
}

vectors=60
# bats test_tags=long
@test "incremental: ccc" { row ccc 2 0.3; }
# bats test_tags=long
@test "incremental: ccc, thresholds by class, joint calls, f32" {
	row ccc 2 LL=0.3,HH=0.2,LL+HH=0.7 --min-joint 50% --value f32
}
# bats test_tags=long
@test "incremental: duo" { row duo 2 0.3; }
# bats test_tags=long
@test "incremental: r2" { row r2 2 0.1; }
# bats test_tags=long
@test "incremental: r, cosine" { row r 2 0.1 && row cosine 2 0.4; }
# bats test_tags=long
@test "incremental: ps" { row ps 2 0.5; }
# bats test_tags=long
@test "incremental: triples" { vectors=25 && row ccc 3 0.2; }
# bats test_tags=long
@test "incremental: triples of ps" { vectors=25 && row ps 3 0.5; }

@test "incremental: cases and controls" {
	local metric=k2 want m how
	requires python numpy
	"$PYTHON" "$TOP/tests/flow/association.py" make 5 40 150 0.05 75 x
	vsim-pack --tped x -f -o x.vec.h5
	awk 'NR % 4 { print $2 }' x.tped >ids
	vsim-pack --tped x --extract ids -f -o old.vec.h5
	for m in "k2 1e300" "inter 4"; do
		how=(-m "${m% *}" -t "${m#* }" --shuffle-cases 7)
		want=$(whole "${how[@]}")
		vsim-run -f "${how[@]}" -o old --merge old.res.h5 -f old.vec.h5
		vsim-run -f "${how[@]}" --against old.res.h5 -o run x.vec.h5
		completes "$want"
		rm all.res.h5
	done
	# the status of a sample has changed
	awk 'NR == 3 { $6 = 3 - $6 } 1' x.tfam >y.tfam
	cp x.tped y.tped
	vsim-pack --tped y -f -o y.vec.h5
	run --separate-stderr vsim-run "${how[@]}" --against old.res.h5 -o no \
		y.vec.h5
	[ "$status" = 3 ]
	[[ $stderr == *'sample 3 has a different case status'* ]]
	gone no
}

# bats test_tags=long
@test "incremental: near pairs, ranks, stages, kills, --merge, twice in a row" {
	local metric=r2 how=(-m r2 -t 0.2 --max-kb 400) want k
	vsim-pack --vcf "$TOP/examples/chr20.vcf.gz" --chr 20 --to-kb 1500 \
		-o x.vec.h5 2>said
	vsim-view --no-header x.vec.h5 | awk '{ print $1 }' >names
	want=$(whole "${how[@]}")
	sed -n '1~3p; 2~3p' names >ids
	for k in old:ids now:names; do
		vsim-pack --vcf "$TOP/examples/chr20.vcf.gz" \
			--extract "${k#*:}" -o "${k%:*}.vec.h5" 2>said
	done
	vsim-run "${how[@]}" -o old --merge old.res.h5 old.vec.h5
	# by more ranks, of a vectors file that has moved
	mv old.vec.h5 moved.vec.h5
	refuses 3 'its vectors file .*old.vec.h5 not found; use --vec' \
		vsim-run "${how[@]}" --against old.res.h5 -o run x.vec.h5
	if can_start 3; then
		ranks 3 vsim-run "${how[@]}" --against old.res.h5 \
			--vectors moved.vec.h5 -o run --merge run.res.h5 x.vec.h5
		[ "$(content run.res.h5)" = "$want" ]
		completes "$want"
	fi
	mv moved.vec.h5 old.vec.h5
	for k in 2 1; do
		vsim-run -f "${how[@]}" --against old.res.h5 --stage $k/2 \
			-o run$k x.vec.h5
	done
	refuses 3 'stages 2 of 2 are missing' \
		vsim-merge -o no.res.h5 old.res.h5 run1
	vsim-merge -f -o new.res.h5 run2 old.res.h5 run1
	[ "$(content new.res.h5)" = "$want" ]
	[ "$(vsim-view -H new.res.h5 | sed -n 's/^#filtered_pairs: //p')" = \
		"$(vsim-view -H all.res.h5 | sed -n 's/^#filtered_pairs: //p')" ]
	# of a run that lost a shard --resume makes the rest
	vsim-run -f "${how[@]}" --against old.res.h5 --commit-every 0 -o run \
		x.vec.h5
	rm "$(ls run/*.shard.h5 | head -n 1)"
	refuses 3 'are missing|is missing|is a merged result' \
		vsim-merge -o no.res.h5 old.res.h5 run
	vsim-run -r "${how[@]}" --against old.res.h5 -o run x.vec.h5
	completes "$want"
	# the result is one that the next run can go on from
	vsim-run -f "${how[@]}" --against new.res.h5 -o run x.vec.h5 2>said &&
		complain 'nothing is new'
	grep -q 'there are no new ones' said
}

# filtered FILTER METRIC T: triples; old.vec.h5 goes on to be x.vec.h5
filtered() {
	local metric=$2 want kind
	# shellcheck disable=SC2206
	local how=(-w 3 -m "$2" -t "$3" $1)
	want=$(whole "${how[@]}")
	[ "$(vsim-view --no-header all.res.h5 | wc -l)" -gt 20 ]
	vsim-run -f "${how[@]}" -o old --merge old.res.h5 old.vec.h5
	vsim-run -f "${how[@]}" --against old.res.h5 -o run --tile 9 x.vec.h5
	completes "$want" "${how[@]}"
	vsim-verify --against x.vec.h5 run new.res.h5
	rm old.res.h5 all.res.h5
}

# bats test_tags=long
@test "incremental: triples with each pair filter, of ccc and k2, stages, ranks" {
	local filter how k want
	awk 'BEGIN { srand(8); for (v = 0; v < 24; v++) {
		printf "%d v%d 0 %d", 1 + int(v / 9), v, 1000 * (v % 9 + 1)
		for (k = 0; k < 40; k++) printf(rand() < 0.02 ? " 0 0" : \
			rand() < 0.5 ? " A A" : rand() < 0.5 ? " A C" : " C C")
		print "" } }' >x.tped
	awk 'BEGIN { for (k = 0; k < 40; k++)
		print k, k, 0, 0, 0, 1 + k % 2 }' >x.tfam
	vsim-pack --tped x -o x.vec.h5
	awk 'NR % 3 { print $2 }' x.tped >ids
	vsim-pack --tped x --extract ids -o old.vec.h5
	for filter in "--max-kb 5" "--min-kb 2" --within-chromosome \
		"--max-kb 5 --min-kb 2"; do
		filtered "$filter" ccc 0.1
	done
	filtered --inter-chromosome k2 1e300
	filtered --within-chromosome k2 1e300
	how=(-w 3 -m ccc -t 0.1 --max-kb 6)
	want=$(whole "${how[@]}")
	vsim-run -f "${how[@]}" -o old --merge old.res.h5 old.vec.h5
	for k in 2 1; do
		vsim-run -f "${how[@]}" --against old.res.h5 --stage $k/2 \
			-o run$k x.vec.h5
	done
	vsim-merge -f -o new.res.h5 run2 old.res.h5 run1
	[ "$(content new.res.h5)" = "$want" ]
	# the run alone
	vsim-merge -o part.res.h5 run1 run2
	vsim-verify --against x.vec.h5 part.res.h5 new.res.h5
	! can_start 2 || {
		rm new.res.h5
		ranks 2 vsim-run -f "${how[@]}" --against old.res.h5 -o run \
			--merge new.res.h5 x.vec.h5
		[ "$(content new.res.h5)" = "$want" ]
	}
}

# bats test_tags=long
@test "incremental: sorted on disk, without names, and packed by nothing" {
	local metric=ccc want
	data ccc 80
	# calls are missing in new vectors only
	awk -v OFS='\t' 'NR > 1 && NR % 3 == 0 { $9 = $33 = "NA" } 1' x.tsv >y.tsv
	mv y.tsv x.tsv
	pack ccc x.tsv x.vec.h5
	want=$(whole -t 0.1)
	earlier 'NR % 3' -t 0.1
	vsim-run -t 0.1 --against old.res.h5 -o run x.vec.h5
	vsim-merge --memory 1M --no-nodes -o a.res.h5 old.res.h5 run
	[ "$(content a.res.h5)" = "$want" ]
	vsim-merge --codec none -f -o old.res.h5 old
	vsim-merge --codec none -o b.res.h5 run old.res.h5
	[ "$(content b.res.h5)" = "$want" ]
	vsim-verify a.res.h5 b.res.h5
	# the run alone is of pairs between, and says so
	vsim-merge -o part.res.h5 run 2>said
	grep -q 'extends an earlier result' said
	vsim-verify --against x.vec.h5 part.res.h5
}

# bats test_tags=long
@test "incremental: another question, other vectors and other results are refused" {
	local metric=ccc against=(vsim-run -o no --against old.res.h5)
	data ccc 50
	earlier 'NR % 3' -t 0.3
	refuses 3 'its threshold differs' "${against[@]}" -t 0.31 x.vec.h5
	refuses 3 'its metric differs' "${against[@]}" -t 0.3 -m r2 x.vec.h5
	refuses 3 'its number of ways differs' "${against[@]}" -t 0.3 -w 3 x.vec.h5
	refuses 3 'its type of value differs' \
		"${against[@]}" -t 0.3 --value f32 x.vec.h5
	refuses 3 'its gamma or multiplier differs' \
		"${against[@]}" -t 0.3 --gamma 0.5 x.vec.h5
	refuses 3 'its least number of joint calls differs' \
		"${against[@]}" -t 0.3 --min-joint 9 x.vec.h5
	refuses 3 'there are no new ones' "${against[@]}" -t 0.3 old.vec.h5
	refuses 2 '--against cannot be combined with --max-sites' \
		"${against[@]}" -t 0.3 --max-sites 9 x.vec.h5
	refuses 2 '--against cannot be combined with --top' "${against[@]}" --top 9 x.vec.h5
	refuses 2 '--against cannot be combined with --pairs-between' \
		"${against[@]}" -t 0.3 --pairs-between 0-3 4-9 x.vec.h5
	refuses 2 '--vectors requires --against' \
		vsim-run -t 0.3 --vectors old.vec.h5 -o no x.vec.h5
	vsim-merge --part 1/2 -o half.res.h5 old
	refuses 3 'half.res.h5: is a part: vsim-merge without --part makes' \
		vsim-run -t 0.3 --against half.res.h5 -o no x.vec.h5
	refuses 3 'is a shard' vsim-run -t 0.3 \
		--against "$(ls old/*.shard.h5)" -o no x.vec.h5
	# a vector that is gone, has another entry, other labels, other samples
	sed 4d x.tsv >y.tsv
	pack ccc y.tsv y.vec.h5
	refuses 3 'has no vector v2' "${against[@]}" -t 0.3 y.vec.h5
	awk -v OFS='\t' 'NR == 5 { $7 = ($7 + 1) % 3 } 1' x.tsv >y.tsv
	pack ccc y.tsv y.vec.h5
	refuses 3 'vector v3 has other entries' "${against[@]}" -t 0.3 y.vec.h5
	awk -v OFS='\t' 'NR == 5 { for (k = 2; k <= NF; k++)
		if ($k != "NA") $k = 2 - $k } 1' x.tsv >y.tsv
	pack ccc y.tsv y.vec.h5
	refuses 3 'vector v3 has other .*labels' "${against[@]}" -t 0.3 y.vec.h5
	! can_start 2 || refuses 3 'vector v3 has other .*labels' ranks 2 \
		"${against[@]}" -t 0.3 y.vec.h5
	sed '1s/s9/t9/' x.tsv >y.tsv
	pack ccc y.tsv y.vec.h5
	refuses 3 'sample 10 differs from' "${against[@]}" -t 0.3 y.vec.h5
	cut -f 1-50 x.tsv >y.tsv
	pack ccc y.tsv y.vec.h5
	refuses 3 'its number of fields differs' "${against[@]}" -t 0.3 y.vec.h5
	gone no
	# results that are not the one
	vsim-run -t 0.3 --against old.res.h5 -o run x.vec.h5
	vsim-threshold --above 0.4 -o less.res.h5 old.res.h5
	refuses 3 'is not the result that run/.* extends' \
		vsim-merge -o no.res.h5 run less.res.h5
	refuses 3 'are both merged results' \
		vsim-merge -o no.res.h5 less.res.h5 run old.res.h5
	vsim-run -t 0.3 -o all x.vec.h5
	# shards that keep fewer than the earlier result does
	local more
	for more in "--above 0.5" "--cells 11" "--min-joint 20" "--top 9"; do
		vsim-threshold -f $more -o fewer run
		refuses 3 'old.res.h5: answers a different .* than fewer/.* differs; merge' \
			vsim-merge -o no.res.h5 fewer old.res.h5
	done
	refuses 3 'is a merged result' vsim-merge -o no.res.h5 all old.res.h5
	refuses 2 '--partial' vsim-merge --partial -o no.res.h5 run old.res.h5
	refuses 3 'earlier result differs' vsim-run -r -t 0.3 \
		--against less.res.h5 -o run x.vec.h5 || [[ $stderr == *differs* ]]
	gone no.res.h5
}

@test "incremental: the page's words on the rows are true" {
	local metric=ccc
	requires python numpy h5py
	requires cmd xxh128sum
	data ccc 50
	earlier 'NR % 3' -t 0.3
	vsim-run -t 0.3 --against old.res.h5 -o run x.vec.h5
	"$PYTHON" -c "
import sys, h5py
f = h5py.File('$(ls run/*.h5)')
second, old = list(f['sets/second']), list(f['sets/old'])
assert second == [v for v in range($vectors) if (v + 2) % 3]
assert old == list(range(len(second)))
sys.stdout.buffer.write(f['sets/old'][()].astype('<i8').tobytes())
" | xxh128sum | sed "s/ .*//; s/^/#against: $(content old.res.h5) /" >want
	vsim-view -H run/*.h5 | grep '^#against: ' | diff want -
	"$PYTHON" "$TOP/tests/flow/content.py" run/*.h5
	cp run/*.h5 bad.shard.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" bad.shard.h5 'f["sets/old"][0:2] = [1, 0]'
	refuses 3 '/sets/old is not what /run says' \
		vsim-merge -o no.res.h5 bad.shard.h5 old.res.h5
}
