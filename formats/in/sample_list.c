/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of samples, by id or by family and id. */
#include <stdio.h>
#include <string.h>

#include "formats/in/fields.h"
#include "formats/in/sample_index.h"
#include "formats/in/sample_list.h"
#include "formats/in/text/lines.h"
#include "libcore/base/mem.h"

/* Row by id only; *all: it names one in each family. */
static int64_t
find_id(const struct vs_sample_index *x, struct vs_word id, bool *all)
{
	int64_t row = vs_text_index_find(&x->by_id, id.text, id.len);

	*all = row >= 0 && x->shared[row];
	return row;
}

/* Row of FID IID or IID, which other columns may follow. 0; VS_EMACHINE */
static int
find_listed(struct vs_sample_index *x, const struct vs_fields *f, bool alone,
	int64_t *row, bool *all)
{
	const struct vs_word *is = f->field;

	*row = -1;
	*all = false;
	if (f->n > 1 && !alone && is[0].len && is[1].len)
		return vs_sample_index_find(x, is[0].text, is[0].len,
			is[1].text, is[1].len, row);
	if (f->n)
		*row = find_id(x, is[f->n > 1 && !is[0].len], all);
	return 0;
}

/*
 * Mark the samples that a line names. An id alone, which a header of #IID
 * states, may name one in each family. A line without tabs may be a single id
 * with blanks.
 */
static int
list_line(struct vs_sample_index *x, struct vs_fields *f, char *line,
	size_t len, bool alone, uint8_t *named, bool *known)
{
	bool tabs = memchr(line, '\t', len), all = false;
	int64_t row = -1;
	struct vs_word id;
	int code = 0;

	while (len && line[len - 1] == ' ')
		len--;
	for (; *line == ' ' && len; len--)
		line++;
	id = (struct vs_word){ line, len };
	if (!tabs)
		row = find_id(x, id, &all);
	if (row < 0)
		code = vs_fields_split(f, line, tabs);
	if (!code && row < 0)
		code = find_listed(x, f, alone, &row, &all);
	if (!code && row < 0 && tabs) {
		code = vs_fields_split(f, line, false);
		if (!code)
			code = find_listed(x, f, alone, &row, &all);
	}
	*known = row >= 0;
	if (code || row < 0)
		return code;
	id.text = (char *)vs_text_pool_get(&x->s->id, (size_t)row, &id.len);
	named[row] = 1;
	for (size_t q = (size_t)row + 1; all && q < x->s->n; q++) {
		const char *other = vs_text_pool_get(&x->s->id, q, &len);

		if (len == id.len && !memcmp(other, id.text, len))
			named[q] = 1;
	}
	return 0;
}

int
vs_sample_list_mark(const struct vs_samples *s, const char *path,
	struct vs_provenance *provenance, uint8_t *marked, size_t *n_marked,
	size_t *n_unknown, char first[VS_SAMPLE_LIST_LINE])
{
	struct vs_lines *l = NULL;
	struct vs_sample_index x = { 0 };
	struct vs_fields f = { 0 };
	size_t len, n = 0, missed = 0;
	bool known, alone = false;
	char *line, *word, now[VS_SAMPLE_LIST_LINE];
	int code = vs_lines_open(&l, path);

	*first = 0;
	if (!code)
		code = vs_sample_index_make(&x, s);
	while (!code && (code = vs_lines_next_full(l, &line, &len)) == 1) {
		/* a header, as plink2 writes one */
		if (vs_lines_number(l) == 1 && *line == '#') {
			word = vs_lines_word(&line, &len);
			alone = !strcmp(word, "#IID");
			code = 0;
			continue;
		}
		snprintf(now, sizeof(now), "%s", line);
		code = list_line(&x, &f, line, len, alone, marked, &known);
		if (!known && !missed++)
			memcpy(first, now, sizeof(now));
	}
	if (!code)
		code = vs_lines_note(l, provenance);
	for (size_t q = 0; q < s->n; q++)
		n += marked[q];
	*n_marked = n;
	*n_unknown = missed;
	vs_lines_close(l);
	vs_sample_index_free(&x);
	vs_fields_free(&f);
	return code;
}

/* ---- selection ---- */

static int
pick_pool(struct vs_text_pool *to, const struct vs_text_pool *from,
	const int64_t *row, size_t n)
{
	int code = 0;

	for (size_t k = 0; from->n && k < n && !code; k++)
		code = vs_text_pool_add_row(to, from, (size_t)row[k]);
	return code;
}

static int
pick_bytes(uint8_t **to, const uint8_t *from, const int64_t *row, size_t n)
{
	int code = 0;

	if (from)
		code = vs_mem_new(to, n, 1, "samples");
	for (size_t k = 0; from && k < n && !code; k++)
		(*to)[k] = from[row[k]];
	return code;
}

int
vs_sample_list_pick(struct vs_samples *s, const struct vs_samples *from,
	const int64_t *row, size_t n)
{
	size_t n_pheno = from->phenotype_name.n;
	int code = pick_pool(&s->id, &from->id, row, n);

	s->n = n;
	if (!code)
		code = pick_pool(&s->family, &from->family, row, n);
	if (!code)
		code = pick_bytes(&s->sex, from->sex, row, n);
	if (!code)
		code = pick_bytes(&s->child, from->child, row, n);
	if (!code)
		code = pick_bytes(&s->case_status, from->case_status, row, n);
	if (from->trait)
		VS_MEM_NEW(&code, s->trait, n, "trait");
	for (size_t k = 0; k < n && !code && from->trait; k++)
		s->trait[k] = from->trait[row[k]];
	VS_MEM_NEW(&code, s->phenotype, n_pheno + 1, "phenotypes");
	for (size_t c = 0; c < n_pheno && !code; c++) {
		code = vs_mem_new(&s->phenotype[c], n, sizeof(double),
			"phenotypes");
		for (size_t k = 0; k < n && !code; k++)
			s->phenotype[c][k] = from->phenotype[c][row[k]];
		if (!code)
			code = vs_text_pool_add_row(&s->phenotype_name,
				&from->phenotype_name, c);
	}
	return code;
}
