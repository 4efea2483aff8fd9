# SPDX-License-Identifier: BSD-3-Clause
# vsim-view --plot: pictures say what the records say
load ../helpers

picture() {
	"$PYTHON" "$TOP/tests/cli/picture.py" "$@"
}

# result METRIC T [OPTION...]: METRIC.res.h5 of 1,000 SNPs of chromosome 20
result() {
	[ -e "$BATS_FILE_TMPDIR/x.vec.h5" ] || {
		zcat "$TOP/examples/chr20.vcf.gz" |
			awk '/^#/ || (NR % 25 == 0 && ++n <= 1000)' |
			vsim-pack --vcf - -o "$BATS_FILE_TMPDIR/x.vec.h5"
	}
	vsim-run -f -m "$1" -t "$2" "${@:3}" -o run --merge "$1.res.h5" \
		"$BATS_FILE_TMPDIR/x.vec.h5"
}

# close A B: numbers that differ by 1 % at most, pixels' hundredths, line by line
close() {
	diff <(wc -l <"$1") <(wc -l <"$2") || complain "$(paste "$1" "$2")"
	paste -d ' ' "$1" "$2" | awk '{
		for (k = 1; k <= NF / 2; k++) {
			d = $k - $(k + NF / 2)
			if (d * d > 1e-12 + ($k / 100) ^ 2)
				bad = 1
		}
		if (bad) { print; exit 1 } }' || complain "$1 is not $2"
}

# long_ids: e.res.h5 of two sites with long ids that XML has to escape
long_ids() {
	{
		printf '##fileformat=VCFv4.2\n##contig=<ID=20>\n'
		printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
		printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n'
		printf '20\t100\t<one>&"two"_which_is_longer_than_any_label_has_room_for\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\t0/0\t0/1\n'
		printf '20\t900\tb\xff\tG\tT\t.\t.\t.\tGT\t0/1\t1/1\t0/0\t0/1\n'
	} >l.vcf
	vsim-pack --vcf l.vcf -o l.vec.h5
	vsim-run -m r2 -t 0.5 -o lrun --merge e.res.h5 l.vec.h5
}

@test "histogram: bars are the counts of values, by an axis that is logarithmic" {
	result r2 0.1
	vsim-view --plot histogram -o h.svg r2.res.h5
	vsim-view --no-header -c value r2.res.h5 | awk '
		{ n[int($1 * 100 + 1e-12)]++ }
		END { for (k = 0; k <= 100; k++)
			if (n[k]) print k / 100, (k + 1) / 100, n[k] }' >want
	[ "$(wc -l <want)" -gt 50 ]
	picture bars h.svg >bars
	close bars want
	picture shape h.svg >shape
	grep -qx "text: r2 > 0.1 of 1,000 vectors of 300 samples; bars of width 0.01.*" shape
	grep -qxF "text: Distribution of $(vsim-view --no-header r2.res.h5 |
		wc -l | sed 's/...$/,&/') records" shape
	# of one region
	vsim-view --plot histogram -r 20:1-10000000 --both -o part.svg r2.res.h5
	n=$(vsim-view --no-header -r 20:1-10000000 --both r2.res.h5 | wc -l)
	[ "$(picture bars part.svg | awk '{ n += $3 } END { printf "%.0f", n / 10 }')" = \
		"$(awk "BEGIN { printf \"%.0f\", $n / 10 }")" ]
}

