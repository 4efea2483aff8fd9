/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fields of a line, separated by tabs if it has any (names may then contain
 * blanks), otherwise by blanks.
 */
#ifndef VS_FORMATS_IN_FIELDS_H
#define VS_FORMATS_IN_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/in/text/lines.h"

/* Fields, not ended by NULs; all zero is empty. */
struct vs_fields {
	struct vs_word *field;
	size_t n, room;
};

/*
 * Split a line, which stays unchanged. Fields lose the blanks around them and
 * may be empty between tabs.
 *
 * tabs     false: words are separated by blanks or tabs
 * returns  0; VS_EMACHINE
 */
int vs_fields_split(struct vs_fields *f, char *line, bool tabs);

/* The same, by tabs if the line has any. */
int vs_fields_of(struct vs_fields *f, char *line);

/* Field k, with a NUL written after it in the line. */
char *vs_fields_text(struct vs_fields *f, size_t k);

void vs_fields_free(struct vs_fields *f);

#endif
