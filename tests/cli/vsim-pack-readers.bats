# SPDX-License-Identifier: BSD-3-Clause
# vsim-pack: readers of genotypes, against good and bad inputs and other programs.
load ../helpers
load pack

# readers: the options of genotype inputs, by the rows
readers() {
	local f
	for f in $(sed -n 's/^READER(\(.*\))/\1/p' "$TOP"/formats/in/rows.h); do
		sed -n 's/^\t\.name = "\(.*\)",/\1/p' "$TOP/formats/in/in_$f.c"
	done
}

walk_good() {
	local name opt arg bad=
	while read -r name opt arg; do
		run --separate-stderr vsim-pack "$opt" "$arg" --label given \
			-o "$name.vec.h5"
		[ "$status" = 0 ] && [ -z "$output" ] ||
			bad+="$name: exit $status: $output $stderr"$'\n'
		if [ -f "$IN/$1/good/$name.warns" ]; then
			[ "${#stderr_lines[@]}" = 1 ] && grep -qf \
				"$IN/$1/good/$name.warns" <<<"$stderr" ||
				bad+="$name: said: $stderr"$'\n'
		else
			[ -z "$stderr" ] || bad+="$name: said: $stderr"$'\n'
		fi
	done < <(inputs "$1" good)
	as_text ./*.vec.h5
	for name in *.vec.h5; do
		name=${name%.vec.h5}
		diff "$IN/$1/good/$name.want" "$name.vec.h5.txt" >d ||
			bad+="$name: wanted <, got >: $(cat d)"$'\n'
	done
	[ -z "$bad" ] || complain "$bad"
}

walk_bad() {
	local name opt arg bad=
	while read -r name opt arg; do
		refuses 3 "$(cat "$IN/$1/bad/$name.says")" \
			vsim-pack "$opt" "$arg" -o x.vec.h5 2>why ||
			bad+="$name: $(cat why)"$'\n'
		gone x.vec.h5 2>why || bad+="$name: $(cat why)"$'\n'
	done < <(inputs "$1" bad)
	[ -z "$bad" ] || complain "$bad"
}

@test "pack: readers are those with folders of good and bad inputs" {
	[ "$(readers | sort)" = "$(cd "$IN" && ls -d -- */good | sed 's#/.*##' |
		grep -vx matrix | sort)" ]
	for r in $(readers); do
		[[ $(vsim-pack --help) == *"--$r "*"--$r "* ]] || complain "$r"
		run -2 --separate-stderr vsim-pack -o x.vec.h5
		[[ $stderr == *"--$r,"* ]] || complain "$stderr"
		run -2 --separate-stderr vsim-pack --matrix x --maf 0.1 -o x.vec.h5
		[[ $stderr == *"--$r"* ]] || complain "$stderr"
	done
}

@test "pack: each good input gives the calls written beside it" {
	local help r
	help=$(vsim-pack --help)
	for r in $(readers); do
		mkdir $r
		(cd $r && walk_good $r)
	done
}

@test "pack: each bad input is refused, naming file and place, nothing left" {
	local help r
	help=$(vsim-pack --help)
	for r in $(readers); do
		walk_bad $r
	done
}

# ---- against other programs ----

# vcf_text FILE: as vecdump.py --source shows it, by bcftools and awk; diploid
vcf_text() {
	bcftools query -f '%CHROM\t%POS\t%ID\t%REF\t%ALT[\t%GT]\n' "$1" |
		awk -F '\t' '{
			printf "%s\t%s\t%s\t%s\t%s", $1, $2, $3, $4, $5
			for (i = 6; i <= NF; i++) {
				a = substr($i, 1, 1); b = substr($i, 3, 1)
				g = a == "." || b == "." ? "." : a + b
				printf "\t%s", g
			}
			print ""
		}'
}

# traw_text FILE: the same of plink --recode A-transpose, which counts A1
traw_text() {
	awk 'BEGIN { OFS = "\t" } NR > 1 {
		pos = $4 > 0 ? $4 : 0
		printf "%s\t%s\t%s\t%s\t%s", $1, pos, $2, $5, $6
		for (i = 7; i <= NF; i++)
			printf "\t%s", ($i == "NA" ? "." : 2 - $i)
		print ""
	}' "$1"
}

