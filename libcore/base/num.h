/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsing and shortest round-trip printing of numbers. */
#ifndef VS_BASE_NUM_H
#define VS_BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

#define VS_NUM_ROOM 40 /* bytes that hold any number printed here */

/*
 * Parse text as an integer / a finite number; false, with *out untouched,
 * unless the whole of it is one.
 */
bool vs_num_int(const char *text, int64_t *out);

/* Parse "2/4", the second of four, of at most `most`; false likewise. */
bool vs_num_part(const char *text, int64_t most, int64_t *k, int64_t *n);
bool vs_num_real(const char *text, double *out);

/* The same of a decimal, inf or nan. */
bool vs_num_any(const char *text, double *out);

/* An integer with an optional K, M, G or T (powers of 1024). */
bool vs_num_size(const char *text, uint64_t *out);

/*
 * Print the shortest decimal that strtod() turns back into the same bits.
 * text  VS_NUM_ROOM bytes;  returns its length
 */
int vs_num_print(double value, char *text);

/* Like vs_num_print(), for a float. */
int vs_num_print_f32(float value, char *text);

/* Print an integer, without a NUL; returns its length. */
int vs_num_print_int(int64_t value, char *text);

/*
 * Print a sum that may exceed 64 bits, in decimal digits.
 * text  VS_NUM_WIDE bytes;  returns its length
 */
typedef unsigned __int128 vs_wide;
#define VS_NUM_WIDE 40
int vs_num_print_wide(vs_wide value, char *text);

/*
 * Parse text as a vs_wide; false, with *out untouched, unless the whole is one.
 */
bool vs_num_read_wide(const char *text, vs_wide *out);

#endif
