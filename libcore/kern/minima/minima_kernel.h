/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Template of a kernel that sums minima, or products, of one type of numbers.
 * Columns lie side by side in the lanes of N_REG registers, so that each lane
 * sums one pair, field after field; a block of N_ROW rows keeps all its sums in
 * registers over a run. The including file defines these macros, which are
 * undefined at the end:
 *
 *   KERNEL      name of the file's kernels; CPU, TARGET: their requirements;
 *               these three stay defined, and so does
 *   PRODUCTS    products are summed, each added with one rounding, which ADD
 *               does; else minima
 *   ONLY_BITS   all numbers are 0 or 1; else undefined
 *   TYPE        of the numbers: u8 u16 u32 f32 f64; ELEMENT: its enum
 *   NUMBER      their C type
 *   UNIT        a lane
 *   N_ROW, N_REG
 *
 * and, where a lane is not one number, or a register not one lane:
 *
 *   GROUP       numbers in a lane
 *   PACK(v, n)  a UNIT of the first n <= GROUP numbers at v
 *   AS_IS       a UNIT is GROUP numbers in memory order
 *   VEC, LANES  a register of LANES UNITs
 *   LOAD(p)     one from memory; FILL(p): the UNIT at p, chars, in each lane
 *   RUN         UNITs of a run; integers may differ from reals
 *   START(n)    initial value of sums to which n UNITs will be added
 *   ADD(s, a, b)  s plus the minima of a and b, or their products
 *   SUM         C type of a lane's sum; STORE(p, s): store those of all lanes
 *   NARROW      a lane holds the sum of a run of numbers up to this. Greater
 *               numbers need a second register: TOP(t, a, b) is t plus the
 *               first bits of the minima of a and b, WHOLE(sum, top) the total
 *   TAKE(p)     a register of LANES UNITs from LANES * GROUP numbers at p, and
 *               MIX(a, b, h): interleaved lanes of two registers, LANES in all,
 *               from h on; without these, columns are converted one by one
 */
#include <stdint.h>
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/kern/minima/minima.h"

#if !defined(MINIMA_NAME)
#define MINIMA_PASTE(a, b, c) a##_##b##_##c
#define MINIMA_NAME(a, b, c) MINIMA_PASTE(a, b, c)
#define MINIMA_TEXT_OF(a, b) #a "-" #b
#define MINIMA_TEXT(a, b) MINIMA_TEXT_OF(a, b)
/* Accumulator type of a run of one pair. */
#define MINIMA_PART_OF(type) MINIMA_PART_##type
#define MINIMA_PART(type) MINIMA_PART_OF(type)
#define MINIMA_PART_bit uint32_t
#define MINIMA_PART_u8 uint32_t
#define MINIMA_PART_u16 uint32_t
#define MINIMA_PART_u32 uint64_t
#define MINIMA_PART_f32 float
#define MINIMA_PART_f64 double

/*
 * A run: n UNITs of a block of rows against one of columns. The first run of
 * fields sets the sums, others add to them. The first n_row rows are wanted.
 * Meanwhile the data at next is prefetched, step bytes per UNIT; and, for
 * numbers as wide as a lane, whose rows exceed L2, the data far bytes after
 * each of these.
 */
struct minima_run {
	const char *const *rows;
	const void *cols;
	size_t n, n_row;
	int first;
	double *sum;
	size_t ld;
	const char *next;
	size_t step, far_bytes;
};

/* Function for runs, and the number of rows it takes. */
struct minima_way {
	void (*run)(const struct minima_run *k);
	size_t rows;
};
#endif
#if defined(TYPE)
#if !defined(GROUP)
#define GROUP 1
#define PACK(v, n) ((void)(n), *(v))
#endif
#if !defined(VEC)
#define VEC UNIT
#define LANES 1
#define LOAD(p) (*(p))
#define FILL(p) (*(const UNIT *)(p))
#define START(n) 0
#if !defined(ADD)
#define ADD(s, a, b) ((s) + ((a) < (b) ? (a) : (b)))
#endif
#define STORE(p, s) (*(p) = (s))
#endif
#if !defined(SUM)
#define SUM UNIT
#endif
#if !defined(NARROW)
#define TOP(t, a, b) (t)
#define WHOLE(sum, top) ((double)(sum))
#define BEHIND 0
#else
#define BEHIND 1 /* UNITs after the columns, for their greatest numbers */
#endif
#define OWN(name) MINIMA_NAME(name, KERNEL, TYPE)
#define WIDTH (LANES * N_REG)
#define UNITS(n_field) (((n_field) + GROUP - 1) / GROUP)
#define DEEP(n_field) (UNITS(n_field) + BEHIND)

