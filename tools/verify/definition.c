/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain definitions of metrics, to recompute the values of a run. */
#include "tools/verify/definition.h"

bool
vs_definition_has(const struct vs_definition *d, int n_way)
{
	switch (d->metric ? d->metric->family : VS_FAMILY_NONE) {
	case VS_FAMILY_ALLELES:
		return d->element == VS_BIT2;
	case VS_FAMILY_MOMENTS:
		return d->element == VS_BIT2 && n_way == 2 && d->metric->plain;
	case VS_FAMILY_MINIMA:
		return vs_element_is_number(d->element);
	case VS_FAMILY_NONE:
		break;
	}
	return false;
}

static void
moment(const struct vs_metric *m, const uint8_t *i, const uint8_t *j,
	size_t n_field, struct vs_plain_pair *out)
{
	int64_t joint[4][4];

	vs_plain_joint(i, j, n_field, joint);
	*out = (struct vs_plain_pair){ .value = { m->plain(joint) } };
	for (int x = 0; x < 3; x++)
		for (int y = 0; y < 3; y++) {
			out->nvalid += joint[x][y];
			out->num[0] += x * y * joint[x][y];
		}
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
		moment(d->metric, i, j, n_field, out);
		return;
	case VS_FAMILY_MINIMA:
		vs_plain_ps(d->element, i, j, n_field, &out->num[0],
			&out->value[0]);
		out->nvalid = (int64_t)n_field;
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
	case VS_FAMILY_MOMENTS:
	case VS_FAMILY_NONE:
		break;
	}
}
