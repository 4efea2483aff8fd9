/* SPDX-License-Identifier: BSD-3-Clause */
/* Histogram of all values as a table: option --metric-histogram. */
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/text.h"
#include "libcore/engine/histogram/summary.h"
#include "libcore/metric/metric.h"
#include "libcore/plan/comm.h"
#include "tools/run/histogram.h"
#include "tools/shared/histogram_table.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"

int
vs_histogram_begin(struct vs_value_histogram **histogram,
	struct vs_tile_counts *counts, const struct vs_run *run,
	const struct vs_run_kind *way, struct vs_job *job,
	struct vs_query *query)
{
	const struct vs_metric *m = vs_metric_find(run->metric);
	/* frequencies are at most 1, as is all but the multiplier */
	int code = vs_value_histogram_new(histogram,
		way->has_cells ? way->n + 1 : 1,
		vs_metric_lowest(m, vs_element_is_number(query->element)),
		way->has_cells ? run->ccc_multiplier : m->highest);

	if (code || query->summary)
		return code;
	*counts = (struct vs_tile_counts){ .n_row = vs_value_histogram_rows(
						   *histogram),
		.least = (*histogram)->least,
		.n_bucket = (int64_t)(*histogram)->n_bucket,
		.n = vs_value_histogram_size(*histogram),
		.count = (*histogram)->n };
	job->histogram = *histogram;
	query->prune = false;
	query->values = true;
	return 0;
}

static int
write_table(const struct vs_value_histogram *b, const char *path)
{
	struct vs_text t = { 0 };
	int code = vs_histogram_table(&t, b);

	if (!code)
		code = vs_result_io_print(path, &t);
	vs_text_free(&t);
	return code;
}

#define AT_ONCE 1024

/* In parts of 32 bits, which do not overflow when ranks add theirs. */
static void
sum_ranks(vs_wide *sum, size_t n)
{
	uint64_t part[4 * AT_ONCE];

	for (size_t at = 0; at < n; at += AT_ONCE) {
		size_t now = n - at < AT_ONCE ? n - at : AT_ONCE;

		for (size_t k = 0; k < 4 * now; k++)
			part[k] = (uint32_t)(sum[at + k / 4] >> k % 4 * 32);
		vs_comm_sum_u64(part, (int)(4 * now));
		memset(sum + at, 0, now * sizeof(*sum));
		for (size_t k = 0; k < 4 * now; k++)
			sum[at + k / 4] += (vs_wide)part[k] << k % 4 * 32;
	}
}

/* Check that everything was counted: the values, and for each combination one
 * sum of its cells, or none. */
static int
check(const struct vs_value_histogram *histogram, const char *path,
	vs_wide want)
{
	char text[VS_NUM_WIDE], of[VS_NUM_WIDE];

	vs_num_print_wide(vs_value_histogram_total(histogram), text);
	vs_num_print_wide(want, of);
	if (vs_value_histogram_total(histogram) != want)
		return vs_fail(VS_EMACHINE,
			"%s values were counted of %s: %s is not written", text,
			of, path);
	if (histogram->n_class > 1)
		want /= 1u << (histogram->n_class - 1);
	if (histogram->n_class > 1 &&
		vs_value_histogram_sums(histogram) + *histogram->apart != want)
		return vs_fail(VS_EMACHINE,
			"sums of two cells were not counted once for each "
			"combination: %s is not written",
			path);
	return 0;
}

int
vs_histogram_check(const struct vs_value_histogram *histogram, const char *dir,
	vs_wide want)
{
	const vs_wide n = vs_value_histogram_total(histogram) + *histogram->few;
	char text[VS_NUM_WIDE], of[VS_NUM_WIDE];

	vs_num_print_wide(n, text);
	vs_num_print_wide(want, of);
	return n == want ? 0
			 : vs_fail(VS_EINPUT,
				   "%s: has histograms of %s values, and tiles "
				   "of %s: start again, in an empty directory",
				   dir, text, of);
}

static int
write_all(struct vs_value_histogram *histogram, const char *path,
	const struct vs_histogram_proof *of)
{
	char text[VS_NUM_WIDE], all[VS_NUM_WIDE];
	vs_wide want = of->n_value;
	int code = 0;

	sum_ranks(&want, 1);
	sum_ranks(histogram->few, 1);
	sum_ranks(histogram->apart, 1);
	sum_ranks(histogram->n,
		(size_t)vs_value_histogram_rows(histogram) *
			histogram->n_bucket);
	vs_num_print_wide(*histogram->few, text);
	vs_num_print_wide(want, all);
	if (*histogram->few && of->counts)
		vs_tool_say("%s of %s values are left out by --min-joint", text,
			all);
	if (of->counts)
		code = check(histogram, path, want - *histogram->few);
	return code || vs_comm_rank() ? code : write_table(histogram, path);
}

