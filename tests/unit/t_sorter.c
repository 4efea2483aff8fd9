/* SPDX-License-Identifier: BSD-3-Clause */
/* The sorter against qsort: any memory, ties, few and many first indices. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/results/sorter.h"
#include "libcore/base/fail.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

#define MOST 200000
static struct vs_record in[MOST], want[MOST], got[MOST];

static int
compare(const void *a, const void *b)
{
	return vs_record_compare(a, b);
}

static enum vs_record_order by;

static int
compare_values(const void *a, const void *b)
{
	const struct vs_record *x = a, *y = b;
	const double p = by == VS_FARTHEST_FIRST ? fabs(x->value) : x->value;
	const double q = by == VS_FARTHEST_FIRST ? fabs(y->value) : y->value;
	int c = (p > q) - (p < q);

	c = by == VS_LEAST_FIRST ? c : -c;
	return c ? c : vs_record_compare(x, y);
}

/* Values of either sign, many of them equal; the records wanted by them. */
static void
draw_values(struct vs_rng *rng, size_t n)
{
	for (size_t r = 0; r < n; r++)
		in[r].value = ((double)vs_rng_below(rng, 999) - 500) / 7;
	memcpy(want, in, sizeof(in));
	qsort(want, n, sizeof(*want), compare_values);
}

/* Records of n_vec vectors; ways 3 has k, and num and nvalid as well. */
static void
draw(struct vs_rng *rng, size_t n, uint64_t n_vec, int ways)
{
	memset(in, 0, sizeof(in));
	for (size_t r = 0; r < n; r++) {
		struct vs_record *x = &in[r];

		x->i = (uint32_t)vs_rng_below(rng, n_vec);
		x->j = x->i + 1 + (uint32_t)vs_rng_below(rng, n_vec);
		x->k = ways == 3 ? x->j + 1 + (uint32_t)vs_rng_below(rng, 5)
				 : VS_NO_VEC;
		x->cell = vs_rng_below(rng, ways == 3 ? 8 : 4) & 7;
		/* a function of the key: ties are equal throughout */
		x->value = (31. * x->i + 7. * x->j + x->k + x->cell) / 3;
		x->num = ways == 3 ? (int64_t)(x->i ^ x->j) : -1;
		x->nvalid = ways == 3 ? (int32_t)x->i : -1;
	}
	memcpy(want, in, sizeof(in));
	qsort(want, n, sizeof(*want), compare);
}

static size_t
n_files(void)
{
	struct dirent *e;
	size_t n = 0;
	DIR *d = opendir(".");

	while ((e = readdir(d)))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

/* Runs made, or -1 when the order is not that of qsort. */
static long
sort(size_t n, uint64_t memory, size_t piece, bool look)
{
	struct vs_sorter *s = NULL;
	struct vs_record *rec;
	size_t have = 0, more;
	uint64_t bytes;
	long runs = -1;

	if (vs_sorter_new(&s, by, "out.res.h5", memory))
		return -1;
	for (size_t at = 0; at < n; at += piece)
		if (vs_sorter_add(s, in + at, n - at < piece ? n - at : piece))
			goto out;
	memset(got, 0, sizeof(got));
	do {
		if (vs_sorter_next(s, &rec, &more) || more > MOST - have)
			goto out;
		memcpy(got + have, rec, more * sizeof(*rec));
		have += more;
		if (look && n_files())
			goto out;
	} while (more);
	if (have == n && !memcmp(got, want, n * sizeof(*got)))
		runs = (long)vs_sorter_runs(s, &bytes);
out:
	vs_sorter_free(s);
	return runs;
}

int
main(void)
{
	static const uint64_t memory[] = { 1, 65536, 200000, 1 << 20,
		64 << 20 };
	char dir[] = "/tmp/vsim-sorter-XXXXXX";
	struct vs_sorter *s;
	struct vs_rng rng;
	long runs;
	size_t n;

	T_OK(mkdtemp(dir) && !chdir(dir), "a directory to work in");
	vs_rng_seed(&rng, 7);
	for (int way = 2; way <= 3; way++)
		for (int m = 0; m < 5; m++) {
			draw(&rng, MOST, way == 2 ? 5000 : 40, way);
			runs = sort(MOST, memory[m], 4097, true);
			T_OK(m < 4 ? runs > 1 : !runs,
				"%d-way, %llu bytes: sorted, no file to be "
				"seen, %ld runs",
				way, (unsigned long long)memory[m], runs);
		}
	draw(&rng, MOST, 1, 2);
	T_OK(sort(MOST, 65536, 1000, false) > 1, "all in one first index");
	draw(&rng, MOST, 1ull << 31, 2);
	T_OK(sort(MOST, 65536, MOST, false) > 1, "first indices far apart");
	T_OK(!sort(MOST, 64 << 20, 1, false), "the same in memory, one by one");
	for (by = VS_GREATEST_FIRST; by <= VS_FARTHEST_FIRST; by++)
		for (int m = 0; m < 5; m++) {
			draw(&rng, MOST, 1ull << 31, 3);
			draw_values(&rng, MOST);
			runs = sort(MOST, memory[m], 4097, false);
			T_OK(m < 4 ? runs > 1 : !runs,
				"by value, %s first, %llu bytes: %ld runs",
				by == VS_LEAST_FIRST ? "the least"
					: by == VS_FARTHEST_FIRST
					? "the farthest"
					: "the greatest",
				(unsigned long long)memory[m], runs);
		}
	by = VS_BY_PLACE;
	for (n = 0; n < 5; n++) {
		draw(&rng, n, 3, 2);
		T_OK(!sort(n, 1, 1, false), "%zu records", n);
	}
	draw(&rng, MOST, 1000, 2);
	T_OK(vs_sorter_new(&s, by, "/dev/null/x", 1) == 0 &&
			vs_sorter_add(s, in, MOST) == VS_EMACHINE,
		"no directory for runs: %s", vs_fail_text());
	vs_sorter_free(s);
	T_OK(!n_files() && !chdir("/") && !rmdir(dir), "nothing left");
	return T_DONE();
}
