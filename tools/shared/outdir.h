/* SPDX-License-Identifier: BSD-3-Clause */
/* The directory that a run writes its shards into. */
#ifndef VS_TOOLS_OUTDIR_H
#define VS_TOOLS_OUTDIR_H

#include <stdbool.h>

/*
 * Make it, or take one that holds no shards, unless the run resumes; force
 * removes the shards of an earlier run, nothing else. *made: it was not there.
 * returns  0; VS_EUSAGE; VS_EMACHINE
 */
int vs_outdir_make(const char *path, bool force, bool resume, bool *made);

/* One that was made and holds no result is not left behind. */
void vs_outdir_tidy(const char *path);

#endif
