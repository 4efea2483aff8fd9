/* SPDX-License-Identifier: BSD-3-Clause */
/* Shuffle filter with zstd or deflate, byte for byte as HDF5's. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "formats/h5/codec.h"
#include "formats/h5/deflate.h"
#include "formats/h5/zst.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

struct vs_codec_state {
	struct vs_zst *zst;
	struct vs_deflate *deflate;
	uint8_t *scratch;
	size_t room;
};

int
vs_codec_new(struct vs_codec_state **c)
{
	struct vs_codec_state *p = NULL;
	int code = vs_mem_new(&p, 1, sizeof(*p), "chunk");

	if (!code)
		code = vs_zst_new(&p->zst);
	if (!code)
		code = vs_deflate_new(&p->deflate);
	if (code) {
		vs_codec_free(p);
		return code;
	}
	*c = p;
	return 0;
}

void
vs_codec_free(struct vs_codec_state *c)
{
	if (!c)
		return;
	vs_zst_free(c->zst);
	vs_deflate_free(c->deflate);
	free(c->scratch);
	free(c);
}

size_t
vs_codec_bound(enum vs_codec_id id, size_t n)
{
	switch (id) {
	case VS_CODEC_ZSTD:
		return vs_zst_bound(n);
	case VS_CODEC_DEFLATE:
		return compressBound(n) + VS_DEFLATE_SLACK;
	case VS_CODEC_NONE:
		break;
	}
	return n;
}

static int
scratch(struct vs_codec_state *c, size_t n)
{
	return vs_mem_grow(&c->scratch, &c->room, n, 1, "chunk");
}

/* Transpose of 8 x 8 bytes. */
static inline void
turn_bytes(uint64_t r[8])
{
	static const uint64_t low[3] = { 0x00ff00ff00ff00ff, 0x0000ffff0000ffff,
		0x00000000ffffffff };

#pragma GCC unroll 3
	for (int step = 0; step < 3; step++)
#pragma GCC unroll 8
		for (int k = 0; k < 8; k++) {
			int by = 8 << step, other = k | 1 << step;
			uint64_t t;

			if (k & 1 << step)
				continue;
			t = (r[k] >> by ^ r[other]) & low[step];
			r[k] ^= t << by;
			r[other] ^= t;
		}
}

/* Shuffle of elements of 8 bytes, the most frequent size. */
static void
shuffle_eight(const uint8_t *in, uint8_t *out, size_t n)
{
	size_t n_element = n / 8, whole = n_element / 8 * 8;
	uint64_t r[8];

	for (size_t e = 0; e < whole; e += 8) {
		memcpy(r, in + 8 * e, sizeof(r));
		turn_bytes(r);
		for (size_t b = 0; b < 8; b++)
			memcpy(out + b * n_element + e, &r[b], 8);
	}
	for (size_t e = whole; e < n_element; e++)
		for (size_t b = 0; b < 8; b++)
			out[b * n_element + e] = in[8 * e + b];
	memcpy(out + 8 * n_element, in + 8 * n_element, n - 8 * n_element);
}

static void
unshuffle_eight(const uint8_t *in, uint8_t *out, size_t n)
{
	size_t n_element = n / 8, whole = n_element / 8 * 8;
	uint64_t r[8];

	for (size_t e = 0; e < whole; e += 8) {
		for (size_t b = 0; b < 8; b++)
			memcpy(&r[b], in + b * n_element + e, 8);
		turn_bytes(r);
		memcpy(out + 8 * e, r, sizeof(r));
	}
	for (size_t e = whole; e < n_element; e++)
		for (size_t b = 0; b < 8; b++)
			out[8 * e + b] = in[b * n_element + e];
	memcpy(out + 8 * n_element, in + 8 * n_element, n - 8 * n_element);
}

/* Shuffle: byte b of all elements, then byte b + 1 of all; trailing bytes keep
 * their place. */
static inline void
shuffle_by(size_t width, const uint8_t *in, uint8_t *out, size_t n)
{
	size_t n_element = n / width;

	for (size_t b = 0; b < width; b++)
		for (size_t e = 0; e < n_element; e++)
			out[b * n_element + e] = in[e * width + b];
	memcpy(out + n_element * width, in + n_element * width,
		n - n_element * width);
}

