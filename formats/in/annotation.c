/* SPDX-License-Identifier: BSD-3-Clause */
/* Annotations of variants, in the form of LDSC's .annot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/in/annotation.h"
#include "formats/in/text/lines.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"

#define MOST_COLUMNS (VS_SITES_ANNOTATIONS + 4)

struct table {
	struct vs_lines *lines;
	size_t n_column, id_at; /* column of ids; n_column: none */
	bool is_value[MOST_COLUMNS];
	struct vs_text_pool name, id;
	double *value; /* [n_row][name.n] */
	size_t n_row, room;
};

/* The beginning of a string of a pool, for messages. */
static struct text {
	char text[64];
} text_of(const struct vs_text_pool *p, size_t k)
{
	struct text t;
	size_t len;
	const char *s = vs_text_pool_get(p, k, &len);

	snprintf(t.text, sizeof(t.text), "%.*s", (int)len, s);
	return t;
}

/* Names of columns that place a variant. */
static bool
places(const char *name)
{
	return !strcasecmp(name, "CHR") || !strcasecmp(name, "BP") ||
		!strcasecmp(name, "SNP") || !strcasecmp(name, "CM");
}

static int
read_header(struct table *t, const struct vs_word *word, size_t n)
{
	struct vs_text_index known = { 0 };
	int64_t twice = -1;
	double x;
	int code = 0;

	t->n_column = t->id_at = n;
	for (size_t k = 0; k < n && !code; k++) {
		t->is_value[k] = !places(word[k].text);
		if (!strcasecmp(word[k].text, "SNP"))
			t->id_at = k;
		if (t->is_value[k] && vs_num_real(word[k].text, &x))
			return vs_lines_fail(t->lines,
				"names of columns expected, '%s' found; put a "
				"line such as \"CHR BP SNP CM coding\" first",
				word[k].text);
		if (t->is_value[k])
			code = vs_text_pool_add(&t->name, word[k].text,
				word[k].len);
	}
	if (!code && (!t->name.n || t->name.n > VS_SITES_ANNOTATIONS))
		return vs_lines_fail(t->lines,
			"1 to %d annotations expected besides CHR BP SNP CM, "
			"%zu found",
			VS_SITES_ANNOTATIONS, t->name.n);
	if (!code)
		code = vs_text_index_make(&known, &t->name);
	if (!code)
		twice = vs_text_index_duplicate(&known);
	if (twice >= 0)
		code = vs_lines_fail(t->lines,
			"two annotations are named '%s'; rename one",
			text_of(&t->name, (size_t)twice).text);
	vs_text_index_free(&known);
	return code;
}

static int
add_row(struct table *t, const struct vs_word *word, size_t n)
{
	double *to;
	int code;

	if (n != t->n_column)
		return vs_lines_fail(t->lines,
			"has %zu columns, its header %zu", n, t->n_column);
	code = vs_mem_grow(&t->value, &t->room, (t->n_row + 1) * t->name.n,
		sizeof(*t->value), "annotations");
	if (!code && t->id_at < n)
		code = vs_text_pool_add(&t->id, word[t->id_at].text,
			word[t->id_at].len);
	if (code)
		return code;
	to = t->value + t->n_row++ * t->name.n;
	for (size_t k = 0; k < n; k++)
		if (t->is_value[k] &&
			(!vs_num_real(word[k].text, to) ||
				!(fabs(*to++) <= VS_SITES_ANNOTATED_MOST)))
			return vs_lines_fail(t->lines,
				"column %zu: number expected, '%s' found; "
				"state 0 where an annotation does not apply",
				k + 1, word[k].text);
	return 0;
}

static int
read_table(struct table *t)
{
	struct vs_word *word = NULL;
	char *line;
	size_t len, n;
	int code = vs_mem_room(&word, MOST_COLUMNS + 1, sizeof(*word), "words");

	while (!code &&
		(code = vs_lines_next_full(t->lines, &line, &len)) == 1) {
		n = vs_lines_words(&line, word, MOST_COLUMNS + 1);
		code = n > MOST_COLUMNS
			? vs_lines_fail(t->lines, "more than %d annotations",
				  VS_SITES_ANNOTATIONS)
			: t->n_column ? add_row(t, word, n)
				      : read_header(t, word, n);
	}
	free(word);
	if (!code && !t->n_column)
		code = vs_fail(VS_EINPUT,
			"%s: is empty; give a table of annotations",
			vs_lines_name(t->lines));
	return code;
}

