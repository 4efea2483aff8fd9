# SPDX-License-Identifier: BSD-3-Clause
# vsim-pack --part and --parts: the parts of an input, put together, are what a
# single process packs; an incomplete set of parts is refused.
load ../helpers
load pack

# parts N OPTION...: p.K.vec.h5, packed so; it says what it says
parts() {
	local n=$1 k
	shift
	rm -f p.*.vec.h5
	for ((k = 1; k <= n; k++)); do
		vsim-pack "$@" --part "$k/$n" -o "p.$k.vec.h5" || return
	done
}

# joins OPTION...: parts of 1, 2, 3 and 7, or of $counts, are whole.vec.h5, packed
# so
joins() {
	local n
	vsim-pack "$@" -f -o whole.vec.h5 2>whole.said
	for n in ${counts:-1 2 3 7}; do
		parts "$n" "$@" 2>/dev/null
		vsim-pack --parts -f -o x.vec.h5 p.*.vec.h5 2>joined.said
		[ "$(content x.vec.h5)" = "$(content whole.vec.h5)" ] ||
			complain "$n parts differ of: $*"
	done
	vsim-verify x.vec.h5 p.*.vec.h5
	# ids that repeat are counted when all of them are there
	diff <(grep 'occurs\? more than once' whole.said | sed 's/.*: //') \
		<(sed 's/.*: //' joined.said)
}

# bats test_tags=install
@test "pack: parts of a VCF join to the whole, compressed by bgzip or not" {
	local vcf=$TOP/examples/chr20.vcf.gz counts=3
	joins --vcf "$vcf"
	as_text x.vec.h5 whole.vec.h5
	cmp x.vec.h5.txt whole.vec.h5.txt
	zcat "$vcf" | head -n 9000 >x.vcf
	joins --vcf x.vcf --multiallelic whole
	[ ! -s joined.said ]
}

# bats test_tags=long
@test "pack: any number of parts, with filters and settings" {
	local vcf=$TOP/examples/chr20.vcf.gz
	counts='1 2 7' joins --vcf "$vcf"
	local counts='2 7'
	joins --vcf "$vcf" --maf 0.05 --multiallelic split
	zcat "$vcf" | head -n 9000 >x.vcf
	joins --vcf x.vcf --multiallelic whole
	[ ! -s joined.said ]
	# which is read in the settings, not in the name of a chromosome
	sed 's/\(^20\t[0-9]*\t\)[^\t]*/\1rs1/' x.vcf >y.vcf
	joins --vcf y.vcf --chr $'20,\nmultiallelic: \'whole\''
	grep 'occurs\? more than once' joined.said
	# one file, as far as parts go, is its size and its samples
	rm p.*.vec.h5
	vsim-pack --vcf x.vcf --part 1/2 -o p.1.vec.h5
	vsim-pack --vcf "$vcf" --part 2/2 -o p.2.vec.h5
	refuses 3 'p.1.vec.h5 and p.2.vec.h5 are not parts of one' \
		vsim-pack --parts -f -o x.vec.h5 p.*.vec.h5
}

@test "pack: parts of mice join to the whole, with filters and phenotypes too" {
	requires data mouse-hs1940
	joins --bfile "$MOUSE"
	local counts='2 7'
	# most parts have no site of the chromosome
	joins --bfile "$MOUSE" --chr 4 --maf 0.1
	awk 'NR % 3 { print $1, $2 }' "$MOUSE.fam" >some
	awk 'BEGIN { print "FID IID a b" } { print $1, $2, NR % 2 + 1, NR }' \
		"$MOUSE.fam" >pheno
	joins --bfile "$MOUSE" --keep some --pheno pheno --max-missing 0.02
	head -n 900 some >fewer
	vsim-pack --bfile "$MOUSE" --keep fewer --pheno pheno --part 2/7 \
		--max-missing 0.02 -f -o p.2.vec.h5
	refuses 3 'p.1.vec.h5 and p.2.vec.h5 are not.*samples differ' \
		vsim-pack --parts -f -o x.vec.h5 p.*.vec.h5
}

