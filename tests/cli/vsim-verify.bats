# SPDX-License-Identifier: BSD-3-Clause
# vsim-verify: any file of ours, or a run directory -> yes or no, and why
load ../helpers

# 120 vectors of 70 fields, some calls missing; made once for all tests
setup_file() {
	can_import numpy && can_import h5py || return 0
	cd "$BATS_FILE_TMPDIR" || return
	"$PYTHON" "$TOP/tests/flow/oracle.py" make 120 70 3 missing >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	vsim-run -t 0.5 --tile 30 -j 2 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	vsim-merge --unpermute -o u.res.h5 run
}

setup() {
	requires python numpy h5py
	cp -r "$BATS_FILE_TMPDIR"/{x.vec.h5,run,e.res.h5,u.res.h5} \
		"$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR" || return
}

forge() {
	"$PYTHON" "$TOP/tests/cli/forge.py" "$@"
}

# no WORDS ARGUMENT...: vsim-verify says no, exit 1, for this reason
no() {
	refuses 1 "$1" vsim-verify "${@:2}"
}

# forged FILE STATEMENT WORDS: sealed again after STATEMENT, FILE is refused with
# WORDS
forged() {
	cp "$1" forged.h5
	forge forged.h5 "$2" "${@:4}"
	no "forged.h5: $3" forged.h5
}

# bats test_tags=install
@test "verify: vectors, shard, run and merged result pass in silence" {
	quietly vsim-verify x.vec.h5 run run/shard-00000.shard.h5 e.res.h5 \
		u.res.h5
}

@test "verify: -v says on stderr what was checked" {
	run --separate-stderr vsim-verify -v x.vec.h5 run
	[ "$status" = 0 ] && [ -z "$output" ]
	[[ $stderr == *"x.vec.h5: seal, structure and digest of 120 vectors"* ]]
	[[ $stderr == *"run: shards: 1, tiles: 10, each once"* ]]
}

@test "verify: what cannot be read at all is 3, the rest is still judged" {
	refuses 3 'absent: cannot read: No such file' vsim-verify absent
	run --separate-stderr vsim-verify absent x.vec.h5 .
	[ "$status" = 3 ] && [ "${#stderr_lines[@]}" = 2 ]
	[[ ${stderr_lines[0]} == *absent* ]]
	[[ ${stderr_lines[1]} == "vsim-verify: .: contains no shards" ]]
}

@test "verify: on a file of others there is no answer, but 3" {
	local f
	echo hello >text
	"$PYTHON" -c 'import h5py; h5py.File("other.h5", "w")["x"] = [1]'
	mkfifo pipe
	for f in text other.h5 pipe /dev/null "$TOP/examples/chr20.vcf.gz"; do
		refuses 3 "$f: " vsim-verify "$f"
	done
	# what was cut to nothing is a no, and so is a run without its shards
	: >empty
	no 'empty: ' empty
	mkdir none
	no 'none: contains no shards' none
}

@test "verify: a file cut short or grown is a no" {
	for f in x.vec.h5 run/shard-00000.shard.h5 e.res.h5; do
		for n in 0 100 511 512 600 -1 -700 +1; do
			cp $f cut
			truncate -s $n cut 2>/dev/null || truncate -s "$n" cut
			no 'cut: ' cut
		done
	done
}

# bats test_tags=install
@test "verify: one bit flipped anywhere is a no" {
	for f in x.vec.h5 run/shard-00000.shard.h5 e.res.h5; do
		size=$(stat -c %s $f)
		for k in 0 9 11 17 25 40 50 70 90 505 \
			$(seq 512 $((size / 12)) $((size - 1))) $((size - 1)); do
			cp $f flipped
			flip flipped "$k" $((k % 8))
			no 'flipped: ' flipped
		done
	done
}

