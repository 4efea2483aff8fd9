/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be asked of vectors, by the names that files and options have. */
#ifndef VS_FORMATS_ASKED_H
#define VS_FORMATS_ASKED_H

#include <stdbool.h>

/*
 * X(name, numbers, ploidy, cells, negative, labelled, gamma, multiplier)
 *
 * numbers     of vectors of numbers, else of genotypes of this ploidy; 0: any
 * cells       a value for each choice of alleles, else one
 * negative    values may be below 0
 * labelled    the one value is of the alleles labelled 1
 * gamma, multiplier  as the file states them
 */
#define VS_ASKED(X)                                        \
	X(ccc, false, 2, true, false, false, 2.0 / 3, 4.5) \
	X(duo, false, 1, true, false, false, 2.0 / 3, 4)   \
	X(ps, true, 0, false, false, false, 0, 0)          \
	X(r2, false, 0, false, false, false, 0, 0)         \
	X(r, false, 0, false, true, true, 0, 0)            \
	X(cosine, false, 0, false, false, true, 0, 0)

struct vs_asked {
	const char *name;
	bool numbers;
	int ploidy;
	bool cells, negative, labelled;
	double gamma, multiplier;
};

/* The one of this name, or null. */
const struct vs_asked *vs_asked_find(const char *name);

/* "|ccc|duo|...": the choices of an option begin behind the first bar. */
#define VS_ASKED_NAME(name, ...) "|" #name
#define VS_ASKED_NAMES VS_ASKED(VS_ASKED_NAME)

#endif
