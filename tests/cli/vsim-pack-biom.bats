# SPDX-License-Identifier: BSD-3-Clause
# vsim-pack --matrix: BIOM 2.1 files as biom-format lays them out, and bad ones.
load ../helpers
load pack

setup_file() {
	requires python numpy h5py
	export PYTHONPATH=$BATS_FILE_TMPDIR
	cat >"$BATS_FILE_TMPDIR/biom.py" <<-'END'
		import h5py, numpy as np
		VARY = h5py.string_dtype()
		def put(f, path, values, **how):
		    if path in f:
		        del f[path]
		    return f.create_dataset(path, data=values, **how)
		def compressed(f, path, m, **how):
		    at = [np.flatnonzero(row) for row in m]
		    put(f, path + "/data", np.concatenate([r[k] for r, k in zip(m, at)]), **how)
		    put(f, path + "/indices", np.concatenate(at).astype("i4"), **how)
		    put(f, path + "/indptr", np.cumsum([0] + [len(k) for k in at]).astype("i4"), **how)
		def write(name, m, ids=VARY, **how):
		    with h5py.File(name, "w") as f:
		        f.attrs["format-version"], f.attrs["shape"] = (2, 1), m.shape
		        f.attrs["nnz"] = np.count_nonzero(m)
		        for k, axis in enumerate(["observation", "sample"]):
		            put(f, axis + "/ids", ["%s%d" % (axis, i) for i in range(m.shape[k])],
		                dtype=ids)
		            f.create_group(axis + "/metadata")
		            compressed(f, axis + "/matrix", m.T if k else m, **how)
		def text(name, m):
		    with open(name, "w") as f:
		        print("id", *("sample%d" % k for k in range(m.shape[1])), sep="\t", file=f)
		        for k, row in enumerate(m):
		            print("observation%d" % k, *("%.17g" % x for x in row), sep="\t", file=f)
		rng = np.random.default_rng(7)
		counts = rng.poisson(0.5, (90, 23)).astype(float)
		counts[5] = counts[-1] = counts[:, 9] = 0
	END
}

# same BIOM TABLE [OPTION...]: both give the same vectors, fields and element
same() {
	vsim-pack -f --matrix "$1" -o biom.vec.h5 "${@:3}"
	vsim-pack -f --matrix "$2" -o text.vec.h5 "${@:3}"
	cmp <(vsim-view -g biom.vec.h5) <(vsim-view -g text.vec.h5)
	[ "$(h5dump -H -d /vectors/values biom.vec.h5 | tail -n +2)" = \
		"$(h5dump -H -d /vectors/values text.vec.h5 | tail -n +2)" ]
}

# bats test_tags=install
@test "biom: the same vectors as from a table, by observation and by sample" {
	requires cmd h5dump
	"$PYTHON" - <<-'END'
		from biom import *
		for name, m in [("u8", counts), ("u16", counts * 300), ("u32", counts * 70000),
		                ("f64", counts * rng.normal(size=counts.shape))]:
		    write(name + ".biom", m, compression="gzip")
		    text(name + ".tsv", m)
		write("plain.biom", counts, ids="S20")
		write("types.biom", counts.astype(">i2"), shuffle=True, compression="gzip", chunks=(7,))
		with h5py.File("types.biom", "r+") as f:   # each row from its end
		    at = f["observation/matrix/indptr"][:]
		    for part in ["data", "indices"]:
		        v = f["observation/matrix/" + part][:]
		        put(f, "observation/matrix/" + part,
		            np.concatenate([v[a:b][::-1] for a, b in zip(at, at[1:])]))
	END
	local name
	for name in u8 u16 u32 f64; do
		same $name.biom $name.tsv
		same $name.biom $name.tsv --transpose
		same $name.biom $name.tsv --element f32
	done
	same plain.biom u8.tsv
	same types.biom u8.tsv
	# in parts
	vsim-pack -f --matrix u8.biom -o text.vec.h5
	for name in 1 2 3; do
		vsim-pack --matrix u8.biom --part $name/3 -o part$name.vec.h5
	done
	vsim-pack --parts part?.vec.h5 -o parts.vec.h5
	cmp <(vsim-view -g parts.vec.h5) <(vsim-view -g text.vec.h5)
}

