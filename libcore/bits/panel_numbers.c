/* SPDX-License-Identifier: BSD-3-Clause */
/* Panels of numeric vectors: layout and totals. */
#include <assert.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/bits/panel.h"

size_t
vs_panel_bytes(enum vs_element element, size_t n_field)
{
	if (!vs_element_is_number(element))
		return VS_PANEL_BYTES(vs_vec_words(n_field));
	/* source, total, row, sum, flip, dead */
	return n_field * vs_element_bytes(element) + 8 + 8 + 4 + 4 + 2;
}

int
vs_panel_room_of(struct vs_panel *p, enum vs_element element, size_t n_vec,
	size_t n_field)
{
	size_t stride = n_field * vs_element_bytes(element), bytes;
	int code;

	if (!vs_element_is_number(element))
		return vs_panel_room(p, n_vec, n_field);
	assert(n_field < (size_t)1 << 29);
	memset(p, 0, sizeof(*p));
	if (__builtin_mul_overflow(n_vec, vs_panel_bytes(element, n_field),
		    &bytes))
		return vs_fail_memory("panel of vectors", ~0ull);
	bytes += VS_PANEL_MORE;
	code = vs_mem_room(&p->vec.word, bytes, 1, "panel of vectors");
	if (code)
		return code;
	p->vec.n_vec = n_vec;
	p->vec.n_field = n_field;
	p->bytes = bytes;
	p->number =
		(struct vs_numbers){ p->vec.word, element, n_field, stride };
	/* the next array starts at an aligned address */
	p->source = (int64_t *)((char *)p->vec.word +
		(n_vec * stride + VS_PANEL_MORE - 1) / VS_PANEL_MORE *
			VS_PANEL_MORE);
	p->total = (double *)(p->source + n_vec);
	p->row = (uint32_t *)(p->total + n_vec);
	p->sum = (int32_t *)(p->row + n_vec);
	p->flip = (uint8_t *)(p->sum + n_vec);
	p->dead = p->flip + n_vec;
	return 0;
}

int
vs_panel_total(struct vs_panel *p, size_t v, uint64_t number, const char *of)
{
	p->total[v] = vs_numbers_total(&p->number, v);
	p->row[v] = (uint32_t)(number - p->first);
	p->sum[v] = 0;
	p->dead[v] = p->flip[v] = 0;
	return vs_numbers_total_fits(p->number.element, p->total[v])
		? 0
		: vs_fail(VS_EINPUT, "%s: vector %llu: %s", of,
			  (unsigned long long)number,
			  vs_numbers_too_much(p->number.element));
}