# pgen NAME N_SITE N_SAMPLE SEED: NAME.pgen, .pvar and .psam, and NAME.vcf of the same
# calls; most records are packed against one before them, some have three alleles
pgen() {
	requires python numpy
	"$PYTHON" - "$@" <<-'PY'
	import sys
	import numpy as np
	name, v, n, seed = sys.argv[1], *map(int, sys.argv[2:])
	r = np.random.default_rng(seed)
	def two_bits(g):
	    g = np.pad(g, (0, -len(g) % 4)).reshape(-1, 4).astype("u1")
	    return (g << np.array([0, 2, 4, 6], "u1")).sum(axis=1).astype("u1").tobytes()
	def difflist(at, g):
	    return bytes([len(at)]) + (bytes([at[0]]) + two_bits(g) +
	                               bytes(np.diff(at).astype("u1")) if len(at) else b"")
	flip = np.array([2, 1, 0, 3])
	records, alts = [], []
	# the first one of a block is packed by itself, and a few others
	kinds = np.where(r.random(v) < .02, 0, r.choice([2, 2, 3, 4], v))
	kinds[::65536] = 0
	differ, calls = r.random((v, n)) < .1, r.integers(0, 4, (v, n))
	for k in range(v):
	    three = k % 11 == 7
	    kind, at, g = kinds[k], np.flatnonzero(differ[k])[:64], calls[k]
	    if kind == 0:
	        base, data = g, two_bits(g)
	    elif kind == 4:
	        base, data = np.zeros(n, int), difflist(at, g[at])
	        base[at] = g[at]
	        g = base
	    else:
	        new = base.copy()
	        new[at] = g[at]
	        g, data = (flip[new] if kind == 3 else new), difflist(at, g[at])
	    kinds[k] += 8 * three
	    records.append(data + bytes(three * 3))
	    calls[k] = g
	    alts.append("C,G" if three else "C")
	n_block = -(-v // 65536)
	head, at = b"", 12 + 8 * n_block + 3 * v
	with open(name + ".pgen", "wb") as o:
	    o.write(b"\x6c\x1b\x10" + v.to_bytes(4, "little") + n.to_bytes(4, "little") +
	            bytes([5]))
	    for lo in range(0, v, 65536):
	        o.write(at.to_bytes(8, "little"))
	        at += sum(map(len, records[lo:lo + 65536]))
	    for lo in range(0, v, 65536):
	        o.write(kinds[lo:lo + 65536].astype("u1").tobytes())
	        o.write(np.array([len(x) for x in records[lo:lo + 65536]], "<u2").tobytes())
	    o.write(b"".join(records))
	with open(name + ".psam", "w") as o:
	    print("#IID", *(f"s{q}" for q in range(n)), sep="\n", file=o)
	site = lambda k: (1 + 3 * k // v, 100 + k, f"v{k // 2}", "A", alts[k])
	with open(name + ".pvar", "w") as o:
	    print("#CHROM", "POS", "ID", "REF", "ALT", sep="\t", file=o)
	    for k in range(v):
	        print(*site(k), sep="\t", file=o)
	word = np.array(["0/0", "0/1", "1/1", "./."])
	with open(name + ".vcf", "w") as o:
	    print("##fileformat=VCFv4.2", *(f"##contig=<ID={c}>" for c in (1, 2, 3)),
	          '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">', sep="\n", file=o)
	    print("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT",
	          *(f"s{q}" for q in range(n)), sep="\t", file=o)
	    for k in range(v):
	        print(*site(k), ".", ".", ".", "GT", *word[calls[k]], sep="\t", file=o)
	PY
}

# bats test_tags=long
@test "pack: parts of a .pgen join to the whole, also between dependent records" {
	local n counts
	for n in 3 40 255; do
		pgen x 300 $n $n
		joins --pfile x
		[ "$(wc -l <joined.said)" = 1 ]
		vsim-pack -f --vcf x.vcf -o v.vec.h5 2>/dev/null
		as_text x.vec.h5 v.vec.h5
		cmp v.vec.h5.txt x.vec.h5.txt
		counts='2 7'
	done
	joins --pfile x --chr 2 --maf 0.1
	# columns that no line names, and packed tables; a .bed is one, too
	awk 'BEGIN { OFS = "\t" } NR > 1 { print $1, $3, 0, $2, $5, $4 }' x.pvar >y.pvar
	zstd -q y.pvar x.pgen
	mv x.pgen.zst y.pgen.zst
	rm y.pvar
	cp x.psam y.psam
	joins --pfile y
	synthetic b 60 21 3
	for n in pgen:bed pvar:bim psam:fam; do
		cp "b.${n#*:}" "b.${n%:*}"
	done
	joins --pfile b.pgen
	# damage is seen by the part that has it
	head -c -2 x.pgen >z.pgen
	cp x.pvar z.pvar
	cp x.psam z.psam
	vsim-pack --pfile z --part 1/3 -o z.vec.h5 2>/dev/null
	refuses 3 'z.pgen: is cut short' vsim-pack -f --pfile z --part 3/3 -o z.vec.h5
	printf x >>x.pgen
	refuses 3 'x.pgen: has bytes behind its last variant' \
		vsim-pack -f --pfile x --part 3/3 -o z.vec.h5
}

# bats test_tags=long
@test "pack: parts of a .pgen of more variants than a block has" {
	pgen x 66000 9 1
	vsim-pack --pfile x -o whole.vec.h5 2>/dev/null
	parts 5 --pfile x 2>/dev/null
	vsim-pack --parts -f -o x.vec.h5 p.*.vec.h5 2>/dev/null
	[ "$(content x.vec.h5)" = "$(content whole.vec.h5)" ]
}

# bats test_tags=long
@test "pack: parts of a BCF join to the whole, wherever a record begins" {
	requires cmd bcftools
	requires python random
	local vcf=x.vcf.gz n counts
	zcat "$TOP/examples/chr20.vcf.gz" | head -n 4000 | gzip -1 >$vcf
	bcftools view -Ob -o x.bcf $vcf
	joins --vcf x.bcf
	as_text x.vec.h5
	mv x.vec.h5.txt bcf.txt
	vsim-pack --vcf $vcf -f -o x.vec.h5
	as_text x.vec.h5
	cmp x.vec.h5.txt bcf.txt
	counts=3
	bcftools view -Ou $vcf >y.bcf
	joins --vcf y.bcf --maf 0.05 --multiallelic split
	joins --vcf x.bcf --multiallelic whole
	joins --vcf x.bcf --max-missing 0.01
	# a site takes several blocks, or there are few; ids repeat, alleles are three
	for n in 1 3 40000; do
		"$PYTHON" - $n <<-'PY' >x.vcf
		import random, sys
		n = int(sys.argv[1])
		r = random.Random(n)
		print("##fileformat=VCFv4.2", *(f"##contig=<ID={c}>" for c in (1, 2, 3)),
		      '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">',
		      '##FORMAT=<ID=DS,Number=1,Type=Float,Description="x">', sep="\n")
		print("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT",
		      *(f"s{q}" for q in range(n)), sep="\t")
		v = 13 if n > 9 else 2000
		for k in range(v):
		    g = r.choices(["0/0", "0/1", "1/1", "./.", "1|0"], k=n)
		    if n < 9:
		        g = [f"{x}:{r.randrange(200) / 100}" for x in g]
		    print(1 + 3 * k // v, k + 1, f"v{k // 2}", "A", "C,G" if k % 9 == 4 else "C",
		          ".", ".", ".", "GT:DS" if n < 9 else "GT", *g, sep="\t")
		PY
		bcftools view -Ob -o x.bcf x.vcf
		counts='2 7'
		joins --vcf x.bcf
		counts=4
		[ $n = 40000 ] || joins --vcf x.bcf --format-field DS
		bcftools view -Ou x.vcf >x.bcf
		joins --vcf x.bcf
	done
	# one that is cut short, whichever part has its end
	head -c -40000 x.bcf >y.bcf
	run -3 --separate-stderr parts 7 --vcf y.bcf
	[[ $stderr == *': is malformed or cut short'* ]]
	bcftools view -Ob x.vcf | gzip -cd | gzip >y.bcf
	refuses 3 'is not compressed with bgzip' \
		vsim-pack --vcf y.bcf --part 1/4 -o y.vec.h5
}

@test "pack: records that stand within a record of a BCF are not taken for sites" {
	requires cmd bcftools
	requires python struct
	zcat "$TOP/examples/chr20.vcf.gz" | head -n 600 | bcftools view -Ou >x.bcf
	"$PYTHON" - <<-'PY'
	import struct
	b = open("x.bcf", "rb").read()
	at = 9 + struct.unpack("<I", b[5:9])[0]
	head, records = b[:at], []
	while at < len(b):
	    n = 8 + sum(struct.unpack("<2I", b[at:at + 8]))
	    records.append(b[at:at + n])
	    at += n
	# INFO of one more value, bytes that are records
	x, inner = records[9], b"".join(records[:60])
	n_shared, n_calls = struct.unpack("<2I", x[:8])
	shared = bytearray(x[8:8 + n_shared])
	shared[16:18] = struct.pack("<H", 1 + struct.unpack("<H", shared[16:18])[0])
	shared += b"\x11\x01\xf1\x13" + struct.pack("<I", len(inner)) + inner
	records[9] = struct.pack("<2I", len(shared), n_calls) + shared + x[8 + n_shared:]
	open("y.bcf", "wb").write(head + b"".join(records[:20]))
	PY
	vsim-pack --vcf y.bcf -o y.vec.h5
	[ "$(vsim-view --no-header y.vec.h5 | wc -l)" = 20 ]
	refuses 3 'y.bcf .part 1 of 2.: site 11: the next part begins within the site before' \
		vsim-pack --vcf y.bcf --part 1/2 -o p.vec.h5
	gone p.vec.h5
}

# bats test_tags=long
@test "pack: parts of EIGENSTRAT text join to the whole" {
	local v=97 n=11
	awk -v v=$v -v n=$n 'BEGIN { srand(3); for (k = 0; k < v; k++) {
		for (q = 0; q < n; q++)
			printf "%s", substr("0129", 1 + int(4 * rand()), 1)
		print k % 5 ? "" : " \r" } }' >x.geno
	awk -v v=$v 'BEGIN { for (k = 0; k < v; k++)
		print "v" int(k / 2), 1 + (k > 40), 0, k + 1, "A", "C" }' >x.snp
	awk -v n=$n 'BEGIN { for (q = 0; q < n; q++) print "s" q, "U", "P" }' >x.ind
	joins --eigenstrat x
	joins --eigenstrat x --chr 2 --maf 0.05
	# one line too few, and too many, in whichever part
	sed '$d' x.geno >y.geno
	cp x.snp y.snp
	cp x.ind y.ind
	refuses 3 'y.snp: line 97: has no line in y.geno' \
		vsim-pack --eigenstrat y --part 1/3 -o y.vec.h5
	cat x.geno x.geno >y.geno
	refuses 3 'y.geno: line 98: has no line in y.snp' \
		vsim-pack --eigenstrat y --part 2/3 -o y.vec.h5
	gone y.vec.h5
}

