/* SPDX-License-Identifier: BSD-3-Clause */
/* Loader of vectors into panels of the engine. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/h5.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/engine/prune/block_bound.h"
#include "libcore/engine/prune/dataset_stats.h"
#include "libcore/metric/metric.h"
#include "libcore/plan/comm.h"
#include "tools/shared/load_vectors.h"

int
vs_load_vectors_check(const struct vs_packed *f, const char *path,
	const char *metric)
{
	const struct vs_metric *m = vs_metric_find(metric);
	int code;

	if (m->family == VS_FAMILY_MINIMA && f->kinds & VS_NUMBER_NEGATIVE)
		return vs_fail(VS_EINPUT,
			"%s: some numbers are negative, and --metric %s is of "
			"numbers of 0 or more: r, r2 and cosine take any",
			path, metric);
	if (m->family == VS_FAMILY_MINIMA && f->kinds & VS_NUMBER_MISSING)
		return vs_fail(VS_EINPUT,
			"%s: some numbers are missing, which --metric %s has "
			"no rule for: vsim-pack --missing-as-zero takes them "
			"for 0, and r, r2 and cosine leave them out",
			path, metric);
	if (m->family == VS_FAMILY_MINIMA)
		return vs_element_is_number(f->element) || f->ploidy == 1
			? 0
			: vs_fail(VS_EINPUT,
				  "%s: holds genotypes, and --metric %s "
				  "compares numbers or bits: vsim-pack "
				  "--matrix or --ploidy 1 makes vectors of "
				  "them",
				  path, metric);
	if (vs_metric_is_distance(m) && f->kinds & VS_NUMBER_MISSING)
		return vs_fail(VS_EINPUT,
			"%s: some numbers are missing, and --metric %s is of "
			"whole vectors: vsim-pack --missing-as-zero takes them "
			"for 0",
			path, metric);
	if (m->numbers && vs_element_is_number(f->element))
		return 0;
	if (vs_metric_is_distance(m))
		return vs_fail(VS_EINPUT,
			"%s: holds genotypes, and --metric %s compares "
			"numbers: vsim-pack --matrix makes vectors of them",
			path, metric);
	code = vs_packed_want_genotypes(f);
	if (!code && m->ploidy && f->ploidy != m->ploidy)
		code = vs_fail(VS_EINPUT,
			"%s: its vectors are of ploidy %d, --metric %s wants "
			"%d: vsim-pack --ploidy %d makes them so",
			path, f->ploidy, metric, m->ploidy, m->ploidy);
	return code;
}

/* The type in which products of such numbers are summed: those of bytes over a
 * run are exact in f32, those of words in f64. */
static enum vs_element
inner_element(enum vs_element of)
{
	switch (of) {
	case VS_NUM_U8:
	case VS_NUM_F32:
		return VS_NUM_F32;
	case VS_NUM_U16:
	case VS_NUM_U32:
	case VS_NUM_F64:
		return VS_NUM_F64;
	case VS_BIT2:
		break;
	}
	return of;
}

enum vs_element
vs_load_vectors_element(const struct vs_packed *f, const char *metric)
{
	switch (vs_metric_find(metric)->family) {
	case VS_FAMILY_MINIMA:
		return f->element == VS_BIT2 ? VS_NUM_U8 : f->element;
	case VS_FAMILY_MOMENTS:
		/* each pair has means of its own: f64 */
		return f->kinds & VS_NUMBER_MISSING ? VS_NUM_F64
						    : inner_element(f->element);
	case VS_FAMILY_INNER:
		return inner_element(f->element);
	case VS_FAMILY_ALLELES:
	case VS_FAMILY_TABLES:
	case VS_FAMILY_NONE:
		break;
	}
	return f->element;
}

#define MOST_WORDS ((uint64_t)1 << 24) /* of bits, gathered at a time */

/* One allele stands for two alike, as vs_vec_double() has it. */
static void
stand_for_two(const struct vs_packed *f, int64_t count[4])
{
	if (f->ploidy == 2)
		return;
	count[2] = count[1];
	count[1] = 0;
}

