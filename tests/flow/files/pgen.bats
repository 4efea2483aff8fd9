# SPDX-License-Identifier: BSD-3-Clause
# PLINK 2's .pgen against what plink2 itself makes of the same calls.
load ../../helpers
load ../../cli/pack

# calls N_SITE N_SAMPLE SEED [MULTI]: x.vcf of many kinds of sites: rare, common,
# all alike, like the one before, like it with alleles exchanged, missing
calls() {
	requires python numpy h5py
	requires cmd plink2
	"$PYTHON" - "$@" >x.vcf <<-'PY'
	import sys
	import numpy as np
	v, n, seed = map(int, sys.argv[1:4])
	multi = len(sys.argv) > 4
	r = np.random.default_rng(seed)
	print("##fileformat=VCFv4.2")
	print('##FORMAT=<ID=GT,Number=1,Type=String,Description="x">')
	for c in range(1, 4):
	    print(f"##contig=<ID={c}>")
	print("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT",
	      *(f"s{q}" for q in range(n)), sep="\t")
	last = np.zeros(n, int)
	word = np.array(["0/0", "0/1", "1/1", "./."])
	for k in range(v):
	    kind = r.integers(0, 9)
	    if kind < 4:
	        f = [0, .01, .1, .5][kind]
	        g = r.binomial(2, f, n)
	    elif kind == 4:
	        g = np.full(n, r.integers(0, 4))
	    else:
	        g = last.copy() if kind < 7 else np.array([2, 1, 0, 3])[last]
	        some = r.random(n) < r.choice([.002, .02, .3])
	        g[some] = r.integers(0, 4, some.sum())
	    if kind < 5:
	        g[r.random(n) < r.choice([0, 0, .01, .3])] = 3
	        last = g
	    cells, alt = word[g], "C"
	    if multi and k % 7 == 3:
	        cells, alt = np.where(r.random(n) < .1, "1/2", cells), "C,G"
	    elif multi and k % 7 == 5:
	        cells = np.where(g == 1, np.where(r.random(n) < .5, "0|1", "1|0"), cells)
	    print(1 + k * 3 // v, 100 + k, f"v{k}", "A", alt, ".", ".", ".", "GT",
	          *cells, sep="\t")
	PY
}

# same OPTION PREFIX: what is read of it are the calls of x.vcf
same() {
	vsim-pack -f "$1" "$2" --label alt -o p.vec.h5 2>said
	vsim-pack -f --vcf x.vcf --label alt -o v.vec.h5 2>/dev/null
	as_text p.vec.h5 v.vec.h5
	cmp v.vec.h5.txt p.vec.h5.txt
}

