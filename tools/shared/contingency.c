/* SPDX-License-Identifier: BSD-3-Clause */
/* Contingency tables of records, recounted from the vectors file. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/metric/r.h"
#include "libcore/metric/trait_test.h"
#include "tools/shared/contingency.h"
#include "tools/shared/vector_names.h"

/* The trait, or the status with the logarithms for all metrics of tables. */
static int
read_status(struct vs_contingency *c, struct vs_packed *f, const char *path,
	const struct vs_run *run)
{
	const struct vs_metric *m = vs_metric_find(run->metric);
	int code = vs_case_control_read(&c->cases, f, path,
		m->trait ? m : vs_metric_find("g"), run->case_seed);
	const int64_t *n = c->cases.classes.n;

	c->metric = m->trait ? m : NULL;
	for (int k = 0; k < VS_LOG_KINDS && !code && !c->metric; k++)
		code = vs_log_tables_new(&c->logs[k], (enum vs_log_kind)k,
			n[0] + n[1]);
	return code;
}

/* The single allele of a haploid call counts as two, as in the metrics of
 * tables. */
static void
double_haploid(struct vs_contingency *c, const struct vs_packed *f)
{
	struct vs_vec all = { .word = c->word,
		.n_vec = (size_t)f->n_vec,
		.n_field = (size_t)f->n_field,
		.n_word = c->n_word,
		.stride = c->n_word };

	for (uint64_t v = 0; f->haploid && v < f->n_vec; v++)
		if (f->haploid[v])
			vs_haploid_double(&all, (size_t)v, f->male);
}

int
vs_contingency_of_vectors(struct vs_contingency *c, const struct vs_run *run,
	struct vs_packed *f)
{
	int code;

	if (f->element != VS_BIT2)
		return vs_fail(VS_EINPUT,
			"%s: holds numbers, which have no table of genotypes",
			vs_packed_path(f));
	c->n_word = f->plane_bytes / 8;
	c->n_field = f->n_field;
	code = vs_mem_room(&c->word, (size_t)f->n_vec, (size_t)f->row_bytes,
		"genotypes");
	if (!code)
		code = vs_packed_rows(f, 0, f->n_vec, c->word);
	return code ? code : vs_vector_names_places(run, f, &c->place);
}

static int
read_all(struct vs_contingency *c, const struct vs_run *run,
	struct vs_packed *f)
{
	int code = vs_contingency_of_vectors(c, run, f);

	if (!code)
		code = read_status(c, f, vs_packed_path(f), run);
	if (!code)
		code = vs_packed_read_haploid(f);
	if (!code)
		double_haploid(c, f);
	return code;
}

static int
open_with(struct vs_contingency *c, struct vs_result *result, const char *given,
	int (*read)(struct vs_contingency *c, const struct vs_run *run,
		struct vs_packed *f))
{
	struct vs_packed *f = NULL;
	int code;

	memset(c, 0, sizeof(*c));
	code = vs_vector_names_open(&f, &result->run,
		vs_h5_reader_path(result->file), given,
		": tables are counted from it");
	if (!code)
		code = read(c, &result->run, f);
	if (!code)
		code = vs_h5_reader_unchanged(f->file);
	vs_packed_close(f);
	if (code)
		vs_contingency_close(c);
	return code;
}

int
vs_contingency_open(struct vs_contingency *c, struct vs_result *result,
	const char *given)
{
	return open_with(c, result, given, read_all);
}

int
vs_contingency_open_pairs(struct vs_contingency *c, struct vs_result *result,
	const char *given)
{
	return open_with(c, result, given, vs_contingency_of_vectors);
}

void
vs_contingency_close(struct vs_contingency *c)
{
	free(c->word);
	free(c->place);
	vs_case_control_free(&c->cases);
	for (int k = 0; k < VS_LOG_KINDS; k++)
		vs_log_tables_free(&c->logs[k]);
	memset(c, 0, sizeof(*c));
}

/* Samples with genotype g in a word of the planes: values 0, 2 and 3 of both
 * bits are 0, 1 and 2 copies. */
static uint64_t
with(uint64_t a, uint64_t b, int g)
{
	return g == 0 ? ~a & ~b : g == 1 ? ~a & b : a & b;
}

/* The planes of a vector, named as in the result's records. */
static const uint64_t *
planes_of(const struct vs_contingency *c, uint64_t v)
{
	return c->word + 2 * (c->place ? c->place[v] : v) * c->n_word;
}

void
vs_contingency_genotypes(const struct vs_contingency *c, uint64_t v, uint8_t *g)
{
	const uint64_t *plane = planes_of(c, v);

	for (uint64_t q = 0; q < c->n_field; q++) {
		const uint64_t a = plane[q / 64] >> q % 64 & 1;
		const uint64_t b = plane[c->n_word + q / 64] >> q % 64 & 1;

		g[q] = a > b ? 255 : (uint8_t)(a + b);
	}
}

