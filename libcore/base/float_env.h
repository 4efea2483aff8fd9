/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floating-point environment of a thread: rounding to nearest, subnormal
 * numbers kept, exceptions masked. Libraries change it when they are loaded or
 * begin (-ffast-math links code that flushes subnormals to zero), and a value
 * must not depend on that.
 */
#ifndef VS_BASE_FLOAT_ENV_H
#define VS_BASE_FLOAT_ENV_H

/*
 * Set it for the calling thread: after code of others has begun (MPI, the
 * plugin for GPUs), and in each thread before it computes. It is set before
 * main, too. Costs a few nanoseconds where it is set already.
 */
void vs_float_env_set(void);

#endif
