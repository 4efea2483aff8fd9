// SPDX-License-Identifier: BSD-3-Clause
/*
 * Peak rates of the first device, measured, as one JSON object: products
 * of bytes and of halves by cuBLAS, population counts, differences of bytes,
 * 1-bit products, memory and bus; on stderr beside what was expected of an
 * H200. Products of halves stand for CoMet's way of counting: two columns a
 * vector, one for each label, four products a pair.
 */
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda/fragment.h"

static void
must(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
	exit(4);
}

static cudaEvent_t before, after;

/* Seconds of the fastest of some calls, the first not counted. */
template <class F>
static double
fastest(int n, F call)
{
	double best = 1e30;

	for (int k = 0; k <= n; k++) {
		float ms;

		must(cudaEventRecord(before), "event");
		call();
		must(cudaEventRecord(after), "event");
		must(cudaEventSynchronize(after), "kernel");
		must(cudaEventElapsedTime(&ms, before, after), "event");
		if (k && ms * 1e-3 < best)
			best = ms * 1e-3;
	}
	return best;
}

__host__ __device__ static uint32_t
mix(uint64_t x)
{
	x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15;
	return (uint32_t)((x ^ (x >> 29)) * 0xbf58476d1ce4e5b9 >> 32);
}

/* Numbers 0, 1 and 2 as genotypes are, never nothing but zeros. */
template <class T>
__global__ void
fill(T *p, size_t n)
{
	for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n;
		k += (size_t)gridDim.x * blockDim.x) {
		uint32_t x = mix(k);

		p[k] = (T)(float)((x & 1) + (x >> 1 & 1));
	}
}

template <class T>
static T *
filled(size_t n)
{
	T *p;

	if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) {
		cudaGetLastError();
		return NULL;
	}
	fill<<<4096, 256>>>(p, n);
	must(cudaDeviceSynchronize(), "fill");
	return p;
}

/* cuBLAS, opened when products are measured: without it all else still is. */
static struct {
	decltype(&cublasCreate) create;
	decltype(&cublasDestroy) destroy;
	cublasStatus_t (*gemm)(cublasHandle_t, cublasOperation_t,
		cublasOperation_t, int, int, int, const void *, const void *,
		cudaDataType, int, const void *, cudaDataType, int,
		const void *, void *, cudaDataType, int, cublasComputeType_t,
		cublasGemmAlgo_t);
} blas;

static bool
find_blas(void)
{
	static const char *const names[] = { "libcublas.so.13",
		"libcublas.so.12", "libcublas.so" };
	void *so = NULL;

	for (const char *name : names)
		if (!so)
			so = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!so) {
		fprintf(stderr, "cuBLAS: %s\n", dlerror());
		return false;
	}
	*(void **)&blas.create = dlsym(so, "cublasCreate_v2");
	*(void **)&blas.destroy = dlsym(so, "cublasDestroy_v2");
	*(void **)&blas.gemm = dlsym(so, "cublasGemmEx");
	return blas.create && blas.destroy && blas.gemm;
}

/* n_col columns of k numbers against as many. returns  multiplications/s */
template <class In, class Out>
static double
gemm(cublasHandle_t h, cudaDataType in, cudaDataType out,
	cublasComputeType_t how, int n_col, int k)
{
	static const int32_t int_one = 1, int_zero = 0;
	static const float one = 1, zero = 0;
	bool is_int = out == CUDA_R_32I;
	In *a = filled<In>((size_t)n_col * k);
	Out *c = filled<Out>((size_t)n_col * n_col);
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
	double s = 0;

	if (a && c)
		s = fastest(4, [&] {
			cublasStatus_t now = blas.gemm(h, CUBLAS_OP_T,
				CUBLAS_OP_N, n_col, n_col, k,
				is_int ? (const void *)&int_one : &one, a, in,
				k, a, in, k,
				is_int ? (const void *)&int_zero : &zero, c,
				out, n_col, how, CUBLAS_GEMM_DEFAULT);

			status = now == CUBLAS_STATUS_SUCCESS ? status : now;
		});
	cudaFree(a);
	cudaFree(c);
	if (!s || status != CUBLAS_STATUS_SUCCESS) {
		fprintf(stderr, "gemm %d x %d: cuBLAS says %d\n", n_col, k,
			status);
		return 0;
	}
	return (double)n_col * n_col * k / s;
}

