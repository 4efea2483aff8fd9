/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of the vectors that can complete a pair or triple of two sets, so that
 * none is visited that the run did not want. */
#ifndef VS_TOOLS_VERIFY_PARTNERS_H
#define VS_TOOLS_VERIFY_PARTNERS_H

#include "libcore/plan/wanted.h"

/* Vectors of the first set, of the second, of either, ascending, by the index
 * that records use: list 1, 2 and 3; list 0 is empty. */
struct vs_partners {
	const struct vs_wanted *wanted;
	uint64_t *list[4], n[4];
};

/* Ascending numbers; null: 0, 1, 2 and so on. */
struct vs_partner_list {
	const uint64_t *v;
	uint64_t n;
};

/* wanted must be set, all else zero. 0; VS_EMACHINE */
int vs_partners_make(struct vs_partners *p);
void vs_partners_free(struct vs_partners *p); /* all zero is accepted */

/* Vectors that may form a pair, or for n_way 3 a triple, with vector i. */
struct vs_partner_list vs_partners_second(const struct vs_partners *p,
	uint64_t i, int n_way);

/* Third vectors of a triple with i and j. */
struct vs_partner_list vs_partners_third(const struct vs_partners *p,
	uint64_t i, uint64_t j);

/* Index of the first number that is at least v; the number at an index. */
uint64_t vs_partners_from(const struct vs_partner_list *l, uint64_t v);

static inline uint64_t
vs_partners_at(const struct vs_partner_list *l, uint64_t x)
{
	return l->v ? l->v[x] : x;
}

#endif
