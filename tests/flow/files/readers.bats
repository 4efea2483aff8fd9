# SPDX-License-Identifier: BSD-3-Clause
# Our files in the hands of programs that know HDF5 and not us.
load ../../helpers

# A vectors file, a shard and a merged result, packed by zstd.
make_files() {
	printf 'id\ts1\ts2\ts3\ts4\ts5\n' >x.tsv
	local k
	for k in 1 2 3 4 5 6; do
		printf 'rs%d\t%d\t%d\t2\t1\tNA\n' $k $((k % 3)) $((k % 2))
	done >>x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	vsim-run -m ccc -t 0 -o run x.vec.h5
	vsim-merge --codec zstd -o x.res.h5 run
}

# bats test_tags=install
@test "readers: h5py reads vectors packed by zstd through the plugin" {
	requires python numpy h5py
	make_files
	run "$PYTHON" - <<-'END'
		import h5py, numpy as np
		f = h5py.File("x.vec.h5", "r")
		n = f["vectors"].attrs["n_fields"]
		p = np.unpackbits(f["vectors/planes"][:], axis=2, bitorder="little")[..., :n]
		g = np.where((p[:, 0] == 1) & (p[:, 1] == 0), -1, p[:, 0] + p[:, 1].astype("i1"))
		print(f.attrs["format"].decode(), f["vectors/id"][1].decode(), *g[1])
		assert all(f["vectors/planes"].id.get_create_plist().get_filter(0)[0] == 32015 for _ in "x")
	END
	[ "$output" = "vsim-vectors rs2 2 0 2 1 -1" ] || complain "$output"
}

# bats test_tags=install
@test "readers: h5py finds the records of a vector by the index" {
	requires python numpy h5py
	make_files
	run "$PYTHON" - <<-'END'
		import h5py, numpy as np
		f = h5py.File("x.res.h5", "r")
		r, at = f["records"], f["index/i_offset"][:]
		i, j, v = r["i"][:], r["j"][:], r["value"][:]
		assert len(i) == r.attrs["n_records"] == at[-1] > 10
		for k in range(len(at) - 1):
		    assert (i[at[k]:at[k + 1]] == k).all()
		key = i * 100 + j * 10 + r["cell"][:]
		assert (np.diff(key) > 0).all() and (v > 0).all()
		print("fine")
	END
	[ "$output" = fine ] || complain "$output"
}

# bats test_tags=install
@test "readers: h5dump reads each of the three kinds completely" {
	requires cmd h5dump
	make_files
	for f in x.vec.h5 x.res.h5 run/shard-00000.shard.h5; do
		h5dump "$f" >out 2>err
		[ ! -s err ] || complain "$(cat err)"
		! grep -q 'unable to print' out
	done
	h5dump -d /vectors/planes x.vec.h5 | grep -q '(5,1,0): '
}

@test "readers: deflate and none need no plugin" {
	requires cmd h5dump
	make_files
	for codec in deflate none; do
		vsim-pack --tsv x.tsv --codec $codec -o $codec.vec.h5
		HDF5_PLUGIN_PATH=/nowhere h5dump $codec.vec.h5 >out 2>err
		[ ! -s err ] || complain "$(cat err)"
		grep -q '(5,1,0): ' out
	done
}

@test "readers: h5repack keeps the content; the seal is no longer its own" {
	requires cmd h5repack h5dump
	make_files
	for f in x.vec.h5 x.res.h5 run/shard-00000.shard.h5; do
		h5repack -f GZIP=4 "$f" y.h5
		[ "$(h5dump -y "$f" | sed 1d)" = "$(h5dump -y y.h5 | sed 1d)" ]
	done
	h5repack -f GZIP=4 x.vec.h5 y.vec.h5
	refuses 3 'has grown|cut short|no vsim seal' \
		vsim-run -m ccc -t 0 -o r2 y.vec.h5
	vsim-verify --allow-unsealed y.vec.h5
	h5repack -l CONTI x.res.h5 z.res.h5
	vsim-verify --allow-unsealed z.res.h5
}

@test "pages: each object and attribute of a file is in its page" {
	requires python h5py
	make_files
	vsim-permute --order random --seed 3 -o p.vec.h5 x.vec.h5
	run "$PYTHON" - "$TOP/man" <<-'END'
		import h5py, re, sys
		page = {n: open(f"{sys.argv[1]}/vsim-{n}.5").read() for n in ("vectors", "results")}
		def named(word, text, macro):
		    return re.search(rf"^\.(It )?{macro} (.*[ ])?{re.escape(word)}( .*)?$", text, re.M)
		for name in ("x.vec.h5", "p.vec.h5", "run/shard-00000.shard.h5", "x.res.h5"):
		    text = page["vectors"] + ("" if "vec" in name else page["results"])
		    f = h5py.File(name, "r")
		    def look(path, o):
		        path = "/" + path.strip("/")
		        if isinstance(o, h5py.Dataset):
		            path = re.sub("^/phenotypes/.*", "/phenotypes/NAME", path)
		            if not named(path, text, "Pa"):
		                print(name, path)
		        for a in o.attrs:
		            if not named(a, text, "Va"):
		                print(name, path, a)
		    look("/", f)
		    f.visititems(look)
	END
	[ -z "$output" ] || complain "not in the page:" "$output"
}

@test "pages: the content digest can be made from the pages alone" {
	requires python h5py numpy
	make_files
	run "$PYTHON" "$TOP/tests/flow/content.py" x.vec.h5 \
		run/shard-00000.shard.h5 x.res.h5
	[ "$status" = 0 ] || complain "$output"
	[ "$(grep -c ' equal$' <<<"$output")" = 3 ] || complain "$output"
}

@test "pages: the seal is laid out as they say" {
	requires cmd xxh128sum
	make_files
	local f
	for f in x.vec.h5 x.res.h5; do
		[ "$(head -c 24 $f | tail -c 8)" = "SEALED  " ]
		[ "$(od -An -tu8 -j 24 -N 8 $f | tr -d ' ')" = \
			"$(stat -c %s $f)" ]
		[ "$(od -An -tx1 -j 64 -N 16 $f | tr -d ' \n')" = \
			"$(tail -c +513 $f | xxh128sum | cut -d' ' -f1)" ]
		[ "$(od -An -tx1 -j 48 -N 16 $f | tr -d ' \n')" = \
			"$(h5dump -a /content_xxh128 $f |
				sed -n 's/.*(0): "\(.*\)".*/\1/p')" ]
	done
}
