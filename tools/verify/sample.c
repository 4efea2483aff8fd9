/* SPDX-License-Identifier: BSD-3-Clause */
/* Sample of records, and of pairs or triples. */
#include <stdlib.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/base/rising.h"
#include "libcore/base/rng.h"
#include "tools/verify/sample.h"

#define LEAST_SAMPLE (1u << 20) /* bytes that are always used */

/* n_way distinct numbers below n_vec >= n_way, ascending, into of->i and on. */
static void
draw_any(struct vs_rng *rng, int n_way, uint64_t n_vec, struct vs_record *of)
{
	uint64_t v[3] = { 0 }, n = (uint64_t)n_way;

	for (uint64_t k = 0; k < n; k++) {
		uint64_t x = vs_rng_below(rng, n_vec - k), at = k;

		/* the x-th of those not drawn yet */
		for (uint64_t y = 0; y < k; y++)
			x += x >= v[y];
		for (; at && v[at - 1] > x; at--)
			v[at] = v[at - 1];
		v[at] = x;
	}
	*of = vs_record_pair(v[0], v[1]);
	if (n == 3)
		of->k = v[2];
}

/*
 * A vector of the first set, and one of the second; pairs of two vectors in
 * both sets are twice as likely. False: the first is the only vector in the
 * second set.
 */
static bool
draw_between(struct vs_rng *rng, const struct vs_wanted *s,
	struct vs_record *of)
{
	uint64_t n_other = s->of.n_both + s->of.n_second, a, b;
	bool both;

	a = vs_rng_below(rng, s->of.n_first + s->of.n_both);
	both = a >= s->of.n_first;
	if (n_other == both)
		return false;
	b = s->of.n_first + vs_rng_below(rng, n_other - both);
	b += both && b >= a;
	*of = vs_record_pair((uint64_t)s->row[a], (uint64_t)s->row[b]);
	return true;
}

/* The same with any third vector. */
static bool
draw_triple(struct vs_rng *rng, const struct vs_wanted *s, uint64_t n_vec,
	struct vs_record *of)
{
	uint64_t v;

	if (!draw_between(rng, s, of))
		return false;
	/* numbered among the vectors without the two */
	v = vs_rng_below(rng, n_vec - 2);
	v += v >= of->i;
	v += v >= of->j;
	of->k = (uint32_t)vs_max_size(v, of->j);
	if (v < of->j) {
		of->j = (uint32_t)vs_max_size(v, of->i);
		of->i = (uint32_t)vs_min_size(v, of->i);
	}
	return true;
}

static int
compare_drawn(const void *a, const void *b)
{
	const struct vs_record *p = &((const struct vs_sample_drawn *)a)->of;
	const struct vs_record *q = &((const struct vs_sample_drawn *)b)->of;

	return vs_record_compare(p, q);
}

int
vs_sample_draw(struct vs_sample *s, const struct vs_judge *g,
	struct vs_result *const *r, size_t n_result)
{
	const uint64_t each =
		sizeof(*s->pick) + sizeof(*s->picked) + sizeof(*s->drawn);
	uint64_t n = s->n, n_records = 0;
	struct vs_rng rng;
	size_t kept = 0;
	int code;

