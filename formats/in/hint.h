/* SPDX-License-Identifier: BSD-3-Clause */
/* Hints for unreadable input: the command that reads or converts a file, by its
 * suffix. */
#ifndef VS_FORMATS_IN_HINT_H
#define VS_FORMATS_IN_HINT_H

#include <stdbool.h>

#include "libcore/base/text.h"

/*
 * Append to words the command that reads or converts a file of this name:
 * "vsim-pack --vcf x.vcf.gz" or "plink2 --pfile x --make-bed --out x".
 *
 * known    false: the ending is unknown
 * returns  0; VS_EMACHINE
 */
int vs_hint_of(const char *name, struct vs_text *words, bool *known);

/* Refuse a file whose ending says that another program has to convert it. 0;
 * VS_EINPUT; VS_EMACHINE */
int vs_hint_refuse(const char *name);

/*
 * The option that reads genotypes of a PREFIX, or of one of its files, packed
 * or not; with endings also of a FILE by its suffix. Null: there is none.
 */
const char *vs_hint_reader(const char *name, bool endings);

/*
 * Append to the recorded sentence on why a reader could not open name: what
 * exists instead, and the command that reads it. Appends nothing if the
 * sentence begins with another file.
 *
 * option    the reader's option, "bfile"
 * suffixes  of the files of a PREFIX; null: name is a file
 * returns   code
 */
int vs_hint_instead(int code, const char *name, const char *option,
	const char *const *suffixes);

#endif
