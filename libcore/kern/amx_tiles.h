/* SPDX-License-Identifier: BSD-3-Clause */
/* AMX tile configuration: all eight tiles full, 16 rows of 64 bytes. */
#ifndef VS_KERN_AMX_TILES_H
#define VS_KERN_AMX_TILES_H

#include <stdint.h>

/* Operand of _tile_loadconfig(). */
struct vs_amx_config {
	uint8_t palette, start, none[14];
	uint16_t row_bytes[16];
	uint8_t n_row[16];
};

#define VS_AMX_WHOLE                                             \
	{                                                        \
		1, 0, { 0 }, { 64, 64, 64, 64, 64, 64, 64, 64 }, \
		{                                                \
			16, 16, 16, 16, 16, 16, 16, 16           \
		}                                                \
	}

#endif
