/* SPDX-License-Identifier: BSD-3-Clause */
/* Centred vectors of inner products and their norms. */
#ifndef VS_ENGINE_PRUNE_INNER_NORMS_H
#define VS_ENGINE_PRUNE_INNER_NORMS_H

#include "libcore/engine/query.h"

/*
 * Centre the numbers of all vectors of a panel as the query's metric wants it,
 * and set their totals to v of libcore/metric/inner.h. A vector of 0 has the
 * value 0 with any other. Where entries are missing numbers are but scaled by a
 * power of two, and totals are sums of squares; so they are for distances, of
 * which numbers stay as they are.
 */
void vs_inner_norms_make(const struct vs_query *q, struct vs_panel *p,
	int n_thread);

#endif
