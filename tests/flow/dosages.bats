# SPDX-License-Identifier: BSD-3-Clause
# Numbers of a VCF: a field of FORMAT as vectors, against bcftools.
load ../helpers

# made N_SITE N_SAMPLE: x.vcf with DS, DP, AD and GP, some sites without DS
made() {
	requires python numpy h5py
	requires cmd bcftools
	"$PYTHON" - "$@" >x.vcf <<-'PY'
	import sys
	import numpy as np
	v, n = map(int, sys.argv[1:])
	r = np.random.default_rng(7)
	print("##fileformat=VCFv4.2")
	for name, number, kind in (("GT", 1, "String"), ("DS", "A", "Float"),
	        ("DP", 1, "Integer"), ("AD", "R", "Integer"), ("GP", "G", "Float"),
	        ("FT", 1, "String")):
	    print(f'##FORMAT=<ID={name},Number={number},Type={kind},Description="x">')
	print("##contig=<ID=1>\n##contig=<ID=2>")
	print("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT",
	      *(f"s{q}" for q in range(n)), sep="\t")
	for k in range(v):
	    alt = "C,G" if k % 50 == 9 else "C"
	    some = k % 30 != 7
	    cells = []
	    for x, d in zip(r.random(n) * 2, r.integers(0, [9, 300, 70000][k % 3], n)):
	        ds = f"{x:.{k % 6}f}" + (",0.5" if "," in alt else "")
	        cells.append(f"0/1:{ds}:{d}:1,2:PASS" if some else f"0/1:{d}:1,2:PASS")
	    print(1 + k % 2, 10 + k, f"v{k}", "A", alt, ".", ".", ".",
	          "GT:DS:DP:AD:FT" if some else "GT:DP:AD:FT", *cells, sep="\t")
	PY
}

@test "dosages: DS of a VCF and of its BCF are the floats that bcftools shows" {
	made 300 37
	bcftools view -Ob x.vcf >x.bcf
	bcftools view -Oz x.vcf >x.vcf.gz
	run --separate-stderr vsim-pack --vcf x.vcf --format-field DS -o a.vec.h5
	[ "$status" = 0 ]
	[ "${stderr_lines[0]}" = "vsim-pack: x.vcf: 6 sites with more than two alleles were left out" ]
	[ "${stderr_lines[1]}" = "vsim-pack: x.vcf: 10 sites without DS were left out" ]
	vsim-pack --vcf x.bcf --format-field DS -o b.vec.h5 2>/dev/null
	vsim-pack --vcf - --format-field DS --element f64 -o c.vec.h5 <x.vcf.gz 2>/dev/null
	vsim-pack --vcf x.vcf --format-field DP --element smallest -o d.vec.h5 2>/dev/null ||
		complain "DP"
	bcftools query -e 'N_ALT>1 || FORMAT/DS="."' -f '%ID[\t%DS]\n' x.vcf >ds
	bcftools query -e 'N_ALT>1' -f '%ID[\t%DP]\n' x.vcf >dp
	[ "$(wc -l <ds)" = 284 ]
	"$PYTHON" - <<-'PY'
	import h5py
	import numpy as np
	def text(name):
	    rows = [x.rstrip("\n").split("\t") for x in open(name)]
	    return ([x[0] for x in rows], np.array([x[1:] for x in rows], float))
	for name, want, kind in (("a", "ds", "f4"), ("b", "ds", "f4"), ("c", "ds", "f8"),
	        ("d", "dp", "f4")):
	    f = h5py.File(name + ".vec.h5")
	    ids, x = text(want)
	    got = f["vectors/values"][...]
	    assert got.dtype == kind, (name, got.dtype)
	    assert (got == x.astype("f4")).all(), name
	PY
}

@test "dosages: fields that are no single number are refused, naming the place" {
	made 8 5
	while IFS=: read -r field words; do
		refuses 3 "x.vcf: $words" vsim-pack --vcf x.vcf \
			--format-field "$field" -o y.vec.h5
	done <<-'EOT'
	GT:GT is calls
	XX:its header has no FORMAT field called XX
	FT:FORMAT field FT is no number
	GP:no site has GP
	AD:line 11 .1:10.: sample s0: has several numbers where one is wanted
	EOT
	sed '/^1\t12/s/0\/1:[0-9.]*:/0\/1:.:/2' x.vcf >m.vcf
	vsim-pack --vcf m.vcf --format-field DS -o m.vec.h5 2>/dev/null
	[ "$(vsim-view -g --no-header m.vec.h5 | sed -n 3p | cut -f 1,3)" = "v2	NA" ]
	vsim-pack --vcf m.vcf --format-field DS --missing-as-zero -o w.vec.h5 \
		2>/dev/null
	[ "$(vsim-view -g --no-header w.vec.h5 | sed -n 3p | cut -f 1,3)" = "v2	0" ]
	sed '/^1\t12/s/0\/1:[0-9.]*:/0\/1:-1:/2' x.vcf >n.vcf
	vsim-pack --vcf n.vcf --format-field DS -o n.vec.h5 2>/dev/null
	[ "$(vsim-view -g --no-header n.vec.h5 | sed -n 3p | cut -f 1,3)" = "v2	-1" ]
	refuses 2 '--format-field goes with --vcf' vsim-pack --matrix x \
		--format-field DS -o z.vec.h5
	refuses 2 '--maf does not go with --format-field' vsim-pack --vcf x.vcf \
		--format-field DS --maf 0.1 -o z.vec.h5
	printf l >b.txt
	refuses 3 'b.txt: is no VCF or BCF' vsim-pack --vcf b.txt \
		--format-field DS -o z.vec.h5
	gone z.vec.h5
}