@test "verify: a forger who changes nothing gets through: pages and code agree" {
	for f in x.vec.h5 run/shard-00000.shard.h5 e.res.h5 u.res.h5; do
		cp $f forged.h5
		forge forged.h5 ''
		quietly vsim-verify forged.h5
	done
}

@test "verify: a content digest that is not the content's is reported" {
	forged x.vec.h5 'f["vectors/pos"][3] = 7' \
		'is damaged: its content has the digest [0-9a-f]{32}, stated is [0-9a-f]{32}' \
		keep-content
}

# bats test_tags=long
@test "verify: vectors: counts, pad bits, rows, label sources, names" {
	requires python numpy h5py
	forged x.vec.h5 'p = f["vectors/planes"]; b = p[5, 1]; b[0] ^= 1; p[5, 1] = b' \
		'/vectors/genotype_count: row 5: states .*, the planes hold'
	forged x.vec.h5 'p = f["vectors/planes"]; b = p[5, 0]; b[8] |= 64; p[5, 0] = b' \
		'.*vector 5 has bits past its last field'
	forged x.vec.h5 'f["vectors"].attrs["ploidy"] = np.int32(1)' \
		'.*vector 0 has two copies of an allele in a file of ploidy 1'
	forged x.vec.h5 'f["vectors/source_row"][3] = 4' \
		'/vectors/source_row: row 4: 4 occurs twice'
	forged x.vec.h5 'f["vectors/source_row"][3] = 120' \
		'/vectors/source_row: row 3: 120 is out of range'
	forged x.vec.h5 'f["vectors/allele1_source"][8] = 2' \
		'/vectors/allele1_source: row 8: 0, 1 or 255 expected, 2 found'
	forged x.vec.h5 'f["vectors/contig"][2] = 5' '/vectors/contig: row 2'
	forged x.vec.h5 'f["vectors/contig"][2] = 0; put("contigs/name", [b""], "S4"); put("contigs/length", [0])' \
		'/vectors/contig: row [0-9]+ names no contig'
	forged x.vec.h5 'f["vectors/pos"][2] = -1' '/vectors/pos: row 2: 0 or more'
	forged x.vec.h5 'f["samples/id"][2] = f["samples/id"][1]' \
		'/samples/id: row 2: s1 occurs twice'
	# a sample is family and id: the id alone may stand again
	cp x.vec.h5 forged.h5
	forge forged.h5 'f.copy("samples/id", "samples/family"); f["samples/id"][2] = f["samples/id"][1]'
	quietly vsim-verify forged.h5
	forged x.vec.h5 's = f["samples"]; f.copy("samples/id", "samples/family"); s["id"][2] = s["id"][1]; s["family"][2] = s["family"][1]' \
		'/samples/id: row 2: s1 s1 occurs twice'
}

# bats test_tags=long
@test "verify: structure: types, shapes, links and packing that must not be" {
	forged x.vec.h5 'x = f["vectors/pos"][:]; del f["vectors/pos"]; f["vectors/pos"] = x.astype("i4")' '.*/vectors/pos'
	forged x.vec.h5 'put("vectors/pos", f["vectors/pos"][:-1])' '.*/vectors/pos'
	forged x.vec.h5 'import h5py; del f["vectors/pos"]; f["vectors/pos"] = h5py.ExternalLink("/etc/passwd", "x")' '.*pos'
	forged x.vec.h5 'import h5py; f["x_y"] = h5py.SoftLink("/vectors")' '.*x_y'
	forged x.vec.h5 'f["vectors/again"] = f["vectors"]' '.*'
	forged x.vec.h5 'x = f["vectors/pos"][:]; del f["vectors/pos"]; f.create_dataset("vectors/pos", data=x, compression="lzf")' '.*pos'
	forged x.vec.h5 'del f["vectors/id"]' '.*/vectors/id'
	forged x.vec.h5 'f["vectors"].attrs.modify("n_vectors", np.int64(2**39))' '.*'
	forged e.res.h5 'del f["index/i_offset"]' '.*/index/i_offset'
}

