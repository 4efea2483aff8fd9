# SPDX-License-Identifier: BSD-3-Clause
# --top against the values that the oracles list, sorted here: by value, and of
# equal ones by place; for any kernel, ranks and order.
load ../../helpers

oracle() {
	"$PYTHON" "$TOP/tests/flow/oracle.py" "$@"
}

# strongest N VALUE: of the lines of an oracle, whose column VALUE is the value
strongest() {
	sort -s -t '	' -k"$2","$2"gr | head -n "$1" | sort -n
}

# keeps COLUMNS N RUN-OPTION...: the run keeps what is wanted, and says so
keeps() {
	rm -rf run
	vsim-run --top "$2" -o run "${@:3}" x.vec.h5
	same "$@"
}

same() {
	vsim-verify run
	vsim-merge -f -o e.res.h5 run
	vsim-verify --against x.vec.h5 e.res.h5
	vsim-view -H e.res.h5 | grep -qx "#selection: top $2"
	vsim-view --no-header -c "$1" e.res.h5 | sort -n >got
	diff want got >differ || complain "$*:" "$(head -n 5 differ)"
}

# bats test_tags=long
@test "top: pairs, many of them equal, by tiles, threads and ranks" {
	requires python numpy h5py
	local how n columns=i,j,a,b,num,n,value
	for how in '' missing; do
		# few fields: values are alike
		oracle make 120 24 3 $how >x.tsv
		vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
		oracle edges x.tsv 0 >all
		for n in 1 40 6000; do
			strongest $n 7 <all >want
			[ "$(wc -l <want)" = $n ]
			keeps $columns $n -j 1 --tile 23
			keeps $columns $n -j 2 --no-prune
		done
		strongest 999999 7 <all >want
		keeps $columns 999999
		awk '$7 > 0.3' all | strongest 500 7 >want
		keeps $columns 500 -t 0.3 --tile 30
	done
	can_start 3 || return 0
	rm -rf run
	ranks 3 vsim-run --top 500 -t 0.3 -j 1 --tile 9 -o run x.vec.h5
	same $columns 500
}

# tie FROM SAME OTHER: the first N from FROM on such that in the order of strength
# the records N and N + 1 have the same value and columns SAME, a list, and not the
# same column OTHER: that column decides what is kept
tie() {
	sort -s -t '	' -k7,7gr all | awk -F'\t' -v from="$1" -v same="$2" -v other="$3" '
	{
		key = $7; n = split(same, c, ",")
		for (k = 1; k <= n; k++) key = key "\t" $c[k]
		if (NR > from && key == old && $other != was) { print NR - 1; exit }
		old = key; was = $other
	}'
}

# listed_by COLUMNS WAY...: e.res.h5 is what is wanted
listed_by() {
	vsim-view --no-header -c "$1" e.res.h5 | sort -n | diff want - >differ ||
		complain "${*:2}:" "$(head -n 5 differ)"
}

# by_place COLUMNS N RUN-OPTION...: by vsim-run and by vsim-threshold
by_place() {
	local columns=$1 n=$2 how
	strongest "$n" 7 <all >want
	shift 2
	for how in '-j 1 --tile 4' '-j 2 --tile 7'; do
		# shellcheck disable=SC2086
		vsim-run -f --top $n $how -o run --merge e.res.h5 "$@" x.vec.h5
		listed_by "$columns" $n "$@" $how
	done
	rm -rf run
	vsim-threshold --top $n -o run whole
	vsim-merge -f -o e.res.h5 run
	listed_by "$columns" $n vsim-threshold
	can_start 3 || return 0
	# few triples that can pass are all one rank's: all of them, so
	ranks 3 vsim-run -f --top $n -j 1 --tile 5 --no-prune -o run \
		--merge e.res.h5 "$@" x.vec.h5
	listed_by "$columns" $n 3 ranks
}

