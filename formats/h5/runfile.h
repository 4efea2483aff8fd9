/* SPDX-License-Identifier: BSD-3-Clause */
/* YAML runfiles: options of a program in a file, vsim-runfile(5). */
#ifndef VS_FORMATS_H5_RUNFILE_H
#define VS_FORMATS_H5_RUNFILE_H

#include "libcore/base/opt.h"

#define VS_RUNFILE_NAME "run.yaml" /* in a directory of shards */

/*
 * Read a mapping of option names to values and set each option that the command
 * line has not set. "input" is stored in *input if that is still null (free
 * with free()).
 * returns 0; VS_EINPUT (not YAML, not a mapping); VS_EUSAGE (an option)
 */
int vs_runfile_read(const char *path, struct vs_opt *table, char **input);

/*
 * Write the file that repeats a program: comment lines, the input, and every
 * option of the table that was set.
 */
int vs_runfile_write(const char *path, const char *comment,
	const struct vs_opt *table, const char *input);

#endif
