/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * External merge sort of records in any of their orders: what exceeds the given
 * memory is written in sorted runs to an unnamed temporary file, so that
 * nothing is left behind however the program ends.
 */
#ifndef VS_FORMATS_RESULTS_SORTER_H
#define VS_FORMATS_RESULTS_SORTER_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/base/record.h"

#define VS_SORTER_LEAST (64u << 10) /* bytes of memory it can work with */

struct vs_sorter;

/*
 * beside  runs are stored in the directory of this file; null or "-": in
 *         $TMPDIR or /tmp
 * memory  bytes to use; less than VS_SORTER_LEAST counts as that. Merging takes
 *         1 KiB for each run of this size at least
 */
int vs_sorter_new(struct vs_sorter **s, enum vs_record_order order,
	const char *beside, uint64_t memory);

/* Add n records, in any order. */
int vs_sorter_add(struct vs_sorter *s, const struct vs_record *rec, size_t n);

/*
 * The next records in order, owned by the sorter until the next call; *n = 0:
 * no more. Equal records are all returned. After the first call nothing can be
 * added.
 */
int vs_sorter_next(struct vs_sorter *s, struct vs_record **rec, size_t *n);

/* Runs written and bytes on the disk so far; 0 when all fits the memory. */
uint64_t vs_sorter_runs(const struct vs_sorter *s, uint64_t *bytes);

void vs_sorter_free(struct vs_sorter *s); /* null is accepted */

#endif
