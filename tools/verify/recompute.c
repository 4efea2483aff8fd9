/* SPDX-License-Identifier: BSD-3-Clause */
/* Verification of results by recomputing their values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/results/ordered.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/metric/metric.h"
#include "libcore/plan/cube.h"
#include "tools/shared/load_vectors.h"
#include "tools/shared/metric_options.h"
#include "tools/shared/tool.h"
#include "tools/verify/definition.h"
#include "tools/verify/draw.h"
#include "tools/verify/recompute.h"
#include "tools/verify/record_rows.h"
#include "tools/verify/unpacked.h"

#define N_READ 65536            /* records at a time */
#define LEAST_SAMPLE (1u << 20) /* bytes that are taken in any case */

/* A pair or triple to be searched, and what is listed of it. */
struct drawn {
	struct vs_record of; /* its vectors */
	int n_listed;
	struct vs_record listed[8];
};

struct judge {
	struct vs_recompute *job;
	const struct vs_run *run;
	struct vs_definition plain;
	bool in_source; /* records name source rows and alleles, */
	bool labelled;  /* but values are of the labels that the run had */
	bool presence;  /* bits that count as 0 and 1, 0 where missing */
	int64_t *source_row;
	uint8_t *allele1_source;
	uint64_t n_vec;
	size_t n_field;
	struct vs_unpacked vectors; /* by the index that records use */
	int64_t *place; /* of an index in the two sets; null: there are none */
	/* which tiles are claimed to be finished; null: all or none are */
	struct vs_plan plan;
	bool claims_all;
	uint8_t *claimed;
	struct vs_record *rec; /* N_READ records just read */
	/* sample */
	struct vs_record *picked;
	uint64_t *pick;
	size_t n_pick, n_picked;
	struct drawn *drawn;
	size_t n_drawn;
};

/* The first difference in the order of records. */
struct fault {
	bool found;
	uint64_t i, j;
	char text[300];
};

/* ---- claims of the files ---- */

static uint64_t
tile_of(const struct judge *g, const struct vs_record *of)
{
	uint64_t i = g->place ? (uint64_t)g->place[of->i] : of->i;
	uint64_t j = g->place ? (uint64_t)g->place[of->j] : of->j;

	return vs_cube_tile_of(&g->plan, i, j, of->k);
}

/* The file says that it lists all of a pair or triple that passes. */
static bool
is_claimed(const struct judge *g, const struct vs_record *of)
{
	if (g->place &&
		!vs_sets_want(&g->run->sets, g->place[of->i], g->place[of->j]))
		return false;
	return g->claims_all || (g->claimed && g->claimed[tile_of(g, of)]);
}

static int
read_claims(struct judge *g)
{
	int code = 0;

	/* records picked by more than a bound and cells */
	if (*g->run->selection)
		return 0;
	if (*g->run->between)
		code = vs_sets_places(&g->run->sets, g->n_vec, &g->place);
	if (code)
		return code;
	if (g->job->r[0]->kind == VS_KIND_MERGED) {
		g->claims_all = !strcmp(g->run->coverage, "full");
		return 0;
	}
	code = vs_run_plan(g->run, &g->plan);
	if (!code)
		code = vs_mem_new(&g->claimed, vs_plan_n_tile(&g->plan), 1,
			"tiles");
	for (size_t s = 0; s < g->job->n && !code; s++) {
		struct vs_tile_row *tile = NULL;
		size_t n = 0;

		code = vs_result_tiles(g->job->r[s], &tile, &n);
		for (size_t t = 0; t < n && !code; t++) {
			int64_t a = tile[t].bi, b = tile[t].bj;

			g->claimed[a < b ? vs_plan_number(&g->plan, a, b)
					 : vs_plan_number(&g->plan, b, a)] = 1;
		}
		free(tile);
	}
	return code;
}

/* ---- one pair or triple ---- */

/* By the definition; a pair has the first four cells. */
static void
define(const struct judge *g, const struct vs_record *of,
	struct vs_plain_triple *out)
{
	struct vs_plain_pair pair;

	if (of->k != VS_NO_VEC) {
		vs_definition_triple(&g->plain,
			(const uint8_t *const[]){
				vs_unpacked_get(&g->vectors, of->i),
				vs_unpacked_get(&g->vectors, of->j),
				vs_unpacked_get(&g->vectors, of->k) },
			g->n_field, out);
		return;
	}
	vs_definition_pair(&g->plain, vs_unpacked_get(&g->vectors, of->i),
		vs_unpacked_get(&g->vectors, of->j), g->n_field, &pair);
	out->nvalid = pair.nvalid;
	memcpy(out->num, pair.num, sizeof(pair.num));
	memcpy(out->value, pair.value, sizeof(pair.value));
}