# bats test_tags=long
@test "pack: chr20 as bcftools reads it, .vcf.gz, BCF and through a pipe" {
	requires data 1000g-chr20
	requires cmd bcftools
	local f=$CHR20/reference.vcf.gz
	vsim-pack --vcf "$f" -o a.vec.h5 2>&1 |
		grep -q ': 3 variant ids occur more than once, first rs369887745$'
	bcftools view -Ou "$f" | vsim-pack --vcf - -o b.vec.h5
	bcftools view -Ob "$f" >c.bcf
	vsim-pack --vcf c.bcf --label alt -o c.vec.h5
	gzip -dc "$f" | vsim-pack --vcf /dev/stdin --label given -o d.vec.h5
	as_text [abcd].vec.h5
	vcf_text "$f" >want
	[ "$(wc -l <want)" = 24990 ]
	for x in a b c d; do
		cmp want $x.vec.h5.txt
	done
}

# bats test_tags=long
@test "pack: mouse-hs1940, chromosome 1, as plink reads it" {
	requires data mouse-hs1940
	requires cmd plink1.9
	plink1.9 --bfile "$MOUSE" --mouse --chr 1 --keep-allele-order \
		--recode A-transpose --out p >/dev/null
	awk 'NR > 1 { print $2 }' p.traw >ids
	quietly vsim-pack --bfile "$MOUSE" --extract ids -o m.vec.h5
	as_text m.vec.h5
	[ "$(wc -l <ids)" -gt 700 ]
	traw_text p.traw | cmp - m.vec.h5.txt
}

# but for sites without any call, which plink --maf lets pass
@test "pack: sites and samples left are those that plink leaves" {
	requires cmd plink1.9
	synthetic s 600 61 1
	awk 'NR % 3' s.fam | awk '{ print $1, $2 }' | sort -R >some
	awk 'NR % 4 { print $2 }' s.bim | sort -R >ids
	local k=0 ours plinks
	while IFS=: read -r ours plinks; do
		k=$((k + 1))
		# shellcheck disable=SC2086
		vsim-pack --bfile s $ours --label a2 -o o$k.vec.h5 ||
			complain "$ours"
		# shellcheck disable=SC2086
		plink1.9 --bfile s --allow-no-sex --keep-allele-order $plinks \
			--recode A-transpose --out p$k >/dev/null
		traw_text p$k.traw >want$k
	done <<-'EOT'
	--maf 0.05:--maf 0.05 --geno 0.999
	--maf 0.1 --max-missing 0.1:--maf 0.1 --geno 0.1
	--max-missing 0.0491803278688524590163934:--geno 0.0491803278688524590163934
	--max-missing 0.04918032786885246:--geno 0.04918032786885246
	--keep some:--keep some
	--extract ids:--extract ids
	--keep some --extract ids --maf 0.025 --max-missing 0.3:--keep some --extract ids --maf 0.025 --geno 0.3
	--maf 0.5:--maf 0.5 --geno 0.999
	--drop-monomorphic:--mac 1
	EOT
	as_text o*.vec.h5
	for k in $(seq $k); do
		cmp want$k o$k.vec.h5.txt || complain "case $k"
	done
}

# bats test_tags=long
@test "pack: a haploid call counts as plink counts it" {
	requires cmd plink2
	# newer ones want to know the sexes
	printf '#IID\tSEX\ns1\t2\ns2\t1\ns3\t1\n' >p.psam
	plink2 --vcf "$IN/vcf/good/haploid-x.vcf" --psam p.psam \
		--split-par hg38 --make-bed --out p >/dev/null
	vsim-pack --bfile p --label a1 -o p.vec.h5
	vsim-pack --vcf "$IN/vcf/good/haploid-x.vcf" --label alt -o v.vec.h5 \
		2>/dev/null
	as_labels p.vec.h5 v.vec.h5
	cut -f 2- p.vec.h5.txt >p
	cut -f 2- v.vec.h5.txt | cmp - p
}

