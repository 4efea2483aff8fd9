/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and numbers of the sex chromosomes. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/in/chromosome.h"

enum vs_haploid
vs_chromosome_haploid(const char *name, size_t len, int64_t n_autosome,
	bool *numbered)
{
	int64_t x = 0;

	*numbered = false;
	if (len > 3 && !strncasecmp(name, "chr", 3)) {
		name += 3;
		len -= 3;
	}
	if (len == 2 && *name == '0') { /* 0X and 0Y of --output-chr 0M */
		name++;
		len--;
	}
	if (len == 1 && (*name == 'X' || *name == 'x'))
		return VS_HAPLOID_X;
	if (len == 1 && (*name == 'Y' || *name == 'y'))
		return VS_HAPLOID_Y;
	for (size_t k = 0; k < len && k < 6; k++) {
		if (name[k] < '0' || name[k] > '9')
			return VS_HAPLOID_NONE;
		x = 10 * x + (name[k] - '0');
	}
	*numbered = len < 6 && (x == n_autosome + 1 || x == n_autosome + 2);
	return !*numbered             ? VS_HAPLOID_NONE
		: x == n_autosome + 1 ? VS_HAPLOID_X
				      : VS_HAPLOID_Y;
}

void
vs_chromosome_common(const char *name, size_t len, int64_t n_autosome,
	char out[VS_CHROMOSOME_ROOM])
{
	static const char *const of[] = { "X", "Y", "XY", "MT" };
	long long x;

	if (len > 3 && !strncasecmp(name, "chr", 3)) {
		name += 3;
		len -= 3;
	}
	for (; len > 1 && *name == '0'; len--)
		name++;
	*out = 0;
	if (len >= VS_CHROMOSOME_ROOM)
		return;
	for (size_t k = 0; k < len; k++)
		out[k] = (char)(name[k] -
			(name[k] >= 'a' && name[k] <= 'z' ? 'a' - 'A' : 0));
	out[len] = 0;
	x = strspn(out, "0123456789") == len ? atoll(out) - n_autosome : 0;
	if (x >= 1 && x <= 4)
		strcpy(out, of[x - 1]);
	else if (!strcmp(out, "M"))
		strcpy(out, "MT");
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
