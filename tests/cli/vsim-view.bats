# SPDX-License-Identifier: BSD-3-Clause
# vsim-view: records and vectors as text
load ../helpers

ORACLE=$TOP/tests/flow/oracle.py

# made VECTORS FIELDS T [HOW]: x.vec.h5, run, e.res.h5
made() {
	requires python numpy h5py
	"$PYTHON" "$ORACLE" make "$1" "$2" 4 "${@:4}" >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	vsim-run -t "$3" -o run x.vec.h5
	vsim-merge -o e.res.h5 run
}

site() {
	printf '%s\t%s\t%s\t%s\t%s\t.\t.\t.\tGT' "${@:1:5}"
	printf '\t%s' "${@:6}"
	echo
}

# six sites on three contigs, one with colons in its name; an id twice, one
# with no name; labels: alt
places() {
	{
		printf '##fileformat=VCFv4.2\n##contig=<ID=2>\n##contig=<ID=10>\n'
		printf '##contig=<ID=HLA:A*01:1-9>\n'
		printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
		printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT'
		printf '\ts%s' 1 2 3 4
		echo
		site 2 100 rs1 A G 0/0 0/1 1/1 0/1
		site 2 200 rs2 C T 0/0 0/1 1/1 ./.
		site 2 201 dup C T 0/0 0/1 1/1 1/1
		site 10 100 dup C T 0/1 0/1 1/1 0/0
		site 10 300 . TA T 1/1 0/1 0/0 0/1
		site 'HLA:A*01:1-9' 5 h A C 0/0 0/1 1/1 0/1
	} >p.vcf
	vsim-pack --vcf p.vcf --label alt -o p.vec.h5
	vsim-run -t -1 -o prun p.vec.h5
	vsim-merge -o p.res.h5 prun
}

# pairs OPTION...: "id1 id2" of the records shown of p.res.h5, each pair once
pairs() {
	vsim-view --no-header -c i,j "$@" p.res.h5 | sort -u | xargs
}

# bare FIELDS COMMAND...: some columns of its lines but the first
bare() {
	"${@:2}" | tail -n +2 | cut -f "$1"
}

@test "view: every record of the definition, to the last digit" {
	made 40 50 0.2 missing
	want=$("$PYTHON" "$ORACLE" edges x.vec.h5 0.2)
	[ "$(vsim-view --no-header -c i,j,a,b,num,n,value e.res.h5)" = "$want" ]
	[ "$(vsim-view --no-header -c i,j,a,b,num,n,value \
		run/shard-00000.shard.h5 | sort -n -k1,1 -k2,2 -k3,3 -k4,4)" = \
		"$want" ]
	[ "$(vsim-view e.res.h5 | head -n 1)" = \
		"#id1	allele1	id2	allele2	value" ]
}

@test "view: any threads print the same lines, in order" {
	vsim-pack --synthetic random --vectors 500 --fields 40 -o x.vec.h5
	vsim-run -t 0 --tile 60 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	for f in e.res.h5 run/shard-00000.shard.h5; do
		vsim-view -j 1 -c i,j,a,b,value "$f" >one
		[ "$(wc -l <one)" -gt 300000 ]
		for n in 2 5; do
			vsim-view -j $n -c i,j,a,b,value "$f" | cmp one -
		done
		vsim-view -j 3 -f -c i,j,a,b,value -o file "$f"
		cmp one file
	done
	vsim-view -j 3 --no-header -c i,j,a,b,value e.res.h5 |
		sort -c -k1,1n -k2,2n
	vsim-view -j 1 --to abc -i v40,v41 e.res.h5 >one
	vsim-view -j 4 --to abc -i v40,v41 e.res.h5 | cmp one -
	# names, which are kept from one line to the next, are those of the ends
	vsim-view -j 2 --no-header -c i,j,a,b,id1,allele1,id2,allele2,freq2,id1 \
		e.res.h5 >names
	vsim-view --no-header -c i,freq1 x.vec.h5 >freq
	awk 'NR == FNR { freq[$1] = $2; next }
		$5 != "v" $1 + 1 || $6 != $3 || $7 != "v" $2 + 1 ||
			$8 != $4 || $10 != $5 ||
			($4 ? $9 != freq[$2] : ($9 + freq[$2] - 1) ^ 2 > 1e-20) {
			print
			bad = 1
			exit
		}
		END { exit bad }' freq names
	# lines that nobody reads are not printed
	[ "$(vsim-view -j 2 e.res.h5 | head -n 3 | wc -l)" = 3 ]
}

