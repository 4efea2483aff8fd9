/* SPDX-License-Identifier: BSD-3-Clause */
/* Device backend: launch order of a strip, refinement of what may pass, result
 * transfer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/card_query.h"
#include "cuda/card_tables.h"
#include "cuda/part_cache.h"
#include "cuda/pivots.h"
#include "cuda/tables_data.h"
#include "libcore/base/fail.h"

#define DRIVERS 3
#ifndef MOST_RECORDS            /* or fewer, for tests */
#define MOST_RECORDS (1u << 19) /* most records of some rows of a strip */
#endif
#define TOO_MANY 5 /* more than that: count fewer rows */
/* columns per launch where most pairs may pass: four times HELD a tile */
#define NARROW 1024
/*
 * If calls are missing, all four sums cost at least four times the one that
 * bounds them; a pair that the bounds leave costs as much as some hundred
 * pairs. If more than one pair in ONE_IN is left, all sums are counted for the
 * next STRIPS strips.
 */
#define ONE_IN 256
#define STRIPS 16
#define UNLIMITED (UINT64_MAX / 4)

/* Per-thread state of a worker. */
struct lane {
	struct vs_lane at;       /* must be first */
	uint64_t limit;          /* most pairs of a launch */
	bool bound;              /* one sum bounds the four */
	int four;                /* strips to come that count all four sums */
	size_t rows;             /* rows of a strip per pass */
	size_t before;           /* records before the pass */
	void *tables;            /* the host's, where it judges them */
	struct vs_pivots pivots; /* of triples */
	size_t n_pivot;          /* of a launch */
};

/* One device. */
struct drive {
	const struct vs_drive_base *base;
	struct vs_query q;
	struct vs_card_rule rule;
	int n_lane, n_open;
	struct lane *lane;
	struct vs_part_cache cache;
	struct vs_tables_data tables;
	bool triples, lost;
};

/* All of them; driver w of a state is one of device w / n_lane. */
struct drives {
	int n, n_lane;
	struct drive *of[];
};

static const struct vs_drive_base *bases;
static int n_base;

/* True if few pairs may pass. Where the strongest alone are wanted of tables,
 * the first ones all do. */
static bool
is_few(const struct vs_query *q)
{
	return q->classes ? q->prune && !q->shared_threshold : q->threshold > 0;
}

/* ---- a strip ---- */

static void
drive_forget(void *state, const struct vs_panel *panel)
{
	struct drives *all = state;

	for (int k = 0; k < all->n; k++)
		vs_part_cache_forget(&all->of[k]->cache, panel);
}

static size_t
most_records(const struct vs_drive_base *base)
{
	return base->most_records ? base->most_records : MOST_RECORDS;
}

/* Append received records; TOO_MANY if there are too many. */
static int
append(const struct lane *l, const struct vs_card_record *rec, uint32_t n,
	struct vs_hits *hits)
{
	int code = l->at.base->host->grow(&hits->rec, &hits->room, hits->n + n,
		sizeof(*hits->rec), "records of a tile");

	for (uint32_t k = 0; k < n && !code; k++) {
		const struct vs_card_record *r = &rec[k];

		hits->rec[hits->n++] = (struct vs_record){ .i = r->i,
			.j = r->j,
			.k = VS_NO_VEC,
			.value = r->value,
			.num = r->num,
			.nvalid = r->nvalid,
			.cell = r->cell };
	}
	if (!code && l->rows > 1 &&
		hits->n - l->before > most_records(l->at.base))
		code = TOO_MANY;
	return code;
}

/* Have the host judge tables, which has the recipes of all their metrics. */
static int
append_tables(const struct drive *d, struct lane *l,
	const struct vs_card_work *w, const struct vs_counted_table *table,
	uint32_t n, const struct vs_two *of, struct vs_hits *hits)
{
	const struct vs_two first = { of->pi, of->pj, (size_t)w->i.first,
		(size_t)w->j.first };
	int code =
		d->base->host->pairs(&l->tables, &d->q, &first, table, n, hits);

	if (!code && l->rows > 1 &&
		hits->n - l->before > most_records(l->at.base))
		code = TOO_MANY;
	return code;
}