#define SLICE (64u << 20) /* bytes of vectors that are processed together */

/* This rank's share of the vectors [from, to). */
static int
add_vectors(struct vs_totals_proof *l, const struct vs_job *job, uint64_t from,
	uint64_t to)
{
	const uint64_t rank = (uint64_t)vs_comm_rank();
	const uint64_t n_rank = (uint64_t)vs_comm_size();
	const uint64_t end = from + (to - from) * (rank + 1) / n_rank;
	uint64_t most = SLICE / VS_PANEL_BYTES(l->n_word) + 1, lo;
	int code = 0;

	for (lo = from + (to - from) * rank / n_rank; lo < end && !code;
		lo += most) {
		struct vs_panel p = { 0 };
		uint64_t n = end - lo < most ? end - lo : most;

		code = vs_panel_room(&p, (size_t)n, l->n_field);
		if (!code)
			code = job->load(job->ctx, lo, lo + n, &p);
		if (!code)
			vs_totals_proof_add(l, &p);
		vs_panel_free(&p);
	}
	if (!code)
		vs_totals_proof_count(l);
	return code;
}

static int
compare(const struct vs_value_histogram *b,
	const vs_wide want[VS_TOTALS_PROOF_CLASSES], uint64_t fold)
{
	for (int class = 0; class < b->n_class; class ++) {
		char name[4], found[VS_NUM_WIDE], all[VS_NUM_WIDE];

		vs_histogram_table_class(b->n_class, class, name);
		vs_num_print_wide(b->sum[class] / fold, found);
		vs_num_print_wide(want[class] / fold, all);
		if (b->sum[class] != want[class])
			return vs_fail(VS_EMACHINE,
				"the counts of %s sum to %s, the fields to %s: "
				"not all was counted once; do not use the "
				"result",
				name, found, all);
		vs_tool_say("the counts of %s sum to %s, as the fields do",
			name, found);
	}
	return 0;
}

/* Sums over all combinations of the vectors [from, to); collective. */
static int
sum_fields(const struct vs_job *job, const struct vs_run_kind *way,
	uint64_t from, uint64_t to, vs_wide sum[VS_TOTALS_PROOF_CLASSES])
{
	struct vs_totals_proof l = { 0 };
	int code;

	memset(sum, 0, VS_TOTALS_PROOF_CLASSES * sizeof(*sum));
	if (from == to)
		return 0;
	code = vs_totals_proof_new(&l, to - from, job->query->n_field);
	if (!code)
		code = add_vectors(&l, job, from, to);
	code = vs_comm_agree(code);
	if (!code) {
		vs_comm_sum_u64(&l.n_vec, 1);
		vs_comm_sum_u64(l.n, (int)(3 * l.n_field));
		vs_totals_proof_sums(&l, way->n, sum);
	}
	vs_totals_proof_free(&l);
	return code;
}

static int
prove(struct vs_value_histogram *histogram, const struct vs_job *job,
	const struct vs_run_kind *way)
{
	const struct vs_between *of = &job->plan->of;
	const uint64_t n = job->plan->n_vec;
	vs_wide want[VS_TOTALS_PROOF_CLASSES], part[VS_TOTALS_PROOF_CLASSES];
	uint64_t fold = 1;
	int code;

	if (histogram->n_class == 1)
		return 0;
	sum_ranks(histogram->sum, VS_TOTALS_PROOF_CLASSES);
	for (int k = 0; k < way->n; k++)
		fold *= (uint64_t)job->query->alleles->recipe.fold;
	/* all pairs except those within either set alone */
	code = sum_fields(job, way, 0, n, want);
	for (int side = 0; side < 2 && !code; side++) {
		code = sum_fields(job, way, side ? n - of->n_second : 0,
			side ? n : of->n_first, part);
		for (int k = 0; k < VS_TOTALS_PROOF_CLASSES; k++)
			want[k] -= part[k];
	}
	return code ? code : compare(histogram, want, fold);
}

int
vs_histogram_end(struct vs_value_histogram *histogram, const char *path,
	const struct vs_histogram_proof *of, const struct vs_job *job,
	const struct vs_run_kind *way)
{
	int code = of->sums ? prove(histogram, job, way) : 0;

	if (job->query->summary)
		vs_summary_histogram_to(job->query->summary, of->summed,
			histogram);
	code = vs_comm_agree(code);
	return code ? code : write_all(histogram, path, of);
}
