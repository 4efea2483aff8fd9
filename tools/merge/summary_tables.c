/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the summaries of a run, from the counters of its shards. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/engine/histogram/summary.h"
#include "tools/merge/summary_tables.h"
#include "tools/shared/site_filter.h"
#include "tools/shared/vector_names.h"

static const struct vs_summary_writer *const writers[] = {
#define SUMMARY(name, ...) &vs_summary_##name##_writer,
#include "libcore/metric/summary_rows.h"
#undef SUMMARY
};

/* ---- the counters ---- */

static int
add_all(struct vs_summary_tables *t)
{
	const struct vs_merge_survey *m = t->in;
	int code = 0;

	vs_tile_counts_summary(&t->counts, vs_summary_size(&t->plan));
	code = vs_mem_new(&t->counts.count, t->counts.n,
		sizeof(*t->counts.count), "summary");
	for (size_t s = 0; s < m->files.n && !code; s++) {
		const char *name = vs_text_pool_string(&m->files, s);
		struct vs_result *r = NULL;
		bool has = false;

		code = vs_result_open(&r, name, 0);
		if (!code)
			code = vs_tile_counts_add_file(&t->counts, r->file,
				&has);
		if (!code && !has)
			code = vs_fail(VS_EINPUT,
				"%s: has no summary; run vsim-run again", name);
		vs_result_close(r);
	}
	return code;
}

/* Check that each wanted pair was summed up once. */
static int
check_all(const struct vs_summary_tables *t)
{
	const uint64_t n = (uint64_t)t->run->n_vectors;
	const vs_wide is = t->counts.count[t->plan.n];
	char found[VS_NUM_WIDE], all[VS_NUM_WIDE];
	uint64_t want = *t->run->pair_filter ? (uint64_t)t->run->filtered_pairs
					     : n * (n - 1) / 2;
	int code = 0;

	if (!*t->run->pair_filter && t->run->wanted.by_sets)
		code = vs_wanted_count(&t->run->wanted, &want);
	if (code)
		return code;

	if (is == want)
		return 0;
	vs_num_print_wide(is, found);
	vs_num_print_wide(want, all);
	return vs_fail(VS_EINPUT,
		"%s: its summaries are of %s pairs, and the run of %s: start "
		"again, in an empty directory",
		t->name, found, all);
}

/* ---- files ---- */

static int
set_vectors(struct vs_summary_tables *t, struct vs_packed *vectors,
	const struct vs_summary_ask *ask)
{
	int code = vs_packed_sites(vectors, &t->sites);

	t->ploidy = vectors->ploidy;
	t->numbers = vs_element_is_number(vectors->element);
	return code ? code
		    : vs_site_filter_summary(&t->plan, ask, vectors,
			      vs_metric_find(t->run->metric));
}

static int
open_tables(struct vs_summary_tables *t)
{
	struct vs_summary_ask ask;
	struct vs_packed *vectors = NULL;
	int code;

	if (t->ask->partial || t->ask->part || t->ask->unpermute)
		return vs_fail(VS_EUSAGE,
			"--partial, --part and --unpermute are for records: %s "
			"has summaries, of a whole run, by row of its vectors "
			"file",
			t->name);
	if (!vs_summary_ask_read(t->run->summary, &ask))
		return vs_fail(VS_EINPUT,
			"%s: has a summary that this version does not know: %s",
			t->name, t->run->summary);
	code = vs_vector_names_open(&vectors, t->run, t->name, t->ask->vectors,
		"");
	if (!code)
		code = set_vectors(t, vectors, &ask);
	vs_packed_close(vectors);
	return code;
}

int
vs_summary_tables_read(struct vs_summary_tables *t,
	const struct vs_merge_survey *m)
{
	int code;

	t->in = m;
	t->ask = m->ask;
	t->name = vs_merge_survey_name(m);
	t->run = &m->first->run;
	t->look = true;
	code = open_tables(t);
	if (!code)
		code = add_all(t);
	if (!code)
		code = check_all(t);
	if (!code)
		code = vs_summary_restore_rows(&t->plan, &t->run->wanted,
			t->counts.count);
	if (!code)
		code = vs_summary_tables_write(t);
	t->look = false;
	return code;
}

int
vs_summary_tables_write(const struct vs_summary_tables *t)
{
	int code = 0;

	for (int p = 0; p < t->plan.n_part && !code; p++) {
		const struct vs_summary_part *part = &t->plan.part[p];

		code = writers[part->which]->write(t, part,
			writers[part->which]->tail);
	}
	return code;
}

int
vs_summary_tables_of(const struct vs_merge_shards *to, const struct vs_run *run,
	struct vs_packed *vectors, const struct vs_summary_ask *ask,
	const struct vs_tile_counts *counts, bool look)
{
	struct vs_summary_tables t = { .ask = to,
		.name = to->out,
		.run = run,
		.counts = *counts,
		.look = look };
	int code = set_vectors(&t, vectors, ask);

	if (!code && !look)
		code = check_all(&t);
	if (!code && !look)
		code = vs_summary_restore_rows(&t.plan, &run->wanted,
			t.counts.count);
	if (!code)
		code = vs_summary_tables_write(&t);
	t.counts = (struct vs_tile_counts){ 0 };
	vs_summary_tables_free(&t);
	return code;
}

void
vs_summary_tables_free(struct vs_summary_tables *t)
{
	vs_tile_counts_free(&t->counts);
	vs_summary_plan_free(&t->plan);
	vs_sites_free(&t->sites);
}
