/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Codecs of chunks: the first bytes say which, the width of an element and
 * what is done. Any bytes unpack to exactly the size asked for or are refused;
 * what is packed unpacks to the same, zlib's own decoder reads what the fast
 * encoder of deflate makes, and our decoder what zlib makes.
 */
#include <string.h>
#include <zlib.h>

#include "formats/h5/codec.h"
#include "libcore/base/fail.h"
#include "tests/fuzz/fuzz.h"

const unsigned fuzz_rounds = 4000;

#define HEAD 5
#define MOST (1 << 17)

static struct vs_codec_state *state;

static uint8_t *
room(size_t n)
{
	uint8_t *p = malloc(n ? n : 1);

	if (!p)
		exit(4);
	return p;
}

static void
unpack(enum vs_codec_id id, size_t width, const uint8_t *in, size_t n,
	size_t size)
{
	uint8_t *out = room(size);
	const char *why = NULL;
	int code = vs_codec_unpack(state, id, width, in, n, out, size, &why);
	unsigned sum = 0;

	FUZZ_HOLDS(!code || (code == VS_EINPUT && why && *why),
		"code %d without a reason", code);
	for (size_t k = 0; !code && k < size; k++)
		sum += out[k];
	FUZZ_HOLDS(sum <= 255 * size, "bytes");
	free(out);
}

/* zlib without our code: unshuffled by the definition. */
static void
inflate_plain(const uint8_t *packed, size_t n_packed, size_t width,
	const uint8_t *want, size_t n)
{
	uint8_t *flat = room(n);
	uLongf got = n;
	size_t n_element = n / width;

	FUZZ_HOLDS(uncompress(flat, &got, packed, n_packed) == Z_OK && got == n,
		"zlib refuses what was packed");
	for (size_t e = 0; e < n_element; e++)
		for (size_t b = 0; b < width; b++)
			FUZZ_HOLDS(flat[b * n_element + e] ==
					want[e * width + b],
				"byte %zu of element %zu", b, e);
	FUZZ_HOLDS(!memcmp(flat + n_element * width, want + n_element * width,
			   n - n_element * width),
		"bytes behind the last element");
	free(flat);
}

static void
round_trip(struct vs_codec codec, size_t width, const uint8_t *in, size_t n)
{
	size_t bound = vs_codec_bound(codec.id, n), n_packed = 0;
	uint8_t *packed = room(bound), *back = room(n);
	const char *why = NULL;

	FUZZ_HOLDS(!vs_codec_pack(state, codec, width, in, n, packed, bound,
			   &n_packed) &&
			n_packed <= bound,
		"%zu bytes packed into %zu", n, n_packed);
	FUZZ_HOLDS(!vs_codec_unpack(state, codec.id, width, packed, n_packed,
			   back, n, &why) &&
			!memcmp(back, in, n),
		"%zu bytes of codec %d are other ones: %s", n, codec.id, why);
	if (codec.id == VS_CODEC_DEFLATE)
		inflate_plain(packed, n_packed, width, in, n);
	free(packed);
	free(back);
}

/* A few bytes repeated up to n, each time changed a little: long inputs. */
static uint8_t *
grown(const uint8_t *in, size_t n_in, size_t n)
{
	uint8_t *out = room(n);

	for (size_t k = 0; k < n; k++)
		out[k] = (uint8_t)(n_in ? in[k % n_in] + (k / n_in) / 7 : 0);
	return out;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const size_t widths[] = { 1, 2, 3, 4, 8, 16 };
	struct vs_codec codec = { VS_CODEC_NONE, 1 };
	size_t width, size;
	uint8_t *in;

	if (!state && vs_codec_new(&state))
		exit(4);
	if (n < HEAD)
		return 0;
	codec.id = bytes[0] % 4;
	codec.level = 1 + bytes[0] / 4 % 3;
	width = widths[bytes[1] % 6];
	size = (bytes[2] | (size_t)bytes[3] << 8 | (size_t)bytes[4] << 16) %
		MOST;
	switch (bytes[1] / 6 % 3) {
	case 0:
		unpack(codec.id, width, bytes + HEAD, n - HEAD, size % 5000);
		break;
	case 1:
		if (n > HEAD)
			round_trip(codec, width, bytes + HEAD, n - HEAD);
		break;
	default:
		in = grown(bytes + HEAD, n - HEAD, size);
		if (size)
			round_trip(codec, width, in, size);
		free(in);
	}
	vs_fail_clear();
	return 0;
}

/* Chunks of each codec and width, and the same ones to be packed. */
void
fuzz_seeds(void (*take)(const void *bytes, size_t n))
{
	uint8_t x[HEAD + 4096], plain[600];

	if (!state && vs_codec_new(&state))
		exit(4);
	for (size_t k = 0; k < sizeof(plain); k++)
		plain[k] = (uint8_t)(k % 8 ? k / 16 : k * 7);
	for (uint8_t id = 0; id < 3; id++)
		for (uint8_t w = 0; w < 6; w += 2) {
			size_t n = 0;

			x[0] = id;
			x[1] = w;
			x[2] = sizeof(plain) & 255;
			x[3] = sizeof(plain) >> 8;
			x[4] = 0;
			if (vs_codec_pack(state, (struct vs_codec){ id, 2 }, 1,
				    plain, sizeof(plain), x + HEAD, 4096, &n))
				exit(4);
			take(x, HEAD + n);
			x[1] = (uint8_t)(6 + w);
			memcpy(x + HEAD, plain, sizeof(plain));
			take(x, HEAD + sizeof(plain));
			x[1] = (uint8_t)(12 + w);
			x[4] = 3;
			take(x, HEAD + 40);
		}
}
