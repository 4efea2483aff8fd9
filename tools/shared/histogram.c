/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "formats/asked.h"
#include "libcore/base/err.h"
#include "libcore/base/file.h"
#include "libcore/base/text.h"
#include "libcore/plan/comm.h"
#include "tools/shared/histogram.h"

int
vs_histogram_begin(struct vs_bins **bins, const struct vs_run *run,
	const struct vs_way *way, struct vs_pairs *job,
	struct vs_question *question)
{
	const struct vs_asked *asked = vs_asked_find(run->metric);
	/* frequencies are at most 1, and so is all but the multiplier */
	int code = vs_bins_new(bins, way->has_cells ? way->n + 1 : 1,
		asked->negative ? -1 : 0,
		way->has_cells ? run->ccc_multiplier : 1);

	if (code)
		return code;
	job->bins = *bins;
	question->prune = false;
	return 0;
}

/* "lo hi ALL LL LH HH": L a label 0, H a label 1. */
static int
head(struct vs_text *t, int n_class)
{
	int code = vs_text_add(t, "lo\thi\tALL");

	for (int class = 0; class < n_class && n_class > 1 && !code; class ++) {
		char name[4] = "";

		for (int k = 0; k < n_class - 1; k++)
			name[k] = k < n_class - 1 - class ? 'L' : 'H';
		code = vs_text_add(t, "\t%s", name);
	}
	return code ? code : vs_text_add(t, "\n");
}

static int
row(struct vs_text *t, const struct vs_bins *b, size_t k)
{
	double lo = (double)(b->least + (int64_t)k) / VS_BINS_A_UNIT;
	double hi = (double)(b->least + (int64_t)k + 1) / VS_BINS_A_UNIT;
	uint64_t all = 0;
	int code;

	for (int class = 0; class < b->n_class; class ++)
		all += b->n[(size_t) class * b->n_bucket + k];
	code = vs_text_add(t, "%.3f\t%.3f\t%llu", lo, hi,
		(unsigned long long)all);
	for (int class = 0; class < b->n_class && b->n_class > 1 && !code;
		class ++)
		code = vs_text_add(t, "\t%llu",
			(unsigned long long)
				b->n[(size_t) class * b->n_bucket + k]);
	return code ? code : vs_text_add(t, "\n");
}

/* Buckets to show: those up to 1, and as many more as are not empty. */
static size_t
shown(const struct vs_bins *b)
{
	size_t n = (size_t)(VS_BINS_A_UNIT + 1 - b->least);

	n = n < b->n_bucket ? n : b->n_bucket;
	for (size_t k = n; k < b->n_bucket; k++)
		for (int class = 0; class < b->n_class; class ++)
			if (b->n[(size_t) class * b->n_bucket + k])
				n = k + 1;
	return n;
}

static int
write_table(const struct vs_bins *b, const char *path)
{
	struct vs_text t = { 0 };
	size_t n = shown(b);
	int code = head(&t, b->n_class);

	for (size_t k = 0; k < n && !code; k++)
		code = row(&t, b, k);
	if (!code && strcmp(path, "-"))
		code = vs_file_write(path, t.bytes, t.len);
	else if (!code)
		fwrite(t.bytes, 1, t.len, stdout); /* looked at in the end */
	vs_text_free(&t);
	return code;
}

int
vs_histogram_write(struct vs_bins *bins, const char *path, uint64_t n_value)
{
	uint64_t want = n_value;

	vs_comm_sum_u64(&want, 1);
	vs_comm_sum_u64(bins->n, (int)((size_t)bins->n_class * bins->n_bucket));
	if (vs_bins_total(bins) != want)
		return vs_fail(VS_EMACHINE,
			"%llu values were counted of %llu: %s is not written",
			(unsigned long long)vs_bins_total(bins),
			(unsigned long long)want, path);
	return vs_comm_rank() ? 0 : write_table(bins, path);
}
