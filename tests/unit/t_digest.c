/* SPDX-License-Identifier: BSD-3-Clause */
/* Digests against published values; the sum does not mind order. */
#include <string.h>

#include "libcore/base/digest.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

static void
known(void)
{
	struct vs_digest *d = NULL;
	char text[VS_DIGEST_TEXT], uuid[37];
	uint8_t out[16], again[16];

	/* xxhsum -H3 and -H2 of nothing, and -H2 of "vsim\n" */
	T_OK(vs_digest_64("", 0) == 0x2d06800538d394c2, "XXH3-64 of nothing");
	T_OK(!vs_digest_new(&d), "a digest");
	vs_digest_get(d, out);
	vs_digest_text(out, text);
	T_OK(!strcmp(text, "99aa06d3014798d86001c324468d497f"),
		"XXH3-128 of nothing is %s", text);
	for (const char *p = "vsim\n"; *p; p++)
		vs_digest_add(d, p, 1);
	vs_digest_get(d, out);
	vs_digest_text(out, text);
	T_OK(!strcmp(text, "b8810135db7e25c866b02fb8edbefa92"),
		"XXH3-128 byte by byte is %s", text);
	vs_digest_free(d);

	T_OK(!vs_digest_uuid_make(out) && !vs_digest_uuid_make(again) &&
			memcmp(out, again, 16),
		"two UUIDs differ");
	vs_digest_uuid_text(out, uuid);
	T_OK(strlen(uuid) == 36 && uuid[8] == '-' && uuid[14] == '4' &&
			strchr("89ab", uuid[19]),
		"a version 4 UUID: %s", uuid);
}

/* Every 50th of 5000 digests equals the one 7 places before it. */
static void
shared(void)
{
	uint64_t key[5000];
	size_t n, right = 0;
	struct vs_rng r;

	vs_rng_seed(&r, 3);
	for (size_t k = 0; k < 5000; k++)
		key[k] = k % 50 == 49 ? key[k - 7] : vs_rng_next(&r);
	T_OK(!vs_digest_shared(key, 5000, &n), "shared digests");
	for (size_t k = 0; k < n; k++)
		right += key[k] % 50 == 49 || key[k] % 50 == 42;
	for (size_t k = 1; k < n; k++)
		right -= key[k] <= key[k - 1];
	T_OK(right == 200 && n < 1000, "all, and few others: %zu, %zu", right,
		n);
	T_OK(!vs_digest_shared(key, 0, &n) && !n, "none of none");
}

static void
order(void)
{
	struct vs_digest_sum up = { { 0, 0 } }, down = up,
			     halves[2] = { up, up };
	struct vs_digest_sum other = up;
	const uint64_t n = 1000;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t j = n - 1 - i;

		vs_digest_sum_record(&up, i, i + 1, UINT64_MAX, i % 4,
			1.0 / (1 + i));
		vs_digest_sum_record(&down, j, j + 1, UINT64_MAX, j % 4,
			1.0 / (1 + j));
		vs_digest_sum_record(&halves[i % 2], i, i + 1, UINT64_MAX,
			i % 4, 1.0 / (1 + i));
		vs_digest_sum_record(&other, i, i + 1, UINT64_MAX, i % 4,
			i == 500 ? 0.1 : 1.0 / (1 + i));
	}
	vs_digest_sum_add(&halves[0], &halves[1]);
	T_OK(!memcmp(&up, &down, sizeof(up)), "the same sum backwards");
	T_OK(!memcmp(&up, &halves[0], sizeof(up)), "the same sum in two parts");
	T_OK(up.h[0] != other.h[0] && up.h[1] != other.h[1],
		"one value of a thousand changed is seen");
}

static void
generator(void)
{
	struct vs_rng r = { { 1, 2, 3, 4 } };
	uint64_t seen = 0, wrong = 0;

	/* first numbers of the reference xoshiro256** for this state */
	T_OK(vs_rng_next(&r) == 11520 && vs_rng_next(&r) == 0 &&
			vs_rng_next(&r) == 1509978240 &&
			vs_rng_next(&r) == 1215971899390074240,
		"xoshiro256** as published");
	vs_rng_seed(&r, 0);
	T_OK(r.s[0] == 0xe220a8397b1dcdaf, "splitmix64 as published");
	for (int i = 0; i < 1000; i++) {
		uint64_t x = vs_rng_below(&r, 7);

		wrong += x >= 7;
		seen |= 1u << x;
	}
	T_OK(!wrong && seen == 127, "below 7: all of 0 to 6, nothing else");
}

int
main(void)
{
	known();
	shared();
	order();
	generator();
	return T_DONE();
}
