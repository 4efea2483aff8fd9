/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion file of a run directory, complete.yaml. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/results/complete.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/text.h"

static int
path_in(const char *dir, struct vs_text *path)
{
	return vs_text_add(path, "%s/" VS_COMPLETE_NAME, dir);
}

/* Add a shard to *c, and the run's lines of the first one to *text. */
static int
add_shard(const char *path, struct vs_complete *c, struct vs_text *text)
{
	struct vs_result *r = NULL;
	uint64_t n = 0;
	int code = vs_result_open(&r, path, VS_H5_FAST | VS_H5_TRUSTED);

	if (!code)
		code = vs_result_tiles_each(r, NULL, NULL, &n);
	if (!code && !c->n_shards)
		code = vs_text_add(text,
			"run_uuid: %s\nvectors_content: %s\nn_stages: %d\n",
			r->run.run_uuid, r->run.vectors_content,
			r->run.n_stages);
	if (!code) {
		c->n_shards++;
		c->n_tiles += n;
		c->n_records += r->n_records;
		vs_digest_sum_add(&c->sum, &r->sum);
		vs_digest_sum_add(&c->source_sum, &r->source_sum);
	}
	vs_result_close(r);
	return code;
}

static int
add_shards(const char *dir, struct vs_complete *c, struct vs_text *text)
{
	struct vs_text_pool files = { 0 };
	int code = vs_run_shards(dir, &files);

	for (size_t k = 0; k < files.n && !code; k++)
		code = add_shard(vs_text_pool_string(&files, k), c, text);
	vs_text_pool_free(&files);
	return code;
}

int
vs_complete_write(const char *dir, const char *generator)
{
	struct vs_text path = { 0 }, text = { 0 };
	struct vs_complete c = { 0 };
	int code = path_in(dir, &path);

	if (!code)
		code = vs_text_add(&text, "# %s\nformat: vsim-complete\n",
			generator);
	if (!code)
		code = add_shards(dir, &c, &text);
	if (!code)
		code = vs_text_add(&text,
			"n_shards: %" PRIu64 "\nn_tiles: %" PRIu64
			"\nn_records: %" PRIu64 "\nrecords_sum: %016" PRIx64
			"%016" PRIx64 "\nsource_sum: %016" PRIx64 "%016" PRIx64
			"\n",
			c.n_shards, c.n_tiles, c.n_records, c.sum.h[0],
			c.sum.h[1], c.source_sum.h[0], c.source_sum.h[1]);
	if (!code)
		code = vs_file_write(path.bytes, text.bytes, text.len);
	vs_text_free(&text);
	vs_text_free(&path);
	return code;
}

int
vs_complete_remove(const char *dir)
{
	struct vs_text path = { 0 };
	int code = path_in(dir, &path);

	if (!code && !unlink(path.bytes))
		code = vs_file_sync_dir(path.bytes);
	else if (!code && errno != ENOENT)
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot remove",
			path.bytes);
	vs_text_free(&path);
	return code;
}

int
vs_complete_has(const char *dir, bool *has)
{
	struct vs_text path = { 0 };
	enum vs_file_kind kind = VS_FILE_NONE;
	int code = path_in(dir, &path);

	if (!code)
		code = vs_file_kind(path.bytes, &kind);
	*has = kind != VS_FILE_NONE;
	vs_text_free(&path);
	return code;
}

/* Its lines; false: it is not one. */
static bool
parse(FILE *f, struct vs_complete *got)
{
	char line[256];
	unsigned found = 0;

	while (fgets(line, sizeof(line), f))
		found |= (sscanf(line, "n_shards: %" SCNu64, &got->n_shards) ==
				 1) |
			(sscanf(line, "n_tiles: %" SCNu64, &got->n_tiles) == 1)
				<< 1 |
			(sscanf(line, "n_records: %" SCNu64, &got->n_records) ==
				1)
				<< 2 |
			(sscanf(line, "records_sum: %16" SCNx64 "%16" SCNx64,
				 &got->sum.h[0], &got->sum.h[1]) == 2)
				<< 3 |
			(sscanf(line, "source_sum: %16" SCNx64 "%16" SCNx64,
				 &got->source_sum.h[0],
				 &got->source_sum.h[1]) == 2)
				<< 4;
	return found == 31;
}

int
vs_complete_read(const char *dir, struct vs_complete *c, bool *has)
{
	struct vs_text path = { 0 };
	struct vs_complete got = { 0 };
	FILE *f = NULL;
	int code = path_in(dir, &path);

	*has = false;
	if (!code)
		f = fopen(path.bytes, "re");
	if (!code && !f && errno != ENOENT && errno != ENOTDIR)
		code = vs_fail_input(path.bytes, "open");
	if (f)
		*has = parse(f, &got);
	if (f && ferror(f))
		code = vs_fail_input(path.bytes, "read");
	if (f)
		fclose(f);
	vs_text_free(&path);
	if (!code && *has)
		*c = got;
	return code;
}
