/* SPDX-License-Identifier: BSD-3-Clause */
/* Pair filter against the plain reading of its rules, pair by pair. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/plan/pair_filter.h"
#include "tests/unit/test.h"

#define MOST 60

struct data {
	int32_t contig[MOST];
	int64_t pos[MOST], source[MOST];
	uint64_t n;
};

/* Places of some chromosomes, in the order of the input or shuffled, some not
 * known; several vectors may have one position. */
static void
make(struct data *d, struct vs_rng *rng, bool sorted, bool gaps)
{
	int32_t contig = 0;
	int64_t pos = 1;

	d->n = 1 + vs_rng_below(rng, MOST);
	for (uint64_t v = 0; v < d->n; v++) {
		if (!vs_rng_below(rng, 12)) {
			contig++;
			pos = 1;
		}
		pos += (int64_t)vs_rng_below(rng, 900);
		d->contig[v] = contig;
		d->pos[v] = pos;
		d->source[v] = 3 * (int64_t)v;
		if (gaps && !vs_rng_below(rng, 5))
			d->pos[v] = 0;
		if (gaps && !vs_rng_below(rng, 9))
			d->contig[v] = -1;
	}
	for (uint64_t v = d->n; v-- > 1 && !sorted;) {
		uint64_t w = vs_rng_below(rng, v + 1);
		struct data t = *d;

		d->contig[v] = t.contig[w], d->contig[w] = t.contig[v];
		d->pos[v] = t.pos[w], d->pos[w] = t.pos[v];
		d->source[v] = t.source[w], d->source[w] = t.source[v];
	}
}

static bool
placed(const struct data *d, bool by_pos, uint64_t v)
{
	return d->contig[v] >= 0 && (!by_pos || d->pos[v] > 0);
}

/* The position, or that of the last one of the chromosome before it that has
 * one, 0 where there is none. */
static int64_t
position(const struct data *d, uint64_t v)
{
	int64_t last = 0, from = -1;

	for (uint64_t w = 0; w < d->n; w++)
		if (d->contig[w] == d->contig[v] && d->pos[w] > 0 &&
			d->source[w] <= d->source[v] && d->source[w] > from) {
			from = d->source[w];
			last = d->pos[w];
		}
	return last;
}

/* True if x comes before y on their chromosome. */
static bool
before(const struct data *d, bool by_pos, uint64_t x, uint64_t y)
{
	int64_t px = position(d, x), py = position(d, y);

	if (by_pos && px != py)
		return px < py;
	return d->source[x] < d->source[y];
}

/* Vectors of the chromosome from i on to before j, whichever is first. */
static int64_t
sites(const struct data *d, bool by_pos, uint64_t i, uint64_t j)
{
	uint64_t a = before(d, by_pos, i, j) ? i : j, b = a == i ? j : i;
	int64_t n = 0;

	for (uint64_t v = 0; v < d->n; v++)
		n += d->contig[v] == d->contig[a] && !before(d, by_pos, v, a) &&
			before(d, by_pos, v, b);
	return n;
}

static bool
plain(const struct data *d, const struct vs_pair_rules *r, uint64_t i,
	uint64_t j)
{
	bool by_pos = r->min_kb > 0 || r->max_kb > 0;
	int64_t apart = llabs(d->pos[i] - d->pos[j]);

	if (!placed(d, by_pos, i) || !placed(d, by_pos, j))
		return false;
	if (d->contig[i] != d->contig[j])
		return !r->within && !(r->max_kb > 0) && !r->max_sites;
	if (r->inter || (r->max_kb > 0 && (double)apart > r->max_kb * 1000) ||
		(r->min_kb > 0 && (double)apart < r->min_kb * 1000))
		return false;
	return !r->max_sites || sites(d, by_pos, i, j) <= r->max_sites;
}

