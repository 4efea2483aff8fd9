/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of metrics, made of the rows of libcore/metric/rows.h. */
#include <stddef.h>
#include <string.h>

#include "libcore/metric/metric.h"

/* the headers of the metrics */
#define METRIC(name, help)
#include "libcore/metric/rows.h"
#undef METRIC

#define METRIC(name, help) { #name, help, VS_METRIC_##name },
static const struct vs_metric metrics[] = {
#include "libcore/metric/rows.h"
};
#undef METRIC

const char vs_metric_choices[] =
#define METRIC(name, help) "|" #name
#include "libcore/metric/rows.h"
	;
#undef METRIC

const char vs_metric_detail[] =
#define METRIC(name, help) #name "\t" help "\n"
#include "libcore/metric/rows.h"
	;

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
