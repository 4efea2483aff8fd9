/* SPDX-License-Identifier: BSD-3-Clause */
/* Result files: shards of a run and merged results, vsim-results(5). */
#ifndef VS_FORMATS_RESULTS_RESULT_H
#define VS_FORMATS_RESULTS_RESULT_H

#include "formats/h5/h5.h"
#include "formats/h5/provenance.h"
#include "formats/results/null_maxima.h"
#include "formats/results/record_rules.h"
#include "formats/results/sets.h"
#include "formats/results/tile_counts.h"
#include "formats/vectors/sites.h"
#include "libcore/base/digest.h"
#include "libcore/base/num.h"
#include "libcore/base/record.h"
#include "libcore/base/thresholds.h"
#include "libcore/metric/summary_ask.h"
#include "libcore/plan/pair_rules.h"
#include "libcore/plan/stages.h"

/* A finished tile: a pair of blocks of the global grid. */
struct vs_tile_row {
	int32_t bi, bj;
	int32_t phase, stage;
	int64_t first, count;     /* rows of /records in this shard */
	int64_t evaluated;        /* values computed, passing or not */
	struct vs_digest_sum sum; /* of the tile's records */
	float seconds;
};

/* Group /run: query and vectors of a run, the rows of query_rows.h. Owns its
 * texts. */
struct vs_run {
#define MEMBER(type, declaration, name, files, when, digest, agree, engine, \
	words)                                                              \
	declaration;
#include "libcore/metric/query_rows.h"
	/* the strongest value of each permutation, NaN if not searched yet; a
	 * shard has those of its stages */
	double *null_maxima;
	/* from between, and from pair_filter once places are read */
	struct vs_wanted wanted;
	/* shards: those that its stages are cut by; or none */
	struct vs_chromosomes chromosomes;
	bool has_num, has_nvalid;
};

/*
 * True if a pair has a value for each choice of alleles. If not, cells are
 * VS_NO_CELL, there is no column for them, and cell_mask is 1.
 */
bool vs_run_has_cells(const struct vs_run *run);

/* Least fields of any record: min_joint, and one for a table. */
int64_t vs_run_least_joint(const struct vs_run *run);

/* Values that count as stronger. */
enum vs_strong vs_run_strong(const struct vs_run *run);

/* The name of a limit that excludes strong values, a row of query_rows.h; null:
 * none. */
const char *vs_run_limit(const struct vs_run *run);

void vs_run_free(struct vs_run *run);

/* The grid of tiles, for one rank. 0; VS_EINPUT: too many vectors */
int vs_run_plan(const struct vs_run *run, struct vs_plan *plan);

/*
 * The stages of its tiles: by rows for a pair_filter by distance, within the
 * run's chromosomes, spread for triples and if chromosomes are not stated, else
 * squares. Free them with vs_stages_free(), before the run.
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_run_stages(const struct vs_run *run, const struct vs_plan *plan,
	struct vs_stages *stages);

/* True if the run states the chromosomes that its stages are cut by: for all
 * pairs within chromosomes, whatever their distance. */
bool vs_run_cuts_chromosomes(const struct vs_run *run);

/* Reason why a and b cannot be parts of one result, in words from query_rows.h;
 * null: they can. */
const char *vs_run_differs(const struct vs_run *a, const struct vs_run *b);

/*
 * Reason why old cannot be the result for some of run's vectors, judging by
 * their questions; null: it can, if the vectors are the same.
 */
const char *vs_run_differs_from_old(const struct vs_run *run,
	const struct vs_run *old);

/* Group /stats: time, memory and work of a run. */
struct vs_stats {
	double seconds_total, seconds_input, seconds_compute, seconds_output;
	double seconds_wait, comparisons;
	/* values computed: vs_run_stats_values() */
	int64_t metrics, bytes_input, peak_rss;
	char metrics_exact[VS_NUM_WIDE]; /* "" if metrics is */
	char device[64];
};

/* Number of values computed, which may exceed 63 bits. */
vs_wide vs_run_stats_values(const struct vs_stats *stats);
void vs_run_stats_set_values(struct vs_stats *stats, vs_wide n);

/* ---- writing ---- */

