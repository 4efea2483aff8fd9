/* SPDX-License-Identifier: BSD-3-Clause */
/* Byte shuffle against its definition. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/shuffle.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

#define MOST 1100 /* bytes: eight blocks of 16 elements of 8, and more */

static bool
is_shuffled(size_t width, const uint8_t *in, size_t n, const uint8_t *out)
{
	size_t n_element = n / width, whole = n_element * width;

	for (size_t k = 0; k < whole; k++)
		if (out[k % width * n_element + k / width] != in[k])
			return false;
	return !memcmp(out + whole, in + whole, n - whole);
}

/* In memory of just that length, which sanitizers watch, at odd addresses. */
static bool
is_good(size_t width, size_t n)
{
	uint8_t *in = malloc(n + 1), *out = malloc(n ? n : 1),
		*back = malloc(n ? n : 1);
	struct vs_rng rng;
	bool good;

	vs_rng_seed(&rng, n);
	for (size_t k = 0; k <= n; k++)
		in[k] = (uint8_t)vs_rng_next(&rng);
	vs_shuffle_bytes(width, in + 1, n, out);
	vs_shuffle_undo(width, out, n, back);
	good = is_shuffled(width, in + 1, n, out) && !memcmp(back, in + 1, n);
	free(in);
	free(out);
	free(back);
	return good;
}

int
main(void)
{
	static const size_t widths[] = { 2, 3, 4, 8, 16 };
	const size_t n_width = sizeof(widths) / sizeof(*widths);

	for (size_t w = 0; w < n_width; w++) {
		size_t n = 0;

		while (n <= MOST && is_good(widths[w], n))
			n++;
		T_OK(n > MOST,
			"up to %d bytes by %zu are shuffled and come back; %zu",
			MOST, widths[w], n);
	}
	return T_DONE();
}