# bats test_tags=long
@test "verify: records: rows, cells, values, counts out of range" {
	e=e.res.h5
	forged $e 'f["records/j"][-1] = 120' '/records: row [0-9]+ names vectors or a cell that cannot be'
	forged $e 'f["records/j"][0] = f["records/i"][0]' '/records: row 0 names vectors'
	# numbers that a record of 32 bytes would cut to ones that can be
	forged $e 'f["records/j"][3] += 2**32' '/records: row 3 names vectors or a cell'
	forged $e 'f["records/num"][4] += 2**60' '/records: row 4 has a count that cannot be'
	forged $e 'f["records/nvalid"][5] += 2**32' '/records: row 5 has a count that cannot be'
	forged $e 'f["records/nvalid"][5] = -2**62' '/records: row 5 has a count that cannot be'
	forged $e 'f["records/cell"][1] += 16' '/records: row 1 names vectors or a cell'
	forged $e 'f["nodes/source_row"][1] = 2**32' '/nodes/source_row: row 1 is negative or too large'
	forged x.vec.h5 'f["vectors/source_row"][1] = 2**32' '.*source_row.*row 1.*'
	forged $e 'f["records/cell"][2] = 4' '/records: row 2 names vectors or a cell'
	forged $e 'f["records/value"][2] = np.nan' '/records: row 2 has a value that cannot be'
	forged $e 'f["records/value"][2] = -np.inf' '/records: row 2 has a value that cannot be'
	forged $e 'f["records/value"][2] = 0.5' '/records: row 2 has the value 0.5, which does not pass the threshold 0.5 '
	forged $e 'f["records/num"][2] = 4 * f["records/nvalid"][2] + 1' '/records: row 2 has a count that cannot be'
	forged $e 'f["records/nvalid"][2] = 71' '/records: row 2 has a count that cannot be'
	forged $e 'f["records/value"][2] += 0.1' 'is damaged: its records do not have the sum' keep-sum
	forged $e 'f["run"].attrs.modify("cell_mask", np.int32(14))' '/records: row [0-9]+ names vectors or a cell that cannot be'
}

# bats test_tags=long
@test "verify: merged: order, index, nodes" {
	e=e.res.h5
	forged $e 'c = f["records/cell"]; j = f["records/j"][:]; k = np.nonzero(j[1:] == j[:-1])[0][0]; c[k + 1] = c[k]' \
		'/records: row [0-9]+: (is the same as|comes before) the row above it'
	forged $e 'r = f["records"]
for x in r: a = r[x][:]; a[[0, 1]] = a[[1, 0]]; r[x][:] = a' '/records: row 1: comes before'
	forged $e 'f["index/i_offset"][2] += 1' '/index/i_offset'
	forged $e 'o = f["index/i_offset"]; o[-1] = o[-1] - 1' '/index/i_offset does not fit the records'
	forged $e 'cut("records", 5)' '/index/i_offset does not fit'
	forged $e 'f["nodes/vector"][1] += 1' '/nodes/vector does not rise'
	vsim-run -t 0.75 -o few x.vec.h5
	vsim-merge -o few.res.h5 few
	forged few.res.h5 'v = f["nodes/vector"]; k = np.nonzero(np.diff(v[:]) > 1)[0][0]; v[k] += 1' \
		'/nodes/vector: row [0-9]+: [0-9]+ expected, [0-9]+ found'
}

