/* SPDX-License-Identifier: BSD-3-Clause */
/* Synthetic vectors, written into a vectors file: libcore/bits/synthetic.h. */
#ifndef VS_FORMATS_VECTORS_SYNTHESIS_H
#define VS_FORMATS_VECTORS_SYNTHESIS_H

#include "formats/vectors/packed.h"
#include "libcore/bits/planted.h"

/*
 * Make plan->n_vec vectors, v1 and so on, of plan->n_field fields, s1 and so
 * on, as plan->synthetic says, and write a vectors file except for its end: the
 * caller then calls vs_packed_finish() with *w, sites and samples (empty
 * before). allele_rule is set here.
 */
int vs_synthesis_write(struct vs_packed_plan *plan, struct vs_packed_writer **w,
	struct vs_sites *sites, struct vs_samples *samples);

/*
 * The same for genotypes with a planted set, which was begun, and the classes
 * of its samples; plan->synthetic is null.
 */
int vs_synthesis_planted(struct vs_packed_plan *plan,
	const struct vs_planted *planted, struct vs_packed_writer **w,
	struct vs_sites *sites, struct vs_samples *samples);

#endif
