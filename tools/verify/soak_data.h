/* SPDX-License-Identifier: BSD-3-Clause */
/* Random vectors, with all values of a metric by its plain definition. */
#ifndef VS_TOOLS_VERIFY_SOAK_DATA_H
#define VS_TOOLS_VERIFY_SOAK_DATA_H

#include "libcore/engine/job.h"
#include "tools/verify/definition.h"

/* Vectors of one type of element, compared by pairs or triples. */
struct vs_soak_kind {
	const char *metric;
	int n_way;
	enum vs_element element;
	bool missing; /* some calls are */
};

struct vs_soak_data {
	const struct vs_soak_kind *kind;
	struct vs_query query; /* a tenth of the values pass */
	size_t n_vec, n_field, row_bytes;
	uint8_t *row;  /* of each vector, as a definition reads it */
	double *value; /* of all: vs_soak_data_at() */
	int n_cell;
	uint64_t n_pass; /* values above the threshold */
	struct vs_case_control cases;
	uint64_t *dead;
};

/*
 * Draw vectors and compute their values, on n_thread threads.
 * returns  0; VS_EMACHINE
 */
int vs_soak_data_new(struct vs_soak_data *d, const struct vs_soak_kind *kind,
	uint64_t seed, int n_thread);
void vs_soak_data_free(struct vs_soak_data *d); /* zeroed is accepted */

/* Fill a panel, as load() of a job does. */
int vs_soak_data_load(const struct vs_soak_data *d, uint64_t lo, uint64_t hi,
	struct vs_panel *p);

/* The value that a record ought to have; null: it names no combination. */
const double *vs_soak_data_at(const struct vs_soak_data *d,
	const struct vs_record *r);

#endif
