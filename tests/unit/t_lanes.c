/* SPDX-License-Identifier: BSD-3-Clause */
/* Vertical addition of bits, bits moved together and the look-up of tables,
 * each on every level of CPU against loops over single bits. */
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/bits/compress.h"
#include "libcore/kern/lanes/lanes.h"
#include "libcore/kern/tables/table_sums.h"
#include "tests/unit/test.h"

#define WORDS 80
#define FIELDS (64 * WORDS)

static uint64_t rows[VS_LANES * WORDS];
static _Alignas(64) uint64_t turned[(FIELDS + 1) * VS_LANES_WORDS];
static uint32_t list[FIELDS + VS_LANES_SLACK];

static uint64_t
word(struct vs_rng *rng, int kind)
{
	uint64_t x = vs_rng_next(rng);

	return kind == 0    ? x
		: kind == 1 ? x & vs_rng_next(rng) & vs_rng_next(rng)
		: kind == 2 ? ~0ull
			    : 0;
}

static void
fill(uint64_t *to, size_t n, struct vs_rng *rng)
{
	for (size_t k = 0; k < n; k++)
		to[k] = word(rng, (int)vs_rng_below(rng, 4));
}

/* Fields of both rows, or of a if b is null, one by one; with `also`. */
static int32_t
plain(const uint64_t *a, const uint64_t *b, const uint64_t *also, size_t n)
{
	int32_t both = 0;

	for (size_t q = 0; q < 64 * n; q++)
		both += a[q / 64] >> q % 64 & (b ? b[q / 64] >> q % 64 : 1) &
			(also ? also[q / 64] >> q % 64 : 1) & 1;
	return both;
}

static void
try_turn(struct vs_rng *rng, enum vs_cpu cpu)
{
	static const size_t n_vec[] = { 1, 63, 64, 300, VS_LANES };

	for (size_t k = 0; k < sizeof(n_vec) / sizeof(*n_vec); k++) {
		const size_t first = (size_t)vs_rng_below(rng, n_vec[k]);
		int wrong = 0;

		fill(rows, sizeof(rows) / 8, rng);
		memset(turned, 0x5a, sizeof(turned));
		vs_lanes_turn(cpu, rows, n_vec[k], first, WORDS, WORDS, turned);
		for (size_t f = 0; f < FIELDS; f++)
			for (size_t v = 0; v < VS_LANES; v++) {
				const size_t of = (v + first) % n_vec[k];

				wrong += (turned[f * VS_LANES_WORDS + v / 64] >>
							 v % 64 &
						 1) !=
					(v < n_vec[k] &&
						rows[of * WORDS + f / 64] >>
								f % 64 &
							1);
			}
		T_OK(!wrong, "%s: %zu vectors turned, from %zu on",
			vs_cpu_name(cpu), n_vec[k], first);
	}
}

static void
try_list(struct vs_rng *rng, enum vs_cpu cpu)
{
	int wrong = 0;

	for (int round = 0; round < 300; round++) {
		const size_t n_word = 1 + vs_rng_below(rng, WORDS);
		const uint64_t *b = round % 3 ? rows + WORDS : NULL;
		const uint32_t first = (uint32_t)vs_rng_below(rng, 1000);
		size_t n, at = 0;

		fill(rows, 2 * WORDS, rng);
		n = vs_lanes_list(cpu, rows, b, n_word, first, list);
		wrong += n != (size_t)plain(rows, b, NULL, n_word);
		for (size_t f = 0; f < 64 * n_word && at < n; f++)
			if (rows[f / 64] >> f % 64 & 1 &&
				(!b || b[f / 64] >> f % 64 & 1))
				wrong += list[at++] != first + f;
		n = vs_lanes_pad(list, n, 7);
		wrong += n % VS_LANES_UNIT != 0;
		for (; at < n; at++)
			wrong += list[at] != 7;
	}
	T_OK(!wrong, "%s: fields listed", vs_cpu_name(cpu));
}

/* Counts of all lanes by two lists, the second one added to the first. */
static void
try_kernel(const struct vs_lanes *k, struct vs_rng *rng, size_t lo, size_t hi)
{
	static _Alignas(64) uint64_t count[VS_LANES_BITS * VS_LANES_WORDS];
	uint64_t which[2][WORDS];
	int wrong = 0;

	for (int round = 0; round < 40; round++) {
		const size_t n_word = 1 + vs_rng_below(rng, WORDS);
		size_t n_all = 0;

		memset(count, 0x5a, sizeof(count));
		fill(which[0], 2 * WORDS, rng);
		for (int x = 0; x < 2; x++) {
			const size_t n = vs_lanes_list(VS_CPU_SCALAR, which[x],
				NULL, n_word, 0, list);

			k->count(&(struct vs_lanes_call){ turned, list,
				vs_lanes_pad(list, n, FIELDS), lo, hi, count,
				vs_lanes_bits(n_all),
				vs_lanes_bits(n_all + n) });
			n_all += n;
		}
		for (size_t w = 0; w < VS_LANES_WORDS; w += 2) {
			int32_t found[VS_LANES_TAKEN];

			k->take(count, vs_lanes_bits(n_all), w, found);
			for (size_t v = 0; v < VS_LANES_TAKEN; v++) {
				const uint64_t *row =
					rows + (64 * w + v) * WORDS;

				if (w + v / 64 < lo || w + v / 64 >= hi)
					continue;
				wrong += found[v] !=
					plain(row, which[0], NULL, n_word) +
						plain(row, which[1], NULL,
							n_word);
			}
		}
	}
	T_OK(!wrong, "%s: counts of words %zu to %zu", k->name, lo, hi);
}

