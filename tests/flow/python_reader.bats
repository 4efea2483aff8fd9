# SPDX-License-Identifier: BSD-3-Clause
# examples/vsim.py, the reader of files for Python, against vsim-view.
load ../helpers

made() {
	requires python numpy h5py
	vsim-pack --vcf "$TOP/examples/chr20.vcf.gz" --maf 0.05 -o x.vec.h5 2>/dev/null
	vsim-run -t 0.75 -o run x.vec.h5 --merge e.res.h5
	export PYTHONPATH=$TOP/examples PYTHONDONTWRITEBYTECODE=1
}

@test "vsim.py: genotypes and numbers are those of vsim-view -g" {
	made
	printf 'id\ta\tb\nx\t1.5\t2\ny\t0\t3.25\n' >m.tsv
	vsim-pack --matrix m.tsv -o m.vec.h5
	vsim-pack --bfile "$TOP/tests/data/in/bfile/good/five-samples" -o b.vec.h5
	vsim-pack --bfile "$TOP/tests/data/in/bfile/good/five-samples" --ploidy 1 \
		-o h.vec.h5 2>/dev/null
	for x in x m b h; do
		vsim-view -g $x.vec.h5 >want
		"$PYTHON" - $x.vec.h5 >got <<-'PY'
		import sys, vsim
		with vsim.Vectors(sys.argv[1]) as x:
		    f = x.file["samples"]
		    fam = vsim.texts(f["family"]) if "family" in f else [None] * len(x.samples)
		    print("id", *(s for s in x.samples), sep="\t")
		    for k in range(0, len(x), 1000):
		        for name, row in zip(x.ids[k:k + 1000], x[k:k + 1000].tolist()):
		            print(name, *("NA" if c == -1 and not x.numbers else f"{c:g}"
		                          for c in row), sep="\t")
		PY
		[ "$(wc -l <want)" -gt 2 ]
		tail -n +2 want | cmp - <(tail -n +2 got) || complain "$x"
	done
}

@test "vsim.py: records, names and the matrix are those of vsim-view" {
	made
	vsim-view --no-header -c i,j,cell,value e.res.h5 >want
	vsim-view --no-header -c id1,id2 e.res.h5 >names
	"$PYTHON" - <<-'PY'
	import vsim
	w = [x.split() for x in open("want")]
	names = [tuple(x.rstrip("\n").split("\t")) for x in open("names")]
	with vsim.Result("e.res.h5") as r:
	    assert r.metric == "ccc" and r.way == 2 and r.n_records == len(w) > 100
	    a, n = r.arrays(), r.names()
	    for k, (i, j, cell, value) in enumerate(w):
	        assert (a["i"][k], a["j"][k]) == (int(i), int(j))
	        assert a["value"][k] == float(value)
	        assert (n[int(i)], n[int(j)]) == names[k]
	    parts = list(r.blocks(len(w) // 5 + 1))
	    assert len(parts) == 5
	    assert sum(len(p["value"]) for p in parts) == len(w)
	PY
	# what is no such file is named
	run -3 "$PYTHON" "$TOP/examples/vsim.py" want
	[[ $output == "vsim.py: want: "* ]]
	"$PYTHON" -c 'import h5py; h5py.File("other.h5", "w")'
	run -3 "$PYTHON" "$TOP/examples/vsim.py" other.h5
	[ "$output" = "vsim.py: other.h5: is no vsim-vectors file" ]
	run -0 "$PYTHON" "$TOP/examples/vsim.py" e.res.h5
	[[ $output == *" records of ccc of "* ]]
	run -2 "$PYTHON" "$TOP/examples/vsim.py"
}

@test "vsim.py: a pandas frame and a scipy matrix of the records" {
	made
	requires python pandas scipy
	vsim-view --no-header -c id1,id2,value e.res.h5 >want
	"$PYTHON" - <<-'PY'
	import numpy as np
	import vsim
	w = [x.rstrip("\n").split("\t") for x in open("want")]
	with vsim.Result("e.res.h5") as r:
	    f = r.frame()
	    assert list(f.columns[:3]) == ["id1", "id2", "cell"]
	    assert f["id1"].tolist() == [x[0] for x in w]
	    assert f["id2"].tolist() == [x[1] for x in w]
	    assert f["value"].tolist() == [float(x[2]) for x in w]
	    assert set(f["cell"]) <= {"00", "01", "10", "11"}
	    m, a = r.sparse(), r.arrays()
	    assert m.shape == (r.n_vectors,) * 2 and (m != m.T).nnz == 0
	    best = {}
	    for i, j, v in zip(a["i"].tolist(), a["j"].tolist(), a["value"].tolist()):
	        best[i, j] = max(v, best.get((i, j), 0))
	    assert m.nnz == 2 * len(best)
	    assert all(m[i, j] == v for (i, j), v in best.items())
	PY
}

@test "vsim.py: types hold" {
	requires cmd mypy
	requires python numpy h5py
	mypy --ignore-missing-imports --cache-dir=/dev/null \
		--disallow-untyped-defs "$TOP/examples/vsim.py"
}