@test "biom: bad files are refused, naming file, place and remedy" {
	"$PYTHON" - <<-'END'
		from biom import *
		import shutil
		write("good.biom", counts)
		M = "observation/matrix/"
		def bad(says, change):
		    name = "bad%d.biom" % (len(lines) + 1)
		    shutil.copy("good.biom", name)
		    with h5py.File(name, "r+") as f:
		        change(f)
		    lines.append(name + ":" + says)
		def cell(path, k, x):
		    def change(f):
		        v = f[path][:].astype("f8" if path == M + "data" else "i8")
		        v[k] = x
		        put(f, path, v)
		    return change
		def attr(name, x):
		    return lambda f: f.attrs.__setitem__(name, x)
		def empty(path, n, dtype):
		    def change(f):
		        del f[path]
		        f.create_dataset(path, (n,), dtype=dtype, chunks=(1024,))
		    return change
		def link(f):
		    del f[M + "data"]
		    f[M + "data"] = h5py.ExternalLink("good.biom", M + "data")
		def outside(f):
		    del f[M + "data"]
		    f.create_dataset(M + "data", (9,), dtype="f8", external=[("good.biom", 0, 72)])
		lines = []
		n = np.count_nonzero(counts)
		first = np.flatnonzero(counts[0])[0]
		bad("row 1, column %d occurs twice" % (first + 1),
		    cell(M + "indices", 1, first))
		bad("entry 4 is 23, which is outside", cell(M + "indices", 3, 23))
		bad("entry 4 is -1, which is outside", cell(M + "indices", 3, -1))
		bad("must rise from 0 to %d, but does not at entry 4" % n, cell(M + "indptr", 4, 0))
		bad("but does not at entry 1;", cell(M + "indptr", 0, -9))
		bad("but does not at entry 10;", cell(M + "indptr", 9, 2**62))
		bad("but does not at entry 90;", cell(M + "indptr", -1, n - 1))
		bad("row 1, column .*: is not finite", cell(M + "data", 0, np.inf))
		bad("indices has %d values, not 3" % n, attr("nnz", 3))
		bad("its shape is 4611686018427387904 x 23", attr("shape", (2**62, 23)))
		bad("its shape is 0 x 23", attr("shape", (0, 23)))
		bad("shape has 3 values, not 2", attr("shape", (90, 23, 1)))
		bad("attribute shape of / has values of an unexpected type", attr("shape", "90,23"))
		bad("has format-version 3.0 of BIOM", attr("format-version", (3, 0)))
		bad("lacks attribute nnz of /", lambda f: f.attrs.__delitem__("nnz"))
		bad("/sample/ids has 2 values, not 23", lambda f: put(f, "sample/ids", [b"a", b"b"]))
		bad("/sample/ids has values of an unexpected type",
		    lambda f: put(f, "sample/ids", np.arange(23)))
		bad("field a occurs twice", lambda f: put(f, "sample/ids", ["a"] * 23, dtype=VARY))
		bad("lacks /observation/matrix/data; .*biom convert",
		    lambda f: f.__delitem__(M + "data"))
		bad("lacks /observation/matrix/data", link)
		bad("stores its data in another file", outside)
		bad("unexpected type", lambda f: put(f, M + "data", np.ones(n, complex)))
		bad("unexpected number of dimensions", lambda f: put(f, M + "data", np.ones((n, 1))))
		bad("integers of 2.53", lambda f: put(f, M + "data", np.full(n, 2**53 + 1)))
		bad("is packed by filter 32000.*h5repack",
		    lambda f: put(f, M + "data", np.ones(n), compression="lzf"))
		for path, dtype in [(M + "data", "f8"), (M + "indptr", "i8"), ("sample/ids", VARY)]:
		    bad(path + " has fewer bytes", empty(path, 2**50, dtype))
		with h5py.File("other.biom", "w") as f:
		    f["matrix/data"] = [1.0]
		lines.append("other.biom:is HDF5, but lacks /observation/matrix/indptr; .*biom convert")
		write("names.biom", counts)   # each is the first one's bytes
		with h5py.File("names.biom", "r+") as f:
		    put(f, "sample/ids", ["a" * 50000] + ["b"] * 22, dtype=VARY)
		    at = f["sample/ids"].id.get_offset()
		with open("names.biom", "r+b") as f:
		    f.seek(at)
		    name = f.read(16)
		    f.seek(at)
		    f.write(name * 23)
		lines.append("names.biom:/sample/ids has fewer bytes")
		good = open("good.biom", "rb").read()
		open("cut.biom", "wb").write(good[:len(good) // 2])
		lines.append("cut.biom:is damaged: cannot open the file")
		open("json.biom", "w").write('{"id": "None", "format": "Biological Observation Matrix 1.0.0"}')
		lines.append("json.biom:is BIOM 1.0; .*biom convert --to-hdf5")
		open("says", "w").write("\n".join(lines) + "\n")
	END
	local file says
	[ "$(wc -l <says)" -ge 32 ]
	while IFS=: read -r file says; do
		refuses 3 "^vsim-pack: $file: .*$says" \
			vsim-pack --matrix "$file" -o x.vec.h5
	done <says
	gzip -k good.biom
	refuses 3 'good.biom.gz: is packed HDF5; unpack it' \
		vsim-pack --matrix good.biom.gz -o x.vec.h5
	refuses 3 'standard input: is HDF5, which cannot be read from a pipe' \
		vsim-pack --matrix - -o x.vec.h5 <good.biom
	refuses 2 'is not a text table; omit --header' \
		vsim-pack --matrix good.biom --header no -o x.vec.h5
	gone x.vec.h5
}
