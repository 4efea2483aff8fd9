/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoder of a record of a .pgen: the main track of hard calls, and dosages. */
#include <math.h>
#include <string.h>

#include "formats/in/pgen_record.h"
#include "libcore/base/bytes.h"
#include "libcore/base/fail.h"

#define ONES UINT64_C(0x5555555555555555) /* category 1 of each sample */
#define GROUP 64     /* entries of a difflist that begin with a full id */
#define GROUP_HAS 63 /* subtracted from the bytes that a group states */
#define NO_DOSAGE 65535
#define DOSAGE_ONE (1 << 14) /* of one copy */

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

	if (l->at < l->end && *l->at < 128) {
		*x = *l->at++;
		return true;
	}
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

/* Set the codes of a difflist's samples or, of one without categories, bits of
 * set; ids ascend, and groups end where stated. */
static bool
apply_difflist(struct left *l, size_t n, uint64_t *codes, uint64_t *set)
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
		!take(l, codes ? (n_entry + 3) / 4 : 0, &category))
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
		if (codes)
			put(codes, id, category[k / 4] >> (2 * (k % 4)) & 3);
		else
			set[id / 64] |= UINT64_C(1) << id % 64;
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
	return apply_difflist(l, n, codes, NULL);
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
		if (!apply_difflist(l, n, codes, NULL))
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
		return apply_difflist(l, n, codes, NULL);
	default:
		return false;
	}
}

int
vs_pgen_record_calls(unsigned type, const uint8_t *bytes, size_t len, size_t n,
	const uint64_t *base, uint64_t *codes, size_t *used, const char **why)
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
	*used = (size_t)(l.at - bytes);
	*why = "is longer than its calls";
	/* other tracks follow if the type has their bits */
	return l.at == l.end || (type & ~(unsigned)VS_PGEN_TRACK) ? 0
								  : VS_EINPUT;
}

/* ---- dosages ---- */

/* Pass the phases of heterozygous calls: a bit that says whether each has a bit
 * on whether it is phased, then those, then a bit for each phased one. */
static bool
pass_phases(struct left *l, size_t n_het)
{
	const uint8_t *bits, *past;
	size_t n_phased = 0;

	if (!take(l, (1 + n_het + 7) / 8, &bits))
		return false;
	if (!(*bits & 1))
		return true;
	for (size_t k = 1; k <= n_het; k++)
		n_phased += bits[k / 8] >> k % 8 & 1;
	return take(l, (n_phased + 7) / 8, &past);
}

/* Mark the samples that have a dosage. */
static bool
mark_samples(unsigned type, struct left *l, size_t n, uint64_t *set)
{
	const uint8_t *bits;

	memset(set, 0, vs_pgen_record_words(n) * sizeof(*set));
	switch (type & VS_PGEN_DOSAGE) {
	case VS_PGEN_DOSAGE_LIST:
		return apply_difflist(l, n, NULL, set);
	case VS_PGEN_DOSAGE_ALL:
		memset(set, 0xff, (n + 7) / 8);
		return true;
	default:
		if (!take(l, (n + 7) / 8, &bits))
			return false;
		memcpy(set, bits, (n + 7) / 8);
		return true;
	}
}

int
vs_pgen_record_dosages(unsigned type, const uint8_t *bytes, size_t len,
	size_t n, size_t n_het, double *value, uint64_t *set, const char **why)
{
	struct left l = { bytes, bytes + len };
	const uint8_t *at;

	*why = "has dosages that are malformed or cut short";
	if (!(type & VS_PGEN_DOSAGE))
		return 0;
	if ((type & VS_PGEN_PHASE && !pass_phases(&l, n_het)) ||
		!mark_samples(type, &l, n, set))
		return VS_EINPUT;
	for (size_t q = 0; q < n; q++) {
		uint64_t x;

		if (!(set[q / 64] >> q % 64 & 1))
			continue;
		if (!take(&l, 2, &at))
			return VS_EINPUT;
		x = vs_bytes_number(at, 2);
		if (x > 2 * DOSAGE_ONE && x != NO_DOSAGE)
			return VS_EINPUT;
		value[q] = x == NO_DOSAGE ? NAN : (double)x / DOSAGE_ONE;
	}
	return l.at == l.end || type & VS_PGEN_DOSAGE_PHASE ? 0 : VS_EINPUT;
}
