// SPDX-License-Identifier: BSD-3-Clause
/*
 * Byte products by cuBLAS, which is loaded when the engine is opened: one
 * product per tile if no call is missing, four otherwise. The sums of a tile
 * stay on the device, where a kernel filters them.
 */
#include <cublas_v2.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda/check.cuh"
#include "cuda/engine.h"
#include "cuda/offer.cuh"

/* Side of a tile, if memory allows; multiples of VS_TILE_VECS. */
#define SIDE 8192
#define LEAST_SIDE 128
#define FIELDS 32768
#define LEAST_FIELDS 4096
#define ROWS 8 /* rows per thread of look() */
/*
 * Recommended by cuBLAS on Hopper; 4 MiB before it. Without a workspace cuBLAS
 * would allocate one beyond the memory limit of the run.
 */
#define WORKSPACE ((size_t)32 << 20)

struct own {
	void *library;
	cublasHandle_t handle;
	decltype(&cublasCreate) create;
	decltype(&cublasDestroy) destroy;
	decltype(&cublasSetStream) set_stream;
	decltype(&cublasSetWorkspace) set_workspace;
	void *workspace; /* workspace set at present */
	/* cublasGemmEx is overloaded in C++ */
	cublasStatus_t (*gemm)(cublasHandle_t, cublasOperation_t,
		cublasOperation_t, int, int, int, const void *, const void *,
		cudaDataType, int, const void *, cudaDataType, int,
		const void *, void *, cudaDataType, int, cublasComputeType_t,
		cublasGemmAlgo_t);
};

/* Layout of the scratch memory. */
struct shape {
	size_t side, fields, kinds; /* kinds of bytes: g, and m */
};

/* Bytes of planes and sums; the workspace follows at a multiple of 256. */
static size_t
data_bytes(const shape &s)
{
	return 2 * s.kinds * s.side * s.fields +
		s.kinds * s.kinds * s.side * s.side * sizeof(int32_t);
}

static size_t
bytes_of(const shape &s)
{
	return data_bytes(s) + WORKSPACE;
}

static shape
make_shape(const struct vs_card_rule *q, size_t room)
{
	size_t all = ((size_t)q->n_field + VS_TILE_FIELDS - 1) /
		VS_TILE_FIELDS * VS_TILE_FIELDS;
	shape s = { SIDE, all < FIELDS ? all : FIELDS,
		q->has_missing ? 2u : 1u };

	while (bytes_of(s) > room &&
		(s.fields > LEAST_FIELDS || s.side > LEAST_SIDE))
		if (s.fields >= 2 * LEAST_FIELDS)
			s.fields =
				s.fields / 2 / VS_TILE_FIELDS * VS_TILE_FIELDS;
		else if (s.side > LEAST_SIDE)
			s.side /= 2;
		else
			s.fields = LEAST_FIELDS;
	return s;
}

static size_t
scratch(const struct vs_card_rule *q, size_t room)
{
	return bytes_of(make_shape(q, room));
}

static void
close_own(void *which)
{
	own *o = (own *)which;

	if (o->handle)
		o->destroy(o->handle);
	/* the library stays open: it is used again, or the process ends */
	free(o);
}

/* Load cuBLAS of this toolkit, or of the one before. */
static bool
find(own *o, char *why, size_t room)
{
	static const char *const names[] = { "libcublas.so.13",
		"libcublas.so.12", "libcublas.so" };

	for (const char *name : names)
		if (!o->library)
			o->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!o->library) {
		snprintf(why, room, "%s", dlerror());
		return false;
	}
	*(void **)&o->create = dlsym(o->library, "cublasCreate_v2");
	*(void **)&o->destroy = dlsym(o->library, "cublasDestroy_v2");
	*(void **)&o->set_stream = dlsym(o->library, "cublasSetStream_v2");
	*(void **)&o->set_workspace =
		dlsym(o->library, "cublasSetWorkspace_v2");
	*(void **)&o->gemm = dlsym(o->library, "cublasGemmEx");
	if (o->create && o->destroy && o->set_stream && o->set_workspace &&
		o->gemm)
		return true;
	snprintf(why, room, "libcublas lacks a function");
	return false;
}

