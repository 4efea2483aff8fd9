/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the summaries of a run, from the counters of its shards. */
#include <stdlib.h>
#include <string.h>

#include "formats/h5/deflate.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"
#include "libcore/base/text.h"
#include "libcore/engine/histogram/summary.h"
#include "tools/merge/summary_tables.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"
#include "tools/shared/vector_names.h"

struct tables {
	const struct vs_merge_survey *in;
	const struct vs_run *run;
	struct vs_summary_plan plan;
	struct vs_tile_counts counts;
	struct vs_sites sites;
	int ploidy;
};

/* ---- the counters ---- */

static int
add_all(struct tables *t)
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
check_all(const struct tables *t)
{
	const uint64_t n = (uint64_t)t->run->n_vectors;
	const vs_wide is = t->counts.count[t->counts.n - 1],
		      want = *t->run->pair_filter
		? (vs_wide)t->run->filtered_pairs
		: (vs_wide)n * (n - 1) / 2;
	char found[VS_NUM_WIDE], all[VS_NUM_WIDE];

	if (is == want)
		return 0;
	vs_num_print_wide(is, found);
	vs_num_print_wide(want, all);
	return vs_fail(VS_EINPUT,
		"%s: its summaries are of %s pairs, and the run of %s: start "
		"again, in an empty directory",
		vs_merge_survey_name(t->in), found, all);
}

static vs_wide
counter(const struct tables *t, int row, uint64_t v)
{
	return t->counts.count[(uint64_t)row * t->plan.n_vec + v];
}

/* ---- files ---- */

#define SCORES ".l2.ldscore.gz"
#define NUMBER ".l2.M"
#define COMMON ".l2.M_5_50"
#define DEGREE ".degree.tsv"

/* Refuse existing files before anything is written. */
static int
may_write(const struct tables *t)
{
	static const char *const tail[] = { SCORES, NUMBER, COMMON, DEGREE };
	int code = 0;

	for (int k = t->plan.ask.ldscore ? 0 : 3;
		k < (t->plan.ask.n_degree ? 4 : 3) && !code; k++) {
		struct vs_text path = { 0 };

		code = vs_text_add(&path, "%s%s", t->in->ask->out, tail[k]);
		if (!code)
			code = vs_result_io_may_write(path.bytes,
				t->in->ask->force);
		vs_text_free(&path);
	}
	return code;
}

static int
write_file(const struct tables *t, const char *tail, const struct vs_text *text,
	bool pack)
{
	struct vs_text path = { 0 }, packed = { 0 };
	int code = vs_text_add(&path, "%s%s", t->in->ask->out, tail);

	if (!code && pack)
		code = vs_deflate_pack_gzip(text->bytes, text->len,
			&packed.bytes, &packed.len);
	if (!code && pack)
		code = vs_file_write(path.bytes, packed.bytes, packed.len);
	else if (!code)
		code = vs_file_write(path.bytes, text->bytes, text->len);
	if (!code)
		vs_tool_close(path.bytes, "%zu vector%s", (size_t)t->plan.n_vec,
			vs_text_s((uint64_t)t->plan.n_vec));
	vs_text_free(&packed);
	vs_text_free(&path);
	return code;
}

static int
add_real(struct vs_text *t, double value, char end)
{
	char number[VS_NUM_ROOM];
	int n = vs_num_print(value, number);

	number[n] = end;
	return vs_text_put(t, number, (size_t)n + 1);
}

/* ---- LD scores, in the format of LDSC ---- */

/* True unless all calls of a variant are equal and so no r2 is defined. */
static bool
varies(const struct vs_site *site)
{
	return (site->count[0] > 0) + (site->count[1] > 0) +
		(site->count[2] > 0) >
		1;
}

/* True if the frequency of the rarer allele is above 5 %. */
static bool
is_common(const struct tables *t, const struct vs_site *site)
{
	int64_t one, all;

	vs_sites_alleles(site, t->ploidy, &one, &all);
	return 20 * one > all && 20 * (all - one) > all;
}

static int
write_number(const struct tables *t, const char *tail, uint64_t n)
{
	struct vs_text text = { 0 };
	int code = vs_text_add(&text, "%llu\n", (unsigned long long)n);

	if (!code)
		code = write_file(t, tail, &text, false);
	vs_text_free(&text);
	return code;
}

