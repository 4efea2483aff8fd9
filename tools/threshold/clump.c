/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clumps by the rule of PLINK's --clump: from the least p-value to the
 * greatest, a variant that is in no clump yet becomes the index of one, and all
 * near it that exceed the bound with it, and are in none, go into it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/lines.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"
#include "tools/threshold/clump.h"

/* ---- table of p-values ---- */

struct table {
	struct vs_lines *lines;
	size_t id, p; /* columns */
	struct vs_text_index index;
	const uint32_t *place; /* of a row of the sites */
	double *value;         /* by place, NaN: there is none */
	uint64_t n, n_unknown;
};

/* The columns SNP, or ID, and P. */
static int
read_header(struct table *t, char *line)
{
	char *at = line, *word;
	size_t len, n = 0;

	t->id = t->p = SIZE_MAX;
	for (; (word = vs_lines_word(&at, &len)); n++) {
		if (!n)
			while (*word == '#')
				word++;
		if (!strcmp(word, "P"))
			t->p = n;
		else if (!strcmp(word, "SNP") || !strcmp(word, "ID"))
			t->id = n;
	}
	if (t->id == SIZE_MAX || t->p == SIZE_MAX)
		return vs_lines_fail(t->lines,
			"a header is needed that names columns SNP, or ID, and "
			"P");
	return 0;
}

static int
read_row(struct table *t, char *line)
{
	char *at = line, *word, *id = NULL;
	size_t len, id_len = 0, p_len = 0;
	const char *text = NULL;
	int64_t row;
	double p;

	for (size_t n = 0; (word = vs_lines_word(&at, &len)); n++) {
		if (n == t->id) {
			id = word;
			id_len = len;
		}
		if (n == t->p) {
			text = word;
			p_len = len;
		}
	}
	if (!id || !text)
		return vs_lines_fail(t->lines,
			"fewer columns than the header names");
	if (vs_lines_word_missing(text, p_len))
		return 0;
	if (!vs_num_real(text, &p) || !(p >= 0 && p <= 1))
		return vs_lines_fail(t->lines, "P is %s, not from 0 to 1",
			text);
	row = vs_text_index_find(&t->index, id, id_len);
	if (row < 0) {
		t->n_unknown++;
		return 0;
	}
	if (!isnan(t->value[t->place[row]]))
		return vs_lines_fail(t->lines, "variant %s stands twice", id);
	t->value[t->place[row]] = p;
	t->n++;
	return 0;
}

static int
read_table(struct table *t, const char *path)
{
	bool header = true;
	char *line;
	size_t len;
	int code = vs_lines_open(&t->lines, path);

	while (!code &&
		(code = vs_lines_next_full(t->lines, &line, &len)) == 1) {
		code = header ? read_header(t, line) : read_row(t, line);
		header = false;
	}
	if (!code && header)
		code = vs_fail(VS_EINPUT, "%s: is empty", path);
	if (!code && !t->n)
		code = vs_fail(VS_EINPUT,
			"%s: has p-values of no variant of the result", path);
	vs_lines_close(t->lines);
	return code;
}

/* value: [n] by place */
static int
read_values(const struct vs_ld_graph *g, const char *path, double *value)
{
	struct table t = { .value = value };
	uint32_t *place = NULL;
	int code = vs_mem_new(&place, g->n, sizeof(*place), "variants");

	for (uint64_t a = 0; a < g->n && !code; a++) {
		place[g->names.row[g->vector[a]]] = (uint32_t)a;
		value[a] = NAN;
	}
	t.place = place;
	if (!code)
		code = vs_text_index_make(&t.index, &g->names.sites.id);
	if (!code)
		code = read_table(&t, path);
	if (!code && t.n_unknown)
		vs_tool_warn("%s: %llu of its variants are not among those of "
			     "the result",
			path, (unsigned long long)t.n_unknown);
	vs_text_index_free(&t.index);
	free(place);
	return code;
}

/* ---- clumps ---- */

struct ranked {
	double p;
	uint64_t at;
};

static int
by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Places of a p of c->first or less, the least first. */
static int
rank(const struct vs_ld_graph *g, const struct vs_clump *c, const double *p,
	struct ranked **out, uint64_t *n)
{
	int code;

	*n = 0;
	code = vs_mem_new(out, g->n, sizeof(**out), "variants");
	for (uint64_t a = 0; a < g->n && !code; a++)
		if (p[a] <= c->first)
			(*out)[(*n)++] = (struct ranked){ p[a], a };
	if (!code)
		qsort(*out, *n, sizeof(**out), by_p);
	return code;
}

