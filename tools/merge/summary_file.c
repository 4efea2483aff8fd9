/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of summaries, and the numbers in them. */
#include "tools/merge/summary_file.h"
#include "formats/h5/deflate.h"
#include "libcore/base/file.h"
#include "libcore/engine/histogram/summary.h"
#include "tools/shared/tool.h"

int
vs_summary_file_write(const struct vs_summary_tables *t, const char *tail,
	const struct vs_text *text, bool pack)
{
	struct vs_text path = { 0 }, packed = { 0 };
	int code = vs_text_add(&path, "%s%s", t->in->ask->out, tail);

	if (!code && pack)
		code = vs_deflate_pack_gzip(text->bytes, text->len,
			&packed.bytes, &packed.len);
	if (!code && pack)
		code = vs_file_write(path.bytes, packed.bytes, packed.len);
	else if (!code)
		code = vs_file_write(path.bytes, text->bytes, text->len);
	if (!code)
		vs_tool_close(path.bytes, "%zu vector%s", (size_t)t->plan.n_vec,
			vs_text_s((uint64_t)t->plan.n_vec));
	vs_text_free(&packed);
	vs_text_free(&path);
	return code;
}

int
vs_summary_file_real(struct vs_text *t, double value)
{
	char number[VS_NUM_ROOM];

	return vs_text_put(t, number, (size_t)vs_num_print(value, number));
}

int
vs_summary_file_mean(struct vs_text *t, vs_wide sum, vs_wide n)
{
	return n ? vs_summary_file_real(t, vs_summary_real(sum) / (double)n)
		 : vs_text_add(t, "NA");
}
