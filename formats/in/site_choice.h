/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of sites by id and by place. */
#ifndef VS_FORMATS_IN_SITE_CHOICE_H
#define VS_FORMATS_IN_SITE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/h5/provenance.h"
#include "formats/in/chromosome.h"
#include "formats/vectors/sites.h"
#include "libcore/base/text.h"

/* Ids of sites; all zero: no list. */
struct vs_site_list {
	struct vs_text_pool id;
	struct vs_text_index index;
	uint8_t *found; /* n of id; null: no list */
	bool turned;    /* some were found only by vs_sites_find() */
};

/* Chromosomes, by name apart from a leading chr, or by a range of numbers. */
struct vs_site_chromosome {
	const char *name; /* not NUL-terminated */
	size_t len;
	struct vs_chromosome of; /* X may be 23 in a file */
	int64_t lo, hi; /* bounds of a range, inclusive; else lo > hi */
	bool found;     /* some site is on it */
};

/* All zero lets every site pass. */
struct vs_site_choice {
	struct vs_site_list extract, exclude;
	struct vs_site_chromosome *chromosome; /* null: all */
	size_t n_chromosome;
	int64_t n_autosome;
	bool placed;      /* positions are restricted, too */
	int64_t from, to; /* both within */
};

/*
 * Read ids of a file, between blanks and line ends.
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_site_choice_list(struct vs_site_list *w, const char *path,
	struct vs_provenance *provenance);

/* Number of ids of a list that no site had, and the first of them. */
size_t vs_site_choice_missed(const struct vs_site_list *w, size_t *first);

/*
 * Parse a list of chromosomes, "1-4,X", which must stay valid.
 * returns  0; VS_EUSAGE; VS_EMACHINE
 */
int vs_site_choice_chromosomes(struct vs_site_choice *f, const char *list,
	int64_t n_autosome);

/* Decide on a site, and mark the words that match it. */
bool vs_site_choice_passes(struct vs_site_choice *f,
	const struct vs_site *site);

void vs_site_choice_free(struct vs_site_choice *f);

#endif
