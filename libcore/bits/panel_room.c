/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a panel, and the arrays of it that hold vectors as loaded. */
#include <assert.h>
#include <stdlib.h>
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

/* Widest arrays first, so that all are aligned. */
static void
lay_out_genotypes(struct vs_panel *p)
{
	const size_t n_vec = p->vec.n_vec, n_field = p->vec.n_field,
		     n_word = vs_vec_words(n_field);
	int32_t *next;

	p->vec.n_word = p->vec.stride = n_word;
	p->source = (int64_t *)(p->vec.word + 2 * n_vec * n_word);
	p->sum = (int32_t *)(p->source + n_vec);
	p->present = p->sum + n_vec;
	p->two = p->present + n_vec;
	p->behind = p->two + n_vec;
	p->above = p->behind + n_vec;
	p->row = (uint32_t *)(p->above + n_vec);
	next = (int32_t *)(p->row + n_vec);
	for (int k = 0; k < VS_FIRSTS && n_field >= VS_FIRSTS_LEAST; k++) {
		p->first_of[k] = (struct vs_panel_counts){ next, next + n_vec,
			next + 2 * n_vec, next + 3 * n_vec };
		next += 4 * n_vec;
	}
	p->flip = (uint8_t *)next;
	p->dead = p->flip + n_vec;
}

static void
lay_out_numbers(struct vs_panel *p, enum vs_element element)
{
	const size_t n_vec = p->vec.n_vec, n_field = p->vec.n_field,
		     stride = n_field * vs_element_bytes(element);

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
}

void
vs_panel_on(struct vs_panel *p, enum vs_element element, size_t n_vec,
	size_t n_field, void *memory)
{
	const bool number = vs_element_is_number(element);

	*p = (struct vs_panel){
		.vec = { .word = memory, .n_vec = n_vec, .n_field = n_field },
		.bytes = n_vec * vs_panel_bytes(element, n_field) +
			(number ? VS_PANEL_MORE : 0)
	};
	if (number)
		lay_out_numbers(p, element);
	else
		lay_out_genotypes(p);
}

int
vs_panel_room_of(struct vs_panel *p, enum vs_element element, size_t n_vec,
	size_t n_field)
{
	void *memory = NULL;
	size_t bytes;
	int code;

	assert(n_field < (size_t)1 << 29);
	memset(p, 0, sizeof(*p));
	if (__builtin_mul_overflow(n_vec, vs_panel_bytes(element, n_field),
		    &bytes) ||
		__builtin_add_overflow(bytes, VS_PANEL_MORE, &bytes))
		return vs_fail_memory("panel of vectors", ~0ull);
	code = vs_mem_room(&memory, bytes, 1, "panel of vectors");
	if (!code)
		vs_panel_on(p, element, n_vec, n_field, memory);
	return code;
}

int
vs_panel_room(struct vs_panel *p, size_t n_vec, size_t n_field)
{
	return vs_panel_room_of(p, VS_BIT2, n_vec, n_field);
}

void
vs_panel_free(struct vs_panel *p)
{
	free(p->vec.word);
	memset(p, 0, sizeof(*p));
}

int
vs_panel_parts(const struct vs_panel *p,
	struct vs_panel_part part[VS_PANEL_PARTS])
{
	const struct vs_panel_part genotypes[] = {
		{ (char *)p->vec.word, 2 * 8 * p->vec.n_word },
		{ (char *)p->source, sizeof(*p->source) },
		{ (char *)p->sum, sizeof(*p->sum) },
		{ (char *)p->present, sizeof(*p->present) },
		{ (char *)p->two, sizeof(*p->two) },
		{ (char *)p->flip, sizeof(*p->flip) },
	}, numbers[] = {
		{ (char *)p->vec.word, p->number.stride },
		{ (char *)p->source, sizeof(*p->source) },
		{ (char *)p->total, sizeof(*p->total) },
		{ (char *)p->flip, sizeof(*p->flip) },
	};
	const size_t bytes = p->total ? sizeof(numbers) : sizeof(genotypes);

	memcpy(part, p->total ? numbers : genotypes, bytes);
	return (int)(bytes / sizeof(*part));
}

void
vs_panel_came(struct vs_panel *p, size_t at, uint64_t lo)
{
	for (size_t v = at; v < p->n_vec; v++) {
		p->row[v] = (uint32_t)(lo + v - at - p->first);
		p->dead[v] = 0;
		if (p->total)
			p->sum[v] = 0;
		else
			p->behind[v] = p->above[v] = 0;
	}
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
