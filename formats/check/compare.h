/* SPDX-License-Identifier: BSD-3-Clause */
/* Equality of the contents of two files; provenance, dates and compression do
 * not count. */
#ifndef VS_FORMATS_CHECK_COMPARE_H
#define VS_FORMATS_CHECK_COMPARE_H

#include "formats/results/result.h"
#include "formats/vectors/packed.h"

/* 0: equal; VS_ENO with the first difference; VS_EINPUT; VS_EMACHINE */
int vs_compare_packed(struct vs_packed *a, struct vs_packed *b);

/*
 * Two results: the question asked and every record, value bits and counts
 * included. Each side is one merged file or the shards of one run, which are
 * sorted in `memory` bytes.
 */
struct vs_compared {
	const char *name;
	struct vs_result *const *r;
	size_t n;
};
int vs_compare_results(const struct vs_compared *a, const struct vs_compared *b,
	uint64_t memory);

#endif