#if !defined(RUN)
#define RUN VS_NUMBERS_RUN
#endif
#define SLICE 64 /* UNITs of a vector moved at a time */

#define PREFETCH 8 /* prefetch distance in vectors */

/* Prefetch units [from, end) of a vector. */
static inline void
OWN(fetch)(const struct vs_numbers *b, size_t v, size_t from, size_t end)
{
	const char *at = vs_numbers_of(b, v);
	size_t bytes = sizeof(NUMBER) * GROUP;

	for (size_t x = from * bytes; x < end * bytes; x += 64)
		__builtin_prefetch(at + x);
}

/*
 * Interleave units [from, end) of vectors [lo, lo + n) of b, `width` side by
 * side; those past the last are all 0.
 */
static void
OWN(move)(const struct vs_numbers *b, size_t lo, size_t n, size_t width,
	size_t from, size_t end, UNIT *out)
{
	static const NUMBER none[GROUP];
	const size_t whole = b->n_field / GROUP;

	for (size_t c = 0; c < width; c++) {
		const NUMBER *v = vs_numbers_of(b, lo + c);
		UNIT *to = out + c;
		size_t u = from;

		if (c + PREFETCH < n)
			OWN(fetch)(b, lo + c + PREFETCH, from, end);
		for (; c >= n && u < end; u++)
			to[u * width] = PACK(none, GROUP);
		for (; u < end && u < whole; u++)
			to[u * width] = PACK(v + u * GROUP, GROUP);
		if (u < end)
			to[u * width] = PACK(v + u * GROUP, b->n_field % GROUP);
	}
}

/*
 * Convert vectors [lo, lo + n) of b to blocks of some width, UNIT after UNIT.
 */
static void
OWN(take)(const struct vs_numbers *b, size_t lo, size_t n, size_t width,
	size_t from, UNIT *out)
{
	const size_t n_unit = UNITS(b->n_field);

	for (; from < n_unit; from += SLICE)
		OWN(move)
	(b, lo, n, width, from, n_unit - from < SLICE ? n_unit : from + SLICE,
		out);
}

#if defined(TAKE)
typedef UNIT OWN(lanes)
	__attribute__((vector_size(sizeof(VEC)), aligned(sizeof(VEC))));

/* Transpose a square of LANES rows. */
TARGET VS_INLINE void
OWN(mix)(OWN(lanes) r[LANES])
{
	OWN(lanes) s[LANES];

#pragma GCC unroll 4
	for (int step = 1; step < LANES; step *= 2) {
#pragma GCC unroll 8
		for (int v = 0; v < LANES / 2; v++) {
			s[2 * v] = MIX(r[v], r[v + LANES / 2], 0);
			s[2 * v + 1] = MIX(r[v], r[v + LANES / 2], LANES / 2);
		}
#pragma GCC unroll 16
		for (int v = 0; v < LANES; v++)
			r[v] = s[v];
	}
}

/*
 * Transpose LANES vectors of b from lo on into lanes of a block of WIDTH, UNITs
 * [0, n), LANES by LANES at a time.
 */
TARGET static void
OWN(turn)(const struct vs_numbers *b, size_t lo, size_t n, UNIT *out)
{
	for (size_t u = 0; u < n; u += LANES, out += LANES * WIDTH) {
		OWN(lanes) r[LANES];

#pragma GCC unroll 16
		for (int v = 0; v < LANES; v++) {
			const NUMBER *at = vs_numbers_of(b, lo + (size_t)v);

			r[v] = (OWN(lanes))TAKE(at + u * GROUP);
			__builtin_prefetch(at + (u + 8 * LANES) * GROUP);
		}
		OWN(mix)(r);
#pragma GCC unroll 16
		for (int v = 0; v < LANES; v++)
			*(OWN(lanes) *)(out + v * WIDTH) = r[v];
	}
}
#endif

