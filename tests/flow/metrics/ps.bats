# SPDX-License-Identifier: BSD-3-Clause
# Proportional Similarity: every record against the definition, and one result
# for any kernel and ranks.
load ../../helpers

# oracle TABLE TYPE THRESHOLD [3]: beside the result of vsim-run on x.vec.h5
oracle() {
	local columns=i,j,value
	[ "${4:-2}" = 2 ] || columns=i,j,k,value
	"$PYTHON" "$TOP/tests/flow/ps.py" "$@" >want
	rm -rf run
	vsim-run -m ps --way "${4:-2}" -t "$3" -o run x.vec.h5
	vsim-merge -f -o r.res.h5 run
	vsim-verify --against x.vec.h5 r.res.h5
	vsim-view -c $columns --no-header r.res.h5 >got
	[ -s got ]
	"$PYTHON" - <<-'END'
		got, want = ([l.split() for l in open(f)] for f in ("got", "want"))
		assert [l[:-1] for l in got] == [l[:-1] for l in want], "others"
		for g, w in zip(got, want):
		    assert float(g[-1]) == float(w[-1]), (g, w)
	END
}

# table SEED VECTORS FIELDS MOST [DIVISOR]: numbers of 0 to MOST, some vectors
# alike, small ones and empty ones among them
table() {
	awk -v seed="$1" -v v="$2" -v f="$3" -v most="$4" -v by="${5:-1}" 'BEGIN {
		srand(seed)
		printf "id"
		for (q = 0; q < f; q++)
			printf "\tf%d", q
		print ""
		for (i = 0; i < v; i++) {
			printf "v%d", i
			top = int(most / 2 ^ (i % 7)) + 1
			for (q = 0; q < f; q++) {
				if (i % 3 != 1 || rand() < 0.1)
					x[q] = i % 11 == 5 ? 0 : int(rand() * top)
				printf "\t%.9g", x[q] / by
			}
			print ""
		}
	}'
}

digest() {
	vsim-merge -f -o r.res.h5 "$1" >&2 || return
	vsim-view -H r.res.h5 | sed -n 's/^#content_xxh128: //p'
}

# bats test_tags=long
@test "ps: ecologists' tables, value by value" {
	requires data ecology
	local d t kind
	for d in dune varespec BCI mite; do
		kind=exact
		[ $d != varespec ] || kind=f64
		vsim-pack -f --matrix "$VSIM_TEST_DATA/ecology/$d.tsv.gz" \
			-o x.vec.h5
		for t in -1 0.5; do
			oracle "$VSIM_TEST_DATA/ecology/$d.tsv.gz" $kind $t
		done
	done
}

# bats test_tags=long
@test "ps: the dissimilarity that vegan computes is 1 minus it" {
	requires data ecology
	requires cmd Rscript
	Rscript -e 'quit(status = !requireNamespace("vegan", quietly = TRUE))' ||
		skip 'R has no package vegan'
	local x=$VSIM_TEST_DATA/ecology/varespec.tsv.gz
	vsim-pack --matrix "$x" -o x.vec.h5
	vsim-run -m ps -t -1 -o run x.vec.h5
	vsim-merge -o r.res.h5 run
	vsim-view -c value --no-header r.res.h5 >got
	cat >want.R <<-'END'
		d <- read.table(commandArgs(TRUE)[1], header = TRUE,
		                sep = "\t", row.names = 1)
		want <- 1 - vegan::vegdist(d, "bray")
		got <- scan("got", quiet = TRUE)
		stopifnot(length(got) == length(want),
		          max(abs(got - want)) < 1e-14)
	END
	Rscript --vanilla want.R "$x"
}

# bats test_tags=long
@test "ps: the dissimilarity that SciPy computes is 1 minus it" {
	requires data ecology
	requires python numpy scipy
	local d
	for d in BCI varespec; do
		vsim-pack -f --matrix "$VSIM_TEST_DATA/ecology/$d.tsv.gz" \
			-o x.vec.h5
		vsim-run -f -m ps -t -1 -o run x.vec.h5
		vsim-merge -f -o r.res.h5 run
		vsim-view -c value --no-header r.res.h5 >got
		"$PYTHON" - "$VSIM_TEST_DATA/ecology/$d.tsv.gz" <<-'END'
			import sys
			import numpy as np
			from scipy.spatial.distance import pdist
			x = np.loadtxt(sys.argv[1], delimiter="\t", skiprows=1,
			               dtype=str)[:, 1:].astype(float)
			want, got = 1 - pdist(x, "braycurtis"), np.loadtxt("got")
			assert len(got) == len(want) == len(x) * (len(x) - 1) / 2
			assert abs(got - want).max() < 1e-14
		END
	done
}

