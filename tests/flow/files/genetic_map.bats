# SPDX-License-Identifier: BSD-3-Clause
# Genetic maps: centimorgans as PLINK 1.9 and numpy interpolate them, in each form of a
# map, and the windows and LD scores that follow from them.
load ../../helpers

VCF=$TOP/examples/chr20.vcf.gz

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf '%s\n' '1000300 0.5' '1500000 0.7' '1500400 0.7' '2999000 2.25' >points
}

# centimorgans X.vec.h5: id and cM of each vector, as a .bim states them
centimorgans() {
	"$PYTHON" -c 'import h5py, sys
f = h5py.File(sys.argv[1])
for i, x in zip(f["vectors/id"][:], f["vectors/cm"][:]):
    print(i.decode(), "%.8g" % x)' "$1"
}

# as_want MAP [OPTION...]: this form gives the centimorgans of `want`
as_want() {
	vsim-pack -f --vcf "$VCF" --map "$@" -o x.vec.h5 2>said || complain "$(cat said)"
	centimorgans x.vec.h5 | cmp - want || complain "$* differs"
}

@test "genetic map: PLINK's, HapMap's and SHAPEIT's forms, as plink1.9 --cm-map has it" {
	requires python h5py
	requires cmd plink1.9
	# before the first point PLINK goes on at the rate that this line states
	sed -i 's/^1000300/1000226/' points
	sed '1i position rate cM' points | sed '2,$s/ / 1 /' >plink.map
	plink1.9 --vcf "$VCF" --make-bed --out b >/dev/null
	plink1.9 --bfile b --cm-map plink.map 20 --make-bed --out c >/dev/null
	awk '{ print $2, $3 }' c.bim >want
	[ "$(cut -d' ' -f2 want | sort -u | wc -l)" -gt 1000 ]
	as_want plink.map
	grep -q 'a map without chromosomes, position in 1, centimorgans in 3' said
	awk '{ print 20, "m" NR, $2, $1 }' points >x.map
	as_want x.map
	grep -q 'chromosome in column 1, position in 4, centimorgans in 3, as in a' said
	grep -q 'mean rate 0.876 cM/Mb' said
	awk '{ print "chr20", $1, 1, $2 }' points |
		sed '1i Chromosome\tPosition(bp)\tRate(cM/Mb)\tMap(cM)' >hapmap
	as_want hapmap
	# unsorted, with other chromosomes and a header in the middle, packed
	awk '{ print $1, 20, $2 }' points | tac | sed '1i pos chr cM' >shapeit
	{ cat shapeit; echo 'pos chr cM'; echo 5 7 9; } | gzip >all.gz
	as_want all.gz
	as_want - <shapeit
	# a .bim that has centimorgans
	vsim-pack -f --bfile b --map c.bim -o x.vec.h5
	centimorgans x.vec.h5 | cmp - want
	# and after vsim-permute and --parts
	vsim-permute --order random -o y.vec.h5 x.vec.h5
	diff <(centimorgans y.vec.h5 | sort) <(sort want)
	vsim-pack --bfile b --part 1/2 -o p1.vec.h5
	vsim-pack --bfile b --part 2/2 -o p2.vec.h5
	vsim-pack -f --parts --map x.map -o x.vec.h5 p1.vec.h5 p2.vec.h5
	centimorgans x.vec.h5 | cmp - want
}

@test "genetic map: --max-cm chooses pairs, and LD scores are numpy's" {
	requires python numpy h5py
	awk '{ print $1, 20, $2 }' points | sed '1i pos chr cM' >map
	vsim-pack --vcf "$VCF" --maf 0.06 --label alt --map map -o x.vec.h5
	vsim-run -m r2 -t 0.2 --max-cm 0.013 -o run --merge e.res.h5 x.vec.h5
	vsim-verify e.res.h5 x.vec.h5
	vsim-view -c id1,id2 --no-header e.res.h5 | sort >got
	vsim-run -m r2 -t 0.2 --max-kb 3000 --to tsv -c id1,pos1,id2,pos2 --no-header -o - x.vec.h5 |
		"$PYTHON" -c 'import numpy as np, sys
p, cm = np.loadtxt("points").T
for line in sys.stdin:
    a, x, b, y = line.split()
    x, y = np.rint(1e9 * np.interp([int(x), int(y)], p, cm))
    if abs(x - y) <= 13e6:
        print(a, b, sep="\t")' | sort >want
	[ "$(wc -l <want)" -gt 1000 ]
	cmp got want
	for k in 1 2 3; do
		vsim-run -m r2 -t 0.2 --max-cm 0.013 --stage $k/3 -o stage$k x.vec.h5
	done
	vsim-merge -o s.res.h5 stage1 stage2 stage3
	cmp <(vsim-view s.res.h5) <(vsim-view e.res.h5)
	# one command gives the same, also of the other programs' chain
	vsim-run -m r2 -t 0.2 --max-cm 0.013 --maf 0.06 --map map --to tsv -c id1,id2 \
		--no-header -o - "$VCF" | sort | cmp - want
	vsim ld "$VCF" --maf 0.06 --map map --window-kb all --max-cm 0.013 -c id1,id2 \
		--no-header | sort | cmp - want
	vsim-run -f -m r2 --summary ldscore --max-cm 0.013 -o run x.vec.h5
	vsim-merge -f -o out run
	"$PYTHON" "$TOP/tests/flow/summary.py" ldscore x.vec.h5 0.013@points out
}

