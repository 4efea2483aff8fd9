# SPDX-License-Identifier: BSD-3-Clause
# vsim-permute: NAME.vec.h5 -> NAME.vec.h5 in another vector order
load ../helpers

# eight sites on two contigs, unsorted, one without a place; frequencies of
# alt: 1/8 1/2 1/2 7/8 1/4 0 0(missing) 3/8
small() {
	{
		printf '##fileformat=VCFv4.2\n##contig=<ID=9>\n##contig=<ID=2>\n'
		printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
		printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT'
		printf '\ts%s' 1 2 3 4
		echo
		site 2 300 a C T 0/0 0/1 0/0 0/0
		site 2 100 b G A 1/1 0/1 0/1 0/0
		site 9 700 c A G 0/1 0/1 0/1 0/1
		site 9 200 d T C 1/1 1/1 1/1 0/1
		site 9 200 e T G 0/1 0/0 0/0 0/1
		site 2 100 f C G 0/0 0/0 0/0 0/0
		site 9 900 g CA C ./. ./. ./. ./.
		site 9 100 h A T 0/1 1/1 0/0 ./.
	} >x.vcf
	vsim-pack --vcf x.vcf --label alt -o x.vec.h5 "$@"
}

site() {
	printf '%s\t%s\t%s\t%s\t%s\t.\t.\t.\tGT' "${@:1:5}"
	printf '\t%s' "${@:6}"
	echo
}

# what FILE EXPRESSION: of f, the file opened by h5py
what() {
	"$PYTHON" -c '
import sys, h5py
f = h5py.File(sys.argv[1])
def text(x): return " ".join(v.decode() if isinstance(v, bytes) else str(v) for v in x)
print(eval(sys.argv[2]))' "$@"
}

ids() {
	what "$1" 'text(f["vectors/id"])'
}

content() {
	what "$1" 'f.attrs["content_xxh128"].decode()'
}

# all that is known of each vector, sorted by its id
known() {
	what "$1" '"\n".join(sorted(text([i, c, p, s, *n, g.tobytes().hex()])
		for i, c, p, s, n, g in zip(*(f["vectors/" + k] for k in
		("id", "contig", "pos", "allele1_source", "genotype_count",
		"planes")))))'
	"$PYTHON" -c '
import sys, h5py
v = h5py.File(sys.argv[1])["vectors"]
for a in "allele0", "allele1":
    o, b = v[a]["offset"][:], v[a]["bytes"][:].tobytes()
    print(sorted((v["id"][k], b[o[k]:o[k + 1]]) for k in range(len(o) - 1)))' "$1"
}

# bats test_tags=install
@test "permute: random is Fisher-Yates with xoshiro256**, as the page says" {
	requires python numpy h5py
	small
	quietly vsim-permute --order random --seed 7 -o r.vec.h5 x.vec.h5
	want=$("$PYTHON" - 7 8 <<-'END'
	import sys
	seed, n, M = int(sys.argv[1]), int(sys.argv[2]), 2**64 - 1
	s = []
	for _ in range(4):
	    seed = (seed + 0x9e3779b97f4a7c15) & M
	    z = ((seed ^ seed >> 30) * 0xbf58476d1ce4e5b9) & M
	    z = ((z ^ z >> 27) * 0x94d049bb133111eb) & M
	    s.append(z ^ z >> 31)
	def rotl(x, k): return (x << k | x >> 64 - k) & M
	def draw(n):
	    while True:
	        x = rotl(s[1] * 5 & M, 7) * 9 & M
	        t = s[1] << 17 & M
	        s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]
	        s[2] ^= t; s[3] = rotl(s[3], 45)
	        if x >= 2**64 % n:
	            return x % n
	order = list(range(n))
	for k in range(n - 1, 0, -1):
	    o = draw(k + 1)
	    order[k], order[o] = order[o], order[k]
	print(*order)
	END
	)
	[ "$(what r.vec.h5 'text(f["vectors/source_row"])')" = "$want" ]
	[ "$(what r.vec.h5 'text(f["permutation"].attrs[k] for k in
		("axis", "algorithm", "seed", "parent_content"))')" = \
		"vectors fisher-yates/xoshiro256** 7 $(content x.vec.h5)" ]
}

# bats test_tags=long
@test "permute: nothing that is known of a vector is lost or moved to another" {
	requires python numpy h5py
	small
	for order in random frequency position source; do
		vsim-permute -f --order $order -o r.vec.h5 x.vec.h5
		diff <(known x.vec.h5) <(known r.vec.h5)
		[ "$(what x.vec.h5 'text(f["samples/id"])')" = \
			"$(what r.vec.h5 'text(f["samples/id"])')" ]
	done
}

