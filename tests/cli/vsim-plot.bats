# SPDX-License-Identifier: BSD-3-Clause
# vsim-plot: pictures say what the records say
load ../helpers
load plot

# bats test_tags=long
@test "plot: each kind draws the picture that was looked at" {
	requires python networkx scipy
	result r2 0.1
	golden ld -r 20:1-1200000 r2.res.h5
	golden decay r2.res.h5
	golden degree r2.res.h5
	golden histogram r2.res.h5
	golden network --top 40 r2.res.h5
	study
	golden manhattan inter.res.h5
	printf 'id\ta\tb\tc\td\nw\t1\t2\t0\t9\nx\t2\t2\t5\t8\ny\t0\t3\t1\t7\nz\t9\t1\t0\t0\n' |
		vsim-pack --matrix - -o m.vec.h5
	golden heatmap m.vec.h5
	vsim-pack --synthetic random --vectors 300 --fields 40 -o s.vec.h5
	SOURCE_DATE_EPOCH=1000000000 vsim-run -j 1 -t 0.4 --tile 40 -o srun s.vec.h5
	take_a_second srun/*.shard.h5
	golden progress srun
	# a picture with another one's values is not the same
	result r2 0.6
	plot ld -r 20:1-1200000 --width 4 --dpi 50 -o other.png r2.res.h5
	run ! picture compare other.png "$TOP/tests/data/plot/ld.png" 0.02
}

# bats test_tags=long
@test "ld: cells are the pairs, in colours of a scale that is always the same" {
	result r2 0.1
	plot ld -r 20:1-1150000 -o ld.svg r2.res.h5
	vsim-view --no-header -r 20:1-1150000 --both -c id1,id2,value r2.res.h5 |
		awk '{ printf "%s, %s: %.6g\n", $1, $2, $3 }' | sort >want
	[ "$(wc -l <want)" -gt 20 ]
	picture shapes cells ld.svg >cells
	cut -d ' ' -f 2- cells | sort | diff - want
	# the stronger the darker, by the luminance of their colours
	"$PYTHON" - cells <<-'PY'
	import sys
	import numpy as np
	rows = [(float(x.split()[-1]), x[:7]) for x in open(sys.argv[1])]
	light = [np.dot([int(c[k:k + 2], 16) for k in (1, 3, 5)], [.21, .72, .07])
	         for _, c in sorted(rows)]
	assert (np.diff(light) <= 1e-9).all() and light[0] > 2 * light[-1]
	PY
	strongest=$(grep ': 1$' cells | head -n 1 | cut -c 1-7)
	# every variant of the region is named, with a record or without
	n=$(vsim-view --no-header -r 20:1-1150000 -c id "$BATS_FILE_TMPDIR/x.vec.h5" | wc -l)
	picture texts ld.svg >texts
	grep -qF "Linkage disequilibrium (r²), $n variants, chr20:1.00–1.15 Mb" texts
	diff <(vsim-view --no-header -r 20:1-1150000 -c id "$BATS_FILE_TMPDIR/x.vec.h5") \
		<(grep '^rs' texts | head -n "$n")
	# the same values have the same colours among others
	result r2 0.9
	plot ld -r 20:1-1150000 -o strong.svg r2.res.h5
	[ "$(picture shapes cells strong.svg | grep ': 1$' | head -n 1 | cut -c 1-7)" = \
		"$strongest" ]
	# without the vectors file it says so
	cp r2.res.h5 alone.res.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" alone.res.h5 \
		"f['run'].attrs['vectors_path'] = np.bytes_('gone.vec.h5')"
	plot ld -r 20:1-1150000 -o alone.svg alone.res.h5
	picture texts alone.svg | grep -q 'variants without a record are not shown'
}

# bats test_tags=long
@test "ld: many variants are an image, a pixel for each pair or for neighbours" {
	result r2 0.1
	plot ld -o ld.svg r2.res.h5
	n=$(vsim-view --no-header "$BATS_FILE_TMPDIR/x.vec.h5" | wc -l)
	picture pixels cells ld.svg >image
	# 7 inches at 150 dpi have room for 525 cells of 2 pixels
	[ "$(head -n 1 image)" = '525 525' ]
	grep -qF "$(picture texts ld.svg | grep -o 'a cell is 2 × 2 variants, strongest value')" \
		<(picture texts ld.svg)
	vsim-view --no-header -c i,j r2.res.h5 | awk -v n="$n" '
		{ seen[int($1 * 525 / n) " " int($2 * 525 / n)] }
		END { print length(seen) }' >want
	[ "$(tail -n +2 image | awk '{ n += $2 } END { print n }')" = "$(cat want)" ]
	# the strongest of each cell: those of a value of 1 have its colour
	vsim-view --no-header -c i,j,value r2.res.h5 | awk -v n="$n" '$3 == 1 {
		seen[int($1 * 525 / n) " " int($2 * 525 / n)] }
		END { print length(seen) }' >want
	[ "$(sed -n 's/^#6b0018 //p' image)" -ge "$(cat want)" ]
	plot ld --cell mean -o mean.svg r2.res.h5
	[ "$(picture pixels cells mean.svg | sed -n 's/^#6b0018 //p')" -lt "$(cat want)" ]
	plot ld --shape square -o square.svg r2.res.h5
	picture texts square.svg | grep -q 'position on chromosome 20 (Mb)'
	# both halves
	[ "$(picture pixels cells square.svg | tail -n +2 | awk '{ n += $2 }
		END { print n }')" -ge "$(tail -n +2 image | awk '{ n += $2 } END { print 2 * n - 525 }')" ]
}

# bats test_tags=long
@test "ld: genes, blocks, values, palettes, themes" {
	result r2 0.1
	printf '20\tx\tgene\t1050000\t1100000\t.\t+\t.\tID=g1;Name=ABC<1>\n' >g.gff
	printf '20\tx\texon\t1050000\t1100000\t.\t+\t.\tName=no\n21\tx\tgene\t1\t2000000\t.\t+\t.\tName=no\n' >>g.gff
	printf '20\t1000000\t1060000\tb\n' >b.bed
	plot ld -r 20:1-1150000 --genes g.gff --blocks b.bed -o a.svg r2.res.h5
	picture texts a.svg >texts
	grep -qx 'ABC<1> →' texts
	! grep -qx 'no.*' texts
	[ "$(picture shapes blocks a.svg | wc -l)" = 1 ]
	plot ld -r 20:1-1150000 --blocks 0.1 -o b.svg r2.res.h5
	[ "$(picture shapes blocks b.svg | wc -l)" -ge 1 ]
	plot ld -r 20:1-1040000 -o few.svg r2.res.h5
	[ "$(grep -c 'id="value"' few.svg)" = "$(picture shapes cells few.svg | wc -l)" ]
	plot ld -r 20:1-1150000 --palette grey --theme dark --title 'My <title>' \
		-o c.svg r2.res.h5
	picture texts c.svg | grep -qx 'My <title>'
	picture shapes cells c.svg | awk '{ r = substr($1, 2, 2)
		if (r != substr($1, 4, 2)) exit 1 }'
	plot ld -r 20:1-1150000 --palette viridis -o v.svg r2.res.h5
	[ "$(picture shapes cells v.svg | grep ': 1$' | cut -c 1-7 | sort -u)" = '#fde725' ]
	echo 'what is this' >bad.gff
	refuses 3 'bad.gff: line 1: neither GFF, GTF nor BED' \
		plot ld -r 20:1-1150000 --genes bad.gff -o x.svg r2.res.h5
	gone x.svg
}

# bats test_tags=long
@test "decay: mean and quantiles of all pairs of a distance" {
	result r2 0 --max-kb 200
	plot decay -o d.svg r2.res.h5
	picture texts d.svg | grep -qx 'distance (kb)'
	script "$BATS_FILE_TMPDIR/x.vec.h5" <<-'PY'
	import sys
	import numpy as np
	import vsim
	from plot import data, decay
	with vsim.Vectors(sys.argv[1]) as x:
	    g = x[0:len(x)].astype(float)
	    pos = x.group["pos"][...]
	r2 = np.nan_to_num(np.corrcoef(g) ** 2)
	i, j = np.triu_indices(len(pos), 1)
	far = np.abs(pos[i] - pos[j])
	near = far <= 200000
	far, value = far[near], r2[i, j][near]
	source = data.Source("r2.res.h5", {})
	bins = decay.Bins(source)
	for k in range(decay.BINS):
	    here = (far > bins.edges[k]) & (far <= bins.edges[k + 1])
	    assert bins.total[k] == here.sum()
	    assert abs(bins.mean[k] - value[here].mean()) < 1e-9
	    for q, got in zip(decay.QUANTILES, (x[k] for x in bins.quantile)):
	        want = np.sort(value[here])[int(np.ceil(q * here.sum())) - 1]
	        assert np.isnan(got) and want < 1e-9 or abs(got - want) < 1e-9
	PY
}

@test "manhattan: -log10 of the least p of each variant" {
	study
	vsim-view --no-header -c id1,id2,inter_p inter.res.h5 | awk '
		{ for (k = 1; k < 3; k++) if (!($k in p) || $3 < p[$k]) p[$k] = $3 }
		END { for (k in p) print k, -log(p[k]) / log(10) }' |
		sort >want
	plot manhattan -o m.svg inter.res.h5
	for g in dots0 dots1; do
		! grep -q "id=\"$g\"" m.svg || picture shapes $g m.svg
	done | sed 's/^[^ ]* \([^,]*\),.* /\1 /' | sort >got
	[ "$(wc -l <want)" = 80 ] && paste -d ' ' got want | awk '
		$1 != $3 || ($2 - $4) ^ 2 > 1e-8 { print; bad = 1 } END { exit bad }'
	picture texts m.svg >texts
	grep -qx '0.05 / 3,160 tests' texts
	grep -qx 'v3' texts
	grep -q '1 record with p_family ≤ 0.05 (19 permutations)' texts
	result r2 0.5
	refuses 2 'manhattan: r2 has no p-values; vsim-plot degree counts' \
		plot manhattan -o x.svg r2.res.h5
}

@test "degree: records of each variant; those without a position are counted" {
	result ccc 0.6
	vsim-threshold --degrees -o degrees.tsv ccc.res.h5
	plot degree -o d.svg ccc.res.h5
	picture shapes dots0 d.svg | sed 's/^[^ ]* \([^,]*\),.* /\1 /' | sort >got
	tail -n +2 degrees.tsv | awk '$3 { print $2, $3 }' | sort | diff got -
	printf '%s\t%s\t0\t%s\tA\tC\n' 1 a 100 1 b 0 1 c 300 1 d 400 2 e 0 >y.bim
	for k in 1 2 3; do echo "f $k 0 0 0 -9"; done >y.fam
	printf '\x6c\x1b\x01\x0b\x0b\x0b\x0b\x0b' >y.bed
	vsim-pack --bfile y -o y.vec.h5
	vsim-run -m r2 -t 0.5 --merge y.res.h5 -o yrun y.vec.h5
	plot degree y.res.h5 >y.svg
	picture texts y.svg | grep -q '5 variants with a record, 4 pairs at most; 2 without a position left out'
}

@test "network: cliques are one node, triples are joined, clusters of two are few" {
	requires python networkx
	awk 'BEGIN { printf "id"; for (s = 0; s < 9; s++) printf "\ts%d", s
		for (v = 0; v < 42; v++) { printf "\nv%d", v
			for (s = 0; s < 9; s++)
				printf "\t%d", (v < 40 ? s % 3 : s > 4 ? 2 : s > 2) } }' |
		vsim-pack --tsv - -o alike.vec.h5
	vsim-run -m r2 -t 0.9 -o arun --merge alike.res.h5 alike.vec.h5
	plot network -o n.svg alike.res.h5
	picture shapes nodes n.svg | cut -d ' ' -f 2- >nodes
	[ "$(wc -l <nodes)" = 3 ]
	[ "$(head -n 1 nodes | tr ',' '\n' | wc -l)" = 40 ]
	picture texts n.svg | grep -qx 40
	picture texts n.svg | grep -q '42 rows in 2 clusters'
	printf 'id\ta\tb\nx\t1\t2\ny\t2\t2\nz\t3\t1\n' |
		vsim-pack --matrix - -o m.vec.h5
	vsim-run -w 3 -m ps -t 0 -o trun --merge t.res.h5 m.vec.h5
	plot network -o t.svg t.res.h5
	[ "$(picture shapes triples t.svg | wc -l)" = 3 ]
	[ "$(picture shapes nodes t.svg | wc -l)" = 3 ]
	plot degree t.res.h5 >t.svg 2>said || grep -q 'no variant with a record and a position' said
	# the strongest records of up to 40 variants, and the components among them
	result r2 0.1
	plot network --top 40 -o r.svg r2.res.h5
	n=$(picture texts r.svg | sed -n 's/.*; \([0-9]*\) variants in .*/\1/p')
	[ "$n" -le 40 ] && [ "$n" -ge 38 ]
	picture shapes nodes r.svg | cut -d ' ' -f 2- | sed 's/, /\n/g' >names
	[ "$(wc -l <names)" -le "$n" ]
	cp r2.res.h5 forged.res.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" forged.res.h5 \
		"f['run'].attrs['vectors_path'] = np.bytes_('gone.vec.h5')"'
j = f["records/j"]; j[0] = min(set(range(f["records/i"][0] + 1, 999)) - set(f["nodes/vector"][:]))'
	refuses 3 '/nodes: a variant of a record is not listed' \
		plot network -o no.svg forged.res.h5
}

