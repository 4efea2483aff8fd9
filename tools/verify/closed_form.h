/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Verification of results of synthetic vectors by the closed form of their
 * values: no vector is read, no field counted, no pair visited by itself.
 */
#ifndef VS_TOOLS_VERIFY_CLOSED_FORM_H
#define VS_TOOLS_VERIFY_CLOSED_FORM_H

#include "formats/results/result.h"
#include "formats/vectors/packed.h"

struct vs_closed_form {
	const char *name;           /* of the result, for messages */
	struct vs_result *const *r; /* shards of one run, or one merged file */
	size_t n;
	struct vs_packed *vectors; /* only their order is read */
	/* out: records that must be, and are, there */
	uint64_t n_record;
};

/*
 * Check that each record is what libcore/bits/synthetic.h implies, and that
 * number and sum of the records are right. ccc, duo and ps of 2 and 3 ways,
 * those of moments of 2.
 * returns  0; VS_ENO: no, and why; VS_EINPUT: these vectors, this metric or
 *          this part of a result has none; VS_EMACHINE
 */
int vs_closed_form_check(struct vs_closed_form *job);

#endif
