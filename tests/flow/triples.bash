# SPDX-License-Identifier: BSD-3-Clause
# For tests of triples that sets of vectors choose: `load triples`, behind the
# helpers.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# made SEED VECTORS SAMPLES MISSING: x.vec.h5 of cases and controls
made() {
	"$PYTHON" "$TOP/tests/flow/association.py" make "$@" $(($3 / 2)) x
	vsim-pack --tped x -f -o x.vec.h5
}

# rows FILE: records by rows of the vectors file
rows() {
	vsim-view --file-order -c "${columns:-i,j,k,value}" "$1"
}

digest() {
	vsim-verify "$1" >&2
	vsim-view -H "$1" | awk '/^#content/ { print $NF; exit }'
}
