/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every kernel of minima and of inner products against sums taken pair by pair
 * and field by field: integers in 128 bits, reals in the order of numbers.h,
 * bit for bit. Vectors and all memory given to a kernel end at a guard page,
 * and what it may write holds leftovers. T_INSTALL
 *
 * With an argument: few shapes, for machines that are slow to emulate.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/kern/minima/minima.h"
#include "tests/unit/fence.h"
#include "tests/unit/test.h"

#define MOST_ROW 13
#define MOST_COL 141
#define RESERVED ((size_t)64 << 20)

enum kind { SMALL, ANY, MOST, MIXED, TINY, NEARLY, N_KIND, PAST, SIGNED };
static const char *const how[] = { "small", "any", "the largest",
	"zeros and the largest", "the smallest",
	"of which a run has just the largest, and the last vectors more", "",
	"", "of either sign" };

static char *fence_cols, *fence_rows, *fence_sums;

/* Vectors without a byte between them, and their numbers as doubles. */
struct vectors {
	struct vs_numbers b;
	size_t n_vec;
	double *number;
	char *fence;
	size_t bytes;
};

/* Reals below 1e290, as their sums are to be finite. */
static double
most_of(enum vs_element e)
{
	switch (e) {
	case VS_NUM_U8:
		return UINT8_MAX;
	case VS_NUM_U16:
		return UINT16_MAX;
	case VS_NUM_U32:
		return UINT32_MAX;
	case VS_NUM_F32:
		return (double)FLT_MAX / 1024;
	default:
		return 1e290;
	}
}

static double
some(enum vs_element e, enum kind kind, struct vs_rng *rng)
{
	double most = most_of(e);
	double share = (double)vs_rng_below(rng, 1u << 30) / (1 << 30);

	switch (kind) {
	case SMALL:
		return vs_element_is_integer(e)
			? (double)vs_rng_below(rng, 5)
			: share * (double)vs_rng_below(rng, 3);
	case ANY:
		/* of any order of magnitude, where there are reals */
		return vs_element_is_integer(e)
			? floor(share * most)
			: share * pow(10, (double)vs_rng_below(rng, 60) - 30);
	case MOST:
		return most;
	case MIXED:
		return vs_rng_below(rng, 2) ? most : 0;
	case NEARLY:
		return floor(most / 128);
	case SIGNED:
		return vs_rng_below(rng, 9) ? 2 * share - 1
					    : 1e-20 * (2 * share - 1);
	case PAST:
		return floor(most / 128) + 1;
	default:
		return vs_element_is_integer(e) ? (double)vs_rng_below(rng, 2)
			: e == VS_NUM_F32       ? (double)(FLT_MIN * share)
						: DBL_MIN * share;
	}
}

static void
vectors_new(struct vectors *v, size_t n_vec, size_t n_field, enum vs_element e,
	enum kind kind, struct vs_rng *rng)
{
	char *at;

	v->b.element = e;
	v->b.n_field = n_field;
	v->b.stride = n_field * vs_element_bytes(e);
	v->n_vec = n_vec;
	v->bytes = n_vec * v->b.stride;
	v->fence = fence_new(v->bytes);
	v->b.at = at = v->fence - v->bytes;
	if (vs_mem_new(&v->number, n_vec * n_field, sizeof(double), "numbers"))
		exit(4);
	for (size_t q = 0; q < n_vec * n_field; q++) {
		if (kind == NEARLY && q + 3 * n_field >= n_vec * n_field)
			kind = PAST;
		vs_element_put(e, at, q, some(e, kind, rng));
		/* a whole number of either sign */
		if (kind == SIGNED && n_field % 2)
			vs_element_put(e, at, q,
				(double)vs_rng_below(rng, 511) - 255);
		v->number[q] = vs_element_get(e, at, q);
	}
}

static void
vectors_free(struct vectors *v)
{
	fence_free(v->fence, v->bytes);
	free(v->number);
}

/* Inner product, by the definition. */
static double
plain_inner(enum vs_element e, const double *u, const double *v, size_t n)
{
	double sum = 0, run64 = 0;
	float run32 = 0;

	for (size_t q = 0; q < n; q++) {
		run64 = fma(u[q], v[q], run64);
		run32 = fmaf((float)u[q], (float)v[q], run32);
		if ((q + 1) % 128 == 0 || q + 1 == n) {
			sum = sum + (e == VS_NUM_F32 ? (double)run32 : run64);
			run64 = 0;
			run32 = 0;
		}
	}
	return sum;
}

