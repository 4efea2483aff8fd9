/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output of a tool that maps files one to one: a file from a file, or a
 * directory of shards from a directory, which appears once all its shards are
 * complete, or not at all.
 */
#ifndef VS_TOOLS_SHARED_RUNDIR_H
#define VS_TOOLS_SHARED_RUNDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/shared/lock.h"

struct vs_rundir {
	const char *input; /* the caller's */
	char **in, **out;  /* n names each: read in[f], write out[f] */
	size_t n;
	bool is_dir;     /* it is a directory; signals are then only noted */
	bool complete;   /* the input has a completion file */
	uint64_t n_tile; /* as many as that states */
	char *path, *temp;
	struct vs_lock lock; /* lock of temp, or of path once settled */
	bool settled;        /* temp has been renamed to path */
	size_t parents;      /* directories made, see vs_file_parents() */
	bool force;
};

/*
 * Refuses an output that is the input, that exists without force, or that is a
 * directory if a file is required, or vice versa.
 */
int vs_rundir_begin(struct vs_rundir *d, const char *input, const char *output,
	bool force);

/*
 * After success (code 0) give the directory its name, else remove what was
 * made; frees d. If a directory has that name, the two exchange names, so that
 * at every moment either the old or the new one has it.
 * returns  code, or what failed now
 */
int vs_rundir_end(struct vs_rundir *d, int code);

#endif
