/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Greedy LD pruning by the rule of PLINK 1.9's --indep-pairwise. In a window,
 * each variant in turn is paired with the next one that exceeds the bound with
 * it, and the one of the two with the rarer allele is removed, or the second if
 * they are equal; this is repeated until nothing is removed. Then the window
 * moves on.
 */
#ifndef VS_TOOLS_SHARED_PRUNE_H
#define VS_TOOLS_SHARED_PRUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/vectors/sites.h"

/* Distance within which pairs count; all 0: all pairs count. */
struct vs_ld_window {
	int64_t variants; /* variants in a window, consecutive */
	int64_t bases;    /* distance from its first to its last */
};

/* True for a variant of chromosome 0, which is in no window. */
static inline bool
vs_prune_is_unplaced(const struct vs_site *site)
{
	return site->contig_len == 1 && *site->contig == '0';
}

/* Copies of the rarer allele, and of both; both 0 if all samples have one
 * genotype. */
void vs_prune_alleles(const struct vs_site *site, int ploidy, int64_t out[2]);

/* Values of the options. */
struct vs_prune {
	const char *prefix, *window;
	int64_t step; /* variants from one window to the next; 0: 1 */
};

/* Check the options, and read the window. 0; VS_EUSAGE */
int vs_prune_check(const struct vs_prune *p, struct vs_ld_window *w);

/* A variant of the scan. */
struct vs_prune_place {
	int64_t pos;        /* bases */
	int64_t alleles[2]; /* the rarer one, and both */
	uint64_t row;       /* for the caller */
	int32_t contig;
	bool out; /* removed */
	/* 0 at first: */
	uint64_t skip; /* number of places after it that are all removed */
	uint64_t next; /* pairs with those before it are decided */
};

/* Variants in genome order; more may follow. */
struct vs_prune_scan {
	struct vs_ld_window window;
	uint64_t step;
	uint64_t n; /* number known so far */
	/* variant v is place[v & mask]; those before begin may be gone */
	struct vs_prune_place *place;
	uint64_t mask;
	uint64_t begin, end; /* of the window; all before it is decided */
	/* the first of [from, end) that is not removed and exceeds the bound
	 * with variant a; end: none */
	uint64_t (*find)(void *with, uint64_t a, uint64_t from, uint64_t end);
	void *with;
};

static inline struct vs_prune_place *
vs_prune_place_of(const struct vs_prune_scan *s, uint64_t v)
{
	return &s->place[v & s->mask];
}

/* Prune the windows that are complete; all: no more variants follow. */
void vs_prune_scan(struct vs_prune_scan *s, bool all);

/* Refuse early if the lists cannot be written. 0; VS_EUSAGE; VS_EMACHINE */
int vs_prune_may_write(const char *prefix, bool force);

/*
 * Write PREFIX.prune.in, the ids of variants that are kept, and
 * PREFIX.prune.out, the ids of those removed. A variant that shares its id with
 * a removed one is removed too, with a warning.
 * row     [n] of the variants in id, in the order of the lists; null: all
 * out     [n] 1: removed; changed
 */
int vs_prune_write(const char *prefix, const struct vs_text_pool *id,
	uint64_t n, const int64_t *row, uint8_t *out);

#endif
