/* SPDX-License-Identifier: BSD-3-Clause */
/* Output directory of a run: made, locked, cleared, resumed, removed. */
#include <sys/stat.h>
#include <unistd.h>

#include "formats/h5/runfile.h"
#include "formats/results/complete.h"
#include "formats/results/shard_logs.h"
#include "formats/results/shard_writer.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"
#include "libcore/base/text.h"
#include "libcore/plan/comm.h"
#include "tools/run/outdir.h"
#include "tools/shared/tool.h"

/* Restrict the mode of run.yaml, if there is one, to at most `mode`. */
static int
narrow_runfile(const char *dir, int mode)
{
	struct vs_text path = { 0 };
	struct stat st;
	int code = vs_text_add(&path, "%s/" VS_RUNFILE_NAME, dir);

	if (!code && !stat(path.bytes, &st) &&
		(st.st_mode & 0777 & ~(mode_t)mode) &&
		chmod(path.bytes, st.st_mode & (mode_t)mode & 0777))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot change its mode",
			path.bytes);
	vs_text_free(&path);
	return code;
}

int
vs_outdir_clear(const struct vs_outdir *d, bool force)
{
	int code = force && d->mode >= 0 ? narrow_runfile(d->path, d->mode) : 0;

	if (!code && force)
		code = vs_complete_remove(d->path);
	if (!code && force)
		code = vs_run_shards_remove(d->path);
	return code || !d->lock.held ? code : vs_run_shards_sweep(d->path);
}

int
vs_outdir_acquire(struct vs_outdir *d, const char *path, const char *host,
	bool force, bool resume)
{
	struct vs_text_pool files = { 0 };
	struct stat st;
	int code = vs_file_name_check(path);

	if (code)
		return code;
	d->path = path;
	d->mode = -1;
	code = vs_file_make_dir(path, path, &d->made, &d->parents);
	if (!code && !d->made && (stat(path, &st) || !S_ISDIR(st.st_mode)))
		code = vs_fail(VS_EUSAGE, "%s: exists and is not a directory",
			path);
	if (!code)
		code = vs_lock_acquire(&d->lock, path, host);
	if (!code)
		code = vs_run_shards(path, &files);
	if (!code)
		code = vs_run_shards_logs(path, &files);
	if (!code && files.n && !force && !resume)
		code = vs_fail(VS_EUSAGE,
			"%s: holds %zu shard%s of a run already; --resume "
			"continues it, -f removes %s",
			path, files.n, vs_text_s(files.n),
			files.n == 1 ? "it" : "them");
	vs_text_pool_free(&files);
	if (!code && (force || resume))
		code = vs_run_shards_mode(path, &d->mode);
	return code;
}

int
vs_outdir_keep_mode(const struct vs_outdir *d, const char *path)
{
	return d->mode < 0 ? 0 : vs_file_set_mode(path, (unsigned)d->mode);
}

static void
tidy(const char *dir)
{
	struct vs_text path = { 0 };
	struct vs_text_pool files = { 0 };

	/* if it cannot be listed, it has to be empty */
	if (vs_run_shards(dir, &files) || vs_run_shards_logs(dir, &files))
		rmdir(dir);
	else if (!files.n && !vs_text_add(&path, "%s/" VS_RUNFILE_NAME, dir)) {
		unlink(path.bytes);
		vs_run_shards_remove_dirs(dir);
		rmdir(dir);
	}
	vs_text_free(&path);
	vs_text_pool_free(&files);
}

void
vs_outdir_leave(struct vs_outdir *d, bool failed)
{
	vs_lock_drop(&d->lock);
	if (d->made && failed)
		tidy(d->path);
	if (failed)
		vs_file_parents_drop(d->path, d->parents);
}

/* ---- resumption ---- */

/* Each rank examines its part of the logs that an unfinished run has left. */
static int
recover(const char *dir, const struct vs_run *run,
	const struct vs_tile_counts *counts)
{
	const struct vs_shard_logs of = { .dir = dir,
		.generator = vs_tool_generator(),
		.run = run,
		.counts = counts,
		.part = vs_comm_rank(),
		.n_part = vs_comm_size() };
	char has = dir != NULL;
	int code;

	vs_comm_share(&has, sizeof(has));
	code = has ? vs_shard_logs_recover(&of) : 0;
	return vs_comm_agree(code);
}

int
vs_outdir_resume(const char *dir, struct vs_run *run,
	struct vs_shard_writer_sealed *sealed)
{
	uint64_t head[7] = { 0 };
	struct vs_plan plan;
	int code = sealed->look ? 0 : recover(dir, run, sealed->counts);

	if (!code && !vs_comm_rank() && dir) {
		code = vs_shard_writer_scan(dir, run, sealed);
		if (!code && sealed->done)
			code = vs_run_plan(run, &plan);
		if (!code && sealed->done)
			head[0] = vs_plan_n_tile(&plan) / 64 + 1;
		if (!code && sealed->above)
			head[3] = vs_plan_n_tile(&plan);
	}
	code = vs_comm_agree(code);
	if (code)
		return code;
	head[1] = (uint64_t)run->tile;
	head[2] = sealed->n_done;
	head[4] = sealed->n_bare;
	head[5] = (uint64_t)run->row_tiles;
	head[6] = sealed->n_record;
	vs_comm_share(head, sizeof(head));
	vs_comm_share(run->run_uuid, sizeof(run->run_uuid));
	vs_comm_share(run->order, sizeof(run->order));
	if (vs_comm_rank() && head[0])
		code = vs_mem_new(&sealed->done, head[0], 8, "list of tiles");
	if (vs_comm_rank() && head[3] && !code)
		code = vs_mem_new(&sealed->above, head[3], 8, "list of tiles");
	code = vs_comm_agree(code);
	if (code)
		return code;
	run->tile = (int64_t)head[1];
	run->row_tiles = (int64_t)head[5];
	sealed->n_done = head[2];
	sealed->n_bare = head[4];
	sealed->n_record = head[6];
	vs_comm_share(sealed->done, head[0] * 8);
	vs_comm_share(sealed->above, head[3] * 8);
	vs_comm_share(run->null_maxima, (size_t)run->permutations * 8);
	if (sealed->n_bare)
		return vs_fail(VS_EUSAGE,
			"--metric-histogram counts all values, but %llu of the "
			"%llu tiles in %s were computed without it: start "
			"again, in an empty directory",
			(unsigned long long)sealed->n_bare,
			(unsigned long long)sealed->n_done, dir);
	return 0;
}
