# SPDX-License-Identifier: BSD-3-Clause
# Triples of two sets: those of all triples with a vector of one and another of
# the other, so of a pair of vectors those with any third.
load ../../helpers
load ../triples

# between A B: of rows those with one vector in A and another in B, each LO-HI
between() {
	awk -F'\t' -v a="${1%-*}" -v A="${1#*-}" -v b="${2%-*}" -v B="${2#*-}" '
		NR == 1 { print; next }
		{
			wanted = 0
			for (x = 1; x <= 3; x++)
				for (y = 1; y <= 3; y++)
					wanted += x != y && $x >= a && $x <= A &&
						$y >= b && $y <= B
			if (wanted)
				print
		}'
}

# a pair; a vector and a set, in it or not; sets that are apart, that share
# vectors, that are one, of which one has the other, of all
sets=("10-10 3-3" "25-25 0-19" "4-4 2-9" "0-9 10-25" "0-5 3-12" "3-8 3-8"
	"2-20 5-7" "0-24 0-25")

# same METRIC THRESHOLD TILES: all sets and sizes of tiles
same() {
	local set tile a b
	vsim-run -f -w 3 -m "$1" -t "$2" -o all --merge all.res.h5 x.vec.h5
	for set in "${sets[@]}"; do
		read -r a b <<<"$set"
		rows all.res.h5 | between "$a" "$b" >want
		[ "$(wc -l <want)" -gt 3 ]
		for tile in $3; do
			vsim-run -f -w 3 -m "$1" -t "$2" --tile "$tile" \
				--triples-between "$a" "$b" -o run \
				--merge run.res.h5 x.vec.h5
			rows run.res.h5 | cmp - want ||
				complain "$1 $set tiles of $tile"
		done
		run --separate-stderr vsim-verify -v --against x.vec.h5 run
		[ "$status" = 0 ] || complain "$1 $set: $stderr"
		# where all pass as many are searched as are there
		if [ "$2" = 1e300 ]; then
			[[ $stderr == *" $(($(wc -l <want) - 1)) records recomputed, $(($(wc -l <want) - 1)) pairs"* ]] ||
				complain "$1 $set: $stderr"
		fi
		vsim-verify run.res.h5
		vsim-run -f -w 3 -m "$1" -t "$2" --triples-between "$b" "$a" \
			-o run --merge turned.res.h5 x.vec.h5
		[ "$(digest run.res.h5)" = "$(digest turned.res.h5)" ]
	done
}

# bats test_tags=long
@test "triples between: those of all, of k2 with gaps" {
	made 5 26 150 0.03
	same k2 1e300 "1 4 30"
}

# bats test_tags=long
@test "triples between: those of all, of other metrics" {
	local gaps
	for gaps in 0 0.06; do
		made 6 26 150 "$gaps"
		columns=i,j,k,value
		same g 9 "1 5"
		same inter 0.001 7
		columns=i,j,k,cell,value,num
		same ccc 0.15 "1 5"
	done
	columns=i,j,k,value
	vsim-pack --synthetic random --element u8 --vectors 26 --fields 40 \
		-f -o x.vec.h5
	same ps 0.5 "1 6"
}

