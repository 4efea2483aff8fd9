/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clumps by the rule of PLINK's --clump: in order of increasing p-value, a
 * variant that is in no clump yet becomes the index of a new one; all variants
 * near it that exceed the bound with it, and are in no clump, join it.
 */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/fields.h"
#include "formats/in/text/lines.h"
#include "libcore/base/decimal.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/text.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"
#include "tools/threshold/clump.h"
#include "tools/threshold/haplotypes.h"

/* ---- p-values as written ---- */

/* Limits of the columns NSIG, S05, S01, S001 and S0001. */
#define N_STEP 4
static const char *const steps[N_STEP] = { "0.05", "0.01", "0.001", "0.0001" };

static const struct vs_decimal one = { "1", "1", 1, 1, 0, false };

/* -log10 of a decimal above 0, even below the range of doubles. */
static double
minus_log10(const struct vs_decimal *d)
{
	char digits[20] = "";
	size_t n = 0;

	for (size_t k = 0; k < d->n && n + 1 < sizeof(digits); k++)
		if (d->first[k] != '.')
			digits[n++] = d->first[k];
	return d->n ? (double)((int64_t)n - 1 - d->exponent) -
			log10(strtod(digits, NULL))
		    : INFINITY;
}

/* Below, equal to or above 0 as the p-value x is below, equal to or above the
 * decimal p. */
static int
compare_with(const struct vs_decimal *x, bool is_log,
	const struct vs_decimal *p)
{
	double log_x, log_p;

	if (!is_log)
		return vs_decimal_compare(x, p);
	log_x = strtod(x->text, NULL);
	log_p = minus_log10(p);
	return (log_x < log_p) - (log_x > log_p);
}

struct values {
	struct vs_decimal *p; /* by place; empty text: none */
	bool is_log;          /* it is -log10 of p */
	struct vs_decimal first, second, step[N_STEP];
	struct vs_text_pool text; /* p points into it */
};

/* ---- table of p-values ---- */

enum { ID, P, TEST, N_COLUMN };

struct table {
	const struct vs_clump *ask;
	struct vs_lines *lines;
	struct vs_fields fields; /* of the present line */
	size_t column[N_COLUMN]; /* SIZE_MAX: none */
	bool is_log;             /* the column has -log10 of p */
	bool tabs;               /* separated by tabs, else also blanks */
	size_t n_column;         /* number of columns in the header */
	struct vs_text_index index;
	const uint32_t *place; /* of a row of the sites */
	uint8_t *shared;       /* by row: other variants share its id */
	int64_t *number;       /* by place: start of the text of p, or -1 */
	struct vs_text_pool text;
	uint64_t n_unknown, n_test;
};

/* Names of columns in lower case and digits only, best first. */
static const char *const id_names[] = { "snp", "id", "rsid", "rs", "snpid",
	"markername", "markerid", "marker", "variantid", "variant", NULL };
static const char *const p_names[] = { "p", "pvalue", "pval", NULL };
static const char *const log_names[] = { "log10p", "neglog10p",
	"neglog10pvalue", "mlog10p", "minuslog10p", "log10pvalue", NULL };

/* Rank of a name in a list, from 0; -1: it is not there. */
static int
rank_of(const char *const *names, const char *word)
{
	char plain[32];
	size_t n = 0;

	for (; *word && n + 1 < sizeof(plain); word++)
		if (isalnum((unsigned char)*word))
			plain[n++] = (char)tolower((unsigned char)*word);
	plain[n] = '\0';
	for (int k = 0; names[k] && !*word; k++)
		if (!strcmp(names[k], plain))
			return k;
	return -1;
}

/* The names of columns, each with its NUL. */
static int
read_names(struct table *t, char *line, struct vs_text_pool *names)
{
	int code;

	while (*line == '#')
		line++;
	code = vs_fields_split(&t->fields, line, t->tabs);
	for (size_t c = 0; c < t->fields.n && !code; c++)
		code = vs_text_pool_add(names, vs_fields_text(&t->fields, c),
			t->fields.field[c].len + 1);
	return code;
}

/*
 * Find a column by the name given by an option, else by the best of names.
 * others  how many more columns match
 */
