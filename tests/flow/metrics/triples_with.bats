# SPDX-License-Identifier: BSD-3-Clause
# Triples with a vector of a set: those of all triples that have one.
load ../../helpers
load ../triples

# with LO HI: of rows those with a vector in [LO, HI]
with() {
	awk -F'\t' -v lo="$1" -v hi="$2" 'NR == 1 ||
		($1 >= lo && $1 <= hi) || ($2 >= lo && $2 <= hi) ||
		($3 >= lo && $3 <= hi)'
}

# bats test_tags=long
@test "triples with: those of all, of every metric, with and without gaps" {
	local of gaps metric t set
	for gaps in 0 0.06; do
		made 5 26 150 "$gaps"
		for of in "ccc 0.2" "k2 1e300" "g 20" "inter 6"; do
			metric=${of% *} t=${of#* }
			columns=i,j,k,value
			[ "$metric" != ccc ] || columns=i,j,k,cell,value,num
			vsim-run -f -w 3 -m "$metric" -t "$t" -o all \
				--merge all.res.h5 x.vec.h5
			for set in 10-12 0-0 25-25 0-24 0-25; do
				vsim-run -f -w 3 -m "$metric" -t "$t" --tile 6 \
					--triples-with "$set" -o run \
					--merge run.res.h5 x.vec.h5
				rows all.res.h5 | with "${set%-*}" "${set#*-}" \
					>want
				rows run.res.h5 | cmp - want ||
					complain "$metric $gaps $set"
				[ "$set" != 10-12 ] ||
					vsim-verify --against x.vec.h5 run
				vsim-verify run.res.h5
			done
			[ "$(wc -l <want)" -gt 20 ]
		done
	done
}

@test "triples with: of numbers" {
	vsim-pack --synthetic random --element f32 --vectors 60 --fields 40 \
		-o n.vec.h5
	vsim-run -w 3 -m ps -t 0.5 -o all --merge all.res.h5 n.vec.h5
	vsim-run -w 3 -m ps -t 0.5 --triples-with 20-25 --tile 9 -o run \
		--merge run.res.h5 n.vec.h5
	rows all.res.h5 | with 20 25 >want
	[ "$(wc -l <want)" -gt 20 ]
	rows run.res.h5 | cmp - want
	vsim-verify --against n.vec.h5 run
}

# bats test_tags=long
@test "triples with: the same whatever tiles, ranks, stages, order and resume" {
	local first k
	made 6 40 120 0.03
	vsim-run -w 3 -m lbf -t 1 --triples-with 11-19 -o run \
		--merge x.res.h5 x.vec.h5
	first=$(digest x.res.h5)
	[ -n "$first" ]
	for k in 1 7 20; do
		ranks 3 vsim-run -f -w 3 -m lbf -t 1 --triples-with 11-19 \
			--tile "$k" -o run x.vec.h5
		vsim-merge -f -o x.res.h5 run
		[ "$(digest x.res.h5)" = "$first" ]
	done
	rm -rf run
	for k in 3 1 2; do
		vsim-run -r -w 3 -m lbf -t 1 --triples-with 11-19 \
			--stage $k/3 -o run x.vec.h5
		vsim-verify --against x.vec.h5 run
	done
	vsim-merge -f -o x.res.h5 run
	[ "$(digest x.res.h5)" = "$first" ]
	# by their names in another order, and back in the source's
	vsim-merge -f --unpermute -o a.res.h5 run
	vsim-permute --order random -o y.vec.h5 x.vec.h5
	for k in 11 12 13 14 15 16 17 18 19; do
		echo "v$k"
	done >ids
	vsim-run -w 3 -m lbf -t 1 --triples-with @ids -o perm y.vec.h5
	vsim-merge -f --unpermute -o b.res.h5 perm
	[ "$(vsim-view a.res.h5)" = "$(vsim-view b.res.h5)" ]
	vsim-verify --against x.vec.h5 b.res.h5
}

@test "triples with: --top, and names of what is strongest with one vector" {
	local m t of
	made 7 30 160 0.02
	for of in "k2 1e300 g" "ccc 0 gr"; do
		read -r m t of <<<"$of"
		columns=i,j,k,value,cell
		vsim-run -f -w 3 -m "$m" -t "$t" -o all --merge all.res.h5 x.vec.h5
		vsim-run -f -w 3 -m "$m" --top 30 --triples-with 7-7 --tile 11 \
			-o run --merge run.res.h5 x.vec.h5
		rows all.res.h5 | with 7 7 | tail -n +2 |
			sort -t "$(printf '\t')" -k"4,4$of" -k1,1n -k2,2n \
				-k3,3n -k5,5n | head -30 | sort >want
		rows run.res.h5 | tail -n +2 | sort | cmp - want || complain "$m"
		vsim-verify --against x.vec.h5 run
	done
}

@test "triples with: what it does not go with, and forged sets" {
	made 8 20 40 0
	refuses 2 '--triples-with requires --way 3' vsim-run -t 0.5 --triples-with 0-3 \
		-o run x.vec.h5
	refuses 2 '--pairs-between cannot be combined with --way 3' vsim-run -w 3 -t 0.5 --pairs-between 0-3 4-9 \
		-o run x.vec.h5
	refuses 3 'triples-with 0-20: are not rows from 0 to 19' vsim-run -w 3 \
		-t 0.5 --triples-with 0-20 -o run x.vec.h5
	refuses 3 'triples-with 1:900-901: no vector' vsim-run -w 3 -t 0.5 \
		--triples-with 1:900-901 -o run x.vec.h5
	[ ! -e run ]
	vsim-run -w 3 -t -1 --triples-with 3-5 -o run --merge r.res.h5 x.vec.h5
	vsim-run -w 3 -t -1 --triples-with 3-6 -o other x.vec.h5
	refuses 3 'two sets of vectors' vsim-merge -o no.res.h5 run other
	# --bonferroni counts what was looked at: C(20, 3) - C(17, 3)
	vsim-run -f -w 3 -m g -t 1 --triples-with 3-5 -o g --merge g.res.h5 x.vec.h5
	vsim-threshold --p-value 0.46 --bonferroni -o b.res.h5 g.res.h5
	vsim-view -H b.res.h5 | grep -q 'p at most 0.001$'
}
