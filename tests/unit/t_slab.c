/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slabs of triples against the plain definition: that a block is cut into slabs
 * that have each of its triples once, and all values of a slab's triples, into
 * buckets and as records.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/slab/slab.h"
#include "tests/unit/panels.h"
#include "tests/unit/recipes.h"
#include "tests/unit/test.h"

#define N_VEC 700
#define MOST_FIELDS 131
#define BAR 0.3
#define CLASSES 4

static struct vs_rng rng;
static uint8_t g[N_VEC][MOST_FIELDS]; /* 3: missing */
static size_t n_field;

static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	(void)ctx;
	memset(p->vec.word, 0, p->bytes);
	for (uint64_t v = lo; v < hi; v++)
		for (size_t f = 0; f < n_field; f++)
			vs_vec_set(&p->vec, v - lo, f, g[v][f]);
	panel_make(p, lo, (size_t)(hi - lo), 1);
	return 0;
}

/* Calls of all frequencies, one in `lost` of them missing; of some vectors most
 * or all. */
static void
make(uint64_t lost)
{
	for (size_t v = 0; v < N_VEC; v++) {
		const uint64_t often = vs_rng_below(&rng, 1001);
		const uint64_t left = lost && v % 37 == 5 ? v % 2 : lost;

		for (size_t f = 0; f < n_field; f++) {
			g[v][f] = (uint8_t)(vs_rng_below(&rng, 1000) < often) +
				(uint8_t)(vs_rng_below(&rng, 1000) < often);
			if (lost && (!left || !vs_rng_below(&rng, left + 1)))
				g[v][f] = 3;
		}
	}
}

/* Expected hits of a slab. */
struct want {
	uint64_t n[CLASSES][5 * VS_VALUE_HISTOGRAM_A_UNIT];
	struct vs_record *rec;
	size_t n_rec, room;
	uint64_t triples;
};

static bool
is_wanted(const struct vs_slab *s, size_t u, size_t v, size_t w)
{
	return (!s->ordered || u < v) && !(w >= s->skip && w <= v);
}

static void
define(struct want *want, const struct vs_slab *s, bool missing)
{
	want->n_rec = want->triples = 0;
	memset(want->n, 0, sizeof(want->n));
	for (size_t u = s->u_lo; u < s->u_hi; u++)
		for (size_t v = s->v_lo; v < s->v_hi; v++)
			for (size_t w = s->w_lo; w < s->w_hi; w++) {
				/* by rising numbers */
				const size_t x[3] = { w < u ? w : u,
					w < u           ? u
						: w < v ? w
							: v,
					w < v ? v : w };
				const uint8_t *of[3] = { g[x[0]], g[x[1]],
					g[x[2]] };
				struct vs_plain_triple t;

				if (!is_wanted(s, u, v, w))
					continue;
				want->triples++;
				plain_ccc3(of, n_field, &t);
				for (uint32_t c = 0; c < 8; c++) {
					double at = floor(t.value[c] *
						VS_VALUE_HISTOGRAM_A_UNIT);

					want->n[__builtin_popcount(c)]
					       [(size_t)at]++;
					if (!(t.value[c] > BAR))
						continue;
					if (vs_mem_grow(&want->rec, &want->room,
						    want->n_rec + 1,
						    sizeof(*want->rec),
						    "records"))
						exit(4);
					want->rec[want->n_rec++] = (struct
						vs_record){ .i = (uint32_t)x[0],
						.j = (uint32_t)x[1],
						.k = (uint32_t)x[2],
						.value = t.value[c],
						.num = t.num[c],
						.nvalid = missing
							? (int32_t)t.nvalid
							: -1,
						.cell = c };
				}
			}
}

static int
keep_all(struct vs_hits *found)
{
	(void)found;
	return 0;
}

static int
other_records(const struct vs_hits *found, const struct want *want)
{
	if (found->n != want->n_rec)
		return 1;
	vs_record_sort(found->rec, found->n);
	vs_record_sort(want->rec, want->n_rec);
	for (size_t k = 0; k < found->n; k++) {
		const struct vs_record *a = &found->rec[k], *b = &want->rec[k];

		if (vs_record_compare(a, b) || a->value != b->value ||
			a->num != b->num || a->nvalid != b->nvalid)
			return 1;
	}
	return 0;
}

