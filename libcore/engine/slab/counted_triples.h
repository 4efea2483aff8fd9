/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of triples that a device has counted, as tables or as sums. */
#ifndef VS_ENGINE_SLAB_COUNTED_TRIPLES_H
#define VS_ENGINE_SLAB_COUNTED_TRIPLES_H

#include "libcore/engine/hits.h"
#include "libcore/engine/slab/triple_data.h"
#include "libcore/engine/tables/counted_table.h"

/*
 * Append the records that pass from n triples, as vs_tables_counted() does for
 * pairs; of metrics of alleles as vs_triple_data_keep() does.
 * first  vectors of the triple data from which places u, i and j count
 */
int vs_counted_triples_add(void **memory, const struct vs_triple_data *data,
	const size_t first[3], const struct vs_counted_table *from, size_t n,
	struct vs_hits *found);

#endif
