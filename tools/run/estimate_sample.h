/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random sample of a run's pairs or triples, counted by its engine. Pairs: some
 * randomly drawn vectors, with all others. Triples: tiles of some blocks in
 * first place.
 */
#ifndef VS_TOOLS_RUN_ESTIMATE_SAMPLE_H
#define VS_TOOLS_RUN_ESTIMATE_SAMPLE_H

#include "tools/run/estimate.h"

/* --top: buckets of strengths per unit, and number of units from -1 on */
#define VS_ESTIMATE_PER_UNIT 2000
#define VS_ESTIMATE_UNITS 7
#define VS_ESTIMATE_N_BUCKET ((size_t)VS_ESTIMATE_PER_UNIT * VS_ESTIMATE_UNITS)

/* Membership of a vector: in the set that rows are drawn from, in both sets, in
 * the other one. Without sets all vectors are in both. */
enum vs_estimate_part {
	VS_ESTIMATE_FIRST,
	VS_ESTIMATE_BOTH,
	VS_ESTIMATE_SECOND,
	VS_ESTIMATE_N_PART
};

struct vs_estimate_sample {
	const struct vs_estimate_of *of;
	struct vs_query query;
	struct vs_job job;
	struct vs_plan plan;
	struct vs_wanted wanted; /* rows of the sample with all others */
	struct vs_run_kind way;
	struct vs_job_stats did;
	uint64_t n_part[VS_ESTIMATE_N_PART], n_row_able, n_all;
	uint64_t n_block; /* of triples */
	uint64_t n_row;   /* vectors drawn; for pairs, they come first */
	uint64_t *drawn;  /* membership, by place among the sets */
	int64_t *row;     /* of the file, by place in the sample's plan */
	uint32_t *place;  /* triples: of each row of the file */
	uint8_t *part;    /* by place in the sample's plan */
	uint64_t *by_row; /* records, by a drawn vector's place */
	double n_work;    /* pairs of the run that are counted, approximately */
	uint64_t *done;   /* tiles of triples that are left out */
	/* records of pairs by the parts of row and column; for triples
	 * [0][0] */
	uint64_t seen[VS_ESTIMATE_N_PART][VS_ESTIMATE_N_PART];
	uint64_t *value;             /* --top: records by bucket, or null */
	uint64_t n_seen, one_run_of; /* of this rank; those that were packed */
	struct vs_record *rec;
	size_t n_rec;
	int n_chunk;
	int smaller; /* pairs: ratio of the run's tile to this one's */
	uint64_t packed_records, packed_bytes;
	double packing; /* seconds */
	double began, seconds;
	double fixed;    /* of these, before the first triple */
	double patience; /* seconds after which it is stopped */
	bool stopped;    /* stopped before its end, because of the time */
	double counted;  /* fraction of the sample's pairs that were counted */
};

/* Allocate memory for samples of a run; refuse a run whose samples take
 * minutes. 0; VS_EMACHINE */
int vs_estimate_sample_begin(struct vs_estimate_sample *s,
	const struct vs_estimate_of *of);
void vs_estimate_sample_free(struct vs_estimate_sample *s);

/*
 * Count with n_row vectors as rows, or for triples with blocks in first place.
 * returns     0; VS_EINPUT; VS_EMACHINE
 * collective  yes
 */
int vs_estimate_sample_count(struct vs_estimate_sample *s, uint64_t n_row);

/* Whether all pairs are counted, as in the run. */
bool vs_estimate_sample_is_all(const struct vs_estimate_sample *s);

#endif
