# SPDX-License-Identifier: BSD-3-Clause
# vsim-merge --reproducible: one result is one file, byte by byte, whatever computed
# it and however it was sorted and packed.
load ../../helpers

# same HOW...: the shards merged are the bytes of first.res.h5
same() {
	vsim-merge -f --reproducible "${merge[@]}" -o other.res.h5 "${shards[@]}"
	[ -e first.res.h5 ] || cp other.res.h5 first.res.h5
	cmp first.res.h5 other.res.h5 || complain "other bytes: $*"
}

# by RANKS STAGES: the run by these ranks in these stages, the last one killed and resumed
by() {
	local k launch=()
	[ "$1" = 1 ] || launch=(ranks "$1")
	rm -rf run.*
	shards=()
	for k in $(seq "$2"); do
		"${launch[@]}" vsim-run -t -1 --tile $((40 + $1)) --stage "$k/$2" \
			--commit-every 0 -o "run.$k" x.vec.h5
		shards+=("run.$k")
	done
	same "$1 ranks, $2 stages"
	# a shard is lost, and one rank makes it again
	rm "$(ls "run.$2"/*.shard.h5 | head -n 1)"
	vsim-run -r -t -1 --tile $((40 + $1)) --stage "$2/$2" -o "run.$2" x.vec.h5
	same "$1 ranks, $2 stages, resumed"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	vsim-pack --synthetic random --vectors 400 --fields 200 -o x.vec.h5
	merge=()
}

# bats test_tags=long
@test "reproducible: threads, memory, kernels, ranks, stages and resumes" {
	local n
	by 1 1
	[ "$(vsim-view --no-header first.res.h5 | wc -l)" -gt 65536 ]
	for n in '-j 1' '-j 3' '--memory 8M -j 2' '--memory 1M'; do
		read -ra merge <<<"$n"
		same "$n"
	done
	merge=()
	by 1 3
	! can_start 3 || by 3 1
	rm -rf run
	vsim-run -t -1 --cpu scalar -j 1 -o run x.vec.h5
	shards=(run)
	same scalar
	quietly vsim-verify first.res.h5
	vsim-verify --against x.vec.h5 first.res.h5
	# the uuid is made of the content, and nothing is of this run or machine
	[ "$(vsim-view -H first.res.h5 | sed -n 's/^#content_xxh128: //p' | cut -c 1-8)" = \
		"$(vsim-view -H first.res.h5 | sed -n 's/^#uuid: //p' | cut -c 1-8)" ]
	! vsim-view -H first.res.h5 | grep -E "vsim-run|cpu-|$PWD|_tool: vsim-merge"
	vsim-view -H first.res.h5 | grep -qx '#created: 1970-01-01T00:00:00Z'
	# and of no clock where the date that is set is none
	for n in '' now -1 253402300800; do
		SOURCE_DATE_EPOCH=$n same "date $n"
	done
	SOURCE_DATE_EPOCH=1 vsim-merge --reproducible -o dated.res.h5 run
	vsim-view -H dated.res.h5 | grep -qx '#created: 1970-01-01T00:00:01Z'
	for n in zstd none; do
		vsim-merge --reproducible --codec $n -j 1 -o a.$n.h5 run
		vsim-merge --reproducible --codec $n -j 3 -o b.$n.h5 "${shards[@]}"
		cmp a.$n.h5 b.$n.h5
		vsim-verify a.$n.h5
	done
	refuses 2 '--partial cannot be combined with --reproducible' \
		vsim-merge --reproducible --partial -o no.res.h5 run
}

@test "reproducible: a result that went on from an earlier one" {
	local n
	awk 'BEGIN {
		srand(4)
		printf "id"
		for (s = 0; s < 60; s++) printf "\ts%d", s
		print ""
		for (v = 0; v < 90; v++) {
			printf "v%d", v
			for (s = 0; s < 60; s++) printf "\t%d", rand() * 2.99
			print ""
		}
	}' >x.tsv
	awk 'NR % 4 != 2' x.tsv >old.tsv
	for n in x old; do
		vsim-pack -f --tsv $n.tsv -o $n.vec.h5
	done
	vsim-run -t 0.2 -o all x.vec.h5
	shards=(all)
	same whole
	vsim-run -t 0.2 -o old --merge old.res.h5 old.vec.h5
	vsim-run -t 0.2 --against old.res.h5 -o run x.vec.h5
	shards=(old.res.h5 run)
	same incremental
	[ "$(vsim-view --no-header other.res.h5 | wc -l)" -gt 1000 ]
}

# bats test_tags=long
@test "reproducible: 1, 2, 3, 4 and 7 ranks in 1 and 3 stages, each resumed" {
	local n
	requires mpi 7
	for n in 1 2 3 4 7; do
		by $n 1
		by $n 3
	done
}
