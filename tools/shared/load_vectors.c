/* SPDX-License-Identifier: BSD-3-Clause */
/* Loader of vectors into panels of the engine. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/h5.h"
#include "formats/in/numbers/normalize.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rising.h"
#include "libcore/base/text.h"
#include "libcore/engine/prune/dataset_stats.h"
#include "libcore/metric/metric.h"
#include "libcore/plan/comm.h"
#include "tools/shared/load_vectors.h"

bool
vs_load_vectors_doubles(const char *metric)
{
	const struct vs_metric *m = vs_metric_find(metric);

	switch (m->family) {
	case VS_FAMILY_ALLELES:
	case VS_FAMILY_TABLES:
		return true;
	case VS_FAMILY_MOMENTS:
		return m->phased;
	case VS_FAMILY_INNER:
	case VS_FAMILY_MINIMA:
	case VS_FAMILY_NONE:
		break;
	}
	return false;
}

enum { MINIMA = 1, DISTANCES = 2, RANKED = 4 }; /* of the metrics named */

/* Fail with the path, the metric and the metrics for numbers, of these kinds
 * too, that take the vectors. */
static int
fail_but(const char *words, const char *path, const char *metric, int kinds)
{
	const struct vs_metric *m;
	struct vs_text all = { 0 };
	int code;

	for (int k = 0; (m = vs_metric_at(k)); k++)
		if (m->family == VS_FAMILY_MINIMA          ? kinds & MINIMA
				: vs_metric_is_distance(m) ? kinds & DISTANCES
				: m->ranked                ? kinds & RANKED
							   : m->numbers)
			vs_text_add(&all, "%s%s", all.len ? "|" : "", m->name);
	code = all.code ? all.code
			: vs_fail(VS_EINPUT, words, path, metric, all.bytes);
	vs_text_free(&all);
	return code;
}

int
vs_load_vectors_check(struct vs_packed *f, const char *path, const char *metric)
{
	const struct vs_metric *m = vs_metric_find(metric);
	int code;

	f->ranked = m->ranked;
	if (m->family == VS_FAMILY_MINIMA && f->kinds & VS_NUMBER_NEGATIVE)
		return fail_but("%s: some numbers are negative, but --metric "
				"%s needs numbers of 0 or more; -m %s takes "
				"any",
			path, metric, DISTANCES | RANKED);
	if (m->family == VS_FAMILY_MINIMA && f->kinds & VS_NUMBER_MISSING)
		return fail_but("%s: some numbers are missing, which --metric "
				"%s does not support; -m %s leaves them out, "
				"and vsim-pack --missing-as-zero makes them 0",
			path, metric, RANKED);
	f->zeroed = m->family == VS_FAMILY_MINIMA && f->element == VS_BIT2;
	if (m->family == VS_FAMILY_MINIMA)
		return !f->zeroed || f->ploidy == 1
			? 0
			: vs_fail(VS_EINPUT,
				  "%s: holds genotypes, and --metric %s "
				  "compares numbers or bits: vsim-pack "
				  "--matrix or --ploidy 1 makes vectors of "
				  "them",
				  path, metric);
	if (vs_metric_is_distance(m) && f->kinds & VS_NUMBER_MISSING)
		return vs_fail(VS_EINPUT,
			"%s: some numbers are missing, but --metric %s needs "
			"complete vectors; vsim-pack --missing-as-zero makes "
			"them 0",
			path, metric);
	if (m->numbers && vs_element_is_number(f->element))
		return 0;
	if (m->ranked)
		return fail_but("%s: holds genotypes, and --metric %s ranks "
				"numbers: use -m %s, or vsim-pack --matrix for "
				"ranks of 0, 1 and 2",
			path, metric, 0);
	if (vs_metric_is_distance(m))
		return vs_fail(VS_EINPUT,
			"%s: holds genotypes, and --metric %s compares "
			"numbers: vsim-pack --matrix makes vectors of them",
			path, metric);
	if (vs_element_is_number(f->element))
		return fail_but("%s: holds numbers, and --metric %s compares "
				"genotypes: -m %s compares numbers",
			path, metric, MINIMA | DISTANCES | RANKED);
	code = vs_packed_want_genotypes(f);
	if (!code && m->ploidy && f->ploidy != m->ploidy)
		code = vs_fail(VS_EINPUT,
			"%s: its vectors have ploidy %d, but --metric %s needs "
			"%d; use vsim-pack --ploidy %d",
			path, f->ploidy, metric, m->ploidy, m->ploidy);
	f->doubled = vs_load_vectors_doubles(metric);
	if (!code && (f->file || f->held) && f->doubled)
		code = vs_packed_read_haploid(f);
	return code;
}

