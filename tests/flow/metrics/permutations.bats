# SPDX-License-Identifier: BSD-3-Clause
# Family-wise p of records: vsim-run --permutations and column p_family.
load ../../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# made SEED VECTORS SAMPLES MISSING CASES: x.vec.h5
made() {
	"$PYTHON" "$TOP/tests/flow/association.py" make "$@" x
	vsim-pack --tped x -f -o x.vec.h5
}

# digest NAME: the content of NAME.res.h5
digest() {
	vsim-view -H "$1.res.h5" | sed -n 's/^#content_xxh128: //p'
}

# bats test_tags=install
@test "permutations: p_family is what Python finds with the same permutations" {
	local of metric way columns
	made 5 8 60 0.05 25
	for of in 'k2 2' 'mi 2' 'g 3' 'lbf 3'; do
		metric=${of% *} way=${of#* } columns=id1,id2
		[ "$way" = 2 ] || columns=$columns,id3
		set -- -t -1e300
		[ "$metric" != k2 ] || set -- -t 1e300
		vsim-run -f -m "$metric" -w "$way" "$@" --permutations 39 \
			-o run --merge x.res.h5 x.vec.h5 2>/dev/null
		vsim-verify --against x.vec.h5 x.res.h5
		vsim-view --no-header -c "$columns,value,p_family" x.res.h5 |
			tr '\t' ' ' | sort >got
		"$PYTHON" "$TOP/tests/flow/permutations.py" x "$metric" "$way" \
			39 | sort >want
		# several of them, and not all 1
		[ "$(awk '$NF < 1' want | wc -l)" -ge 3 ]
		paste -d' ' got want | awk '{ n = NF / 2; d = $(n - 1) - $(NF - 1)
			for (k = 1; k < n - 1; k++)
				bad += $k != $(n + k)
			bad += d * d > 1e-16 * (1 + $(NF - 1) ^ 2)
			d = $n - $NF
			bad += d * d > 1e-24 }
			END { exit bad || !NR }' || complain "$of" "$(paste got want)"
	done
}