@test "view: n is the number of samples where none is missing" {
	made 20 50 0.2
	vsim-view -H e.res.h5 | grep -q '^#has_nvalid: no'
	[ "$(vsim-view --no-header -c n e.res.h5 | sort -u)" = 50 ]
}

@test "view: f32 values are as short as their bits allow" {
	made 40 50 0.2
	vsim-run --value f32 -t 0.2 -o run32 x.vec.h5
	vsim-merge -o f.res.h5 run32
	vsim-view --no-header -c value f.res.h5 >said
	"$PYTHON" - <<-'END'
		import h5py, numpy as np
		v = h5py.File("f.res.h5")["records/value"][:]
		said = open("said").read().split()
		assert len(said) == len(v) > 0
		for a, b in zip(v, said):
		    assert np.float32(b) == a and len(b) <= 11, (a, b)
	END
}

@test "view: each column, by hand" {
	places
	row=$(vsim-view -c \
		i,j,a,b,cell,num,n,value,id1,chrom1,pos1,allele1,freq1,id2,chrom2,pos2,allele2,freq2 \
		p.res.h5 | awk '$1 == 1 && $2 == 4 && $5 == 2')
	# rs2 (0 1 2 NA) T with the deletion's (2 1 0 1) TA: 0*0 + 1*1 + 2*2 = 5
	# of 12 in 3 samples; f(T) = 3/6, f(TA) = 4/8:
	# 9/2 * 5/12 * (1 - 2/3 * 1/2)^2 = 5/6
	[ "$row" = "1	4	1	0	2	5	3	0.8333333333333334	rs2	2	200	T	0.5	10:300:TA:T	10	300	TA	0.5" ]
}

@test "view: a permuted run shows the same lines; --file-order its own rows" {
	made 40 50 0.3 missing
	vsim-permute --order random --seed 9 -o r.vec.h5 x.vec.h5
	vsim-run -t 0.3 -o run.r r.vec.h5
	vsim-merge -o r.res.h5 run.r
	all=i,j,a,b,cell,num,n,value,id1,allele1,freq1,id2,allele2,freq2
	[ "$(vsim-view -c $all e.res.h5 | sort)" = \
		"$(vsim-view -c $all r.res.h5 | sort)" ]
	[ "$(vsim-view -c $all e.res.h5 | sort)" = \
		"$(vsim-view -c $all run.r/*.shard.h5 | sort)" ]
	[ "$(vsim-view --file-order --no-header -c i,j,a,b,num,n,value r.res.h5)" \
		= "$("$PYTHON" "$ORACLE" edges r.vec.h5 0.3)" ]
	# the names go with the rows of the file then
	vsim-view --file-order -c i,id1 r.res.h5 | tail -n +2 | sort -u >of
	vsim-view --file-order -c i,id r.vec.h5 | tail -n +2 >all
	[ -z "$(comm -23 of <(sort all))" ]
}

@test "view --id: one end, both ends, a list, a name that stands twice" {
	places
	[ "$(pairs -i rs1)" = "0 1 0 2 0 3 0 4 0 5" ]
	[ "$(pairs -i rs2)" = "0 1 1 2 1 3 1 4 1 5" ]
	[ "$(pairs -i h)" = "0 5 1 5 2 5 3 5 4 5" ]
	[ "$(pairs -i dup --both)" = "2 3" ]
	[ "$(pairs -i rs1,h --both)" = "0 5" ]
	printf 'h\n\nrs1 and more\n#dup\n' >list
	[ "$(pairs -i @list --both)" = "0 5" ]
	# the same of a shard, which has no index
	[ "$(vsim-view -i rs2 prun/*.shard.h5 | sort)" = \
		"$(vsim-view -i rs2 p.res.h5 | sort)" ]
	run --separate-stderr vsim-view --no-header -i nobody p.res.h5
	[ "$status" = 0 ] && [ -z "$output" ]
	[ "$stderr" = "vsim-view: p.res.h5: no vector of any record here is called nobody" ]
}