@test "genetic map: no pair has a variant of an unknown place, within a window or not" {
	awk 'BEGIN { for (v = 1; v <= 700; v++) {
		printf "1 v%d 0 %d", v, v % 50 == 25 ? 0 : 1000 * v
		for (q = 0; q < 40; q++) printf " %s", (v * q * q + q) % 3 ? "A A" : "C C"
		print "" } }' >x.tped
	awk 'BEGIN { for (q = 0; q < 40; q++) print "f", "s" q, 0, 0, 1, -9 }' >x.tfam
	printf '1 a 0 1\n1 b 1 700000\n' >map
	vsim-pack --tped x --map map -o x.vec.h5 2>said
	grep -q 'map: 14 of 700 variants get no centimorgans from it' said
	for how in '--max-kb 140' '--max-cm 0.2'; do
		vsim-run -f -m r2 -t -1 $how -o run --merge e.res.h5 x.vec.h5 2>said
		grep -q '14 vectors without a known position' said
		vsim-run -f -m r2 -t 0.5 --summary degree $how -o run x.vec.h5
		vsim-merge -f -o out run
		vsim-view --no-header -c id1,id2 -t 0.5 e.res.h5 | tr '\t' '\n' | sort |
			uniq -c | awk '{ print $2, $1 }' | sort >want
		awk 'NR > 1 && $3 { print $2, $3 }' out.degree.tsv | sort | cmp - want
	done
}

@test "genetic map: what is wrong with a map, with its line and a remedy" {
	vsim-pack --vcf "$VCF" -o x.vec.h5
	# refused TEXT STATUS MAP-LINE...
	refused() {
		local text=$1
		shift
		printf '%s\n' "$@" >map
		run -3 vsim-pack -f --vcf "$VCF" --map map -o y.vec.h5
		[[ $output = *"$text"* ]] || complain "$output"
		[ ! -e y.vec.h5 ]
	}
	refused 'map: line 1: neither the names of columns' '1000 20 0.5'
	refused 'map: line 1: neither the names' '20 rs1 1000'
	refused 'put a line such as "pos chr cM" first' '20 rs1 x 1000'
	refused 'map: is empty; give a map of positions' ''
	refused 'line 3: position expected, '"'x'" 'pos chr cM' '1 20 0' 'x 20 1'
	refused 'line 2: centimorgans expected, '"'nan'" 'pos chr cM' '1 20 nan'
	refused "centimorgans expected, '1e9'" 'pos chr cM' '1 20 1e9'
	refused 'line 2: has 2 columns, and 3 are needed' 'pos chr cM' '1 20'
	refused 'line 2: 1 cM at position 9, but 2 cM at 8 in line 1' '20 a 2 8' '20 b 1 9'
	refused 'centimorgans must rise' '20 a 1 8' '20 b 2 8'
	refused 'states centimorgans on no chromosome' '20 a 0 8' '20 b 0 9'
	refused 'states centimorgans on no chromosome' '19 a 0 8' '19 b 1 9'
	refused 'states centimorgans on no chromosome' 'pos chr cM'
	run -3 vsim-pack --vcf "$VCF" --map nowhere -o y.vec.h5
	run -3 vsim-run -m r2 -t 0.5 --max-cm 1 -o run x.vec.h5
	[[ $output = *'x.vec.h5: it has no genetic positions; pack it with --map'* ]]
	run -2 vsim-run -m r2 -t 0.5 --max-cm 0 -o run x.vec.h5
	run -2 vsim-run -m r2 -t 0.5 --max-cm 1 --map map -o run x.vec.h5
	run -2 vsim-run -m r2 -t 0.5 --max-cm 1 --inter-chromosome -o run x.vec.h5
	run -2 vsim-pack --vcf "$VCF" --map map --part 1/2 -o y.vec.h5
	printf '1\t2\n3\t4\n' >t
	run -2 vsim-pack --matrix t --map map -o y.vec.h5
	# several chromosomes, of which the map names none
	{ zcat "$VCF" | head -n 200; zcat "$VCF" | sed -n '201,210s/^20/21/p'; } >two.vcf
	printf 'pos cM\n1 0\n2 1\n' >map
	run -3 vsim-pack --vcf two.vcf --map map -o y.vec.h5
	[[ $output = *'has no column of chromosomes, and the variants are on 2 of them'* ]]
	# a vectors file whose centimorgans fall
	requires python h5py
	printf '20 a 0 1000000\n20 b 3 4000000\n' >map
	vsim-pack -f --vcf "$VCF" --map map -o x.vec.h5
	forged() {
		cp x.vec.h5 y.vec.h5
		"$PYTHON" "$TOP/tests/cli/forge.py" y.vec.h5 "$1"
		run -"$2" vsim-run -f -m r2 -t 0.5 --max-cm 1 -o run y.vec.h5
		[[ $output = *"$3"* ]] || complain "$output"
	}
	can_import xxhash || return 0
	forged '' 0 ''
	forged 'f["vectors/cm"][7] = 5' 3 'y.vec.h5: row 8 is at 0.'
	forged 'f["vectors/cm"][7] = 2e6' 3 '/vectors/cm: row 7: -1000000 to 1000000, or NaN'
	forged 'f["vectors/cm"][7] = -np.inf' 3 'row 7: -1000000 to 1000000, or NaN expected'
	forged 'f["vectors/cm"][7] = np.nan' 0 ' 1 vector without a known position'
	forged 'put("vectors/cm", f["vectors/cm"][1:])' 3 '/vectors/cm'
}
