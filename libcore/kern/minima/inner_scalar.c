/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of inner products in portable C, one number per register. */
#include <math.h>

#define KERNEL scalar
#define CPU VS_CPU_SCALAR
#define TARGET
#define PRODUCTS

#define TYPE f32
#define ELEMENT VS_NUM_F32
#define NUMBER float
#define UNIT float
#define AS_IS
#define ADD(s, a, b) fmaf(a, b, s)
#define N_ROW 2
#define N_REG 4
#include "libcore/kern/minima/minima_kernel.h"

#define TYPE f64
#define ELEMENT VS_NUM_F64
#define NUMBER double
#define UNIT double
#define AS_IS
#define ADD(s, a, b) fma(a, b, s)
#define N_ROW 2
#define N_REG 4
#include "libcore/kern/minima/minima_kernel.h"
