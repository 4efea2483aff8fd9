/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporary files that killed writers left in a directory of shards. */
#ifndef VS_FORMATS_RESULTS_TEMPORARIES_H
#define VS_FORMATS_RESULTS_TEMPORARIES_H

#include <stdbool.h>

/*
 * Whether a file name, without directory, is that of a temporary file for a
 * shard, complete.yaml or run.yaml: NAME.tmp-XXXXXXXX, as vs_file_create()
 * names it.
 */
bool vs_temporaries_is(const char *name);

/*
 * Call take() with the directory and path of each of them in dir and in its
 * ranks' directories, in order.
 * returns  0; what take() returned first; VS_EINPUT or VS_EMACHINE: dir cannot
 *          be listed
 */
int vs_temporaries_each(const char *dir,
	int (*take)(const char *dir, const char *path, void *ctx), void *ctx);

/*
 * Remove all of them from dir and its ranks' directories. The caller holds
 * dir's lock, so that no process is still writing them.
 * returns  0; VS_EINPUT or VS_EMACHINE: dir cannot be listed; VS_EMACHINE
 */
int vs_temporaries_remove(const char *dir);

#endif