/* The type in which products of such numbers are summed: sums of products of
 * bytes over a run are exact in f32, those of words in f64. */
static const enum vs_element inner_element[] = {
	[VS_BIT2] = VS_BIT2,
	[VS_NUM_U8] = VS_NUM_F32,
	[VS_NUM_F32] = VS_NUM_F32,
	[VS_NUM_U16] = VS_NUM_F64,
	[VS_NUM_U32] = VS_NUM_F64,
	[VS_NUM_F64] = VS_NUM_F64,
};

enum vs_element
vs_load_vectors_element(const struct vs_packed *f, const char *metric)
{
	const struct vs_metric *m = vs_metric_find(metric);

	if (m->ranked && vs_element_is_number(f->element))
		return VS_NUM_F64; /* halves, as in vsim-pack */
	switch (m->family) {
	case VS_FAMILY_MINIMA:
		break;
	case VS_FAMILY_MOMENTS:
		/* each pair has its own means: f64 */
		return f->kinds & VS_NUMBER_MISSING ? VS_NUM_F64
						    : inner_element[f->element];
	case VS_FAMILY_INNER:
		return inner_element[f->element];
	case VS_FAMILY_ALLELES:
	case VS_FAMILY_TABLES:
	case VS_FAMILY_NONE:
		break;
	}
	return f->element;
}

/* One allele counts as two equal ones, as in vs_vec_double(): n counts those of
 * label 1. */
static void
stand_for_two(int64_t n, int64_t count[4])
{
	count[2] += n;
	count[1] -= n;
}

/* A missing call counts as 0 copies. */
static void
count_zeros(const struct vs_packed *f, int64_t count[4])
{
	if (!f->zeroed)
		return;
	count[0] += count[3];
	count[3] = 0;
}

/* Number of fields of vector v with one allele, labelled 1. */
static int64_t
ones_of(const struct vs_packed *f, const struct vs_vec *rows, size_t row,
	uint64_t v, const int64_t all[4])
{
	int64_t male[4];

	if (f->ploidy == 1)
		return f->doubled ? all[1] : 0;
	if (!f->haploid || !f->haploid[v])
		return 0;
	vs_haploid_count(rows, row, f->male, male);
	return male[1];
}

/* This rank's share of the vectors, in whole words of bits. */
static void
share_of(uint64_t n_vec, uint64_t *lo, uint64_t *hi)
{
	const uint64_t n_rank = (uint64_t)vs_comm_size(),
		       words = n_vec / 64 + 1,
		       share = 64 * ((words + n_rank - 1) / n_rank);

	*lo = share * (uint64_t)vs_comm_rank();
	*lo = *lo < n_vec ? *lo : n_vec;
	*hi = n_vec - *lo < share ? n_vec : *lo + share;
}

/*
 * Pass the counts of this rank's share, a slice at a time, to the statistics
 * or, if null, to the marking of dead vectors. Collective: returns the worst
 * code of all ranks.
 */
static int
each_count(struct vs_packed *f, struct vs_dataset_stats *dataset,
	const struct vs_query *q, uint64_t *dead)
{
	const uint64_t slice = f->n_vec < 65536 ? f->n_vec : 65536;
	uint64_t first, end;
	int64_t(*count)[4] = NULL, (*male)[2] = NULL;
	int code = vs_mem_room(&count, slice, sizeof(*count), "counts");

	if (!code)
		code = vs_mem_new(&male, slice, sizeof(*male), "counts");
	share_of(f->n_vec, &first, &end);
	if (dataset)
		dataset->at = first;
	for (uint64_t lo = first; lo < end && !code; lo += slice) {
		uint64_t hi = end - lo < slice ? end : lo + slice;

		code = vs_packed_stated(f, lo, hi, count);
		if (!code && f->haploid)
			code = vs_packed_stated_males(f, lo, hi, male);
		for (uint64_t v = 0; v < hi - lo && !code; v++) {
			stand_for_two(f->ploidy != 1 ? male[v][1]
					: f->doubled ? count[v][1]
						     : 0,
				count[v]);
			count_zeros(f, count[v]);
		}
		if (!code && dataset)
			vs_dataset_stats_take(dataset, count, hi - lo);
		else if (!code)
			vs_dataset_stats_dead(q, count, lo, hi, dead);
	}
	free(count);
	free(male);
	return vs_comm_agree(code);
}

