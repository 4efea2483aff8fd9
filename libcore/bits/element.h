/* SPDX-License-Identifier: BSD-3-Clause */
/* Element type of a vector: a 2-bit genotype or a number. */
#ifndef VS_BITS_ELEMENT_H
#define VS_BITS_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Integer types in order; each holds all values of the one before it. */
enum vs_element {
	VS_BIT2, /* a genotype: 0, 1, 2 or missing */
	VS_NUM_U8,
	VS_NUM_U16,
	VS_NUM_U32,
	VS_NUM_F32,
	VS_NUM_F64,
};

/* Name in files: "bit2", "u8", "u16", "u32", "f32", "f64". */
const char *vs_element_name(enum vs_element e);

/* Element type of a name; false: unknown. */
bool vs_element_find(const char *name, enum vs_element *e);

/* Bytes of a number; 0 for a genotype. */
static inline size_t
vs_element_bytes(enum vs_element e)
{
	switch (e) {
	case VS_BIT2:
		break;
	case VS_NUM_U8:
		return 1;
	case VS_NUM_U16:
		return 2;
	case VS_NUM_U32:
	case VS_NUM_F32:
		return 4;
	case VS_NUM_F64:
		return 8;
	}
	return 0;
}

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

/* Number q of an array; exact, because a double holds all values of each
 * type. */
double vs_element_get(enum vs_element e, const void *numbers, size_t q);

/*
 * True if type e can hold the number: an integer type exactly, a real type any
 * number that rounds to a finite one.
 */
bool vs_element_fits(enum vs_element e, double number);

/*
 * Kinds of numbers other than finite ones of 0 or more. If a vector has
 * negative numbers but no huge ones, no sum overflows.
 */
enum vs_number_kind {
	VS_NUMBER_NEGATIVE = 1,
	VS_NUMBER_HUGE = 2,    /* of f64: 2^990 or more, either sign */
	VS_NUMBER_MISSING = 4, /* NaN */
	VS_NUMBER_INFINITE = 8
};

/* The kinds among n numbers of type e, as bits. */
unsigned vs_element_kinds(enum vs_element e, const void *numbers, size_t n);

/* Index of the first of n numbers whose kind is not allowed; n if none. */
size_t vs_element_odd(enum vs_element e, const void *numbers, size_t n,
	unsigned allowed);

/* Set number q of an array to a number for which vs_element_fits() is true, or
 * to NaN; -0 becomes 0. */
void vs_element_put(enum vs_element e, void *numbers, size_t q, double number);

#endif
