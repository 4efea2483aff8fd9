# SPDX-License-Identifier: BSD-3-Clause
# vsim-pack: labels, provenance, options and outputs.
load ../helpers
load pack

# ---- labels ----

# bats test_tags=install
@test "pack: each label names the allele it counts" {
	local l
	for l in minor a1 a2 given; do
		vsim-pack --bfile "$IN/bfile/good/five-samples" --label $l \
			-o $l.vec.h5
	done
	as_labels ./*.vec.h5
	diff - a1.vec.h5.txt <<-'EOT'
	1	100	rs1	G	A	2	1	0	.	1
	1	200	rs2	T	C	0	0	1	2	2
	2	50	rs3	G	GA	.	2	2	2	1
	EOT
	diff - a2.vec.h5.txt <<-'EOT'
	1	100	rs1	A	G	0	1	2	.	1
	1	200	rs2	C	T	2	2	1	0	0
	2	50	rs3	GA	G	.	0	0	0	1
	EOT
	cmp a2.vec.h5.txt given.vec.h5.txt
	# rs1 and rs2 are ties: the second allele is label 1
	cmp a2.vec.h5.txt minor.vec.h5.txt
	[ "$("$PYTHON" -c 'import h5py
for l in "minor", "a1", "a2", "given":
    v = h5py.File(l + ".vec.h5")["vectors"]
    print(v.attrs["allele_rule"].decode(), *v["allele1_source"])')" = \
"minor1 1 1 1
a1 0 0 0
a2 1 1 1
given 1 1 1" ]
}

@test "pack: minor is minor among the samples kept" {
	synthetic s 300 50 4
	awk 'NR <= 20 { print $2 }' s.fam >some
	vsim-pack --bfile s --keep some -o s.vec.h5
	as_labels s.vec.h5
	awk '{ s = c = 0
		for (i = 6; i <= NF; i++) if ($i != ".") { s += $i; c++ }
		if (NF != 25 || s > c) bad++; if (s < c) n++
	} END { exit bad || n < 50 }' s.vec.h5.txt
}

@test "pack: a label that the input cannot have is refused" {
	refuses 2 'alt: --bfile knows' vsim-pack --bfile \
		"$IN/bfile/good/five-samples" --label alt -o x.vec.h5
	refuses 2 'a1: --vcf knows' vsim-pack --vcf \
		"$IN/vcf/good/slash-and-bar.vcf" --label a1 -o x.vec.h5
	refuses 2 'major: not one of' vsim-pack --vcf \
		"$IN/vcf/good/slash-and-bar.vcf" --label major -o x.vec.h5
	gone x.vec.h5
}

@test "pack: a table with one allele per call has no 2, one with two has" {
	local row
	# held until the 2, and what follows it
	printf 'id\ta\tb\tc\nx\t0\t1\tNA\ny\t1\t0\t2\nz\t1\t0\t0\n' >two.tsv
	run --separate-stderr vsim-pack --tsv two.tsv --ploidy 1 --label given \
		-o two.vec.h5
	[ "$status" = 0 ]
	[[ $stderr == *'3 heterozygous calls were taken as missing'* ]]
	[ "$(vsim-view -g --no-header two.vec.h5 | xargs)" = \
		"x 0 NA NA y NA 0 1 z NA 0 0" ]
	sed 's/2/1/' two.tsv >one.tsv
	quietly vsim-pack --tsv one.tsv --ploidy 1 --label given -o one.vec.h5
	vsim-view -g one.vec.h5 | cmp - one.tsv
	vsim-pack -v -f --tsv one.tsv --ploidy 1 -o x.vec.h5 2>&1 |
		grep -q 'there is no 2, so a 1 is a call of one allele'
	# filters and labels count that allele: 0.2 of 5 is not below 0.2
	printf 'id\ta\tb\tc\td\te\nx\t1\t0\t0\t0\t0\ny\t1\t1\t1\t0\tNA\n' |
		vsim-pack --tsv - --ploidy 1 --maf 0.2 -o f.vec.h5
	[ "$(vsim-view -g --no-header f.vec.h5 | xargs)" = \
		"x 1 0 0 0 0 y 0 0 0 1 NA" ]
	# a mistake behind the rows that were held is named
	printf '0\t1\n0\t3\n' >bad.tsv
	refuses 3 'bad.tsv: line 2, column 2: 3 is not a genotype' \
		vsim-pack --tsv bad.tsv --ploidy 1 -o x2.vec.h5
	gone x2.vec.h5
}

# ---- what the file says ----

@test "pack: a date outside the years up to 9999 is not written" {
	local when
	for when in 253402300799 253402300800 9223372036854775807 -1; do
		SOURCE_DATE_EPOCH=$when vsim-pack -f --bfile \
			"$IN/bfile/good/five-samples" -o b.vec.h5
		vsim-view -H b.vec.h5 | sed -n 's/^#created: //p'
	done >said
	[[ $(cat said) =~ ^9999-12-31T23:59:59Z($'\n2'[0-9]{3}-[-0-9T:]{14}Z){3}$ ]] ||
		complain "$(cat said)"
}

@test "pack: sources and command are stated, digests are xxh128 of the bytes" {
	requires python h5py
	requires cmd xxhsum
	local b=$IN/bfile/good/five-samples v=$IN/vcf/good/bgzip.vcf.gz
	SOURCE_DATE_EPOCH=0 vsim-pack --bfile "$b" --no-host -o b.vec.h5
	vsim-pack --vcf - -o v.vec.h5 <"$v"
	cat "$IN/tsv/good/zstd.tsv.zst" | vsim-pack --tsv - -o t.vec.h5
	"$PYTHON" - <<-'PY' >got
	import h5py
	for f in "bvt":
	    s = h5py.File(f + ".vec.h5")["sources"]
	    for k in range(len(s["name"])):
	        print(s["xxh128"][k].decode(), s["size"][k], s["name"][k].decode())
	p = h5py.File("b.vec.h5")["provenance"]
	print(*(p[k][0].decode() for k in ("tool", "started", "host", "command")))
	PY
	{
		for x in fam bim bed; do
			echo "$(xxhsum -H2 <$b.$x | cut -d ' ' -f 1)" \
				"$(stat -c %s $b.$x)" $b.$x
		done
		echo "$(xxhsum -H2 <"$v" | cut -d ' ' -f 1) -1 -"
		echo "$(xxhsum -H2 <"$IN/tsv/good/zstd.tsv.zst" |
			cut -d ' ' -f 1) -1 -"
		echo "vsim-pack 1970-01-01T00:00:00Z  vsim-pack --bfile $b" \
			"--no-host -o b.vec.h5"
	} | diff - got
}

# bats test_tags=install
@test "pack: content is the same for any threads, codec and level" {
	requires python h5py
	synthetic s 3000 133 5
	vsim-pack --bfile s -j 1 -o a.vec.h5
	vsim-pack --bfile s -j 2 --level 9 -o b.vec.h5
	vsim-pack --bfile s -j 7 --codec deflate -o c.vec.h5
	vsim-pack --bfile s --codec none --maf 0 -o d.vec.h5
	[ "$("$PYTHON" -c 'import h5py
print(*{h5py.File(x + ".vec.h5").attrs["content_xxh128"] for x in "abcd"})' |
		wc -w)" = 1 ]
}

# ---- outputs ----

@test "pack: wrong usage is refused, naming the remedy" {
	local b="--bfile $IN/bfile/good/five-samples"
	refuses 2 'parts is required' vsim-pack -o x.vec.h5
	refuses 2 '--output is required: -o names' vsim-pack $b
	refuses 2 '--bfile cannot be combined with --tsv' vsim-pack $b --tsv t -o x.vec.h5
	refuses 2 'HDF5 cannot write to a stream' vsim-pack $b -o -
	refuses 2 'deflate has 1 to 9' vsim-pack $b --codec deflate \
		--level 12 -o x.vec.h5
	refuses 2 '--maf 0.6: outside' vsim-pack $b --maf 0.6 -o x.vec.h5
	refuses 2 '--maf nan: not a finite' vsim-pack $b --maf nan -o x.vec.h5
	refuses 2 '--max-missing x: not a' vsim-pack $b --max-missing x -o x.vec.h5
	refuses 2 'standard input can be one file only' vsim-pack --vcf - \
		--keep - -o x.vec.h5
	refuses 2 'y: inputs are named by options' vsim-pack $b -o x.vec.h5 y
	gone x.vec.h5
}

@test "pack: ids that occur more than once are counted" {
	printf 'id\ta\tb\nx\t0\t1\ny\t1\t1\nz\t1\t2\ny\t1\t0\nx\t1\t0\ny\t2\t0\n' >x.tsv
	run --separate-stderr vsim-pack --tsv x.tsv -o x.vec.h5
	[ "$status" = 0 ]
	[ "$stderr" = "vsim-pack: x.tsv: 2 ids occur more than once, first x; a list of ids selects all that share one" ]
	# of those that are packed
	echo 'y z' | vsim-pack --tsv x.tsv --extract - -f -o x.vec.h5 2>&1 |
		grep -q ': 1 id occurs more than once, first y;'
	echo z | quietly vsim-pack --tsv x.tsv --extract - -f -o x.vec.h5
}

@test "pack: generated ids of sites at one position with long alleles differ" {
	local long=AAAACCCCGGGGTTTTAAAACCCC
	{
		printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n'
		printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
		printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
		printf '1\t5\t.\t%s\t%s\t.\t.\t.\tGT\t0/1\t1/1\n' A ${long}A \
			A ${long}C A ${long}AA T ${long}A A $long
	} >l.vcf
	quietly vsim-pack --vcf l.vcf --label alt -o l.vec.h5
	vsim-view --no-header -c id l.vec.h5 >ids
	[ "$(sort -u ids | wc -l)" = 5 ]
	grep -qx '1:5:A:AAAACCCCGGGGTTTT~26~[0-9a-f]\{16\}' ids
	grep -qx "1:5:A:$long" ids
	sed -n 1p ids >one
	vsim-pack --vcf l.vcf --extract one -o one.vec.h5
	[ "$(vsim-view --no-header -c id one.vec.h5)" = "$(cat one)" ]
}

@test "pack: ids that are too long are shortened, and stay apart" {
	local e x
	# 4096 bytes are kept; the cut falls into a character of two bytes
	e=$(printf 'e%.0s' {1..4078}) x=$(printf 'x%.0s' {1..18})
	printf 'id\ta1\t%s\n%s\t0\t1\n%s\t1\t1\n%s\t1\t2\n%s\t0\t2\n' "${e}é$x" \
		"${e}é${x}1" "${e}é${x}2" "${e}$x" b >x.tsv
	run --separate-stderr vsim-pack --tsv x.tsv -o x.vec.h5
	[ "$status" = 0 ]
	[ "$stderr" = "vsim-pack: x.tsv: 3 ids of more than 4096 bytes were shortened; a digest of each ends it" ]
	vsim-view --no-header -c id x.vec.h5 >ids
	[ "$(sed 's/~[0-9a-f]\{16\}$/~/' ids | awk '{ print length($0) }' | xargs)" = "4079 4079 4096 1" ]
	[ "$(sort -u ids | wc -l)" = 4 ]
	# a list has the whole id
	printf '%s\n' "${e}é${x}2" | vsim-pack -f --tsv x.tsv --extract - -o y.vec.h5 2>said
	[ "$(wc -l <said)" = 1 ]
	cmp <(sed -n 2p ids) <(vsim-view --no-header -c id y.vec.h5)
	quietly vsim-verify x.vec.h5
	vsim-pack -f --matrix x.tsv -o x.vec.h5 2>said
	grep -q ': 3 ids of more than 4096 bytes were shortened' said
	vsim-view --no-header -c id x.vec.h5 | cmp - ids
	quietly vsim-verify x.vec.h5
}

@test "pack: names that are not UTF-8 are kept, and counted in one line" {
	printf 'id\ts\xe9\tt\nr\xe41\t0\t1\nr\xc3\xa42\t1\t1\n' >x.tsv
	run --separate-stderr vsim-pack --tsv x.tsv -o x.vec.h5
	[ "$status" = 0 ]
	[ "$stderr" = "vsim-pack: x.tsv: 2 names are not UTF-8; their bytes are kept" ]
	vsim-view -g --no-header x.vec.h5 | cmp - <(tail -n +2 x.tsv)
	run --separate-stderr vsim-pack -f --matrix x.tsv -o x.vec.h5
	[ "$stderr" = "vsim-pack: x.tsv: 2 names are not UTF-8; their bytes are kept" ]
	vsim-view -g --no-header x.vec.h5 | cmp - <(tail -n +2 x.tsv)
	quietly vsim-verify x.vec.h5
}

@test "pack: a directory in place of a file is refused" {
	mkdir d d.bed
	refuses 3 'd: is a directory' vsim-pack --vcf d -o x.vec.h5
	refuses 3 'd: is a directory' vsim-pack --tsv d -o x.vec.h5
	refuses 3 'd.bed: is a directory' vsim-pack --bfile d -o x.vec.h5
	refuses 2 'd: is not a regular file' vsim-pack --bfile \
		"$IN/bfile/good/five-samples" -f -o d
	gone x.vec.h5
}

@test "pack: what exists is kept without -f, and after a failure with it" {
	local b="--bfile $IN/bfile/good/five-samples"
	echo precious >x.vec.h5
	refuses 2 'x.vec.h5: exists already; -f' vsim-pack $b -o x.vec.h5
	refuses 3 'cut short' vsim-pack --bfile "$IN/bfile/bad/cut-short" -f \
		-o x.vec.h5
	refuses 3 'line 3' vsim-pack --tsv "$IN/tsv/bad/a-three.tsv" -f \
		-o x.vec.h5
	[ "$(cat x.vec.h5)" = precious ]
	gone
	quietly vsim-pack $b -f -o x.vec.h5
	[ "$(head -c 5 x.vec.h5 | tail -c 4)" = VSIM ]
}

@test "pack: an output that is an input is refused, links too" {
	for x in bed bim fam; do
		cp "$IN/bfile/good/five-samples.$x" s.$x
	done
	ln -s s.fam l.fam
	echo I1 >k
	for x in s.bed s.bim s.fam l.fam k; do
		refuses 2 'is input and output' vsim-pack --bfile s \
			--keep k -f -o $x
	done
	cp "$IN/tsv/good/header-and-ids.tsv" t
	refuses 2 't: is input and output' vsim-pack --tsv t -f -o t
	cmp t "$IN/tsv/good/header-and-ids.tsv"
	cmp s.bed "$IN/bfile/good/five-samples.bed"
}

@test "pack: directories above the output are made, and not left by a failure" {
	local b="--bfile $IN/bfile/good/five-samples"
	quietly vsim-pack $b -o a/b/c.vec.h5
	vsim-verify a/b/c.vec.h5
	quietly vsim-pack $b -o "$PWD/a//d/c.vec.h5"
	[ -e a/d/c.vec.h5 ]
	# what was there stays, what was made goes
	refuses 3 'cut short' vsim-pack --bfile "$IN/bfile/bad/cut-short" \
		-o a/e/f/c.vec.h5
	refuses 3 'line 3' vsim-pack --tsv "$IN/tsv/bad/a-three.tsv" \
		-o a/e/f/c.vec.h5
	refuses 3 'line 3' vsim-pack --tsv "$IN/tsv/bad/a-three.tsv" \
		-o n/e/w/c.vec.h5
	gone a/e n
	[ -d a/b ]
}

@test "pack: a place that cannot be written, a full disk: exit 4, nothing left" {
	local b="--bfile $IN/bfile/good/five-samples"
	touch none
	refuses 4 'none/x.vec.h5: .*Not a directory' vsim-pack $b \
		-o none/x.vec.h5
	synthetic s 4000 2000 6
	small_disk full 300k
	refuses 4 'full/x.vec.h5.*: No space left' vsim-pack --bfile s \
		-o full/x.vec.h5
	refuses 4 'full/x.vec.h5.*: No space left' vsim-pack --bfile s \
		--codec none -j 1 -o full/x.vec.h5
	[ -z "$(ls -A full)" ]
	quietly vsim-pack $b -o full/x.vec.h5
}

# bats test_tags=long
@test "pack: killed at any time it leaves nothing" {
	synthetic s 20000 400 7
	for t in 0.01 0.02 0.04 0.08; do
		timeout -s TERM $t vsim-pack --bfile s -o x.vec.h5 || true
		rm -f x.vec.h5
		gone
	done
	! races || skip "tsan: a signal waits for the end of read()"
	mkfifo f
	exec 9<>f
	vsim-pack --tsv f -o x.vec.h5 9>&- &
	sleep 0.2
	kill $!
	! wait $!
	exec 9>&-
	gone x.vec.h5
}

@test "pack: numbers whose sum no program takes are refused, with row and remedy" {
	local k sum='its numbers add up to 2'
	# six rows of eight numbers, of which the fifth row's sum is too much
	for k in 4e37 6e37 5e306 6e306; do
		awk -v x=$k 'BEGIN { for (v = 0; v < 6; v++) {
			printf "n%d", v
			for (q = 0; q < 8; q++)
				printf "\t%s", v == 4 ? x : 1.5
			printf "\n" } }' >$k.tsv
	done
	vsim-pack --matrix 4e37.tsv --element f32 -o a.vec.h5
	vsim-pack --matrix 5e306.tsv -o b.vec.h5
	for k in a b; do
		vsim-run -m ps -t 0.1 -o $k $k.vec.h5
		vsim-merge -o $k.res.h5 $k
		vsim-verify --against $k.vec.h5 $k.res.h5
	done
	refuses 3 "6e37.tsv: row 5, n4: $sum\\^128 .*; pack them with --element f64" \
		vsim-pack --matrix 6e37.tsv --element f32 -o c.vec.h5
	awk 'BEGIN { for (q = 0; q < 9; q++) print "1\t6e37\t2" }' >turned.tsv
	refuses 3 "turned.tsv: column 2, v2: $sum\\^128" \
		vsim-pack --matrix turned.tsv --header no --transpose \
		--element f32 -o c.vec.h5
	refuses 3 "6e306.tsv: row 5, n4: $sum\\^1022 .*; divide all numbers" \
		vsim-pack --matrix 6e306.tsv -o c.vec.h5
	gone c.vec.h5
	vsim-pack --matrix 6e37.tsv -o c.vec.h5
	vsim-run -m ps -t 0.1 -o c c.vec.h5
}