/* Expected values, by the definition. */
static double
plain(enum vs_element e, const double *u, const double *v, size_t n)
{
	unsigned __int128 exact = 0;
	double sum = 0;

	for (size_t lo = 0; lo < n; lo += 128) {
		size_t hi = n - lo < 128 ? n : lo + 128;
		double run64 = 0;
		float run32 = 0;

		for (size_t q = lo; q < hi; q++) {
			double least = u[q] < v[q] ? u[q] : v[q];

			if (vs_element_is_integer(e))
				exact += (uint64_t)least;
			else if (e == VS_NUM_F32)
				run32 += (float)least;
			else
				run64 += least;
		}
		sum += (double)run32 + run64;
	}
	return vs_element_is_integer(e) ? (double)exact : sum;
}

static double want[MOST_ROW][MOST_COL];

/* Rows and columns that are counted. */
struct shape {
	size_t row, n_row, lo, n_col, col, level;
};

static int
judge(const struct vs_minima *k, const struct vectors *a,
	const struct vectors *b, const struct shape *s)
{
	size_t n_field = a->b.n_field;
	size_t ld = (s->n_col + k->lanes - 1) / k->lanes * k->lanes;
	double *sum = before(fence_sums, s->n_row * ld * sizeof(*sum));
	void *cols = before(fence_cols, k->col_room(s->n_col, n_field));
	void *rows = before(fence_rows, k->row_room(s->n_row, n_field));
	int wrong = 0;

	k->take_cols(&b->b, s->lo, s->n_col, cols);
	k->count(&(struct vs_minima_call){ &a->b, s->row, s->n_row, cols,
		s->col, s->n_col, s->level, rows, sum, ld });
	for (size_t r = 0; r < s->n_row; r++)
		for (size_t c = s->col + (r > s->level ? r - s->level : 0);
			c < s->n_col; c++)
			wrong += memcmp(&sum[r * ld + c],
					 &want[s->row + r][s->lo + c],
					 sizeof(double)) != 0;
	return wrong;
}

/* A row with some columns one by one, and the minima themselves. */
static int
judge_one(const struct vs_minima *k, const struct vectors *a,
	const struct vectors *b, size_t r)
{
	enum vs_element e = k->element;
	size_t n = a->b.n_field;
	char *out = before(fence_rows, n * vs_element_bytes(e));
	int wrong = 0;

	for (size_t c = r % 7; c < b->n_vec; c += 31) {
		const void *u = vs_numbers_of(&a->b, r);
		const void *v = vs_numbers_of(&b->b, c);

		wrong += k->one(u, v, n) != want[r][c];
		if (k->lesser)
			k->lesser(u, v, n, out);
		for (size_t q = 0; q < n && k->lesser; q++)
			wrong += vs_element_get(e, out, q) !=
				fmin(a->number[r * n + q],
					b->number[c * n + q]);
	}
	return wrong;
}

static struct shape
some_shape(const struct vectors *a, const struct vectors *b, struct vs_rng *rng)
{
	struct shape s;

	s.n_row = 1 + vs_rng_below(rng, a->n_vec);
	s.row = vs_rng_below(rng, a->n_vec - s.n_row + 1);
	s.n_col = 1 + vs_rng_below(rng, b->n_vec);
	s.lo = vs_rng_below(rng, b->n_vec - s.n_col + 1);
	s.col = vs_rng_below(rng, 2) ? 0 : vs_rng_below(rng, s.n_col);
	s.level = vs_rng_below(rng, 2) ? s.n_row : vs_rng_below(rng, s.n_row);
	return s;
}

/* Wrong sums of the kernels so far, and the first number of fields. */
static struct tally {
	int wrong;
	size_t n_field;
} tally[64];
static int wrong_totals;

/* Kernel number n of those that numbers of a kind are for. */
static const struct vs_minima *
kernel_at(enum kind kind, int n)
{
	return kind == SIGNED ? vs_registry_inner[n] : vs_registry_minima[n];
}

/* True if the kernel is for such numbers; the smallest integers are 0 and 1. */
static bool
takes(const struct vs_minima *k, enum vs_element e, enum kind kind)
{
	return k->element == e && k->cpu <= vs_cpu_best() &&
		(!k->bits || kind == TINY);
}

