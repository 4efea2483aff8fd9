/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract of a unit test program: lines "ok - text", "not ok - text",
 * "skip - text" on stdout, exit 0 when nothing failed.  tests/run counts them.
 * A crash counts as one failure. T_LONG is true where all is wanted, by make
 * check-more: without it what takes seconds is tried on a part. A program that
 * says T_INSTALL is part of make check, others of make check-dev.
 *
 *	T_OK(sum == 3, "sum of %d fields", n);
 *	T_SKIP("no AVX2 here");
 *	return T_DONE();
 */
#ifndef VS_TESTS_UNIT_TEST_H
#define VS_TESTS_UNIT_TEST_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int t_failed;
static int t_counted;

/* returns cond, so that a loop can stop at the first failure */
__attribute__((format(printf, 4, 5), unused)) static int
t_ok(int cond, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs(cond ? "ok - " : "not ok - ", stdout);
	vprintf(fmt, ap);
	va_end(ap);
	if (!cond)
		printf("  (%s:%d)", file, line);
	putchar('\n');
	fflush(stdout);
	t_counted++;
	t_failed += !cond;
	return cond;
}

__attribute__((unused)) static int
t_done(void)
{
	if (!t_counted)
		puts("not ok - no test was counted");
	return t_failed || !t_counted;
}

#define T_OK(cond, ...) t_ok(!!(cond), __FILE__, __LINE__, __VA_ARGS__)
#define T_SKIP(text) (puts("skip - " text), t_counted++)
#define T_LONG (getenv("LONG") != NULL)
#define T_DONE() t_done()

#endif
