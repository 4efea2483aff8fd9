# SPDX-License-Identifier: BSD-3-Clause
# BGEN files, written here by their definition: calls are those of the dosages.
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
		    one, numbers, ploidy, calls = (1 << bits) - 1, [], [], []
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
		    block = struct.pack("<IHBB", N, 2, 1 if haploid else 2, 2) + \
		        bytes(ploidy) + bytes([phased, bits]) + pack(numbers, bits)
		    if packing == 1:
		        z = zlib.compress(block)
		        block = struct.pack("<II", len(z) + 4, len(block)) + z
		    else:
		        block = struct.pack("<I", len(block)) + block
		    head = text(f"snp{k}", 2) + text(f"rs{k}", 2) + text("7", 2) + \
		        struct.pack("<IH", 100 + k, 2) + text("A", 4) + text("GT", 4)
		    return head + block, f"rs{k}\t" + "\t".join(calls)

		def write(name, packing, sites, extra=b"", layout=2):
		    ids = [f"s{q}" for q in range(N)]
		    names = b"".join(text(s, 2) for s in ids)
		    names = struct.pack("<II", 8 + len(names), N) + names
		    flags = packing | layout << 2 | 1 << 31
		    header = struct.pack("<III", 20 + len(extra), len(sites), N) + \
		        b"bgen" + extra + struct.pack("<I", flags)
		    with open(name + ".bgen", "wb") as f:
		        f.write(struct.pack("<I", len(header) + len(names)))
		        f.write(header + names + b"".join(s for s, _ in sites))
		    with open(name + ".want", "w") as f:
		        print("id", *ids, sep="\t", file=f)
		        for _, calls in sites:
		            print(calls, file=f)

		for packing in 0, 1:
		    for phased in 0, 1:
		        for haploid in 0, 1:
		            write(f"{packing}{phased}{haploid}", packing,
		                  [site(k, b, phased, packing, haploid) for k, b in
		                   enumerate((1, 2, 3, 7, 8, 11, 16, 25, 31, 32))],
		                  b"free text" * packing)
		a, _ = site(0, 8, 0, 1, 0)
		write("layout1", 1, [(a, "")], layout=1)
		write("three", 3, [(a, "")])
		# three alleles: skipped
		head = text("", 2) + text("m", 2) + text("7", 2) + \
		    struct.pack("<IH", 9, 3) + text("A", 4) + text("C", 4) + text("G", 4)
		z = zlib.compress(b"anything")
		many = head + struct.pack("<II", len(z) + 4, 8) + z
		write("many", 1, [site(0, 8, 0, 1, 0), (many, ""), site(1, 8, 0, 1, 0)])
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
