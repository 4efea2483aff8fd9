/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of vectors by id, region or row. */
#ifndef VS_TOOLS_SHARED_SELECTION_H
#define VS_TOOLS_SHARED_SELECTION_H

#include "tools/shared/vector_names.h"

struct vs_selection {
	uint8_t *in; /* [n_vec] 1: selected */
	uint64_t n_vec, n_in;
	uint64_t last; /* the highest selected, if n_in > 0 */
	/* digest of how the words select and of the words, sorted, without
	 * repeats */
	uint8_t digest[16];
};

/* How words select: by id, by ids that must all exist (VS_EINPUT), or by
 * original row (0-based). */
enum vs_selection_by {
	VS_SELECTION_ID,
	VS_SELECTION_EACH_ID,
	VS_SELECTION_ROW
};

/*
 * Select by the words of a comma-separated list, or of the first words of the
 * lines of FILE if words is "@FILE". Each id may belong to several vectors.
 * Words that select nothing are counted in a line on stderr.
 */
int vs_selection_words(struct vs_selection *pick,
	const struct vs_vector_names *names, const char *words,
	enum vs_selection_by by);

/* Select by the first words of the lines of a file; "-" is stdin. */
int vs_selection_file(struct vs_selection *pick,
	const struct vs_vector_names *names, const char *file,
	enum vs_selection_by by);

/* Select by a comma-separated list of CHROM, CHROM:POS, CHROM:FROM-TO,
 * CHROM:FROM-. */
int vs_selection_regions(struct vs_selection *pick,
	const struct vs_vector_names *names, const char *regions);

void vs_selection_free(struct vs_selection *pick); /* all-zero is accepted */

/* A selection that is all zero, not requested, includes all vectors. */
static inline bool
vs_selection_has(const struct vs_selection *p, uint64_t v)
{
	return !p->in || p->in[v];
}

/* both: all ends must be selected, else one is enough. */
static inline bool
vs_selection_includes(const struct vs_selection *p, const struct vs_record *r,
	bool both)
{
	size_t n, all = 2;

	if (!p->in)
		return true;
	n = (size_t)p->in[r->i] + p->in[r->j];
	if (r->k != VS_NO_VEC) {
		n += p->in[r->k];
		all = 3;
	}
	return both ? n == all : n > 0;
}

#endif