# bats test_tags=long
@test "pack: parts of each good input join to the whole, or are refused" {
	local bad='' n_cut=0 n_not=0 r name opt arg help
	help=$(vsim-pack --help)
	mkdir -p in
	while read -r name opt arg; do
		vsim-pack "$opt" "$arg" --label given -f -o w.vec.h5 2>/dev/null
		if parts 2 "$opt" "$arg" --label given 2>said; then
			vsim-pack --parts -f -o x.vec.h5 p.*.vec.h5 2>said
			[ "$(content x.vec.h5)" = "$(content w.vec.h5)" ] ||
				bad+="$name: parts differ: $(cat said)"$'\n'
			n_cut=$((n_cut + 1))
		else
			grep -q -e 'cannot be cut into parts' -e '--part is not supported' said ||
				bad+="$name: $(cat said)"$'\n'
			n_not=$((n_not + 1))
		fi
	done < <(for r in bfile vcf tsv tped file pfile eigenstrat; do
		inputs $r good
	done)
	[ -z "$bad" ] || complain "$bad"
	[ "$n_cut" -gt 40 ] && [ "$n_not" -gt 3 ]
}

# bats test_tags=long
@test "pack: parts of numbers join to the whole, in the type that all need" {
	requires python numpy
	"$PYTHON" - <<'PY'
import numpy as np
r = np.random.default_rng(5)
a = r.integers(0, 9, (60, 40)).astype("f8")
a[20:] += 290 * r.integers(0, 2, (40, 40))
a[40:] += 70000 * r.integers(0, 2, (20, 40))
head = "\t".join(f"s{k}" for k in range(40))
for name, b in ("whole", a), ("real", np.where(np.arange(60)[:, None] > 50,
                                               a - 0.5, a)):
    np.savetxt(name + ".tsv", b, "%g", "\t", header=head, comments="")
np.savetxt("bits.tsv", a % 2, "%d", "\t")
np.save("a.npy", a[:, :23].astype("u4"))
np.save("r.npy", r.normal(size=(23, 17)))
PY
	local f
	for f in *.tsv *.npy; do
		joins --matrix "$f"
	done
	joins --matrix real.tsv --normalize rank
	joins --matrix bits.tsv --element bit
	joins --tsv bits.tsv
	# rows without a name have their number in the whole
	vsim-view --no-header -c id x.vec.h5 | tail -n 1 | grep -qx v60
	refuses 3 'cannot be cut into parts' \
		vsim-pack --matrix real.tsv --transpose --part 1/2 -o y.vec.h5
	refuses 3 '--matrix --element bit' \
		vsim-pack --tsv bits.tsv --ploidy 1 --part 1/2 -o y.vec.h5
}

