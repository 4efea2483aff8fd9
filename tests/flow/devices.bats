# SPDX-License-Identifier: BSD-3-Clause
# A device beside the CPU or in its place, lost or not: one result, that of the
# definition. The device is sim, which is made of CPU arithmetic.
load ../helpers

T=0.6

oracle() {
	"$PYTHON" "$TOP/tests/flow/oracle.py" "$@"
}

content() {
	vsim-view -H "$1" | sed -n 's/^#content_xxh128: //p'
}

# data VECTORS KIND...: x.vec.h5 and the content of the CPU's result, which is
# the definition's
data() {
	requires python numpy h5py
	oracle make "$1" 150 31 "${@:2}" >x.tsv
	vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
	vsim-run -f -t $T --backend cpu -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	oracle check x.tsv $T e.res.h5
	want=$(content e.res.h5)
	[ "$want" ]
}

# same EXIT CMD...: the run of CMD leaves with EXIT, a pattern, and the same result
same() {
	local code=$1 got
	shift
	rm -rf run
	run --separate-stderr "$@" -t $T -o run x.vec.h5
	# shellcheck disable=SC2053
	[[ $status == $code ]] || complain "$*: exit $status, not $code: $stderr"
	vsim-merge -f -o e.res.h5 run
	got=$(content e.res.h5)
	[ "$got" = "$want" ] || complain "$*: $got, not $want"
}

# widths SEED...: what they make of the device
widths() {
	local how seed
	for how in '' missing; do
		# shellcheck disable=SC2086
		data 700 $how
		for seed; do
			same 0 vsim-run -j 2 --backend sim --device seed=$seed
			same 0 vsim-run -j 2 --backend sim+cpu \
				--device seed=$seed --tile 150
			same 0 vsim-run -j 2 --backend sim+cpu \
				--device seed=$seed,real=1 --tile 150
		done
		same 0 vsim-run --backend sim --no-prune --tile 90
	done
}

@test "devices: sim alone and beside the CPU" {
	widths 0 3
}

# bats test_tags=long
@test "devices: sim alone and beside the CPU, of any width and room" {
	widths 0 1 2 3
}

@test "devices: lost on the way, all is there and exit 4 says so" {
	local lost
	data 300 missing
	for lost in 1 2 5; do
		same 4 vsim-run --backend sim --tile 60 --stats s.yaml \
			--device lost=$lost,seed=$lost,real=$((lost % 2))
		grep -q '^device_pieces_lost: [1-9]' s.yaml
		grep -qx 'device_pieces_failed: 0' s.yaml
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr =~ ^vsim-run:\ device\ lost:\ its\ [1-9][0-9]*\ pieces ]]
		[[ $stderr == *"the result in run is complete" ]]
		vsim-verify run
	done
	# beside the CPU it may not come to its first strip
	for lost in 1 2; do
		same '[04]' vsim-run -j 2 --backend sim+cpu --tile 60 \
			--device lost=$lost,real=1
	done
}

# bats test_tags=long
@test "devices: by the clock of sim a run is the same again, another with another seed" {
	local how seed lost one seen
	data 400 missing
	# plan EXIT OPTIONS...: who did what, and when it ended
	plan() {
		local code=$1
		shift
		same "$code" vsim-run --stats s.yaml "$@"
		one=$(grep -E '^(schedule|seconds_played|device_share): ' s.yaml)
		[[ $one == *schedule*seconds_played* ]] || complain "$*: $one"
	}
	for how in sim sim+cpu; do
		seen=
		for seed in 1 2 3; do
			for lost in 0 4; do
				set -- $((lost ? 4 : 0)) -j 3 --tile 40 --backend $how \
					--device seed=$seed,lost=$lost
				plan "$@"
				again=$one
				plan "$@"
				[ "$one" = "$again" ] || complain "$*: $one, $again"
				[[ $seen != *"$one"* ]] || complain "$*: $seen"
				seen+=$one$'\n'
			done
		done
	done
	# the CPU and the device, both busy: within a tile of the ideal
	for seed in $(seq 12); do
		vsim-run -f -t $T -j 3 --tile 20 --backend sim+cpu \
			--device seed=$seed --stats s.yaml -o run x.vec.h5
		awk '/^seconds_played/ { p = $2 } /^seconds_ideal/ { i = $2 }
			/^seconds_tile/ { t = $2 } /^device_share/ { s = $2 }
			END { exit !(i > 0 && p > .999 * i && p < i + t &&
				s > 0 && s < 1) }' s.yaml ||
			complain "seed $seed: $(cat s.yaml)"
	done
	# as time goes by there is none
	vsim-run -f -t $T --backend sim --device real=1 --stats s.yaml -o run x.vec.h5
	! grep -q schedule s.yaml
}

