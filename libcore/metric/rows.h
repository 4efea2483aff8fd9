/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics: X(name, fold, p, q, two, three) with multiplier p / q, which with
 * gamma 2/3 leaves 1 / two of pairs and 1 / three of triples.
 */
X(ccc, 1, 9, 2, 8, 48)
X(duo, 2, 4, 1, 9, 54)