@test "histogram: a table of --metric-histogram, its classes as steps" {
	printf 'lo\thi\tALL\tLL\tLH\tHH\tLL+HH\n' >t.tsv
	printf '0.000\t0.001\t10\t1\t2\t7\t3\n0.001\t0.002\t20\t2\t10\t8\t3\n' >>t.tsv
	printf '0.002\t0.003\t0\t0\t0\t0\t4\n0.003\t0.004\t5\t5\t0\t0\t1\n' >>t.tsv
	vsim-view --plot histogram -o t.svg t.tsv
	picture bars t.svg >bars
	printf '%s\n' '0 0.001 10' '0.001 0.002 20' '0.003 0.004 5' >want
	close bars want
	picture steps t.svg | awk '$4' >steps
	printf '%s\n' '0 0 0.001 1' '0 0.001 0.002 2' '0 0.003 0.004 5' \
		'1 0 0.001 2' '1 0.001 0.002 10' '2 0 0.001 7' \
		'2 0.001 0.002 8' >want
	close steps want
	picture shape t.svg >shape
	# bars and three classes; sums of two cells are no values
	grep -qx 'path 4' shape
	grep -qx 'text: HH' shape
	! grep -q 'LL+HH' shape
	grep -qx 'text: Distribution of 35 values' shape
	diff t.svg <(vsim-view --plot histogram - <t.tsv)
	# what vsim-run writes: some 100 bars, that have all values
	result ccc 0.7 --metric-histogram values.tsv
	vsim-view --plot histogram -o v.svg values.tsv
	awk 'NR > 1 && $3 { n[int($1 * 100 + 1e-9)] += $3 }
		END { for (k = 0; k < 200; k++)
			if (n[k]) print k / 100, (k + 1) / 100, n[k] }' values.tsv >want
	picture bars v.svg >bars
	close bars want
}

@test "histogram: no record, one record, and values of any size" {
	result r2 1.5 --allow-empty
	vsim-view --plot histogram -o none.svg r2.res.h5
	picture shape none.svg >shape
	grep -qx 'text: no records' shape
	grep -qx 'text: Distribution of 0 records' shape
	[ -z "$(picture bars none.svg)" ]
	long_ids
	vsim-view --plot histogram -o one.svg e.res.h5
	[ "$(picture bars one.svg)" = '1 1.01 1' ]
	picture shape one.svg | grep -qx 'text: Distribution of 1 record'
}

@test "ld: cells are the values of the pairs, columns their vectors in order" {
	result r2 0.1
	vsim-view --plot ld -r 20:1-1200000 -o ld.svg r2.res.h5
	vsim-view --to matrix -r 20:1-1200000 r2.res.h5 >m.tsv
	awk 'NR > 1 { for (j = NR + 1; j <= NF; j++) if ($j != "NA") {
		level = int(($j - 0) / 1.0 * 10)
		print NR - 2, j - 2, (level > 9 ? 9 : level) } }' m.tsv |
		sort -n -k1,1 -k2,2 >want
	[ "$(wc -l <want)" -gt 20 ]
	picture cells ld.svg | sort -n -k1,1 -k2,2 >cells
	diff cells want || complain "$(head -n 1 m.tsv)"
	picture shape ld.svg >shape
	n=$(($(wc -l <m.tsv) - 1))
	grep -qx "text: r2 of pairs of $n vectors in 20:1-1200000" shape
	grep -qx 'text: chromosome 20 (kb)' shape
	# the names in their order, and a line from each place
	[ "$n" -le 48 ] && diff <(head -n 1 m.tsv | tr '\t' '\n' | tail -n +2) \
		<(grep '^text: rs' shape | cut -c 7-)
	[ "$(grep -o 'class="links".*' ld.svg | tr -cd M | wc -c)" = "$n" ]
	# of four values of a pair the strongest; of k2 the least
	result ccc 0.5
	vsim-view --plot ld -r 20:1-1200000 -o c.svg ccc.res.h5
	[ "$(picture cells c.svg | wc -l)" = "$(vsim-view -r 20:1-1200000 \
		--both --no-header -c i,j ccc.res.h5 | sort -u | wc -l)" ]
	vsim-view -r 20:1-1200000 --both --no-header -c i,j,value ccc.res.h5 >records
	cut -f 1,2 records | tr '\t' '\n' | sort -nu >rows
	awk 'NR == FNR { at[$1] = NR - 1; next }
		{ k = at[$1] " " at[$2] }
		$3 > most[k] { most[k] = $3 }
		END { for (k in most) print k, most[k] }' rows records |
		sort >most
	# a pair that is stronger than another is no lighter
	picture cells c.svg | awk '{ print $1, $2, $3 }' | sort |
		paste -d ' ' most - | sort -g -k3,3 | awk '
		$1 != $4 || $2 != $5 || $6 < last { print; bad = 1 }
		{ last = $6; shades[$6] }
		END { exit bad || length(shades) < 3 }' || complain "$(head most)"
}

