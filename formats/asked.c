/* SPDX-License-Identifier: BSD-3-Clause */
#include "formats/asked.h"

#include <stddef.h>
#include <string.h>

static const struct vs_asked asked[] = {
#define X(name, ...) { #name, __VA_ARGS__ },
	VS_ASKED(X)
#undef X
};

const struct vs_asked *
vs_asked_find(const char *name)
{
	for (size_t k = 0; k < sizeof(asked) / sizeof(asked[0]); k++)
		if (!strcmp(asked[k].name, name))
			return &asked[k];
	return NULL;
}