@test "histogram: bars are the counts of values; a table's classes are lines" {
	result r2 0.1
	plot histogram -o h.svg r2.res.h5
	vsim-view --no-header -c value r2.res.h5 | awk '
		{ k = int($1 * 50 + 1e-9); n[k > 49 ? 49 : k]++ }
		END { for (k = 0; k < 50; k++) if (n[k])
			printf "%g to %g: %d\n", k / 50, (k + 1) / 50, n[k] }' >want
	sed -n 's/.*<title>\(.* to .*\)<\/title>.*/\1/p' h.svg | tr -d , |
		grep -v ': 0$' | diff - want
	printf 'lo\thi\tALL\tLL\tLH\tHH\tLL+HH\n' >t.tsv
	printf '0.000\t0.001\t10\t1\t2\t7\t3\n0.001\t0.002\t20\t2\t10\t8\t3\n' >>t.tsv
	printf '0.002\t0.003\t0\t0\t0\t0\t4\n0.003\t0.004\t5\t5\t0\t0\t1\n' >>t.tsv
	plot histogram -o t.svg t.tsv
	sed -n 's/.*<title>\(.* to .*\)<\/title>.*/\1/p' t.svg | diff - <(printf '%s\n' \
		'0 to 0.001: 10' '0.001 to 0.002: 20' '0.002 to 0.003: 0' '0.003 to 0.004: 5')
	picture texts t.svg >texts
	grep -qx HH texts
	! grep -q 'LL+HH' texts
	grep -qx 'Distribution of 35 values' texts
	diff t.svg <(plot histogram - <t.tsv)
	# what vsim-run writes: bars that have all values
	result ccc 0.7 --metric-histogram values.tsv
	plot histogram -o v.svg values.tsv
	[ "$(sed -n 's/.*<title>.* to .*: \(.*\)<\/title>.*/\1/p' v.svg | tr -d , |
		awk '{ n += $1 } END { print n }')" = "$(awk 'NR > 1 { n += $3 } END { print n }' values.tsv)" ]
	# an axis that is logarithmic has numbers
	picture texts v.svg >texts
	grep -qx '100\|1,000\|10,000\|100,000' texts && ! grep -q '[{$]' texts
	printf 'a\tb\n' >t.tsv
	refuses 3 't.tsv: neither a result nor a table' plot histogram t.tsv
}