/* Numbers of triples and of pairs between sets, and what is near. */
static uint64_t
more(const struct vs_pair_filter *f, uint64_t n)
{
	uint8_t in[MOST];
	uint64_t triples = 0, between = 0, bad = 0, got;

	for (uint64_t i = 0; i < n; i++)
		in[i] = (uint8_t)(i * 7 % 13 % 4);
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t j = 0; j < i; j++) {
			size_t lo = j, hi = j + 1;

			if (!vs_pair_filter_wants(f, i, j))
				continue;
			between += (in[i] & 1 && in[j] & 2) ||
				(in[i] & 2 && in[j] & 1);
			for (uint64_t k = 0; k < j; k++)
				triples += vs_pair_filter_wants(f, i, k) &&
					vs_pair_filter_wants(f, j, k);
			vs_pair_filter_near(f, i > 2 ? i - 2 : i, i + 1, &lo,
				&hi);
			bad += lo == hi;
			lo = i;
			hi = i + 1;
			vs_pair_filter_near(f, j, j + 1, &lo, &hi);
			bad += lo == hi;
		}
	bad += vs_pair_filter_triples(f, &got) || got != triples;
	bad += vs_pair_filter_between(f, in, &got) || got != between;
	return bad;
}

static void
check(const struct data *d, const struct vs_pair_rules *r, uint64_t *n_bad,
	uint64_t *n_wanted)
{
	struct vs_pair_filter f;
	uint64_t n = 0, lo, hi;
	int code = vs_pair_filter_make(&f, r, d->n, d->contig,
		vs_pair_rules_need_positions(r) ? d->pos : NULL, d->source);
	bool some = false;

	for (uint64_t v = 0; v < d->n; v++)
		some |= placed(d, vs_pair_rules_need_positions(r), v);
	*n_bad += (code == 0) != some;
	for (uint64_t j = 0; j < d->n && !code; j++)
		for (uint64_t i = 0; i < j; i++) {
			bool want = plain(d, r, i, j);

			n += want;
			*n_bad += vs_pair_filter_wants(&f, i, j) != want ||
				vs_pair_filter_wants(&f, j, i) != want;
			if (f.others || !want)
				continue;
			/* in any columns around j */
			vs_pair_filter_rows(&f, j > 3 ? j - 3 : j,
				j + 2 < d->n ? j + 2 : j + 1, &lo, &hi);
			*n_bad += i < lo || i >= hi;
		}
	*n_bad += !code && f.n_pair != n;
	if (!code)
		*n_bad += more(&f, d->n);
	*n_wanted += n;
	vs_pair_filter_free(&f);
}

int
main(void)
{
	static const char *const rules[] = { "max_kb 1", "min_kb 1.5",
		"max_sites 4", "within_chromosome", "inter_chromosome",
		"min_kb 0.5 max_kb 2.25", "max_kb 3 max_sites 5",
		"min_kb 0.2 within_chromosome", "min_kb 1 max_sites 7",
		"max_sites 1 within_chromosome" };
	static const char *const wrong[] = { "max_kb", "max_kb 0", "kb 3",
		"max_kb 1 min_kb 1", "max_kb 01", " max_kb 1", "max_sites -1",
		"within_chromosome 3", "max_kb 1 max_kb 1" };
	struct vs_pair_rules r;
	struct vs_rng rng;

	vs_rng_seed(&rng, 5);
	for (size_t k = 0; k < sizeof(rules) / sizeof(*rules); k++) {
		uint64_t n_bad = 0, n_wanted = 0;
		bool read = vs_pair_rules_read(rules[k], &r);

		for (int x = 0; x < 400 && read; x++) {
			struct data d;
			bool sorted = x % 2;

			make(&d, &rng, sorted, x % 4 > 1);
			check(&d, &r, &n_bad, &n_wanted);
		}
		T_OK(read && !n_bad && n_wanted > 100, "%s", rules[k]);
	}
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		T_OK(!vs_pair_rules_read(wrong[k], &r), "refused: '%s'",
			wrong[k]);
	T_OK(vs_pair_rules_read("", &r) && !vs_pair_rules_any(&r), "no rule");
	return T_DONE();
}
