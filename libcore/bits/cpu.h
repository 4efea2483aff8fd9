/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU feature detection: levels of instruction sets that the kernels are
 * written for.
 */
#ifndef VS_BITS_CPU_H
#define VS_BITS_CPU_H

#include <stddef.h>

#include "libcore/base/inline.h"

/* Each level includes the ones before it. */
enum vs_cpu {
	VS_CPU_SCALAR, /* portable C */
	VS_CPU_POPCNT, /* the 64-bit population count instruction */
	VS_CPU_AVX2,
	VS_CPU_AVX512,    /* F, BW, DQ and VL */
	VS_CPU_AVX512ICL, /* of Ice Lake: VBMI, VNNI, VPOPCNTDQ, GFNI ... */
	VS_CPU_AMX,       /* tile products of bytes, since Sapphire Rapids */
	VS_CPU_N,
};

/* The best level that this CPU and the operating system offer. */
enum vs_cpu vs_cpu_best(void);

/* The same, or a lower level if the environment's VSIM_CPU names one: for code
 * that gives the same bytes at any level. */
enum vs_cpu vs_cpu_now(void);

const char *vs_cpu_name(enum vs_cpu cpu);

/*
 * Choose the level: name when given, else the environment's VSIM_CPU, else the
 * best. returns 0; VS_EUSAGE (unknown name); VS_EMACHINE (beyond this CPU)
 */
int vs_cpu_choose(const char *name, enum vs_cpu *cpu);

/* Bytes of a core's L2 cache: as set by vs_cpu_assume_cache(), else as the
 * system states, else 1 MiB. */
size_t vs_cpu_cache(void);

/* Plan for cores with this much L2 cache; 0: for those of this machine. */
void vs_cpu_assume_cache(size_t bytes);

/*
 * Function multiversioning: one loop compiled for several instruction sets.
 * From the inline function name_any(...), called with args, the macros make
 * name(cpu, ...), which runs the version for that level. VS_BY_CPU makes
 * versions for scalar, AVX2 and AVX-512 registers; VS_BY_POPCNT, for loops that
 * count bits, versions without and with POPCNT and with VPOPCNTDQ.
 */
#if defined(__x86_64__)
#define VS_BY_CPU(type, name, args, ...)                                     \
	__attribute__((                                                      \
		target("avx512f,avx512bw,avx512vl,avx512dq"))) static type   \
		name##_avx512(__VA_ARGS__)                                   \
	{                                                                    \
		return name##_any args;                                      \
	}                                                                    \
	__attribute__((target("avx2"))) static type name##_avx2(__VA_ARGS__) \
	{                                                                    \
		return name##_any args;                                      \
	}                                                                    \
	static type name(enum vs_cpu cpu, __VA_ARGS__)                       \
	{                                                                    \
		return cpu >= VS_CPU_AVX512  ? name##_avx512 args            \
			: cpu >= VS_CPU_AVX2 ? name##_avx2 args              \
					     : name##_any args;              \
	}
#define VS_BY_POPCNT(type, name, args, ...)                            \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,"    \
			      "avx512vpopcntdq,popcnt"))) static type  \
		name##_avx512icl(__VA_ARGS__)                          \
	{                                                              \
		return name##_any args;                                \
	}                                                              \
	__attribute__((target("popcnt"))) static type name##_popcnt(   \
		__VA_ARGS__)                                           \
	{                                                              \
		return name##_any args;                                \
	}                                                              \
	static type name(enum vs_cpu cpu, __VA_ARGS__)                 \
	{                                                              \
		return cpu >= VS_CPU_AVX512ICL ? name##_avx512icl args \
			: cpu >= VS_CPU_POPCNT ? name##_popcnt args    \
					       : name##_any args;      \
	}
#else
#define VS_BY_CPU(type, name, args, ...)               \
	static type name(enum vs_cpu cpu, __VA_ARGS__) \
	{                                              \
		(void)cpu;                             \
		return name##_any args;                \
	}
#define VS_BY_POPCNT VS_BY_CPU
#endif

#endif