/* One slab of a kind: 0 when all is as wanted. */
static int
try(const struct vs_slab_kind *kind, void *worker,
	const struct vs_triple_data *data, const struct vs_slab *s,
	const struct want *want)
{
	struct vs_hits found = { .drain = keep_all };
	uint64_t counted = 0;
	int wrong;

	if (vs_value_histogram_new(&found.histogram, CLASSES, 0, 4.5))
		exit(4);
	wrong = vs_slab_count(kind, worker, data, s, &found, &counted) != 0 ||
		counted != want->triples || vs_slab_triples(s) != counted;
	vs_value_histogram_settle(found.histogram);
	for (int c = 0; c < CLASSES; c++)
		for (size_t k = 0; k < found.histogram->n_bucket; k++)
			wrong += found.histogram->n[(size_t)c *
						 found.histogram->n_bucket +
					 k] != want->n[c][k];
	wrong += other_records(&found, want);
	vs_value_histogram_free(found.histogram);
	free(found.rec);
	return wrong != 0;
}

/* A slab with one u alone and fewer v, so that it is soon defined. */
static struct vs_slab
part_of(const struct vs_slab *whole)
{
	struct vs_slab s = *whole;
	size_t most = 1 + 6000 / (s.w_hi - s.w_lo);

	s.u_lo += vs_rng_below(&rng, s.u_hi - s.u_lo);
	s.u_hi = s.u_lo + 1;
	if (s.v_hi - s.v_lo > most) {
		s.v_lo += vs_rng_below(&rng, s.v_hi - s.v_lo - most + 1);
		s.v_hi = s.v_lo + most;
	}
	return s;
}

/* Slabs of two blocks with themselves and each other, some tried. */
static void
try_kind(const struct vs_slab_kind *kind, struct vs_query *q, uint64_t lost)
{
	static struct want want;
	const size_t mid = 420;
	struct vs_slab_most most = kind->most(q);
	struct vs_slabs list = { 0 };
	struct vs_triple_data data;
	void *worker = NULL;
	uint64_t all = 0;
	int wrong = 0;

	if (vs_triple_data_open(&data, q, N_VEC, false, load, NULL, 1) ||
		vs_slab_open(&worker, kind, &data) ||
		vs_slab_cut_own(&list, &most, 0, mid, N_VEC) ||
		vs_slab_cut_own(&list, &most, mid, N_VEC, N_VEC) ||
		vs_slab_cut(&list, &most,
			&(struct vs_slab){ 0, mid, mid, N_VEC, N_VEC, N_VEC,
				false, SIZE_MAX }))
		exit(4);
	for (size_t k = 0; k < list.n; k++)
		all += vs_slab_triples(&list.at[k]);
	T_OK(all == (uint64_t)N_VEC * (N_VEC - 1) * (N_VEC - 2) / 6,
		"%s: slabs have each triple once", kind->kernel(q));
	for (int k = 0; k < 6; k++) {
		struct vs_slab s =
			part_of(&list.at[vs_rng_below(&rng, list.n)]);

		define(&want, &s, q->has_missing);
		wrong += try(kind, worker, &data, &s, &want);
	}
	T_OK(!wrong,
		"%s, %s: values of %zu fields, missing calls: one in %llu or "
		"none, 0",
		vs_cpu_name(q->cpu), kind->kernel(q), n_field,
		(unsigned long long)lost);
	free(worker);
	vs_triple_data_close(&data);
	free(list.at);
	free(want.rec);
	memset(&want, 0, sizeof(want));
}

/* Counts of more than 64 bits. */
static void
counts(void)
{
	struct vs_value_histogram *a = NULL, *b = NULL;

	if (vs_value_histogram_new(&a, 1, 0, 1) ||
		vs_value_histogram_like(&b, a))
		exit(4);
	a->n[7] = b->n[7] = UINT64_MAX;
	a->n[8] = 3;
	vs_value_histogram_move(a, b);
	T_OK(a->n[7] == 2 * (vs_wide)UINT64_MAX &&
			vs_value_histogram_total(a) ==
				2 * (vs_wide)UINT64_MAX + 3,
		"counts of two threads, each of 64 bits, add up");
	vs_value_histogram_free(a);
	vs_value_histogram_free(b);
}

int
main(void)
{
	static const uint64_t lost[] = { 0, 2, 20, 100 };

	vs_rng_seed(&rng, 5);
	for (int cpu = 0; cpu <= (int)vs_cpu_best(); cpu++)
		for (int k = 0; k < 4; k++) {
			struct vs_query q;

			n_field = k % 2 ? MOST_FIELDS : 60;
			make(lost[k]);
			q = (struct vs_query){ .metric = vs_metric_find("ccc"),
				.alleles = &vs_metric_find("ccc")->alleles,
				.threshold = BAR,
				.cell_mask = 255,
				.has_missing = lost[k] > 0,
				.least_present = 1,
				.lead = cpu % 2,
				.n_field = n_field,
				.cpu = (enum vs_cpu)cpu };
			if (lost[k])
				try_kind(&vs_slab_missing, &q, lost[k]);
			else
				try_kind(&vs_slab_genotypes, &q, 0);
		}
	counts();
	return T_DONE();
}
