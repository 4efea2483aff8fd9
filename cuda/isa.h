/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instruction wrappers of the tensor kernels. The kernels are headers in the
 * common subset of C and CUDA: nvcc compiles them with the functions below, and
 * a C compiler with functions of the same names from the test program, so that
 * a whole thread block can be simulated on a CPU.
 *
 * Shared memory is addressed by 32-bit numbers, as in the instructions.
 */
#ifndef VS_CUDA_ISA_H
#define VS_CUDA_ISA_H

#include <stdint.h>
#include <string.h>

#include "libcore/base/inline.h"

#ifdef __CUDACC__
#define VS_DEVICE static __device__ __forceinline__
#define VS_UNROLL _Pragma("unroll")
#define VS_ROLLED _Pragma("unroll 1")

/*
 * volatile: values derived from the thread number would otherwise be kept in
 * registers, which the sums need.
 */
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
isa_block_y(void)
{
	return blockIdx.y;
}

VS_DEVICE uint32_t
isa_n_block(void)
{
	return gridDim.x;
}

/*
 * Hide the origin of a value from the compiler, so that nothing derived from it
 * is precomputed and held in registers.
 */
VS_DEVICE uint32_t
isa_anew(uint32_t v)
{
	asm volatile("" : "+r"(v)::"memory");
	return v;
}

/* Address of the block's dynamic shared memory; a multiple of 1024. */
VS_DEVICE uint32_t
isa_shared(void)
{
	extern __shared__ __align__(1024) unsigned char shared[];

	return (uint32_t)__cvta_generic_to_shared(shared);
}

/* End the launch with an error: an invariant is broken. */
VS_DEVICE void
isa_trap(void)
{
	asm volatile("trap;");
}

VS_DEVICE void
isa_sync(void)
{
	__syncthreads();
}

/*
 * Load four 8 x 8 matrices of 16-bit elements, row r of matrix m from lane 8 m
 * + r.
 */
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

/*
 * Start copying 16 bytes of global to shared memory; isa_wait() completes it.
 */
VS_DEVICE void
isa_copy16(uint32_t to, const void *from)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
		     "l"(__cvta_generic_to_global(from))
		     : "memory");
#endif
}

/* Close the group of the thread's copies since the last call. */
VS_DEVICE void
isa_commit(void)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/*
 * Wait until all of the thread's groups but the newest n are complete; n is a
 * constant.
 */
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
isa_bits(float v)
{
	return __float_as_uint(v);
}

VS_DEVICE float
isa_float(uint32_t v)
{
	return __uint_as_float(v);
}

VS_DEVICE uint32_t
isa_add(uint32_t *to, uint32_t n)
{
	return atomicAdd(to, n);
}

/* A word of shared memory. */
VS_DEVICE void
isa_store(uint32_t to, uint32_t v)
{
	asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(v) : "memory");
}

VS_DEVICE uint32_t
isa_load(uint32_t from)
{
	uint32_t v;

	asm volatile("ld.shared.u32 %0, [%1];"
		     : "=r"(v)
		     : "r"(from)
		     : "memory");
	return v;
}

/* sum plus the absolute differences of the four bytes of a and b. */
VS_DEVICE uint32_t
isa_differences(uint32_t a, uint32_t b, uint32_t sum)
{
	asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %0;"
		: "+r"(sum)
		: "r"(a), "r"(b));
	return sum;
}

/* x / y within 2 units in the last place, for |y| < 2^126. */
VS_DEVICE float
isa_divide(float x, float y)
{
	return __fdividef(x, y);
}

VS_DEVICE float
isa_least(float x, float y)
{
	return fminf(x, y);
}

VS_DEVICE float
isa_most(float x, float y)
{
	return fmaxf(x, y);
}

/*
 * Hopper only: products of 64 x 256 fragments directly from shared memory, by a
 * group of four warps, asynchronous until isa_wide_wait(); and barriers that
 * count arrivals and bytes.
 */
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || !defined(__CUDA_ARCH__)

/* c, or 0 unless add, += popc(a & b), 64 x 256 sums over 256 bits; a and b are
 * descriptors of rows in shared memory. */
