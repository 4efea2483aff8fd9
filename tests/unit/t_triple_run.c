/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All triples of small random data through the engine, exhaustively and by
 * candidates, record by record against the plain definition.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/candidates/triangles.h"
#include "libcore/engine/slab/triple_groups.h"
#include "libcore/engine/triple/triple_run.h"
#include "tests/unit/panels.h"
#include "tests/unit/recipes.h"
#include "tests/unit/test.h"

struct data {
	uint8_t *g; /* 3: missing */
	size_t n_vec, n_field;
	bool duo;
	int64_t min_joint; /* fields that a triple has to share */
	struct vs_record *want, *got;
	size_t n_want, room_want, n_got, room_got;
	uint64_t evaluated, n_read;
	int64_t bi, bj;
	bool ordered, open;
	struct vs_digest_sum sum;
	uint64_t asked, most; /* times until a run is to stop; 0: never */
	int code;             /* of the last run */
};

static bool
stop(void *ctx)
{
	struct data *d = ctx;

	return d->most &&
		__atomic_add_fetch(&d->asked, 1, __ATOMIC_RELAXED) > d->most;
}

static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	struct data *d = ctx;
	const size_t at = p->n_vec;

	/* the panel comes as the memory was */
	if (hi > lo)
		memset(vs_vec_plane(&p->vec, at, 0), 0,
			16 * p->vec.n_word * (size_t)(hi - lo));
	for (uint64_t v = lo; v < hi; v++) {
		for (size_t q = 0; q < d->n_field; q++)
			vs_vec_set(&p->vec, at + v - lo, q,
				d->g[v * d->n_field + q]);
		p->source[at + v - lo] = (int64_t)v;
		p->flip[at + v - lo] = 0;
	}
	d->n_read += hi - lo;
	panel_make(p, lo, (size_t)(hi - lo), 2);
	return 0;
}

static int
sink(void *ctx, const struct vs_tile_done *tile)
{
	struct data *d = ctx;
	int code = vs_mem_grow(&d->got, &d->room_got, d->n_got + tile->n,
		sizeof(*d->got), "records");

	if (!code && tile->n)
		memcpy(d->got + d->n_got, tile->rec, tile->n * sizeof(*d->got));
	d->n_got += tile->n;
	d->ordered &= !d->open || (d->bi == tile->bi && d->bj == tile->bj);
	d->open = !tile->last;
	d->bi = tile->bi;
	d->bj = tile->bj;
	if (tile->last) {
		d->evaluated += tile->evaluated;
		vs_digest_sum_add(&d->sum, &tile->sum);
	}
	return code;
}

/* Records of one triple that pass, by the definition. */
static void
define(struct data *d, const size_t x[3], double threshold, bool missing)
{
	uint8_t turned[3][1024];
	const uint8_t *v[3];
	struct vs_plain_triple t;

	for (int k = 0; k < 3; k++) {
		v[k] = d->g + x[k] * d->n_field;
		for (size_t f = 0; f < d->n_field && d->duo; f++)
			turned[k][f] = v[k][f] == 2 ? 1 : v[k][f];
		if (d->duo)
			v[k] = turned[k];
	}
	(d->duo ? plain_duo3 : plain_ccc3)(v, d->n_field, &t);
	for (uint32_t c = 0; c < 8; c++) {
		if (!(t.value[c] > threshold) || t.nvalid < d->min_joint)
			continue;
		if (vs_mem_grow(&d->want, &d->room_want, d->n_want + 1,
			    sizeof(*d->want), "records"))
			exit(4);
		d->want[d->n_want++] = (struct vs_record){ .i = (uint32_t)x[0],
			.j = (uint32_t)x[1],
			.k = (uint32_t)x[2],
			.value = t.value[c],
			.num = t.num[c],
			.nvalid = missing ? (int32_t)t.nvalid : -1,
			.cell = c };
	}
}

static bool
same(const struct vs_record *a, const struct vs_record *b)
{
	return !vs_record_compare(a, b) && a->value == b->value &&
		a->num == b->num && a->nvalid == b->nvalid;
}