# bats test_tags=long
@test "verify: shard: tiles and their records" {
	s=run/shard-00000.shard.h5
	forged $s 'f["tiles/sum0"][1] ^= np.uint64(1)' '/tiles: hold [0-9]+ records, .* of another sum'
	forged $s 't = f["tiles/sum0"]; t[2], t[3] = t[3], t[2]' \
		'is damaged: the records of tile [0-9]+ [0-9]+ do not have the sum'
	forged $s 'f["tiles/evaluated"][1] += 1' '/tiles: row 1: [0-9]+ values evaluated'
	forged $s 'f["tiles/first"][1] += 1' '/tiles: row 1 holds records that are not there'
	forged $s 'f["tiles/bi"][1] = 9' '/tiles: row 1: blocks 0 to 3 expected'
	forged $s 'f["tiles/count"][-1] -= 1' '/tiles: hold [0-9]+ records'
	forged $s 'j = f["records/j"]; j[0] = 119; sum_tiles()' '/records: row [0-9]+: vectors .* do not belong to tile'
	# records in any order will do, none may come twice
	cp $s turned.h5
	forge turned.h5 'r = f["records"]
for x in r: a = r[x][:]; a[[0, 2]] = a[[2, 0]]; r[x][:] = a'
	quietly vsim-verify turned.h5
	forged $s 'r = f["records"]
for x in r: a = r[x][:]; a[2] = a[0]; r[x][:] = a
sum_tiles()' '/records: pair [0-9]+ [0-9]+ cell [0-3] comes twice'
}

@test "verify: run: a tile that is missing, twice, or of another run" {
	requires mpi 2
	ranks 2 vsim-run -t 0.5 --tile 30 -j 1 -o two x.vec.h5
	quietly vsim-verify two
	mv two/shard-00001.shard.h5 .
	no 'two: tile [0-9]+ [0-9]+ is in no shard; [0-9]+ of 10 tiles are missing' two
	quietly vsim-verify two/shard-00000.shard.h5
	cp two/shard-00000.shard.h5 two/shard-00007.shard.h5
	no 'two: .*tile [0-9]+ [0-9]+ is in .*shard-00000.shard.h5 too' two
	cp run/shard-00000.shard.h5 two/shard-00007.shard.h5
	forge two/shard-00007.shard.h5 \
		'f["run"].attrs.modify("threshold", np.float64(0.4))'
	no 'two: .*shard-00000.shard.h5 and .*shard-00007.shard.h5: thres' two
	cp x.vec.h5 two/shard-00007.shard.h5
	no 'two/shard-00007.shard.h5: is not a shard' two
}

# bats test_tags=install
@test "verify: --against passes what is right, all of it and a sample" {
	for f in run run/shard-00000.shard.h5 e.res.h5 u.res.h5; do
		quietly vsim-verify --against x.vec.h5 $f
		quietly vsim-verify --against x.vec.h5 --sample 50 $f
	done
	run --separate-stderr vsim-verify -v --against x.vec.h5 e.res.h5
	[[ $stderr == *"records recomputed, 7140 pairs searched"* ]]
	run --separate-stderr vsim-verify -v --against x.vec.h5 --sample 50 run
	[[ $stderr == *"run: "[45]?" records recomputed, "[45]?" pairs searched"* ]]
}

@test "verify: a file that kills its reader is a no, the checker lives" {
	requires cmd gcc
	! sanitized || skip "asan"
	echo '#include <stdlib.h>
		int ZSTD_findFrameCompressedSize(void) { abort(); }' |
		gcc -w -shared -fPIC -x c - -o die.so
	# HDF5 may be part of the program; what unpacks its chunks is not
	refuses 1 'x.vec.h5: its structure crashes the reader' \
		env LD_PRELOAD="$PWD/die.so" vsim-verify x.vec.h5
}

@test "verify: a checker that is killed from outside says nothing of the file" {
	vsim-pack --synthetic random --vectors 2500 --fields 1500 -o y.vec.h5
	vsim-run -t 0.9 --allow-empty -o ry y.vec.h5
	refuses 4 'ry: the checking process died' \
		bash -c 'ulimit -S -t 1; vsim-verify -j 2 --against y.vec.h5 ry'
}

