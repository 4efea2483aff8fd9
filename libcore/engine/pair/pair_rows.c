/* SPDX-License-Identifier: BSD-3-Clause */
/* Filtering and decision of the rows of sums that a worker has counted. */
#include <math.h>
#include <string.h>

#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/pair/pair_rows.h"

/*
 * Sums between two checks whether hits are due, which read the clock; a pair
 * that has to be decided counts as DECIDED sums. With a million fields that is
 * 30 ms.
 */
#define OFTEN 65536
#define DECIDED 64

/* True if the pairs of a row with all of columns [lo, hi) are known to be
 * wanted. */
static bool
wants_block(const struct vs_wanted *w, const struct vs_panel *p, uint64_t row,
	size_t lo, size_t hi)
{
	return p->row[lo] == lo && p->row[hi - 1] == hi - 1 &&
		vs_wanted_all(w, row, p->first + lo, p->first + hi);
}

/* True if pairs of n columns from `from` on may not be wanted. */
static bool
may_drop(const struct vs_pair_row *t, const struct vs_hits *found, size_t from,
	size_t n)
{
	const struct vs_strip *s = t->at->part;
	const size_t lo = s->j_lo + from;

	return vs_wanted_is_by_place(found->wanted) &&
		!wants_block(found->wanted, s->j, s->i->first + s->i->row[t->i],
			lo, lo + n);
}

static bool
wants(const struct vs_pair_row *t, const struct vs_hits *found, size_t column)
{
	const struct vs_strip *s = t->at->part;
	const struct vs_two pair = { s->i, s->j, t->i, s->j_lo + column };

	return vs_hits_wants(found, &pair);
}

void
vs_pair_rows_give(const struct vs_pair_row *t, const struct vs_hits *found,
	size_t from, size_t n, double *value, const double *joint)
{
	const struct vs_strip *s = t->at->part;
	const struct vs_query *q = &t->at->now;
	const struct vs_summary_row row = { s->i, s->j, t->i, s->j_lo, from, n,
		value, joint, (double)q->n_field };
	const bool some = may_drop(t, found, from, n);
	const size_t look = some || !vs_query_shares_all(q) ? n : 0;
	size_t n_pair = n, n_few = 0;

	for (size_t k = 0; k < look; k++) {
		const bool is = !some || wants(t, found, from + k);
		const bool few = !vs_query_shares(q,
			(int64_t)(joint ? joint[k] : row.every));

		if (!is || few)
			value[k] = NAN;
		n_pair -= !is;
		n_few += is && few;
	}
	if (!found->summary) {
		*found->histogram->few += n_few;
		vs_value_histogram_values(found->histogram, q->cpu, value, n,
			n_pair - n_few);
		return;
	}
	found->summary->n_pair[0] += n_pair;
	found->summary->n_pair[1] += n_few;
	vs_summary_add(found->summary, &row);
}

void
vs_pair_rows_near(struct vs_pair_row *row, const struct vs_wanted *wanted)
{
	const struct vs_strip *s = row->at->part;
	const uint64_t first = s->j->first + s->j->row[s->j_lo];
	uint64_t lo = first + row->lo, hi = first + row->hi;

	vs_wanted_near_of(wanted, s->i->first + s->i->row[row->i], &lo, &hi);
	row->lo = (size_t)(lo - first);
	row->hi = (size_t)(hi - first);
}

/* Range of numbers in a panel's file up to which columns are sorted by a bit
 * each. */
#define SORTED 16384

const uint16_t *
vs_pair_rows_order(const struct vs_panel *p, size_t lo, const uint16_t *column,
	size_t n, uint16_t to[VS_PAIR_COLUMNS])
{
	const uint32_t *row = p->row + lo;
	uint64_t met[SORTED / 64];
	uint16_t at[SORTED];
	uint32_t last = 0;
	size_t n_word;

	/* a panel may lack vectors, whose numbers remain in the range */
	for (size_t k = 0; k < n; k++)
		last = row[column[k]] > last ? row[column[k]] : last;
	n_word = last / 64 + 1;
	if (last >= SORTED || n < n_word)
		return column;
	memset(met, 0, n_word * sizeof(*met));
	for (size_t k = 0; k < n; k++) {
		const uint32_t r = row[column[k]];

		met[r / 64] |= 1ull << r % 64;
		at[r] = column[k];
	}
	n = 0;
	for (size_t w = 0; w < n_word; w++)
		for (uint64_t bits = met[w]; bits; bits &= bits - 1)
			to[n++] = at[64 * w + (size_t)__builtin_ctzll(bits)];
	return to;
}

int
vs_pair_rows(const struct vs_pair_family *family, void *sums, size_t n,
	size_t n_col, struct vs_hits *found)
{
	uint16_t column[VS_PAIR_COLUMNS];
	size_t done = 0;
	int code = 0;

	for (size_t r = 0; r < n && !code; r++) {
		size_t n_left = family->filter(sums, r, found, column);

		if (n_left && !vs_summary_alone(found->summary))
			code = family->decide(sums, column, n_left, found);
		if (vs_hits_wants_all(found) && family->count_all)
			family->count_all(sums, found);
		done += n_col + DECIDED * n_left;
		if (code || (!vs_hits_full(found) && done < OFTEN))
			continue;
		done = 0;
		if (vs_hits_due(found))
			code = found->drain(found);
	}
	return code;
}