VS_DEVICE void
isa_wide(int32_t c[128], uint64_t a, uint64_t b, int add)
{
	asm volatile(
		"{.reg .pred p; setp.ne.b32 p, %130, 0; "
		"wgmma.mma_async.sync.aligned.m64n256k256.s32.b1.b1.and.popc "
		"{"
		"%0, %1, %2, %3, %4, %5, %6, %7, "
		"%8, %9, %10, %11, %12, %13, %14, %15, "
		"%16, %17, %18, %19, %20, %21, %22, %23, "
		"%24, %25, %26, %27, %28, %29, %30, %31, "
		"%32, %33, %34, %35, %36, %37, %38, %39, "
		"%40, %41, %42, %43, %44, %45, %46, %47, "
		"%48, %49, %50, %51, %52, %53, %54, %55, "
		"%56, %57, %58, %59, %60, %61, %62, %63, "
		"%64, %65, %66, %67, %68, %69, %70, %71, "
		"%72, %73, %74, %75, %76, %77, %78, %79, "
		"%80, %81, %82, %83, %84, %85, %86, %87, "
		"%88, %89, %90, %91, %92, %93, %94, %95, "
		"%96, %97, %98, %99, %100, %101, %102, %103, "
		"%104, %105, %106, %107, %108, %109, %110, %111, "
		"%112, %113, %114, %115, %116, %117, %118, %119, "
		"%120, %121, %122, %123, %124, %125, %126, %127},  "
		"%128, %129, p;}"
		: "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]), "+r"(c[4]),
		"+r"(c[5]), "+r"(c[6]), "+r"(c[7]), "+r"(c[8]), "+r"(c[9]),
		"+r"(c[10]), "+r"(c[11]), "+r"(c[12]), "+r"(c[13]), "+r"(c[14]),
		"+r"(c[15]), "+r"(c[16]), "+r"(c[17]), "+r"(c[18]), "+r"(c[19]),
		"+r"(c[20]), "+r"(c[21]), "+r"(c[22]), "+r"(c[23]), "+r"(c[24]),
		"+r"(c[25]), "+r"(c[26]), "+r"(c[27]), "+r"(c[28]), "+r"(c[29]),
		"+r"(c[30]), "+r"(c[31]), "+r"(c[32]), "+r"(c[33]), "+r"(c[34]),
		"+r"(c[35]), "+r"(c[36]), "+r"(c[37]), "+r"(c[38]), "+r"(c[39]),
		"+r"(c[40]), "+r"(c[41]), "+r"(c[42]), "+r"(c[43]), "+r"(c[44]),
		"+r"(c[45]), "+r"(c[46]), "+r"(c[47]), "+r"(c[48]), "+r"(c[49]),
		"+r"(c[50]), "+r"(c[51]), "+r"(c[52]), "+r"(c[53]), "+r"(c[54]),
		"+r"(c[55]), "+r"(c[56]), "+r"(c[57]), "+r"(c[58]), "+r"(c[59]),
		"+r"(c[60]), "+r"(c[61]), "+r"(c[62]), "+r"(c[63]), "+r"(c[64]),
		"+r"(c[65]), "+r"(c[66]), "+r"(c[67]), "+r"(c[68]), "+r"(c[69]),
		"+r"(c[70]), "+r"(c[71]), "+r"(c[72]), "+r"(c[73]), "+r"(c[74]),
		"+r"(c[75]), "+r"(c[76]), "+r"(c[77]), "+r"(c[78]), "+r"(c[79]),
		"+r"(c[80]), "+r"(c[81]), "+r"(c[82]), "+r"(c[83]), "+r"(c[84]),
		"+r"(c[85]), "+r"(c[86]), "+r"(c[87]), "+r"(c[88]), "+r"(c[89]),
		"+r"(c[90]), "+r"(c[91]), "+r"(c[92]), "+r"(c[93]), "+r"(c[94]),
		"+r"(c[95]), "+r"(c[96]), "+r"(c[97]), "+r"(c[98]), "+r"(c[99]),
		"+r"(c[100]), "+r"(c[101]), "+r"(c[102]), "+r"(c[103]),
		"+r"(c[104]), "+r"(c[105]), "+r"(c[106]), "+r"(c[107]),
		"+r"(c[108]), "+r"(c[109]), "+r"(c[110]), "+r"(c[111]),
		"+r"(c[112]), "+r"(c[113]), "+r"(c[114]), "+r"(c[115]),
		"+r"(c[116]), "+r"(c[117]), "+r"(c[118]), "+r"(c[119]),
		"+r"(c[120]), "+r"(c[121]), "+r"(c[122]), "+r"(c[123]),
		"+r"(c[124]), "+r"(c[125]), "+r"(c[126]), "+r"(c[127])
		: "l"(a), "l"(b), "r"(add));
}

