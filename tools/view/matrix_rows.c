/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of a dense matrix of pairs, in order, and the values on the
 * diagonal. */
#include <math.h>
#include <stdlib.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/metric/metric.h"
#include "tools/view/matrix_rows.h"

/* A vector by the index that orders it. */
struct place {
	uint64_t index, vec;
	size_t row;
};

static int
place_order(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

/* Value of a vector with itself; cells and tables have none. */
static double
itself(const struct vs_metric *metric)
{
	switch (metric ? metric->family : VS_FAMILY_NONE) {
	case VS_FAMILY_INNER:
	case VS_FAMILY_MOMENTS:
	case VS_FAMILY_MINIMA:
		return metric->itself;
	case VS_FAMILY_NONE:
	case VS_FAMILY_ALLELES:
	case VS_FAMILY_TABLES:
		break;
	}
	return NAN;
}

int
vs_matrix_rows_make(struct vs_matrix_rows *m,
	const struct vs_vector_names *names, const struct vs_selection *ids,
	const struct vs_selection *regions, bool original)
{
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
			place[n] = (struct place){ original
					? (uint64_t)s->source_row[row]
					: v,
				v, row };
		n++;
	}
	if (!code && n > VS_MATRIX_ROWS_MOST)
		code = vs_fail(VS_EUSAGE,
			"a matrix of %zu vectors is too large: select at most "
			"%d with --id or --region",
			n, VS_MATRIX_ROWS_MOST);
	VS_MEM_NEW(&code, m->row, n, "rows of the matrix");
	VS_MEM_NEW(&code, m->vec, n, "rows of the matrix");
	VS_MEM_NEW(&code, m->itself, n, "rows of the matrix");
	if (code)
		goto out;
	if (n)
		qsort(place, n, sizeof(*place), place_order);
	m->n = n;
	for (size_t k = 0; k < n; k++) {
		m->row[k] = place[k].row;
		m->vec[k] = place[k].vec;
	}
out:
	free(place);
	return code;
}

void
vs_matrix_rows_itself(struct vs_matrix_rows *m, const char *metric,
	const struct vs_undefined *u, bool zero)
{
	const struct vs_metric *of = vs_metric_find(metric);

	for (size_t k = 0; k < m->n; k++)
		m->itself[k] = !vs_undefined_is(u, &m->vec[k], 1) ? itself(of)
			: zero                                    ? 0
								  : NAN;
}

void
vs_matrix_rows_free(struct vs_matrix_rows *m)
{
	free(m->row);
	free(m->vec);
	free(m->itself);
}
