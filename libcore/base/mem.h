/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory whose size cannot overflow and whose absence has a name. */
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

/* The same, but what is in it is not told: for what is written before read. */
int vs_mem_room(void *out, size_t n, size_t size, const char *what);

/*
 * Let *array (of *room items of size bytes) hold at least need items, growing
 * by half so that appending is cheap. New items are not zeroed.
 * returns  0; VS_EMACHINE
 */
int vs_mem_grow(void *array, size_t *room, size_t need, size_t size,
	const char *what);

/* A copy of text; free with free(). */
int vs_mem_copy_text(char **out, const char *text);

/* Peak resident set of this process in bytes, 0 when unknown. */
uint64_t vs_mem_peak(void);

/* Memory that this process may use, as vs_limits_memory() has it. */
uint64_t vs_mem_allowed(void);

/* Cores that this process may use, as vs_limits_cores() has it; >= 1. */
int vs_mem_cores_allowed(void);

#endif
