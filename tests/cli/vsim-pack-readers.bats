# SPDX-License-Identifier: BSD-3-Clause
# vsim-pack: readers of genotypes, against good and bad inputs and other programs.
load ../helpers
load pack

# readers: the options of genotype inputs, by the rows
readers() {
	local f
	for f in $(sed -n 's/^READER(\(.*\))/\1/p' "$TOP"/formats/in/rows.h); do
		find "$TOP/formats/in" -name "in_$f.c" \
			-exec sed -n 's/^\t\.name = "\(.*\)",/\1/p' {} +
	done
}

walk_good() {
	local name opt arg bad=
	while read -r name opt arg; do
		captured vsim-pack "$opt" "$arg" --label given \
			-o "$name.vec.h5" || true # its words end without a zero
		[ "$status" = 0 ] && [ -z "$output" ] ||
			bad+="$name: exit $status: $output $stderr"$'\n'
		if [ -f "$IN/$1/good/$name.warns" ]; then
			# a line for each line, in this order
			paste -d '\n' "$IN/$1/good/$name.warns" <(echo "$stderr") |
				awk 'NR % 2 { want = $0; next }
					$0 !~ want { exit 1 }' &&
				[ "${#stderr_lines[@]}" = "$(wc -l \
					<"$IN/$1/good/$name.warns")" ] ||
				bad+="$name: said: $stderr"$'\n'
		else
			[ -z "$stderr" ] || bad+="$name: said: $stderr"$'\n'
		fi
	done < <(inputs "$1" good)
	as_text ./*.vec.h5
	for name in *.vec.h5; do
		name=${name%.vec.h5}
		[ "$(<"$IN/$1/good/$name.want")" = "$(<"$name.vec.h5.txt")" ] ||
			bad+="$name: wanted <, got >: $(diff \
				"$IN/$1/good/$name.want" "$name.vec.h5.txt")"$'\n'
	done
	[ -z "$bad" ] || complain "$bad"
}

walk_bad() {
	local name opt arg bad=
	while read -r name opt arg; do
		refuses 3 "$(<"$IN/$1/bad/$name.says")" \
			vsim-pack "$opt" "$arg" -o x.vec.h5 2>why ||
			bad+="$name: $(<why)"$'\n'
		gone x.vec.h5 2>why || bad+="$name: $(<why)"$'\n'
	done < <(inputs "$1" bad)
	[ -z "$bad" ] || complain "$bad"
}

# bats test_tags=install
@test "pack: readers are those with folders of good and bad inputs" {
	[ "$(readers | sort)" = "$(cd "$IN" && ls -d -- */good | sed 's#/.*##' |
		grep -vx matrix | sort)" ]
	for r in $(readers); do
		[[ $(vsim-pack --help) == *"--$r "*"--$r "* ]] || complain "$r"
		run -2 --separate-stderr vsim-pack -o x.vec.h5
		[[ $stderr == *"--$r"[,\)]* ]] || complain "$stderr"
		run -2 --separate-stderr vsim-pack --matrix x --maf 0.1 -o x.vec.h5
		[[ $stderr == *"--$r"* ]] || complain "$stderr"
	done
}

# bats test_tags=install
@test "pack: each good input gives the calls written beside it" {
	local help r
	help=$(vsim-pack --help)
	for r in $(readers); do
		mkdir $r
		(cd $r && walk_good $r)
	done
}

# bats test_tags=install
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
		grep -q ': 3 ids occur more than once, first rs369887745; a list of ids selects all'
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
	vsim-pack --bfile "$MOUSE" --extract ids -o m.vec.h5 2>err
	grep -q ': 1926 positions are negative and taken as unknown; ' err
	[ "$(wc -l <err)" = 1 ]
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

