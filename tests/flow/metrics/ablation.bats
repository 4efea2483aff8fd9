# SPDX-License-Identifier: BSD-3-Clause
# Ablation: with any bound or filter switched off by VSIM_WITHOUT a result stays
# the same bits, so each of them is exact.
load ../../helpers

# names: those that VSIM_WITHOUT knows
names() {
	sed -n 's/^ABLATION([A-Z_]*, "\(.*\)")$/\1/p' "$TOP/libcore/engine/rows.h"
}

# names_beside FOLDER: those that are asked for outside of this one of the engine
names_beside() {
	local id name
	sed -n 's/^ABLATION(\(.*\), "\(.*\)")$/\1 \2/p' \
		"$TOP/libcore/engine/rows.h" |
		while read -r id name; do
			! grep -qrw "VS_WITHOUT_$id" --include=*.c \
				--exclude-dir="$1" "$TOP/libcore/engine" ||
				echo "$name"
		done
}

# result RUN-OPTION...: the content of a run on x.vec.h5, and its table
result() {
	local head
	vsim-run -f "$@" --backend cpu -o run x.vec.h5 &&
		vsim-merge -f -o e.res.h5 run &&
		head=$(vsim-view -H e.res.h5) &&
		[[ $head =~ content_xxh128:\ ([0-9a-f]*) ]] &&
		echo "${BASH_REMATCH[1]}" &&
		{ [[ $* != *histogram* ]] || sha256sum <table; }
}

# same RUN-OPTION...: each name alone, and all together; with: and this one. What
# triples alone, or pairs alone, ask for is tried with them.
same() {
	local want got name other=triple
	[[ $* != *--way\ 3* ]] || other=pair
	[ -e "names-$other" ] || names_beside $other >"names-$other"
	want=$(result "$@")
	[ "$want" ]
	[ "$(vsim-view --no-header e.res.h5 | wc -l)" -gt 20 ] ||
		complain "$*: hardly a record"
	for name in $(cat "names-$other") "$(names | paste -sd,)"; do
		name=${with:+$with,}$name
		got=$(VSIM_WITHOUT=$name result "$@")
		[ "$got" = "$want" ] || complain "$name, $*: $got"
	done
}

# genotypes VECTORS FIELDS KIND...: x.vec.h5
genotypes() {
	requires python numpy
	"$PYTHON" "$TOP/tests/flow/oracle.py" make "$1" "$2" 5 "${@:3}" >x.tsv
	vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
}

# bats test_tags=long
@test "ablation: pairs of alleles, calls missing or not, and their histogram" {
	# enough fields for prefixes to be counted
	genotypes 100 2100
	same -t 0.4 -j 2
	same -t 0.4 --metric-histogram table
	genotypes 140 200 missing vectors
	same -t 0.4 -j 2
	same -t 0.4 --metric-histogram table
	same -t 0.45 --min-joint 50%
}

# bats test_tags=long
@test "ablation: r2" {
	# enough fields for prefixes to be counted
	genotypes 140 2100
	same -m r2 -t 0.3
	genotypes 190 300
	same -m r2 -t 0.1
	genotypes 190 300 missing
	same -m r2 -t 0.1
}

# numbers TYPE: x.vec.h5
numbers() {
	requires python numpy
	"$PYTHON" -c '
import sys
import numpy as np
rng = np.random.default_rng(3)
kin = rng.gamma(0.4, 40, (20, 500))
x = np.repeat(kin, 9, axis=0) * rng.uniform(0.8, 1.25, (180, 500))
np.save("x.npy", np.minimum(x, 255).astype(sys.argv[1]))' "$1"
	vsim-pack -f --matrix x.npy -o x.vec.h5
}

# bats test_tags=long
@test "ablation: ps of numbers, pairs and triples" {
	local type
	for type in u1 f4; do
		numbers $type
		same -m ps -t 0.8
		same -m ps -t 0.8 --way 3 -j 2
	done
}

# bats test_tags=long
@test "ablation: triples, the greatest of them, and their histogram" {
	local how
	for how in '' missing; do
		genotypes 45 200 $how
		same --way 3 -t 0.25 -j 2
		with=cost-model same --way 3 -t 0.3
		same --way 3 --top 100
		same --way 3 -t 0.3 --metric-histogram table
	done
}

@test "ablation: -v says it, an unknown name is refused with those known" {
	genotypes 20 30
	VSIM_WITHOUT=prefix vsim-run -v -t 0.4 -o run x.vec.h5 2>said
	grep -q 'VSIM_WITHOUT=prefix' said
	vsim-run -f -v -t 0.4 -o run x.vec.h5 2>said
	! grep -q VSIM_WITHOUT said
	VSIM_WITHOUT=prefix,fast refuses 2 'fast: no such name: known are' \
		vsim-run -f -t 0.4 -o run x.vec.h5
	for name in $(names); do
		VSIM_WITHOUT=fast vsim-run -f -t 0.4 -o run x.vec.h5 2>&1 |
			grep -qw -- "$name"
	done
}