/*
 * Refine all candidates; a batch is computed while the previous one is
 * received.
 */
static int
collect(const struct drive *d, struct lane *l, const struct vs_card_work *w,
	uint32_t n, const struct vs_two *of, struct vs_hits *hits)
{
	const uint32_t batch = vs_lane_batch(&l->at);
	const void *rec;
	uint32_t some;
	int code = 0, k = 0;

	if (n)
		code = vs_lane_judge(&l->at, w, 0,
			(uint32_t)vs_min_size(batch, n), k);
	for (uint32_t lo = 0; lo < n && !code; lo += batch, k ^= 1) {
		uint32_t next = lo + batch;

		if (next < n)
			code = vs_lane_judge(&l->at, w, next,
				(uint32_t)vs_min_size(batch, n - next), k ^ 1);
		if (!code)
			code = vs_lane_fetch(&l->at, k, &rec, &some);
		if (!code && some)
			code = d->q.classes
				? append_tables(d, l, w, rec, some, of, hits)
				: append(l, rec, some, hits);
	}
	return code;
}

static uint64_t
pairs_of(const struct vs_card_work *w)
{
	return (uint64_t)(w->i_hi - w->i_lo) * (w->j_hi - w->j_lo);
}

/* Split work in two: returns the first half, *w becomes the second. */
static struct vs_card_work
halve(struct vs_card_work *w)
{
	struct vs_card_work first = *w;
	uint32_t n_i = w->i_hi - w->i_lo, n_j = w->j_hi - w->j_lo;
	uint32_t n = n_i > n_j ? n_i : n_j, half = n / 2;

	/* whole tiles, if there are at least two */
	if (half >= VS_TILE_VECS)
		half = half / VS_TILE_VECS * VS_TILE_VECS;
	if (n_i > n_j)
		first.i_hi = w->i_lo += half;
	else
		first.j_hi = w->j_lo += half;
	return first;
}

/* Number of candidates. */
static int
count(struct drive *d, struct lane *l, const struct vs_card_work *w,
	uint32_t *n)
{
	struct vs_card_work filtered = *w;

	if (l->bound) {
		filtered.missing = 0;
		filtered.i.side += d->cache.part;
		filtered.j.side += d->cache.part;
	}
	return vs_lane_count(&l->at, &filtered, n);
}

/* Count and refine, in pieces whose candidates fit the buffer. */
static int
do_work(struct drive *d, struct lane *l, struct vs_card_work *w,
	const struct vs_two *of, struct vs_hits *hits)
{
	struct vs_card_work first;
	uint64_t pairs = pairs_of(w);
	uint32_t n, one_in = d->base->one_in ? d->base->one_in : ONE_IN;
	int code = 0;

	if (pairs <= l->limit || pairs == 1) {
		code = count(d, l, w, &n);
		if (!code && l->bound && n > pairs / one_in + one_in) {
			l->bound = false;
			l->four = STRIPS;
			code = count(d, l, w, &n);
		}
		if (!code && n <= w->room) {
			if (n < w->room / 4 && l->limit < UNLIMITED)
				l->limit *= 2;
			if (n && l->bound)
				code = d->base->ops->settle(l->at.queue, w, n);
			return code ? code : collect(d, l, w, n, of, hits);
		}
		if (code)
			return code;
		l->limit = pairs / 2;
	}
	first = halve(w);
	code = do_work(d, l, &first, of, hits);
	return code ? code : do_work(d, l, w, of, hits);
}

static uint32_t
within(size_t v, const struct vs_card_part *p)
{
	size_t last = (size_t)p->first + p->n_vec;

	return (uint32_t)((v < p->first              ? p->first
					  : v < last ? v
						     : last) -
		p->first);
}

/* Count one pair of parts of a strip. */
static int
do_parts(struct drive *d, struct lane *l, const struct vs_strip *s,
	const struct vs_part_slot *i, const struct vs_part_slot *j,
	struct vs_hits *hits)
{
	struct vs_card_work w = { .i = i->part,
		.j = j->part,
		.rule = d->rule,
		.i_lo = within(s->i_lo, &i->part),
		.i_hi = within(s->i_hi, &i->part),
		.j_lo = within(s->j_lo, &j->part),
		.j_hi = within(s->j_hi, &j->part),
		.span_from =
			(int32_t)((int64_t)s->j_lo - (int64_t)j->part.first),
		.diagonal = s->diagonal,
		.missing = !i->part.complete || !j->part.complete,
		.cand = l->at.cand,
		.n_cand = l->at.n,
		.room = vs_lane_room(d->base),
		.scratch = l->at.scratch,
		.scratch_bytes = l->at.scratch_bytes };

