/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decoder of a record of a .pgen, PLINK 2's binary genotypes: the main track,
 * hard calls of two bits each, packed against a common category or the record
 * before; and the dosages of a site of two alleles, 16 bits each.
 */
#ifndef VS_FORMATS_IN_PGEN_RECORD_H
#define VS_FORMATS_IN_PGEN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Categories: 0, 1 and 2 copies of ALT, and missing. */
enum { VS_PGEN_0 = 0, VS_PGEN_1 = 1, VS_PGEN_2 = 2, VS_PGEN_MISSING = 3 };

/* Bits of a record's type. */
enum {
	VS_PGEN_TRACK = 7, /* how the main track is packed */
	VS_PGEN_MULTIALLELIC = 8,
	VS_PGEN_PHASE = 16,
	VS_PGEN_DOSAGE = 0x60, /* of which samples */
	VS_PGEN_DOSAGE_LIST = 0x20,
	VS_PGEN_DOSAGE_ALL = 0x40,
	VS_PGEN_DOSAGE_PHASE = 0x80
};

/*
 * Decode the categories of n samples.
 *
 * type    the record's
 * bytes   len of them, the record
 * base    categories of the last self-contained record, used only by types 2
 *         and 3; null: none
 * codes   out: vs_pgen_record_words(n), 32 categories each, the first in the
 *         lowest bits, bits past n zero
 * used    out: bytes of the main track
 * why     out, on failure: a few words
 * returns 0; VS_EINPUT, nothing is recorded
 */
int vs_pgen_record_calls(unsigned type, const uint8_t *bytes, size_t len,
	size_t n, const uint64_t *base, uint64_t *codes, size_t *used,
	const char **why);

/*
 * Replace hard calls by dosages, where the record has them.
 *
 * bytes   len of them, behind the main track
 * n_het   number of heterozygous calls
 * value   in: copies of ALT of n samples, NaN for missing ones; out: with those
 *         of the record, multiples of 2^-14
 * set     vs_pgen_record_words(n) words of scratch
 */
int vs_pgen_record_dosages(unsigned type, const uint8_t *bytes, size_t len,
	size_t n, size_t n_het, double *value, uint64_t *set, const char **why);

/* Words of the categories of n samples. */
static inline size_t
vs_pgen_record_words(size_t n)
{
	return (n + 31) / 32;
}

/* True if a record of this type is packed against the one before. */
static inline bool
vs_pgen_record_depends(unsigned type)
{
	return (type & VS_PGEN_TRACK) == 2 || (type & VS_PGEN_TRACK) == 3;
}

#endif
