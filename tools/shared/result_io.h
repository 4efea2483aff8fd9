/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing of result files, shared by the tools. */
#ifndef VS_TOOLS_SHARED_RESULT_IO_H
#define VS_TOOLS_SHARED_RESULT_IO_H

#include "formats/results/result.h"
#include "libcore/base/text.h"

#define VS_BLOCK 65536 /* records read or written at a time */
#define VS_BLOCK_ROOM (VS_BLOCK + 8)

/*
 * Codec of --codec and --level; level 0 is the default, 1.
 * returns  0; VS_EUSAGE
 */
int vs_result_io_codec(struct vs_codec *codec, const char *name, int64_t level);

/* True if two paths lead to the same file. */
bool vs_result_io_same_file(const char *a, const char *b);

/* Refuse early what vs_file_create() would refuse after long work. */
int vs_result_io_may_write(const char *path, bool force);

/*
 * A text file written after the computation, to path or, for "-", to stdout,
 * replacing an existing file. The first function refuses an unwritable path
 * early; null: no file.
 */
int vs_result_io_side(const char *path);
int vs_result_io_print(const char *path, const struct vs_text *t);

/* This machine's name, or "" where it has none. */
#define VS_HOST_ROOM 256
void vs_result_io_host(char host[VS_HOST_ROOM]);

/*
 * The steps and sources of an input, if there is one, followed by this
 * program's own step, which ends when it writes.
 * content  of the input, or null
 * run      its uuid, or null
 * host     name this machine
 */
int vs_result_io_step(struct vs_provenance *p, struct vs_h5_reader *input,
	const char *content, const char *started, const char *run, bool host);

/*
 * Call use() for the records [lo, hi) in order, at most VS_BLOCK_ROOM at a
 * time. Records of a pair or triple, which are adjacent, stay together. A
 * nonzero code ends it.
 */
int vs_result_io_each(struct vs_result *r, uint64_t lo, uint64_t hi,
	int (*use)(void *with, struct vs_record *rec, size_t n), void *with);

/* Add records to a sum. */
void vs_result_io_sum(struct vs_digest_sum *sum, const struct vs_record *rec,
	size_t n);

#endif
