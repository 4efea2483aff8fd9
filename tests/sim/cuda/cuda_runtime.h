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
#include <setjmp.h>
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
	jmp_buf home;
	ucontext_t at[EMU_THREADS]; /* the first step of each */
	jmp_buf on[EMU_THREADS];    /* later ones, without system calls */
	bool begun[EMU_THREADS];
	emu_state state[EMU_THREADS];
	uint32_t n, now;
	uint32_t value[EMU_THREADS]; /* that lanes of a warp exchange */
	uint32_t brought[EMU_THREADS][6];
	unsigned char shared[230 << 10];
	uint32_t n_shared;
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
	if (!_setjmp(emu.on[emu.now]))
		_longjmp(emu.home, 1);
}

static void
emu_thread()
{
	emu.run(emu.ctx);
	emu.state[emu.now] = EMU_DONE;
	_longjmp(emu.home, 1);
}

/* Returns when the thread waits or is done. */
static void
emu_go_on(uint32_t k)
{
	emu.now = k;
	if (_setjmp(emu.home))
		return;
	if (emu.begun[k])
		_longjmp(emu.on[k], 1);
	emu.begun[k] = true;
	setcontext(&emu.at[k]);
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
		emu.at[k].uc_link = NULL;
		makecontext(&emu.at[k], emu_thread, 0);
		emu.state[k] = EMU_READY;
		emu.begun[k] = false;
	}
	for (bool goes_on = true; goes_on;) {
		goes_on = false;
		for (uint32_t k = 0; k < emu.n; k++)
			while (emu.state[k] == EMU_READY) {
				emu_go_on(k);
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
	(void)queue;
	pthread_mutex_lock(&emu.lock);
	emu.n_shared = (uint32_t)shared;
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

static inline cudaError_t
cudaMemsetAsync(void *at, int v, size_t n, cudaStream_t queue)
{
	(void)queue;
	memset(at, v, n);
	return cudaSuccess;
}

static inline void
__syncthreads()
{
	emu_wait(EMU_BLOCK);
}

#ifndef EMU_MAJOR
#define EMU_MAJOR 9
#endif

/* $EMU_FLIP: the number of a product of a lane, or of a population count where
 * there are none, whose first sum gets a wrong bit; or none. */
inline bool
emu_flips()
{
	static const char *const flip = getenv("EMU_FLIP");
	static long left = flip ? atol(flip) : 0;

	return left > 0 && !--left;
}

static inline int
__popc(uint32_t v)
{
	return __builtin_popcount(v) ^ (EMU_MAJOR < 8 && emu_flips() ? 4 : 0);
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

inline uint32_t
isa_differences(uint32_t a, uint32_t b, uint32_t sum)
{
	for (int k = 0; k < 32; k += 8)
		sum += (uint32_t)abs((int)(a >> k & 255) - (int)(b >> k & 255));
	return sum;
}

inline uint32_t
isa_block()
{
	return blockIdx.x;
}

inline uint32_t
isa_block_y()
{
	return blockIdx.y;
}

inline void
isa_sync()
{
	__syncthreads();
}

/* Shared memory that a launch asks for; addresses count from 4096 on. */
inline uint32_t
isa_shared()
{
	return 4096;
}

inline unsigned char *
emu_at(uint32_t address, uint32_t bytes)
{
	if (address < 4096 || address - 4096 + bytes > emu.n_shared ||
		address % bytes)
		abort();
	return emu.shared + (address - 4096);
}

inline void
isa_store(uint32_t to, uint32_t v)
{
	memcpy(emu_at(to, 4), &v, 4);
}

inline uint32_t
isa_load(uint32_t from)
{
	uint32_t v;

	memcpy(&v, emu_at(from, 4), 4);
	return v;
}

/* Copies arrive at once. */
inline void
isa_copy16(uint32_t to, const void *from)
{
	memcpy(emu_at(to, 16), from, 16);
}

inline void
isa_commit()
{
}

inline void
isa_wait(int)
{
}

/* Operands of all lanes of a warp, for an instruction of the whole warp. */
inline uint32_t (*emu_together(const uint32_t *v, uint32_t n))[6]
{
	memcpy(emu.brought[emu.now], v, n * sizeof(*v));
	emu_wait(EMU_WARP);
	return emu.brought + emu.now / 32 * 32;
}

/* Lanes 8 m to 8 m + 7 give the rows of matrix m; lane l receives word l % 4 of
 * row l / 4 of each. */
inline void
isa_ldmatrix4(uint32_t to[4], uint32_t from)
{
	const uint32_t lane = emu_lane();
	uint32_t(*all)[6] = emu_together(&from, 1);

	for (uint32_t m = 0; m < 4; m++)
		to[m] = isa_load(all[8 * m + lane / 4][0] + 4 * (lane % 4));
	emu_wait(EMU_WARP);
}

/* Row g or g + 8 of A is in lanes 4 g to 4 g + 3, column g of B the same; sum e
 * is row l / 4 + 8 (e / 2) and column 2 (l % 4) + e % 2. */
inline void
isa_mma(int32_t c[4], const uint32_t a[4], const uint32_t b[2])
{
	const uint32_t lane = emu_lane();
	const uint32_t v[6] = { a[0], a[1], a[2], a[3], b[0], b[1] };
	uint32_t(*all)[6] = emu_together(v, 6);

	for (uint32_t k = 0; k < 8; k++)
		for (uint32_t e = 0; e < 4; e++) {
			const uint32_t *x = all[lane / 4 * 4 + k % 4];
			const uint32_t *y =
				all[(2 * (lane % 4) + e % 2) * 4 + k % 4];

			c[e] += __builtin_popcount(
				x[k / 4 * 2 + e / 2] & y[4 + k / 4]);
		}
	if (emu_flips())
		c[0] ^= 4;
	emu_wait(EMU_WARP);
}

enum {
	cudaDevAttrComputeCapabilityMajor,
	cudaFuncAttributeMaxDynamicSharedMemorySize
};

static inline cudaError_t
cudaGetDevice(int *device)
{
	*device = 0;
	return cudaSuccess;
}

static inline cudaError_t
cudaDeviceGetAttribute(int *v, int, int)
{
	*v = EMU_MAJOR;
	return cudaSuccess;
}

template <class F>
static inline cudaError_t
cudaFuncSetAttribute(F, int, uint32_t)
{
	return cudaSuccess;
}

struct uint4 {
	uint32_t x, y, z, w;
};

#endif
