# SPDX-License-Identifier: BSD-3-Clause
# Equal results for any ranks, threads, kernels, orders and labels.
load ../../helpers

oracle() {
	"$PYTHON" "$TOP/tests/flow/oracle.py" "$@"
}

# merged NAME [MERGE-OPTION...]: merge run NAME, say its content and its text
merged() {
	vsim-merge -f "${@:2}" -o "$1.res.h5" "$1"
	content "$1.res.h5"
	vsim-view -c i,j,a,b,num,n,value "$1.res.h5" | sha256sum
}

# data KIND...: x.tsv and x.vec.h5 with kin, rare alleles and constant vectors
data() {
	requires python numpy h5py
	oracle make 190 300 11 "$@" >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
}

# all_ways RANKSxTHREADS...: each on two steps of the CPU in turn (ways.bats has
# every kernel on every number of ranks)
all_ways() {
	requires mpi 4
	local n j way cpu k=0 steps want got
	mapfile -t steps < <(cpu_steps)
	vsim-run -t 0.4 -j 1 --cpu scalar -o first x.vec.h5
	want=$(merged first)
	[ -n "$(content first.res.h5)" ]
	for way in "$@" "$@"; do
		n=${way%x*} j=${way#*x}
		cpu=${steps[(k + k / $#) % ${#steps[@]}]}
		k=$((k + 1))
		rm -rf run
		ranks "$n" vsim-run -t 0.4 -j "$j" --cpu "$cpu" \
			--tile $((10 + 7 * n)) -o run x.vec.h5
		got=$(merged run)
		[ "$got" = "$want" ] || complain \
			"$n ranks, $j threads, $cpu" "$got"
	done
	vsim-verify --compare first.res.h5 run.res.h5
	vsim-verify --compare first run
}

# bats test_tags=long
@test "equal: 1 to 4 ranks, 1 and 2 threads; dense" {
	data
	all_ways 1x1 1x2 2x1 2x2 3x1 3x2 4x1 4x2
}

# bats test_tags=long
@test "equal: 1 to 4 ranks; calls missing" {
	data missing vectors samples
	all_ways 1x2 2x2 3x1 4x2
}

# undone X: run on X, merged back to the names of the first input
undone() {
	rm -rf run
	vsim-run -t 0.4 -o run "$1"
	merged run --unpermute
}

# bats test_tags=install
@test "equal: permuted and merged back, any order" {
	data missing vectors
	want=$(undone x.vec.h5)
	vsim-verify --against x.vec.h5 run.res.h5
	for order in 'random --seed 1' 'random --seed 2' frequency \
		'frequency --reverse' position; do
		# shellcheck disable=SC2086
		vsim-permute -f --order $order -o p.vec.h5 x.vec.h5
		got=$(undone p.vec.h5)
		[ "$got" = "$want" ] || complain "$order: $got"
		vsim-verify --against p.vec.h5 run.res.h5
	done
	# vectors in one order judge a result from another
	vsim-verify --against x.vec.h5 run.res.h5
	vsim-permute -f --order random --seed 5 -o q.vec.h5 p.vec.h5
	vsim-verify --against q.vec.h5 run.res.h5
	[ "$(undone q.vec.h5)" = "$want" ]
}

@test "equal: not merged back, a permuted run is another result" {
	data
	vsim-permute --order random -o p.vec.h5 x.vec.h5
	vsim-run -t 0.4 -o a x.vec.h5
	vsim-run -t 0.4 -o b p.vec.h5
	[ "$(merged a)" != "$(merged b)" ]
	# though shown by original rows it is the same lines in another order
	show() {
		vsim-view --no-header -c id1,allele1,id2,allele2,num,value "$1" |
			awk -v OFS='\t' '{
				if (substr($1, 2) + 0 > substr($3, 2) + 0)
					print $3, $4, $1, $2, $5, $6
				else
					print $1, $2, $3, $4, $5, $6
			}' | sort
	}
	diff <(show a.res.h5) <(show b.res.h5)
}

# bats test_tags=long
@test "equal: minor alleles labelled 1 or given ones, mapped back" {
	requires python numpy
	for how in '' missing; do
		oracle make 120 65 12 $how >x.tsv
		vsim-pack -f --tsv x.tsv --label given -o g.vec.h5
		vsim-pack -f --tsv x.tsv --label minor -o m.vec.h5
		want=$(undone g.vec.h5)
		[ "$(undone m.vec.h5)" = "$want" ]
		vsim-verify --against g.vec.h5 run.res.h5
		vsim-view --no-header -c i,j,a,b,num,n,value run.res.h5 |
			diff <(oracle edges x.tsv 0.4) -
		vsim-permute -f --order frequency -o p.vec.h5 m.vec.h5
		[ "$(undone p.vec.h5)" = "$want" ]
	done
}

# bats test_tags=long
@test "equal: f32 values, any ranks and kernels" {
	data missing
	vsim-run -t 0.4 -j 1 --cpu scalar --value f32 -o first x.vec.h5
	want=$(merged first)
	for n in 1 3; do
		rm -rf run
		ranks $n vsim-run -t 0.4 -j 2 --value f32 -o run x.vec.h5
		[ "$(merged run)" = "$want" ]
	done
}

# bats test_tags=long
@test "equal: duo with one allele per call, any number of ranks" {
	requires mpi 3
	requires python numpy
	oracle make 190 300 11 missing >x.tsv
	vsim-pack --tsv x.tsv --ploidy 1 -o x.vec.h5
	vsim-run -m duo -t 0.4 -j 1 --cpu scalar --no-prune -o first x.vec.h5
	want=$(merged first)
	[ "$(vsim-view --no-header first.res.h5 | wc -l)" -gt 100 ]
	for n in 2 3; do
		rm -rf run
		ranks $n vsim-run -m duo -t 0.4 --tile 20 -o run x.vec.h5
		[ "$(merged run)" = "$want" ]
	done
}

# bats test_tags=long
@test "equal: vectors that do not fit are read block by block" {
	requires mpi 2
	data missing
	vsim-run -t 0.4 -o first x.vec.h5
	want=$(merged first)
	for way in 1x1 1x2 2x1 2x2; do
		n=${way%x*} j=${way#*x}
		# a byte less than what holds all vectors
		m=$(ranks "$n" vsim-run -n -t 0.4 --tile 40 -j "$j" x.vec.h5 |
			sed -n 's/^memory_of_a_rank: //p')
		m=$((m - 1))
		ranks "$n" vsim-run -n -t 0.4 --tile 40 -j "$j" --memory $m x.vec.h5 >plan
		grep -qx 'blocks: streamed' plan
		rm -rf run
		ranks "$n" vsim-run -t 0.4 --tile 40 -j "$j" --memory $m -o run x.vec.h5
		got=$(merged run)
		[ "$got" = "$want" ] || complain "$way: $got"
	done
	refuses 4 'memory needed for tiles of 3 vectors and 0 MB allowed' \
		vsim-run -t 0.4 --memory 1K -o none x.vec.h5
}

# bats test_tags=install
@test "equal: tiles, segments and codecs do not show" {
	data missing
	vsim-run -t 0.4 -o first x.vec.h5
	want=$(merged first)
	for how in '--tile 5' '--tile 64' '--tile 500' \
		'--tile 30 --commit-every 0' '--codec none' '--codec deflate'; do
		rm -rf run
		# shellcheck disable=SC2086
		vsim-run -t 0.4 $how -o run x.vec.h5
		[ "$(merged run)" = "$want" ] || complain "$how"
	done
}

# bats test_tags=long
@test "equal: 1 to 7 ranks that pass vectors on or read them, stages, resumed" {
	requires mpi 7
	data missing vectors
	local n way other want got
	local -A next=([ring]=fetch [fetch]=file [file]=ring)
	vsim-run -t 0.4 -j 1 -o first x.vec.h5
	want=$(merged first)
	for n in 1 2 3 4 5 6 7; do for way in ring fetch file; do
		rm -rf run run.2
		# no ring passes round what a stage needs
		ranks "$n" vsim-run -t 0.4 -j 1 --tile 16 \
			--exchange "${way/ring/file}" --stage 1/2 -o run x.vec.h5
		# the other stage another way, by as many ranks as there are not
		other=${next[$way]}
		ranks $((8 - n)) vsim-run -t 0.4 -j 1 --tile 16 \
			--exchange "${other/ring/fetch}" --stage 2/2 -o run.2 \
			x.vec.h5
		vsim-merge -f -o run.res.h5 run run.2
		[ "$(content run.res.h5)" = "$(content first.res.h5)" ] || complain \
			"$n ranks, $way, stages" "$(content run.res.h5)"
		# a part of the shards is lost
		rm -rf run
		ranks "$n" vsim-run -t 0.4 -j 1 --tile 16 --commit-every 0 \
			--exchange "$way" -o run x.vec.h5
		rm -f "$(find run -name '*.shard.h5' | sort | head -n 1)"
		ranks $((8 - n)) vsim-run -t 0.4 -j 1 --tile 16 --resume \
			--exchange "$other" -o run x.vec.h5
		got=$(merged run)
		[ "$got" = "$want" ] || complain "$n ranks, $way, resumed" "$got"
	done; done
}

# bats test_tags=long
@test "equal: 3 ranks read what their tiles need, and a plan says how much" {
	requires mpi 3
	data
	vsim-run -t 0.4 -j 1 -o first x.vec.h5
	ranks 3 vsim-run -t 0.4 -j 1 --tile 8 --exchange file -o run x.vec.h5
	[ "$(merged run)" = "$(merged first)" ]
	ranks 3 vsim-run -n -t 0.4 --tile 8 --exchange file x.vec.h5 >file
	ranks 3 vsim-run -n -t 0.4 --tile 8 x.vec.h5 >ring
	grep -x 'exchange: file' file
	grep -x 'exchange: ring' ring
	# 2 of 3 ranks' vectors minus its own: a third of 190 x 2 x 40 bytes
	grep -x 'received_by_a_rank: 5067' ring
	vsim-run -n -t 0.4 x.vec.h5 | grep -c exchange: | grep -x 0
}

# bats test_tags=long
@test "equal: 3 ranks fetch blocks from each other, and read the file once" {
	requires mpi 3
	data missing vectors
	sed 's/NA/0/g' x.tsv >m.tsv
	vsim-pack --matrix m.tsv -o m.vec.h5
	local run
	# all blocks; tiles that take too long, in smaller ones; numbers
	for run in '-t 0.4 --tile 16 x' '-t 0.4 --commit-every 0 x' \
		'-m r2 -t 0.2 --tile 16 x' '-m ps -t 0.7 --tile 16 m' \
		'-m cosine -t 0.7 --tile 16 m' '-t 0.4 --top 50 --tile 8 x'; do
		rm -rf first run
		# shellcheck disable=SC2086
		vsim-run -j 1 -o first $run.vec.h5
		# shellcheck disable=SC2086
		ranks 3 vsim-run -j 2 --exchange fetch --stats s.yaml -o run \
			$run.vec.h5
		vsim-merge -f -o first.res.h5 first
		vsim-merge -f -o run.res.h5 run
		[ "$(content run.res.h5)" = "$(content first.res.h5)" ] ||
			complain "$run"
		grep -q '^vectors_fetched: [1-9]' s.yaml || complain "$run: none"
		# 64 of 190 vectors, of 80 bytes or 300
		for shard in run/*.shard.h5; do
			vsim-view -H "$shard" | grep '^#stats_bytes_input: '
		done | grep -vx '#stats_bytes_input: \(5120\|19200\)' >other || :
		[ ! -s other ] || complain "$run" "$(cat other)"
	done
	ranks 3 vsim-run -n -t 0.4 --tile 8 --exchange fetch x.vec.h5 |
		grep -x 'exchange: fetch'
	# vectors of one genotype, which pass with none, stay where they are
	awk 'BEGIN { FS = OFS = "\t" }
		NR > 20 && NR < 150 { for (q = 2; q <= NF; q++) $q = 0 }
		{ print }' <(oracle make 190 300 11) >y.tsv
	vsim-pack --tsv y.tsv -o y.vec.h5
	rm -rf first
	vsim-run -t 0.6 -j 1 -o first y.vec.h5
	for run in '' --no-prune; do
		rm -rf run
		# shellcheck disable=SC2086
		ranks 3 vsim-run -t 0.6 -j 1 --tile 95 --exchange fetch $run \
			--stats s.yaml -o run y.vec.h5
		[ "$(merged run)" = "$(merged first)" ] || complain "dead $run"
		sed -n 's/^vectors_fetched: //p' s.yaml
	done >fetched
	awk 'NR == 1 { n = $1 } END { exit !(n > 0 && 2 * n < $1) }' fetched ||
		complain "$(cat fetched)"
	# MPI without windows: the file is read, as is said
	if [ "$(probed MPI_FLAVOUR)" != mpich ]; then
		rm -rf first run
		vsim-run -t 0.4 -j 1 -o first x.vec.h5
		OMPI_MCA_osc=^sm,rdma,pt2pt,ucx,monitoring OMPI_MCA_pml=ob1 \
			ranks 3 vsim-run -t 0.4 -j 1 --exchange fetch -o run \
			x.vec.h5 2>said
		grep 'blocks were read from the file' said
		[ "$(merged run)" = "$(merged first)" ]
	fi
	# no memory for a share beside blocks, nor for a ring
	vsim-run -n -t 0.4 -j 1 --cpu scalar --ranks 3 --memory 30M \
		--shape 60000x4000 | grep -x 'exchange: file'
}

# bats test_tags=long
@test "equal: 3 ranks read the counts of a third of the vectors each" {
	requires mpi 3
	data
	local v want
	# what is missing is so in one third alone
	for v in 0 64 189; do
		awk -v v=$v 'BEGIN { FS = OFS = "\t" }
			NR == v + 2 { $5 = $9 = "NA" }
			{ print }' x.tsv >y.tsv
		vsim-pack -f --tsv y.tsv -o y.vec.h5
		rm -rf first run
		vsim-run -t 0.4 -j 1 -o first y.vec.h5
		ranks 3 vsim-run -t 0.4 -j 1 --tile 16 -o run y.vec.h5
		want=$(merged first)
		[ "$(merged run)" = "$want" ] || complain "$v"
		vsim-view -H run.res.h5 | grep -x '#missing: skip'
	done
}

# bats test_tags=long
@test "equal: ranks that read blocks of two sets, stages, resumed" {
	requires mpi 5
	data missing vectors
	local sets n got
	for sets in '0-49 30-189' '100-189 0-99' '7-7 0-189'; do
		rm -rf first run run.2
		n=$((${#sets} % 3 + 3))
		# shellcheck disable=SC2086
		vsim-run -t 0.35 -j 1 --pairs-between $sets -o first x.vec.h5
		# shellcheck disable=SC2086
		ranks $n vsim-run -t 0.35 -j 1 --tile 9 --stage 1/2 \
			--exchange fetch --pairs-between $sets -o run x.vec.h5
		# shellcheck disable=SC2086
		vsim-run -t 0.35 -j 1 --tile 9 --stage 2/2 \
			--pairs-between $sets -o run.2 x.vec.h5
		merged first >want
		vsim-merge -f -o run.res.h5 run run.2
		got=$(content run.res.h5)
		[ "$got" = "$(head -n 1 want)" ] ||
			complain "$n ranks, $sets, stages" "$got"
		rm -f "$(find run -name '*.shard.h5' | sort | head -n 1)"
		# shellcheck disable=SC2086
		ranks $((8 - n)) vsim-run -t 0.35 -j 1 --tile 9 --stage 1/2 \
			--resume --exchange file --pairs-between $sets \
			-o run x.vec.h5
		vsim-merge -f -o run.res.h5 run run.2
		[ "$(content run.res.h5)" = "$(head -n 1 want)" ] ||
			complain "$n ranks, $sets, resumed"
	done
	vsim-run -n -t 0.4 --pairs-between 0-49 30-189 --ranks 9209 x.vec.h5 |
		grep -x 'exchange: fetch'
}

# bats test_tags=long
@test "equal: the plan for 3 ranks without them is the plan of 3 ranks" {
	requires mpi 3
	data
	local way
	for way in ring fetch file; do
		ranks 3 vsim-run -n -t 0.4 -j 1 --exchange "$way" \
			--memory 100M x.vec.h5 | grep -v estimated >real
		vsim-run -n -t 0.4 -j 1 --exchange "$way" --ranks 3 \
			--memory 100M x.vec.h5 | grep -v estimated >planned
		grep -x 'ranks: 3' planned
		diff real planned
	done
	vsim-run -n -t 0.4 --ranks 9209 x.vec.h5 | grep -x 'exchange: fetch'
	refuses 2 '--ranks requires --dry-run' vsim-run -t 0.4 --ranks 3 -o r x.vec.h5
}

# bats test_tags=long
@test "equal: libraries that change the floating-point environment" {
	requires mpi 2
	requires cmd "${CC:-gcc}"
	! sanitized || skip "a sanitizer comes first"
	local how when lib=
	export FLOAT_ENV FLOAT_ENV_SEEN=$PWD/seen
	"${CC:-gcc}" -D_GNU_SOURCE -O1 -fPIC -shared -o float_env.so \
		"$TOP/tests/flow/float_env.c" -lm -ldl
	simulate
	# below the least normal number; numbers that round; genotypes
	awk 'BEGIN { for (v = 0; v < 20; v++) for (q = 0; q < 30; q++)
		printf "%de-312%s", (7 * v + 11 * q + v * q) % 97 + 1,
			q < 29 ? "\t" : "\n" }' >low.tsv
	sed 's/e-312/e-1/g' low.tsv >plain.tsv
	awk '{ for (q = 1; q <= NF; q++) printf "%d%s", $q * 10 % 3,
		q < NF ? "\t" : "\n" }' plain.tsv >calls.tsv
	vsim-pack --tsv calls.tsv -o calls.vec.h5
	# results: digests of all that is made in this environment
	results() {
		local x with=(env LD_PRELOAD="$lib")
		: >seen
		for x in low plain; do
			"${with[@]}" vsim-pack -f --matrix $x.tsv --element f64 -o $x.vec.h5
			content $x.vec.h5
		done
		for x in '1 -m ps low' '1 -m cosine low' '1 -m r plain' \
			'2 -m euclid plain' '2 --way 3 calls' \
			'1 --backend cuda calls'; do
			# shellcheck disable=SC2086
			set -- $x
			x=("${@:2:$#-2}" "${@: -1}.vec.h5")
			if [ "$1" = 2 ]; then
				ranks 2 "${with[@]}" vsim-run -f -j 2 -t 0.1 \
					-o run "${x[@]}"
			else
				"${with[@]}" vsim-run -f -j 2 -t 0.1 \
					-o run "${x[@]}"
			fi
			"${with[@]}" vsim-verify --against "${@: -1}.vec.h5" run
			vsim-merge -f -o e.res.h5 run
			content e.res.h5
		done
	}
	results >want
	[ "$(sort -u want | wc -l)" = 8 ]
	for how in uz t; do
		FLOAT_ENV=$how lib=$PWD/float_env.so
		results >got
		diff want got || complain "environment $how"
		# loaded, began a thread, began MPI, opened the plugin
		for when in l p m d; do
			grep -q $when seen || complain "$how: no $when in $(<seen)"
		done
	done
}