@test "pack: a dot is a missing allele of a .tped and a .ped" {
	printf '1 v 0 9 A A . . A C . A\n' >t.tped
	printf 'f i%d 0 0 1 1\n' 1 2 3 4 >t.tfam
	printf 'f i%d 0 0 1 1 %s %s\n' 1 A A 2 . . 3 A C 4 . A >p.ped
	printf '1 v 0 9\n' >p.map
	vsim-pack --tped t --label given -o t.vec.h5
	vsim-pack --file p --label given -o p.vec.h5
	as_text t.vec.h5 p.vec.h5
	cmp t.vec.h5.txt p.vec.h5.txt
	[ "$(vsim-view -c n0,n1,n2,missing --no-header t.vec.h5)" = \
		$'1\t1\t0\t2' ]
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
	refuses 3 't.traw: is a .traw of PLINK; .* by --drop-columns 1,3,4,5,6$' \
		vsim-pack --tsv t.traw -o d.vec.h5
	quietly vsim-pack --tsv t.traw --drop-columns 1,3,4,5,6 --label given \
		-o d.vec.h5
	vsim-view -g d.vec.h5 | diff <(vsim-view -g t.vec.h5) -
	plink1.9 --bfile s --allow-no-sex --recode A --out t >/dev/null
	refuses 3 't.raw: is a .raw of PLINK, with samples as rows; ' \
		vsim-pack --matrix t.raw -o d.vec.h5
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
	id	allele0	allele1	n0	n1	n2	missing
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
	refuses 3 'bad.txt: line 2, column 4: 2.5 is not a genotype' \
		vsim-pack --tsv bad.txt -o x2.vec.h5
	gone x2.vec.h5
}

# bats test_tags=long
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

@test "pack: --polyploid drops sites or refuses, and * is none in splits" {
	local g=$IN/vcf/good x
	for x in polyploid.vcf polyploid-bcf.bcf; do
		run -0 --separate-stderr vsim-pack -f --vcf "$g/$x" \
			--polyploid drop -o p.vec.h5
		[ "$stderr" = "vsim-pack: $g/$x: 2 sites with a call of more than two alleles were left out" ]
		[ "$(vsim-view --no-header -c id p.vec.h5 | xargs)" = "a e" ]
		refuses 3 "$x: .* .20:6.: sample s1: has more than two alleles; --polyploid" \
			vsim-pack --vcf "$g/$x" --polyploid refuse -o x.vec.h5
	done
	refuses 2 '--polyploid requires --vcf' vsim-pack --polyploid drop \
		--bfile "$IN/bfile/good/five-samples" -o x.vec.h5
	# a site of two ALT besides *: * makes no vector, and its calls are missing
	{
		grep '^#' "$g/none.vcf"
		printf '20\t5\ta\tA\t*,C,G\t.\t.\t.\tGT\t0/2\t1/3\t2/3\t0/0/3\n'
		printf '20\t6\tb\tA\t*\t.\t.\t.\tGT\t0/0\t0/1\t./.\t0/0\n'
	} >s.vcf
	vsim-pack --vcf s.vcf --multiallelic split --label given -o s.vec.h5 2>said
	diff - <(vsim-view -g --no-header s.vec.h5) <<-'EOT'
	a	1	NA	1	NA
	a	0	NA	1	NA
	b	0	NA	NA	0
	EOT
	[ "$(vsim-view --no-header -c allele1 s.vec.h5 | tr '\n' /)" = C/G/1/ ]
	grep -q ': 2 calls of \*, ' said
	grep -q ': 1 call of more than two alleles was taken' said
	vsim-pack --vcf s.vcf --multiallelic whole -o w.vec.h5 2>/dev/null
	diff - <(vsim-view -g --no-header w.vec.h5) <<-'EOT'
	a	1	NA	0	NA
	a	1	NA	1	NA
	a	0	NA	1	NA
	b	2	NA	NA	2
	EOT
	# of a field with a number for each ALT that of the other ALT is taken
	{
		sed '/^#CHROM/d' <(grep '^#' s.vcf)
		echo '##FORMAT=<ID=DS,Number=A,Type=Float,Description="x">'
		grep '^#CHROM' s.vcf
		printf '20\t5\ta\tA\t*,C\t.\t.\t.\tDS\t0,1.5\t1,0.25\t.\t0,2\n'
		printf '20\t6\tb\tA\tC,<*>\t.\t.\t.\tDS\t1,0\t0.5,0\t2,0\t0,2\n'
	} >d.vcf
	vsim-pack --vcf d.vcf --format-field DS -o d.vec.h5
	[ "$(vsim-view -g --no-header d.vec.h5 | xargs)" = "a 1.5 0.25 NA 2 b 1 0.5 2 0" ]
	gone x.vec.h5
}

