# SPDX-License-Identifier: BSD-3-Clause
# vsim-merge: the shards of a run -> one sorted, indexed, complete result
load ../helpers

ORACLE=$TOP/tests/flow/oracle.py

# made VECTORS FIELDS [HOW...]: x.tsv and x.vec.h5
made() {
	requires python numpy h5py
	"$PYTHON" "$ORACLE" make "$1" "$2" 11 "${@:3}" >x.tsv
	vsim-pack -f --tsv x.tsv -o x.vec.h5
}

# halves: run, made by two ranks: two shards
halves() {
	requires mpi 2
	ranks 2 vsim-run -t 0.4 --tile 8 -o run x.vec.h5
	[ "$(ls run/*.shard.h5 | wc -l)" = 2 ]
}

# bats test_tags=install
@test "merge: every record of the definition, sorted, with its index" {
	made 50 60 missing
	vsim-run -t 0.4 --tile 8 -o run x.vec.h5
	quietly vsim-merge -o e.res.h5 run
	"$PYTHON" "$ORACLE" check x.vec.h5 0.4 e.res.h5
	"$PYTHON" - <<-'END'
		import h5py, numpy as np
		f = h5py.File("e.res.h5")
		i, at = f["records/i"][:], f["index/i_offset"][:]
		assert len(at) == 51 and at[0] == 0 and at[-1] == len(i) > 0
		for v in range(50):
		    assert (i[at[v]:at[v + 1]] == v).all()
		occur = np.unique(np.concatenate([i, f["records/j"][:]]))
		assert (f["nodes/vector"][:] == occur).all()
		assert f["nodes/id"][3] == b"v%d" % occur[3]
	END
	quietly vsim-verify --against x.vec.h5 e.res.h5
	gone
}

# bats test_tags=install
@test "merge: the same bytes of content from any shards, in any order" {
	made 60 40
	halves
	vsim-run -t 0.4 -o one x.vec.h5
	vsim-merge -o a.res.h5 one
	vsim-merge -o b.res.h5 run
	vsim-merge --codec zstd -o c.res.h5 run/shard-00001.shard.h5 \
		run/shard-00000.shard.h5
	vsim-merge --codec none -o d.res.h5 run
	for f in b c d; do
		[ "$(content a.res.h5)" = "$(content $f.res.h5)" ]
	done
	vsim-verify --compare a.res.h5 c.res.h5
	[ "$(vsim-view a.res.h5)" = "$(vsim-view d.res.h5)" ]
}

@test "merge: little memory gives the same, through a file that leaves no trace" {
	made 120 50
	vsim-run -t 0.2 -o run x.vec.h5
	vsim-merge -o a.res.h5 run
	run vsim-merge -v --memory 64K -o b.res.h5 run
	[[ $output =~ sorted\ through\ [0-9]+\ runs ]]
	[ "$(content a.res.h5)" = "$(content b.res.h5)" ]
	gone
}

# bats test_tags=long
@test "merge: bands, a file and any threads give the same bits" {
	vsim-pack --synthetic random --vectors 1000 --fields 40 -o x.vec.h5
	vsim-permute --order random --seed 5 -o r.vec.h5 x.vec.h5
	for f in x r; do
		vsim-run -t 0 --tile 70 -o "run.$f" "$f.vec.h5"
	done
	vsim-merge -v --memory 64K -o a.res.h5 run.x 2>said
	grep -q 'sorted through' said
	vsim-merge -v --memory 30M -j 1 -o b.res.h5 run.x 2>said
	grep -Eq 'sorted in [3-9] bands, records read (1|2)\.' said
	vsim-merge -v --memory 50M -j 3 -o c.res.h5 run.x 2>said
	grep -Eq 'sorted in [2-9] bands' said
	vsim-merge -v -o d.res.h5 run.x 2>said
	grep -q 'sorted in 1 band,' said
	for f in b c d; do
		[ "$(content a.res.h5)" = "$(content $f.res.h5)" ]
	done
	quietly vsim-verify c.res.h5
	vsim-merge --memory 64K --unpermute -o e.res.h5 run.r
	vsim-merge -v --memory 50M --unpermute -o f.res.h5 run.r 2>said
	grep -Eq 'sorted in [2-4] bands, records read' said
	[ "$(content e.res.h5)" = "$(content f.res.h5)" ]
	# all tiles of a few shards, or none of a band
	vsim-run -t 0.7 --tile 50 --commit-every 0 -o few x.vec.h5
	vsim-merge -o g.res.h5 few
	vsim-merge --memory 64K -o h.res.h5 few
	[ "$(content g.res.h5)" = "$(content h.res.h5)" ]
}

