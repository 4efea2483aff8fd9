/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic replacement of a directory of shards: the old and the new one exchange
 * names, so that at every moment the name leads to a complete one.
 */
#ifndef VS_TOOLS_SHARED_REPLACE_DIR_H
#define VS_TOOLS_SHARED_REPLACE_DIR_H

#include <stdbool.h>

/*
 * Exchange the names of two directories in the same parent, and flush that. If
 * the file system cannot, path is called PATH.old-XXXXXXXX for a moment, with
 * the digits that end temp.
 * done     out: the names are exchanged; also true if the flush failed and then
 *          the exchange back
 * returns  0; VS_EMACHINE
 */
int vs_replace_dir_exchange(const char *path, const char *temp, bool *done);

/*
 * Remove the shards, the completion file and the lock file from the directory
 * old, move everything else into path, and remove old. Anything of a name that
 * path has, too, keeps old.
 * returns  0; VS_EMACHINE: something in old could not be removed or moved
 */
int vs_replace_dir_retire(const char *old, const char *path);

/*
 * Clean up after processes that were killed while replacing path: restore its
 * name if it has none, and remove what they left. Files locked by a live
 * process stay.
 * returns  0; VS_EMACHINE
 */
int vs_replace_dir_recover(const char *path);

#endif
