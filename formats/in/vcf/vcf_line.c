/* SPDX-License-Identifier: BSD-3-Clause */
/* Fast parser of common VCF lines, without htslib. */
#include <stdbool.h>
#include <string.h>

#include "formats/in/reader.h"
#include "formats/in/vcf/vcf_calls.h"
#include "formats/in/vcf/vcf_line.h"

enum { CHROM, POS, ID, REF, ALT, QUAL, FILTER, INFO, FORMAT, N_COLUMN };

/* one allele of a call; all else is OTHER */
enum { ZERO, ONE, DOT, OTHER = 3 };

/* what a call becomes; the low two bits are its code */
enum { HALF = 4, NONE = 8 };

static const uint8_t call[4][4] = {
	[ZERO] = { VS_CODE_0, VS_CODE_1, HALF | VS_CODE_MISSING, NONE },
	[ONE] = { VS_CODE_1, VS_CODE_2, HALF | VS_CODE_MISSING, NONE },
	[DOT] = { HALF | VS_CODE_MISSING, HALF | VS_CODE_MISSING,
		VS_CODE_MISSING, NONE },
	[OTHER] = { NONE, NONE, NONE, NONE },
};

static unsigned
allele(char c)
{
	return c == '0' ? ZERO : c == '1' ? ONE : c == '.' ? DOT : OTHER;
}

/* True for digits only, and few enough not to overflow. */
static int
position(const char *text, size_t len, int64_t *pos)
{
	int64_t x = 0;

	if (!len || len > 15)
		return 0;
	for (size_t k = 0; k < len; k++) {
		if (text[k] < '0' || text[k] > '9')
			return 0;
		x = 10 * x + (text[k] - '0');
	}
	*pos = x;
	return 1;
}

/* True if a separator follows the first character, as in a diploid call. */
static inline int
is_call(const char *at, const char *end)
{
	return end - at >= 3 && (at[1] == '|' || at[1] == '/');
}

/*
 * Decode four calls of alleles 0 and 1, each before a tab, such as 0|1 or 1/1:
 * from each byte its expected value is taken, so that bit 0 of an allele is
 * left. False for all others.
 */
static inline bool
four_calls(const char *at, uint8_t *code)
{
	const uint64_t of_each = 0x100000001;
	uint64_t x[2];

	memcpy(x, at, sizeof(x));
	for (int k = 0; k < 2; k++) {
		x[k] ^= 0x09307c30 * of_each;
		/* | or / */
		x[k] ^= (x[k] >> 8 & of_each) * (('|' ^ '/') << 8);
	}
	if ((x[0] | x[1]) & ~(0x10001 * of_each))
		return false;
	for (int k = 0; k < 2; k++) {
		x[k] = ((x[k] | x[k] >> 16) & of_each) << 1 |
			(x[k] & x[k] >> 16 & of_each);
		x[k] |= x[k] >> 30;
	}
	*code = (uint8_t)((x[0] & 15) | (x[1] & 15) << 4);
	return true;
}

/*
 * Decode calls of n samples, from at to end. Returns 1 if all are diploid calls
 * of alleles 0, 1 and "." and, unless FORMAT has more than GT, nothing follows
 * a call. end is a NUL, so three bytes can be read whenever the first is before
 * it and no earlier one was NUL.
 */
static int
all_calls(const char *at, const char *end, size_t n, int more, uint8_t *codes,
	int64_t *n_half)
{
	unsigned byte = 0, seen = 0;
	int64_t half = 0;

	for (size_t q = 0; q < n; q++) {
		unsigned did;

		/* more than these, so that a tab follows the last */
		while (!more && q % 4 == 0 && n - q > 4 && end - at >= 16 &&
			four_calls(at, &codes[q / 4])) {
			at += 16;
			q += 4;
		}
		if (!is_call(at, end)) {
			/* a phase before it, as of version 4.4 */
			if (*at != '/' && *at != '|')
				return 0;
			if (!is_call(++at, end))
				return 0;
		}
		did = call[allele(at[0])][allele(at[2])];
		seen |= did;
		half += did >> 2 & 1;
		byte |= (did & 3) << (2 * (q % 4));
		if (q % 4 == 3) {
			codes[q / 4] = (uint8_t)byte;
			byte = 0;
		}
		at += 3;
		if (more && *at == ':') {
			at = memchr(at, '\t', (size_t)(end - at));
			at = at ? at : end;
		}
		/* a tab after each call but the last */
		if ((q + 1 < n) != (*at == '\t') || (q + 1 == n && at != end))
			return 0;
		at++;
	}
	if (n % 4)
		codes[n / 4] = (uint8_t)byte;
	*n_half = half;
	return !(seen & NONE);
}

int
vs_vcf_line(char *line, size_t len, size_t n_sample, struct vs_site *site,
	uint8_t *codes, int64_t *half_missing)
{
	char *at = line, *end = line + len, *column[N_COLUMN];
	size_t size[N_COLUMN];
	int64_t pos, half;

	for (int c = 0; c < N_COLUMN; c++) {
		char *tab = memchr(at, '\t', (size_t)(end - at));

		if (!tab)
			return 0;
		column[c] = at;
		size[c] = (size_t)(tab - at);
		at = tab + 1;
		if (!size[c])
			return 0;
	}
	if (memcmp(column[FORMAT], "GT", 2) ||
		(size[FORMAT] > 2 && column[FORMAT][2] != ':') ||
		memchr(column[ALT], ',', size[ALT]) ||
		(size[ALT] == 1 && *column[ALT] == '.') ||
		vs_vcf_calls_none(column[ALT], size[ALT]) ||
		!position(column[POS], size[POS], &pos) ||
		!all_calls(at, end, n_sample, size[FORMAT] > 2, codes, &half))
		return 0;
	for (int c = 0; c < N_COLUMN; c++)
		column[c][size[c]] = 0;
	*site = (struct vs_site){
		.contig = column[CHROM],
		.contig_len = size[CHROM],
		.id = column[ID],
		.id_len = size[ID],
		.pos = pos,
		.allele = { column[REF], column[ALT] },
		.allele_len = { size[REF], size[ALT] },
	};
	*half_missing += half;
	return 1;
}
