/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary interface between the program and its CUDA plugin. */
#ifndef VS_CUDA_ABI_H
#define VS_CUDA_ABI_H

#include "cuda/plugin.h"
#include "libcore/engine/slab/slab.h"
#include "libcore/engine/tables/counted_table.h"

#define VS_CUDA_ABI 11
#define VS_CUDA_ENTRY "vs_cuda_entry"

/* Functions of the program for the plugin, which links to none of its
 * symbols. */
struct vs_cuda_host {
	int abi; /* VS_CUDA_ABI */
	/* sizes of structures, as compiled on each side: VS_CUDA_SIZES */
	size_t size[14];
	int (*fail)(int code, const char *fmt, ...)
		__attribute__((format(printf, 2, 3)));
	int (*grow)(void *array, size_t *room, size_t need, size_t size,
		const char *what);
	/* vs_tables_counted_pairs(), vs_counted_triples_add() */
	int (*pairs)(void **memory, const struct vs_query *q,
		const struct vs_two *first, const struct vs_counted_table *from,
		size_t n, struct vs_hits *found);
	int (*triples)(void **memory, const struct vs_triple_data *data,
		const size_t first[3], const struct vs_counted_table *from,
		size_t n, struct vs_hits *found);
};

#define VS_CUDA_SIZES                                                         \
	{                                                                     \
		sizeof(struct vs_cuda_host), sizeof(struct vs_plugin_want),   \
			sizeof(struct vs_backend), sizeof(struct vs_query),   \
			sizeof(struct vs_strip), sizeof(struct vs_panel),     \
			sizeof(struct vs_record), sizeof(struct vs_alleles),  \
			sizeof(struct vs_hits), sizeof(struct vs_metric),     \
			sizeof(struct vs_counted_table),                      \
			sizeof(struct vs_log_tables), sizeof(struct vs_slab), \
			sizeof(struct vs_triple_data)                         \
	}

/*
 * Type of the plugin's only symbol: like vs_plugin_open(), for a `want` that
 * vs_plugin_check() accepted.
 */
typedef int vs_cuda_entry_fn(const struct vs_cuda_host *host,
	const struct vs_plugin_want *want, const struct vs_backend **backend,
	char *why, size_t room);

#endif
