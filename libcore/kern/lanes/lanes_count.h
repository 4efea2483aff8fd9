/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vertical addition of rows of bits by carry-save adders (Harley and Seal): a
 * tree of full adders for 16 rows, whose carries of weight 16 are added in the
 * order of a binary counter. Two operations a row where a full adder takes two.
 *
 * Template: WORDS, the vector type; LOAD(p), STORE(p, x), ZERO; ADD(carry, sum,
 * a, b), a full adder that leaves the sum in `sum`.
 */

#ifdef WORDS

/* Rows 0 to 15 of a list into ones .. eights; the carry of weight 16. */
#define TREE(x, row, f, s)                                     \
	do {                                                   \
		WORDS p_, q_, r_, t_, u_;                      \
		ADD(p_, s[0], AT(row, f, 0), AT(row, f, 1));   \
		ADD(q_, s[0], AT(row, f, 2), AT(row, f, 3));   \
		ADD(r_, s[1], p_, q_);                         \
		ADD(p_, s[0], AT(row, f, 4), AT(row, f, 5));   \
		ADD(q_, s[0], AT(row, f, 6), AT(row, f, 7));   \
		ADD(t_, s[1], p_, q_);                         \
		ADD(u_, s[2], r_, t_);                         \
		ADD(p_, s[0], AT(row, f, 8), AT(row, f, 9));   \
		ADD(q_, s[0], AT(row, f, 10), AT(row, f, 11)); \
		ADD(r_, s[1], p_, q_);                         \
		ADD(p_, s[0], AT(row, f, 12), AT(row, f, 13)); \
		ADD(q_, s[0], AT(row, f, 14), AT(row, f, 15)); \
		ADD(t_, s[1], p_, q_);                         \
		ADD(p_, s[2], r_, t_);                         \
		ADD(x, s[3], u_, p_);                          \
	} while (0)
#define AT(row, f, k) LOAD((row) + VS_LANES_WORDS * (size_t)(f)[k])

/* Lanes from `word` on, as many as WORDS has. */
TARGET static void
COUNT(const struct vs_lanes_call *c, size_t word)
{
	const uint64_t *row = c->row + word;
	const size_t n = c->n / VS_LANES_UNIT;
	const int top = 5 + vs_lanes_bits(n) > c->after ? 5 + vs_lanes_bits(n)
							: c->after;
	/* low[k], sum[k]: bit k of the counts; open[k]: a carry to be added */
	WORDS low[4], sum[VS_LANES_BITS + 8], open[VS_LANES_BITS + 8];
	WORDS carry = ZERO;
	int k = 0;

	for (; k < c->before; k++)
		sum[k] = LOAD(c->count + VS_LANES_WORDS * k + word);
	for (; k < top; k++)
		sum[k] = ZERO;
	for (k = 0; k < 4; k++)
		low[k] = sum[k];
	for (size_t at = 0; at < n; at++) {
		const uint32_t *field = c->field + VS_LANES_UNIT * at;
		WORDS x;
		size_t bit = at;

		TREE(x, row, field, low);
		for (k = 4; bit & 1; k++, bit >>= 1) {
			WORDS up;

			ADD(up, sum[k], open[k], x);
			x = up;
		}
		open[k] = x;
	}
	for (k = 0; k < 4; k++)
		sum[k] = low[k];
	for (size_t bit = n; k < top; k++, bit >>= 1) {
		WORDS up, x = ZERO;

		if (bit & 1)
			x = open[k];
		ADD(up, sum[k], x, carry);
		carry = up;
	}
	for (k = 0; k < c->after; k++)
		STORE(c->count + VS_LANES_WORDS * k + word, sum[k]);
}

#undef TREE
#undef AT
#undef COUNT
#undef WORDS
#undef LOAD
#undef STORE
#undef ZERO
#undef ADD
#endif
