# SPDX-License-Identifier: BSD-3-Clause
# Triples of more vectors than a rank's memory holds: groups of them are read time
# and again, and the records are those of a run that has them all.
# shellcheck disable=SC2086
load ../../helpers

# whole OPTION...: memory of a run that has all vectors, and $want that it finds
whole() {
	memory=$(vsim-run -n -w 3 -j 1 --allow-empty "$@" |
		sed -n 's/^memory_of_a_rank: //p')
	rm -rf one
	vsim-run -w 3 -j 1 -o one --merge one.res.h5 --stats one.stats -f "$@"
	want=$(content one.res.h5)
	[ "$(vsim-view -H one.res.h5 | sed -n 's/^#n_records: //p')" -gt 50 ]
}

# found FILE: it has what the run with all vectors has found
found() {
	[ "$(content "$1")" = "$want" ]
}

# each_metric RANKS...: in turn for the runs, or all of them for each run
each_metric() {
	requires mpi 3
	local less how n memory want k=0 in_turn
	vsim-pack --synthetic random --vectors 120 --fields 9000 -o x.vec.h5
	vsim-pack --synthetic random --vectors 120 --fields 9000 --missing 0.02 \
		-o m.vec.h5
	vsim-pack --synthetic epistasis --vectors 120 --fields 4000 -o k.vec.h5
	vsim-pack --synthetic epistasis --vectors 120 --fields 4000 \
		--missing 0.02 -o km.vec.h5
	vsim-pack --synthetic random --element f32 --vectors 75 --fields 3000 \
		-o f.vec.h5
	# less: bytes of about half of the vectors
	while read -r less how; do
		# a plan of --top is made in as long as several runs take
		[[ $# = 1 || $how != *--top* ]] || continue
		whole $how
		k=$((k % $# + 1))
		in_turn=${!k}
		for n in $in_turn; do
			rm -rf run
			ranks "$n" vsim-run -v -w 3 -j 1 -o run \
				--merge run.res.h5 -f $how \
				--memory $((memory - less)) </dev/null 2>said
			found run.res.h5 || complain "$n ranks: $how"
			[ "$n" = 3 ] || grep -q 'vectors are read in groups' said
		done
	done <<-'END'
		135000 -t 0.22 --no-prune --tile 20 x.vec.h5
		210000 -t 0.22 --no-prune --tile 16 m.vec.h5
		105000 -t 0.22 --tile 16 x.vec.h5
		210000 --top 90 --tile 16 m.vec.h5
		135000 -t 0.22 --triples-between 0-9 30-99 --tile 20 x.vec.h5
		135000 -t 0.22 --triples-with 7-11 --tile 20 x.vec.h5
		120000 -m k2 --top 70 --tile 20 k.vec.h5
		120000 -m mi -t 0.006 --tile 20 km.vec.h5
		300000 -m ps -t 0.7 --tile 15 f.vec.h5
		300000 -m ps --top 60 --tile 15 f.vec.h5
	END
}

# bats test_tags=long
@test "triples streamed: of each metric as with all vectors in memory" {
	each_metric 1 3
}

# bats test_tags=long
@test "triples streamed: of each metric on one rank and on three" {
	each_metric '1 3'
}

# bats test_tags=long
@test "triples streamed: a band of pairs, and all values counted" {
	local memory want x
	awk 'BEGIN {
		OFS = "\t"; srand(3)
		printf "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\t"
		printf "QUAL\tFILTER\tINFO\tFORMAT"
		for (s = 0; s < 4000; s++) printf "\ts%d", s
		for (v = 0; v < 120; v++) {
			printf "\n1\t%d\tr%d\tA\tC\t.\t.\t.\tGT", 1000 * v + 1, v
			p = rand()
			for (s = 0; s < 4000; s++)
				printf "\t%d/%d", rand() < p, rand() < p
		}
		print ""
	}' >b.vcf
	vsim-pack --vcf b.vcf -o b.vec.h5
	whole -t 0.21 --max-kb 60 --tile 20 b.vec.h5
	vsim-run -w 3 -j 1 -t 0.21 --max-kb 60 --tile 20 -o run \
		--memory $((memory - 60000)) --merge run.res.h5 b.vec.h5
	found run.res.h5
	vsim-pack --synthetic random --vectors 120 --fields 9000 --missing 0.02 \
		-o m.vec.h5
	for x in m b; do
		whole -t 0.22 --no-prune --tile 20 --metric-histogram one.tsv $x.vec.h5
		vsim-run -f -w 3 -j 1 -t 0.22 --no-prune --tile 20 -o run \
			--metric-histogram run.tsv --merge run.res.h5 \
			--memory $((memory - 60000)) $x.vec.h5
		found run.res.h5
		cmp one.tsv run.tsv
	done
}

# families FAMILY KIN SAMPLE MISSING: vectors of families, far from one another but
# for the last two
families() {
	awk -v nf="$1" -v nk="$2" -v ns="$3" -v miss="$4" '
	function draw(p) {
		return (rand() < p) + (rand() < p)
	}
	BEGIN {
		srand(5)
		printf "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\t"
		printf "QUAL\tFILTER\tINFO\tFORMAT"
		for (s = 0; s < ns; s++) printf "\ts%d", s
		for (v = 0; v < nf * nk; v++) {
			f = (v < nf * nk - 1 ? v : v - 1) % nf
			if (v < nf) p[f] = 0.05 + 0.4 * rand()
			printf "\n1\t%d\tr%d\tA\tC\t.\t.\t.\tGT", v + 1, v
			for (s = 0; s < ns; s++) {
				if (v < nf) a[f, s] = draw(p[f])
				g = rand() < 0.1 ? draw(p[f]) : a[f, s]
				printf "\t%s", rand() < miss ? "./." : \
					g == 0 ? "0/0" : g == 1 ? "0/1" : "1/1"
			}
		}
		print ""
	}'
}

# by_candidates NAME LESS RANKS OPTION...: as with all vectors, by ranks that have
# LESS bytes each
by_candidates() {
	local name=$1 less=$2 ranks=$3 memory want n had
	shift 3
	whole "$@" "$name.vec.h5"
	for n in $ranks; do
		had=$memory
		[ "$n" = 1 ] || had=$(ranks 3 vsim-run -n -w 3 -j 1 \
			--allow-empty "$@" "$name.vec.h5" |
			sed -n 's/^memory_of_a_rank: //p')
		had=$((had - less / n))
		rm -rf run
		ranks "$n" vsim-run -f -v -w 3 -j 1 "$@" -o run \
			--memory "$had" --merge run.res.h5 --stats stats \
			"$name.vec.h5" </dev/null 2>said
		found run.res.h5 || complain "$n ranks: $name $*"
		grep -q 'vectors are read in groups' said
		grep -q '^compute: .* candidates$' stats
	done
}

# bats test_tags=long
@test "triples streamed: by candidates as with all vectors in memory" {
	requires mpi 3
	export VSIM_WITHOUT=cost-model
	families 40 5 3000 0 | vsim-pack --vcf - -o k.vec.h5
	families 40 5 3000 0.02 | vsim-pack --vcf - -o km.vec.h5
	by_candidates k 25000 3 -t 0.31
	by_candidates km 25000 '1 3' -t 0.31 --tile 40
	# the greatest values alone: tiles of two blocks
	by_candidates k 25000 1 -t 0.31 --top 60
	by_candidates km 25000 3 -t 0.31 --max-sites 120
}

# bats test_tags=long
@test "triples streamed: by candidates of each kind, on one rank and on three" {
	requires mpi 3
	export VSIM_WITHOUT=cost-model
	families 40 5 3000 0 | vsim-pack --vcf - -o k.vec.h5
	families 40 5 3000 0.02 | vsim-pack --vcf - -o km.vec.h5
	by_candidates k 25000 '1 3' -t 0.31
	by_candidates k 25000 3 -t 0.31 --tile 40
	by_candidates km 25000 1 -t 0.31
}

# little: a hundredth of the triples was counted, at the most
little() {
	awk '/^triples:/ { all = $2 } /^triples_counted:/ { some = $2 }
		END { exit !(all > 0 && 100 * some < all) }' "$1" ||
		complain "$1: $(grep ^triples "$1" | tr '\n' ' ')"
}

# bats test_tags=long
@test "triples streamed: --top looks above one threshold after the other" {
	requires mpi 3
	local name less how memory want n of had
	families 20 10 3000 0 >k.vcf
	families 20 10 3000 0.02 >km.vcf
	for name in k km; do
		vsim-pack --vcf $name.vcf -o $name.vec.h5
	done
	sed 's:0/[01]:0:g; s:1/1:1:g' k.vcf >h.vcf
	vsim-pack --ploidy 1 --vcf h.vcf -o h.vec.h5
	while read -r less of how; do
		of=${of/+/ }
		whole $how
		little one.stats
		# candidates take what those have who count all
		vsim-run -w 3 -j 1 -o run $how -f --memory $memory \
			--stats stats --merge run.res.h5 </dev/null
		found run.res.h5 || complain "in memory: $how"
		little stats
		for n in $of; do
			# ranks have one copy of what is in memory
			had=$((memory - (n == 1 ? 25000 : less)))
			rm -rf run
			ranks $n vsim-run -v -w 3 -j 1 -o run $how -f \
				--memory $had --stats stats \
				--merge run.res.h5 </dev/null 2>said
			found run.res.h5 || complain "$n ranks: $how"
			grep -q 'vectors are read in groups' said
			little stats
		done
	done <<-'END'
		128000 3 --top 60 k.vec.h5
		246000 1+3 --top 51 -t 0.1 km.vec.h5
		128000 1 --top 60 -m duo h.vec.h5
	END
}

# in_stages THRESHOLD LESS L...: stages of x.vec.h5 that have L bytes less than all
# take, and stages of a run, one with memory for all and one with LESS bytes less
in_stages() {
	local how="-t $1 -w 3 -j 1" less=$2 k memory want
	whole -t "$1" x.vec.h5
	shift 2
	for k in $(seq $#); do
		vsim-run $how --stage "$k/$#" -o "part$k" \
			--memory $((memory - ${!k})) x.vec.h5
		vsim-verify "part$k"
	done
	vsim-merge -o parts.res.h5 part2 part3 part1
	found parts.res.h5
	vsim-run $how --stage 2/3 -o run x.vec.h5
	vsim-run $how --stage 3/3 --resume --memory $((memory - less)) -o run \
		x.vec.h5
	vsim-run $how --stage 1/3 --resume -o run x.vec.h5
	vsim-merge -o run.res.h5 run
	found run.res.h5
}

# bats test_tags=long
@test "triples streamed: by candidates in stages, and resumed with other memory" {
	export VSIM_WITHOUT=cost-model
	families 60 4 3000 0.01 >k.vcf
	vsim-pack --vcf k.vcf -o x.vec.h5
	in_stages 0.31 60000 40000 80000 120000
}

# bats test_tags=long
@test "triples streamed: stages, and what others have begun, either way" {
	vsim-pack --synthetic random --vectors 300 --fields 6000 --missing 0.01 \
		-o x.vec.h5
	in_stages 0.155 500000 0 300000 600000
}

# bats test_tags=long
@test "triples streamed: half of a run's shards, resumed with less memory" {
	local memory want
	requires mpi 3
	vsim-pack --synthetic random --vectors 120 --fields 6000 -o x.vec.h5
	whole -t 0.22 --tile 20 x.vec.h5
	ranks 3 vsim-run -f -w 3 -j 1 -t 0.22 --tile 20 -o one x.vec.h5
	rm "$(find one -name '*.shard.h5' | sort | head -n 1)"
	run ! vsim-merge -f -o run.res.h5 one
	vsim-run --resume -w 3 -j 1 -t 0.22 --tile 20 -o one -v \
		--memory $((memory - 90000)) x.vec.h5 2>said
	grep -q 'tiles are done already' said
	grep -q 'vectors are read in groups' said
	vsim-merge -f -o run.res.h5 one
	found run.res.h5
	# and the other way round
	ranks 3 vsim-run -f -w 3 -j 1 -t 0.22 --tile 20 -o run \
		--memory $((memory - 90000)) x.vec.h5
	rm "$(find run -name '*.shard.h5' | sort | head -n 1)"
	vsim-run --resume -w 3 -j 1 -t 0.22 --tile 20 -o run x.vec.h5
	vsim-merge -f -o run.res.h5 run
	found run.res.h5
}

# bats test_tags=long
@test "triples streamed: memory stays below what is allowed" {
	requires cpu avx2
	! sanitized || skip "a sanitizer has memory of its own"
	local peak limit=64000000
	# 82 MB of planes
	vsim-pack --synthetic random --vectors 20000 --fields 16000 -o x.vec.h5
	vsim-run -w 3 -t 0.08 -j 1 --triples-between 0-0 1-2 --no-prune \
		--merge one.res.h5 -o one --stats one.stats x.vec.h5
	peak=$(sed -n 's/^peak_rss: //p' one.stats)
	[ "$peak" -gt 82000000 ]
	vsim-run -v -w 3 -t 0.08 -j 1 --triples-between 0-0 1-2 --no-prune \
		--memory $limit --merge run.res.h5 -o run --stats stats \
		x.vec.h5 2>said
	grep -q 'vectors are read in groups: [0-9]* MB of memory would hold all' said
	peak=$(sed -n 's/^peak_rss: //p' stats)
	[ "$peak" -lt $limit ]
	[ "$(content one.res.h5)" = "$(content run.res.h5)" ]
}

# bats test_tags=long
@test "triples streamed: candidates that have no memory are named" {
	local memory
	# those of one vector take more than half of all vectors
	vsim-pack --synthetic random --vectors 50000 --fields 64 -o x.vec.h5
	memory=$(vsim-run -n -w 3 -j 1 -t 0.9 --allow-empty x.vec.h5 |
		sed -n 's/^memory_of_a_rank: //p')
	run --separate-stderr vsim-run -n -w 3 -j 1 -t 0.9 --allow-empty \
		--memory $((memory - 400000)) x.vec.h5
	[ "$status" = 0 ]
	[[ $stderr == *'all triples are counted: candidates'*"--memory $((memory / 1048576 + 1))M holds all vectors beside them" ]]
	grep -qx 'blocks: streamed' <<<"$output"
}

@test "triples streamed: memory of candidates is planned, and too little refused" {
	local memory
	vsim-pack --synthetic random --vectors 300 --fields 6000 -o x.vec.h5
	memory=$(vsim-run -n -w 3 -j 1 -t 0.4 --allow-empty x.vec.h5 |
		sed -n 's/^memory_of_a_rank: //p')
	run --separate-stderr vsim-run -n -w 3 -j 1 -t 0.4 --allow-empty \
		--memory $((memory - 200000)) x.vec.h5
	[ "$status" = 0 ] && [ -z "$stderr" ]
	grep -qx 'blocks: streamed' <<<"$output"
	# what leaves none out by candidates has no need of it
	run --separate-stderr vsim-run -n -w 3 -j 1 -t 0.4 --allow-empty \
		--no-prune --memory $((memory - 200000)) x.vec.h5
	[ "$status" = 0 ] && [ -z "$stderr" ]
	refuses 4 'memory needed for tiles of 32 vectors' vsim-run -w 3 -j 1 \
		-t 0.4 --memory $((memory / 2)) -o run x.vec.h5
	[ ! -e run ]
}
