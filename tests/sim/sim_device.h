/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulated device: a vs_backend that computes on the CPU, to test the code
 * that drives devices. It counts pair by pair by the definition, has little
 * room for hits, sometimes does only the first rows of a strip, is alternately
 * slower and faster, and goes away on request. Metrics of alleles only.
 */
#ifndef VS_TESTS_SIM_SIM_DEVICE_H
#define VS_TESTS_SIM_SIM_DEVICE_H

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/backend.h"
#include "libcore/engine/pair_sums.h"

#define SIM_DRIVERS 3
#define SIM_RATE 2e10 /* estimated comparisons a second */
#define SIM_LEAST_ROOM 4
#define SIM_MOST_ROOM 1024
#define SIM_MOST_TIMES 3 /* counts of a strip, at most */

struct sim_device {
	uint64_t seed;  /* of its width, its room and its pace */
	uint64_t lost;  /* number of the strip at which it goes; 0: never */
	bool steady;    /* it counts each strip once, at one pace */
	uint64_t wrong; /* number of the strip with a wrong value; 0: none */
};

/* Properties of the device from its next opening on. */
static struct sim_device sim_next;

/* Planes that were copied to the device; panel null: none. */
struct sim_copy {
	const struct vs_panel *panel;
	uint64_t *word;
};

struct sim {
	struct vs_query q;
	struct sim_device is;
	size_t room; /* records that fit on the device */
	int n_worker;
	struct sim_worker *worker;
	pthread_mutex_t lock; /* of what follows */
	struct vs_rng rng;
	uint64_t n_strip;
	bool gone;
	struct sim_copy *copy;
	size_t n_copy, room_copy;
};

/* A driver: its part of the device, and the records copied back of a strip. */
struct sim_worker {
	struct vs_record *card; /* room of them */
	size_t n;
	struct vs_record *back;
	size_t n_back, room_back;
	bool errs; /* in the strip in work */
};

/* A rectangle of a strip. */
struct sim_rect {
	size_t i_lo, i_hi, j_lo, j_hi;
};

/* ---- the definition ---- */

/* Masks: fields in which v is called, has one copy, has two. */
static void
sim_planes(const struct vs_panel *p, size_t v, size_t word, size_t n_field,
	uint64_t out[3])
{
	uint64_t a = vs_vec_plane(&p->vec, v, 0)[word];
	uint64_t b = vs_vec_plane(&p->vec, v, 1)[word];
	uint64_t all = n_field - 64 * word >= 64
		? ~0ull
		: (1ull << (n_field - 64 * word)) - 1;

	out[0] = all & ~(b & ~a);
	out[1] = out[0] & ~a;
	out[2] = out[0] & a & b;
}

/* Sums by cell; returns the fields present in both. */
static int32_t
sim_sums(const struct vs_strip *s, const struct vs_query *q, size_t i, size_t j,
	int32_t r[4])
{
	struct vs_pair_sums x = { 0, 0, 0, 0 };

	for (size_t word = 0; 64 * word < q->n_field; word++) {
		uint64_t u[3], v[3];

		sim_planes(s->i, i, word, q->n_field, u);
		sim_planes(s->j, j, word, q->n_field, v);
		x.c += __builtin_popcountll(u[0] & v[0]);
		for (int a = 1; a < 3; a++) {
			x.si += a * __builtin_popcountll(u[a] & v[0]);
			x.sj += a * __builtin_popcountll(u[0] & v[a]);
			for (int b = 1; b < 3; b++)
				x.p += a * b *
					__builtin_popcountll(u[a] & v[b]);
		}
	}
	vs_pair_sums_cells(q->alleles->weight, x, r);
	return x.c;
}

/* ---- the device ---- */

