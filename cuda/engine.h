/* SPDX-License-Identifier: BSD-3-Clause */
/* What an engine is: it counts on a card. */
#ifndef VS_CUDA_ENGINE_H
#define VS_CUDA_ENGINE_H

#include "cuda/card.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * count    queue the kernels for some work; returns a cudaError_t, or what
 *          cuBLAS says and VS_CUBLAS
 * fields   by large, of a dense pair in a clock of a multiprocessor
 * stream   a cudaStream_t, and this worker's own
 * others   null in an engine that needs no more than its registers
 * scratch  device memory of a worker, at most room bytes where less will do
 * open     what a worker keeps beside that, in *own; 0, or a sentence in why
 */
#define VS_CUBLAS 100000
struct vs_engine {
	int (*count)(const struct vs_card_work *w, void *stream);
	double fields;
	size_t (*scratch)(const struct vs_card_rule *q, size_t room);
	int (*open)(void **own, void *stream, char *why, size_t room);
	void (*close)(void *own);
};

#define X(name, least, upto) extern const struct vs_engine vs_engine_##name;
#include "cuda/rows.h"
#undef X

#ifdef __cplusplus
}
#endif
#endif
