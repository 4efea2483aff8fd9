/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random sample of a run's pairs or triples, counted by its engine.
 * Pairs: some vectors, drawn at random, with all others. Triples: tiles of some
 * blocks in the first place.
 */
#ifndef VS_TOOLS_RUN_ESTIMATE_SAMPLE_H
#define VS_TOOLS_RUN_ESTIMATE_SAMPLE_H

#include "tools/run/estimate.h"

/* --top: buckets of values per unit, and units from -1 on */
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
	uint64_t *drawn;  /* bits, by the place among the sets */
	int64_t *row;     /* of the file, by place in the sample's plan */
	uint32_t *place;  /* triples: of each row of the file */
	uint8_t *part;    /* by place in the sample's plan */
	uint64_t *by_row; /* records, by a drawn vector's place */
	double n_work;    /* pairs of the run that are counted, about */
	uint64_t *done;   /* tiles of triples that are left out */
	/* records of pairs by the parts of row and column; of triples [0][0] */
	uint64_t seen[VS_ESTIMATE_N_PART][VS_ESTIMATE_N_PART];
	uint64_t *value; /* --top: records by bucket of their value, or null */
	uint64_t n_seen, one_run_of; /* by this rank; those that are packed */
	struct vs_record *rec;
	size_t n_rec;
	int n_chunk;
	int smaller; /* pairs: as many times smaller than the run's is a tile */
	uint64_t packed_records, packed_bytes;
	double packing; /* seconds */
	double began, seconds;
	double fixed;    /* of the seconds, before the first triple */
	double patience; /* seconds after which it is stopped */
	bool stopped;    /* before its end, for the time that it took */
	double counted;  /* of the sample's pairs, those that were counted */
};

/* Take memory for samples of a run; refuse a run whose samples take minutes.
 * 0; VS_EMACHINE */
int vs_estimate_sample_begin(struct vs_estimate_sample *s,
	const struct vs_estimate_of *of);
void vs_estimate_sample_free(struct vs_estimate_sample *s);

/*
 * Count with n_row vectors as rows, or of triples blocks in the first place.
 * returns     0; VS_EINPUT; VS_EMACHINE
 * collective  yes
 */
int vs_estimate_sample_count(struct vs_estimate_sample *s, uint64_t n_row);

/* Whether all pairs are counted, as the run has them. */
bool vs_estimate_sample_is_all(const struct vs_estimate_sample *s);

#endif