/*
 * vsim-run decides before it rounds to f32, vsim-threshold afterwards: where
 * the two disagree a value may be listed and need not be.
 */
static double
as_stored(const struct vs_run *run, double value)
{
	return strcmp(run->value_type, "f32") ? value : (double)(float)value;
}

static void
listed(const struct vs_run *run, const struct vs_plain_triple *p, uint32_t *may,
	uint32_t *must)
{
	double rounded[8] = { 0 };
	uint32_t exact = vs_run_passes(run, p->value), stored;

	for (int cell = 0; cell < 1 << run->n_way; cell++)
		rounded[cell] = as_stored(run, p->value[cell]);
	stored = vs_run_passes(run, rounded);
	if (p->nvalid < run->min_joint)
		exact = stored = 0;
	*may = exact | stored;
	*must = exact & stored & (uint32_t)run->cell_mask;
}

/* Index of a record's value among those of a definition. */
static uint32_t
cell_of(const struct vs_record *rec)
{
	return rec->cell == VS_NO_CELL ? 0 : rec->cell;
}

static void
say(char text[300], const struct vs_record *of, uint32_t cell, const char *what,
	const struct vs_plain_triple *p)
{
	char number[VS_NUM_ROOM], third[24] = "";

	vs_num_print(p->value[cell], number);
	if (of->k != VS_NO_VEC)
		snprintf(third, sizeof(third), " %llu",
			(unsigned long long)of->k);
	snprintf(text, 300,
		"%s %llu %llu%s cell %u: %s, expected value %s with num %lld "
		"of %lld fields",
		*third ? "triple" : "pair", (unsigned long long)of->i,
		(unsigned long long)of->j, third, cell, what, number,
		(long long)p->num[cell], (long long)p->nvalid);
}

/* A record against what the definition says; true when it is right. */
static bool
judge_record(const struct judge *g, const struct vs_record *rec,
	const struct vs_plain_triple *p, char text[300])
{
	struct vs_plain_triple stored = *p;
	uint32_t cell = cell_of(rec);
	double *right = &stored.value[cell];
	char found[VS_NUM_ROOM], what[120];
	uint32_t may, must;

	listed(g->run, p, &may, &must);
	*right = as_stored(g->run, *right);
	if (!memcmp(right, &rec->value, sizeof(*right)) &&
		(!g->run->has_num || rec->num == p->num[cell]) &&
		(!g->run->has_nvalid || rec->nvalid == p->nvalid)) {
		if (may >> cell & 1)
			return true;
		say(text, rec, cell,
			p->nvalid < g->run->min_joint
				? "is listed but has fewer fields than "
				  "min_joint"
				: "is listed but does not pass the threshold",
			&stored);
		return false;
	}
	vs_num_print(rec->value, found);
	snprintf(what, sizeof(what), "value %s with num %lld of %lld fields",
		found, (long long)rec->num,
		(long long)(g->run->has_nvalid ? rec->nvalid
					       : g->run->n_fields));
	say(text, rec, cell, what, &stored);
	return false;
}

/* All cells of a pair or triple against the records listed of it, in order of
 * cells. */
static bool
judge_cells(const struct judge *g, const struct vs_record *of,
	const struct vs_record *rec, size_t n, char text[300])
{
	struct vs_plain_triple p;
	uint32_t n_cell = of->k == VS_NO_VEC ? 4 : 8, may, must;
	size_t at = 0;

	define(g, of, &p);
	listed(g->run, &p, &may, &must);
	for (uint32_t cell = 0; cell < n_cell; cell++) {
		if (at < n && cell_of(&rec[at]) == cell) {
			if (!judge_record(g, &rec[at++], &p, text))
				return false;
		} else if (must >> cell & 1 && is_claimed(g, of)) {
			say(text, of, cell, "is not listed", &p);
			return false;
		}
	}
	if (at == n)
		return true;
	say(text, of, cell_of(&rec[at]), "is listed twice", &p);
	return false;
}

