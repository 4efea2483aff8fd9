/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/err.h"
#include "libcore/base/mem.h"
#include "libcore/bits/panel.h"

int
vs_panel_new(struct vs_panel *p, size_t n_vec, size_t n_field)
{
	size_t n_word = vs_vec_words(n_field), bytes;
	int code;

	assert(n_field < (size_t)1 << 29);
	memset(p, 0, sizeof(*p));
	/* the widest first, so that all are aligned */
	if (__builtin_mul_overflow(n_vec, 16 * n_word + 8 + 3 * 4 + 2, &bytes))
		return vs_fail_memory("panel of vectors", ~0ull);
	code = vs_new(&p->vec.word, bytes, 1, "panel of vectors");
	if (code)
		return code;
	p->vec.n_vec = n_vec;
	p->vec.n_field = n_field;
	p->vec.n_word = n_word;
	p->bytes = bytes;
	p->source = (int64_t *)(p->vec.word + 2 * n_vec * n_word);
	p->sum = (int32_t *)(p->source + n_vec);
	p->present = p->sum + n_vec;
	p->row = p->present + n_vec;
	p->flip = (uint8_t *)(p->row + n_vec);
	p->dead = p->flip + n_vec;
	return 0;
}

void
vs_panel_free(struct vs_panel *p)
{
	free(p->vec.word);
	memset(p, 0, sizeof(*p));
}

void
vs_panel_make(struct vs_panel *p, uint64_t first, size_t n_vec)
{
	size_t n_field = p->vec.n_field, full = n_field / 64;
	uint64_t tail = (1ull << (n_field % 64)) - 1;
	int64_t count[4];

	assert(n_vec <= p->vec.n_vec);
	p->first = first;
	p->n_vec = n_vec;
	for (size_t v = 0; v < n_vec; v++) {
		uint64_t *p0 = vs_vec_plane(&p->vec, v, 0);
		uint64_t *p1 = vs_vec_plane(&p->vec, v, 1);

		vs_vec_count(&p->vec, v, count);
		p->sum[v] = (int32_t)(count[1] + 2 * count[2]);
		p->present[v] = (int32_t)((int64_t)n_field - count[3]);
		p->row[v] = (int32_t)v;
		p->dead[v] = 0;
		for (size_t w = 0; w < p->vec.n_word; w++) {
			uint64_t in = w < full ? ~0ull : w == full ? tail : 0;
			uint64_t h = ~(p0[w] ^ p1[w]) & in;

			p1[w] = p0[w];
			p0[w] = h;
		}
	}
}

int
vs_panel_complete(const struct vs_panel *p, size_t lo, size_t hi)
{
	while (lo < hi && p->present[lo] == (int32_t)p->vec.n_field)
		lo++;
	return lo == hi;
}

size_t
vs_panel_part(struct vs_panel *p, size_t lo, size_t hi)
{
	size_t bytes = 2 * p->vec.n_word * sizeof(uint64_t), end = lo;

	for (size_t v = lo; v < hi; v++) {
		if (p->dead[v])
			continue;
		/* the place that is written over belonged to a dead one */
		if (v != end) {
			memcpy(vs_vec_plane(&p->vec, end, 0),
				vs_vec_plane(&p->vec, v, 0), bytes);
			p->sum[end] = p->sum[v];
			p->present[end] = p->present[v];
			p->row[end] = p->row[v];
			p->dead[end] = 0;
		}
		end++;
	}
	for (size_t v = end; v < hi; v++)
		p->dead[v] = 1;
	return end;
}
