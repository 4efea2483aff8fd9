/* SPDX-License-Identifier: BSD-3-Clause */
/* Policy of joining a rank's sealed shards. */
#include "formats/results/join_policy.h"

#define JOIN_SECONDS 0.01 /* of a join, however small; and bytes a second */
#define RATE 3e7          /* as long as less was joined in all */

/* Bytes of the files from one on. */
static double
sum_from(const double *size, size_t n, size_t first)
{
	double sum = 0;

	for (size_t k = first; k < n; k++)
		sum += size[k];
	return sum;
}

bool
vs_join_policy_allows(const struct vs_join_policy *p, double now,
	const double *size, size_t n, size_t *first)
{
	const bool known = p->bytes > RATE;
	const double rate = known ? p->bytes / p->seconds : RATE;
	const double most = rate *
		(VS_JOIN_POLICY_AT_FIRST +
			VS_JOIN_POLICY_SHARE * (now - p->begun) - p->seconds -
			JOIN_SECONDS);
	double rest;

	*first = n;
	if (n <= VS_JOIN_POLICY_KEPT)
		return true;
	/*
	 * All become one, or all but the first: that one stays until the others
	 * are about as large as the root of its size, so that joins cost least
	 * in all. What is cheaper is done while the rate is not known.
	 */
	rest = sum_from(size, n, 1);
	*first = rest * rest < 2 * size[0] * size[n - 1] ||
		(!known && rest + size[0] > most);
	return sum_from(size, n, *first) <= most;
}

void
vs_join_policy_add(struct vs_join_policy *p, double seconds, double bytes)
{
	p->seconds += seconds;
	p->bytes += bytes;
}
