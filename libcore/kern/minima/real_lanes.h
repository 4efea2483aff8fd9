/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of reals of a register width, for f32 and f64. The including file
 * defines KERNEL, CPU, TARGET, OP, FLOATS, DOUBLES, BITS and REGS as
 * minima_lanes.h has them, and ADD_PS and ADD_PD, the ADD of either type.
 */
#if defined(KERNEL)
#include "libcore/kern/minima/mix.h"

#define TYPE f32
#define ELEMENT VS_NUM_F32
#define NUMBER float
#define UNIT float
#define AS_IS
#define VEC FLOATS
#define LANES (BITS / 32)
#define LOAD(p) OP(load_ps)(p)
#define FILL(p) OP(set1_ps)(*(const float *)(p))
#define START(n) OP(setzero_ps)()
#define ADD ADD_PS
#define STORE(p, s) OP(store_ps)(p, s)
#define TAKE(p) OP(loadu_ps)(p)
#define MIX MIX_32
#define N_ROW 6
#define N_REG REGS
#include "libcore/kern/minima/minima_kernel.h"

#define TYPE f64
#define ELEMENT VS_NUM_F64
#define NUMBER double
#define UNIT double
#define AS_IS
#define VEC DOUBLES
#define LANES (BITS / 64)
#define LOAD(p) OP(load_pd)(p)
#define FILL(p) OP(set1_pd)(*(const double *)(p))
#define START(n) OP(setzero_pd)()
#define ADD ADD_PD
#define STORE(p, s) OP(store_pd)(p, s)
#define TAKE(p) OP(loadu_pd)(p)
#define MIX MIX_64
#define N_ROW 6
#define N_REG REGS
#include "libcore/kern/minima/minima_kernel.h"
#endif
