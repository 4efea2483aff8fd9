/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Line reader of text files, plain or packed by gzip or zstd (detected from the
 * first bytes, not the name), or of standard input as "-". What others pack is
 * refused, a byte order mark of UTF-8 is passed over. Lines have at most
 * VS_LINES_MOST bytes and end in LF or CR LF; the last need not end. Its bytes
 * can be had as they are, too.
 */
#ifndef VS_FORMATS_IN_TEXT_LINES_H
#define VS_FORMATS_IN_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/h5/provenance.h"
#include "formats/vectors/part.h"

#define VS_LINES_MOST (256u << 20)

struct vs_lines;

int vs_lines_open(struct vs_lines **l, const char *path);

/*
 * The same, but blocks of bgzip are unpacked by threads, the caller among them,
 * and the empty block that ends such a file has to be there.
 */
int vs_lines_open_threads(struct vs_lines **l, const char *path, int threads);

/*
 * Next line, NUL-terminated, without its end; the caller may change it; it
 * lives until the next call. A line that holds a NUL byte is refused.
 * returns  1; 0 when there are no more; negative
 */
int vs_lines_next(struct vs_lines *l, char **line, size_t *len);

/* Next line that is not blank; otherwise like vs_lines_next(). */
int vs_lines_next_full(struct vs_lines *l, char **line, size_t *len);

/* The same, skipping comments, which begin with #, as in PLINK. */
int vs_lines_next_data(struct vs_lines *l, char **line, size_t *len);

/* Words for the end of a message on the first line but comments: it may be a
 * header. Of any other line they are none. */
const char *vs_lines_header_hint(const struct vs_lines *l);

/*
 * Peek at the next n unpacked bytes, or at those before the end. *bytes lives
 * until the next call.
 */
int vs_lines_peek(struct vs_lines *l, size_t n, const char **bytes,
	size_t *got);

/* Pass over n bytes that were peeked at. */
void vs_lines_skip(struct vs_lines *l, size_t n);

/* Read n bytes, NUL bytes too; *got is less only at the end. */
int vs_lines_bytes(struct vs_lines *l, void *bytes, size_t n, size_t *got);

/* No more unpacked bytes than this can come; UINT64_MAX: unknown. */
uint64_t vs_lines_left(const struct vs_lines *l);

/*
 * From now on give the lines of a part alone, of those not given yet: the lines
 * that begin in its bytes. k and n are set; the rest is filled in. Parts are
 * about equal in bytes of the file, which is plain or packed by bgzip. Lines of
 * a part but the first are counted from its beginning.
 * returns  0; VS_EINPUT: the file cannot be cut; VS_EMACHINE
 */
int vs_lines_cut(struct vs_lines *l, struct vs_part *part);

/* The same of lines from a byte on that may have been given; number counts
 * those before. */
int vs_lines_cut_at(struct vs_lines *l, uint64_t at, uint64_t number,
	struct vs_part *part);

/*
 * The same of a file that does not consist of lines: give the bytes from where
 * the part begins, in the midst of anything, and on behind its end.
 *
 * header  bytes, unpacked, that belong to no part
 */
int vs_lines_cut_bytes(struct vs_lines *l, uint64_t header,
	struct vs_part *part);

/* Unpacked bytes given so far, of a part but the first from where it begins. */
uint64_t vs_lines_at(const struct vs_lines *l);

/* The same where a part ends; UINT64_MAX: at none that has been read yet, or at
 * the end of all. */
uint64_t vs_lines_part_end(const struct vs_lines *l);

/*
 * Continue from this uncompressed byte, at or after the next one, in a file
 * that is only partly read. 0; VS_EINPUT: there is no such byte; VS_EMACHINE
 */
int vs_lines_seek(struct vs_lines *l, uint64_t at);

/* Path or "standard input", for messages. */
const char *vs_lines_name(const struct vs_lines *l);

/* Whether the file is packed, and whether LF ends the line last given. */
bool vs_lines_packed(const struct vs_lines *l);
bool vs_lines_ended(const struct vs_lines *l);

/* Number of the line last given, from 1. */
uint64_t vs_lines_number(const struct vs_lines *l);

/* vs_fail(VS_EINPUT) with "NAME: line N: " in front. */
int vs_lines_fail(const struct vs_lines *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* State the source once all lines were read. p may be null. */
int vs_lines_note(const struct vs_lines *l, struct vs_provenance *p);

void vs_lines_close(struct vs_lines *l); /* null is accepted */

/*
 * Next word of a line of words separated by blanks (spaces or tabs); *at moves
 * past it; the word is NUL-terminated in place. Null: no more.
 */
char *vs_lines_word(char **at, size_t *len);

/* A word that means "no value", in any case: NA, NaN, N/A, #N/A, <NA>, null,
 * None, ".", "-9" ..., or nothing. */
bool vs_lines_word_missing(const char *word, size_t len);

#endif
