/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of a result as lines of text, all or those of selected vectors, on
 * all threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/results/block_map.h"
#include "formats/results/result_seen.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/base/rng.h"
#include "tools/shared/joint.h"
#include "tools/shared/record_line.h"
#include "tools/shared/result_io.h"
#include "tools/view/result_lines.h"

/* Text of a block of records, and cached texts of vectors. */
struct vs_result_lines_hand {
	struct vs_out text;
	struct vs_column_cache *cache;
};

static bool
is_undefined(const struct vs_undefined *u, const struct vs_record *r)
{
	const uint64_t end[3] = { r->i, r->j, r->k };

	return r->value == 0 &&
		vs_undefined_is(u, end, r->k == VS_NO_VEC ? 2 : 3);
}

/* True if all records are wanted, and shown as they come. */
static bool
is_plain(const struct vs_result_lines *v)
{
	return !v->thresholds && !v->ids->in && !v->regions->in &&
		!v->min_joint && !v->omit && !v->sorter && !v->best && !v->head;
}

static bool
wanted(const struct vs_result_lines *v, const struct vs_record *r)
{
	return (!v->thresholds ||
		       vs_thresholds_exceeded(v->thresholds,
			       vs_run_strong(&v->result->run), r)) &&
		vs_selection_includes(v->ids, r, v->both) &&
		vs_selection_includes(v->regions, r, v->both) &&
		vs_joint_keeps(r, v->min_joint) &&
		!(v->omit && is_undefined(v->omit, r));
}

/* The table behind a line and its scores; permutations do not depend on the
 * line's place. */
static int
score(const struct vs_result_lines *v, const struct vs_line *line,
	struct vs_scores *s)
{
	uint64_t seed = v->seed;
	int n_way = line->rec.k == VS_NO_VEC ? 2 : 3, code = 0;

	vs_contingency_score(v->tables, line->vec, n_way, v->fitted, s);
	for (int e = 0; e < n_way; e++)
		seed = vs_rng_at(seed, line->vec[e]);
	if (v->permuted)
		code = vs_contingency_permute(v->tables, line->vec, n_way,
			v->permutations, seed, s);
	return code || !v->refit
		? code
		: vs_refit_score(v->refit, line->vec, n_way, s);
}

static double
p_family(const struct vs_run *run, double value)
{
	return vs_null_maxima_p(run->null_maxima, run->permutations,
		vs_run_strong(run), !strcmp(run->value_type, "f32"), value);
}

/* Keep a record for later, or see that it is not wanted; VS_DONE: it is enough.
 * Sets *later unless the record is to be shown now. */
static int
select_record(struct vs_result_lines *v, const struct vs_record *r, bool *later)
{
	*later = true;
	if (!wanted(v, r))
		return 0;
	if (v->sorter)
		return vs_sorter_add(v->sorter, r, 1);
	if (v->best)
		return vs_strongest_takes(v->best, r)
			? vs_strongest_add(v->best, r)
			: 0;
	*later = false;
	/* only on one thread: show_first() */
	return v->head && !v->left-- ? VS_DONE : 0;
}

/* Compute the columns of a line that no record or site has. */
static int
compute(const struct vs_result_lines *v, struct vs_line *line,
	const struct vs_record *r, struct vs_scores *scores)
{
	if (v->by_family)
		line->p_family = p_family(&v->result->run, r->value);
	if (v->test)
		line->q = vs_p_value_q(v->test, r);
	if (v->pairs)
		line->r = vs_contingency_r(v->pairs, line->vec);
	return v->tables ? score(v, line, scores) : 0;
}

/* Lines of records, each thread with a writer of its own. */
static int
put_records(struct vs_result_lines *v, struct vs_writer *writer,
	const struct vs_record *rec, size_t n)
{
	void (*put)(struct vs_writer *, const struct vs_line *) =
		v->marking ? writer->kind->mark : writer->kind->line;
	const bool plain = is_plain(v),
		   computed = v->by_family || v->test || v->pairs || v->tables;
	struct vs_scores scores;
	struct vs_value_text text[VS_RECORD_LINE_BATCH];
	struct vs_line line = { .scores = &scores };
	const bool printed =
		plain && !v->marking && vs_record_line_has_value(writer);
	bool later = false;
	int code = 0;

	for (size_t x = 0; x < n && !code; x++) {
		if (n - x > VS_RECORD_LINE_AHEAD)
			vs_record_line_fetch(v->names, writer->cache,
				&rec[x + VS_RECORD_LINE_AHEAD]);
		if (rec[x].i < v->lo || rec[x].i >= v->hi)
			return vs_fail(VS_EINPUT,
				"%s: is damaged: a record of vector %llu is "
				"not where the index has it; restore it or "
				"recreate it",
				vs_h5_reader_path(v->result->file),
				(unsigned long long)rec[x].i);
		if (printed && x % VS_RECORD_LINE_BATCH == 0)
			vs_value_text(rec + x,
				vs_min_size(n - x, VS_RECORD_LINE_BATCH),
				writer->show->f32, text);
		line.text = printed ? &text[x % VS_RECORD_LINE_BATCH] : NULL;
		if (!plain)
			code = select_record(v, &rec[x], &later);
		if (code || later)
			continue;
		code = vs_record_line_make(v->names, v->original, &rec[x],
			&line);
		if (!code && computed)
			code = compute(v, &line, &rec[x], &scores);
		if (!code)
			put(writer, &line);
		if (!code && vs_out_closed(writer->out))
			code = writer->out->code;
	}
	return code;
}

