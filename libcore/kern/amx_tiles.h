/* SPDX-License-Identifier: BSD-3-Clause */
/* AMX tiles as our kernels use them: all eight whole, 16 lines of 64 bytes. */
#ifndef VS_KERN_AMX_TILES_H
#define VS_KERN_AMX_TILES_H

#include <stdint.h>

/* As _tile_loadconfig() takes it. */
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
