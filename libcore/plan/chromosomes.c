/* SPDX-License-Identifier: BSD-3-Clause */
/* Chromosomes as runs of rows of a vectors file. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rising.h"
#include "libcore/plan/chromosomes.h"

int
vs_chromosomes_find(struct vs_chromosomes *c, const struct vs_wanted *w)
{
	struct vs_chromosomes found = { 0 };
	uint64_t end = 0; /* what the rows before this one want */
	size_t room = 0;
	int code = 0;

	for (uint64_t v = 0; v < w->n_vec && !code; v++) {
		const bool placed = w->start[w->rank[v]] != VS_WANTED_UNPLACED,
			   begins = !v || (placed && v >= end);

		if (begins)
			code = vs_mem_grow(&found.first, &room, found.n + 1,
				sizeof(*found.first), "chromosomes");
		if (!code && begins)
			found.first[found.n++] = (int64_t)v;
		if (w->near_hi[v] > end)
			end = w->near_hi[v];
	}
	if (code)
		vs_chromosomes_free(&found);
	else
		*c = found;
	return code;
}

void
vs_chromosomes_free(struct vs_chromosomes *c)
{
	free(c->first);
	memset(c, 0, sizeof(*c));
}

bool
vs_chromosomes_rise(const struct vs_chromosomes *c, uint64_t n_vec)
{
	bool rise = c->n && !c->first[0];

	for (uint64_t k = 1; k < c->n && rise; k++)
		rise = c->first[k] > c->first[k - 1];
	return rise && (uint64_t)c->first[c->n - 1] < n_vec;
}

uint64_t
vs_chromosomes_of(const struct vs_chromosomes *c, uint64_t v)
{
	return vs_rising_last((const uint64_t *)c->first, sizeof(*c->first),
		c->n, v);
}

void
vs_chromosomes_rows(const struct vs_chromosomes *c, uint64_t k, uint64_t n_vec,
	uint64_t *lo, uint64_t *hi)
{
	*lo = (uint64_t)c->first[k];
	*hi = k + 1 < c->n ? (uint64_t)c->first[k + 1] : n_vec;
}

uint64_t
vs_chromosomes_pairs(const struct vs_chromosomes *c, uint64_t lo, uint64_t hi)
{
	uint64_t n = 0;

	for (uint64_t k = vs_chromosomes_of(c, lo); lo < hi; k++) {
		uint64_t first, end, rows;

		vs_chromosomes_rows(c, k, hi, &first, &end);
		rows = (end < hi ? end : hi) - lo;
		n += rows % 2  ? rows * ((rows - 1) / 2)
			: rows ? rows / 2 * (rows - 1)
			       : 0;
		lo += rows;
	}
	return n;
}