@test "view --region: places and their forms" {
	places
	[ "$(pairs -r 10 --both)" = "3 4" ]
	[ "$(pairs -r 2:100-200 --both)" = "0 1" ]
	[ "$(pairs -r 2:101-201 --both)" = "1 2" ]
	[ "$(pairs -r 2:201- --both)" = "" ]
	[ "$(pairs -r 2:201-,10:300 --both)" = "2 4" ]
	[ "$(pairs -r 2:100)" = "0 1 0 2 0 3 0 4 0 5" ]
	# a contig whose name looks like a region
	[ "$(pairs -r 'HLA:A*01:1-9,2:200' --both)" = "1 5" ]
	[ "$(pairs -r 'HLA:A*01:1-9:5-5')" = "0 5 1 5 2 5 3 5 4 5" ]
	[ "$(pairs -r 10 -i rs1)" = "0 3 0 4" ]
	refuses 2 'not CHROM' vsim-view -r 2:b-c p.res.h5
	refuses 2 'not CHROM' vsim-view -r 2:300-200 p.res.h5
	run --separate-stderr vsim-view --no-header -r chr3:1-9 p.res.h5
	[ "$status" = 0 ] && [[ $stderr == *"is on chr3" ]]
}

@test "view --region, --id: chr before a chromosome's name or not" {
	local how
	places
	[ "$(pairs -r chr10 --both)" = "3 4" ]
	[ "$(pairs -r chr2:201-,Chr10:300 --both)" = "2 4" ]
	quietly vsim-view --no-header -r chr2:1-9 p.res.h5
	vsim-view -v -r chr2:1-9,chr10:5 p.res.h5 2>&1 >/dev/null |
		diff - <(echo 'vsim-view: p.res.h5: names of chromosomes match but for chr before them')
	# a site without an id is called by its place
	[ "$(pairs -i chr10:300:TA:T)" = "$(pairs -i 10:300:TA:T)" ]
	[ -n "$(pairs -i chr10:300:TA:T)" ]
	sed 's/^\(10\|2\)	/chr\1	/' p.vcf |
		vsim-pack --vcf - --label alt -o c.vec.h5
	vsim-run -t -1 -o crun c.vec.h5
	vsim-merge -f -o p.res.h5 crun
	[ "$(pairs -r 10 --both)" = "3 4" ]
	[ "$(pairs -i 10:300:TA:T)" = "0 4 1 4 2 4 3 4 4 5" ]
	# the other programs that take regions and lists
	vsim-run -t -1 --pairs-between 2 10 -o brun c.vec.h5
	vsim-merge -f -o p.res.h5 brun
	[ "$(pairs)" = "0 3 0 4 1 3 1 4 2 3 2 4" ]
	echo 10:300:TA:T >list
	vsim-run -f -t -1 --pairs-between @list 2 -o brun c.vec.h5
	vsim-merge -f -o p.res.h5 brun
	[ "$(pairs)" = "0 4 1 4 2 4" ]
	vsim-threshold --keep list --keep-either -o few crun
	vsim-merge -f -o p.res.h5 few
	[ "$(pairs)" = "0 4 1 4 2 4 3 4 4 5" ]
	vsim-pack --vcf p.vcf --extract <(echo chr10:300:TA:T) -o e.vec.h5
	[ "$(vsim-view --no-header -c id e.vec.h5)" = 10:300:TA:T ]
}

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

@test "view --to csv: what a reader of CSV gets, odd ids and unknowns too" {
	requires python csv
	printf 'id\ts1\ts2\ts3\ts4\n' >x.tsv
	printf '%s\t0\t1\t2\t1\n' 'a,b' 'say "x"' ' sp ' plain >>x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	vsim-run -t 0.1 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	vsim-view -c i,id1,chrom1,pos1,id2,value e.res.h5 | sed 's/^#//' >tsv
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
	vsim-run -f --way 3 -t 0 -o prun p.vec.h5
	refuses 2 '--to graphml: .* is of triples' \
		vsim-view --to graphml prun/shard-00000.shard.h5
	refuses 2 'holds vectors' vsim-view --to graphml p.vec.h5
}

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
		        known = {x for x in row[i] if x != "NA"}
		        want[at[i]][at[i]] = "1" if len(known) > 1 else "0"
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
	refuses 2 '--absent goes with --to matrix' vsim-view --absent 0 p.res.h5
	vsim-run -f -t -1 -o prun p.vec.h5
	refuses 2 '--to npy has one value of a pair; .* is of ccc, one for each' \
		vsim-view --to npy prun/shard-00000.shard.h5
}

@test "view --to matrix: no more than 20,000 vectors" {
	vsim-pack --synthetic random --vectors 20001 --fields 64 -o big.vec.h5
	vsim-run -m r2 -t 0.9 -o brun big.vec.h5
	refuses 2 'a matrix of 20001 vectors is asked for, and 20000 are the most' \
		vsim-view --to matrix brun/shard-00000.shard.h5
	vsim-view --to matrix -i v1,v2 brun/shard-00000.shard.h5 | wc -l |
		grep -qx 3
}

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

