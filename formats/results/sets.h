/* SPDX-License-Identifier: BSD-3-Clause */
/* Two sets of vectors whose cross pairs a run compares, or triples of one of
 * each and any third; the second may be all vectors. */
#ifndef VS_FORMATS_RESULTS_SETS_H
#define VS_FORMATS_RESULTS_SETS_H

#include "formats/h5/h5.h"
#include "libcore/base/digest.h"
#include "libcore/base/record.h"
#include "libcore/plan/pair_filter.h"
#include "libcore/plan/plan.h"

/*
 * Rows of the vectors file, rising: of the first set only, of both, of the
 * second only, of triples all others, part after part. The first set is the one
 * with fewer vectors or, of two with as many, the one with the first row that
 * is in one alone.
 */
struct vs_sets {
	struct vs_between of; /* how many of each part */
	int64_t *row;         /* null: there are no sets */
	/* of a run that goes on from an earlier result: rows there of the
	 * vectors of the second set only, which are all of its; or null */
	int64_t *old;
};

/*
 * in  [n_vec], bit 0: the vector is in one set, bit 1: in the other
 * n_way  2 or 3 vectors of a record
 * returns  0; VS_EMACHINE
 */
int vs_sets_make(struct vs_sets *s, const uint8_t *in, uint64_t n_vec,
	int n_way);
/* Pairs between the sets that a filter wants, which is of vectors as the sets
 * are. 0; VS_EMACHINE */
int vs_sets_filtered(const struct vs_sets *s, const struct vs_pair_filter *f,
	uint64_t *n_pair);
void vs_sets_free(struct vs_sets *s); /* all zero is accepted */

/*
 * "CONTENT DIGEST": the content of the earlier result, and XXH128 of s->old.
 * returns  0; VS_EMACHINE
 */
#define VS_SETS_AGAINST (2 * VS_DIGEST_TEXT)
int vs_sets_against(const struct vs_sets *s, const char *content,
	char text[VS_SETS_AGAINST]);

/*
 * The rows that an earlier result's vectors have now, n of them: its row v has
 * become (*now)[v]; free with free(). 0; VS_EMACHINE
 */
int vs_sets_now(const struct vs_sets *s, int64_t **now, uint64_t *n);

/* The same sets after each row v has become to[v]. 0; VS_EMACHINE */
int vs_sets_turn(const struct vs_sets *s, const int64_t *to, uint64_t n_vec,
	struct vs_sets *out);

/* "100 40000 0 DIGEST": vectors of the first set, of the second, of both. */
#define VS_SETS_TEXT (3 * 21 + VS_DIGEST_TEXT)
int vs_sets_text(const struct vs_sets *s, char text[VS_SETS_TEXT]);

/* Index of each row in s->row, -1: in neither set; free with free(). */
int vs_sets_places(const struct vs_sets *s, uint64_t n_vec, int64_t **place);

/* True if a record has one vector of the first set and another of the second.
 * place: of vs_sets_places() */
bool vs_sets_want(const struct vs_sets *s, const int64_t *place,
	const struct vs_record *rec);

/* The tile that a record belongs to, by its number; place may be null. */
uint64_t vs_sets_tile_of(const struct vs_plan *plan, const int64_t *place,
	const struct vs_record *rec);

/* The data sets of group /sets. */
int vs_sets_write(const struct vs_sets *s, struct vs_h5_writer *w,
	struct vs_codec codec);

/*
 * Sets of some of n_vec vectors that are what text says; with the rows of an
 * earlier result where against, of vs_sets_against(), is not empty.
 * n_way  as of vs_sets_make()
 * returns  0; VS_EINPUT
 */
int vs_sets_read(struct vs_sets *s, struct vs_h5_reader *r, uint64_t n_vec,
	int n_way, const char *text, const char *against);

#endif
