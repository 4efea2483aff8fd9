/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that ends where a page begins that must not be touched. */
#ifndef VS_TESTS_UNIT_FENCE_H
#define VS_TESTS_UNIT_FENCE_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static inline size_t
fence_whole(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/* The end of bytes of it, which take room only when they are touched. */
static inline char *
fence_new(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t whole = fence_whole(bytes);
	char *map = mmap(NULL, whole + page, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED || mprotect(map + whole, page, PROT_NONE))
		exit(4);
	return map + whole;
}

static inline void
fence_free(char *fence, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t whole = fence_whole(bytes);

	munmap(fence - whole, whole + page);
}

/* Start of the last bytes before the guard page, aligned as kernels need. */
static inline void *
before(char *fence, size_t bytes)
{
	return fence - (bytes + 63) / 64 * 64;
}

#endif
