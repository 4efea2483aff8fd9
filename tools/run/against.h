/* SPDX-License-Identifier: BSD-3-Clause */
/* Incremental run, --against: only pairs and triples with a new vector, where a
 * result has those of the others. */
#ifndef VS_TOOLS_RUN_AGAINST_H
#define VS_TOOLS_RUN_AGAINST_H

#include "tools/run/between.h"

/*
 * Set in run the sets of new vectors and of all; the others are those
 * of an earlier result, which are found by their ids, and whose entries, names
 * of samples and, where it matters, places and case status must be the same.
 * result      path of the merged result
 * vectors     its vectors file, where it has moved; or null
 * returns     0; VS_EINPUT: the result answers a different question, or has
 *             other vectors, or there are no new ones; VS_EMACHINE
 * collective  yes
 */
int vs_against_begin(struct vs_between_chosen *c, const char *result,
	const char *vectors, struct vs_packed *f, struct vs_run *run);

#endif
