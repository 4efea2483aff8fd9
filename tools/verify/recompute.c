/* SPDX-License-Identifier: BSD-3-Clause */
/* Verification of results by recomputing their values. */
#include <stdlib.h>
#include <string.h>

#include "formats/results/ordered.h"
#include "formats/results/result_seen.h"
#include "libcore/base/fail.h"
#include "libcore/base/float_env.h"
#include "libcore/base/mem.h"
#include "libcore/base/thread.h"
#include "libcore/metric/metric.h"
#include "tools/shared/load_vectors.h"
#include "tools/shared/metric_options.h"
#include "tools/shared/site_filter.h"
#include "tools/shared/tool.h"
#include "tools/verify/recompute.h"
#include "tools/verify/sample.h"
#include "tools/verify/summed.h"

/*
 * The rows [lo, hi) held; the records of row i are rec[at[i - lo]] up to
 * rec[at[i - lo + 1]].
 */
struct record_rows {
	/* set by the caller: start, and number of records after which no row is
	 * begun */
	struct vs_ordered *records;
	size_t most;     /* records */
	uint64_t n_most; /* rows */
	/* out */
	uint64_t lo, hi;
	struct vs_record *rec;
	size_t n, *at;
	/* its own */
	bool begun;
	int got; /* next is a record still to be taken */
	struct vs_record next;
	size_t room, room_at;
};

static int
read_row(struct record_rows *r)
{
	int code = vs_mem_grow(&r->at, &r->room_at, r->hi - r->lo + 2,
		sizeof(*r->at), "rows");

	if (code)
		return code;
	r->at[r->hi - r->lo] = r->n;
	while (!code && r->got > 0 && r->next.i == r->hi) {
		code = vs_mem_grow(&r->rec, &r->room, r->n + 1, sizeof(*r->rec),
			"records of a vector");
		if (code)
			break;
		r->rec[r->n++] = r->next;
		r->got = vs_ordered_next(r->records, &r->next);
	}
	r->hi++;
	r->at[r->hi - r->lo] = r->n;
	return code ? code : r->got < 0 ? r->got : 0;
}

/* Take the rows after the last ones, up to row n_row; at least one. */
static int
next_rows(struct record_rows *r, uint64_t n_row)
{
	int code = 0;

	if (!r->begun)
		r->got = vs_ordered_next(r->records, &r->next);
	r->begun = true;
	r->lo = r->hi;
	r->n = 0;
	do
		code = read_row(r);
	while (!code && r->hi < n_row && r->hi - r->lo < r->n_most &&
		r->n < r->most);
	return code;
}

static void
free_rows(struct record_rows *r)
{
	free(r->rec);
	free(r->at);
}

#define N_READ 65536 /* records read at a time */

struct work {
	struct vs_recompute *job;
	struct vs_judge judge;
	struct vs_sample sample;
	bool in_source; /* records use source rows and alleles, */
	bool labelled;  /* but values depend on the run's labels */
	bool presence;  /* bits used as 0 and 1, 0 if missing */
	int64_t *source_row;
	uint8_t *allele1_source;
	struct vs_sites sites; /* read if some have haploid fields */
	struct vs_samples samples;
	struct vs_case_control cases;
	struct vs_record *rec; /* N_READ records just read */
};

/* The first difference, in the order of records. */
struct fault {
	bool found;
	uint64_t i, j;
	char text[VS_JUDGE_TEXT];
};

/* ---- all records ---- */

/* First of n records, sorted by j, with j at least this. */
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

/* The numbers, in a list, of what vector i is compared with in [lo, hi): those
 * wanted or, if nothing is claimed, those listed. */
struct seconds {
	struct vs_partner_list wanted;
	const struct vs_record *rec; /* listed, or null */
	uint64_t from, upto;
};

static struct seconds
seconds_of(const struct work *g, uint64_t i, const struct vs_record *rec,
	size_t n, uint64_t lo, uint64_t hi)
{
	struct seconds s = { 0 };

	lo = lo > i ? lo : i + 1;
	if (!vs_judge_claims_any(&g->judge)) {
		s.rec = rec;
		s.from = lower_bound(rec, n, lo);
		s.upto = lower_bound(rec, n, hi);
		return s;
	}
	s.wanted =
		vs_partners_second(&g->judge.partners, i, g->judge.run->n_way);
	s.from = vs_partners_from(&s.wanted, lo);
	s.upto = vs_partners_from(&s.wanted, hi);
	return s;
}

