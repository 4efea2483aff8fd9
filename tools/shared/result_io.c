/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing of result files, shared by the tools. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/out/out.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"
#include "libcore/bits/record_digest.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"

int
vs_result_io_codec(struct vs_codec *codec, const char *name, int64_t level)
{
	bool deflate = !strcmp(name, "deflate");

	if (deflate && level > 9)
		return vs_fail(VS_EUSAGE, "--level %lld: deflate has 1 to 9",
			(long long)level);
	if (!level)
		level = 1;
	codec->id = deflate            ? VS_CODEC_DEFLATE
		: strcmp(name, "none") ? VS_CODEC_ZSTD
				       : VS_CODEC_NONE;
	codec->level = codec->id == VS_CODEC_NONE ? 0 : (int)level;
	return 0;
}

bool
vs_result_io_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev &&
		x.st_ino == y.st_ino;
}

int
vs_result_io_may_write(const char *path, bool force)
{
	struct vs_out o;
	int code = vs_file_name_check(path);

	if (!code)
		code = vs_out_open(&o, path, force);
	if (!code)
		vs_out_abandon(&o);
	return code;
}

int
vs_result_io_side(const char *path)
{
	return path && strcmp(path, "-") ? vs_result_io_may_write(path, true)
					 : 0;
}

int
vs_result_io_print(const char *path, const struct vs_text *t)
{
	struct vs_out o;
	int code = vs_out_open(&o, path, true);

	if (code)
		return code;
	if (t->len)
		vs_out_put(&o, t->bytes, t->len);
	return vs_out_finish(&o);
}

void
vs_result_io_host(char host[VS_HOST_ROOM])
{
	memset(host, 0, VS_HOST_ROOM);
	if (gethostname(host, VS_HOST_ROOM - 1))
		host[0] = 0;
}

int
vs_result_io_step(struct vs_provenance *p, struct vs_h5_reader *input,
	const char *content, const char *started, const char *run, bool host)
{
	char name[VS_HOST_ROOM] = "";
	struct vs_step step = { .tool = vs_tool_name(),
		.version = vs_tool_generator(),
		.command = vs_tool_command(),
		.started = started,
		.input_content = content,
		.output_uuid = run,
		.host = name };
	int code = input ? vs_provenance_read(p, input) : 0;

	if (host)
		vs_result_io_host(name);
	return code ? code : vs_provenance_add(p, &step);
}

/* Index of the first record of the last pair or triple of n records; at most 8
 * records from the end, in any file. */
static size_t
last_begin(const struct vs_record *rec, size_t n)
{
	size_t at = n - 1;

	while (at && rec[at - 1].i == rec[n - 1].i &&
		rec[at - 1].j == rec[n - 1].j && rec[at - 1].k == rec[n - 1].k)
		at--;
	return n - at > VS_BLOCK_ROOM - VS_BLOCK ? n : at;
}

int
vs_result_io_each(struct vs_result *r, uint64_t lo, uint64_t hi,
	int (*use)(void *with, struct vs_record *rec, size_t n), void *with)
{
	struct vs_record *rec = NULL;
	size_t left = 0, n, whole;
	int code = vs_mem_room(&rec, VS_BLOCK_ROOM, sizeof(*rec), "records");

	while (lo < hi && !code) {
		/* blocks begin at chunk boundaries */
		uint64_t end = (lo / VS_BLOCK + 1) * VS_BLOCK;

		if (end > hi)
			end = hi;
		code = vs_result_read(r, lo, end, rec + left);
		n = left + (size_t)(end - lo);
		whole = end < hi ? last_begin(rec, n) : n;
		if (!code)
			code = use(with, rec, whole);
		left = n - whole;
		memmove(rec, rec + whole, left * sizeof(*rec));
		lo = end;
	}
	free(rec);
	return code;
}

void
vs_result_io_sum(struct vs_digest_sum *sum, const struct vs_record *rec,
	size_t n)
{
	vs_record_digest_sum(sum, rec, n);
}
