/* SPDX-License-Identifier: BSD-3-Clause */
/* Nearest word of a list by edit distance. */
#include <ctype.h>
#include <string.h>

#include "libcore/base/minmax.h"
#include "libcore/base/nearest.h"

#define MOST 63 /* only this many letters of a word are compared */

static int
letter(char c)
{
	return c == '_' ? '-' : tolower((unsigned char)c);
}

/* Optimal string alignment distance; the last two rows are kept. */
size_t
vs_nearest_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	size_t row[3][MOST + 1], *two = row[0], *one = row[1], *now = row[2];

	n_a = vs_min_size(n_a, MOST);
	n_b = vs_min_size(n_b, MOST);
	for (size_t j = 0; j <= n_b; j++)
		one[j] = two[j] = j;
	for (size_t i = 1; i <= n_a; i++) {
		size_t *free_row = two;

		now[0] = i;
		for (size_t j = 1; j <= n_b; j++) {
			int x = letter(a[i - 1]), y = letter(b[j - 1]);

			/*
			 * "gpu" is not meant as "cpu": replacing the first
			 * letter costs 2
			 */
			now[j] = vs_min_size(one[j - 1] +
					(x == y                      ? 0
							: i + j == 2 ? 2
								     : 1),
				vs_min_size(one[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && x == letter(b[j - 2]) &&
				y == letter(a[i - 2]))
				now[j] = vs_min_size(now[j], two[j - 2] + 1);
		}
		two = one;
		one = now;
		now = free_row;
	}
	return one[n_b];
}

void
vs_nearest_begin(struct vs_nearest *n, const char *word, size_t n_word)
{
	*n = (struct vs_nearest){ .word = word, .n_word = n_word };
}

static int
begins_with(const char *word, size_t n_word, const char *start, size_t n)
{
	if (n < 2 || n >= n_word)
		return 0;
	while (n && letter(word[n - 1]) == letter(start[n - 1]))
		n--;
	return !n;
}

/* True for "prune" and "no-prune": end, two letters or more, is all of word
 * after a hyphen. */
static int
is_end_of(const char *end, size_t n, const char *word, size_t n_word)
{
	return n > 1 && n_word > n + 1 && letter(word[n_word - n - 1]) == '-' &&
		!vs_nearest_distance(end, n, word + n_word - n, n);
}

void
vs_nearest_try(struct vs_nearest *n, const char *word, size_t n_word)
{
	size_t limit = n->n_word < 6 ? 1 : n->n_word / 3;
	size_t d = vs_nearest_distance(n->word, n->n_word, word, n_word);

	if (begins_with(word, n_word, n->word, n->n_word) ||
		is_end_of(n->word, n->n_word, word, n_word) ||
		(n->n_word > n_word && letter(n->word[n_word]) == '-' &&
			begins_with(n->word, n->n_word, word, n_word)))
		d = 1;
	/* in a two-letter word one letter may differ, not both */
	if (n->n_word > MOST || d > limit || d >= n->n_word ||
		(n->best && d >= n->distance))
		return;
	n->best = word;
	n->n_best = n_word;
	n->distance = d;
}
