/* SPDX-License-Identifier: BSD-3-Clause */
/* Falling thresholds for the N greatest values of triples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/slab/slab.h"
#include "libcore/engine/triple/threshold_steps.h"
#include "libcore/engine/triple/triple_slabs.h"
#include "libcore/plan/comm.h"

/* ---- first guess for tables ---- */

/* From slabs at random places, on one thread: the tail of their values is
 * assumed to be exponential. */

#define SHARE 128      /* 1/128 of the triples are counted, */
#define MOST (1 << 16) /* but at most this many */
#define TAIL 16        /* values that estimate how the tail falls */
#define MOST_KEPT 65536
#define LEAST_VECTORS 64
#define N_V 8 /* vectors of a slab in second place */
#define N_W 512
#define DEVIATIONS 1 /* standard deviations that a guess allows for */

/* The greatest values so far. */
struct kept {
	struct vs_hits found; /* first: drain() finds the rest through it */
	struct vs_strongest *best;
	double bound; /* threshold that the next ones have to pass */
};

static int
drain(struct vs_hits *found)
{
	struct kept *k = (struct kept *)(void *)found;
	const struct vs_record *last;
	int code = 0;

	for (size_t x = 0; x < found->n && !code; x++)
		code = vs_strongest_add(k->best, &found->rec[x]);
	found->n = 0;
	if (code)
		return code;
	vs_strongest_trim(k->best);
	last = vs_strongest_weakest(k->best);
	if (last)
		k->bound = nextafter(last->value, -INFINITY);
	return 0;
}

/* A random place for n of all vectors, outside [lo, hi) if possible. */
static size_t
place_beside(struct vs_rng *r, size_t n, size_t all, size_t lo, size_t hi)
{
	const size_t before = lo >= n ? lo - n + 1 : 0;
	const size_t after = all - hi >= n ? all - hi - n + 1 : 0;
	const size_t x = vs_rng_below(r, before + after);

	return x < before ? x : hi + x - before;
}

/* A slab of one first vector, N_V second and up to N_W third ones. */
static void
place_slab(struct vs_rng *r, size_t n, struct vs_slab *s)
{
	const size_t n_w = n / 2 < N_W ? n / 2 : N_W;

	*s = (struct vs_slab){ .skip = SIZE_MAX };
	s->w_lo = vs_rng_below(r, n - n_w + 1);
	s->w_hi = s->w_lo + n_w;
	s->v_lo = place_beside(r, N_V, n, s->w_lo, s->w_hi);
	s->v_hi = s->v_lo + N_V;
	do
		s->u_lo = place_beside(r, 1, n, s->w_lo, s->w_hi);
	while (s->u_lo >= s->v_lo && s->u_lo < s->v_hi);
	s->u_hi = s->u_lo + 1;
}

static int
count(struct kept *k, struct vs_triple_data *t, double n_triple, double *share)
{
	const double enough = fmin(n_triple / SHARE, MOST);
	struct vs_rng rng;
	void *worker = NULL;
	uint64_t n = 0;
	int code = vs_slab_open(&worker, &vs_slab_tables, t);

	vs_rng_seed(&rng, t->all.n_vec);
	while ((double)n < enough && !code) {
		struct vs_slab s;

		place_slab(&rng, t->all.n_vec, &s);
		code = vs_slab_count(&vs_slab_tables, worker, t, &s, &k->found,
			&n);
		if (!code)
			code = drain(&k->found);
	}
	*share = (double)n / n_triple;
	free(worker);
	return code;
}

/*
 * Count a sample of triples of all vectors, the same on every machine.
 * n_strongest  values wanted of n_triple
 * returns      0; VS_EMACHINE. Free it in any case
 */
static int
sample_take(struct vs_threshold_sample *s, struct vs_triple_data *t,
	uint64_t n_strongest, double n_triple)
{
	const struct vs_query asked = t->q;
	const double seen = fmin(n_triple / SHARE, MOST) / n_triple;
	const double most = 4 * (double)n_strongest * seen + TAIL;
	const size_t n_kept = (size_t)fmin(most, MOST_KEPT);
	struct kept k = { .found = { .drain = drain, .most = n_kept },
		.best = &s->best,
		.bound = -INFINITY };
	int code;

	*s = (struct vs_threshold_sample){
		.best = { .most = n_kept, .order = VS_GREATEST_FIRST }
	};
	if (t->all.n_vec < LEAST_VECTORS || most > MOST_KEPT)
		return 0;
	t->q.shared_threshold = &k.bound;
	code = count(&k, t, n_triple, &s->share);
	t->q = asked;
	free(k.found.rec);
	return code;
}

/* The threshold that about n values of all triples pass, with luck no fewer.
 * -INFINITY: the sample is too small */