# bats test_tags=install
@test "permutations: of numbers, each vector by itself, as numpy finds it" {
	local of metric ask
	requires python numpy
	"$PYTHON" - <<-'END'
		import numpy as np
		rng = np.random.default_rng(3)
		x = rng.normal(size=(9, 41))
		x[1] += x[0]
		x[3] -= .7 * x[2]
		np.save("f64.npy", x)
		x[rng.random(x.shape) < .08] = np.nan
		np.save("gaps.npy", x)
	END
	for of in 'f64 r' 'f64 |r|' 'gaps |r|' 'gaps r' 'f64 cosine' 'f64 euclid'; do
		metric=${of#* } ask=(-m "${of#* }" -t -1.5)
		[ "$metric" != '|r|' ] || ask=(-m r -t -1 --abs)
		[ "$metric" != euclid ] || ask[3]=1e300
		vsim-pack --matrix "${of% *}.npy" --element f64 -fo x.vec.h5
		vsim-run -f "${ask[@]}" --permutations 29 -o run --merge x.res.h5 \
			x.vec.h5 2>/dev/null
		first=$(digest x)
		vsim-view --no-header -c i,j,value,p_family x.res.h5 >got
		"$PYTHON" "$TOP/tests/flow/permutations.py" numbers "${of% *}.npy" \
			"$metric" 29 >want
		[ "$(awk '$NF < 1' want | wc -l)" -ge 3 ]
		paste got want | tr '\t' ' ' | awk -v abs="$metric" '
			{ v = abs == "|r|" && $3 < 0 ? -$3 : $3
			bad += $1 != $5 || $2 != $6 || (v - $7) ^ 2 > 1e-22 ||
				($4 - $8) ^ 2 > 1e-24 }
			END { exit bad || NR != 36 }' || complain "$of" "$(paste got want)"
		vsim-run -f "${ask[@]}" --permutations 29 --tile 4 -j 2 --cpu scalar \
			-o run --merge x.res.h5 x.vec.h5 2>/dev/null
		[ "$(digest x)" = "$first" ] || complain "$of: tiles"
	done
}

# bats test_tags=long
@test "permutations: the same for ranks, threads, tiles, stages, order, in f32" {
	local of first k
	requires mpi 3
	made 6 40 120 0.02 50
	for of in '-m k2 -t 79' '-m g -w 3 -t 45' '-m r2 -t 0.01' \
		'-m inter -t 4 --pairs-between 0-9 5-39'; do
		set -- "$of" --permutations 29
		# shellcheck disable=SC2086
		{
			vsim-run -f $* -j 1 -o a --merge a.res.h5 x.vec.h5
			first=$(digest a)
			[ -n "$first" ]
			vsim-run -f $* -j 2 --tile 7 -o b --merge b.res.h5 x.vec.h5
			[ "$(digest b)" = "$first" ] || complain "$of: tiles"
			vsim-run -f $* --cpu scalar --no-prune -o b \
				--merge b.res.h5 x.vec.h5
			[ "$(digest b)" = "$first" ] || complain "$of: scalar"
			ranks 3 vsim-run -f $* --tile 9 -o b --merge b.res.h5 \
				x.vec.h5
			[ "$(digest b)" = "$first" ] || complain "$of: ranks"
			rm -rf b
			for k in 2 3 1; do
				vsim-run -r $* --stage $k/3 -o b x.vec.h5
				[ $k = 1 ] || refuses 3 'missing' \
					vsim-merge -f -o b.res.h5 b
			done
			vsim-merge -f -o b.res.h5 b
			[ "$(digest b)" = "$first" ] || complain "$of: stages"
			vsim-verify --compare a b
		} 2>/dev/null
	done
	vsim-permute --order random -o y.vec.h5 x.vec.h5
	vsim-run -f -m k2 -t 79 --permutations 29 -o a --merge a.res.h5 x.vec.h5
	vsim-run -f -m k2 -t 79 --permutations 29 -o b y.vec.h5
	vsim-merge -f --unpermute -o b.res.h5 b
	vsim-view -c i,j,value,p_family a.res.h5 >want
	[ "$(cut -f 4 want | sort -u | wc -l)" -gt 3 ]
	vsim-view -c i,j,value,p_family b.res.h5 | cmp - want
	# a value that was rounded is compared with rounded ones
	vsim-run -f -m k2 -t 79 --permutations 29 --value f32 -o b \
		--merge b.res.h5 x.vec.h5
	vsim-view -c i,j,p_family b.res.h5 | cmp - <(cut -f 1,2,4 want)
}

@test "permutations: what threshold keeps and --top picks has the same p" {
	made 7 30 150 0 60
	vsim-run -f -m g -t 0 --permutations 19 -o a --merge a.res.h5 x.vec.h5
	vsim-view --no-header --sort value -c id1,id2,p_family a.res.h5 | head -9 \
		>want
	vsim-run -f -m g --top 9 --permutations 19 -o b --merge b.res.h5 x.vec.h5
	vsim-view --no-header --sort value -c id1,id2,p_family b.res.h5 |
		cmp - want
	vsim-threshold --top 9 -o c.res.h5 a.res.h5
	vsim-view --no-header --sort value -c id1,id2,p_family c.res.h5 |
		cmp - want
	vsim-verify --against x.vec.h5 c.res.h5
	# what it prints as the threshold of 19 is the strongest of all
	vsim-run -m g --permute-test 19 x.vec.h5 >said
	vsim-view --no-header -c value,p_family a.res.h5 |
		awk -v t="$(sed -n 's/^threshold: //p' said)" \
			'($1 > t) != ($2 == 0.05) { exit 1 }'
}

# bats test_tags=long
@test "permutations: what is saved of them takes no tiles with it at the end" {
	local n want
	vsim-pack --synthetic epistasis --vectors 300 --fields 200 \
		--planted v3,v17 -o x.vec.h5
	# the file saved last has the name of the first or of the second
	for n in 20 21; do
		set -- -j 1 -m k2 -t 1e300 --tile 30 --permutations $n
		vsim-run -f "$@" -o run --merge x.res.h5 x.vec.h5
		want=$(digest x)
		rm -r run x.res.h5
		vsim-run "$@" --commit-every 0 -o run --merge x.res.h5 x.vec.h5
		[ -n "$want" ]
		[ "$(digest x)" = "$want" ]
		rm -r run x.res.h5
	done
}

# bats test_tags=long
@test "permutations: resumed after a signal, and as given" {
	local first
	requires mpi 2
	vsim-pack --synthetic epistasis --vectors 700 --fields 400 \
		--planted v3,v17 -o x.vec.h5
	set -- -m k2 --top 20 --permutations 60 -o run --merge x.res.h5 \
		--commit-every 0
	vsim-run "$@" x.vec.h5
	first=$(digest x)
	[ "$(vsim-view --sort value --no-header -c id1,id2,p_family x.res.h5 |
		head -n 1)" = "$(printf 'v3\tv17\t%s' 0.01639344262295082)" ]
	rm -rf run x.res.h5
	vsim-run "$@" x.vec.h5 2>said &
	while ! compgen -G 'run/*.shard.h5' >/dev/null; do sleep 0.01; done
	kill -TERM $!
	wait $! || [ $? = 143 ]
	if [ ! -e x.res.h5 ]; then
		grep -qE '^vsim-run: stopped by a signal; [0-9]+ of 60 perm.* are sealed in run, and --resume' said ||
			grep -q 'finished work is saved' said
		refuses 3 'run is unfinished' vsim-merge -o x.res.h5 run
		refuses 3 'number of permutations differs' vsim-run -r -m k2 \
			--top 20 --permutations 61 -o run x.vec.h5
		ranks 2 vsim-run -r "$@" x.vec.h5
	fi
	[ "$(digest x)" = "$first" ]
	[ "$(ls run)" = "$(printf '%s\n' complete.yaml run.yaml \
		shard-00000.shard.h5 shard-00001.shard.h5)" ] ||
		[ "$(ls run)" = "$(printf '%s\n' complete.yaml run.yaml \
			shard-00000.shard.h5)" ] || complain "$(ls run)"
}

@test "permutations: what has none, or not all, is refused" {
	requires python numpy h5py
	made 8 12 80 0 30
	vsim-run -m k2 -t 1e300 -o run --merge a.res.h5 x.vec.h5
	refuses 3 'vsim-run --permutations N' vsim-view -c p_family a.res.h5
	refuses 2 '--permutations cannot be combined with thresholds by class' vsim-run -t LL=0.2 \
		--permutations 9 -o no x.vec.h5
	refuses 2 '--permutations cannot be combined with --metric-histogram' vsim-run -m r2 -t 0.2 \
		--permutations 9 --metric-histogram h -o no x.vec.h5
	refuses 2 '--permutations cannot be combined with --against' vsim-run -m k2 -t 80 \
		--permutations 9 --against a.res.h5 -o no x.vec.h5
	refuses 2 '--permute-test cannot be combined with --permutations' \
		vsim-run -m k2 --permute-test 19 --permutations 9 x.vec.h5
	vsim-run -m k2 -t 1e300 --permutations 9 --stage 1/2 -o half x.vec.h5
	refuses 3 'lacks some permutations of its run' \
		vsim-view -c p_family half/shard-00000.shard.h5
	vsim-run -m k2 -t 1e300 --permutations 9 -o b --merge b.res.h5 x.vec.h5
	refuses 3 'number of permutations differs' vsim-merge -o no.res.h5 run b
	refuses 1 'permutations: 9 against 0' vsim-verify --compare a.res.h5 \
		b.res.h5
	cp b.res.h5 c.res.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" c.res.h5 \
		'f["permutations/strongest"][3] = np.inf'
	refuses 3 'row 3 is infinite' vsim-view c.res.h5
	cp b.res.h5 c.res.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" c.res.h5 \
		'f["permutations/strongest"][3] += 1'
	refuses 1 'strongest values of permutations differ' \
		vsim-verify --compare b.res.h5 c.res.h5
	gone no.res.h5
}

# bats test_tags=long
@test "permutations: 5 % of studies without an effect have a p of 5 % or less" {
	local seed
	for seed in {1..150}; do
		made "$seed" 12 80 0 $((20 + seed % 40))
		vsim-run -f -m g --top 1 --permutations 19 -o run \
			--merge x.res.h5 x.vec.h5
		vsim-view --no-header -c p_family x.res.h5
	done >found
	# of 150 with 0.05 each 1 to 17 but for one of 1,000 times, and half of
	# them, 54 to 96, no more than 0.5 but for 4 of 10,000
	awk '{ low += $1 <= 0.05; half += $1 <= 0.5 }
		END { print low, half
			exit NR != 150 || low < 1 || low > 17 || half < 54 ||
				half > 96 }' found || complain "$(cat found)"
}
