/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiles: one instruction adds to 16 x 16 sums the products of 16 rows and 16
 * columns over 64 bytes. Four of them share the lines of 32 rows and 32 columns.
 */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdbool.h>

#include "libcore/kern/dots.h"

#define AMX __attribute__((target("avx512f,amx-tile,amx-int8")))
#define LINE VS_DOTS_LINE
#define SIDE VS_DOTS_SIDE
#define TILE VS_DOTS_TILE
#define PAIR VS_DOTS_PAIR
/* Of all of a call in the second cache, from which both sides come. */
#define RANGE 32

static const struct config {
	uint8_t palette, start, none[14];
	uint16_t row_bytes[16];
	uint8_t n_row[16];
} config = { 1, 0, { 0 }, { LINE, LINE, LINE, LINE, LINE, LINE, LINE, LINE },
	{ SIDE, SIDE, SIDE, SIDE, SIDE, SIDE, SIDE, SIDE } };

/* 32 rows and 32 columns: n lines, of blocks that are apart bytes apart. */
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
	const size_t apart = k->n_line * TILE;

	_tile_loadconfig(&config);
	for (size_t at = 0; at < k->n_line; at += RANGE) {
		size_t n = k->n_line - at < RANGE ? k->n_line - at : RANGE;

		for (size_t c = 0; c < k->n_col; c += PAIR)
			for (size_t r = 0; r < k->n_row; r += PAIR)
				add_lines(k->rows + r / SIDE * apart +
						at * TILE,
					k->cols + c / SIDE * apart + at * TILE,
					apart, n, !at, k->sum + r * k->ld + c,
					k->ld);
	}
	_tile_release();
}

extern const struct vs_dots vs_dots_amx;
const struct vs_dots vs_dots_amx = { "amx", VS_CPU_AMX, 255, UINT32_MAX,
	1.0 / 450, count };
#endif