/* Add a run; wide: second accumulators, for half the rows. */
TARGET VS_INLINE void
OWN(add_run)(const struct minima_run *k, const int wide)
{
	const int n_row = wide ? N_ROW / 2 : N_ROW;
	const size_t n = k->n, step = k->step, far_bytes = k->far_bytes;
	const UNIT *cols = k->cols;
	const char *next = k->next, *row[N_ROW];
	VEC s[N_ROW][N_REG], t[N_ROW][N_REG];

#pragma GCC unroll 16
	for (int r = 0; r < n_row; r++) {
		row[r] = k->rows[r];
#pragma GCC unroll 16
		for (int c = 0; c < N_REG; c++)
			s[r][c] = t[r][c] = START(n);
	}
	for (size_t u = 0; u < n; u++, cols += WIDTH) {
		VEC col[N_REG];

		/* a line has several UNITs, and loads limit the loop */
		if (u % 4 == 0)
			__builtin_prefetch(next);
		next += step;
		if (GROUP == 1 && LANES > 1 && u % 8 == 0)
#pragma GCC unroll 16
			for (int r = 0; r < n_row; r++)
				__builtin_prefetch(
					row[r] + u * sizeof(UNIT) + far_bytes);
#pragma GCC unroll 16
		for (int c = 0; c < N_REG; c++)
			col[c] = LOAD(cols + c * LANES);
#pragma GCC unroll 16
		for (int r = 0; r < n_row; r++) {
			const char *at = row[r] + u * sizeof(UNIT);
			VEC v = FILL(at);

#pragma GCC unroll 16
			for (int c = 0; c < N_REG; c++) {
				s[r][c] = ADD(s[r][c], v, col[c]);
				if (wide)
					t[r][c] = TOP(t[r][c], v, col[c]);
			}
		}
	}
#pragma GCC unroll 16
	for (int r = 0; r < n_row; r++) {
		SUM part[2][WIDTH] __attribute__((aligned(64)));
		double *to = k->sum + (size_t)r * k->ld;

#pragma GCC unroll 16
		for (int c = 0; c < N_REG; c++) {
			STORE(part[0] + c * LANES, s[r][c]);
			if (wide)
				STORE(part[1] + c * LANES, t[r][c]);
		}
		if ((size_t)r >= k->n_row)
			continue;
#define AMOUNT(c) (wide ? WHOLE(part[0][c], part[1][c]) : (double)part[0][c])
		if (k->first)
			for (int c = 0; c < WIDTH; c++)
				to[c] = AMOUNT(c);
		else
			for (int c = 0; c < WIDTH; c++)
				to[c] += AMOUNT(c);
#undef AMOUNT
	}
}

TARGET static void
OWN(run)(const struct minima_run *k)
{
	OWN(add_run)(k, 0);
}

#if defined(NARROW)
TARGET static void
OWN(run_wide)(const struct minima_run *k)
{
	OWN(add_run)(k, 1);
}

/* Store the greatest numbers of a block of columns after its n UNITs. */
TARGET static void
OWN(find_maxima)(UNIT *cols, size_t n)
{
	UNIT *most = cols + n * WIDTH;

	memset(most, 0, WIDTH * sizeof(*most));
	for (; cols < most; cols += WIDTH)
#pragma omp simd
		for (int c = 0; c < WIDTH; c++)
			most[c] = cols[c] > most[c] ? cols[c] : most[c];
}
#endif

/* Choose the function for a block of columns by its greatest numbers. */
static inline struct minima_way
OWN(way)(const UNIT *cols, size_t n)
{
#if defined(NARROW)
	for (int c = 0; c < WIDTH; c++)
		if (cols[n * WIDTH + c] > NARROW)
			return (struct minima_way){ OWN(run_wide), N_ROW / 2 };
#endif
	(void)cols;
	(void)n;
	return (struct minima_way){ OWN(run), N_ROW };
}

/* Convert columns to blocks of WIDTH vectors. */
static void
OWN(take_cols)(const struct vs_numbers *b, size_t lo, size_t n_col, void *cols)
{
	UNIT *out = cols;

	for (size_t at = 0; at < n_col; at += WIDTH) {
		size_t left = n_col - at, turned = 0;

#if defined(TAKE)
		if (left >= WIDTH) {
			turned = b->n_field / GROUP / LANES * LANES;
			for (size_t c = 0; c < WIDTH; c += LANES)
				OWN(turn)(b, lo + at + c, turned, out + c);
		}
#endif
		OWN(take)(b, lo + at, left, WIDTH, turned, out);
#if defined(NARROW)
		OWN(find_maxima)(out, UNITS(b->n_field));
#endif
		out += WIDTH * DEEP(b->n_field);
	}
}

static size_t
OWN(col_room)(size_t n_col, size_t n_field)
{
	return (n_col + WIDTH - 1) / WIDTH * WIDTH * DEEP(n_field) *
		sizeof(UNIT);
}

