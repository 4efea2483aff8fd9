/* SPDX-License-Identifier: BSD-3-Clause */
/* Index of samples by id, and by family and id. */
#include <stdlib.h>

#include "formats/in/sample_index.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

void
vs_sample_index_free(struct vs_sample_index *f)
{
	free(f->shared);
	vs_text_index_free(&f->by_id);
	vs_text_index_free(&f->by_both);
	vs_text_pool_free(&f->both);
	vs_text_free(&f->word);
}

static int
join(struct vs_text *t, const char *family, size_t n_family, const char *id,
	size_t n_id)
{
	t->len = 0;
	vs_text_put(t, family, n_family);
	vs_text_put(t, " ", 1);
	return vs_text_put(t, id, n_id);
}

int
vs_sample_index_make(struct vs_sample_index *f, const struct vs_samples *s)
{
	int code = vs_text_index_make(&f->by_id, &s->id);

	f->s = s;
	if (!code)
		code = vs_text_index_shared(&f->by_id, &f->shared);
	if (!code && s->family.n)
		code = vs_sites_samples_keys(s, &f->both);
	if (!code && s->family.n)
		code = vs_text_index_make(&f->by_both, &f->both);
	return code;
}

int
vs_sample_index_find(struct vs_sample_index *f, const char *family,
	size_t n_family, const char *id, size_t n_id, int64_t *row)
{
	int code;

	if (!family || !f->s->family.n) {
		*row = vs_text_index_find(&f->by_id, id, n_id);
		return 0;
	}
	code = join(&f->word, family, n_family, id, n_id);
	if (!code)
		*row = vs_text_index_find(&f->by_both, f->word.bytes,
			f->word.len);
	return code;
}

int
vs_sample_index_open(struct vs_sample_lines *x, const struct vs_samples *s,
	const char *path)
{
	int code = vs_lines_open(&x->l, path);

	if (!code)
		code = vs_sample_index_make(&x->index, s);
	return code ? code : vs_mem_new(&x->seen, s->n, 1, "samples");
}

int
vs_sample_index_look_up(struct vs_sample_lines *x, struct vs_word family,
	struct vs_word id, int64_t *row)
{
	int code = vs_sample_index_find(&x->index, family.text, family.len,
		id.text, id.len, row);

	if (!code && *row >= 0 && !family.text && x->index.shared[*row])
		return vs_lines_fail(x->l,
			"sample %.*s: its id is in several families; begin the "
			"header, or each line, with FID IID",
			(int)id.len, id.text);
	x->n_unknown += !code && *row < 0;
	return code;
}

int
vs_sample_index_close(struct vs_sample_lines *x, int code,
	struct vs_provenance *provenance, size_t *n_found)
{
	*n_found = 0;
	for (size_t q = 0; !code && q < x->index.s->n; q++)
		*n_found += x->seen[q];
	if (!code && !*n_found)
		code = vs_fail(VS_EINPUT, "%s: names none of the %zu samples%s",
			vs_lines_name(x->l), x->index.s->n,
			x->hint ? x->hint : "");
	if (!code)
		code = vs_lines_note(x->l, provenance);
	vs_lines_close(x->l);
	vs_sample_index_free(&x->index);
	free(x->seen);
	return code;
}