@test "view: a reader that has enough is no failure" {
	made 300 20 0
	for n in 1 1000; do
		run --separate-stderr bash -c \
			"set -o pipefail; vsim-view e.res.h5 | head -n $n"
		[ "$status" = 0 ] && [ -z "$stderr" ]
		[ "${#lines[@]}" = $n ]
	done
	run --separate-stderr bash -c \
		'vsim-view e.res.h5 | true; echo ${PIPESTATUS[0]}'
	[ "$output" = 0 ] && [ -z "$stderr" ]
	# but a device that is full is one
	if [ -c /dev/full ]; then
		run --separate-stderr bash -c 'vsim-view e.res.h5 >/dev/full'
		[ "$status" = 4 ]
		[[ $stderr == "vsim-view: stdout: cannot write: No space left"* ]]
	fi
}

@test "view -o: whole or not at all" {
	made 30 20 0.2
	quietly vsim-view -o e.tsv e.res.h5
	[ "$(cat e.tsv)" = "$(vsim-view e.res.h5)" ]
	[ "$(vsim-view -o - e.res.h5)" = "$(cat e.tsv)" ]
	refuses 2 'e.tsv: exists already; -f' vsim-view -o e.tsv e.res.h5
	quietly vsim-view -f --no-header -o e.tsv e.res.h5
	refuses 4 'x.tsv/such: .*Not a directory' vsim-view -o x.tsv/such e.res.h5
	quietly vsim-view -o new/er/e.tsv e.res.h5
	[ "$(cat new/er/e.tsv)" = "$(vsim-view e.res.h5)" ]
	small_disk disk 4k
	made_more=$(vsim-view e.res.h5 | wc -c)
	[ "$made_more" -gt 4096 ]
	refuses 4 'No space left' vsim-view -o disk/e.tsv e.res.h5
	[ -z "$(ls -A disk)" ]
	gone
}

@test "view: names from the vectors file, moved or not" {
	made 30 20 0.2
	vsim-merge --no-nodes -o n.res.h5 run
	[ "$(vsim-view n.res.h5)" = "$(vsim-view e.res.h5)" ]
	mkdir far
	mv x.vec.h5 far
	refuses 3 'x.vec.h5 is not there; name it by --vectors FILE, or show' \
		vsim-view n.res.h5
	[ "$(vsim-view --vectors far/x.vec.h5 n.res.h5)" = \
		"$(vsim-view e.res.h5)" ]
	[ "$(vsim-view --vectors far/x.vec.h5 run/*.shard.h5 | sort)" = \
		"$(vsim-view e.res.h5 | sort)" ]
	[ "$(vsim-view --file-order -c i,j,cell,value n.res.h5)" = \
		"$(vsim-view --file-order -c i,j,cell,value e.res.h5)" ]
	[ "$(vsim-view -c value n.res.h5)" = "$(vsim-view -c value e.res.h5)" ]
	vsim-pack --tsv x.tsv --label given -o g.vec.h5
	refuses 3 'g.vec.h5: is not the vectors file of n.res.h5' \
		vsim-view --vectors g.vec.h5 n.res.h5
}