@test "ld: more vectors than columns are binned, the darker the more records" {
	result r2 0.1
	vsim-view --plot ld -o ld.svg r2.res.h5
	[ "$(wc -c <ld.svg)" -lt 150000 ]
	# vectors that occur, 160 bins of them
	vsim-view --no-header -c i,j r2.res.h5 | awk '
		{ i[NR] = $1; j[NR] = $2; seen[$1]; seen[$2] }
		END {
			for (v = 0; v < 1000; v++)
				if (v in seen) place[v] = n++
			for (k = 1; k <= NR; k++) {
				a = int(place[i[k]] * 160 / n)
				b = int(place[j[k]] * 160 / n)
				c = ++count[a " " b]
				if (c > most) most = c
			}
			for (cell in count) {
				level = int(log(count[cell]) / log(most) * 10 + 1e-9)
				print cell, (level > 9 ? 9 : level)
			}
		}' | sort -n -k1,1 -k2,2 >want
	picture cells ld.svg | sort -n -k1,1 -k2,2 >cells
	diff cells want
	picture shape ld.svg | grep -qx 'text: records in a cell'
}

@test "ld: a band of near pairs is cut below them, and drawn higher" {
	local most
	result r2 0.1 --max-sites 9
	vsim-view --plot ld -r 20:1-1200000 -o ld.svg r2.res.h5
	vsim-view --no-header -r 20:1-1200000 --both -c i,j r2.res.h5 |
		sort -n >want
	[ "$(picture cells ld.svg | wc -l)" = "$(wc -l <want)" ]
	picture shape ld.svg >shape
	grep -q 'text: .*; no pair further apart$' shape
	# the cells of row 0 and those furthest down are within the outline, which
	# they fill
	most=$(picture cells ld.svg | awk '$2 - $1 > d { d = $2 - $1 } END { print d }')
	sed -n 's/.*class="ends".* d="\([^"]*\)".*/\1/p' ld.svg >ends
	sed -n 's/.*matrix(\(.*\))" shape.*/\1/p' ld.svg | awk -v most="$most" '
		NR == FNR { gsub(/[A-Za-z,]/, " "); low = 0
			for (k = 2; k <= NF; k += 2) if ($k > low) low = $k; next }
		{ down = $6 + (most + 1) * $2; exit !(down < low && down > low - 2 * $2) }
	' ends - || complain "$(cat ends)" "$most"
	# of pairs everywhere none is cut
	result r2 0.01
	vsim-view --plot ld -r 20:1-1200000 -o all.svg r2.res.h5
	picture shape all.svg >shape
	! grep -q 'further apart' shape
}

@test "ld: chromosomes, places that are not known, one vector, none" {
	{
		printf '##fileformat=VCFv4.2\n##contig=<ID=2>\n##contig=<ID=10>\n'
		printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
		printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n'
		for site in '2 900 third' '10 1000 fourth' '2 100 first' \
			'2 300 second' '10 4000000 fifth'; do
			printf '%s\t' $site
			printf 'A\tC\t.\t.\t.\tGT\t0/1\t1/1\t0/0\t0/1\n'
		done
	} >p.vcf
	vsim-pack --vcf p.vcf -o p.vec.h5
	vsim-run -m r2 -t 0.5 -o prun --merge p.res.h5 p.vec.h5
	vsim-view --plot ld -o p.svg p.res.h5
	picture shape p.svg >shape
	grep -E '^text: (first|second|third|fourth|fifth)' shape >names
	[ "$(xargs <names)" = \
		'text: first text: second text: third text: fourth text: fifth' ]
	grep -qx 'text: chromosome 2 (Mb)' shape
	grep -qx 'text: chromosome 10 (Mb)' shape
	[ "$(picture cells p.svg | wc -l)" = 10 ]
	vsim-view --plot ld --id first -o one.svg p.res.h5
	picture shape one.svg | grep -qx 'text: no records'
	vsim-view --plot ld -r 3 -o none.svg p.res.h5
	picture shape none.svg | grep -qx 'text: no vectors'
	# numbers have no place
	printf 'id\ta\tb\nx\t1\t2\ny\t2\t2\nz\t3\t1\n' |
		vsim-pack --matrix - -o m.vec.h5
	vsim-run -m ps -t 0 -o mrun --merge m.res.h5 m.vec.h5
	vsim-view --plot ld -o m.svg m.res.h5
	[ "$(picture cells m.svg | cut -d ' ' -f 1,2 | xargs)" = '0 1 0 2 1 2' ]
	! picture shape m.svg | grep chromosome
	vsim-run -w 3 -m ps -t 0 -o trun --merge t.res.h5 m.vec.h5
	refuses 2 'of triples' vsim-view --plot ld t.res.h5
}