/* One that is neither listed nor claimed is not looked at. */
static bool
judge_one(const struct judge *g, const struct vs_record *of,
	const struct vs_record *rec, size_t n, uint64_t *n_judged,
	char text[300])
{
	bool claimed = is_claimed(g, of);

	*n_judged += claimed;
	return (!n && !claimed) || judge_cells(g, of, rec, n, text);
}

/* The pair i j, or all its triples; rec are the n records that begin so. */
static bool
judge_second(const struct judge *g, uint64_t i, uint64_t j,
	const struct vs_record *rec, size_t n, uint64_t *n_judged,
	char text[300])
{
	struct vs_record of = { .i = i, .j = j, .k = VS_NO_VEC };
	bool good = true;
	size_t at = 0;

	if (g->run->n_way == 2)
		return judge_one(g, &of, rec, n, n_judged, text);
	for (of.k = j + 1; of.k < g->n_vec && good; of.k++) {
		size_t first = at;

		while (at < n && rec[at].k == of.k)
			at++;
		good = judge_one(g, &of, rec + first, at - first, n_judged,
			text);
	}
	return good;
}

/* ---- all of them ---- */

/* First of n records, sorted by j, with this j or a larger one. */
static size_t
lower_bound(const struct vs_record *rec, size_t n, uint64_t j)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (rec[mid].j < j)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Vector i with those of [lo, hi) after it; rec are the n records that begin
 * with i. */
static void
judge_row(struct judge *g, uint64_t i, const struct vs_record *rec, size_t n,
	uint64_t lo, uint64_t hi, struct fault *first)
{
	uint64_t n_pair = 0;

#pragma omp parallel for schedule(dynamic, 16) reduction(+ : n_pair) \
	num_threads(g->job->n_thread)
	for (uint64_t j = lo > i ? lo : i + 1; j < hi; j++) {
		size_t at = lower_bound(rec, n, j);
		size_t end = lower_bound(rec, n, j + 1);
		char text[300];

		if (judge_second(g, i, j, rec + at, end - at, &n_pair, text))
			continue;
#pragma omp critical(vs_recompute)
		if (!first->found || i < first->i ||
			(i == first->i && j < first->j)) {
			first->found = true;
			first->i = i;
			first->j = j;
			memcpy(first->text, text, sizeof(text));
		}
	}
	g->job->n_pair += n_pair;
}

/* The rows taken with the vectors [lo, hi), all of which are loaded. */
static void
judge_rows(struct judge *g, const struct vs_record_rows *r, uint64_t lo,
	uint64_t hi, struct fault *first)
{
	for (uint64_t i = r->lo; i < r->hi; i++) {
		const size_t *at = &r->at[i - r->lo];

		judge_row(g, i, r->rec + at[0], at[1] - at[0], lo, hi, first);
	}
}

/* The rows taken with all vectors after them, in blocks that fit. */
static int
judge_blocks(struct judge *g, const struct vs_record_rows *r,
	struct fault *first)
{
	struct vs_unpacked *u = &g->vectors;
	uint64_t lo = r->lo, hi = r->hi;
	int code;

	vs_unpacked_keep(u, 0);
	for (uint64_t v = lo; v < hi; v++)
		vs_unpacked_want(u, v);
	code = vs_unpacked_load(u);
	if (!code)
		judge_rows(g, r, lo, hi, first);
	for (lo = hi; lo < g->n_vec && !code; lo = hi) {
		vs_unpacked_keep(u, r->hi - r->lo);
		while (hi < g->n_vec && vs_unpacked_want(u, hi))
			hi++;
		code = vs_unpacked_load(u);
		if (!code)
			judge_rows(g, r, lo, hi, first);
	}
	return code;
}

static int
load_all(struct judge *g)
{
	for (uint64_t v = 0; v < g->n_vec; v++)
		vs_unpacked_want(&g->vectors, v);
	return vs_unpacked_load(&g->vectors);
}

