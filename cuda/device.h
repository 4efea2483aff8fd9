/* SPDX-License-Identifier: BSD-3-Clause */
/* The card itself: what the plugin's C asks of CUDA. */
#ifndef VS_CUDA_DEVICE_H
#define VS_CUDA_DEVICE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Devices that can be used; why tells the reason when there are none. */
int vs_device_count(char *why, size_t room);

#ifdef __cplusplus
}
#endif
#endif
