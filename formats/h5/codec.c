/* SPDX-License-Identifier: BSD-3-Clause */
/* Shuffle filter with zstd or deflate, byte for byte as HDF5's. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/codec.h"
#include "formats/h5/deflate.h"
#include "formats/h5/shuffle.h"
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

bool
vs_codec_shuffles(enum vs_codec_id id)
{
	return id == VS_CODEC_ZSTD || id == VS_CODEC_DEFLATE;
}

size_t
vs_codec_bound(enum vs_codec_id id, size_t n)
{
	switch (id) {
	case VS_CODEC_ZSTD:
		return vs_zst_bound(n);
	case VS_CODEC_DEFLATE:
		return vs_deflate_bound(n);
	case VS_CODEC_SUMMED:
		return n + VS_CODEC_SUM_BYTES;
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

#define BLOCK 128 /* words: their weighted sum has 32 bits */

/* 2^16 is 1 modulo 65535; as in HDF5, a nonzero sum stays nonzero */
static uint64_t
fold(uint64_t x)
{
	return (x & 0xffffffff) + (x >> 32);
}

static uint32_t
fold_all(uint64_t x)
{
	while (x > 0xffff)
		x = (x & 0xffff) + (x >> 16);
	return (uint32_t)x;
}

/* Fletcher-32 checksum over 16-bit words, the first byte high. */
static uint32_t
fletcher(const void *bytes, size_t n)
{
	const uint8_t *b = bytes;
	uint64_t sum = 0, sums = 0;
	size_t at = 0;

	for (; n - at >= 2 * BLOCK; at += 2 * BLOCK) {
		uint32_t all = 0, weighted = 0;

		for (uint32_t k = 0; k < BLOCK; k++) {
			uint32_t word = (uint32_t)b[at + 2 * k] << 8 |
				b[at + 2 * k + 1];

			all += word;
			weighted += word * (BLOCK - k);
		}
		sums = fold(sums + sum * BLOCK + weighted);
		sum = fold(sum + all);
	}
	for (; at < n; at += 2) {
		sum += (uint32_t)b[at] << 8 | (at + 1 < n ? b[at + 1] : 0);
		sums += sum;
	}
	return fold_all(sums) << 16 | fold_all(sum);
}

/* Store the bytes as they are, and their checksum. */
static void
sum_up(const void *in, size_t n, uint8_t *out)
{
	uint32_t sum = fletcher(in, n);

	memcpy(out, in, n);
	for (int k = 0; k < VS_CODEC_SUM_BYTES; k++)
		out[n + (size_t)k] = (uint8_t)(sum >> 8 * k);
}

/* The reverse. returns null, or what is wrong */
static const char *
check_sum(const uint8_t *in, size_t n, void *out, size_t size)
{
	uint32_t sum = 0;

	if (n != size + VS_CODEC_SUM_BYTES)
		return "stored with another size than it must";
	for (int k = 0; k < VS_CODEC_SUM_BYTES; k++)
		sum |= (uint32_t)in[size + (size_t)k] << 8 * k;
	if (fletcher(in, size) != sum)
		return "its checksum differs";
	memcpy(out, in, size);
	return NULL;
}

int
vs_codec_pack(struct vs_codec_state *c, struct vs_codec codec, size_t width,
	const void *in, size_t n, void *out, size_t room, size_t *n_out)
{
	if (width > 1) {
		int code = scratch(c, n);

		if (code)
			return code;
		vs_shuffle_bytes(width, in, n, c->scratch);
		in = c->scratch;
	}
	switch (codec.id) {
	case VS_CODEC_ZSTD:
		return vs_zst_pack(c->zst, codec.level, in, n, out, room,
			n_out);
	case VS_CODEC_DEFLATE:
		return vs_deflate_pack(c->deflate, codec.level, in, n, out,
			room, n_out);
	case VS_CODEC_SUMMED:
		sum_up(in, n, out);
		*n_out = n + VS_CODEC_SUM_BYTES;
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
		/* not vs_mem_grow(), which would record a sentence */
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
	case VS_CODEC_SUMMED:
		*why = check_sum(in, n, to, size);
		code = *why ? VS_EINPUT : 0;
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
		vs_shuffle_undo(width, c->scratch, size, out);
	return code;
}
