/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of summaries by pairs of groups: decay and grids. */
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "libcore/engine/histogram/summary.h"
#include "libcore/engine/histogram/value_histogram.h"
#include "tools/merge/summary_file.h"
#include "tools/shared/histogram_table.h"

/* ---- decay ---- */

static const int percent[] = { 5, 25, 50, 75, 95 };
#define QUANTILES (sizeof(percent) / sizeof(*percent))

/* The bucket of the least value that a share of all do not exceed, as its lower
 * end. */
static void
add_quantile(struct vs_text *text, const struct vs_summary_part *part,
	const vs_wide *bucket, vs_wide n, int share)
{
	const vs_wide rank = (n * (vs_wide)share + 99) / 100;
	size_t b = 0;

	for (vs_wide below = bucket[0]; below < rank; below += bucket[b])
		b++;
	vs_summary_file_real(text,
		(double)(part->least + (int64_t)b) / VS_VALUE_HISTOGRAM_A_UNIT);
}

/*
 * Append the row of a bin, unless it is empty.
 * sum     of values, and n of them
 * bucket  their histogram, or null
 */
static void
add_bin(struct vs_text *text, const struct vs_summary_part *part,
	const char *name, size_t len, size_t bin, const vs_wide of[2],
	const vs_wide *bucket)
{
	char n[VS_NUM_WIDE], from[VS_NUM_ROOM] = "NA", to[VS_NUM_ROOM] = "NA";

	if (!of[1])
		return;
	vs_num_print_wide(of[1], n);
	if (bin < (size_t)part->n_edge)
		vs_num_print(part->edge[bin], from);
	if (bin + 1 < (size_t)part->n_edge)
		vs_num_print(part->edge[bin + 1], to);
	vs_text_add(text, "%.*s\t%s\t%s\t%s\t", (int)len, name, from, to, n);
	vs_summary_file_mean(text, of[0], of[1]);
	for (size_t q = 0; q < QUANTILES; q++) {
		vs_text_add(text, bucket ? "\t" : "\tNA");
		if (bucket)
			add_quantile(text, part, bucket, of[1], percent[q]);
	}
	vs_text_add(text, "\n");
}

static int
write_decay(const struct vs_summary_tables *t,
	const struct vs_summary_part *part, const char *const *tail)
{
	const vs_wide *sum = vs_summary_file_counters(t, part),
		      *n = sum + part->n_cell, *bucket = n + part->n_cell;
	const size_t n_class = part->n_class, apart = part->n_cell - 1;
	struct vs_text text = { 0 };

	vs_text_add(&text, "chr\tfrom\tto\tn\tmean");
	for (size_t q = 0; q < QUANTILES; q++)
		vs_text_add(&text, "\tq%02d", percent[q]);
	vs_text_add(&text, "\n");
	for (size_t b = 0; b + 1 < n_class; b++) {
		vs_wide of[2] = { 0, 0 };

		for (size_t c = b; c < apart; c += n_class) {
			of[0] += sum[c];
			of[1] += n[c];
		}
		add_bin(&text, part, "all", 3, b, of,
			bucket + b * part->n_bucket);
	}
	add_bin(&text, part, "between", 7, n_class - 1,
		(vs_wide[2]){ sum[apart], n[apart] },
		bucket + (n_class - 1) * part->n_bucket);
	for (size_t c = 0; c < apart; c++) {
		size_t len;
		const char *name = vs_text_pool_get(&t->sites.contig_name,
			c / n_class, &len);

		add_bin(&text, part, name, len, c % n_class,
			(vs_wide[2]){ sum[c], n[c] }, NULL);
	}
	return vs_summary_file_put(t, tail[0], &text);
}

/* ---- grids ---- */

/* Rows and positions from the first to the last vector of a block. */
struct block {
	size_t n; /* vectors */
	int64_t row[2], pos[2];
	int32_t contig;
};

