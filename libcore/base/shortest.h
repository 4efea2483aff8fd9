/* SPDX-License-Identifier: BSD-3-Clause */
/* Shortest decimal of a binary floating-point number (Schubfach). */
#ifndef VS_BASE_SHORTEST_H
#define VS_BASE_SHORTEST_H

#include <stdint.h>

/*
 * The decimal of fewest digits that lies nearer to c * 2^q than to its
 * neighbours (c - 1) * 2^q and (c + 1) * 2^q or, where c is even, halfway;
 * among decimals of equal length the nearest, and of two equally near the even
 * one.
 *
 * c        1 .. 2^53 - 1
 * q        -1074 .. 971
 * digits   out, times 10^exponent; may end in zeros
 * threads  safe
 */
void vs_shortest(uint64_t c, int q, uint64_t *digits, int *exponent);

#endif