static size_t
find_column(const struct vs_text_pool *names, const char *given,
	const char *const *known, size_t *others)
{
	size_t best = SIZE_MAX;
	int least = INT_MAX;

	for (size_t c = 0; c < names->n; c++) {
		const char *name = vs_text_pool_string(names, c);
		int rank =
			given ? -!!strcmp(name, given) : rank_of(known, name);

		*others += rank >= 0;
		if (rank >= 0 && rank < least) {
			least = rank;
			best = c;
		}
	}
	*others -= best != SIZE_MAX;
	return best;
}

static int
fail_column(const struct table *t, const char *given, const char *option,
	const char *what)
{
	return given
		? vs_lines_fail(t->lines, "no column is called %s, as %s says",
			  given, option)
		: vs_lines_fail(t->lines,
			  "a header is needed that names a column of %s; "
			  "%s gives another name",
			  what, option);
}

/* Several columns may be meant. */
static void
say_column(const struct vs_text_pool *names, size_t column, const char *option,
	const char *what)
{
	vs_tool_warn("--clump: %s are taken from column %s; %s names another",
		what, vs_text_pool_string(names, column), option);
}

static int
read_header(struct table *t, char *line)
{
	static const char *const tests[] = { "test", NULL };
	const struct vs_clump *ask = t->ask;
	struct vs_text_pool names = { 0 };
	size_t n_id = 0, n_p = 0, n_log = 0, none = 0;
	int code;

	t->tabs = strchr(line, '\t') != NULL;
	code = read_names(t, line, &names);
	if (code)
		goto out;
	t->column[ID] = find_column(&names, ask->id_field, id_names, &n_id);
	t->column[P] = find_column(&names, ask->field, p_names, &n_p);
	t->column[TEST] = find_column(&names, NULL, tests, &none);
	t->n_column = names.n;
	if (ask->field)
		t->is_log = rank_of(log_names, ask->field) >= 0;
	else if (t->column[P] == SIZE_MAX) {
		t->column[P] = find_column(&names, NULL, log_names, &n_log);
		t->is_log = t->column[P] != SIZE_MAX;
	} else if (find_column(&names, NULL, log_names, &n_log) != SIZE_MAX)
		n_log++;
	if (t->column[ID] == SIZE_MAX)
		code = fail_column(t, ask->id_field, "--clump-id-field",
			"ids, such as SNP, ID, rsid or variant_id");
	else if (t->column[P] == SIZE_MAX)
		code = fail_column(t, ask->field, "--clump-field",
			"p-values, such as P, p_value or LOG10P");
	else if (ask->test && t->column[TEST] == SIZE_MAX)
		code = vs_lines_fail(t->lines,
			"no column is called TEST, which --clump-test reads");
	if (!code && n_id)
		say_column(&names, t->column[ID], "--clump-id-field", "ids");
	if (!code && (n_p || n_log))
		say_column(&names, t->column[P], "--clump-field", "p-values");
out:
	vs_text_pool_free(&names);
	return code;
}

static int
check_p(const struct table *t, const char *text, size_t len)
{
	struct vs_decimal p;

	if (!vs_decimal_read(text, len, &p) || p.minus ||
		(!t->is_log && vs_decimal_compare(&p, &one) > 0))
		return t->is_log
			? vs_lines_fail(t->lines,
				  "-log10 of P is %s, not 0 or more", text)
			: vs_lines_fail(t->lines, "P is %s, not from 0 to 1",
				  text);
	return 0;
}

static const char *
test_of(const struct vs_clump *c)
{
	return c->test ? c->test : "ADD";
}