struct vs_result_plan {
	const char *path;
	enum vs_kind kind; /* shard or merged */
	struct vs_codec codec;
	const char *generator;
	bool force;
	bool reproducible; /* see vs_h5_writer_reproducible() */
	/* a merged file with n_records that ranks write together; all ranks
	 * have equal plans and runs, and only the first makes a file */
	bool joint;
	uint64_t n_records;
};

struct vs_result_writer;

/* Add to *bytes the size of the columns of n records, at least one, in a file
 * of this run. 0; VS_EMACHINE */
int vs_result_packed(const struct vs_run *run, struct vs_codec codec,
	const struct vs_record *rec, size_t n, uint64_t *bytes);

int vs_result_create(struct vs_result_writer **w,
	const struct vs_result_plan *plan, const struct vs_run *run);

/* Append records in file order; for a merged file strictly ascending, and by
 * all threads if there are many. */
int vs_result_add(struct vs_result_writer *w, const struct vs_record *rec,
	size_t n);

/*
 * Instead, for all ranks of a joint file together, after each has created its
 * writer: begin; for each round of vs_bucket_sort_piece(), add the piece of
 * each rank; end, after which the first rank's writer knows all records. code
 * is the rank's own before the call; nothing is done unless all are 0.
 * returns  the worst of all ranks
 */
struct vs_bucket_piece;
int vs_result_joint_begin(struct vs_result_writer *w, int code);
int vs_result_joint_add(struct vs_result_writer *w,
	const struct vs_bucket_piece *piece, int code);
int vs_result_joint_end(struct vs_result_writer *w, int code);

/* Sum over the records of a merged file so far. */
struct vs_digest_sum vs_result_sum(const struct vs_result_writer *w);

/*
 * Record a finished tile, whose sum is added to the shard's, or a missing tile
 * of a partial result.
 */
int vs_result_tile(struct vs_result_writer *w, const struct vs_tile_row *tile);

/* The vectors that occur, with their names: merged files. vector: rows. */
struct vs_nodes {
	size_t n;
	int64_t *vector;
	struct vs_sites site; /* n rows, source_row and labels included */
};
void vs_result_nodes_free(struct vs_nodes *nodes);

/* One row per shard that went into a merged file. */
struct vs_shard_row {
	char *name, uuid[37], content[VS_DIGEST_TEXT];
	int64_t n_records;
	struct vs_digest_sum sum;
	bool has_counts; /* `counts`, the sum over num and nvalid, is stated */
	uint64_t counts;
};

struct vs_result_end {
	const struct vs_provenance *provenance;
	const struct vs_stats *stats;      /* may be null */
	const struct vs_nodes *nodes;      /* merged; may be null */
	const struct vs_shard_row *shards; /* merged */
	size_t n_shards;
	/* sum of records with the source's names, original rows and alleles;
	 * may be null */
	const struct vs_digest_sum *source_sum;
	/* shards: the histogram; may be null */
	const struct vs_tile_counts *counts;
};

/* Index (merged), sums, provenance, seal. w is freed either way. */
int vs_result_finish(struct vs_result_writer *w,
	const struct vs_result_end *end, char content_hex[VS_DIGEST_TEXT]);
/* Remove the file; null is accepted. */
void vs_result_abandon(struct vs_result_writer *w);

/* ---- reading ---- */

struct vs_result {
	struct vs_h5_reader *file;
	enum vs_kind kind;
	struct vs_run run;
	uint64_t n_records;
	struct vs_digest_sum sum;        /* as stated: records_sum */
	struct vs_digest_sum source_sum; /* zeros when not stated */
	bool has_counts;                 /* counts_sum is stated */
	uint64_t counts;                 /* counts_sum */
	char *uuid, *content;
	struct vs_h5_reader_data
		*column[7]; /* i j k cell value num nvalid, or null */
	void *scratch;
	bool resting; /* columns are closed until they are read */
	struct vs_record_rules rules; /* of the run */
	struct vs_result_seen *seen;  /* of vs_result_watch(), or null */
};

int vs_result_open(struct vs_result **r, const char *path, unsigned flags);
void vs_result_close(struct vs_result *r); /* null is accepted */

/* vs_h5_reader_look() on files that vs_result_open() will open. */
int vs_result_look(const struct vs_text_pool *files);

/*
 * Free the buffers for reading records, megabytes per file, if several files
 * stay open. Reading allocates them again.
 */
void vs_result_rest(struct vs_result *r);

