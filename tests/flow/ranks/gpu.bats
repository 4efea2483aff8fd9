# SPDX-License-Identifier: BSD-3-Clause
# The check of a CUDA device, where there is none.
load ../../helpers
load ../metrics

@test "check-gpu: without a device it is skipped in one line" {
	PATH=$BATS_TEST_TMPDIR:$PATH
	printf '#!/bin/sh\nexit 1\n' >nvcc
	chmod +x nvcc
	run "$TOP/tests/gpu/check.sh"
	[ "$status" = 0 ] && [ "${#lines[@]}" = 1 ] && [[ $output == skipped:* ]]
}

# bats test_tags=long
@test "check-gpu: with the twin of a device all is right, and said in JSON" {
	requires cmd gcc
	requires python json
	EVIDENCE=$PWD run "$TOP/tests/gpu/check.sh" --twin
	[ "$status" = 0 ] || complain "$output"
	"$PYTHON" - <<-'END'
		import glob, json
		seen = json.load(open(glob.glob("*-twin.json")[0]))
		engine, = seen["engines"].values()
		tally, = engine["seen"]["equality"]
		assert engine["exit"] == 0 and tally["cases"] > 20, seen
		assert tally["wrong"] == 0 and tally["pairs"] > 1e5, seen
	END
}

# stub NAME: a program that is none, from stdin
stub() {
	printf '#!/bin/sh\n' >"$1"
	cat >>"$1"
	chmod +x "$1"
}

# seems_device: programs that stand for nvcc, make and the like; the make is one
# that builds nothing when there is a file no-build
seems_device() {
	twin
	PATH=$PWD:$PATH
	export VSIM_PLUGIN_PATH
	stub nvidia-smi <<<"echo '580.95, 700.00 W, 1980 MHz'"
	stub nvcc <<-'END'
		case $* in
		*--version*) echo 'Cuda compilation tools, release 13.0'; exit ;;
		*which.cu*) what="echo 90 Stub 1" ;;
		*ceilings.cu*) what="echo '{\"popc_words\": 1}'; echo popc_words >&2" ;;
		*) exit 1 ;;
		esac
		while [ "$1" != -o ]; do shift; done
		printf '#!/bin/sh\n%s\n' "$what" >"$2"
		chmod +x "$2"
	END
	stub make <<-END
		[ "\$DEPS" = 0 ] || exit 3 # it would install packages
		[ ! -e "$PWD/no-build" ] || exit 2
		for x; do case \$x in O=*) out=\${x#O=} ;; esac; done
		case " \$* " in
		*' cuda '*) cp "$VSIM_PLUGIN_PATH/vsim-cuda.so" "\$out" ;;
		*' all '*) cp -r "$VSIM_BUILD"/vsim-[!c]* "$VSIM_BUILD/plugin" "\$out" ;;
		esac
	END
}

# seen FOLDER KEY VALUE...: what the evidence says, and what it always has to
seen() {
	"$PYTHON" - "$@" <<-'END'
		import glob, json, sys
		seen = json.load(open(glob.glob(sys.argv[1] + "/*-Stub-1.json")[0]))
		parts = zip(sys.argv[2::2], sys.argv[3::2])
		assert all(str(seen[k]) == want for k, want in parts), seen
		assert seen["capability"] == "90" and "580.95" in seen["driver"]
		mma = seen["engines"]["mma"]["seen"]["equality"][0]
		assert mma["cases"] > 20 and mma["wrong"] == 0
		assert seen["engines"]["popc"]["exit"] == 3
		assert seen["ceilings"]["popc_words"] == 1
		runs = seen["whole_runs"]
		assert {r["backend"] for r in runs} == {"cuda", "cuda+cpu"}, runs
		assert all(r["wall_s"] > 0 and r["stats"] for r in runs), runs
	END
}

# bats test_tags=long
@test "check-gpu: every part of it, on a machine that seems to have a device" {
	requires python json
	seems_device
	stub compute-sanitizer <<-'END'
		[ "$1" != --tool ] || { echo '===== a race'; exit 9; }
		while [ ! -x "$1" ]; do shift; done
		exec "$@"
	END
	CASES='--few --small' EVIDENCE=$PWD run "$TOP/tests/gpu/check.sh"
	# one part fails, and no other hears of it
	[ "$status" = 1 ] && [[ $output == *"as the CPU"*"as the CPU"* ]] ||
		complain "$output"
	seen . plugin built check_exit 0 memory_exit 0 races_exit 9 whole_exit 0 \
		two_exit 0 soak_exit 0 \
		triples_memory_exit 0 triples_races_exit 9
}

