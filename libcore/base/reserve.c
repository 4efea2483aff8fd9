/* SPDX-License-Identifier: BSD-3-Clause */
/* Reserved address space that is only partly backed by memory. */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libcore/base/fail.h"
#include "libcore/base/reserve.h"

#define WITHOUT (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

static uintptr_t
page(void)
{
	return (uintptr_t)sysconf(_SC_PAGESIZE);
}

int
vs_reserve_new(void *out, size_t bytes, const char *what)
{
	void *p = mmap(NULL, bytes ? bytes : 1, PROT_NONE, WITHOUT, -1, 0);

	if (p == MAP_FAILED)
		return vs_fail_memory(what, bytes);
	memcpy(out, &p, sizeof(p));
	return 0;
}

void
vs_reserve_free(void *at, size_t bytes)
{
	if (at)
		munmap(at, bytes ? bytes : 1);
}

int
vs_reserve_take(void *at, size_t bytes, const char *what)
{
	const uintptr_t lo = (uintptr_t)at / page() * page(),
			hi = (uintptr_t)at + bytes;

	return bytes && mprotect((void *)lo, hi - lo, PROT_READ | PROT_WRITE)
		? vs_fail_memory(what, bytes)
		: 0;
}

void
vs_reserve_give(void *at, size_t bytes)
{
	const uintptr_t lo = ((uintptr_t)at + page() - 1) / page() * page(),
			hi = ((uintptr_t)at + bytes) / page() * page();

	if (lo >= hi)
		return;
	/* new pages, so that no memory is charged for them any more; if there
	 * are too many mappings, at least their content is dropped */
	if (mmap((void *)lo, hi - lo, PROT_NONE, WITHOUT | MAP_FIXED, -1, 0) ==
		MAP_FAILED)
		madvise((void *)lo, hi - lo, MADV_DONTNEED);
}
