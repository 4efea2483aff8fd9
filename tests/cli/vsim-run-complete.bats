# SPDX-License-Identifier: BSD-3-Clause
# vsim-run: complete.yaml, and --resume of a run that is complete.
load ../helpers
load run

# mark NAME: a line of run/complete.yaml
mark() {
	sed -n "s/^$1: //p" run/complete.yaml
}

@test "run: complete.yaml exists only while the run is complete" {
	packed 60 100
	vsim-run -t 0.4 --tile 20 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	[ "$(mark n_shards) $(mark n_tiles)" = "1 6" ]
	for name in n_records records_sum source_sum vectors_content run_uuid; do
		[ -n "$(mark $name)" ] && [ "$(mark $name)" = \
			"$(vsim-view -H e.res.h5 | sed -n "s/^#$name: //p")" ]
	done
	# what is refused changes nothing
	cp run/complete.yaml before
	refuses 2 'holds 1 shard' vsim-run -t 0.4 -o run x.vec.h5
	refuses 3 'threshold differs' vsim-run --resume -t 0.5 -o run x.vec.h5
	vsim-run -n -f -t 0.5 -o run x.vec.h5 >plan
	refuses 2 'tiles in run were computed without it' vsim-run --resume -t 0.4 -o run \
		--metric-histogram h.tsv x.vec.h5
	cmp run/complete.yaml before
	# nothing is left to do: it is written again
	rm run/complete.yaml
	quietly vsim-run --resume -t 0.4 -o run x.vec.h5
	grep -v '^#' run/complete.yaml | diff - <(grep -v '^#' before)
	! races || skip "tsan"
	# -f takes it away before the shards; a limit on files stops the new ones
	(ulimit -f 1 && ! vsim-run -f -t 0.4 -o run x.vec.h5) 2>words
	grep -q 'cannot write' words
	[ ! -e run/complete.yaml ]
	quietly vsim-run --resume -t 0.4 -o run x.vec.h5
	[ "$(mark n_records)" = "$(sed -n 's/^n_records: //p' before)" ]
	gone
}

@test "run: resuming a complete run leaves its records readable" {
	local at digest
	packed 200 60
	vsim-run -t 0.4 --tile 20 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	digest=$(vsim-view -H e.res.h5 | grep '^#content_xxh128: ')
	# a byte of the middle, which is of records
	at=$(($(stat -c %s run/shard-00000.shard.h5) / 2))
	flip run/shard-00000.shard.h5 $at
	quietly vsim-run --resume -t 0.4 --tile 20 -o run x.vec.h5
	refuses 3 'damaged' vsim-merge -o no.res.h5 run
	# all is read where the run is not complete, or not what is stated
	sed -i 's/^n_records: /&1/' run/complete.yaml
	refuses 3 'damaged' vsim-run --resume -t 0.4 --tile 20 -o run x.vec.h5
	rm run/complete.yaml
	refuses 3 'damaged' vsim-run --resume -t 0.4 --tile 20 -o run x.vec.h5
	rm run/shard-00000.shard.h5
	quietly vsim-run --resume -t 0.4 --tile 20 -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	[ "$(vsim-view -H e.res.h5 | grep '^#content_xxh128: ')" = "$digest" ]
	# what is stated is not believed of shards that have other sums
	vsim-run -f -t 0.5 --tile 20 -o other x.vec.h5
	cp other/complete.yaml run
	quietly vsim-run --resume -t 0.4 --tile 20 -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	[ "$(vsim-view -H e.res.h5 | grep '^#content_xxh128: ')" = "$digest" ]
}

# bats test_tags=long
@test "run: resuming a complete run reads no vectors and computes nothing" {
	packed 200 60
	vsim-run -t 0.4 --tile 20 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	cp run/complete.yaml before
	quietly vsim-run --resume -t 0.4 --tile 20 --stats s.yaml -o run x.vec.h5
	for name in seconds_input seconds_compute comparisons pairs; do
		grep -Eqx "$name: 0(\.0*)?" s.yaml
	done
	grep -v '^#' run/complete.yaml | diff - <(grep -v '^#' before)
	requires mpi 3
	rm -r run
	ranks 3 vsim-run -t 0.4 --tile 20 -o run x.vec.h5
	ranks 2 vsim-run --resume -t 0.4 --tile 20 --stats s.yaml -o run x.vec.h5
	grep -Eqx "seconds_compute_most: 0(\.0*)?" s.yaml
	# one tile of one shard is enough not to be
	rm run/shard-00001.shard.h5
	quietly vsim-run --resume -t 0.4 --tile 20 --stats s.yaml -o run x.vec.h5
	grep -Eqx "pairs: [1-9][0-9]*" s.yaml
	vsim-merge -o again.res.h5 run
	digest=$(vsim-view -H e.res.h5 | grep '^#content_xxh128: ')
	[ -n "$digest" ]
	[ "$(vsim-view -H again.res.h5 | grep '^#content_xxh128: ')" = "$digest" ]
}

@test "run: complete.yaml of stages, and of shards that were lost since" {
	packed 200 60
	vsim-run -t 0.4 --stage 1/2 -o run x.vec.h5
	[ "$(mark n_stages)" = 2 ]
	n=$(mark n_tiles)
	! races || skip "tsan"
	# gone on with, and failed
	(ulimit -f 1 && ! vsim-run -t 0.4 --stage 2/2 --resume -o run x.vec.h5) \
		2>words
	[ ! -e run/complete.yaml ]
	vsim-run -t 0.4 --stage 2/2 --resume -o run x.vec.h5
	[ "$(mark n_tiles)" -gt "$n" ]
	quietly vsim-merge -o e.res.h5 run
	requires mpi 2
	rm -r run
	ranks 2 vsim-run -t 0.4 --tile 20 -o run x.vec.h5
	[ "$(mark n_shards)" = 2 ]
	run vsim-verify -v run
	[[ $output == *"run: complete.yaml matches these shards"* ]]
	# a hint and no proof
	rm run/shard-00001.shard.h5
	refuses 3 'run: [0-9]+ tiles are missing, tile .* first: the run was complete, but 1 shards are gone' \
		vsim-merge -o no.res.h5 run
	run -1 vsim-verify run
	[[ $output == *"tiles are missing" ]]
}

@test "run: complete.yaml of triples, whose tiles are chosen when the data are known" {
	vsim-pack --synthetic epistasis --vectors 60 --fields 100 -o x.vec.h5
	quietly vsim-run -w 3 -t 0.5 -j 1 -o run x.vec.h5
	[ "$(mark n_tiles)" -gt 1 ]
	cp run/complete.yaml before
	rm run/complete.yaml
	quietly vsim-run --resume -w 3 -t 0.5 -o run x.vec.h5
	grep -v '^#' run/complete.yaml | diff - <(grep -v '^#' before)
}
