/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of vectors that come and go: what is there of them is what all
 * vectors in memory have, and each is read as an LRU cache does.
 */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/bits/classes.h"
#include "libcore/engine/slab/triple_groups.h"
#include "libcore/plan/cube.h"
#include "tests/unit/panels.h"
#include "tests/unit/test.h"

#define N_VEC 20003
#define FIELDS 65
#define TILE 100 /* 201 blocks */

static struct vs_rng rng;
static uint8_t g[N_VEC][FIELDS]; /* 3: missing */
static uint8_t status[FIELDS];
static uint64_t n_load;

static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	const size_t at = p->n_vec;

	(void)ctx;
	n_load++;
	for (uint64_t v = lo; v < hi; v++) {
		memset(vs_vec_plane(&p->vec, at + v - lo, 0), 0,
			16 * p->vec.n_word);
		for (size_t f = 0; f < FIELDS; f++)
			vs_vec_set(&p->vec, at + v - lo, f, g[v][f]);
	}
	panel_make(p, lo, (size_t)(hi - lo), 1);
	return 0;
}

static bool
same_rows(const struct vs_triple_data *a, const struct vs_triple_data *b,
	size_t lo, size_t hi)
{
	struct vs_panel_part x[VS_TRIPLE_DATA_ROWS], y[VS_TRIPLE_DATA_ROWS];
	const int n = vs_triple_data_rows(a, x);
	uint64_t bytes = 0;

	if (n != vs_triple_data_rows(b, y))
		return false;
	for (int k = 0; k < n; k++) {
		bytes += x[k].bytes;
		if (memcmp(x[k].at + lo * x[k].bytes, y[k].at + lo * x[k].bytes,
			    (hi - lo) * x[k].bytes))
			return false;
	}
	return bytes == vs_triple_data_row_bytes(&a->q);
}

static bool
same(const struct vs_triple_data *a, const struct vs_triple_data *b, size_t lo,
	size_t hi)
{
	const size_t n = (hi - lo) * 4;

	if (!same_rows(a, b, lo, hi) ||
		memcmp(a->all.row + lo, b->all.row + lo, n) ||
		memcmp(a->all.sum + lo, b->all.sum + lo, n) ||
		memcmp(a->filled.sum + lo, b->filled.sum + lo, n))
		return false;
	if (a->q.classes)
		return !memcmp(a->by_class.count + lo, b->by_class.count + lo,
			(hi - lo) * sizeof(*a->by_class.count));
	return !memcmp(a->e[1] + lo, b->e[1] + lo, n) &&
		!memcmp(a->c + lo, b->c + lo, n) &&
		!memcmp(a->grade + 2 * lo, b->grade + 2 * lo, n);
}

/* Third vectors to and fro, as tiles of two groups ask for them. True: what is
 * there is as in memory. */
static bool
pass(struct vs_triple_groups *x, const struct vs_triple_data *whole, bool back)
{
	bool right = true;

	for (int64_t k = 0; k < x->n; k++) {
		const int64_t want[] = { 0, x->n > 1, back ? x->n - 1 - k : k };

		if (vs_triple_groups_need(x, want[0], want[1], want[2],
			    want[2] + 1))
			exit(4);
		for (int y = 0; y < 3; y++) {
			size_t lo, hi;

			vs_triple_groups_vectors(x, want[y], &lo, &hi);
			right &= same(x->data, whole, lo, hi);
		}
		right &= x->n_there <= x->most;
	}
	return right;
}

/*
 * Room for some blocks, which makes n groups of which `most` are there. Two
 * stay, and of the others that pass those read last: back again they need not
 * be read.
 */
static void
walk(const struct vs_query *q, uint64_t blocks, uint64_t n, uint64_t most,
	const char *what)
{
	struct vs_plan plan;
	struct vs_job job = { .query = q,
		.plan = &plan,
		.n_thread = 2,
		.load = load };
	struct vs_triple_data whole, some;
	struct vs_triple_groups x;
	const uint64_t again = n > most ? n - most : 0;
	bool right, whole_again;

	if (cube_plan(&plan, N_VEC, 1, TILE) ||
		vs_triple_data_open(&whole, q, N_VEC, false, load, NULL, 1) ||
		vs_triple_data_sort(&whole, &plan, 1) ||
		vs_triple_data_reserve(&some, q, N_VEC) ||
		vs_triple_groups_open(&x, &job, &some,
			blocks * TILE * vs_triple_data_row_bytes(q)))
		exit(4);
	n_load = 0;
	right = pass(&x, &whole, false);
	T_OK(right && n_load == n,
		"%s: %llu groups as in memory, each is read once", what,
		(unsigned long long)n_load);
	whole_again = pass(&x, &whole, true);
	T_OK(whole_again && n_load == n + again && x.n_there <= (int64_t)most,
		"%s: back again %llu of them are, beside %llu", what,
		(unsigned long long)(n_load - n), (unsigned long long)most);
	vs_triple_groups_close(&x);
	vs_triple_data_close(&some);
	vs_triple_data_close(&whole);
}

int
main(void)
{
	struct vs_query q = { .metric = vs_metric_find("ccc"),
		.alleles = &vs_metric_find("ccc")->alleles,
		.cpu = vs_cpu_best(),
		.least_present = FIELDS,
		.n_field = FIELDS };
	struct vs_classes classes;

	vs_rng_seed(&rng, 9);
	for (size_t v = 0; v < N_VEC; v++)
		for (size_t f = 0; f < FIELDS; f++)
			g[v][f] = (uint8_t)vs_rng_below(&rng, 3);
	for (size_t f = 0; f < FIELDS; f++)
		status[f] = (uint8_t)vs_rng_below(&rng, 2);
	walk(&q, 3, 201, 3, "least memory");
	walk(&q, 60, 67, 20, "ccc");
	walk(&q, 203, 17, 17, "room for all");
	if (vs_classes_new(&classes, status, FIELDS))
		return 1;
	q.metric = vs_metric_find("k2");
	q.classes = &classes;
	walk(&q, 90, 41, 18, "tables");
	for (size_t v = 0; v < N_VEC; v += 3)
		for (size_t f = 0; f < FIELDS; f += 9)
			g[v][f] = 3;
	q.has_missing = true;
	walk(&q, 33, 101, 16, "tables of three planes");
	q.metric = vs_metric_find("ccc");
	q.classes = NULL;
	walk(&q, 100, 34, 16, "missing calls");
	vs_classes_free(&classes);
	return T_DONE();
}