#if defined(AS_IS)
#define READY(n_field) ((n_field) / GROUP) /* UNITs that are read in place */
#else
#define READY(n_field) ((void)(n_field), (size_t)0)
#endif

static size_t
OWN(row_room)(size_t n_row, size_t n_field)
{
	return n_row * (UNITS(n_field) - READY(n_field)) * sizeof(UNIT);
}

/* The first column, of a block of WIDTH, that row r or a later one wants. */
static inline size_t
OWN(from)(const struct vs_minima_call *k, size_t r)
{
	return (k->col + (r > k->level ? r - k->level : 0)) / WIDTH * WIDTH;
}

/*
 * A run of n UNITs of all rows that want some of the columns c to c + WIDTH.
 * Each block of rows prefetches its share of the next columns and, at the first
 * columns, the next block of rows.
 */
static void
OWN(down)(const struct vs_minima_call *k, struct minima_way way,
	const char *rows, size_t stride, size_t c, struct minima_run m)
{
	const size_t n_row = k->n_row, many = way.rows;
	const size_t far_bytes = c == OWN(from)(k, 0) ? many * stride : 0;

	m.step = WIDTH * sizeof(UNIT) * many / (n_row + many - 1);
	for (size_t r = 0; r < n_row && OWN(from)(k, r) <= c; r += many) {
		const char *row[N_ROW];

		for (size_t x = 0; x < many; x++) {
			/* past the last row, the last one again */
			size_t v = r + x < n_row ? r + x : n_row - 1;

			row[x] = rows + v * stride;
		}
		m.rows = row;
		m.n_row = n_row - r;
		m.sum = k->sum + r * k->ld + c;
		m.far_bytes = r + 2 * many <= n_row ? far_bytes : 0;
		way.run(&m);
		m.next += m.n * m.step;
	}
}

/*
 * Count UNITs [lo, hi), row r at rows + r * stride, run by run: the rows of a
 * run stay in L2, and its columns in L1.
 */
static void
OWN(span)(const struct vs_minima_call *k, const char *rows, size_t stride,
	size_t lo, size_t hi)
{
	const size_t deep = DEEP(k->a->n_field), col = OWN(from)(k, 0);
	const UNIT *cols = k->cols;

	/* at least once, so that sums are set even without fields */
	for (size_t u = lo; !u || u < hi; u += RUN, rows += RUN * sizeof(UNIT))
		for (size_t c = col; c < k->n_col; c += WIDTH) {
			const UNIT *at = cols + c * deep + u * WIDTH;
			size_t n = hi - u < RUN ? hi - u : RUN;
			const UNIT *next = c + WIDTH < k->n_col
				? at + WIDTH * deep
				: cols + col * deep + (u + n) * WIDTH;

			OWN(down)
			(k, OWN(way)(cols + c * deep, deep - BEHIND), rows,
				stride, c,
				(struct minima_run){ .cols = at,
					.n = n,
					.first = !u,
					.ld = k->ld,
					.next = (const char *)next });
		}
}

TARGET static void
OWN(count)(const struct vs_minima_call *k)
{
	const size_t n_field = k->a->n_field, ready = READY(n_field);
	const size_t rest = UNITS(n_field) - ready;
	UNIT *to = k->scratch;

	for (size_t r = 0; r < k->n_row && rest; r++) {
		const NUMBER *v = vs_numbers_of(k->a, k->row + r);

		for (size_t u = ready; u < n_field / GROUP; u++)
			*to++ = PACK(v + u * GROUP, GROUP);
		if (n_field % GROUP)
			*to++ = PACK(v + n_field / GROUP * GROUP,
				n_field % GROUP);
	}
	if (ready || !rest)
		OWN(span)
	(k, vs_numbers_of(k->a, k->row), k->a->stride, 0, ready);
	if (rest)
		OWN(span)
	(k, k->scratch, rest * sizeof(UNIT), ready, UNITS(n_field));
}

#if !defined(PRODUCTS)
TARGET static void
OWN(lesser)(const void *u, const void *v, size_t n_field, void *out)
{
	const NUMBER *a = u, *b = v;
	NUMBER *to = out;

#pragma omp simd
	for (size_t q = 0; q < n_field; q++)
		to[q] = a[q] < b[q] ? a[q] : b[q];
}
#endif

