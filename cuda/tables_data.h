/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory of metrics of tables: order of samples and logarithms. */
#ifndef VS_CUDA_TABLES_DATA_H
#define VS_CUDA_TABLES_DATA_H

#include "cuda/lane.h"

/* The order of the samples, by class, and logarithms. */
struct vs_tables_data {
	const struct vs_drive_base *base;
	uint32_t *field;
	int64_t *log;
};

/* Device memory that it takes. */
size_t vs_tables_data_bytes(const struct vs_query *q);

/*
 * Allocate it and send it through a lane's queues; the rule gets the
 * logarithms.
 * layout  a part for these tables, without vectors
 * returns 0; VS_LOST; VS_EMACHINE; the caller closes it after any
 */
int vs_tables_data_open(struct vs_tables_data *t, struct vs_lane *l,
	const struct vs_card_part *layout, struct vs_card_rule *rule);
void vs_tables_data_close(struct vs_tables_data *t);

#endif
