/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bucket sort of the records of results by (i, j, k, cell), on all threads and
 * without a file. A band of first vectors, as many as fit the memory, is
 * gathered at a time from the blocks of records that have some of it. The
 * records of a tile are adjacent in a shard, so few blocks are read more than
 * once.
 */
#ifndef VS_FORMATS_RESULTS_BUCKET_SORT_H
#define VS_FORMATS_RESULTS_BUCKET_SORT_H

#include "formats/results/result.h"

/* Results to be sorted together. */
struct vs_bucket_source {
	void *ctx;
	size_t n;       /* results */
	uint64_t n_vec; /* all i are below this */
	/* if n_part is not 0: only part number `part`, from 0, of n_part about
	 * equal parts of the sorted records; all records of a first vector are
	 * in one part */
	uint32_t part, n_part;
	/* Open result s, and close it, on the caller's thread. */
	int (*open)(void *ctx, size_t s, struct vs_result **r);
	void (*leave)(void *ctx, size_t s, struct vs_result *r);
	/* Rename records of result s before they are sorted, on any thread; may
	 * be null. */
	void (*turn)(void *ctx, size_t s, struct vs_record *rec, size_t n);
	/* Called once for all records, n at a time, after renaming, by several
	 * threads; may be null. */
	void (*taken)(void *ctx, const struct vs_record *rec, size_t n);
};

struct vs_bucket_sort;

/*
 * Read all first vectors and plan the bands.
 * memory    bytes for records
 * n_thread  threads; fewer if their buffers would take too much of it
 * returns   0; VS_DONE: unsuitable, since memory is too small or blocks would
 *           be read many times; VS_EINPUT; VS_EMACHINE
 */
int vs_bucket_sort_new(struct vs_bucket_sort **b,
	const struct vs_bucket_source *source, uint64_t memory, int n_thread);

/* The next records in order, owned by the object until the next call; *n = 0:
 * no more. Equal records are all returned. */
int vs_bucket_sort_next(struct vs_bucket_sort *b, struct vs_record **rec,
	size_t *n);

/* Number of bands, and how many times a record is read on average. */
size_t vs_bucket_sort_bands(const struct vs_bucket_sort *b, double *times);

void vs_bucket_sort_free(struct vs_bucket_sort *b); /* null is accepted */

#endif
