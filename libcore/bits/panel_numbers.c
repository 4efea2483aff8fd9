/* SPDX-License-Identifier: BSD-3-Clause */
/* Panels of numeric vectors: totals. */
#include <assert.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/bits/panel.h"

int
vs_panel_total(struct vs_panel *p, size_t v, uint64_t number, const char *of)
{
	p->total[v] = vs_numbers_total(&p->number, v);
	p->row[v] = (uint32_t)(number - p->first);
	p->sum[v] = 0;
	p->dead[v] = p->flip[v] = 0;
	return vs_numbers_total_fits(p->number.element, p->total[v])
		? 0
		: vs_fail(VS_EINPUT, "%s: vector %llu: %s", of,
			  (unsigned long long)number,
			  vs_numbers_too_much(p->number.element));
}
