# SPDX-License-Identifier: BSD-3-Clause
# Records sorted by value.
load ../../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# sorted KEY RESULT OPTION...: lines by value, the strongest first, as sort has it
sorted() {
	local key=$1 from=$2 memory
	shift 2
	vsim-view --no-header --file-order -c i,j,cell,value,id1 "$@" "$from" |
		LC_ALL=C sort -t"$(printf '\t')" -k4,4g$key -k1,1n -k2,2n -k3,3n >want
	[ "$(wc -l <want)" -gt 20 ]
	for memory in 64K 1G; do
		vsim-view --no-header --file-order -c i,j,cell,value,id1 \
			--sort value --memory $memory "$@" "$from" >got
		cmp want got || complain "$key $memory $*: $(wc -l <want) lines"
	done
}

# bats test_tags=long
@test "sort: --sort value, in any memory, of any records" {
	vsim-pack --synthetic random --vectors 250 --fields 30 -o x.vec.h5
	vsim-run -t 0.35 -o run --merge e.res.h5 x.vec.h5
	[ "$(vsim-view --no-header e.res.h5 | wc -l)" -gt 20000 ]
	sorted r e.res.h5
	sorted r e.res.h5 -i v3,v77
	sorted r run/shard-00000.shard.h5
	vsim-run -f -m r -t -1 -o run --merge r.res.h5 x.vec.h5
	sorted r r.res.h5
	# other formats, and where runs are: nothing is left
	vsim-view --sort value --to abc --memory 1K -o e.abc e.res.h5
	vsim-view --to abc e.res.h5 | LC_ALL=C sort -k3,3gr -s >want
	cmp <(cut -f3 e.abc) <(cut -f3 want)
	[ "$(echo e.abc*)" = e.abc ]
	cmp <(sort e.abc) <(sort want)
	vsim-view --sort value e.res.h5 | head -n 2 >two
	[ "$(wc -l <two)" = 2 ]
}

@test "sort: --sort of k2 has the least first; what cannot be sorted is refused" {
	requires python sys
	"$PYTHON" "$TOP/tests/flow/association.py" make 5 30 100 0.05 50 x
	vsim-pack --tped x -o x.vec.h5
	vsim-run -m k2 -t 1e300 -o run --merge k.res.h5 x.vec.h5
	sorted '' k.res.h5
	refuses 2 '--sort requires a result' vsim-view --sort value x.vec.h5
	refuses 2 '--memory requires --sort' vsim-view --memory 1M k.res.h5
	refuses 2 'an order of its own' vsim-view --sort value --to matrix k.res.h5
}