/* Vector number x of the list; false: a repetition of the one before. */
static bool
second_at(const struct seconds *s, uint64_t x, uint64_t *j)
{
	*j = s->rec ? s->rec[x].j : vs_partners_at(&s->wanted, x);
	return !s->rec || x == s->from || s->rec[x - 1].j != *j;
}

/* Compare vector i with those of [lo, hi) after it; rec are the n records that
 * begin with i. */
static void
judge_row(struct work *g, uint64_t i, const struct vs_record *rec, size_t n,
	uint64_t lo, uint64_t hi, struct fault *first)
{
	const struct seconds s = seconds_of(g, i, rec, n, lo, hi);
	uint64_t n_pair = 0;

	/* starting threads takes longer than judging a few on one */
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : n_pair) \
	num_threads(g->job->n_thread) if (s.upto > s.from + 1)
	for (uint64_t x = s.from; x < s.upto; x++) {
		char text[VS_JUDGE_TEXT];
		size_t at, end;
		uint64_t j;

		vs_float_env_set();
		if (!second_at(&s, x, &j))
			continue;
		at = lower_bound(rec, n, j);
		end = lower_bound(rec, n, j + 1);
		if (vs_judge_second(&g->judge, i, j, rec + at, end - at,
			    &n_pair, text))
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

/* Compare the rows held with the vectors [lo, hi), which are loaded. */
static void
judge_rows(struct work *g, const struct record_rows *r, uint64_t lo,
	uint64_t hi, struct fault *first)
{
	for (uint64_t i = r->lo; i < r->hi; i++) {
		const size_t *at = &r->at[i - r->lo];

		judge_row(g, i, r->rec + at[0], at[1] - at[0], lo, hi, first);
	}
}

/* Compare the rows held with all vectors after them, in blocks that fit. */
static int
judge_blocks(struct work *g, const struct record_rows *r, struct fault *first)
{
	struct vs_unpacked *u = &g->judge.vectors;
	uint64_t lo = r->lo, hi = r->hi;
	int code;

	vs_unpacked_keep(u, 0);
	for (uint64_t v = lo; v < hi; v++)
		vs_unpacked_want(u, v);
	code = vs_unpacked_load(u);
	if (!code)
		judge_rows(g, r, lo, hi, first);
	for (lo = hi; lo < g->judge.n_vec && !code; lo = hi) {
		vs_unpacked_keep(u, r->hi - r->lo);
		while (hi < g->judge.n_vec && vs_unpacked_want(u, hi))
			hi++;
		code = vs_unpacked_load(u);
		if (!code)
			judge_rows(g, r, lo, hi, first);
	}
	return code;
}

static int
load_all(struct work *g)
{
	for (uint64_t v = 0; v < g->judge.n_vec; v++)
		vs_unpacked_want(&g->judge.vectors, v);
	return vs_unpacked_load(&g->judge.vectors);
}

static int
judge_all(struct work *g, struct vs_ordered *records)
{
	bool fits = g->judge.vectors.room == g->judge.n_vec;
	/* if vectors come in blocks, rows use three quarters of the memory */
	struct record_rows r = { .records = records,
		.most = g->job->memory / 8 / sizeof(*r.rec),
		.n_most = fits
			? 1
			: g->judge.vectors.room - g->judge.vectors.room / 4 };
	struct fault first = { 0 };
	struct vs_tool_progress progress;
	double n_vec = (double)g->judge.n_vec, done;
	int code = fits ? load_all(g) : 0;

	vs_tool_progress_begin(&progress,
		g->judge.run->n_way == 3 ? "first two of triples recomputed"
					 : "pairs recomputed",
		n_vec * (n_vec - 1) / 2);
	while (r.hi < g->judge.n_vec && !code) {
		code = next_rows(&r, g->judge.n_vec);
		if (!code && fits)
			judge_rows(g, &r, r.lo, g->judge.n_vec, &first);
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
	free_rows(&r);
	return code;
}

/* ---- the whole ---- */

/* Take n records of one result, number `at` and on over all results. */
static int
read_batch(struct work *g, struct vs_record *rec, size_t n, uint64_t at,
	struct vs_digest_sum *source)
{
	int code = 0;

	for (size_t k = 0; k < n && !code; k++) {
		if (g->job->sample)
			code = vs_sample_catch(&g->sample, &g->judge, &rec[k],
				at + k);
		if (!g->in_source)
			vs_run_record_to_source(&rec[k], g->source_row,
				g->allele1_source);
		vs_digest_sum_record(source, rec[k].i, rec[k].j, rec[k].k,
			rec[k].cell, rec[k].value);
	}
	return code;
}

/* One pass over all records, for checks that need no order. */
static int
read_records(struct work *g)
{
	static const struct vs_digest_sum unstated;
	uint64_t at = 0, hi;
	int code = 0;

	for (size_t s = 0; s < g->job->n && !code; s++) {
		struct vs_result *r = g->job->r[s];
		struct vs_digest_sum sum = { 0 };

		code = vs_result_watch(r, false);
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
		if (!code)
			code = vs_result_seen_check(r);
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
judge_everything(struct work *g)
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
judge_some(struct work *g)
{
	int code = vs_sample_draw(&g->sample, &g->judge, g->job->r, g->job->n);

	if (!code)
		code = read_records(g);
	if (!code)
		code = vs_sample_judge(&g->sample, &g->judge);
	g->job->n_record = g->sample.n_picked;
	g->job->n_pair = g->sample.n_drawn;
	return code;
}

/*
 * True if bits are used as numbers and belong to an allele other than the
 * source's.
 */
static bool
has_turned(const struct work *g)
{
	for (uint64_t v = 0; v < g->judge.n_vec && g->presence; v++)
		if (g->allele1_source[v] == VS_ALLELE_FIRST)
			return true;
	return false;
}

/* Check that there is a plain definition, and that the vectors are the
 * run's. */
static int
check_query(struct work *g)
{
	const struct vs_packed *x = g->job->vectors;
	const struct vs_run *run = g->judge.run;
	const struct vs_metric *m = vs_metric_find(run->metric);

	if (!vs_definition_has(&g->judge.plain, run->n_way) ||
		(m->ploidy && m->ploidy != x->ploidy) ||
		!vs_metric_options_of(run, &g->judge.plain.how))
		return vs_fail(VS_EUSAGE,
			"%s: %s of %d vectors with gamma %.17g and multiplier "
			"%.17g has no plain definition here",
			g->job->name, run->metric, run->n_way, run->ccc_gamma,
			run->ccc_multiplier);
	/* correlations with X depend on which allele is counted */
	g->labelled = m->labelled ||
		(m->family == VS_FAMILY_MOMENTS && g->sites.haploid);
	if (g->in_source && has_turned(g))
		return vs_fail(VS_EUSAGE,
			"%s: %s depends on which alleles are labelled 1, which "
			"a result in the source's indices does not state",
			g->job->name, run->metric);
	if ((uint64_t)run->n_vectors != x->n_vec ||
		(uint64_t)run->n_fields != x->n_field)
		return vs_fail(VS_ENO,
			"%s: was computed from %lld vectors with %lld fields, "
			"%s has %llu with %llu",
			g->job->name, (long long)run->n_vectors,
			(long long)run->n_fields, vs_h5_reader_path(x->file),
			(unsigned long long)x->n_vec,
			(unsigned long long)x->n_field);
	if (!g->in_source && strcmp(run->vectors_content, x->content))
		return vs_fail(VS_ENO,
			"%s: was computed from vectors with content %s, but %s "
			"has %s",
			g->job->name, run->vectors_content,
			vs_h5_reader_path(x->file), x->content);
	return 0;
}

/* Read which vectors have haploid fields, and the sexes that determine them. */
static int
read_haploid(struct work *g)
{
	struct vs_packed *x = g->job->vectors;
	bool has = false;
	int code = vs_h5_reader_has(x->file, "/vectors/haploid", &has);

	if (!code && has)
		code = vs_packed_sites(x, &g->sites);
	if (!code && has)
		code = vs_packed_samples(x, &g->samples);
	return code;
}

/* Set the pairs that the run wants by place, by the index that records use. */
static int
read_places(struct work *g, struct vs_wanted *w)
{
	const struct vs_run *run = g->judge.run;
	struct vs_pair_rules rules;
	uint32_t *rank = NULL;
	uint64_t n = 0;
	int code;

	if (!vs_pair_rules_read(run->pair_filter, &rules) ||
		!vs_pair_rules_any(&rules))
		return 0;
	code = vs_site_filter_make(w, &rules, g->job->vectors);
	if (g->in_source)
		VS_MEM_NEW(&code, rank, w->n_vec, "ranks");
	for (uint64_t v = 0; v < w->n_vec && rank; v++)
		if ((uint64_t)g->source_row[v] < w->n_vec)
			rank[g->source_row[v]] = w->rank[v];
	if (rank) {
		free(w->rank);
		w->rank = rank;
	}
	if (!code)
		code = vs_wanted_count(w, &n);
	if (!code && (uint64_t)run->filtered_pairs != n)
		code = vs_fail(VS_ENO, "%s: states %lld %s of %s, %s has %llu",
			g->job->name, (long long)run->filtered_pairs,
			run->n_way == 3 ? "triples" : "pairs", run->pair_filter,
			vs_h5_reader_path(g->job->vectors->file),
			(unsigned long long)n);
	return code;
}

/* Describe the metric and what the vectors hold. */
static int
define(struct work *g)
{
	struct vs_packed *x = g->job->vectors;
	struct vs_definition *p = &g->judge.plain;
	const char *metric = g->judge.run->metric;
	const bool numbers = vs_element_is_number(x->element);
	int code;

	p->metric = vs_metric_find(metric);
	g->presence = !numbers && p->metric->family == VS_FAMILY_MINIMA;
	p->element = numbers && !p->metric->ranked ? x->element
		: g->presence                      ? VS_NUM_U8
			      : vs_load_vectors_element(x, metric);
	p->ploidy = x->ploidy;
	p->missing = x->kinds & VS_NUMBER_MISSING;
	p->cases = &g->cases;
	g->in_source = g->job->r[0]->kind == VS_KIND_MERGED &&
		!strcmp(g->judge.run->index_space, "source");
	code = vs_packed_source(x, &g->source_row, &g->allele1_source);
	if (!code)
		code = read_haploid(g);
	if (!code)
		code = check_query(g);
	if (!code)
		code = vs_case_control_read(&g->cases, x,
			vs_h5_reader_path(x->file), p->metric,
			g->judge.run->case_seed);
	return code ? code : read_places(g, &g->job->r[0]->run.wanted);
}

/* Prepare to unpack the vectors. */
static int
begin_unpacking(struct work *g)
{
	const struct vs_recompute *job = g->job;
	const struct vs_definition *p = &g->judge.plain;
	struct vs_unpacked *u = &g->judge.vectors;
	int code;

	*u = (struct vs_unpacked){ .file = job->vectors,
		.n_byte = g->judge.n_field *
			(vs_element_is_number(job->vectors->element)
					? vs_element_bytes(p->element)
					: 1),
		.in_source = g->in_source,
		.source_row = g->source_row,
		.allele1_source = g->labelled ? NULL : g->allele1_source,
		.presence = g->presence,
		.ranks = p->metric->ranked };
	if (vs_load_vectors_doubles(g->judge.run->metric)) {
		u->kind = g->sites.haploid;
		u->sex = g->samples.sex;
	}
	code = vs_unpacked_new(u, job->memory / 2);
	if (code || job->sample || g->judge.run->n_way != 3 ||
		u->room >= g->judge.n_vec)
		return code;
	return vs_fail(VS_EUSAGE,
		"%s: all triples need all vectors at once: give --memory "
		"%lluM, or --sample",
		job->name,
		(unsigned long long)(g->judge.n_vec * u->n_byte >> 19) + 1);
}

int
vs_recompute(struct vs_recompute *job)
{
	struct work g = {
		.job = job,
		.judge = { .run = &job->r[0]->run,
			.n_vec = job->vectors->n_vec,
			.n_field = job->vectors->n_field },
		.sample = { .name = job->name,
			.n = job->sample,
			.seed = job->seed,
			.memory = job->memory },
	};
	int code = define(&g);

	if (!code)
		code = begin_unpacking(&g);
	VS_MEM_ROOM(&code, g.rec, N_READ, "records");
	if (!code)
		code = vs_thread_try(job->n_thread);
	if (!code)
		code = vs_judge_claims(&g.judge, job->r, job->n);
	if (!code)
		code = vs_summed_check(&g.judge, job);
	if (!code && !vs_summary_ask_alone(g.judge.run->summary))
		code = job->sample ? judge_some(&g) : judge_everything(&g);
	if (!code)
		code = vs_h5_reader_unchanged(job->vectors->file);
	if (code == VS_ENO && g.in_source && g.labelled &&
		strcmp(g.judge.run->vectors_content, job->vectors->content))
		code = vs_fail_at(code,
			"%s depends on the alleles labelled 1 in the vectors "
			"file of the run, and %s must have the same ones",
			g.judge.run->metric,
			vs_h5_reader_path(job->vectors->file));
	vs_sample_free(&g.sample);
	free(g.rec);
	vs_case_control_free(&g.cases);
	free(g.judge.claimed);
	vs_partners_free(&g.judge.partners);
	free(g.judge.place);
	vs_unpacked_free(&g.judge.vectors);
	free(g.allele1_source);
	free(g.source_row);
	vs_sites_free(&g.sites);
	vs_sites_samples_free(&g.samples);
	return code;
}
