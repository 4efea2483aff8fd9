/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bucket sort of the records of results by (i, j, k, cell), by all threads and
 * without a file: a band of first vectors at a time, as many as fit the memory,
 * is gathered from the blocks of records that have some of it. Records of a
 * tile follow each other in a shard, so that few blocks are read more than
 * once.
 */
#ifndef VS_FORMATS_RESULTS_BUCKET_SORT_H
#define VS_FORMATS_RESULTS_BUCKET_SORT_H

#include "formats/results/result.h"

/* Results to be sorted together. */
struct vs_bucket_source {
	void *ctx;
	size_t n;       /* results */
	uint64_t n_vec; /* all i are less */
	/* n_part not 0: only part number `part`, from 0, of n_part about equal
	 * parts of the sorted records; all records of a first vector are in one
	 * part */
	uint32_t part, n_part;
	/* Open result s, and leave it, by the thread of the caller. */
	int (*open)(void *ctx, size_t s, struct vs_result **r);
	void (*leave)(void *ctx, size_t s, struct vs_result *r);
	/* Change records of result s before they are sorted, by any thread;
	 * may be null. */
	void (*turn)(void *ctx, size_t s, struct vs_record *rec, size_t n);
	/* n records have been taken, each of them once, and turned. By several
	 * threads; may be null. */
	void (*taken)(void *ctx, const struct vs_record *rec, size_t n);
};

struct vs_bucket_sort;

/*
 * Look at all first vectors and plan the bands.
 * memory    bytes for records
 * n_thread  threads; fewer where their buffers would take too much of it
 * returns   0; VS_DONE: not so, since too little memory is given, or blocks
 *           would be read many times; VS_EINPUT; VS_EMACHINE
 */
int vs_bucket_sort_new(struct vs_bucket_sort **b,
	const struct vs_bucket_source *source, uint64_t memory, int n_thread);

/* The next records in order, the object's until the next call; *n = 0: no more.
 * Equal records all come out. */
int vs_bucket_sort_next(struct vs_bucket_sort *b, struct vs_record **rec,
	size_t *n);

/* Bands, and how many times a record is read on average. */
size_t vs_bucket_sort_bands(const struct vs_bucket_sort *b, double *times);

void vs_bucket_sort_free(struct vs_bucket_sort *b); /* null is accepted */

#endif
