/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sort of the records of results by (i, j, k, cell), on all threads. Where that
 * pays, without a file: a band of first vectors, as many as fit the memory, is
 * gathered at a time from the blocks of records that have some of it. The
 * records of a tile are adjacent in a shard, so few blocks are read more than
 * once. Otherwise through a sorter.
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
	/* ranks sort them together, the same on all; not with parts */
	bool joint;
	/* a sorter's file, see vs_sorter_new() */
	const char *beside;
	/* the results, which stay open, and rest between bands; or null */
	struct vs_result *const *r;
	/* else: open result s, and close it, on the caller's thread */
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
 * Read all first vectors and plan the bands or, if memory is too small for them
 * or blocks would be read many times, pass all records to a sorter.
 * memory   bytes for records
 * returns  0; VS_DONE: a part does not fit; VS_EINPUT; VS_EMACHINE
 */
int vs_bucket_sort_new(struct vs_bucket_sort **b,
	const struct vs_bucket_source *source, uint64_t memory);

/* The next records in order, owned by the object until the next call; *n = 0:
 * no more. Equal records are all returned. */
int vs_bucket_sort_next(struct vs_bucket_sort *b, struct vs_record **rec,
	size_t *n);

/*
 * The same for ranks that work together: in each round, each rank has the next
 * piece, in the order of ranks, of whole chunks of VS_RESULT_BLOCK rows but for
 * the last. Not collective. VS_DONE, on all ranks: there was the last round.
 */
struct vs_bucket_piece {
	uint64_t row; /* of the first record among all */
	size_t n;     /* may be 0 */
	struct vs_record *rec;
	/* the record before it, if that has the same first vector, or null */
	const struct vs_record *before;
};
int vs_bucket_sort_piece(struct vs_bucket_sort *b,
	struct vs_bucket_piece *piece);

/* Say how they were sorted: the number of bands, or what was on disk. */
int vs_bucket_sort_say(const struct vs_bucket_sort *b, struct vs_text *text);

void vs_bucket_sort_free(struct vs_bucket_sort *b); /* null is accepted */

#endif