@test "pack: what another program has to unpack is named with the pipe that does" {
	local v=$IN/vcf/good/slash-and-bar.vcf
	"$PYTHON" - "$v" <<-'PY'
	import bz2, gzip, io, lzma, sys, tarfile, zipfile
	b = open(sys.argv[1], "rb").read()
	def put(name, x):
	    open(name, "wb").write(x)
	put("x.xz", lzma.compress(b))
	put("x.bz2", bz2.compress(b))
	put("x.twice.gz", gzip.compress(gzip.compress(b)))
	put("x.utf16", b.decode().encode("utf-16"))
	zipfile.ZipFile("x.zip", "w").writestr("x.vcf", b)
	zipfile.ZipFile("x.npz", "w").writestr("a.npy", b)
	with tarfile.open("x.tgz", "w:gz") as t:
	    i = tarfile.TarInfo("x.vcf")
	    i.size = len(b)
	    t.addfile(i, io.BytesIO(b))
	PY
	local x what command
	while IFS=: read -r x what command; do
		refuses 3 "^vsim-pack: $x: $what; try: $command $x | vsim-pack --vcf -\$" \
			vsim-pack --vcf $x -o x.vec.h5
	done <<-'EOT'
	x.xz:is packed by xz:xz -dc
	x.bz2:is packed by bzip2:bzip2 -dc
	x.twice.gz:is packed twice, by gzip inside:gzip -dc
	x.utf16:is text in UTF-16, not UTF-8:iconv -f UTF-16 -t UTF-8
	x.zip:is a zip archive:unzip -p
	x.tgz:is a tar archive:tar -xOf
	EOT
	refuses 3 ': standard input: is packed by xz; try: xz -dc | vsim-pack --tsv -$' \
		vsim-pack --tsv - -o x.vec.h5 <x.xz
	refuses 3 ': x.npz: cannot be read as .npy: ' \
		vsim-pack --matrix x.npz -o x.vec.h5
	local u=https://example.org/x.vcf.gz
	refuses 3 "^vsim-pack: $u: is a URL, not a file; try: curl -s $u | vsim-pack --vcf -\$" \
		vsim-pack --vcf $u -o x.vec.h5
	# other inputs: a file of a prefix, a list
	cp "$IN"/bfile/good/five-samples.fam y.fam
	cp "$IN"/bfile/good/five-samples.bed y.bed
	cp x.xz y.bim.xz
	refuses 3 ': y.bim.xz: is packed by xz; try: xz -dc y.bim.xz$' \
		vsim-pack --bfile y -o x.vec.h5
	refuses 3 ': x.zip: is a zip archive; try: unzip -p x.zip$' \
		vsim-pack --vcf "$v" --keep x.zip -o x.vec.h5
	gone x.vec.h5
}

