/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Edge list, "label label value", as mcl --abc, igraph's ncol and Cytoscape
 * read it. A vertex is an allele of a vector, "rs1:A", or, where a metric is
 * not of alleles, a vector, "rs1". Two vertices never share a label:
 * where "id:allele" would be that of another one too, "#row" follows, the
 * vector's original row.
 */
#include <stdlib.h>

#include "formats/out/writer.h"
#include "libcore/base/mem.h"

/* Labels of the vertices of every site: label n row + a. */
struct abc {
	struct vs_text_pool label;
	size_t n; /* of a site: its alleles, or itself */
};

/* Append the label of a site's allele a, or of the site itself. */
static int
add_label(struct abc *abc, const struct vs_sites *s, size_t row, int a,
	bool numbered, struct vs_text *t)
{
	bool alleles = abc->n == 2;
	size_t id_len, len, other_len;
	const char *id = vs_text_pool_get(&s->id, row, &id_len);
	const char *name = vs_column_allele_name(s, row, a, &len);
	const char *other = vs_column_allele_name(s, row, !a, &other_len);
	int code;

	t->len = 0;
	code = vs_text_add(t, "%.*s", (int)id_len, id);
	if (!code && alleles)
		code = vs_text_add(t, ":%.*s", (int)len, name);
	if (!code && numbered)
		code = vs_text_add(t, "#%lld",
			(long long)(s->source_row ? s->source_row[row]
						  : (int64_t)row));
	/* both alleles have one name: append their labels */
	if (!code && alleles && numbered && len == other_len &&
		!memcmp(name, other, len))
		code = vs_text_add(t, ".%d", a);
	for (size_t k = 0; k < t->len && !code; k++)
		if ((unsigned char)t->bytes[k] <= ' ')
			t->bytes[k] = '_';
	return code ? code : vs_text_pool_add(&abc->label, t->bytes, t->len);
}

/* Mark the rows that share a label with another one; how many are new. */
static int
mark_shared(const struct abc *abc, bool *shared, size_t *n_new)
{
	const struct vs_text_pool *pool = &abc->label;
	struct vs_text_index index = { 0 };
	int code = vs_text_index_make(&index, pool);

	*n_new = 0;
	for (size_t l = 0; l < pool->n && !code; l++) {
		size_t len;
		const char *text = vs_text_pool_get(pool, l, &len);
		size_t first = (size_t)vs_text_index_find(&index, text, len);

		if (first == l)
			continue;
		*n_new += !shared[l / abc->n] + !shared[first / abc->n];
		shared[l / abc->n] = shared[first / abc->n] = true;
	}
	vs_text_index_free(&index);
	return code;
}

static void
abc_end(struct vs_writer *w)
{
	struct abc *abc = w->state;

	if (abc)
		vs_text_pool_free(&abc->label);
	free(abc);
	w->state = NULL;
}

static int
abc_begin(struct vs_writer *w)
{
	const struct vs_sites *s = w->show->sites;
	struct vs_text t = { 0 };
	struct abc *abc = NULL;
	bool *shared = NULL;
	size_t n_new = 0;
	int code = vs_mem_new(&abc, 1, sizeof(*abc), "labels");

	w->state = abc;
	if (abc)
		abc->n = w->show->cells ? 2 : 1;
	if (!code)
		code = vs_mem_new(&shared, s->n, sizeof(*shared), "labels");
	/* a numbered label may be that of an odd id: once more, then */
	do {
		if (!code)
			vs_text_pool_free(&abc->label);
		for (size_t row = 0; row < s->n && !code; row++)
			for (size_t a = 0; a < abc->n && !code; a++)
				code = add_label(abc, s, row, (int)a,
					shared[row], &t);
		if (!code)
			code = mark_shared(abc, shared, &n_new);
	} while (n_new && !code);
	free(shared);
	vs_text_free(&t);
	if (code)
		abc_end(w);
	return code;
}

static void
abc_line(struct vs_writer *w, const struct vs_line *line)
{
	const struct abc *abc = w->state;

	for (int e = 0; e < 2; e++) {
		size_t len, a = line->rec.cell >> (1 - e) & 1;
		const char *label = vs_text_pool_get(&abc->label,
			abc->n * line->row[e] + (abc->n == 2 ? a : 0), &len);

		vs_out_put(w->out, label, len);
		vs_out_char(w->out, '\t');
	}
	if (w->show->f32)
		vs_out_f32(w->out, (float)line->rec.value);
	else
		vs_out_real(w->out, line->rec.value);
	vs_out_char(w->out, '\n');
}

const struct vs_writer_kind vs_writer_abc = {
	.name = "abc",
	.help = "for mcl and graph programs, id1:allele1 id2:allele2 value",
	.needs = VS_NEEDS_SITES | VS_NEEDS_PAIRS,
	.begin = abc_begin,
	.line = abc_line,
	.end = abc_end,
};