# bats test_tags=long
@test "top: of equal last values the first by place are kept, for any ranks and kernels" {
	requires python numpy h5py
	local n
	# four fields of four kinds of vectors: few values, each of many pairs
	awk 'BEGIN { split("1111 0211 0022 1112", kind, " ")
		print "id\ts1\ts2\ts3\ts4"
		for (v = 0; v < 36; v++) {
			printf "v%d", v
			for (q = 1; q <= 4; q++)
				printf "\t%s", substr(kind[1 + v * v % 7 % 4], q, 1)
			print ""
		} }' >x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	oracle edges x.tsv 0 >all
	vsim-run -t 0 -o whole --tile 9 x.vec.h5
	for n in $(tie 9 1 2) $(tie 90 1,2 4) $(tie 300 '' 1); do
		by_place i,j,a,b,num,n,value $n
	done
	head -n 15 x.tsv >few.tsv
	vsim-pack -f --tsv few.tsv --label given -o x.vec.h5
	oracle triples few.tsv 0 >all
	vsim-run -f -t 0 -o whole --tile 4 --way 3 x.vec.h5
	for n in $(tie 9 1,2 3) $(tie 90 1,2,3 4) $(tie 200 1 2); do
		by_place i,j,k,cell,num,n,value $n --way 3
	done
}

@test "top: stored as f32, values are ranked as stored" {
	requires python numpy h5py
	oracle make 90 700 5 >x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	oracle edges x.tsv 0 f32 | strongest 7000 7 | cut -f 1-6 >want
	keeps i,j,a,b,num,n 7000 --value f32 --tile 10
}

@test "top: correlations, numbers, and triples" {
	requires python numpy h5py
	oracle make 60 40 5 missing >x.tsv
	vsim-pack --tsv x.tsv --label given -o x.vec.h5
	"$PYTHON" "$TOP/tests/flow/moments.py" r x.tsv -0.9 |
		strongest 1500 4 >want
	keeps i,j,n,value 1500 -m r -t -0.9 --tile 7
	head -n 31 x.tsv >few.tsv
	vsim-pack -f --tsv few.tsv --label given -o x.vec.h5
	oracle triples few.tsv 0 | strongest 5000 7 >want
	keeps i,j,k,cell,num,n,value 5000 --way 3 --tile 5 -j 2
}

# alike MISSING: 30 vectors of families, each call that often missing, in percent
alike() {
	awk -v missing="$1" 'BEGIN { srand(4); for (v = -1; v < 30; v++) {
		printf v < 0 ? "id" : "v" v
		for (q = 0; q < 60; q++) {
			g = rand() < 0.4 ? 2 : rand() < 0.1
			if (v % 5 > 0 && rand() > v / 150)
				g = old[q]
			old[q] = g
			printf "\t%s", v < 0 ? q : 100 * rand() < missing ? "NA" : g
		}
		print "" } }'
}

# bats test_tags=long
@test "top: triples, looked for above one threshold after the other" {
	requires python numpy h5py
	local how n columns=i,j,k,cell,num,n,value
	for how in 0 5; do
		alike $how >x.tsv
		vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
		oracle triples x.tsv 0 >all
		for n in 1 300 9000; do
			strongest $n 7 <all >want
			[ "$(wc -l <want)" = $n ]
			keeps $columns $n --way 3 -j 1
		done
		awk '$7 > 0.15' all | strongest 3000 7 >want
		keeps $columns 3000 --way 3 -t 0.15 --tile 11
		can_start 3 || continue
		rm -rf run
		ranks 3 vsim-run --top 3000 --way 3 -t 0.15 -j 1 --tile 9 \
			-o run x.vec.h5
		same $columns 3000
	done
	vsim-pack -f --ploidy 1 --tsv x.tsv --label given -o x.vec.h5 2>/dev/null
	oracle triples x.tsv 0 duo | strongest 700 7 >want
	keeps $columns 700 -m duo --way 3
}