# bats test_tags=long
@test "pack: more parts than blocks or sites, and parts without any" {
	synthetic s 5 9 3
	vsim-pack --bfile s -o whole.vec.h5
	parts 12 --bfile s
	vsim-pack --parts -o x.vec.h5 p.*.vec.h5
	[ "$(content x.vec.h5)" = "$(content whole.vec.h5)" ]
	# lines of one length, so that cuts are where lines begin
	awk 'BEGIN { srand(2); for (v = 0; v < 40; v++) {
		for (q = 0; q < 9; q++) printf "%d\t", 3 * rand()
		print v % 3 } }' >x.tsv
	vsim-pack --tsv x.tsv -f -o whole.vec.h5
	parts 13 --tsv x.tsv
	vsim-pack --parts -f -o x.vec.h5 p.*.vec.h5
	[ "$(content x.vec.h5)" = "$(content whole.vec.h5)" ]
	zcat "$TOP/examples/chr20.vcf.gz" | head -n 300 >x.vcf
	vsim-pack --vcf x.vcf -f -o whole.vec.h5
	parts 40 --vcf x.vcf
	vsim-pack --parts -f -o x.vec.h5 p.*.vec.h5
	[ "$(content x.vec.h5)" = "$(content whole.vec.h5)" ]
	parts 3 --vcf x.vcf --chr 3
	refuses 3 'no site is left in any of the 3 parts' \
		vsim-pack --parts -f -o x.vec.h5 p.*.vec.h5
	# a file that is cut short, whichever part has its end
	truncate -s -1 x.vcf
	parts 4 --vcf x.vcf 2>err
	[ "$(grep -c 'may be cut short' err)" = 1 ]
	truncate -s -4 x.vcf
	run -3 --separate-stderr parts 4 --vcf x.vcf
	[[ $stderr == *'columns where the header has'* ]]
}