# bats test_tags=long
@test "triples between: the same whatever ranks, stages, kernels and resume" {
	local how=(-w 3 -m lbf -t -3 --triples-between 0-11 8-25) first k
	made 7 40 120 0.03
	vsim-run "${how[@]}" -o run --merge x.res.h5 x.vec.h5
	first=$(digest x.res.h5)
	[ -n "$first" ]
	for k in 1 7 20; do
		ranks 3 vsim-run -f "${how[@]}" --tile "$k" -o run x.vec.h5
		vsim-merge -f -o x.res.h5 run
		[ "$(digest x.res.h5)" = "$first" ]
	done
	vsim-run -f "${how[@]}" --cpu scalar -j 2 -o run --merge x.res.h5 -f \
		x.vec.h5
	[ "$(digest x.res.h5)" = "$first" ]
	rm -rf run
	for k in 3 1 2; do
		vsim-run -r "${how[@]}" --stage $k/3 -o run x.vec.h5
		vsim-verify --against x.vec.h5 run
	done
	vsim-merge -f -o x.res.h5 run
	[ "$(digest x.res.h5)" = "$first" ]
	# tiles that a killed run had not sealed
	rm -rf run
	vsim-run "${how[@]}" --tile 3 --commit-every 0 -o run x.vec.h5
	rm "$(ls run/*.h5 | head -1)"
	ranks 2 vsim-run -r "${how[@]}" -o run x.vec.h5
	vsim-merge -f -o x.res.h5 run
	[ "$(digest x.res.h5)" = "$first" ]
	# by their names in another order, and back in the source's
	vsim-merge -f --unpermute -o a.res.h5 run
	vsim-permute --order random -o y.vec.h5 x.vec.h5
	for ((k = 0; k < 12; k++)); do
		echo "v$k"
	done >a
	for ((k = 8; k < 26; k++)); do
		echo "v$k"
	done >b
	vsim-run -w 3 -m lbf -t -3 --triples-between @b @a -o perm y.vec.h5
	vsim-merge -f --unpermute -o b.res.h5 perm
	[ "$(vsim-view a.res.h5)" = "$(vsim-view b.res.h5)" ]
	vsim-verify --against x.vec.h5 b.res.h5
}

@test "triples between: --top, the plan, and a sample of a result" {
	local n
	made 8 60 160 0.02
	vsim-run -w 3 -m k2 -t 1e300 -o all --merge all.res.h5 x.vec.h5
	vsim-run -w 3 -m k2 --top 20 --triples-between 7-7 30-49 --tile 11 \
		-o run --merge run.res.h5 x.vec.h5
	rows all.res.h5 | between 7-7 30-49 | tail -n +2 |
		sort -t "$(printf '\t')" -k4,4g -k1,1n -k2,2n -k3,3n |
		head -20 | sort >want
	rows run.res.h5 | tail -n +2 | sort | cmp - want
	vsim-verify --against x.vec.h5 run
	vsim-run -f -w 3 -m k2 -t 1e300 --triples-between 0-9 5-39 -o run x.vec.h5
	vsim-verify --sample 300 --against x.vec.h5 run
	# all of them pass, and the sample of the plan is all of a fixed pair
	n=$(vsim-run -n -w 3 -m k2 -t 1e300 --triples-between 7-7 30-30 \
		-o plan x.vec.h5 | awk '/^records_estimated:/ { print $2 }')
	awk -v n="$n" 'BEGIN { exit !(n > 57 && n < 59) }' || complain "$n"
}

@test "triples between: what it does not go with, and forged sets" {
	made 9 20 40 0
	refuses 2 '--triples-between requires --way 3' vsim-run -t 0.5 --triples-between 0-3 4-5 \
		-o run x.vec.h5
	refuses 2 '--triples-with cannot be combined with --triples-between' vsim-run -w 3 -t 0.5 --triples-between 0-3 4-9 \
		--triples-with 3-5 -o run x.vec.h5
	refuses 3 'the same single variant' vsim-run -w 3 -t 0.5 \
		--triples-between 3-3 3-3 -o run x.vec.h5
	refuses 3 'triples-between 0-20: are not rows from 0 to 19' vsim-run -w 3 \
		-t 0.5 --triples-between 0-20 3-3 -o run x.vec.h5
	[ ! -e run ]
	vsim-run -w 3 -t -1 --triples-between 3-5 7-9 -o run --merge r.res.h5 \
		x.vec.h5
	vsim-run -w 3 -t -1 --triples-between 3-5 7-10 -o other x.vec.h5
	refuses 3 'two sets of vectors' vsim-merge -o no.res.h5 run other
	# --bonferroni counts what was looked at: of 3 and 3 vectors that are
	# apart, and 14 others, 3 * 3 * 14 + 2 * 3 * 3 = 144
	vsim-run -f -w 3 -m g -t 0 --triples-between 3-5 7-9 -o g \
		--merge g.res.h5 x.vec.h5
	[ "$(rows g.res.h5 | tail -n +2 | wc -l)" = 144 ]
	vsim-threshold --p-value 0.144 --bonferroni -o b.res.h5 g.res.h5
	vsim-view -H b.res.h5 | grep -q 'p at most 0.001$'
}
