/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers from text and back, whole words only. */
#ifndef VS_BASE_NUM_H
#define VS_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VS_NUM_ROOM 32 /* bytes that hold any number printed here */

/* The whole of text is an integer / a finite number; *out only when so. */
bool vs_num_int(const char *text, int64_t *out);
bool vs_num_real(const char *text, double *out);

/* An integer with an optional K, M, G or T (powers of 1024). */
bool vs_num_size(const char *text, uint64_t *out);

/*
 * Shortest decimal that strtod() turns back into the same bits.
 * text  VS_NUM_ROOM bytes;  returns its length
 */
int vs_num_print(double value, char *text);

/* The same for a float. */
int vs_num_print_f32(float value, char *text);

/*
 * Sums that may pass 64 bits, in decimal digits.
 * text  VS_NUM_WIDE bytes;  returns its length
 */
typedef unsigned __int128 vs_wide;
#define VS_NUM_WIDE 40
int vs_num_print_wide(vs_wide value, char *text);

/* The whole of text is such a number; *out only when so. */
bool vs_num_read_wide(const char *text, vs_wide *out);

#endif
