/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and numbers of the sex chromosomes. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/in/chromosome.h"

/* Chromosomes after the autosomes, in the order of their numbers. */
static const struct {
	const char *name;
	enum vs_haploid haploid;
} rows[] = {
	{ "X", VS_HAPLOID_X },
	{ "Y", VS_HAPLOID_Y },
	{ "XY", VS_HAPLOID_NONE },
	{ "MT", VS_HAPLOID_NONE },
};

#define N_ROW ((int64_t)(sizeof(rows) / sizeof(*rows)))

struct vs_chromosome
vs_chromosome_of(const char *name, size_t len, int64_t n_autosome)
{
	struct vs_chromosome c = { .haploid = VS_HAPLOID_NONE };
	int64_t row = 0;
	size_t n_digit = 0;

	if (len > 3 && !strncasecmp(name, "chr", 3)) {
		name += 3;
		len -= 3;
	}
	/* 0X and 0Y of --output-chr 0M */
	for (; len > 1 && *name == '0'; len--)
		name++;
	if (len >= VS_CHROMOSOME_ROOM)
		return c;
	for (size_t k = 0; k < len; k++)
		c.name[k] = (char)toupper((unsigned char)name[k]);
	for (; c.name[n_digit] >= '0' && c.name[n_digit] <= '9'; n_digit++)
		row = 10 * row + (c.name[n_digit] - '0');
	row = n_digit == len ? row - n_autosome - 1 : -1;
	c.numbered = row >= 0 && row < N_ROW;
	if (n_digit == len && !c.numbered)
		return c;
	for (int64_t k = 0; k < N_ROW; k++)
		if (row == k || !strcmp(c.name, rows[k].name) ||
			(c.name[0] == 'M' && !c.name[1] &&
				*rows[k].name == 'M')) {
			strcpy(c.name, rows[k].name);
			c.haploid = rows[k].haploid;
		}
	return c;
}

bool
vs_chromosome_is_par(const char *build, int64_t pos)
{
	static const struct {
		const char *name;
		int64_t first_end, second;
	} of[] = {
		{ "b36", 2709521, 154584237 },
		{ "b37", 2699520, 154931044 },
		{ "b38", 2781479, 155701383 },
	};

	for (size_t k = 0; build && k < sizeof(of) / sizeof(*of); k++)
		if (!strcmp(build, of[k].name))
			return pos > 0 &&
				(pos <= of[k].first_end || pos >= of[k].second);
	return false;
}
