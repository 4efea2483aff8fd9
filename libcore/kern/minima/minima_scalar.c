/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Minima kernels in portable C, one number per lane and one lane per register.
 * Integers of 16 bits and less are summed in 32 bits over a run; 32-bit ones in
 * a double, which holds them exactly.
 */
#include <stdint.h>

#define KERNEL scalar
#define CPU VS_CPU_SCALAR
#define TARGET

#define TYPE u8
#define ELEMENT VS_NUM_U8
#define NUMBER uint8_t
#define UNIT uint32_t
#define N_ROW 2
#define N_REG 4
#include "libcore/kern/minima/minima_kernel.h"

#define TYPE u16
#define ELEMENT VS_NUM_U16
#define NUMBER uint16_t
#define UNIT uint32_t
#define N_ROW 2
#define N_REG 4
#include "libcore/kern/minima/minima_kernel.h"

#define TYPE u32
#define ELEMENT VS_NUM_U32
#define NUMBER uint32_t
#define UNIT double
#define N_ROW 2
#define N_REG 4
#include "libcore/kern/minima/minima_kernel.h"

#define TYPE f32
#define ELEMENT VS_NUM_F32
#define NUMBER float
#define UNIT float
#define AS_IS
#define N_ROW 2
#define N_REG 4
#include "libcore/kern/minima/minima_kernel.h"

#define TYPE f64
#define ELEMENT VS_NUM_F64
#define NUMBER double
#define UNIT double
#define AS_IS
#define N_ROW 2
#define N_REG 4
#include "libcore/kern/minima/minima_kernel.h"