static int
read_row(struct table *t, char *line)
{
	char *cell[N_COLUMN] = { NULL };
	size_t width[N_COLUMN] = { 0 };
	int64_t row, *number;
	int code = vs_fields_split(&t->fields, line, t->tabs);
	const size_t n = t->fields.n;

	if (code)
		return code;
	for (size_t c = t->n_column; c < n; c++)
		if (t->fields.field[c].len)
			return vs_lines_fail(t->lines,
				"more columns than the header names");
	for (int k = 0; k < N_COLUMN; k++) {
		const size_t c = t->column[k];

		if ((c != SIZE_MAX && c >= n) || (!t->tabs && n < t->n_column))
			return vs_lines_fail(t->lines,
				"fewer columns than the header names");
		if (c == SIZE_MAX)
			continue;
		cell[k] = vs_fields_text(&t->fields, c);
		width[k] = t->fields.field[c].len;
	}
	if (cell[TEST] && strcmp(cell[TEST], test_of(t->ask))) {
		t->n_test++;
		return 0;
	}
	if (vs_lines_word_missing(cell[P], width[P]))
		return 0;
	code = check_p(t, cell[P], width[P]);
	if (code)
		return code;
	row = vs_text_index_find(&t->index, cell[ID], width[ID]);
	if (row < 0) {
		t->n_unknown++;
		return 0;
	}
	if (t->shared[row])
		return vs_lines_fail(t->lines,
			"several variants of the vectors file are called %s; "
			"each needs an id of its own: set them by bcftools "
			"annotate --set-id, and pack again",
			cell[ID]);
	number = &t->number[t->place[row]];
	if (*number >= 0)
		return vs_lines_fail(t->lines, "variant %s occurs twice",
			cell[ID]);
	*number = (int64_t)t->text.n;
	return vs_text_pool_add(&t->text, cell[P], width[P] + 1);
}

static int
read_table(struct table *t)
{
	const char *path = t->ask->table;
	bool header = true;
	char *line;
	size_t len;
	int code = vs_lines_open(&t->lines, path);

	while (!code &&
		(code = vs_lines_next_full(t->lines, &line, &len)) == 1) {
		code = header ? read_header(t, line) : read_row(t, line);
		header = false;
	}
	vs_lines_close(t->lines);
	if (code)
		return code;
	if (header)
		return vs_fail(VS_EINPUT, "%s: is empty", path);
	if (!t->text.n && t->n_test)
		return vs_fail(VS_EINPUT,
			"%s: no variant of the result has a row whose TEST is "
			"%s; --clump-test names another test",
			path, test_of(t->ask));
	if (!t->text.n)
		return vs_fail(VS_EINPUT,
			"%s: has p-values of no variant of the result", path);
	if (t->n_test)
		vs_tool_warn("%s: %llu rows are left out whose TEST is not %s; "
			     "--clump-test names another test",
			path, (unsigned long long)t->n_test, test_of(t->ask));
	if (t->n_unknown)
		vs_tool_warn("%s: %llu of its variants are not among those of "
			     "the result",
			path, (unsigned long long)t->n_unknown);
	return 0;
}

/* Sort by place; text: what they point into */
static int
read_values(const struct vs_ld_graph *g, const struct vs_clump *c,
	struct values *v)
{
	struct table t = { .ask = c };
	uint32_t *place = NULL;
	int code = vs_mem_new(&place, g->n, sizeof(*place), "variants");

	VS_MEM_NEW(&code, t.number, g->n, "variants");
	VS_MEM_NEW(&code, v->p, g->n, "p-values");
	for (uint64_t a = 0; a < g->n && !code; a++) {
		place[g->names.row[g->vector[a]]] = (uint32_t)a;
		t.number[a] = -1;
	}
	if (!code)
		code = vs_text_index_make(&t.index, &g->names.sites.id);
	if (!code)
		code = vs_text_index_shared(&t.index, &t.shared);
	t.place = place;
	if (!code)
		code = read_table(&t);
	for (uint64_t a = 0; a < g->n && !code; a++)
		if (t.number[a] >= 0) {
			const char *text = vs_text_pool_string(&t.text,
				(size_t)t.number[a]);

			vs_decimal_read(text, strlen(text), &v->p[a]);
		}
	v->is_log = t.is_log;
	v->text = t.text;
	vs_text_index_free(&t.index);
	free(t.number);
	free(t.shared);
	vs_fields_free(&t.fields);
	free(place);
	return code;
}

/* ---- clumps ---- */

struct ranked {
	const struct vs_decimal *p;
	uint64_t at;
	int sign; /* -1 if the greatest is the most significant */
};

static int
by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int order = x->sign * vs_decimal_compare(x->p, y->p);

	return order ? order : x->at < y->at ? -1 : x->at > y->at;
}

