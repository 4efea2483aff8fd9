/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The few instructions that the tensor kernels are made of. The kernels are
 * headers in the language that C and CUDA share: nvcc compiles them with the
 * functions below, and a C compiler with functions of the same names that the
 * program brings along, so that a whole thread block can be run on a CPU.
 *
 * Shared memory is addressed by 32-bit numbers, as the instructions do.
 */
#ifndef VS_CUDA_ISA_H
#define VS_CUDA_ISA_H

#include <stdint.h>

#ifdef __CUDACC__
#define VS_DEVICE static __device__ __forceinline__
#define VS_UNROLL _Pragma("unroll")
#define VS_ROLLED _Pragma("unroll 1")

/* Asked for anew each time: what follows from it would else be kept in
 * registers all along, and sums need them. */
VS_DEVICE uint32_t
isa_thread(void)
{
	uint32_t thread;

	asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
	return thread;
}

VS_DEVICE uint32_t
isa_block(void)
{
	return blockIdx.x;
}

VS_DEVICE uint32_t
isa_n_block(void)
{
	return gridDim.x;
}

/* The value as if it came from nowhere: nothing that follows from it can be made
 * ahead of time and kept in registers. */
VS_DEVICE uint32_t
isa_anew(uint32_t v)
{
	asm volatile("" : "+r"(v)::"memory");
	return v;
}

/* The block's dynamic shared memory; a multiple of 1024. */
VS_DEVICE uint32_t
isa_shared(void)
{
	extern __shared__ __align__(1024) unsigned char shared[];

	return (uint32_t)__cvta_generic_to_shared(shared);
}

VS_DEVICE void
isa_sync(void)
{
	__syncthreads();
}

/* Four 8 x 8 matrices of 16-bit elements, row r of matrix m from lane 8 m + r. */
VS_DEVICE void
isa_ldmatrix4(uint32_t to[4], uint32_t from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
		     "{%0, %1, %2, %3}, [%4];"
		     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
		     : "r"(from)
		     : "memory");
}

/* c += popc(a & b), 16 x 8 sums over 256 bits. */
VS_DEVICE void
isa_mma(int32_t c[4], const uint32_t a[4], const uint32_t b[2])
{
#if __CUDA_ARCH__ >= 800
	asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
	    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		: "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
		: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
		"r"(b[1]));
#endif
}

/* 16 bytes of global memory into shared memory, some time before isa_wait(). */
VS_DEVICE void
isa_copy16(uint32_t to, const void *from)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
		     "l"(__cvta_generic_to_global(from))
		     : "memory");
#endif
}

/* The thread's copies since the last time are a group. */
VS_DEVICE void
isa_commit(void)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* All of the thread's groups but the newest n are there; n is a constant. */
#if __CUDA_ARCH__ >= 800
#define isa_wait(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#else
#define isa_wait(n) ((void)(n))
#endif

VS_DEVICE int
isa_any(int yes)
{
	return __any_sync(~0u, yes);
}

VS_DEVICE uint32_t
isa_shuffle_up(uint32_t v, uint32_t by)
{
	return __shfl_up_sync(~0u, v, by);
}

VS_DEVICE uint32_t
isa_shuffle(uint32_t v, uint32_t lane)
{
	return __shfl_sync(~0u, v, (int)lane);
}

VS_DEVICE uint32_t
isa_popc(uint32_t v)
{
	return (uint32_t)__popc(v);
}

VS_DEVICE uint32_t
isa_add(uint32_t *to, uint32_t n)
{
	return atomicAdd(to, n);
}

#else /* a C compiler */
#define VS_DEVICE static inline __attribute__((always_inline))
#define VS_UNROLL
#define VS_ROLLED

uint32_t isa_thread(void);
uint32_t isa_block(void);
uint32_t isa_n_block(void);
uint32_t isa_shared(void);
void isa_sync(void);
void isa_ldmatrix4(uint32_t to[4], uint32_t from);
void isa_mma(int32_t c[4], const uint32_t a[4], const uint32_t b[2]);
void isa_copy16(uint32_t to, const void *from);
void isa_commit(void);
void isa_wait(int n);
int isa_any(int yes);
uint32_t isa_shuffle_up(uint32_t v, uint32_t by);
uint32_t isa_shuffle(uint32_t v, uint32_t lane);
uint32_t isa_add(uint32_t *to, uint32_t n);

VS_DEVICE uint32_t
isa_anew(uint32_t v)
{
	return v;
}

VS_DEVICE uint32_t
isa_popc(uint32_t v)
{
	return (uint32_t)__builtin_popcount(v);
}
#endif

#endif
