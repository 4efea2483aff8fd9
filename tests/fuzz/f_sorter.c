/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The external merge sort and the sort in memory against qsort(): records made
 * of four bytes each, taken in pieces, in the least memory or in much.
 */
#include <stdbool.h>
#include <string.h>

#include "formats/results/sorter.h"
#include "libcore/base/fail.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch.h"

const unsigned fuzz_rounds = 1000;

#define MOST 12000

static struct vs_record in[MOST], want[MOST], got[MOST];

/* The order of the page vsim-results(5), by no code of ours. */
static int
by_key(const void *a, const void *b)
{
	const struct vs_record *x = a, *y = b;

	if (x->i != y->i)
		return x->i < y->i ? -1 : 1;
	if (x->j != y->j)
		return x->j < y->j ? -1 : 1;
	if (x->k != y->k)
		return x->k < y->k ? -1 : 1;
	return x->cell < y->cell ? -1 : x->cell > y->cell;
}

/* Ties have equal values, so that their order does not show. */
static struct vs_record
make(const uint8_t *b, uint64_t turn)
{
	struct vs_record r;

	memset(&r, 0, sizeof(r)); /* its padding, too */
	r.i = (b[0] + turn) << (b[3] & 0x20);
	r.j = r.i + 1 + b[1];
	r.k = b[3] & 0x40 ? VS_NO_VEC : r.j + 1 + (b[2] >> 4);
	r.cell = b[2] & 7;
	r.value = (double)(r.i % 1000 * 31 + r.j % 1000 * 7 + r.cell) / 3;
	r.num = b[3] & 0x80 ? -1 : (int64_t)(r.i ^ r.j);
	r.nvalid = -1;
	if (b[3] & 0x80)
		r.nvalid = (int64_t)(r.cell + r.i % 9);
	return r;
}

static bool
equal(const struct vs_record *a, const struct vs_record *b, size_t n)
{
	return !memcmp(a, b, n * sizeof(*a));
}

static int
by_all(const void *a, const void *b)
{
	int order = by_key(a, b);

	return order ? order : memcmp(a, b, sizeof(struct vs_record));
}

/* Equal keys may differ in num and nvalid: those come out in any order. */
static void
settle(struct vs_record *r, size_t n)
{
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo + 1; hi < n && !by_key(&r[lo], &r[hi]);)
			hi++;
		qsort(r + lo, hi - lo, sizeof(*r), by_all);
	}
}

static void
sorted(size_t n, uint64_t memory, size_t piece)
{
	struct vs_sorter *s = NULL;
	char path[SCRATCH_PATH];
	struct vs_record *rec;
	size_t n_got = 0, now;

	scratch_path(path, "x.res.h5");
	FUZZ_HOLDS(!vs_sorter_new(&s, VS_BY_PLACE, path, memory), "%s",
		vs_fail_text());
	for (size_t k = 0; k < n; k += piece)
		FUZZ_HOLDS(!vs_sorter_add(s, in + k,
				   n - k < piece ? n - k : piece),
			"%s", vs_fail_text());
	do {
		FUZZ_HOLDS(!vs_sorter_next(s, &rec, &now), "%s",
			vs_fail_text());
		FUZZ_HOLDS(now <= n - n_got, "more than %zu records", n);
		if (now) /* else rec is null */
			memcpy(got + n_got, rec, now * sizeof(*rec));
		n_got += now;
	} while (now);
	FUZZ_HOLDS(n_got == n, "%zu records of %zu", n_got, n);
	settle(got, n);
	FUZZ_HOLDS(equal(got, want, n), "the sorter's order of %zu", n);
	vs_sorter_free(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	size_t n_key, n_rec, piece;

	if (n < 8)
		return 0;
	n_key = (n - 4) / 4;
	n_rec = (bytes[0] | (size_t)bytes[1] << 8) % MOST;
	piece = 1 + (bytes[2] | (size_t)bytes[3] << 8) % 5000;
	piece = piece < 1 + n_rec / 50 ? 1 + n_rec / 50 : piece;
	for (size_t k = 0; k < n_rec; k++)
		in[k] = make(bytes + 4 + k % n_key * 4, k / n_key * 37 % 1001);
	memcpy(want, in, n_rec * sizeof(*in));
	qsort(want, n_rec, sizeof(*want), by_all);
	sorted(n_rec, bytes[0] & 1 ? 1 << 24 : VS_SORTER_LEAST, piece);
	memcpy(got, in, n_rec * sizeof(*in));
	vs_record_sort(got, n_rec);
	settle(got, n_rec);
	FUZZ_HOLDS(equal(got, want, n_rec), "vs_record_sort of %zu", n_rec);
	return 0;
}

void
fuzz_seeds(void (*take)(const void *bytes, size_t n))
{
	uint8_t x[4 + 4 * 64];

	for (uint8_t seed = 0; seed < 4; seed++) {
		for (size_t k = 0; k < sizeof(x); k++)
			x[k] = (uint8_t)((k * 167 + seed * 91) ^ k >> 3);
		x[1] = (uint8_t)(seed * 40);
		take(x, sizeof(x));
	}
}
