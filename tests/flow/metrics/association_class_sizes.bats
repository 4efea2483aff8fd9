# SPDX-License-Identifier: BSD-3-Clause
# Association: classes of any size, up to more samples than are listed at a time.
load ../../helpers
load ../association

# bats test_tags=long
@test "association: classes of 1, 31 to 33, 63 to 65 and all but one sample" {
	local n
	for n in 1 31 32 33 63 64 65 89; do
		made "$n" 9 90 0 "$n"
		judged k2
		all inter 2
		vsim-view x.res.h5 >x.tsv
		py judge x inter 2 x.tsv
	done
}

# bats test_tags=long
@test "association: classes of 1023 to 1025 samples, on every level of CPU" {
	local n=1023 cpu
	for cpu in scalar popcnt avx2 avx512 avx512icl amx; do
		made 7 7 1100 0 "$n"
		n=$((n < 1025 ? n + 1 : 1023))
		vsim-run --cpu "$cpu" -n -t 0.5 -o run x.vec.h5 >/dev/null 2>&1 ||
			continue
		judged mi --cpu "$cpu"
	done
}

# bats test_tags=long
@test "association: classes at the edges of words" {
	edges 0
}

# bats test_tags=long
@test "association: more samples than are listed at a time" {
	local cpu
	for cpu in scalar avx2 ""; do
		vsim-run --cpu "${cpu:-scalar}" -n -t 0.5 -o run x.vec.h5 \
			>/dev/null 2>&1 || [ $? != 4 ] || continue
		made 11 6 9001 0 4300
		judged k2 ${cpu:+--cpu "$cpu"}
		made 11 5 9001 0.03 4300
		judged mi ${cpu:+--cpu "$cpu"}
	done
}
