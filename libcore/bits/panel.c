/* SPDX-License-Identifier: BSD-3-Clause */
/* Panel: counts, sorting and planes of a block of vectors. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/base/rising.h"
#include "libcore/bits/panel.h"

/* Convert planes of the file's encoding into h and p. */
static void
turn_planes(struct vs_panel *p, size_t v)
{
	uint64_t *p0 = vs_vec_plane(&p->vec, v, 0);
	uint64_t *p1 = vs_vec_plane(&p->vec, v, 1);
	size_t n_field = p->vec.n_field, used = (n_field + 63) / 64;

#pragma omp simd
	for (size_t w = 0; w < used; w++) {
		uint64_t h = ~(p0[w] ^ p1[w]);

		p1[w] = p0[w];
		p0[w] = h;
	}
	/* bits past the last field are 0 */
	if (n_field % 64)
		p0[used - 1] &= (1ull << n_field % 64) - 1;
}

size_t
vs_panel_begin(struct vs_panel *p, uint64_t lo, size_t n)
{
	size_t at = p->n_vec;

	assert(n <= p->vec.n_vec - at);
	if (!at)
		p->first = lo;
	p->n_vec += n;
	return at;
}

static void
note(struct vs_panel *p, size_t v, uint64_t number, const int64_t count[4])
{
	p->sum[v] = (int32_t)(count[1] + 2 * count[2]);
	p->present[v] = (int32_t)((int64_t)p->vec.n_field - count[3]);
	p->two[v] = (int32_t)count[2];
	p->behind[v] = p->above[v] = 0;
	p->row[v] = (uint32_t)(number - p->first);
}

void
vs_panel_take(struct vs_panel *p, size_t v, uint64_t number)
{
	int64_t count[4];

	vs_vec_count(&p->vec, v, count);
	note(p, v, number, count);
	p->dead[v] = 0;
	turn_planes(p, v);
}

void
vs_panel_leave(struct vs_panel *p, size_t v, uint64_t number,
	const int64_t count[4])
{
	note(p, v, number, count);
	p->dead[v] = 1;
}

int
vs_panel_complete(const struct vs_panel *p, size_t lo, size_t hi)
{
	while (lo < hi && p->present[lo] == (int32_t)p->vec.n_field)
		lo++;
	return lo == hi;
}

/* ---- prefix counts ---- */

/* Vectors per work item: excluded ones, which cost nothing, are adjacent. */
#define CHUNK 256

struct vs_panel
vs_panel_first(const struct vs_panel *p, int k)
{
	struct vs_panel first = *p;

	first.vec.n_field = vs_first_fields(p->vec.n_field, k);
	first.vec.n_word = first.vec.n_field / 64;
	first.sum = p->first_of[k].sum;
	first.present = p->first_of[k].present;
	first.two = p->first_of[k].two;
	first.above = p->first_of[k].above;
	return first;
}

static void
count_first(struct vs_panel *p, size_t v)
{
	int64_t all[4] = { 0 }, some[4];
	size_t lo = 0;

	for (int k = 0; k < VS_FIRSTS; k++) {
		size_t hi = p->dead[v] ? 0 : vs_first_fields(p->vec.n_field, k);
		struct vs_vec part = p->vec;

		part.word += lo / 64;
		part.n_field = hi - lo;
		part.n_word = part.n_field / 64;
		/* short prefixes share words, which are counted twice */
		if (lo < hi)
			vs_vec_count(&part, v, some);
		for (int g = 0; g < 4 && lo < hi; g++)
			all[g] += some[g];
		/*
		 * in the panel's encoding the values that vs_vec_count() counts
		 * as 0 to 3 mean 1, missing, 2, 0
		 */
		p->first_of[k].sum[v] = (int32_t)(all[0] + 2 * all[2]);
		p->first_of[k].present[v] = (int32_t)(hi - (size_t)all[1]);
		p->first_of[k].two[v] = (int32_t)all[2];
		p->first_of[k].above[v] = 0;
		lo = hi;
	}
}