# bats test_tags=long
@test "pack: parts of small blocks of bgzip, some empty, and of a single row" {
	requires python zlib
	"$PYTHON" - <<'PY'
import random
import struct
import zlib
r = random.Random(7)
def block(text):
    c = zlib.compressobj(1, 8, -15)
    x = c.compress(text) + c.flush()
    return (b"\x1f\x8b\x08\x04" + bytes(4) + b"\0\xff\x06\0BC\x02\0" +
            struct.pack("<H", len(x) + 25) + x +
            struct.pack("<II", zlib.crc32(text), len(text)))
head = "id\t" + "\t".join(f"s{k}" for k in range(20)) + "\n"
rows = ["\t".join([f"v{v}"] + r.choices("012", k=20)) + "\n" for v in range(90)]
for name, text in ("many", "".join([head] + rows)), ("one", head + rows[0]):
    text, at = text.encode(), 0
    with open(name + ".tsv.gz", "wb") as o:
        while at < len(text):
            n = r.choice([1, 9, 44, 45, 300])
            o.write(block(text[at:at + n]) + (b"" if n > 9 else block(b"")))
            at += n
        o.write(block(b""))
PY
	local n f
	for f in many one; do
		vsim-pack --tsv $f.tsv.gz -f -o whole.vec.h5
		for n in 1 5 40; do
			parts $n --tsv $f.tsv.gz
			vsim-pack --parts -f -o x.vec.h5 p.*.vec.h5
			[ "$(content x.vec.h5)" = "$(content whole.vec.h5)" ]
		done
	done
}

