/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser and printer of thresholds by class of cell. */
#include <math.h>
#include <string.h>

#include "libcore/base/num.h"
#include "libcore/base/thresholds.h"

#define N_CLASS 5 /* most thresholds in a list; the sum is the last */

static const char *const names[2][N_CLASS] = {
	{ "LL", "LH", "HH", "LL+HH" },
	{ "LLL", "LLH", "LHH", "HHH", "LLL+HHH" },
};

/* Threshold of class k for n_way vectors; null past the last. */
static double *
threshold_of(struct vs_thresholds *b, int n_way, int k)
{
	return k <= n_way ? &b->one[k] : k == n_way + 1 ? &b->sum : NULL;
}

void
vs_thresholds_all(struct vs_thresholds *b, double threshold)
{
	for (int k = 0; k < 4; k++)
		b->one[k] = threshold;
	b->sum = INFINITY;
}

/* Parse one "LL=0.7" of len bytes. */
static bool
read_one(const char *text, size_t len, int n_way, struct vs_thresholds *b)
{
	const char *equals = memchr(text, '=', len);
	size_t name = equals ? (size_t)(equals - text) : len;
	char number[64];

	if (!equals || len - name - 1 >= sizeof(number))
		return false;
	memcpy(number, equals + 1, len - name - 1);
	number[len - name - 1] = 0;
	for (int k = 0; threshold_of(b, n_way, k); k++) {
		const char *own = names[n_way - 2][k];
		double *threshold = threshold_of(b, n_way, k);

		if (strlen(own) != name || memcmp(own, text, name))
			continue;
		/* set already */
		if (!isnan(*threshold))
			return false;
		*threshold = INFINITY;
		return !strcmp(number, "off") || vs_num_real(number, threshold);
	}
	return false;
}

bool
vs_thresholds_read(const char *text, int n_way, struct vs_thresholds *out)
{
	struct vs_thresholds b;
	bool any = false;

	vs_thresholds_all(&b, NAN);
	b.sum = NAN;
	for (;; text++) {
		size_t len = strcspn(text, ",");

		if (!read_one(text, len, n_way, &b))
			return false;
		text += len;
		if (!*text)
			break;
	}
	for (int k = 0; k < N_CLASS; k++) {
		double *threshold = k < 4 ? &b.one[k] : &b.sum;

		*threshold = isnan(*threshold) ? INFINITY : *threshold;
		any |= !isinf(*threshold);
	}
	if (any)
		*out = b;
	return any;
}

void
vs_thresholds_print(const struct vs_thresholds *b, int n_way,
	char text[VS_THRESHOLDS_ROOM])
{
	struct vs_thresholds copy = *b;
	char *end = text;

	*end = 0;
	for (int k = 0; threshold_of(&copy, n_way, k); k++) {
		double threshold = *threshold_of(&copy, n_way, k);
		const char *name = names[n_way - 2][k];

		if (isinf(threshold))
			continue;
		if (end > text)
			*end++ = ',';
		memcpy(end, name, strlen(name));
		end += strlen(name);
		*end++ = '=';
		end += vs_num_print(threshold, end);
	}
}

double
vs_thresholds_least(const struct vs_thresholds *b, int n_way)
{
	double least = vs_thresholds_half(b);

	for (int k = 0; k <= n_way; k++)
		least = b->one[k] < least ? b->one[k] : least;
	return least;
}