@test "manhattan: dots are the degrees at their positions" {
	result ccc 0.6
	vsim-threshold --degrees -o degrees.tsv ccc.res.h5
	vsim-view --plot manhattan -o m.svg ccc.res.h5
	# position in Mb and degree of each vector
	awk -F '\t' 'NR == FNR { pos[$1] = $2; next } FNR > 1 { print pos[$2] / 1e6, $3 }' \
		<(vsim-view --no-header -c id,pos "$BATS_FILE_TMPDIR/x.vec.h5") \
		degrees.tsv >want
	picture dots m.svg >dots
	[ "$(wc -l <dots)" -gt 100 ]
	# each dot is a vector, but for the pixels' hundredths; few fall together
	awk 'NR == FNR { x[NR] = $1; y[NR] = $2; n = NR; next }
		{ ok = 0
		  for (k = 1; k <= n && !ok; k++)
			ok = ($1 - x[k]) ^ 2 < 1e-4 && ($2 - y[k]) ^ 2 < ($2 / 100) ^ 2
		  if (!ok) { print; bad = 1 } }
		END { exit bad || FNR < 0.7 * n }' want dots
	picture shape m.svg >shape
	most=$(tail -n +2 degrees.tsv | sort -t "$(printf '\t')" -k3,3gr -k1,1g |
		head -n 1)
	grep -qxF "text: $(cut -f 2 <<<"$most")" shape
	grep -q "; $(($(wc -l <degrees.tsv) - 1)) vectors in any $(cut -f 3 <<<"$most") at most" <(tr -d , <shape)
	grep -qx 'text: position on chromosome 20 (Mb)' shape
	! grep -q 'without a position' shape
}

@test "manhattan: vectors without a position are counted" {
	# one of four on a chromosome; the other chromosome has no positions at all
	printf '%s\t%s\t0\t%s\tA\tC\n' 1 a 100 1 b 0 1 c 300 1 d 400 2 e 0 >y.bim
	for k in 1 2 3; do echo "f $k 0 0 0 -9"; done >y.fam
	printf '\x6c\x1b\x01\x0b\x0b\x0b\x0b\x0b' >y.bed
	vsim-pack --bfile y -o y.vec.h5
	vsim-run -m r2 -t 0.5 --merge y.res.h5 -o run y.vec.h5
	vsim-view --plot manhattan y.res.h5 >y.svg
	grep -q '5 vectors in any, 4 at most; 1 without a position, at the ends' y.svg
}

@test "network: the strongest records, their components, one edge a pair" {
	result r2 0.1
	vsim-threshold --top 25 -o top.res.h5 r2.res.h5
	vsim-view --plot network -o n.svg top.res.h5
	vsim-threshold --components -o - top.res.h5 >c.tsv
	[ "$(picture graph n.svg)" = "$(($(wc -l <c.tsv) - 1)) 25 $(tail -n +2 c.tsv |
		awk '!seen[$4]++ { print $5 }' | xargs)" ]
	picture shape n.svg | grep -qx 'text: Clusters of 25 records'
	# of many 150 vectors at most, and all records among them that are as strong
	result ccc 0.5
	vsim-view --plot network -o big.svg ccc.res.h5
	read -r nodes edges _ <<<"$(picture graph big.svg)"
	[ "$nodes" -le 150 ] && [ "$nodes" -ge 148 ] && [ "$edges" -ge 100 ]
	[ "$(wc -c <big.svg)" -lt 200000 ]
	diff big.svg <(vsim-view -j 1 --plot network ccc.res.h5)
	# lines that would hide each other are thin: 40 vectors alike, and two
	awk 'BEGIN { printf "id"; for (s = 0; s < 9; s++) printf "\ts%d", s
		for (v = 0; v < 42; v++) { printf "\nv%d", v
			for (s = 0; s < 9; s++)
				printf "\t%d", (v < 40 ? s % 3 : s > 4 ? 2 : s > 2) } }' |
		vsim-pack --tsv - -o alike.vec.h5
	vsim-run -m r2 -t 0.9 -o arun --merge alike.res.h5 alike.vec.h5
	vsim-view --plot network -o alike.svg alike.res.h5
	[ "$(picture graph alike.svg)" = '42 781 40 2' ]
	[ "$(grep -o 'class="edges"[^>]*width="[0-9.]*"' alike.svg |
		sed 's/.*width=//' | xargs)" = '1.70 0.21' ] ||
		complain "$(grep -o 'width="[0-9.]*" fill="none"' alike.svg)"
	# a triple is three edges
	printf 'id\ta\tb\nx\t1\t2\ny\t2\t2\nz\t3\t1\n' |
		vsim-pack --matrix - -o m.vec.h5
	vsim-run -w 3 -m ps -t 0 -o trun --merge t.res.h5 m.vec.h5
	vsim-view --plot network -o t.svg t.res.h5
	[ "$(picture graph t.svg)" = '3 3 3' ]
	vsim-view --plot manhattan t.res.h5 >t.svg
	picture shape t.svg | grep -qx 'text: Triples of each vector'
}

