/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of bounds and filters that can be switched off by name. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/engine/ablation.h"

#define ABLATION(id, name) name,
static const char *const names[] = {
#include "libcore/engine/rows.h"
};
#undef ABLATION

#define ABLATION(id, name) " " name
static const char known[] = "known are"
#include "libcore/engine/rows.h"
	;
#undef ABLATION

_Static_assert(VS_ABLATION_N <= 32, "a set has 32 bits");

int
vs_ablation_read(uint32_t *set)
{
	const char *at = getenv("VSIM_WITHOUT");

	*set = 0;
	while (at && *at) {
		size_t n = strcspn(at, ",");
		int k = 0;

		while (k < VS_ABLATION_N &&
			(strlen(names[k]) != n || memcmp(names[k], at, n)))
			k++;
		if (k == VS_ABLATION_N)
			return vs_fail(VS_EUSAGE,
				"VSIM_WITHOUT: %.*s: no such name: %s", (int)n,
				at, known);
		*set |= 1u << k;
		at += n + (at[n] == ',');
	}
	return 0;
}