@test "pack: a byte order mark, and zeros behind gzip, change nothing" {
	local r f name opt arg p
	help=$(vsim-pack --help)
	for r in $(readers); do
		# a text input of each reader; a .pgen has one of text, too
		while read -r name opt arg; do
			[[ $arg != *.bcf && $arg != *.gz && $arg != *.zst ]] && break
		done < <(inputs "$r" good | grep -v 'byte-order\|packed\|fixed')
		mkdir $r
		for f in "$IN/$r/good/$name".*; do
			p=
			[[ $f == *.bed || $f == *.pgen || $f == *.bin ]] ||
				p=$'\xef\xbb\xbf'
			{ printf %s "$p"; cat "$f"; } >"$r/${f##*/}"
		done
		vsim-pack $opt "$arg" -o $r/a.vec.h5 2>/dev/null
		vsim-pack $opt "$r/${arg##*/}" -o $r/b.vec.h5 2>/dev/null
		cmp <(vsim-view -g $r/a.vec.h5) <(vsim-view -g $r/b.vec.h5)
		cmp <(vsim-view $r/a.vec.h5) <(vsim-view $r/b.vec.h5)
	done
	local v=$IN/vcf/good/slash-and-bar.vcf pack
	quietly vsim-pack --vcf "$v" -o v.vec.h5
	for pack in "gzip -c" bgzip; do
		$pack <"$v" >y.gz
		truncate -s +70000 y.gz
		quietly vsim-pack -f --vcf y.gz -o y.vec.h5
		cmp <(vsim-view -g v.vec.h5) <(vsim-view -g y.vec.h5)
		[ "$pack" != bgzip ] || for p in 1 2; do
			quietly vsim-pack --vcf y.gz --part $p/2 -o y$p.vec.h5
		done
		printf x >>y.gz
		refuses 3 'y.gz: is damaged' vsim-pack --vcf y.gz -o x.vec.h5
	done
	quietly vsim-pack --parts -o y12.vec.h5 y1.vec.h5 y2.vec.h5
	quietly vsim-verify --compare y.vec.h5 y12.vec.h5
	gone x.vec.h5
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
	s:s.bgen is there: vsim-pack --bgen s.bgen
	t:t.tped is there: vsim-pack --tped t
	v:v.vcf.gz is there: vsim-pack --vcf v.vcf.gz
	EOT
	touch u.ped.gz
	refuses 3 'q.ped.tped: cannot open: .*; q.ped is there: vsim-pack --file q$' \
		vsim-pack --tped q.ped -o x.vec.h5
	refuses 3 '[.]tped: cannot open: .*; u.ped.gz is there: vsim-pack --file u$' \
		vsim-pack --tped u -o x.vec.h5
	refuses 3 'none.bed: cannot open: [^;]*$' vsim-pack --bfile none -o x.vec.h5
	cp "$g.bed" nofam.bed
	cp "$g.bim" nofam.bim
	refuses 3 'nofam.fam: cannot open: No such .*; nofam.bed needs it$' \
		vsim-pack --bfile nofam -o x.vec.h5
	mkdir dir.bed dir.vcf.gz
	refuses 3 'dir.tped: cannot open: [^;]*$' vsim-pack --tped dir -o x.vec.h5
	refuses 3 'dir: cannot open: [^;]*$' vsim-pack --vcf dir -o x.vec.h5
	refuses 2 'unknown option --bed; use --bfile PREFIX$' \
		vsim-pack --bed x.bed -o x.vec.h5
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
	refuses 3 'is not a VCF.*; .*five-samples.bed is for: vsim-pack --bfile' \
		vsim-pack --vcf "$g.bed" -o x.vec.h5
	for name in tsv matrix; do
		refuses 3 'column.* is for: vsim-pack --vcf ' vsim-pack \
			--$name "$IN/vcf/good/slash-and-bar.vcf" -o x.vec.h5
	done
	refuses 2 'by options: vsim-pack --pfile p$' \
		vsim-pack p.pgen -o x.vec.h5
	refuses 2 'by options: vsim-pack --bfile .*five-samples$' \
		vsim-pack "$g.fam" -o x.vec.h5
	refuses 2 'requires --to, .* a vectors file, which vsim-pack makes' \
		vsim-run -t 0.5 -o r "$g.bed"
	refuses 3 'is not a vsim file; it is for vsim-pack --bfile' \
		vsim-verify "$g.bed"
	gone x.vec.h5 r
	# each of the three names the prefix
	for name in bed bim fam; do
		quietly vsim-pack -f --bfile "$g.$name" -o x.vec.h5
	done
}

# bats test_tags=long
@test "pack: inputs turned at random end with 0 or 3, one line, no crash" {
	requires python random
	"$PYTHON" "$TOP/tests/fuzz_pack.py" "$IN" "${FUZZ_SEED:-1}" \
		"${FUZZ_ROUNDS:-200}"
	gone x.vec.h5
}
