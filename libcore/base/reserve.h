/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reserved address space that is only partly backed by memory, so that arrays
 * that do not fit keep their indices.
 */
#ifndef VS_BASE_RESERVE_H
#define VS_BASE_RESERVE_H

#include <stddef.h>

/*
 * Reserve address space without memory. It only counts against the limit of
 * address space; reading it raises SIGSEGV.
 * what     names the thing in the error
 * returns  0; VS_EMACHINE
 */
int vs_reserve_new(void *out, size_t bytes, const char *what);
void vs_reserve_free(void *at, size_t bytes); /* null is accepted */

/*
 * Memory for these bytes of it, and for all else on their pages; zeroed, where
 * there was none.
 * returns  0; VS_EMACHINE
 */
int vs_reserve_take(void *at, size_t bytes, const char *what);

/* Give the memory back of pages that have none but these bytes. */
void vs_reserve_give(void *at, size_t bytes);

#endif