# Sums as those of samples are, orders of magnitude apart.
# bats test_tags=long
@test "ps: what sums leave out would not pass, pairs and triples" {
	requires python numpy
	local e way
	"$PYTHON" - <<-'END'
		import numpy as np
		rng = np.random.default_rng(5)
		x = rng.gamma(1, 1, (1600, 60)) + 2
		x[1::2] = x[::2] * rng.uniform(.8, 1.2, x[::2].shape)
		x *= np.exp(rng.normal(0, 1.2, (1600, 1)))
		for way, n in (2, 1600), (3, 130):
		    np.save(f"real{way}.npy", x[:n])
		    np.save(f"whole{way}.npy",
		            np.minimum(x[:n] * 4, 65535).astype(np.uint16))
	END
	for e in u16 f32 f64; do
		for way in 2 3; do
			if [ $e = u16 ]; then
				vsim-pack -f --matrix whole$way.npy -o x.vec.h5
			else
				vsim-pack -f --matrix real$way.npy --element $e \
					-o x.vec.h5
			fi
			vsim-run -f -m ps -w $way -t 0.85 --no-prune \
				--stats all.yaml -o all x.vec.h5
			vsim-run -f -m ps -w $way -t 0.85 --stats few.yaml \
				-o few x.vec.h5
			[ "$(digest few)" = "$(digest all)" ] ||
				complain "$e $way"
			[ "$(counted few.yaml)" -lt \
				$(($(counted all.yaml) * 3 / 4)) ] ||
				complain "$e $way: $(counted few.yaml)"
			grep -q '^records: [1-9]' few.yaml
		done
	done
}

# Some vectors nearly alike among many of the same sum, which sums do not tell
# apart; some zero, and numbers far larger than others. As *.npy and *.want: "i j
# value" by the definition, those above 0.6.
alike() {
	"$PYTHON" - <<-'END'
		import numpy as np
		rng = np.random.default_rng(9)
		n, m = 280, 333
		x = rng.random((n, m)) * (rng.random((n, m)) < 0.8)
		for k in range(0, n, 9):
		    x[k + 1:k + 4] = x[k] * rng.uniform(1 - .1 * (k % 5), 1, (3, m))[:n - k - 1]
		x[7] = 0
		x[50:60, 5] *= 40
		most = dict(u8=6, u16=1600, u32=100000000, f32=1, f64=1e200)
		kind = dict(u8="u1", u16="u2", u32="u4", f32="f4", f64="f8")
		for e in most:
		    y = (x * most[e]).astype(kind[e])
		    np.save(e + ".npy", y)
		    part = kind[e] if e[0] == "f" else "u8"
		    def total(z):
		        whole = np.zeros(len(z))
		        for lo in range(0, m, 128):
		            run = np.zeros(len(z), part)
		            for q in range(lo, min(m, lo + 128)):
		                run = run + z[:, q].astype(part)
		            whole = whole + run
		        return whole
		    s = total(y)
		    with open(e + ".want", "w") as f:
		        for i in range(n - 1):
		            both = s[i] + s[i + 1:]
		            v = 2 * total(np.minimum(y[i], y[i + 1:]))
		            v = np.divide(v, both, where=both > 0, out=0 * v)
		            for j in np.flatnonzero(v > 0.6):
		                print(i, i + 1 + j, repr(float(v[j])), file=f)
	END
}