static bool
is_near(const struct vs_ld_graph *g, const struct vs_clump *c, uint64_t a,
	uint64_t b)
{
	return g->contig[a] >= 0 && g->contig[a] == g->contig[b] &&
		g->pos[a] > 0 && g->pos[b] > 0 &&
		fabs((double)(g->pos[a] - g->pos[b])) <= c->kb * 1e3;
}

static const char *
id_of(const struct vs_ld_graph *g, uint64_t a, size_t *len)
{
	return vs_text_pool_get(&g->names.sites.id,
		(size_t)g->names.row[g->vector[a]], len);
}

/* How significant: 0 of 0.05 or more, 1 from 0.01, to 4 below 0.0001. */
static int
step_of(double p)
{
	return p >= 0.05    ? 0
		: p >= 0.01 ? 1
		: p >= 1e-3 ? 2
		: p >= 1e-4 ? 3
			    : 4;
}

/* A line on the clump of an index variant, whose members are used now. */
static int
put_clump(const struct vs_ld_graph *g, const struct vs_clump *c,
	const double *p, uint64_t index, uint8_t *used, struct vs_text *out)
{
	struct vs_text named = { 0 };
	uint64_t n[5] = { 0 }, total = 0;
	char number[VS_NUM_ROOM];
	struct vs_site site;
	size_t len;
	int code = 0;

	used[index] = 1;
	for (uint64_t k = g->first[index]; k < g->first[index + 1] && !code;
		k++) {
		const uint64_t b = g->to[k];
		const char *id = id_of(g, b, &len);

		if (used[b] || isnan(p[b]) || !is_near(g, c, index, b))
			continue;
		used[b] = 1;
		n[step_of(p[b])]++;
		total++;
		if (p[b] <= c->second)
			code = vs_text_add(&named, "%s%.*s(1)",
				named.len ? "," : "", (int)len, id);
	}
	vs_sites_get(&g->names.sites, (size_t)g->names.row[g->vector[index]],
		&site);
	vs_num_print(p[index], number);
	if (!code)
		code = vs_text_add(out,
			"%.*s\t1\t%.*s\t%lld\t%s\t%llu\t%llu\t%llu\t%llu\t%llu"
			"\t%llu\t%s\n",
			(int)site.contig_len, site.contig, (int)site.id_len,
			site.id, (long long)site.pos, number,
			(unsigned long long)total, (unsigned long long)n[0],
			(unsigned long long)n[1], (unsigned long long)n[2],
			(unsigned long long)n[3], (unsigned long long)n[4],
			named.len ? named.bytes : "NONE");
	vs_text_free(&named);
	return code;
}

static int
put_clumps(const struct vs_ld_graph *g, const struct vs_clump *c,
	const double *p, struct vs_text *out, uint64_t *n_clump)
{
	struct ranked *order = NULL;
	uint8_t *used = NULL;
	uint64_t n;
	int code = rank(g, c, p, &order, &n);

	if (!code)
		code = vs_mem_new(&used, g->n, 1, "variants");
	if (!code)
		code = vs_text_add(out,
			"CHR\tF\tSNP\tBP\tP\tTOTAL\tNSIG\tS05\tS01\tS001\tS0001"
			"\tSP2\n");
	for (uint64_t k = 0; k < n && !code; k++)
		if (!used[order[k].at]) {
			code = put_clump(g, c, p, order[k].at, used, out);
			*n_clump += 1;
		}
	free(order);
	free(used);
	return code;
}

int
vs_clump_write(const struct vs_clump *c, const char *result,
	const char *vectors, double above, const char *out, bool force)
{
	const struct vs_ld_window window = { .kb = c->kb };
	struct vs_ld_graph g = { 0 };
	struct vs_text text = { 0 };
	uint64_t n = 0;
	double *p = NULL;
	int code = strcmp(out, "-") ? vs_result_io_may_write(out, force) : 0;

	if (!code)
		code = vs_ld_graph_read(&g, result, vectors, above, &window,
			true);
	if (!code)
		code = vs_mem_new(&p, g.n, sizeof(*p), "p-values");
	if (!code)
		code = read_values(&g, c->table, p);
	if (!code)
		code = put_clumps(&g, c, p, &text, &n);
	if (!code)
		code = vs_result_io_print(out, &text);
	if (!code)
		vs_tool_close(out, "%llu clumps", (unsigned long long)n);
	vs_ld_graph_free(&g);
	vs_text_free(&text);
	free(p);
	return code;
}