/* Places with p of at most p1, lowest first. */
static int
rank(const struct vs_ld_graph *g, const struct values *v, struct ranked **out,
	uint64_t *n)
{
	int code;

	*n = 0;
	code = vs_mem_new(out, g->n, sizeof(**out), "variants");
	for (uint64_t a = 0; a < g->n && !code; a++)
		if (v->p[a].text &&
			compare_with(&v->p[a], v->is_log, &v->first) <= 0)
			(*out)[(*n)++] = (struct ranked){ &v->p[a], a,
				v->is_log ? -1 : 1 };
	if (!code)
		qsort(*out, *n, sizeof(**out), by_p);
	return code;
}

/* PLINK 1.9 excludes a variant at exactly this distance */
static bool
is_near(const struct vs_ld_graph *g, int64_t bases, uint64_t a, uint64_t b)
{
	return g->contig[a] >= 0 && g->contig[a] == g->contig[b] &&
		g->pos[a] > 0 && g->pos[b] > 0 &&
		llabs(g->pos[a] - g->pos[b]) < bases;
}

static const char *
id_of(const struct vs_ld_graph *g, uint64_t a, size_t *len)
{
	return vs_text_pool_get(&g->names.sites.id,
		(size_t)g->names.row[g->vector[a]], len);
}

/* Class of significance: 0 for 0.05 or more, 1 from 0.01, to 4 below 0.0001. */
static int
step_of(const struct values *v, uint64_t a)
{
	int n = 0;

	while (n < N_STEP && compare_with(&v->p[a], v->is_log, &v->step[n]) < 0)
		n++;
	return n;
}

/* A p-value as in the table or, if that has -log10, in six digits. */
static int
put_p(const struct values *v, uint64_t a, struct vs_text *out)
{
	double x, whole, digits;

	if (!v->is_log)
		return vs_text_add(out, "%s", v->p[a].text);
	x = strtod(v->p[a].text, NULL);
	whole = ceil(x);
	digits = pow(10, whole - x);
	if (digits >= 9.999995) {
		digits = 1;
		whole--;
	}
	return whole > 0 ? vs_text_add(out, "%.6ge-%02.0f", digits, whole)
			 : vs_text_add(out, "1");
}

/* Pairs of variants above the bound: from a result, or counted from vectors. */
struct pairs {
	struct vs_ld_graph graph;
	int64_t bases; /* for counting: what has been looked for */
	struct vs_packed *vectors;
	struct vs_haplotypes of; /* closed: the graph has them */
	double above;            /* for them */
	uint8_t *linked;         /* by place, to an index variant */
};

/* Leave a 1 in linked only where a place is linked to an index variant. */
static int
find_linked(struct pairs *p, uint64_t index, uint64_t from, uint64_t end)
{
	const struct vs_ld_graph *g = &p->graph;
	uint64_t k;

	if (p->of.f)
		return vs_haplotypes_linked(&p->of, g->vector[index],
			g->vector + from, end - from, p->above,
			p->linked + from);
	k = g->first[index];
	for (uint64_t b = from; b < end; b++) {
		while (k < g->first[index + 1] && g->to[k] < b)
			k++;
		p->linked[b] &= k < g->first[index + 1] && g->to[k] == b;
	}
	return 0;
}

/* Write a line on the clump of an index variant, whose members are then
 * used. */