# bats test_tags=install
@test "merge --unpermute: permuted and relabelled runs give one result" {
	made 60 45 missing
	vsim-pack --tsv x.tsv --label given -o g.vec.h5
	vsim-permute --order random --seed 5 -o r.vec.h5 x.vec.h5
	for f in x g r; do
		vsim-run -t 0.4 -o "run.$f" "$f.vec.h5"
		vsim-merge --unpermute -o "$f.res.h5" "run.$f"
	done
	[ "$(content x.res.h5)" = "$(content g.res.h5)" ]
	[ "$(content x.res.h5)" = "$(content r.res.h5)" ]
	[ "$(vsim-view x.res.h5)" = "$(vsim-view r.res.h5)" ]
	# the label given counts the alleles that the table counts
	"$PYTHON" "$ORACLE" check g.vec.h5 0.4 r.res.h5
	"$PYTHON" "$ORACLE" check x.tsv 0.4 r.res.h5
	quietly vsim-verify --against r.vec.h5 x.res.h5
	# text does not depend on order or labels even without it
	vsim-merge -o p.res.h5 run.r
	all=i,j,num,n,value,id1,allele1,freq1,id2,allele2,freq2
	[ "$(vsim-view -c $all p.res.h5 | sort)" = \
		"$(vsim-view -c $all x.res.h5 | sort)" ]
	vsim-merge --unpermute --no-nodes -o n.res.h5 run.r
	[ "$(vsim-view -c $all n.res.h5)" = "$(vsim-view -c $all x.res.h5)" ]
	[ "$(content p.res.h5)" != "$(content x.res.h5)" ]
}

@test "merge: f32 values" {
	made 40 33
	vsim-run -t 0.4 --value f32 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	"$PYTHON" "$ORACLE" check x.vec.h5 0.4 e.res.h5 f32
	vsim-verify --against x.vec.h5 e.res.h5
}

@test "merge: one vector, and a threshold that nothing passes" {
	printf 'id\ta\tb\nv\t0\t1\n' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	vsim-run -t 0.4 -o run x.vec.h5
	quietly vsim-merge -o e.res.h5 run
	[ "$(vsim-view --no-header e.res.h5 | wc -l)" = 0 ]
	made 20 30
	vsim-run -t 2 --allow-empty -o none x.vec.h5
	quietly vsim-merge -f -o e.res.h5 none
	quietly vsim-verify e.res.h5
	quietly vsim-verify --against x.vec.h5 e.res.h5
}

@test "merge: a missing tile is named; --partial states what is missing" {
	made 60 40
	halves
	refuses 3 'tile \([0-9]+,[0-9]+\) and [0-9]+ more are missing.*--resume' \
		vsim-merge -o e.res.h5 run/shard-00000.shard.h5
	gone e.res.h5
	quietly vsim-merge --partial -o e.res.h5 run/shard-00000.shard.h5
	vsim-view -H e.res.h5 | grep -q '^#coverage: partial'
	have=$(vsim-view -H run/shard-00000.shard.h5 | sed -n 's/^#n_tiles: //p')
	lack=$(vsim-view -H e.res.h5 | sed -n 's/^#n_tiles_missing: //p')
	[ $((have + lack)) = 36 ] # 8 blocks
	quietly vsim-verify e.res.h5
	quietly vsim-verify --against x.vec.h5 e.res.h5
	# what is whole is called so, --partial or not
	vsim-merge --partial -f -o e.res.h5 run
	vsim-view -H e.res.h5 | grep -q '^#coverage: full'
	# shards without a tile: of the 3 tiles of 50 vectors stage 2 of 9 has none
	vsim-pack -f --synthetic random --vectors 50 --fields 30 -o x.vec.h5
	vsim-run -f -t 0.3 --stage 2/9 -o run x.vec.h5
	[ "$(vsim-view -H run/shard-00000.shard.h5 | sed -n 's/^#n_tiles: //p')" = 0 ]
	refuses 3 'stages .* of 9 are missing' vsim-merge -f -o e.res.h5 run
	vsim-merge --partial -f -o e.res.h5 run
	[ "$(vsim-view -H e.res.h5 | sed -n 's/^#n_tiles_missing: //p')" = 3 ]
}

