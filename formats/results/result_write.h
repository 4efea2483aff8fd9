/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of a shard, for a writer that packs them itself. */
#ifndef VS_FORMATS_RESULTS_RESULT_WRITE_H
#define VS_FORMATS_RESULTS_RESULT_WRITE_H

#include "formats/results/result.h"

/* Bytes of an element of a column of numbers. */
size_t vs_result_bytes_of(enum vs_type type);

/* Fill a column of n records. */
void vs_result_fill(int column, enum vs_type type, const struct vs_record *rec,
	uint64_t n, void *to);

/* The data set of a column. After all were written without vs_result_add(), the
 * second function states the number of records, and the vs_digest_counts() of
 * uncompressed ones. */
struct vs_h5_writer_data *vs_result_column(const struct vs_result_writer *w,
	int column);
void vs_result_count(struct vs_result_writer *w, uint64_t n, uint64_t counts);

#endif
