/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain definitions of metrics, to recompute the values of a run. */
#include <math.h>

#include "libcore/metric/trait_test.h"
#include "tools/verify/definition.h"

bool
vs_definition_has(const struct vs_definition *d, int n_way)
{
	switch (d->metric ? d->metric->family : VS_FAMILY_NONE) {
	case VS_FAMILY_ALLELES:
		return d->element == VS_BIT2;
	case VS_FAMILY_MOMENTS:
		return n_way == 2 &&
			(vs_element_is_number(d->element) ? d->metric->numbers
							  : !!d->metric->plain);
	case VS_FAMILY_MINIMA:
		return vs_element_is_number(d->element);
	case VS_FAMILY_TABLES:
		return d->element == VS_BIT2;
	case VS_FAMILY_INNER:
		return n_way == 2 && vs_element_is_number(d->element);
	case VS_FAMILY_NONE:
		break;
	}
	return false;
}

#define CLOSE 1e-9 /* rounding of the definition, of 1 or of the value */

/*
 * Roots of an equation by the definition are rounded differently from those by
 * the recipe: the two must only be close, and the value is the latter to the
 * bit.
 */
static double
phased(const struct vs_metric *m, int ploidy, const int64_t joint[4][4])
{
	struct vs_moments of = { 0 };
	int64_t n[4][4] = { { 0 } };
	double plain, value;

	/* one allele stands for two equal ones */
	for (int x = 0; x < 3; x++)
		for (int y = 0; y < 3; y++)
			n[x == ploidy ? 2 : x][y == ploidy ? 2 : y] +=
				joint[x][y];
	for (int x = 0; x < 3; x++)
		for (int y = 0; y < 3; y++) {
			of.c += n[x][y];
			of.p += x * y * n[x][y];
			of.si += x * n[x][y];
			of.sj += y * n[x][y];
			of.qi += x * x * n[x][y];
			of.qj += y * y * n[x][y];
		}
	of.both = n[1][1];
	plain = m->plain((const int64_t(*)[4])n);
	value = m->value(&of);
	return fabs(value - plain) <= CLOSE ? value : plain;
}

double
vs_definition_moment(const struct vs_metric *m, int ploidy,
	const int64_t joint[4][4])
{
	return m->phased ? phased(m, ploidy, joint) : m->plain(joint);
}

static void
moment(const struct vs_definition *d, const uint8_t *i, const uint8_t *j,
	size_t n_field, struct vs_plain_pair *out)
{
	int64_t joint[4][4];

	vs_plain_joint(i, j, n_field, joint);
	*out = (struct vs_plain_pair){
		.value = { vs_definition_moment(d->metric, d->ploidy,
			(const int64_t(*)[4])joint) }
	};
	for (int x = 0; x < 3; x++)
		for (int y = 0; y < 3; y++) {
			out->nvalid += joint[x][y];
			out->num[0] += x * y * joint[x][y];
		}
}

static void
inner(const struct vs_definition *d, const uint8_t *i, const uint8_t *j,
	size_t n_field, struct vs_plain_pair *out)
{
	const bool centred = d->metric->centred;
	int64_t n = (int64_t)n_field;
	double r = d->missing
		? vs_plain_inner_missing(d->element, centred, i, j, n_field, &n)
		: vs_plain_inner(d->element, centred, i, j, n_field);

	*out = (struct vs_plain_pair){ .nvalid = n,
		.value = { d->metric->squared ? r * r : r } };
}

/* The cell of a sample; negative: a call is missing. */
static int
cell_of(const uint8_t *const *v, int n_way, size_t q)
{
	int x = 0;

	for (int k = 0; k < n_way && x >= 0; k++)
		x = v[k][q] > 2 ? -1 : 3 * x + v[k][q];
	return x;
}

/* Count samples by genotypes and class; cells must be zero. */
static void
count_table(const struct vs_definition *d, const uint8_t *const *v, int n_way,
	size_t n_field, int64_t (*cell)[2])
{
	for (size_t q = 0; q < n_field; q++) {
		const int x = cell_of(v, n_way, q);

		if (x >= 0 && d->cases->status[q] <= 1)
			cell[x][d->cases->status[q]]++;
	}
}

/*
 * F of a trait by its plain definition, likewise: the sums of the definition
 * are not in fixed point, whose rounding shows where the cells leave little
 * variance.
 */
static double
trait(const struct vs_definition *d, const uint8_t *const *v, int n_way,
	size_t n_field, int64_t *nvalid)
{
	const struct vs_case_control *c = d->cases;
	int64_t cell[27][2] = { { 0 } }, n[27] = { 0 }, squares = 0, at = 0;
	double sum[27] = { 0 }, mean[27] = { 0 }, within = 0, all, plain, value;
	double start = 0; /* some value: means lose digits far from 0 */

	*nvalid = 0;
	for (size_t q = n_field; q-- > 0;)
		start = c->status[q] ? start : c->value[q];
	for (size_t q = 0; q < n_field; q++) {
		const int x = c->status[q] ? -1 : cell_of(v, n_way, q);

		if (x >= 0) {
			n[x]++;
			sum[x] += c->value[q] - start;
			cell[x][0]++;
			cell[x][1] += c->trait.weight[VS_TRAIT_VALUE][at];
			squares += c->trait.weight[VS_TRAIT_SQUARE][at];
			++*nvalid;
		}
		at += !c->status[q];
	}
	for (int x = 0; x < 27; x++)
		mean[x] = n[x] ? sum[x] / (double)n[x] : 0;
	for (size_t q = 0; q < n_field; q++) {
		const int x = c->status[q] ? -1 : cell_of(v, n_way, q);

		if (x >= 0)
			within += (c->value[q] - start - mean[x]) *
				(c->value[q] - start - mean[x]);
	}
	plain = vs_trait_plain(n, mean, within, n_way, d->metric->additive,
		&all);
	value = d->metric->trait((const int64_t(*)[2])cell,
		(double)squares * c->trait.square, n_way);
	return fabs(value - plain) <=
			(CLOSE + VS_TRAIT_TEST_LEFT * all / within) *
				(1 + plain)
		? value
		: plain;
}