void
vs_panel_count_first(struct vs_panel *p, int label, int n_thread)
{
	if (p->vec.n_field < VS_FIRSTS_LEAST)
		return;
#pragma omp parallel num_threads(n_thread)
	{
#pragma omp for schedule(dynamic, CHUNK)
		for (size_t v = 0; v < p->n_vec; v++)
			count_first(p, v);
#pragma omp for schedule(dynamic, CHUNK)
		for (size_t v = 0; v < p->n_vec; v++)
			if (p->behind[v])
				vs_panel_above_first(p, v, label);
	}
}

/* ---- order ---- */

/* Counting-sort keys of a class: minor allele frequency 0 to 0.5. */
#define BUCKETS VS_PANEL_STEPS
#define EIGHTH (BUCKETS / 4)
#define DEAD ((size_t)VS_PANEL_KEYS)
#define SLICE 512 /* most bytes of a vector moved at a time */

/* Sort key of a numeric vector. */
struct place {
	double total; /* infinite for excluded vectors */
	uint32_t at;
};

static int
by_total(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->total != y->total ? x->total < y->total ? -1 : 1
				    : (x->at > y->at) - (x->at < y->at);
}

/*
 * Permutation in cycles: each place is filled from another until the cycle
 * closes.
 */
struct moves {
	size_t lo, n;
	uint32_t *from;  /* place lo + k receives vector lo + from[k] */
	uint32_t *start; /* one place of each cycle longer than one */
	size_t n_start;
};

static size_t
key_of(int32_t s, int32_t c, int class)
{
	const int32_t rare = s < 2 * c - s ? s : 2 * c - s;

	/* an integer quotient, the same on every machine */
	return (size_t) class * BUCKETS +
		(c ? (size_t)((double)rare * (BUCKETS - 1) / (double)c) : 0);
}

static size_t
bucket_of(const struct vs_panel *p, size_t v, unsigned order)
{
	size_t key;

	if (p->dead[v])
		return DEAD;
	key = key_of(p->sum[v], p->present[v],
		order & VS_PANEL_BY_MISSING ? vs_panel_missing_class(p, v) : 0);
	return order & VS_PANEL_BY_EIGHTHS ? key - key % BUCKETS % EIGHTH : key;
}

size_t
vs_panel_key(const int64_t count[4], unsigned order)
{
	const int64_t c = count[0] + count[1] + count[2];

	return key_of((int32_t)(count[1] + 2 * count[2]), (int32_t)c,
		order & VS_PANEL_BY_MISSING
			? vs_missing_class((size_t)(c + count[3]),
				  (size_t)count[3])
			: 0);
}

/*
 * Leave excluded vectors in those of the last places that they hold already;
 * the others take the remaining places.
 */
static void
place_excluded(const struct vs_panel *p, size_t n, size_t n_included,
	struct moves *m)
{
	const uint8_t *dead = p->dead + m->lo;
	size_t to = n_included;

	for (size_t k = n_included; k < n; k++)
		if (dead[k])
			m->from[k] = (uint32_t)k;
	for (size_t k = 0; k < n_included; k++) {
		if (!dead[k])
			continue;
		while (dead[to])
			to++;
		m->from[to++] = (uint32_t)k;
	}
}

/* Share of the present fields with two copies of the rarer allele, in 2^-24. */
static uint64_t
twos_of(const struct vs_panel *p, size_t v)
{
	const int64_t s = p->sum[v], c = p->present[v];
	const int64_t two = p->two[v] + (s < 2 * c - s ? 0 : c - s);

	return c ? (uint64_t)(two << 24) / (uint64_t)c : 0;
}

/*
 * Leaders per run, for n vectors: a run must span a small part of the
 * frequencies, yet hold enough vectors with similar shares of homozygotes, too,
 * to fill the columns that are counted together. At a given frequency that
 * share varies by about 1 / sqrt(n_field), so fewer samples need longer runs. A
 * power of two, like the groups of vectors that are bounded together: the bound
 * of a group that spans the end of one run and the start of the next excludes
 * hardly anything.
 */
