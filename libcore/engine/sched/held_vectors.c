/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors that the ranks hold for each other. */
#include <pthread.h>
#include <stdlib.h>

#include "libcore/base/clock.h"
#include "libcore/base/mem.h"
#include "libcore/engine/prune/block_bound.h"
#include "libcore/engine/sched/held_vectors.h"
#include "libcore/plan/comm.h"

#define GAP 4096  /* gaps up to these bytes are copied along */
#define PIECES 64 /* bytes copied at a time */

/* The panels of all ranks have the same layout. */
struct vs_held_vectors {
	const struct vs_query *query;
	struct vs_panel mine;
	uint64_t n_vec, share; /* number of vectors, and most of a rank */
	pthread_mutex_t lock;  /* of what follows */
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

/* The share of this rank; the last ranks may have fewer or none. */
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
	pthread_mutex_init(&(*out)->lock, NULL);
	(*out)->query = q;
	(*out)->n_vec = job->plan->n_vec;
	(*out)->share = vs_held_vectors_share(job->plan);
	vs_panel_on(&(*out)->mine, q->element, (*out)->share, q->n_field,
		memory);
	return read_share(*out, job);
}

void
vs_held_vectors_free(struct vs_held_vectors *h)
{
	if (h)
		pthread_mutex_destroy(&h->lock);
	free(h);
}

/* Vectors [lo, hi), held by one rank, and their place in a panel. */
struct range {
	const struct vs_held_vectors *h;
	uint64_t lo, hi;
	size_t at;
	struct vs_panel *p;
};

static struct vs_comm_piece
piece_of(const struct range *r, const struct vs_panel_part *from,
	const struct vs_panel_part *to, uint64_t lo, uint64_t hi)
{
	const char *start = (const char *)r->h->mine.vec.word;

	return (struct vs_comm_piece){
		.to = to->at + (r->at + (size_t)(lo - r->lo)) * to->bytes,
		.from = (size_t)(from->at - start) +
			(size_t)(lo % r->h->share) * from->bytes,
		.bytes = (size_t)(hi - lo) * to->bytes,
	};
}

/* Copy all but the planes or the numbers. */
static uint64_t
copy_counts(const struct range *r, int holder)
{
	struct vs_panel_part from[VS_PANEL_PARTS], to[VS_PANEL_PARTS];
	struct vs_comm_piece piece[VS_PANEL_PARTS];
	int n = vs_panel_parts(&r->h->mine, from);

	vs_panel_parts(r->p, to);
	for (int k = 1; k < n; k++)
		piece[k] = piece_of(r, &from[k], &to[k], r->lo, r->hi);
	vs_comm_memory_get(holder, piece + 1, n - 1);
	return 0;
}

/* Copy those of vectors that may pass, and of short gaps between them. */
static uint64_t
copy_planes(const struct range *r, int holder)
{
	struct vs_panel_part from[VS_PANEL_PARTS], to[VS_PANEL_PARTS];
	struct vs_comm_piece piece[PIECES];
	const uint8_t *dead = r->p->dead + r->at;
	uint64_t end, n_vec = 0;
	int n = 0;

	vs_panel_parts(&r->h->mine, from);
	vs_panel_parts(r->p, to);
	for (uint64_t v = r->lo; v < r->hi; v = end) {
		end = v + 1;
		if (dead[v - r->lo])
			continue;
		for (uint64_t w = end;
			w < r->hi && (w - end) * to->bytes <= GAP; w++)
			end = dead[w - r->lo] ? end : w + 1;
		piece[n++] = piece_of(r, from, to, v, end);
		n_vec += end - v;
		if (n == PIECES) {
			vs_comm_memory_get(holder, piece, n);
			n = 0;
		}
	}
	vs_comm_memory_get(holder, piece, n);
	return n_vec;
}

/* Copy the vectors of a range from the ranks that hold them. returns their
 * number */
static uint64_t
each_holder(const struct range *r,
	uint64_t (*copy)(const struct range *r, int holder))
{
	const uint64_t share = r->h->share;
	uint64_t n = 0;

	for (uint64_t v = r->lo, end; v < r->hi; v = end) {
		struct range part = *r;

		end = (v / share + 1) * share;
		end = end < r->hi ? end : r->hi;
		part.lo = v;
		part.hi = end;
		part.at = r->at + (size_t)(v - r->lo);
		n += copy(&part, (int)(v / share));
	}
	return n;
}

void
vs_held_vectors_load(struct vs_held_vectors *h, uint64_t lo, uint64_t hi,
	struct vs_panel *p)
{
	const struct vs_query *q = h->query;
	const struct range r = { h, lo, hi,
		vs_panel_begin(p, lo, (size_t)(hi - lo)), p };
	const double began = vs_clock();
	uint64_t n;

	each_holder(&r, copy_counts);
	vs_panel_came(p, r.at, lo);
	if (!p->total && vs_query_prunes(q) &&
		!vs_query_without(q, VS_WITHOUT_SINGLE_VECTOR))
		for (size_t v = r.at; v < p->n_vec; v++)
			p->dead[v] = !vs_block_bound_passes(q, p, v);
	n = each_holder(&r, copy_planes);
	pthread_mutex_lock(&h->lock);
	h->fetched += n;
	h->seconds += vs_clock() - began;
	pthread_mutex_unlock(&h->lock);
}

int
vs_held_vectors_holder(const struct vs_held_vectors *h, uint64_t v)
{
	return (int)(v / h->share);
}

void
vs_held_vectors_note(const struct vs_held_vectors *h,
	struct vs_job_stats *stats)
{
	stats->held = h;
	stats->fetched = h ? h->fetched : 0;
	stats->seconds_fetch = h ? h->seconds : 0;
}
