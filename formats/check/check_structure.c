/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrity check of a file as HDF5: its profile and its content digest. */
#include <string.h>

#include "formats/check/check.h"
#include "libcore/base/fail.h"

static int
check_digest(struct vs_h5_reader *file, const struct vs_content *content,
	const char *stated)
{
	char found[VS_DIGEST_TEXT];
	int code = vs_h5_reader_check(file, content, found);

	if (!code && strcmp(found, stated))
		code = vs_fail(VS_ENO,
			"%s: content_xxh128: %s is stated, %s found",
			vs_h5_reader_path(file), stated, found);
	return code;
}

int
vs_check_structure_packed(struct vs_packed *p)
{
	return check_digest(p->file, &vs_packed_content, p->content);
}

int
vs_check_structure_result(struct vs_result *r)
{
	return check_digest(r->file,
		r->kind == VS_KIND_MERGED ? &vs_merged_content
					  : &vs_shard_content,
		r->content);
}
