/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of a dense matrix of pairs, in order, and the values of the
 * diagonal. */
#include <math.h>
#include <stdlib.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/metric/metric.h"
#include "tools/view/matrix_rows.h"

/* A vector by the index that orders it. */
struct place {
	uint64_t index;
	size_t row;
};

static int
place_order(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

/* Value of a vector with itself: of genotypes by their counts, since each
 * field is joint to itself; of numbers 1; of tables there is none. */
static double
itself(const struct vs_metric *metric, const struct vs_sites *s, size_t row)
{
	struct vs_moments m = { 0 };

	switch (metric ? metric->family : VS_FAMILY_NONE) {
	case VS_FAMILY_MOMENTS:
		break;
	case VS_FAMILY_INNER:
		return 0; /* a distance */
	case VS_FAMILY_MINIMA:
		return 1;
	case VS_FAMILY_NONE:
	case VS_FAMILY_ALLELES:
	case VS_FAMILY_TABLES:
		return NAN;
	}
	if (!s->count)
		return NAN;
	/* of numbers no genotype is counted */
	if (!s->count[row][0] && !s->count[row][1] && !s->count[row][2] &&
		!s->count[row][3])
		return 1;
	m.c = s->count[row][0] + s->count[row][1] + s->count[row][2];
	m.si = m.sj = s->count[row][1] + 2 * s->count[row][2];
	m.p = m.qi = m.qj = s->count[row][1] + 4 * s->count[row][2];
	return metric->value(&m);
}

int
vs_matrix_rows_make(struct vs_matrix_rows *m, const struct vs_run *run,
	const struct vs_vector_names *names, const struct vs_selection *ids,
	const struct vs_selection *regions, bool original)
{
	const struct vs_metric *metric = vs_metric_find(run->metric);
	const struct vs_sites *s = &names->sites;
	struct place *place = NULL;
	size_t n = 0;
	int code = vs_mem_new(&place, VS_MATRIX_ROWS_MOST, sizeof(*place),
		"rows of the matrix");

	for (uint64_t v = 0; v < names->n_vec && !code; v++) {
		size_t row = (size_t)names->row[v];

		if (names->row[v] < 0 || !vs_selection_has(ids, v) ||
			!vs_selection_has(regions, v))
			continue;
		if (n < VS_MATRIX_ROWS_MOST)
			place[n] = (struct place){
				original ? (uint64_t)s->source_row[row] : v, row
			};
		n++;
	}
	if (!code && n > VS_MATRIX_ROWS_MOST)
		code = vs_fail(VS_EUSAGE,
			"a matrix of %zu vectors is asked for, and %d are the "
			"most; pick fewer by --id or --region",
			n, VS_MATRIX_ROWS_MOST);
	if (!code)
		code = vs_mem_new(&m->row, n, sizeof(*m->row),
			"rows of the matrix");
	if (!code)
		code = vs_mem_new(&m->itself, n, sizeof(*m->itself),
			"rows of the matrix");
	if (code)
		goto out;
	if (n)
		qsort(place, n, sizeof(*place), place_order);
	m->n = n;
	for (size_t k = 0; k < n; k++) {
		m->row[k] = place[k].row;
		m->itself[k] = itself(metric, s, place[k].row);
	}
out:
	free(place);
	return code;
}

void
vs_matrix_rows_free(struct vs_matrix_rows *m)
{
	free(m->row);
	free(m->itself);
}