/* Fence: registers of c may be accessed before it, not after. */
VS_DEVICE void
isa_wide_begin(void)
{
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

VS_DEVICE void
isa_wide_commit(void)
{
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Wait until all groups but the newest n are complete; n is a constant. */
#define isa_wide_wait(n) \
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory")

/* Change the number of registers per thread of a group of four warps. */
#define isa_registers_fewer(n) \
	asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(n))
#define isa_registers_more(n) \
	asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(n))

/*
 * Initialise a barrier, 8 bytes, whose phase completes after n arrivals and all
 * expected bytes.
 */
VS_DEVICE void
isa_bar_new(uint32_t bar, uint32_t n)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar),
		     "r"(n)
		     : "memory");
}

/* Make this thread's barriers visible to all, also to copies, after a sync. */
VS_DEVICE void
isa_bar_made(void)
{
	asm volatile("fence.mbarrier_init.release.cluster; "
		     "fence.proxy.async;" ::
			     : "memory");
}

VS_DEVICE void
isa_bar_arrive(uint32_t bar)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar)
		     : "memory");
}

/* Arrive, and announce bytes to come. */
VS_DEVICE void
isa_bar_expect(uint32_t bar, uint32_t bytes)
{
	asm volatile(
		"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
			bar),
		"r"(bytes)
		: "memory");
}

/* Wait until the phase of this parity is complete. */
VS_DEVICE void
isa_bar_wait(uint32_t bar, uint32_t parity)
{
	uint32_t done;

	do
		asm volatile("{.reg .pred p; "
			     "mbarrier.try_wait.parity.shared::cta.b64 "
			     "p, [%1], %2; selp.u32 %0, 1, 0, p;}"
			     : "=r"(done)
			     : "r"(bar), "r"(parity)
			     : "memory");
	while (!done);
}

/*
 * Start copying bytes of global to shared memory, counted by a barrier as they
 * arrive; all multiples of 16.
 */
VS_DEVICE void
isa_bulk(uint32_t to, const void *from, uint32_t bytes, uint32_t bar)
{
	asm volatile(
		"cp.async.bulk.shared::cluster.global."
		"mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
		"l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(bar)
		: "memory");
}
#endif

#else /* a C compiler */
#define VS_DEVICE VS_INLINE
#define VS_UNROLL
#define VS_ROLLED

uint32_t isa_thread(void);
uint32_t isa_block(void);
uint32_t isa_block_y(void);
uint32_t isa_n_block(void);
uint32_t isa_shared(void);
void isa_trap(void);
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
uint32_t isa_differences(uint32_t a, uint32_t b, uint32_t sum);

void isa_wide(int32_t c[128], uint64_t a, uint64_t b, int add);
void isa_wide_begin(void);
void isa_wide_commit(void);
void isa_wide_wait(int n);
void isa_bar_new(uint32_t bar, uint32_t n);
void isa_bar_made(void);
void isa_bar_arrive(uint32_t bar);
void isa_bar_expect(uint32_t bar, uint32_t bytes);
void isa_bar_wait(uint32_t bar, uint32_t parity);
void isa_bulk(uint32_t to, const void *from, uint32_t bytes, uint32_t bar);
void isa_store(uint32_t to, uint32_t v);
uint32_t isa_load(uint32_t from);
#define isa_registers_fewer(n) ((void)(n))
#define isa_registers_more(n) ((void)(n))

VS_DEVICE uint32_t
isa_anew(uint32_t v)
{
	return v;
}

VS_DEVICE float
isa_divide(float x, float y)
{
	return x / y;
}

VS_DEVICE float
isa_least(float x, float y)
{
	return x < y ? x : y;
}

VS_DEVICE float
isa_most(float x, float y)
{
	return x > y ? x : y;
}

VS_DEVICE uint32_t
isa_popc(uint32_t v)
{
	return (uint32_t)__builtin_popcount(v);
}

VS_DEVICE uint32_t
isa_bits(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

VS_DEVICE float
isa_float(uint32_t v)
{
	float f;

	memcpy(&f, &v, sizeof(f));
	return f;
}
#endif

#endif
