# SPDX-License-Identifier: BSD-3-Clause
# Files of PLINK 2 with dosages, written here by the format's definition: calls are read
# as before, and dosages are the fractions themselves.
load ../../helpers

setup_file() {
	requires python struct
	cd "$BATS_FILE_TMPDIR"
	"$PYTHON" - <<-'END'
		import random, struct

		random.seed(8)
		N = 300

		def bits(flags):
		    x = sum(1 << k for k, f in enumerate(flags) if f)
		    return x.to_bytes((len(flags) + 7) // 8, "little")

		def varint(x):
		    out = b""
		    while x > 127:
		        out += bytes([x & 127 | 128])
		        x >>= 7
		    return out + bytes([x])

		def difflist(ids):
		    groups = [ids[k:k + 64] for k in range(0, len(ids), 64)]
		    steps = [b"".join(varint(b - a) for a, b in zip(g, g[1:]))
		             for g in groups]
		    if not ids:
		        return b"\0"
		    return varint(len(ids)) + \
		        b"".join(struct.pack("<H", g[0]) for g in groups) + \
		        bytes(len(s) - 63 for s in steps[:-1]) + b"".join(steps)

		# how: 0, or the bits of the type: 0x20 a list, 0x40 all, 0x60 bits;
		# phases: 0, 1 all heterozygous calls, 2 some; 0x80: of dosages
		def record(how, share, phases=0):
		    call = [random.choice((0, 0, 1, 2, 3)) for q in range(N)]
		    raw = b"".join(struct.pack("B", sum(c << 2 * k for k, c in
		        enumerate(call[q:q + 4]))) for q in range(0, N, 4))
		    has = [how & 0x60 == 0x40 or (how & 0x60 and
		        random.random() < share) for q in range(N)]
		    value = [65535 if c == 3 and (how & 0x60 == 0x40)
		        and random.random() < .5 else
		        random.choice((0, 1, 16384, 32768, random.randint(0, 32768)))
		        for c in call]
		    if phases:
		        het = call.count(1)
		        some = [phases == 1 or random.random() < .5 for k in range(het)]
		        swapped = [random.random() < .5 for f in some if f]
		        raw += bits([0] + swapped) if phases == 1 else \
		            bits([1] + some) + bits(swapped)
		    if how & 0x60 == 0x20:
		        raw += difflist([q for q in range(N) if has[q]])
		    elif how & 0x60 == 0x60:
		        raw += bits(has)
		    raw += b"".join(struct.pack("<H", v) for v, h in zip(value, has) if h)
		    if how & 0x80:
		        of = [random.random() < .5 for h in has if h]
		        if how & 0x60 != 0x40:
		            raw += bits(of)
		        raw += b"\1\0" * (N if how & 0x60 == 0x40 else sum(of))
		    text = ["nan" if (v == 65535 if h else c == 3) else
		        str(float(v / 16384 if h else c))
		        for c, h, v in zip(call, has, value)]
		    return how | (16 if phases else 0), raw, call, text

		def write(name, mode, rows):
		    head = struct.pack("<II", len(rows), N)
		    with open(name + ".pgen", "wb") as f:
		        if mode == 0x10:
		            index = bytes(r[0] for r in rows) + \
		                b"".join(struct.pack("<I", len(r[1])) for r in rows)
		            at = 12 + 8 + len(index)
		            head += b"\x47" + struct.pack("<Q", at) + index
		        else:
		            head += b"\x40"
		        f.write(b"\x6c\x1b" + bytes([mode]) + head)
		        f.write(b"".join(r[1] for r in rows))
		    with open(name + ".psam", "w") as f:
		        print("#FID\tIID\tSEX\tPHENO1", file=f)
		        for q in range(N):
		            print(f"f{q}\ts{q}\t{1 + q % 2}\t{1 + q % 3 // 2}", file=f)
		    with open(name + ".pvar", "w") as f:
		        print("#CHROM\tPOS\tID\tREF\tALT", file=f)
		        for k in range(len(rows)):
		            print(1, 10 * k + 1, f"v{k}", "A", "T", sep="\t", file=f)
		    ids = [f"s{q}" for q in range(N)]
		    for end, of, first in ("calls", 2, "id"), ("exact", 3, "f64"):
		        with open(f"{name}.{end}", "w") as f:
		            print(first, *ids, sep="\t", file=f)
		            for k, r in enumerate(rows):
		                cell = ["NA" if c == 3 else c for c in r[2]] \
		                    if of == 2 else r[3]
		                print(f"v{k}", *cell, sep="\t", file=f)

		write("vary", 0x10, [record(how | more, share, phases)
		    for how in (0, 0x20, 0x40, 0x60) for share in (0, .02, .6, 1)
		    for phases in (0, 1, 2) for more in ((0, 0x80) if how else (0,))])
		write("fixed", 3, [record(0x40, 1) for k in range(5)])
		write("phased", 4, [record(0xc0, 1) for k in range(5)])
		good = record(0x20, .3)
		for name, row in (("cut", (good[0], good[1][:-1])),
		                  ("more", (good[0], good[1] + b"\0")),
		                  ("large", (good[0], good[1][:-2] + b"\1\x80")),
		                  ("listed", (good[0], good[1][:75] + b"\xff\xff\3"))):
		    write(name, 0x10, [good, (*row, *good[2:])])
	END
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

@test "pgen: files with dosages give their hard calls, and a line says so" {
	local f
	for f in vary fixed phased; do
		vsim-pack -f --pfile $f --label given -o x.vec.h5 2>said
		vsim-view -g x.vec.h5 | diff $f.calls - >differ ||
			complain "$f: $(head differ)"
		grep -qx "vsim-pack: $f: [0-9]* variants have dosages, and their hard calls were read; --format-field DS reads dosages" said ||
			complain "$f: $(cat said)"
	done
	# a part reads on from the record that the next one is packed against
	vsim-pack -f --pfile vary --part 2/2 -o part.vec.h5
}

# as_text NAME: NAME.vec.h5 by h5py alone
as_text() {
	requires python numpy h5py
	"$PYTHON" "$TOP/tests/vecdump.py" "$1.vec.h5"
	cat "$1.vec.h5.txt"
}

@test "pgen: dosages are those of the file, and samples keep their sex and status" {
	local f k
	for f in vary fixed phased; do
		vsim-pack -f --pfile $f --format-field DS --element f64 -o x.vec.h5 2>said
		as_text x | diff $f.exact - >differ || complain "$f: $(head differ)"
		! grep dosage said || complain "$(cat said)"
	done
	for k in 1 2 3; do
		vsim-pack -f --pfile vary --format-field DS --element f64 --part $k/3 \
			-o p$k.vec.h5
	done
	vsim-pack -f --parts --codec none -o x.vec.h5 p[123].vec.h5
	as_text x | diff vary.exact -
	vsim-pack -f --pfile vary --codec none -o y.vec.h5
	for k in x y; do
		"$PYTHON" - $k <<-'END'
			import h5py, sys
			f = h5py.File(sys.argv[1] + ".vec.h5")["samples"]
			print(f["id"][:9].tolist(), f["sex"][:9], f["case"][:9])
		END
	done >got
	[ "$(sort -u got | wc -l)" = 1 ] && [ "$(wc -l <got)" = 2 ]
}

@test "pgen: dosages that are cut, too long or no dosages are refused" {
	local f
	for f in cut more large listed; do
		refuses 3 "$f.pgen: variant 2: its record has dosages that are malformed or cut short; restore it" \
			vsim-pack -f --pfile $f --format-field DS -o x.vec.h5
	done
	refuses 2 'vary: --format-field GP: of --pfile it is DS, the dosage of the second allele' \
		vsim-pack --pfile vary --format-field GP -o z.vec.h5
	[ ! -e z.vec.h5 ]
}
