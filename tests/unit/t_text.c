/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing text, pools of strings, and their look-up against a plain search. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "tests/unit/test.h"

static void
text(void)
{
	struct vs_text t = { 0 };
	int code = 0;

	for (int i = 0; i < 1000; i++)
		code |= vs_text_add(&t, "%d,", i);
	T_OK(!code && t.len == strlen(t.bytes) && t.len == 3890,
		"1000 numbers are %zu bytes", t.len);
	vs_text_free(&t);
	T_OK(!vs_text_put(&t, "a\0b", 3) && t.len == 3 && t.bytes[3] == 0 &&
			!memcmp(t.bytes, "a\0b", 3),
		"bytes may hold a NUL; used again after free");
	vs_text_free(&t);
}

/* first row with this string, the slow way */
static int64_t
search(const struct vs_text_pool *p, const char *word, size_t len)
{
	size_t have;

	for (size_t i = 0; i < p->n; i++) {
		const char *t = vs_text_pool_get(p, i, &have);

		if (have == len && (!len || !memcmp(t, word, len)))
			return (int64_t)i;
	}
	return -1;
}

static void
look_up(size_t n, uint64_t n_word)
{
	struct vs_text_pool p = { 0 };
	struct vs_text_index x = { 0 };
	struct vs_rng r;
	char word[32];
	size_t wrong = 0, widest = 1;
	int64_t first_twice = -1;

	vs_rng_seed(&r, n);
	for (size_t i = 0; i < n; i++) {
		int len = snprintf(word, sizeof(word), "rs%llu",
			(unsigned long long)vs_rng_below(&r, n_word));

		/* the empty string is a string too */
		len = i == n / 2 ? 0 : len;
		widest = (size_t)len > widest ? (size_t)len : widest;
		if (first_twice < 0 && search(&p, word, (size_t)len) >= 0)
			first_twice = (int64_t)i;
		wrong += vs_text_pool_add(&p, word, (size_t)len) != 0;
		/* all at once, or as they come */
		if (i % 7 == 3)
			wrong += vs_text_index_make(&x, &p) != 0;
	}
	wrong += vs_text_index_make(&x, &p) != 0;
	for (uint64_t w = 0; w < n_word; w++) {
		int len = snprintf(word, sizeof(word), "rs%llu",
			(unsigned long long)w);

		wrong += vs_text_index_find(&x, word, (size_t)len) !=
			search(&p, word, (size_t)len);
	}
	wrong += vs_text_index_find(&x, "rs", 2) != -1;
	T_OK(!wrong, "%zu strings of %llu: found as by a plain search", n,
		(unsigned long long)n_word);
	T_OK(vs_text_index_duplicate(&x) == first_twice,
		"%zu: duplicate at %lld", n, (long long)first_twice);
	T_OK(vs_text_pool_widest(&p) == widest, "%zu: widest %zu", n, widest);
	vs_text_index_free(&x);
	vs_text_pool_free(&p);
}

static void
memory(void)
{
	char *a = NULL;
	double *b = NULL;
	int wrong = 0;

	T_OK(!vs_mem_new(&b, 1000, sizeof(*b), "b") && !((uintptr_t)b % 64),
		"new memory is aligned");
	for (int i = 0; i < 1000; i++)
		wrong += b[i] != 0;
	T_OK(!wrong, "and zero");
	free(b);
	b = NULL;
	T_OK(vs_mem_new(&b, SIZE_MAX / 4, 8, "far too much") && !b,
		"a size that overflows is refused, *out untouched");
	T_OK(!vs_mem_new(&a, 0, 8, "none"), "none of something is fine");
	free(a);
	T_OK(vs_mem_cores_allowed() >= 1, "%d cores allowed",
		vs_mem_cores_allowed());
	T_OK(vs_mem_allowed() > 1 << 20 && vs_mem_peak() > 1 << 16,
		"memory allowed and used are known");
}

/* One thing and several are spoken of as such. */
static void
count(void)
{
	static const char *const said[] = { "0 calls of {#} were left: 0",
		"1 call of {#} was left: 1", "2 calls of {#} were left: 2" };
	struct vs_text t = { 0 };
	int wrong = 0;

	for (uint64_t n = 0; n < 3; n++) {
		t.len = 0;
		wrong += vs_text_count(&t, n,
				 "# {call|calls} of % {was|were} left: #",
				 "{#}") ||
			strcmp(t.bytes, said[n]);
	}
	T_OK(!wrong, "one and several: %s", t.bytes);
	vs_text_free(&t);
}

int
main(void)
{
	text();
	count();
	look_up(1, 1);
	look_up(2, 1);
	look_up(16, 1000);
	look_up(1000, 600);
	look_up(2000, 5000);
	memory();
	return T_DONE();
}
