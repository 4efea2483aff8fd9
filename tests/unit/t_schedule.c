/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The schedule of all pairs on a CPU and a device, by a virtual clock: the
 * records are the CPU's, a run is the same again, another with another seed,
 * and the end is within a tile of the ideal.
 */
#include "libcore/engine/sched/pair_run.h"
#include "tests/sim/sim_device.h"
#include "tests/sim/virtual_clock.h"
#include "tests/unit/panels.h"
#include "tests/unit/test.h"

#define VECTORS 400
#define FIELDS 31
#define N_SEED 12

static uint8_t g[VECTORS][FIELDS]; /* 3: missing */

/* Data of a seed, some calls missing, every fourth vector like the last. */
static void
draw(uint64_t seed)
{
	struct vs_rng rng;

	vs_rng_seed(&rng, seed);
	for (size_t v = 0; v < VECTORS; v++) {
		uint64_t often = 10 + vs_rng_below(&rng, 80);

		for (size_t f = 0; f < FIELDS; f++) {
			g[v][f] = (uint8_t)((vs_rng_below(&rng, 100) < often) +
				(vs_rng_below(&rng, 100) < often));
			if (v % 4 == 1 && vs_rng_below(&rng, 8))
				g[v][f] = g[v - 1][f];
			else if (!vs_rng_below(&rng, 20))
				g[v][f] = 3;
		}
	}
}

static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	size_t at = p->n_vec;

	(void)ctx;
	if (!at)
		memset(p->vec.word, 0, p->bytes);
	for (uint64_t v = lo; v < hi; v++) {
		for (size_t f = 0; f < FIELDS; f++)
			vs_vec_set(&p->vec, at + v - lo, f, g[v][f]);
		p->source[at + v - lo] = (int64_t)v;
	}
	panel_make(p, lo, (size_t)(hi - lo), 2);
	return 0;
}

/* Outcome of a run. */
struct outcome {
	struct vs_digest_sum sum; /* of all records */
	struct vs_job_stats stats;
	size_t n;
	double played; /* virtual seconds */
	int code;
};

static int
sink(void *ctx, const struct vs_tile_done *tile)
{
	struct outcome *o = ctx;

	o->n += tile->n;
	if (tile->last)
		vs_digest_sum_add(&o->sum, &tile->sum);
	return 0;
}

/* First rates, by which all are equal: the paces are to be learnt. */
static double
rate(const struct vs_query *q)
{
	return vs_tile_split_unit(q);
}

/* device 0: the CPU alone, 1: beside it, 2: the device alone. */
static void
compute(int64_t tile, int device, uint64_t seed, uint64_t lost,
	struct outcome *o)
{
	const struct vs_metric *ccc = vs_metric_find("ccc");
	struct vs_query q = { .metric = ccc,
		.alleles = &ccc->alleles,
		.threshold = 0.6,
		.cell_mask = 15,
		.has_missing = true,
		.least_present = 1,
		.prune = true,
		.n_field = FIELDS,
		.cpu = vs_cpu_best() };
	struct vs_backend cpu = vs_backend_cpu, sim = sim_backend;
	struct vs_plan plan;
	struct vs_job job = { .plan = &plan,
		.query = &q,
		.backend = &cpu,
		.n_thread = 3,
		.device = device ? &sim : NULL,
		.alone = device == 2,
		.load = load,
		.sink = sink,
		.ctx = o };
	struct vs_thread_pool pool;

	cpu.rate = sim.rate = rate;
	memset(o, 0, sizeof(*o));
	sim_next = (struct sim_device){ .seed = seed,
		.lost = lost,
		.steady = true };
	virtual_begin(seed);
	o->code = vs_plan_make(&plan, VECTORS, 1, tile);
	if (!o->code)
		o->code = vs_thread_pool_open(&pool, &job);
	if (!o->code)
		o->code = vs_pair_run(&pool, &o->stats);
	o->played = virtual.now;
}

static double
share(const struct outcome *o)
{
	return o->stats.cost[1] / (o->stats.cost[0] + o->stats.cost[1]);
}

static bool
same_records(const struct outcome *a, const struct outcome *b)
{
	return !memcmp(&a->sum, &b->sum, sizeof(a->sum));
}

/* The same twice, and no two of different seeds or losses. */
static void
try_repeats(const struct outcome *want)
{
	struct outcome one, two;
	uint64_t seen[24];
	size_t n = 0;

	for (int device = 1; device < 3; device++)
		for (uint64_t seed = 1; seed < 4; seed++)
			for (uint64_t lost = 0; lost < 5; lost += 4) {
				uint64_t schedule, run;
				bool new = true;

				compute(40, device, seed, lost, &one);
				schedule = virtual.schedule;
				run = schedule ^ (uint64_t)(1e6 * one.played);
				compute(40, device, seed, lost, &two);
				for (size_t k = 0; k < n; k++)
					new &= seen[k] != run;
				seen[n++] = run;
				T_OK(!one.code && same_records(&one, want) &&
						!one.stats.lost == !lost,
					"device %s, seed %d, lost %d: records "
					"of the CPU",
					device == 1 ? "beside" : "alone",
					(int)seed, (int)lost);
				T_OK(new &&schedule ==
						virtual.schedule &&one.played ==
						two.played &&share(&one) ==
						share(&two),
					"the same again, %016llx, %g s, share "
					"%g",
					(unsigned long long)schedule,
					one.played, share(&one));
			}
}

static void
try_ends(const struct outcome *want)
{
	struct outcome o;

	for (uint64_t seed = 1; seed <= N_SEED; seed++) {
		compute(20, 1, seed, 0, &o);
		T_OK(!o.code && same_records(&o, want) && virtual.ideal > 0 &&
				o.played > .999 * virtual.ideal &&
				o.played < virtual.ideal + virtual.tile &&
				share(&o) > 0 && share(&o) < 1,
			"seed %d: %g s, ideal %g, a tile %g, share %g",
			(int)seed, o.played, virtual.ideal, virtual.tile,
			share(&o));
	}
}

int
main(void)
{
	struct outcome want;

	draw(1);
	compute(40, 0, 0, 0, &want);
	T_OK(!want.code && want.n > 100, "the CPU alone: %zu records", want.n);
	try_repeats(&want);
	try_ends(&want);
	return T_DONE();
}
