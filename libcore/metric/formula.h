/* SPDX-License-Identifier: BSD-3-Clause */
/* What a metric of pairs is: from exact counts to one number. */
#ifndef VS_METRIC_FORMULA_H
#define VS_METRIC_FORMULA_H

#include <stdint.h>

/*
 * The family of CCC. For a pair with c_ij fields present in both, and with
 * rho(1) = g, rho(0) = w - g (w copies in all), there are four sums
 * r(a, b) = sum rho_i(a) rho_j(b) and a value
 *
 *   v(a, b) = r(a, b) u_i(a) u_j(b) / (scale c_ij),  u_i(a) = factor / c_i
 *
 * where factor depends on one vector alone. All the integers are exact; value
 * is the one recipe that turns them into a double, the same bits for (i, j)
 * and (j, i), in every kernel and on every device.
 */
struct vs_metric {
	const char *name;
	int weight; /* w */
	double scale;
	/* s label-1 alleles and c fields present, of one vector */
	int64_t (*factor)(int64_t s, int64_t c, int label);
	/*
	 * Bound of every value of a cell with this label, whatever the other
	 * vector: of the c fields where the vector is present at_least1 and
	 * at_least2 have that many copies of the label's allele or more; n
	 * fields in all, and any pair shares c_ij or more, c_ij > 0.
	 */
	double (*most)(int64_t at_least1, int64_t at_least2, int64_t c,
		int64_t n, int64_t c_ij);
	double (*value)(int64_t r, int64_t factor_i, int64_t c_i,
		int64_t factor_j, int64_t c_j, int64_t c_ij);
	int32_t (*num)(int32_t r); /* r as the file states it */
	/*
	 * The same of a triple, whose eight cells 4a + 2b + c have
	 * r(a, b, c) = sum rho_i(a) rho_j(b) rho_k(c) and a value
	 * r u_i(a) u_j(b) u_k(c) / (scale3 c_ijk); any order of the three
	 * vectors gives the same bits. u = 3 - s(label) / c.
	 */
	double scale3;
	double (*value3)(int64_t r, const int64_t factor[3], const int64_t c[3],
		int64_t c_ijk);
	int32_t (*num3)(int32_t r);
};

/* The metric of this name, or null. */
const struct vs_metric *vs_metric_find(const char *name);

/* Metric number k, null past the last. */
const struct vs_metric *vs_metric_at(int k);

#endif
