/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order of a rank's tiles: each tile of a plan once, and those of few first
 * vectors near each other, so that vsim-merge reads a billion records few times
 * for bands of first vectors that fit its memory.
 */
#include <stdlib.h>
#include <string.h>

#include "libcore/plan/plan.h"
#include "libcore/plan/plan_walk.h"
#include "tests/unit/test.h"

#define CHUNK 65536           /* records that are read together */
#define BAND (256000000 / 56) /* records that fit its memory */

struct seen {
	const struct vs_plan *plan;
	uint8_t *met;    /* of each tile: how often */
	uint64_t *begin; /* records before those of each block of vectors */
	uint64_t in_chunk, read, all;
	int64_t first, last; /* blocks of first vectors in the chunk */
};

/* Bands that the chunk has records of, each of which reads it. */
static void
end_chunk(struct seen *s)
{
	uint64_t lo = s->begin[s->first] / BAND,
		 hi = (s->begin[s->last + 1] - 1) / BAND;

	s->read += s->in_chunk * (hi - lo + 1);
	s->all += s->in_chunk;
	s->in_chunk = 0;
}

static int
take(void *ctx, int64_t bi, int64_t bj)
{
	struct seen *s = ctx;

	s->met[vs_plan_number(s->plan, bi, bj)]++;
	if (!s->in_chunk || bi < s->first)
		s->first = bi;
	if (!s->in_chunk || bi > s->last)
		s->last = bi;
	s->in_chunk += vs_plan_pairs(s->plan, bi, bj);
	if (s->in_chunk >= CHUNK)
		end_chunk(s);
	return 0;
}

/* Times that all records are read, where all pairs are some. */
static double
times_read(uint64_t n_vec, int n_rank, int64_t tile, bool *once)
{
	struct vs_plan plan;
	struct seen s = { .plan = &plan };
	uint64_t n = 0;

	if (vs_plan_make(&plan, n_vec, n_rank, tile))
		abort();
	s.met = calloc(vs_plan_n_tile(&plan), 1);
	s.begin = calloc((size_t)plan.n_block + 1, sizeof(*s.begin));
	if (!s.met || !s.begin)
		abort();
	for (int64_t b = 0; b < plan.n_block; b++) {
		s.begin[b] = n;
		for (int64_t c = b; c < plan.n_block; c++)
			n += vs_plan_pairs(&plan, b, c);
	}
	s.begin[plan.n_block] = n;
	for (int rank = 0; rank < n_rank; rank++)
		for (int step = 0; step < vs_plan_n_step(&plan); step++) {
			vs_plan_walk(&plan, rank, step, take, &s);
			if (s.in_chunk)
				end_chunk(&s);
		}
	*once = s.all == n;
	for (uint64_t t = 0; t < vs_plan_n_tile(&plan); t++)
		*once &= s.met[t] == 1;
	free(s.met);
	free(s.begin);
	return (double)s.read / (double)n;
}

int
main(void)
{
	static const struct {
		uint64_t n_vec;
		int n_rank;
		int64_t tile;
		double most;
	} of[] = { { 45000, 1, 23, 1.2 }, { 45000, 2, 23, 2 },
		{ 45000, 4, 23, 3 }, { 45000, 4, 100, 3 }, { 45000, 5, 23, 4 },
		{ 997, 7, 20, 1.1 } };

	for (size_t k = 0; k < sizeof(of) / sizeof(*of); k++) {
		bool once;
		double times = times_read(of[k].n_vec, of[k].n_rank, of[k].tile,
			&once);

		T_OK(once, "%llu vectors, %d ranks: each tile once",
			(unsigned long long)of[k].n_vec, of[k].n_rank);
		T_OK(times <= of[k].most,
			"records are read %.2f times, %g at most", times,
			of[k].most);
	}
	return T_DONE();
}
