/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers are whole words, and what is printed reads back to the same bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/num.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

static void
words(void)
{
	static const char *const bad_int[] = { "", " 1", "1 ", "1x", "0x1",
		"1.0", "9223372036854775808", "-", "+", "abc" };
	static const char *const bad_real[] = { "", " 1", "1 ", "abc", "nan",
		"-nan", "inf", "infinity", "1e999", "0.7x", "0,7", "--1",
		"0x10" };
	static const char *const bad_size[] = { "", "-1", "1KB", "K", "1.5G",
		"16777216T", "18446744073709551616", " 1" };
	int64_t whole = 77;
	static const char *const bad_part[] = { "", "1", "/", "1/", "/2", "0/2",
		"3/2", "1/9", "-1/2", "1/2/3", "1 /2", "1/2x",
		"00000000000000000000000000000000001/2" };
	int64_t part = 77, of = 77;
	uint64_t size = 77;
	double real = 77;

	for (size_t i = 0; i < sizeof(bad_int) / sizeof(*bad_int); i++)
		T_OK(!vs_num_int(bad_int[i], &whole) && whole == 77,
			"int: \"%s\" is none", bad_int[i]);
	for (size_t i = 0; i < sizeof(bad_real) / sizeof(*bad_real); i++)
		T_OK(!vs_num_real(bad_real[i], &real) && real == 77,
			"real: \"%s\" is none", bad_real[i]);
	for (size_t i = 0; i < sizeof(bad_size) / sizeof(*bad_size); i++)
		T_OK(!vs_num_size(bad_size[i], &size) && size == 77,
			"size: \"%s\" is none", bad_size[i]);
	for (size_t i = 0; i < sizeof(bad_part) / sizeof(*bad_part); i++)
		T_OK(!vs_num_part(bad_part[i], 8, &part, &of) && part == 77 &&
				of == 77,
			"part: \"%s\" is none of 8 at most", bad_part[i]);
	T_OK(vs_num_part("8/8", 8, &part, &of) && part == 8 && of == 8,
		"part: 8/8");
	T_OK(vs_num_int("-9223372036854775808", &whole) && whole == INT64_MIN,
		"int: the least");
	T_OK(vs_num_real("-1e-3", &real) && real == -1e-3, "real: -1e-3");
	T_OK(vs_num_real("-0.0", &real) && real == 0 && !signbit(real),
		"real: -0 is 0");
	T_OK(vs_num_size("512", &size) && size == 512, "size: bytes");
	T_OK(vs_num_size("3k", &size) && size == 3072, "size: 3k");
	T_OK(vs_num_size("2G", &size) && size == 2147483648u, "size: 2G");
	T_OK(vs_num_size("1T", &size) && size >> 40 == 1, "size: 1T");
}

static void
round_trip(void)
{
	struct vs_rng r;
	char text[VS_NUM_ROOM];
	int n, wrong = 0, wrong_f32 = 0, n_tried = 0;

	vs_rng_seed(&r, 1);
	for (n_tried = 0; n_tried < 200000; n_tried++) {
		uint64_t bits = vs_rng_next(&r);
		uint32_t low = (uint32_t)bits;
		double back, value;
		float value_f32;

		memcpy(&value, &bits, sizeof(value));
		memcpy(&value_f32, &low, sizeof(value_f32));
		if (isfinite(value)) {
			n = vs_num_print(value, text);
			wrong += n != (int)strlen(text) || n >= VS_NUM_ROOM ||
				!vs_num_real(text, &back) ||
				memcmp(&back, &value, sizeof(value));
		}
		if (isfinite(value_f32)) {
			vs_num_print_f32(value_f32, text);
			wrong_f32 += strtof(text, NULL) != value_f32;
		}
	}
	T_OK(!wrong, "%d doubles of random bits, %d wrong", n_tried, wrong);
	T_OK(!wrong_f32, "%d floats of random bits, %d wrong", n_tried,
		wrong_f32);
	vs_num_print(0.7, text);
	T_OK(!strcmp(text, "0.7"), "0.7 is printed as %s", text);
	vs_num_print_f32(0.7f, text);
	T_OK(!strcmp(text, "0.7"), "0.7f is printed as %s", text);
	vs_num_print(1.0 / 3, text);
	T_OK(!strcmp(text, "0.3333333333333333"), "1/3 is printed as %s", text);
}

/* Sums that pass 64 bits. */
static void
wide(void)
{
	static const char *const text[] = { "0", "7", "18446744073709551615",
		"18446744073709551616", "147573904050930452480",
		"340282366920938463463374607431768211455" };
	static const char *const no[] = { "", "-1", "1 ", "1.5", "0x1",
		"340282366920938463463374607431768211456" };
	char out[VS_NUM_WIDE];
	vs_wide v = 1;

	for (size_t k = 0; k < sizeof(text) / sizeof(*text); k++)
		T_OK(vs_num_read_wide(text[k], &v) &&
				vs_num_print_wide(v, out) ==
					(int)strlen(text[k]) &&
				!strcmp(out, text[k]),
			"%s is printed as %s", text[k], out);
	T_OK(!(vs_wide)(v + 1), "the last one is the greatest of all");
	v = 5;
	for (size_t k = 0; k < sizeof(no) / sizeof(*no); k++)
		T_OK(!vs_num_read_wide(no[k], &v) && v == 5, "\"%s\" is none",
			no[k]);
}

int
main(void)
{
	words();
	wide();
	round_trip();
	return T_DONE();
}
