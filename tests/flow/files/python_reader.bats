# SPDX-License-Identifier: BSD-3-Clause
# examples/python/vsim.py, the reader of files for Python, against vsim-view.
load ../../helpers

made() {
	requires python numpy h5py
	zcat "$TOP/examples/chr20.vcf.gz" | head -n 6000 |
		vsim-pack --vcf - --maf 0.05 -o x.vec.h5 2>/dev/null
	vsim-run -t 0.75 -o run x.vec.h5 --merge e.res.h5
	export PYTHONPATH=$TOP/examples/python PYTHONDONTWRITEBYTECODE=1
}

# bats test_tags=long
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

# bats test_tags=long
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
	run -0 "$PYTHON" -m vsim e.res.h5
	[[ $output == *" records, ccc, "*" vectors" ]]
	run -2 "$PYTHON" -m vsim
}

@test "vsim.py: a data frame has the columns of vsim-view, for each kind of file" {
	made
	requires python pandas scipy
	local columns=id,chrom,pos,allele0,allele1,n0,n1,n2,missing,freq1
	cp "$TOP"/tests/data/in/bfile/good/five-samples.* .
	vsim-pack --bfile five-samples -o b.vec.h5
	vsim-pack --bfile five-samples --ploidy 1 -o h.vec.h5 2>/dev/null
	sed 's/^1\t/X\t/' five-samples.bim >chrx.bim
	cp five-samples.bed chrx.bed
	awk '{ $5 = NR % 2 + 1 } 1' five-samples.fam >chrx.fam
	vsim-pack --bfile chrx -o s.vec.h5 2>/dev/null
	vsim-run -m r2 -t 0 -o runs s.vec.h5 --merge s.res.h5
	for x in x b h s; do
		vsim-view -c "$columns" $x.vec.h5 >$x.want
	done
	vsim-view -c id1,chrom1,pos1,allele1,freq1,id2,chrom2,pos2,allele2,freq2,cell,value,num,i,j \
		e.res.h5 >e.want
	"$PYTHON" - <<-'PY'
	import io, numpy as np, pandas, vsim

	def same(frame, path):
	    want = pandas.read_csv(path, sep="\t", float_precision="round_trip",
	                           dtype=dict.fromkeys(("chrom", "chrom1", "chrom2"), str))
	    assert list(frame.columns) == list(want.columns), (path, list(frame.columns))
	    for name in want:
	        a, b = frame[name], want[name]
	        if a.dtype == object:
	            assert a.astype(str).tolist() == b.astype(str).tolist(), (path, name)
	        else:
	            np.testing.assert_allclose(a, b, rtol=1e-12, err_msg=f"{path} {name}")

	for x in "xbhs":
	    with vsim.Vectors(f"{x}.vec.h5") as v:
	        same(v.variants(), f"{x}.want")
	        assert v.sample_table()["id"].tolist() == v.samples
	with vsim.Result("e.res.h5") as r:
	    whole = r.frame()
	    cells = whole.assign(cell=whole["cell"].map(lambda c: int(c, 2)))
	    same(cells, "e.want")
	    assert whole.equals(vsim.read_result("e.res.h5"))
	    assert r.frame(3, 5)["value"].tolist() == whole["value"].tolist()[3:5]
	    assert set(r.variants()["id"]) == set(whole["id1"]) | set(whole["id2"])
	    at = whole.iloc[0]
	    assert r.variants().loc[at["i"], "id"] == at["id1"]
	    m, a = r.sparse(), r.arrays()
	    assert m.shape == (r.n_vectors,) * 2 and (m != m.T).nnz == 0
	    best = {}
	    for i, j, v in zip(a["i"].tolist(), a["j"].tolist(), a["value"].tolist()):
	        best[i, j] = max(v, best.get((i, j), 0))
	    assert m.nnz == 2 * len(best)
	    assert all(m[i, j] == v for (i, j), v in best.items())
	with vsim.Result("s.res.h5") as r:
	    assert "allele1" not in r.frame() and "cell" not in r.frame()
	    assert r.run["metric"] == "r2" and r.run["threshold"] == 0
	x = vsim.read_vectors("b.vec.h5")
	assert list(x.columns) == vsim.Vectors("b.vec.h5").samples
	PY
}

# bats test_tags=long
@test "vsim.py: a file that cannot be opened gets one sentence with the remedy" {
	made
	says() {
		run -3 "$PYTHON" -m vsim "$1"
		[ "$output" = "vsim.py: $1: $2" ] || complain "$output"
	}
	vsim-view e.res.h5 >text
	says text 'is not an HDF5 file'
	says missing.h5 'No such file or directory'
	"$PYTHON" -c 'import h5py; h5py.File("other.h5", "w")'
	says other.h5 'is not a vectors file'
	says run/shard-00000.shard.h5 \
		'is not a vectors file; vsim-merge makes a result of shards'
	says run 'is a directory; vsim-merge -o NAME.res.h5 run makes a result of a run'
	head -c 3000 x.vec.h5 >cut.h5
	says cut.h5 "has 3000 of $(stat -c %s x.vec.h5) bytes; copy or recreate it"
	printf 'OPEN  ' | cat <(head -c 16 x.vec.h5) - <(tail -c +23 x.vec.h5) >open.h5
	says open.h5 'is unfinished: the program that writes it has not ended'
	"$PYTHON" - <<-'PY'
	import h5py, shutil
	for name, where, value in (("newer", "format_version", [2, 0]),
	                           ("unknown", "required_features", b"way2 magic")):
	    shutil.copy("e.res.h5", name + ".h5")
	    with h5py.File(name + ".h5", "r+") as f:
	        f.attrs[where] = value
	PY
	# what h5py wrote has another size than its seal says
	for x in newer unknown; do
		cp $x.h5 y.h5
		tail -c +513 y.h5 >$x.h5
	done
	says newer.h5 'has a newer format; update this reader'
	says unknown.h5 'needs magic; update this reader'
	# without the filter; with it beside vsim-run, by itself
	"$PYTHON" -c 'import hdf5plugin' 2>/dev/null && return
	local none="is compressed with zstd, and h5py has no filter for it"
	local path=$PATH
	unset HDF5_PLUGIN_PATH
	PATH=/usr/bin:/bin
	run -3 "$PYTHON" -m vsim x.vec.h5
	[[ $output == "vsim.py: x.vec.h5: $none: pip install hdf5plugin, "* ]]
	PATH=$path
	run -0 "$PYTHON" -m vsim x.vec.h5
}

# bats test_tags=long
@test "vsim.py: pip installs it as the module vsim" {
	requires python pip setuptools wheel
	cp -r "$TOP/examples/python" package
	"$PYTHON" -m pip install -q --no-index --no-deps --no-build-isolation \
		--target "$PWD/site" ./package
	cd site
	PYTHONPATH=$PWD "$PYTHON" -c 'import vsim; assert vsim.__file__.startswith("'"$PWD"'")'
}

@test "vsim.py: types hold" {
	requires cmd mypy
	requires python numpy h5py
	mypy --ignore-missing-imports --cache-dir=/dev/null \
		--disallow-untyped-defs "$TOP/examples/python/vsim.py"
}
