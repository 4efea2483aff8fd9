/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoder of BCF's calls: twice the allele plus 2, plus 1 if phased. */
#include <string.h>

#include "formats/in/vcf/vcf_calls.h"
#include "libcore/base/fail.h"

/* one allele of a call */
enum { REF, ALT, MISSING, END, NONE, OTHER, N_KIND };

/* what a call becomes; the low two bits are its code */
enum { HAPLOID = 4, HALF = 8, BAD = 16, OF_NONE = 32 };

/* by first and second allele */
#define MISS VS_CODE_MISSING
static const uint8_t call[N_KIND][N_KIND] = {
	[REF] = { VS_CODE_0, VS_CODE_1, HALF | MISS, HAPLOID | VS_CODE_0,
		OF_NONE | MISS, BAD },
	[ALT] = { VS_CODE_1, VS_CODE_2, HALF | MISS, HAPLOID | VS_CODE_2,
		OF_NONE | MISS, BAD },
	[MISSING] = { HALF | MISS, HALF | MISS, MISS, MISS, OF_NONE | MISS,
		BAD },
	[END] = { MISS, MISS, MISS, MISS, OF_NONE | MISS, BAD },
	[NONE] = { OF_NONE | MISS, OF_NONE | MISS, OF_NONE | MISS,
		OF_NONE | MISS, OF_NONE | MISS, BAD },
	[OTHER] = { BAD, BAD, BAD, BAD, BAD, BAD },
};

bool
vs_vcf_calls_none(const char *allele, size_t len)
{
	static const char *const none[] = { "*", "<*>", "<X>", "<NON_REF>" };

	for (size_t k = 0; k < sizeof(none) / sizeof(*none); k++)
		if (len == strlen(none[k]) && !memcmp(allele, none[k], len))
			return true;
	return false;
}

/* Padding value of a call with fewer alleles. */
static int32_t
end_of(size_t size)
{
	return size == 1    ? INT8_MIN + 1
		: size == 2 ? INT16_MIN + 1
			    : INT32_MIN + 1;
}

static int
kind_of(int32_t x, int32_t end, int n_allele, int counted, const uint8_t *none)
{
	int32_t allele = (x >> 1) - 1;

	if (x == end)
		return END;
	if (x < 0 || allele < 0)
		return MISSING;
	if (allele >= n_allele)
		return OTHER;
	if (none && none[allele])
		return NONE;
	return allele == counted ? ALT : REF;
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
	const uint8_t *none, uint8_t *codes, struct vs_reader_tally *tally,
	size_t *sample, const char **why)
{
	int32_t end = end_of(gt->size);

	for (size_t q = 0; q < n; q++) {
		int kind[2] = { END, END }, did, x = 0;
		size_t k, n_missing = 0, n_other = 0;

		for (k = 0; k < gt->n; k++) {
			x = kind_of(value_at(gt, q, k), end, n_allele, counted,
				none);
			if (x == END)
				break;
			n_missing += x == MISSING;
			n_other += x == OTHER;
			kind[k < 2 ? k : 1] = x;
		}
		did = k < 3 ? call[kind[0]][kind[1]] : MISS;
		if (n_other) {
			*sample = q;
			*why = ": names an allele that the site does not have";
			return VS_EINPUT;
		}
		if (k > 2 && n_missing < k && !tally->polyploid++)
			*sample = q;
		tally->haploid += !!(did & HAPLOID);
		tally->half_missing += !!(did & HALF);
		tally->of_none += !!(did & OF_NONE);
		vs_code_put(codes, q, did & 3);
	}
	return 0;
}

/* Fast path for two alleles of a byte each, as nearly all calls are. false:
 * take the slow path. */
static bool
decode_fast(const struct vs_bcf_calls *gt, size_t n, int n_allele, int counted,
	const uint8_t *none, uint8_t *codes, struct vs_reader_tally *tally)
{
	const uint8_t *p = gt->at;
	uint8_t kind[256], did, seen = 0;
	int64_t haploid = 0, half = 0, of_none = 0;

	for (int x = 0; x < 256; x++)
		kind[x] = (uint8_t)kind_of((int8_t)x, end_of(1), n_allele,
			counted, none);
	for (size_t q = 0; q < n; q++) {
		did = call[kind[p[2 * q]]][kind[p[2 * q + 1]]];
		seen |= did;
		haploid += did >> 2 & 1;
		half += did >> 3 & 1;
		of_none += did >> 5 & 1;
		vs_code_put(codes, q, did & 3);
	}
	if (seen & BAD)
		return false;
	tally->haploid += haploid;
	tally->half_missing += half;
	tally->of_none += of_none;
	return true;
}

int
vs_vcf_calls(const struct vs_bcf_calls *gt, size_t n, int n_allele, int counted,
	const uint8_t *none, uint8_t *codes, struct vs_reader_tally *tally,
	size_t *sample, const char **why)
{
	memset(codes, 0, (n + 3) / 4);
	if (gt->n == 2 && gt->size == 1 &&
		decode_fast(gt, n, n_allele, counted, none, codes, tally))
		return 0;
	memset(codes, 0, (n + 3) / 4);
	return decode_slow(gt, n, n_allele, counted, none, codes, tally, sample,
		why);
}

int
vs_vcf_calls_apart(struct vs_bcf_calls *gt, size_t n, size_t *sample,
	const char **why)
{
	const int32_t end = end_of(gt->size);

	*sample = 0;
	*why = ": --haplotypes needs calls of two alleles";
	if (gt->n != 2)
		return VS_EINPUT;
	gt->n = 1;
	for (size_t q = 1; q < n; q += 2) {
		const int32_t x = value_at(gt, q - 1, 0);
		const int32_t y = value_at(gt, q, 0);

		/* equal or missing ones need no phase */
		if (y == end || y & 1 || x >> 1 == y >> 1 || x < 2 || y < 2)
			continue;
		*sample = q;
		*why = ": its call is not phased, such as 0|1";
		return VS_EINPUT;
	}
	return 0;
}

void
vs_vcf_calls_haploid(const struct vs_bcf_calls *gt, size_t n, uint8_t *haploid)
{
	const int32_t end = end_of(gt->size);

	memset(haploid, 0, (n + 7) / 8);
	for (size_t q = 0; q < n; q++) {
		int32_t first = gt->n ? value_at(gt, q, 0) : end;

		if (first != end && first >= 2 &&
			(gt->n < 2 || value_at(gt, q, 1) == end))
			haploid[q / 8] |= (uint8_t)(1 << q % 8);
	}
}
