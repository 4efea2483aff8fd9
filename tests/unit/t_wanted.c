/* SPDX-License-Identifier: BSD-3-Clause */
/* Wanted pairs and triples against the plain reading of each condition, for
 * every combination of rules by place and sets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/plan/wanted.h"
#include "tests/unit/test.h"

#define MOST 60

struct data {
	int32_t contig[MOST];
	int64_t pos[MOST], source[MOST];
	double cm[MOST]; /* see genetic() */
	uint64_t n;
};

/* Genetic positions in steps, in 10^-9 cM; -1: unknown. */
static int64_t
genetic(int64_t pos)
{
	return pos % 7 ? pos / 100 * 250000000 : -1;
}

/* Places of some chromosomes, in the order of the input or shuffled, some not
 * known, as of the first `without` vectors; several vectors may have one
 * position. */
static void
make(struct data *d, struct vs_rng *rng, bool sorted, bool gaps,
	uint64_t without)
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
		if (v < without || (gaps && !vs_rng_below(rng, 9)))
			d->contig[v] = -1;
	}
	for (uint64_t v = d->n; v-- > 1 && !sorted;) {
		uint64_t w = vs_rng_below(rng, v + 1);
		struct data t = *d;

		d->contig[v] = t.contig[w], d->contig[w] = t.contig[v];
		d->pos[v] = t.pos[w], d->pos[w] = t.pos[v];
		d->source[v] = t.source[w], d->source[w] = t.source[v];
	}
	for (uint64_t v = 0; v < d->n; v++) {
		const int64_t cm = genetic(d->pos[v]);

		d->cm[v] = cm < 0 ? NAN : (double)cm / 1e9;
	}
}

static bool
placed(const struct data *d, const struct vs_pair_rules *r, uint64_t v)
{
	return d->contig[v] >= 0 &&
		(!vs_pair_rules_need_positions(r) || d->pos[v] > 0) &&
		(!(r->max_cm > 0) || genetic(d->pos[v]) >= 0);
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
	bool by_pos = r->min_kb > 0 || r->max_kb > 0 || r->max_cm > 0;
	int64_t apart = llabs(d->pos[i] - d->pos[j]);

	if (!placed(d, r, i) || !placed(d, r, j))
		return false;
	if (d->contig[i] != d->contig[j])
		return !r->within && !(r->max_kb > 0) && !r->max_sites &&
			!(r->max_cm > 0);
	/* in 10^-6 bases */
	if (r->inter || (r->max_kb > 0 && apart * 1000000 > r->max_kb) ||
		(r->min_kb > 0 && apart * 1000000 < r->min_kb))
		return false;
	if (r->max_cm > 0 &&
		llabs(genetic(d->pos[i]) - genetic(d->pos[j])) > r->max_cm)
		return false;
	return !r->max_sites || sites(d, by_pos, i, j) <= r->max_sites;
}

/* Sets of vectors, 0: none, so that all is wanted by them. */
#define N_SETS 6
static bool
choose_sets(const struct data *d, int sets, struct vs_rng *rng, uint8_t *in)
{
	for (uint64_t v = 0; v < d->n; v++)
		switch (sets) {
		case 1: /* any */
			in[v] = (uint8_t)vs_rng_below(rng, 4);
			break;
		case 2: /* with some */
			in[v] = vs_rng_below(rng, 3) ? 2 : 3;
			break;
		case 3: /* nothing of both */
			in[v] = (uint8_t)vs_rng_below(rng, 3);
			break;
		case 4: /* one vector, and all others */
			in[v] = v ? 1 : 2;
			break;
		case 5: /* all of both */
			in[v] = 3;
			break;
		}
	return sets;
}

static bool
one_each(const uint8_t *in, uint64_t a, uint64_t b)
{
	return (in[a] & 1 && in[b] & 2) || (in[b] & 1 && in[a] & 2);
}

/* Columns from j on that a row is said to want all of are all wanted; how many
 * there are goes to *n_all. */
static bool
wants_all(const struct vs_wanted *w, bool near[][MOST], uint64_t i, uint64_t j,
	uint64_t *n_all)
{
	for (uint64_t end = j + 1; end <= w->n_vec && end < j + 6; end++) {
		if (!vs_wanted_all(w, i, j, end))
			continue;
		*n_all += end - j;
		for (uint64_t x = j; x < end; x++)
			if (!near[i][x])
				return false;
	}
	return true;
}