static int
open_own(void **out, void *stream, char *why, size_t room)
{
	own *o = (own *)calloc(1, sizeof(*o));
	cublasStatus_t status;

	if (!o) {
		snprintf(why, room, "no memory");
		return -1;
	}
	if (!find(o, why, room)) {
		free(o);
		return -1;
	}
	status = o->create(&o->handle);
	if (status == CUBLAS_STATUS_SUCCESS)
		status = o->set_stream(o->handle, (cudaStream_t)stream);
	if (status != CUBLAS_STATUS_SUCCESS) {
		snprintf(why, room, "cuBLAS says %d at its start", status);
		close_own(o);
		return -1;
	}
	*out = o;
	return 0;
}

/*
 * Convert fields from word0 on of vectors from first on to bytes, stride apart.
 */
__global__ void
make_bytes(const __grid_constant__ vs_card_part p, uint32_t first,
	uint32_t word0, uint32_t n_word, uint32_t plane, uint8_t *to,
	size_t stride)
{
	uint32_t w = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t v = blockIdx.y;
	uint32_t a, b = 0, out[8];

	if (w >= n_word)
		return;
	a = p.plane[vs_word_at(&p, first + v, word0 + w, plane)];
	if (plane == VS_PLANE_T1)
		b = p.plane[vs_word_at(&p, first + v, word0 + w, VS_PLANE_T2)];
	for (int k = 0; k < 8; k++)
		out[k] = vs_spread(a >> 4 * k) + vs_spread(b >> 4 * k);
	uint4 *at = (uint4 *)(to + v * stride + 32 * w);
	at[0] = make_uint4(out[0], out[1], out[2], out[3]);
	at[1] = make_uint4(out[4], out[5], out[6], out[7]);
}

/* A tile: n_i x n_j pairs from i, j on. */
struct tile {
	uint32_t i, j, n_i, n_j;
	int32_t *
		/*
		 * of row r and column c: sum[r * n_j + c]; then the next kind
		 */
		sum;
	size_t kind; /* distance from one kind of sums to the next */
};

__global__ void
filter_sums(const __grid_constant__ vs_card_work w, const tile t)
{
	uint32_t c = blockIdx.x * blockDim.x + threadIdx.x, j = t.j + c;
	uint32_t lo = blockIdx.y * ROWS;
	vs_card_side sj;

	/* n_j is a multiple of VS_TILE_VECS, the columns of a block */
	sj = w.j.side[j];
	for (uint32_t r = lo; r < lo + ROWS && r < t.n_i; r++) {
		const vs_card_side si = w.i.side[t.i + r];
		const int32_t *at = t.sum + (size_t)r * t.n_j + c;
		int32_t sum[4] = { at[0], 0, 0, 0 };

		if (w.missing)
			for (int k = 1; k < 4; k++)
				sum[k] = at[k * t.kind];
		vs_offer(w, t.i + r, si, j, sj, sum);
	}
}

/* Add one kind of sums; b's vectors are the rows. */
static int
multiply(const own *o, const tile &t, const uint8_t *a, const uint8_t *b,
	const shape &s, uint32_t n_field, bool more, int32_t *sum)
{
	const int32_t one = 1, old = more;
	cublasStatus_t status = o->gemm(o->handle, CUBLAS_OP_T, CUBLAS_OP_N,
		(int)t.n_j, (int)t.n_i, (int)n_field, &one, a, CUDA_R_8I,
		(int)s.fields, b, CUDA_R_8I, (int)s.fields, &old, sum,
		CUDA_R_32I, (int)t.n_j, CUBLAS_COMPUTE_32I,
		CUBLAS_GEMM_DEFAULT);

	return status == CUBLAS_STATUS_SUCCESS ? 0 : VS_CUBLAS + (int)status;
}

