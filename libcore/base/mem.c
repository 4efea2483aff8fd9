/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocation with overflow checks. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "libcore/base/fail.h"
#include "libcore/base/limits.h"
#include "libcore/base/mem.h"

/*
 * Blocks from twice this size on use huge pages: fewer faults and TLB misses.
 */
#define HUGE_PAGE ((size_t)2 << 20)

int
vs_mem_room(void *out, size_t n, size_t size, const char *what)
{
	size_t bytes, align = 64;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes) ||
		bytes > SIZE_MAX - HUGE_PAGE)
		return vs_fail_memory(what, ~0ull);
	bytes = (bytes + 63) / 64 * 64;
	if (bytes >= 2 * HUGE_PAGE) {
		align = HUGE_PAGE;
		bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	}
	if (posix_memalign(&p, align, bytes ? bytes : 64))
		return vs_fail_memory(what, bytes);
	/* madvise() may fail: small pages work as well */
	if (align == HUGE_PAGE)
		madvise(p, bytes, MADV_HUGEPAGE);
	memcpy(out, &p, sizeof(p));
	return 0;
}

int
vs_mem_new(void *out, size_t n, size_t size, const char *what)
{
	void *p = NULL;
	int code = vs_mem_room(&p, n, size, what);

	if (code)
		return code;
	memset(p, 0, (n * size + 63) / 64 * 64);
	memcpy(out, &p, sizeof(p));
	return 0;
}

int
vs_mem_copy(void *out, const void *from, size_t n, size_t size,
	const char *what)
{
	void *p = NULL;
	int code = from ? vs_mem_room(&p, n, size, what) : 0;

	if (code)
		return code;
	if (p)
		memcpy(p, from, n * size);
	memcpy(out, &p, sizeof(p));
	return 0;
}

int
vs_mem_extend(void *array, size_t *room, size_t need, size_t size,
	const char *what)
{
	size_t more = *room + *room / 2 + 16, bytes;
	void *p;

	if (more < need)
		more = need;
	if (__builtin_mul_overflow(more, size, &bytes))
		return vs_fail_memory(what, ~0ull);
	memcpy(&p, array, sizeof(p));
	p = realloc(p, bytes);
	if (!p)
		return vs_fail_memory(what, bytes);
	memcpy(array, &p, sizeof(p));
	*room = more;
	return 0;
}

int
vs_mem_copy_text(char **out, const char *text)
{
	char *p = strdup(text);

	if (!p)
		return vs_fail_memory("text", strlen(text));
	*out = p;
	return 0;
}

uint64_t
vs_mem_peak(void)
{
	struct rusage use;

	if (getrusage(RUSAGE_SELF, &use))
		return 0;
	return (uint64_t)use.ru_maxrss * 1024;
}

uint64_t
vs_mem_allowed(void)
{
	return vs_limits_memory("");
}

int
vs_mem_cores_allowed(void)
{
	return vs_limits_cores("");
}