# bats test_tags=long
@test "ps: what products of bytes leave out would not pass, by the definition" {
	requires python numpy
	local e t cpu cpus=scalar last
	alike
	last=$(vsim-run --version | sed -n 's/.*this CPU supports at most //p')
	[[ $last == scalar || $last == popcnt ]] || cpus+=' avx2'
	[[ $last != avx512icl && $last != amx ]] || cpus+=' avx512icl'
	[ "$last" != amx ] || cpus+=' amx'
	for e in u8 u16 u32 f32 f64; do
		vsim-pack -f --matrix $e.npy --element $e -o x.vec.h5
		for t in 0.6 0.8 0.95; do
			awk -v t=$t '$3 > t' $e.want >want
			[ -s want ]
			for cpu in $cpus; do
				vsim-run -f -m ps -t $t --cpu $cpu \
					--stats s.yaml -o run x.vec.h5
				vsim-merge -f -o r.res.h5 run
				vsim-view -c i,j,value --no-header r.res.h5 >got
				same got want || complain "$e $t $cpu"
				[[ $cpu == scalar || $cpu == avx2 ]] ||
					[ $t = 0.6 ] ||
					[ "$(figure comparisons_counted)" -lt \
						$(($(figure pairs_counted) * \
							333 / 2)) ] ||
					complain "$e $t $cpu: nothing spared"
			done
		done
	done
}

# figure KEY of s.yaml
figure() {
	sed -n "s/^$1: //p" s.yaml
}

# same A B: lines "i j value", values as the numbers that they are
same() {
	"$PYTHON" - "$@" <<-'END'
		import sys
		a, b = ([(int(i), int(j), float(v)) for i, j, v in map(str.split, open(f))]
		        for f in sys.argv[1:])
		sys.exit(a != b)
	END
}

# bats test_tags=long
@test "ps: products of bytes for some columns only, others in cache by parts" {
	requires python numpy
	local way
	"$PYTHON" - <<-'END'
		import numpy as np
		rng = np.random.default_rng(3)
		x = rng.integers(0, 1000, (300, 4200), dtype="u2")
		x[100:200] *= rng.random((100, 4200)) < 0.1
		x[155:160] = x[150] - x[150] // 9
		np.save("x.npy", x)
		y, s = x.astype("i8"), x.sum(1, dtype="i8")
		with open("want", "w") as f:
		    for i in range(299):
		        v = 2 * np.minimum(y[i], y[i + 1:]).sum(1) / (s[i] + s[i + 1:])
		        for j in np.flatnonzero(v > 0.667):
		            print(i, i + 1 + j, repr(float(v[j])), file=f)
	END
	vsim-pack --matrix x.npy --element u16 -o x.vec.h5
	for way in '-j 1' '-j 3' '-j 1 --tile 100' '-j 2 --tile 75'; do
		# shellcheck disable=SC2086
		vsim-run -f -m ps -t 0.667 $way -o run x.vec.h5
		vsim-merge -f -o r.res.h5 run
		vsim-view -c i,j,value --no-header r.res.h5 >got
		same got want || complain "$way"
	done
}

# bats test_tags=long
@test "ps: products of bytes change no record of ranks, tiles and the strongest" {
	requires mpi 3
	requires python numpy
	local want e way
	alike
	for e in u8 f32; do
		vsim-pack -f --matrix $e.npy --element $e -o x.vec.h5
		vsim-run -f -m ps -t 0.8 --no-prune -o run x.vec.h5
		want=$(digest run)
		for way in '' '-j 3' '--tile 37' '--tile 50 --memory 60M'; do
			# shellcheck disable=SC2086
			vsim-run -f -m ps -t 0.8 $way -o run x.vec.h5
			[ "$(digest run)" = "$want" ] || complain "$e $way"
		done
		ranks 3 vsim-run -f -m ps -t 0.8 --tile 40 -o run x.vec.h5
		[ "$(digest run)" = "$want" ] || complain "$e, ranks"
		vsim-run -f -m ps --top 50 --no-prune -o run x.vec.h5
		want=$(digest run)
		vsim-run -f -m ps --top 50 -o run x.vec.h5
		[ "$(digest run)" = "$want" ] || complain "$e, strongest"
	done
}

# counted STATS: pairs or triples that no bound left out
counted() {
	sed -n 's/^\(pairs\|triples\)_counted: //p' "$1"
}

