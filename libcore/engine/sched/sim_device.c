/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/base/rng.h"
#include "libcore/engine/pair_sums.h"
#include "libcore/engine/sched/sim_device.h"

#define N_DRIVER 3
#define RATE 2e10 /* of a core that counts so */
#define LEAST_ROOM 4
#define MOST_ROOM 1024
#define MOST_TIMES 3 /* a strip is counted so often, the slower it seems */
#define FASTER 100   /* than a thread of the CPU, at most */
#define NOISE 0.1    /* of a pace */

static struct vs_sim_device next; /* for open() and columns() */

/* Planes that were brought to the device; panel null: none. */
struct kept {
	const struct vs_panel *panel;
	uint64_t *word;
};

struct sim {
	struct vs_query q;
	struct vs_sim_device is;
	size_t room; /* records that fit on the device */
	int n_worker;
	struct worker *worker;
	pthread_mutex_t lock; /* of what follows */
	struct vs_rng rng;
	uint64_t n_strip;
	bool gone;
	struct kept *kept;
	size_t n_kept, room_kept;
	/* costs a second of a thread and of the device; when it is free */
	double cpu_rate, rate, free;
};

/* A driver: its part of the device, and what came back of a strip. */
struct worker {
	struct vs_record *card; /* room of them */
	size_t n;
	struct vs_record *back;
	size_t n_back, room_back;
};

/* A rectangle of a strip. */
struct rect {
	size_t i_lo, i_hi, j_lo, j_hi;
};

void
vs_sim_device_set(const struct vs_sim_device *sim)
{
	next = *sim;
}

bool
vs_sim_device_read(const char *text, struct vs_sim_device *sim)
{
	static const char *const names[] = { "seed=", "lost=", "real=" };
	uint64_t *const fields[] = { &sim->seed, &sim->lost, &sim->real };

	while (*text) {
		size_t n = strcspn(text, ","), len = strlen(names[0]);
		char word[VS_NUM_ROOM];
		int64_t value;
		int k = 0;

		while (k < 2 && strncmp(text, names[k], len) != 0)
			k++;
		if (strncmp(text, names[k], len) || n - len >= sizeof(word))
			return false;
		memcpy(word, text + len, n - len);
		word[n - len] = 0;
		if (!vs_num_int(word, &value) || value < 0)
			return false;
		*fields[k] = (uint64_t)value;
		text += n;
		text += *text == ',' && text[1];
	}
	return true;
}

/* ---- the definition ---- */

/* Fields in which v is called, and those with one copy and with two. */
static void
planes(const struct vs_panel *p, size_t v, size_t word, size_t n_field,
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

/* r by cell, and the fields that both have. */
static int32_t
sums(const struct vs_strip *s, const struct vs_query *q, size_t i, size_t j,
	int32_t r[4])
{
	struct vs_pair_sums x = { 0, 0, 0, 0 };

	for (size_t word = 0; 64 * word < q->n_field; word++) {
		uint64_t u[3], v[3];

		planes(s->i, i, word, q->n_field, u);
		planes(s->j, j, word, q->n_field, v);
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

/* False: what was found does not fit. */
static bool
launch(const struct sim *d, struct worker *w, const struct vs_strip *s,
	const struct rect *at)
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
			int32_t r[4], c = sums(s, &d->q, i, j, r);

			if (vs_hits_cells(&of_pair, &d->q, &pair, r, c) ||
				w->n + of_pair.n > d->room)
				return false;
			memcpy(w->card + w->n, rec, of_pair.n * sizeof(*rec));
			w->n += of_pair.n;
		}
	}
	return true;
}

