/* SPDX-License-Identifier: BSD-3-Clause */
/* Strongest values of searches of permuted data, in a file. */
#include <math.h>
#include <stdlib.h>

#include "formats/results/null_maxima.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rising.h"

#define GROUP "/permutations"
#define PATH GROUP "/strongest"

int
vs_null_maxima_new(double **value, int64_t n)
{
	int code =
		vs_mem_room(value, (size_t)n, sizeof(**value), "permutations");

	for (int64_t k = 0; k < n && !code; k++)
		(*value)[k] = NAN;
	return code;
}

bool
vs_null_maxima_complete(const double *value, int64_t n)
{
	bool all = value;

	for (int64_t k = 0; k < n && all; k++)
		all = !isnan(value[k]);
	return all;
}

bool
vs_null_maxima_agree(const double *a, const double *b, int64_t n)
{
	bool good = true;

	for (int64_t k = 0; k < n && good; k++)
		good = isnan(a[k]) || isnan(b[k]) || a[k] == b[k];
	return good;
}

int
vs_null_maxima_join(double *to, const double *from, int64_t n, const char *path)
{
	if (!vs_null_maxima_agree(to, from, n))
		return vs_fail(VS_EINPUT,
			"%s: " PATH ": a permutation has another strongest "
			"value in another shard of the run; make both again",
			path);
	for (int64_t k = 0; k < n; k++)
		if (isnan(to[k]))
			to[k] = from[k];
	return 0;
}

void
vs_null_maxima_sort(double *value, int64_t n)
{
	qsort(value, (size_t)n, sizeof(*value), vs_rising_f64);
}

double
vs_null_maxima_p(const double *null, int64_t n, enum vs_strong strong, bool f32,
	double value)
{
	const bool lower = strong == VS_STRONG_LOW;
	const double than = vs_strength(strong, value);
	int64_t lo = 0, hi = n;

	/* values before lo are weaker; if lower is stronger, as strong */
	while (lo < hi) {
		const int64_t at = lo + (hi - lo) / 2;
		const double of = f32 ? (double)(float)null[at] : null[at];

		if ((vs_strength(strong, of) >= than) == lower)
			lo = at + 1;
		else
			hi = at;
	}
	return (double)((lower ? lo : n - lo) + 1) / (double)(n + 1);
}

int
vs_null_maxima_write(const double *value, int64_t n, struct vs_h5_writer *w,
	struct vs_codec codec)
{
	vs_h5_writer_group(w, GROUP);
	return vs_h5_writer_column(w, PATH, VS_F64, value, (uint64_t)n, codec);
}

int
vs_null_maxima_read(double **value, int64_t n, struct vs_h5_reader *r)
{
	uint64_t rows = (uint64_t)n;
	double *got = NULL;
	int code = vs_h5_reader_column(r, PATH, VS_F64, &rows, &got);

	for (int64_t k = 0; k < n && !code; k++)
		if (isinf(got[k]))
			code = vs_fail(VS_EINPUT,
				"%s: " PATH ": row %lld is infinite; make the "
				"file again",
				vs_h5_reader_path(r), (long long)k);
	if (code)
		free(got);
	else
		*value = got;
	return code;
}
