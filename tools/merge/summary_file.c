/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of summaries, and the numbers in them. */
#include <string.h>

#include "formats/h5/deflate.h"
#include "libcore/base/file.h"
#include "libcore/engine/histogram/summary.h"
#include "tools/merge/summary_file.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"

int
vs_summary_file_put(const struct vs_summary_tables *t, const char *tail,
	struct vs_text *text)
{
	static const char end[] = ".res.h5";
	const char *out = t->ask->out;
	const size_t len = strlen(tail), n = strlen(out), e = sizeof(end) - 1;
	const bool result = n > e && !strcmp(out + n - e, end);
	struct vs_text path = { 0 }, packed = { 0 };
	int code = vs_text_add(&path, "%.*s%s", (int)(n - (result ? e : 0)),
		out, tail);

	code = code ? code : text->code;
	if (!code && t->look) {
		code = vs_result_io_may_write(path.bytes, t->ask->force);
		goto out;
	}
	if (!code && len > 3 && !strcmp(tail + len - 3, ".gz")) {
		code = vs_deflate_pack_gzip(text->bytes, text->len,
			&packed.bytes, &packed.len);
		vs_text_free(text);
		*text = packed;
	}
	if (!code)
		code = vs_file_write(path.bytes, text->bytes, text->len);
	if (!code)
		vs_tool_close(path.bytes, "%zu vector%s", (size_t)t->plan.n_vec,
			vs_text_s((uint64_t)t->plan.n_vec));
out:
	vs_text_free(text);
	vs_text_free(&path);
	return code;
}

void
vs_summary_file_real(struct vs_text *t, double value)
{
	char number[VS_NUM_ROOM];

	vs_text_put(t, number, (size_t)vs_num_print(value, number));
}

void
vs_summary_file_mean(struct vs_text *t, vs_wide sum, vs_wide n)
{
	if (n)
		vs_summary_file_real(t, vs_summary_real(sum) / (double)n);
	else
		vs_text_add(t, "NA");
}
