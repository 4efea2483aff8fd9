/* SPDX-License-Identifier: BSD-3-Clause */
/* Nearest word of a list by edit distance, for hints in messages. */
#ifndef VS_BASE_NEAREST_H
#define VS_BASE_NEAREST_H

#include <stddef.h>

struct vs_nearest {
	const char *word; /* as typed, n_word bytes */
	size_t n_word;
	const char *best; /* the nearest candidate so far, or null */
	size_t n_best, distance;
};

/*
 * Optimal string alignment distance: insertion, deletion, replacement and
 * transposition of neighbours cost 1, replacement of the first letter 2. Case
 * is ignored, and _ equals -. Words are truncated to 63 letters.
 */
size_t vs_nearest_distance(const char *a, size_t n_a, const char *b,
	size_t n_b);

void vs_nearest_begin(struct vs_nearest *n, const char *word, size_t n_word);

/*
 * Consider one candidate. It becomes the best if it is nearer than all earlier
 * ones and near enough: one change for words of up to five letters, a third of
 * the letters for longer ones; or if the word, of two letters or more, is its
 * prefix.
 */
void vs_nearest_try(struct vs_nearest *n, const char *word, size_t n_word);

#endif
