/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Byte dot products for AMX: one instruction adds to 16 x 16 sums the products
 * of 16 rows and 16 columns over 64 bytes. Four of them share the lines of 32
 * rows and 32 columns.
 */
#if defined(__x86_64__)
#include <immintrin.h>

#include "libcore/kern/amx_tiles.h"
#include "libcore/kern/dots/dots_walk.h"

#define AMX __attribute__((target("avx512f,amx-tile,amx-int8")))
#define LINE VS_DOTS_LINE
#define SIDE VS_DOTS_SIDE
#define TILE VS_DOTS_TILE
#define PAIR VS_DOTS_PAIR
/* lines of all rows and columns of a call that fit L2 */
#define RANGE 32

static const struct vs_amx_config config = VS_AMX_WHOLE;

/* 32 rows and 32 columns, of two blocks each. */
AMX static void
add_lines(const uint8_t *row, const uint8_t *col, size_t apart, size_t n,
	bool first, uint32_t *sum, size_t ld)
{
	const size_t stride = ld * sizeof(*sum);
	uint32_t *later = sum + SIDE * ld;

	if (first) {
		_tile_zero(0);
		_tile_zero(1);
		_tile_zero(2);
		_tile_zero(3);
	} else {
		_tile_loadd(0, sum, stride);
		_tile_loadd(1, sum + SIDE, stride);
		_tile_loadd(2, later, stride);
		_tile_loadd(3, later + SIDE, stride);
	}
	for (size_t k = 0; k < n; k++, row += TILE, col += TILE) {
		_tile_loadd(4, row, LINE);
		_tile_loadd(6, col, LINE);
		_tile_dpbuud(0, 4, 6);
		_tile_loadd(7, col + apart, LINE);
		_tile_dpbuud(1, 4, 7);
		_tile_loadd(5, row + apart, LINE);
		_tile_dpbuud(2, 5, 6);
		_tile_dpbuud(3, 5, 7);
	}
	_tile_stored(0, sum, stride);
	_tile_stored(1, sum + SIDE, stride);
	_tile_stored(2, later, stride);
	_tile_stored(3, later + SIDE, stride);
}

AMX static void
count(const struct vs_dots_call *k)
{
	_tile_loadconfig(&config);
	vs_dots_walk(k, PAIR, PAIR, RANGE, add_lines);
	_tile_release();
}

extern const struct vs_dots vs_dots_amx;
const struct vs_dots vs_dots_amx = { "amx", VS_CPU_AMX, 255, UINT32_MAX,
	1.0 / 450, count };
#endif