@test "pack: a .tped made by plink equals its .bed" {
	requires cmd plink1.9
	synthetic s 200 33 2
	plink1.9 --bfile s --allow-no-sex --recode transpose --out t >/dev/null
	vsim-pack --bfile s --label minor --drop-monomorphic -o b.vec.h5
	vsim-pack --tped t --label minor --drop-monomorphic -o t.vec.h5
	as_labels b.vec.h5 t.vec.h5
	# where both alleles are as frequent, label 1 may be either
	awk 'function tie(  i, s, c) {
		for (i = 6; i <= NF; i++)
			if ($i != ".") { s += $i; c++ }
		return s == c
	} !tie()' b.vec.h5.txt >b
	awk 'function tie(  i, s, c) {
		for (i = 6; i <= NF; i++)
			if ($i != ".") { s += $i; c++ }
		return s == c
	} !tie()' t.vec.h5.txt >t
	[ "$(wc -l <b)" -gt 100 ]
	cmp b t
}

@test "pack: a .ped made by plink equals its .bed, phenotypes and sexes too" {
	requires cmd plink1.9
	requires python h5py
	synthetic s 700 33 4
	# sites without a call have no alleles in a .ped
	awk '{ $6 = 1 + NR % 2; print }' s.fam >f
	mv f s.fam
	plink1.9 --bfile s --allow-no-sex --recode --out t >/dev/null
	plink1.9 --bfile s --allow-no-sex --recode transpose --out t >/dev/null
	vsim-pack --tped t --label given -o t.vec.h5
	vsim-pack --file t --label given -o p.vec.h5
	vsim-pack --file t.map --keep-founders -o q.vec.h5
	as_text t.vec.h5 p.vec.h5
	[ "$(wc -l <p.vec.h5.txt)" = 700 ]
	# the first allele of a site is the one met first, of either
	cmp t.vec.h5.txt p.vec.h5.txt
	"$PYTHON" - <<-'PY'
	import h5py
	t, p = (h5py.File(x + ".vec.h5") for x in "tp")
	for x in "id", "family", "sex", "case":
	    assert (t["samples"][x][...] == p["samples"][x][...]).all(), x
	assert p["samples/case"][...].sum() == 17
	PY
}

# bgzip: as the program does, in small blocks and with the empty one at the end
bgzip() {
	"$PYTHON" -c 'if True:
	import struct, sys, zlib
	data, out = sys.stdin.buffer.read(), sys.stdout.buffer
	for k in [*range(0, len(data), 999), len(data)]:
	    part = data[k:k + 999]
	    z = zlib.compressobj(6, zlib.DEFLATED, -15)
	    body = z.compress(part) + z.flush()
	    out.write(bytes.fromhex("1f8b08040000000000ff060042430200") +
	        struct.pack("<H", len(body) + 25) + body +
	        struct.pack("<II", zlib.crc32(part), len(part)))'
}

@test "pack: a .bed, .bim and .fam packed by gzip, bgzip or zstd are read as they are" {
	requires cmd zstd
	synthetic s 700 61 6
	vsim-pack --bfile s -o s.vec.h5
	vsim-view -g s.vec.h5 >want
	local how k=0
	for how in "gzip zstd cat" "zstd gzip gzip" "bgzip zstd zstd" "cat gzip zstd"; do
		k=$((k + 1))
		# shellcheck disable=SC2086
		set -- $how
		for part in bed bim fam; do
			case $1 in
			cat) cp s.$part p$k.$part ;;
			zstd) zstd -q s.$part -o p$k.$part.zst ;;
			*) $1 <s.$part >p$k.$part.gz ;;
			esac
			shift
		done
		quietly vsim-pack --bfile p$k -o p$k.vec.h5
		vsim-view -g p$k.vec.h5 | cmp want -
	done
	quietly vsim-pack --bfile p1.bed.gz -f -o p1.vec.h5
	quietly vsim-pack --bfile p1.bim.zst -f -o p1.vec.h5
	# packed, but not of as many calls as the others say
	{ cat s.bed; printf x; } | gzip >p1.bed.gz
	refuses 3 'p1.bed.gz: holds more bytes than the 11203 that the 700 variants of p1.bim.zst and the 61 samples of p1.fam take' \
		vsim-pack --bfile p1 -o x.vec.h5
	head -c 11202 s.bed | gzip >p1.bed.gz
	refuses 3 'p1.bed.gz: holds fewer bytes than the 11203' vsim-pack \
		--bfile p1 -o x.vec.h5
	gzip -c s.bed | head -c 900 >p1.bed.gz
	refuses 3 'p1.bed.gz: is cut short' vsim-pack --bfile p1 -o x.vec.h5
	bgzip <s.bed | head -c -28 >p1.bed.gz
	refuses 3 'p1.bed.gz: .*end' vsim-pack --bfile p1 -o x.vec.h5
	gone x.vec.h5
}

