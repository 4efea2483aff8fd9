/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of lanes from their bits, eight lanes at a time. */
#ifndef VS_KERN_LANES_LANES_TAKE_H
#define VS_KERN_LANES_LANES_TAKE_H

#include <stddef.h>
#include <stdint.h>

/* take() of struct vs_lanes. */
void vs_lanes_take_words(const uint64_t *count, int n_bit, size_t word,
	int32_t *out);

#endif