@test "progress: tiles and records by the time that tiles took, ranks below" {
	requires python numpy h5py
	vsim-pack --synthetic random --vectors 300 --fields 40 -o x.vec.h5
	vsim-run -j 1 -t 0.4 --tile 40 -o prun x.vec.h5
	vsim-view --plot progress -o p.svg prun
	diff p.svg <(vsim-view --plot progress prun/shard-00000.shard.h5)
	n=$(vsim-view --no-header prun/shard-00000.shard.h5 | wc -l)
	picture shape p.svg >shape
	grep -qxF "text: 36 of 36 tiles, $(sed 's/...$/,&/' <<<"$n") records" shape
	grep -q '^text: ccc > 0.4 of pairs of 300 vectors; 1 rank, 1 shard, ' shape
	grep -qx 'text: rank 0' shape
	# a tile is finished when its seconds and those before it have passed, within
	# the width of a column and of a part of the shard's time
	picture curves p.svg >curves
	"$PYTHON" - "$n" <<-'PY'
	import sys
	import h5py
	import numpy as np
	with h5py.File("prun/shard-00000.shard.h5") as f:
	    took, n = f["tiles/seconds"][:].astype(float), f["tiles/count"][:]
	took = np.cumsum(took) / took.sum()
	c = np.loadtxt("curves")
	for k, all_, each in (0, 100, np.ones(len(n)) / len(n)), (1, n.sum(), n / n.sum()):
	    x, y = c[c[:, 0] == k, 1], c[c[:, 0] == k, 2]
	    assert abs(y[-1] / all_ - 1) < .01 and y[0] < .01 * all_
	    assert (np.diff(x) >= -1e-6 * x[-1]).all() and (np.diff(y) >= -1e-6 * all_).all()
	    for a, b in zip(x / x[-1], y / all_):
	        near = took[None, :] <= a + np.array([[-.01], [.01]])
	        lo, hi = (each * near).sum(1)
	        assert lo - .011 <= b <= hi + .011, (k, a, b, lo, hi)
	PY
}

