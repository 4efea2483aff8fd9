/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of numbers in the cells of a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/in/number_cell.h"

/*
 * Digits with at most one decimal mark: below 2^53 over a power of ten up to
 * 10^15 one division rounds as strtod() does.
 */
static bool
plain_decimal(const struct vs_cell *c, char decimal, double *x)
{
	static const double power[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	bool minus = *c->text == '-';
	const char *at = c->text + minus, *mark = NULL;
	const char *end = c->text + c->len;
	uint64_t whole = 0;

	if (end - at > 16)
		return false;
	for (; at < end; at++) {
		unsigned digit = (unsigned char)*at - '0';

		if (digit <= 9)
			whole = 10 * whole + digit;
		else if (*at == decimal && !mark)
			mark = at;
		else
			return false;
	}
	at = c->text + minus;
	if (end - at - !!mark < 1 || end - at - !!mark > 15)
		return false;
	*x = (double)whole;
	if (mark)
		*x /= power[end - mark - 1];
	if (minus)
		*x = -*x;
	return true;
}

bool
vs_number_cell_listed(const struct vs_cell *c, const struct vs_table_how *how)
{
	const char *list = how->missing;

	for (; list && *list; list += *list == ',') {
		size_t n = strcspn(list, ",");

		if (n == c->len && !memcmp(list, c->text, n))
			return true;
		list += n;
	}
	return false;
}

/* strtod() of a word with another decimal mark. */
static bool
read_real(const struct vs_cell *c, char decimal, double *x)
{
	char *mark = decimal == '.' ? NULL : strchr(c->text, decimal), *end;

	/* neither 0x10 nor nan(1), nor the other mark */
	if (strspn(c->text,
		    decimal == '.' ? "+-.0123456789eE" : "+-,0123456789eE") !=
			c->len &&
		strcasecmp(c->text + strspn(c->text, "+-"), "inf"))
		return false;
	if (mark)
		*mark = '.';
	*x = strtod(c->text, &end);
	if (mark)
		*mark = decimal;
	return !*end && end != c->text;
}

/*
 * Digits with commas, points, apostrophes or blanks between them, as in numbers
 * with decimal commas or separators of thousands; 1.2.3 is a word.
 */
static bool
is_grouped(const struct vs_cell *c)
{
	static const char digits[] = "0123456789";
	const char *at = c->text + strspn(c->text, "+-");
	size_t groups = 0, points = 0, n;

	for (; (n = strspn(at, digits)); groups++) {
		if (points && n != 3)
			return false;
		at += n;
		points += *at == '.' && groups;
		if (!*at || !strchr(",.' ", *at))
			break;
		at++;
	}
	/* an exponent may follow */
	if (n && (*at == 'e' || *at == 'E')) {
		at += 1 + strspn(at + 1, "+-");
		groups *= strspn(at, digits) > 0;
		at += strspn(at, digits);
	}
	return groups > 0 && !*at;
}

/* A spreadsheet error, #DIV/0! or #NAME?, or a question mark. */
static bool
is_error(const struct vs_cell *c)
{
	return !strcmp(c->text, "?") ||
		(c->len > 2 && *c->text == '#' &&
			strchr("!?", c->text[c->len - 1]));
}

enum vs_cell_kind
vs_number_cell_any(const struct vs_cell *c, const struct vs_table_how *how,
	double *x)
{
	char decimal = how->decimal;

	*x = NAN;
	if (vs_number_cell_listed(c, how))
		return VS_CELL_MISSING;
	if (plain_decimal(c, decimal, x))
		return VS_CELL_VALUE;
	if (vs_lines_word_missing(c->text, c->len) && strcmp(c->text, "-9"))
		return VS_CELL_MISSING;
	if (read_real(c, decimal, x))
		return VS_CELL_VALUE;
	return is_grouped(c) || is_error(c) ? VS_CELL_ODD : VS_CELL_TEXT;
}