static int
judge_all(struct judge *g, struct vs_ordered *records)
{
	bool fits = g->vectors.room == g->n_vec;
	/* where vectors come in blocks three quarters are of rows that stay */
	struct vs_record_rows r = { .records = records,
		.most = g->job->memory / 8 / sizeof(*r.rec),
		.n_most = fits ? 1 : g->vectors.room - g->vectors.room / 4 };
	struct fault first = { 0 };
	struct vs_tool_progress progress;
	double n_vec = (double)g->n_vec, done;
	int code = fits ? load_all(g) : 0;

	vs_tool_progress_begin(&progress,
		g->run->n_way == 3 ? "first two of triples recomputed"
				   : "pairs recomputed",
		n_vec * (n_vec - 1) / 2);
	while (r.hi < g->n_vec && !code) {
		code = vs_record_rows_next(&r, g->n_vec);
		if (!code && fits)
			judge_rows(g, &r, r.lo, g->n_vec, &first);
		else if (!code)
			code = judge_blocks(g, &r, &first);
		g->job->n_record += r.n;
		if (!code && first.found)
			code = vs_fail(VS_ENO, "%s: %s", g->job->name,
				first.text);
		done = (double)r.hi;
		vs_tool_progress_step(&progress,
			done * (n_vec - (done + 1) / 2), NULL);
	}
	vs_tool_progress_end(&progress);
	vs_record_rows_free(&r);
	return code;
}

/* ---- a sample ---- */

static int
compare_drawn(const void *a, const void *b)
{
	const struct vs_record *p = &((const struct drawn *)a)->of;
	const struct vs_record *q = &((const struct drawn *)b)->of;

	return vs_record_compare(p, q);
}

static int
compare_u64(const void *a, const void *b)
{
	uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;

	return (p > q) - (p < q);
}

/* Numbers of records, and pairs or triples in claimed tiles, both sorted and
 * unique. */
static int
draw(struct judge *g)
{
	const uint64_t each =
		sizeof(*g->pick) + sizeof(*g->picked) + sizeof(*g->drawn);
	uint64_t n = g->job->sample, n_records = 0;
	struct vs_rng rng;
	size_t kept = 0;
	int code;

	for (size_t s = 0; s < g->job->n; s++)
		n_records += g->job->r[s]->n_records;
	if (n * each > LEAST_SAMPLE && n > g->job->memory / 4 / each)
		return vs_fail(VS_EUSAGE,
			"--sample %llu: takes %lluM: give --memory %lluM, or "
			"draw less",
			(unsigned long long)n,
			(unsigned long long)(n * each >> 20),
			(unsigned long long)(n * each >> 18) + 1);
	vs_rng_seed(&rng, g->job->seed);
	code = vs_mem_new(&g->pick, n, sizeof(*g->pick), "the sample");
	if (!code)
		code = vs_mem_new(&g->picked, n, sizeof(*g->picked),
			"the sample");
	if (!code)
		code = vs_mem_new(&g->drawn, n, sizeof(*g->drawn),
			"the sample");
	if (code)
		return code;
	for (uint64_t k = 0; k < n && n_records; k++)
		g->pick[g->n_pick++] = vs_rng_below(&rng, n_records);
	qsort(g->pick, g->n_pick, sizeof(*g->pick), compare_u64);
	for (size_t k = 0; k < g->n_pick; k++)
		if (!kept || g->pick[kept - 1] != g->pick[k])
			g->pick[kept++] = g->pick[k];
	g->n_pick = kept;
	/* a shard with few tiles is hit seldom: give up after many misses */
	for (uint64_t k = 0; k < 1000 * n && g->n_drawn < n &&
		g->n_vec >= (uint64_t)g->run->n_way &&
		(g->claims_all || g->claimed);
		k++) {
		struct drawn *d = &g->drawn[g->n_drawn];

		if (!g->place)
			vs_draw_any(&rng, g->run->n_way, g->n_vec, &d->of);
		else if (!vs_draw_between(&rng, &g->run->sets, &d->of))
			continue;
		g->n_drawn += is_claimed(g, &d->of);
	}
	qsort(g->drawn, g->n_drawn, sizeof(*g->drawn), compare_drawn);
	for (kept = 0, n = 0; n < g->n_drawn; n++)
		if (!kept || compare_drawn(&g->drawn[kept - 1], &g->drawn[n]))
			g->drawn[kept++] = g->drawn[n];
	g->n_drawn = kept;
	return 0;
}

/* Keep rec (record number at over all files) where the sample wants it. */
static int
catch_sampled(struct judge *g, const struct vs_record *rec, uint64_t at)
{
	struct drawn key = { .of = *rec }, *d;
	int most = g->run->n_way == 3 ? 8 : 4, k;

	if (g->n_picked < g->n_pick && g->pick[g->n_picked] == at)
		g->picked[g->n_picked++] = *rec;
	key.of.cell = VS_NO_CELL;
	d = bsearch(&key, g->drawn, g->n_drawn, sizeof(key), compare_drawn);
	if (!d)
		return 0;
	if (d->n_listed == most)
		return vs_fail(VS_ENO,
			"%s: vectors %llu %llu are listed more often than "
			"there are cells",
			g->job->name, (unsigned long long)rec->i,
			(unsigned long long)rec->j);
	for (k = d->n_listed++; k && d->listed[k - 1].cell > rec->cell; k--)
		d->listed[k] = d->listed[k - 1];
	d->listed[k] = *rec;
	return 0;
}

