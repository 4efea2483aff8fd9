/* SPDX-License-Identifier: BSD-3-Clause */
/* Regression on the genotypes of a record, their products and covariates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/sample_table.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/metric/elementary.h"
#include "tools/shared/tool.h"
#include "tools/shared/vector_names.h"
#include "tools/view/refit.h"

/* Put known values about their mean, and at most 1 from it, so that their unit
 * and origin cost no digits. returns  this unit; 0: all are equal */
static double
standardize(double *x, size_t n)
{
	double sum = 0, known = 0, least = INFINITY, most = -INFINITY, unit;

	for (size_t q = 0; q < n; q++) {
		if (!isfinite(x[q]))
			continue;
		known++;
		sum += x[q];
		least = fmin(least, x[q]);
		most = fmax(most, x[q]);
	}
	sum /= known;
	unit = most > least ? fmax(most - sum, sum - least) : 0;
	for (size_t q = 0; q < n; q++)
		x[q] = !isfinite(x[q]) ? NAN
			: unit > 0     ? (x[q] - sum) / unit
				       : 0;
	return unit;
}

static int
find_y(struct vs_refit *r)
{
	const struct vs_contingency *t = r->tables;
	int code = vs_mem_room(&r->y, t->n_field, sizeof(*r->y), "traits");

	for (uint64_t q = 0; q < t->n_field && !code; q++)
		r->y[q] = t->metric               ? t->cases.value[q]
			: t->cases.status[q] <= 1 ? t->cases.status[q]
						  : NAN;
	r->unit = 1;
	if (!code && t->metric)
		r->unit = standardize(r->y, t->n_field);
	return code;
}

/* True if a covariate of the sample is unknown. */
static bool
lacks(const struct vs_refit *r, size_t q)
{
	for (size_t c = 0; c < r->covariates.phenotype_name.n; c++)
		if (isnan(r->covariates.phenotype[c][q]))
			return true;
	return false;
}

/* Standardize the covariates and say which samples they leave out; refuse to
 * leave out all. */
static int
take(const struct vs_refit *r, const char *path, const char *vectors,
	const struct vs_sample_table_said *said)
{
	const struct vs_samples *s = &r->covariates;
	size_t n = 0, len;

	for (size_t q = 0; q < s->n; q++)
		n += lacks(r, q);
	if (n == s->n)
		return vs_fail(VS_EINPUT,
			"%s: no sample has all of its covariates; --covar-name "
			"selects some",
			path);
	if (!said->named)
		vs_tool_warn("%s: without a header of FID IID or IID, its "
			     "columns are FID, IID, COV1, COV2 and so on",
			path);
	for (size_t c = 0; c < s->phenotype_name.n; c++) {
		const char *name =
			vs_text_pool_get(&s->phenotype_name, c, &len);

		if (!(standardize(s->phenotype[c], s->n) > 0))
			vs_tool_warn("%s: covariate %.*s has the same value "
				     "everywhere and no effect",
				path, (int)len, name);
	}
	if (n)
		vs_tool_warn("%s: %zu of %zu samples lack a covariate, and "
			     "effects leave them out; %zu have no line",
			path, n, s->n, s->n - said->n_found);
	if (said->n_unknown)
		vs_tool_warn("%s: %zu of its samples are not in %s", path,
			said->n_unknown, vectors);
	return 0;
}

int
vs_refit_open(struct vs_refit *r, const struct vs_contingency *tables,
	struct vs_result *result, const char *vectors, const char *path,
	const char *names)
{
	struct vs_sample_table_said said;
	struct vs_packed *f = NULL;
	int64_t *row = NULL;
	int code;

	r->tables = tables;
	code = find_y(r);
	if (!code)
		code = vs_vector_names_open(&f, &result->run,
			vs_h5_reader_path(result->file), vectors,
			": effects are of its genotypes");
	/* otherwise alleles are those of the vectors */
	if (!code && tables->place)
		code = vs_packed_source(f, &row, &r->allele1);
	if (!code && path)
		code = vs_packed_samples(f, &r->covariates);
	if (!code && path)
		code = vs_sample_table_covar(&r->covariates, path, names,
			&said);
	if (!code && path)
		code = take(r, path, vs_packed_path(f), &said);
	free(row);
	vs_packed_close(f);
	return code;
}