# bats test_tags=long
@test "ps: integers of each size and reals of both, value by value" {
	local e most
	for e in u8 u16 u32; do
		most=$((e == u8 ? 255 : 1))
		case $e in
		u8) most=255 ;;
		u16) most=65535 ;;
		u32) most=4294967295 ;;
		esac
		table 1 40 150 $most >x.tsv
		vsim-pack -f --matrix x.tsv --element $e -o x.vec.h5
		oracle x.tsv exact 0.6
	done
	table 2 40 300 1000 777 >x.tsv
	for e in f32 f64; do
		vsim-pack -f --matrix x.tsv --element $e -o x.vec.h5
		oracle x.tsv $e 0.6
	done
}

# bats test_tags=long
@test "ps: bits are 0 and 1, missing ones 0, pairs and triples" {
	local way want how
	table 4 45 130 1 >zero.tsv
	# one entry in nine is missing; for the definition it is a zero
	awk -F'\t' -v OFS='\t' 'NR > 1 { for (k = 2; k <= NF; k++)
		if ((7 * k + NR * NR) % 9 == 0) $k = "NA" } 1' zero.tsv >x.tsv
	sed 's/NA/0/g' x.tsv >zero.tsv
	cmp -s x.tsv zero.tsv && complain 'nothing is missing'
	vsim-pack --matrix x.tsv --element bit -o x.vec.h5
	oracle zero.tsv exact 0.4
	vsim-view -H r.res.h5 | grep -qx '#missing: zero'
	oracle zero.tsv exact 0.55 3
	# haploid calls are bits too, and columns of a matrix
	vsim-pack -f --tsv x.tsv --ploidy 1 --label given -o x.vec.h5
	oracle zero.tsv exact 0.4
	want=$(digest run)
	for way in '--cpu scalar' '-j 3 --no-prune' '--tile 7' '--top 10000'; do
		# shellcheck disable=SC2086
		vsim-run -m ps -t 0.4 $way -f -o run x.vec.h5
		vsim-merge -f -o w.res.h5 run
		vsim-view -c i,j,num,value w.res.h5 | sort >got
		vsim-view -c i,j,num,value r.res.h5 | sort | diff - got ||
			complain "$way"
	done
	vsim-run -m ps -t 0.4 --pairs-between 0-20 15-44 -f -o run x.vec.h5
	vsim-verify --against x.vec.h5 run
	# permuted and brought back, they are verified in the source's order
	vsim-permute --order random -o p.vec.h5 x.vec.h5
	vsim-run -m ps -t 0.4 -f -o run p.vec.h5
	vsim-merge --unpermute -f -o u.res.h5 run
	vsim-verify --against x.vec.h5 u.res.h5
	vsim-view -c i,j,num,value u.res.h5 | sort >got
	vsim-view -c i,j,num,value r.res.h5 | sort | diff - got
}

@test "ps: genotypes of two alleles are refused, with the remedy" {
	printf '0\t1\t2\n' | vsim-pack --tsv - -o x.vec.h5
	refuses 3 'x.vec.h5: holds genotypes, .*--ploidy 1' \
		vsim-run -m ps -t 0 -o r x.vec.h5
	gone r
}

# bats test_tags=long
@test "ps: one result for any kernel, threads, tile, memory and bounds" {
	local e cpu want way
	table 3 300 200 250 3 >x.tsv
	for e in f32 f64; do
		vsim-pack -f --matrix x.tsv --element $e -o x.vec.h5
		vsim-run -m ps -t 0.7 --no-prune -j 1 -f -o run x.vec.h5
		want=$(digest run)
		for way in '--cpu scalar' '--cpu avx2' '-j 3' '--tile 37' \
			'--tile 50 --memory 40M' '-j 2 --no-prune --tile 100'; do
			case $way in
			*avx2*) grep -qw avx2 /proc/cpuinfo || continue ;;
			esac
			# shellcheck disable=SC2086
			vsim-run -m ps -t 0.7 $way -f -o run x.vec.h5
			[ "$(digest run)" = "$want" ] || complain "$e $way"
		done
	done
}

