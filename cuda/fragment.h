/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Index mathematics of tensor-core fragments: bits and sums in global memory,
 * in a stage of shared memory, and in the registers of a warp, for C and CUDA.
 *
 * Tile-ready planes, in global memory: a block is 128 vectors x 1024 fields of
 * one plane, 16 KB, a row of 128 bytes for each vector; the 16-byte chunk c of
 * row r is at chunk c ^ (r & 7). 1-bit wgmma reads that layout directly; a
 * 32-byte piece of a row, 256 fields, stays together.
 */
#ifndef VS_CUDA_FRAGMENT_H
#define VS_CUDA_FRAGMENT_H

#include "cuda/isa.h"

/*
 * A stage of the mma kernel is 256 fields of some rows: 32 bytes a row, two
 * chunks, swapped every four rows: a matrix of eight rows then touches each of
 * the eight groups of banks once.
 */
VS_DEVICE uint32_t
stage_chunk(uint32_t r, uint32_t c)
{
	return 32 * r + 16 * (c ^ (r >> 2 & 1));
}

/*
 * The row and chunk whose address a lane passes to ldmatrix. As A, one fragment
 * of 16 rows; as B, two of 8 columns, a vector each.
 */
VS_DEVICE uint32_t
fragment_a(uint32_t row, uint32_t lane)
{
	return stage_chunk(row + (lane & 15), lane >> 4);
}

VS_DEVICE uint32_t
fragment_b(uint32_t col, uint32_t lane)
{
	return stage_chunk(col + (lane & 7) + (lane >> 4) * 8, lane >> 3 & 1);
}

/*
 * Shared-memory descriptor of wgmma for rows of 128 bytes: swizzled like
 * blocks, groups of eight rows 1024 bytes apart. The first row is at a multiple
 * of 1024 bytes; the next 256 fields follow 32 bytes on.
 */
VS_DEVICE uint64_t
fragment_wide(uint32_t address)
{
	return (uint64_t)(address >> 4 & 0x3fff) | 1ull << 16 |
		(uint64_t)(1024 >> 4) << 32 | 1ull << 62;
}

/* Row of 16 and column of 8 of register e of a lane's sums. */
VS_DEVICE uint32_t
sum_row(uint32_t lane, uint32_t e)
{
	return (lane >> 2) + 8 * (e >> 1);
}

VS_DEVICE uint32_t
sum_col(uint32_t lane, uint32_t e)
{
	return 2 * (lane & 3) + (e & 1);
}

#endif