static int
put_clump(struct pairs *p, const struct values *v, uint64_t index,
	uint8_t *used, struct vs_text *out)
{
	const struct vs_ld_graph *g = &p->graph;
	struct vs_text named = { 0 };
	uint64_t n[5] = { 0 }, total = 0, from = index, end = index + 1;
	struct vs_site site;
	size_t len;
	int code;

	used[index] = 1;
	while (from && is_near(g, p->bases, index, from - 1))
		from--;
	while (end < g->n && is_near(g, p->bases, index, end))
		end++;
	for (uint64_t b = from; b < end; b++)
		p->linked[b] = v->p[b].text && !used[b];
	code = find_linked(p, index, from, end);
	for (uint64_t b = from; b < end && !code; b++) {
		const char *id = id_of(g, b, &len);

		if (!p->linked[b])
			continue;
		used[b] = 1;
		n[step_of(v, b)]++;
		total++;
		if (compare_with(&v->p[b], v->is_log, &v->second) < 0)
			vs_text_add(&named, "%s%.*s(1)", named.len ? "," : "",
				(int)len, id);
	}
	vs_ld_graph_site(g, index, &site);
	vs_text_add(out, "%.*s\t1\t%.*s\t%lld\t", (int)site.contig_len,
		site.contig, (int)site.id_len, site.id, (long long)site.pos);
	put_p(v, index, out);
	code = named.code;
	if (!code)
		code = vs_text_add(out,
			"\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%s\n",
			(unsigned long long)total, (unsigned long long)n[0],
			(unsigned long long)n[1], (unsigned long long)n[2],
			(unsigned long long)n[3], (unsigned long long)n[4],
			named.len ? named.bytes : "NONE");
	vs_text_free(&named);
	return code;
}

static int
put_clumps(struct pairs *p, const struct values *v, struct vs_text *out,
	uint64_t *n_clump)
{
	struct ranked *order = NULL;
	uint8_t *used = NULL;
	uint64_t n;
	int code = rank(&p->graph, v, &order, &n);

	VS_MEM_NEW(&code, used, p->graph.n, "variants");
	VS_MEM_NEW(&code, p->linked, p->graph.n, "variants");
	if (!code)
		code = vs_text_add(out,
			"CHR\tF\tSNP\tBP\tP\tTOTAL\tNSIG\tS05\tS01\tS001\tS0001"
			"\tSP2\n");
	for (uint64_t k = 0; k < n && !code; k++)
		if (!used[order[k].at]) {
			code = put_clump(p, v, order[k].at, used, out);
			*n_clump += 1;
		}
	free(order);
	free(used);
	return code;
}

/* A bound if given, else the default. */
static struct vs_decimal
bound(const struct vs_decimal *given, const char *otherwise)
{
	struct vs_decimal d = *given;

	if (!d.text)
		vs_decimal_read(otherwise, strlen(otherwise), &d);
	return d;
}

/* The variants and pairs of a merged result. */
static int
open_result(struct pairs *p, const char *result, const char *vectors,
	double above)
{
	const struct vs_ld_window window = { .bases = p->bases };

	return vs_ld_graph_read(&p->graph, result, vectors, above, &window,
		true);
}

static int
open_vectors(struct pairs *p, const char *path)
{
	int code = vs_packed_open(&p->vectors, path, 0);

	if (!code)
		code = vs_haplotypes_open(&p->of, p->vectors, 0);
	return code ? code : vs_ld_graph_of_vectors(&p->graph, p->vectors);
}

int
vs_clump_write(const struct vs_clump *c, const char *input, bool is_vectors,
	const char *vectors, double above, const char *out, bool force)
{
	const struct vs_decimal kb = bound(&c->kb, "250"), none = { 0 };
	struct pairs p = { .bases = vs_decimal_bases(&kb), .above = above };
	struct values v = {
		.first = bound(&c->first, "1e-4"),
		.second = bound(&c->second, "0.01"),
	};
	struct vs_text text = { 0 };
	uint64_t n = 0;
	int code = strcmp(out, "-") ? vs_result_io_may_write(out, force) : 0;

	for (int k = 0; k < N_STEP; k++)
		v.step[k] = bound(&none, steps[k]);
	if (!code)
		code = is_vectors ? open_vectors(&p, input)
				  : open_result(&p, input, vectors, above);
	if (!code)
		code = read_values(&p.graph, c, &v);
	if (!code)
		code = put_clumps(&p, &v, &text, &n);
	if (!code)
		code = vs_result_io_print(out, &text);
	if (!code)
		vs_tool_close(out, "%llu clump%s", (unsigned long long)n,
			vs_text_s(n));
	vs_haplotypes_close(&p.of);
	vs_ld_graph_free(&p.graph);
	vs_packed_close(p.vectors);
	vs_text_free(&text);
	vs_text_pool_free(&v.text);
	free(p.linked);
	free(v.p);
	return code;
}