@test "pack: an incomplete set of parts is refused, and nothing is written" {
	synthetic s 50 20 3
	synthetic t 50 20 4
	parts 4 --bfile s
	join=(vsim-pack --parts -o x.vec.h5)
	refuses 3 'part 3 of 4 is missing' "${join[@]}" p.[124].vec.h5
	refuses 3 'part 4 of 4 is missing' "${join[@]}" p.[123].vec.h5
	cp p.3.vec.h5 q.vec.h5
	refuses 3 'are both part 3 of 4' "${join[@]}" p.*.vec.h5 q.vec.h5
	vsim-pack --bfile s --part 2/5 -f -o q.vec.h5
	refuses 3 'numbers of parts differ' "${join[@]}" p.[134].vec.h5 q.vec.h5
	vsim-pack --bfile s --part 2/4 --maf 0.01 -f -o q.vec.h5
	refuses 3 'options differ' "${join[@]}" p.[134].vec.h5 q.vec.h5
	vsim-pack --bfile t --part 2/4 -f -o q.vec.h5
	refuses 3 'was packed from a different t.bim' \
		"${join[@]}" p.[134].vec.h5 q.vec.h5
	sed 's/I7/J7/' s.fam >u.fam
	cp s.bed u.bed
	cp s.bim u.bim
	vsim-pack --bfile u --part 2/4 -f -o q.vec.h5
	refuses 3 'q.vec.h5: sample 8, J7, differs from' \
		"${join[@]}" p.[134].vec.h5 q.vec.h5
	vsim-pack --bfile s -f -o q.vec.h5
	refuses 3 'q.vec.h5: is not a part' "${join[@]}" p.[134].vec.h5 q.vec.h5
	# one that is cut short, and one that was changed
	head -c 5000 p.2.vec.h5 >q.vec.h5
	refuses 3 'q.vec.h5: ' "${join[@]}" p.[134].vec.h5 q.vec.h5
	cp p.2.vec.h5 q.vec.h5
	flip q.vec.h5 2000
	refuses 3 'q.vec.h5: ' "${join[@]}" p.[134].vec.h5 q.vec.h5
	gone x.vec.h5
	refuses 2 '--part 5/4: expected K/N' \
		vsim-pack --bfile s --part 5/4 -o x.vec.h5
	refuses 2 '--part cannot be combined with standard input' \
		vsim-pack --vcf - --part 1/4 -o x.vec.h5
	refuses 2 'no parts given' vsim-pack --parts -o x.vec.h5
	refuses 2 '--maf requires genotypes' "${join[@]}" --maf 0.1 p.*.vec.h5
	zcat "$TOP/examples/chr20.vcf.gz" | head -n 300 | gzip >x.vcf.gz
	refuses 3 'is not compressed with bgzip' \
		vsim-pack --vcf x.vcf.gz --part 1/4 -o x.vec.h5
	gone x.vec.h5
}

