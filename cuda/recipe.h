/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Device kernels around an engine: conversion of planes, refinement of
 * candidates.
 */
#ifndef VS_CUDA_RECIPE_H
#define VS_CUDA_RECIPE_H

#include "cuda/card.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All return a cudaError_t; stream is a cudaStream_t. */
int vs_recipe_expand(const struct vs_card_expand *e, void *stream);

/* Count all sums of the first n candidates. */
int vs_recipe_settle(const struct vs_card_work *w, uint32_t n, void *stream);

/* Refine n candidates from lo on; *n_out is increased. */
int vs_recipe_refine(const struct vs_card_work *w, uint32_t lo, uint32_t n,
	struct vs_card_record *out, uint32_t *n_out, void *stream);

#ifdef __cplusplus
}
#endif
#endif