@test "view: vectors as a table" {
	places
	[ "$(vsim-view p.vec.h5 | sed -n 2,3p)" = \
		"rs1	2	100	A	G	1	2	1	0	0.5
rs2	2	200	C	T	1	1	1	1	0.5" ]
	[ "$(vsim-view --no-header -c i,id,chrom -r 10 p.vec.h5 | xargs)" = \
		"3 dup 10 4 10:300:TA:T 10" ]
	[ "$(vsim-view --no-header -c pos,id -i dup p.vec.h5 | xargs)" = \
		"201 dup 100 dup" ]
	[ "$(vsim-view --to json-lines -c id,n2 -i h p.vec.h5)" = \
		'{"id":"h","n2":1}' ]
	vsim-permute --order random --seed 2 -o r.vec.h5 p.vec.h5
	[ "$(vsim-view -c i,id r.vec.h5 | sort -n)" = \
		"$(vsim-view -c i,id p.vec.h5 | sort -n)" ]
	[ "$(vsim-view --file-order -c i r.vec.h5 | xargs)" = "#i 0 1 2 3 4 5" ]
}

@test "view --genotypes: what vsim-pack --tsv reads back" {
	for n in 1 63 64 65 130; do
		rm -f x.* y.*
		requires python numpy
		"$PYTHON" "$ORACLE" make 30 $n 6 missing vectors >x.tsv
		vsim-pack --tsv x.tsv --label given -o x.vec.h5
		vsim-view --genotypes x.vec.h5 >y.tsv
		cmp x.tsv y.tsv
	done
	vsim-view -g -i v3,v5 --no-header x.vec.h5 |
		cmp - <(grep -E '^v[35]	' x.tsv)
}

@test "view --genotypes: packed again it has the same content" {
	requires python numpy
	local ploidy how content
	for ploidy in 1 2; do
		for how in '' missing; do
			# shellcheck disable=SC2086
			"$PYTHON" "$ORACLE" make 40 77 3 $how >x.tsv
			[ $ploidy = 2 ] || sed -i '2,$s/	2/	1/g' x.tsv
			rm -f ./*.h5
			quietly vsim-pack --tsv x.tsv --ploidy $ploidy \
				--label given -o x.vec.h5
			vsim-view --genotypes x.vec.h5 | cmp - x.tsv
			vsim-view --genotypes x.vec.h5 >y.tsv
			quietly vsim-pack --tsv y.tsv --ploidy $ploidy \
				--label given -o y.vec.h5
			quietly vsim-verify --compare x.vec.h5 y.vec.h5
			# a stream is no other
			quietly vsim-pack -f --tsv - --ploidy $ploidy \
				--label given -o y.vec.h5 <y.tsv
			quietly vsim-verify --compare x.vec.h5 y.vec.h5
			[ $ploidy = 1 ] || continue
			quietly vsim-pack -f --matrix y.tsv --element bit \
				-o x.vec.h5
			vsim-view --genotypes x.vec.h5 | cmp - y.tsv
			vsim-view --genotypes x.vec.h5 >y.tsv
			quietly vsim-pack -f --matrix y.tsv --element bit \
				-o y.vec.h5
			quietly vsim-verify --compare x.vec.h5 y.vec.h5
		done
	done
}

@test "view: frequencies of one allele a call" {
	printf 'id\ta\tb\tc\td\te\nx\t1\t1\t1\t0\tNA\ny\t1\t1\t0\t0\t1\n' >x.tsv
	vsim-pack --tsv x.tsv --ploidy 1 -o x.vec.h5
	# the rarer allele is 1: of four calls one, of five two
	[ "$(vsim-view --no-header -c n0,n1,freq1 x.vec.h5 | xargs)" = \
		"3 1 0.25 3 2 0.4" ]
	vsim-view -H x.vec.h5 | grep -qx '#ploidy: 1'
	vsim-run -m duo -t -1 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	vsim-merge --unpermute -o u.res.h5 run
	[ "$(vsim-view --no-header -c a,freq1,b,freq2 e.res.h5 | xargs)" = \
		"0 0.75 0 0.6 0 0.75 1 0.4 1 0.25 0 0.6 1 0.25 1 0.4" ]
	[ "$(vsim-view --no-header -c a,freq1,b,freq2 u.res.h5 | xargs)" = \
		"0 0.25 0 0.4 0 0.25 1 0.6 1 0.75 0 0.4 1 0.75 1 0.6" ]
	# a metric of any ploidy: the result states which it was
	vsim-run -m r2 -t -1 -f -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	vsim-merge -f --unpermute -o u.res.h5 run
	[ "$(vsim-view --no-header -c freq1,freq2 e.res.h5)" = "0.25	0.4" ]
	[ "$(vsim-view --no-header -c freq1,freq2 u.res.h5)" = "0.75	0.6" ]
	[ "$(vsim-view --no-header -c freq1,freq2 --vectors x.vec.h5 e.res.h5)" = \
		"0.25	0.4" ]
}

@test "view --header: everything known, of each kind" {
	made 20 30 0.3
	vsim-view -H x.vec.h5 >h
	grep -qx '#format: vsim-vectors' h
	grep -qx '#n_vectors: 20' h
	grep -qx '#step1_command: vsim-pack --tsv x.tsv -o x.vec.h5' h
	vsim-view -H run/shard-00000.shard.h5 >h
	grep -qx '#format: vsim-shard' h
	grep -qx '#threshold: 0.3' h
	vsim-view --header e.res.h5 >h
	grep -qx '#format: vsim-merged' h
	grep -qx '#format_version: 1.0' h
	grep -qx "#n_records: $(vsim-view --no-header e.res.h5 | wc -l)" h
	[ "$(grep -vc '^#[a-z0-9_]*: ' h)" = 0 ]
}

@test "view: damaged files are refused" {
	made 30 20 0.2
	for f in e.res.h5 x.vec.h5 run/shard-00000.shard.h5; do
		cp $f whole
		size=$(stat -c %s $f)
		for at in 3 20 60 700 $((size / 2)) $((size - 9)); do
			cp whole $f
			flip $f $at 5
			refuses 3 "$f" vsim-view $f
			refuses 3 "$f" vsim-view -H $f
		done
		truncate -s $((size - 1)) $f
		refuses 3 "$f" vsim-view $f
		cp whole $f
	done
	refuses 3 'x.tsv' vsim-view x.tsv
	refuses 3 'run' vsim-view run
	refuses 3 'nothing' vsim-view nothing
}

@test "view: wrong usage" {
	made 20 30 0.3
	refuses 2 'no such column' vsim-view -c i,x e.res.h5
	refuses 2 'no third vector' vsim-view -c i,k e.res.h5
	refuses 2 'no such column' vsim-view -c id1 x.vec.h5
	refuses 2 'columns of its own' vsim-view -t abc -c i e.res.h5
	refuses 2 'holds vectors' vsim-view -t abc x.vec.h5
	refuses 2 'holds results' vsim-view -g e.res.h5
	refuses 2 'not one of tsv' vsim-view -t xml e.res.h5
	refuses 2 '--both goes' vsim-view --both e.res.h5
}

@test "view: records that are not packed have the sums that their file states" {
	local column how plain id
	plain='for c in list(f["records"]):
	    d = f["records/" + c]
	    v, a, k = d[:], dict(d.attrs), d.chunks
	    del f["records/" + c]
	    d = f["records"].create_dataset(c, data=v, chunks=k, track_times=False)
	    d.attrs.update(a)'
	made 30 40 0.3 missing
	for how in merged triples; do
		[ $how = merged ] || vsim-run -f --way 3 -t 0.3 -o run x.vec.h5
		vsim-merge -f --codec none -o e.res.h5 run
		vsim-view --fast e.res.h5 >want
		# HDF5 finds the checksum of a chunk right, and so do we
		"$PYTHON" -c 'import h5py, sys
f = h5py.File("e.res.h5")
n = sum(f["records/" + c].fletcher32 for c in f["records"])
sys.exit(n != len(f["records"]) or len(f["records/value"][:]) < 8)'
		cp e.res.h5 summed
		id=$(vsim-view --no-header -c id1 e.res.h5 | head -n 1)
		for column in value num; do
			cp summed e.res.h5
			altered $column
			refuses 3 "records/$column: chunk 0,0: its checksum differs" \
				vsim-view --fast --id "$id" e.res.h5
			refuses 3 "records/$column: chunk 0,0: its checksum differs" \
				vsim-view --fast e.res.h5
		done
		# of earlier versions, without checksums
		cp summed e.res.h5
		"$PYTHON" "$TOP/tests/cli/forge.py" e.res.h5 "$plain"
		vsim-view --fast e.res.h5 | diff want -
		# a forger's sums, which are by the words of the page
		"$PYTHON" "$TOP/tests/cli/forge.py" e.res.h5 ''
		cp e.res.h5 whole
		for column in value num nvalid; do
			cp whole e.res.h5
			altered $column
			run --separate-stderr vsim-view --fast e.res.h5
			[ "$status" = 3 ]
			[[ $stderr == *"e.res.h5: is damaged: its records do not have"* ]]
			refuses 3 'payload digest differs' vsim-view e.res.h5
		done
		# of earlier versions
		cp whole e.res.h5
		"$PYTHON" "$TOP/tests/cli/forge.py" e.res.h5 \
			'del f["records"].attrs["counts_sum"]'
		vsim-view --fast e.res.h5 | diff want -
	done
}

# altered COLUMN: e.res.h5 with another bit in row 7 of it, which is a chunk's 56
# bytes from the first
altered() {
	"$PYTHON" - "$1" <<-'END'
		import h5py, sys
		with h5py.File("e.res.h5") as f:
		    d = f["records/" + sys.argv[1]]
		    value = d[7:8].tobytes()
		    at = d.id.get_chunk_info(0).byte_offset + 56
		with open("e.res.h5", "r+b") as f:
		    for extra in (0, 512):  # what stands before HDF5's own bytes
		        f.seek(at + extra)
		        if f.read(8) == value:
		            f.seek(at + extra)
		            f.write(bytes([value[0] ^ 4]) + value[1:])
		            break
	END
}
