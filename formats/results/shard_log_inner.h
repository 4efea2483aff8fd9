/* SPDX-License-Identifier: BSD-3-Clause */
/* State of a log and layout of its frames, only for shard_log*.c. */
#ifndef VS_FORMATS_RESULTS_SHARD_LOG_INNER_H
#define VS_FORMATS_RESULTS_SHARD_LOG_INNER_H

#include "formats/h5/codec.h"
#include "formats/results/result_columns.h"
#include "formats/results/result_write.h"
#include "formats/results/shard_log.h"
#include "libcore/base/team.h"

#define VS_SHARD_LOG_ROWS VS_H5_CHUNK_ROWS

/* A frame: this struct, then n bytes. */
struct vs_shard_log_frame {
	uint64_t kind;   /* the column of a chunk, or VS_SHARD_LOG_COMMIT */
	uint64_t n;      /* bytes that follow */
	uint64_t before; /* hash of the frame before; 0 in the first one */
	uint64_t bytes;  /* XXH3-64 of the bytes that follow */
	uint64_t hash;   /* XXH3-64 of the four above */
};
#define VS_SHARD_LOG_COMMIT 255

/* Bytes of a commit: this struct, n_tile rows, n_counts counters, and the rows
 * of each column that are in no chunk, packed. */
struct vs_shard_log_words {
	uint64_t n_records;
	struct vs_digest_sum source_sum;
	uint32_t codec, level;
	uint64_t n_tile; /* tiles since the previous commit */
	uint64_t n_counts;
	uint64_t n_rows; /* in no chunk */
	uint64_t n_bytes[VS_N_COL];
};

struct vs_shard_log_column {
	enum vs_type type;
	size_t size;   /* bytes of an element; 0: the run has no such column */
	size_t width;  /* width of the shuffle before packing, 1: none */
	uint8_t *rows; /* in no chunk */
	struct vs_digest *digest; /* of those in chunks */
};

/* A packed chunk of each column. */
struct vs_shard_log_chunk {
	uint64_t at[VS_N_COL], n[VS_N_COL];
};

struct vs_shard_log {
	char *path, *shard;
	int fd;
	bool scratch; /* a signal removes the file: nothing is committed yet */
	struct vs_shard_log_plan plan;
	const struct vs_run *run;
	struct vs_result *head; /* for a log that was opened; or null */
	uint64_t end, before;   /* of the frames */
	struct vs_shard_log_column column[VS_N_COL];
	size_t n_rows, most; /* in no chunk; that columns have room for */
	struct vs_shard_log_chunk *chunk;
	size_t n_chunk, room_chunk;
	struct vs_tile_row *tile;
	size_t n_tile, room_tile, n_committed;
	uint64_t n_records, n_in_tiles, n_commit;
	uint64_t counted; /* vs_digest_counts() of the records */
	struct vs_digest_sum sum, source_sum;
	struct vs_tile_counts counts;
	/* packing: a team, a packer for each of its threads, and room for each
	 * chunk of a batch, after its frame */
	struct vs_team *team;
	struct vs_codec_state **packer;
	int n_packer;
	uint8_t *packed;
	size_t slot; /* bytes for one */
	size_t *n_packed;
	/* what follows the words of a commit, when reading */
	uint64_t pending[VS_N_COL], n_pending[VS_N_COL];
};

/* Make a log without frames for a path; give it the columns of a run. */
int vs_shard_log_make(struct vs_shard_log **l, const char *path);
int vs_shard_log_columns(struct vs_shard_log *l, const struct vs_run *run);

/* Set the codec, with which columns are packed. */
void vs_shard_log_codec(struct vs_shard_log *l, struct vs_codec codec);

/* Uncompressed chunks: whether counts behind values have a sum of their own. */
bool vs_shard_log_sums_counts(const struct vs_shard_log *l);

#endif