# types FILE: how the records of a .pgen are packed, one number a line
types() {
	"$PYTHON" - "$1" <<-'PY'
	import sys
	b = open(sys.argv[1], "rb").read()
	assert b[:3] == b"\x6c\x1b\x10"
	v = int.from_bytes(b[3:7], "little")
	at = 12 + 8 * -(-v // 65536)
	for k in range(v):
	    print((b[at + k] if b[11] & 4 else b[at + k // 2] >> 4 * (k % 2) & 15) & 7)
	PY
}

# bats test_tags=long
@test "pgen: calls are those of the .vcf, for each way to pack a record" {
	local n
	for n in 1 3 4 64 65 255 256 257 700; do
		calls 250 $n $n
		plink2 --vcf x.vcf --make-pgen --out x >/dev/null
		same --pfile x
		[ ! -s said ] || complain "$(cat said)"
		types x.pgen >>kinds
		# records of one width, and a packed .pvar
		plink2 --pfile x --make-pgen format=2 vzs --out y >/dev/null
		rm -f y.pvar
		same --pfile y.pgen
		rm y.pvar.zst
		# a .bed is one, too, its A1 being ALT
		plink2 --pfile x --make-bed --out b >/dev/null
		cp b.bed z.pgen
		cp x.pvar z.pvar
		cp x.psam z.psam
		same --pfile z
	done
	# plink2 packs in each of them
	[ "$(sort -u kinds | xargs)" = "0 1 2 3 4 6 7" ] ||
		complain "$(sort kinds | uniq -c)"
}

@test "pgen: phase is passed over; sites of several alleles are left out" {
	calls 300 90 5 multi
	plink2 --vcf x.vcf --make-pgen --out x >/dev/null
	same --pfile x
	[ "$(cat said)" = "vsim-pack: x: 43 sites with more than two alleles were left out" ]
	# selections find their sites among those
	vsim-pack --pfile x --chr 2 --from-kb 0.25 -o s.vec.h5 2>/dev/null
	plink2 --pfile x --chr 2 --from-kb 0.25 --max-alleles 2 --make-pgen --out t >/dev/null
	vsim-pack --pfile t -o t.vec.h5
	vsim-view -g s.vec.h5 >s
	vsim-view -g t.vec.h5 | cmp s -
	# by columns of a .pvar in other places
	awk 'BEGIN { OFS = "\t" } !/^##/ { print $1, $5, $3, $4, $2 }' x.pvar >y.pvar
	cp x.pgen y.pgen
	cp x.psam y.psam
	same --pfile y
}

# bats test_tags=long
@test "pgen: more than 65536 variants, and samples by ids of three bytes" {
	calls 66000 9 6
	plink2 --vcf x.vcf --make-pgen --out x >/dev/null
	same --pfile x
	local n
	for n in 65535 65536 70000; do
		calls 30 $n $n
		plink2 --vcf x.vcf --make-pgen --out x >/dev/null
		same --pfile x
	done
}

@test "pgen: samples, sexes, parents and phenotypes of a .psam" {
	calls 20 6 8
	plink2 --vcf x.vcf --make-pgen --out x >/dev/null
	printf '#FID\tIID\tPAT\tMAT\tSEX\tcc\tpop\tbmi\n' >x.psam
	printf 'F%d\ts%d\t%s\t0\t%s\t%s\tGBR\t%s\n' 0 0 0 1 1 20.5 0 1 s0 2 2 NA \
		1 2 0 NA 2 25 1 3 0 1 0 30 2 4 s3 2 1 -9 2 5 0 2 2 19 >>x.psam
	vsim-pack --pfile x -o a.vec.h5
	vsim-pack --pfile x --keep-founders -o b.vec.h5
	"$PYTHON" - <<-'PY'
	import h5py
	f = h5py.File("a.vec.h5")["samples"]
	assert [x.decode() for x in f["family"][...]] == ["F0", "F0", "F1", "F1", "F2", "F2"]
	assert list(f["sex"][...]) == [1, 2, 0, 1, 2, 2]
	assert list(f["case"][...]) == [0, 1, 1, 255, 0, 1], list(f["case"][...])
	bmi = h5py.File("a.vec.h5")["phenotypes/bmi"][...]
	assert str(list(bmi)) == "[20.5, nan, 25.0, 30.0, nan, 19.0]", bmi
	assert list(h5py.File("a.vec.h5")["phenotypes"]) == ["bmi"]
	f = h5py.File("b.vec.h5")["samples"]
	assert [x.decode() for x in f["id"][...]] == ["s0", "s2", "s3", "s5"]
	PY
	# ids alone: no families, and no parents
	printf '#IID\n' >x.psam
	printf 's%d\n' 0 1 2 3 4 5 >>x.psam
	vsim-pack -f --pfile x -o a.vec.h5
	[ -z "$("$PYTHON" -c 'import h5py
print(*(x for x in h5py.File("a.vec.h5")["samples"] if x == "family"))')" ]
	refuses 3 'x names no parents' vsim-pack --pfile x --keep-founders -o c.vec.h5
	printf 's%d s%d 0 0 1 1\n' 0 0 1 1 2 2 3 3 4 4 5 5 >x.psam
	quietly vsim-pack -f --pfile x -o a.vec.h5
	gone c.vec.h5
}

@test "pgen: calls and dosages of a file with dosages are those of plink2" {
	requires cmd plink2
	printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n' >x.vcf
	printf '##FORMAT=<ID=%s,Description="x">\n' GT,Number=1,Type=String \
		DS,Number=A,Type=Float >>x.vcf
	printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n' >>x.vcf
	printf '1\t%d\tv%d\tA\tC\t.\t.\t.\tGT:DS\t0/1:%s\t0/0:0\n' 7 1 1 8 2 0.95 >>x.vcf
	plink2 --vcf x.vcf dosage=DS --make-pgen --out x >/dev/null
	same --pfile x
	[ "$(cat said)" = 'vsim-pack: x: 1 variant has dosages, and its hard calls were read; --format-field DS reads dosages' ]
	plink2 --pfile x --make-pgen erase-dosage --out y >/dev/null
	same --pfile y
	vsim-pack -f --pfile x --format-field DS --element f64 --codec none -o d.vec.h5
	plink2 --pfile x --export A-transpose --export-allele <(printf 'v1 C\nv2 C\n') \
		--out x >/dev/null
	"$PYTHON" - <<-'PY'
	import h5py
	rows = [x.split()[6:] for x in open("x.traw").read().splitlines()[1:]]
	got = h5py.File("d.vec.h5")["vectors/values"][...]
	assert len(rows) == 2
	for want, have in zip(rows, got):
	    for x, y in zip(want, have):
	        assert abs(float(x) - y) <= 2 ** -14, (want, have)
	PY
}
