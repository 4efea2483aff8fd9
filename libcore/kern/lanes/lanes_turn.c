/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposition of bit matrices: 64 x 64 blocks, eight of them side by side. */
#include <string.h>

#include "libcore/kern/lanes/lanes.h"

#define N VS_LANES_WORDS

/* Exchange the halves of 2 `step` rows and columns; `low` selects the lower
 * columns of each. */
VS_INLINE void
exchange(uint64_t x[64][N], int step, uint64_t low)
{
	for (int r = 0; r < 64; r++)
		if (!(r & step))
			for (int k = 0; k < N; k++) {
				uint64_t *a = &x[r][k], *b = &x[r + step][k];
				const uint64_t t = (*a >> step ^ *b) & low;

				*a ^= t << step;
				*b ^= t;
			}
}

/* Word w of all vectors. */
VS_INLINE int
turn_word_any(const uint64_t *vector, size_t n_vec, size_t first, size_t stride,
	size_t w, uint64_t *row)
{
	uint64_t x[64][N];

	for (size_t v = 0; v < VS_LANES; v++) {
		const size_t from =
			v + first < n_vec ? v + first : v + first - n_vec;

		x[v % 64][v / 64] = v < n_vec ? vector[from * stride + w] : 0;
	}
	exchange(x, 32, 0x00000000ffffffff);
	exchange(x, 16, 0x0000ffff0000ffff);
	exchange(x, 8, 0x00ff00ff00ff00ff);
	exchange(x, 4, 0x0f0f0f0f0f0f0f0f);
	exchange(x, 2, 0x3333333333333333);
	exchange(x, 1, 0x5555555555555555);
	memcpy(row + 64 * N * w, x, sizeof(x));
	return 0;
}

VS_BY_CPU(int, turn_word, (vector, n_vec, first, stride, w, row),
	const uint64_t *vector, size_t n_vec, size_t first, size_t stride,
	size_t w, uint64_t *row)

void
vs_lanes_turn(enum vs_cpu cpu, const uint64_t *vector, size_t n_vec,
	size_t first, size_t stride, size_t n_word, uint64_t *row)
{
	for (size_t w = 0; w < n_word; w++)
		turn_word(cpu, vector, n_vec, first, stride, w, row);
}
