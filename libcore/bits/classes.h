/* SPDX-License-Identifier: BSD-3-Clause */
/* Case-control classes of the samples, as masks of the fields of a vector. */
#ifndef VS_BITS_CLASSES_H
#define VS_BITS_CLASSES_H

#include <stdbool.h>

#include "libcore/bits/compress.h"

/* Classes of the samples: 0 the controls, 1 the cases. */
struct vs_classes {
	size_t n_field;
	int64_t n[2];              /* samples; some may be in neither */
	size_t n_word[2];          /* words of each mask: a multiple of 8 */
	struct vs_compress *of[2]; /* masks, by word of a vector */
	bool in_order;             /* planes of rows are genotypes 0, 1 and 2 */
};

/*
 * status  of n_field samples: 0 control, 1 case, else neither
 * returns 0; VS_EMACHINE
 */
int vs_classes_new(struct vs_classes *c, const uint8_t *status, size_t n_field);
void vs_classes_free(struct vs_classes *c);

#endif
