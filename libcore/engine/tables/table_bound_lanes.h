/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Upper bound of the information of LANES tables side by side.
 *
 * Template parameters: LANES, the lanes of a register; NAME(f), the name of
 * function f.
 */

#ifdef LANES

#define floats NAME(floats)
#define ints NAME(ints)
#define words NAME(words)

typedef float floats __attribute__((vector_size(4 * LANES), may_alias));
typedef int32_t ints __attribute__((vector_size(4 * LANES), may_alias));
/* of sums: the counts of tables that are not asked for may be anything */
typedef uint32_t words __attribute__((vector_size(4 * LANES), may_alias));

/* Samples of cell x, and the cases that are more than expected. */
VS_INLINE void
NAME(cell_of)(const struct vs_table_bound *b, int32_t (*const count[2])[WIDE],
	size_t at, int x, floats *all, floats *d)
{
	const words one = *(const words *)&count[1][x][at];
	const words n = one + *(const words *)&count[0][x][at];

	*all = __builtin_convertvector((ints)n, floats);
	*d = __builtin_convertvector((ints)one, floats) -
		*(const floats *)&b->p[at] * *all;
}

/* The information that tables need, including their cells' terms. */
VS_INLINE void
NAME(add_cells)(const struct vs_table_bound *b, int32_t (*const count[2])[WIDE],
	size_t at, int n_cell, floats *needed)
{
	words logs = { 0 };

	for (int x = 0; x < n_cell; x++) {
		floats all, d;
		ints bits;

		NAME(cell_of)(b, count, at, x, &all, &d);
		/* the bits of a float are a lower bound of its logarithm */
		bits = (ints)((words)all - TWO_BITS);
		logs += (words)(bits & (bits > 0)) >> KEPT;
	}
	*needed = *(const floats *)&b->least[at];
	if (b->by_cell)
		*needed += __builtin_convertvector((ints)logs, floats) *
			(float)(0.5 * M_LN2 * (1 << KEPT) / (1 << 23) *
				(1 - 1e-6));
}

/* Bound by chi-square, which is twice the information of a weak association. */
VS_INLINE void
NAME(bound_roughly)(const struct vs_table_bound *b,
	int32_t (*const count[2])[WIDE], size_t at, int n_cell, floats *bound)
{
	floats sum = { 0 };

	for (int x = 0; x < n_cell; x++) {
		floats all, d;

		NAME(cell_of)(b, count, at, x, &all, &d);
		sum += d * d * (floats)(RECIPROCAL - (words)all);
	}
	*bound = sum * *(const floats *)&b->a[at] * (2 * ROUGH_ROOM);
}

VS_INLINE void
NAME(bound_closely)(const struct vs_table_bound *b,
	int32_t (*const count[2])[WIDE], size_t at, int n_cell, floats *bound)
{
	const floats square = *(const floats *)&b->a[at];
	const floats cubic = *(const floats *)&b->b[at];
	const floats fourth = *(const floats *)&b->c[at];
	floats sum = { 0 };

	for (int x = 0; x < n_cell; x++) {
		floats all, d, near, v;

		NAME(cell_of)(b, count, at, x, &all, &d);
		near = (floats)(RECIPROCAL - (words)all);
		v = d * (near * (2.0F - all * near));
		sum += d * v * (square + v * (cubic + v * fourth));
	}
	*bound = sum * ROOM;
}

/* Tables whose bound reaches their requirement or is not a number. */
VS_INLINE uint32_t
NAME(kept_of)(const floats *bound, const floats *needed)
{
	const ints kept = ~(*bound < *needed);
	uint64_t two[LANES / 2], any = 0;
	uint32_t bits = 0;

	memcpy(two, &kept, sizeof(two));
	for (int k = 0; k < LANES / 2; k++)
		any |= two[k];
	for (int c = 0; any && c < LANES; c++)
		bits |= (uint32_t)(kept[c] & 1) << c;
	return bits;
}

VS_INLINE uint32_t
NAME(look)(const struct vs_table_bound *b, int32_t (*const count[2])[WIDE],
	size_t at, int n_cell)
{
	floats needed, bound;
	uint32_t kept;

	NAME(add_cells)(b, count, at, n_cell, &needed);
	NAME(bound_roughly)(b, count, at, n_cell, &bound);
	kept = NAME(kept_of)(&bound, &needed);
	if (!kept)
		return 0;
	NAME(bound_closely)(b, count, at, n_cell, &bound);
	return kept & NAME(kept_of)(&bound, &needed);
}

#undef floats
#undef ints
#undef words
#undef NAME
#undef LANES
#endif