/* Count a rectangle. False: its records do not fit. */
static bool
sim_launch(const struct sim *d, struct sim_worker *w, const struct vs_strip *s,
	const struct sim_rect *at)
{
	w->n = 0;
	for (size_t j = at->j_lo; j < at->j_hi; j++) {
		size_t span = (j - s->j_lo) / VS_SPAN;
		size_t lo = s->span[span].lo, hi = s->span[span].hi;

		lo = lo > at->i_lo ? lo : at->i_lo;
		hi = hi < at->i_hi ? hi : at->i_hi;
		if (s->diagonal && hi > j)
			hi = j;
		for (size_t i = lo; i < hi; i++) {
			const struct vs_two pair = { s->i, s->j, i, j };
			struct vs_record rec[4];
			struct vs_hits of_pair = { .rec = rec, .room = 4 };
			int32_t r[4], c = sim_sums(s, &d->q, i, j, r);

			if (vs_hits_cells(&of_pair, &d->q, &pair, r, c) ||
				w->n + of_pair.n > d->room)
				return false;
			/* one bit of the mantissa */
			if (w->errs && of_pair.n)
				rec[0].value = nextafter(rec[0].value, 2);
			memcpy(w->card + w->n, rec, of_pair.n * sizeof(*rec));
			w->n += of_pair.n;
		}
	}
	return true;
}

/* Count a rectangle, in halves where its records do not fit. */
static int
sim_fetch(const struct sim *d, struct sim_worker *w, const struct vs_strip *s,
	const struct sim_rect *at)
{
	struct sim_rect a = *at, b = *at;
	int code;

	if (sim_launch(d, w, s, at)) {
		code = vs_mem_grow(&w->back, &w->room_back, w->n_back + w->n,
			sizeof(*w->back), "records of a device");
		if (code || !w->n)
			return code;
		memcpy(w->back + w->n_back, w->card, w->n * sizeof(*w->card));
		w->n_back += w->n;
		return 0;
	}
	if (at->i_hi - at->i_lo > 1)
		a.i_hi = b.i_lo = (at->i_lo + at->i_hi) / 2;
	else
		a.j_hi = b.j_lo = (at->j_lo + at->j_hi) / 2;
	code = sim_fetch(d, w, s, &a);
	return code ? code : sim_fetch(d, w, s, &b);
}

/* The panel as it was when the device copied it. */
static int
sim_bring(struct sim *d, const struct vs_panel *panel, struct vs_panel *there)
{
	size_t bytes = 16 * panel->vec.stride * panel->n_vec, k = 0;
	int code = 0;

	pthread_mutex_lock(&d->lock);
	while (k < d->n_copy && d->copy[k].panel != panel)
		k++;
	if (k == d->n_copy) {
		code = vs_mem_grow(&d->copy, &d->room_copy, k + 1,
			sizeof(*d->copy), "device");
		if (!code)
			code = vs_mem_room(&d->copy[k].word, bytes, 1,
				"device");
		if (!code) {
			memcpy(d->copy[k].word, panel->vec.word, bytes);
			d->copy[k].panel = panel;
			d->n_copy++;
		}
	}
	*there = *panel;
	if (!code)
		there->vec.word = d->copy[k].word;
	pthread_mutex_unlock(&d->lock);
	return code;
}

static void
sim_forget(void *state, const struct vs_panel *panel)
{
	struct sim *d = state;

	pthread_mutex_lock(&d->lock);
	for (size_t k = 0; k < d->n_copy; k++)
		if (d->copy[k].panel == panel) {
			free(d->copy[k].word);
			d->copy[k--] = d->copy[--d->n_copy];
		}
	pthread_mutex_unlock(&d->lock);
}

/*
 * Draw how often a strip is counted, and whether all of it or its first rows;
 * 0: the device is gone.
 */
static uint64_t
sim_begin(struct sim *d, struct sim_worker *w, struct sim_rect *at)
{
	uint64_t times;

	pthread_mutex_lock(&d->lock);
	d->gone |= ++d->n_strip == d->is.lost;
	w->errs = d->n_strip == d->is.wrong;
	times = d->gone ? 0 : 1;
	if (times && !d->is.steady)
		times += vs_rng_below(&d->rng, SIM_MOST_TIMES);
	if (vs_rng_below(&d->rng, 2))
		at->i_hi -= vs_rng_below(&d->rng, at->i_hi - at->i_lo);
	pthread_mutex_unlock(&d->lock);
	return times;
}

