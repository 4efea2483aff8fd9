/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic replacement of a directory of shards: the old one and the new one
 * exchange their names, so that each moment the name leads to a whole one.
 */
#ifndef VS_TOOLS_SHARED_REPLACE_DIR_H
#define VS_TOOLS_SHARED_REPLACE_DIR_H

#include <stdbool.h>

/*
 * Exchange the names of two directories in the same parent, and flush that. If
 * the file system cannot, path is called PATH.old-XXXXXXXX for a moment, with
 * the digits that end temp.
 * done     receives whether the names are exchanged, which is so, too, where
 *          the flush fails and then the way back
 * returns  0; VS_EMACHINE
 */
int vs_replace_dir_exchange(const char *path, const char *temp, bool *done);

/*
 * Remove the shards, the completion file and the lock file in the directory
 * old, move what else it holds into path, and remove it. What path has of the
 * same name, too, keeps the directory.
 * returns  0; VS_EMACHINE: old holds what could not be removed or moved
 */
int vs_replace_dir_retire(const char *old, const char *path);

/*
 * Clean up after processes that were killed while they replaced path: restore
 * its name if it has none, and remove what they left. Files locked by a live
 * process stay.
 * returns  0; VS_EMACHINE
 */
int vs_replace_dir_recover(const char *path);

#endif