/*
 * A score by its plain definition. Its logarithms are rounded differently from
 * those of the tables, which are the same everywhere: so the two must only be
 * close, and the value is that of the tables to the bit.
 */
static double
score(const struct vs_definition *d, const uint8_t *const *v, int n_way,
	size_t n_field, int64_t *nvalid)
{
	int64_t cell[VS_ASSOCIATION_CELLS][2] = { { 0 } };
	struct vs_association a = { 0, { 0, 0 } };
	const struct vs_log_tables *logs = &d->cases->logs;
	double plain, value, room = CLOSE;

	if (d->metric->trait)
		return trait(d, v, n_way, n_field, nvalid);
	count_table(d, v, n_way, n_field, cell);
	for (int x = 0; x < VS_ASSOCIATION_CELLS; x++) {
		for (int c = 0; c < 2; c++) {
			a.n[c] += cell[x][c];
			a.sum += logs->one[cell[x][c]];
		}
		a.sum -= logs->both[cell[x][0] + cell[x][1]];
	}
	*nvalid = a.n[0] + a.n[1];
	if (d->metric->whole) {
		const int64_t(*const cells)[2] = (const int64_t(*)[2])cell;

		for (int x = 0; x < (n_way == 3 ? 27 : 9); x++)
			if (!cell[x][0] || !cell[x][1])
				room = CLOSE + d->metric->plain_above;
		plain = d->metric->plain_table(cells, n_way == 3 ? 27 : 9);
		value = d->metric->whole(cells, n_way, -1);
		return value - plain <= CLOSE * (1 + plain) &&
				plain - value <= room * (1 + plain)
			? value
			: plain;
	}
	plain = d->metric->plain_table(cell, VS_ASSOCIATION_CELLS);
	value = d->metric->score(logs, &a);
	return fabs(value - plain) <= CLOSE * (1 + fabs(plain)) ? value : plain;
}

double
vs_definition_most(const struct vs_definition *d, const uint8_t *const *v,
	int n_way, size_t n_field)
{
	int64_t cell[VS_ASSOCIATION_CELLS][2] = { { 0 } };
	double most;

	if (!d->metric->plain_most)
		return INFINITY;
	count_table(d, v, n_way, n_field, cell);
	most = d->metric->plain_most((const int64_t(*)[2])cell,
		n_way == 3 ? 27 : 9);
	return most + CLOSE * (1 + most);
}

void
vs_definition_pair(const struct vs_definition *d, const uint8_t *i,
	const uint8_t *j, size_t n_field, struct vs_plain_pair *out)
{
	switch (d->metric->family) {
	case VS_FAMILY_ALLELES:
		vs_plain_alleles(&d->how, i, j, n_field, out);
		return;
	case VS_FAMILY_MOMENTS:
		if (vs_element_is_number(d->element))
			inner(d, i, j, n_field, out);
		else
			moment(d, i, j, n_field, out);
		return;
	case VS_FAMILY_MINIMA:
		vs_plain_ps(d->element, i, j, n_field, &out->num[0],
			&out->value[0]);
		out->nvalid = (int64_t)n_field;
		return;
	case VS_FAMILY_TABLES:
		*out = (struct vs_plain_pair){ 0 };
		out->value[0] = score(d, (const uint8_t *[]){ i, j }, 2,
			n_field, &out->nvalid);
		return;
	case VS_FAMILY_INNER:
		if (!vs_metric_is_distance(d->metric)) {
			inner(d, i, j, n_field, out);
			return;
		}
		*out = (struct vs_plain_pair){ .nvalid = (int64_t)n_field,
			.value = { vs_plain_distance(d->element, i, j,
				n_field) } };
		return;
	case VS_FAMILY_NONE:
		break;
	}
}

void
vs_definition_triple(const struct vs_definition *d, const uint8_t *const v[3],
	size_t n_field, struct vs_plain_triple *out)
{
	const void *const x[3] = { v[0], v[1], v[2] };

	switch (d->metric->family) {
	case VS_FAMILY_ALLELES:
		vs_plain_alleles3(&d->how, v, n_field, out);
		return;
	case VS_FAMILY_MINIMA:
		vs_plain_ps3(d->element, x, n_field, &out->num[0],
			&out->value[0]);
		out->nvalid = (int64_t)n_field;
		return;
	case VS_FAMILY_TABLES:
		*out = (struct vs_plain_triple){ 0 };
		out->value[0] = score(d, v, 3, n_field, &out->nvalid);
		return;
	case VS_FAMILY_MOMENTS:
	case VS_FAMILY_INNER:
	case VS_FAMILY_NONE:
		break;
	}
}
