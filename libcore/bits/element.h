/* SPDX-License-Identifier: BSD-3-Clause */
/* What a field of a vector is: a genotype of two bits, or a number. */
#ifndef VS_BITS_ELEMENT_H
#define VS_BITS_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Unsigned integers go up; each holds all that the one before it holds. */
enum vs_element {
	VS_BIT2, /* a genotype: 0, 1, 2 or missing */
	VS_NUM_U8,
	VS_NUM_U16,
	VS_NUM_U32,
	VS_NUM_F32, /* finite and not negative, as VS_NUM_F64 */
	VS_NUM_F64,
};

/* "bit2", "u8", "u16", "u32", "f32", "f64": the word in a file */
const char *vs_element_name(enum vs_element e);

/* The element a word names; false: none. */
bool vs_element_find(const char *name, enum vs_element *e);

/* Bytes of a number; 0 for a genotype. */
size_t vs_element_bytes(enum vs_element e);

static inline bool
vs_element_is_number(enum vs_element e)
{
	return e != VS_BIT2;
}

static inline bool
vs_element_is_integer(enum vs_element e)
{
	return e == VS_NUM_U8 || e == VS_NUM_U16 || e == VS_NUM_U32;
}

/* Number q of an array of numbers; exact, as each fits a double. */
double vs_element_get(enum vs_element e, const void *numbers, size_t q);

/*
 * Can a number be kept in e? An integer type takes its integers only; a real
 * one any that is not negative and, rounded to nearest, finite.
 */
bool vs_element_fits(enum vs_element e, double number);

/* Which of n numbers of e is the first that is negative or not finite; n: none. */
size_t vs_element_odd(enum vs_element e, const void *numbers, size_t n);

/* Set number q of an array; it fits. -0 becomes 0. */
void vs_element_put(enum vs_element e, void *numbers, size_t q, double number);

#endif