# bats test_tags=long
@test "verify: --against walks what was wanted, or what of the strongest is listed" {
	local n
	# walked N OPTION...: within a second, of which all pairs would take some
	# and all triples hours; N are searched
	walked() {
		rm -rf ry
		vsim-run "${@:2}" -o ry y.vec.h5
		vsim-merge -f -o y.res.h5 ry
		for f in ry y.res.h5; do
			run --separate-stderr bash -c "ulimit -S -t 2
				vsim-verify -v -j 2 --against y.vec.h5 $f"
			[[ $status == 0 && $stderr == *", $1 pairs searched"* ]] ||
				complain "$*: $status $stderr"
		done
	}
	vsim-pack --synthetic random --vectors 12000 --fields 64 -o y.vec.h5
	walked 11998 -t 0.4 -w 3 --triples-between 5000-5000 17-17
	walked 23997 -t 0.6 --pairs-between 5000-5001 0-11999
	walked 0 --top 5 -w 3 --triples-between 5000-5000 17-17
	walked 0 --top 5 --triples-with 700-700 -w 3
	forge y.res.h5 'v = f["records/value"]; v[3] = np.nextafter(v[3], 2)'
	no 'triple [0-9 ]* cell [0-7]: value .* expected value' \
		--against y.vec.h5 y.res.h5
}

@test "verify: --against asks of a partial result what it lists" {
	requires mpi 2
	ranks 2 vsim-run -t 0.5 --tile 30 -j 1 -o two x.vec.h5
	rm two/shard-00001.shard.h5
	vsim-merge --partial -o p.res.h5 two
	quietly vsim-verify --against x.vec.h5 p.res.h5
	quietly vsim-verify --against x.vec.h5 two/shard-00000.shard.h5
	forge p.res.h5 'f["records/num"][0] += 1'
	no 'pair .* expected value' --against x.vec.h5 p.res.h5
}

@test "verify: --against finds a wrong source_sum" {
	for f in run/shard-00000.shard.h5 e.res.h5; do
		forge $f 's = f["records"].attrs; s.modify("source_sum", s["source_sum"] + np.uint64(1))' keep-sum
		quietly vsim-verify $f
		no "the sum in the source.s names" --against x.vec.h5 $f
	done
}

# bats test_tags=long
@test "verify: --against finds a value wrong in its last bit, and a count off by one" {
	against() {
		cp $1 forged.h5
		forge forged.h5 "$2"
		quietly vsim-verify forged.h5
		no "forged.h5: pair [0-9]+ [0-9]+ cell [0-3]: $3" \
			--against x.vec.h5 -j 2 forged.h5
	}
	against e.res.h5 'v = f["records/value"]; v[9] = np.nextafter(v[9], 2)' \
		'value .* expected value'
	against e.res.h5 'f["records/num"][9] -= 1' 'value .* expected value'
	against e.res.h5 'f["records/nvalid"][9] += 1' 'value .* expected value'
	against e.res.h5 'cut("records", 9); o = f["index/i_offset"]; o[:] = np.minimum(o[:], np.where(o[:] > 9, o[:] - 1, o[:]))' \
		'is not listed'
	against e.res.h5 'f["run"].attrs.modify("threshold", 0.3)' \
		'is not listed'
	against u.res.h5 'c = f["records/num"]; c[3] -= 2' 'value'
}

# lose FILE: all records of the first pair or triple whose vectors all stand in
# others too, and seal what is left
lose() {
	forge "$1" '
r = f["records"]
v = np.array([r[c][:] for c in ("i", "j", "k") if c in r])
for q in range(v.shape[1]):
    gone = (v == v[:, [q]]).all(0)
    if set(v[:, q]) <= set(v[:, ~gone].ravel()):
        break
for q in np.nonzero(gone)[0][::-1]:
    cut("records", int(q))
    if "tiles" in f:
        n, first = f["tiles/count"][:], f["tiles/first"][:]
        n[(first <= q) & (q < first + n)] -= 1
        first[first > q] -= 1
        f["tiles/count"][:], f["tiles/first"][:] = n, first
        sum_tiles()
if "index" in f:
    o = f["index/i_offset"]
    o[:] = np.searchsorted(f["records/i"][:], np.arange(len(o)))'
}

