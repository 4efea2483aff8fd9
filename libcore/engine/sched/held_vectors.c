/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors that the ranks hold for each other. */
#include <stdlib.h>

#include "libcore/base/clock.h"
#include "libcore/base/mem.h"
#include "libcore/engine/sched/held_vectors.h"
#include "libcore/plan/comm.h"

/* The panels of all ranks are laid out alike. */
struct vs_held_vectors {
	struct vs_panel mine;
	uint64_t n_vec, share; /* vectors, and of a rank at the most */
	uint64_t fetched;
	double seconds;
};

uint64_t
vs_held_vectors_share(const struct vs_plan *plan)
{
	const uint64_t n_rank = (uint64_t)plan->n_rank;

	return (plan->n_vec + n_rank - 1) / n_rank;
}

uint64_t
vs_held_vectors_bytes(const struct vs_job *job)
{
	const struct vs_query *q = job->query;

	return vs_held_vectors_share(job->plan) *
		vs_panel_bytes(q->element, q->n_field) +
		VS_PANEL_MORE;
}

/* Those of this rank, the last of which may have fewer or none. */
static int
read_share(struct vs_held_vectors *h, const struct vs_job *job)
{
	uint64_t lo = h->share * (uint64_t)vs_comm_rank(), hi = lo + h->share;
	int code;

	hi = hi < h->n_vec ? hi : h->n_vec;
	code = lo < hi ? job->load(job->ctx, lo, hi, &h->mine) : 0;
	vs_comm_memory_filled();
	return code;
}

int
vs_held_vectors_begin(struct vs_held_vectors **out, const struct vs_job *job)
{
	const struct vs_query *q = job->query;
	void *memory;
	int code;

	*out = NULL;
	if (!vs_comm_memory_begin(vs_held_vectors_bytes(job), &memory))
		return 0;
	code = vs_mem_new(out, 1, sizeof(**out), "vectors of ranks");
	if (code)
		return code;
	(*out)->n_vec = job->plan->n_vec;
	(*out)->share = vs_held_vectors_share(job->plan);
	vs_panel_on(&(*out)->mine, q->element, (*out)->share, q->n_field,
		memory);
	return read_share(*out, job);
}

void
vs_held_vectors_free(struct vs_held_vectors *h)
{
	free(h);
}

/* Copy vectors [lo, hi), which one rank holds, to place `at` of a panel. */
static void
copy(const struct vs_held_vectors *h, uint64_t lo, uint64_t hi, size_t at,
	struct vs_panel *p)
{
	struct vs_panel_part from[VS_PANEL_PARTS], to[VS_PANEL_PARTS];
	struct vs_comm_piece piece[VS_PANEL_PARTS];
	const char *start = (const char *)h->mine.vec.word;
	int n = vs_panel_parts(&h->mine, from);

	vs_panel_parts(p, to);
	for (int k = 0; k < n; k++)
		piece[k] = (struct vs_comm_piece){
			.to = to[k].at + at * to[k].bytes,
			.from = (size_t)(from[k].at - start) +
				(size_t)(lo % h->share) * from[k].bytes,
			.bytes = (size_t)(hi - lo) * to[k].bytes,
		};
	vs_comm_memory_get((int)(lo / h->share), piece, n);
}

void
vs_held_vectors_load(struct vs_held_vectors *h, uint64_t lo, uint64_t hi,
	struct vs_panel *p)
{
	const size_t first = vs_panel_begin(p, lo, (size_t)(hi - lo));
	const double began = vs_clock();

	for (uint64_t v = lo, end; v < hi; v = end) {
		end = (v / h->share + 1) * h->share;
		end = end < hi ? end : hi;
		copy(h, v, end, first + (size_t)(v - lo), p);
	}
	vs_panel_came(p, first, lo);
	h->fetched += hi - lo;
	h->seconds += vs_clock() - began;
}

void
vs_held_vectors_note(const struct vs_held_vectors *h,
	struct vs_job_stats *stats)
{
	stats->held = h;
	stats->fetched = h ? h->fetched : 0;
	stats->seconds_fetch = h ? h->seconds : 0;
}
