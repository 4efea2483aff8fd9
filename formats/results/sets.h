/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of vectors that a run chose pairs or triples by, in a file. */
#ifndef VS_FORMATS_RESULTS_SETS_H
#define VS_FORMATS_RESULTS_SETS_H

#include "formats/h5/h5.h"
#include "libcore/base/digest.h"
#include "libcore/plan/wanted.h"

/*
 * "CONTENT DIGEST": the content of the earlier result, and XXH128 of w->old.
 * returns  0; VS_EMACHINE
 */
#define VS_SETS_AGAINST (2 * VS_DIGEST_TEXT)
int vs_sets_against(const struct vs_wanted *w, const char *content,
	char text[VS_SETS_AGAINST]);

/*
 * The present rows of an earlier result's n vectors: its row v has become
 * (*now)[v]; free with free(). 0; VS_EMACHINE
 */
int vs_sets_now(const struct vs_wanted *w, int64_t **now, uint64_t *n);

/* The same sets after each row v has become to[v]. 0; VS_EMACHINE */
int vs_sets_turn(const struct vs_wanted *w, const int64_t *to,
	struct vs_wanted *out);

/* "100 40000 0 DIGEST": vectors of the first set, of the second, of both. */
#define VS_SETS_TEXT (3 * 21 + VS_DIGEST_TEXT)
int vs_sets_text(const struct vs_wanted *w, char text[VS_SETS_TEXT]);

/*
 * "frequency DIGEST": an order of all vectors, and XXH128 of its n rows.
 * returns  0; VS_EMACHINE
 */
#define VS_SETS_ORDER (10 + VS_DIGEST_TEXT)
int vs_sets_order(const int64_t *row, uint64_t n, char text[VS_SETS_ORDER]);

/* Write /order/row: the row of each place, for w->n_vec vectors. */
int vs_sets_order_write(const struct vs_wanted *w, struct vs_h5_writer *writer,
	struct vs_codec codec);

/* Read it, as text states. 0; VS_EINPUT; VS_EMACHINE */
int vs_sets_order_read(struct vs_wanted *w, struct vs_h5_reader *r,
	const char *text);

/* The data sets of group /sets. */
int vs_sets_write(const struct vs_wanted *w, struct vs_h5_writer *writer,
	struct vs_codec codec);

/*
 * Read the sets, of some of w->n_vec vectors, that text states; with the rows
 * of an earlier result if against, from vs_sets_against(), is not empty.
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_sets_read(struct vs_wanted *w, struct vs_h5_reader *r, const char *text,
	const char *against);

#endif