/* Result of one way of computing, against the one wanted. */
static int
compare(struct data *d)
{
	uint64_t n = d->n_vec, cells = n < 3 ? 0 : n * (n - 1) * (n - 2) / 6;
	int wrong = !d->ordered || d->open || d->evaluated != 8 * cells ||
		d->n_got != d->n_want;

	vs_record_sort(d->got, d->n_got);
	for (size_t k = 0; k < d->n_got && !wrong; k++)
		wrong = !same(&d->got[k], &d->want[k]);
	return wrong;
}

/* Least memory of candidates: those of some vectors at a time. */
static uint64_t
least_memory(const struct data *d, const struct vs_job *job)
{
	const uint64_t edge = 100, cells = 4;

	return vs_triple_run_bytes(job) +
		(uint64_t)job->n_thread *
		vs_triangles_bytes(job->query, d->n_vec) +
		cells * d->n_vec * edge;
}

#define ROW_TILE 7 /* vectors of a block that is a tile of its own */

/* 0 when the run finds what is wanted, 1 not; *by: how it counted. Where no
 * size of tiles is given the run may choose them. */
static int
run_once(struct data *d, struct vs_query *q, int64_t tile, int n_thread,
	bool little, bool *by_candidates)
{
	struct vs_job job = { .query = q,
		.n_thread = n_thread,
		.batch = 1000,
		.load = load,
		.sink = sink,
		.stop = stop,
		.ctx = d };
	struct vs_job_stats stats;
	struct vs_triple_run *t = NULL;
	const uint64_t memory = 1ull << 33;
	struct vs_plan plan;
	char text[64];

	d->n_got = 0;
	d->evaluated = 0;
	d->ordered = true;
	d->open = false;
	d->n_read = 0;
	if (vs_triple_run_plan(&job, &plan, d->n_vec, tile, memory) ||
		(tile == ROW_TILE && vs_cube_row_tiles(&plan, ROW_TILE)))
		return 1;
	d->code = vs_triple_run_new(&t, &job, tile ? NULL : &plan,
		little ? least_memory(d, &job) : memory, &stats);
	if (!d->code) {
		vs_triple_run_describe(&job, t, text, sizeof(text));
		*by_candidates = strstr(text, "candidates") != NULL;
		d->code = vs_triple_run_all(t, &stats);
	}
	vs_triple_run_free(t);
	return d->code || compare(d);
}

/*
 * The same where memory has room for as few vectors as can be, of blocks of
 * `tile` vectors, or rows of them: each is read time and again.
 */
static int
run_streamed(struct data *d, struct vs_query *q, int64_t tile)
{
	struct vs_job job = { .query = q,
		.n_thread = 1,
		.batch = 1000,
		.load = load,
		.sink = sink,
		.stop = stop,
		.ctx = d };
	const uint64_t least = VS_TRIPLE_GROUPS_LEAST * (uint64_t)tile;
	struct vs_job_stats stats;
	struct vs_triple_run *t = NULL;
	struct vs_plan plan;
	uint64_t memory;

	d->n_got = 0;
	d->evaluated = 0;
	d->ordered = true;
	d->open = false;
	if (vs_triple_run_plan(&job, &plan, d->n_vec, tile, 1ull << 33))
		return 1;
	memory = vs_triple_run_bytes(&job) -
		(d->n_vec - least) * vs_triple_data_row_bytes(q);
	if (vs_triple_run_plan(&job, &plan, d->n_vec, tile, memory) ||
		!job.stream || vs_triple_run_bytes(&job) != memory ||
		(tile == ROW_TILE && vs_cube_row_tiles(&plan, ROW_TILE)))
		return 1;
	d->n_read = 0;
	d->code = vs_triple_run_new(&t, &job, NULL, memory, &stats);
	if (!d->code)
		d->code = vs_triple_run_all(t, &stats);
	vs_triple_run_free(t);
	return d->code || compare(d) || d->n_read < d->n_vec ||
		stats.read != d->n_read;
}

