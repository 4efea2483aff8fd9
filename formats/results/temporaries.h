/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporary files that killed writers left in a directory of shards. */
#ifndef VS_FORMATS_RESULTS_TEMPORARIES_H
#define VS_FORMATS_RESULTS_TEMPORARIES_H

#include <stdbool.h>

/*
 * Whether a file of this name, without its directory, is a temporary one of a
 * shard, of complete.yaml or of run.yaml, NAME.tmp-XXXXXXXX as vs_file_create()
 * names it.
 */
bool vs_temporaries_is(const char *name);

/*
 * Do take() with each of them in dir, and in the directories of ranks in it, in
 * order: its directory and its path.
 * returns  0; what take() returned first; VS_EINPUT or VS_EMACHINE: dir cannot
 *          be listed
 */
int vs_temporaries_each(const char *dir,
	int (*take)(const char *dir, const char *path, void *ctx), void *ctx);

/*
 * Remove them all from dir, and the directories of ranks in it, whose lock the
 * caller holds, so that no process
 * writes them any more.
 * returns  0; VS_EINPUT or VS_EMACHINE: dir cannot be listed; VS_EMACHINE
 */
int vs_temporaries_remove(const char *dir);

#endif