@test "pack: a table made by plink equals its .bed" {
	requires cmd plink1.9
	synthetic s 200 33 3
	plink1.9 --bfile s --allow-no-sex --keep-allele-order \
		--recode A-transpose --out t >/dev/null
	cut -f 2,7- t.traw | vsim-pack --tsv - --label given -o t.vec.h5
	vsim-pack --bfile s --label a1 -o b.vec.h5
	as_labels b.vec.h5 t.vec.h5
	cut -f 3,6- b.vec.h5.txt >b
	cut -f 3,6- t.vec.h5.txt | cmp - b
}

@test "pack: a mean genotype file of BIMBAM, as calls and as numbers" {
	# id, the allele that is counted, the other one, its mean copies
	printf 'rs1, A, G, 0, 1, 2, 0.1\nrs2, T, C, 1.95, 0.5, NA, 1.1\nrs3, X, Y, 1.5,0,0,0.89\n' >x.txt
	run --separate-stderr vsim-pack --tsv x.txt --label given -o x.vec.h5
	[ "$status" = 0 ]
	[ "$stderr" = "vsim-pack: x.txt: 3 mean genotypes are more than 0.1 from 0, 1 and 2 and were taken as missing" ]
	diff - <(vsim-view -c id,allele0,allele1,n0,n1,n2,missing x.vec.h5) <<-'EOT'
	#id	allele0	allele1	n0	n1	n2	missing
	rs1	G	A	2	1	1	0
	rs2	C	T	0	1	1	2
	rs3	Y	X	2	0	0	2
	EOT
	[ "$(vsim-view -g --no-header x.vec.h5 | xargs)" = \
		"rs1 0 1 2 0 rs2 2 NA NA 1 rs3 NA 0 0 NA" ]
	# inbred lines without a 2: held, and their alleles with them
	printf 'rs1 X Y 0 1 0.5\nrs2 X Y 1 1 0\n' >y.txt
	vsim-pack --tsv y.txt --ploidy 1 --label given -o y.vec.h5
	[ "$(vsim-view -g --no-header y.vec.h5 | xargs)" = "rs1 0 1 NA rs2 1 1 0" ]
	[ "$(vsim-view --no-header -c allele0,allele1 y.vec.h5 | xargs)" = "Y X Y X" ]
	vsim-pack --matrix y.txt -o m.vec.h5
	[ "$(vsim-view -g --no-header m.vec.h5 | xargs)" = "rs1 0 1 0.5 rs2 1 1 0" ]
	# names of columns are no such row
	printf 'plot,A,C,2001,2002\nx,1,2,3,4\n' >years.csv
	vsim-pack --matrix years.csv -o n.vec.h5
	[ "$(vsim-view -g n.vec.h5 | xargs)" = "id A C 2001 2002 x 1 2 3 4" ]
	printf 'rs1, A, G, 0, 1\nrs2, A, G, 2.5, 1\n' >bad.txt
	refuses 3 'bad.txt: line 2, column 4 .s1.: 2.5 is not a genotype' \
		vsim-pack --tsv bad.txt -o x2.vec.h5
	gone x2.vec.h5
}

