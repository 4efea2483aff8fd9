/* SPDX-License-Identifier: BSD-3-Clause */
/* First guess of the threshold for the N greatest values of tables: those of a
 * random sample of triples, whose tail is assumed to be exponential. */
#ifndef VS_ENGINE_TRIPLE_THRESHOLD_SAMPLE_H
#define VS_ENGINE_TRIPLE_THRESHOLD_SAMPLE_H

#include "libcore/base/strongest.h"
#include "libcore/engine/slab/triple_data.h"

struct vs_threshold_sample {
	struct vs_strongest best; /* those of the sample */
	double share;             /* of all triples that were counted */
};

/*
 * Count a sample of triples of all vectors, the same on every machine.
 * n_strongest  values wanted of n_triple
 * returns      0; VS_EMACHINE. Free it in any case
 */
int vs_threshold_sample_take(struct vs_threshold_sample *s,
	struct vs_triple_data *t, uint64_t n_strongest, double n_triple);
void vs_threshold_sample_free(struct vs_threshold_sample *s);

/* The threshold that about n values of all triples pass, with luck no fewer.
 * -INFINITY: the sample is too small */
double vs_threshold_sample_guess(const struct vs_threshold_sample *s, double n);

#endif
