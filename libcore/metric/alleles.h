/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics of alleles: the family of CCC, the custom correlation coefficient of
 * Climer et al. (2014), from exact counts to one number.
 *
 * Vector i has c_i fields present, with s_i(a) copies of the allele labelled a
 * among w per field; f_i(a) = s_i(a) / (w c_i). A pair has c_ij fields present
 * in both and for each choice of alleles r(a, b) = sum rho_i(a) rho_j(b), where
 * rho(1) = g and rho(0) = w - g; f_ij = r / (w^2 c_ij). Its values are
 *
 *   multiplier f_ij(a, b) (1 - gamma f_i(a)) (1 - gamma f_j(b))
 *
 * and those of a triple multiplier f_ijk (1 - ..) (1 - ..) (1 - ..) with
 * f_ijk = r / (w^3 c_ijk). By default gamma is 2/3.
 *
 * Compiled by the C and by the CUDA compiler.
 */
#ifndef VS_METRIC_ALLELES_H
#define VS_METRIC_ALLELES_H

#include <stdint.h>

#include "libcore/base/host_device.h"
#include "libcore/base/ratio.h"

/*
 * Integer recipe of a value; it gives the same bits for any order of the
 * vectors, kernel and device. With 1 - gamma f = A / (whole c) in lowest terms,
 * A = whole c - part s, the value is
 *   over r A_i A_j / (under c_ij c_i c_j)
 * where over / under, [0] for pairs and [1] for triples, is in lowest terms
 * too. Numerator and denominator are each a product of two factors that are
 * exact in a double for up to `most` fields, so each product is correctly
 * rounded.
 */
struct vs_recipe {
	int64_t whole, part, over[2], under[2];
	int32_t fold; /* r counts a field `fold` times for each vector; 1, 2 */
};

struct vs_alleles {
	int weight; /* w */
	struct vs_recipe recipe;
	double multiplier;
	/* for bounds, with u = 1 - gamma f: a value is
	 * r u_i u_j / (scale c_ij), r u_i u_j u_k / (scale3 c_ijk) */
	double gamma, scale, scale3;
	int64_t most
		/* most fields that the recipe allows, of pairs, of triples */
		[2];
};

#define VS_ALLELES_FIELDS ((1 << 24) - 1)

/*
 * Gamma 2/3 and multiplier p / q; the constants reduce to 1 / two for pairs and
 * 1 / three for triples. r counts a field `fold` times for each vector.
 */
#define VS_ALLELES(fold, p, q, two, three)                           \
	{                                                            \
		2, { 3, 1, { 1, 1 }, { two, three }, fold },         \
			(double)(p) / (q), 2.0 / 3, 4.0 * (q) / (p), \
			8.0 * (q) / (p),                             \
		{                                                    \
			VS_ALLELES_FIELDS, VS_ALLELES_FIELDS         \
		}                                                    \
	}

/* Set another multiplier, above 0, and gamma, 0 to 1. */
void vs_alleles_set(struct vs_alleles *m, struct vs_ratio multiplier,
	struct vs_ratio gamma);

/*
 * Factor A of a vector with s alleles labelled 1 and c fields present; exact.
 */
VS_BOTH int64_t
vs_recipe_factor(const struct vs_recipe *m, int64_t s, int64_t c, int label)
{
	return m->whole * c - m->part * (label ? s : 2 * c - s);
}

/* Value of a pair; 0 if it shares no field. */
VS_BOTH double
vs_recipe_value(const struct vs_recipe *m, int64_t r, int64_t factor_i,
	int64_t c_i, int64_t factor_j, int64_t c_j, int64_t c_ij)
{
	double n = (double)(m->over[0] * r * factor_i) * (double)factor_j;
	double d = (double)(m->under[0] * c_ij * c_i) * (double)c_j;

	return c_ij ? n / d : 0;
}

VS_BOTH double
vs_recipe_value3(const struct vs_recipe *m, int64_t r, const int64_t factor[3],
	const int64_t c[3], int64_t c_ijk)
{
	double n = (double)(m->over[1] * r * factor[0]) *
		(double)(factor[1] * factor[2]);
	double d = (double)(m->under[1] * c_ijk * c[0]) * (double)(c[1] * c[2]);

	return c_ijk ? n / d : 0;
}

/* Numerator r as the file states it, of a pair and of a triple; fold is 1 or 2,
 * and a division by a constant many times as fast as any other. */
VS_BOTH int32_t
vs_recipe_num(const struct vs_recipe *m, int32_t r)
{
	return m->fold == 1 ? r : r / 4;
}

VS_BOTH int32_t
vs_recipe_num3(const struct vs_recipe *m, int32_t r)
{
	return m->fold == 1 ? r : r / 8;
}

/* u = 1 - gamma f of the label, rounded once; 0 if no call is present. */
static inline double
vs_alleles_u(const struct vs_alleles *m, int64_t s, int64_t c, int label)
{
	return c ? (double)vs_recipe_factor(&m->recipe, s, c, label) /
			(double)(m->recipe.whole * c)
		 : 0;
}

/* 1 / u, by one division; infinite where u is 0. */
static inline double
vs_alleles_by_u(const struct vs_alleles *m, int64_t s, int64_t c, int label)
{
	return (double)(m->recipe.whole * c) /
		(double)vs_recipe_factor(&m->recipe, s, c, label);
}

/*
 * Upper bound of every value of a cell with a given label of one vector, for
 * any other vector. In the c fields where the vector is present, at_least1 and
 * at_least2 have at least one and two copies of the label's allele; n fields in
 * total; any pair shares at least c_ij > 0 fields.
 */
double vs_alleles_most(const struct vs_alleles *m, int64_t at_least1,
	int64_t at_least2, int64_t c, int64_t n, int64_t c_ij);

/*
 * Least upper bound of all values of n_way vectors that share at least this
 * fraction of the fields. share: 1 if no call is missing, 0 if nothing is
 * known.
 */
double vs_alleles_ceiling(const struct vs_alleles *m, int n_way, double share);

#endif