void
vs_refit_close(struct vs_refit *r)
{
	free(r->y);
	free(r->allele1);
	vs_sites_samples_free(&r->covariates);
}

/* Columns of the samples that count, in order; g: genotypes of the vectors */
static void
fill(const struct vs_refit *r, const uint8_t *g, int n_way, size_t n, double *x,
	double *y)
{
	const size_t all = r->tables->n_field;
	const size_t n_covariate = r->covariates.phenotype_name.n;
	size_t at = 0;

	for (size_t q = 0; q < all; q++) {
		const double a = g[q], b = g[all + q];
		const double c = n_way == 3 ? g[2 * all + q] : 0;
		const double of[] = { a, b, n_way == 3 ? c : a * b, a * b,
			a * c, b * c, a * b * c };
		double *to = x + at;

		if (g[q] == 255)
			continue;
		y[at++] = r->y[q];
		*to = 1;
		for (size_t k = 0; k < n_covariate; k++)
			*(to += n) = r->covariates.phenotype[k][q];
		for (int k = 0; k < (n_way == 3 ? 7 : 3); k++)
			*(to += n) = of[k];
	}
}

/* Genotypes of the vectors; the first is 255 for a sample that does not count.
 * returns  how many do */
static size_t
count(const struct vs_refit *r, const uint64_t *v, int n_way, uint8_t *g)
{
	const size_t all = r->tables->n_field;
	size_t n = 0;

	for (int k = 0; k < n_way; k++)
		vs_contingency_genotypes(r->tables, v[k], g + (size_t)k * all);
	for (size_t q = 0; q < all; q++) {
		for (int k = 1; k < n_way; k++)
			if (g[(size_t)k * all + q] == 255)
				g[q] = 255;
		if (isnan(r->y[q]) || lacks(r, q))
			g[q] = 255;
		n += g[q] != 255;
	}
	return n;
}

int
vs_refit_score(const struct vs_refit *r, const uint64_t *v, int n_way,
	struct vs_scores *out)
{
	const uint64_t *place = r->tables->place;
	const int n_free = 1 + (int)r->covariates.phenotype_name.n;
	struct vs_regression_model m = { .n_free = n_free,
		.n_column = n_free + (n_way == 3 ? 7 : 3) };
	double *room = NULL, *x, *y;
	uint8_t *g = NULL;
	int code = 0;

	VS_MEM_ROOM(&code, g, r->tables->n_field * (size_t)n_way,
		"genotypes of a record");
	if (code)
		return code;
	m.n = count(r, v, n_way, g);
	VS_MEM_ROOM(&code, room,
		m.n * (size_t)(m.n_column + 1) + vs_regression_room(&m),
		"columns of a regression");
	if (!code) {
		x = room;
		y = x + m.n * (size_t)m.n_column;
		m.x = x;
		fill(r, g, n_way, m.n, x, y);
		out->n_refit = (int)m.n;
		out->refit = (r->tables->metric
				? vs_regression_linear
				: vs_regression_logistic)(&m, y, y + m.n);
		out->refit.effect *= r->unit;
		out->refit.se *= r->unit;
		/* to count the other allele turns the sign alone */
		for (int k = 0; k < n_way && r->allele1; k++)
			if (r->allele1[place[v[k]]] == VS_ALLELE_FIRST)
				out->refit.effect *= -1;
		out->odds_ratio =
			r->tables->metric || !(out->refit.effect < 700)
			? NAN
			: vs_elementary_exp(out->refit.effect);
	}
	free(room);
	free(g);
	return code;
}
