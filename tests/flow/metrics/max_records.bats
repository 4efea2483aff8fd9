# SPDX-License-Identifier: BSD-3-Clause
# A run that would write more records than it may ends, and can be resumed.
load ../../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	vsim-pack --synthetic random --vectors 300 --fields 40 -o x.vec.h5
}

# records DIR: in all its shards and logs
records() {
	vsim-merge -f --partial -o records.res.h5 "$1" 2>/dev/null
	vsim-view -H records.res.h5 | sed -n 's/^#n_records: //p'
}

# bats test_tags=long
@test "max records: finished work stays, nothing else does, --resume continues" {
	local of n all way t
	for of in "2 0.3" "3 0.25"; do
		way=${of% *} t=${of#* }
		rm -rf all run
		vsim-run -w $way -t $t -o all --merge all.res.h5 -f x.vec.h5
		all=$(records all)
		[ "$all" -gt 5000 ]
		refuses 4 'more than 3000 records: .* --resume with a greater' \
			vsim-run -w $way -t $t --tile 32 --max-records 3000 \
			-o run x.vec.h5
		n=$(records run)
		[ "$n" -le 3000 ] && [ ! -e run/complete.yaml ]
		[ "$n" -gt 0 ] || complain "$of: nothing is saved"
		vsim-verify records.res.h5
		# the same limit stops it again
		refuses 4 'more than 3000 records' vsim-run --resume -w $way \
			-t $t --max-records 3000 -o run x.vec.h5
		[ "$(records run)" -le 3000 ]
		refuses 3 'its threshold differs' vsim-run --resume -w $way \
			-t 0.5 --max-records 3000 -o run x.vec.h5
		vsim-run --resume -w $way -t $t --max-records $all -o run \
			x.vec.h5
		vsim-merge -f -o run.res.h5 run
		vsim-verify --compare all.res.h5 run.res.h5
	done
}

@test "max records: a run with exactly as many completes, and one of ranks ends" {
	local all n
	requires mpi 3
	vsim-run -t 0.35 -o all x.vec.h5
	all=$(records all)
	vsim-run -t 0.35 --max-records "$all" -o run x.vec.h5
	[ "$(records run)" = "$all" ] && [ -e run/complete.yaml ]
	refuses 4 'more than' vsim-run -f -t 0.35 --max-records $((all - 1)) \
		-o run x.vec.h5
	run ranks 3 vsim-run -f -t 0.35 --tile 16 --max-records $((all / 6)) \
		-o run x.vec.h5
	[ "$status" = 4 ] && [[ $output == *"more than $((all / 6)) records"* ]]
	n=$(records run)
	[ "$n" -le $((all / 6 * 3)) ] && [ ! -e run/complete.yaml ]
	ranks 2 vsim-run --resume -t 0.35 -o run x.vec.h5
	[ "$(records run)" = "$all" ]
	refuses 2 '--top cannot be combined with --max-records' \
		vsim-run --top 5 --max-records 9 -o q x.vec.h5
}
