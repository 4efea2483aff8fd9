/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoder of BCF's calls: twice the allele plus 2, plus 1 if phased. */
#include <string.h>

#include "formats/in/vcf_calls.h"
#include "libcore/base/fail.h"

/* one allele of a call */
enum { REF, ALT, MISSING, END, OTHER };

/* what a call becomes; the low two bits are its code */
enum { HAPLOID = 4, HALF = 8, BAD = 16 };

/* by first and second allele */
static const uint8_t call[5][5] = {
	[REF] = { VS_CODE_0, VS_CODE_1, HALF | VS_CODE_MISSING,
		HAPLOID | VS_CODE_0, BAD },
	[ALT] = { VS_CODE_1, VS_CODE_2, HALF | VS_CODE_MISSING,
		HAPLOID | VS_CODE_2, BAD },
	[MISSING] = { HALF | VS_CODE_MISSING, HALF | VS_CODE_MISSING,
		VS_CODE_MISSING, VS_CODE_MISSING, BAD },
	[END] = { VS_CODE_MISSING, VS_CODE_MISSING, VS_CODE_MISSING,
		VS_CODE_MISSING, BAD },
	[OTHER] = { BAD, BAD, BAD, BAD, BAD },
};

/* The value that fills up a call of fewer alleles. */
static int32_t
end_of(size_t size)
{
	return size == 1    ? INT8_MIN + 1
		: size == 2 ? INT16_MIN + 1
			    : INT32_MIN + 1;
}

static int
kind_of(int32_t x, int32_t end, int n_allele, int counted)
{
	int32_t allele = (x >> 1) - 1;

	if (x == end)
		return END;
	if (x < 0 || allele < 0)
		return MISSING;
	return allele >= n_allele ? OTHER : allele == counted ? ALT : REF;
}

static int32_t
value_at(const struct vs_bcf_calls *gt, size_t q, size_t k)
{
	const uint8_t *p = gt->at + (q * gt->n + k) * gt->size;
	int16_t narrow;
	int32_t wide;

	if (gt->size == 1)
		return (int8_t)*p;
	if (gt->size == 2) {
		memcpy(&narrow, p, 2);
		return narrow;
	}
	memcpy(&wide, p, 4);
	return wide;
}

/* Calls of any width and ploidy, one by one. */
static int
decode_slow(const struct vs_bcf_calls *gt, size_t n, int n_allele, int counted,
	uint8_t *codes, struct vs_reader_tally *tally, size_t *sample,
	const char **why)
{
	int32_t end = end_of(gt->size);

	for (size_t q = 0; q < n; q++) {
		int kind[2] = { END, END }, did;

		*sample = q;
		for (size_t k = 0; k < gt->n; k++) {
			int x = kind_of(value_at(gt, q, k), end, n_allele,
				counted);

			if (x == END)
				break;
			if (k >= 2) {
				*why = ": has more than two alleles; calls "
				       "must be haploid or diploid";
				return VS_EINPUT;
			}
			kind[k] = x;
		}
		did = call[kind[0]][kind[1]];
		if (did & BAD) {
			*why = ": names an allele that the site does not have";
			return VS_EINPUT;
		}
		tally->haploid += !!(did & HAPLOID);
		tally->half_missing += !!(did & HALF);
		vs_code_put(codes, q, did & 3);
	}
	return 0;
}

/* Fast path for two alleles of a byte each, as nearly all calls are. false:
 * take the slow path. */
static bool
decode_fast(const struct vs_bcf_calls *gt, size_t n, int n_allele, int counted,
	uint8_t *codes, struct vs_reader_tally *tally)
{
	const uint8_t *p = gt->at;
	uint8_t kind[256], did, seen = 0;
	int64_t haploid = 0, half = 0;

	for (int x = 0; x < 256; x++)
		kind[x] = (uint8_t)kind_of((int8_t)x, end_of(1), n_allele,
			counted);
	for (size_t q = 0; q < n; q++) {
		did = call[kind[p[2 * q]]][kind[p[2 * q + 1]]];
		seen |= did;
		haploid += did >> 2 & 1;
		half += did >> 3 & 1;
		vs_code_put(codes, q, did & 3);
	}
	if (seen & BAD)
		return false;
	tally->haploid += haploid;
	tally->half_missing += half;
	return true;
}

int
vs_vcf_calls(const struct vs_bcf_calls *gt, size_t n, int n_allele, int counted,
	uint8_t *codes, struct vs_reader_tally *tally, size_t *sample,
	const char **why)
{
	memset(codes, 0, (n + 3) / 4);
	if (gt->n == 2 && gt->size == 1 &&
		decode_fast(gt, n, n_allele, counted, codes, tally))
		return 0;
	memset(codes, 0, (n + 3) / 4);
	return decode_slow(gt, n, n_allele, counted, codes, tally, sample, why);
}
