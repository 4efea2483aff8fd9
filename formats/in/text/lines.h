/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Line reader of text files, plain or packed by gzip or zstd (detected by the
 * first bytes, not the name), or of standard input as "-". Other packed files
 * are refused, a UTF-8 byte order mark is skipped. Lines have at most
 * VS_LINES_MOST bytes and end in LF or CR LF; the last line may lack its end.
 * Raw bytes can be read, too.
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
 * The same, but threads, the caller included, unpack blocks of bgzip, and the
 * empty block that ends such a file is required.
 */
int vs_lines_open_threads(struct vs_lines **l, const char *path, int threads);

/*
 * Next line, NUL-terminated, without its end; valid until the next call, and
 * the caller may change it. A line with a NUL byte is refused.
 * returns  1; 0 when there are no more; negative
 */
int vs_lines_next(struct vs_lines *l, char **line, size_t *len);

/* Next line that is not blank; otherwise like vs_lines_next(). */
int vs_lines_next_full(struct vs_lines *l, char **line, size_t *len);

/* The same, skipping comments, which begin with #, as in PLINK. */
int vs_lines_next_data(struct vs_lines *l, char **line, size_t *len);

/* End of a message about the first line that is not a comment, which may be a
 * header; empty for other lines. */
const char *vs_lines_header_hint(const struct vs_lines *l);

/*
 * Peek at the next n unpacked bytes, or those before the end. *bytes is valid
 * until the next call.
 */
int vs_lines_peek(struct vs_lines *l, size_t n, const char **bytes,
	size_t *got);

/* Skip n bytes that were peeked at. */
void vs_lines_skip(struct vs_lines *l, size_t n);

/* Read n bytes, which may include NULs; *got is less only at the end. */
int vs_lines_bytes(struct vs_lines *l, void *bytes, size_t n, size_t *got);

/* Upper bound of the unpacked bytes that can follow; UINT64_MAX: unknown. */
uint64_t vs_lines_left(const struct vs_lines *l);

/*
 * From now on deliver only the lines of a part, those that begin in its bytes,
 * among lines not delivered yet. k and n are set; the rest is filled in. Parts
 * are about equal in bytes of the file, which is plain or packed by bgzip.
 * Except in the first part, lines are counted from the part's beginning.
 * returns  0; VS_EINPUT: the file cannot be cut; VS_EMACHINE
 */
int vs_lines_cut(struct vs_lines *l, struct vs_part *part);

/* The same from a given byte on, whose lines may have been delivered; number
 * counts the lines before. */
int vs_lines_cut_at(struct vs_lines *l, uint64_t at, uint64_t number,
	struct vs_part *part);

/*
 * The same for a file that does not consist of lines: deliver the bytes from
 * where the part begins, possibly inside a record, and on past its end.
 *
 * header  bytes, unpacked, that belong to no part
 */
int vs_lines_cut_bytes(struct vs_lines *l, uint64_t header,
	struct vs_part *part);

/* Unpacked bytes delivered so far; except in the first part, from its
 * beginning. */
uint64_t vs_lines_at(const struct vs_lines *l);

/* The same for the end of a part; UINT64_MAX: not reached yet, or the end of
 * the file. */
uint64_t vs_lines_part_end(const struct vs_lines *l);

/*
 * Skip to this uncompressed byte, at or after the next one, in a file that is
 * only partly read. 0; VS_EINPUT: there is no such byte; VS_EMACHINE
 */
int vs_lines_seek(struct vs_lines *l, uint64_t at);

/* Path or "standard input", for messages. */
const char *vs_lines_name(const struct vs_lines *l);

/* Whether the file is packed, and whether LF ended the line delivered last. */
bool vs_lines_packed(const struct vs_lines *l);
bool vs_lines_ended(const struct vs_lines *l);

/* Number of the line delivered last, from 1. */
uint64_t vs_lines_number(const struct vs_lines *l);

/* vs_fail(VS_EINPUT), prefixed with "NAME: line N: ". */
int vs_lines_fail(const struct vs_lines *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Record the source after all lines were read. p may be null. */
int vs_lines_note(const struct vs_lines *l, struct vs_provenance *p);

void vs_lines_close(struct vs_lines *l); /* null is accepted */

/*
 * Next word of a line, separated by blanks (spaces or tabs); *at moves past it;
 * the word is NUL-terminated in place. Null: no more.
 */
char *vs_lines_word(char **at, size_t *len);

struct vs_word {
	char *text;
	size_t len;
};

/* The next words, at most `most`; returns how many. */
size_t vs_lines_words(char **at, struct vs_word *word, size_t most);

/* A word that means "no value", in any case: NA, NaN, N/A, #N/A, <NA>, null,
 * None, ".", "-9" ..., or nothing. */
bool vs_lines_word_missing(const char *word, size_t len);

#endif