@test "merge: a shard given twice, or a copy of it, is refused" {
	made 30 40
	vsim-run -t 0.4 -o run x.vec.h5
	cp run/shard-00000.shard.h5 copy.shard.h5
	refuses 3 'shard-00000.* and .*shard-00000.* are the same shard' \
		vsim-merge -o e.res.h5 run run
	refuses 3 'shard-00000.* and copy.shard.h5 are the same shard' \
		vsim-merge -o e.res.h5 run copy.shard.h5
	gone e.res.h5
}

@test "merge: a tile in two shards is named with both" {
	made 30 40
	vsim-run -t 0.4 --tile 8 -o run x.vec.h5
	vsim-run -t 0.4 --tile 8 -o again x.vec.h5
	refuses 3 'tile \(0,0\) is in run/shard-00000.shard.h5 and again/' \
		vsim-merge -o e.res.h5 run again
	gone e.res.h5
}

@test "merge: shards of two questions or of other vectors are refused" {
	made 30 40
	vsim-run -t 0.4 --tile 8 -o run x.vec.h5
	vsim-run -t 0.5 --tile 8 -o higher x.vec.h5
	vsim-run -t 0.4 --tile 16 -o coarse x.vec.h5
	vsim-pack --tsv x.tsv --label given -o y.vec.h5
	vsim-run -t 0.4 --tile 8 -o other y.vec.h5
	refuses 3 'not of one run: threshold differs' \
		vsim-merge -o e.res.h5 run higher
	refuses 3 'run/.* and coarse/.*: size of tile differs' \
		vsim-merge -o e.res.h5 run coarse
	refuses 3 'vectors file differs' vsim-merge -o e.res.h5 run other
	vsim-merge -o e.res.h5 run
	refuses 3 'e.res.h5: is a merged result' vsim-merge -o f.res.h5 e.res.h5
	refuses 3 'x.vec.h5' vsim-merge -o f.res.h5 x.vec.h5
	gone f.res.h5
}

@test "merge: a shard cut short, changed, or missing is refused; nothing is left" {
	made 30 40
	vsim-run -t 0.4 -o run x.vec.h5
	s=run/shard-00000.shard.h5
	size=$(stat -c %s "$s")
	cp "$s" whole
	truncate -s $((size - 1)) "$s"
	refuses 3 "$s" vsim-merge -o e.res.h5 run
	for at in 3 20 60 700 $((size / 2)) $((size - 9)); do
		cp whole "$s"
		flip "$s" "$at" 3
		refuses 3 "$s" vsim-merge -o e.res.h5 run
	done
	mkdir empty
	refuses 3 'empty: contains no shards' vsim-merge -o e.res.h5 empty
	refuses 3 'nothing.here' vsim-merge -o e.res.h5 nothing.here
	echo text >"$s"
	refuses 3 "$s" vsim-merge -o e.res.h5 run
	gone e.res.h5
}

# lie CHANGE REGEX [HOW]: a shard that was changed and sealed again is refused; its
# sum is as before, or made to fit
lie() {
	cp whole "$s"
	"$PYTHON" "$TOP/tests/cli/forge.py" "$s" "$1" ${3-keep-sum}
	refuses 3 "$2" vsim-merge -o e.res.h5 run
}

