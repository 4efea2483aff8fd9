# SPDX-License-Identifier: BSD-3-Clause
# Association: the same on any ranks, threads, tiles, stages, kernels, without bounds.
load ../../helpers
load ../association

# bats test_tags=long
@test "association: the same whatever tiles, threads, ranks, stages and kernels" {
	local w n first
	for n in 0 0.05; do
		made 5 100 130 "$n" 61
		for w in 2 3; do
			all k2 "$w" -j 1
			first=$(digest x.res.h5)
			[ -n "$first" ]
			all k2 "$w" -j 2 --tile 37
			[ "$(digest x.res.h5)" = "$first" ]
			all k2 "$w" --cpu popcnt --tile 64
			[ "$(digest x.res.h5)" = "$first" ]
			ranks 3 vsim-run -f -m k2 -w "$w" \
				-t 1e300 --tile 20 -o run x.vec.h5
			vsim-merge -f -o x.res.h5 run
			[ "$(digest x.res.h5)" = "$first" ]
			rm -rf run
			for k in 2 1; do
				vsim-run -r -m k2 -w "$w" -t 1e300 --stage $k/2 \
					-o run x.vec.h5 --tile 50 || {
					complain "stage $k"
				}
			done
			vsim-merge -f -o x.res.h5 run
			[ "$(digest x.res.h5)" = "$first" ]
		done
	done
}

# bats test_tags=long
@test "association: the same for ranks, stages, kernels and after --resume" {
	local w missing cpu n k first
	requires mpi 3
	for missing in 0 0.05; do
		made 5 60 130 "$missing" 61
		for w in 2 3; do
			first=
			for cpu in $(cpu_steps); do
				for n in 1 3; do
					rm -rf run
					ranks "$n" vsim-run -m g -w "$w" -t 8 \
						--cpu "$cpu" --tile 9 -o run x.vec.h5
					vsim-merge -f -o x.res.h5 run
					: "${first:=$(digest x.res.h5)}"
					[ "$(digest x.res.h5)" = "$first" ] ||
						complain "$w $cpu $n ranks"
					# half of it, and then the rest
					rm -rf run
					for k in 2 1; do
						ranks "$n" vsim-run -r -m g -w "$w" \
							-t 8 --cpu "$cpu" --tile 9 \
							--stage $k/2 -o run x.vec.h5
					done
					vsim-merge -f -o x.res.h5 run
					[ "$(digest x.res.h5)" = "$first" ] ||
						complain "$w $cpu $n ranks, stages"
				done
			done
			[ -n "$first" ]
		done
	done
}

@test "association: permuted, in little memory, between two sets, in f32" {
	made 8 200 120 0 55
	vsim-run -f -m lbf -t 0.5 -o a x.vec.h5
	vsim-merge -f --unpermute -o a.res.h5 a
	vsim-permute --order random -o y.vec.h5 x.vec.h5
	vsim-run -f -m lbf -t 0.5 --memory 16M --tile 30 -o b y.vec.h5
	vsim-merge -f --unpermute -o b.res.h5 b
	[ "$(vsim-view a.res.h5)" = "$(vsim-view b.res.h5)" ]
	vsim-verify --against x.vec.h5 b.res.h5
	vsim-run -f -m k2 -t 75 --value f32 -o c x.vec.h5
	vsim-verify --against x.vec.h5 c
	vsim-run -f -m g -t 9 --pairs-between 0-49 40-120 -o d x.vec.h5
	vsim-verify --against x.vec.h5 d
}

# bats test_tags=long
@test "association: the same without the bound, gaps and uneven classes too" {
	local of kind way cut
	for of in "0 150" "0 30" "0.1 160"; do
		made 9 40 300 ${of% *} ${of#* }
		for of in "k2 2" "lbf 2" "mi 2" "inter 2" "g 3" "k2 3" \
			"alpha 2" "beta 3" "alpha 3"; do
			kind=${of% *} way=${of#* }
			set -- -m "$kind" -w "$way" --top 90
			[ "$kind" != lbf ] || set -- "$@" -t -50
			vsim-run -f "$@" -o a --merge a.res.h5 x.vec.h5
			vsim-run -f "$@" -o b --merge b.res.h5 --no-prune x.vec.h5
			[ "$(digest a.res.h5)" = "$(digest b.res.h5)" ] ||
				complain "$of: $(digest a.res.h5)"
			cut=$(vsim-view a.res.h5 | awk 'NR > 1 { print $at }
				{ while (NR == 1 && $++at != "value"); }' |
				sort -g | sed -n 45p)
			for of in a b; do
				set -- --no-prune
				[ $of = b ] || shift
				vsim-run -f -m "$kind" -w "$way" -t "$cut" \
					-o $of --merge $of.res.h5 "$@" x.vec.h5
			done
			[ "$(digest a.res.h5)" = "$(digest b.res.h5)" ] ||
				complain "$kind $way $cut: $(digest a.res.h5)"
			vsim-verify --against x.vec.h5 a.res.h5
		done
	done
}
