/* SPDX-License-Identifier: BSD-3-Clause */
/* One result: a cell of a pair or of a triple of vectors. */
#ifndef VS_BASE_RECORD_H
#define VS_BASE_RECORD_H

#include <stdint.h>

#define VS_NO_VEC UINT64_MAX /* k of a pair */

struct vs_record {
	uint64_t i, j, k;
	double value;   /* an f32 value is widened exactly */
	int64_t num;    /* exact integer numerator r; -1 when not kept */
	int64_t nvalid; /* fields present in all; -1 when none is missing */
	uint32_t cell;  /* 2a + b, or 4a + 2b + c */
};

#endif
