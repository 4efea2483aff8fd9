# SPDX-License-Identifier: BSD-3-Clause
# All ways to one result: each kernel, pruned or not, one thread or two, calls
# missing or not, as one content digest after vsim-merge, and that of the
# definition. Ranks, whose start takes longest, meet each of the others.
load ../helpers

T=0.7

# a start of MPI takes half the time where it need not look for networks
export OMPI_MCA_pml=ob1 OMPI_MCA_osc=^ucx OMPI_MCA_coll=^hcoll
export OMPI_MCA_mtl=^ofi

oracle() {
	"$PYTHON" "$TOP/tests/flow/oracle.py" "$@"
}

# kernels: those of this CPU, best first
kernels() {
	local k
	for k in $(vsim-run --version |
		sed -n 's/^kernels \(.*\);.*/\1/p'); do
		! vsim-run -n -t 0 --kernel "$k" x.vec.h5 >/dev/null 2>&1 ||
			echo "$k"
	done
}

# data SHARE: x.vec.h5 with so many calls missing, and the first result, which
# is the definition's
data() {
	requires python numpy h5py
	oracle make 300 1000 21 "missing=$1" >x.tsv
	vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
	rm -rf run
	vsim-run -t $T -j 1 --kernel scalar --no-prune --stats all.yaml \
		-o run x.vec.h5
	vsim-merge -f -o first.res.h5 run
	oracle check x.tsv $T first.res.h5
	want=$(content first.res.h5)
	[ "$want" ]
}

content() {
	vsim-view -H "$1" | sed -n 's/^#content_xxh128: //p'
}

# same CMD...: the run of CMD has the content of the first one
same() {
	local got
	rm -rf run
	"$@" -t $T -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	got=$(content e.res.h5)
	[ "$got" = "$want" ] || complain "$*: $got, not $want"
}

counted() {
	sed -n 's/^pairs_counted: //p' "$1"
}

# alone SHARE: every kernel, pruned and not, on one and two threads
alone() {
	local kernel prune j
	data "$1"
	for kernel in $(kernels); do
		for prune in --no-prune ''; do
			for j in 1 2; do
				# shellcheck disable=SC2086
				same vsim-run -j $j --kernel "$kernel" $prune \
					--stats s.yaml
			done
		done
	done
	# and something was left out, unless so little is known of a pair
	[ "$1" = 0.3 ] || [ "$(counted s.yaml)" -lt "$(counted all.yaml)" ]
}

@test "ways: every kernel, pruned or not, 1 and 2 threads; dense" {
	alone 0
}

@test "ways: every kernel, pruned or not, 1 and 2 threads; 1 % missing" {
	alone 0.01
}

@test "ways: every kernel, pruned or not, 1 and 2 threads; 5 % missing" {
	alone 0.05
}

@test "ways: every kernel, pruned or not, 1 and 2 threads; 30 % missing" {
	alone 0.3
}

@test "ways: 2 to 4 ranks, kernels in turn, pruned or not, calls missing" {
	requires mpi 4
	local share n prune turn=0 kernel
	for share in 0 0.01 0.05 0.3; do
		data $share
		read -ra kernel <<<"$(kernels | tr '\n' ' ')"
		for n in 2 3 4; do
			for prune in --no-prune ''; do
				# shellcheck disable=SC2086
				same ranks $n vsim-run -j $((1 + turn % 3 / 2)) \
					--tile $((20 * n)) $prune --kernel \
					"${kernel[turn++ % ${#kernel[@]}]}"
			done
		done
	done
}
