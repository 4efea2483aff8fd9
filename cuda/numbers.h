/* SPDX-License-Identifier: BSD-3-Clause */
/* Device kernels of vectors of numbers. */
#ifndef VS_CUDA_NUMBERS_H
#define VS_CUDA_NUMBERS_H

#include "cuda/card_numbers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All return a cudaError_t; stream is a cudaStream_t. */

/* Convert numbers to units. */
int vs_numbers_expand(const struct vs_card_expand *e, void *stream);

/* Sum the minima of pairs, and append those that may pass to the candidates. */
int vs_numbers_count(const struct vs_card_work *w, void *stream);

#ifdef __cplusplus
}
#endif
#endif
