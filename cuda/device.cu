// SPDX-License-Identifier: BSD-3-Clause
/* CUDA device behind the card interface of drive.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda/card_query.h"
#include "cuda/check.cuh"
#include "cuda/device.h"
#include "cuda/engine.h"
#include "cuda/numbers.h"
#include "cuda/recipe.h"
#include "cuda/tables.h"
#include "cuda/triples.h"
#include "libcore/base/fail.h"

struct card {
	const vs_cuda_host *host;
	int device;
	char name[256];
	int capability; /* 10 * major + minor */
	double clocks;  /* clocks per second of all multiprocessors */
	const char *engine_name;
	const vs_engine *engine;
	uint64_t ns[VS_DEVICE_TIMES];
};

/* The last work of a queue, in one piece; timed: it is not yet added up. */
struct span {
	cudaEvent_t begun, ended;
	bool timed;
};

struct lane {
	card *of;
	cudaStream_t queue[VS_QUEUES];
	cudaEvent_t event[VS_CARD_EVENTS];
	span last[VS_QUEUES];
	void *own; /* the engine's state */
};

static const struct row {
	const char *name;
	int least, upto;
	const vs_engine *engine;
} rows[] = {
#define X(name, least, upto) { #name, least, upto, &vs_engine_##name },
#include "cuda/rows.h"
#undef X
};

/*
 * Map an error to a code. A sticky error ends the use of the device by this
 * process; any other concerns only this call.
 */
static int
judge(const card *c, cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return 0;
	cudaGetLastError();
	if (cudaDeviceSynchronize() != cudaSuccess)
		return VS_LOST;
	return c->host->fail(VS_EMACHINE, "GPU %d: %s: %s", c->device, what,
		cudaGetErrorString(e));
}

static cudaError_t
use(const card *c)
{
	return cudaSetDevice(c->device);
}

static int
space(void *of, uint64_t *bytes)
{
	card *c = (card *)of;
	size_t free = 0, all = 0;
	cudaError_t e = use(c);

	if (e == cudaSuccess)
		e = cudaMemGetInfo(&free, &all);
	*bytes = free;
	return judge(c, e, "memory");
}

static int
allocate(void *of, void **p, size_t bytes)
{
	card *c = (card *)of;
	cudaError_t e = use(c);

	if (e == cudaSuccess)
		e = cudaMalloc(p, bytes ? bytes : 1);
	if (e == cudaErrorMemoryAllocation) {
		cudaGetLastError();
		return VS_CARD_FULL;
	}
	return judge(c, e, "memory");
}

static void
drop(void *of, void *p)
{
	if (use((card *)of) != cudaSuccess || cudaFree(p) != cudaSuccess)
		cudaGetLastError();
}

static int
pin(void *of, void **p, size_t bytes)
{
	card *c = (card *)of;
	cudaError_t e = use(c);

	if (e == cudaSuccess)
		e = cudaMallocHost(p, bytes);
	return judge(c, e, "memory of the host");
}

static void
unpin(void *of, void *p)
{
	if (use((card *)of) != cudaSuccess || cudaFreeHost(p) != cudaSuccess)
		cudaGetLastError();
}

static void
add_ns(card *c, int what, double ns)
{
	__atomic_fetch_add(&c->ns[what], (uint64_t)ns, __ATOMIC_RELAXED);
}

/* Add up the last work of a queue. False: it is still under way */
static bool
add_time(lane *l, int queue)
{
	span *s = &l->last[queue];
	float ms = 0;
	const cudaError_t e = s->timed
		? cudaEventElapsedTime(&ms, s->begun, s->ended)
		: cudaSuccess;

	if (e != cudaSuccess)
		cudaGetLastError();
	if (e == cudaErrorNotReady)
		return false;
	s->timed = false;
	add_ns(l->of,
		queue == VS_QUEUE_COUNT ? VS_DEVICE_KERNELS : VS_DEVICE_COPIES,
		1e6 * (double)ms);
	return true;
}

/* Before and after work of a queue. What comes while the work before is under
 * way is one piece with it. */
static cudaError_t
begin(lane *l, vs_card_queue queue)
{
	CHECK(use(l->of));
	return add_time(l, queue)
		? cudaEventRecord(l->last[queue].begun, l->queue[queue])
		: cudaSuccess;
}

static int
end(lane *l, vs_card_queue queue, cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		e = cudaEventRecord(l->last[queue].ended, l->queue[queue]);
	l->last[queue].timed = e == cudaSuccess;
	return judge(l->of, e, what);
}