# bats test_tags=long
@test "merge: a sealed shard that does not fit itself is refused" {
	made 30 40 missing
	vsim-run -t 0.4 --tile 8 --codec none -o run x.vec.h5
	s=run/shard-00000.shard.h5
	cp $s whole
	"$PYTHON" "$TOP/tests/cli/forge.py" $s '' keep-sum
	quietly vsim-merge -o e.res.h5 run
	rm e.res.h5
	lie 'f["tiles/evaluated"][3] += 4' "$s: /tiles: row 3: .* values evaluated"
	lie 'f["tiles/bi"][1] = f["tiles/bi"][0]; f["tiles/bj"][1] = f["tiles/bj"][0]' \
		"(tile .* is in $s and $s|values evaluated)"
	lie 'f["tiles/bj"][2] = 99' "blocks 0 to 3 expected, tile 0 99 found"
	lie 'f["tiles/bi"][2] = -1' "blocks 0 to 3 expected, tile -1 [0-9] found"
	lie 'f["tiles/first"][5] += 1' "$s"
	lie 'f["tiles/sum0"][5] ^= np.uint64(1)' 'of another sum'
	lie 'f["records"].attrs["records_sum"] = f["records"].attrs["records_sum"] + 1' \
		'of another sum'
	lie 'f["records/value"][7] = 0.5' 'do not have the sum'
	lie 'f["records/num"][7] += 1' 'do not have the sum'
	lie 'f["records/nvalid"][7] -= 1' 'do not have the sum'
	lie 'f["records/cell"][7] ^= 1' '(do not have the sum|comes twice)'
	lie 'f["records/j"][7] = 1000' "$s"
	lie 'f["records"].attrs["source_sum"] = f["records"].attrs["source_sum"] + 1' \
		'as in the source'
	lie 'f["run"].attrs["n_blocks"] = 5' "$s"
	# with sums that fit: values that do not pass, records of other tiles
	lie 'f["records/value"][7] = 0.4; sum_tiles()' \
		"$s: /records: row 7 .* 0.4, which does not pass the threshold 0.4" ''
	lie 'f["records/value"][7] = np.nan; sum_tiles()' 'row 7 has a value that cannot be' ''
	lie 't = f["tiles/sum0"]; t[2], t[3] = t[3], t[2]' \
		"$s: is damaged: the records of tile .* do not have the sum" ''
	lie 't = f["tiles"]; t["count"][0] -= 1; t["first"][1] -= 1; t["count"][1] += 1; sum_tiles()' \
		"$s: /records: row .* do not belong to tile" ''
	gone e.res.h5
}

@test "merge: an output that exists stays, without -f and when merging fails" {
	made 30 40
	vsim-run -t 0.4 --tile 8 -o run x.vec.h5
	echo precious >e.res.h5
	refuses 2 'e.res.h5: exists already; -f' vsim-merge -o e.res.h5 run
	vsim-run -t 0.5 --tile 8 -o higher x.vec.h5
	refuses 3 threshold vsim-merge -f -o e.res.h5 run higher
	[ "$(cat e.res.h5)" = precious ]
	s=run/shard-00000.shard.h5
	refuses 2 'is input and output' vsim-merge -f -o "$s" run
	vsim-verify run
	quietly vsim-merge -f -o e.res.h5 run
	refuses 4 'x.tsv/e.res.h5' vsim-merge -o x.tsv/e.res.h5 run
	refuses 3 'nothing' vsim-merge -o new/er/e.res.h5 nothing
	gone new
	quietly vsim-merge -o new/er/e.res.h5 run
	cmp <(vsim-view new/er/e.res.h5) <(vsim-view e.res.h5)
	mkdir dir
	refuses 2 'dir: is not a regular file' vsim-merge -f -o dir run
	gone
}

@test "merge: a full disk is one line, and nothing is left on it" {
	made 200 40
	vsim-run -t 0.1 -o run x.vec.h5
	small_disk disk 200k
	refuses 4 'No space left' vsim-merge -o disk/e.res.h5 run
	refuses 4 'No space left' vsim-merge --memory 64K -o disk/e.res.h5 run
	[ -z "$(ls -A disk)" ]
}

@test "merge: killed by a signal, nothing is left" {
	made 200 40
	vsim-run -t 0.1 -o run x.vec.h5
	for wait in 0.01 0.02 0.04 0.08; do
		vsim-merge --memory 64K -o e.res.h5 run &
		pid=$!
		sleep $wait
		kill -TERM $pid || break
		wait $pid || true
		gone
		rm -f e.res.h5
	done
}

