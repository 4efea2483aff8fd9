/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Emulated CUDA: kernels as ordinary C++, so that those without instructions of
 * their own run where there is no device. One block at a time, each thread on a
 * stack of its own, which another one follows where it waits: at
 * __syncthreads() for its block, at a collective for its warp. What is launched
 * is done at once. The source has emu_launch() in place of <<< >>>.
 */
#ifndef VS_TESTS_SIM_CUDA_RUNTIME_H
#define VS_TESTS_SIM_CUDA_RUNTIME_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define __global__ static
#define __device__
#define __host__
#define __shared__ static
#define __grid_constant__
#define __launch_bounds__(...)

typedef int cudaError_t;
typedef void *cudaStream_t;
enum { cudaSuccess = 0 };

struct dim3 {
	uint32_t x, y, z;
	dim3(uint32_t x = 1, uint32_t y = 1, uint32_t z = 1) : x(x), y(y), z(z)
	{
	}
};

#define EMU_THREADS 512
#define EMU_STACK (64 << 10)

enum emu_state { EMU_READY, EMU_BLOCK, EMU_WARP, EMU_DONE };

inline struct emu_all {
	ucontext_t home, at[EMU_THREADS];
	emu_state state[EMU_THREADS];
	uint32_t n, now;
	uint32_t value[EMU_THREADS]; /* that lanes of a warp exchange */
	char *stack;
	void (*run)(void *);
	void *ctx;
	dim3 thread[EMU_THREADS];
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
} emu;

inline dim3 blockIdx, blockDim, gridDim;
#define threadIdx (emu.thread[emu.now])

static inline void
emu_wait(emu_state what)
{
	emu.state[emu.now] = what;
	swapcontext(&emu.at[emu.now], &emu.home);
}

static void
emu_thread()
{
	emu.run(emu.ctx);
	emu.state[emu.now] = EMU_DONE;
}

/* Let threads [lo, hi) go on if all that are not done wait for this. */
static bool
emu_release(uint32_t lo, uint32_t hi, emu_state what)
{
	bool any = false;

	for (uint32_t k = lo; k < hi; k++) {
		if (emu.state[k] != what && emu.state[k] != EMU_DONE)
			return false;
		any |= emu.state[k] == what;
	}
	for (uint32_t k = lo; k < hi && any; k++)
		if (emu.state[k] == what)
			emu.state[k] = EMU_READY;
	return any;
}

static void
emu_block()
{
	for (uint32_t k = 0; k < emu.n; k++) {
		getcontext(&emu.at[k]);
		emu.at[k].uc_stack.ss_sp = emu.stack + (size_t)k * EMU_STACK;
		emu.at[k].uc_stack.ss_size = EMU_STACK;
		emu.at[k].uc_link = &emu.home;
		makecontext(&emu.at[k], emu_thread, 0);
		emu.state[k] = EMU_READY;
	}
	for (bool goes_on = true; goes_on;) {
		goes_on = false;
		for (uint32_t k = 0; k < emu.n; k++)
			while (emu.state[k] == EMU_READY) {
				emu.now = k;
				swapcontext(&emu.home, &emu.at[k]);
				goes_on = true;
			}
		for (uint32_t k = 0; k < emu.n; k += 32)
			goes_on |= emu_release(k,
				k + 32 < emu.n ? k + 32 : emu.n, EMU_WARP);
		goes_on |= emu_release(0, emu.n, EMU_BLOCK);
	}
	/* a thread that still waits does so for one that is done */
	for (uint32_t k = 0; k < emu.n; k++)
		if (emu.state[k] != EMU_DONE)
			abort();
}

template <class F>
static void
emu_call(void *f)
{
	(*(F *)f)();
}

template <class F>
static void
emu_launch(dim3 grid, dim3 block, int shared, cudaStream_t queue, F f)
{
	(void)shared;
	(void)queue;
	pthread_mutex_lock(&emu.lock);
	emu.n = block.x * block.y * block.z;
	if (!emu.stack)
		emu.stack = (char *)malloc((size_t)EMU_THREADS * EMU_STACK);
	if (emu.n > EMU_THREADS || !emu.stack || grid.y > 65535 ||
		grid.z > 65535)
		abort();
	emu.run = emu_call<F>;
	emu.ctx = &f;
	blockDim = block;
	gridDim = grid;
	for (uint32_t k = 0; k < emu.n; k++)
		emu.thread[k] = dim3(k % block.x, k / block.x % block.y,
			k / block.x / block.y);
	for (blockIdx.z = 0; blockIdx.z < grid.z; blockIdx.z++)
		for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
			for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++)
				emu_block();
	pthread_mutex_unlock(&emu.lock);
}

static inline cudaError_t
cudaGetLastError()
{
	return cudaSuccess;
}

static inline void
__syncthreads()
{
	emu_wait(EMU_BLOCK);
}

static inline int
__popc(uint32_t v)
{
	return __builtin_popcount(v);
}

static inline uint32_t
atomicAdd(uint32_t *to, uint32_t n)
{
	const uint32_t was = *to;

	*to += n;
	return was;
}

/* The value of lane `from` of this warp. All of its lanes take part. */
static inline uint32_t
emu_exchange(uint32_t v, uint32_t from)
{
	emu.value[emu.now] = v;
	emu_wait(EMU_WARP);
	v = emu.value[emu.now / 32 * 32 + from % 32];
	emu_wait(EMU_WARP);
	return v;
}

static inline int32_t
__shfl_xor_sync(uint32_t mask, int32_t v, int by)
{
	(void)mask;
	return (int32_t)emu_exchange((uint32_t)v,
		(emu.now ^ (uint32_t)by) % 32);
}

/* ---- of cuda/isa.h ---- */

static inline uint32_t
emu_lane()
{
	return emu.now % 32;
}

inline uint32_t
isa_thread()
{
	return threadIdx.x;
}

inline uint32_t
isa_shuffle(uint32_t v, uint32_t lane)
{
	return emu_exchange(v, lane);
}

inline uint32_t
isa_shuffle_up(uint32_t v, uint32_t by)
{
	return emu_exchange(v, emu_lane() < by ? emu_lane() : emu_lane() - by);
}

inline int
isa_any(int yes)
{
	int any = 0;

	emu.value[emu.now] = (uint32_t)yes;
	emu_wait(EMU_WARP);
	for (uint32_t k = 0; k < 32; k++)
		any |= emu.value[emu.now / 32 * 32 + k] != 0;
	emu_wait(EMU_WARP);
	return any;
}

inline uint32_t
isa_add(uint32_t *to, uint32_t n)
{
	return atomicAdd(to, n);
}

#endif