# bats test_tags=long
@test "pack: calls and classes of GAMETES and hiperbio are those of a .tped" {
	requires python numpy h5py
	"$PYTHON" - <<-'PY'
	import numpy as np
	r = np.random.default_rng(5)
	g, n = r.integers(0, 3, (700, 1100)), 1030
	word = np.array(["1 1", "1 2", "2 2"])
	with open("t.tped", "w") as o:
	    for k, row in enumerate(g):
	        print(1, f"v{k + 1}", 0, k + 1, *word[row], file=o)
	with open("t.tfam", "w") as o:
	    for q in range(1100):
	        print("F", f"s{q + 1}", 0, 0, 0, 1 + (q >= n), file=o)
	with open("g.txt", "w") as o:
	    print(*(f"v{k + 1}" for k in range(700)), "Class", sep="\t", file=o)
	    for q in range(1100):
	        print(*g[:, q], int(q >= n), sep="\t", file=o)
	with open("h.txt", "w") as o:
	    print(700, "h0.bin", n, "h1.bin", 1100 - n, sep="\n", file=o)
	for c, x in enumerate((g[:, :n], g[:, n:])):
	    b = np.stack([x == 0, x == 1], 1)
	    b = np.pad(b, ((0, 0), (0, 0), (0, -b.shape[2] % 1024)))
	    np.packbits(b, axis=2).reshape(-1, 4)[:, ::-1].tofile(f"h{c}.bin")
	PY
	vsim-pack --tped t --label minor -o t.vec.h5
	vsim-pack --gametes g.txt -o g.vec.h5
	vsim-pack --hiperbio h.txt -o h.vec.h5
	"$PYTHON" - <<-'PY'
	import h5py
	t, g, h = (h5py.File(x + ".vec.h5") for x in "tgh")
	for x in g, h:
	    assert (x["samples/case"][...] == t["samples/case"][...]).all()
	    same = x["vectors/planes"][...] == t["vectors/planes"][...]
	    # where both alleles are as frequent, label 1 may be either
	    assert (~same.all(axis=(1, 2))).sum() <= 20
	assert t["samples/case"][...].sum() == 70
	PY
	vsim-run -m k2 --top 5 -o t t.vec.h5 --merge t.res.h5
	vsim-view -c id1,id2,value t.res.h5 >want
	for x in g h; do
		vsim-run -m k2 --top 5 -o $x $x.vec.h5 --merge $x.res.h5
		vsim-view -c id1,id2,value $x.res.h5 | diff want -
	done
	gzip -k g.txt
	vsim-pack --gametes - -f -o g.vec.h5 <g.txt.gz
	vsim-run -f -m k2 --top 5 -o g g.vec.h5 --merge g2.res.h5
	vsim-view -c id1,id2,value g2.res.h5 | diff want -
}

@test "pack: lines of megabytes, packed or not, byte by byte" {
	requires cmd zstd
	requires python h5py
	"$PYTHON" -c '
import random
r = random.Random(8)
print("id", *(f"sample{q}" for q in range(300000)), sep="\t")
for v in range(3):
    print(f"v{v}", *r.choices(("0", "1", "2", "NA"), k=300000), sep="\t")' >t
	[ "$(head -n 1 t | wc -c)" -gt 3000000 ]
	gzip -1 <t >t.gz
	zstd -qk t
	sed "s/\$/\r/" t >t.crlf
	vsim-pack --tsv t -o a.vec.h5
	vsim-pack --tsv t.gz -o b.vec.h5
	dd if=t.zst bs=99 status=none | vsim-pack --tsv - -o c.vec.h5
	vsim-pack --tsv t.crlf -o d.vec.h5
	"$PYTHON" - <<-'PY'
	import h5py
	import numpy as np
	want = [l.split("\t")[1:] for l in open("t").read().split("\n")[1:-1]]
	want = np.array([[{"NA": 3}.get(x) or int(x) for x in l] for l in want])
	for x in "abcd":
	    p = h5py.File(x + ".vec.h5")["vectors/planes"][...]
	    b = np.unpackbits(p, axis=2, bitorder="little")[:, :, :300000]
	    g = b[:, 0] + b[:, 1] + 2 * (b[:, 0] & ~b[:, 1] & 1)
	    s = h5py.File(x + ".vec.h5")["vectors/allele1_source"][...]
	    g = np.where((s == 0)[:, None] & (g < 3), 2 - g, g)
	    assert (g == want).all(), x
	PY
	cut -f 1-4 t >s
	{ while IFS= read -r -n 1 -d '' c; do printf %s "$c"; done; } <s |
		vsim-pack --tsv - -o s.vec.h5
	as_text s.vec.h5
	tail -n +2 s | sed 's/NA/./g' | cut -f 2- >want
	cut -f 6- s.vec.h5.txt | cmp - want
}