/*
 * A number of the JSON object. expected: of an H200 of 132 multiprocessors at
 * 1.75 GHz, by its data sheet or what others measured; 0: nothing
 */
static void
tell(const char *name, double value, double expected)
{
	printf(" \"%s\": %.4e,\n", name, value);
	fprintf(stderr, "%-18s %.3e", name, value);
	if (expected > 0)
		fprintf(stderr, ", %.2f of the %.3e expected of an H200",
			value / expected, expected);
	fprintf(stderr, "\n");
}

#define CLOCKS (132 * 1.75e9)

#define LOOPS 4096

__global__ void
popcs(uint32_t *out)
{
	uint32_t x[8], sum = 0;

	for (int k = 0; k < 8; k++)
		x[k] = mix(threadIdx.x + 1024 * k);
#pragma unroll 4
	for (int n = 0; n < LOOPS; n++)
#pragma unroll
		for (int k = 0; k < 8; k++)
			x[k] += __popc(x[k]);
	for (int k = 0; k < 8; k++)
		sum += x[k];
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Four differences of bytes and their sum at a time. */
__global__ void
differences(uint32_t *out)
{
	uint32_t x[8], sum = 0;

	for (int k = 0; k < 8; k++)
		x[k] = mix(threadIdx.x + 1024 * k);
#pragma unroll 4
	for (int n = 0; n < LOOPS; n++)
#pragma unroll
		for (int k = 0; k < 8; k++)
			asm volatile("vabsdiff4.u32.u32.u32.add %0, %0, %1, %0;"
				     : "+r"(x[k])
				     : "r"(n));
	for (int k = 0; k < 8; k++)
		sum += x[k];
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Eight products of 16 x 8 x 256 bits that do not wait for one another. */
__global__ void
bits(uint32_t *out)
{
#if __CUDA_ARCH__ >= 800
	int c[8][4] = {};
	uint32_t a[4], b[2], sum = 0;

	for (int k = 0; k < 4; k++)
		a[k] = mix(threadIdx.x + 1024 * k);
	for (int k = 0; k < 2; k++)
		b[k] = mix(threadIdx.x + 9999 * k);
#pragma unroll 2
	for (int n = 0; n < LOOPS; n++)
#pragma unroll
		for (int k = 0; k < 8; k++)
			asm volatile(
				"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1"
				".s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
				"{%8,%9}, {%0,%1,%2,%3};"
				: "+r"(c[k][0]), "+r"(c[k][1]), "+r"(c[k][2]),
				"+r"(c[k][3])
				: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]),
				"r"(b[0]), "r"(b[1]));
	for (int k = 0; k < 8; k++)
		for (int x = 0; x < 4; x++)
			sum += c[k][x];
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
#endif
}

#define WIDE_BYTES (5 * 16384)

/* Products of 64 x 256 x 256 bits by two groups of four warps. */
__global__ void __launch_bounds__(256, 1) wide_bits(uint32_t *out)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
	const uint32_t group = threadIdx.x / 128;
	int32_t sum[128] = {};
	uint32_t all = 0;

	for (uint32_t k = threadIdx.x; k < WIDE_BYTES / 4; k += 256)
		isa_store(isa_shared() + 4 * k, mix(k));
	asm volatile("fence.proxy.async;" ::: "memory");
	__syncthreads();
#pragma unroll 1
	for (int n = 0; n < LOOPS / 4; n++) {
		isa_wide_begin();
#pragma unroll
		for (uint32_t k = 0; k < 4; k++)
			isa_wide(sum,
				fragment_wide(
					isa_shared() + 8192 * group + 32 * k),
				fragment_wide(isa_shared() + 16384 + 32 * k),
				1);
		isa_wide_commit();
		isa_wide_wait(1);
	}
	isa_wide_wait(0);
	for (int x = 0; x < 128; x++)
		all += sum[x];
	out[blockIdx.x * blockDim.x + threadIdx.x] = all;
#endif
}

static void
wide(int n_sm, uint32_t *out)
{
	const int most = cudaFuncAttributeMaxDynamicSharedMemorySize;
	cudaFuncAttributes a;
	double s;

	if (cudaFuncGetAttributes(&a, wide_bits) != cudaSuccess ||
		a.numRegs < 128) {
		cudaGetLastError();
		return;
	}
	must(cudaFuncSetAttribute(wide_bits, (cudaFuncAttribute)most,
		     WIDE_BYTES),
		"shared memory");
	s = fastest(20, [&] { wide_bits<<<n_sm, 256, WIDE_BYTES>>>(out); });
	tell("wgmma_bit_products",
		(double)n_sm * 2 * LOOPS * 64 * 256 * 256 / s, 26500 * CLOCKS);
}