@test "merge: a moved vectors file is found, or requested" {
	made 30 40
	mkdir d
	cp x.vec.h5 d
	(cd d && vsim-run -t 0.4 -o run x.vec.h5)
	# a moved project
	mv d e
	quietly vsim-merge -o a.res.h5 e/run
	mv e/x.vec.h5 far.vec.h5
	refuses 3 'x.vec.h5 not found; use --vectors FILE, or go on' \
		vsim-merge -o b.res.h5 e/run
	refuses 3 '--vectors' vsim-merge --unpermute --no-nodes -o b.res.h5 e/run
	gone b.res.h5
	quietly vsim-merge --vectors far.vec.h5 -o b.res.h5 e/run
	quietly vsim-merge --no-nodes -o c.res.h5 e/run
	[ "$(content a.res.h5)" = "$(content b.res.h5)" ]
	[ "$(content a.res.h5)" = "$(content c.res.h5)" ]
	quietly vsim-verify c.res.h5
	vsim-pack --tsv x.tsv --label given -o y.vec.h5
	refuses 3 'y.vec.h5: is not the vectors file of' \
		vsim-merge --vectors y.vec.h5 -o d.res.h5 e/run
	gone d.res.h5
}

@test "merge: the steps that led to it are in the result" {
	made 20 30
	vsim-run -t 0.4 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	[ "$(vsim-view -H e.res.h5 | sed -n 's/^#step[0-9]*_tool: //p' | xargs)" \
		= "vsim-pack vsim-run vsim-merge" ]
	vsim-view -H e.res.h5 | grep -q \
		'^#step3_command: vsim-merge -o e.res.h5 run$'
}

@test "merge: wrong usage" {
	refuses 2 '--output is required' vsim-merge run
	refuses 2 'not one of zstd' vsim-merge --codec gzip -o x run
	refuses 2 'not a size' vsim-merge --memory much -o x run
	made 20 30
	vsim-run -t 0.4 -o run x.vec.h5
	refuses 2 'deflate has 1 to 9' vsim-merge --level 12 -o e.res.h5 run
	gone e.res.h5
}

# bats test_tags=install
@test "run: --merge writes what vsim-merge writes, and checks that before" {
	made 50 60 missing
	quietly vsim-run -t 0.4 -o run --merge one.res.h5 x.vec.h5
	vsim-merge -o two.res.h5 run
	[ "$(content one.res.h5)" = "$(content two.res.h5)" ]
	refuses 2 'one.res.h5: .*exists' \
		vsim-run -t 0.4 -o again --merge one.res.h5 x.vec.h5
	[ ! -e again ]
	vsim-run -f -t 0.5 -o run --merge one.res.h5 x.vec.h5
	"$PYTHON" "$ORACLE" check x.vec.h5 0.5 one.res.h5
	refuses 2 '--stage' vsim-run -t 0.4 --stage 1/2 -o half \
		--merge half.res.h5 x.vec.h5
	requires mpi 2
	ranks 2 vsim-run -t 0.4 --tile 8 -o ranks --merge three.res.h5 x.vec.h5
	[ "$(content three.res.h5)" = "$(content two.res.h5)" ]
}