/* This rank's share of the vectors, whole words of bits. */
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
 * The counts of this rank's share, a slice at a time, to the statistics or,
 * null, to what is dead. Collective: the worst code of all ranks.
 */
static int
each_count(struct vs_packed *f, struct vs_dataset_stats *dataset,
	const struct vs_query *q, uint64_t *dead)
{
	uint64_t dim[2] = { f->n_vec, 4 }, first, end;
	const uint64_t slice = f->n_vec < 65536 ? f->n_vec : 65536;
	bool speaker;
	struct vs_h5_reader_data *d = NULL;
	int64_t(*count)[4] = NULL;
	int code = vs_h5_reader_data(f->file, "/vectors/genotype_count", VS_I64,
		2, dim, NULL, &d);

	if (!code)
		code = vs_mem_room(&count, slice, sizeof(*count), "counts");
	share_of(f->n_vec, &first, &end);
	if (dataset)
		dataset->at = first;
	for (uint64_t lo = first; lo < end && !code; lo += slice) {
		uint64_t hi = end - lo < slice ? end : lo + slice;

		code = vs_h5_reader_rows(d, lo, hi, count);
		for (uint64_t v = 0; v < hi - lo && !code; v++)
			stand_for_two(f, count[v]);
		if (!code && dataset)
			vs_dataset_stats_take(dataset, count, hi - lo);
		else if (!code)
			vs_dataset_stats_dead(q, count, lo, hi, dead);
	}
	free(count);
	vs_h5_reader_data_close(d);
	return vs_comm_agree(code, &speaker);
}

/* Each rank has set the bits of its share. */
static void
gather(uint64_t *word, uint64_t n)
{
	for (uint64_t at = 0; at < n; at += MOST_WORDS)
		vs_comm_sum_u64(word + at,
			(int)(n - at < MOST_WORDS ? n - at : MOST_WORDS));
}

int
vs_load_vectors_scan(struct vs_packed *f, struct vs_query *q, uint64_t **dead)
{
	struct vs_dataset_stats dataset;
	bool speaker;
	int code;

	q->has_missing = f->kinds & VS_NUMBER_MISSING;
	if (vs_element_is_number(q->element))
		return 0;
	code = vs_mem_new(dead, f->n_vec / 64 + 1, sizeof(**dead), "counts");
	code = vs_comm_agree(code, &speaker);
	if (code)
		return code;
	vs_dataset_stats_begin(&dataset, q, f->n_vec, *dead);
	code = each_count(f, &dataset, q, NULL);
	if (code)
		return code;
	vs_dataset_stats_share(&dataset);
	vs_dataset_stats_end(&dataset);
	/* what is dead where nothing misses may live beside what does */
	if (q->least_present < (int64_t)q->n_field && vs_query_prunes(q))
		code = each_count(f, NULL, q, *dead);
	if (!code)
		gather(*dead, f->n_vec / 64 + 1);
	return code;
}

/* True if a value depends on one count; those of moments depend on several. */
static bool
has_num(const struct vs_query *q)
{
	switch (vs_query_family(q)) {
	case VS_FAMILY_ALLELES:
		return true;
	case VS_FAMILY_MINIMA:
		return vs_element_is_integer(q->element);
	case VS_FAMILY_MOMENTS:
	case VS_FAMILY_INNER:
	case VS_FAMILY_TABLES:
	case VS_FAMILY_NONE:
		break;
	}
	return false;
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

	if (vs_element_is_number(q->element) && f->element == VS_BIT2)
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
	run->has_num = has_num(q);
	run->has_nvalid = q->has_missing;
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
	size_t at;                  /* the place of vector lo, or */
	uint32_t *place;            /* of each vector, less this one */
	const struct vs_rows *rows; /* those wanted; null: all */
};

static size_t
place_of(const struct loading *t, uint64_t v)
{
	size_t k = (size_t)(v - t->lo);

	return t->at + (t->place ? t->place[k] : k);
}

/* Numbers of the file at a place of the panel, whose type holds them all. */
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
}

