/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Number parsing against a plain reading of the grammar by hand and strtod();
 * printing of the eight first bytes as a double against a search for the
 * shortest text that reads back to the same bits.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "libcore/base/num.h"
#include "tests/fuzz/fuzz.h"

const unsigned fuzz_rounds = 200000;

/* An optional sign, then digits. */
static int
is_int(const char *t)
{
	t += *t == '-' || *t == '+';
	return *t && strspn(t, "0123456789") == strlen(t);
}

/* The number of significant digits of a text. */
static int
n_digit(const char *t)
{
	char digits[VS_NUM_ROOM];
	int n = 0;

	for (; *t && *t != 'e'; t++)
		if (isdigit((unsigned char)*t) && (n || *t != '0'))
			digits[n++] = *t;
	while (n && digits[n - 1] == '0')
		n--;
	return n;
}

static void
print(const uint8_t *bytes)
{
	char text[VS_NUM_ROOM], least[40];
	double value, back;
	float single;
	int digits = 0;

	memcpy(&value, bytes, 8);
	memcpy(&single, bytes, 4);
	if (isfinite(value)) {
		FUZZ_HOLDS(vs_num_print(value, text) == (int)strlen(text),
			"length of %s", text);
		back = strtod(text, NULL);
		FUZZ_HOLDS(!memcmp(&back, &value, 8), "%a is printed as %s",
			value, text);
		do
			snprintf(least, sizeof(least), "%.*e", digits++, value);
		while (strtod(least, NULL) != value);
		FUZZ_HOLDS(n_digit(text) <= digits, "%s, shorter is %s", text,
			least);
	}
	if (isfinite(single)) {
		vs_num_print_f32(single, text);
		FUZZ_HOLDS(strtof(text, NULL) == single, "%a is printed as %s",
			(double)single, text);
	}
}

static void
parse(const char *text)
{
	int64_t whole = 77;
	uint64_t size = 77;
	double real = 77, want;
	long long want_whole;
	char *end;

	errno = 0;
	want_whole = strtoll(text, NULL, 10);
	if (is_int(text) && !errno)
		FUZZ_HOLDS(vs_num_int(text, &whole) && whole == want_whole,
			"int \"%s\"", text);
	else
		FUZZ_HOLDS(!vs_num_int(text, &whole) && whole == 77,
			"int \"%s\" is none", text);
	want = strtod(text, &end);
	/* decimal, so without an x */
	if (*text && !isspace((unsigned char)*text) && !*end &&
		isfinite(want) && !strpbrk(text, "xX"))
		FUZZ_HOLDS(vs_num_real(text, &real) && real == want &&
				(real != 0 || !signbit(real)),
			"real \"%s\"", text);
	else
		FUZZ_HOLDS(!vs_num_real(text, &real) && real == 77,
			"real \"%s\" is none", text);
	if (vs_num_size(text, &size)) {
		long double product = strtold(text, &end);

		FUZZ_HOLDS(isdigit((unsigned char)*text), "size \"%s\"", text);
		for (const char *u = "KMGT"; *end && *u; u++) {
			product *= 1024;
			if (toupper((unsigned char)*end) == *u)
				break;
		}
		FUZZ_HOLDS(product == (long double)size, "size \"%s\"", text);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char text[64];

	if (n >= 8)
		print(bytes);
	if (n < sizeof(text)) {
		memcpy(text, bytes, n);
		text[n] = 0;
		parse(text);
	}
	return 0;
}

void
fuzz_seeds(void (*take)(const void *bytes, size_t n))
{
	static const char *const text[] = { "0", "-0", "1.5e-7", "0x1p3", "12K",
		"16777215T", "18446744073709551615", "9223372036854775807",
		"-9223372036854775808", "1e308", "4.9e-324", "inf", "nan" };
	static const double value[] = { 0.1, 1e23, 5e-324,
		1.7976931348623157e308, 9007199254740993.0, 0x1p-1022, 0.3,
		1024, 2e-5 };

	for (size_t k = 0; k < sizeof(text) / sizeof(*text); k++)
		take(text[k], strlen(text[k]));
	for (size_t k = 0; k < sizeof(value) / sizeof(*value); k++)
		take(&value[k], 8);
}
