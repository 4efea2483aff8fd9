/* SPDX-License-Identifier: BSD-3-Clause */
/* Synthetic test vectors, random access by index. */
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/bits/synthetic.h"

/* ---- random ---- */

#define DRAW (1u << 21) /* three draws of 21 bits make one of 63 */

/*
 * A genotype of two alleles, each 1 with probability often / DRAW, or missing.
 */
static int
draw_genotype(uint64_t x, uint64_t often, uint64_t missing, int ploidy)
{
	int g = (x % DRAW < often);

	if (x / DRAW / DRAW % DRAW < missing)
		return VS_LEVEL_MISSING;
	return ploidy == 1 ? g : g + (x / DRAW % DRAW < often);
}

/* The vector's own random number, from an index that no field uses. */
static uint64_t
of_vector(const struct vs_synthetic *s, uint64_t v)
{
	return vs_rng_at(s->seed, v);
}

static double
draw_number(uint64_t vector, uint64_t x, enum vs_element e)
{
	/* take 32 bits of the entry modulo the vector's maximum */
	static const uint64_t most[] = { [VS_NUM_U8] = UINT8_MAX,
		[VS_NUM_U16] = UINT16_MAX,
		[VS_NUM_U32] = UINT32_MAX };

	if (vs_element_is_integer(e)) {
		uint64_t top = (vector >> 32) % most[e] + 1;

		return (double)(((x >> 32) * (top + 1)) >> 32);
	}
	/* exact products of 24 and 24 bits */
	return (double)(vector >> 40) * (double)(x >> 40) * 0x1p-48;
}

/* ---- analytic ---- */

static uint64_t
root(uint64_t n, int power)
{
	uint64_t r = 1;

	while ((r + 1) * (power == 3 ? (r + 1) * (r + 1) : r + 1) <= n)
		r++;
	return r;
}

void
vs_synthetic_box(uint64_t n_field, uint64_t p[3])
{
	p[2] = root(n_field, 3);
	p[1] = root(n_field / p[2], 2);
	p[0] = n_field / p[2] / p[1];
}

/* The next small random number below n, from the digits of *x. */
static uint64_t
next_digit(uint64_t *x, uint64_t n)
{
	uint64_t drawn = *x % n;

	*x /= n;
	return drawn;
}

void
vs_synthetic_pattern(const struct vs_synthetic *s, uint64_t v, uint64_t n_field,
	int ploidy, struct vs_pattern *out)
{
	uint64_t kind = v % VS_SYNTHETIC_CLASSES;
	uint64_t x = vs_rng_at(s->seed, kind), p[3];

	vs_synthetic_box(n_field, p);
	out->axis = (int)(kind % 3);
	out->side = p[out->axis];
	/* half of the patterns have no missing calls */
	out->n_missing = ploidy && next_digit(&x, 2)
		? (uint64_t)(2 * s->missing * (double)out->side)
		: 0;
	if (out->n_missing >= out->side)
		out->n_missing = out->side - 1;
	out->start = next_digit(&x, out->side);
	out->n1 = next_digit(&x, out->side - out->n_missing) + 1;
	out->n2 = ploidy == 1 ? 0 : next_digit(&x, out->n1 + 1);
	out->height = (unsigned)next_digit(&x, 127) + 1;
}

int
vs_synthetic_level(const struct vs_pattern *p, uint64_t position)
{
	uint64_t from = (position + p->side - p->start) % p->side;

	if (from >= p->side - p->n_missing)
		return VS_LEVEL_MISSING;
	return (from < p->n1) + (from < p->n2);
}

/* Coordinate of field q along an axis; false: q is past the box. */
static bool
coordinate(const uint64_t p[3], uint64_t q, int axis, uint64_t *position)
{
	if (q >= p[0] * p[1] * p[2])
		return false;
	*position = axis == 0 ? q % p[0]
		: axis == 1   ? q / p[0] % p[1]
			      : q / p[0] / p[1];
	return true;
}

/* ---- both ---- */

void
vs_synthetic_genotypes(const struct vs_synthetic *s, uint64_t v, int ploidy,
	struct vs_vec *b, size_t row)
{
	uint64_t vector = of_vector(s, v), p[3], at, u = vector >> 43;
	uint64_t missing = (uint64_t)(s->missing * DRAW);
	struct vs_pattern t;
	uint8_t word[64];

	vs_synthetic_box(b->n_field, p);
	vs_synthetic_pattern(s, v, b->n_field, ploidy, &t);
	for (uint64_t q = 0; q < b->n_field; q++) {
		int g = 0;

		if (!s->analytic)
			g = draw_genotype(vs_rng_at(vector, q),
				u * u / DRAW / 2, missing, ploidy);
		else if (coordinate(p, q, t.axis, &at))
			g = vs_synthetic_level(&t, at);
		word[q % 64] = (uint8_t)g;
		if (q % 64 == 63 || q == b->n_field - 1)
			vs_vec_set_word(b, row, q / 64, word, q % 64 + 1);
	}
}

void
vs_synthetic_numbers(const struct vs_synthetic *s, uint64_t v,
	enum vs_element e, uint64_t n_field, void *out)
{
	uint64_t vector = of_vector(s, v), p[3], at;
	struct vs_pattern t;

	vs_synthetic_box(n_field, p);
	vs_synthetic_pattern(s, v, n_field, 0, &t);
	for (uint64_t q = 0; q < n_field; q++) {
		double x = 0;

		if (!s->analytic)
			x = draw_number(vector, vs_rng_at(vector, q), e);
		else if (coordinate(p, q, t.axis, &at))
			x = t.height * (double)vs_synthetic_level(&t, at);
		vs_element_put(e, out, q, x);
	}
}