static size_t
run_of(size_t n, size_t n_field)
{
	const double least =
		VS_PANEL_RUN_BY * sqrt((double)n / sqrt((double)n_field));
	size_t run = VS_PANEL_LEAST_RUN;

	while (run < VS_PANEL_RUN && (double)run < least)
		run *= 2;
	return run;
}

/* Order n leaders `lead`, of one class of missing calls, by twos_of(). */
static void
order_run(const struct vs_panel *p, size_t lo, uint32_t *lead, size_t n)
{
	uint64_t key[VS_PANEL_RUN];

	for (size_t k = 0; k < n; k++)
		key[k] = twos_of(p, lo + lead[k]) << 32 | lead[k];
	qsort(key, n, sizeof(*key), vs_rising_u64);
	for (size_t k = 0; k < n; k++)
		lead[k] = (uint32_t)key[k];
}

/*
 * Order the vectors: leaders by bucket and, if asked, within runs by twos_of();
 * followers right after their leaders, in file order.
 *
 * next     room for a number per vector: first the size of its cluster, then
 *         the next free place after its leader
 * lead     as much room, for the leaders in order
 */
static void
find_order(const struct vs_panel *p, unsigned order, size_t run,
	struct moves *m, uint32_t *next, uint32_t *lead)
{
	const size_t n = m->n;
	size_t at[DEAD + 2] = { 0 }, n_included = 0, place = 0;
	const int32_t *behind = p->behind + m->lo;
	const uint8_t *dead = p->dead + m->lo;

	memset(next, 0, n * sizeof(*next));
	for (size_t k = 0; k < n; k++) {
		next[k - (size_t)behind[k]]++;
		n_included += !dead[k];
		at[bucket_of(p, m->lo + k, order) + 1] += !behind[k];
	}
	for (size_t s = 0; s <= DEAD; s++)
		at[s + 1] += at[s];
	for (size_t k = 0; k < n; k++)
		if (!behind[k])
			lead[at[bucket_of(p, m->lo + k, order)]++] =
				(uint32_t)k;
	/* now at[s] is the end of bucket s */
	for (size_t c = 1, k = 0;
		order & VS_PANEL_BY_TWOS && c <= VS_MISSING_CLASSES; c++)
		for (size_t end = at[c * BUCKETS - 1], x; k < end; k += x) {
			x = vs_min_size(end - k, run);
			order_run(p, m->lo, lead + k, x);
		}
	place_excluded(p, n, n_included, m);
	for (size_t k = 0; k < at[DEAD - 1]; k++) {
		const uint32_t size = next[lead[k]];

		next[lead[k]] = (uint32_t)place;
		place += size;
	}
	for (size_t k = 0; k < n; k++)
		if (!dead[k])
			m->from[next[k - (size_t)behind[k]]++] = (uint32_t)k;
}

/* Recompute behind: followers now come right after their leader. */
static void
count_behind(struct vs_panel *p, size_t lo, size_t hi)
{
	for (size_t v = lo; v < hi; v++)
		if (p->behind[v])
			p->behind[v] = p->behind[v - 1] + 1;
}

static int
order_numbers(const struct vs_panel *p, size_t n, struct moves *m)
{
	struct place *place = NULL;
	int code = vs_mem_room(&place, n, sizeof(*place), "order of vectors");

	if (code)
		return code;
	for (size_t k = 0; k < n; k++)
		place[k] = (struct place){ p->dead[m->lo + k]
				? INFINITY
				: p->total[m->lo + k],
			(uint32_t)k };
	qsort(place, n, sizeof(*place), by_total);
	for (size_t k = 0; k < n; k++)
		m->from[k] = place[k].at;
	free(place);
	return 0;
}

static int
find_cycles(size_t n, struct moves *m)
{
	uint8_t *seen = NULL;
	int code = vs_mem_new(&seen, n, 1, "order of vectors");

	for (uint32_t k = 0; k < n && !code; k++) {
		uint32_t at = k;

		if (seen[k] || m->from[k] == k)
			continue;
		m->start[m->n_start++] = k;
		do {
			seen[at] = 1;
			at = m->from[at];
		} while (at != k);
	}
	free(seen);
	return code;
}