static int
sim_strip(void *state, int worker, const struct vs_strip *s,
	struct vs_hits *hits)
{
	struct sim *d = state;
	struct sim_worker *w = &d->worker[worker];
	struct sim_rect some = { s->i_lo, s->i_hi, s->j_lo, s->j_hi };
	uint64_t times = sim_begin(d, w, &some);
	struct vs_strip there = *s;
	struct vs_panel pi, pj;
	bool gone = !times;
	int code = sim_bring(d, s->i, &pi);

	if (!code)
		code = sim_bring(d, s->j, &pj);
	there.i = &pi;
	there.j = &pj;
	for (; times && !code; times--) {
		w->n_back = 0;
		code = sim_fetch(d, w, &there, &some);
	}
	/* when it goes, what is under way goes too */
	pthread_mutex_lock(&d->lock);
	gone |= d->gone;
	pthread_mutex_unlock(&d->lock);
	if (gone)
		return code ? code : VS_LOST;
	if (some.i_hi < s->i_hi)
		hits->upto = some.i_hi;
	for (size_t k = 0; k < w->n_back && !code; k++) {
		code = vs_mem_grow(&hits->rec, &hits->room, hits->n + 1,
			sizeof(*hits->rec), "records of a tile");
		if (code)
			break;
		hits->rec[hits->n++] = w->back[k];
		if (hits->n >= VS_HITS)
			code = hits->drain(hits);
	}
	return code;
}

static void
sim_close(void *state)
{
	struct sim *d = state;

	if (!d)
		return;
	for (int k = 0; d->worker && k < d->n_worker; k++) {
		free(d->worker[k].card);
		free(d->worker[k].back);
	}
	for (size_t k = 0; k < d->n_copy; k++)
		free(d->copy[k].word);
	pthread_mutex_destroy(&d->lock);
	free(d->copy);
	free(d->worker);
	free(d);
}

static int
sim_open(void **state, const struct vs_query *q, int n_worker, size_t most)
{
	struct sim *d = NULL;
	int code;

	(void)most;
	if (!q->alleles)
		return vs_fail(VS_EUSAGE,
			"the simulated device counts alleles alone");
	code = vs_mem_new(&d, 1, sizeof(*d), "device");
	if (code)
		return code;
	pthread_mutex_init(&d->lock, NULL);
	d->q = *q;
	d->is = sim_next;
	vs_rng_seed(&d->rng, sim_next.seed);
	d->room = SIM_LEAST_ROOM +
		vs_rng_below(&d->rng, SIM_MOST_ROOM - SIM_LEAST_ROOM);
	d->n_worker = n_worker;
	code = vs_mem_new(&d->worker, (size_t)n_worker, sizeof(*d->worker),
		"device");
	for (int k = 0; k < n_worker && !code; k++)
		code = vs_mem_new(&d->worker[k].card, d->room,
			sizeof(struct vs_record), "device");
	if (code) {
		sim_close(d);
		return code;
	}
	*state = d;
	return 0;
}

static size_t
sim_columns(const struct vs_query *q, size_t most, bool follow)
{
	struct vs_rng rng;

	(void)q;
	(void)most;
	(void)follow;
	vs_rng_seed(&rng, ~sim_next.seed);
	return VS_SPAN * (1 + vs_rng_below(&rng, VS_SPANS));
}

static void
sim_describe(const struct vs_query *q, size_t most, char *text, size_t room)
{
	(void)q;
	(void)most;
	snprintf(text, room, "sim-plain");
}

static size_t
sim_bytes(const struct vs_query *q, int n_worker, size_t most)
{
	(void)q;
	(void)most;
	return (size_t)n_worker * SIM_MOST_ROOM * sizeof(struct vs_record);
}

static double
sim_rate(const struct vs_query *q)
{
	(void)q;
	return SIM_RATE;
}

static const struct vs_backend sim_backend = { .name = "sim",
	.n_driver = SIM_DRIVERS,
	.open = sim_open,
	.columns = sim_columns,
	.strip = sim_strip,
	.forget = sim_forget,
	.close = sim_close,
	.describe = sim_describe,
	.bytes = sim_bytes,
	.rate = sim_rate };

#endif