double
vs_contingency_r(const struct vs_contingency *c, const uint64_t v[2])
{
	const uint64_t *i = planes_of(c, v[0]), *j = planes_of(c, v[1]);
	struct vs_moments m = { .c = (int64_t)c->n_field };

	for (uint64_t w = 0; w < c->n_word; w++) {
		const uint64_t missing =
			(i[w] & ~i[c->n_word + w]) | (j[w] & ~j[c->n_word + w]);

		m.c -= __builtin_popcountll(missing);
		/* bits past the last field are like no copies */
		for (int x = 1; x < 9; x++) {
			const int64_t n = __builtin_popcountll(
				with(i[w], i[c->n_word + w], x / 3) &
				with(j[w], j[c->n_word + w], x % 3));

			m.p += x / 3 * (x % 3) * n;
			m.si += x / 3 * n;
			m.sj += x % 3 * n;
			m.qi += x / 3 * (x / 3) * n;
			m.qj += x % 3 * (x % 3) * n;
		}
	}
	return vs_r_value(&m);
}

/* Samples of a table: the trait and the cell of each. */
struct kept {
	size_t n;
	int64_t *trait;
	uint8_t *cell;
};

/* Add the trait of the samples set in a word, of cell x; keep them too, unless
 * kept is null. */
static void
add_trait(const struct vs_contingency *c, uint64_t w, uint64_t both, int x,
	struct vs_scores *out, struct kept *kept)
{
	const struct vs_compress *of = &c->cases.classes.of[0][w];

	for (both &= of->mask; both; both &= both - 1) {
		const uint64_t before = of->mask & ((both & -both) - 1);
		const size_t at =
			of->before + (size_t)__builtin_popcountll(before);
		const int64_t trait = c->cases.trait.weight[VS_TRAIT_VALUE][at];

		out->cell[x][1] += trait;
		out->squares += c->cases.trait.weight[VS_TRAIT_SQUARE][at];
		if (!kept)
			continue;
		kept->trait[kept->n] = trait;
		kept->cell[kept->n++] = (uint8_t)x;
	}
}

static void
count(const struct vs_contingency *c, const uint64_t *v, int n_way,
	struct vs_scores *out, struct kept *kept)
{
	const uint64_t *plane[3];

	memset(out, 0, sizeof(*out));
	out->n_way = n_way;
	for (int k = 0; k < n_way; k++)
		plane[k] = planes_of(c, v[k]);
	for (uint64_t w = 0; w < c->n_word; w++) {
		uint64_t of[3][3];

		for (int k = 0; k < n_way; k++)
			for (int g = 0; g < 3; g++)
				of[k][g] = with(plane[k][w],
					plane[k][c->n_word + w], g);
		for (int x = 0; x < (n_way == 3 ? 27 : 9); x++) {
			const uint64_t both = n_way == 3
				? of[0][x / 9] & of[1][x / 3 % 3] & of[2][x % 3]
				: of[0][x / 3] & of[1][x % 3];

			for (int k = 0; k < 2; k++)
				out->cell[x][k] += __builtin_popcountll(
					both & c->cases.classes.of[k][w].mask);
			if (c->metric)
				add_trait(c, w, both, x, out, kept);
		}
	}
}

static struct vs_trait_test
test_of(const struct vs_contingency *c, const struct vs_scores *s)
{
	return vs_trait_test((const int64_t(*)[2])s->cell,
		(double)s->squares * c->cases.trait.square, s->n_way,
		c->metric->additive);
}

void
vs_contingency_score(const struct vs_contingency *c, const uint64_t *v,
	int n_way, bool fit, struct vs_scores *out)
{
	struct vs_trait_test test;

	count(c, v, n_way, out, NULL);
	if (!c->metric) {
		vs_scores_set(out, c->logs, fit);
		return;
	}
	test = test_of(c, out);
	out->p = vs_trait_test_p(&test);
	out->df = test.df1;
	out->df2 = (int)test.df2;
}

/* Tables with a permuted trait whose F is at least s's, itself included. */
static int64_t
as_strong(const struct vs_contingency *c, const struct vs_scores *s,
	const struct kept *kept, int64_t n, uint64_t seed)
{
	const double f = test_of(c, s).f;
	struct vs_scores other = *s;
	struct vs_rng rng;
	int64_t count = 1;

	vs_rng_seed(&rng, seed);
	for (; n > 0; n--) {
		for (int x = 0; x < 27; x++)
			other.cell[x][1] = 0;
		for (size_t k = kept->n; k--;) {
			const size_t at = (size_t)vs_rng_below(&rng, k + 1);
			const int64_t trait = kept->trait[at];

			kept->trait[at] = kept->trait[k];
			kept->trait[k] = trait;
			other.cell[kept->cell[k]][1] += trait;
		}
		count += test_of(c, &other).f >= f;
	}
	return count;
}

int
vs_contingency_permute(const struct vs_contingency *c, const uint64_t *v,
	int n_way, int64_t n, uint64_t seed, struct vs_scores *out)
{
	struct kept kept = { 0 };
	struct vs_scores s;
	int code;

	if (!c->metric) {
		out->permuted = vs_scores_permute(out, c->logs, n, seed);
		return 0;
	}
	code = vs_mem_room(&kept.trait, (size_t)c->cases.trait.n,
		sizeof(*kept.trait), "permutations");
	if (!code)
		code = vs_mem_room(&kept.cell, (size_t)c->cases.trait.n, 1,
			"permutations");
	if (!code) {
		count(c, v, n_way, &s, &kept);
		out->permuted = (double)as_strong(c, &s, &kept, n, seed) /
			(double)(n + 1);
	}
	free(kept.trait);
	free(kept.cell);
	return code;
}
