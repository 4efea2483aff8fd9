/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include <string.h>

#include "libcore/metric/formula.h"

#define X(name, weight, scale)
#include "libcore/metric/rows.h"
#undef X

static const struct vs_metric metrics[] = {
#define X(name, weight, scale)                                          \
	{ #name, weight, scale, vs_##name##_factor, vs_##name##_most,   \
		vs_##name##_value, vs_##name##_num, vs_##name##_scale3, \
		vs_##name##_value3, vs_##name##_num3 },
#include "libcore/metric/rows.h"
#undef X
};

const struct vs_metric *
vs_metric_at(int k)
{
	return k < (int)(sizeof(metrics) / sizeof(metrics[0])) ? &metrics[k]
							       : NULL;
}

const struct vs_metric *
vs_metric_find(const char *name)
{
	const struct vs_metric *m;

	for (int k = 0; (m = vs_metric_at(k)); k++)
		if (!strcmp(m->name, name))
			return m;
	return NULL;
}