# bats test_tags=long
@test "verify: --against misses a pair or triple of which nothing is listed" {
	local how f
	vsim-pack --synthetic random --vectors 14 --fields 60 -o g.vec.h5
	for how in 'x -t 0.5 --tile 30' 'g -t 0.15 --way 3' 'x -t 0.1 -m r2'; do
		set -- $how
		vsim-run -f "${@:2}" -j 1 -o lost $1.vec.h5
		vsim-merge -f -o lost.res.h5 lost
		for f in lost.res.h5 lost/shard-00000.shard.h5; do
			lose $f
			quietly vsim-verify $f
			no '(pair|triple) [0-9 ]+ cell [0-7]: is not listed' \
				--against $1.vec.h5 $f
			no 'is not listed' --against $1.vec.h5 --sample 60000 $f
		done
		no 'is not listed' --against $1.vec.h5 lost
	done
}

@test "verify: --against finds a record whose value does not pass" {
	vsim-run -t 0.4 -o low x.vec.h5
	vsim-merge -o low.res.h5 low
	quietly vsim-verify --against x.vec.h5 low.res.h5
	forge low.res.h5 'v = f["records/value"]; x = v[:]; k = np.argmin(x); f["run"].attrs.modify("threshold", np.float64(0.45)); v[:] = np.maximum(x, 0.46)'
	no 'pair [0-9]+ [0-9]+ cell [0-3]: value 0.46' --against x.vec.h5 low.res.h5
}

@test "verify: --sample finds an error that is everywhere" {
	forge e.res.h5 'v = f["records/num"]; v[:] = v[:] - 1'
	no 'pair .* expected value' --against x.vec.h5 --sample 20 e.res.h5
	forge u.res.h5 'f["run"].attrs.modify("threshold", np.float64(0.05))'
	no 'is not listed' --against x.vec.h5 --sample 200 --seed 9 u.res.h5
}

@test "verify: --against other vectors is a no, a bad X is 3" {
	"$PYTHON" "$TOP/tests/flow/oracle.py" make 120 70 4 >y.tsv
	vsim-pack --tsv y.tsv -o y.vec.h5
	no 'was computed from vectors with content' --against y.vec.h5 e.res.h5
	no 'pair ' --against y.vec.h5 u.res.h5
	"$PYTHON" "$TOP/tests/flow/oracle.py" make 119 70 4 >z.tsv
	vsim-pack --tsv z.tsv -o z.vec.h5
	no 'was computed from 120 vectors with 70 fields' --against z.vec.h5 u.res.h5
	refuses 3 'absent: cannot read' vsim-verify --against absent e.res.h5
	refuses 3 'run: ' vsim-verify --against run e.res.h5
	flip y.vec.h5 3000
	refuses 3 'y.vec.h5: ' vsim-verify --against y.vec.h5 e.res.h5
}

@test "verify: a result of vsim-threshold is checked by its stated conditions" {
	vsim-threshold --above 0.6 -o t6 run
	quietly vsim-verify --against x.vec.h5 t6
	vsim-threshold --cells 11 -o c.res.h5 e.res.h5
	quietly vsim-verify --against x.vec.h5 c.res.h5
	vsim-threshold --top-per-vector 2 -o top.res.h5 e.res.h5
	quietly vsim-verify --against x.vec.h5 top.res.h5
}

# bats test_tags=install
@test "verify: --compare: shards and merged, other ranks and codecs are equal" {
	quietly vsim-verify --compare e.res.h5 run
	quietly vsim-verify --compare run e.res.h5
	vsim-run -t 0.5 --tile 7 --cpu scalar -j 1 -o other x.vec.h5
	vsim-merge --codec zstd -o o.res.h5 other
	quietly vsim-verify --compare o.res.h5 e.res.h5
	vsim-permute --order source --codec none -o y.vec.h5 x.vec.h5
	quietly vsim-verify --compare x.vec.h5 y.vec.h5
}