# bats test_tags=long
@test "check-gpu: it continues if nothing can be built or watched" {
	requires python json
	seems_device
	touch no-build
	mkdir prebuilt out
	cp "$VSIM_BUILD"/vsim-[!c]* "$VSIM_PLUGIN_PATH/vsim-cuda.so" prebuilt
	stub compute-sanitizer <<-'END'
		echo '========= Error: Device not supported'
		exit 1
	END
	unset EVIDENCE
	CASES='--few --small' OUT=$PWD/out PREBUILT=prebuilt \
		run "$TOP/tests/gpu/check.sh"
	[ "$status" = 0 ] && [[ $output == *"as the CPU"*"as the CPU"* ]] ||
		complain "$output"
	seen out plugin prebuilt check_exit 0 memory_exit refused \
		races_exit refused whole_exit 0 triples_memory_exit refused
}

compute() {
	vsim-view -H run/shard-00000.shard.h5 | sed -n 's/^#compute: //p'
}

@test "device: if none is visible one line says so; auto continues on the CPU" {
	[ -e "$VSIM_BUILD/vsim-cuda.so" ] || skip "no vsim-cuda.so: no nvcc, or CUDA=0"
	local how
	export VSIM_PLUGIN_PATH=$VSIM_BUILD CUDA_VISIBLE_DEVICES=
	vsim-pack --synthetic random --vectors 20000 --fields 1000 -o x.vec.h5
	for how in cuda cuda+cpu 'cuda --engine popc' 'cuda --device 0'; do
		# shellcheck disable=SC2086
		refuses 4 '--backend cuda(\+cpu)?: no device: ' \
			vsim-run --backend $how --allow-empty -t 0.95 -o no x.vec.h5
	done
	gone no
	# more than half a second's work by the estimate, and all of it left out
	run --separate-stderr vsim-run -v -f -j 1 --cpu scalar --allow-empty -t 0.95 -o run x.vec.h5
	[ "$status" = 0 ] && [[ $stderr == *"no device: "*": the CPU computes"* ]] ||
		complain "$stderr"
	[[ $(compute) == cpu-* ]]
}

@test "device twin: one that fails as it is opened is done without, or exit 4" {
	twin
	# more than half a second's work by the estimate, and all of it left out
	vsim-pack --synthetic random --vectors 20000 --fields 1000 -o x.vec.h5
	local like
	for like in life=0 life=20 room=1000 room=40000000; do
		export VSIM_TWIN=$like
		run --separate-stderr vsim-run -v -j 1 --cpu scalar --allow-empty -f -t 0.95 \
			-o run x.vec.h5
		[ "$status" = 0 ] || complain "auto, $like: $stderr"
		[[ $stderr == *"GPU: "*": the CPU computes"* ]]
		[[ $(compute) == cpu-* ]] || complain "$like: $(compute)"
		refuses 4 'GPU: ' vsim-run --backend cuda --allow-empty -t 0.95 -o no x.vec.h5
		refuses 4 'GPU: ' vsim-run --backend cuda+cpu --allow-empty -t 0.95 -o no x.vec.h5
		gone no
	done
	unset VSIM_TWIN
	quietly vsim-run -f -j 1 --cpu scalar --allow-empty -t 0.95 -o run x.vec.h5
	[[ $(compute) == cuda-twin+cpu-* ]]
}

