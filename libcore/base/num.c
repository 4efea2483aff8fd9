/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/num.h"

bool
vs_num_int(const char *text, int64_t *out)
{
	char *end;
	long long v;

	if (!*text || isspace((unsigned char)*text))
		return false;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || *end)
		return false;
	*out = v;
	return true;
}

bool
vs_num_real(const char *text, double *out)
{
	char *end;
	double v;

	if (!*text || isspace((unsigned char)*text))
		return false;
	v = strtod(text, &end);
	if (*end || !isfinite(v))
		return false;
	*out = v;
	return true;
}

bool
vs_num_size(const char *text, uint64_t *out)
{
	static const char units[] = "KMGT";
	const char *unit;
	uint64_t v;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno)
		return false;
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (*end && (!unit || end[1]))
		return false;
	for (const char *u = units; unit && u <= unit; u++)
		if (__builtin_mul_overflow(v, 1024, &v))
			return false;
	*out = v;
	return true;
}

int
vs_num_print(double value, char *text)
{
	int n = 0;

	for (int digits = 15; digits <= 17; digits++) {
		n = snprintf(text, VS_NUM_ROOM, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return n;
}

int
vs_num_print_f32(float value, char *text)
{
	int n = 0;

	for (int digits = 6; digits <= 9; digits++) {
		n = snprintf(text, VS_NUM_ROOM, "%.*g", digits, (double)value);
		if (strtof(text, NULL) == value)
			break;
	}
	return n;
}