# bats test_tags=long
@test "verify: --compare names the first difference" {
	cp e.res.h5 f.res.h5
	forge f.res.h5 'v = f["records/value"]; v[9] = np.nextafter(v[9], 2)'
	no 'e.res.h5 and f.res.h5: vectors [0-9]+ [0-9]+ cell [0-3]: value .* against' \
		--compare f.res.h5 e.res.h5
	vsim-run -t 0.6 -o r6 x.vec.h5
	no 'run and r6: threshold: 0.5 against 0.6' --compare r6 run
	forge r6/shard-00000.shard.h5 \
		'f["run"].attrs.modify("threshold", np.float64(0.5))'
	no 'run and r6: vectors [0-9]+ [0-9]+ cell [0-3] is only in run' \
		--compare r6 run
	refuses 2 'e.res.h5 and u.res.h5: .* vsim-merge --unpermute of both' \
		vsim-verify --compare u.res.h5 e.res.h5
	no 'vectors against results' --compare e.res.h5 x.vec.h5
	cp x.vec.h5 y.vec.h5
	forge y.vec.h5 'f["vectors/id"][3] = b"w"'
	no '/vectors/id: row 3: v3 against w' --compare y.vec.h5 x.vec.h5
	vsim-permute --order random -o z.vec.h5 x.vec.h5
	no 'x.vec.h5 and z.vec.h5: ' --compare z.vec.h5 x.vec.h5
	refuses 3 'absent: cannot read' vsim-verify --compare absent x.vec.h5
}

@test "verify: --compare of two orders says how, and then compares by the vectors" {
	vsim-permute --order random -o p.vec.h5 x.vec.h5
	vsim-run -t 0.5 -o rp p.vec.h5
	vsim-merge -o p.res.h5 rp
	no 'vectors_content: .*another order, vsim-merge --unpermute of both' \
		--compare p.res.h5 e.res.h5
	no 'vectors_content: .*vsim-merge --unpermute' --compare rp run
	vsim-merge --unpermute -o pu.res.h5 rp
	refuses 2 'vsim-merge --unpermute' vsim-verify --compare pu.res.h5 e.res.h5
	vsim-merge --unpermute -o eu.res.h5 run
	quietly vsim-verify --compare pu.res.h5 eu.res.h5
	forge pu.res.h5 'v = f["records/value"]; v[9] = np.nextafter(v[9], 2)'
	no 'eu.res.h5 and pu.res.h5: vectors [0-9]+ [0-9]+ cell [0-3]: value .* against' \
		--compare pu.res.h5 eu.res.h5
}

@test "verify: --allow-unsealed accepts what h5repack rewrote, and finds changes" {
	requires cmd h5repack
	h5repack -f /vectors/planes:GZIP=4 x.vec.h5 y.h5
	no 'y.h5: ' y.h5
	quietly vsim-verify --allow-unsealed y.h5
	"$PYTHON" -c 'import h5py; h5py.File("y.h5", "r+")["vectors/planes"][0] = 9'
	no 'y.h5: is damaged: its content has the digest' --allow-unsealed y.h5
}

# same MEMORY... -- ARGUMENT...: with little memory as with much, exit and words
same() {
	local few=()
	while [ "$1" != -- ]; do
		few+=("$1")
		shift
	done
	shift
	run vsim-verify --memory 1G "$@"
	local code=$status words=$output m
	for m in "${few[@]}"; do
		run vsim-verify --memory "$m" "$@"
		[ "$status" = "$code" ] && [ "$output" = "$words" ] ||
			complain "--memory $m $*: $status: $output" \
				"with 1G: $code: $words"
	done
}

