/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of samples and variants: their greatest length, and their encoding. */
#ifndef VS_FORMATS_IN_NAMES_H
#define VS_FORMATS_IN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/base/text.h"

#define VS_NAMES_MOST 4096 /* bytes: vsim-vectors(5) */

/*
 * Shorten a name of more than VS_NAMES_MOST bytes to that many: its beginning,
 * a tilde and a digest of all of it, which keeps names distinct.
 */
int vs_names_shorten(struct vs_text *to, const char *name, size_t len);

/* True for a name in UTF-8, which includes ASCII. */
bool vs_names_utf8(const char *name, size_t len);

/* Counts of names that were shortened, and of those not in UTF-8. */
struct vs_names_said {
	int64_t n_shortened, n_not_utf8;
};

/* Add a name to a pool, shortened if necessary; said may be null. */
int vs_names_add(struct vs_text_pool *to, const char *name, size_t len,
	struct vs_names_said *said);

#endif
