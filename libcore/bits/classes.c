/* SPDX-License-Identifier: BSD-3-Clause */
/* Case-control classes of the samples. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/bits/classes.h"
#include "libcore/bits/vec.h"

int
vs_classes_new(struct vs_classes *c, const uint8_t *status, size_t n_field)
{
	const size_t n_word = vs_vec_words(n_field);
	uint64_t *mask = NULL;
	int code;

	memset(c, 0, sizeof(*c));
	c->n_field = n_field;
	code = vs_mem_new(&mask, 2 * n_word, sizeof(*mask), "classes");
	for (size_t q = 0; q < n_field && !code; q++)
		if (status[q] <= 1)
			mask[status[q] * n_word + q / 64] |= 1ull << q % 64;
	for (size_t k = 0; k < 2 && !code; k++) {
		code = vs_mem_new(&c->of[k], n_word, sizeof(*c->of[k]),
			"classes");
		if (!code)
			c->n[k] = (int64_t)vs_compress_prepare(c->of[k],
				mask + k * n_word, n_word);
		c->n_word[k] = vs_vec_words((size_t)c->n[k]);
	}
	free(mask);
	if (code)
		vs_classes_free(c);
	return code;
}

void
vs_classes_free(struct vs_classes *c)
{
	free(c->of[0]);
	free(c->of[1]);
	memset(c, 0, sizeof(*c));
}
