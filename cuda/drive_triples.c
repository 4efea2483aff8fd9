/* SPDX-License-Identifier: BSD-3-Clause */
/* Triples on a device: a few first vectors of a slab at a time, each with the
 * parts of the others. */
#include <string.h>

#include "cuda/drive_state.h"
#include "cuda/drive_triples.h"
#include "libcore/base/fail.h"

/* Destination of the tables of some triples. */
struct taker {
	struct vs_drive_lane *l;
	const struct vs_triple_data *data;
	size_t first[3];
	struct vs_hits *hits;
};

/* Let the host judge tables. VS_TOO_MANY if there are too many records. */
static int
take(void *ctx, const void *table, uint32_t n)
{
	const struct taker *t = ctx;
	struct vs_drive_lane *l = t->l;
	int code = l->at.base->host->triples(&l->tables, t->data, t->first,
		table, n, t->hits);

	if (!code && l->n_pivot > 1 &&
		t->hits->n - l->before > vs_drive_most(l->at.base))
		code = VS_TOO_MANY;
	return code;
}

/* Count and judge, in pieces whose candidates fit the buffer. */
static int
do_triples(struct vs_drive_lane *l, struct vs_card_triples *t, bool gather,
	const struct vs_triple_data *data, struct vs_hits *hits)
{
	struct taker to = { l, data,
		{ (size_t)t->u.first, (size_t)t->work.i.first,
			(size_t)t->work.j.first },
		hits };
	struct vs_card_triples half;
	uint32_t n = 0;
	int code = gather ? l->at.base->ops->gather(l->at.queue, t) : 0;

	vs_pivots_count(&l->pivots, t);
	if (!code)
		code = vs_lane_count(&l->at, NULL, t, &n);
	if (!code && n <= t->work.room)
		code = vs_lane_collect(&l->at, NULL, t, n, take, &to);
	if (code || n <= t->work.room)
		return code;
	half = *t;
	if (t->n_pivot > 1) {
		half.n_pivot = t->n_pivot / 2;
		t->n_pivot -= half.n_pivot;
		memmove(t->pivot, t->pivot + half.n_pivot,
			t->n_pivot * sizeof(*t->pivot));
	} else {
		half.work = vs_drive_halve(&t->work);
	}
	code = do_triples(l, &half, false, data, hits);
	return code ? code : do_triples(l, t, false, data, hits);
}

/* First vectors [lo, hi), all of part u, with the slab's vectors in two
 * parts. */
static int
do_pivots(struct vs_drive *d, struct vs_drive_lane *l,
	const struct vs_part_slot *const p[3],
	const struct vs_triple_data *data, const struct vs_slab *s,
	const size_t u[2], struct vs_hits *hits)
{
	struct vs_card_triples t = { .u = p[0]->part,
		.work = { .i = p[1]->part,
			.j = p[2]->part,
			.rule = d->rule,
			.i_lo = vs_drive_within(s->v_lo, &p[1]->part),
			.i_hi = vs_drive_within(s->v_hi, &p[1]->part),
			.j_lo = vs_drive_within(s->w_lo, &p[2]->part),
			.j_hi = vs_drive_within(s->w_hi, &p[2]->part),
			.cand = l->at.cand,
			.n_cand = l->at.n,
			.room = vs_lane_room(d->base) },
		.ordered = s->ordered,
		.skip = s->skip };

	vs_card_rule_raise(&d->q, &t.work.rule);
	vs_pivots_set(&l->pivots, data, u[0], u[1], &t);
	return do_triples(l, &t, true, data, hits);
}

/* The same for the slab's vectors in any parts. */
static int
do_firsts(struct vs_drive *d, struct vs_drive_lane *l,
	const struct vs_triple_data *data, const struct vs_slab *s,
	const size_t u[2], struct vs_hits *hits)
{
	const size_t part = d->cache.part;
	struct vs_part_slot *p[3];
	int code = vs_part_cache_pin(&d->cache, &l->at, &data->all, u[0] / part,
		&p[0]);

	if (code)
		return code;
	for (size_t a = s->v_lo / part; a * part < s->v_hi && !code; a++) {
		code = vs_part_cache_pin(&d->cache, &l->at, &data->all, a,
			&p[1]);
		if (code)
			break;
		for (size_t b = s->w_lo / part; b * part < s->w_hi && !code;
			b++) {
			code = vs_part_cache_pin(&d->cache, &l->at, &data->all,
				b, &p[2]);
			if (code)
				break;
			code = do_pivots(d, l,
				(const struct vs_part_slot *const[]){ p[0],
					p[1], p[2] },
				data, s, u, hits);
			vs_part_cache_release(&d->cache, p[2]);
		}
		vs_part_cache_release(&d->cache, p[1]);
	}
	vs_part_cache_release(&d->cache, p[0]);
	return code;
}

/* Count a slab, some first vectors after the other. */
int
vs_drive_triples_slab(void *state, int worker,
	const struct vs_triple_data *data, const struct vs_slab *s,
	struct vs_hits *hits, size_t *upto)
{
	struct vs_drive_lane *l;
	struct vs_drive *d = vs_drive_of(state, worker, &l);
	const size_t part = d->cache.part;
	int code = 0;

	vs_pivots_forget(&l->pivots);
	for (*upto = s->u_lo; *upto < s->u_hi && !code;) {
		const size_t end =
			vs_min_size(s->u_hi, (*upto / part + 1) * part);
		const size_t u[2] = { *upto,
			vs_min_size(end, *upto + l->n_pivot) };

		l->before = hits->n;
		code = __atomic_load_n(&d->lost, __ATOMIC_RELAXED)
			? VS_LOST
			: do_firsts(d, l, data, s, u, hits);
		if (code)
			hits->n = l->before;
		if (code == VS_TOO_MANY) {
			l->n_pivot = 1;
			code = 0;
			continue;
		}
		if (code)
			break;
		*upto = u[1];
		if (hits->n - l->before < vs_drive_most(l->at.base) / 4 &&
			l->n_pivot < l->pivots.n)
			l->n_pivot = vs_min_size(2 * l->n_pivot, l->pivots.n);
		if (vs_hits_due(hits)) {
			code = hits->drain(hits);
			if (code)
				return code;
		}
	}
	if (code == VS_LOST)
		__atomic_store_n(&d->lost, true, __ATOMIC_RELAXED);
	return code == VS_EMACHINE ? VS_UNABLE : code;
}
