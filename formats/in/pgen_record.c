/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoder of a record of a .pgen: the main track of hard calls. */
#include <string.h>

#include "formats/in/pgen_record.h"
#include "libcore/base/bytes.h"
#include "libcore/base/fail.h"

#define ONES UINT64_C(0x5555555555555555) /* category 1 of each sample */
#define GROUP 64     /* entries of a difflist that begin with a full id */
#define GROUP_HAS 63 /* subtracted from the bytes that a group states */

/* The rest of a record. */
struct left {
	const uint8_t *at, *end;
};

static bool
take(struct left *l, size_t n, const uint8_t **at)
{
	if (n > (size_t)(l->end - l->at))
		return false;
	*at = l->at;
	l->at += n;
	return true;
}

/* Seven bits per byte, the lowest first; below 2^35. */
static bool
take_varint(struct left *l, uint64_t *x)
{
	const uint8_t *at;

	*x = 0;
	for (int shift = 0; shift < 35; shift += 7) {
		if (!take(l, 1, &at))
			return false;
		*x |= (uint64_t)(*at & 127) << shift;
		if (*at < 128)
			return true;
	}
	return false;
}

/* By bytes: a word would wait for the sample before in it to be stored. */
static void
put(uint64_t *codes, uint64_t q, unsigned category)
{
	uint8_t *byte = (uint8_t *)codes + q / 4;
	const unsigned shift = 2 * (q % 4);

	*byte = (uint8_t)((*byte & ~(3u << shift)) | category << shift);
}

/* Bytes of an id: those that n itself needs, so 256 samples take two. */
static size_t
id_bytes(size_t n)
{
	return n < 1 << 8 ? 1 : n < 1 << 16 ? 2 : n < 1 << 24 ? 3 : 4;
}

/* Set the samples of a difflist; ids ascend, and groups end where stated. */
static bool
apply_difflist(struct left *l, size_t n, uint64_t *codes)
{
	const uint8_t *first, *size, *category, *begun = NULL;
	uint64_t n_entry, n_group, id = 0, step;
	size_t wide = id_bytes(n);

	if (!take_varint(l, &n_entry) || n_entry > n)
		return false;
	if (!n_entry)
		return true;
	n_group = (n_entry + GROUP - 1) / GROUP;
	if (!take(l, n_group * wide, &first) || !take(l, n_group - 1, &size) ||
		!take(l, (n_entry + 3) / 4, &category))
		return false;
	for (uint64_t k = 0; k < n_entry; k++) {
		uint64_t g = k / GROUP, next;

		if (k % GROUP) {
			if (!take_varint(l, &step) || !step)
				return false;
			next = id + step;
		} else {
			if (g && l->at - begun != size[g - 1] + GROUP_HAS)
				return false;
			begun = l->at;
			next = vs_bytes_number(first + g * wide, wide);
			if (g && next <= id)
				return false;
		}
		if (next >= n)
			return false;
		id = next;
		put(codes, id, category[k / 4] >> (2 * (k % 4)) & 3);
	}
	return true;
}

/* The low 32 bits, two bits apart. */
static inline uint64_t
spread(uint64_t x)
{
	x &= 0xffffffff;
	x = (x | x << 16) & 0x0000ffff0000ffff;
	x = (x | x << 8) & 0x00ff00ff00ff00ff;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
	x = (x | x << 2) & 0x3333333333333333;
	return (x | x << 1) & ONES;
}

/* Two common categories, one bit per sample, and a difflist of the others. */
static bool
one_bit(struct left *l, size_t n, uint64_t *codes)
{
	const uint8_t *pair, *bits;
	const size_t n_byte = (n + 7) / 8;
	uint64_t low, differ;

	if (!take(l, 1, &pair) || !take(l, n_byte, &bits))
		return false;
	/* four times the lower one, plus the difference to the other */
	low = *pair / 4;
	differ = low ^ (low + *pair % 4);
	if (*pair > 9 || !differ || low + *pair % 4 > 3)
		return false;
	memcpy(codes, bits, n_byte);
	/* a word's 32 bits are the lower or upper half of one that is behind */
	for (size_t w = vs_pgen_record_words(n); w-- > 0;)
		codes[w] = ONES * low ^
			spread(codes[w / 2] >> (32 * (w % 2))) * differ;
	return apply_difflist(l, n, codes);
}

static bool
main_track(unsigned track, struct left *l, size_t n, const uint64_t *base,
	uint64_t *codes)
{
	const size_t n_word = vs_pgen_record_words(n);
	const uint8_t *raw;

	switch (track) {
	case 0:
		if (!take(l, (n + 3) / 4, &raw))
			return false;
		memcpy(codes, raw, (n + 3) / 4);
		return true;
	case 1:
		return one_bit(l, n, codes);
	case 2:
	case 3:
		if (!base)
			return false;
		memcpy(codes, base, n_word * sizeof(*codes));
		if (!apply_difflist(l, n, codes))
			return false;
		/* 0 and 2, whose low bit is 0, are exchanged, in the difflist,
		 * too */
		for (size_t w = 0; w < n_word && track == 3; w++)
			codes[w] ^= (~codes[w] & ONES) << 1;
		return true;
	case 4:
	case 6:
	case 7:
		for (size_t w = 0; w < n_word; w++)
			codes[w] = ONES * (track - 4);
		return apply_difflist(l, n, codes);
	default:
		return false;
	}
}

int
vs_pgen_record_calls(unsigned type, const uint8_t *bytes, size_t len, size_t n,
	const uint64_t *base, uint64_t *codes, const char **why)
{
	struct left l = { bytes, bytes + len };
	unsigned track = type & VS_PGEN_TRACK;

	*why = "is malformed or cut short";
	if (track == 5)
		*why = "is packed in a way that is not defined";
	else if (vs_pgen_record_depends(type) && !base)
		*why = "refers to a record before it, and there is none";
	if (!main_track(track, &l, n, base, codes))
		return VS_EINPUT;
	if (n % 32)
		codes[n / 32] &= (1ull << (2 * (n % 32))) - 1;
	*why = "is longer than its calls";
	/* other tracks follow if the type has their bits */
	return l.at == l.end || (type & ~(unsigned)VS_PGEN_TRACK) ? 0
								  : VS_EINPUT;
}