static void
close_lane(void *of, void *which)
{
	lane *l = (lane *)which;

	if (use((card *)of) == cudaSuccess) {
		for (cudaStream_t q : l->queue)
			if (q)
				cudaStreamSynchronize(q);
		if (l->own)
			l->of->engine->close(l->own);
		for (cudaEvent_t e : l->event)
			if (e)
				cudaEventDestroy(e);
		for (int q = 0; q < VS_QUEUES; q++) {
			add_time(l, q);
			if (l->last[q].begun)
				cudaEventDestroy(l->last[q].begun);
			if (l->last[q].ended)
				cudaEventDestroy(l->last[q].ended);
		}
		for (cudaStream_t q : l->queue)
			if (q)
				cudaStreamDestroy(q);
	}
	cudaGetLastError();
	free(l);
}

/* Queues and events; threads that wait for an event sleep. */
static cudaError_t
make_queues(lane *l)
{
	CHECK(use(l->of));
	for (cudaStream_t &q : l->queue)
		CHECK(cudaStreamCreateWithFlags(&q, cudaStreamNonBlocking));
	for (cudaEvent_t &e : l->event)
		CHECK(cudaEventCreateWithFlags(&e,
			cudaEventBlockingSync | cudaEventDisableTiming));
	for (span &s : l->last) {
		CHECK(cudaEventCreate(&s.begun));
		CHECK(cudaEventCreate(&s.ended));
	}
	return cudaSuccess;
}

static int
open_lane(void *of, void **out)
{
	card *c = (card *)of;
	lane *l = (lane *)calloc(1, sizeof(*l));
	char why[256];
	int code;

	if (!l)
		return c->host->fail(VS_EMACHINE, "GPU: no memory for a lane");
	l->of = c;
	code = judge(c, make_queues(l), "queue");
	if (!code && c->engine->open &&
		c->engine->open(&l->own, l->queue[VS_QUEUE_COUNT], why,
			sizeof(why)))
		code = c->host->fail(VS_EMACHINE, "GPU engine %s: %s",
			c->engine_name, why);
	if (code)
		close_lane(c, l);
	else
		*out = l;
	return code;
}

static size_t
scratch(void *of, const struct vs_card_rule *q, size_t room)
{
	card *c = (card *)of;

	return c->engine->scratch && !q->element ? c->engine->scratch(q, room)
						 : 0;
}

static int
copy(lane *l, void *to, const void *from, size_t bytes, vs_card_queue queue)
{
	cudaError_t e = begin(l, queue);

	if (e == cudaSuccess)
		e = cudaMemcpyAsync(to, from, bytes,
			queue == VS_QUEUE_UP ? cudaMemcpyHostToDevice
					     : cudaMemcpyDeviceToHost,
			l->queue[queue]);
	return end(l, queue, e, "copy");
}

static int
put(void *which, void *to, const void *from, size_t bytes)
{
	return copy((lane *)which, to, from, bytes, VS_QUEUE_UP);
}

static int
get(void *which, void *to, const void *from, size_t bytes)
{
	return copy((lane *)which, to, from, bytes, VS_QUEUE_DOWN);
}

static int
zero(void *which, void *p, size_t bytes)
{
	lane *l = (lane *)which;
	cudaError_t e = use(l->of);

	if (e == cudaSuccess)
		e = cudaMemsetAsync(p, 0, bytes, l->queue[VS_QUEUE_COUNT]);
	return judge(l->of, e, "zero");
}

static int
expand(void *which, const struct vs_card_expand *x)
{
	lane *l = (lane *)which;
	cudaError_t e = begin(l, VS_QUEUE_COUNT);

	if (e == cudaSuccess)
		e = (cudaError_t)(x->field
				? vs_tables_expand(x, l->queue[VS_QUEUE_COUNT])
				: x->element
				? vs_numbers_expand(x, l->queue[VS_QUEUE_COUNT])
				: vs_recipe_expand(x,
					  l->queue[VS_QUEUE_COUNT]));
	return end(l, VS_QUEUE_COUNT, e, "planes");
}

static int
count(void *which, const struct vs_card_work *work)
{
	lane *l = (lane *)which;
	vs_card_work w = *work;
	cudaError_t e = begin(l, VS_QUEUE_COUNT);

	w.own = l->own;
	if (e == cudaSuccess)
		e = (cudaError_t)(w.rule.table
				? vs_tables_count(&w, l->queue[VS_QUEUE_COUNT])
				: w.rule.element
				? vs_numbers_count(&w, l->queue[VS_QUEUE_COUNT])
				: l->of->engine->count(&w,
					  l->queue[VS_QUEUE_COUNT]));
	if ((int)e < VS_CUBLAS)
		return end(l, VS_QUEUE_COUNT, e, "counts");
	if (judge(l->of, cudaDeviceSynchronize(), "counts") == VS_LOST)
		return VS_LOST;
	return l->of->host->fail(VS_EMACHINE, "GPU %d: cuBLAS says %d",
		l->of->device, (int)e - VS_CUBLAS);
}

