/* SPDX-License-Identifier: BSD-3-Clause */
/* Greedy LD pruning: windows, removal, lists of ids. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libcore/base/decimal.h"
#include "libcore/base/digest.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/base/text.h"
#include "tools/shared/prune.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"

/* "50" variants, or "500kb". */
static int
read_window(const char *text, struct vs_ld_window *w)
{
	size_t n = text ? strlen(text) : 0;
	struct vs_decimal kb;
	double x;

	memset(w, 0, sizeof(*w));
	if (!text)
		return 0;
	if (n > 2 && !strcasecmp(text + n - 2, "kb")) {
		if (vs_decimal_read(text, n - 2, &kb) && !kb.minus)
			w->bases = vs_decimal_bases(&kb);
		if (w->bases > 0)
			return 0;
	} else if (vs_num_real(text, &x) && x >= 2 && x == floor(x) &&
		x <= UINT32_MAX) {
		w->variants = (int64_t)x;
		return 0;
	}
	return vs_fail(VS_EUSAGE,
		"--window %s: expected a number of variants of at least 2, or "
		"a distance such as 500kb",
		text);
}

int
vs_prune_check(const struct vs_prune *p, struct vs_ld_window *w)
{
	int code = read_window(p->window, w);

	if (!code && p->step > 1 && !w->variants)
		code = vs_fail(VS_EUSAGE,
			"--step goes with a --window of a number of variants");
	if (!code && w->variants && p->step > w->variants)
		code = vs_fail(VS_EUSAGE,
			"--step %lld: more than the %lld variants of a window",
			(long long)p->step, (long long)w->variants);
	return code;
}

void
vs_prune_alleles(const struct vs_site *site, int ploidy, int64_t out[2])
{
	const int64_t *n = site->count;
	int64_t one, all;

	out[0] = out[1] = 0;
	if ((n[0] > 0) + (n[1] > 0) + (n[2] > 0) < 2)
		return;
	vs_sites_alleles(site, ploidy, &one, &all);
	out[0] = one < all - one ? one : all - one;
	out[1] = all;
}

/* The place after the last variant of the window that begins at s->begin; it
 * is not before the end of the window before. */
static uint64_t
window_end(const struct vs_prune_scan *s)
{
	const struct vs_ld_window *w = &s->window;
	const struct vs_prune_place *first = vs_prune_place_of(s, s->begin);
	uint64_t end = s->end > s->begin ? s->end : s->begin + 1;

	if (!w->variants && !w->bases)
		return s->n;
	for (; end < s->n; end++) {
		const struct vs_prune_place *p = vs_prune_place_of(s, end);

		if (p->contig != first->contig ||
			(w->variants ? (int64_t)(end - s->begin) >= w->variants
				     : p->pos - first->pos > w->bases))
			break;
	}
	return end;
}

/* True if the minor allele of a is rarer than that of b. */
static bool
is_rarer(const int64_t a[2], const int64_t b[2])
{
	return (vs_wide)a[0] * (vs_wide)b[1] < (vs_wide)b[0] * (vs_wide)a[1];
}

/* The next place from a on that is not removed; those before it are skipped
 * from now on. */
static uint64_t
kept_after(const struct vs_prune_scan *s, uint64_t a)
{
	struct vs_prune_place *from = vs_prune_place_of(s, a);
	uint64_t b = a + 1 + from->skip;

	while (b < s->end && vs_prune_place_of(s, b)->out)
		b += 1 + vs_prune_place_of(s, b)->skip;
	from->skip = b - a - 1;
	return b;
}

/* Pairs before next are decided: one of the two is removed, or they do not
 * exceed the bound. */
static void
prune_window(struct vs_prune_scan *s)
{
	bool any = true;

	while (any) {
		any = false;
		for (uint64_t a = s->begin; a < s->end; a = kept_after(s, a)) {
			struct vs_prune_place *x = vs_prune_place_of(s, a), *y;
			const uint64_t b = x->next > a ? x->next : a + 1;

			if (x->out || b >= s->end)
				continue;
			x->next = s->find(s->with, a, b, s->end);
			if (x->next == s->end)
				continue;
			y = vs_prune_place_of(s, x->next);
			(is_rarer(x->alleles, y->alleles) ? x : y)->out = true;
			any = true;
		}
	}
}

void
vs_prune_scan(struct vs_prune_scan *s, bool all)
{
	while (s->begin < s->n) {
		bool last;

		s->end = window_end(s);
		/* a window that reaches the end of its chromosome is its
		 * last */
		last = s->end == s->n ||
			vs_prune_place_of(s, s->end)->contig !=
				vs_prune_place_of(s, s->begin)->contig;
		if (s->end == s->n && !all)
			return;
		prune_window(s);
		s->begin = last ? s->end : s->begin + s->step;
	}
}

/* ---- lists ---- */

/* Name of the list of variants kept, or removed. */
static int
list_name(struct vs_text *name, const char *prefix, bool out)
{
	return vs_text_add(name, "%s.prune.%s", prefix, out ? "out" : "in");
}

int
vs_prune_may_write(const char *prefix, bool force)
{
	int code = 0;

	for (int k = 0; k < 2 && !code; k++) {
		struct vs_text name = { 0 };

		code = list_name(&name, prefix, k);
		if (!code)
			code = vs_result_io_may_write(name.bytes, force);
		vs_text_free(&name);
	}
	return code;
}