/* Add all kinds over some fields. */
static int
add_fields(const struct vs_card_work *w, const tile &t, const shape &s,
	uint32_t field, uint32_t n, cudaStream_t stream)
{
	const own *o = (const own *)w->own;
	uint8_t *bytes = (uint8_t *)w->scratch;
	size_t one = s.side * s.fields;
	uint32_t kinds = w->missing ? 2 : 1, n_word = n / 32;
	int code = 0;

	for (uint32_t kind = 0; kind < kinds; kind++) {
		uint32_t plane = kind ? VS_PLANE_M : VS_PLANE_T1;

		make_bytes<<<dim3((n_word + 127) / 128, t.n_i), 128, 0,
			stream>>>(w->i, t.i, field / 32, n_word, plane,
			bytes + kind * one, s.fields);
		make_bytes<<<dim3((n_word + 127) / 128, t.n_j), 128, 0,
			stream>>>(w->j, t.j, field / 32, n_word, plane,
			bytes + (s.kinds + kind) * one, s.fields);
	}
	CHECK(cudaGetLastError());
	/* the order of VS_SUM_GG, GM, MG, MM: i's kind before j's */
	for (uint32_t k = 0; k < kinds * kinds && !code; k++)
		code = multiply(o, t, bytes + (s.kinds + k % kinds) * one,
			bytes + k / kinds * one, s, n, field > 0,
			t.sum + k * t.kind);
	return code;
}

static int
do_tile(const struct vs_card_work *w, const tile &t, const shape &s,
	cudaStream_t stream)
{
	uint32_t all = w->i.n_block * VS_TILE_FIELDS;
	int code = 0;

	for (uint32_t field = 0; field < all && !code; field += s.fields)
		code = add_fields(w, t, s, field,
			all - field < s.fields ? all - field
					       : (uint32_t)s.fields,
			stream);
	if (code)
		return code;
	filter_sums<<<dim3(t.n_j / VS_TILE_VECS, (t.n_i + ROWS - 1) / ROWS),
		VS_TILE_VECS, 0, stream>>>(*w, t);
	return cudaGetLastError();
}

/* Set cuBLAS's workspace to its part of the scratch memory. */
static int
use_workspace(const struct vs_card_work *w, const shape &s)
{
	own *o = (own *)w->own;
	void *at = (char *)w->scratch + data_bytes(s);
	cublasStatus_t status;

	if (o->workspace == at)
		return 0;
	status = o->set_workspace(o->handle, at, WORKSPACE);
	if (status != CUBLAS_STATUS_SUCCESS)
		return VS_CUBLAS + (int)status;
	o->workspace = at;
	return 0;
}

static int
count(const struct vs_card_work *w, void *stream)
{
	shape s = make_shape(&w->rule, w->scratch_bytes);
	uint32_t side = (uint32_t)s.side;
	int given = use_workspace(w, s);
	uint32_t i0 = w->i_lo / VS_TILE_VECS * VS_TILE_VECS;
	uint32_t j0 = w->j_lo / VS_TILE_VECS * VS_TILE_VECS;
	tile t = {};

	t.sum = (int32_t *)((char *)w->scratch +
		2 * s.kinds * s.side * s.fields);
	t.kind = s.side * s.side;
	if (given)
		return given;
	for (t.i = i0; t.i < w->i_hi; t.i += side)
		for (t.j = j0; t.j < w->j_hi; t.j += side) {
			int code;

			/* parts are padded to whole tiles */
			t.n_i = w->i_hi - t.i < side ? w->i_hi - t.i : side;
			t.n_i = (t.n_i + VS_TILE_VECS - 1) / VS_TILE_VECS *
				VS_TILE_VECS;
			t.n_j = w->j_hi - t.j < side ? w->j_hi - t.j : side;
			t.n_j = (t.n_j + VS_TILE_VECS - 1) / VS_TILE_VECS *
				VS_TILE_VECS;
			if (!vs_wants_any(w, t.i, t.n_i, t.j, t.n_j))
				continue;
			code = do_tile(w, t, s, (cudaStream_t)stream);
			if (code)
				return code;
		}
	return cudaSuccess;
}

const struct vs_engine vs_engine_int8 = { count, 1500, false, scratch, open_own,
	close_own };