/* Read records [lo, hi). VS_EINPUT: one breaks the rules of its run */
int vs_result_read(struct vs_result *r, uint64_t lo, uint64_t hi,
	struct vs_record *out);

/*
 * Readers for several threads at once, one each: after vs_result_wake(), while
 * nothing else uses HDF5. Blocks of VS_RESULT_BLOCK records, from a multiple of
 * it on, are fastest.
 */
#define VS_RESULT_BLOCK 65536
struct vs_result_reader;
int vs_result_reader_new(struct vs_result_reader **reader);
void vs_result_reader_free(struct vs_result_reader *reader); /* or null */
int vs_result_wake(struct vs_result *r);
int vs_result_reader_records(struct vs_result_reader *reader,
	const struct vs_result *r, uint64_t lo, uint64_t hi,
	struct vs_record *out);
/* Only the first vectors of records, not checked. */
int vs_result_reader_first(struct vs_result_reader *reader,
	const struct vs_result *r, uint64_t lo, uint64_t hi, uint64_t *i);

/* Open a file with its tiles: vs_result_open() and vs_result_tiles(). After a
 * failure nothing is open. */
int vs_result_open_tiles(struct vs_result **r, const char *path, unsigned flags,
	struct vs_tile_row **tiles, size_t *n);

/* All finished tiles; free with free(). */
int vs_result_tiles(struct vs_result *r, struct vs_tile_row **tiles, size_t *n);

/*
 * The same tiles in order, some at a time, so that they take little memory,
 * each checked as vs_result_tiles() does; take may be null.
 * n        number of all tiles
 * returns  also the first nonzero code of take()
 */
typedef int vs_result_take_tiles(void *ctx, const struct vs_tile_row *tile,
	size_t n);
int vs_result_tiles_each(struct vs_result *r, vs_result_take_tiles *take,
	void *ctx, uint64_t *n);

/*
 * Mark the tiles of a shard in a bit per tile of its run's plan.
 * n_new    of them those that were not marked before
 * returns  as vs_result_tiles_each()
 */
int vs_result_tiles_mark(struct vs_result *r, uint64_t *done, uint64_t *n_new,
	uint64_t *n);

/* Merged: i_offset [n_vectors + 1] (free), nodes, shards. */
int vs_result_index(struct vs_result *r, int64_t **i_offset);
int vs_result_nodes(struct vs_result *r, struct vs_nodes *nodes);
/* Zeros if not stated. */
int vs_result_stats(struct vs_result *r, struct vs_stats *stats);

/* Parts of the content digest. */
extern const struct vs_content vs_shard_content, vs_merged_content;

/*
 * Apply vs_record_rename() with the columns of a vectors file (or of nodes):
 * source_row and allele1_source of all its rows.
 */
void vs_run_record_to_source(struct vs_record *rec, const int64_t *source_row,
	const uint8_t *allele1_source);

/*
 * The shards of a run directory (NAME.shard.h5 in it and in the directories of
 * its ranks, sorted), or path itself if it is a file, each with its NUL, for
 * vs_text_pool_string(). Temporary files are skipped.
 */
int vs_run_shards(const char *path, struct vs_text_pool *files);

/* The logs of its unfinished shards, shard_log.h, and the temporary files that
 * killed writers left, likewise. */
int vs_run_shards_logs(const char *dir, struct vs_text_pool *files);
int vs_run_shards_temporaries(const char *dir, struct vs_text_pool *files);

/*
 * Remove the shards of a run directory, their logs, and the directories of its
 * ranks; or the temporary files. The caller holds dir's lock, so that no
 * process is still writing them.
 * returns  0; VS_EINPUT or VS_EMACHINE: dir cannot be listed; VS_EMACHINE
 */
int vs_run_shards_remove(const char *dir);
int vs_run_shards_sweep(const char *dir);

/*
 * Make the directories for n_rank ranks; remove those that are empty.
 * returns  0; VS_EUSAGE: a name is taken; VS_EMACHINE
 */
int vs_run_shards_make_dirs(const char *dir, int n_rank);
void vs_run_shards_remove_dirs(const char *dir);

/*
 * Permissions common to all shards of a directory and its completion file.
 * Without either: permissions of its run.yaml, or -1 if that is missing, too.
 * returns  0; VS_EINPUT or VS_EMACHINE: that cannot be determined
 */
int vs_run_shards_mode(const char *dir, int *mode);

#endif
