/* SPDX-License-Identifier: BSD-3-Clause */
/* Qualifier of functions compiled for both the CPU and CUDA devices. */
#ifndef VS_BASE_HOST_DEVICE_H
#define VS_BASE_HOST_DEVICE_H

#ifdef __CUDACC__
#define VS_BOTH __host__ __device__ static inline
#else
#define VS_BOTH static inline
#endif

#endif