/* A rectangle, in halves if it has to be, and the records back. */
static int
fetch(const struct sim *d, struct worker *w, const struct vs_strip *s,
	const struct rect *at)
{
	struct rect a = *at, b = *at;
	int code;

	if (launch(d, w, s, at)) {
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
	code = fetch(d, w, s, &a);
	return code ? code : fetch(d, w, s, &b);
}

/* The panel as the device has it, which is as it was when it came. */
static int
bring(struct sim *d, const struct vs_panel *panel, struct vs_panel *there)
{
	size_t bytes = 16 * panel->vec.stride * panel->n_vec, k = 0;
	int code = 0;

	pthread_mutex_lock(&d->lock);
	while (k < d->n_kept && d->kept[k].panel != panel)
		k++;
	if (k == d->n_kept) {
		code = vs_mem_grow(&d->kept, &d->room_kept, k + 1,
			sizeof(*d->kept), "device");
		if (!code)
			code = vs_mem_room(&d->kept[k].word, bytes, 1,
				"device");
		if (!code) {
			memcpy(d->kept[k].word, panel->vec.word, bytes);
			d->kept[k].panel = panel;
			d->n_kept++;
		}
	}
	*there = *panel;
	if (!code)
		there->vec.word = d->kept[k].word;
	pthread_mutex_unlock(&d->lock);
	return code;
}

static void
sim_forget(void *state, const struct vs_panel *panel)
{
	struct sim *d = state;

	pthread_mutex_lock(&d->lock);
	for (size_t k = 0; k < d->n_kept; k++)
		if (d->kept[k].panel == panel) {
			free(d->kept[k].word);
			d->kept[k--] = d->kept[--d->n_kept];
		}
	pthread_mutex_unlock(&d->lock);
}

/*
 * How often a strip is counted, all of it or its first rows, which is a matter
 * of chance; 0: the device is gone.
 */
static uint64_t
begin(struct sim *d, struct rect *at)
{
	uint64_t times;

	pthread_mutex_lock(&d->lock);
	d->gone |= ++d->n_strip == d->is.lost;
	times = d->gone ? 0 : 1;
	if (times && d->is.real)
		times += vs_rng_below(&d->rng, MOST_TIMES);
	if (vs_rng_below(&d->rng, 2))
		at->i_hi -= vs_rng_below(&d->rng, at->i_hi - at->i_lo);
	pthread_mutex_unlock(&d->lock);
	return times;
}

static int
sim_strip(void *state, int worker, const struct vs_strip *s,
	struct vs_hits *found)
{
	struct sim *d = state;
	struct worker *w = &d->worker[worker];
	struct rect some = { s->i_lo, s->i_hi, s->j_lo, s->j_hi };
	uint64_t times = begin(d, &some);
	struct vs_strip there = *s;
	struct vs_panel pi, pj;
	bool gone = !times;
	int code = bring(d, s->i, &pi);

	if (!code)
		code = bring(d, s->j, &pj);
	there.i = &pi;
	there.j = &pj;
	for (; times && !code; times--) {
		w->n_back = 0;
		code = fetch(d, w, &there, &some);
	}
	/* when it goes, what is under way goes too */
	pthread_mutex_lock(&d->lock);
	gone |= d->gone;
	pthread_mutex_unlock(&d->lock);
	if (gone)
		return code ? code : VS_LOST;
	if (some.i_hi < s->i_hi)
		found->upto = some.i_hi;
	for (size_t k = 0; k < w->n_back && !code; k++) {
		code = vs_mem_grow(&found->rec, &found->room, found->n + 1,
			sizeof(*found->rec), "records of a tile");
		if (code)
			break;
		found->rec[found->n++] = w->back[k];
		if (found->n >= VS_HITS)
			code = found->drain(found);
	}
	return code;
}

static double
uniform(struct vs_rng *r, double lo, double hi)
{
	return lo + (hi - lo) * (double)(vs_rng_next(r) >> 11) * 0x1p-53;
}

/* Its drivers' strips are done one after another. */
static double
sim_ends(void *state, int hand, double now, double cost)
{
	struct sim *d = state;
	double seconds = cost * uniform(&d->rng, 1 - NOISE, 1 + NOISE);

	if (hand >= d->n_worker)
		return now + seconds / d->cpu_rate;
	d->free = (d->free > now ? d->free : now) + seconds / d->rate;
	return d->free;
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
	for (size_t k = 0; k < d->n_kept; k++)
		free(d->kept[k].word);
	pthread_mutex_destroy(&d->lock);
	free(d->kept);
	free(d->worker);
	free(d);
}

static int
sim_open(void **state, const struct vs_query *q, int n_worker, size_t most)
{
	struct sim *d = NULL;
	int code = vs_mem_new(&d, 1, sizeof(*d), "device");

	(void)most;
	if (code)
		return code;
	pthread_mutex_init(&d->lock, NULL);
	d->q = *q;
	d->is = next;
	vs_rng_seed(&d->rng, next.seed);
	d->room = LEAST_ROOM + vs_rng_below(&d->rng, MOST_ROOM - LEAST_ROOM);
	d->cpu_rate = exp(uniform(&d->rng, -1, 1));
	d->rate = d->cpu_rate * exp(uniform(&d->rng, 0, log(FASTER)));
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
columns(const struct vs_query *q, size_t most, bool follow)
{
	struct vs_rng rng;

	(void)q;
	(void)most;
	(void)follow;
	vs_rng_seed(&rng, ~next.seed);
	return VS_SPAN * (1 + vs_rng_below(&rng, VS_SPANS));
}

static void
describe(const struct vs_query *q, size_t most, char *text, size_t room)
{
	(void)q;
	(void)most;
	snprintf(text, room, "sim-plain");
}

static size_t
bytes(const struct vs_query *q, int n_worker, size_t most)
{
	(void)q;
	(void)most;
	return (size_t)n_worker * MOST_ROOM * sizeof(struct vs_record);
}

static double
rate(const struct vs_query *q)
{
	(void)q;
	return RATE;
}

#define SIM                                                           \
	.name = "sim", .n_driver = N_DRIVER, .open = sim_open,        \
	.columns = columns, .strip = sim_strip, .forget = sim_forget, \
	.close = sim_close, .describe = describe, .bytes = bytes, .rate = rate

const struct vs_backend vs_backend_sim = { SIM, .ends = sim_ends };
const struct vs_backend vs_backend_sim_real = { SIM };
