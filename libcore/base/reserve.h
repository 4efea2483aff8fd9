/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reserved address space that is only partly backed by memory, so that arrays
 * that do not fit keep their indices.
 */
#ifndef VS_BASE_RESERVE_H
#define VS_BASE_RESERVE_H

#include <stddef.h>

/*
 * Reserve address space without memory. It counts only against the limit on
 * address space; access raises SIGSEGV.
 * what     names the thing in the error
 * returns  0; VS_EMACHINE
 */
int vs_reserve_new(void *out, size_t bytes, const char *what);
void vs_reserve_free(void *at, size_t bytes); /* null is accepted */

/*
 * Back these bytes, and all else on their pages, with memory, zeroed if it is
 * new.
 * returns  0; VS_EMACHINE
 */
int vs_reserve_take(void *at, size_t bytes, const char *what);

/* Release the memory of the pages that hold nothing but these bytes. */
void vs_reserve_give(void *at, size_t bytes);

#endif
