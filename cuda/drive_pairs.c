/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs on a device: launch order of a strip, refinement of candidates,
 * transfer of results. */
#include "cuda/drive_pairs.h"
#include "cuda/drive_state.h"
#include "libcore/base/fail.h"

/*
 * If calls are missing, all four sums cost at least four times the one that
 * bounds them, and a pair that the bounds leave costs as much as some hundred
 * pairs. If more than one pair in ONE_IN is left, all sums are counted for the
 * next STRIPS strips.
 */
#define ONE_IN 256
#define STRIPS 16

/* Destination of the results of some work. */
struct taker {
	const struct vs_drive *d;
	struct vs_drive_lane *l;
	const struct vs_card_work *w;
	const struct vs_two *of;
	struct vs_hits *hits;
};

static int
append(const struct vs_drive_lane *l, const struct vs_card_record *rec,
	uint32_t n, struct vs_hits *hits)
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
	return code;
}

/* Append records, or tables that the host judges, since it has the recipes of
 * all their metrics. VS_TOO_MANY if there are too many. */
static int
take(void *ctx, const void *rec, uint32_t n)
{
	const struct taker *t = ctx;
	const struct vs_two first = { t->of->pi, t->of->pj,
		(size_t)t->w->i.first, (size_t)t->w->j.first };
	struct vs_drive_lane *l = t->l;
	int code = t->d->q.classes ? t->d->base->host->pairs(&l->tables,
					     &t->d->q, &first, rec, n, t->hits)
				   : append(l, rec, n, t->hits);

	if (!code && l->rows > 1 &&
		t->hits->n - l->before > vs_drive_most(l->at.base))
		code = VS_TOO_MANY;
	return code;
}

static uint64_t
pairs_of(const struct vs_card_work *w)
{
	return (uint64_t)(w->i_hi - w->i_lo) * (w->j_hi - w->j_lo);
}

/* Number of candidates. */
static int
count(struct vs_drive *d, struct vs_drive_lane *l, const struct vs_card_work *w,
	uint32_t *n)
{
	struct vs_card_work filtered = *w;

	if (l->bound) {
		filtered.missing = 0;
		filtered.i.side += d->cache.part;
		filtered.j.side += d->cache.part;
	}
	return vs_lane_count(&l->at, &filtered, NULL, n);
}

/* Count and refine, in pieces whose candidates fit the buffer. */
static int
do_work(struct vs_drive *d, struct vs_drive_lane *l, struct vs_card_work *w,
	const struct vs_two *of, struct vs_hits *hits)
{
	struct taker to = { d, l, w, of, hits };
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
			if (n < w->room / 4 && l->limit < VS_DRIVE_UNLIMITED)
				l->limit *= 2;
			if (n && (l->bound || (w->missing && w->rule.moment)))
				code = d->base->ops->settle(l->at.queue, w, n);
			return code ? code
				    : vs_lane_collect(&l->at, w, NULL, n, take,
					      &to);
		}
		if (code)
			return code;
		l->limit = pairs / 2;
	}
	first = vs_drive_halve(w);
	code = do_work(d, l, &first, of, hits);
	return code ? code : do_work(d, l, w, of, hits);
}

/* Count one pair of parts of a strip. */
static int
do_parts(struct vs_drive *d, struct vs_drive_lane *l, const struct vs_strip *s,
	const struct vs_part_slot *i, const struct vs_part_slot *j,
	struct vs_hits *hits)
{
	struct vs_card_work w = { .i = i->part,
		.j = j->part,
		.rule = d->rule,
		.i_lo = vs_drive_within(s->i_lo, &i->part),
		.i_hi = vs_drive_within(s->i_hi, &i->part),
		.j_lo = vs_drive_within(s->j_lo, &j->part),
		.j_hi = vs_drive_within(s->j_hi, &j->part),
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
		w.span[k].lo = vs_drive_within(s->span[k].lo, &i->part);
		w.span[k].hi = vs_drive_within(s->span[k].hi, &i->part);
	}
	if (!vs_wants_any(&w, w.i_lo, w.i_hi - w.i_lo, w.j_lo, w.j_hi - w.j_lo))
		return 0;
	if (!d->q.alleles)
		vs_card_rule_raise(&d->q, &w.rule);
	l->bound = w.missing && d->cache.n_side > 1 && !l->four;
	return do_work(d, l, &w, &(struct vs_two){ s->i, s->j, 0, 0 }, hits);
}

static int
do_strip(struct vs_drive *d, struct vs_drive_lane *l, const struct vs_strip *s,
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
do_rows(struct vs_drive *d, struct vs_drive_lane *l,
	const struct vs_strip *strip, struct vs_hits *hits)
{
	struct vs_strip some = *strip;
	size_t n = vs_min_size(strip->i_hi - strip->i_lo, l->rows);
	int code;

	for (;; n = l->rows) {
		some.i_hi = some.i_lo + n;
		code = do_strip(d, l, &some, hits);
		if (code != VS_TOO_MANY)
			break;
		hits->n = l->before;
		for (l->rows = 1; 2 * l->rows < n;)
			l->rows *= 2;
	}
	if (some.i_hi < strip->i_hi)
		hits->upto = some.i_hi;
	if (n == l->rows && hits->n - l->before < vs_drive_most(l->at.base) / 4)
		l->rows *= 2;
	return code;
}

/*
 * Count a strip. Records are delivered only once the whole strip is done,
 * unless there are too many to keep: then some rows are done at a time.
 */
int
vs_drive_pairs_strip(void *state, int worker, const struct vs_strip *strip,
	struct vs_hits *hits)
{
	struct vs_drive_lane *l;
	struct vs_drive *d = vs_drive_of(state, worker, &l);
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