@test "pack: parts of an input that was replaced or modified are refused" {
	local f
	# rows NAME: a larger file than its probe, whose rows are of one length
	rows() {
		awk -v by="$1" 'BEGIN { srand(by); for (v = 0; v < 9000; v++) {
			for (q = 0; q < 20; q++)
				printf "%d%s", int(3 * rand()), q < 19 ? "\t" : "\n" } }'
	}
	rows 1 >1.tsv
	rows 2 >2.tsv
	# one genotype in the middle, and one of the last line
	sed '4500y/012/120/' 1.tsv >3.tsv
	sed '$y/012/120/' 1.tsv >4.tsv
	touch -d '2020-01-01 00:00:00.5' ./*.tsv
	[ "$(stat -c %s 1.tsv)" -gt 262144 ]
	cp -p 1.tsv x.tsv
	vsim-pack --tsv x.tsv --part 1/2 -o p.1.vec.h5
	for f in 2 4; do
		cp -p $f.tsv x.tsv
		vsim-pack --tsv x.tsv --part 2/2 -f -o p.2.vec.h5
		refuses 3 'p.2.vec.h5: was packed from a different x.tsv than p.1' \
			vsim-pack --parts -o j.vec.h5 p.[12].vec.h5
	done
	# between the blocks, but at another time
	cp 3.tsv x.tsv
	vsim-pack --tsv x.tsv --part 2/2 -f -o p.2.vec.h5
	refuses 3 'p.2.vec.h5: x.tsv has a different modification time' \
		vsim-pack --parts -o j.vec.h5 p.[12].vec.h5
	gone j.vec.h5
	cp -p 1.tsv y.tsv
	vsim-pack --tsv y.tsv --part 2/2 -f -o p.2.vec.h5
	quietly vsim-pack --parts -o j.vec.h5 p.[12].vec.h5
	vsim-pack --tsv x.tsv --part 1/2 -f -o p.1.vec.h5
	refuses 3 'cannot be cut into parts: it is not a regular file' \
		vsim-pack --tsv <(cat x.tsv) --part 2/2 -o q.vec.h5
}

@test "pack: a part is not a vectors file for other programs" {
	synthetic s 50 20 3
	vsim-pack --bfile s --part 1/2 -o p.vec.h5
	refuses 3 'is part 1 of 2 of a vectors file; vsim-pack --parts' \
		vsim-run -t 0.7 -o run p.vec.h5
	gone run
	refuses 3 'is part 1 of 2' \
		vsim-permute --order random -o r.vec.h5 p.vec.h5
	vsim-verify p.vec.h5
	[ "$(vsim-view --no-header p.vec.h5 | wc -l)" = 25 ]
}