	for (size_t f = 0; f < n_result; f++)
		n_records += r[f]->n_records;
	if (n * each > LEAST_SAMPLE && n > s->memory / 4 / each)
		return vs_fail(VS_EUSAGE,
			"--sample %llu: takes %lluM: give --memory %lluM, or a "
			"smaller sample",
			(unsigned long long)n,
			(unsigned long long)(n * each >> 20),
			(unsigned long long)(n * each >> 18) + 1);
	vs_rng_seed(&rng, s->seed);
	code = vs_mem_new(&s->pick, n, sizeof(*s->pick), "the sample");
	VS_MEM_NEW(&code, s->picked, n, "the sample");
	VS_MEM_NEW(&code, s->drawn, n, "the sample");
	if (code)
		return code;
	for (uint64_t k = 0; k < n && n_records; k++)
		s->pick[s->n_pick++] = vs_rng_below(&rng, n_records);
	qsort(s->pick, s->n_pick, sizeof(*s->pick), vs_rising_u64);
	for (size_t k = 0; k < s->n_pick; k++)
		if (!kept || s->pick[kept - 1] != s->pick[k])
			s->pick[kept++] = s->pick[k];
	s->n_pick = kept;
	/* random tiles rarely hit a shard with few tiles: give up after many
	 * misses */
	for (uint64_t k = 0; k < 1000 * n && s->n_drawn < n &&
		g->n_vec >= (uint64_t)g->run->n_way &&
		(g->claims_all || g->claimed);
		k++) {
		struct vs_sample_drawn *d = &s->drawn[s->n_drawn];

		if (!g->run->wanted.in)
			draw_any(&rng, g->run->n_way, g->n_vec, &d->of);
		else if (!(g->run->n_way == 3
					 ? draw_triple(&rng, &g->run->wanted,
						   g->n_vec, &d->of)
					 : draw_between(&rng, &g->run->wanted,
						   &d->of)))
			continue;
		s->n_drawn += vs_judge_is_claimed(g, &d->of);
	}
	qsort(s->drawn, s->n_drawn, sizeof(*s->drawn), compare_drawn);
	for (kept = 0, n = 0; n < s->n_drawn; n++)
		if (!kept || compare_drawn(&s->drawn[kept - 1], &s->drawn[n]))
			s->drawn[kept++] = s->drawn[n];
	s->n_drawn = kept;
	return 0;
}

int
vs_sample_catch(struct vs_sample *s, const struct vs_judge *g,
	const struct vs_record *rec, uint64_t at)
{
	struct vs_sample_drawn key = { .of = *rec }, *d;
	int most = g->run->n_way == 3 ? 8 : 4, k;

	if (s->n_picked < s->n_pick && s->pick[s->n_picked] == at)
		s->picked[s->n_picked++] = *rec;
	key.of.cell = VS_NO_CELL;
	d = bsearch(&key, s->drawn, s->n_drawn, sizeof(key), compare_drawn);
	if (!d)
		return 0;
	if (d->n_listed == most)
		return vs_fail(VS_ENO,
			"%s: vectors %llu %llu are listed more often than "
			"there are cells",
			s->name, (unsigned long long)rec->i,
			(unsigned long long)rec->j);
	for (k = d->n_listed++; k && d->listed[k - 1].cell > rec->cell; k--)
		d->listed[k] = d->listed[k - 1];
	d->listed[k] = *rec;
	return 0;
}

/* The records selected, followed by the pairs or triples drawn. */
static int
judge_item(const struct vs_sample *s, const struct vs_judge *g, size_t item)
{
	const struct vs_sample_drawn *d;
	char text[VS_JUDGE_TEXT];
	bool good;

	if (item < s->n_picked) {
		good = vs_judge_record(g, &s->picked[item], text);
	} else {
		d = &s->drawn[item - s->n_picked];
		good = vs_judge_cells(g, &d->of, d->listed, (size_t)d->n_listed,
			text);
	}
	return good ? 0 : vs_fail(VS_ENO, "%s: %s", s->name, text);
}

static bool
want_item(const struct vs_sample *s, struct vs_judge *g, size_t item)
{
	const struct vs_record *of = item < s->n_picked
		? &s->picked[item]
		: &s->drawn[item - s->n_picked].of;

	return vs_unpacked_want(&g->vectors, of->i) &&
		vs_unpacked_want(&g->vectors, of->j) &&
		(of->k == VS_NO_VEC || vs_unpacked_want(&g->vectors, of->k));
}

int
vs_sample_judge(const struct vs_sample *s, struct vs_judge *g)
{
	size_t n = s->n_picked + s->n_drawn, end;
	int code = 0;

	for (size_t k = 0; k < n && !code;) {
		vs_unpacked_keep(&g->vectors, 0);
		for (end = k; end < n && want_item(s, g, end);)
			end++;
		code = vs_unpacked_load(&g->vectors);
		for (; k < end && !code; k++)
			code = judge_item(s, g, k);
	}
	return code;
}

void
vs_sample_free(struct vs_sample *s)
{
	free(s->drawn);
	free(s->picked);
	free(s->pick);
}