static void
add_name(struct vs_text *text, const struct vs_summary_tables *t,
	const struct vs_summary_part *part, const struct block *b)
{
	const int64_t *of = b->contig < 0 ? b->row : b->pos;
	size_t len = 4;
	const char *chr = b->contig < 0
		? "rows"
		: vs_text_pool_get(&t->sites.contig_name, (size_t)b->contig,
			  &len);

	vs_text_add(text, "%.*s", (int)len, chr);
	if (part->which != VS_SUMMARY_grid)
		vs_text_add(text, ":%lld-%lld", (long long)of[0],
			(long long)of[1]);
}

static int
find_blocks(const struct vs_summary_tables *t,
	const struct vs_summary_part *part, struct block **out)
{
	struct block *block;
	int code = vs_mem_new(out, part->n_group, sizeof(**out), "blocks");

	block = *out;
	for (size_t v = 0; v < t->sites.n && !code; v++) {
		struct block *b = block + part->group[v];
		const int64_t pos = t->sites.pos[v], row = (int64_t)v;

		if (part->group[v] < 0)
			continue;
		if (!b->n++)
			*b = (struct block){ 1, { row, row }, { pos, pos },
				t->sites.contig[v] };
		b->row[1] = row;
		b->pos[0] = pos < b->pos[0] ? pos : b->pos[0];
		b->pos[1] = pos > b->pos[1] ? pos : b->pos[1];
	}
	return code;
}

/* One square table: of means, or of numbers of pairs. */
static int
write_square(const struct vs_summary_tables *t,
	const struct vs_summary_part *part, const struct block *block,
	const char *tail, bool means)
{
	const vs_wide *sum = vs_summary_file_counters(t, part),
		      *n = sum + part->n_cell;
	struct vs_text text = { 0 };

	vs_text_add(&text, means ? "mean" : "n");
	for (size_t a = 0; a < part->n_group; a++) {
		vs_text_add(&text, "\t");
		add_name(&text, t, part, block + a);
	}
	for (size_t a = 0; a < part->n_group; a++) {
		vs_text_add(&text, "\n");
		add_name(&text, t, part, block + a);
		for (size_t b = 0; b < part->n_group; b++) {
			const size_t c = vs_summary_between(a, b);
			char number[VS_NUM_WIDE];

			vs_num_print_wide(n[c], number);
			vs_text_add(&text, "\t%s", means ? "" : number);
			if (means)
				vs_summary_file_mean(&text, sum[c], n[c]);
		}
	}
	vs_text_add(&text, "\n");
	return vs_summary_file_put(t, tail, &text);
}

static int
write_grid(const struct vs_summary_tables *t,
	const struct vs_summary_part *part, const char *const *tail)
{
	struct block *block = NULL;
	int code = find_blocks(t, part, &block);

	for (int k = 0; k < 2 && !code; k++)
		code = write_square(t, part, block, tail[k], !k);
	free(block);
	return code;
}

/* ---- histogram ---- */

static int
write_histogram(const struct vs_summary_tables *t,
	const struct vs_summary_part *part, const char *const *tail)
{
	const struct vs_metric *m = vs_metric_find(t->run->metric);
	struct vs_value_histogram *b = NULL;
	struct vs_text text = { 0 };
	int code = vs_value_histogram_new(&b, 1,
		vs_metric_lowest(m, t->numbers), m->highest);

	(void)part;
	if (code)
		return code;
	vs_summary_histogram_to(&t->plan, t->counts.count, b);
	vs_histogram_table(&text, b);
	vs_value_histogram_free(b);
	return vs_summary_file_put(t, tail[0], &text);
}

const struct vs_summary_writer
	vs_summary_decay_writer = { { ".decay.tsv" }, write_decay },
	vs_summary_histogram_writer = { { ".histogram.tsv" }, write_histogram },
	vs_summary_grid_writer = { { ".grid.tsv", ".grid.n.tsv" }, write_grid },
	vs_summary_grid_kb_writer = { { ".grid-kb.tsv", ".grid-kb.n.tsv" },
		write_grid },
	vs_summary_grid_sites_writer = {
		{ ".grid-sites.tsv", ".grid-sites.n.tsv" }, write_grid
	};