static inline void
unshuffle_by(size_t width, const uint8_t *in, uint8_t *out, size_t n)
{
	size_t n_element = n / width;

	for (size_t e = 0; e < n_element; e++)
		for (size_t b = 0; b < width; b++)
			out[e * width + b] = in[b * n_element + e];
	memcpy(out + n_element * width, in + n_element * width,
		n - n_element * width);
}

/*
 * Four bytes a number at once; vsim keeps to machines that begin with the low.
 */
static void
unshuffle_four(const uint8_t *in, uint8_t *out, size_t n)
{
	size_t n_element = n / 4;
	const uint8_t *a = in, *b = a + n_element, *c = b + n_element,
		      *d = c + n_element;

#pragma omp simd
	for (size_t e = 0; e < n_element; e++) {
		uint32_t x = a[e] | (uint32_t)b[e] << 8 | (uint32_t)c[e] << 16 |
			(uint32_t)d[e] << 24;

		memcpy(out + 4 * e, &x, 4);
	}
	memcpy(out + 4 * n_element, in + 4 * n_element, n - 4 * n_element);
}

/* A width known to the compiler makes the inner loops several times faster. */
static void
shuffle(size_t width, const uint8_t *in, uint8_t *out, size_t n)
{
	if (width == 8)
		shuffle_eight(in, out, n);
	else if (width == 4)
		shuffle_by(4, in, out, n);
	else
		shuffle_by(width, in, out, n);
}

static void
unshuffle(size_t width, const uint8_t *in, uint8_t *out, size_t n)
{
	if (width == 8)
		unshuffle_eight(in, out, n);
	else if (width == 4)
		unshuffle_four(in, out, n);
	else
		unshuffle_by(width, in, out, n);
}

int
vs_codec_pack(struct vs_codec_state *c, struct vs_codec codec, size_t width,
	const void *in, size_t n, void *out, size_t room, size_t *n_out)
{
	uLongf z_out = room;
	int code;

	if (width > 1) {
		code = scratch(c, n);
		if (code)
			return code;
		shuffle(width, in, c->scratch, n);
		in = c->scratch;
	}
	switch (codec.id) {
	case VS_CODEC_ZSTD:
		return vs_zst_pack(c->zst, codec.level, in, n, out, room,
			n_out);
	case VS_CODEC_DEFLATE:
		if (codec.level == 1 && n >= VS_DEFLATE_LEAST &&
			room >= vs_codec_bound(codec.id, n)) {
			*n_out = vs_deflate_pack(c->deflate, in, n, out);
			return 0;
		}
		if (compress2(out, &z_out, in, n, codec.level) != Z_OK)
			return vs_fail(VS_EMACHINE,
				"deflate: cannot pack %zu bytes", n);
		*n_out = z_out;
		return 0;
	case VS_CODEC_NONE:
		break;
	}
	memcpy(out, in, n);
	*n_out = n;
	return 0;
}

int
vs_codec_unpack(struct vs_codec_state *c, enum vs_codec_id id, size_t width,
	const void *in, size_t n, void *out, size_t size, const char **why)
{
	void *to = out;
	int code = 0;

	if (width > 1) {
		/* not vs_mem_grow(): it would record a sentence */
		if (c->room < size) {
			free(c->scratch);
			c->scratch = malloc(size);
			c->room = c->scratch ? size : 0;
		}
		if (!c->scratch) {
			*why = "no memory for a chunk";
			return VS_EMACHINE;
		}
		to = c->scratch;
	}
	switch (id) {
	case VS_CODEC_ZSTD:
		code = vs_zst_unpack(c->zst, in, n, to, size, why);
		break;
	case VS_CODEC_DEFLATE:
		code = vs_deflate_unpack(c->deflate, in, n, to, size);
		*why = code == VS_EMACHINE ? "no memory for deflate"
					   : "not a deflated chunk of its size";
		break;
	case VS_CODEC_NONE:
		if (n != size) {
			*why = "stored with another size than it must";
			return VS_EINPUT;
		}
		memcpy(to, in, n);
		break;
	}
	if (!code && width > 1)
		unshuffle(width, c->scratch, out, size);
	return code;
}
