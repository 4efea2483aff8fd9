# SPDX-License-Identifier: BSD-3-Clause
# vsim-view --to: each format holds the records
load ../helpers
load view

# bats test_tags=install
@test "view --to abc: labels are alleles and never ambiguous; mcl reads it" {
	places
	vsim-view --to abc p.res.h5 >abc
	[ "$(wc -l <abc)" = 60 ]
	[ "$(cut -f 1,2 abc | tr '\t' '\n' | sort -u | wc -l)" = 12 ]
	grep -q "^rs1:A	rs2:C	" abc
	grep -q "^dup:C#2	dup:T#3	" abc
	requires cmd mcl
	vsim-threshold --min 0.7 -o strong.res.h5 p.res.h5
	vsim-view --to abc strong.res.h5 | mcl - --abc -o clusters 2>log
	[ "$(tr '\t' '\n' <clusters | sort)" = \
		"$(vsim-view --to abc strong.res.h5 | cut -f 1,2 | tr '\t' '\n' |
			sort -u)" ]
}

# bats test_tags=install
@test "view --to csv: what a reader of CSV gets, odd ids and unknowns too" {
	requires python csv
	printf 'id\ts1\ts2\ts3\ts4\n' >x.tsv
	printf '%s\t0\t1\t2\t1\n' 'a,b' 'say "x"' ' sp ' plain >>x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	vsim-run -t 0.1 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	vsim-view -c i,id1,chrom1,pos1,id2,value e.res.h5 >tsv
	vsim-view --to csv -c i,id1,chrom1,pos1,id2,value e.res.h5 >csv
	"$PYTHON" - <<-'END'
		import csv
		rows = list(csv.reader(open("csv", newline="")))
		want = [x.rstrip("\n").split("\t") for x in open("tsv")]
		assert len(rows) > 4 and len(rows) == len(want)
		assert rows[0] == want[0]
		assert all(b[2:4] == [".", "0"] for b in want[1:]), want
		assert rows[1:] == [b[:2] + ["", ""] + b[4:] for b in want[1:]], rows
	END
	[ "$(vsim-view --no-header --to csv -c id1 e.res.h5 | head -n 1)" = '"a,b"' ]
}

# bats test_tags=install
@test "view --to bedpe: places of both ends, of indels and unknown ones too" {
	places
	requires python csv
	vsim-view --to bedpe p.res.h5 >bedpe
	vsim-view --no-header -c id1,chrom1,pos1,allele1,id2,chrom2,pos2,allele2,value \
		p.res.h5 >tsv
	# lengths are those of REF in the VCF, whatever the labels are
	cat >check.py <<-'END'
		import csv, sys
		alleles = sys.argv[1] == "ccc"
		ref = {}
		for l in open("p.vcf"):
		    if l[0] != "#":
		        c, p, x, r, a = l.split("\t")[:5]
		        ref[c, int(p)] = len(r)
		got = list(csv.reader(open("bedpe", newline=""), delimiter="\t",
		    quoting=csv.QUOTE_NONE))
		want = []
		for l in open("tsv"):
		    f = l.rstrip("\n").split("\t")
		    ends = [f[0:4], f[4:8]]
		    row, name = [], []
		    for x, c, p, a in ends:
		        n = ref[c, int(p)]
		        row += [c, str(int(p) - 1), str(int(p) - 1 + n)]
		        name.append(x + ":" + a if alleles else x)
		    want.append(row + ["-".join(name), f[8], ".", "."])
		assert len(got) >= 15 and got == want, (got[:3], want[:3])
		assert any(r[:3] == ["10", "299", "301"] or
		    r[3:6] == ["10", "299", "301"] for r in got)
	END
	"$PYTHON" check.py ccc
	# REF of the indel is the rarer one, which is labelled 1
	sed -i '/	TA	/s,0/1,1/1,' p.vcf
	vsim-pack -f --vcf p.vcf -o p.vec.h5
	[ "$(vsim-view --no-header -c allele0,allele1 -i 10:300:TA:T \
		p.vec.h5)" = 'T	TA' ]
	vsim-run -f -m r2 -t -1 -o prun p.vec.h5
	vsim-merge -f -o p.res.h5 prun
	vsim-view --to bedpe p.res.h5 >bedpe
	vsim-view --no-header -c id1,chrom1,pos1,allele1,id2,chrom2,pos2,allele2,value \
		p.res.h5 >tsv
	"$PYTHON" check.py r2
	vsim-run -f --way 3 -t 0 -o prun p.vec.h5
	vsim-merge -f -o p.res.h5 prun
	refuses 2 '--to bedpe: p.res.h5 is of triples, and this format of pairs alone; --to tsv, csv or json-lines shows them' \
		vsim-view --to bedpe p.res.h5
	# without places
	printf 'id\ts1\ts2\ts3\ts4\nx y\t0\t1\t2\t1\nz\t0\t1\t2\t0\n' >x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	vsim-run -m r2 -t 0 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	[ "$(vsim-view --to bedpe e.res.h5)" = \
		"$(printf '.\t-1\t-1\t.\t-1\t-1\tx_y-z\t%s\t.\t.' \
			"$(vsim-view --no-header -c value e.res.h5)")" ]
}

