/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Verification of results of synthetic vectors against the closed form of their
 * values: reads no vectors, counts no fields and visits no single pairs.
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
	/* out: records that must exist, and do */
	uint64_t n_record;
};

/*
 * Check that each record is what libcore/bits/synthetic.h implies, and that
 * number and sum of the records are right. ccc, duo and ps of 2 and 3 ways,
 * metrics of moments of 2.
 * returns  0; VS_ENO: no, and why; VS_EINPUT: no closed form for these vectors,
 *          this metric or this part of a result; VS_EMACHINE
 */
int vs_closed_form_check(struct vs_closed_form *job);

#endif
