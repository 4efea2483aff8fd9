/* SPDX-License-Identifier: BSD-3-Clause */
/* Nearest word of a list by edit distance, for hints in messages. */
#ifndef VS_BASE_NEAREST_H
#define VS_BASE_NEAREST_H

#include <stddef.h>

struct vs_nearest {
	const char *word; /* as it was typed, n_word bytes */
	size_t n_word;
	const char *best; /* the nearest candidate so far, or null */
	size_t n_best, distance;
};

/*
 * Changes that make one word of the other: letters put in, left out or
 * replaced, and neighbours exchanged, each of them one, and two where the first
 * letters are replaced; case does not count, and neither does _ in place of -.
 * More than 63 letters are cut.
 */
size_t vs_nearest_distance(const char *a, size_t n_a, const char *b,
	size_t n_b);

void vs_nearest_begin(struct vs_nearest *n, const char *word, size_t n_word);

/*
 * Look at one candidate. It is kept where it is nearer than all before and near
 * enough: one change for words of up to five letters, a third of the letters
 * for longer ones; or the word is its beginning, of two letters or more.
 */
void vs_nearest_try(struct vs_nearest *n, const char *word, size_t n_word);

#endif
