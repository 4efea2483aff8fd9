# SPDX-License-Identifier: BSD-3-Clause
# Inputs and readers of vectors files that the tests of vsim-pack share.
IN=$TOP/tests/data/in
CHR20=$VSIM_TEST_DATA/1000g-chr20
MOUSE=$VSIM_TEST_DATA/mouse-hs1940/mouse_hs1940

# as_text X.vec.h5...: X.vec.h5.txt each, of source alleles, by h5py alone
as_text() {
	requires python numpy h5py
	"$PYTHON" "$TOP/tests/vecdump.py" --source "$@"
}

# as_labels X.vec.h5...: the same, of labels 0 and 1
as_labels() {
	requires python numpy h5py
	"$PYTHON" "$TOP/tests/vecdump.py" "$@"
}

# synthetic PREFIX N_SITE N_SAMPLE SEED: .bed with rare alleles and missing
# calls, some sites and samples altogether missing
synthetic() {
	requires python numpy
	"$PYTHON" - "$@" <<-'PY'
	import sys
	import numpy as np
	name, v, n, seed = sys.argv[1], *map(int, sys.argv[2:])
	r = np.random.default_rng(seed)
	f = r.choice([0, .02, .05, .1, .3, .5, .8, 1], (v, 1))
	g = (r.random((v, n)) < f).astype(int) + (r.random((v, n)) < f)
	gone = r.random((v, n)) < r.choice([0, .05, .1, .3], (v, 1))
	gone[3], gone[:, n // 2] = True, True
	code = np.where(gone, 1, np.array([0, 2, 3])[g]).astype("u1")
	code = np.pad(code, ((0, 0), (0, -n % 4))).reshape(v, -1, 4)
	code = (code << np.array([0, 2, 4, 6], "u1")).sum(axis=2).astype("u1")
	with open(name + ".bed", "wb") as o:
	    o.write(b"\x6c\x1b\x01" + code.tobytes())
	with open(name + ".bim", "w") as o:
	    for k in range(v):
	        print(1 + k // 100, f"v{k}", 0, 10 * k + 10, *r.permutation(
	            list("ACGT"))[:2], sep="\t", file=o)
	with open(name + ".fam", "w") as o:
	    for q in range(n):
	        print(f"F{q // 3}", f"I{q}", 0, 0, 1 + q % 2, -9, file=o)
	PY
}

# inputs OPTION good|bad: lines "name option argument"
inputs() {
	local f name arg ends=says
	[ $2 = bad ] || ends=want
	for f in "$IN/$1/$2"/*.$ends; do
		name=${f##*/}
		name=${name%.*}
		if [[ $help == *"--$1 PREFIX"* ]]; then
			arg=${f%.*}
		else
			for arg in "${f%.*}".*; do
				case $arg in
				*.want | *.says | *.warns) ;;
				*) break ;;
				esac
			done
		fi
		echo "$name --$1 $arg"
	done
}