static int
write_ldscore(const struct tables *t)
{
	struct vs_text text = { 0 };
	uint64_t n = 0, n_common = 0;
	int code = vs_text_add(&text, "CHR\tSNP\tBP\tL2\n");

	for (uint64_t v = 0; v < t->plan.n_vec && !code; v++) {
		struct vs_site s;

		vs_sites_get(&t->sites, v, &s);
		if (!varies(&s))
			continue;
		n++;
		n_common += is_common(t, &s);
		code = vs_text_add(&text, "%.*s\t%.*s\t%lld\t",
			s.contig_len ? (int)s.contig_len : 1,
			s.contig_len ? s.contig : ".", (int)s.id_len, s.id,
			(long long)s.pos);
		/* its r2 with itself is 1 */
		if (!code)
			code = add_real(&text,
				vs_summary_real(
					counter(t, 0, v) + vs_summary_one()),
				'\n');
	}
	if (!code)
		code = write_file(t, SCORES, &text, true);
	if (!code)
		code = write_number(t, NUMBER, n);
	if (!code)
		code = write_number(t, COMMON, n_common);
	if (!code && n < t->plan.n_vec)
		vs_tool_warn("%llu of %llu variants are constant and have no "
			     "LD score",
			(unsigned long long)(t->plan.n_vec - n),
			(unsigned long long)t->plan.n_vec);
	vs_text_free(&text);
	return code;
}

/* ---- partners above thresholds ---- */

static int
write_degree(const struct tables *t)
{
	const struct vs_summary_ask *ask = &t->plan.ask;
	struct vs_text text = { 0 };
	int code = vs_text_add(&text, "i\tid");

	for (int k = 0; k < ask->n_degree && !code; k++) {
		code = vs_text_add(&text, "\t%c", t->plan.lower ? '<' : '>');
		if (!code)
			code = add_real(&text, ask->degree[k], 0);
		text.len -= !code;
	}
	for (uint64_t v = 0; v < t->plan.n_vec && !code; v++) {
		struct vs_site s;

		vs_sites_get(&t->sites, v, &s);
		code = vs_text_add(&text, "\n%llu\t%.*s", (unsigned long long)v,
			(int)s.id_len, s.id);
		for (int k = 0; k < ask->n_degree && !code; k++)
			code = vs_text_add(&text, "\t%llu",
				(unsigned long long)counter(t, ask->ldscore + k,
					v));
	}
	if (!code)
		code = vs_text_add(&text, "\n");
	if (!code)
		code = write_file(t, DEGREE, &text, false);
	vs_text_free(&text);
	return code;
}

/* ---- all ---- */

static int
open_tables(struct tables *t)
{
	struct vs_summary_ask ask;
	struct vs_packed *vectors = NULL;
	int code;

	if (t->in->ask->partial || t->in->ask->part || t->in->ask->unpermute)
		return vs_fail(VS_EUSAGE,
			"--partial, --part and --unpermute are for records: %s "
			"has summaries, of a whole run, by row of its vectors "
			"file",
			vs_merge_survey_name(t->in));
	if (!vs_summary_ask_read(t->run->summary, &ask))
		return vs_fail(VS_EINPUT,
			"%s: has a summary that this version does not know: %s",
			vs_merge_survey_name(t->in), t->run->summary);
	vs_summary_plan(&t->plan, &ask, (uint64_t)t->run->n_vectors,
		vs_metric_find(t->run->metric));
	code = vs_vector_names_open(&vectors, t->run,
		vs_merge_survey_name(t->in), t->in->ask->vectors, "");
	if (!code)
		code = vs_packed_sites(vectors, &t->sites);
	if (!code)
		t->ploidy = vectors->ploidy;
	vs_packed_close(vectors);
	return code;
}

int
vs_summary_tables_write(const struct vs_merge_survey *m)
{
	struct tables t = { .in = m, .run = &m->first->run };
	int code = open_tables(&t);

	if (!code)
		code = may_write(&t);
	if (!code)
		code = add_all(&t);
	if (!code)
		code = check_all(&t);
	if (!code && t.plan.ask.ldscore)
		code = write_ldscore(&t);
	if (!code && t.plan.ask.n_degree)
		code = write_degree(&t);
	vs_tile_counts_free(&t.counts);
	vs_sites_free(&t.sites);
	return code;
}
