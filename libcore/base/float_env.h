/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floating-point environment of a thread: rounding to nearest, subnormal
 * numbers kept, exceptions masked. Libraries may change it when loaded or
 * initialised (-ffast-math links code that flushes subnormals to zero), and no
 * value may depend on that.
 */
#ifndef VS_BASE_FLOAT_ENV_H
#define VS_BASE_FLOAT_ENV_H

/*
 * Set it for the calling thread: after third-party code was initialised (MPI,
 * the plugin for GPUs), and in each thread before it computes. It is also set
 * before main. Costs a few nanoseconds if it is set already.
 */
void vs_float_env_set(void);

#endif
