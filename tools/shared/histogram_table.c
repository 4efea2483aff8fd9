/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of a histogram of values. */
#include <string.h>

#include "tools/shared/histogram_table.h"

void
vs_histogram_table_class(int n_class, int class, char name[4])
{
	memset(name, 0, 4);
	for (int k = 0; k < n_class - 1; k++)
		name[k] = k < n_class - 1 - class ? 'L' : 'H';
}

/* "lo hi ALL LL LH HH LL+HH" */
static int
head(struct vs_text *t, int n_class)
{
	vs_text_add(t, "lo\thi\tALL");
	for (int class = 0; class < n_class && n_class > 1; class ++) {
		char name[4];

		vs_histogram_table_class(n_class, class, name);
		vs_text_add(t, "\t%s", name);
	}
	if (n_class > 1)
		vs_text_add(t, "\t%s", n_class > 3 ? "LLL+HHH" : "LL+HH");
	return vs_text_add(t, "\n");
}

static int
row(struct vs_text *t, const struct vs_value_histogram *b, size_t k)
{
	double lo = (double)(b->least + (int64_t)k) / VS_VALUE_HISTOGRAM_A_UNIT;
	double hi =
		(double)(b->least + (int64_t)k + 1) / VS_VALUE_HISTOGRAM_A_UNIT;
	char text[VS_NUM_WIDE];
	vs_wide all = 0;

	for (int class = 0; class < b->n_class; class ++)
		all += b->n[(size_t) class * b->n_bucket + k];
	vs_num_print_wide(all, text);
	vs_text_add(t, "%.3f\t%.3f\t%s", lo, hi, text);
	for (int class = 0;
		class < vs_value_histogram_rows(b) && b->n_class > 1;
		class ++) {
		vs_num_print_wide(b->n[(size_t) class * b->n_bucket + k], text);
		vs_text_add(t, "\t%s", text);
	}
	return vs_text_add(t, "\n");
}

/* Number of buckets to show: those up to 1, and further ones that are not
 * empty. */
static size_t
shown(const struct vs_value_histogram *b)
{
	size_t n = (size_t)(VS_VALUE_HISTOGRAM_A_UNIT + 1 - b->least);

	n = n < b->n_bucket ? n : b->n_bucket;
	for (size_t k = n; k < b->n_bucket; k++)
		for (int class = 0; class < vs_value_histogram_rows(b);
			class ++)
			if (b->n[(size_t) class * b->n_bucket + k])
				n = k + 1;
	return n;
}

int
vs_histogram_table(struct vs_text *t, const struct vs_value_histogram *b)
{
	const size_t n = shown(b);
	int code = head(t, b->n_class);

	for (size_t k = 0; k < n && !code; k++)
		code = row(t, b, k);
	return code;
}
