/* SPDX-License-Identifier: BSD-3-Clause */
/* Bit matrix products, bits moved together and the look-up of tables, each on
 * every level of CPU against loops over single bits. */
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/bits/compress.h"
#include "libcore/kern/bits/bits_move.h"
#include "libcore/kern/tables/table_sums.h"
#include "tests/unit/test.h"

#define MOST VS_BITS_MOST
#define PLANES VS_BITS_PLANES
#define WORDS 80
#define LD (MOST * PLANES)
#define UNTOUCHED (-12345)

static uint64_t rows[PLANES * MOST * WORDS], cols[PLANES * MOST * WORDS];
static _Alignas(64) int32_t sum[LD * LD];

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

static int32_t
plain(const uint64_t *a, const uint64_t *b, size_t n)
{
	int32_t both = 0;

	for (size_t q = 0; q < 64 * n; q++)
		both += a[q / 64] >> q % 64 & b[q / 64] >> q % 64 & 1;
	return both;
}

/* Number of wrong sums of a call. */
static int
judge(const struct vs_bits_call *call)
{
	const struct vs_bits_side *a = &call->row, *b = &call->col;
	const size_t n_plane = (size_t)call->n_plane;
	int wrong = 0;

	for (size_t x = 0; x < n_plane * n_plane * a->n * b->n; x++) {
		const size_t c = x % b->n, r = x / b->n % a->n;
		const size_t q = x / b->n / a->n % n_plane;
		const size_t p = x / b->n / a->n / n_plane;
		const int32_t found = sum[(p * MOST + r) * LD + q * MOST + c];

		if ((int64_t)c < call->from + (int64_t)r)
			continue;
		wrong += found !=
			plain(a->word + p * a->plane + r * a->stride,
				b->word + q * b->plane + c * b->stride,
				call->n_word);
	}
	return wrong;
}

static void
try_kernel(const struct vs_bits *k, void *scratch)
{
	static const struct {
		size_t n_row, n_col, n_word;
		int n_plane;
		int64_t from;
	} shape[] = { { 1, 1, 8, 2, VS_BITS_ALL },
		{ 5, 33, 16, 3, VS_BITS_ALL }, { 33, 7, 40, 2, VS_BITS_ALL },
		{ 40, 50, 80, 2, 1 }, { 31, 64, 72, 3, -13 },
		{ 128, 128, 8, 2, 1 }, { 17, 128, 24, 2, 100 } };

	for (size_t s = 0; s < sizeof(shape) / sizeof(*shape); s++) {
		const struct vs_bits_call call = {
			{ rows, shape[s].n_row, MOST * WORDS, WORDS },
			{ cols, shape[s].n_col, MOST * WORDS, WORDS },
			shape[s].n_plane, shape[s].n_word, shape[s].from, sum,
			LD, scratch
		};

		for (size_t x = 0; x < LD * LD; x++)
			sum[x] = UNTOUCHED;
		k->count(&call);
		T_OK(!judge(&call), "%s: %zu rows, %zu columns, %zu words",
			k->name, shape[s].n_row, shape[s].n_col,
			shape[s].n_word);
	}
}

static void
try_kernels(struct vs_rng *rng)
{
	const struct vs_bits *k;
	void *scratch = NULL;

	fill(rows, sizeof(rows) / 8, rng);
	fill(cols, sizeof(cols) / 8, rng);
	if (vs_mem_room(&scratch, VS_BITS_SCRATCH, 1, "scratch"))
		exit(1);
	for (int x = 0; (k = vs_registry_bits_at(x)); x++)
		if (k->cpu <= vs_cpu_best())
			try_kernel(k, scratch);
	free(scratch);
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

/* Planes of a vector by several masks. */
static void
try_move(struct vs_rng *rng, enum vs_cpu cpu)
{
	static struct vs_compress c[PLANES][WORDS];
	static char scratch[VS_BITS_MOVE_SCRATCH(WORDS)];
	int wrong = 0;

	for (int round = 0; round < 200; round++) {
		const int n_mask = 1 + (int)vs_rng_below(rng, 3);
		uint64_t mask[PLANES][WORDS], in[PLANES][WORDS];
		uint64_t out[PLANES][PLANES][WORDS];
		struct vs_bits_move m = { .n_mask = n_mask,
			.n_plane = 2 + (int)vs_rng_below(rng, 2),
			.n_word = 1 + vs_rng_below(rng, WORDS),
			.scratch = scratch };

		for (int p = 0; p < PLANES; p++) {
			fill(mask[p], WORDS, rng);
			fill(in[p], WORDS, rng);
			for (size_t w = 0; w < WORDS && p; w++)
				in[p][w] &=
					~(in[0][w] | (p > 1 ? in[1][w] : 0));
			m.in[p] = in[p];
			m.mask[p] = c[p];
			m.n_out[p] =
				(vs_compress_prepare(c[p], mask[p], m.n_word) +
					63) /
				64;
			for (int q = 0; q < PLANES; q++)
				m.out[p][q] = out[p][q];
		}
		memset(out, 0x5a, sizeof(out));
		vs_bits_move_planes(cpu, &m);
		for (int a = 0; a < n_mask; a++)
			for (int p = 0; p < m.n_plane; p++) {
				uint64_t want[WORDS] = { 0 };

				move_plainly(mask[a], in[p], m.n_word, want);
				wrong += memcmp(want, out[a][p],
						 8 * m.n_out[a]) != 0;
				wrong += m.count[a][p] !=
					plain(want, want, m.n_out[a]);
				wrong += m.n_out[a] < WORDS &&
					out[a][p][m.n_out[a]] !=
						0x5a5a5a5a5a5a5a5a;
			}
	}
	T_OK(!wrong, "%s: planes move by several masks", vs_cpu_name(cpu));
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
	for (int cpu = 0; cpu <= (int)vs_cpu_best(); cpu++) {
		try_compress(&rng, (enum vs_cpu)cpu);
		try_move(&rng, (enum vs_cpu)cpu);
		try_sums(&rng, (enum vs_cpu)cpu);
	}
	return T_DONE();
}
