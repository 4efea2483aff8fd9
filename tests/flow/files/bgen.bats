# SPDX-License-Identifier: BSD-3-Clause
# BGEN files, written here by their definition: calls are those of the dosages, and
# dosages the fractions themselves.
load ../../helpers

setup_file() {
	requires python json
	cd "$BATS_FILE_TMPDIR"
	"$PYTHON" - <<-'END'
		import random, struct, zlib
		from fractions import Fraction

		random.seed(3)
		N = 23

		def pack(numbers, bits):
		    x = sum(v << bits * k for k, v in enumerate(numbers))
		    return x.to_bytes((bits * len(numbers) + 7) // 8, "little")

		def text(s, n):
		    return len(s).to_bytes(n, "little") + s.encode()

		def call(d, ploidy):
		    best = min((0, 1, 2), key=lambda c: abs(d - c))
		    near = abs(d - best) * 10 <= 1 and (ploidy == 2 or best != 1)
		    return str(best) if near else "NA"

		def site(k, bits, phased, packing, haploid):
		    one, numbers, ploidy, calls, exact = (1 << bits) - 1, [], [], [], []
		    for q in range(N):
		        p = 1 if haploid and q % 3 == 0 else 2
		        lost = random.random() < .1
		        sure = random.random() < .7
		        draw = (lambda: random.choice((0, one))) if sure else \
		               (lambda: random.randint(0, one))
		        if p == 1:
		            x = [draw()]
		            d = 2 * Fraction(one - x[0], one)
		        elif phased:
		            x = [draw(), draw()]
		            d = Fraction(2 * one - sum(x), one)
		        else:
		            a = draw()
		            x = [a, random.choice((0, one - a)) if sure
		                 else random.randint(0, one - a)]
		            d = Fraction(2 * (one - x[0]) - x[1], one)
		        numbers += [0] * len(x) if lost else x
		        ploidy.append(p | 128 * lost)
		        calls.append("NA" if lost else call(d, p))
		        exact.append("nan" if lost else str(float(d)))
		    block = struct.pack("<IHBB", N, 2, 1 if haploid else 2, 2) + \
		        bytes(ploidy) + bytes([phased, bits]) + pack(numbers, bits)
		    if packing == 1:
		        z = zlib.compress(block)
		        block = struct.pack("<II", len(z) + 4, len(block)) + z
		    else:
		        block = struct.pack("<I", len(block)) + block
		    head = text(f"snp{k}", 2) + text(f"rs{k}", 2) + text("7", 2) + \
		        struct.pack("<IH", 100 + k, 2) + text("A", 4) + text("GT", 4)
		    return head + block, "\t".join([f"rs{k}", *calls]), \
		        "\t".join([f"rs{k}", *exact])

		def write(name, packing, sites, extra=b"", layout=2):
		    ids = [f"s{q}" for q in range(N)]
		    names = b"".join(text(s, 2) for s in ids)
		    names = struct.pack("<II", 8 + len(names), N) + names
		    flags = packing | layout << 2 | 1 << 31
		    header = struct.pack("<III", 20 + len(extra), len(sites), N) + \
		        b"bgen" + extra + struct.pack("<I", flags)
		    with open(name + ".bgen", "wb") as f:
		        f.write(struct.pack("<I", len(header) + len(names)))
		        f.write(header + names + b"".join(s[0] for s in sites))
		    with open(name + ".want", "w") as f:
		        print("id", *ids, sep="\t", file=f)
		        for s in sites:
		            print(s[1], file=f)
		    with open(name + ".exact", "w") as f:
		        print("f64", *ids, sep="\t", file=f)
		        for s in sites:
		            print(s[2], file=f)

		for packing in 0, 1:
		    for phased in 0, 1:
		        for haploid in 0, 1:
		            write(f"{packing}{phased}{haploid}", packing,
		                  [site(k, b, phased, packing, haploid) for k, b in
		                   enumerate((1, 2, 3, 7, 8, 11, 16, 25, 31, 32))],
		                  b"free text" * packing)
		a, *_ = site(0, 8, 0, 1, 0)
		write("layout1", 1, [(a, "", "")], layout=1)
		write("three", 3, [(a, "", "")])
		# three alleles: skipped
		head = text("", 2) + text("m", 2) + text("7", 2) + \
		    struct.pack("<IH", 9, 3) + text("A", 4) + text("C", 4) + text("G", 4)
		z = zlib.compress(b"anything")
		many = head + struct.pack("<II", len(z) + 4, 8) + z
		write("many", 1, [site(0, 8, 0, 1, 0), (many, "", ""), site(1, 8, 0, 1, 0)])
	END
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

@test "bgen: calls of the dosages, for each number of bits, phase and ploidy" {
	local f
	for f in [01][01][01].bgen; do
		vsim-pack -f --bgen "$f" --label given -o x.vec.h5 2>said ||
			complain "$f: $(cat said)"
		vsim-view -g x.vec.h5 | diff "${f%.bgen}.want" - >differ ||
			complain "$f: $(head differ)"
		[ "$(grep -ow 1 "${f%.bgen}.want" | wc -l)" -gt 10 ]
	done
	vsim-view -c id,chrom,pos,allele0,allele1 --no-header x.vec.h5 | head -n 1 |
		grep -qx $'rs0\t7\t100\tA\tGT'
	# known by its content, whatever its name
	cp 100.bgen other.bin
	vsim-run -t 0.5 --to tsv -o - other.bin >got
	vsim-run -t 0.5 --to tsv -o - 100.bgen | cmp - got
}

# as_text NAME: NAME.vec.h5 by h5py alone
as_text() {
	requires python numpy h5py
	"$PYTHON" "$TOP/tests/vecdump.py" "$1.vec.h5"
	cat "$1.vec.h5.txt"
}

@test "bgen: dosages are the nearest reals, for each number of bits, phase and ploidy" {
	local f
	for f in [01][01][01].bgen; do
		vsim-pack -f --bgen "$f" --format-field DS --element f64 -o x.vec.h5 ||
			complain "$f"
		as_text x | diff "${f%.bgen}.exact" - || complain "$f"
	done
	# as f32, some samples and frequent sites alone, with missing as 0
	printf 's2\ns7\ns20\n' >keep
	vsim-pack -f --bgen 101.bgen --format-field DS --keep keep --maf 0.2 \
		--missing-as-zero -o x.vec.h5
	as_text x >got
	"$PYTHON" - <<-'END'
		import numpy as np
		rows = [x.split("\t") for x in open("101.exact").read().splitlines()]
		at = [rows[0].index(s) for s in ("s2", "s7", "s20")]
		want = [["f32", "s2", "s7", "s20"]]
		for row in rows[1:]:
		    d = np.array([float(row[k]) for k in at])
		    f = np.nanmean(d) / 2 if np.isfinite(d).any() else 0
		    if min(f, 1 - f) >= 0.2:
		        d = np.nan_to_num(d).astype("f4")
		        want.append([row[0], *(str(x) for x in d.tolist())])
		assert 3 < len(want) < len(rows)
		assert want == [x.split("\t") for x in open("got").read().splitlines()]
	END
	refuses 2 'GP: of --bgen it is DS' \
		vsim-pack --bgen 100.bgen --format-field GP -o o.vec.h5
	cp many.bgen bad.bgen
	printf 'x' >>bad.bgen
	refuses 3 'bad.bgen: variant 3: has bytes behind' \
		vsim-pack --bgen bad.bgen --format-field DS -o o.vec.h5
	gone o.vec.h5
}

@test "bgen: a .sample gives ids, sexes, case status and other phenotypes" {
	requires python numpy h5py
	"$PYTHON" - <<-'END'
		for name, n in ("a", 23), ("few", 22):
		    with open(name + ".sample", "w") as f:
		        print("ID_1 ID_2 missing sex age site bin bmi\n0 0 0 D C D B P", file=f)
		        for q in range(n):
		            print(f"f{q // 2}", f"i{q}", 0, ["NA", 1, 2][q % 3], 20 + q, f"x{q % 2}",
		                  ["NA", 0, 1, "-9"][q % 4], q / 8 if q else "NA", file=f)
	END
	vsim-pack -f --bgen 100.bgen --sample a.sample -o x.vec.h5 2>/dev/null
	vsim-pack -f --bgen 100.bgen --sample a.sample --pheno-name bmi -o y.vec.h5 2>/dev/null
	"$PYTHON" - <<-'END'
		import h5py, numpy as np
		f, g = h5py.File("x.vec.h5"), h5py.File("y.vec.h5")
		s, q = f["samples"], np.arange(23)
		assert [x.decode() for x in s["id"]] == [f"i{k}" for k in q]
		assert [x.decode() for x in s["family"]] == [f"f{k // 2}" for k in q]
		assert (s["sex"][...] == q % 3).all()
		assert (s["case"][...] == np.array([255, 0, 1, 255])[q % 4]).all()
		assert sorted(f["phenotypes"]) == ["age", "bmi"], list(f["phenotypes"])
		assert (f["phenotypes/age"][...] == 20 + q).all()
		assert np.isnan(f["phenotypes/bmi"][0])
		assert "case" not in g["samples"]
		assert (g["samples/trait"][1:] == q[1:] / 8).all()
		assert sorted(g["phenotypes"]) == ["age", "bin", "bmi"]
	END
	vsim-view --header x.vec.h5 | grep -q '^#source1_name: .*a.sample$'
	# ids alone with dosages
	vsim-pack -f --bgen 100.bgen --sample a.sample --format-field DS -o x.vec.h5
	[ "$(as_text x | head -n 1 | cut -f 1,2,24)" = $'f32\ti0\ti22' ]
	refuses 3 'few.sample: has 22 samples, and 100.bgen 23' \
		vsim-pack --bgen 100.bgen --sample few.sample -o o.vec.h5
	refuses 3 '100.bgen: has no phenotypes; --sample names' \
		vsim-pack --bgen 100.bgen --pheno-name bmi -o o.vec.h5
	refuses 3 'a.sample: no phenotype is called x' \
		vsim-pack --bgen 100.bgen --sample a.sample --pheno-name x -o o.vec.h5
	refuses 2 'sample' vsim-pack --vcf x.vcf --sample a.sample -o o.vec.h5
	gone o.vec.h5
}

@test "bgen: dosages are what PLINK 2 exports, to its digits" {
	requires cmd plink2
	requires python numpy h5py
	plink2 --dummy 40 300 0.05 dosage-freq=0.7 --seed 5 --export bgen-1.2 \
		--out p >/dev/null
	plink2 --bgen p.bgen ref-first --sample p.sample --export A-transpose \
		--out p >/dev/null
	vsim-pack -f --bgen p.bgen --sample p.sample --format-field DS -o x.vec.h5
	as_text x >got
	"$PYTHON" - <<-'END'
		import numpy as np
		want = [x.split("\t")[6:] for x in open("p.traw").read().splitlines()[1:]]
		got = [x.split("\t")[1:] for x in open("got").read().splitlines()[1:]]
		want = 2 - np.array([[float(y.replace("NA", "nan")) for y in x] for x in want])  # of REF
		got = np.array(got, float)
		assert want.shape == got.shape == (300, 40)
		assert (np.isnan(want) == np.isnan(got)).all() and np.isnan(got).any()
		# it holds dosages in steps of 2^-14
		assert np.nanmax(abs(want - got)) <= 2 ** -15 + 1e-5
		assert (np.nan_to_num(got) % 1 > 0).mean() > 0.3
	END
}

@test "bgen: sites of more alleles are skipped, and counted" {
	vsim-pack -f --bgen many.bgen --label given -o x.vec.h5 2>said
	grep -q '1 .*alleles' said || complain "$(cat said)"
	vsim-view -g x.vec.h5 | cut -f 1 | paste -s | grep -qx $'id\trs0\trs1'
}

@test "bgen: bad files are refused with their place, and leave nothing" {
	local n size
	rm -f o.vec.h5
	refuses 3 'layout1.bgen: has layout 1 and compression 1, but only layout' \
		vsim-pack --bgen layout1.bgen -o o.vec.h5
	refuses 3 'three.bgen: has layout 2 and compression 3, but only layout' \
		vsim-pack --bgen three.bgen -o o.vec.h5
	size=$(stat -c %s 100.bgen)
	for n in 0 10 19 30 60 $((size / 2)) $((size - 1)); do
		head -c "$n" 100.bgen >cut.bgen
		refuses 3 'cut.bgen: ' vsim-pack --bgen cut.bgen -o o.vec.h5
	done
	cat 100.bgen - <<<x >long.bgen
	refuses 3 'long.bgen: variant 10: has bytes behind its last variant' \
		vsim-pack --bgen long.bgen -o o.vec.h5
	# each byte changed: a file, or one line
	for ((n = 0; n < 400; n += 7)); do
		cp 000.bgen bad.bgen
		printf '\377' | dd of=bad.bgen bs=1 seek="$n" conv=notrunc status=none
		run vsim-pack -f --bgen bad.bgen -o o.vec.h5
		[ "$status" = 0 ] || [ "$status" = 3 ] || complain "$n: $output"
	done
	rm -f o.vec.h5
	gone
}
