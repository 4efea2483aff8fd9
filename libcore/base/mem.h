/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocation with overflow checks; on failure the error names what was wanted.
 */
#ifndef VS_BASE_MEM_H
#define VS_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Zeroed room for n items of size bytes, 64-byte aligned; free with free().
 * what names the thing in the error. *out is untouched on failure; a count
 * of 0 gives a pointer that may be freed.
 * returns  0; VS_EMACHINE
 */
int vs_mem_new(void *out, size_t n, size_t size, const char *what);

/*
 * Like vs_mem_new(), but uninitialised: for memory that is written before it is
 * read.
 */
int vs_mem_room(void *out, size_t n, size_t size, const char *what);

/*
 * The same for n items of the array's type, unless *code is an earlier failure,
 * which stays: several are allocated one after the other, and code is looked at
 * last.
 */
#define VS_MEM_NEW(code, array, n, what) \
	((void)(*(code) = *(code)        \
			? *(code)        \
			: vs_mem_new(&(array), n, sizeof(*(array)), what)))
#define VS_MEM_ROOM(code, array, n, what) \
	((void)(*(code) = *(code)         \
			? *(code)         \
			: vs_mem_room(&(array), n, sizeof(*(array)), what)))

/*
 * Let *array (of *room items of size bytes) hold at least need items, growing
 * by half so that appending is cheap. New items are not zeroed.
 * returns  0; VS_EMACHINE
 */
int vs_mem_extend(void *array, size_t *room, size_t need, size_t size,
	const char *what);

static inline int
vs_mem_grow(void *array, size_t *room, size_t need, size_t size,
	const char *what)
{
	return need <= *room ? 0 : vs_mem_extend(array, room, need, size, what);
}

/*
 * A copy of n items of size bytes, null of null; free with free().
 * out      address of a pointer, untouched on failure
 * returns  0; VS_EMACHINE
 */
int vs_mem_copy(void *out, const void *from, size_t n, size_t size,
	const char *what);

/* A copy of text; free with free(). */
int vs_mem_copy_text(char **out, const char *text);

/* Peak resident set of this process in bytes, 0 when unknown. */
uint64_t vs_mem_peak(void);

/* Memory limit of this process in bytes, by vs_limits_memory(). */
uint64_t vs_mem_allowed(void);

/* Core limit of this process, by vs_limits_cores(); >= 1. */
int vs_mem_cores_allowed(void);

#endif