struct lists {
	const struct vs_text_pool *id;
	uint64_t n;
	const int64_t *row;
	uint8_t *out;
};

static const char *
id_of(const struct lists *l, uint64_t k, size_t *len)
{
	return vs_text_pool_get(l->id, l->row ? (size_t)l->row[k] : k, len);
}

/*
 * Lists name variants by id, so a variant that shares its id with a removed one
 * must be removed, too: vsim-pack --extract would take both.
 * index    of the ids
 * n_more   that go for this reason;  first  one of these
 */
static int
share_fate(const struct lists *l, const struct vs_text_index *index,
	uint64_t *n_more, uint64_t *first)
{
	uint8_t *gone = NULL; /* by the first row of an id */
	int code = vs_mem_new(&gone, index->pool->n, 1, "ids");
	int64_t row;
	size_t len;

	*n_more = 0;
	for (uint64_t k = 0; k < l->n && !code; k++) {
		const char *id = id_of(l, k, &len);

		if (!l->out[k])
			continue;
		gone[vs_text_index_find(index, id, len)] = 1;
		row = vs_sites_find_turned(index, id, len);
		if (row >= 0)
			gone[row] = 1;
	}
	for (uint64_t k = l->n; k-- > 0 && !code;) {
		const char *id = id_of(l, k, &len);

		if (l->out[k] || !gone[vs_text_index_find(index, id, len)])
			continue;
		l->out[k] = 1;
		*first = k;
		++*n_more;
	}
	free(gone);
	return code;
}

/* Equal for ids that differ only by chr before a place. */
static uint64_t
hash_of(const struct lists *l, uint64_t k)
{
	size_t len, chr;
	const char *id = id_of(l, k, &len);

	chr = len > 3 && (*id | 32) == 'c' && !strncasecmp(id, "chr", 3) ? 3
									 : 0;
	return vs_digest_64(id + chr, len - chr);
}

/* The same among n rows of the list. */
static int
share_few(const struct lists *l, const uint64_t *row, uint64_t n,
	uint64_t *n_more, uint64_t *first)
{
	struct vs_text_pool id = { 0 };
	struct vs_text_index index = { 0 };
	struct lists few = { &id, n, NULL, NULL };
	size_t len;
	int code = vs_mem_new(&few.out, n, 1, "ids");

	for (uint64_t k = 0; k < n && !code; k++) {
		const char *text = id_of(l, row[k], &len);

		few.out[k] = l->out[row[k]];
		code = vs_text_pool_add(&id, text, len);
	}
	if (!code)
		code = vs_text_index_make(&index, &id);
	if (!code)
		code = share_fate(&few, &index, n_more, first);
	for (uint64_t k = 0; k < n && !code; k++)
		l->out[row[k]] = few.out[k];
	*first = *n_more ? row[*first] : 0;
	vs_text_index_free(&index);
	vs_text_pool_free(&id);
	free(few.out);
	return code;
}

static int
make_ids_safe(const struct lists *l, const char *prefix)
{
	uint64_t n = 0, first = 0, *row = NULL;
	size_t n_shared = 0;
	int code = vs_mem_room(&row, l->n, sizeof(*row), "ids");

	for (uint64_t k = 0; k < l->n && !code; k++)
		row[k] = hash_of(l, k);
	/* most ids are unique and then need no index */
	if (!code)
		code = vs_digest_shared(row, l->n, &n_shared);
	if (!code && n_shared)
		code = share_few(l, row, n_shared, &n, &first);
	if (!code && n) {
		size_t len;
		const char *id = id_of(l, first, &len);

		vs_tool_warn("%s.prune.out: lists %llu variant%s (first %.*s) "
			     "only because another variant of the same id is "
			     "pruned; to keep %s, give each an id of its own, "
			     "as by bcftools annotate --set-id",
			prefix, (unsigned long long)n, vs_text_s(n), (int)len,
			id, n == 1 ? "it" : "them");
	}
	free(row);
	return code;
}

int
vs_prune_write(const char *prefix, const struct vs_text_pool *id, uint64_t n,
	const int64_t *row, uint8_t *out)
{
	const struct lists l = { id, n, row, out };
	struct vs_text list[2] = { { 0 } };
	uint64_t count[2] = { 0 };
	int code = make_ids_safe(&l, prefix);

	/* each may be all of them; the pages it does not use cost nothing */
	for (int k = 0; k < 2 && n && !code; k++)
		code = vs_mem_grow(&list[k].bytes, &list[k].room,
			(size_t)id->offset[id->n] + n + 1, 1, "ids");
	for (uint64_t k = 0; k < n && !code; k++) {
		struct vs_text *to = &list[out[k]];
		size_t len;
		const char *name = id_of(&l, k, &len);

		count[out[k]]++;
		vs_text_put(to, name, len);
		code = vs_text_put(to, "\n", 1);
	}
	for (int k = 1; k >= 0 && !code; k--) {
		struct vs_text name = { 0 };

		code = list_name(&name, prefix, k);
		if (!code)
			code = vs_result_io_print(name.bytes, &list[k]);
		vs_text_free(&name);
	}
	vs_text_free(&list[0]);
	vs_text_free(&list[1]);
	if (!code)
		vs_tool_close(prefix, "%llu variant%s kept, %llu pruned",
			(unsigned long long)count[0], vs_text_s(count[0]),
			(unsigned long long)count[1]);
	return code;
}
