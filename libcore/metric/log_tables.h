/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fixed-point tables of ln n! and n ln n: scores of contingency tables are sums
 * of their entries, so sums of integers, which are exact in any order.
 */
#ifndef VS_METRIC_LOG_TABLES_H
#define VS_METRIC_LOG_TABLES_H

#include <stdint.h>

/* Terms that a score sums over the cells and classes of its table. */
enum vs_log_kind {
	VS_LOG_FACTORIAL, /* ln n!; for a whole cell ln (n + 1)! */
	VS_LOG_ENTROPY,   /* n ln n */
	VS_LOG_KINDS
};

/*
 * Tables for up to n_field samples, in units of 2^-shift: one[n] for the n
 * samples of a cell and class, both[n] for the n samples of a cell. An entry is
 * within one unit of the true number, and the same on every machine. The sum
 * over a table of up to 27 cells fits 62 bits, so a score may have about 61
 * bits, more than a double.
 */
struct vs_log_tables {
	int64_t n_field;
	double unit; /* 2^-shift */
	int64_t *one, *both;
	int64_t *memory;
};

/* Allocate and fill the tables; free with vs_log_tables_free(). n_field < 2^24.
 * 0; VS_EMACHINE */
int vs_log_tables_new(struct vs_log_tables *t, enum vs_log_kind kind,
	int64_t n_field);
void vs_log_tables_free(struct vs_log_tables *t);

#endif
