/* SPDX-License-Identifier: BSD-3-Clause */
/* Order of vectors: random, by frequency, sum, position or source, or as
 * listed. */
#include <stdlib.h>
#include <string.h>

#include "formats/in/text/lines.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/base/rng.h"
#include "tools/permute/vector_order.h"
#include "tools/shared/tool.h"

struct order {
	const struct vs_vector_order *ask;
	struct vs_packed *in;
	const struct vs_sites *sites;
	const void *sums; /* of numbers, if they are ordered by sum */
	int64_t *row;
	uint64_t n;
	bool turned; /* ids of a list that matched except for chr */
};

/* ---- comparisons ---- */

static int
signed_of(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Rows break ties, so that the sort is stable. */
static int
order_result(const struct order *o, int way, int64_t a, int64_t b)
{
	if (!way)
		return signed_of(a, b);
	return o->ask->reverse ? -way : way;
}

/* Exact: compare s / c of both by cross products below 2^60. */
static int
by_frequency(const void *x, const void *y, void *with)
{
	const struct order *o = with;
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	int64_t s_p, c_p, s_q, c_q;
	struct vs_site p, q;

	vs_sites_get(o->sites, (size_t)a, &p);
	vs_sites_get(o->sites, (size_t)b, &q);
	vs_sites_alleles(&p, o->sites->ploidy, &s_p, &c_p);
	vs_sites_alleles(&q, o->sites->ploidy, &s_q, &c_q);

	/* if all calls are missing the frequency counts as 0 */
	c_p += !c_p;
	c_q += !c_q;
	return order_result(o, signed_of(s_p * c_q, s_q * c_p), a, b);
}

static int
by_sum(const void *x, const void *y, void *with)
{
	const struct order *o = with;
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	const double *s = o->sums;
	const uint64_t *n = o->sums;

	return order_result(o,
		vs_element_is_integer(o->in->element)
			? (n[a] > n[b]) - (n[a] < n[b])
			: (s[a] > s[b]) - (s[a] < s[b]),
		a, b);
}

/* Unknown places come last in either direction. */
static int
by_position(const void *x, const void *y, void *with)
{
	const struct order *o = with;
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	int32_t p = o->sites->contig[a], q = o->sites->contig[b];
	int64_t u = o->sites->pos[a], w = o->sites->pos[b];

	if ((p < 0) != (q < 0))
		return p < 0 ? 1 : -1;
	if (p != q)
		return order_result(o, signed_of(p, q), a, b);
	if ((u <= 0) != (w <= 0))
		return u <= 0 ? 1 : -1;
	return order_result(o, signed_of(u, w), a, b);
}

static int
by_source(const void *x, const void *y, void *with)
{
	const struct order *o = with;
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return signed_of(o->sites->source_row[a], o->sites->source_row[b]);
}

static void
shuffle(int64_t *order, uint64_t n, uint64_t seed)
{
	struct vs_rng rng;

	vs_rng_seed(&rng, seed);
	for (uint64_t k = n; k > 1; k--) {
		uint64_t other = vs_rng_below(&rng, k);
		int64_t t = order[k - 1];

		order[k - 1] = order[other];
		order[other] = t;
	}
}

/* ---- order of a list ---- */

/* The row named by one line of the list. */
static int
listed_row(struct order *o, const struct vs_text_index *ids,
	const uint8_t *doubled, const char *line, size_t len, int64_t *row)
{
	int64_t r;

	if (!strcmp(o->ask->by, "row")) {
		if (!vs_num_int(line, &r) || r < 0 || (uint64_t)r >= o->n)
			return vs_fail(VS_EINPUT,
				"%s is not a row from 0 to %llu", line,
				(unsigned long long)o->n - 1);
	} else {
		r = vs_sites_find(ids, line, len, &o->turned);
		if (r < 0)
			return vs_fail(VS_EINPUT, "no vector has the id %s",
				line);
		if (doubled[r])
			return vs_fail(VS_EINPUT,
				"several vectors have the id %s; list rows and "
				"say --by row",
				line);
	}
	*row = r;
	return 0;
}

static int
read_lines(struct order *o, struct vs_lines *l, const struct vs_text_index *ids,
	const uint8_t *doubled, int64_t *line_of)
{
	const char *name = vs_lines_name(l);
	char *line;
	int64_t row = 0;
	uint64_t n = 0;
	size_t len;
	int code;

	while ((code = vs_lines_next_full(l, &line, &len)) == 1) {
		code = listed_row(o, ids, doubled, line, len, &row);
		if (!code && line_of[row])
			code = vs_fail(VS_EINPUT, "%s is also on line %lld",
				line, (long long)line_of[row]);
		if (code)
			return vs_fail_at(code, "%s: line %llu", name,
				(unsigned long long)vs_lines_number(l));
		line_of[row] = (int64_t)vs_lines_number(l);
		o->row[n++] = row;
	}
	if (code || n == o->n)
		return code;
	for (row = 0; line_of[row]; row++)
		;
	return vs_fail(VS_EINPUT,
		"%s: lists %llu of %llu vectors, row %lld is the first that is "
		"missing; take subsets with vsim-pack --extract",
		name, (unsigned long long)n, (unsigned long long)o->n,
		(long long)row);
}

static int
order_by_list(struct order *o)
{
	struct vs_text_index ids = { 0 };
	uint8_t *doubled = NULL;
	int64_t *line_of = NULL;
	struct vs_lines *l = NULL;
	int code = vs_mem_new(&line_of, o->n, sizeof(*line_of), "the list");

	if (!code)
		code = vs_text_index_make(&ids, &o->sites->id);
	if (!code)
		code = vs_text_index_shared(&ids, &doubled);
	if (!code)
		code = vs_lines_open(&l, o->ask->list);
	if (!code)
		code = read_lines(o, l, &ids, doubled, line_of);
	if (o->turned)
		vs_tool_say("%s: " VS_CHR_TURNED, o->ask->list);
	vs_lines_close(l);
	vs_text_index_free(&ids);
	free(doubled);
	free(line_of);
	return code;
}

/* Genotypes have frequencies and positions, numbers have sums. */
static int
check_order(const struct order *o)
{
	bool numbers = vs_element_is_number(o->in->element);
	bool sum = !strcmp(o->ask->name, "sum");
	bool genotypes = !strcmp(o->ask->name, "frequency") ||
		!strcmp(o->ask->name, "position");

	if ((sum && !numbers) || (genotypes && numbers))
		return vs_fail(VS_EINPUT, "%s: holds %s: --order %s is for %s",
			vs_h5_reader_path(o->in->file),
			numbers ? "numbers" : "genotypes", o->ask->name,
			numbers ? "genotypes, sum for numbers"
				: "numbers, frequency for genotypes");
	return 0;
}

static const struct {
	const char *name;
	int (*compare)(const void *, const void *, void *);
} sorted[] = {
	{ "frequency", by_frequency },
	{ "sum", by_sum },
	{ "position", by_position },
	{ "source", by_source },
};

int
vs_vector_order_make(const struct vs_vector_order *ask, struct vs_packed *in,
	const struct vs_sites *sites, int64_t **row)
{
	struct order o = { ask, in, sites, NULL, NULL, in->n_vec, false };
	void *sums = NULL;
	int code = check_order(&o);

	VS_MEM_NEW(&code, o.row, o.n, "the order");
	for (uint64_t r = 0; !code && r < o.n; r++)
		o.row[r] = (int64_t)r;
	if (!code && !strcmp(ask->name, "sum"))
		code = vs_packed_sums(in, &sums);
	o.sums = sums;
	if (code)
		goto out;
	if (!strcmp(ask->name, "list"))
		code = order_by_list(&o);
	else if (!strcmp(ask->name, "random"))
		shuffle(o.row, o.n, (uint64_t)ask->seed);
	for (size_t k = 0; k < sizeof(sorted) / sizeof(*sorted); k++)
		if (!strcmp(ask->name, sorted[k].name))
			qsort_r(o.row, o.n, sizeof(*o.row), sorted[k].compare,
				&o);
out:
	free(sums);
	if (code)
		free(o.row);
	else
		*row = o.row;
	return code;
}
