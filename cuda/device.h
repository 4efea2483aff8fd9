/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA device behind the card interface of drive.h. */
#ifndef VS_CUDA_DEVICE_H
#define VS_CUDA_DEVICE_H

#include "cuda/drive.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct vs_card_ops vs_device_ops;

/* Number of usable devices; why gets the reason if there are none. */
int vs_device_count(char *why, size_t room);

/*
 * Open device k with an engine, null for the best that works there; said gets
 * its description. The card is never freed.
 * returns  0; VS_EUSAGE: the device is too old for the engine; VS_EMACHINE
 */
int vs_device_open(const struct vs_cuda_host *host, int k, const char *engine,
	void **card, char *said, size_t room);

#ifdef __cplusplus
}
#endif
#endif
