/* SPDX-License-Identifier: BSD-3-Clause */
#include "libcore/base/mem.h"
#include "libcore/engine/backend.h"

int
vs_found_more(struct vs_found *found, struct vs_record **rec)
{
	int code = vs_grow(&found->rec, &found->room, found->n + 1,
		sizeof(*found->rec), "records of a tile");

	if (!code)
		*rec = &found->rec[found->n++];
	return code;
}
