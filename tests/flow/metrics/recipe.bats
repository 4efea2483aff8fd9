# SPDX-License-Identifier: BSD-3-Clause
# Other multipliers and gammas along the whole path, against the definition in
# fractions; and what passes a threshold against all that there is.
load ../../helpers

# data VECTORS FIELDS SEED PLOIDY [missing...]; leaves x.tsv, x.vec.h5
data() {
	requires python numpy
	"$PYTHON" "$TOP/tests/flow/oracle.py" make "${@:1:3}" "${@:5}" >x.tsv
	vsim-pack -f --tsv x.tsv --label given --ploidy "$4" -o x.vec.h5
}

# bats test_tags=long
@test "recipe: values of other fractions are those of the definition" {
	local metric ploidy way how m g
	for metric in ccc duo; do
		ploidy=2
		[ $metric = ccc ] || ploidy=1
		for way in 2 3; do
			for how in '' 'missing=0.2 vectors'; do
				[ $metric = duo ] && [ -z "$how" ] && continue
				# shellcheck disable=SC2086
				data 13 37 $way $ploidy $how
				while read -r m g; do
					path -1 $way -m $metric --no-prune \
						--multiplier $m --gamma $g
					listed $way >got
					"$PYTHON" "$TOP/tests/flow/recipe.py" \
						all x.tsv got $way $ploidy $m $g
					vsim-verify --against x.vec.h5 e.res.h5
				done <<-END
					9/2 2/3
					512/81 2/3
					1 0
					4.7 0.65
					3/7 1
				END
			done
		done
	done
}

# bats test_tags=long
@test "recipe: what passes is the same with and without pruning, in every way" {
	local way how m g n t cpu
	simulate
	for way in 2 3; do
		for how in '' missing=0.02; do
			# shellcheck disable=SC2086
			data $((way == 2 ? 160 : 34)) 200 $((6 + way)) 2 $how
			while read -r m g n; do
				path -1 $way --no-prune --multiplier $m \
					--gamma $g
				listed $way >all
				# a value that occurs: the n-th of all
				t=$(awk '{ print $NF }' all | sort -gr |
					sed -n "${n}p")
				awk -v t="$t" '$NF + 0 > t + 0' all >want
				[ "$(wc -l <want)" -gt 9 ]
				for cpu in scalar "$(cpu_steps | tail -n 1)"; do
					path $t $way --cpu $cpu \
						--multiplier $m --gamma $g -j 2
					listed $way >got
					diff want got >differ || complain \
						"$way $m $g $t $cpu:" \
						"$(head -n 5 differ)"
				done
				[ $way = 3 ] && continue
				path $t 2 --backend cuda --multiplier $m \
					--gamma $g
				listed $way | cmp - want
			done <<-END
				9/2 1 300
				4.5 0.25 100
				1 0 900
				512/81 2/3 40
			END
		done
	done
}

@test "recipe: its own fractions, however written, are the default to the bit" {
	data 50 200 3 2 missing
	vsim-run -t 0.4 -o a x.vec.h5
	vsim-run -t 0.4 --multiplier 4.50 --gamma 4/6 -o b x.vec.h5
	vsim-merge -o a.res.h5 a
	vsim-merge -o b.res.h5 b
	vsim-verify --compare b.res.h5 a.res.h5
}

@test "recipe: invalid fractions and inexact ones are refused" {
	local m
	data 5 20 3 2
	for m in 1e3 -1 . 1/0 0.66666666666666667 1000001 ''; do
		refuses 2 "--multiplier $m: expected a decimal such as 4.5" \
			vsim-run -t 1 -o run --multiplier "$m" x.vec.h5
	done
	refuses 2 '--multiplier 0: makes every value 0' \
		vsim-run -t 1 -o run --multiplier 0 x.vec.h5
	refuses 2 '--gamma 1.01: makes values negative: 0 to 1' \
		vsim-run -t 1 -o run --gamma 1.01 x.vec.h5
	refuses 2 '--gamma cannot be combined with --metric r2' \
		vsim-run -t 1 -o run -m r2 --gamma 1 x.vec.h5
	refuses 3 'with multiplier 9/2 and gamma 499979/1000000 are exact of' \
		vsim-run -w 3 -t 1 -o run --gamma 0.499979 x.vec.h5
	[ ! -e run ]
}

@test "recipe: another one is another question" {
	data 20 50 3 2
	vsim-run -t 0.4 --gamma 0.5 -o run x.vec.h5
	refuses 3 'gamma or multiplier' \
		vsim-run -t 0.4 --resume -o run x.vec.h5
	vsim-run -t 0.4 --gamma 1/2 --resume -o run x.vec.h5
	vsim-run -t 0.4 -o other x.vec.h5
	cp run/*.shard.h5 other/b.shard.h5
	refuses 3 'gamma or multiplier' vsim-merge -o e.res.h5 other
	rm -rf other
	vsim-run -t 9 --allow-empty --gamma 0.5 -o other x.vec.h5
	vsim-merge -f -o a.res.h5 other
	vsim-run -f -t 9 --allow-empty -o other x.vec.h5
	vsim-merge -f -o b.res.h5 other
	refuses 1 'ccc_gamma: 0.6666666666666666 against 0.5' \
		vsim-verify --compare a.res.h5 b.res.h5
	vsim-run -n -t 0.4 --gamma 0.5 -w 3 x.vec.h5 >plan
	grep -qx 'multiplier: 9/2' plan
	grep -qx 'gamma: 1/2' plan
}

@test "recipe: analytic vectors have the values known beforehand" {
	local way
	for way in 2 3; do
		vsim-pack -f --synthetic analytic --vectors 40 --fields 500 \
			-o x.vec.h5
		path 0.03 $way --multiplier 3/7 --gamma 0.65
		vsim-verify --closed-form x.vec.h5 e.res.h5
		vsim-verify --against x.vec.h5 e.res.h5
	done
}