int
vs_load_vectors_scan(struct vs_packed *f, struct vs_query *q, uint64_t **dead)
{
	struct vs_dataset_stats dataset;
	int code;

	q->has_missing = f->kinds & VS_NUMBER_MISSING;
	if (vs_element_is_number(q->element))
		return 0;
	code = vs_mem_new(dead, f->n_vec / 64 + 1, sizeof(**dead), "counts");
	code = vs_comm_agree(code);
	if (code)
		return code;
	vs_dataset_stats_begin(&dataset, q, f->n_vec, *dead);
	code = each_count(f, &dataset, q, NULL);
	if (code)
		return code;
	vs_dataset_stats_share(&dataset);
	vs_dataset_stats_end(&dataset);
	/* a vector that is dead with complete calls may pass if some are
	 * missing */
	if (q->least_present < (int64_t)q->n_field && vs_query_prunes(q))
		code = each_count(f, NULL, q, *dead);
	if (!code)
		/* the bits that each rank has set */
		vs_comm_sum_u64(*dead, f->n_vec / 64 + 1);
	return code;
}

/* True if a call is missing among bits that are compared as numbers. */
static int
scan_for_missing(struct vs_packed *f, bool *any)
{
	int64_t(*count)[4] = NULL;
	int code = vs_packed_counts(f, &count);

	*any = false;
	for (uint64_t v = 0; v < f->n_vec && !code && !*any; v++)
		*any = count[v][3] > 0;
	free(count);
	return code;
}

int
vs_load_vectors_describe(struct vs_packed *f, const char *path,
	const struct vs_query *q, struct vs_run *run)
{
	char whole[PATH_MAX];
	bool zero = false;
	int code = 0;

	if (f->zeroed)
		code = scan_for_missing(f, &zero);
	if (code)
		return code;
	snprintf(run->vectors_uuid, sizeof(run->vectors_uuid), "%s", f->uuid);
	snprintf(run->vectors_content, sizeof(run->vectors_content), "%s",
		f->content);
	snprintf(run->missing, sizeof(run->missing), "%s",
		zero                     ? "zero"
			: q->has_missing ? "skip"
					 : "none");
	run->n_vectors = (int64_t)f->n_vec;
	run->n_fields = (int64_t)f->n_field;
	run->has_num = vs_query_has_num(q);
	run->has_nvalid = vs_query_has_joint(q);
	if (f->held)
		return 0;
	if (!realpath(path, whole))
		return vs_fail_errno(VS_EINPUT, "%s: cannot find", path);
	return vs_mem_copy_text(&run->vectors_path, whole);
}

/* Transfer of vectors into a panel. */
struct loading {
	const struct vs_packed *f;
	const struct vs_known *known; /* or null */
	struct vs_panel *p;
	uint64_t lo;
	size_t at;                      /* the place of vector lo, or */
	uint32_t *place;                /* of each vector, less this one */
	const struct vs_rows *rows;     /* vectors wanted; null: all */
	struct vs_normalize_item *item; /* scratch for ranks; or null */
};

static int
begin(struct loading *t)
{
	return t->f->ranked ? vs_mem_room(&t->item, 2 * t->f->n_field,
				      sizeof(*t->item), "ranks of a vector")
			    : 0;
}

static size_t
place_of(const struct loading *t, uint64_t v)
{
	size_t k = (size_t)(v - t->lo);

	return t->at + (t->place ? t->place[k] : k);
}

/* Read numbers of the file, or their ranks, into a place of the panel, whose
 * type holds them all. */
static void
put_numbers(const struct loading *t, const void *from, size_t at)
{
	const struct vs_numbers *b = &t->p->number;
	char *to = (char *)b->at + at * b->stride;

	if (t->f->element == b->element)
		memcpy(to, from, b->stride);
	else
		for (size_t q = 0; q < b->n_field; q++)
			vs_element_put(b->element, to, q,
				vs_element_get(t->f->element, from, q));
	if (t->f->ranked)
		vs_normalize((double *)(void *)to, b->n_field,
			VS_NORMALIZE_RANK, t->item);
}

static int
store_numbers(void *ctx, uint64_t lo, uint64_t hi, const void *rows)
{
	struct loading *t = ctx;
	int code = 0;

	(void)rows; /* in place already */
	for (uint64_t v = lo; v < hi && !code; v++)
		code = vs_panel_total(t->p, place_of(t, v), v,
			vs_packed_path(t->f));
	return code;
}