@test "run: --resume accepts the merged result of its run and no other" {
	made 50 60 missing
	set -- vsim-run -t 0.4 -o run --merge one.res.h5 x.vec.h5
	"$@"
	cp -p one.res.h5 kept
	# as after a kill between its renaming and the end
	run --separate-stderr "$@" --resume -v
	[ "$status" = 0 ] && [[ $stderr == *"one.res.h5 already exists"* ]]
	[ kept -ef one.res.h5 ] || cmp kept one.res.h5
	[ ! one.res.h5 -nt kept ]
	# the same pairs of another run, some of them, and no result
	vsim-run -t 0.4 -o other --merge other.res.h5 x.vec.h5
	vsim-threshold --above 0.5 -o some.res.h5 one.res.h5
	local f
	for f in other.res.h5 some.res.h5 x.vec.h5 run/run.yaml; do
		cp "$f" one.res.h5
		refuses 2 'one.res.h5: .*exists' "$@" --resume
		cmp "$f" one.res.h5
	done
	# where some was left to do it is not of the whole
	cp kept one.res.h5
	rm run/complete.yaml run/*.shard.h5
	refuses 2 'one.res.h5: .*exists' "$@" --resume
}

@test "run: where --merge fails the run is complete" {
	made 200 40
	small_disk disk 200k
	refuses 4 'disk/e.res.h5: .*No space left' vsim-run -t 0.1 -o run \
		--merge disk/e.res.h5 x.vec.h5
	[ -z "$(ls -A disk)" ]
	[ -e run/complete.yaml ]
	quietly vsim-run --resume -t 0.1 -o run --merge e.res.h5 x.vec.h5
	"$PYTHON" "$ORACLE" check x.vec.h5 0.1 e.res.h5
}

# bats test_tags=long
@test "merge: --part: the concatenated parts are the whole result" {
	made 70 60 missing
	vsim-run -t 0.4 --tile 8 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	for n in 1 2 5 14; do
		: >parts
		rm -f p.*.res.h5
		for k in $(seq $n); do
			quietly vsim-merge --part "$k/$n" -o "p.$k.res.h5" run
			quietly vsim-verify "p.$k.res.h5"
			vsim-view -H "p.$k.res.h5" | grep -qx "#part: $k/$n"
			vsim-view --no-header -c i,j,cell,num,n,value \
				"p.$k.res.h5" >>parts
		done
		vsim-view --no-header -c i,j,cell,num,n,value e.res.h5 |
			cmp - parts
		"$PYTHON" - <<-'END'
			import glob, h5py, numpy as np
			whole = h5py.File("e.res.h5")
			parts = [h5py.File(x) for x in glob.glob("p.*.res.h5")]
			sums = [p["records"].attrs["records_sum"] for p in parts]
			assert (sum(sums) == whole["records"].attrs["records_sum"]).all()
			n = [len(p["records/i"]) for p in parts]
			assert sum(n) == len(whole["records/i"])
			if len(n) < 6:
			    assert max(n) < 1.3 * sum(n) / len(n)
		END
	done
	# in the order of the source too
	vsim-permute --order random --seed 2 -o y.vec.h5 x.vec.h5
	vsim-run -t 0.4 --tile 8 -o turned y.vec.h5
	: >parts
	for k in 1 2 3; do
		vsim-merge --unpermute --part $k/3 -o p.res.h5 -f turned
		vsim-view --no-header -c i,j,cell,num,n,value p.res.h5 >>parts
	done
	vsim-merge --unpermute -o e.res.h5 -f turned
	vsim-view --no-header -c i,j,cell,num,n,value e.res.h5 | cmp - parts
	refuses 4 'z.res.h5: a part is sorted in memory, .* 32M at least' \
		vsim-merge --part 1/2 --memory 16M -o z.res.h5 run
	vsim-merge --part 1/2 --memory 32M -o z.res.h5 run
	rm z.res.h5
	refuses 2 '--part 0/2: expected K/N' vsim-merge --part 0/2 -o z.res.h5 run
	refuses 2 '--part 3/2: expected K/N' vsim-merge --part 3/2 -o z.res.h5 run
	refuses 2 '--partial cannot be combined with --part' vsim-merge --part 1/2 --partial \
		-o z.res.h5 run
	gone z.res.h5
}

# bats test_tags=long
@test "merge: a launcher that starts several of a program that is one is refused" {
	requires mpi 3
	local cmd
	printf 'id\ta\tb\nv\t0\t1\nw\t0\t1\n' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	vsim-run -t -1 -o one --merge e.res.h5 x.vec.h5
	for cmd in "pack --tsv x.tsv -o o.vec.h5" \
		"threshold --above 0 -o o.res.h5 e.res.h5" \
		"permute --order random -o o.vec.h5 x.vec.h5" \
		"view x.vec.h5" "verify x.vec.h5"; do
		# shellcheck disable=SC2086
		run --separate-stderr ranks 3 vsim-$cmd
		[ "$status" = 2 ] && [ -z "$output" ] && [ "$(grep -c ^vsim- <<<"$stderr")" = 1 ] &&
			[[ $stderr == *'started 3 processes, and each would do all of the work'* ]] ||
			complain "$cmd: $status $stderr"
	done
	gone o.res.h5 o.vec.h5
	[[ $(probed H5_CFLAGS) == *mpi* ]] ||
		refuses 2 'each would do all of the work.*--part; ranks write one file together if' \
			ranks 3 vsim-merge -o o.res.h5 one
	# a shell in between may give each its own part, and so may several commands
	ranks 2 bash -c 'vsim-merge -o $0.$$.res.h5 \
		--part $((${OMPI_COMM_WORLD_RANK-$PMI_RANK} + 1))/2 one' part
	vsim-verify part.*.res.h5
	ranks 1 vsim-view -H x.vec.h5 : -n 1 vsim-view -H x.vec.h5 >two
	[ "$(grep -c ^#uuid two)" = 2 ] || complain "$(cat two)"
}
