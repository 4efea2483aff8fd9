/* SPDX-License-Identifier: BSD-3-Clause */
/* Incremental run, --against: only pairs and triples with a new vector; an
 * earlier result has those of the other vectors. */
#ifndef VS_TOOLS_RUN_AGAINST_H
#define VS_TOOLS_RUN_AGAINST_H

#include "tools/run/between.h"

/*
 * Set in run the sets of new vectors and of all vectors. The old vectors, those
 * of an earlier result, are found by their ids; their entries, sample names
 * and, if it matters, places and case status must be the same.
 * result      path of the merged result
 * vectors     its vectors file, if it has moved; or null
 * returns     0; VS_EINPUT: the result answers a different question, or has
 *             other vectors, or there are no new ones; VS_EMACHINE
 * collective  yes
 */
int vs_against_begin(struct vs_between_chosen *c, const char *result,
	const char *vectors, struct vs_packed *f, struct vs_run *run);

#endif