/*
 * Permute items of `size` bytes, at most SLICE, `stride` bytes apart,
 * prefetching the next but one.
 */
static void
move(const struct moves *m, void *base, size_t stride, size_t size)
{
	char *first = (char *)base + m->lo * stride, saved[SLICE];

	for (size_t k = 0; k < m->n_start; k++) {
		size_t start = m->start[k], at = start, next;

		memcpy(saved, first + at * stride, size);
		for (; (next = m->from[at]) != start; at = next) {
			const char *after = first + m->from[next] * stride;

			for (size_t x = 0; x < size; x += 64)
				__builtin_prefetch(after + x);
			memcpy(first + at * stride, first + next * stride,
				size);
		}
		memcpy(first + at * stride, saved, size);
	}
}

/*
 * Arrays of a numeric or genotype panel that are permuted, with element sizes.
 * returns  their number
 */
#define MOVED 7
struct array {
	void *base;
	size_t size;
};

static size_t
arrays_of(const struct vs_panel *p, struct array a[MOVED])
{
	size_t n = 0;

	if (p->total) {
		a[n++] = (struct array){ p->total, sizeof(*p->total) };
	} else {
		a[n++] = (struct array){ p->present, sizeof(*p->present) };
		a[n++] = (struct array){ p->two, sizeof(*p->two) };
		a[n++] = (struct array){ p->behind, sizeof(*p->behind) };
		a[n++] = (struct array){ p->above, sizeof(*p->above) };
	}
	a[n++] = (struct array){ p->sum, sizeof(*p->sum) };
	a[n++] = (struct array){ p->row, sizeof(*p->row) };
	a[n++] = (struct array){ p->dead, sizeof(*p->dead) };
	return n;
}

/*
 * Permute the planes, in slices distributed evenly over all threads, and the
 * arrays, each on the next free thread.
 */
static void
move_all(struct vs_panel *p, const struct moves *m, int n_thread)
{
	size_t stride = p->total ? p->number.stride
				 : 2 * p->vec.n_word * sizeof(uint64_t);
	size_t n = (stride + SLICE - 1) / SLICE, slice, n_array;
	struct array array[MOVED];

	n = (n + (size_t)n_thread - 1) / (size_t)n_thread * (size_t)n_thread;
	slice = ((stride + n - 1) / n + 63) / 64 * 64;
	n_array = arrays_of(p, array);
#pragma omp parallel for num_threads(n_thread) schedule(dynamic)
	for (size_t k = 0; k < n + n_array; k++) {
		size_t at = k * slice;

		if (k >= n)
			move(m, array[k - n].base, array[k - n].size,
				array[k - n].size);
		else if (at < stride)
			move(m, (char *)p->vec.word + at, stride,
				stride - at < slice ? stride - at : slice);
	}
}

int
vs_panel_sort(struct vs_panel *p, size_t lo, size_t hi, unsigned order,
	size_t all, int n_thread)
{
	struct moves m = { .lo = lo, .n = hi - lo };
	uint32_t *lead = NULL;
	size_t n = hi - lo;
	int code = vs_mem_new(&m.from, n, sizeof(*m.from), "order of vectors");

	VS_MEM_NEW(&code, m.start, n, "order of vectors");
	if (!p->total)
		VS_MEM_ROOM(&code, lead, n, "order of vectors");
	if (code)
		goto out;
	/* the cycles are not known until the order is */
	if (p->total)
		code = order_numbers(p, n, &m);
	else
		find_order(p, order, run_of(all, p->vec.n_field), &m, m.start,
			lead);
	if (!code)
		code = find_cycles(n, &m);
	if (code || !m.n_start)
		goto out;
	move_all(p, &m, n_thread);
	if (!p->total)
		count_behind(p, lo, hi);
out:
	free(lead);
	free(m.from);
	free(m.start);
	return code;
}