static int
store_numbers(void *ctx, uint64_t lo, uint64_t hi, const void *rows)
{
	struct loading *t = ctx;
	int code = 0;

	(void)rows; /* in their places already */
	for (uint64_t v = lo; v < hi && !code; v++)
		code = vs_panel_total(t->p, place_of(t, v), v,
			vs_h5_reader_path(t->f->file));
	return code;
}

static int
store_others(void *ctx, uint64_t lo, uint64_t hi, const void *rows)
{
	const struct loading *t = ctx;
	const char *row = rows;

	for (uint64_t v = lo; v < hi; v++, row += t->f->row_bytes)
		put_numbers(t, row, place_of(t, v));
	return store_numbers(ctx, lo, hi, rows);
}

/* Bits k of a byte, each a byte of 0 or 1. */
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

static int
store_bits(void *ctx, uint64_t lo, uint64_t hi, const void *rows)
{
	struct loading *t = ctx;
	const uint8_t *plane = rows;

	for (uint64_t v = lo; v < hi; v++, plane += 2 * t->f->plane_bytes)
		put_bits(t, plane, place_of(t, v));
	return store_numbers(ctx, lo, hi, rows);
}

static bool
is_dead(const struct vs_known *known, uint64_t v)
{
	return known && known->dead[v / 64] >> (v % 64) & 1;
}

/* A vector that passes with no other needs its counts alone, if the file's are
 * those of its planes. */
static int
leave_out(const struct loading *t, const struct vs_vec *rows, uint64_t v,
	size_t row)
{
	size_t to = place_of(t, v);
	int64_t count[4];

	vs_vec_count(rows, row, count);
	stand_for_two(t->f, count);
	vs_panel_leave(t->p, to, v, count);
	return vs_block_bound_passes(t->known->query, t->p, to)
		? vs_fail(VS_EINPUT,
			  "%s: /vectors/genotype_count: row %llu is not what "
			  "the vector has; make the file anew",
			  vs_h5_reader_path(t->f->file), (unsigned long long)v)
		: 0;
}