/* One combination: each pair or triple, their number, and the order. */
static void
check(const struct data *d, const struct vs_pair_rules *r, int sets, int n_way,
	struct vs_rng *rng, uint64_t *n_bad, uint64_t *n_wanted,
	uint64_t *n_all)
{
	const bool by_place = vs_pair_rules_any(r),
		   by_pos = vs_pair_rules_need_positions(r);
	struct vs_wanted w = { .n_vec = d->n, .n_way = n_way };
	bool(*near)[MOST] = calloc(MOST, sizeof(*near)), some = !by_place;
	uint64_t n = 0, got = 0, lo, hi;
	int64_t *place = NULL;
	uint8_t in[MOST];
	int code = by_place
		? vs_wanted_by_place(&w, r, d->contig, by_pos ? d->pos : NULL,
			  r->max_cm > 0 ? d->cm : NULL, d->source)
		: 0;

	for (uint64_t v = 0; v < d->n; v++)
		some |= placed(d, r, v);
	*n_bad += (code == 0) != some;
	if (choose_sets(d, sets, rng, in) && !code)
		code = vs_wanted_by_sets(&w, in);
	for (uint64_t j = 0; j < d->n && !code; j++)
		for (uint64_t i = 0; i < j; i++) {
			size_t from = i, upto = i + 1;

			near[i][j] = !by_place || plain(d, r, i, j);
			*n_bad += vs_wanted_near(&w, i, j) != near[i][j] ||
				vs_wanted_near(&w, j, i) != near[i][j];
			if (!by_place || !near[i][j])
				continue;
			/* in any columns around j */
			vs_wanted_reduce(&w, j > 2 ? j - 2 : j, j + 1, &from,
				&upto);
			*n_bad += from == upto;
			from = j;
			upto = j + 1;
			vs_wanted_reduce(&w, i, i + 1, &from, &upto);
			*n_bad += from == upto;
			if (w.others)
				continue;
			vs_wanted_band(&w, j > 3 ? j - 3 : j,
				j + 2 < d->n ? j + 2 : j + 1, &lo, &hi);
			*n_bad += i < lo || i >= hi;
		}
	for (uint64_t j = 0; j < d->n && !code; j++)
		for (uint64_t i = 0; i < j; i++)
			for (uint64_t k = n_way == 3 ? j + 1 : d->n;
				k < d->n + (n_way == 2); k++) {
				const bool three = n_way == 3;
				struct vs_record rec = vs_record_pair(i, j);
				bool want = near[i][j] &&
					(!three || (near[i][k] && near[j][k]));

				if (sets)
					want &= one_each(in, i, j) ||
						(three &&
							(one_each(in, i, k) ||
								one_each(in, j,
									k)));
				if (three)
					rec.k = (uint32_t)k;
				n += want;
				*n_bad += vs_wanted_has(&w, &rec) != want;
			}
	for (uint64_t j = 0; j < d->n && !code && n_way == 2; j++)
		for (uint64_t i = 0; i < j; i++)
			*n_bad += !wants_all(&w, near, i, j,
				&n_all[w.n_unplaced > 0]);
	*n_bad += !code && (vs_wanted_count(&w, &got) || got != n);
	/* places are rows, part after part, and rise in each */
	*n_bad += !code && vs_wanted_places(&w, &place);
	for (uint64_t v = 0; v < d->n && place; v++) {
		const bool out = !in[v] && n_way == 2;

		*n_bad += (place[v] < 0) != out;
		*n_bad += !out && w.row[place[v]] != (int64_t)v;
	}
	*n_bad += !code && sets && !place;
	*n_wanted += n;
	free(place);
	free(near);
	vs_wanted_free(&w);
}

int
main(void)
{
	static const char *const rules[] = { "", "max_kb 1", "min_kb 1.5",
		"max_sites 4", "within_chromosome", "inter_chromosome",
		"min_kb 0.5 max_kb 2.25", "max_kb 3 max_sites 5",
		"min_kb 0.2 within_chromosome", "min_kb 1 max_sites 7",
		"max_sites 2 within_chromosome", "max_cm 2.5",
		"min_kb 0.1 max_kb 9 max_cm 6.25 max_sites 9" };
	static const char *const wrong[] = { "max_kb", "max_kb 0", "kb 3",
		"max_kb 1 min_kb 1", "max_kb 01", " max_kb 1", "max_sites -1",
		"within_chromosome 3", "max_kb 1 max_kb 1", "max_cm 0",
		"max_cm 1 max_kb 1" };
	struct vs_pair_rules r;
	struct vs_rng rng;
	uint64_t n_all[2] = { 0 };

	vs_rng_seed(&rng, 5);
	for (size_t k = 0; k < sizeof(rules) / sizeof(*rules); k++) {
		uint64_t n_bad = 0, n_wanted[N_SETS][2] = { { 0 } };
		bool read = vs_pair_rules_read(rules[k], &r), each = true;

		for (int x = 0; x < 40 * N_SETS && read; x++) {
			const int sets = x % N_SETS, at = x / N_SETS;
			struct data d;

			make(&d, &rng, at % 2, at % 4 > 1, at % 3);
			for (int way = 2; way < 4; way++)
				check(&d, &r, sets, way, &rng, &n_bad,
					&n_wanted[sets][way - 2], n_all);
		}
		for (int x = 0; x < 2 * N_SETS; x++)
			each &= n_wanted[x / 2][x % 2] > 10;
		T_OK(read && !n_bad && each, "'%s', with any sets", rules[k]);
	}
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		T_OK(!vs_pair_rules_read(wrong[k], &r), "refused: '%s'",
			wrong[k]);
	for (int k = 0; k < 2; k++)
		T_OK(n_all[k] > 300, "%llu columns that a row wants all of%s",
			(unsigned long long)n_all[k],
			k ? ", and vectors without a place" : "");
	T_OK(vs_pair_rules_read("", &r) && !vs_pair_rules_any(&r), "no rule");
	return T_DONE();
}