@test "pack: files of other programs are named with what reads them" {
	local name words g=$IN/bfile/good/five-samples
	touch p.pgen p.pvar p.psam z.pgen z.pvar.zst z.psam q.ped q.map s.bgen
	touch t.tped t.tfam v.vcf.gz
	# --bfile NAME: what it says behind the file that is not there
	while IFS=: read -r name words; do
		refuses 3 "[.]bed: cannot open: .*; $words\$" vsim-pack \
			--bfile $name -o x.vec.h5
	done <<-'EOT'
	p:p.pgen is there: vsim-pack --pfile p
	p.pgen:p.pgen is there: vsim-pack --pfile p
	z:z.pgen is there: vsim-pack --pfile z
	q:q.ped is there: vsim-pack --file q
	s:s.bgen is there: plink2 --bgen s.bgen ref-first --make-bed --out s
	t:t.tped is there: vsim-pack --tped t
	v:v.vcf.gz is there: vsim-pack --vcf v.vcf.gz
	EOT
	touch u.ped.gz
	refuses 3 '[.]tped: cannot open: .*; u.ped.gz is there: vsim-pack --file u$' \
		vsim-pack --tped u -o x.vec.h5
	refuses 3 'none.bed: cannot open: [^;]*$' vsim-pack --bfile none -o x.vec.h5
	refuses 3 'nor: cannot open: [^;]*$' vsim-pack --vcf nor -o x.vec.h5
	# a name without its ending, or with another; no hint behind another file's
	touch w.vcf.gz u.bcf m.npy
	for try in vcf:w:w.vcf.gz vcf:w.vcf:w.vcf.gz vcf:u.vcf.gz:u.bcf matrix:m:m.npy; do
		IFS=: read -r option name there <<<"$try"
		refuses 3 " $name: cannot open: .*; $there is there: vsim-pack --$option $there\$" \
			vsim-pack --$option "$name" -o x.vec.h5
	done
	cp "$IN/vcf/good/slash-and-bar.vcf" own.bed
	refuses 3 '^vsim-pack: nor: cannot open: No such file or directory$' \
		vsim-pack --vcf own.bed --keep nor -o x.vec.h5
	# a file behind another option, or none, or given to another program
	refuses 3 'is no VCF.*; .*five-samples.bed is for: vsim-pack --bfile' \
		vsim-pack --vcf "$g.bed" -o x.vec.h5
	for name in tsv matrix; do
		refuses 3 'column .* is for: vsim-pack --vcf ' vsim-pack \
			--$name "$IN/vcf/good/slash-and-bar.vcf" -o x.vec.h5
	done
	refuses 2 'by an option: vsim-pack --pfile p$' \
		vsim-pack p.pgen -o x.vec.h5
	refuses 2 'by an option: vsim-pack --bfile .*five-samples$' \
		vsim-pack "$g.fam" -o x.vec.h5
	refuses 3 'is not a file of vsim; it is for vsim-pack --bfile' \
		vsim-run -t 0.5 -o r "$g.bed"
	gone x.vec.h5 r
	# each of the three names the prefix
	for name in bed bim fam; do
		quietly vsim-pack -f --bfile "$g.$name" -o x.vec.h5
	done
}

@test "pack: inputs turned at random end with 0 or 3, one line, no crash" {
	requires python random
	"$PYTHON" "$TOP/tests/fuzz_pack.py" "$IN" "${FUZZ_SEED:-1}" \
		"${FUZZ_ROUNDS:-200}"
	gone x.vec.h5
}
