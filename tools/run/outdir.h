/* SPDX-License-Identifier: BSD-3-Clause */
/* Output directory of a run: made, locked, cleared, resumed, removed after a
 * failure. */
#ifndef VS_TOOLS_RUN_OUTDIR_H
#define VS_TOOLS_RUN_OUTDIR_H

#include "formats/results/shard_writer.h"
#include "tools/shared/lock.h"

struct vs_outdir {
	const char *path; /* the caller's */
	bool made;        /* it did not exist */
	size_t parents;   /* nor did these, see vs_file_parents() */
	struct vs_lock lock;
	/* mode of its files when it was acquired, vs_run_shards_mode(), for all
	 * ranks */
	int mode;
};

/*
 * Make it, with missing directories above it, or take one that contains no
 * shards, unless the run resumes or has force to replace them. No other run may
 * have it meanwhile, as determined by vs_lock_acquire().
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_outdir_acquire(struct vs_outdir *d, const char *path, const char *host,
	bool force, bool resume);

/*
 * Remove the temporary files of runs that were killed here; if the file system
 * has no locks they stay, as a run may be using them. force: first remove the
 * completion file and the shards of an earlier run, whose mode run.yaml takes
 * on, so that a later --resume knows it.
 */
int vs_outdir_clear(const struct vs_outdir *d, bool force);

/* On each rank: give new files in path the mode d->mode, if there is one. */
int vs_outdir_keep_mode(const struct vs_outdir *d, const char *path);

/*
 * Rank 0 scans the directory and broadcasts the tiles that are done, or
 * searched above a number, see vs_shard_writer_scan(), and the run's uuid and
 * tile, which are set in run. dir null: there is nothing to resume. Histograms
 * are added only on the first rank; if they are wanted, every tile must have
 * one.
 * returns     0; the failure of rank 0 or any other
 * collective  yes
 */
int vs_outdir_resume(const char *dir, struct vs_run *run,
	struct vs_shard_writer_sealed *sealed);

/* Unlock the directory. If a failed run made it and it holds no result, it is
 * removed; safe on all zero. */
void vs_outdir_leave(struct vs_outdir *d, bool failed);

#endif