# bats test_tags=long
@test "verify: with little memory the answers are the same" {
	# 120 vectors of 70 bytes; half of the memory is theirs
	for f in run e.res.h5 u.res.h5; do
		for how in "" "--sample 90"; do
			same 1k 9k -- --against x.vec.h5 $how $f
		done
	done
	run vsim-verify -v -j 1 --memory 2k --against x.vec.h5 e.res.h5
	[[ $output == *"7140 pairs searched"* ]]
	# wrong in several places: the first one is named
	cp e.res.h5 f.res.h5
	forge f.res.h5 'v = f["records/value"]; v[[40, 200, 300]] += 1e-9'
	same 1k 3k -- --against x.vec.h5 f.res.h5
	same 1k -- --compare e.res.h5 f.res.h5
	no 'f.res.h5: pair' --memory 1k --against x.vec.h5 f.res.h5
	# and not listed
	vsim-threshold -f --above 0.6 -o f.res.h5 e.res.h5
	forge f.res.h5 'f["run"].attrs.modify("threshold", np.float64(0.5))'
	same 1k 3k -- --against x.vec.h5 f.res.h5
	no 'is not listed' --memory 1k --against x.vec.h5 f.res.h5
	# triples and numbers
	vsim-run --way 3 -t 0.5 -o run3 x.vec.h5
	refuses 2 'all triples need all vectors at once: give --memory 1M' \
		vsim-verify --memory 4k --against x.vec.h5 run3
	same 1k 3k -- --against x.vec.h5 --sample 50 run3
	awk 'BEGIN { srand(3); for (v = 0; v < 50; v++) { for (q = 0; q < 30; q++)
		printf "%d%s", 900 * rand(), q < 29 ? "\t" : "\n" } }' >n.tsv
	vsim-pack --matrix n.tsv -o n.vec.h5
	vsim-run -m ps -t 0.6 -o ps n.vec.h5
	quietly vsim-verify --against n.vec.h5 ps
	same 1k 2k -- --against n.vec.h5 ps
	refuses 2 '--sample 100000: takes .*: give --memory' \
		vsim-verify --memory 1k --sample 100000 --against x.vec.h5 run
}

# peak CMD...: the most memory that CMD or a child of it had, in KiB; -u: asked
# by an interpreter that is small itself
peak() {
	"$PYTHON" -u -c 'import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)' "$@"
}

# bats test_tags=long
@test "verify: no more memory than --memory, and little for each shard" {
	[[ $VSIM_BUILD == */release ]] || skip "other builds take more"
	vsim-pack --synthetic random --vectors 1200 --fields 200 -o y.vec.h5
	vsim-run -t 0.4 -o big y.vec.h5
	# a million records of 72 bytes, in any order
	[ "$(sed -n 's/^n_records: //p' big/complete.yaml)" -gt 800000 ]
	[ "$(peak vsim-verify --memory 16M big)" -lt 60000 ]
	[ "$(peak vsim-verify --memory 16M --compare big big)" -lt 80000 ]
	vsim-pack --synthetic random --vectors 900 --fields 200 -o z.vec.h5
	for ((k = 1; k <= 20; k++)); do
		vsim-run -t 0.4 --tile 100 --stage $k/20 -o $k z.vec.h5
		mkdir -p many
		mv $k/shard-00000.shard.h5 many/shard-$((10000 + k)).shard.h5
	done
	[ "$(peak vsim-verify --memory 16M many)" -lt 45000 ]
}

@test "verify: options that cannot be followed leave with 2" {
	refuses 2 '--sample requires --against' vsim-verify --sample 3 run
	refuses 2 'one operand' vsim-verify --compare run run run
	refuses 2 'sample 0: outside' \
		vsim-verify --against x.vec.h5 --sample 0 run
	refuses 2 'is a vectors file' vsim-verify --against x.vec.h5 x.vec.h5
}

@test "verify: nothing is left behind, nothing is changed" {
	sha256sum x.vec.h5 run/* e.res.h5 >before
	vsim-verify --against x.vec.h5 --compare run e.res.h5
	sha256sum -c --quiet before
	gone
}