/* And where there is a vector's memory less. */
static bool
is_refused(const struct data *d, struct vs_query *q, int64_t tile)
{
	struct vs_job job = { .query = q, .n_thread = 1, .batch = 1000 };
	const uint64_t least = VS_TRIPLE_GROUPS_LEAST * (uint64_t)tile;
	struct vs_plan plan;
	bool refused;

	if (vs_triple_run_plan(&job, &plan, d->n_vec, tile, 1ull << 33))
		return false;
	refused = vs_triple_run_plan(&job, &plan, d->n_vec, tile,
			  vs_triple_run_bytes(&job) -
				  (d->n_vec - least + 1) *
					  vs_triple_data_row_bytes(q)) ==
		VS_EMACHINE;
	vs_fail_clear();
	return refused;
}

enum kind { DENSE, MISSING, HOLES, DUO };

/* Vectors in families, alike within one, of all frequencies. */
static void
make(struct data *d, size_t n_vec, size_t n_field, enum kind kind,
	struct vs_rng *rng)
{
	d->n_vec = n_vec;
	d->n_field = n_field;
	d->duo = kind == DUO;
	free(d->g);
	if (vs_mem_new(&d->g, n_vec * n_field + 1, 1, "data"))
		exit(4);
	for (size_t v = 0; v < n_vec; v++) {
		size_t head = v - v % 4;
		/* and some that have but one allele */
		double f = v % 17 > 14 ? (double)(v % 2)
				       : (double)vs_rng_below(rng, 1001) / 1000;

		for (size_t q = 0; q < n_field; q++) {
			uint8_t *g = &d->g[v * n_field + q];
			bool own = v == head || !vs_rng_below(rng, 40);

			*g = (uint8_t)((double)vs_rng_below(rng, 1000) <
				     1000 * f) +
				(uint8_t)((double)vs_rng_below(rng, 1000) <
					1000 * f);
			if (!own)
				*g = d->g[head * n_field + q];
			/* without heterozygotes values rise to 0.7 */
			if (*g == 1 && (kind == DUO || head % 8 == 0))
				*g = 2 * (uint8_t)vs_rng_below(rng, 2);
			if (kind == MISSING && !vs_rng_below(rng, 20))
				*g = 3;
			if (kind == HOLES &&
				(v % 11 == 3 || !vs_rng_below(rng, 3)))
				*g = 3;
		}
	}
}

static void
query(const struct data *d, enum kind kind, double threshold,
	struct vs_query *q)
{
	size_t n = d->n_field;

	*q = (struct vs_query){ .metric =
					vs_metric_find(d->duo ? "duo" : "ccc"),
		.alleles = &vs_metric_find(d->duo ? "duo" : "ccc")->alleles,
		.threshold = threshold,
		.cell_mask = 255,
		.has_missing = kind == MISSING || kind == HOLES,
		.least_present = (int64_t)n,
		.min_joint = d->min_joint,
		.n_field = n };
	for (size_t v = 0; v < d->n_vec; v++) {
		int64_t c = 0;

		for (size_t f = 0; f < n; f++)
			c += d->g[v * n + f] < 3;
		if (c && c < q->least_present)
			q->least_present = c;
	}
	if (q->least_present < q->min_joint)
		q->least_present = q->min_joint;
}

