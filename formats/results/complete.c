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
#include "libcore/base/mem.h"
#include "libcore/base/text.h"

static int
path_in(const char *dir, struct vs_text *path)
{
	return vs_text_add(path, "%s/" VS_COMPLETE_NAME, dir);
}

/* A completion file and the tiles that its shards have. */
struct mark {
	struct vs_complete of;
	struct vs_text text;
	uint64_t *done; /* a bit per tile of the run */
};

/* The run's lines, and room for its tiles, by its first shard. */
static int
begin(struct mark *m, const struct vs_run *run)
{
	struct vs_plan plan;
	int code = vs_text_add(&m->text,
		"run_uuid: %s\nvectors_content: %s\nn_stages: %d\n",
		run->run_uuid, run->vectors_content, run->n_stages);

	if (!code)
		code = vs_run_plan(run, &plan);
	return code ? code
		    : vs_mem_new(&m->done, vs_plan_n_tile(&plan) / 64 + 1, 8,
			      "list of tiles");
}

static int
add_shard(struct mark *m, const char *path)
{
	struct vs_complete *c = &m->of;
	struct vs_result *r = NULL;
	uint64_t n = 0, n_new = 0;
	int code = vs_result_open(&r, path, VS_H5_FAST | VS_H5_TRUSTED);

	if (!code && !c->n_shards)
		code = begin(m, &r->run);
	if (!code)
		code = vs_result_tiles_mark(r, m->done, &n_new, &n);
	if (!code && n_new < n)
		code = vs_fail(VS_EMACHINE,
			"%s: %llu of its %llu tiles are there twice, or in "
			"another shard too: remove it, and vsim-run --resume "
			"repeats its part",
			path, (unsigned long long)(n - n_new),
			(unsigned long long)n);
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
add_shards(struct mark *m, const char *dir)
{
	struct vs_text_pool files = { 0 };
	int code = vs_run_shards(dir, &files);

	for (size_t k = 0; k < files.n && !code; k++)
		code = add_shard(m, vs_text_pool_string(&files, k));
	vs_text_pool_free(&files);
	return code;
}

int
vs_complete_write(const char *dir, const char *generator, uint64_t n_tile)
{
	struct vs_text path = { 0 };
	struct mark m = { 0 };
	const struct vs_complete *c = &m.of;
	int code = path_in(dir, &path);

	if (!code)
		code = vs_text_add(&m.text, "# %s\nformat: vsim-complete\n",
			generator);
	if (!code)
		code = add_shards(&m, dir);
	if (!code && c->n_tiles != n_tile)
		code = vs_fail(VS_EMACHINE,
			"%s: the shards have %" PRIu64 " of the %" PRIu64
			" tiles of the run: tiles were lost; vsim-run --resume "
			"computes them",
			dir, c->n_tiles, n_tile);
	if (!code)
		code = vs_text_add(&m.text,
			"n_shards: %" PRIu64 "\nn_tiles: %" PRIu64
			"\nn_records: %" PRIu64 "\nrecords_sum: %016" PRIx64
			"%016" PRIx64 "\nsource_sum: %016" PRIx64 "%016" PRIx64
			"\n",
			c->n_shards, c->n_tiles, c->n_records, c->sum.h[0],
			c->sum.h[1], c->source_sum.h[0], c->source_sum.h[1]);
	if (!code)
		code = vs_file_write(path.bytes, m.text.bytes, m.text.len);
	free(m.done);
	vs_text_free(&m.text);
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
