/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policy of joining a rank's sealed shards: few files, in a small share of the
 * time.
 */
#ifndef VS_FORMATS_RESULTS_JOIN_POLICY_H
#define VS_FORMATS_RESULTS_JOIN_POLICY_H

#include <stdbool.h>
#include <stddef.h>

/* Sealed shards that are kept in addition to the one being written. */
#define VS_JOIN_POLICY_KEPT 2

/* Share of the time since the start that joins may take, and what they may take
 * at once, in seconds. */
#define VS_JOIN_POLICY_SHARE 0.05
#define VS_JOIN_POLICY_AT_FIRST 1.0

struct vs_join_policy {
	double begun;          /* of vs_clock() */
	double seconds, bytes; /* that joins have taken, and read */
};

/*
 * Whether the last of n files may be sealed now, since what has to be joined
 * then takes no more than its share of the time.
 * size     bytes of each, oldest first
 * first    the file that is joined with all behind it; n: none has to be
 */
bool vs_join_policy_allows(const struct vs_join_policy *p, double now,
	const double *size, size_t n, size_t *first);

/* Count a join. */
void vs_join_policy_add(struct vs_join_policy *p, double seconds, double bytes);

#endif