/* Every kernel, with and without candidates, on some threads and tiles. */
static void
all_ways(struct data *d, enum kind kind, double threshold, int *n_candidates)
{
	static const int64_t tiles[] = { 0, ROW_TILE, 16, 33 };
	static const int64_t streamed[] = { ROW_TILE, 5 };
	struct vs_query q;
	int wrong = 0, n = 0, n_streamed = 0;

	query(d, kind, threshold, &q);
	d->n_want = 0;
	for (size_t i = 0; i < d->n_vec; i++)
		for (size_t j = i + 1; j < d->n_vec; j++)
			for (size_t k = j + 1; k < d->n_vec; k++)
				define(d, (size_t[]){ i, j, k }, threshold,
					q.has_missing);
	for (int cpu = 0; cpu <= (int)vs_cpu_best(); cpu++)
		for (int way = cpu % 2; way < 4;
			way += 1 + (cpu < VS_CPU_AVX2)) {
			bool by = false;

			q.cpu = (enum vs_cpu)cpu;
			q.prune = way & 1;
			q.lead = way >> 1;
			wrong += run_once(d, &q, tiles[(n + cpu) % 4],
				1 + (n % 4 == 1), n % 3 == 1, &by);
			*n_candidates += by;
			if (d->n_vec > 3 * (size_t)streamed[n % 2]) {
				wrong += run_streamed(d, &q, streamed[n % 2]);
				wrong += !is_refused(d, &q, streamed[n % 2]);
				n_streamed++;
			}
			n++;
		}
	T_OK(!wrong,
		"%zu vectors of %zu fields, kind %d, threshold %g, %lld "
		"shared: %zu records in %d ways, and %d streams",
		d->n_vec, d->n_field, kind, threshold, (long long)d->min_joint,
		d->n_want, n, n_streamed);
}

/*
 * Values that their pairs' bounds attain: families of homozygotes, each of four
 * with calls missing of its own, where the family has no copy. Just below the
 * greatest values and some others.
 */
static void
tight(struct data *d, struct vs_rng *rng, int *n_candidates)
{
	double values[5];
	size_t n;

	make(d, 24, 100, DUO, rng);
	d->duo = false;
	for (size_t v = d->n_vec; v-- > 0;)
		for (size_t q = 0; q < d->n_field; q++) {
			uint8_t *g = &d->g[v * d->n_field + q];

			*g = d->g[(v - v % 4) * d->n_field + q];
			if (*g == 0 && q % 4 == v % 4 && q % 3)
				*g = 3;
		}
	d->n_want = 0;
	for (size_t f = 0; f < d->n_vec; f += 4)
		define(d, (size_t[]){ f + 1, f + 2, f + 3 }, 0.1, true);
	n = d->n_want;
	for (size_t k = 0; k < 5; k++)
		values[k] = d->want[k * n / 5].value;
	for (size_t k = 0; k < 5; k++)
		all_ways(d, MISSING, values[k] * (1 - 1e-12), n_candidates);
}

#define PATTERNS 27 /* of three fields */

/* Records of many vectors, given their number of each pattern, by the
 * definition: the number of triples of each three patterns. */
static uint64_t
count_patterns(const uint8_t (*g)[3], const uint64_t n[PATTERNS],
	double threshold)
{
	uint64_t sum = 0;

	for (int a = 0; a < PATTERNS; a++)
		for (int b = a; b < PATTERNS; b++)
			for (int c = b; c < PATTERNS; c++) {
				const uint8_t *const v[3] = { g[a], g[b],
					g[c] };
				uint64_t ways = a == c
					? n[a] * (n[a] - 1) * (n[a] - 2) / 6
					: a == b ? n[a] * (n[a] - 1) / 2 * n[c]
					: b == c ? n[a] * n[b] * (n[b] - 1) / 2
						 : n[a] * n[b] * n[c];
				struct vs_plain_triple t;

				plain_ccc3(v, 3, &t);
				for (int cell = 0; cell < 8; cell++)
					if (t.value[cell] > threshold)
						sum += ways;
			}
	return sum;
}