static int
settle(void *which, const struct vs_card_work *w, uint32_t n)
{
	lane *l = (lane *)which;
	cudaError_t e = begin(l, VS_QUEUE_COUNT);

	if (e == cudaSuccess)
		e = (cudaError_t)vs_recipe_settle(w, n,
			l->queue[VS_QUEUE_COUNT]);
	return end(l, VS_QUEUE_COUNT, e, "sums");
}

static int
refine(void *which, const struct vs_card_work *w, uint32_t lo, uint32_t n,
	void *out, uint32_t *n_out)
{
	lane *l = (lane *)which;
	cudaError_t e = begin(l, VS_QUEUE_COUNT);

	if (e == cudaSuccess && w->rule.table)
		e = (cudaError_t)vs_tables_list(w, lo, n,
			(vs_counted_table *)out, n_out,
			l->queue[VS_QUEUE_COUNT]);
	else if (e == cudaSuccess)
		e = (cudaError_t)vs_recipe_refine(w, lo, n,
			(vs_card_record *)out, n_out, l->queue[VS_QUEUE_COUNT]);
	return end(l, VS_QUEUE_COUNT, e, "values");
}

static int
gather(void *which, const struct vs_card_triples *t)
{
	lane *l = (lane *)which;
	cudaError_t e = begin(l, VS_QUEUE_COUNT);

	if (e == cudaSuccess)
		e = (cudaError_t)vs_triples_gather(t, l->queue[VS_QUEUE_COUNT]);
	return end(l, VS_QUEUE_COUNT, e, "first vectors");
}

static int
count_triples(void *which, const struct vs_card_triples *t)
{
	lane *l = (lane *)which;
	cudaError_t e = begin(l, VS_QUEUE_COUNT);

	if (e == cudaSuccess)
		e = (cudaError_t)vs_triples_count(t, l->queue[VS_QUEUE_COUNT]);
	return end(l, VS_QUEUE_COUNT, e, "counts of triples");
}

static int
list_triples(void *which, const struct vs_card_triples *t, uint32_t lo,
	uint32_t n, void *out, uint32_t *n_out)
{
	lane *l = (lane *)which;
	cudaError_t e = begin(l, VS_QUEUE_COUNT);

	if (e == cudaSuccess)
		e = (cudaError_t)vs_triples_list(t, lo, n,
			(vs_counted_table *)out, n_out,
			l->queue[VS_QUEUE_COUNT]);
	return end(l, VS_QUEUE_COUNT, e, "tables of triples");
}

static int
note(void *which, vs_card_queue queue, int event)
{
	lane *l = (lane *)which;
	cudaError_t e = use(l->of);

	if (e == cudaSuccess)
		e = cudaEventRecord(l->event[event], l->queue[queue]);
	return judge(l->of, e, "event");
}

static int
after(void *which, vs_card_queue queue, int event)
{
	lane *l = (lane *)which;
	cudaError_t e = use(l->of);

	if (e == cudaSuccess)
		e = cudaStreamWaitEvent(l->queue[queue], l->event[event], 0);
	return judge(l->of, e, "event");
}