	for (size_t k = 0; k < VS_SPANS; k++) {
		w.span[k].lo = within(s->span[k].lo, &i->part);
		w.span[k].hi = within(s->span[k].hi, &i->part);
	}
	if (!vs_wants_any(&w, w.i_lo, w.i_hi - w.i_lo, w.j_lo, w.j_hi - w.j_lo))
		return 0;
	if (d->q.classes)
		vs_card_rule_raise(&d->q, &w.rule);
	l->bound = w.missing && d->cache.n_side > 1 && !l->four;
	return do_work(d, l, &w, &(struct vs_two){ s->i, s->j, 0, 0 }, hits);
}

static int
do_strip(struct drive *d, struct lane *l, const struct vs_strip *s,
	struct vs_hits *hits)
{
	struct vs_part_slot *i, *j;
	int code = 0;

	for (size_t b = s->j_lo / d->cache.part;
		b * d->cache.part < s->j_hi && !code; b++) {
		code = vs_part_cache_pin(&d->cache, &l->at, s->j, b, &j);
		if (code)
			break;
		for (size_t a = s->i_lo / d->cache.part;
			a * d->cache.part < s->i_hi && !code; a++) {
			code = vs_part_cache_pin(&d->cache, &l->at, s->i, a,
				&i);
			if (code)
				break;
			code = do_parts(d, l, s, i, j, hits);
			vs_part_cache_release(&d->cache, i);
		}
		vs_part_cache_release(&d->cache, j);
	}
	return code;
}

/* Count as many of the first rows as have few enough records. */
static int
do_rows(struct drive *d, struct lane *l, const struct vs_strip *strip,
	struct vs_hits *hits)
{
	struct vs_strip some = *strip;
	size_t n = vs_min_size(strip->i_hi - strip->i_lo, l->rows);
	int code;

	for (;; n = l->rows) {
		some.i_hi = some.i_lo + n;
		code = do_strip(d, l, &some, hits);
		if (code != TOO_MANY)
			break;
		hits->n = l->before;
		for (l->rows = 1; 2 * l->rows < n;)
			l->rows *= 2;
	}
	if (some.i_hi < strip->i_hi)
		hits->upto = some.i_hi;
	if (n == l->rows && hits->n - l->before < most_records(l->at.base) / 4)
		l->rows *= 2;
	return code;
}

/* The device and the lane of a driver. */
static struct drive *
drive_of(struct drives *all, int worker, struct lane **l)
{
	struct drive *d = all->of[worker / all->n_lane];

	*l = &d->lane[worker % all->n_lane];
	return d;
}

/*
 * Count a strip. Records are delivered only once the whole strip is done,
 * unless there are too many to keep: then some rows are done at a time.
 */
static int
drive_strip(void *state, int worker, const struct vs_strip *strip,
	struct vs_hits *hits)
{
	struct lane *l;
	struct drive *d = drive_of(state, worker, &l);
	int code = VS_LOST;

	l->before = hits->n;
	l->four -= l->four > 0;
	if (!__atomic_load_n(&d->lost, __ATOMIC_RELAXED))
		code = do_rows(d, l, strip, hits);
	if (!code)
		return 0;
	hits->n = l->before;
	if (code == VS_LOST)
		__atomic_store_n(&d->lost, true, __ATOMIC_RELAXED);
	return code == VS_EMACHINE ? VS_UNABLE : code;
}

/* ---- triples ---- */