/* More vectors than a slab, a block and a register take. */
static void
wide(struct data *d, size_t n_vec, double threshold)
{
	uint8_t pattern[PATTERNS][3];
	uint64_t n[PATTERNS] = { 0 }, want;
	struct vs_query q;
	struct vs_rng rng;
	bool by;

	for (int k = 0; k < PATTERNS; k++)
		for (int f = 0, x = k; f < 3; f++, x /= 3)
			pattern[k][f] = (uint8_t)(x % 3);
	vs_rng_seed(&rng, n_vec);
	make(d, n_vec, 3, DENSE, &rng);
	for (size_t v = 0; v < n_vec; v++) {
		size_t k = vs_rng_below(&rng, PATTERNS);

		memcpy(d->g + 3 * v, pattern[k], 3);
		n[k]++;
	}
	query(d, DENSE, threshold, &q);
	q.cpu = vs_cpu_best();
	want = count_patterns((const uint8_t(*)[3])pattern, n, threshold);
	d->n_want = 0;
	for (int way = 0; way < 3; way++) {
		q.prune = way;
		run_once(d, &q, 0, 2, way == 2, &by);
		for (size_t k = 1; k < d->n_got; k++)
			d->ordered &= vs_record_compare(&d->got[k - 1],
					      &d->got[k]) < 0;
		T_OK(d->ordered && d->n_got == want,
			"%zu vectors, %s%s: %zu records, none twice", n_vec,
			by ? "candidates" : "exhaustively",
			way == 2 ? " in little memory" : "", d->n_got);
	}
}

/* A run ends whenever it is to stop, slabs and candidates, whole and streamed.
 */
static void
stopped(struct data *d)
{
	static const int64_t tiles[] = { 0, ROW_TILE, 16 };
	struct vs_query q;
	int wrong = 0, n = 0;
	bool by;

	query(d, DENSE, 0.5, &q);
	q.cpu = vs_cpu_best();
	for (int way = 0; way < 12; way++) {
		const int64_t tile = tiles[way / 2 % 3];

		q.prune = way & 1;
		d->code = VS_DONE;
		for (d->most = 1; d->code == VS_DONE && d->most < 1u << 30;
			d->most *= 2, n++) {
			d->asked = 0;
			if (way < 6)
				run_once(d, &q, tile, 1 + way % 3 / 2, false,
					&by);
			else
				run_streamed(d, &q, tile ? tile : 5);
		}
		wrong += d->code != 0;
	}
	d->most = 0;
	T_OK(!wrong && n > 24, "%d runs end, of which all but 12 are stopped",
		n);
}

int
main(void)
{
	static const double thresholds[] = { -1, 0, 0.2, 0.4, 0.5, 0.6, 0.7 };
	static const size_t sizes[][2] = { { 0, 5 }, { 1, 64 }, { 2, 64 },
		{ 3, 1 }, { 4, 63 }, { 24, 65 }, { 30, 513 } };
	struct data d = { 0 };
	struct vs_rng rng;
	int n_candidates = 0;

	vs_rng_seed(&rng, 3);
	make(&d, 60, 100, DENSE, &rng);
	stopped(&d);
	vs_rng_seed(&rng, 3);
	for (int kind = DENSE; kind <= DUO; kind++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			make(&d, sizes[s][0], sizes[s][1], (enum kind)kind,
				&rng);
			all_ways(&d, (enum kind)kind,
				thresholds[(s + (size_t)kind) % 7],
				&n_candidates);
		}
	for (int kind = DENSE; kind <= DUO; kind++) {
		make(&d, 40, 200, (enum kind)kind, &rng);
		for (int k = 2 + (T_LONG ? 0 : kind % 3); k < 7;
			k += T_LONG ? 1 : 3)
			all_ways(&d, (enum kind)kind, thresholds[k],
				&n_candidates);
	}
	for (int kind = MISSING; kind <= HOLES; kind++) {
		/* about what half of the triples share */
		make(&d, 33, 200, (enum kind)kind, &rng);
		d.min_joint = kind == MISSING ? 171 : 60;
		for (int k = 2; k < 7; k += 3)
			all_ways(&d, (enum kind)kind, thresholds[k],
				&n_candidates);
	}
	d.min_joint = 0;
	tight(&d, &rng, &n_candidates);
	wide(&d, 530, 0.6);
	wide(&d, 1100, 0.62);
	T_OK(n_candidates, "%d runs by candidates", n_candidates);
	free(d.g);
	free(d.want);
	free(d.got);
	return T_DONE();
}
