/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs whose value is 0/0, such as the correlation of a constant vector, which
 * a result records as 0. */
#ifndef VS_TOOLS_SHARED_UNDEFINED_H
#define VS_TOOLS_SHARED_UNDEFINED_H

#include "libcore/metric/metric.h"
#include "tools/shared/vector_names.h"

struct vs_undefined {
	enum vs_undefined_when when;
	enum vs_element element;
	bool doubled;             /* vs_load_vectors_doubles() */
	uint64_t n_field, n_word; /* words of a plane of genotypes */
	uint64_t row_bytes;
	/*
	 * by vector, as named by the result: fewest fields that would have to
	 * be missing for 0/0; and fields that are missing
	 */
	uint32_t *few, *missing;
	uint64_t *at;  /* index of its row in rows, or null: none is needed */
	uint8_t *rows; /* as in the vectors file */
};

/*
 * Read what is needed to recognise 0/0 for n vectors, or for all if vec is
 * null. Without the vectors file, names suffices for genotypes without missing
 * calls, and a line is printed on stderr.
 * given    vectors file, or null
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_undefined_open(struct vs_undefined *u, struct vs_result *result,
	const char *given, const struct vs_vector_names *names,
	const uint64_t *vec, size_t n);

/* The same for all vectors of a run, from the open file or input. 0; VS_EINPUT;
 * VS_EMACHINE */
int vs_undefined_of_vectors(struct vs_undefined *u, const struct vs_run *run,
	struct vs_packed *vectors);

void vs_undefined_close(struct vs_undefined *u);

/* True if the value of a record's n vectors is 0/0; for one, with itself. */
bool vs_undefined_is(const void *undefined, const uint64_t *vec, int n);

#endif
