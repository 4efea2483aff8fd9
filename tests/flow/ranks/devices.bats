# SPDX-License-Identifier: BSD-3-Clause
# A device beside the CPU or in its place, lost or not: one result, that of the
# definition. The device is the simulated one of tests/sim.
load ../../helpers

T=0.6

oracle() {
	"$PYTHON" "$TOP/tests/flow/oracle.py" "$@"
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
			simulate "seed=$seed"
			same 0 vsim-run -j 2 --backend cuda
			same 0 vsim-run -j 2 --backend cuda+cpu --tile 150
		done
		same 0 vsim-run --backend cuda --no-prune --tile 90
	done
}

# bats test_tags=long
@test "devices: alone and beside the CPU" {
	widths 0 3
}

# bats test_tags=long
@test "devices: alone and beside the CPU, of any width and room" {
	widths 0 1 2 3
}

@test "devices: if one is lost, the result is complete and the exit status is 4" {
	local lost
	data 300 missing
	for lost in 1 2 5; do
		simulate "lost=$lost,seed=$lost"
		same 4 vsim-run --backend cuda --tile 60 --stats s.yaml
		grep -q '^device_pieces_lost: [1-9]' s.yaml
		grep -qx 'device_pieces_failed: 0' s.yaml
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr =~ ^vsim-run:\ device\ lost:\ its\ [1-9][0-9]*\ pieces ]]
		[[ $stderr == *"the result in run is complete" ]]
		vsim-verify run
	done
	# beside the CPU it may not come to its first strip
	for lost in 1 2; do
		simulate "lost=$lost"
		same '[04]' vsim-run -j 2 --backend cuda+cpu --tile 60
	done
}

# bats test_tags=long
@test "devices: on ranks, each with its own; streamed" {
	requires mpi 3
	data 300 missing
	for n in 2 3; do
		simulate
		same 0 ranks $n vsim-run -j 1 --backend cuda --tile 30
		same 0 ranks $n vsim-run -j 1 --backend cuda+cpu --tile 30
		simulate lost=3
		same 4 ranks $n vsim-run -j 1 --backend cuda --tile 30
		[[ $stderr == *"device lost: its "* ]]
	done
	simulate
	m=$(vsim-run -n -t $T --backend cuda --tile 20 x.vec.h5 |
		sed -n 's/^memory_of_a_rank: //p')
	same 0 vsim-run --backend cuda --tile 20 --memory $((m - 1))
	vsim-run -n -t $T --backend cuda --tile 20 --memory $((m - 1)) x.vec.h5 |
		grep -qx 'blocks: streamed'
	simulate lost=7
	same 4 vsim-run --backend cuda --tile 20 --memory $((m - 1))
}

@test "devices: what computed is named in the file, before and behind" {
	data 50
	compute() {
		rm -rf run
		vsim-run -t $T -o run "$@" x.vec.h5
		vsim-view -H run/shard-00000.shard.h5 |
			sed -n 's/^#compute: //p'
	}
	simulate
	cpu=$(compute --backend cpu)
	[[ $cpu == cpu-* ]]
	[ "$(compute --backend cuda)" = sim-plain ]
	[ "$(compute --backend cuda+cpu)" = "sim-plain+$cpu" ]
	vsim-run -n -t $T --backend cuda+cpu x.vec.h5 |
		grep -qx "compute: sim-plain+$cpu"
	vsim-run -n -t $T --backend auto x.vec.h5 | grep -qx "compute: $cpu"
	share() {
		sed -n 's/^device_share: //p' s.yaml
	}
	compute --backend cuda --stats s.yaml >/dev/null
	[ "$(share)" = 1 ]
	compute --backend cpu --stats s.yaml >/dev/null
	[ "$(share)" = 0 ]
	# all threads but one are refused: the CPU does it
	OMP_THREAD_LIMIT=1 compute --backend cuda --stats s.yaml >/dev/null
	[ "$(share)" = 0 ]
}

@test "devices: without a device one line says so; auto continues on the CPU" {
	data 50
	export VSIM_PLUGIN_PATH=$PWD/nowhere
	refuses 4 '--backend cuda: no plugin .*nowhere/vsim-cuda.so' \
		vsim-run -t $T --backend cuda -o none x.vec.h5
	refuses 4 '--backend cuda\+cpu: no plugin' \
		vsim-run -t $T --backend cuda+cpu -o none x.vec.h5
	refuses 2 '--device cannot be combined with --backend cpu' \
		vsim-run -t $T --backend cpu --device 0 -o none x.vec.h5
	refuses 2 'backend' vsim-run -t $T --backend sim -o none x.vec.h5
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