# bats test_tags=install
@test "view --to dist: 1 - value or the distance, as R and scipy read it" {
	requires python numpy scipy
	local metric
	printf 'id\t%s\n' a$'\t'b$'\t'c$'\t'd >t.tsv
	awk 'BEGIN { for (v = 0; v < 9; v++) print (v == 7 ? "x y" : "g" v) "\t" v * v % 7 "\t" \
		v % 3 "\t" 9 - v "\t" v % 5 }' >>t.tsv
	vsim-pack --matrix t.tsv -o t.vec.h5
	for metric in r cosine ps euclid; do
		vsim-run -f -m $metric -t $([ $metric = euclid ] && echo 99 || echo -2) \
			-o run --merge e.res.h5 t.vec.h5
		vsim-view -f --to dist -o x.dist e.res.h5
		"$PYTHON" - t.tsv $metric <<-'END'
			import sys
			import numpy as np
			from scipy.spatial.distance import cdist
			rows = [x.split() for x in open("x.dist")]
			assert rows[0] == ["9"] and rows[8][0] == "x_y", rows
			got = np.array([r[1:] for r in rows[1:]], float)
			x = np.array([l.split("\t")[1:] for l in open("t.tsv")][1:], float)
			name = {"r": "correlation", "ps": "braycurtis"}
			want = cdist(x, x, name.get(sys.argv[2], sys.argv[2].replace("euclid", "euclidean")))
			np.testing.assert_allclose(got, want, atol=1e-12)
			assert (np.diag(got) == 0).all() and (got == got.T).all()
		END
		[ $metric = euclid ] || vsim-view --to dist --absent 0 -i g1,g2 --both e.res.h5 >two
	done
	# unknown and absent pairs
	vsim-run -f -m ps -t 0.7 -o run --merge e.res.h5 t.vec.h5
	[ "$(vsim-view --to dist e.res.h5 --vectors t.vec.h5 | grep -o NA | wc -l)" -gt 2 ]
	vsim-view --to dist --absent 0 e.res.h5 --vectors t.vec.h5 >full
	run ! grep NA full
	requires cmd Rscript
	[ "$(Rscript -e 'd <- as.dist(read.table("x.dist", skip = 1, row.names = 1))
cat(attr(d, "Size"), attr(d, "Labels")[8], hclust(d)$method)')" = '9 x_y complete' ]
	vsim-run -f -m euclid -t 99 -o run --merge e.res.h5 t.vec.h5
	refuses 2 '--absent 0: a distance of 0 would mean that the vectors are equal; use NA, or a run of all pairs' \
		vsim-view --to dist --absent 0 e.res.h5
	places
	refuses 2 '--to dist has one value of a pair' vsim-view --to dist p.res.h5
}

# bats test_tags=install
@test "view --to knn: the neighbors of each vector or allele, ranked, on any threads" {
	requires python csv
	cat >check.py <<-'END'
		import sys
		lower, most = sys.argv[1] == "lower", int(sys.argv[2])
		near, order = {}, {}
		for l in open("tsv"):
		    i, j, a, b, x, y, cell, v = l.rstrip("\n").split("\t")
		    if cell == ".":
		        x = y = cell
		    for k, own, other in (int(i), (a, x), (j, b, y)), (int(j), (b, y), (i, a, x)):
		        p = ":".join(own) if own[1] != "." else own[0]
		        q = ":".join(other[1:]) if other[2] != "." else other[1]
		        order[p] = k
		        near.setdefault(p, []).append((float(v) if lower else -float(v), int(other[0]), q, v))
		want = set()
		for p in near:
		    for rank, e in enumerate(sorted(near[p])[:most or None]):
		        want.add((p, str(rank + 1), e[2], e[3]))
		got = [tuple(l.rstrip("\n").split("\t")) for l in open("knn")]
		assert got[0] == ("from", "rank", "to", "value"), got[0]
		assert len(got) > 20 and len(got) - 1 == len(want) and set(got[1:]) == want
		at = [order[g[0]] for g in got[1:]]
		assert at == sorted(at)
	END
	vsim-pack --synthetic random --vectors 60 --fields 50 -o x.vec.h5
	vsim-run -t 0.45 -o run --merge c.res.h5 x.vec.h5
	vsim-run -f -m r2 -t 0.02 -o run --merge r.res.h5 x.vec.h5
	vsim-pack --synthetic random --vectors 60 --fields 50 --element bit -o b.vec.h5
	vsim-run -f -m hamming -t 60 -o run --merge h.res.h5 b.vec.h5
	for of in c r h; do
		vsim-view --no-header -c i,j,id1,id2,allele1,allele2,cell,value $of.res.h5 >tsv
		for k in '' '--neighbors 3'; do
			vsim-view --to knn $k $of.res.h5 >knn
			"$PYTHON" check.py $([ $of = h ] && echo lower || echo higher) $([ "$k" ] && echo 3 || echo 0)
			vsim-view -j 1 --to knn $k $of.res.h5 | cmp - knn
		done
	done
	refuses 2 '--neighbors requires --to knn' vsim-view --neighbors 2 r.res.h5
	refuses 2 '--top cannot be combined with --to knn: it ranks by vector' \
		vsim-view --to knn --top 3 r.res.h5
	refuses 2 'requires a result, which x.vec.h5 is not' vsim-view --to knn x.vec.h5
}

# bats test_tags=install
@test "view --to sets, graphml: triples as SetID, and as a bipartite graph" {
	requires python xml.etree.ElementTree
	vsim-pack --synthetic random --vectors 12 --fields 50 -o x.vec.h5
	vsim-run -w 3 -t 0.2 -o run --merge c.res.h5 x.vec.h5
	vsim-pack --synthetic random --vectors 12 --fields 50 --element bit -o b.vec.h5
	vsim-run -f -w 3 -m ps -t 0.3 -o run --merge p.res.h5 b.vec.h5
	for of in c p; do
		vsim-view --no-header -c i,j,k,a,b,c,id1,id2,id3,allele1,allele2,allele3,value \
			$of.res.h5 >tsv
		vsim-view --to sets $of.res.h5 >sets
		vsim-view --to graphml $of.res.h5 >g.graphml
		"$PYTHON" - <<-'END'
			import importlib.util
			import xml.etree.ElementTree as ET
			rows = [l.rstrip("\n").split("\t") for l in open("tsv")]
			cells = rows[0][3] != "."
			name = ["s" + "_".join(r[:3]) + ("_" + "".join(r[3:6]) if cells else "")
			        for r in rows]
			assert len(rows) > 20 and len(set(name)) == len(name)
			assert [l.split() for l in open("sets")] == [
			    [n, x] for n, r in zip(name, rows) for x in r[6:9]]
			ns = "{http://graphml.graphdrawing.org/xmlns}"
			graph = ET.parse("g.graphml").getroot().find(ns + "graph")
			data = lambda x: {d.get("key"): d.text for d in x}
			nodes, edges, seen = {}, [], set()
			for x in graph:
			    if x.tag == ns + "node":
			        assert x.get("id") not in nodes
			        nodes[x.get("id")] = data(x)
			    else:
			        ends = x.get("source"), x.get("target")
			        assert ends[0] in nodes and ends[1] in nodes
			        edges.append((*ends, data(x)))
			triples = {k: v for k, v in nodes.items() if v["type"] == "true"}
			assert len(triples) == len(rows) and len(edges) == 3 * len(rows)
			got = [[nodes[e[1]]["name"] for e in edges[3 * t:3 * t + 3]] +
			       [e[2].get("a", ".") for e in edges[3 * t:3 * t + 3]] +
			       [nodes[edges[3 * t][0]]["value"]] for t in range(len(rows))]
			want = [r[6:] if cells else r[6:9] + 3 * ["."] + r[12:] for r in rows]
			assert got == want, (got[0], want[0])
			if importlib.util.find_spec("networkx"):
			    import networkx
			    from networkx.algorithms import bipartite
			    g = networkx.read_graphml("g.graphml")
			    top = {n for n, t in g.nodes(data="type") if t}
			    assert bipartite.is_bipartite_node_set(g, top) and len(top) == len(rows)
		END
	done
	vsim-run -w 3 -t 0.2 --to sets -o - x.vec.h5 | sort >got
	vsim-view --to sets c.res.h5 | sort | cmp - got
	vsim-run -m r2 -t 0.02 -o two --merge r.res.h5 x.vec.h5
	[ "$(vsim-view --to sets --head 1 r.res.h5)" = "$(printf 's%s\t%s\ns%s\t%s' \
		$(vsim-view --no-header --head 1 -c i,j,id1,i,j,id2 r.res.h5 |
			awk '{ print $1 "_" $2, $3, $1 "_" $2, $6 }'))" ]
}