#if defined(TAKE) && GROUP == 1 && !defined(NARROW)
/* Add LANES fields from q on of as many runs, each to its own lane. */
TARGET VS_INLINE void
OWN(part)(OWN(lanes) * part, const NUMBER *const *a, const NUMBER *const *b,
	size_t q)
{
	OWN(lanes) r[LANES];
#if defined(PRODUCTS)
	OWN(lanes) s[LANES];

#pragma GCC unroll 16
	for (int k = 0; k < LANES; k++) {
		r[k] = (OWN(lanes))TAKE(a[k] + q);
		s[k] = (OWN(lanes))TAKE(b[k] + q);
	}
	OWN(mix)(r);
	OWN(mix)(s);
#pragma GCC unroll 16
	for (int k = 0; k < LANES; k++)
		*part = (OWN(lanes))ADD((VEC)*part, (VEC)r[k], (VEC)s[k]);
#else

#pragma GCC unroll 16
	for (int k = 0; k < LANES; k++)
		r[k] = (OWN(lanes))ADD(START(0), TAKE(a[k] + q),
			TAKE(b[k] + q));
	OWN(mix)(r);
#pragma GCC unroll 16
	for (int k = 0; k < LANES; k++)
		*part += r[k];
#endif
}

/*
 * Sum of one pair of reals; runs are summed side by side, each from its first
 * field.
 */
TARGET static double
OWN(one)(const void *u, const void *v, size_t n_field)
{
	const NUMBER *of[2] = { u, v };
	const size_t n_run = (n_field + RUN - 1) / RUN, rest = n_field % RUN;
	NUMBER last[2][RUN] = { 0 }; /* padded with 0, which adds nothing */
	double sum = 0;

	for (int x = 0; x < 2; x++)
		memcpy(last[x], of[x] + (n_field - rest),
			rest * sizeof(NUMBER));
	for (size_t lo = 0; lo < n_run; lo += LANES) {
		const size_t n = n_run - lo < LANES ? n_run - lo : LANES;
		const NUMBER *a[LANES], *b[LANES];
		OWN(lanes) part = { 0 };

		for (size_t k = 0; k < LANES; k++) {
			/* past the last run, the last one again */
			size_t at = lo + (k < n ? k : n - 1);
			int end = at == n_run - 1 && rest;

			a[k] = end ? last[0] : of[0] + at * RUN;
			b[k] = end ? last[1] : of[1] + at * RUN;
		}
		for (size_t q = 0; q < RUN; q += LANES) {
			OWN(part)(&part, a, b, q);
		}
		for (size_t k = 0; k < n; k++)
			sum += (double)part[k];
	}
	return sum;
}
#else
TARGET static double
OWN(one)(const void *u, const void *v, size_t n_field)
{
	const NUMBER *a = u, *b = v;
	double sum = 0;

	for (size_t lo = 0; lo < n_field; lo += RUN) {
		size_t hi = n_field - lo < RUN ? n_field : lo + RUN;
		MINIMA_PART(TYPE) part = 0;

		for (size_t q = lo; q < hi; q++)
#if defined(PRODUCTS)
			part = ADD(part, a[q], b[q]);
#else
			part += a[q] < b[q] ? a[q] : b[q];
#endif
		sum += (double)part;
	}
	return sum;
}
#endif

#if defined(PRODUCTS)
const struct vs_minima MINIMA_NAME(vs_inner, KERNEL, TYPE) = {
#else
const struct vs_minima MINIMA_NAME(vs_minima, KERNEL, TYPE) = {
	.lesser = OWN(lesser),
#endif
#if defined(ONLY_BITS)
	.bits = true,
#endif
	.name = MINIMA_TEXT(KERNEL, TYPE),
	.cpu = CPU,
	.element = ELEMENT,
	.lanes = WIDTH,
	.rows = N_ROW,
	.col_room = OWN(col_room),
	.take_cols = OWN(take_cols),
	.row_room = OWN(row_room),
	.count = OWN(count),
	.one = OWN(one),
};

#undef OWN
#undef WIDTH
#undef UNITS
#undef DEEP
#undef BEHIND
#undef RUN
#undef SLICE
#undef READY
#undef AS_IS
#undef PREFETCH
#undef TYPE
#undef ELEMENT
#undef NUMBER
#undef UNIT
#undef GROUP
#undef PACK
#undef VEC
#undef LANES
#undef LOAD
#undef FILL
#undef START
#undef ADD
#undef SUM
#undef NARROW
#undef TOP
#undef WHOLE
#undef STORE
#undef TAKE
#undef MIX
#undef N_ROW
#undef N_REG
#endif
