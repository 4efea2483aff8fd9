/* SPDX-License-Identifier: BSD-3-Clause */
/* Input file, or standard input as "-", with a digest of the bytes read. */
#ifndef VS_FORMATS_IN_TEXT_SOURCE_H
#define VS_FORMATS_IN_TEXT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "formats/h5/provenance.h"
#include "libcore/base/digest.h"

struct vs_source {
	int fd;           /* -1 when closed */
	char *path;       /* as given */
	const char *name; /* for messages: path or "standard input" */
	bool regular;
	int64_t size;             /* of a regular file, else -1 */
	struct timespec modified; /* when it was opened */
	uint64_t at;              /* offset of the next byte */
	uint64_t n_read;          /* bytes so far */
	struct vs_digest *digest;
};

/*
 * Open path for reading from its beginning.
 * returns  0; VS_EINPUT (absent, a directory, not permitted); VS_EMACHINE
 */
int vs_source_open(struct vs_source *s, const char *path);

/* Read up to room bytes, fewer from a pipe; *got is 0 at the end. 0;
 * VS_EMACHINE */
int vs_source_read(struct vs_source *s, void *bytes, size_t room, size_t *got);

/* Continue at a byte of a regular file. 0; VS_EMACHINE */
int vs_source_seek(struct vs_source *s, uint64_t at);

/* Read n bytes at an offset, independently of other reads. 0; VS_EINPUT;
 * VS_EMACHINE */
int vs_source_peek(const struct vs_source *s, uint64_t at, void *bytes,
	size_t n);

/* Record name, size and digest of what was read. p may be null. */
int vs_source_note(const struct vs_source *s, struct vs_provenance *p);

/*
 * The same for a regular file of which a part was read: instead of a digest it
 * gets a probe, which differs for most files that might replace it: the digest
 * of VS_SOURCE_BLOCKS blocks of VS_SOURCE_BLOCK bytes spread evenly over the
 * file, the first and the last among them, and the time of modification.
 * returns  0; VS_EINPUT: it was changed since it was opened; VS_EMACHINE
 */
#define VS_SOURCE_BLOCKS 64
#define VS_SOURCE_BLOCK 4096
int vs_source_note_part(const struct vs_source *s, struct vs_provenance *p);

void vs_source_close(struct vs_source *s); /* all zero is accepted */

#endif