static double
sample_guess(const struct vs_threshold_sample *s, double n)
{
	const double seen = n * s->share * (1 + DEVIATIONS / sqrt(n));
	const size_t last = (size_t)ceil(seen + DEVIATIONS * sqrt(seen));
	const struct vs_record *rec = s->best.rec;
	double fall = 0, beyond;

	if (s->best.n < TAIL || last > s->best.n)
		return -INFINITY;
	if (last >= TAIL)
		return rec[last - 1].value;
	/* for an exponential tail: the mean excess over its start */
	for (int x = 0; x < TAIL; x++)
		fall += (rec[x].value - rec[TAIL - 1].value) / TAIL;
	beyond = log(TAIL / seen);
	return rec[TAIL - 1].value +
		fall * beyond * (1 - DEVIATIONS / sqrt(TAIL));
}

#define FIRST 2 /* times the cost of the pairs alone */
#define NEXT 3  /* times the previous step */
#define GUESSES 2
#define MORE 16 /* factor on the number of records of the previous guess */

void
vs_threshold_steps_begin(struct vs_threshold_steps *s, const struct vs_job *job)
{
	const struct vs_query *q = job->query;

	memset(s, 0, sizeof(*s));
	s->lowest = q->threshold;
	s->on = q->shared_threshold && q->prune && !q->thresholds &&
		!vs_query_without(q, VS_WITHOUT_THRESHOLD_STEPS) &&
		!vs_element_is_number(q->element) &&
		!vs_wanted_is_by_sets(job->wanted) &&
		(!job->stream || job->graph_bytes);
	/* all are counted at once */
	if (q->alleles && vs_triple_slabs_wanted(job))
		s->on = false;
	/* long tables; ranks share out their tiles as they go */
	if (q->classes)
		s->on = s->sampled = s->on && !job->stream &&
			q->metric->whole && vs_metric_is_open(q->metric) &&
			q->n_strongest && job->plan->n_rank == 1 &&
			!vs_wanted_is_by_place(job->wanted);
}

/* The next threshold for tables, from how many values should pass it. */
static int
next_guess(struct vs_threshold_steps *s, const struct vs_job *job,
	struct vs_triple_data *t)
{
	const uint64_t n = job->query->n_strongest;
	double guess = -INFINITY;
	int code = 0;

	if (!s->n_step)
		code = sample_take(&s->sample, t, n,
			(double)vs_cube_n_triple(job->plan));
	if (!code && s->n_step < GUESSES)
		guess = sample_guess(&s->sample,
			(double)n * pow(MORE, s->n_step));
	s->n_step++;
	t->q.threshold = fmax(guess, s->lowest);
	return code;
}

/* Thresholds of an earlier run: the one above which all tiles are searched, and
 * the next one below `from` above which some are; or -INFINITY. */
static void
look(const struct vs_job *job, double from, double *all, double *some)
{
	const uint64_t n = vs_plan_n_tile(job->plan);

	*all = *some = -INFINITY;
	for (uint64_t k = 0; k < n && job->above; k++)
		if (!vs_plan_is_done(job->done, k))
			*all = fmax(*all, job->above[k]);
	from = fmin(from, *all);
	for (uint64_t k = 0; k < n && job->above; k++)
		if (!vs_plan_is_done(job->done, k) && job->above[k] < from)
			*some = fmax(*some, job->above[k]);
}

static int
next_by_cost(struct vs_threshold_steps *s, const struct vs_job *job,
	struct vs_triple_data *t)
{
	const double n = (double)t->all.n_vec;
	const bool first = !(s->cost > 0);
	double from = first ? vs_query_ceiling(&t->q, 3) : t->q.threshold;
	double all, some;
	int code = 0;

	look(job, from, &all, &some);
	if (!first) {
		t->known = from;
	} else if (isfinite(all)) {
		from = t->known = all;
		code = vs_cost_model_cost(t, all, &s->cost);
	}
	s->cost = s->cost > 0 ? s->cost * NEXT
			      : FIRST * n * (n - 1) / 2 * vs_cost_model_pair(t);
	if (code)
		return code;
	if (some < s->lowest)
		return vs_cost_model_step(t, from, s->lowest, &t->q.threshold,
			&s->cost);
	t->q.threshold = some;
	return vs_cost_model_cost(t, some, &s->cost);
}

int
vs_threshold_steps_next(struct vs_threshold_steps *s, const struct vs_job *job,
	struct vs_triple_data *t)
{
	return s->sampled ? next_guess(s, job, t) : next_by_cost(s, job, t);
}

bool
vs_threshold_steps_enough(const struct vs_job *job, double threshold)
{
	double shared_threshold;

	__atomic_load(job->query->shared_threshold, &shared_threshold,
		__ATOMIC_RELAXED);
	vs_comm_max_f64(&shared_threshold, 1);
	return shared_threshold >= threshold;
}