/* ---- rows of variants ---- */

static int
match_by_row(const struct table *t, const struct vs_sites *s)
{
	return t->n_row == s->n
		? 0
		: vs_fail(VS_EINPUT,
			  "%s: has no column SNP, and %zu rows for %zu "
			  "variants; add that column, or give a row to each",
			  vs_lines_name(t->lines), t->n_row, s->n);
}

/* Rows of variants by id. A table of the same ids in the same order may repeat
 * some. */
static int
match_by_id(const struct table *t, const struct vs_sites *s, size_t *row)
{
	struct vs_text_index by_id = { 0 };
	size_t n_same = 0, n_absent = 0, first = 0, len, have;
	bool turned = false;
	int64_t twice;
	int code = vs_text_index_make(&by_id, &t->id);

	for (size_t v = 0; v < s->n && t->n_row == s->n && !code; v++) {
		const char *a = vs_text_pool_get(&s->id, v, &len),
			   *b = vs_text_pool_get(&t->id, v, &have);

		n_same += len == have && !memcmp(a, b, len);
	}
	twice = code || n_same == s->n ? -1 : vs_text_index_duplicate(&by_id);
	for (size_t v = 0; v < s->n && !code && n_same < s->n; v++) {
		const char *id = vs_text_pool_get(&s->id, v, &len);
		const int64_t at = vs_sites_find(&by_id, id, len, &turned);

		if (at < 0 && !n_absent++)
			first = v;
		row[v] = (size_t)at;
	}
	vs_text_index_free(&by_id);
	if (!code && twice >= 0)
		code = vs_fail(VS_EINPUT,
			"%s: %s occurs twice; keep one of its rows",
			vs_lines_name(t->lines),
			text_of(&t->id, (size_t)twice).text);
	if (!code && n_absent)
		code = vs_fail(VS_EINPUT,
			"%s: has no row for %zu of %zu variants, first %s; add "
			"these, or leave them out by --extract",
			vs_lines_name(t->lines), n_absent, s->n,
			text_of(&s->id, first).text);
	return code;
}

static int
take(struct table *t, struct vs_sites *s)
{
	const size_t n = t->name.n;
	size_t *row = NULL;
	int code = vs_mem_room(&row, s->n, sizeof(*row), "annotations");

	for (size_t v = 0; v < s->n && !code; v++)
		row[v] = v;
	if (!code)
		code = t->id_at < t->n_column ? match_by_id(t, s, row)
					      : match_by_row(t, s);
	if (!code)
		code = vs_mem_room(&s->annotated, s->n, n * sizeof(double),
			"annotations");
	for (size_t v = 0; v < s->n && !code; v++)
		memcpy(s->annotated + v * n, t->value + row[v] * n,
			n * sizeof(double));
	free(row);
	return code ? code : vs_text_pool_copy(&s->annotation, &t->name);
}

static int
describe(const struct table *t, struct vs_text *note)
{
	return vs_text_add(note, "%s: %zu annotation%s, %s",
		vs_lines_name(t->lines), t->name.n, vs_text_s(t->name.n),
		t->id_at < t->n_column
			? "by SNP"
			: "without SNP: its rows are taken for the variants, "
			  "in order");
}

int
vs_annotation_apply(struct vs_sites *sites, const char *path,
	struct vs_text *note, struct vs_provenance *provenance)
{
	struct table t = { 0 };
	int code = vs_lines_open(&t.lines, path);

	if (!code)
		code = read_table(&t);
	if (!code)
		code = take(&t, sites);
	if (!code)
		code = describe(&t, note);
	if (!code)
		code = vs_lines_note(t.lines, provenance);
	vs_lines_close(t.lines);
	vs_text_pool_free(&t.name);
	vs_text_pool_free(&t.id);
	free(t.value);
	return code;
}