static int
show_records(void *with, struct vs_record *rec, size_t n)
{
	struct vs_result_lines *v = with;

	return put_records(v, v->writer, rec, n);
}

/* Print the text of a block into a thread's memory. */
static int
print_block(void *with, int thread, struct vs_record *rec, uint64_t lo,
	size_t n)
{
	struct vs_result_lines *v = with;
	struct vs_writer writer = *v->writer;
	struct vs_result_lines_hand *h = &v->hand[thread];
	int code = 0;

	(void)lo;
	if (!h->text.buf)
		code = vs_out_memory(&h->text);
	if (!code && !h->cache)
		code = vs_column_cache_new(&h->cache);
	writer.out = &h->text;
	writer.cache = h->cache;
	return code ? code : put_records(v, &writer, rec, n);
}

static int
write_block(void *with, int thread)
{
	struct vs_result_lines *v = with;

	return vs_out_pass(v->writer->out, &v->hand[thread].text);
}

/* Records [0, n), on all threads. */
static int
show_first(struct vs_result_lines *v, uint64_t n)
{
	struct vs_block_work work = { v, print_block, write_block };
	int n_thread = vs_h5_n_thread(), code;
	struct vs_block_map *map = NULL;

	if (v->sorter || v->best || v->head)
		return vs_result_io_each(v->result, 0, n, show_records, v);
	code = vs_mem_new(&v->hand, (size_t)n_thread, sizeof(*v->hand),
		"threads");
	if (!code)
		code = vs_block_map_new(&map, n_thread);
	if (!code)
		code = vs_block_map_run(map, v->result, n, &work);
	vs_block_map_free(map);
	for (int t = 0; t < n_thread && v->hand; t++) {
		free(v->hand[t].text.buf);
		vs_column_cache_free(v->hand[t].cache);
	}
	free(v->hand);
	v->hand = NULL;
	return code;
}

/*
 * If both ends are selected, only the slices of selected first ends are read.
 * If one is, its record may have any smaller first end, but no greater one.
 */
static int
show_picked(struct vs_result_lines *v, const struct vs_selection *pick)
{
	int64_t *at = NULL;
	int code = vs_result_index(v->result, &at);

	if (code || !pick->n_in)
		goto out;
	v->hi = pick->last + 1;
	if (!v->both)
		code = show_first(v, (uint64_t)at[v->hi]);
	for (uint64_t lo = 0; v->both && lo < pick->n_vec && !code;) {
		uint64_t hi = lo + 1;

		while (hi < pick->n_vec && pick->in[hi] == pick->in[lo])
			hi++;
		v->lo = lo;
		v->hi = hi;
		if (pick->in[lo])
			code = vs_result_io_each(v->result, (uint64_t)at[lo],
				(uint64_t)at[hi], show_records, v);
		lo = hi;
	}
out:
	free(at);
	return code;
}

/* Records that are wanted, marked or written. */
static int
show_wanted(struct vs_result_lines *v)
{
	const struct vs_selection *pick = v->ids->in ? v->ids : v->regions;

	v->lo = 0;
	v->hi = UINT64_MAX;
	v->left = v->head;
	return pick->in && v->result->kind == VS_KIND_MERGED
		? show_picked(v, pick)
		: show_first(v, v->result->n_records);
}

/* Records that are wanted, the strongest of which fit the memory, sorted. */
static int
show_best(struct vs_result_lines *v, enum vs_record_order order)
{
	struct vs_strongest best = { .most = (size_t)v->head, .order = order };
	int code;

	v->best = &best;
	code = show_wanted(v);
	v->best = NULL;
	vs_strongest_trim(&best);
	v->lo = 0;
	v->hi = UINT64_MAX;
	v->left = v->head;
	if (!code)
		code = put_records(v, v->writer, best.rec, best.n);
	vs_strongest_free(&best);
	return code;
}

/* Records that are wanted, sorted. */
static int
show_sorted(struct vs_result_lines *v)
{
	const enum vs_record_order order =
		vs_record_strongest_first(vs_run_strong(&v->result->run));
	struct vs_sorter *s = NULL;
	struct vs_record *rec;
	size_t n = 1;
	int code;

	/* half as many again, and as much for sorting them */
	if (v->head && v->head <= v->memory / (3 * sizeof(*rec)))
		return show_best(v, order);
	code = vs_sorter_new(&s, order, v->beside, v->memory);

	if (!code) {
		v->sorter = s;
		code = show_wanted(v);
		v->sorter = NULL;
	}
	v->lo = 0;
	v->hi = UINT64_MAX;
	v->left = v->head;
	while (!code && n) {
		code = vs_sorter_next(s, &rec, &n);
		if (!code)
			code = put_records(v, v->writer, rec, n);
	}
	vs_sorter_free(s);
	return code;
}

/* The code of a walk; it ends by itself after the last record of head. */
static int
unless_head(const struct vs_result_lines *v, int code)
{
	return code == VS_DONE && v->head && v->left == UINT64_MAX ? 0 : code;
}

int
vs_result_lines_write(struct vs_result_lines *v)
{
	struct vs_writer *writer = v->writer;
	int code = vs_result_watch(v->result, false);

	if (!code && writer->kind->mark) {
		v->marking = true;
		code = unless_head(v,
			v->head && v->by_value ? show_sorted(v)
					       : show_wanted(v));
		v->marking = false;
		if (!code)
			code = writer->kind->marked(writer);
	}
	if (!code)
		code = unless_head(v,
			v->by_value ? show_sorted(v) : show_wanted(v));
	if (!code && writer->kind->finish)
		code = writer->kind->finish(writer);
	return code ? code : vs_result_seen_check(v->result);
}