# resumed RANKS: prun was stopped after some tiles, and an hour later resumed on as
# many ranks; as it states, each of its tiles took a second, and no other time
resumed() {
	local f
	requires python numpy h5py
	vsim-pack --synthetic random --vectors 300 --fields 40 -o x.vec.h5
	SOURCE_DATE_EPOCH=1000000000 vsim-run -j 1 -t 0.4 --tile 40 \
		--max-records 8000 -o prun x.vec.h5 2>/dev/null || [ $? = 4 ]
	SOURCE_DATE_EPOCH=1000003600 ranks "$1" vsim-run -j 1 -t 0.4 --tile 40 \
		--resume -o prun x.vec.h5
	for f in prun/*.shard.h5; do
		"$PYTHON" "$TOP/tests/cli/forge.py" "$f" \
			"put('tiles/seconds', np.ones(len(f['tiles/bi'])))
f['stats'].attrs.modify('seconds_total', np.float64(len(f['tiles/bi'])))"
	done
}

# tiles FILE
tiles() {
	vsim-view -H "$1" | sed -n 's/^#n_tiles: //p'
}

@test "progress: ranks, a run that was resumed, and stages" {
	local a b c
	requires mpi 2
	resumed 2
	a=$(tiles prun/shard-00000-0000.shard.h5)
	b=$(tiles prun/shard-00000-0001.shard.h5)
	c=$(tiles prun/shard-00001.shard.h5)
	[ $((a + b + c)) = 36 ]
	vsim-view --plot progress -o p.svg prun
	picture shape p.svg >shape
	grep -q "^text: ccc > 0.4 .*; 2 ranks, 3 shards, $((a + (b > c ? b : c)))\.0 seconds of work" shape
	[ "$(grep -cx 'text: resumed' shape)" = 1 ]
	# the first, the second from when it was resumed, and the other rank
	picture bars p.svg shards >bars
	printf '%s\n' "0 $a" "$a $((a + b))" "$a $((a + c))" >want
	close bars want
	# a tile a second of each rank
	picture curves p.svg | awk -v a=$a '!$1 && $2 < a + 0.1 { y = $3 }
		END { exit !(y > a / 0.36 - 0.5 && y < a / 0.36 + 0.5) }'
	# of stages, without records, and while there is none
	vsim-run -t 0.9 --allow-empty --tile 40 --stage 1/3 -o stages x.vec.h5
	vsim-view --plot progress stages >s.svg
	picture shape s.svg | grep -qE 'text: [0-9]+ of 36 tiles, 0 records'
	vsim-run -t 0.9 --allow-empty --tile 40 --stage 2/3 --resume -o stages x.vec.h5
	vsim-view --plot progress stages >s.svg
	grep -q '^<text .*stage 1' s.svg
	rm -r prun/*.shard.h5
	refuses 3 'prun: has no sealed shard' vsim-view --plot progress prun
	vsim-merge -o e.res.h5 --partial stages 2>/dev/null
	refuses 2 'e.res.h5 is a merged result' vsim-view --plot progress e.res.h5
}

# golden NAME WHAT ARG...: the picture tests/data/plot/NAME.svg, whose coordinates
# may be a pixel off; VSIM_GOLDEN=1 writes it
golden() {
	local want=$TOP/tests/data/plot/$1.svg
	vsim-view --plot "${@:2}" -f -o got.svg
	[ -z "${VSIM_GOLDEN:-}" ] || cp got.svg "$want"
	picture same got.svg "$want" || complain "$1: another picture"
}

@test "plot: each kind draws the picture that was looked at" {
	local kind
	result r2 0.1
	golden ld ld -r 20:1-1200000 r2.res.h5
	golden bins ld -r 20:1-4000000 r2.res.h5
	golden histogram histogram r2.res.h5
	golden manhattan manhattan r2.res.h5
	vsim-threshold --top 25 -o top.res.h5 r2.res.h5
	golden network network top.res.h5
	resumed 1
	golden progress progress prun
	for kind in $(vsim-view --help | tr -s ' \n' ' ' |
		sed 's/.*--plot \([a-z|]*\).*/\1/; s/|/ /g'); do
		[ -e "$TOP/tests/data/plot/$kind.svg" ] || complain "no $kind"
	done
}

@test "plot: ids are escaped, and shortened where they are long" {
	long_ids
	vsim-view --plot ld -o e.svg e.res.h5
	picture shape e.svg >shape
	grep -qxF 'text: <one>&"two"_which_is_longer_than_any_label_has_room_for<one>&"two"_which_is_lo…' shape
	grep -qx 'text: b_' shape
}

