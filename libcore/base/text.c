/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing string, string pool and its hash index. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/digest.h"
#include "libcore/base/mem.h"
#include "libcore/base/text.h"

/* Make room for n bytes more. */
static int
grow(struct vs_text *t, size_t n)
{
	if (!t->code)
		t->code = vs_mem_grow(&t->bytes, &t->room, t->len + n + 1, 1,
			"text");
	return t->code;
}

int
vs_text_put(struct vs_text *t, const void *bytes, size_t n)
{
	if (grow(t, n))
		return t->code;
	if (n)
		memcpy(t->bytes + t->len, bytes, n);
	t->len += n;
	t->bytes[t->len] = 0;
	return 0;
}

int
vs_text_add(struct vs_text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (grow(t, (size_t)n))
		return t->code;
	va_start(ap, fmt);
	vsnprintf(t->bytes + t->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	t->len += (size_t)n;
	return 0;
}

int
vs_text_put_quoted(struct vs_text *t, const char *word)
{
	const bool plain = *word &&
		strspn(word,
			"abcdefghijklmnopqrstuvwxyz"
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			"0123456789_-+=./,:@%") == strlen(word);

	vs_text_put(t, "'", !plain);
	for (; *word; word++)
		vs_text_put(t, *word == '\'' ? "'\\''" : word,
			*word == '\'' ? 4 : 1);
	return vs_text_put(t, "'", !plain);
}

int
vs_text_count(struct vs_text *t, uint64_t n, const char *words,
	const char *name)
{
	while (*words) {
		const size_t plain = strcspn(words, "#%{");
		const char *bar = strchr(words, '|');
		const char *end = bar ? strchr(bar, '}') : NULL;

		vs_text_put(t, words, plain);
		words += plain;
		if (*words == '#') {
			vs_text_add(t, "%llu", (unsigned long long)n);
			words++;
		} else if (*words == '%') {
			vs_text_add(t, "%s", name);
			words++;
		} else if (*words) {
			assert(end);
			if (n == 1)
				end = bar;
			bar = n == 1 ? words : bar;
			vs_text_put(t, bar + 1, (size_t)(end - bar - 1));
			words = strchr(words, '}') + 1;
		}
	}
	return t->code;
}

void
vs_text_free(struct vs_text *t)
{
	free(t->bytes);
	memset(t, 0, sizeof(*t));
}

int
vs_text_pool_add(struct vs_text_pool *p, const char *text, size_t len)
{
	size_t end = p->n ? (size_t)p->offset[p->n] : 0;
	int code = vs_mem_grow(&p->offset, &p->room_offset, p->n + 2,
		sizeof(*p->offset), "strings");

	if (!code)
		code = vs_mem_grow(&p->bytes, &p->room_bytes, end + len + 1, 1,
			"strings");
	if (code)
		return code;
	if (!p->n)
		p->offset[0] = 0;
	if (len)
		memcpy(p->bytes + end, text, len);
	p->offset[++p->n] = (int64_t)(end + len);
	return 0;
}

int
vs_text_pool_copy(struct vs_text_pool *to, const struct vs_text_pool *from)
{
	const size_t n = from->n, bytes = n ? (size_t)from->offset[n] : 0;
	int code = vs_mem_grow(&to->offset, &to->room_offset, n + 1,
		sizeof(*to->offset), "strings");

	if (!code)
		code = vs_mem_grow(&to->bytes, &to->room_bytes, bytes + 1, 1,
			"strings");
	if (code)
		return code;
	to->offset[0] = 0;
	to->n = n;
	if (n)
		memcpy(to->offset, from->offset, (n + 1) * sizeof(*to->offset));
	if (bytes)
		memcpy(to->bytes, from->bytes, bytes);
	return 0;
}

size_t
vs_text_pool_widest(const struct vs_text_pool *p)
{
	size_t widest = 1;

	for (size_t i = 0; i < p->n; i++) {
		size_t len = (size_t)(p->offset[i + 1] - p->offset[i]);

		if (len > widest)
			widest = len;
	}
	return widest;
}

void
vs_text_pool_free(struct vs_text_pool *p)
{
	free(p->bytes);
	free(p->offset);
	memset(p, 0, sizeof(*p));
}

/* Slot of an equal string, or the free slot for it. */
static size_t
slot_of(const struct vs_text_index *x, const char *text, size_t len)
{
	size_t s = vs_digest_64(text, len) & (x->n_slot - 1), have;

	for (; x->slot[s] >= 0; s = (s + 1) & (x->n_slot - 1)) {
		const char *t =
			vs_text_pool_get(x->pool, (size_t)x->slot[s], &have);

		if (have == len && !memcmp(t, text, len))
			break;
	}
	return s;
}

int
vs_text_index_make(struct vs_text_index *x, const struct vs_text_pool *pool)
{
	size_t n = x->n_slot ? x->n_slot : 16, len;
	int code;

	while (n < 2 * pool->n)
		n *= 2;
	x->pool = pool;
	if (n > x->n_slot) {
		free(x->slot);
		*x = (struct vs_text_index){ .pool = pool };
		code = vs_mem_new(&x->slot, n, sizeof(*x->slot),
			"index of names");
		if (code)
			return code;
		memset(x->slot, 0xff, n * sizeof(*x->slot));
		x->n_slot = n;
	}
	for (; x->n < pool->n; x->n++) {
		const char *t = vs_text_pool_get(pool, x->n, &len);
		size_t s = slot_of(x, t, len);

		if (x->slot[s] < 0)
			x->slot[s] = (int64_t)x->n;
	}
	return 0;
}

int64_t
vs_text_index_find(const struct vs_text_index *x, const char *text, size_t len)
{
	return x->slot[slot_of(x, text, len)];
}

int64_t
vs_text_index_duplicate(const struct vs_text_index *x)
{
	size_t len;

	for (size_t i = 0; i < x->pool->n; i++) {
		const char *t = vs_text_pool_get(x->pool, i, &len);

		if (vs_text_index_find(x, t, len) != (int64_t)i)
			return (int64_t)i;
	}
	return -1;
}

int
vs_text_index_shared(const struct vs_text_index *x, uint8_t **shared)
{
	int code = vs_mem_new(shared, x->pool->n, 1, "names");
	size_t len;

	for (size_t i = 0; i < x->pool->n && !code; i++) {
		const char *t = vs_text_pool_get(x->pool, i, &len);
		const size_t first = (size_t)vs_text_index_find(x, t, len);

		if (first != i)
			(*shared)[first] = 1;
	}
	return code;
}

void
vs_text_index_free(struct vs_text_index *x)
{
	free(x->slot);
	memset(x, 0, sizeof(*x));
}
