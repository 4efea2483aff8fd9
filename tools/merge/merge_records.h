/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of the shards of a run, sorted into a merged file, and their sums. */
#ifndef VS_TOOLS_MERGE_MERGE_RECORDS_H
#define VS_TOOLS_MERGE_MERGE_RECORDS_H

#include "formats/results/result.h"
#include "libcore/base/text.h"
#include "tools/merge/merge_survey.h"
#include "tools/shared/vector_names.h"

struct vs_merge_records {
	const struct vs_merge_survey *in;
	const struct vs_text_pool *files; /* of the shards, each with its NUL */
	const struct vs_shard_row *shard; /* as they state */
	const struct vs_run *run;
	uint64_t n_records;
	/* sums over all shards as stated; source: if stated */
	struct vs_digest_sum stated, stated_source;
	bool source_stated;
	/* mapping to the source, whose rows and labels the records get if
	 * asked; n = 0: unknown */
	const struct vs_vector_names_map *map;
	bool unpermute;
	/* which of the files is an earlier result, and the present rows of its
	 * vectors; null: none is */
	size_t old;
	const int64_t *now;
	uint8_t *used; /* [n_vectors], set for those that occur; may be null */
	const char *out;
	uint64_t memory;
	/* only part number `part`, from 0, of n_part of the sorted records; 0:
	 * all. For a part, records of shards are not checked against their
	 * sums */
	uint32_t part, n_part;
	bool joint; /* ranks write one file together */
};

/*
 * Write the records of all shards in order, on all threads; in memory if that
 * is enough, else through a file. With ranks, a collective call after which the
 * first rank has all sums and `used`.
 * as_source  out: the sum of the records with the source's names, if known
 * n          out: records written
 * returns    0; VS_EINPUT: a shard has other records than it states, or a
 *            duplicate; VS_EMACHINE
 */
int vs_merge_records_write(const struct vs_merge_records *m,
	struct vs_result_writer *writer, struct vs_digest_sum *as_source,
	uint64_t *n);

#endif
