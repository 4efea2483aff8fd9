/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics by their plain definitions, which recompute what a run found. */
#ifndef VS_TOOLS_DEFINITION_H
#define VS_TOOLS_DEFINITION_H

#include "libcore/bits/element.h"
#include "libcore/metric/plain.h"

struct vs_definition {
	const char *name;
	enum vs_element element;
	/* how is of the family of CCC alone */
	void (*pair)(const struct vs_plain_recipe *how, const uint8_t *i,
		const uint8_t *j, size_t n_field, struct vs_plain_pair *out);
	void (*triple)(const struct vs_plain_recipe *how,
		const uint8_t *const v[3], size_t n_field,
		struct vs_plain_triple *out); /* or null */
};

/* The value that a correlation of this name has; false: no such definition. */
bool vs_definition_moment(const char *metric, const struct vs_plain_moments *m,
	double *value);

/* The one for vectors of this kind, or null. */
const struct vs_definition *vs_definition_find(const char *metric,
	enum vs_element element);

#endif
