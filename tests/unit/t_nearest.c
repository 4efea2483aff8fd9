/* SPDX-License-Identifier: BSD-3-Clause */
/* Edit distance compared with a plain recursion; which word is the nearest. */
#include <string.h>

#include "libcore/base/nearest.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

/* Edit distance of the rests after i and j letters, by the definition. */
static size_t
plain(const char *a, size_t i, const char *b, size_t j)
{
	size_t best, other;

	if (!i || !j)
		return i + j;
	best = plain(a, i - 1, b, j) + 1;
	other = plain(a, i, b, j - 1) + 1;
	best = other < best ? other : best;
	other = plain(a, i - 1, b, j - 1) +
		(a[i - 1] == b[j - 1]              ? 0
				: i == 1 && j == 1 ? 2
						   : 1);
	best = other < best ? other : best;
	if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
		other = plain(a, i - 2, b, j - 2) + 1;
		best = other < best ? other : best;
	}
	return best;
}

static void
distances(void)
{
	struct vs_rng rng;
	int wrong = 0;

	vs_rng_seed(&rng, 7);
	for (int k = 0; k < 2000; k++) {
		char a[8], b[8];
		size_t n_a = vs_rng_below(&rng, 7), n_b = vs_rng_below(&rng, 7);

		for (size_t x = 0; x < 8; x++) {
			a[x] = (char)('a' + vs_rng_below(&rng, 3));
			b[x] = (char)('a' + vs_rng_below(&rng, 3));
		}
		wrong += vs_nearest_distance(a, n_a, b, n_b) !=
			plain(a, n_a, b, n_b);
		wrong += vs_nearest_distance(a, n_a, a, n_a) != 0;
	}
	T_OK(!wrong, "%d distances of random words are wrong", wrong);
}

static void
nearest(const char *word, const char *words, const char *want)
{
	struct vs_nearest n;

	vs_nearest_begin(&n, word, strlen(word));
	for (const char *p = words; *p; p += *p == ' ') {
		vs_nearest_try(&n, p, strcspn(p, " "));
		p += strcspn(p, " ");
	}
	T_OK(n.best ? strlen(want) == n.n_best &&
				!strncmp(n.best, want, n.n_best)
		    : !*want,
		"%s of %s: %.*s", word, words, (int)n.n_best,
		n.best ? n.best : "");
}

int
main(void)
{
	char longer[200];

	distances();
	nearest("CC", "ccc duo ps", "ccc");
	nearest("gpu", "auto cpu cuda", "");
	nearest("treshold", "top threads threshold", "threshold");
	nearest("dry_run", "dry-run", "dry-run");
	nearest("major", "minor alt", "");
	nearest("x", "r r2", "");
	nearest("", "r r2", "");
	nearest("outptu", "output", "output");
	nearest("comm", "commit-every config", "commit-every");
	nearest("prune", "threshold no-prune", "no-prune");
	nearest("prune", "noprune no-bind", "");
	nearest("output-file", "file output", "output");
	nearest("output_file", "file output", "output");
	nearest("outputs-file", "file output", "");
	nearest("r-squared", "r r2", "");
	memset(longer, 'a', sizeof(longer));
	longer[199] = 0;
	nearest(longer, "output", "");
	return T_DONE();
}
