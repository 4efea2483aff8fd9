/* SPDX-License-Identifier: BSD-3-Clause */
/* Unique labels of vectors or of their alleles. */
#include <stdlib.h>

#include "formats/out/column.h"
#include "formats/out/vertex_label.h"
#include "libcore/base/mem.h"

/* Append the label of a site's allele a, or of the site itself. */
static int
add_label(struct vs_text_pool *label, const struct vs_sites *s, size_t row,
	int a, bool alleles, bool numbered, struct vs_text *t)
{
	size_t id_len, len, other_len;
	const char *id = vs_text_pool_get(&s->id, row, &id_len);
	const char *name = vs_column_allele_name(s, row, a, &len);
	const char *other = vs_column_allele_name(s, row, !a, &other_len);

	t->len = 0;
	vs_text_add(t, "%.*s", (int)id_len, id);
	if (alleles && name)
		vs_text_add(t, ":%.*s", (int)len, name);
	if (numbered)
		vs_text_add(t, "#%lld",
			(long long)(s->source_row ? s->source_row[row]
						  : (int64_t)row));
	/* both alleles have one name: append their labels */
	if (alleles && numbered && len == other_len &&
		(!name || !memcmp(name, other, len)))
		vs_text_add(t, ".%d", a);
	for (size_t k = 0; k < t->len; k++)
		if ((unsigned char)t->bytes[k] <= ' ')
			t->bytes[k] = '_';
	return t->code ? t->code : vs_text_pool_add(label, t->bytes, t->len);
}

/* Mark the rows that share a label with another; returns how many are new. */
static int
mark_shared(const struct vs_text_pool *pool, size_t n_allele, bool *shared,
	size_t *n_new)
{
	struct vs_text_index index = { 0 };
	int code = vs_text_index_make(&index, pool);

	*n_new = 0;
	for (size_t l = 0; l < pool->n && !code; l++) {
		size_t len;
		const char *text = vs_text_pool_get(pool, l, &len);
		size_t first = (size_t)vs_text_index_find(&index, text, len);

		if (first == l)
			continue;
		*n_new += !shared[l / n_allele] + !shared[first / n_allele];
		shared[l / n_allele] = shared[first / n_allele] = true;
	}
	vs_text_index_free(&index);
	return code;
}

int
vs_vertex_label_make(struct vs_text_pool *label, const struct vs_sites *s,
	size_t n_allele)
{
	struct vs_text t = { 0 };
	bool *shared = NULL;
	size_t n_new = 0;
	int code = vs_mem_new(&shared, s->n, sizeof(*shared), "labels");

	/* a numbered label may equal an odd id: repeat */
	do {
		if (!code)
			vs_text_pool_free(label);
		for (size_t row = 0; row < s->n && !code; row++)
			for (size_t a = 0; a < n_allele && !code; a++)
				code = add_label(label, s, row, (int)a,
					n_allele == 2, shared[row], &t);
		if (!code)
			code = mark_shared(label, n_allele, shared, &n_new);
	} while (n_new && !code);
	free(shared);
	vs_text_free(&t);
	if (code)
		vs_text_pool_free(label);
	return code;
}
