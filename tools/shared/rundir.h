/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output of a tool that maps files one to one: a file from a file, or a
 * directory of shards from a directory, which appears when all its shards are
 * complete, or not at all.
 */
#ifndef VS_TOOLS_SHARED_RUNDIR_H
#define VS_TOOLS_SHARED_RUNDIR_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/shared/lock.h"

struct vs_rundir {
	const char *input; /* the caller's */
	char **in, **out;  /* n names each: read in[f], write out[f] */
	size_t n;
	bool is_dir;   /* a directory; signals are then only noted */
	bool complete; /* the input has a completion file, so will the output */
	uint64_t n_tile; /* as many as that states */
	char *path, *temp;
	struct vs_lock lock; /* of temp, or of path once it is settled */
	bool settled;        /* what was temp has the name path */
	size_t parents;      /* that were made, of vs_file_parents() */
	bool force;
};

/*
 * Refuses an output that is the input, that exists without force, or that
 * is a directory where a file is wanted and the other way round.
 */
int vs_rundir_begin(struct vs_rundir *d, const char *input, const char *output,
	bool force);

/*
 * After success (code 0) give the directory its name, else remove what was
 * made; frees d. A directory that has the name exchanges it, so that either the
 * old one or the new one has it at each moment.
 * returns  code, or what failed now
 */
int vs_rundir_end(struct vs_rundir *d, int code);

#endif
