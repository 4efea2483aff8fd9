/* SPDX-License-Identifier: BSD-3-Clause */
/* Division of a text file, plain or packed by bgzip, into parts by bytes. */
#include <stdlib.h>

#include "formats/in/text/bgzf.h"
#include "formats/in/text/cuts.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define LONGEST 65536 /* bytes of a block, packed or not */

static int
damaged(const struct vs_source *s)
{
	return vs_fail(VS_EINPUT,
		"%s: is damaged: invalid bgzip block; restore it", s->name);
}

int
vs_cuts_blocks(const struct vs_source *s, bool *blocks)
{
	uint8_t head[VS_BGZF_HEAD];
	int code = 0;

	*blocks = s->size >= VS_BGZF_HEAD;
	if (*blocks)
		code = vs_source_peek(s, 0, head, VS_BGZF_HEAD);
	*blocks = *blocks && !code && vs_bgzf_is(head, VS_BGZF_HEAD);
	return code;
}

/* Packed and unpacked length of the block at a byte. */
static int
lengths(const struct vs_source *s, uint64_t at, uint64_t *n, uint64_t *n_text)
{
	uint8_t b[VS_BGZF_HEAD];
	int code = vs_source_peek(s, at, b, VS_BGZF_HEAD);

	if (code)
		return code;
	*n = vs_bgzf_length(b);
	if (!vs_bgzf_is(b, VS_BGZF_HEAD) || *n <= VS_BGZF_HEAD)
		return damaged(s);
	code = vs_source_peek(s, at + *n - 4, b, 4);
	*n_text = b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 |
		(uint64_t)b[3] << 24;
	return code || *n_text <= LONGEST ? code : damaged(s);
}

/* The block that holds a byte of the text. */
static int
block_of(const struct vs_source *s, uint64_t text, uint64_t *first,
	uint64_t *before)
{
	uint64_t n = 0, n_text = 0;
	int code;

	*first = *before = 0;
	while (*first < (uint64_t)s->size) {
		code = lengths(s, *first, &n, &n_text);
		if (code || *before + n_text > text)
			return code;
		*first += n;
		*before += n_text;
	}
	return 0;
}

static bool
is_padding(const uint8_t *b, uint64_t n)
{
	while (n && !*b) {
		b++;
		n--;
	}
	return !n;
}

/*
 * The first block that begins at a byte of the file or later: it must be
 * followed by another block, the end, or zero padding. The bytes of a block's
 * head do not occur by chance.
 */
static int
next_block(const struct vs_source *s, uint64_t from, uint64_t *at)
{
	uint64_t size = (uint64_t)s->size, n, next;
	uint8_t *b = NULL;
	int code;

	*at = size;
	if (from >= size)
		return 0;
	n = size - from;
	n = n < 2 * LONGEST + VS_BGZF_HEAD ? n : 2 * LONGEST + VS_BGZF_HEAD;
	code = vs_mem_room(&b, n, 1, "bgzip");
	if (!code)
		code = vs_source_peek(s, from, b, n);
	for (uint64_t k = 0; !code && k < n && k < LONGEST; k++) {
		if (!vs_bgzf_is(b + k, n - k))
			continue;
		next = k + vs_bgzf_length(b + k);
		if (from + next != size &&
			(next >= n ||
				(b[next] && !vs_bgzf_is(b + next, n - next))))
			continue;
		*at = from + k;
		break;
	}
	/* near the end no block may follow */
	if (!code && *at == size && n >= LONGEST && !is_padding(b, n))
		code = damaged(s);
	free(b);
	return code;
}

int
vs_cuts_choose(const struct vs_source *s, bool blocks, uint64_t text,
	struct vs_part *part, uint64_t *first, uint64_t *before)
{
	uint64_t left, cut[2];
	int code = 0;

	part->bytes = true;
	part->all = (uint64_t)s->size;
	*first = *before = text;
	if (blocks)
		code = block_of(s, text, first, before);
	left = part->all - *first;
	for (int end = 0; end < 2 && !code; end++) {
		int64_t k = part->k - 1 + end;

		cut[end] = *first + vs_part_end(left, k, part->n);
		/* past the block with the first line */
		if (blocks && k && k < part->n)
			code = next_block(s, cut[end] + 1, &cut[end]);
	}
	if (code)
		return code;
	part->lo = part->k > 1 ? cut[0] : 0;
	part->hi = cut[1];
	return 0;
}
