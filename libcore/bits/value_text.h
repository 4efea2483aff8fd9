/* SPDX-License-Identifier: BSD-3-Clause */
/* Shortest decimals of the values of records, eight at a time. */
#ifndef VS_BITS_VALUE_TEXT_H
#define VS_BITS_VALUE_TEXT_H

#include <stdbool.h>

#include "libcore/base/record.h"
#include "libcore/bits/cpu.h"

#define VS_VALUE_TEXT 28 /* bytes that hold any double */

struct vs_value_text {
	char text[VS_VALUE_TEXT];
	int n; /* length; no NUL */
};

/*
 * The texts of the values of n records, as vs_num_print() or, if f32,
 * vs_num_print_f32() has them; by vs_cpu_now(), or at a level that the CPU
 * offers.
 */
void vs_value_text(const struct vs_record *rec, size_t n, bool f32,
	struct vs_value_text *to);
void vs_value_text_by(enum vs_cpu cpu, const struct vs_record *rec, size_t n,
	bool f32, struct vs_value_text *to);

#endif