# bats test_tags=install
@test "ps: each kernel of numbers is run and gives the same records" {
	local e k cpu way most tried=0
	cpu=$(vsim-run --version | sed -n 's/.*this CPU supports at most //p')
	for e in bit u8 u16 u32 f32 f64; do
		way=2 most=200
		# pairs of bits are counted as genotypes
		[ $e != bit ] || way=3 most=1
		table 8 90 150 $most >x.tsv
		vsim-pack -f --matrix x.tsv --element $e -o x.vec.h5
		vsim-run -m ps -w $way -t 0.6 -j 1 --cpu scalar --no-prune \
			-o want-$e x.vec.h5
		for k in $(vsim-run --version | sed -n 's/^of numbers//p'); do
			[[ $k = *-$e ]] || continue
			vsim-run -m ps -w $way -n --kernel $k -t 0.6 x.vec.h5 \
				>plan || {
				[[ $cpu != avx512icl && $cpu != amx ]]
				continue
			}
			grep -qx "compute: cpu-$k" plan
			vsim-run -m ps -w $way -t 0.6 --kernel $k -f -o run \
				x.vec.h5
			[ "$(digest run)" = "$(digest want-$e)" ] || complain $k
			tried=$((tried + 1))
		done
	done
	[ $tried -ge 5 ]
}

