/* SPDX-License-Identifier: BSD-3-Clause */
/* Random sample of listed records, and of pairs or triples listed or not. */
#ifndef VS_TOOLS_VERIFY_SAMPLE_H
#define VS_TOOLS_VERIFY_SAMPLE_H

#include "tools/verify/judge.h"

/* A pair or triple to be checked, and the records listed for it. */
struct vs_sample_drawn {
	struct vs_record of; /* its vectors */
	int n_listed;
	struct vs_record listed[8];
};

struct vs_sample {
	const char *name; /* of the result, for messages */
	uint64_t n, seed, memory;
	/* numbers of records, then the records themselves */
	uint64_t *pick;
	struct vs_record *picked;
	size_t n_pick, n_picked;
	struct vs_sample_drawn *drawn;
	size_t n_drawn;
};

/*
 * Draw s->n numbers of records, and as many pairs or triples that the files
 * claim to list, both sorted and unique. 0; VS_EUSAGE (memory); VS_EMACHINE
 */
int vs_sample_draw(struct vs_sample *s, const struct vs_judge *g,
	struct vs_result *const *r, size_t n_result);

/*
 * Keep rec, record number `at` over all files, if the sample wants it; records
 * arrive in the order of their numbers. 0; VS_ENO: more than there are cells
 */
int vs_sample_catch(struct vs_sample *s, const struct vs_judge *g,
	const struct vs_record *rec, uint64_t at);

/*
 * Recompute the sample, as much at a time as memory for vectors allows. 0;
 * VS_ENO with the first difference; VS_EINPUT; VS_EMACHINE
 */
int vs_sample_judge(const struct vs_sample *s, struct vs_judge *g);

void vs_sample_free(struct vs_sample *s);

#endif
