# SPDX-License-Identifier: BSD-3-Clause
# Association with missing calls and samples of neither class, against Python.
load ../../helpers
load ../association

# bats test_tags=long
@test "association: classes at the edges of words, 5 % missing" {
	edges 0.05
}

# bats test_tags=long
@test "association: classes at the edges of words, 30 % missing" {
	edges 0.3
}

# bats test_tags=long
@test "association: 5 and 30 % of calls missing, some samples of neither class" {
	made 3 11 200 0.05 70
	judged "k2 lbf mi g"
	made 4 10 150 0.3 60
	judged k2 --cpu popcnt
}

# bats test_tags=long
@test "association: interaction of triples, and with missing calls" {
	made 4 5 400 0 190
	judged inter
	made 5 5 150 0.1 70
	judged inter
}

# bats test_tags=long
@test "association: alpha and beta, whatever the classes, with missing calls" {
	local n
	for n in 1 45 89; do
		made "$n" 8 90 0 "$n"
		judged "alpha beta"
	done
	made 5 6 150 0.1 70
	judged "alpha beta"
}

# v0 and v1 have no sample in common, v4 has five calls
sparse() {
	awk 'BEGIN { srand(5); for (v = 0; v < 5; v++) {
		printf "1 v%d 0 %d", v, v + 1
		for (k = 0; k < 60; k++) printf(\
			v == 0 && k >= 30 || v == 1 && k < 30 || \
			v == 4 && (k < 28 || k > 32) ? " 0 0" : \
			rand() < 0.4 ? " A A" : rand() < 0.5 ? " A C" : " C C")
		print "" } }' >x.tped
	awk 'BEGIN { for (k = 0; k < 60; k++)
		print k, k, 0, 0, 0, 1 + k % 2 }' >x.tfam
	vsim-pack --tped x -f -o x.vec.h5
}

# bats test_tags=long
@test "association: a table without samples is not a record" {
	local m w t backend
	sparse
	twin
	for m in k2:1e300 lbf:-1e300 inter:-1 alpha:-1; do
		t=${m#*:} m=${m%:*}
		for w in 2 3; do
			# of 10 pairs and triples those without v0 and v1 together
			all $m $w
			[ "$(vsim-view --no-header -c n x.res.h5 | awk '$1 < 1' |
				wc -l)" = 0 ]
			[ "$(vsim-view --no-header x.res.h5 | wc -l)" = \
				$((w == 2 ? 9 : 7)) ]
			vsim-verify --against x.vec.h5 run x.res.h5
			for backend in cpu cuda; do
				vsim-run -f -m $m -w $w -t $t --top 50 \
					--backend $backend -o top \
					--merge top.res.h5 x.vec.h5 2>said
				[ "$(vsim-view --no-header top.res.h5 | wc -l)" = \
					$((w == 2 ? 9 : 7)) ] || complain "$m $w $backend"
			done
		done
	done
}

@test "association: the strongest of k2 is the lowest, and is based on few samples" {
	vsim-run --help | grep -q '^ *k2 .* lbf if calls are missing$'
	sparse
	vsim-run -m k2 --top 3 -o run x.vec.h5 2>said
	grep -q 'strongest pair (v., v4) is based on [1-5] of 60 samples' said
	vsim-run -f -m k2 -w 3 -t 1e300 -o run x.vec.h5 2>said
	grep -q 'strongest triple (.*v4) is based on [1-5] of 60 samples' said
}

@test "association: n and --min-joint count samples of known status" {
	local miss m w
	for miss in 0 0.1; do
		awk -v miss=$miss 'BEGIN { srand(3); for (v = 0; v < 4; v++) {
			printf "1 v%d 0 %d", v, v + 1
			for (k = 0; k < 70; k++)
				printf rand() < miss ? " 0 0" : \
				rand() < 0.4 ? " A A" : rand() < 0.5 ? " A C" : " C C"
			print "" } }' >x.tped
		awk 'BEGIN { for (k = 0; k < 70; k++)
			print k, k, 0, 0, 0, k % 7 ? 1 + k % 2 : -9, k % 7 ? k * k % 11 : "NA" }' >x.tfam
		for m in k2 f; do
			vsim-pack -f --tped x --pheno-name pheno$([ $m = k2 ] || echo 2) \
				-o x.vec.h5 2>said
			for w in 2 3; do
				vsim-run -f -m $m -w $w --top 9 -o run \
					--merge x.res.h5 x.vec.h5 2>said
				vsim-view --no-header -c n,controls,cases x.res.h5 2>said |
					awk -F'[\t,]' '{ for (k = 2; k <= NF; k++) $1 -= $k
						if ($1) exit 1 }' || [ $m = f ]
				vsim-view --no-header -c n x.res.h5 | awk -v miss=$miss \
					'miss ? $1 > 60 : $1 != 60 { exit 1 }'
				[ -z "$(vsim-view --no-header --min-joint 61 x.res.h5)" ]
				vsim-verify --against x.vec.h5 run x.res.h5
			done
		done
	done
}
