/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Members of struct vs_metric that each family reads, for the rows of rows.h:
 * MUST: a row has to set it; MAY: it is optional; NONE: it is ignored.
 *
 * MEMBER(name, alleles, moments, inner, minima, tables)
 */
#ifndef MEMBER
#define MEMBER(...)
#endif
MEMBER(name, MUST, MUST, MUST, MUST, MUST)
MEMBER(help, MUST, MUST, MUST, MUST, MUST)
MEMBER(family, MUST, MUST, MUST, MUST, MUST)
MEMBER(ploidy, MUST, MAY, NONE, NONE, NONE)
MEMBER(lowest, NONE, MAY, NONE, NONE, MAY)
MEMBER(highest, NONE, MUST, MUST, MUST, MUST)
MEMBER(itself, NONE, MAY, MAY, MAY, NONE)
MEMBER(lower, NONE, MAY, MAY, NONE, MAY)
MEMBER(labelled, NONE, MAY, NONE, NONE, NONE)
MEMBER(undefined, NONE, MAY, MAY, MAY, NONE)
MEMBER(device, MAY, MAY, NONE, MAY, MAY)
MEMBER(alleles, MUST, NONE, NONE, NONE, NONE)
MEMBER(numbers, NONE, MAY, MUST, NONE, NONE)
MEMBER(ranked, NONE, NONE, MAY, NONE, NONE)
MEMBER(centred, NONE, MAY, MAY, NONE, NONE)
MEMBER(squared, NONE, MAY, NONE, NONE, NONE)
MEMBER(phased, NONE, MAY, NONE, NONE, NONE)
MEMBER(value, NONE, MUST, NONE, MAY, NONE)
MEMBER(least, NONE, MAY, MAY, MAY, NONE)
MEMBER(plain, NONE, MUST, NONE, NONE, NONE)
MEMBER(log, NONE, NONE, NONE, NONE, MAY)
MEMBER(score, NONE, NONE, NONE, NONE, MAY)
MEMBER(needed, NONE, NONE, NONE, NONE, MAY)
MEMBER(whole, NONE, NONE, NONE, NONE, MAY)
MEMBER(cycles, NONE, NONE, NONE, NONE, MAY)
MEMBER(most, NONE, NONE, NONE, NONE, MAY)
MEMBER(trait, NONE, NONE, NONE, NONE, MAY)
MEMBER(additive, NONE, NONE, NONE, NONE, MAY)
MEMBER(plain_table, NONE, NONE, NONE, NONE, MAY)
MEMBER(plain_most, NONE, NONE, NONE, NONE, MAY)
MEMBER(plain_above, NONE, NONE, NONE, NONE, MAY)
#undef MEMBER
