/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing string, string pool and its hash index. */
#ifndef VS_BASE_TEXT_H
#define VS_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Growing string; all zero is empty. bytes[len] is NUL. After a failure nothing
 * is appended, and each function returns code: it suffices to look at the last.
 */
struct vs_text {
	char *bytes;
	size_t len, room;
	int code; /* 0; VS_EMACHINE */
};

int vs_text_add(struct vs_text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int vs_text_put(struct vs_text *t, const void *bytes, size_t n);
/* Append a word, quoted so that a shell reads it back unchanged. */
int vs_text_put_quoted(struct vs_text *t, const char *word);

/*
 * Append words about n things: # becomes n, % the name, {one|many} the first if
 * n is 1, else the second. 0; VS_EMACHINE
 */
int vs_text_count(struct vs_text *t, uint64_t n, const char *words,
	const char *name);

/* The end of a plural: "" of one thing, else "s". */
static inline const char *
vs_text_s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

void vs_text_free(struct vs_text *t);

/*
 * n strings end to end: string i is bytes[offset[i] .. offset[i + 1]), not
 * NUL-terminated within bytes. All zero is an empty pool.
 */
struct vs_text_pool {
	char *bytes;
	int64_t *offset; /* n + 1 when n > 0, else may be null */
	size_t n, room_bytes, room_offset;
};

int vs_text_pool_add(struct vs_text_pool *p, const char *text, size_t len);

/* String i and its length. i < n. */
static inline const char *
vs_text_pool_get(const struct vs_text_pool *p, size_t i, size_t *len)
{
	*len = (size_t)(p->offset[i + 1] - p->offset[i]);
	return p->bytes + p->offset[i];
}

/* String i of a pool whose strings were all added with their NULs. i < n. */
static inline const char *
vs_text_pool_string(const struct vs_text_pool *p, size_t i)
{
	return p->bytes + p->offset[i];
}

/* Add string i of another pool. i < from->n. 0; VS_EMACHINE */
static inline int
vs_text_pool_add_row(struct vs_text_pool *p, const struct vs_text_pool *from,
	size_t i)
{
	size_t len;
	const char *text = vs_text_pool_get(from, i, &len);

	return vs_text_pool_add(p, text, len);
}

/* Copy to an empty pool. 0; VS_EMACHINE */
int vs_text_pool_copy(struct vs_text_pool *to, const struct vs_text_pool *from);

/* Length of the longest string, at least 1. */
size_t vs_text_pool_widest(const struct vs_text_pool *p);

void vs_text_pool_free(struct vs_text_pool *p);

/*
 * Hash index of a pool's strings; all zero is empty.
 * vs_text_index_make  also takes in what was added since it was called last
 * vs_text_index_find  row of the first equal string, or -1
 */
struct vs_text_index {
	const struct vs_text_pool *pool;
	int64_t *slot;    /* open addressing; -1 free */
	size_t n_slot, n; /* n strings are in it */
};

int vs_text_index_make(struct vs_text_index *x,
	const struct vs_text_pool *pool);
int64_t vs_text_index_find(const struct vs_text_index *x, const char *text,
	size_t len);

/* First row whose string also occurs in an earlier row, or -1. */
int64_t vs_text_index_duplicate(const struct vs_text_index *x);

/* By row, 1: the first of several with its string; free with free(). 0;
 * VS_EMACHINE */
int vs_text_index_shared(const struct vs_text_index *x, uint8_t **shared);
void vs_text_index_free(struct vs_text_index *x);

#endif
