/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of genotype readers, made of the rows of formats/in/rows.h. */
#ifndef VS_FORMATS_IN_READERS_H
#define VS_FORMATS_IN_READERS_H

#include "formats/in/reader.h"

/* Reader number k, null past the last. */
const struct vs_reader_kind *vs_readers_at(size_t k);

/* For messages, appended: "--bfile, --vcf"; ", a1 and a2 with --bfile". 0;
 * VS_EMACHINE */
int vs_readers_list(struct vs_text *t);
int vs_readers_labels(struct vs_text *t);

#define READER(name) extern const struct vs_reader_kind vs_reader_##name;
#define MATRIX(name)
#include "formats/in/rows.h"
#undef READER
#undef MATRIX

#endif
