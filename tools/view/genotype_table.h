/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of genotypes or numbers as text, which vsim-pack reads. */
#ifndef VS_TOOLS_VIEW_GENOTYPE_TABLE_H
#define VS_TOOLS_VIEW_GENOTYPE_TABLE_H

#include "formats/out/column.h"
#include "tools/shared/selection.h"

struct vs_genotype_table {
	struct vs_packed *vectors;
	const struct vs_text_pool *names; /* of vectors */
	const struct vs_selection *ids,
		*regions; /* vectors in both selections are shown */
	bool head;        /* begin with a line of sample names */
};

/* 0; VS_DONE: o is closed; VS_EINPUT; VS_EMACHINE */
int vs_genotype_table_write(const struct vs_genotype_table *t,
	struct vs_out *o);

#endif
