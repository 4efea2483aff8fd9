/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Template of the threshold filter of a row for the registers of one
 * instruction set. Each inclusion makes NAME(screen) and NAME(signs); the
 * including file defines these macros, which are undefined at the end:
 *
 *   NAME(name)   name of a function; TARGET: its requirements
 *   FLOATS       a register of LANES floats
 *   LOAD, LOAD_INTS, CONVERT, ALL   it from memory, integers to floats, one
 *                float in all lanes
 *   ADD, SUB, MULTIPLY_ADD   of registers
 *   ABOVE(a, b)  bits of the lanes with a > b
 */
#include "libcore/kern/screen/screen.h"

#if defined(FLOATS)
#define INLINE TARGET VS_INLINE

INLINE FLOATS
NAME(slope)(float *const by[2], size_t at, const FLOATS rest[2], FLOATS p)
{
	p = MULTIPLY_ADD(LOAD(by[0] + at), rest[0], p);
	return MULTIPLY_ADD(LOAD(by[1] + at), rest[1], p);
}

/* Bounds by column, and the row's contribution in all lanes. */
struct NAME(side) {
	const float *bound;
	FLOATS add;
};

struct NAME(lanes) {
	const struct vs_screen_cols *x;
	struct NAME(side) most[2], least[2];
	FLOATS rest[2];
};

INLINE struct NAME(side)
	NAME(side)(float *const bound[2], const float add[2], int k)
{
	return (struct NAME(side)){ bound[k], ALL(add[k]) };
}

/* LANES columns, n bounds per direction. */
INLINE uint64_t
NAME(screen_some)(const struct NAME(lanes) * r, size_t c, FLOATS p, int n,
	bool mixed, bool sloped)
{
	FLOATS v = sloped ? NAME(slope)(r->x->up, c, r->rest, p) : p;
	uint64_t hit = 0;

	for (int k = 0; k < n; k++)
		hit |= ABOVE(ADD(v, r->most[k].add),
			LOAD(r->most[k].bound + c));
	if (!mixed)
		return hit;
	v = sloped ? NAME(slope)(r->x->down, c, r->rest, p) : p;
	for (int k = 0; k < n; k++)
		hit |= ABOVE(LOAD(r->least[k].bound + c),
			SUB(v, r->least[k].add));
	return hit;
}

INLINE size_t
NAME(screen_lanes)(const struct vs_screen_cols *cols,
	const struct vs_screen_row *r, const int32_t *p, size_t n,
	uint64_t *hit, int n_side, bool mixed, bool sloped)
{
	const struct vs_screen_cols x = *cols;
	struct NAME(lanes) row = { .x = &x };
	size_t left = 0;

	for (int k = 0; k < 2; k++) {
		row.most[k] = NAME(side)(x.most, r->more, k ^ r->idle_most[0]);
		row.least[k] =
			NAME(side)(x.least, r->less, k ^ r->idle_least[0]);
		row.rest[k] = ALL(r->rest[k]);
	}
	for (size_t at = 0; at < n; at += VS_SCREEN_COLS) {
		uint64_t bits = 0;

		for (size_t c = 0; c < VS_SCREEN_COLS; c += LANES) {
			FLOATS sum = CONVERT(LOAD_INTS(p + at + c));

			bits |= NAME(screen_some)(&row, at + c, sum, n_side,
					mixed, sloped)
				<< c;
		}
		hit[at / VS_SCREEN_COLS] = bits;
		left += (size_t)__builtin_popcountll(bits);
	}
	return left;
}

/* A loop per kind of row; most need the simplest. */
INLINE size_t
NAME(screen_kinds)(const struct vs_screen_cols *x,
	const struct vs_screen_row *r, const int32_t *p, size_t n,
	uint64_t *hit, bool sloped)
{
	bool one = r->idle_most[0] || r->idle_most[1];

	if (!r->mixed)
		return one
			? NAME(screen_lanes)(x, r, p, n, hit, 1, false, sloped)
			: NAME(screen_lanes)(x, r, p, n, hit, 2, false, sloped);
	one &= r->idle_least[0] || r->idle_least[1];
	return one ? NAME(screen_lanes)(x, r, p, n, hit, 1, true, sloped)
		   : NAME(screen_lanes)(x, r, p, n, hit, 2, true, sloped);
}

TARGET static size_t
NAME(screen)(const struct vs_screen_cols *x, const struct vs_screen_row *r,
	const int32_t *p, size_t n, uint64_t *hit)
{
	return x->sloped ? NAME(screen_kinds)(x, r, p, n, hit, true)
			 : NAME(screen_kinds)(x, r, p, n, hit, false);
}

TARGET static uint64_t
NAME(signs)(const float x[VS_SCREEN_COLS])
{
	uint64_t bits = 0;

	for (size_t c = 0; c < VS_SCREEN_COLS; c += LANES)
		bits |= (uint64_t)ABOVE(ALL(0), LOAD(x + c)) << c;
	return bits;
}

#undef INLINE
#undef NAME
#undef TARGET
#undef LANES
#undef FLOATS
#undef LOAD
#undef LOAD_INTS
#undef CONVERT
#undef ALL
#undef ADD
#undef SUB
#undef MULTIPLY_ADD
#undef ABOVE
#endif