@test "devices: on ranks, each with its own; streamed" {
	requires mpi 3
	data 300 missing
	for n in 2 3; do
		same 0 ranks $n vsim-run -j 1 --backend sim --tile 30
		same 0 ranks $n vsim-run -j 1 --backend sim+cpu --tile 30
		same 4 ranks $n vsim-run -j 1 --backend sim --tile 30 \
			--device lost=3
		[[ $stderr == *"device lost: its "* ]]
	done
	m=$(vsim-run -n -t $T --backend sim --tile 20 x.vec.h5 |
		sed -n 's/^memory_of_a_rank: //p')
	same 0 vsim-run --backend sim --tile 20 --memory $((m - 1))
	vsim-run -n -t $T --backend sim --tile 20 --memory $((m - 1)) x.vec.h5 |
		grep -qx 'blocks: streamed'
	same 4 vsim-run --backend sim --tile 20 --memory $((m - 1)) \
		--device lost=7
}

@test "devices: what computed is named in the file, before and behind" {
	data 50
	compute() {
		rm -rf run
		vsim-run -t $T -o run "$@" x.vec.h5
		vsim-view -H run/shard-00000.shard.h5 |
			sed -n 's/^#compute: //p'
	}
	cpu=$(compute --backend cpu)
	[[ $cpu == cpu-* ]]
	[ "$(compute --backend sim)" = sim-plain ]
	[ "$(compute --backend sim+cpu)" = "sim-plain+$cpu" ]
	vsim-run -n -t $T --backend sim+cpu x.vec.h5 |
		grep -qx "compute: sim-plain+$cpu"
	vsim-run -n -t $T --backend auto x.vec.h5 | grep -qx "compute: $cpu"
	share() {
		sed -n 's/^device_share: //p' s.yaml
	}
	compute --backend sim --stats s.yaml >/dev/null
	[ "$(share)" = 1 ]
	compute --backend cpu --stats s.yaml >/dev/null
	[ "$(share)" = 0 ]
	# all threads but one are refused: the CPU does it
	OMP_THREAD_LIMIT=1 compute --backend sim --device real=1 --stats s.yaml >/dev/null
	[ "$(share)" = 0 ]
}

@test "devices: none is there, and one line says so; auto goes on without" {
	data 50
	export VSIM_PLUGIN_PATH=$PWD/nowhere
	refuses 4 '--backend cuda: no plugin .*nowhere/vsim-cuda.so' \
		vsim-run -t $T --backend cuda -o none x.vec.h5
	refuses 4 '--backend cuda\+cpu: no plugin' \
		vsim-run -t $T --backend cuda+cpu -o none x.vec.h5
	refuses 2 '--device, --engine and --gpu-memory' \
		vsim-run -t $T --backend cpu --device 0 -o none x.vec.h5
	refuses 2 '--device lost: --backend sim takes seed=N, lost=N and real=1' \
		vsim-run -t $T --backend sim --device lost -o none x.vec.h5
	refuses 2 'engine abacus: known are' \
		vsim-run -t $T --backend cuda --engine abacus -o none x.vec.h5
	# auto is done by the CPU before a device is looked for
	refuses 2 'engine abacus: known are' \
		vsim-run -t $T --engine abacus -o none x.vec.h5
	local list
	for list in '' 0, ,0 0,,1 gpu 0x1 -1 ' 0'; do
		refuses 2 "GPUs \"$list\": not a list of numbers as 0,2" \
			vsim-run -t $T --device "$list" -o none x.vec.h5
	done
	gone none
	rm -rf run
	quietly vsim-run -t $T -o run x.vec.h5
	quietly vsim-run -f -t $T --device 0,12 --engine popc -o run x.vec.h5
	# more than half a second's work by the estimate, and all of it left out
	vsim-pack -f --synthetic random --vectors 20000 --fields 1000 -o x.vec.h5
	quietly vsim-run -f -j 1 --cpu scalar --allow-empty -t 0.95 -o run x.vec.h5
	vsim-run -v -f -j 1 --cpu scalar --allow-empty -t 0.95 -o run x.vec.h5 2>said
	grep -q 'no plugin .*nowhere/vsim-cuda.so: the CPU computes$' said
}
