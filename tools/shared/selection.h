/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors picked by name, by place or by row. */
#ifndef VS_TOOLS_SHARED_SELECTION_H
#define VS_TOOLS_SHARED_SELECTION_H

#include "tools/shared/vector_names.h"

struct vs_pick {
	uint8_t *in; /* [n_vec] 1: picked */
	uint64_t n_vec, n_in;
	uint64_t last; /* the highest picked, when n_in > 0 */
};

/* How words pick: by id, by ids that are all to be there (VS_EINPUT), or by
 * original row (0-based). */
enum vs_pick_by { VS_PICK_ID, VS_PICK_EACH_ID, VS_PICK_ROW };

/*
 * By the words of a comma list, or those that begin the lines of FILE when
 * words is "@FILE". Each id may belong to several vectors. Words that pick
 * nothing are counted in a line on stderr.
 */
int vs_pick_words(struct vs_pick *pick, const struct vs_names *names,
	const char *words, enum vs_pick_by by);

/* By the words that begin the lines of a file; "-" is stdin. */
int vs_pick_file(struct vs_pick *pick, const struct vs_names *names,
	const char *file, enum vs_pick_by by);

/* By a comma list of CHROM, CHROM:POS, CHROM:FROM-TO, CHROM:FROM-. */
int vs_pick_regions(struct vs_pick *pick, const struct vs_names *names,
	const char *regions);

void vs_pick_free(struct vs_pick *pick); /* all-zero is accepted */

/* both: all ends must be picked, else one is enough. */
static inline bool
vs_pick_takes(const struct vs_pick *p, const struct vs_record *r, bool both)
{
	size_t n = (size_t)p->in[r->i] + p->in[r->j], all = 2;

	if (r->k != VS_NO_VEC) {
		n += p->in[r->k];
		all = 3;
	}
	return both ? n == all : n > 0;
}

#endif
