/* SPDX-License-Identifier: BSD-3-Clause */
/* Synthetic case-control genotypes with a planted interaction. */
#include <math.h>
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/bits/planted.h"

#define DRAW (1u << 21) /* three draws of 21 bits make one of 63 */
#define MISSING 3

/* Streams of random numbers other than those of the vectors. */
#define STREAM_SET UINT64_MAX
#define STREAM_STATUS (UINT64_MAX - 1)

static const char *const model_name[] = {
	[VS_PLANTED_MULTIPLICATIVE] = "multiplicative",
	[VS_PLANTED_THRESHOLD] = "threshold",
	[VS_PLANTED_XOR] = "xor",
};

const char *
vs_planted_name(size_t model)
{
	return model < sizeof(model_name) / sizeof(*model_name)
		? model_name[model]
		: NULL;
}

/* Only square roots, so that all machines agree on the bits. */
static double
multiplied(const struct vs_planted *p, const int *g)
{
	double ratio = p->high / p->low;

	for (size_t k = 0; k < p->n_set; k++) {
		if (!g[k])
			return p->low;
		if (g[k] == 1)
			ratio = sqrt(ratio);
	}
	return p->low * ratio;
}

/* Penetrance of genotypes g[0 .. n_set), 0 to 2. */
static double
penetrance(const struct vs_planted *p, const int *g)
{
	size_t n_any = 0, n_one = 0;

	for (size_t k = 0; k < p->n_set; k++) {
		n_any += g[k] > 0;
		n_one += g[k] == 1;
	}
	switch (p->model) {
	case VS_PLANTED_MULTIPLICATIVE:
		return multiplied(p, g);
	case VS_PLANTED_THRESHOLD:
		return n_any == p->n_set ? p->high : p->low;
	case VS_PLANTED_XOR:
		return n_one % 2 ? p->high : p->low;
	}
	return p->low;
}

static size_t
n_cell(const struct vs_planted *p)
{
	return p->n_set == 3 ? 27 : p->n_set == 2 ? 9 : 0;
}

static void
make_sums(struct vs_planted *p)
{
	double f = p->model == VS_PLANTED_XOR ? 0.5 : p->most;
	double of[3] = { (1 - f) * (1 - f), 2 * f * (1 - f), f * f };
	double sum[2] = { 0 };

	for (size_t c = 0; c < n_cell(p); c++) {
		int g[VS_PLANTED_MOST] = { (int)(c % 3), (int)(c / 3 % 3),
			(int)(c / 9) };
		double x = of[g[0]] * of[g[1]] * (p->n_set == 3 ? of[g[2]] : 1);
		double risk = penetrance(p, g);

		p->sum[0][c] = sum[0] += x * (1 - risk);
		p->sum[1][c] = sum[1] += x * risk;
	}
}

/* Selection sampling: every set of n_case fields is equally likely. */
static void
draw_status(struct vs_planted *p)
{
	uint64_t left = p->n_case;
	struct vs_rng r;

	vs_rng_seed(&r, vs_rng_at(p->seed, STREAM_STATUS));
	for (uint64_t q = 0; q < p->n_field; q++) {
		p->status[q] = vs_rng_below(&r, p->n_field - q) < left;
		left -= p->status[q];
	}
}

int
vs_planted_begin(struct vs_planted *p)
{
	int code = vs_mem_new(&p->status, p->n_field, 1, "case status");

	if (code)
		return code;
	draw_status(p);
	make_sums(p);
	return 0;
}

void
vs_planted_end(struct vs_planted *p)
{
	free(p->status);
	p->status = NULL;
}

/* The combination of genotypes that a sample has in the set. */
static size_t
draw_cell(const struct vs_planted *p, uint64_t q)
{
	const double *sum = p->sum[p->status[q]];
	size_t n = n_cell(p), c = 0;
	uint64_t x = vs_rng_at(vs_rng_at(p->seed, STREAM_SET), q);
	double at = (double)(x >> 11) * 0x1p-53 * sum[n - 1];

	while (c < n - 1 && sum[c] <= at)
		c++;
	return c;
}

void
vs_planted_genotypes(const struct vs_planted *p, uint64_t v, struct vs_vec *b,
	size_t row)
{
	static const size_t place[VS_PLANTED_MOST] = { 1, 3, 9 };
	uint64_t vector = vs_rng_at(p->seed, v);
	double f = p->least +
		(p->most - p->least) * ((double)(vector >> 11) * 0x1p-53);
	uint64_t often = (uint64_t)(f * DRAW);
	uint64_t missing = (uint64_t)(p->missing * DRAW);
	uint8_t word[64];
	size_t k = 0;

	while (k < p->n_set && p->set[k] != v)
		k++;
	for (uint64_t q = 0; q < p->n_field; q++) {
		uint64_t x = vs_rng_at(vector, q);
		int g = (x % DRAW < often) + (x / DRAW % DRAW < often);

		if (k < p->n_set)
			g = (int)(draw_cell(p, q) / place[k] % 3);
		if (x / DRAW / DRAW % DRAW < missing)
			g = MISSING;
		word[q % 64] = (uint8_t)g;
		if (q % 64 == 63 || q == p->n_field - 1)
			vs_vec_set_word(b, row, q / 64, word, q % 64 + 1);
	}
}
