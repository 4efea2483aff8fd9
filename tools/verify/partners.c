/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of the vectors that can complete a pair or triple of two sets. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/base/rising.h"
#include "tools/verify/partners.h"

#define BOTH 3 /* bit 0: the vector is in the first set, bit 1: in the second */

/* The sets that a partner must be in, given a vector's sets. */
static unsigned
other(unsigned sets)
{
	return (sets & 1) << 1 | sets >> 1;
}

int
vs_partners_make(struct vs_partners *p)
{
	const uint64_t n_vec = p->wanted->n_vec;
	const uint8_t *in = p->wanted->in;
	int code = 0;

	for (unsigned k = 1; in && k <= BOTH && !code; k++) {
		code = vs_mem_room(&p->list[k], n_vec, sizeof(*p->list[k]),
			"sets");
		for (uint64_t v = 0; v < n_vec && !code; v++)
			if (in[v] & k)
				p->list[k][p->n[k]++] = v;
	}
	return code;
}

void
vs_partners_free(struct vs_partners *p)
{
	for (unsigned k = 1; k <= BOTH; k++)
		free(p->list[k]);
	memset(p, 0, sizeof(*p));
}

static struct vs_partner_list
list_of(const struct vs_partners *p, unsigned sets)
{
	return (struct vs_partner_list){ p->list[sets], p->n[sets] };
}

static struct vs_partner_list
all(const struct vs_partners *p)
{
	return (struct vs_partner_list){ NULL, p->wanted->n_vec };
}

struct vs_partner_list
vs_partners_second(const struct vs_partners *p, uint64_t i, int n_way)
{
	unsigned sets;

	if (!p->wanted->in)
		return all(p);
	sets = p->wanted->in[i];
	if (n_way == 2)
		return list_of(p, other(sets));
	/* the third vector may be the one that i wants */
	return sets ? all(p) : list_of(p, BOTH);
}

struct vs_partner_list
vs_partners_third(const struct vs_partners *p, uint64_t i, uint64_t j)
{
	unsigned a, b;

	if (!p->wanted->in)
		return all(p);
	a = p->wanted->in[i];
	b = p->wanted->in[j];
	return other(a) & b ? all(p) : list_of(p, other(a | b));
}

uint64_t
vs_partners_from(const struct vs_partner_list *l, uint64_t v)
{
	return l->v ? vs_rising_from(l->v, sizeof(*l->v), l->n, v)
		    : vs_min_size(v, l->n);
}