/* Count and judge, in pieces whose candidates fit the buffer. */
static int
do_triples(struct lane *l, struct vs_card_triples *t, bool gather,
	const struct vs_triple_data *data, struct vs_hits *hits)
{
	const size_t first[3] = { (size_t)t->u.first, (size_t)t->work.i.first,
		(size_t)t->work.j.first };
	struct vs_card_triples half;
	const void *table;
	uint32_t n, some;
	int code = vs_lane_count_triples(&l->at, t, gather, &n), k = 0;

	for (uint32_t lo = 0; lo < n && n <= t->work.room && !code;
		lo += VS_COUNTED, k ^= 1) {
		code = vs_lane_list_triples(&l->at, t, lo,
			(uint32_t)vs_min_size(VS_COUNTED, n - lo), k);
		if (!code)
			code = vs_lane_fetch(&l->at, k, &table, &some);
		if (!code)
			code = l->at.base->host->triples(&l->tables, data,
				first, table, some, hits);
		if (!code && l->n_pivot > 1 &&
			hits->n - l->before > most_records(l->at.base))
			code = TOO_MANY;
	}
	if (code || n <= t->work.room)
		return code;
	half = *t;
	if (t->n_pivot > 1) {
		half.n_pivot = t->n_pivot / 2;
		t->n_pivot -= half.n_pivot;
		memmove(t->pivot, t->pivot + half.n_pivot,
			t->n_pivot * sizeof(*t->pivot));
	} else {
		half.work = halve(&t->work);
	}
	code = do_triples(l, &half, false, data, hits);
	return code ? code : do_triples(l, t, false, data, hits);
}

/* First vectors [lo, hi), all of part u, by the slab's vectors of two parts. */
static int
do_pivots(struct drive *d, struct lane *l,
	const struct vs_part_slot *const p[3],
	const struct vs_triple_data *data, const struct vs_slab *s,
	const size_t u[2], struct vs_hits *hits)
{
	struct vs_card_triples t = { .u = p[0]->part,
		.work = { .i = p[1]->part,
			.j = p[2]->part,
			.rule = d->rule,
			.i_lo = within(s->v_lo, &p[1]->part),
			.i_hi = within(s->v_hi, &p[1]->part),
			.j_lo = within(s->w_lo, &p[2]->part),
			.j_hi = within(s->w_hi, &p[2]->part),
			.cand = l->at.cand,
			.n_cand = l->at.n,
			.room = vs_lane_room(d->base) },
		.ordered = s->ordered,
		.skip = s->skip };

	vs_card_rule_raise(&d->q, &t.work.rule);
	vs_pivots_set(&l->pivots, data, u[0], u[1], &t);
	return do_triples(l, &t, true, data, hits);
}