static void
try_kernels(struct vs_rng *rng)
{
	const struct vs_lanes *k;

	fill(rows, sizeof(rows) / 8, rng);
	vs_lanes_turn(VS_CPU_SCALAR, rows, VS_LANES, 0, WORDS, WORDS, turned);
	memset(turned + FIELDS * VS_LANES_WORDS, 0, VS_LANES / 8);
	for (int x = 0; (k = vs_registry_lanes[x]); x++) {
		if (k->cpu > vs_cpu_best())
			continue;
		try_kernel(k, rng, 0, VS_LANES_WORDS);
		try_kernel(k, rng, 1, 4);
		try_kernel(k, rng, 5, 8);
		try_kernel(k, rng, 3, 5);
	}
}

/* Large counts: bits past the 24th of those so far, carried into by one. */
static void
try_carry(const struct vs_lanes *k)
{
	static _Alignas(64) uint64_t count[VS_LANES_BITS * VS_LANES_WORDS];
	int32_t found[VS_LANES_TAKEN];
	int wrong = 0;

	for (int bits = 1; bits < VS_LANES_BITS; bits++) {
		uint32_t one[VS_LANES_UNIT] = { 0 };

		memset(turned, 0xff, VS_LANES / 8);
		memset(turned + VS_LANES_WORDS, 0, VS_LANES / 8);
		memset(count, 0x5a, sizeof(count));
		memset(count, 0xff, (size_t)bits * VS_LANES / 8);
		for (int x = 1; x < VS_LANES_UNIT; x++)
			one[x] = 1;
		k->count(&(struct vs_lanes_call){ turned, one, VS_LANES_UNIT, 0,
			VS_LANES_WORDS, count, bits, bits + 1 });
		k->take(count, bits + 1, 6, found);
		for (int v = 0; v < VS_LANES_TAKEN; v++)
			wrong += found[v] != 1 << bits;
	}
	T_OK(!wrong, "%s: a carry through all bits", k->name);
}

/* Bits of a row one by one. */
static void
move_plainly(const uint64_t *mask, const uint64_t *in, size_t n, uint64_t *out)
{
	size_t at = 0;

	for (size_t q = 0; q < 64 * n; q++) {
		if (!(mask[q / 64] >> q % 64 & 1))
			continue;
		out[at / 64] |= (in[q / 64] >> q % 64 & 1) << at % 64;
		at++;
	}
}

static void
try_compress(struct vs_rng *rng, enum vs_cpu cpu)
{
	struct vs_compress c[WORDS];
	int wrong = 0, outside = 0;

	for (int round = 0; round < 300; round++) {
		const size_t n = 1 + vs_rng_below(rng, WORDS);
		const int n_row = 1 + (int)vs_rng_below(rng, 3);
		uint64_t mask[WORDS], want[3][WORDS + 1] = { { 0 } };
		uint64_t got[3][WORDS + 1];
		const uint64_t *in[3];
		uint64_t *out[3];
		size_t n_out;

		fill(mask, WORDS, rng);
		n_out = (vs_compress_prepare(c, mask, n) + 63) / 64;
		for (int r = 0; r < n_row; r++) {
			in[r] = rows + (size_t)r * WORDS;
			out[r] = got[r];
			memset(got[r], 0x5a, sizeof(got[r]));
			move_plainly(mask, in[r], n, want[r]);
		}
		vs_compress_rows(cpu, c, n, in, out, n_row, n_out);
		for (int r = 0; r < n_row; r++) {
			wrong += memcmp(got[r], want[r], 8 * n_out) != 0;
			outside += got[r][n_out] != 0x5a5a5a5a5a5a5a5a;
		}
	}
	T_OK(!wrong, "%s: bits of a mask move together", vs_cpu_name(cpu));
	T_OK(!outside, "%s: and no word behind them changes", vs_cpu_name(cpu));
}

static void
try_sums(struct vs_rng *rng, enum vs_cpu cpu)
{
	enum { CELLS = 27, TABLES = 40, N = 1000 };
	static int32_t count[2][CELLS][TABLES];
	static int64_t one[N], both[2 * N];
	int64_t found[TABLES];
	int wrong = 0;

	for (int k = 0; k < 2 * N; k++)
		both[k] = (int64_t)(vs_rng_next(rng) >> 8);
	for (int k = 0; k < N; k++)
		one[k] = (int64_t)(vs_rng_next(rng) >> 8);
	for (int x = 0; x < 2 * CELLS * TABLES; x++)
		count[x % 2][x / 2 % CELLS][x / 2 / CELLS] =
			(int32_t)vs_rng_below(rng, N);
	vs_table_sums_count(cpu,
		&(struct vs_table_sums){ { count[0][0], count[1][0] }, TABLES,
			CELLS, one, both, found },
		TABLES);
	for (int t = 0; t < TABLES; t++) {
		int64_t sum_of = 0;

		for (int x = 0; x < CELLS; x++)
			sum_of += one[count[0][x][t]] + one[count[1][x][t]] -
				both[count[0][x][t] + count[1][x][t]];
		wrong += found[t] != sum_of;
	}
	T_OK(!wrong, "%s: sums of tables", vs_cpu_name(cpu));
}

int
main(void)
{
	struct vs_rng rng;

	vs_rng_seed(&rng, 20);
	try_kernels(&rng);
	for (int x = 0; vs_registry_lanes[x]; x++)
		if (vs_registry_lanes[x]->cpu <= vs_cpu_best())
			try_carry(vs_registry_lanes[x]);
	for (int cpu = 0; cpu <= (int)vs_cpu_best(); cpu++) {
		try_compress(&rng, (enum vs_cpu)cpu);
		try_turn(&rng, (enum vs_cpu)cpu);
		try_list(&rng, (enum vs_cpu)cpu);
		try_sums(&rng, (enum vs_cpu)cpu);
	}
	return T_DONE();
}
