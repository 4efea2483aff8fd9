/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface of the counting engines of a device. */
#ifndef VS_CUDA_ENGINE_H
#define VS_CUDA_ENGINE_H

#include <stdbool.h>

#include "cuda/card.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * count    queue the kernels of a launch; returns a cudaError_t, or VS_CUBLAS
 *          plus the cuBLAS status
 * fields   about this many fields of a dense pair per multiprocessor and clock
 * stream   a cudaStream_t, this worker's own
 * half     it counts with plane h if no call is missing
 * others   null in an engine that needs only its registers
 * scratch  device memory of a worker, at most room bytes if less suffices
 * open     makes further state of a worker, in *own; 0, or a sentence in why
 */
#define VS_CUBLAS 100000
struct vs_engine {
	int (*count)(const struct vs_card_work *w, void *stream);
	double fields;
	bool half;
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