/* The records picked, and behind them the pairs or triples drawn. */
static int
judge_item(const struct judge *g, size_t item)
{
	struct vs_plain_triple p;
	const struct drawn *d;
	char text[300];
	bool good;

	if (item < g->n_picked) {
		define(g, &g->picked[item], &p);
		good = judge_record(g, &g->picked[item], &p, text);
	} else {
		d = &g->drawn[item - g->n_picked];
		good = judge_cells(g, &d->of, d->listed, (size_t)d->n_listed,
			text);
	}
	return good ? 0 : vs_fail(VS_ENO, "%s: %s", g->job->name, text);
}

static bool
want_item(struct judge *g, size_t item)
{
	const struct vs_record *of = item < g->n_picked
		? &g->picked[item]
		: &g->drawn[item - g->n_picked].of;

	return vs_unpacked_want(&g->vectors, of->i) &&
		vs_unpacked_want(&g->vectors, of->j) &&
		(of->k == VS_NO_VEC || vs_unpacked_want(&g->vectors, of->k));
}

/* Recompute the sample, as many at a time as there is memory for their
 * vectors. */
static int
judge_sample(struct judge *g)
{
	size_t n = g->n_picked + g->n_drawn, end;
	int code = 0;

	for (size_t k = 0; k < n && !code;) {
		vs_unpacked_keep(&g->vectors, 0);
		for (end = k; end < n && want_item(g, end);)
			end++;
		code = vs_unpacked_load(&g->vectors);
		for (; k < end && !code; k++)
			code = judge_item(g, k);
	}
	g->job->n_record = g->n_picked;
	g->job->n_pair = g->n_drawn;
	return code;
}

/* ---- the whole ---- */

/* n records of one result, number at and on over all results. */
static int
read_batch(struct judge *g, struct vs_record *rec, size_t n, uint64_t at,
	struct vs_digest_sum *source)
{
	int code = 0;

	for (size_t k = 0; k < n && !code; k++) {
		if (g->job->sample)
			code = catch_sampled(g, &rec[k], at + k);
		if (!g->in_source)
			vs_run_record_to_source(&rec[k], g->source_row,
				g->allele1_source);
		vs_digest_sum_record(source, rec[k].i, rec[k].j, rec[k].k,
			rec[k].cell, rec[k].value);
	}
	return code;
}

/* One pass over all records, for what needs no order. */
static int
read_records(struct judge *g)
{
	static const struct vs_digest_sum unstated;
	uint64_t at = 0, hi;
	int code = 0;

	for (size_t s = 0; s < g->job->n && !code; s++) {
		struct vs_result *r = g->job->r[s];
		struct vs_digest_sum sum = { 0 };

		for (uint64_t lo = 0; lo < r->n_records && !code; lo = hi) {
			hi = lo + N_READ;
			if (hi > r->n_records)
				hi = r->n_records;
			code = vs_result_read(r, lo, hi, g->rec);
			if (!code)
				code = read_batch(g, g->rec, (size_t)(hi - lo),
					at + lo, &sum);
		}
		at += r->n_records;
		if (!code && memcmp(&r->source_sum, &unstated, sizeof(sum)) &&
			memcmp(&r->source_sum, &sum, sizeof(sum)))
			code = vs_fail(VS_ENO,
				"%s: /records: the sum in the source's names "
				"is not the one stated",
				vs_h5_reader_path(r->file));
	}
	return code;
}

static int
judge_everything(struct judge *g)
{
	struct vs_ordered *records = NULL;
	int code = read_records(g);

	if (!code)
		code = vs_ordered_new(&records, g->job->r, g->job->n,
			g->job->memory / 4);
	if (!code)
		code = judge_all(g, records);
	vs_ordered_free(records);
	return code;
}

static int
judge_some(struct judge *g)
{
	int code = draw(g);

	if (!code)
		code = read_records(g);
	return code ? code : judge_sample(g);
}

/*
 * True if bits count as numbers and belong to an allele other than the
 * source's.
 */
