/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory of metrics of tables, and of triples of alleles: order of
 * samples, and logarithms. */
#include <stdlib.h>

#include "cuda/card_query.h"
#include "cuda/tables_data.h"

static size_t
log_entries(const struct vs_query *q)
{
	return q->logs ? (size_t)q->logs->n_field + 2 : 0;
}

/* Number of places of a plane, in whole tiles. */
static size_t
places(const struct vs_query *q)
{
	struct vs_card_part layout;

	return 32 * vs_card_segments_make(q, &layout);
}

size_t
vs_tables_data_bytes(const struct vs_query *q)
{
	return log_entries(q) * sizeof(int64_t) + places(q) * sizeof(uint32_t);
}

static int
allocate(struct vs_tables_data *t, void *out, size_t bytes, const char *what)
{
	int code = t->base->ops->allocate(t->base->card, out, bytes);

	return code == VS_CARD_FULL ? vs_lane_fail_memory(t->base, what, bytes)
				    : code;
}

int
vs_tables_data_open(struct vs_tables_data *t, struct vs_lane *l,
	const struct vs_card_part *layout, struct vs_card_rule *rule)
{
	const struct vs_log_tables *logs = l->q->logs;
	const size_t n = places(l->q) * sizeof(uint32_t);
	const size_t n_log = log_entries(l->q) * sizeof(int64_t);
	uint32_t *field = malloc(n);
	int code;

	t->base = l->base;
	if (!field)
		return vs_lane_fail_memory(t->base, "list of samples", n);
	vs_card_fields_make(l->q, layout, field);
	code = allocate(t, &t->field, n, "list of samples");
	if (!code)
		code = vs_lane_send(l, t->field, field, n);
	free(field);
	if (code || !logs)
		return code;
	code = allocate(t, &t->log, n_log, "logarithms");
	if (!code)
		code = vs_lane_send(l, t->log, logs->one, n_log);
	rule->logs.one = t->log;
	rule->logs.both = t->log + (logs->both - logs->one);
	return code;
}

void
vs_tables_data_close(struct vs_tables_data *t)
{
	if (!t->base)
		return;
	t->base->ops->drop(t->base->card, t->field);
	t->base->ops->drop(t->base->card, t->log);
}