# bats test_tags=long
@test "device twin: one that fails on the way leaves its work to the CPU, or exit 4" {
	twin
	local how want content
	vsim-pack --synthetic random --vectors 20000 --fields 1000 -o x.vec.h5
	results() {
		# one shard, however long it takes
		run --separate-stderr vsim-run -v -f -j 1 --cpu scalar -t 0.64 \
			--commit-every 3600 -o run "$@" x.vec.h5
		[ "$status" = 0 ] || complain "$*: $stderr"
		vsim-merge -f -o e.res.h5 run
		content=$(vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p')
	}
	results --backend cpu
	want=$content
	for how in 126 130; do
		VSIM_TWIN=ill=$how results
		[[ $(compute) == cuda-twin+cpu-* ]]
		[[ $stderr =~ GPU:\ will\ not:\ its\ [1-9][0-9]*\ pieces ]] ||
			complain "$how: $stderr"
		[ "$content" = "$want" ] || complain "$how: $content, not $want"
	done
	export VSIM_TWIN=ill=130
	refuses 4 'GPU: will not' vsim-run --backend cuda -t 0.64 -o no x.vec.h5
}

# bats test_tags=long
@test "device twin: results of whole runs, alone and beside the CPU, lost or not" {
	twin
	local code want content
	vsim-pack --synthetic random --vectors 150 --fields 300 -o x.vec.h5
	results() {
		code=0
		vsim-run -f -j 2 -t 0.3 -o run "$@" x.vec.h5 2>said || code=$?
		vsim-merge -f -o e.res.h5 run
		content=$(vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p')
	}
	results --backend cpu
	want=$content
	[ "$want" ]
	for how in cuda cuda+cpu; do
		results --backend $how --tile 40
		[ "$code $content" = "0 $want" ] || complain "$how: $code $content"
	done
	# correlations, as long as no call is missing
	for how in $(moments); do
		results -m $how --backend cpu
		want=$content
		results -m $how --backend cuda --tile 70
		[ "$code $content" = "0 $want" ] || complain "$how: $code $content"
		[ "$(compute)" = cuda-twin ]
	done
	results --backend cpu
	want=$content
	VSIM_TWIN=life=150 results --backend cuda --tile 40
	[ "$code $content" = "4 $want" ] || complain "lost: $code $content"
	grep -q 'device lost: .* the result in run is complete' said
}

# bats test_tags=long
@test "device twin: vectors of ploidy 1, and what it leaves to the CPU" {
	twin
	local how want
	vsim-pack --synthetic random --element bit --vectors 150 --fields 300 \
		-o x.vec.h5
	results() {
		vsim-run -f -j 2 -o run "$@" x.vec.h5
		vsim-merge -f -o e.res.h5 run
		vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p'
	}
	for how in $(moments 1) ps; do
		set -- -m "$how" -t "$(strong "$how" 0.01 300)"
		want=$(results "$@" --backend cpu)
		[ "$(vsim-view --no-header e.res.h5 | wc -l)" -gt 20 ]
		if states "$how" .device; then
			[ "$(results "$@" --backend cuda --tile 70)" = "$want" ]
			[ "$(compute)" = cuda-twin ]
		else
			refuses 2 'no device supports this metric yet' \
				vsim-run "$@" --backend cuda -o no x.vec.h5
		fi
	done
	vsim-pack -f --synthetic epistasis --vectors 90 --fields 200 \
		--missing 0.05 -o x.vec.h5
	for how in r2:0.02 r:-0.1 cosine:0.3 jaccard:0.3 dice:0.4; do
		same cuda -m "${how%:*}" -t "${how#*:}" --tile 40
	done
	same cuda+cpu -m r2 --top 40 --min-joint 0.9
	# a limit is known to no device
	set -- -m r2 -t 0.001 --below 0.01
	refuses 2 'no device supports below yet' \
		vsim-run "$@" --backend cuda -o no x.vec.h5
	want=$(results "$@" --backend cpu)
	[ "$(results "$@")" = "$want" ]
	[[ $(compute) == cpu-* ]]
}

# bats test_tags=long
@test "device twin: lost with more records than wait for a strip's end" {
	twin
	local life want content
	vsim-pack --synthetic random --vectors 700 --fields 60 -o x.vec.h5
	results() {
		run --separate-stderr vsim-run -f -j 2 -t -1 --stats s.yaml \
			-o run "$@" x.vec.h5
		vsim-merge -f -o e.res.h5 run
		content=$(vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p')
	}
	results --backend cpu
	want=$content
	[ "$want" ]
	for life in 160 200 240; do
		VSIM_TWIN=life=$life results --backend cuda
		[ "$status $content" = "4 $want" ] ||
			complain "life $life: $status $content $stderr"
		grep -q '^device_pieces_lost: [1-9]' s.yaml
	done
	# the device had done some of it
	grep -q '^device_share: 0\.[0-9]' s.yaml
}

# associated SEED MISSING [VECTORS]: x.vec.h5, of 130 samples, 61 of them cases
associated() {
	"$PYTHON" "$TOP/tests/flow/association.py" make "$1" "${3-150}" 130 "$2" 61 x
	vsim-pack --tped x -f -o x.vec.h5
}

# same BACKEND OPTION...: as the CPU has it, and the device's in part at least
same() {
	local want got
	vsim-run -f "${@:2}" --backend cpu -o run --merge e.res.h5 x.vec.h5
	want=$(vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p')
	# shellcheck disable=SC2086
	vsim-run -f "${@:2}" --backend $1 -o run --merge e.res.h5 x.vec.h5
	got=$(vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p')
	[ "$want" ] && [ "$got" = "$want" ] || complain "$*: $got, not $want"
	[[ $(compute) == cuda-twin* ]]
}

# tables: scores of all metrics, and above a threshold that few pass
tables() {
	local metric
	for metric in k2:88:1e300 lbf:-1:-1e300 mi:0.05:-1 g:12:-1 inter:8:-1 \
		alpha:0.02:-1 beta:0.55:-1; do
		set -- -m "${metric%%:*}" --tile 40
		same cuda "$@" -t "$(cut -d : -f 3 <<<"$metric")"
		same cuda "$@" -t "$(cut -d : -f 2 <<<"$metric")"
		same cuda+cpu "$@" --top 50
	done
}

# bats test_tags=long
@test "device twin: association of pairs is the CPU's, to the bit" {
	twin
	associated 5 0
	tables
	same cuda -m k2 -t 88 --no-prune --value f32
	same cuda -m g -t 9 --pairs-between 0-49 40-120
	associated 6 0.05
	tables
	same cuda -m mi -t 0.04 --min-joint 120
}

@test "device twin: association, lost on the way or with little memory" {
	twin
	local life want
	associated 7 0.02
	results() {
		run --separate-stderr vsim-run -f -j 2 -m g -t 5 --tile 40 \
			-o run "$@" x.vec.h5
		vsim-merge -f -o e.res.h5 run || return 0
		content=$(vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p')
	}
	results --backend cpu
	want=$content
	for life in 150 200 260; do
		VSIM_TWIN=life=$life results --backend cuda
		[ "$status $content" = "4 $want" ] ||
			complain "life $life: $status $content $stderr"
	done
	# the least that is enough, and less
	VSIM_TWIN=room=150000000 results --backend cuda
	[ "$status $content" = "0 $want" ] || complain "$status $stderr"
	VSIM_TWIN=room=40000000 results --backend cuda
	[ "$status" = 4 ] && [[ $stderr == *"GPU: no memory"* ]] ||
		complain "$status $stderr"
}

# triples: of all metrics, all of them, those above a threshold, the strongest
triples() {
	local metric
	for metric in k2:85:1e300 lbf:-1:-1e300 mi:0.15:-1 g:32:-1 inter:15:-1 \
		alpha:0.05:-1 beta:0.62:-1; do
		set -- -w 3 -m "${metric%%:*}"
		same cuda "$@" -t "$(cut -d : -f 3 <<<"$metric")"
		same cuda+cpu "$@" -t "$(cut -d : -f 2 <<<"$metric")" --tile 17
		same cuda "$@" --top 50
	done
}

# bats test_tags=long
@test "device twin: association of triples is the CPU's, to the bit" {
	twin
	associated 5 0 30
	triples
	same cuda -w 3 -m g -t 25 --no-prune --value f32
	same cuda -w 3 -m k2 --top 20 --triples-with 20-22
	same cuda -w 3 -m k2 --top 20 --triples-between 0-9 5-22
	associated 6 0.05 30
	triples
	same cuda -w 3 -m mi -t 0.1 --min-joint 115
}

@test "device twin: triples of alleles are the CPU's, to the bit" {
	local missing
	twin
	for missing in 0 0.05; do
		associated 12 "$missing" 40
		same cuda -w 3 -t 0.18
		same cuda -w 3 --top 30
		same cuda+cpu -w 3 -t LLH=0.13,LLL+HHH=0.3 --tile 9
	done
	vsim-pack -f --synthetic random --element bit --vectors 40 --fields 130 \
		-o x.vec.h5
	same cuda -w 3 -m duo -t 0.2
}

# bats test_tags=long
@test "device twin: triples of alleles, chosen, scaled, in stages, with little room" {
	local missing want
	twin -DROOM_CAND=700 -DMOST_RECORDS=2000
	for missing in 0 0.05; do
		associated 13 "$missing" 60
		same cuda -w 3 -t 0.18 --no-prune --value f32
		same cuda -w 3 -t 0 --tile 25
		same cuda -w 3 -t -1 --triples-with 20-22
		same cuda -w 3 -t 0.15 --triples-between 0-9 5-22
		same cuda -w 3 --top 20 --triples-between 0-9 5-22
		same cuda -w 3 -t 0.2 --gamma 1 --multiplier 27/4
		same cuda -w 3 -t 0.2 --gamma 0 --min-joint 120
		same cuda -w 3 -t 0.15 --max-sites 12
		same cuda -w 3 -t LLL=0.2,LLH=0.15,HHH=0.1 --top 400
		vsim-run -f -w 3 -t 0.15 --backend cpu -o run --merge e.res.h5 x.vec.h5
		want=$(vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p')
		rm -rf run
		for stage in 2 1; do
			vsim-run -r -w 3 -t 0.15 --stage $stage/2 --backend cuda \
				-o run x.vec.h5 2>/dev/null
		done
		vsim-merge -f -o e.res.h5 run
		[ "$(vsim-view -H e.res.h5 |
			sed -n 's/^#content_xxh128: //p')" = "$want" ]
	done
	# more than a slab of vectors
	vsim-pack -f --synthetic random --vectors 150 --fields 65 -o x.vec.h5
	same "cuda --gpu-memory 1G" -w 3 -t 0.22
}

# bats test_tags=long
@test "device twin: triples in parts, with little room and many that pass" {
	local memory least
	twin -DROOM_CAND=700 -DMOST_RECORDS=2000
	associated 7 0 140
	# the least memory there is has parts of 128 vectors
	run vsim-run -f -w 3 -m g -t 60 --backend cuda --gpu-memory 10M -o run x.vec.h5
	[ "$status" = 4 ]
	least=$(sed -n 's/.*GPU: \([0-9]*\) bytes of its memory.*/\1/p' <<<"$output")
	for memory in "$least" 1G; do
		same "cuda --gpu-memory $memory" -w 3 -m g -t 50 --tile 60
	done
	associated 8 0.03 45
	same cuda -w 3 -m g -t -1
	same cuda+cpu -w 3 -m k2 -t 1e300
}

# bats test_tags=long
@test "device twin: triples, lost on the way, failing, on ranks and in stages" {
	local life want
	twin
	associated 9 0.02 50
	results() {
		run --separate-stderr vsim-run -f -w 3 -j 2 -m g -t 20 --tile 20 \
			-o run "$@" x.vec.h5
		vsim-merge -f -o e.res.h5 run || return 0
		content=$(vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p')
	}
	results --backend cpu
	want=$content
	for life in 150 200 260; do
		VSIM_TWIN=life=$life results --backend cuda --stats s.yaml
		[ "$status $content" = "4 $want" ] ||
			complain "life $life: $status $content $stderr"
		grep -q '^device_pieces_lost: [1-9]' s.yaml
	done
	# the device had done some of it; a twin's second is a launch
	grep -q '^device_share: 0\.[0-9]' s.yaml || complain "$(cat s.yaml)"
	awk '/^device_seconds_/ { n[NR] = $2; at = NR }
	END { exit !(n[at - 2] > 0 && n[at - 1] == 2 * n[at - 2] &&
		n[at] == 4 * n[at - 2]) }' s.yaml || complain "$(cat s.yaml)"
	export VSIM_TWIN=ill=300
	results --backend cuda
	[ "$status" = 4 ] && [[ $stderr == *"GPU: will not"* ]] ||
		complain "$status $stderr"
	unset VSIM_TWIN
	rm -rf run
	for stage in 2 1; do
		vsim-run -r -w 3 -m g -t 20 --tile 20 --stage $stage/2 \
			--backend cuda -o run x.vec.h5 2>/dev/null
	done
	vsim-merge -f -o e.res.h5 run
	[ "$(vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p')" = "$want" ]
	requires mpi 3
	ranks 3 vsim-run -f -w 3 -m g -t 20 --tile 10 --backend cuda -j 1 \
		-o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	[ "$(vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p')" = "$want" ]
}

# bats test_tags=long
@test "device twin: triples cut for a device that is lost are cut for threads" {
	local want
	twin
	# more than a thread's second and third vectors
	vsim-pack --synthetic epistasis --vectors 700 --fields 65 -o x.vec.h5
	set -- -w 3 -m g -t 45
	vsim-run "$@" --backend cpu -o run --merge e.res.h5 x.vec.h5
	want=$(vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p')
	VSIM_TWIN=life=150 run vsim-run -f "$@" --backend cuda+cpu -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	[ "$status" = 4 ] && [ "$(vsim-view -H e.res.h5 |
		sed -n 's/^#content_xxh128: //p')" = "$want" ] || complain "$output"
}

# whole HOW...: content of a run of triples, with figures in s.yaml
whole() {
	run --separate-stderr vsim-run -f -j 2 "${how[@]}" --stats s.yaml -o run \
		"$@" x.vec.h5
	vsim-merge -f -o e.res.h5 run
	vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p' >content
}

# several KIND LIKE...: runs of a kind by one device and more, LIKE, and the CPU
several() {
	local like backend n
	# shellcheck disable=SC2206
	how=($1)
	whole --backend cpu
	want=$(<content)
	[ "$want" ]
	for like in "${@:2}"; do
		for backend in cuda cuda+cpu; do
			VSIM_TWIN=$like whole --backend $backend
			[ "$status $(<content)" = "0 $want" ] ||
				complain "$1 $like $backend: $status $stderr"
		done
		n=${like:8:1}
		[[ $(compute) == "cuda-twin${n/#/ x}+cpu-"* ]] || [ "$n" = 1 ] ||
			complain "$like: $(compute)"
	done
}

@test "device twin: what no device does is said" {
	twin
	associated 6 0.05 20
	# permutations go to the CPU, whatever computes the run
	vsim-run -m k2 -t 1e300 --permutations 2 --backend cuda -o run \
		x.vec.h5 2>said
	grep -q 'the CPU alone searches the 2 permuted data sets' said
	vsim-run -f -m k2 -t 1e300 --permutations 2 --backend cpu -o run \
		x.vec.h5 2>said
	! grep permuted said
	# with -v auto says why there is no device
	while IFS=: read -r how why; do
		# shellcheck disable=SC2086
		vsim-run -v -f $how -o run x.vec.h5 2>said
		grep -q "no device.*$why" said || complain "$how: $(cat said)"
	done <<-END
		-m d -t 0.1:supports this metric yet: the CPU
		-m ccc -t 0.5 --metric-histogram h:the CPU alone computes histograms
		-m ccc -t 0.5:the CPU finishes before one is opened
		-m ccc -t 0.5 -w 3:the CPU finishes before one is opened
	END
}

@test "device twin: auto plans with a device for long runs over triples" {
	twin
	# by FIELDS OPTION...: what the plan of triples of 2000 vectors has
	by() {
		vsim-run -n -v -w 3 -j 1 --cpu scalar --shape "2000x$1" "${@:2}" \
			2>said | sed -n 's/^compute: //p'
	}
	# bounds may exclude most of what the CPU would count in ten seconds
	[[ $(by 240 -t 0.1) == cpu-* ]]
	grep -q 'the CPU finishes before one is opened' said
	[[ $(by 260 -t 0.1) == cuda-twin+cpu-* ]] || complain "$(cat said)"
	[[ $(by 240 -t 0.1 --no-prune) == cuda-twin+cpu-* ]]
	[[ $(by 260 --top 10) == cuda-twin+cpu-* ]]
	# the CPU adds less than a twentieth
	[ "$(VSIM_TWIN=rate=1000000000000 by 260 -t 0.1)" = cuda-twin ]
	[[ $(VSIM_TWIN=rate=900000000000 by 260 -t 0.1) == cuda-twin+cpu-* ]]
	# 17.6 s on the device, or less with the CPU beside it
	vsim-pack --synthetic random --vectors 400 --fields 1000 -o x.vec.h5
	minutes() {
		VSIM_TWIN=rate=600000000 vsim-run -n -w 3 -j 1 -t 0.2 \
			--backend "$1" x.vec.h5 |
			sed -n 's/^minutes_estimated: //p'
	}
	awk -v alone="$(minutes cuda)" -v both="$(minutes cuda+cpu)" \
		'BEGIN { exit !(alone > 0.29 && both < 0.9 * alone) }'
}

# bats test_tags=long
@test "device twin: several of a rank and the CPU share one list of work" {
	local how want like
	twin
	associated 11 0.02 60
	several '-w 3 -m k2 --top 40 --tile 9' devices=2 devices=3,slow=300
	# of two, one is gone on the way, and the other, slow as it is, does what
	# it left
	for like in 170 240; do
		VSIM_TWIN=devices=2,slow=300,life=$like whole --backend cuda
		[ "$status $(<content)" = "4 $want" ] ||
			complain "$like: $status $stderr"
		grep -q '^device_pieces_lost: [1-9]' s.yaml
		grep -qx 'device_share: 1' s.yaml || complain "$(cat s.yaml)"
	done
	VSIM_TWIN=devices=3 whole --backend cuda --device 2,0 -v
	[[ $stderr == *"device: GPU 2, a twin; GPU 0, a twin"* ]]
}

# bats test_tags=long
@test "device twin: several of a rank, of all that a device has code for" {
	local how want all=(devices=1 devices=2 devices=3,slow=300)
	twin
	associated 12 0.02 60
	several '-w 3 -m inter -t 15 --tile 13' "${all[@]}"
	several '-w 3 -m beta -t 0.6' "${all[@]}"
	several '-w 3 -m g -t 20 --triples-between 0-30 20-59' "${all[@]}"
	several '-m alpha -t 0.02 --tile 20' "${all[@]}"
	vsim-pack -f --synthetic random --vectors 150 --fields 300 -o x.vec.h5
	several '-t 0.3 --tile 40' "${all[@]}"
	several '-m r2 --top 30 --tile 40' "${all[@]}"
}

# emulated [FLAG]: the twin, whose kernels of tables are those of the device,
# compiled for the CPU with tests/sim/cuda, and FLAG
emulated() {
	local of to=$BATS_FILE_TMPDIR/emulated$1
	requires cmd g++
	requires cmd perl
	for of in tables triples numbers; do
		perl -0pe 's/(\w+(?:<[\w, ]+>)?)\s*<<<(.*?)>>>\s*\((.*?)\);/emu_launch($2, [&] { $1($3); });/gs' \
			"$TOP/cuda/$of.cu" >"$to$of.cc"
		g++ -O1 -U_FORTIFY_SOURCE -fno-exceptions -fno-rtti -fno-threadsafe-statics -fPIC \
			-Wno-unknown-pragmas -ffp-contract=off -I"$TOP" \
			-I"$TOP/tests/sim/cuda" "${1:--DEMU}" -c -o "$to$of.o" \
			"$to$of.cc"
	done
	twin -DTWIN_EMULATED "${1:--DEMU}" "$to"{tables,triples,numbers}.o
}

# numbers FIELDS...: ps of numbers of all types
numbers() {
	local fields of
	for of in u8 u16 u32 f32 f64; do
		for fields; do
			vsim-pack -f --synthetic random --element $of --vectors 90 \
				--fields "$fields" -o x.vec.h5
			same cuda -m ps -t 0.64
		done
	done
}

@test "device twin: ps of numbers is the CPU's, to the bit" {
	twin
	numbers 1 129
	same cuda -m ps -t -1 --tile 40
	same cuda+cpu -m ps --top 50 --tile 30
	same cuda -m ps -t 0.6 --no-prune
	vsim-pack -f --synthetic random --element u8 --vectors 90 --fields 33 \
		-o x.vec.h5
	same cuda -m ps --top 50 --value f32
}

# bats test_tags=long
@test "device emulated: its kernels of numbers, thread by thread" {
	emulated
	numbers 1 2 3 5 15 17 31 33 63 65 127 128 129 255 257 600
	# more than a block of rows and of columns
	vsim-pack -f --synthetic random --element f32 --vectors 300 --fields 40 \
		-o x.vec.h5
	same cuda -m ps -t 0.6
	same cuda -m ps --top 100 --tile 140
}

# bats test_tags=long
@test "device emulated: its kernels of tables, thread by thread" {
	local missing fields
	emulated
	for missing in 0 0.05; do
		associated 3 "$missing" 70
		same cuda -m k2 -t 1e300
		same cuda -m g -t 9 --tile 37
		associated 4 "$missing" 20
		same cuda -w 3 -m g -t 25
		same cuda -w 3 -m k2 --top 30
		same cuda -w 3 -t 0.18
		same cuda -w 3 -t LLL+HHH=0.3
	done
	# of alleles, around the ends of words, steps, stages and blocks
	for fields in 1 31 33 63 65 255 257 1023 1025 2049 3000; do
		vsim-pack -f --synthetic random --vectors 20 --fields $fields \
			-o x.vec.h5
		same cuda -w 3 -t 0.15
	done
	vsim-pack -f --synthetic random --element bit --vectors 70 --fields 40 \
		-o x.vec.h5
	same cuda -w 3 -m duo -t 0.3
	# more than a block of rows and of columns
	associated 5 0 75
	same cuda -w 3 -t 0.25
	same cuda -w 3 -m g -t 40
	associated 6 0 20
	same cuda -w 3 -m k2 -t 1e300
	same cuda -w 3 -m beta --top 40
	same cuda -w 3 --top 40
}

# bats test_tags=long
@test "device emulated: tables of triples around the ends of words, steps, stages" {
	local fields missing
	emulated
	set -- 0.3 0.05 0.01 0.001
	for fields in 2 33 63 65 255 257 511 513 1025 2049 3000; do
		for missing in 0 "$1"; do
			vsim-pack -f --synthetic epistasis --vectors 9 \
				--fields $fields --missing "$missing" -o x.vec.h5
			same cuda -w 3 -m g --top 40
			same cuda -w 3 -m k2 -t 1e300
		done
		set -- "${@:2}" "$1"
	done
	# counts that do not fit 16 bits
	for missing in 0 0.01; do
		vsim-pack -f --synthetic epistasis --vectors 6 --fields 200000 \
			--missing $missing -o x.vec.h5
		same cuda -w 3 -m g --top 4
	done
}

# bats test_tags=long
@test "device emulated: tables of triples in parts that begin anywhere, with little room" {
	local missing of
	emulated -DROOM_CAND=300
	for missing in 0 0.05; do
		associated 7 $missing 45
		same cuda -w 3 -m g -t 25
		same cuda -w 3 -m k2 -t 1e300 --tile 17
		same cuda -w 3 -m mi --top 30 --tile 23
	done
	# thresholds near the strongest, where some calls are missing
	associated 7 0.05 25
	for of in k2:84 lbf:0 mi:0.15 g:34 inter:16 alpha:0.06 beta:0.63; do
		same cuda -w 3 -m "${of%:*}" -t "${of#*:}"
	done
}

# noticed COUNT...: of a wrong count, where calls are missing or not, behind
# those of the trial
noticed() {
	local at missing how wrong='GPU 0: wrong counts of triples of vectors [0-9]+-[0-9]+, .*nvidia-smi'
	for missing in 0 0.05; do
		associated 4 $missing 20
		for how in '-m g -t 25' '-m k2 --top 9' '-t 0.18'; do
			# counted without bits
			[ "$missing $how $1" != '0.05 -t 0.18 13001' ] || continue
			for at; do
				# shellcheck disable=SC2086
				EMU_FLIP=$at run --separate-stderr vsim-run -w 3 $how \
					--backend cuda -o no x.vec.h5
				[ "$status" = 4 ] && [[ $stderr =~ $wrong ]] ||
					complain "$how $at: $status $stderr"
			done
			# shellcheck disable=SC2086
			same cuda -w 3 $how
		done
	done
}

# bats test_tags=long
@test "device emulated: a wrong count of triples ends the run" {
	emulated
	# of all samples, of pivots
	noticed 13001 30000 60001
}

# bats test_tags=long
@test "device emulated: triples by population counts, where bits have no products" {
	local missing
	emulated -DEMU_MAJOR=7
	noticed 600001 1000001
	for missing in 0 0.05; do
		associated 4 $missing 20
		same cuda -w 3 -m g -t 25
		same cuda -w 3 -m k2 --top 30
		same cuda -w 3 -t 0.18
	done
}