@test "decay: a table of --summary decay, all bins and pairs between chromosomes" {
	printf '%s\n' chr from to n mean q05 q25 q50 q75 q95 | paste -s >t.tsv
	printf '%s\t' all 0 100 4 0.5 0.1 0.2 0.5 0.7 0.9 | sed 's/\t$/\n/' >>t.tsv
	printf '%s\t' all 100 1000 5 0.25 0 0.1 0.2 0.3 0.75 | sed 's/\t$/\n/' >>t.tsv
	printf '%s\t' all 1000 NA 0 NA NA NA NA NA NA | sed 's/\t$/\n/' >>t.tsv
	printf '%s\t' between NA NA 9 0.125 0 0 0.1 0.2 0.3 | sed 's/\t$/\n/' >>t.tsv
	plot decay -o t.svg t.tsv
	picture texts t.svg >texts
	for text in mean median '95 % quantile' 'mean between chromosomes' \
		'Values by distance' '9 pairs on one chromosome'; do
		grep -qx "$text" texts
	done
	diff t.svg <(plot decay - <t.tsv)
	refuses 2 '--region requires a result, which t.tsv is not' plot decay -r 20 t.tsv
	sed 's/0.25/x/' t.tsv >bad.tsv
	refuses 3 "bad.tsv: could not convert string to float: 'x'" plot decay bad.tsv
	printf 'a\tb\n' >bad.tsv
	refuses 3 'bad.tsv: neither a result nor a table' plot decay bad.tsv
	# what vsim-run writes
	result r2 0.1
	vsim-run -f -m r2 --summary decay -o sum --merge s.res.h5 "$BATS_FILE_TMPDIR/x.vec.h5"
	plot decay -o s.svg s.decay.tsv
}