/* Bits k of a byte, each as a byte of 0 or 1. */
static uint64_t
spread(uint8_t bits)
{
	uint64_t apart = bits * 0x0101010101010101ull & 0x8040201008040201;

	return (apart + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
}

/* Expand bits to bytes; a missing bit counts as 0. */
static void
put_bits(const struct loading *t, const uint8_t *plane, size_t at)
{
	const struct vs_numbers *b = &t->p->number;
	size_t bytes = t->f->plane_bytes, n = t->f->n_field;
	uint8_t *to = (uint8_t *)b->at + at * b->stride;

	for (size_t q = 0; q < n; q += 8) {
		uint64_t x =
			spread(plane[bytes + q / 8] & (uint8_t)~plane[q / 8]);

		memcpy(to + q, &x, n - q < 8 ? n - q : 8);
	}
}

static bool
is_dead(const struct vs_known *known, uint64_t v)
{
	return known && known->dead[v / 64] >> (v % 64) & 1;
}

/* For a vector that passes with no other, only the counts are needed. */
static void
leave_out(const struct loading *t, const struct vs_vec *rows, uint64_t v,
	size_t row)
{
	int64_t count[4];

	vs_vec_count(rows, row, count);
	stand_for_two(ones_of(t->f, rows, row, v, count), count);
	count_zeros(t->f, count);
	vs_panel_leave(t->p, place_of(t, v), v, count);
}

/* Read planes of a row, vector v of the file, into a place of the panel. */
static void
put_genotypes(const struct loading *t, const struct vs_vec *from, size_t row,
	uint64_t v, size_t at, uint64_t number)
{
	struct vs_vec *to = &t->p->vec;
	size_t n_word = t->f->plane_bytes / 8, rest = to->n_word - n_word;

	for (int k = 0; k < 2; k++) {
		uint64_t *plane = vs_vec_plane(to, at, k);

		memcpy(plane, vs_vec_plane(from, row, k), 8 * n_word);
		memset(plane + n_word, 0, 8 * rest);
	}
	for (size_t w = 0; w < n_word && t->f->zeroed; w++)
		vs_vec_plane(to, at, 0)[w] &= vs_vec_plane(to, at, 1)[w];
	if (t->f->ploidy == 1 && t->f->doubled)
		vs_vec_double(to, at);
	if (t->f->haploid && t->f->haploid[v])
		vs_haploid_double(to, at, t->f->male);
	vs_panel_take(t->p, at, number);
}

static struct vs_vec
vectors_of(const struct vs_packed *f, const void *rows, uint64_t n)
{
	size_t n_word = f->plane_bytes / 8;

	return (struct vs_vec){ .word = (uint64_t *)rows,
		.n_vec = (size_t)n,
		.n_field = f->n_field,
		.n_word = n_word,
		.stride = n_word };
}

/* Read row number `row` of those given, vector v of the file, into a place. */
static int
put_one(const struct loading *t, const struct vs_vec *from, const void *rows,
	size_t row, uint64_t v, size_t at, uint64_t number)
{
	const struct vs_numbers *b = &t->p->number;
	const char *bytes = rows;

	if (!vs_element_is_number(b->element)) {
		put_genotypes(t, from, row, v, at, number);
		return 0;
	}
	if (vs_element_is_number(t->f->element))
		put_numbers(t, bytes + row * t->f->row_bytes, at);
	else
		put_bits(t,
			(const uint8_t *)bytes + row * 2 * t->f->plane_bytes,
			at);
	return vs_panel_total(t->p, at, number, vs_packed_path(t->f));
}

static int
store_rows(void *ctx, uint64_t lo, uint64_t hi, const void *rows)
{
	const struct loading *t = ctx;
	const struct vs_vec from = vectors_of(t->f, rows, hi - lo);
	int code = 0;

	for (uint64_t v = lo; v < hi && !code; v++) {
		const size_t row = (size_t)(v - lo);

		if (is_dead(t->known, v))
			leave_out(t, &from, v, row);
		else
			code = put_one(t, &from, rows, row, v, place_of(t, v),
				v);
	}
	return code;
}

/* Order of each block: vectors that can pass, in file order, then the
 * others. */
static int
find_places(struct loading *t, uint64_t hi)
{
	uint64_t lo = t->lo, from, end;
	int code = vs_mem_room(&t->place, hi - lo, sizeof(*t->place), "places");

	for (; lo < hi && !code; lo = end) {
		const struct vs_plan *plan = t->known->plan;
		uint32_t next = (uint32_t)(lo - t->lo);

		vs_plan_block(plan, vs_plan_find(plan, lo), &from, &end);
		end = end < hi ? end : hi;
		for (int dead = 0; dead < 2; dead++)
			for (uint64_t v = lo; v < end; v++)
				if (is_dead(t->known, v) == dead)
					t->place[v - t->lo] = next++;
	}
	return code;
}

int
vs_load_vectors_range(struct vs_packed *f, uint64_t lo, uint64_t hi,
	const struct vs_known *known, struct vs_panel *p)
{
	struct loading t = { .f = f, .known = known, .p = p, .lo = lo };
	const struct vs_numbers *b = &p->number;
	const bool as_is = vs_element_is_number(f->element) &&
		f->element == b->element && !f->ranked;
	int code = begin(&t);

	t.at = vs_panel_begin(p, lo, (size_t)(hi - lo));
	if (!code && known)
		code = find_places(&t, hi);
	if (!code)
		code = vs_packed_each(f, lo, hi,
			as_is ? (char *)b->at + t.at * b->stride : NULL,
			as_is ? store_numbers : store_rows, &t);
	free(t.item);
	free(t.place);
	return code;
}

void
vs_load_vectors_places(const struct vs_packed *f, const void *rows,
	const int64_t *row, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	const struct loading t = { .f = f, .p = p };
	const struct vs_vec from = vectors_of(f, rows, f->n_vec);
	const size_t at = vs_panel_begin(p, lo, (size_t)(hi - lo));

	for (uint64_t k = lo; k < hi; k++)
		put_genotypes(&t, &from, (size_t)k, (uint64_t)row[k],
			at + (size_t)(k - lo), k);
}

/* ---- some rows only ---- */

#define NEAR 4096 /* gap between rows that is read rather than skipped */

static int
store_some(void *ctx, uint64_t lo, uint64_t hi, const void *rows)
{
	const struct loading *t = ctx;
	const struct vs_rows *w = t->rows;
	const struct vs_vec from = vectors_of(t->f, rows, hi - lo);
	int code = 0;

	for (uint64_t k = vs_rising_from((const uint64_t *)w->row,
		     sizeof(*w->row), w->n, lo);
		k < w->n && (uint64_t)w->row[k] < hi && !code; k++) {
		size_t place = w->place ? w->place[k] : (size_t)k;

		code = put_one(t, &from, rows,
			(size_t)(w->row[k] - (int64_t)lo), (uint64_t)w->row[k],
			t->at + place, w->first + place);
	}
	return code;
}

int
vs_load_vectors_rows(struct vs_packed *f, const struct vs_rows *w,
	struct vs_panel *p)
{
	struct loading t = { .f = f, .p = p, .rows = w };
	int code = begin(&t);

	t.at = vs_panel_begin(p, w->first, (size_t)w->n);
	for (uint64_t from = 0, to; from < w->n && !code; from = to) {
		for (to = from + 1;
			to < w->n && w->row[to] - w->row[to - 1] < NEAR; to++)
			;
		code = vs_packed_each(f, (uint64_t)w->row[from],
			(uint64_t)w->row[to - 1] + 1, NULL, store_some, &t);
	}
	free(t.item);
	for (uint64_t k = 0; k < w->n; k++) {
		p->source[t.at + k] = (int64_t)(w->first + k);
		p->flip[t.at + k] = 0;
	}
	return code;
}

int
vs_load_vectors_panel(struct vs_packed *f, uint64_t lo, uint64_t hi,
	const struct vs_known *known, struct vs_panel *p)
{
	size_t at = p->n_vec;
	uint8_t *flip = p->flip + at;
	/* numbers have no labels, nor have bits used as numbers */
	const bool labels = !vs_element_is_number(p->number.element);
	int code = vs_load_vectors_range(f, lo, hi, known, p);

	if (!code && labels)
		code = vs_packed_column(f, VS_SITES_SOURCE, lo, hi, flip);
	for (uint64_t v = 0; v < hi - lo && !code && labels; v++)
		flip[v] = flip[v] == VS_ALLELE_FIRST;
	if (!code)
		code = vs_packed_column(f, VS_SITES_ROW, lo, hi,
			p->source + at);
	/* a block is large: free the unpacking buffers before counting */
	if (f->file)
		vs_h5_reader_rest(f->file);
	return code;
}