static bool
has_turned(const struct judge *g)
{
	for (uint64_t v = 0; v < g->n_vec && g->presence; v++)
		if (g->allele1_source[v] == VS_ALLELE_FIRST)
			return true;
	return false;
}

/* Check that there is a plain definition, and that the vectors are those of the
 * run. */
static int
check_query(struct judge *g)
{
	const struct vs_packed *x = g->job->vectors;
	const struct vs_run *run = g->run;
	const struct vs_metric *m = vs_metric_find(run->metric);

	if (!vs_definition_has(&g->plain, run->n_way) ||
		(m->ploidy && m->ploidy != x->ploidy) ||
		!vs_metric_options_of(run, &g->plain.how))
		return vs_fail(VS_EUSAGE,
			"%s: %s of %d vectors with gamma %.17g and multiplier "
			"%.17g has no plain definition here",
			g->job->name, run->metric, run->n_way, run->ccc_gamma,
			run->ccc_multiplier);
	g->labelled = m->labelled;
	if (g->in_source && has_turned(g))
		return vs_fail(VS_EUSAGE,
			"%s: %s is of the alleles labelled 1, which a result "
			"in the source's indices does not tell",
			g->job->name, run->metric);
	if ((uint64_t)run->n_vectors != x->n_vec ||
		(uint64_t)run->n_fields != x->n_field)
		return vs_fail(VS_ENO,
			"%s: is of %lld vectors with %lld fields, %s has %llu "
			"with %llu",
			g->job->name, (long long)run->n_vectors,
			(long long)run->n_fields, vs_h5_reader_path(x->file),
			(unsigned long long)x->n_vec,
			(unsigned long long)x->n_field);
	if (!g->in_source && strcmp(run->vectors_content, x->content))
		return vs_fail(VS_ENO,
			"%s: is of vectors with content %s, %s has %s",
			g->job->name, run->vectors_content,
			vs_h5_reader_path(x->file), x->content);
	return 0;
}

int
vs_recompute(struct vs_recompute *job)
{
	bool numbers = vs_element_is_number(job->vectors->element);
	enum vs_element element;
	struct judge g = {
		.job = job,
		.run = &job->r[0]->run,
		.n_vec = job->vectors->n_vec,
		.n_field = job->vectors->n_field,
	};
	struct vs_unpacked *u = &g.vectors;
	int code;

	element = vs_load_vectors_element(job->vectors, g.run->metric);
	g.presence = element != job->vectors->element;
	g.plain.metric = vs_metric_find(g.run->metric);
	g.plain.element = element;
	g.in_source = job->r[0]->kind == VS_KIND_MERGED &&
		!strcmp(g.run->index_space, "source");
	code = vs_packed_source(job->vectors, &g.source_row, &g.allele1_source);
	if (!code)
		code = check_query(&g);
	*u = (struct vs_unpacked){ .file = job->vectors,
		.n_byte = g.n_field *
			(numbers ? vs_element_bytes(job->vectors->element) : 1),
		.in_source = g.in_source,
		.source_row = g.source_row,
		.allele1_source = g.labelled ? NULL : g.allele1_source,
		.presence = g.presence };
	if (!code)
		code = vs_unpacked_new(u, job->memory / 2);
	if (!code && !job->sample && g.run->n_way == 3 && u->room < g.n_vec)
		code = vs_fail(VS_EUSAGE,
			"%s: all triples need all vectors at once: give "
			"--memory %lluM, or --sample",
			job->name,
			(unsigned long long)(g.n_vec * u->n_byte >> 19) + 1);
	if (!code)
		code = vs_mem_room(&g.rec, N_READ, sizeof(*g.rec), "records");
	if (!code)
		code = read_claims(&g);
	if (!code)
		code = job->sample ? judge_some(&g) : judge_everything(&g);
	if (code == VS_ENO && g.in_source && g.labelled &&
		strcmp(g.run->vectors_content, job->vectors->content))
		code = vs_fail_at(code,
			"%s is of the alleles labelled 1 in the vectors file "
			"of the run, and %s must have the same ones",
			g.run->metric, vs_h5_reader_path(job->vectors->file));
	free(g.drawn);
	free(g.picked);
	free(g.pick);
	free(g.rec);
	free(g.claimed);
	free(g.place);
	vs_unpacked_free(u);
	free(g.allele1_source);
	free(g.source_row);
	return code;
}