# bats test_tags=long
@test "heatmap: numbers by the order of their trees; similarity of rows" {
	requires python scipy
	printf 'id\ta\tb\tc\nw\t1\t2\t0\nx\t2\t2\t5\ny\t1\t2\t0\nz\t9\t1\t0\n' |
		vsim-pack --matrix - -o m.vec.h5
	plot heatmap -o h.svg m.vec.h5
	picture shapes cells h.svg | cut -d ' ' -f 2- >cells
	[ "$(wc -l <cells)" = 12 ]
	grep -qx 'z, a: 9' cells
	# rows alike are neighbours
	sed 's/,.*//' cells | uniq | xargs | grep -qE 'w y|y w'
	vsim-run -m ps -t 0 -o run --merge ps.res.h5 m.vec.h5
	plot heatmap -o s.svg ps.res.h5
	[ "$(picture shapes cells s.svg | grep -c ': 0\.\|: 1$')" = 12 ]
	result r2 0.1
	refuses 3 'nosuch: No such file' plot heatmap -o nosuch.svg nosuch
	refuses 3 'holds genotypes; heatmap draws numbers' \
		plot heatmap -o x.svg "$BATS_FILE_TMPDIR/x.vec.h5"
}

# resumed: prun was stopped on two ranks after some tiles, and an hour later resumed
# by the first; as it states, each of its tiles took a second, and no other time
resumed() {
	vsim-pack --synthetic random --vectors 300 --fields 40 -o x.vec.h5
	SOURCE_DATE_EPOCH=1000000000 ranks 2 vsim-run -j 1 -t 0.4 --tile 40 \
		--max-records 8000 -o prun x.vec.h5 2>/dev/null || [ $? = 4 ]
	SOURCE_DATE_EPOCH=1000003600 vsim-run -j 1 -t 0.4 --tile 40 \
		--resume -o prun x.vec.h5
	take_a_second prun/*.shard.h5
}

# tiles FILE
tiles() {
	vsim-view -H "$1" | sed -n 's/^#n_tiles: //p'
}

# bats test_tags=long
@test "progress: ranks, a run that was resumed, and stages" {
	local a b
	requires mpi 2
	resumed
	a=$(tiles prun/shard-00000.shard.h5)
	b=$(tiles prun/shard-00001.shard.h5)
	[ $((a + b)) = 36 ]
	plot progress -o p.svg prun
	picture texts p.svg >texts
	grep -q "^36 of 36 tiles, " texts
	grep -q "^CCC > 0.4; .*; 2 ranks, 2 shards, $((a + b)) seconds of work" texts
	[ "$(grep -cx resumed texts)" = 1 ]
	grep -qx 'rank 1' texts
	# that of the first rank, from when it was resumed, and of the other one
	script $a $b <<-'PY'
	import sys
	import numpy as np
	from plot import progress
	a, b = map(int, sys.argv[1:])
	shards, starts = progress.timed("prun")
	assert starts == [0, b], starts
	assert [(s.begin, s.end) for s in shards] == [(b, b + a), (0, b)]
	assert shards[0].n_all == 36
	for s in shards:
	    assert np.allclose(np.diff(s.times()), 1)
	PY
	# of stages, without records, and while there is none
	vsim-run -t 0.9 --allow-empty --tile 40 --stage 1/3 -o stages x.vec.h5
	plot progress stages >s.svg
	picture texts s.svg | grep -qE '^[0-9]+ of 36 tiles, 0 records'
	vsim-run -t 0.9 --allow-empty --tile 40 --stage 2/3 --resume -o stages x.vec.h5
	plot progress stages >s.svg
	picture texts s.svg | grep -qx 'stage 1'
	rm -r prun/*.shard.h5
	refuses 3 'prun: has no sealed shard' plot progress prun
	vsim-merge -o e.res.h5 --partial stages 2>/dev/null
	refuses 3 'e.res.h5: is a merged result' plot progress e.res.h5
}

# bats test_tags=long
@test "plot: hostile ids stay text, in pictures and in a report" {
	requires python networkx
	long_ids
	for kind in ld degree network; do
		plot $kind -o $kind.svg e.res.h5
		picture texts $kind.svg >texts
		grep -qF '<script>alert(1)</sc' texts || complain "$kind"
		! grep -q '<script' $kind.svg
	done
	picture texts ld.svg | grep -qx b_
	plot report -o r.html e.res.h5
	[ "$(grep -c '<script' r.html)" = 1 ]
	grep -qF '&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;$x^2$' r.html
}

# bats test_tags=long
@test "plot: SVG, PDF and PNG by the name; the same bytes each time" {
	long_ids
	plot histogram -o e.svg e.res.h5
	diff e.svg <(plot histogram e.res.h5)
	plot histogram -o e.pdf e.res.h5
	[ "$(head -c 5 e.pdf)" = %PDF- ]
	plot histogram -o e.png --width 5 --height 2 --dpi 40 e.res.h5
	[ "$(od -An -tx1 -j 16 -N 8 e.png | xargs)" = '00 00 00 c8 00 00 00 50' ]
	echo kept >e.svg
	refuses 2 'e.svg: exists' plot histogram -o e.svg e.res.h5
	[ "$(cat e.svg)" = kept ]
	plot histogram -f -o e.svg e.res.h5
	grep -q '<svg' e.svg
	refuses 2 'must end in .svg, .pdf or .png' plot histogram -o e.jpg e.res.h5
	refuses 2 'a report is HTML' plot report -o e.svg -f e.res.h5
	refuses 2 'no such kind of picture; one of ld' plot pie e.res.h5
	refuses 2 'not one of triangle' plot ld --shape round e.res.h5
	refuses 2 'did you mean --palette' plot ld --palete heat e.res.h5
	refuses 2 'requires an argument' plot ld e.res.h5 --title
	refuses 2 'not within 20 to 2400' plot ld --dpi 5 e.res.h5
	refuses 3 'absent.res.h5: No such file' plot ld absent.res.h5
	refuses 3 'e.png: is not a vsim file' plot ld e.png
	refuses 3 'no variant on chromosome 7' plot ld -r 7 e.res.h5
	refuses 3 'no variant nobody' plot ld -i nobody e.res.h5
	refuses 4 'No such file' plot histogram -o nowhere/e.svg e.res.h5
	cp e.res.h5 cut.res.h5
	truncate -s -100 cut.res.h5
	refuses 3 'cut.res.h5: is cut short: has .* bytes' plot histogram -o cut.svg cut.res.h5
	gone cut.svg
}

# says "KIND FILE" WORDS...: vsim-plot refuses each file by these words, exit 3 and
# one line; by one interpreter for all, and makes no picture
says() {
	PATH=$VSIM_BUILD:$PATH script "$@" <<-'PY'
	import contextlib, io, os, re, sys
	from plot import command
	for asked, want in zip(sys.argv[1::2], sys.argv[2::2]):
	    kind, path = asked.split()
	    out = "y.html" if kind == "report" else "y.svg"
	    said = io.StringIO()
	    with contextlib.redirect_stderr(said):
	        code = command.main([kind, "-o", out, path], "0")
	    lines = said.getvalue().splitlines()
	    good = code == 3 and len(lines) == 1 and re.match("vsim-plot: " + want, lines[0])
	    assert good and not os.path.exists(out), (asked, want, code, lines)
	PY
}

# bats test_tags=long
@test "plot: a file that is damaged or forged is named, and no picture is made of it" {
	requires python networkx
	long_ids
	local at asked=()
	for at in 40 60 700 "$(($(stat -c %s e.res.h5) / 2))" "$(($(stat -c %s e.res.h5) - 1))"; do
		"$PYTHON" -c 'import sys
x = bytearray(open("e.res.h5", "rb").read()); x[int(sys.argv[1])] ^= 4
open(f"bad{sys.argv[1]}.h5", "wb").write(x)' "$at"
		asked+=("histogram bad$at.h5" "bad$at.h5: is damaged: .*; restore it or recreate it")
	done
	tail -c +513 e.res.h5 >copy.h5
	: >empty.h5
	forge() {
		cp e.res.h5 "$1.h5"
		"$PYTHON" "$TOP/tests/cli/forge.py" "$1.h5" "$2"
	}
	forge nan "put('records/value', np.array([np.nan]))"
	forge far "f['records/j'][0] = 9"
	forge command "put('provenance/command', f['provenance/command'][:0])"
	for kind in ld degree network histogram; do
		asked+=("$kind nan.h5" 'nan.h5: /records/value: row 0: nan; recreate the file')
	done
	says "${asked[@]}" \
		'degree copy.h5' 'copy.h5: is HDF5 but has no vsim seal' \
		'ld empty.h5' 'empty.h5: is empty' \
		'degree l.vec.h5' 'l.vec.h5: is not a result of vsim; vsim-run --merge makes' \
		'histogram lrun' 'lrun: is a directory; vsim-merge' \
		'degree far.h5' 'far.h5: /nodes: a variant of a record is not listed'
	# what no check has foreseen is one line, too
	says 'report command.h5' 'cannot draw this \(\w*.py:[0-9]*: .*\); vsim-verify' ||
		says 'report command.h5' 'command.h5: /provenance/.*; recreate the file'
	# without vsim-view nothing is believed
	PATH=/usr/bin:/bin refuses 4 'vsim-view is neither next to vsim-plot nor on PATH' \
		script <<-'PY'
	from plot import command
	sys.exit(command.main(["degree", "-o", "y.svg", "e.res.h5"], "0"))
	PY
}

# bats test_tags=long
@test "plot: nothing to draw, or one variant, is said by each kind in a line" {
	requires python networkx scipy
	printf '1\ta\t0\t100\tA\tC\n' >one.bim
	printf '1\ta\t0\t100\tA\tC\n1\tb\t0\t200\tA\tC\n' >two.bim
	printf 'f %s 0 0 0 %s\n' 1 1 2 2 3 1 4 2 | tee one.fam >two.fam
	printf '\x6c\x1b\x01\x8b' >one.bed
	printf '\x6c\x1b\x01\x8b\x2b' >two.bed
	for x in one two; do
		vsim-pack --bfile $x -o $x.vec.h5
		vsim-run -f -m inter -t 9999 --allow-empty -o run --merge $x.res.h5 $x.vec.h5
	done
	local asked=()
	for x in one two; do
		for kind in manhattan degree; do
			asked+=("$kind $x.res.h5" "$x.res.h5: no variant with a record and a position")
		done
		for kind in network histogram heatmap; do
			asked+=("$kind $x.res.h5" "$x.res.h5: no record to draw")
		done
	done
	says "${asked[@]}"
	run -0 --separate-stderr plot ld one.res.h5
	[ -z "$stderr" ]
}

# bats test_tags=long
@test "plot: a full disk, a closed pipe and a signal leave what was there" {
	long_ids
	echo kept >e.svg
	# a file of 1 KiB is the most that may be written
	refuses 4 'e.svg: File too large' bash -c 'trap "" XFSZ
		ulimit -f 1; exec "$@"' - "$PYTHON" "$VSIM_BUILD/vsim-plot" histogram -f -o e.svg \
		e.res.h5
	[ "$(cat e.svg)" = kept ]
	refuses 4 'stdout: No space left on device' \
		bash -c '"$@" >/dev/full' - "$PYTHON" "$VSIM_BUILD/vsim-plot" histogram e.res.h5
	run -0 bash -o pipefail -c '"$@" | head -c 5' - "$PYTHON" "$VSIM_BUILD/vsim-plot" \
		histogram e.res.h5
	[ "$output" = '<?xml' ]
	# a pipe and a device stay what they are
	mkfifo p.svg
	timeout 60 cat p.svg >got &
	plot histogram -f -o p.svg e.res.h5
	wait
	[ -p p.svg ] && grep -q '</svg>' got
	# a signal while the file is written waits for it
	cat >slow.py <<-'PY'
	import os, signal, sys
	from plot import command
	fsync = os.fsync
	def counted(number):
	    os.kill(os.getpid(), int(sys.argv[1]))
	    fsync(number)
	os.fsync = counted
	for number in signal.SIGHUP, signal.SIGINT:
	    signal.signal(number, signal.SIG_DFL) # nohup and shells ignore them
	command.write("e.svg", b"new")
	PY
	for number in 1 2 15; do
		echo kept >e.svg
		run -$((128 + number)) script $number <slow.py
		[ "$(cat e.svg)" = new ]
		run ! compgen -G 'e.svg.*'
	done
	mkdir d.svg
	refuses 4 'd.svg: Is a directory' plot histogram -f -o d.svg e.res.h5
}

# bats test_tags=long
@test "plot: records are read a part at a time, whatever the parts" {
	requires python networkx scipy
	result ccc 0.6
	cp ccc.res.h5 c.res.h5
	study
	cat >parts.py <<-'PY'
	import sys
	import numpy as np
	from plot import data, decay, degree, heatmap, histogram, ld, manhattan, network
	from plot import strongest
	def cells(s, most, least=None):
	    c = ld.Cells(s, np.flatnonzero(s.keep), most, least)
	    ld.fill(s, [c])
	    return c
	def drawn(path, kind, **options):
	    s = data.Source(path, options)
	    if kind == "ld":
	        c = cells(s, options.get("most", 1 << 20), 0.65)
	        seen = [c.n_record, c.n_between, c.furthest, *c.value_range, c.strong.sum()]
	        return np.concatenate([c.matrix.ravel(), c.strong.ravel(), seen])
	    if kind == "decay":
	        b = decay.Bins(s)
	        return np.concatenate([b.edges, b.total, b.mean, *b.quantile])
	    if kind == "heatmap":
	        return heatmap.table_of_result(s)[0].value.ravel()
	    if kind == "report":
	        top = strongest.strongest(s)
	        return np.concatenate([top.end.ravel(), top.value, top.row])
	    if kind == "degree":
	        return degree.degrees(s)
	    if kind == "manhattan":
	        return manhattan.best_p(s)
	    if kind == "histogram":
	        return histogram.bars_of_values(histogram.Range(s.values()), s.values()).counts
	    records, chosen, every = network.strongest_records(s, options.get("top", 40))
	    assert every == (len(chosen) == s.result.n_records), (every, len(chosen))
	    return np.concatenate([records.end[:, chosen].ravel(), records.value[chosen]])
	cases = [("c.res.h5", "degree"), ("c.res.h5", "degree", "20:1-2000000"),
	         ("c.res.h5", "histogram"), ("c.res.h5", "histogram", "20:1-2000000"),
	         ("c.res.h5", "network"), ("inter.res.h5", "manhattan"),
	         ("inter.res.h5", "manhattan", "2"), ("inter.res.h5", "network"),
	         ("c.res.h5", "ld"), ("c.res.h5", "decay"), ("c.res.h5", "heatmap"),
	         ("c.res.h5", "report"), ("inter.res.h5", "ld"), ("inter.res.h5", "report")]
	few = {"cell": "mean", "most": 90}
	def all_of():
	    every = [drawn(c[0], c[1], **({"region": c[2]} if c[2:] else {})) for c in cases]
	    return every + [drawn("c.res.h5", "ld", **few)]
	want = all_of()
	# parts that cut the records of a pair
	r = data.Source("c.res.h5", {}).result.records
	alike = (r["i"][1:] == r["i"][:-1]) & (r["j"][1:] == r["j"][:-1])
	data.BLOCK, network.HELD = int(np.flatnonzero(alike)[5]) + 1, 20
	assert data.BLOCK < len(alike) / 3
	for case, a, b in zip(cases + [few], want, all_of()):
	    # sums in another order round elsewhere; all else is equal
	    same = np.isclose(a, b, rtol=1e-13, atol=0, equal_nan=True)
	    assert same.all() and len(a), case
	# the least p of a variant is that of its records, whatever others are chosen
	on2 = data.Source("inter.res.h5", {"region": "2"}).keep
	assert np.array_equal(want[5][on2], want[6][on2]) and 0 < on2.sum() < len(on2)
	# ends of the pairs, by numpy alone
	s = data.Source("c.res.h5", {})
	i, j = (s.result.records[c][...] for c in "ij")
	pairs = np.unique(np.stack([i, j]), axis=1)
	assert pairs.shape[1] < len(i)
	assert np.array_equal(want[0], np.bincount(s.place[pairs].ravel(), minlength=len(s.sites)))
	x = sys.argv[1]
	with data.opened(data.Result, x) as r:
	    assert "cell" in r.stored
	s = data.Source(x, {"vectors": sys.argv[2]})
	assert np.array_equal(degree.degrees(s), want[0])
	# a shard's records of a pair may lie apart
	c = cells(s, 1 << 20)
	n = len(s.sites)
	assert np.array_equal(c.matrix.ravel(), want[8][:n * n], equal_nan=True)
	# the strongest value of each pair, and the means of neighbours, by numpy alone
	s = data.Source("c.res.h5", {})
	i, j, value = (s.result.records[c][...] for c in ("i", "j", "value"))
	most = np.full((n, n), -1.0)
	np.maximum.at(most, tuple(np.sort([s.place[i], s.place[j]], axis=0)), value)
	assert np.array_equal(np.where(np.isnan(c.matrix), -1, c.matrix), most)
	at = np.arange(n) * 90 // n
	for a, b in ((0, 1), (3, 3), (7, 60), (88, 89)):
	    block = np.maximum(most, 0)[np.ix_(at == a, at == b)]
	    pairs = block.size if a != b else (at == a).sum() * ((at == a).sum() - 1) / 2
	    got = want[-1][:90 * 90].reshape(90, 90)[a, b]
	    assert abs(np.nan_to_num(got) - block.sum() / pairs) < 1e-12, (a, b)
	# as a sort of all has the strongest records, ties and all
	strongest.LOOKED_AT = 700
	top = strongest.strongest(s)
	copies = s.sites.minor[s.place[np.stack([i, j])]].min(0)
	assert np.array_equal(top.row, np.lexsort((np.arange(len(i)), -copies, -value))[:700])
	PY
	vsim-run -f -m ccc -t 0.6 --tile 2000 -o one "$BATS_FILE_TMPDIR/x.vec.h5"
	script one/*.shard.h5 "$BATS_FILE_TMPDIR/x.vec.h5" <parts.py
}

# bats test_tags=long
@test "plot: a package that is missing is named, as is the old option's new command" {
	long_ids
	mkdir -p hidden
	echo 'raise ModuleNotFoundError("no", name="networkx")' >hidden/networkx.py
	PYTHONPATH=$PWD/hidden run -4 vsim-plot network -o n.svg e.res.h5
	[ "$output" = 'vsim-plot: Python has no networkx: apt-get install python3-networkx, or pip install networkx' ]
	refuses 2 'use vsim-plot KIND -o FILE.svg E.res.h5' vsim-view --plot ld e.res.h5
	refuses 2 'use vsim-plot report -o FILE.html E.res.h5' \
		vsim-view --report r.html e.res.h5
	vsim plot histogram -o h.svg e.res.h5
}
