# SPDX-License-Identifier: BSD-3-Clause
# vsim-run --dry-run: what it expects is held to what the run then has. With
# sanitizers nothing is held to it: an estimate counts for a time, and a slow
# program's sample is small.
load ../../helpers

# plan KEY ARG...: what a plan of x.vec.h5 says
plan() {
	local key=$1
	shift
	vsim-run -n "$@" x.vec.h5 | sed -n "s/^$key: //p"
}

# near A B: within a factor of two of each other
near() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= 2 * b && b <= 2 * a) }'
}

# records of a run directory, and bytes
records() {
	local f n=0
	for f in "$1"/*.shard.h5; do
		n=$((n + $(vsim-view -H "$f" | sed -n 's/^#n_records: //p')))
	done
	echo $n
}

bytes() {
	cat "$1"/*.shard.h5 | wc -c
}

# foresees ARG...: records and bytes of this run are within a factor of two
foresees() {
	local n b m
	n=$(plan records_estimated "$@")
	b=$(plan output_bytes_estimated "$@")
	rm -rf run
	vsim-run -o run "$@" x.vec.h5
	m=$(records run)
	! sanitized || return 0
	near "$n" "$m" || complain "$*: $n records expected, $m there"
	near "$b" "$(bytes run)" ||
		complain "$*: $b bytes expected, $(bytes run) there"
}

# bats test_tags=long
@test "estimates: a small run is counted to the last record, and nothing is left" {
	vsim-pack --synthetic random --vectors 300 --fields 60 -o x.vec.h5
	local t arg
	mkdir empty
	for arg in '-t 0.4' '-t 0.4 --tile 37' '-m r2 -t 0.02' '-t 0.4 --no-prune' \
		'-w 3 -t 0.25' '-t 0.4 --pairs-between 0-49 30-299' \
		'-t 0.4 --value f32 --codec none' '-t 0.35 -j 2'; do
		rm -rf run
		# shellcheck disable=SC2086
		TMPDIR=$PWD/empty vsim-run -n $arg x.vec.h5 >said
		[ "$(ls | tr '\n' ' ')" = "empty said x.vec.h5 " ]
		[ -z "$(ls empty)" ]
		# shellcheck disable=SC2086
		vsim-run -o run $arg x.vec.h5
		! sanitized || continue
		[ "$(sed -n 's/^records_estimated: //p' said)" = "$(records run)" ] ||
			complain "$arg: $(cat said)" "$(records run)"
		grep -q "^estimated_from: 'all .*, which were counted'" said
	done
}

# bats test_tags=long
@test "estimates: a sample of chromosome 20" {
	vsim-pack --vcf "$TOP/examples/chr20.vcf.gz" -o x.vec.h5
	foresees -t 0.7
	foresees -m r2 -t 0.5
	foresees -t 0.65 --pairs-between 0-3999 0-24989
	foresees -t 0.66 --stage 2/3
}

# counts T: the estimate of records above T, too many to write, is that of the
# histogram of all values; those at T itself are few
counts() {
	local n m

	n=$(plan records_estimated -t "$1")
	rm -rf run
	vsim-run -t 0.9 --allow-empty --metric-histogram all -o run x.vec.h5
	m=$(awk -v t="$1" 'NR > 1 && $1 >= t { n += $3 } END { print n }' all)
	[ "$m" -gt 0 ]
	near "$n" "$m" || complain "above $1: $n records expected, $m there"
}

# bats test_tags=long
@test "estimates: a sample of chromosome 20, of many records" {
	vsim-pack --vcf "$TOP/examples/chr20.vcf.gz" -o x.vec.h5
	foresees -t 0.6
	counts 0.5
}

# bats test_tags=long
@test "estimates: a machine too slow for its sample gives a good one or none" {
	local rate minutes n m
	! sanitized || skip "asan: the sample of a slow program is a small one"
	gcc -D_GNU_SOURCE -O1 -w -shared -fPIC -o clock.so \
		"$TOP/tests/faults/clock.c"
	vsim-pack --vcf "$TOP/examples/chr20.vcf.gz" -o x.vec.h5
	vsim-run -t 0.7 -o run x.vec.h5
	m=$(records run)
	for rate in 1 10 100 1000 10000 1000000; do
		CLOCK_RATE=$rate LD_PRELOAD=$PWD/clock.so \
			vsim-run -n -t 0.7 x.vec.h5 >said 2>err
		n=$(sed -n 's/^records_estimated: //p' said)
		minutes=$(sed -n 's/^minutes_estimated: //p' said)
		if [ -z "$n" ]; then
			grep -q 'no estimate: even the smallest sample of pairs takes' err
			[ -z "$minutes" ]
			continue
		fi
		# of few records no good estimate can be made
		awk '/^estimated_from: .all / { exit 0 }
			/^estimated_from/ { exit $(NF - 1) < 1000 }' said &&
			{ near "$n" "$m" || complain "$rate: $n records, $m there"; }
		awk -v m="$minutes" -v r=$rate 'BEGIN { exit !(m / r < 1) }' ||
			complain "$rate: $minutes minutes"
	done
	# the last one is too slow for any
	[ -z "$n" ]
}

# takes T: seconds of two cores expected for a run of x.vec.h5, and those it took
takes() {
	local said cpu
	said=$(CLOCK_CORES=2 LD_PRELOAD=$PWD/clock.so plan minutes_estimated -j 2 \
		-t "$1")
	rm -rf run
	cpu=$(TIMEFORMAT='%U %S'
		{ time vsim-run -j 2 -t "$1" -o run x.vec.h5 2>/dev/null; } 2>&1)
	awk -v said="$said" -v cpu="$cpu" 'BEGIN { split(cpu, c)
		want = (c[1] + c[2]) / 2
		exit !(said * 60 < 2 * want && want < 2 * said * 60) }' ||
		complain "above $1: $said minutes expected, $cpu s of cores"
}

# bats test_tags=long
@test "estimates: the time of runs that write much" {
	! sanitized || skip "asan: records take longer"
	gcc -D_GNU_SOURCE -O1 -w -shared -fPIC -o clock.so \
		"$TOP/tests/faults/clock.c"
	vsim-pack --vcf "$TOP/examples/chr20.vcf.gz" -o x.vec.h5
	takes 0.6
	requires data mouse-hs1940
	vsim-pack -f --bfile "$VSIM_TEST_DATA/mouse-hs1940/mouse_hs1940" -o x.vec.h5
	takes 0.6
}

# bats test_tags=long
@test "estimates: a sample of mice, pairs and triples" {
	requires data mouse-hs1940
	vsim-pack --bfile "$VSIM_TEST_DATA/mouse-hs1940/mouse_hs1940" -o x.vec.h5
	counts 0.5
	foresees -t 0.6
	foresees -t 0.7
	foresees -m r -t 0.7
	foresees -w 3 -t 0.45
}

# bats test_tags=long
@test "estimates: calls missing, few samples, linkage" {
	# blocks of 20 vectors that resemble each other, 5 % of calls missing
	awk 'BEGIN {
		srand(7); n = 60; printf "id"
		for (s = 0; s < n; s++) printf "\ts%d", s
		print ""
		for (v = 0; v < 12000; v++) {
			if (v % 20 == 0) {
				f = 0.1 + 0.4 * rand()
				for (s = 0; s < n; s++)
					b[s] = (rand() < f) + (rand() < f)
			}
			printf "v%d", v
			for (s = 0; s < n; s++)
				printf "\t%s", rand() < 0.05 ? "NA" : \
					rand() < 0.1 ? int(3 * rand()) : b[s]
			print ""
		}
	}' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
	foresees -t 0.7
	foresees -m r2 -t 0.5
}

# bats test_tags=long
@test "estimates: several ranks count the sample together" {
	requires mpi 3
	vsim-pack --synthetic random --vectors 300 --fields 60 -o x.vec.h5
	local w t
	for w in 2 3; do
		t=0.$((50 - 10 * w + 10))
		ranks 3 vsim-run -n -w $w -t $t x.vec.h5 >said
		[ "$(grep -c ^records_estimated said)" = 1 ]
		[ "$(sed -n 's/^records_estimated: //p' said)" = \
			"$(plan records_estimated -w $w -t $t)" ]
	done
}

# bats test_tags=long
@test "estimates: --top has N records at most, and less time than all values" {
	vsim-pack --synthetic random --vectors 300 --fields 60 -o x.vec.h5
	! sanitized || skip "asan: the sample of a slow program is a small one"
	[ "$(plan records_estimated --top 1000)" = 1000 ]
	[ -z "$(plan records_estimated_between --top 1000)" ]
	[ -z "$(plan records_estimated_between -t 0.4 --stage 1/2)" ]
	[ "$(plan records_estimated -w 3 --top 50)" = 50 ]
	# fewer pass than are kept
	[ "$(plan records_estimated --top 1000000000)" = \
		"$(plan records_estimated -t 0)" ]
	[ "$(plan records_estimated -t 0.45 --top 100000)" = \
		"$(plan records_estimated -t 0.45)" ]
	[ "$(plan records_estimated -t LL=0.2,HH=0.3 --top 20)" = 20 ]
}

@test "estimates: --top of a distance expects no threshold beyond the values" {
	{
		printf 'id\ta\tb\tc\td\te\tf\tg\th\n'
		awk 'BEGIN { srand(5); for (v = 0; v < 200; v++) {
			printf "v%d", v
			for (q = 0; q < 8; q++) printf "\t%d", 2 * (rand() < 0.4)
			print "" } }'
	} >h.tsv
	vsim-pack --tsv h.tsv --ploidy 1 -o x.vec.h5
	vsim-run -n -m hamming --top 3000 x.vec.h5 >said
	[ "$(sed -n 's/^minutes_estimated: //p' said)" = \
		"$(sed -n 's/^minutes_at_most_estimated: //p' said)" ]
}

# bats test_tags=long
@test "estimates: --top of chromosome 20" {
	vsim-pack --vcf "$TOP/examples/chr20.vcf.gz" -o x.vec.h5
	foresees --top 2000
	vsim-run -n --top 2000 x.vec.h5 >said
	sanitized || awk '/^minutes_estimated/ { a = $2 } /^minutes_at_most/ { b = $2 }
		END { exit !(a < b / 4) }' said ||
		complain "$(cat said)"
}

# sites: x.vec.h5 of 9000 sites of 6 chromosomes, 2 kb apart, that resemble those
# before them
sites() {
	awk 'BEGIN {
		srand(5)
		for (q = 1; q <= 120; q++) {
			print "f" q, "s" q, 0, 0, 1, 1 >"x.tfam"
			g[q] = int(3 * rand())
		}
		for (v = 0; v < 9000; v++) {
			line = 1 + int(v / 1500) " v" v " 0 " 1 + v % 1500 * 2000
			for (q = 1; q <= 120; q++) {
				if (rand() < 0.12) g[q] = int(3 * rand())
				line = line (g[q] ? g[q] > 1 ? " C C" : " A C" : " A A")
			}
			print line
		}
	}' >x.tped
	vsim-pack --tped x -o x.vec.h5
}

# bats test_tags=long
@test "estimates: pairs by distance and chromosome, and triples that are few" {
	local n m
	sites
	foresees -m r2 -t 0.2 --max-kb 30
	foresees -m r2 -t 0.02 --max-kb 1500
	foresees -m r2 -t 0.06 --inter-chromosome
	foresees -m r2 -t 0.05 --min-kb 100 --within-chromosome
	foresees -m r2 -t 0.05 --max-kb 500 --pairs-between 0-4999 3000-8999
	n=$(plan records_estimated -w 3 -t 0.4 --max-kb 12)
	vsim-run -f -w 3 -t 0.4 --max-kb 12 -o run x.vec.h5
	sanitized || [ "$n" = "$(records run)" ]
}

# bats test_tags=long
@test "estimates: triples with a vector of a set" {
	local minutes
	vsim-pack --synthetic epistasis --vectors 900 --fields 600 -o x.vec.h5
	# all of them are counted, and 100 of many
	foresees -m g -t 32 -w 3 --triples-with 5-9
	foresees -m g -t 40 -w 3 --triples-with 100-199
	minutes=$(plan minutes_estimated -m inter -t 30 -w 3 --triples-with 100-399)
	awk -v m="$minutes" 'BEGIN { exit !(m > 0 && m < 1e4) }' ||
		complain "$minutes minutes"
}

@test "estimates: without -t one for each of several thresholds" {
	local t n
	vsim-pack --synthetic random --vectors 200 --fields 40 -o x.vec.h5
	vsim-run -n x.vec.h5 >said
	! grep -q ^records_estimated said
	for t in 0.5 0.6 0.7 0.8 0.9; do
		n=$(awk -v t=$t '$2 == "threshold:" { at = $3 == t }
			at && /records_estimated:/ { print $2 }' said)
		sanitized || [ "$n" = "$(plan records_estimated -t $t \
			--allow-empty)" ]
	done
	vsim-run -n -w 3 x.vec.h5 >said
	[ "$(grep -c '^  - threshold: 0.[3-7]$' said)" = 5 ]
	refuses 2 'threshold is missing' vsim-run -n -m k2 x.vec.h5
	refuses 2 'threshold is missing' vsim-run -o q x.vec.h5
}

# bats test_tags=long
@test "estimates: the interval of a sample has the number of records" {
	local of a b m
	! sanitized || skip "asan: the sample of a slow program is a small one"
	sites
	for of in "-m r2 -t 0.02 --max-kb 1500" "-m r2 -t 0.08" \
		"-t 0.5 --inter-chromosome"; do
		# shellcheck disable=SC2086
		vsim-run -n $of x.vec.h5 >said
		rm -rf run
		# shellcheck disable=SC2086
		vsim-run -o run $of x.vec.h5
		m=$(records run)
		read -r a b <<<"$(sed -n \
			's/^records_estimated_between: \(.*\) and /\1 /p' said)"
		[ -n "$a" ] || a=$(sed -n 's/^records_estimated: //p' said) b=$a
		awk -v a="$a" -v b="$b" -v m="$m" \
			'BEGIN { exit !(m >= a && m <= b) }' ||
			complain "$of: $m records, $a to $b expected"
	done
}

@test "estimates: vectors sorted by frequency are read once for a sample, in the file's order" {
	requires python numpy
	! sanitized || skip "a slow program's sample is small"
	"$PYTHON" - <<-'END'
		import numpy as np
		rng = np.random.default_rng(4)
		n, m = 60000, 304
		code, at = np.array([3, 2, 0], "u1"), np.array([0, 2, 4, 6], "u1")
		with open("o.bed", "wb") as f:
		    f.write(b"\x6c\x1b\x01")
		    for lo in range(0, n, 4000):
		        p = rng.uniform(.02, .5, (4000, 1))
		        g = rng.binomial(2, np.broadcast_to(p, (4000, m)))
		        g = code[g].reshape(4000, m // 4, 4)
		        f.write((g << at).sum(2, dtype="u1").tobytes())
		with open("o.bim", "w") as f:
		    f.writelines(f"1 v{k} 0 {k + 1} A C\n" for k in range(n))
		with open("o.fam", "w") as f:
		    f.writelines(f"s{q} s{q} 0 0 0 -9\n" for q in range(m))
	END
	vsim-pack --bfile o -o x.vec.h5
	# a row at a time took the two seconds that a sample has for 8 vectors
	plan estimated_from -m r2 -t 0.8 --memory 24M >got
	grep -q "^'all pairs" got || sed 's/.*, \([0-9.e-]*\) % of the pairs.*/\1/' got |
		awk '{ exit !($1 > 1) }' || complain "$(cat got)"
}