# bats test_tags=install
@test "view --to graphml: nodes and edges are those of tsv; networkx reads it" {
	requires python xml.etree.ElementTree
	cat >check.py <<-'END'
		import importlib.util, sys
		import xml.etree.ElementTree as ET
		ns = "{http://graphml.graphdrawing.org/xmlns}"
		root = ET.parse("g.graphml").getroot()
		assert root.tag == ns + "graphml"
		keys = {k.get("id"): k for k in root.findall(ns + "key")}
		assert len(keys) == len(root.findall(ns + "key"))
		graph = root.find(ns + "graph")
		def data(x):
		    for d in x:
		        assert keys[d.get("key")].get("for") == x.tag[len(ns):]
		    return {keys[d.get("key")].get("attr.name"): d.text for d in x}
		# a node stands before its edges
		tags = [x.tag for x in graph]
		assert tags == sorted(tags, key=lambda t: t == ns + "edge")
		nodes = {x.get("id"): data(x) for x in graph.findall(ns + "node")}
		at = {x: k for k, x in enumerate(nodes)}
		edges = [(x.get("source"), x.get("target"), data(x))
		    for x in graph.findall(ns + "edge")]
		assert len(nodes) == len(graph.findall(ns + "node"))
		assert set(nodes) == {e[k] for e in edges for k in (0, 1)}
		assert all(at[i] < at[j] for i, j, e in edges)
		def xml(s):  # what XML cannot hold is _
		    return "".join("_" if ord(c) < 32 or "\udc80" <= c <= "\udcff"
		        else c for c in s)
		want = []
		for l in open("g.tsv", encoding="utf-8", errors="surrogateescape"):
		    f = l.rstrip("\n").split("\t")
		    want.append([xml(x) for x in f])
		if len(sys.argv) > 2:  # one value a pair
		    want = [w[:9] + [".", "."] for w in want]
		got = []
		for i, j, e in edges:
		    line = []
		    for x in (i, j):
		        n = nodes[x]
		        line += [x[1:], n["name"], n.get("chrom", "."), n.get("pos", "0")]
		    got.append(line + [e["value"], e.get("allele1", "."),
		        e.get("allele2", ".")])
		assert len(got) == int(sys.argv[1]) and got == want, (got[:2], want[:2])
		if importlib.util.find_spec("networkx"):
		    import networkx
		    g = networkx.read_graphml("g.graphml", force_multigraph=True)
		    assert not g.is_directed()
		    assert sorted(g.nodes) == sorted(nodes)
		    assert sorted(e["value"] for _, _, e in g.edges(data=True)) == \
		        sorted(float(w[8]) for w in want)
		    assert all(isinstance(p, int) for _, p in g.nodes(data="pos", default=1))
	END
	columns=i,id1,chrom1,pos1,j,id2,chrom2,pos2,value,allele1,allele2
	places
	vsim-view --to graphml p.res.h5 >g.graphml
	vsim-view --no-header -c $columns p.res.h5 >g.tsv
	"$PYTHON" check.py 60
	# vertices that occur alone; an order of its own; a shard
	vsim-permute --order random --seed 2 -o r.vec.h5 p.vec.h5
	vsim-run -t -1 -o rrun r.vec.h5
	for of in rrun/*.shard.h5; do
		vsim-view --to graphml -i rs1,h,rs2,dup --both "$of" >g.graphml
		vsim-view --no-header -i rs1,h,rs2,dup --both -c $columns "$of" >g.tsv
		"$PYTHON" check.py 40
	done
	vsim-view --to graphml -i rs1 --both p.res.h5 >g.graphml
	: >g.tsv
	"$PYTHON" check.py 0
	# names that XML has to escape, cannot hold, or are no UTF-8
	printf 'id\ts1\ts2\ts3\ts4\n' >x.tsv
	printf '%b\t0\t1\t2\t1\n' 'a&b;' '<x>"y"' "d'e]]>" '\0303\0251' \
		'\0377\0001z' '\0355\0240\0200' '\0360\0237\0230\0200' >>x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	vsim-run -m r2 -t 0.1 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	vsim-view --to graphml e.res.h5 >g.graphml
	vsim-view --no-header -c $columns e.res.h5 >g.tsv
	"$PYTHON" check.py 21 r2
	grep -q "<data key=\"name\">d'e]]&gt;</data>" g.graphml
	# numbers have no alleles
	printf 'id\ta\tb\tc\nx\t1\t2\t3\ny\t3\t2\t2\n' >x.tsv
	vsim-pack -f --matrix x.tsv -o x.vec.h5
	vsim-run -f -m ps -t 0 -o run x.vec.h5
	vsim-view --to graphml run/*.shard.h5 >g.graphml
	vsim-view --no-header -c $columns run/*.shard.h5 >g.tsv
	"$PYTHON" check.py 1 ps
	! grep -q 'data key="allele' g.graphml
	refuses 2 '--to graphml requires a result' vsim-view --to graphml p.vec.h5
}

# bats test_tags=install
@test "view --to matrix, npy: all values of the tsv, and of a vector with itself" {
	requires python numpy
	# RESULT VECTORS ABSENT [OPTION...]; genotypes say what stands on the
	# diagonal
	cat >check.py <<-'END'
		import subprocess, sys
		import numpy as np
		def view(*words):
		    out = subprocess.check_output(("vsim-view",) + words)
		    return [l.split("\t") for l in out.decode().splitlines()]
		def check(result, vectors, absent, *options):
		    options = list(options)
		    picks = [o for o in options if o not in ("--vectors", vectors)]
		    ids = view("--no-header", "-c", "i,id", *picks, vectors)
		    at = {i: k for k, (i, x) in
		        enumerate(sorted(ids, key=lambda y: int(y[0])))}
		    name = [x for i, x in sorted(ids, key=lambda y: int(y[0]))]
		    every = [x for _, x in view("--no-header", "-c", "i,id", vectors)]
		    name = [x if every.count(x) < 2 else "%s#%s" % (x, i)
		        for x, i in zip(name, at)]
		    want = [[absent] * len(at) for _ in at]
		    both = ["--both"] if picks else []
		    for i, j, v in view("--no-header", "-c", "i,j,value", *options, *both,
		            result):
		        want[at[i]][at[j]] = want[at[j]][at[i]] = v
		    row = {i: g[1:] for (i, _), g in
		        zip(ids, view("-g", "--no-header", *picks, vectors))}
		    for i in at:
		        want[at[i]][at[i]] = "1"
		        for j in at:
		            both = [p for p in zip(row[i], row[j]) if "NA" not in p]
		            if any(len(set(x)) < 2 for x in zip(*both)) or not both:
		                want[at[i]][at[j]] = "NA"
		    options += ["--absent", absent] if absent != "NA" else []
		    got = view("--to", "matrix", *options, result)
		    assert got[0] == ["id"] + name, (got[0], name)
		    assert [g[0] for g in got[1:]] == name
		    assert [g[1:] for g in got[1:]] == want, (got, want)
		    assert view("--to", "matrix", "--no-header", *options, result) == got[1:]
		    subprocess.check_call(["vsim-view", "--to", "npy", "-f", "-o", "m.npy",
		        *options, result])
		    m = np.load("m.npy")
		    n = np.array([[float(x.replace("NA", "nan")) for x in w] for w in want])
		    assert m.flags.c_contiguous and m.shape == n.shape
		    assert m.dtype == ("<f4" if result[0] == "s" else "<f8")
		    assert (m == n.astype(m.dtype)).sum() == (~np.isnan(n)).sum()
		    assert (np.isnan(m) == np.isnan(n)).all()
		for line in sys.stdin:
		    check(*line.split())
	END
	places
	site 20 7 flat A C 0/1 0/1 ./. 0/1 >>p.vcf
	vsim-pack -f --vcf p.vcf --label alt -o p.vec.h5
	vsim-permute --order random --seed 2 -o r.vec.h5 p.vec.h5
	vsim-run -f -m r2 -t 0.3 -o prun r.vec.h5
	vsim-merge -f -o p.res.h5 prun
	vsim-run -f -m r -t -1 --value f32 -o srun p.vec.h5
	printf 'id\ta\tb\tc\nx\t1\t2\t3\ny\t3\t2\t2\nz\t1\t0\t0\n' >x.tsv
	vsim-pack --matrix x.tsv -o x.vec.h5
	vsim-run -m ps -t 0.6 -o run x.vec.h5
	"$PYTHON" check.py <<-'END'
		p.res.h5 r.vec.h5 NA --vectors r.vec.h5
		p.res.h5 r.vec.h5 0 --vectors r.vec.h5
		p.res.h5 r.vec.h5 NA -i rs1,h,dup
		p.res.h5 r.vec.h5 0 -r 2,20:7 --vectors r.vec.h5
		prun/shard-00000.shard.h5 r.vec.h5 NA
		srun/shard-00000.shard.h5 p.vec.h5 NA
		run/shard-00000.shard.h5 x.vec.h5 NA
	END
	vsim-view --to matrix p.res.h5 | grep -q '	NA	'
	# without a record a vector is not in the nodes
	[ "$(vsim-view --to matrix p.res.h5 | grep -c flat)" = 0 ]
	[ "$(vsim-view --to matrix -i nobody p.res.h5)" = id ]
	refuses 2 '--absent requires --to matrix, --to npy or --to dist' vsim-view --absent 0 p.res.h5
	vsim-run -f -t -1 -o prun p.vec.h5
	refuses 2 '--to npy has one value of a pair; .* is of ccc, one for each' \
		vsim-view --to npy prun/shard-00000.shard.h5
}

@test "view --to matrix: no more than 20,000 vectors" {
	vsim-pack --synthetic random --vectors 20001 --fields 64 -o big.vec.h5
	vsim-run -m r2 -t 0.9 -o brun big.vec.h5
	refuses 2 'a matrix of 20001 vectors is too large: select at most 20000' \
		vsim-view --to matrix brun/shard-00000.shard.h5
	vsim-view --to matrix -i v1,v2 brun/shard-00000.shard.h5 | wc -l |
		grep -qx 3
}

# bats test_tags=install
@test "view --to json-lines: what python reads" {
	places
	requires python json
	vsim-view --to json-lines -c id1,chrom1,pos1,value,n p.res.h5 >j
	vsim-view --no-header -c id1,chrom1,pos1,value,n p.res.h5 >t
	"$PYTHON" - <<-'END'
		import json
		j = [json.loads(l) for l in open("j")]
		t = [l.rstrip("\n").split("\t") for l in open("t")]
		assert len(j) == 60 and list(j[0]) == ["id1", "chrom1", "pos1", "value", "n"]
		for a, b in zip(j, t):
		    assert [str(a["id1"]), a["chrom1"], str(a["pos1"])] == b[:3]
		    assert a["value"] == float(b[3]) and a["n"] == int(b[4])
	END
}

@test "view: text that demands UTF-8 has it, whatever the ids are" {
	requires python json
	local to
	printf '1 b\xff\xc3\xa9\xc3 0 %d A A C C A C\n' 5 >l.tped
	printf '1 "\xe9",\xe2\x82 0 %d A A C C A C\n' 9 >>l.tped
	printf 'f%d s 0 0 0 -9\n' 1 2 3 >l.tfam
	vsim-pack --tped l.tped -o l.vec.h5
	vsim-run -m r2 -t 0.5 -o run --merge l.res.h5 l.vec.h5
	for to in json-lines csv graphml; do
		vsim-view --to $to l.res.h5 >l.$to
	done
	"$PYTHON" - <<-'END'
		import csv, json
		want = ["b_\u00e9_", '"_",__']
		row = json.loads(open("l.json-lines", encoding="utf-8").read())
		assert [row["id1"], row["id2"]] == want, row
		rows = list(csv.reader(open("l.csv", encoding="utf-8", newline="")))
		assert rows[1][:2] == want, rows
		assert want[0] in open("l.graphml", encoding="utf-8").read()
	END
	# the others have the bytes of the input
	vsim-view --no-header l.res.h5 | grep -qaF "$(printf 'b\xff\xc3\xa9\xc3\t')"
}

@test "view: numbers have no alleles" {
	printf 'id\ta\tb\tc\nx\t1\t2\t0\ny\t2\t2\t1\n' |
		vsim-pack --matrix - -o n.vec.h5
	vsim-run -m ps -t 0.2 -o run --merge n.res.h5 n.vec.h5
	[ "$(vsim-view --to graphml n.res.h5 | grep -c allele)" = 0 ]
	[ "$(vsim-view --no-header -c id1,allele1,freq1,id2,value n.res.h5)" = \
		$'x\t.\t.\ty\t0.75' ]
	[ "$(vsim-view --to json-lines -c allele2,freq2 n.res.h5)" = \
		'{"allele2":null,"freq2":null}' ]
	[ "$(vsim-view --no-header --to csv -c allele2,freq2 n.res.h5)" = , ]
}

# defined METRIC FILE...: FILE, a matrix or records, has NA where the definition is
# 0/0 over the fields of g.tsv that both vectors have, a vector with itself too
defined() {
	"$PYTHON" - "$@" <<-'END' || complain "$*"
		import itertools, math, sys
		lines = [l.split("\t") for l in open("g.tsv").read().split("\n")[1:-1]]
		g = {l[0]: [None if x == "NA" else float(x) for x in l[1:]] for l in lines}
		def value(metric, u, v):
		    if metric == "ps":
		        u, v = [x or 0 for x in u], [x or 0 for x in v]
		        d = sum(u) + sum(v)
		        return 2 * sum(map(min, u, v)) / d if d else None
		    both = [(a, b) for a, b in zip(u, v) if None not in (a, b)]
		    n, p = len(both), sum(a * b for a, b in both)
		    s, t = sum(a for a, b in both), sum(b for a, b in both)
		    q, r = sum(a * a for a, b in both), sum(b * b for a, b in both)
		    top, square = n * p - s * t, (n * q - s * s) * (n * r - t * t)
		    if metric == "cosine": top, square = p, q * r
		    if metric == "jaccard": top, square = p, (q + r - p) ** 2
		    if metric == "dice": top, square = 2 * p, (q + r) ** 2
		    if metric == "yule":
		        like, unlike = p * (n - s - t + p), (s - p) * (t - p)
		        top, square = like - unlike, (like + unlike) ** 2
		    if not square: return None
		    return top * top / square if metric == "r2" else top / math.sqrt(square)
		metric, names = sys.argv[1], sys.argv[2:]
		want = {(a, b): value(metric, g[a], g[b]) for a in g for b in g}
		assert None in want.values() and want["c", "c"] is None
		def check(a, b, text):
		    x = want[a, b]
		    assert (text == "NA") == (x is None), (a, b, text, x)
		    assert x is None or abs(float(text) - x) < 1e-6, (a, b, text, x)
		for name in names:
		    rows = [l.rstrip("\n").split("\t") for l in open(name)]
		    if rows[0][0] != "id":
		        for a, b, text in rows: check(a, b, text)
		        assert len(rows) == len(g) * (len(g) - 1) // 2
		        continue
		    assert len(rows) == len(g) + 1
		    for row in rows[1:]:
		        for b, text in zip(rows[0][1:], row[1:]): check(row[0], b, text)
	END
}

# shown METRIC: x.vec.h5 by a metric, in its own order and as its source has it
shown() {
	local file
	vsim-run -f -m "$1" -t -2 -o run --merge n.res.h5 x.vec.h5
	vsim-permute -f --order random -o p.vec.h5 x.vec.h5
	vsim-run -f -m "$1" -t -2 -o prun p.vec.h5
	vsim-merge -f --unpermute -o u.res.h5 prun
	for file in n u; do
		vsim-view --to matrix $file.res.h5 >$file.matrix
		vsim-view --undefined NA --no-header -c id1,id2,value \
			$file.res.h5 >$file.tsv
		vsim-view --undefined omit --no-header -c id1,id2,value \
			$file.res.h5 | diff - <(grep -v NA $file.tsv)
		defined "$1" $file.matrix $file.tsv
	done
	# absent or not, what is 0/0 is no 0
	vsim-run -f -m "$1" -t 0.4 -o run --merge n.res.h5 x.vec.h5
	vsim-view --to matrix --absent 0 --vectors x.vec.h5 n.res.h5 |
		awk -F'\t' '{ for (k = 2; k <= NF; k++) print $k == "NA" }' >got
	awk -F'\t' '{ for (k = 2; k <= NF; k++) print $k == "NA" }' n.matrix |
		cmp - got
}

# bats test_tags=long
@test "view: a value of 0/0 is NA in a matrix, and in records on request" {
	requires python math
	local metric ploidy
	for ploidy in 2 1; do
		awk -v ploidy=$ploidy 'BEGIN {
			srand(5)
			print "id\ta\tb\tc\td\te\tf\tg"
			for (v = 0; v < 13; v++) {
				printf v == 7 ? "c" : "v" v
				for (q = 0; q < 7; q++) {
					x = v == 7 ? 0 : int((ploidy + 1) * rand() ^ 2)
					printf "\t%s", rand() < 0.5 ? "NA" : x
				}
				print ""
			}
		}' >in.tsv
		vsim-pack -f --tsv in.tsv --label given --ploidy $ploidy -o x.vec.h5
		vsim-view -g x.vec.h5 >g.tsv
		for metric in $([ $ploidy = 1 ] && echo r ps yule ||
			echo r2 cosine jaccard dice); do
			shown $metric
		done
	done
	# numbers that are all missing, constant, or so in some fields
	sed 's/\t1/\t1.5/g; s/\t0/\t0/g' g.tsv >n.tsv
	vsim-pack -f --matrix n.tsv -o x.vec.h5
	vsim-view -g x.vec.h5 >g.tsv
	for metric in r cosine; do
		shown $metric
	done
}

@test "view --undefined: the one allele of a male on X is two in D' and r2em" {
	local m gaps
	# calls of the last sample; as two copies, x1 is constant in the others
	for gaps in '1/1:1/1' './.:1/1' '0/1:./.'; do
		printf '%s\n' '##fileformat=VCFv4.2' \
			$'#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td' \
			$'X\t1\tx1\tA\tC\t.\t.\t.\tGT\t1\t1\t1/1\t'${gaps%:*} \
			$'X\t2\tx2\tA\tC\t.\t.\t.\tGT\t0\t1\t0/1\t'${gaps#*:} >x.vcf
		vsim-pack -f --vcf x.vcf --label alt -o x.vec.h5
		for m in dprime r2em d; do
			[ "$(vsim-run -m $m -t -1 --undefined NA --to tsv --no-header \
				-c value -o - x.vec.h5)" = NA ]
			vsim-run -f -m $m -t -1 -o run --merge x.res.h5 x.vec.h5
			[ "$(vsim-view --undefined NA --no-header -c value \
				x.res.h5)" = NA ]
		done
		[ "$(vsim-run -m r2 -t -1 --undefined NA --to tsv --no-header \
			-c value -o - x.vec.h5)" != NA ]
	done
}

@test "view --undefined: without the vectors file, and what does not fit" {
	printf 'id\ta\tb\nx\t1\t1\ny\t0\t1\n' | vsim-pack --tsv - -o x.vec.h5
	vsim-run -m r2 -t -1 -o run --merge e.res.h5 x.vec.h5
	[ "$(vsim-view --to matrix --undefined 0 e.res.h5 | sed -n 2,3p)" = \
		$'x\t0\t0\ny\t0\t1' ]
	mv x.vec.h5 y.vec.h5
	run -0 --separate-stderr vsim-view --to matrix --no-header e.res.h5
	[ "$output" = $'x\tNA\tNA\ny\tNA\t1' ]
	[[ $stderr == *"without it 0/0 may be shown as 0 or 1" ]]
	refuses 2 'a matrix has all pairs' \
		vsim-view --to matrix --undefined omit e.res.h5
	refuses 2 '--undefined NA cannot be combined with --to abc' \
		vsim-view --to abc --undefined NA e.res.h5
	refuses 2 'unknown option --format; use --to FORMAT$' \
		vsim-view --format csv e.res.h5
	refuses 2 '--to parquet: use --to csv, and DuckDB, vsim-results.5.$' \
		vsim-view --to parquet e.res.h5
	refuses 2 '--undefined requires a result' vsim-view --undefined NA y.vec.h5
}