# bats test_tags=long
@test "top: a large run, where the threshold rises and prunes" {
	vsim-pack --synthetic random --vectors 1500 --fields 200 -o x.vec.h5
	vsim-run -t 0.6 --no-prune -o all x.vec.h5
	vsim-merge -o e.res.h5 all
	vsim-view --no-header -c i,j,a,b,value e.res.h5 | strongest 20 5 >want
	[ "$(wc -l <want)" = 20 ]
	keeps i,j,a,b,value 20 -t 0.5 --tile 500 --stats s.yaml
	awk '/^pairs:/ { all = $2 } /^pairs_counted:/ { exit $2 < all ? 0 : 1 }' \
		s.yaml
}

# ranked FILE N RUN-OPTION...: by threads and by ranks the N first of all values
# of a run without --top, which are more than wait anywhere
ranked() {
	local n columns=i,j,value
	[[ " $* " != *' -w 3 '* ]] || columns=i,j,k,cell,value
	rm -rf run
	vsim-run -o run "${@:3}" "$1"
	vsim-merge -f -o e.res.h5 run
	vsim-view --no-header -c $columns e.res.h5 |
		strongest "$2" "$(tr -cd , <<<$columns, | wc -c)" >want
	[ "$(wc -l <want)" = "$2" ]
	for n in 1 2 3; do
		[ $n = 1 ] || can_start $n || continue
		rm -rf run
		ranks $n vsim-run --top "$2" -j 2 -o run "${@:3}" "$1"
		vsim-merge -f -o e.res.h5 run
		vsim-view --no-header -c $columns e.res.h5 | sort -n >got
		diff want got >differ ||
			complain "$n ranks: $*: $(head -n 5 differ)"
	done
}

# bats test_tags=long
@test "top: the threshold rises in all metrics, and on all ranks" {
	local m
	vsim-pack --synthetic random --vectors 400 --fields 150 -o g.vec.h5
	for m in r2 cosine; do
		ranked g.vec.h5 90 -m $m -t 0
	done
	ranked g.vec.h5 90 -m r -t -1 --tile 60
	vsim-pack --synthetic random --vectors 60 --fields 90 -o t.vec.h5
	ranked t.vec.h5 300 -w 3 -t 0
	ranked t.vec.h5 300 -w 3 -t 0 --tile 13
	awk 'BEGIN { srand(7); for (v = 0; v < 300; v++)
		for (q = 0; q < 40; q++)
			printf "%d%s", rand() ^ 3 * 9 * (1 + v % 5), q < 39 ? "\t" : "\n"
		}' >x.tsv
	vsim-pack --matrix x.tsv -o n.vec.h5
	ranked n.vec.h5 200 -m ps -t 0
	ranked n.vec.h5 200 -m ps -t 0 --value f32 --tile 50
	head -n 60 x.tsv >few.tsv
	vsim-pack --matrix few.tsv --element f32 -o m.vec.h5
	ranked m.vec.h5 200 -m ps -w 3 -t 0
}

@test "top: finished work is resumed, and belongs to no other run" {
	vsim-pack --synthetic random --vectors 40 --fields 64 -o x.vec.h5
	vsim-run --top 5 -o run x.vec.h5
	vsim-run --top 5 --resume -o run x.vec.h5
	vsim-merge -o run.res.h5 run
	[ "$(vsim-view run.res.h5 | tail -n +2 | wc -l)" -eq 5 ]
	refuses 3 'selection' vsim-run -t 0 --resume -o run x.vec.h5
}

@test "top: blocks with gaps that were arranged below 0 are pruned above it" {
	vsim-pack --synthetic random --vectors 16000 --fields 64 --missing 0.03 \
		-o x.vec.h5
	quietly vsim-run -t -1 --top 50 --tile 8000 -o run x.vec.h5
	vsim-run -t 0 --top 50 --no-prune -j 2 -o want x.vec.h5
	vsim-merge -o run.res.h5 run
	vsim-merge -o want.res.h5 want
	cmp <(vsim-view run.res.h5 | grep -v '^#') \
		<(vsim-view want.res.h5 | grep -v '^#')
}