@test "ps: ranks and a resumed run give the same result" {
	requires mpi 3
	local want
	table 4 200 90 5000 >x.tsv
	vsim-pack --matrix x.tsv -o x.vec.h5
	vsim-run -m ps -t 0.5 -o run x.vec.h5
	want=$(digest run)
	for n in 2 3; do
		ranks $n vsim-run -m ps -t 0.5 --tile 17 -f -o run$n x.vec.h5
		[ "$(digest run$n)" = "$want" ]
	done
	# some of the shards are gone
	rm run3/*-00001.shard.h5
	vsim-run -m ps -t 0.5 --resume -o run3 x.vec.h5
	[ "$(digest run3)" = "$want" ]
}

@test "ps: another order of the vectors gives the same records by source" {
	local a b
	table 5 120 60 200 >x.tsv
	vsim-pack --matrix x.tsv -o x.vec.h5
	vsim-permute --order sum -o y.vec.h5 x.vec.h5
	vsim-run -m ps -t 0.5 -o a x.vec.h5
	vsim-run -m ps -t 0.5 -o b y.vec.h5
	vsim-merge --unpermute -o a.res.h5 a
	vsim-merge --unpermute -o b.res.h5 b
	a=$(vsim-view -H a.res.h5 | sed -n 's/^#content_xxh128: //p')
	b=$(vsim-view -H b.res.h5 | sed -n 's/^#content_xxh128: //p')
	[ "$a" = "$b" ]
	vsim-verify --against x.vec.h5 b.res.h5
	vsim-verify --against y.vec.h5 a.res.h5
}

@test "ps: a threshold afterwards is as one from the start; the best of each" {
	table 6 80 60 200 >x.tsv
	vsim-pack --matrix x.tsv -o x.vec.h5
	vsim-run -m ps -t 0.3 -o run x.vec.h5
	vsim-run -m ps -t 0.7 -o want x.vec.h5
	vsim-threshold --above 0.7 -o got run
	[ "$(digest got)" = "$(digest want)" ]
	vsim-merge -f -o all.res.h5 run
	vsim-threshold --top-per-vector 1 -o top.res.h5 all.res.h5
	vsim-view -c i,j,value --no-header all.res.h5 >all
	vsim-view -c i,j,value --no-header top.res.h5 >top
	"$PYTHON" - <<-'END'
		all, top = ([l.split() for l in open(f)] for f in ("all", "top"))
		best = {}
		for i, j, v in all:
		    for x in i, j:
		        best[x] = max(best.get(x, 0), float(v))
		# of two that are as strong one may be left out
		assert min(float(v) in (best[i], best[j]) for i, j, v in top)
		assert min([x, b] in [[k, float(v)] for i, j, v in top for k in (i, j)]
		           for x, b in best.items())
	END
}

# bats test_tags=long
@test "ps: triples of ecologists' tables, value by value" {
	requires data ecology
	vsim-pack --matrix "$VSIM_TEST_DATA/ecology/dune.tsv.gz" -o x.vec.h5
	oracle "$VSIM_TEST_DATA/ecology/dune.tsv.gz" exact -1 3
	vsim-pack -f --matrix "$VSIM_TEST_DATA/ecology/varespec.tsv.gz" \
		-o x.vec.h5
	oracle "$VSIM_TEST_DATA/ecology/varespec.tsv.gz" f64 0.5 3
}

# bats test_tags=long
@test "ps: triples of integers of each size and of reals, value by value" {
	local e
	for e in u8 u16 u32; do
		case $e in
		u8) table 11 24 150 255 >x.tsv ;;
		u16) table 12 24 150 65535 >x.tsv ;;
		u32) table 13 24 150 4294967295 >x.tsv ;;
		esac
		vsim-pack -f --matrix x.tsv --element $e -o x.vec.h5
		oracle x.tsv exact 0.7 3
	done
	table 14 20 300 1000 777 >x.tsv
	for e in f32 f64; do
		vsim-pack -f --matrix x.tsv --element $e -o x.vec.h5
		oracle x.tsv $e 0.7 3
	done
}

@test "ps: one result of triples for any kernel, threads, tile and bounds" {
	local e want way
	table 15 130 80 250 3 >x.tsv
	for e in f32 f64; do
		vsim-pack -f --matrix x.tsv --element $e -o x.vec.h5
		vsim-run -m ps --way 3 -t 0.8 --no-prune -j 1 -f -o run x.vec.h5
		want=$(digest run)
		for way in '--cpu scalar' '--cpu avx2' '-j 3' '--tile 37' \
			'-j 2 --no-prune --tile 50'; do
			case $way in
			*avx2*) grep -qw avx2 /proc/cpuinfo || continue ;;
			esac
			# shellcheck disable=SC2086
			vsim-run -m ps --way 3 -t 0.8 $way -f -o run x.vec.h5
			[ "$(digest run)" = "$want" ] || complain "$e $way"
		done
	done
}

@test "ps: triples by ranks, resumed, permuted, above a threshold afterwards" {
	requires mpi 3
	local want
	table 16 60 90 250 >x.tsv
	vsim-pack --matrix x.tsv -o x.vec.h5
	vsim-run -m ps --way 3 -t 0.7 -o run x.vec.h5
	want=$(digest run)
	ranks 3 vsim-run -m ps --way 3 -t 0.7 --tile 17 -o run3 x.vec.h5
	[ "$(digest run3)" = "$want" ]
	rm run3/*-00001.shard.h5
	vsim-run -m ps --way 3 -t 0.7 --resume -o run3 x.vec.h5
	[ "$(digest run3)" = "$want" ]
	vsim-run -m ps --way 3 -t 0.2 -o all x.vec.h5
	vsim-threshold --above 0.7 -o some all
	[ "$(digest some)" = "$want" ]
	vsim-permute --order sum -o y.vec.h5 x.vec.h5
	vsim-run -m ps --way 3 -t 0.7 -o runy y.vec.h5
	vsim-merge --unpermute -o y.res.h5 runy
	vsim-merge --unpermute -o x.res.h5 run
	[ "$(vsim-view -H y.res.h5 | grep content_xxh128)" = \
		"$(vsim-view -H x.res.h5 | grep content_xxh128)" ]
	vsim-verify --against x.vec.h5 y.res.h5
	vsim-verify --against x.vec.h5 --sample 200 x.res.h5
}

@test "ps: genotypes, a device and an unknown kernel are refused" {
	printf '0\t1\t2\n2\t1\t0\n' >g.tsv
	vsim-pack --tsv g.tsv -o g.vec.h5
	refuses 3 'ps compares numbers' \
		vsim-run -m ps -t 0.5 -o run g.vec.h5
	table 7 5 6 9 >x.tsv
	vsim-pack --matrix x.tsv -o x.vec.h5
	refuses 3 'x.vec.h5' vsim-run -t 0.5 -o run x.vec.h5
	refuses 2 'no device supports this metric' \
		vsim-run -m r --backend cuda -t 0.5 -o run x.vec.h5
	refuses 2 '--kernel lanes512' \
		vsim-run -m ps --kernel lanes512 -t 0.5 -o run x.vec.h5
	refuses 2 '--kernel popcnt-bit' \
		vsim-run -m ps --way 3 --kernel popcnt-bit -t 0.5 -o run x.vec.h5
	refuses 2 '--kernel vnni' \
		vsim-run -m ps --way 3 --kernel vnni-f64 -t 0.5 -o run x.vec.h5
	[ ! -e run ]
}