@test "report: figures, the strongest records, settings and commands, one file" {
	result ccc 0.6
	vsim-view --report r.html ccc.res.h5
	[ "$(picture page r.html)" = 'figures 4' ]
	diff r.html <(vsim-view --report - ccc.res.h5)
	refuses 2 'r.html' vsim-view --report r.html ccc.res.h5
	vsim-view -f --report r.html ccc.res.h5
	# the records of vsim-view --sort, in its order and to the last digit
	sed -n 's/.*class="number">\([0-9.]*\)<.*/\1/p' r.html >values
	diff values <(vsim-view --no-header --sort value -c value ccc.res.h5 |
		head -n 20)
	# every line of the header that says something
	vsim-view -H ccc.res.h5 | sed -n 's/^#\([a-z0-9_]*\): ..*/\1/p' >keys
	sed -n 's/^<tr><th>\([a-z0-9_]*\)<.*/\1/p' r.html >shown
	diff <(sort keys) <(sort shown)
	# ids are escaped; triples have no triangle; nothing to show is said
	long_ids
	vsim-view --report e.html e.res.h5
	[ "$(picture page e.html)" = 'figures 4' ]
	grep -qF '&lt;one&gt;&amp;&quot;two&quot;_which_is' e.html
	printf 'id\ta\tb\nx\t1\t2\ny\t2\t2\nz\t3\t1\n' |
		vsim-pack --matrix - -o m.vec.h5
	vsim-run -w 3 -m ps -t 0 -o trun --merge t.res.h5 m.vec.h5
	vsim-view --report t.html t.res.h5
	[ "$(picture page t.html)" = 'figures 3' ]
	vsim-view --report none.html -r 7 e.res.h5
	grep -q 'There are none' none.html
	refuses 2 'names its own output' vsim-view --report x.html -o y e.res.h5
	refuses 2 'holds vectors' vsim-view --report x.html l.vec.h5
	refuses 2 '--report goes with' vsim-view --report x.html -c id1 e.res.h5
	[ ! -e x.html ]
}

@test "plot: SVG, HTML and PNG, by the name, --to or on stdout" {
	long_ids
	for kind in $(vsim-view --help | tr -s ' \n' ' ' |
		sed 's/.*--plot \([a-z|]*\).*/\1/; s/|/ /g; s/progress//'); do
		vsim-view --plot "$kind" -o e.svg -f e.res.h5
		diff e.svg <(vsim-view --plot "$kind" e.res.h5)
		diff e.svg <(vsim-view --plot "$kind" -o - --to svg e.res.h5)
		picture shape e.svg | grep -q '^text: '
		vsim-view --plot "$kind" -o e.html -f e.res.h5
		diff e.html <(vsim-view --plot "$kind" --to html e.res.h5)
		[ "$(picture page e.html)" = 'figures 1' ]
	done
	requires cmd rsvg-convert
	vsim-view --plot histogram -o e.png e.res.h5
	[ "$(head -c 4 e.png | tail -c 3)" = PNG ]
	diff e.png <(vsim-view --plot histogram --to png e.res.h5)
}

@test "plot: PNG without rsvg-convert, exit 4, nothing left" {
	long_ids
	mkdir bin
	ln -s "$(command -v vsim-view)" bin
	rm -f e.png
	refuses 4 "no program rsvg-convert" env PATH="$PWD/bin" \
		vsim-view --plot histogram -o e.png e.res.h5
	printf '#!/bin/sh\necho "cannot open display" >&2\nexit 3\n' >bin/rsvg-convert
	chmod +x bin/rsvg-convert
	refuses 4 "rsvg-convert: cannot open display" env PATH="$PWD/bin" \
		vsim-view --plot histogram -o e.png e.res.h5
	[ -z "$(ls | grep e.png)" ]
}

@test "plot: what does not go together is refused, and no output is lost" {
	long_ids
	echo kept >e.svg
	refuses 2 'e.svg' vsim-view --plot histogram -o e.svg e.res.h5
	[ "$(cat e.svg)" = kept ]
	refuses 2 'is called .svg, .html or .png' \
		vsim-view --plot histogram -o e.jpg e.res.h5
	refuses 2 '--to svg goes with --plot' vsim-view --to svg e.res.h5
	refuses 2 'is called .svg' \
		vsim-view --plot histogram --to csv -o x e.res.h5
	refuses 2 '--plot goes with' vsim-view --plot histogram -c id1 e.res.h5
	refuses 2 'holds vectors' vsim-view --plot histogram l.vec.h5
	printf 'a\tb\n' >t.tsv
	refuses 3 'neither a result nor a table' vsim-view --plot histogram t.tsv
	printf 'lo\thi\tALL\n0\t0.1\tx\n' >t.tsv
	refuses 3 't.tsv: line 2: x is no number' \
		vsim-view --plot histogram t.tsv
	refuses 2 'pick records of a result' \
		vsim-view --plot histogram -r 20 t.tsv
	refuses 3 absent vsim-view --plot histogram absent.res.h5
}