# bats test_tags=long
@test "top: pairs, whatever threshold a sample of neighbours gives" {
	local how
	# few fields: many values are equal, and above all those of the last ones
	vsim-pack --synthetic random --vectors 4200 --fields 24 -o g.vec.h5
	vsim-pack --synthetic random --vectors 4200 --fields 24 --element bit -o b.vec.h5
	vsim-pack --synthetic epistasis --vectors 4200 --fields 40 -o e.vec.h5
	vsim-pack --synthetic random --vectors 4200 --fields 24 --element u8 -o n.vec.h5
	for how in 'g -m r2 --top 1' 'g -m r2 --top 9000' 'g -m ccc --top 700 --value f32' \
		'g -m r2 -t 0.2 --top 800' 'g -m ccc -t 0.3 --top 700' 'b -m hamming --top 500' \
		'e -m k2 --top 30' 'n -m ps --top 60' \
		'n -m euclid --top 20000' 'n -m r --top 200000'; do
		# shellcheck disable=SC2086
		set -- $how
		vsim-run -f "${@:2}" -o run $1.vec.h5
		vsim-run -f "${@:2}" --no-prune -o want $1.vec.h5
		vsim-verify --compare want run || complain "$how"
	done
}

# seconds COMMAND...: of a CPU, by hundredths
seconds() {
	local TIMEFORMAT='%2U %2S'
	{ time "$@" >/dev/null; } 2>&1 | awk '{ print int(100 * ($1 + $2)) }'
}

@test "top: interaction without -t takes about the time it takes with the best one" {
	local free best
	vsim-pack -f --synthetic epistasis --vectors 1500 --fields 600 -o e.vec.h5
	best=$(seconds vsim-run -f -m inter --top 1 -t 24 -o best e.vec.h5)
	free=$(seconds vsim-run -f -m inter --top 1 -o free e.vec.h5)
	# fitting every table of the first tile takes 16 times as long
	[ "$free" -le $((3 * best + 20)) ] || complain "$free beside $best"
	vsim-merge -o best.res.h5 best
	vsim-merge -o free.res.h5 free
	[ "$(vsim-view best.res.h5)" = "$(vsim-view free.res.h5)" ]
}

# by_guess FILE N: the N strongest triples are those found without a first guess
by_guess() {
	vsim-run -f -m inter --way 3 --top "$2" -o guess "$1"
	vsim-verify guess
	VSIM_WITHOUT=threshold-steps vsim-run -f -m inter --way 3 --top "$2" \
		-o plain "$1"
	vsim-merge -f -o guess.res.h5 guess
	vsim-merge -f -o plain.res.h5 plain
	vsim-verify --compare guess.res.h5 plain.res.h5 || complain "$*"
}

# bats test_tags=long
@test "top: interaction of triples, whatever is guessed of the threshold" {
	local n
	vsim-pack --synthetic epistasis --vectors 66 --fields 200 -o e.vec.h5
	for n in 1 60 900; do
		by_guess e.vec.h5 $n
	done
	# most values are 0, and so is the guess; more are wanted than are above
	awk 'BEGIN {
		srand(3)
		for (v = 0; v < 66; v++) {
			line = "1 v" v " 0 " v + 1
			for (q = 0; q < 100; q++)
				line = line (v % 4 || rand() < 0.5 ? " A A" : \
					rand() < 0.1 ? " 0 0" : " A C")
			print line
		}
		for (q = 0; q < 100; q++)
			print q, q, 0, 0, 1, 1 + (rand() < 0.5) >"x.tfam"
	}' >x.tped
	vsim-pack --tped x.tped -o x.vec.h5
	by_guess x.vec.h5 2000
}
