/* SPDX-License-Identifier: BSD-3-Clause */
/* Device backend: its cards and their workers, from the initial trial to the
 * end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/card_numbers.h"
#include "cuda/drive_pairs.h"
#include "cuda/drive_state.h"
#include "cuda/drive_triples.h"
#include "libcore/base/fail.h"

#define DRIVERS 3
/* columns per launch if most pairs may pass: four times HELD per tile */
#define NARROW 1024

static const struct vs_drive_base *bases;
static int n_base;

/* True if few pairs may pass. If only the strongest are wanted, for tables, all
 * of the first ones do. */
static bool
is_few(const struct vs_query *q)
{
	return q->classes ? q->prune && !q->shared_threshold : q->threshold > 0;
}

static void
drive_forget(void *state, const struct vs_panel *panel)
{
	struct vs_drives *all = state;

	for (int k = 0; k < all->n; k++)
		vs_part_cache_forget(&all->of[k]->cache, panel);
}

static void
close_lane(struct vs_drive_lane *l)
{
	vs_lane_close(&l->at);
	vs_pivots_close(&l->pivots);
	free(l->tables);
}

static void
close_one(struct vs_drive *d)
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
	struct vs_drives *all = state;

	for (int k = 0; all && k < all->n; k++)
		close_one(all->of[k]);
	free(all);
}

/*
 * Fail unless there is enough memory for a worker of this size, which cannot be
 * reduced.
 */
static int
check_room(const struct vs_drive *d, uint64_t room, uint64_t allocated)
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

/* Room for a few first vectors at a time; the first launch takes only one if
 * many triples may pass. */
static int
open_pivots(const struct vs_drive *d, struct vs_drive_lane *l, size_t room,
	bool few)
{
	int code = vs_pivots_open(&l->pivots, d->base, &d->q, room, &d->side);

	l->n_pivot = few ? l->pivots.n : 1;
	return code;
}

/*
 * Open all workers and run a trial, so that a device that cannot compute fails
 * before any work is assigned to it.
 */
static int
open_all(struct vs_drive *d, size_t most)
{
	const struct vs_drive_base *base = d->base;
	size_t n_ring = vs_lane_ring(base, &d->q, most), scratch;
	uint64_t room = 0, allocated, taken, pivots;
	bool few = is_few(&d->q);
	struct vs_card_part *p;
	int code = available_memory(base, &room);

	if (code)
		return code;
	scratch = base->ops->scratch(base->card, &d->rule,
		room / 4 / (size_t)d->n_lane);
	allocated = scratch + vs_lane_card(base, &d->q, n_ring);
	if (d->rule.table)
		allocated +=
			vs_tables_data_bytes(&d->q) / (size_t)d->n_lane + 1;
	pivots = room / 8 / (size_t)d->n_lane;
	vs_pivots_fit(&d->q, most, pivots, &d->side);
	if (d->triples)
		allocated += vs_pivots_bytes(&d->q, &d->side, 1);
	code = check_room(d, room, allocated * (size_t)d->n_lane);
	for (int k = 0; k < d->n_lane && !code; k++) {
		d->lane[k] = (struct vs_drive_lane){
			.at = { .base = base,
				.q = &d->q,
				.n_side = d->cache.n_side,
				.n_ring = n_ring,
				.scratch_bytes = scratch },
			.limit = few ? VS_DRIVE_UNLIMITED : vs_lane_room(base),
			.rows = few ? most : VS_TILE_VECS
		};
		d->n_open++;
		code = vs_lane_open(&d->lane[k].at);
		if (!code && d->triples)
			code = open_pivots(d, &d->lane[k], pivots, few);
		taken = allocated;
		if (d->lane[k].pivots.n > 1)
			taken += vs_pivots_bytes(&d->q, &d->side,
					 d->lane[k].pivots.n) -
				vs_pivots_bytes(&d->q, &d->side, 1);
		room = room > taken ? room - taken : 0;
	}
	if (!code && d->rule.table)
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
open_one(struct vs_drive **out, const struct vs_drive_base *base,
	const struct vs_query *q, int n_worker, size_t most, bool triples)
{
	const size_t fields = vs_card_numbers_fields((int32_t)q->element);
	struct vs_drive *d = calloc(1, sizeof(*d));
	int code;

	if (!d)
		return vs_lane_fail_memory(base, "backend", sizeof(*d));
	d->base = base;
	vs_part_cache_init(&d->cache);
	d->cache.base = base;
	d->cache.n_pin = triples ? 3 : 2;
	d->triples = triples;
	d->q = *q;
	vs_card_rule_make(q, triples, &d->rule);
	d->cache.n_block =
		(d->rule.table ? 32 * vs_card_segments_make(q, &d->cache.layout)
			       : vs_lane_up_to(q->n_field, VS_TILE_FIELDS)) /
		VS_TILE_FIELDS;
	if (d->rule.element)
		d->cache.n_block = vs_lane_up_to(q->n_field, fields) / fields;
	d->cache.layout.n_block = (uint32_t)d->cache.n_block;
	d->cache.n_margin =
		d->rule.table ? VS_CARD_SEGMENTS * VS_CARD_LEVELS : 0;
	d->cache.n_plane = d->rule.element ? 1 : q->has_missing ? 3 : 2;
	if (!d->rule.table && !d->rule.element && base->ops->half(base->card))
		d->cache.layout.half = (uint32_t)d->cache.n_plane++;
	d->cache.n_side = q->classes                ? 0
		: !triples && vs_card_is_bounded(q) ? 2
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
	const size_t bytes = sizeof(struct vs_drives) +
		(size_t)n_base * sizeof(struct vs_drive *);
	struct vs_drives *all;
	int code = 0;

	if (!(triples ? vs_card_has_triples(q) : vs_card_has(q)))
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
	size_t n_ring = vs_lane_ring(bases, q, most);

	/* arrays of records grow by half */
	return (size_t)n_worker *
		(vs_lane_host(q, n_ring) +
			vs_drive_most(bases) * sizeof(struct vs_record) * 3 /
				2);
}

/* Sizes of slabs that fit all devices. */
static void
drive_slab_most(void *state, size_t *v, size_t *w)
{
	const struct vs_drives *all = state;

	*v = *w = SIZE_MAX;
	for (int k = 0; k < all->n; k++) {
		*v = vs_min_size(*v, all->of[k]->side.v);
		*w = vs_min_size(*w, all->of[k]->side.w);
	}
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
drive_rate_triples(const struct vs_query *q)
{
	double rate = 0;

	for (int k = 0; k < n_base; k++)
		rate += bases[k].ops->rate_triples(bases[k].card, q);
	return rate;
}

static void
drive_seconds(double of[VS_DEVICE_TIMES])
{
	memset(of, 0, VS_DEVICE_TIMES * sizeof(*of));
	for (int k = 0; k < n_base; k++)
		bases[k].ops->seconds(bases[k].card, of);
}

const struct vs_backend *
vs_drive_use(const struct vs_drive_base *base, int n)
{
	static struct vs_backend backend = { .name = "cuda",
		.n_driver = DRIVERS,
		.open = drive_open,
		.columns = drive_columns,
		.strip = vs_drive_pairs_strip,
		.forget = drive_forget,
		.open_triples = drive_open_triples,
		.slab = vs_drive_triples_slab,
		.slab_most = drive_slab_most,
		.close = drive_close,
		.describe = drive_describe,
		.bytes = drive_bytes,
		.rate = drive_rate,
		.rate_triples = drive_rate_triples,
		.seconds = drive_seconds };

	bases = base;
	n_base = backend.n_device = n;
	return &backend;
}