static double
now_ns(void)
{
	timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int
wait(void *which, int event)
{
	lane *l = (lane *)which;
	const double begun = now_ns();
	cudaError_t e = use(l->of);

	if (e == cudaSuccess)
		e = cudaEventSynchronize(l->event[event]);
	add_ns(l->of, VS_DEVICE_WAITS, now_ns() - begun);
	return judge(l->of, e, "wait");
}

static bool
half(void *of)
{
	return ((card *)of)->engine->half;
}

static const char *
engine(void *of)
{
	return ((card *)of)->engine_name;
}

/* Approximate rate: all four sums take six times as long as one. For tables,
 * population counts are assumed, 16 words per clock, the slower way; for
 * numbers, 0.6 of the lanes for minima, and on most devices two for f64. */
static double
rate(void *of, const struct vs_query *q)
{
	card *c = (card *)of;
	const bool slow = c->capability % 10 || c->capability > 100;

	if (vs_element_is_number(q->element))
		switch (vs_card_numbers_unit(q->element)) {
		case VS_UNIT_BYTES:
			return c->clocks * 150;
		case VS_UNIT_FLOAT:
			return c->clocks * 40;
		case VS_UNIT_DOUBLE:
			return c->clocks * (slow ? 0.7 : 10);
		}
	if (q->classes)
		return c->clocks * 16 * 32 / (q->has_missing ? 9 : 4);
	return c->clocks * c->engine->fields /
		(q->has_missing && !vs_card_is_bounded(q) ? 6 : 1);
}

/*
 * The same for triples, by the instructions for each triple and each of its
 * samples as compiled for 9.0, with 1-bit products or without. Of 128 lanes
 * 0.23 did one in a clock: measured with tables on an H200.
 */
static double
rate_triples(void *of, const struct vs_query *q)
{
	const card *c = (card *)of;
	const bool bits = c->capability >= 80 && c->capability < 100 &&
		(q->classes || !q->has_missing);
	const double n = (double)q->n_field, once = q->classes ? 390 : 220,
		     field = bits ? (q->has_missing ? 0.018 : 0.01) : 0.4;

	return c->clocks * 0.23 * 128 * n / (once + field * n);
}

static void
seconds(void *of, double to[VS_DEVICE_TIMES])
{
	const card *c = (card *)of;

	for (int k = 0; k < VS_DEVICE_TIMES; k++)
		to[k] += 1e-9 *
			(double)__atomic_load_n(&c->ns[k], __ATOMIC_RELAXED);
}

const struct vs_card_ops vs_device_ops = { space, allocate, drop, pin, unpin,
	open_lane, close_lane, scratch, put, get, zero, expand, count, settle,
	refine, gather, count_triples, list_triples, note, after, wait, half,
	engine, rate, rate_triples, seconds };

int
vs_device_count(char *why, size_t room)
{
	int n = 0;
	cudaError_t e = cudaGetDeviceCount(&n);

	if (e == cudaSuccess && n > 0)
		return n;
	cudaGetLastError();
	snprintf(why, room, "no device: %s",
		e == cudaSuccess ? "none is visible" : cudaGetErrorString(e));
	return 0;
}

static cudaError_t
read_properties(card *c)
{
	int major, minor, n, khz = 0;
	cudaDeviceProp prop;

	/*
	 * blocking waits leave the core to other threads; without them, waits
	 * spin
	 */
	if (cudaInitDevice(c->device, cudaDeviceScheduleBlockingSync,
		    cudaInitDeviceFlagsAreValid) != cudaSuccess)
		cudaGetLastError();
	CHECK(use(c));
	CHECK(cudaGetDeviceProperties(&prop, c->device));
	CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor,
		c->device));
	CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor,
		c->device));
	CHECK(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount,
		c->device));
	/* some drivers do not report the clock */
	if (cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, c->device) !=
		cudaSuccess)
		cudaGetLastError();
	snprintf(c->name, sizeof(c->name), "%s", prop.name);
	c->capability = 10 * major + minor;
	c->clocks = 1e3 * (khz > 0 ? khz : 1500000) * n;
	return cudaSuccess;
}

/* True if the engine works here; it may need a missing library. */
static bool
works(card *c, const row *r, char *why, size_t room)
{
	void *own = NULL;

	c->engine_name = r->name;
	c->engine = r->engine;
	if (!r->engine->open)
		return true;
	if (r->engine->open(&own, NULL, why, room))
		return false;
	r->engine->close(own);
	return true;
}

static int
choose(card *c, const char *name)
{
	char why[256] = "";

	for (const row &r : rows) {
		if (name ? strcmp(name, r.name) != 0
			 : c->capability < r.least || c->capability > r.upto)
			continue;
		if (c->capability < r.least)
			return c->host->fail(VS_EUSAGE,
				"GPU engine %s: needs compute capability "
				"%d.%d, %s has %d.%d",
				name, r.least / 10, r.least % 10, c->name,
				c->capability / 10, c->capability % 10);
		if (works(c, &r, why, sizeof(why)))
			return 0;
		if (name)
			return c->host->fail(VS_EMACHINE, "GPU engine %s: %s",
				name, why);
	}
	return c->host->fail(VS_EMACHINE,
		"GPU %d: no engine for %s of compute capability %d.%d",
		c->device, c->name, c->capability / 10, c->capability % 10);
}

int
vs_device_open(const struct vs_cuda_host *host, int k, const char *engine,
	void **out, char *said, size_t room)
{
	card *c = (card *)calloc(1, sizeof(*c));
	cudaError_t e;
	int code;

	if (!c)
		return host->fail(VS_EMACHINE, "GPU: no memory for a card");
	c->host = host;
	c->device = k;
	e = read_properties(c);
	code = e == cudaSuccess ? choose(c, engine)
				: host->fail(VS_EMACHINE, "GPU %d: %s", k,
					  cudaGetErrorString(e));
	if (code) {
		free(c);
		return code;
	}
	snprintf(said, room, "GPU %d, %s, engine %s", k, c->name,
		c->engine_name);
	*out = c;
	return 0;
}