static void
cores(int n_sm, int capability)
{
	uint32_t *out = filled<uint32_t>((size_t)n_sm * 8 * 256);
	double s = fastest(3, [&] { popcs<<<n_sm * 8, 256>>>(out); });

	tell("popc_words", (double)n_sm * 8 * 256 * 8 * LOOPS / s, 16 * CLOCKS);
	s = fastest(3, [&] { differences<<<n_sm * 8, 256>>>(out); });
	tell("byte_differences", 4.0 * n_sm * 8 * 256 * 8 * LOOPS / s,
		4 * 64 * CLOCKS);
	if (capability >= 80) {
		s = fastest(3, [&] { bits<<<n_sm * 8, 256>>>(out); });
		tell("mma_bit_products",
			(double)n_sm * 8 * 8 * 8 * LOOPS * 16 * 8 * 256 / s,
			17500 * CLOCKS);
	}
	if (capability == 90)
		wide(n_sm, out);
	cudaFree(out);
}

/* Bytes a second: read and written on the card, and over the bus. */
static void
memory(void)
{
	const size_t n = (size_t)1 << 30;
	char *a = filled<char>(n), *b = filled<char>(n), *host = NULL, *pinned;
	double s;

	if (a && b) {
		s = fastest(4, [&] {
			cudaMemcpyAsync(a, b, n, cudaMemcpyDeviceToDevice);
		});
		tell("memory_bytes", 2.0 * (double)n / s, 4.3e12);
		host = (char *)calloc(n, 1);
	}
	for (size_t k = 0; host && k < n; k += 4096)
		host[k] = 1;
	if (host) {
		s = fastest(3, [&] {
			cudaMemcpyAsync(a, host, n, cudaMemcpyHostToDevice);
		});
		tell("bus_bytes", (double)n / s, 0);
	}
	if (host && cudaMallocHost(&pinned, n) == cudaSuccess) {
		s = fastest(3, [&] {
			cudaMemcpyAsync(a, pinned, n, cudaMemcpyHostToDevice);
		});
		tell("bus_bytes_pinned", (double)n / s, 55e9);
		cudaFreeHost(pinned);
	}
	cudaGetLastError();
	free(host);
	cudaFree(a);
	cudaFree(b);
}

static void
products(size_t room)
{
	static const int fields[] = { 896, 2560, 16384, 100096 };
	cublasHandle_t h;
	const char *comma = "";
	int side = room > (size_t)24 << 30 ? 8192 : 2048;

	if (!find_blas() || blas.create(&h) != CUBLAS_STATUS_SUCCESS) {
		fprintf(stderr, "cuBLAS does not start\n");
		return;
	}
	tell("int8_products",
		gemm<int8_t, int32_t>(h, CUDA_R_8I, CUDA_R_32I,
			CUBLAS_COMPUTE_32I, side, 32768),
		7.5e14);
	printf(" \"fp16_comet\": [");
	for (int n : fields) {
		/* two columns a vector: four products a pair */
		double rate = gemm<__half, float>(h, CUDA_R_16F, CUDA_R_32F,
			CUBLAS_COMPUTE_32F, 2 * side, n);

		printf("%s{\"n_field\": %d, \"products\": %.4e, "
		       "\"comparisons_a_second\": %.4e}",
			comma, n, rate, rate / 4);
		comma = ",\n  ";
	}
	printf("],\n");
	blas.destroy(h);
}

int
main()
{
	cudaDeviceProp p;
	int n = 0, driver = 0, khz = 0;
	size_t room = 0, all = 0;

	must(cudaGetDeviceCount(&n), "devices");
	must(cudaGetDeviceProperties(&p, 0), "device");
	must(cudaMemGetInfo(&room, &all), "memory");
	cudaDriverGetVersion(&driver);
	cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
	cudaGetLastError();
	must(cudaEventCreate(&before), "event");
	must(cudaEventCreate(&after), "event");
	printf("{\"multiprocessors\": %d, \"clock_khz\": %d, \"driver\": %d,\n",
		p.multiProcessorCount, khz, driver);
	cores(p.multiProcessorCount, 10 * p.major + p.minor);
	memory();
	products(room);
	printf(" \"memory_room\": %zu}\n", all);
	return 0;
}