@test "permute: the same seed gives the same content, another seed another" {
	requires python h5py
	small
	vsim-permute --order random --seed 1 -o a.vec.h5 x.vec.h5
	vsim-permute --order random -o b.vec.h5 x.vec.h5
	vsim-permute --order random --seed 2 -o c.vec.h5 x.vec.h5
	[ "$(content a.vec.h5)" = "$(content b.vec.h5)" ]
	[ "$(content a.vec.h5)" != "$(content c.vec.h5)" ]
	[ "$(content a.vec.h5)" != "$(content x.vec.h5)" ]
}

@test "permute: frequency rises, equals keep their order, --reverse turns it" {
	requires python h5py
	small
	vsim-permute --order frequency -o a.vec.h5 x.vec.h5
	[ "$(ids a.vec.h5)" = "f g a e b c h d" ]
	vsim-permute --order frequency --reverse -o b.vec.h5 x.vec.h5
	[ "$(ids b.vec.h5)" = "d b c h e a f g" ]
}

@test "permute: position goes by the order of contigs, equals keep theirs" {
	requires python h5py
	small
	vsim-permute --order position -o a.vec.h5 x.vec.h5
	[ "$(ids a.vec.h5)" = "b f a h d e c g" ]
	vsim-permute --order position --reverse -o b.vec.h5 x.vec.h5
	[ "$(ids b.vec.h5)" = "g c d e h a b f" ]
}

@test "permute: position puts unknown places last either way" {
	requires python h5py
	printf 'id\ta\tb\nu\t0\t1\nv\t1\t2\n' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	vsim-permute --order position --reverse -o a.vec.h5 x.vec.h5
	[ "$(ids a.vec.h5)" = "u v" ]
}

# bats test_tags=install
@test "permute: source brings back content, through several permutations" {
	requires python h5py
	small
	vsim-permute --order random --seed 3 -o a.vec.h5 x.vec.h5
	vsim-permute --order frequency -o b.vec.h5 a.vec.h5
	vsim-permute --order random --seed 4 -o c.vec.h5 b.vec.h5
	[ "$(content c.vec.h5)" != "$(content x.vec.h5)" ]
	vsim-permute --order source -o d.vec.h5 c.vec.h5
	[ "$(content d.vec.h5)" = "$(content x.vec.h5)" ]
	[ "$(what d.vec.h5 'text(f["provenance/tool"])')" = \
		"vsim-pack vsim-permute vsim-permute vsim-permute vsim-permute" ]
	quietly vsim-verify --compare x.vec.h5 d.vec.h5
}

@test "permute: a list by id, by row, from stdin, with empty lines and CR" {
	requires python h5py
	small
	printf '%s\n' h g f e d c b a >ids
	vsim-permute --order list --list ids -o a.vec.h5 x.vec.h5
	[ "$(ids a.vec.h5)" = "h g f e d c b a" ]
	printf '7\r\n\r\n0\r\n6\r\n1\r\n5\r\n2\r\n4\r\n3' |
		vsim-permute --order list --by row --list - -o b.vec.h5 x.vec.h5
	[ "$(ids b.vec.h5)" = "h a g b f c e d" ]
	[ "$(what b.vec.h5 'text(f["vectors/source_row"])')" = \
		"7 0 6 1 5 2 4 3" ]
}

@test "permute: a list that is not each vector once is refused, saying where" {
	small
	try() {
		refuses 3 "$1" vsim-permute --order list --list "$2" \
			-o a.vec.h5 x.vec.h5 "${@:3}"
		gone a.vec.h5
	}
	printf '%s\n' a b c d e f g >short
	try 'short: lists 7 of 8 vectors, row 7 .*--extract' short
	printf '%s\n' a b c d e f g b >twice
	try 'twice: line 8: b is also on line 2' twice
	printf '%s\n' a b x >unknown
	try 'unknown: line 3: no vector has the id x' unknown
	printf '0\n8\n' >rows
	try 'rows: line 2: 8 is not a row from 0 to 7' rows --by row
	try 'absent: cannot open: No such file' absent
	try '.: is a directory, not a file' .
}

@test "permute: an id that two vectors share cannot be listed, a row can" {
	requires python h5py
	printf 'id\ta\tb\nu\t0\t1\nv\t1\t2\nu\t2\t1\n' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	printf '%s\n' v u u >ids
	refuses 3 'line 2: several vectors have the id u.*--by row' \
		vsim-permute --order list --list ids -o a.vec.h5 x.vec.h5
	printf '%s\n' 1 2 0 >rows
	vsim-permute --order list --list rows --by row -o a.vec.h5 x.vec.h5
	[ "$(ids a.vec.h5)" = "v u u" ]
}