/* Planes of row `from` go to a place of the panel. */
static void
put_genotypes(const struct loading *t, const struct vs_vec *from, size_t row,
	size_t at, uint64_t number)
{
	struct vs_vec *to = &t->p->vec;
	size_t n_word = t->f->plane_bytes / 8, rest = to->n_word - n_word;

	for (int k = 0; k < 2; k++) {
		uint64_t *plane = vs_vec_plane(to, at, k);

		memcpy(plane, vs_vec_plane(from, row, k), 8 * n_word);
		memset(plane + n_word, 0, 8 * rest);
	}
	if (t->f->ploidy == 1)
		vs_vec_double(to, at);
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

static int
store_genotypes(void *ctx, uint64_t lo, uint64_t hi, const void *rows)
{
	const struct loading *t = ctx;
	const struct vs_vec from = vectors_of(t->f, rows, hi - lo);
	int code = 0;

	for (uint64_t v = lo; v < hi && !code; v++) {
		size_t row = (size_t)(v - lo);

		if (is_dead(t->known, v))
			code = leave_out(t, &from, v, row);
		else
			put_genotypes(t, &from, row, place_of(t, v), v);
	}
	return code;
}

/* Order of each block: vectors that can pass, as in the file, then the
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
	int code = 0;

	t.at = vs_panel_begin(p, lo, (size_t)(hi - lo));
	if (vs_element_is_number(f->element) && f->element != b->element)
		return vs_packed_each(f, lo, hi, NULL, store_others, &t);
	if (vs_element_is_number(f->element))
		return vs_packed_each(f, lo, hi,
			(char *)b->at + t.at * b->stride, store_numbers, &t);
	if (vs_element_is_number(b->element))
		return vs_packed_each(f, lo, hi, NULL, store_bits, &t);
	if (known)
		code = find_places(&t, hi);
	if (!code)
		code = vs_packed_each(f, lo, hi, NULL, store_genotypes, &t);
	free(t.place);
	return code;
}

/* ---- some rows only ---- */

#define NEAR 4096 /* gap in rows that is read through rather than skipped */

/* The first of the wanted rows that is v or behind it. */
static uint64_t
seek_row(const struct vs_rows *w, uint64_t v)
{
	uint64_t lo = 0, hi = w->n;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;

		if ((uint64_t)w->row[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* One of them, row number `row` of those that were read. */
static int
put_one(const struct loading *t, const struct vs_vec *from, const void *rows,
	size_t row, size_t at, uint64_t number)
{
	const struct vs_numbers *b = &t->p->number;
	const char *bytes = rows;

	if (!vs_element_is_number(b->element)) {
		put_genotypes(t, from, row, at, number);
		return 0;
	}
	if (vs_element_is_number(t->f->element))
		put_numbers(t, bytes + row * t->f->row_bytes, at);
	else
		put_bits(t,
			(const uint8_t *)bytes + row * 2 * t->f->plane_bytes,
			at);
	return vs_panel_total(t->p, at, number, vs_h5_reader_path(t->f->file));
}

static int
store_some(void *ctx, uint64_t lo, uint64_t hi, const void *rows)
{
	const struct loading *t = ctx;
	const struct vs_rows *w = t->rows;
	const struct vs_vec from = vectors_of(t->f, rows, hi - lo);
	int code = 0;

	for (uint64_t k = seek_row(w, lo);
		k < w->n && (uint64_t)w->row[k] < hi && !code; k++) {
		size_t place = w->place ? w->place[k] : (size_t)k;

		code = put_one(t, &from, rows,
			(size_t)(w->row[k] - (int64_t)lo), t->at + place,
			w->first + place);
	}
	return code;
}

int
vs_load_vectors_rows(struct vs_packed *f, const struct vs_rows *w,
	struct vs_panel *p)
{
	struct loading t = { .f = f, .p = p, .rows = w };
	int code = 0;

	t.at = vs_panel_begin(p, w->first, (size_t)w->n);
	for (uint64_t from = 0, to; from < w->n && !code; from = to) {
		for (to = from + 1;
			to < w->n && w->row[to] - w->row[to - 1] < NEAR; to++)
			;
		code = vs_packed_each(f, (uint64_t)w->row[from],
			(uint64_t)w->row[to - 1] + 1, NULL, store_some, &t);
	}
	for (uint64_t k = 0; k < w->n; k++) {
		p->source[t.at + k] = (int64_t)(w->first + k);
		p->flip[t.at + k] = 0;
	}
	return code;
}

/* Mark the vectors whose labels are swapped. */
static int
load_flips(struct vs_packed *f, uint64_t lo, uint64_t hi, uint8_t *flip)
{
	struct vs_h5_reader_data *label = NULL;
	uint64_t dim = f->n_vec;
	int code;

	code = vs_h5_reader_data(f->file, "/vectors/allele1_source", VS_U8, 1,
		&dim, NULL, &label);
	if (!code)
		code = vs_h5_reader_rows(label, lo, hi, flip);
	for (size_t v = 0; v < hi - lo && !code; v++)
		flip[v] = flip[v] == VS_ALLELE_FIRST;
	vs_h5_reader_data_close(label);
	return code;
}

int
vs_load_vectors_panel(struct vs_packed *f, uint64_t lo, uint64_t hi,
	const struct vs_known *known, struct vs_panel *p)
{
	struct vs_h5_reader_data *row = NULL;
	uint64_t dim = f->n_vec;
	size_t at = p->n_vec;
	int code = vs_load_vectors_range(f, lo, hi, known, p);

	/* numbers have no labels, nor have bits that count as such */
	if (!code && !vs_element_is_number(p->number.element))
		code = load_flips(f, lo, hi, p->flip + at);
	if (!code)
		code = vs_h5_reader_data(f->file, "/vectors/source_row", VS_I64,
			1, &dim, NULL, &row);
	if (!code)
		code = vs_h5_reader_rows(row, lo, hi, p->source + at);
	vs_h5_reader_data_close(row);
	/* a block is large: free the unpacking buffers before counting */
	vs_h5_reader_rest(f->file);
	return code;
}
