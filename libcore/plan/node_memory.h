/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared memory of the ranks of a machine, one copy for all of them, by
 * memfd_create(2): it has no name, does not depend on the size of a file
 * system, and disappears with the last rank.
 */
#ifndef VS_PLAN_NODE_MEMORY_H
#define VS_PLAN_NODE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * True on all ranks of this machine if they can map that many bytes of each
 * other's memory; false if a rank is alone. Reserves nothing. Collective.
 */
bool vs_node_memory_works(size_t bytes);

/*
 * Zeroed memory that each rank of this machine maps, whole pages. Each reserves
 * a share of it, so that SIGBUS ends none of them later; pages are local to the
 * rank that reserved them. Collective.
 *
 * what     names the thing in the error
 * returns  0; VS_EMACHINE; VS_DONE: another rank of this machine has failed
 */
int vs_node_memory_new(void *out, size_t bytes, const char *what);

/* Unmap it; null is accepted. Not collective: other ranks may still use it. */
void vs_node_memory_free(void *at, size_t bytes);

#endif
