/* SPDX-License-Identifier: BSD-3-Clause */
/* Output directory of a run: made, locked, cleared, removed after a failure. */
#ifndef VS_TOOLS_RUN_OUTDIR_H
#define VS_TOOLS_RUN_OUTDIR_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/shared/lock.h"

struct vs_outdir {
	const char *path; /* the caller's */
	bool made;        /* it was not there */
	size_t parents;   /* nor were these, of vs_file_parents() */
	struct vs_lock lock;
	/* of its files when it was acquired, vs_run_shards_mode(), for all
	 * ranks */
	int mode;
};

/*
 * Make it, with what is missing above it, or take one that contains no shardss,
 * unless the run resumes or has force to replace them. No other run may have it
 * meanwhile, as vs_lock_acquire() tells.
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_outdir_acquire(struct vs_outdir *d, const char *path, const char *host,
	bool force, bool resume);

/*
 * Remove the completion file and the shards of an earlier run, which leave
 * their mode to run.yaml, by which a later --resume knows it.
 */
int vs_outdir_clear(const struct vs_outdir *d);

/*
 * Remove the temporary files of runs that were killed here; where the file
 * system knows no locks they stay, for a run may be at them.
 */
int vs_outdir_sweep(const struct vs_outdir *d);

/* On each rank: new files in path get d->mode, if there is one. */
int vs_outdir_keep_mode(const struct vs_outdir *d, const char *path);

/* Unlock the directory. One that a failed run made and that holds no result is
 * removed; safe on all zero. */
void vs_outdir_leave(struct vs_outdir *d, bool failed);

#endif