@test "permute: little memory means more passes and the same content" {
	requires python numpy h5py
	"$PYTHON" "$TOP/tests/flow/oracle.py" make 300 700 5 missing >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	vsim-permute --order random -o a.vec.h5 x.vec.h5
	run --separate-stderr vsim-permute -v --order random --memory 40K \
		-o b.vec.h5 x.vec.h5
	[ "$status" = 0 ]
	[[ $stderr =~ passes\ over\ the\ input:\ ([0-9]+) ]]
	[ "${BASH_REMATCH[1]}" -gt 1 ]
	vsim-permute --order random --memory 1K -o c.vec.h5 x.vec.h5
	[ "$(content a.vec.h5)" = "$(content b.vec.h5)" ]
	[ "$(content a.vec.h5)" = "$(content c.vec.h5)" ]
}

@test "permute: the codec changes the bytes, not the content" {
	requires python h5py
	small --codec none
	for codec in zstd deflate none; do
		vsim-permute --order random --codec $codec -o $codec.vec.h5 \
			x.vec.h5
		[ "$(content $codec.vec.h5)" = "$(content zstd.vec.h5)" ]
	done
	refuses 2 'level 12.*deflate' vsim-permute --order random \
		--codec deflate --level 12 -o a.vec.h5 x.vec.h5
}

@test "permute: one vector, one field" {
	requires python h5py
	printf 'id\ts\nv\t1\n' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	for order in random frequency position source; do
		vsim-permute -f --order $order -o a.vec.h5 x.vec.h5
		[ "$(content a.vec.h5)" = "$(content x.vec.h5)" ]
	done
}

@test "permute: options that cannot be followed leave with 2 and no output" {
	small
	try() {
		refuses 2 "$1" vsim-permute "${@:2}" x.vec.h5
		gone a.vec.h5
	}
	try '--order is required' -o a.vec.h5
	try '--output is required' --order random
	try 'alphabetical: not one of' --order alphabetical -o a.vec.h5
	try '--order list requires --list' --order list -o a.vec.h5
	try '--list requires --order list' --order random --list x -o a.vec.h5
	try '--reverse requires --order frequency, --order sum or --order position' --order random --reverse -o a.vec.h5
	try 'seed x: not an integer' --order random --seed x -o a.vec.h5
	try 'input and output' -f --order random -o ./x.vec.h5
	quietly vsim-verify x.vec.h5
}

@test "permute: an output that exists is kept, -f replaces it" {
	requires python h5py
	small
	echo precious >a.vec.h5
	refuses 2 'a.vec.h5: exists already' \
		vsim-permute --order random -o a.vec.h5 x.vec.h5
	[ "$(cat a.vec.h5)" = precious ]
	quietly vsim-permute -f --order random -o a.vec.h5 x.vec.h5
	quietly vsim-verify a.vec.h5
}

@test "permute: what is not a vectors file is refused with 3, no output left" {
	small
	echo hello >text
	cp x.vec.h5 cut
	truncate -s -100 cut
	cp x.vec.h5 flipped
	flip flipped 2000
	for f in text cut flipped absent .; do
		refuses 3 "${f/./\\.}: " \
			vsim-permute --order random -o a.vec.h5 $f
		gone a.vec.h5
	done
}

@test "permute: a sample that occurs twice is refused by each reader, none copied" {
	requires python numpy h5py
	small
	"$PYTHON" "$TOP/tests/cli/forge.py" x.vec.h5 \
		'f["samples/id"][2] = f["samples/id"][1]'
	for how in 'vsim-permute --order random -o a.vec.h5' vsim-verify \
		'vsim-verify --compare x.vec.h5' 'vsim-view --genotypes'; do
		run --separate-stderr $how x.vec.h5
		[[ $status != 0 &&
			$stderr == *'x.vec.h5: /samples/id: row 2: s2 occurs twice'* ]] ||
			complain "$how: $status $stderr"
	done
	refuses 3 "occurs twice" vsim-permute --order random -o a.vec.h5 x.vec.h5
	gone a.vec.h5
}

@test "permute: a place that cannot be written, a full disk: 4, nothing left" {
	small
	refuses 4 'x.vec.h5/a.vec.h5: .*Not a directory' \
		vsim-permute --order random -o x.vec.h5/a.vec.h5 x.vec.h5
	quietly vsim-permute --order random -o new/er/a.vec.h5 x.vec.h5
	quietly vsim-verify new/er/a.vec.h5
	requires python numpy
	"$PYTHON" "$TOP/tests/flow/oracle.py" make 300 2000 5 >x.tsv
	vsim-pack -f --tsv x.tsv -o x.vec.h5
	small_disk disk 64K
	refuses 4 'disk/a.vec.h5: .*No space left' \
		vsim-permute --order random -o disk/a.vec.h5 x.vec.h5
	[ -z "$(ls disk)" ]
}
