# SPDX-License-Identifier: BSD-3-Clause
# Of the tests of vsim-plot: the program, pictures, and results to draw
setup() {
	requires python numpy h5py matplotlib
	cd "$BATS_TEST_TMPDIR" || return
}

# plot ARG...: vsim-plot, by the interpreter of the tests
plot() {
	"$PYTHON" "$VSIM_BUILD/vsim-plot" "$@"
}

picture() {
	"$PYTHON" "$TOP/tests/cli/picture.py" "$@"
}

# script ARG...: the one on stdin, which finds the modules of vsim-plot. PYTHONPATH would
# have an interpreter start, and import all that it needs, for each.
script() {
	{
		echo 'import sys; sys.dont_write_bytecode = True'
		echo "sys.path[0:0] = ['$TOP/tools', '$TOP/examples/python']"
		cat
	} | "$PYTHON" - "$@"
}

# result METRIC T [OPTION...]: METRIC.res.h5 of 1,000 SNPs of chromosome 20, or of
# the vectors file $X
result() {
	[ -e "$BATS_FILE_TMPDIR/x.vec.h5" ] || {
		zcat "$TOP/examples/chr20.vcf.gz" |
			awk '/^#/ || (NR % 25 == 0 && ++n <= 1000)' |
			vsim-pack --vcf - -o "$BATS_FILE_TMPDIR/x.vec.h5"
	}
	vsim-run -f -m "$1" -t "$2" "${@:3}" -o run --merge "$1.res.h5" \
		"${X:-$BATS_FILE_TMPDIR/x.vec.h5}"
}

# study: study.vec.h5 of 80 variants on two chromosomes, of which v3 and v50 interact in
# 200 cases and 200 controls, and inter.res.h5
study() {
	awk 'BEGIN { srand(5)
		for (q = 1; q <= 400; q++) { a[q] = int(rand() * 3); b[q] = int(rand() * 3)
			case_ = (a[q] == b[q]) == (rand() < 0.8)
			print "f" q, "s" q, 0, 0, 1, 1 + case_ >"s.tfam" }
		for (v = 1; v <= 80; v++) { line = (v > 40) + 1 " v" v " 0 " v * 90000
			for (q = 1; q <= 400; q++) {
				g = v == 3 ? a[q] : v == 50 ? b[q] : int(rand() * 3)
				line = line (g == 0 ? " A A" : g == 1 ? " A C" : " C C") }
			print line >"s.tped" } }'
	vsim-pack --tped s -o study.vec.h5
	X=study.vec.h5 result inter 3 --permutations 19 2>/dev/null
}

# long_ids: e.res.h5 of two sites with ids that XML has to escape, and cannot hold
long_ids() {
	{
		printf '##fileformat=VCFv4.2\n##contig=<ID=20>\n'
		printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
		printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n'
		printf '20\t100\t<script>alert(1)</script>&"$x^2$\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\t0/0\t0/1\n'
		printf '20\t900\tb\xff\tG\tT\t.\t.\t.\tGT\t0/1\t1/1\t0/0\t0/1\n'
	} >l.vcf
	vsim-pack --vcf l.vcf -o l.vec.h5
	vsim-run -m r2 -t 0.5 -o lrun --merge e.res.h5 l.vec.h5
}

# golden KIND ARG...: a small picture that differs little from that looked at;
# VSIM_GOLDEN=1 writes it
golden() {
	local want=$TOP/tests/data/plot/$1.png
	plot "$@" --width 4 --dpi 50 -f -o got.png
	[ -z "${VSIM_GOLDEN:-}" ] || cp got.png "$want"
	picture compare got.png "$want" 0.02 || complain "$1: another picture"
}

# take_a_second SHARD...: let each tile of the shards have taken a second
take_a_second() {
	local f
	for f in "$@"; do
		"$PYTHON" "$TOP/tests/cli/forge.py" "$f" \
			"put('tiles/seconds', np.ones(len(f['tiles/bi'])))
'stats' in f and f['stats'].attrs.modify(
	'seconds_total', np.float64(len(f['tiles/bi'])))"
	done
}