/* The same, whatever parts the slab's vectors are of. */
static int
do_firsts(struct drive *d, struct lane *l, const struct vs_triple_data *data,
	const struct vs_slab *s, const size_t u[2], struct vs_hits *hits)
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
static int
drive_slab(void *state, int worker, const struct vs_triple_data *data,
	const struct vs_slab *s, struct vs_hits *hits, size_t *upto)
{
	struct lane *l;
	struct drive *d = drive_of(state, worker, &l);
	const size_t part = d->cache.part;
	int code = 0;

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
		if (code == TOO_MANY) {
			l->n_pivot = 1;
			code = 0;
			continue;
		}
		if (code)
			break;
		*upto = u[1];
		if (hits->n - l->before < most_records(l->at.base) / 4 &&
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

/* ---- beginning and end ---- */

static void
close_lane(struct lane *l)
{
	vs_lane_close(&l->at);
	vs_pivots_close(&l->pivots);
	free(l->tables);
}

static void
close_one(struct drive *d)
{
	if (!d)
		return;
	for (int k = 0; k < d->n_open; k++)
		close_lane(&d->lane[k]);
	vs_tables_data_close(&d->tables);
	vs_part_cache_close(&d->cache);
	free(d->lane);
	free(d);
}

static void
drive_close(void *state)
{
	struct drives *all = state;

	for (int k = 0; all && k < all->n; k++)
		close_one(all->of[k]);
	free(all);
}

/*
 * Fail unless memory is enough for a worker that takes this much, without a
 * smaller size.
 */
static int
check_room(const struct drive *d, uint64_t room, uint64_t allocated)
{
	uint64_t least = allocated +
		d->cache.n_pin * (size_t)d->n_lane *
			vs_part_cache_bytes(&d->cache, VS_TILE_VECS);

	if (!d->base->memory || least <= room)
		return 0;
	return d->base->host->fail(VS_EMACHINE,
		"GPU: %llu bytes of its memory are needed at least, and %llu "
		"may be taken",
		(unsigned long long)least, (unsigned long long)room);
}

/* Device memory available to this rank, before anything is allocated. */
static int
available_memory(const struct vs_drive_base *base, uint64_t *room)
{
	int code = base->ops->space(base->card, room);

	*room -= *room / 16;
	if (base->memory && base->memory < *room)
		*room = base->memory;
	*room /= base->share > 1 ? (uint64_t)base->share : 1;
	return code;
}

/* Room for some first vectors at a time; the first launch takes one where many
 * triples may pass. */
static int
open_pivots(const struct drive *d, struct lane *l, size_t room, bool few)
{
	int code = vs_pivots_open(&l->pivots, d->base, &d->q,
		room / (size_t)d->n_lane);

	l->n_pivot = few ? l->pivots.n : 1;
	return code;
}

/*
 * Open all workers and run a trial, so that a device that cannot compute fails
 * before any work is assigned to it.
 */
static int
open_all(struct drive *d, size_t most)
{
	const struct vs_drive_base *base = d->base;
	size_t n_ring = vs_lane_ring(base, d->q.n_field, most), scratch;
	uint64_t room = 0, allocated, taken;
	bool few = is_few(&d->q);
	struct vs_card_part *p;
	int code = available_memory(base, &room);

	if (code)
		return code;
	scratch = base->ops->scratch(base->card, &d->rule,
		room / 4 / (size_t)d->n_lane);
	allocated = scratch + vs_lane_card(base, d->q.n_field, n_ring);
	allocated += vs_tables_data_bytes(&d->q) / (size_t)d->n_lane + 1;
	if (d->triples)
		allocated += vs_pivots_bytes(&d->q);
	code = check_room(d, room, allocated * (size_t)d->n_lane);
	for (int k = 0; k < d->n_lane && !code; k++) {
		d->lane[k] = (struct lane){ .at = { .base = base,
						    .q = &d->q,
						    .n_side = d->cache.n_side,
						    .n_ring = n_ring,
						    .scratch_bytes = scratch },
			.limit = few ? UNLIMITED : vs_lane_room(base),
			.rows = few ? most : VS_TILE_VECS };
		d->n_open++;
		code = vs_lane_open(&d->lane[k].at);
		if (!code && d->triples)
			code = open_pivots(d, &d->lane[k], room / 8, few);
		taken = allocated;
		if (d->lane[k].pivots.n > 1)
			taken += (d->lane[k].pivots.n - 1) *
				vs_pivots_bytes(&d->q);
		room = room > taken ? room - taken : 0;
	}
	if (!code && d->q.classes)
		code = vs_tables_data_open(&d->tables, &d->lane[0].at,
			&d->cache.layout, &d->rule);
	if (!code)
		code = vs_part_cache_open(&d->cache, d->n_lane, room, most);
	p = code ? NULL : &d->cache.slot[0].part;
	for (int k = 0; k < d->n_lane && !code; k++) {
		d->lane[k].at.part = d->cache.part;
		d->lane[k].at.field = d->tables.field;
		p->n_vec = VS_TILE_VECS;
		p->n_block = (uint32_t)d->cache.n_block;
		p->n_plane = (uint32_t)d->cache.n_plane;
		code = vs_lane_try(&d->lane[k].at, &d->rule, p);
	}
	return code;
}

/* One device with n_worker drivers of its own. */
static int
open_one(struct drive **out, const struct vs_drive_base *base,
	const struct vs_query *q, int n_worker, size_t most, bool triples)
{
	struct drive *d = calloc(1, sizeof(*d));
	int code;

	if (!d)
		return vs_lane_fail_memory(base, "backend", sizeof(*d));
	d->base = base;
	vs_part_cache_init(&d->cache);
	d->cache.base = base;
	d->cache.n_pin = triples ? 3 : 2;
	d->triples = triples;
	d->q = *q;
	vs_card_rule_make(q, &d->rule);
	d->cache.n_block =
		(q->classes ? 32 * vs_card_segments_make(q, &d->cache.layout)
			    : vs_lane_up_to(q->n_field, VS_TILE_FIELDS)) /
		VS_TILE_FIELDS;
	d->cache.layout.n_block = (uint32_t)d->cache.n_block;
	d->cache.n_margin = q->classes ? VS_CARD_SEGMENTS * VS_CARD_LEVELS : 0;
	d->cache.n_plane = q->has_missing ? 3 : 2;
	d->cache.n_side = q->classes ? 0
		: q->has_missing && q->least_present > 0 && q->threshold > 0
		? 2
		: 1;
	d->lane = calloc((size_t)n_worker, sizeof(*d->lane));
	d->n_lane = d->lane ? n_worker : 0;
	code = d->lane ? open_all(d, most)
		       : vs_lane_fail_memory(base, "lanes", sizeof(*d->lane));
	if (code == VS_LOST)
		code = base->host->fail(VS_EMACHINE, "GPU: lost at the start");
	if (code)
		close_one(d);
	else
		*out = d;
	return code;
}

static int
open_any(void **state, const struct vs_query *q, int n_worker, size_t most,
	bool triples)
{
	const size_t bytes =
		sizeof(struct drives) + (size_t)n_base * sizeof(struct drive *);
	struct drives *all;
	int code = 0;

	if (!vs_card_has(q) || (triples && !q->classes))
		return bases->host->fail(VS_EUSAGE,
			"GPU: no kernel for this metric of these vectors");
	all = calloc(1, bytes);
	if (!all)
		return vs_lane_fail_memory(bases, "backend", bytes);
	all->n_lane = n_worker / n_base;
	for (; all->n < n_base && !code; all->n += !code)
		code = open_one(&all->of[all->n], &bases[all->n], q,
			all->n_lane, most, triples);
	if (code)
		drive_close(all);
	else
		*state = all;
	return code;
}

static int
drive_open(void **state, const struct vs_query *q, int n_worker, size_t most)
{
	return open_any(state, q, n_worker, most, false);
}

static int
drive_open_triples(void **state, const struct vs_query *q, int n_worker,
	size_t most)
{
	return open_any(state, q, n_worker, most, true);
}

static size_t
drive_columns(const struct vs_query *q, size_t most, bool follow)
{
	(void)follow;
	return vs_min_size(vs_lane_up_to(most, VS_SPAN),
		is_few(q) ? VS_SPAN * VS_SPANS : NARROW);
}

static void
drive_describe(const struct vs_query *q, size_t most, char *text, size_t room)
{
	(void)q;
	(void)most;
	snprintf(text, room, n_base > 1 ? "cuda-%s x%d" : "cuda-%s",
		bases->ops->engine(bases->card), n_base);
}

/* Host memory. */
static size_t
drive_bytes(const struct vs_query *q, int n_worker, size_t most)
{
	size_t n_ring = vs_lane_ring(bases, q->n_field, most);

	/* arrays of records grow by half */
	return (size_t)n_worker *
		(vs_lane_host(q->n_field, n_ring) +
			most_records(bases) * sizeof(struct vs_record) * 3 / 2);
}

static double
drive_rate(const struct vs_query *q)
{
	double rate = 0;

	for (int k = 0; k < n_base; k++)
		rate += bases[k].ops->rate(bases[k].card, q);
	return rate;
}

static double
drive_kernel_seconds(void)
{
	double seconds = 0;

	for (int k = 0; k < n_base; k++)
		seconds += bases[k].ops->kernel_seconds(bases[k].card);
	return seconds;
}

const struct vs_backend *
vs_drive_use(const struct vs_drive_base *base, int n)
{
	static struct vs_backend backend = { .name = "cuda",
		.n_driver = DRIVERS,
		.open = drive_open,
		.columns = drive_columns,
		.strip = drive_strip,
		.forget = drive_forget,
		.open_triples = drive_open_triples,
		.slab = drive_slab,
		.close = drive_close,
		.describe = drive_describe,
		.bytes = drive_bytes,
		.rate = drive_rate,
		.kernel_seconds = drive_kernel_seconds };

	bases = base;
	n_base = backend.n_device = n;
	return &backend;
}