static void
try(enum vs_element e, enum kind kind, size_t n_row, size_t n_col,
	size_t n_field, struct vs_rng *rng)
{
	struct shape s = { 0, n_row, 0, n_col, 0, n_row };
	const struct vs_minima *k;
	struct vectors a, b;

	vectors_new(&a, n_row, n_field, e, kind, rng);
	vectors_new(&b, n_col, n_field, e, kind, rng);
	for (size_t r = 0; r < n_row; r++)
		for (size_t c = 0; c < n_col; c++)
			want[r][c] = (kind == SIGNED ? plain_inner : plain)(e,
				a.number + r * n_field, b.number + c * n_field,
				n_field);
	for (size_t r = 0; r < n_row && kind != SIGNED; r++)
		wrong_totals += vs_numbers_total(&a.b, r) !=
			plain(e, a.number + r * n_field, a.number + r * n_field,
				n_field);
	for (int x = 0; x < 2; x++, s = some_shape(&a, &b, rng))
		for (int n = 0; (k = kernel_at(kind, n)); n++) {
			int wrong;

			if (!takes(k, e, kind))
				continue;
			wrong = judge(k, &a, &b, &s);
			wrong += judge_one(k, &a, &b, s.row);
			if (wrong && !tally[n].wrong)
				tally[n].n_field = n_field;
			tally[n].wrong += wrong;
		}
	vectors_free(&a);
	vectors_free(&b);
}

static void
tell(enum vs_element e, enum kind kind)
{
	const struct vs_minima *k;

	for (int n = 0; (k = kernel_at(kind, n)); n++)
		if (takes(k, e, kind))
			T_OK(!tally[n].wrong,
				"%s%s: numbers %s: %d sums wrong, first at %zu "
				"fields",
				k->name, k->lesser ? "" : ", inner products",
				how[kind], tally[n].wrong, tally[n].n_field);
	memset(tally, 0, sizeof(tally));
}

/* Around the ends of runs: of 128 fields, or of as many lanes of 2 and of 4. */
static const size_t edges[] = { 127, 128, 129, 255, 256, 257, 383, 384, 385,
	511, 512, 513, 767, 1023, 1024, 1025, 1537, 2049 };

static void
try_element(enum vs_element e, bool quick, struct vs_rng *rng)
{
	const bool real = !vs_element_is_integer(e);

	for (int k = 0; k < (real ? N_KIND + 1 : N_KIND); k++) {
		const enum kind kind = k < N_KIND ? (enum kind)k : SIGNED;

		for (size_t f = 1; f <= 130; f += quick ? 1 + f / 2 : 1)
			try(e, kind, 1 + f % MOST_ROW, 1 + f * 7 % MOST_COL, f,
				rng);
		for (size_t x = 0; x < sizeof(edges) / sizeof(*edges); x++)
			try(e, kind, quick ? 2 : MOST_ROW, quick ? 5 : 70,
				edges[x], rng);
		if (!quick)
			try(e, kind, 2, 3, 70001, rng);
		tell(e, kind);
	}
	T_OK(!wrong_totals, "%s: %d vectors have a wrong total",
		vs_element_name(e), wrong_totals);
	wrong_totals = 0;
}

int
main(int argc, char **argv)
{
	struct vs_rng rng;

	(void)argv;
	vs_rng_seed(&rng, 41);
	fence_cols = fence_new(RESERVED);
	fence_rows = fence_new(RESERVED);
	fence_sums = fence_new(RESERVED);
	for (enum vs_element e = VS_NUM_U8; e <= VS_NUM_F64; e++)
		try_element(e, argc > 1, &rng);
	for (enum vs_element e = VS_NUM_U8; e <= VS_NUM_F64; e++)
		T_OK(vs_registry_minima_pick(VS_CPU_SCALAR, e, false, NULL)
					->cpu == VS_CPU_SCALAR,
			"%s: there is a kernel for any CPU",
			vs_element_name(e));
	for (enum vs_element e = VS_NUM_F32; e <= VS_NUM_F64; e++)
		T_OK(vs_registry_inner_pick(VS_CPU_SCALAR, e, false, NULL)
					->cpu == VS_CPU_SCALAR,
			"%s: there is one of inner products",
			vs_element_name(e));
	fence_free(fence_cols, RESERVED);
	fence_free(fence_rows, RESERVED);
	fence_free(fence_sums, RESERVED);
	for (enum vs_cpu c = vs_cpu_best() + 1; c < VS_CPU_N; c++)
		printf("skip - %s: not on this CPU\n", vs_cpu_name(c));
	return T_DONE();
}
