/* SPDX-License-Identifier: BSD-3-Clause */
/* A CUDA device as a card that can be driven. */
#ifndef VS_CUDA_DEVICE_H
#define VS_CUDA_DEVICE_H

#include "cuda/drive.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct vs_card_ops vs_device_ops;

/* Devices that can be used; why tells the reason when there are none. */
int vs_device_count(char *why, size_t room);

/*
 * Device number k with an engine, null being the best that works there; said
 * gets what it is. The card lives on.
 * returns  0; VS_EUSAGE: the device is too old for the engine; VS_EMACHINE
 */
int vs_device_open(const struct vs_cuda_host *host, int k, const char *engine,
	void **card, char *said, size_t room);

#ifdef __cplusplus
}
#endif
#endif
