/* SPDX-License-Identifier: BSD-3-Clause */
#include "libcore/metric/moment.h"

#include <stddef.h>
#include <string.h>

const struct vs_moment *
vs_moment_find(const char *name)
{
	static const struct vs_moment moments[] = {
		{ "r2", vs_r2_value, 1, 1, VS_DEVICE_R2 },
		{ "r", vs_r_value, 1, 0, VS_DEVICE_R },
		{ "cosine", vs_cosine_value, 0, 0, VS_DEVICE_COSINE },
	};

	for (size_t k = 0; k < sizeof(moments) / sizeof(moments[0]); k++)
		if (!strcmp(moments[k].name, name))
			return &moments[k];
	return NULL;
}
