# SPDX-License-Identifier: BSD-3-Clause
# Made-up cases and controls with a planted set, against Python, and found.
load ../../helpers

py() {
	requires python numpy h5py
	"$PYTHON" "$TOP/tests/flow/planted.py" "$@"
}

# made OPTION...: x.vec.h5
made() {
	vsim-pack -f --synthetic epistasis -o x.vec.h5 "$@"
}

# found WAY ID...: the strongest set by k2
found() {
	vsim-run -f -m k2 -w "$1" --top 1 -o run --merge x.res.h5 x.vec.h5
	[ "$(vsim-view --no-header -c "id1,id2${4:+,id3}" x.res.h5 | xargs)" = \
		"${*:2}" ] || complain "wanted ${*:2}: $(vsim-view x.res.h5)"
}

@test "planted: penetrances, frequencies, classes and gaps are those asked for" {
	local model set
	for model in multiplicative threshold xor; do
		for set in v2,v5 v7,v1,v3; do
			made --vectors 8 --fields 60000 --cases 20000 --seed 3 \
				--model $model --planted $set --missing 0.1 \
				--penetrance 0.1 0.5 --frequency 0.2 0.4
			py x.vec.h5 $model $set 20000 0.1 0.1 0.5 0.2 0.4
		done
	done
	# independent of the classes, where nothing is planted
	made --vectors 8 --fields 60000 --frequency 0.3 0.3
	py x.vec.h5 none none 30000 0 0.2 0.6 0.3 0.3
}

# bats test_tags=long
@test "planted: the strongest set is the planted one" {
	local model
	for model in multiplicative threshold xor; do
		made --vectors 300 --fields 1500 --model $model --planted v17,v240
		found 2 v17 v240
		made --vectors 90 --fields 3000 --model $model --cases 1000 \
			--penetrance 0.1 0.7 --planted v80,v4,v31 --missing 0.02
		found 3 v4 v31 v80
	done
	# alone, and by two, the vectors of an xor tell nothing
	made --vectors 90 --fields 3000 --planted v80,v4,v31
	found 3 v4 v31 v80
	vsim-run -f -m lbf -t 20 -o run --merge x.res.h5 --allow-empty x.vec.h5
	[ -z "$(vsim-view --no-header x.res.h5)" ]
}

@test "planted: the same again by the same seed, another by another" {
	local n=0 seed
	for seed in 1 1 2; do
		made --vectors 40 --fields 200 --planted v3,v9 --seed $seed
		n=$((n + 1))
		vsim-view -g x.vec.h5 >$n.tsv
		vsim-verify x.vec.h5
	done
	cmp 1.tsv 2.tsv
	! cmp -s 1.tsv 3.tsv
	made --vectors 9 --fields 200 --planted v3,v9
	vsim-view -g --no-header x.vec.h5 >4.tsv
	tail -n +2 1.tsv | head -n 9 | cmp - 4.tsv
}

@test "planted: wrong sets, models, ranges and company are refused" {
	local words says
	while IFS=: read -r words says; do
		# shellcheck disable=SC2086
		refuses 2 "$says" vsim-pack -o y.vec.h5 --vectors 9 --fields 20 \
			--synthetic $words
	done <<-'EOT'
	epistasis --planted v1:two or three vectors
	epistasis --planted v1,v2,v3,v4:two or three vectors
	epistasis --planted v1,v10:v10 is not one of the vectors v1 to v9
	epistasis --planted v0,v2:v0 is not one
	epistasis --planted v-1,v2:v-1 is not one
	epistasis --planted v1,,v2: is not one of the vectors
	epistasis --planted v2,v2:v2 occurs twice
	epistasis --cases 21:there are 20 fields
	epistasis --penetrance 0 0.5:must be above 0 and below 1
	epistasis --penetrance 0.6 0.5:0.6 is above 0.5
	epistasis --penetrance 0.6 x:x is not within 0 and 1
	epistasis --frequency 0.1 0.6:0.6 is not within 0 and 0.5
	epistasis --element u8:--element requires --matrix, --format-field, --synthetic random or
	random --cases 3:--cases requires --synthetic epistasis
	analytic --planted v1,v2:--planted requires --synthetic epistasis
	EOT
	gone y.vec.h5
	refuses 2 '--planted requires --synthetic epistasis' vsim-pack --tsv x \
		--planted v1,v2 -o y.vec.h5
	made --vectors 9 --fields 20 --planted v1,v2
	vsim-run -f -m lbf -t -100 -o run x.vec.h5
	refuses 3 "not made up by vsim-pack --synthetic" vsim-verify --closed-form x.vec.h5 run
}
