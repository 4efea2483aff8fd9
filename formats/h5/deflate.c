/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deflate encoder (RFC 1951), one block for each 64 KiB: stored, or LZ77 with a
 * hash table and Huffman codes. The order-0 entropy of the block determines how
 * long a match has to be to take less than its literals.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

#include "formats/h5/deflate.h"
#include "formats/h5/huffman.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define LEAST 4096   /* fewest bytes of which statistics pay */
#define GZIP_LEVEL 6 /* gzip's own */

#define BLOCK 65536
#define WINDOW 32768
#define MOST_MATCH 258
#define MATCH_BITS 24 /* approximate bits of a match */
#define HASH_BITS 13
#define N_STORED 65535 /* most bytes of a stored block */

#define END 256 /* symbol at the end of a block */
#define N_LITERAL 286
#define N_DISTANCE 30
#define MOST_BITS 14 /* of a code: four and 7 bits fit a word */

/* Literals, then a match, or none if its length is 0. */
struct sequence {
	uint32_t n_literal;
	uint16_t length, distance;
};

struct vs_deflate {
	uint32_t head[1 << HASH_BITS]; /* last place of each hash, + BLOCK */
	struct sequence seq[BLOCK / 4 + 8];
	size_t n_seq;
	uint32_t literal[N_LITERAL], distance[N_DISTANCE]; /* counts */
	/* made when first used */
	struct libdeflate_decompressor *decoder;
	struct libdeflate_compressor *encoder;
	int level; /* of the encoder */
};

/* Bits are written from the lowest on. */
struct bits {
	uint8_t *to;
	uint64_t word;
	int n;
};

int
vs_deflate_new(struct vs_deflate **d)
{
	return vs_mem_new(d, 1, sizeof(**d), "deflate");
}

void
vs_deflate_free(struct vs_deflate *d)
{
	if (!d)
		return;
	libdeflate_free_decompressor(d->decoder);
	libdeflate_free_compressor(d->encoder);
	free(d);
}

/* ---- bits ---- */

static inline void
put(struct bits *o, uint64_t bits, int n)
{
	o->word |= bits << o->n;
	o->n += n;
}

/* Write the whole bytes; fewer than 8 bits are left. */
static inline void
flush(struct bits *o)
{
	memcpy(o->to, &o->word, 8);
	o->to += o->n >> 3;
	o->word >>= o->n & ~7;
	o->n &= 7;
}

/* ---- LZ77 ---- */

static inline uint64_t
load(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

/* Number of equal bytes at a and b, at most `most`. */
static inline size_t
alike(const uint8_t *a, const uint8_t *b, size_t most)
{
	size_t n = 0;

	for (; n + 8 <= most; n += 8) {
		uint64_t x = load(a + n) ^ load(b + n);

		if (x)
			return n + (size_t)(__builtin_ctzll(x) >> 3);
	}
	while (n < most && a[n] == b[n])
		n++;
	return n;
}

static int
length_symbol(unsigned length, int *n_extra, unsigned *extra)
{
	unsigned v = length - 3;
	int log;

	*n_extra = 0;
	*extra = 0;
	if (length == MOST_MATCH)
		return 285;
	if (v < 8)
		return 257 + (int)v;
	log = 31 - __builtin_clz(v);
	*n_extra = log - 2;
	*extra = v & ((1u << *n_extra) - 1);
	return 257 + 4 * (log - 1) + (int)(v >> *n_extra & 3);
}

static int
distance_symbol(unsigned distance, int *n_extra, unsigned *extra)
{
	unsigned v = distance - 1;
	int log;

	*n_extra = 0;
	*extra = 0;
	if (v < 4)
		return (int)v;
	log = 31 - __builtin_clz(v);
	*n_extra = log - 1;
	*extra = v & ((1u << *n_extra) - 1);
	return 2 * log + (int)(v >> *n_extra & 1);
}

/* Add a match after n_literal bytes, split if it is longer than allowed. */
static void
add_match(struct vs_deflate *d, size_t n_literal, size_t length,
	size_t distance)
{
	while (length) {
		size_t now = length < MOST_MATCH ? length : MOST_MATCH;

		if (length - now && length - now < 3)
			now -= 3;
		d->seq[d->n_seq++] = (struct sequence){ (uint32_t)n_literal,
			(uint16_t)now, (uint16_t)distance };
		n_literal = 0;
		length -= now;
	}
}

/*
 * Find matches of at least `least` bytes in [lo, hi) of in, hashed by that many
 * bytes, up to 8; the search takes longer steps where matches are rare.
 */
static void
find_matches(struct vs_deflate *d, const uint8_t *in, size_t lo, size_t hi,
	size_t least)
{
	const int skip = 64 - 8 * (least < 8 ? (int)least : 8);
	size_t at = lo, begin = lo, miss = 0;

	d->n_seq = 0;
	while (at + 8 < hi) {
		uint64_t key = load(in + at) << skip;
		uint32_t *head =
			&d->head[key * 0x9e3779b97f4a7c15 >> (64 - HASH_BITS)];
		size_t from = *head, n = 0;

		*head = (uint32_t)at + BLOCK;
		if (at + BLOCK - from <= WINDOW &&
			load(in + from - BLOCK) << skip == key)
			n = alike(in + from - BLOCK, in + at, hi - at);
		if (n < least) {
			at += 1 + (miss++ >> 5);
			continue;
		}
		miss /= 2;
		add_match(d, at - begin, n, at + BLOCK - from);
		begin = at += n;
	}
	d->seq[d->n_seq++] = (struct sequence){ (uint32_t)(hi - begin), 0, 0 };
}

/* Count the bytes; four tables, since repeated increments of one counter wait
 * for each other. */
static void
count_bytes(const uint8_t *p, size_t n, uint32_t count[256])
{
	uint32_t part[4][256] = { { 0 } };
	size_t k = 0;

	for (; k + 8 <= n; k += 8) {
		uint64_t x = load(p + k);

#pragma GCC unroll 8
		for (int t = 0; t < 8; t++)
			part[t % 4][x >> 8 * t & 255]++;
	}
	for (; k < n; k++)
		part[0][p[k]]++;
	for (int b = 0; b < 256; b++)
		count[b] = part[0][b] + part[1][b] + part[2][b] + part[3][b];
}

/* Length from which a match is shorter than the literals in its place. */
static size_t
least_match(const uint32_t count[256], size_t n)
{
	float bits = 0;
	size_t least;

	for (int b = 0; b < 256; b++)
		if (count[b])
			bits += (float)count[b] *
				log2f((float)n / (float)count[b]);
	least = (size_t)(MATCH_BITS * (float)n / (bits + 1)) + 1;
	return least < 4 ? 4 : least < 64 ? least : 64;
}

/* ---- a block ---- */

/* Codes of a block and the bits that it takes. */
struct codes {
	struct vs_huffman_code literal[N_LITERAL], distance[N_DISTANCE];
	struct vs_huffman_head head;
	uint64_t n_bits;
};

/* Count the symbols of the sequences; returns the extra bits. If matches have
 * the fewer bytes, these are subtracted from the counts of all. */
static uint64_t
count_symbols(struct vs_deflate *d, const uint8_t *p, bool matches)
{
	uint64_t n_bits = 0, n_literal = 0, n_match = 0;
	bool less;
	unsigned extra;
	int n;

	memset(d->distance, 0, sizeof(d->distance));
	memset(d->literal + END, 0, (N_LITERAL - END) * sizeof(*d->literal));
	d->literal[END] = 1;
	if (!matches)
		return 0; /* the bytes have been counted */
	for (size_t s = 0; s < d->n_seq; s++) {
		n_literal += d->seq[s].n_literal;
		n_match += d->seq[s].length;
	}
	less = n_match < n_literal;
	if (!less)
		memset(d->literal, 0, END * sizeof(*d->literal));
	for (size_t s = 0; s < d->n_seq; s++) {
		const struct sequence *q = &d->seq[s];

		for (uint32_t k = 0; k < q->n_literal && !less; k++)
			d->literal[p[k]]++;
		p += q->n_literal;
		for (uint32_t k = 0; k < q->length && less; k++)
			d->literal[p[k]]--;
		p += q->length;
		if (!q->length)
			continue;
		d->literal[length_symbol(q->length, &n, &extra)]++;
		n_bits += (uint64_t)n;
		d->distance[distance_symbol(q->distance, &n, &extra)]++;
		n_bits += (uint64_t)n;
	}
	return n_bits;
}

static void
make_codes(struct vs_deflate *d, struct codes *c, uint64_t n_extra)
{
	c->n_bits = 3 + n_extra;
	c->n_bits +=
		vs_huffman_make(d->literal, N_LITERAL, MOST_BITS, c->literal);
	c->n_bits += vs_huffman_make(d->distance, N_DISTANCE, MOST_BITS,
		c->distance);
	vs_huffman_head(&c->head, c->literal, N_LITERAL, c->distance,
		N_DISTANCE);
	c->n_bits += c->head.n_bits;
}

static inline void
put_code(struct bits *o, struct vs_huffman_code code)
{
	put(o, code.bits, code.n);
}

static const uint8_t *
put_literals(struct bits *o, const struct vs_huffman_code *code,
	const uint8_t *p, size_t n)
{
	for (; n >= 4; n -= 4, p += 4) {
		put_code(o, code[p[0]]);
		put_code(o, code[p[1]]);
		put_code(o, code[p[2]]);
		put_code(o, code[p[3]]);
		flush(o);
	}
	for (; n; n--) {
		put_code(o, code[*p++]);
		flush(o);
	}
	return p;
}

static void
put_block(const struct vs_deflate *d, struct bits *o, const struct codes *c,
	const uint8_t *p, bool last)
{
	unsigned extra;
	int n;

	put(o, (unsigned)last | 2 << 1, 3);
	flush(o);
	for (int k = 0; k < c->head.n; k++) {
		put(o, c->head.item[k].bits, c->head.item[k].n);
		flush(o);
	}
	for (size_t s = 0; s < d->n_seq; s++) {
		const struct sequence *q = &d->seq[s];

		p = put_literals(o, c->literal, p, q->n_literal);
		p += q->length;
		if (!q->length)
			continue;
		put_code(o, c->literal[length_symbol(q->length, &n, &extra)]);
		put(o, extra, n);
		put_code(o,
			c->distance[distance_symbol(q->distance, &n, &extra)]);
		put(o, extra, n);
		flush(o);
	}
	put_code(o, c->literal[END]);
	flush(o);
}

static void
put_stored(struct bits *o, const uint8_t *p, size_t n, bool last)
{
	while (n) {
		size_t now = n < N_STORED ? n : N_STORED;
		uint16_t size[2] = { (uint16_t)now, (uint16_t)~now };

		put(o, last && now == n, 3);
		o->n = (o->n + 7) & ~7;
		flush(o);
		memcpy(o->to, size, sizeof(size));
		memcpy(o->to + sizeof(size), p, now);
		o->to += sizeof(size) + now;
		p += now;
		n -= now;
	}
}

/* Write bytes [lo, hi) as one block; stored unless packing gains clearly, since
 * stored bytes are unpacked fastest. */
static void
pack_block(struct vs_deflate *d, struct bits *o, const uint8_t *in, size_t lo,
	size_t hi, bool last)
{
	const uint8_t *p = in + lo;
	size_t n = hi - lo;
	struct codes c;
	bool matches;

	if (p[0] == p[n - 1] && alike(p, p + 1, n - 1) == n - 1) {
		d->n_seq = 0;
		add_match(d, 1, n - 1, 1);
		matches = true;
	} else {
		count_bytes(p, n, d->literal);
		find_matches(d, in, lo, hi, least_match(d->literal, n));
		matches = d->n_seq > 1;
	}
	make_codes(d, &c, count_symbols(d, p, matches));
	if (c.n_bits / 8 > n - n / 64)
		put_stored(o, p, n, last);
	else
		put_block(d, o, &c, p, last);
}

static size_t
pack_fast(struct vs_deflate *d, const void *in, size_t n, void *out)
{
	struct bits o = { .to = out };
	uint32_t sum = libdeflate_adler32(1, in, n);

	memset(d->head, 0, sizeof(d->head));
	put(&o, 0x0178, 16);
	flush(&o);
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		hi = n - lo < BLOCK + 16 ? n : lo + BLOCK;
		pack_block(d, &o, in, lo, hi, hi == n);
	}
	o.n = (o.n + 7) & ~7;
	flush(&o);
	put(&o, __builtin_bswap32(sum), 32);
	flush(&o);
	return (size_t)(o.to - (uint8_t *)out);
}

/* ---- streams ---- */

size_t
vs_deflate_bound(size_t n)
{
	/* the fast encoder writes whole words */
	return libdeflate_zlib_compress_bound(NULL, n) + sizeof(uint64_t);
}

static bool
has_encoder(struct vs_deflate *d, int level)
{
	if (d->encoder && d->level == level)
		return true;
	libdeflate_free_compressor(d->encoder);
	d->encoder = libdeflate_alloc_compressor(level);
	d->level = level;
	return d->encoder;
}

int
vs_deflate_pack(struct vs_deflate *d, int level, const void *in, size_t n,
	void *out, size_t room, size_t *n_out)
{
	if (level == 1 && n >= LEAST && room >= vs_deflate_bound(n)) {
		*n_out = pack_fast(d, in, n, out);
		return 0;
	}
	*n_out = has_encoder(d, level)
		? libdeflate_zlib_compress(d->encoder, in, n, out, room)
		: 0;
	return *n_out
		? 0
		: vs_fail(VS_EMACHINE, "deflate: cannot pack %zu bytes", n);
}

static bool
has_decoder(struct vs_deflate *d)
{
	if (!d->decoder)
		d->decoder = libdeflate_alloc_decompressor();
	return d->decoder;
}

int
vs_deflate_unpack(struct vs_deflate *d, const void *in, size_t n, void *out,
	size_t size)
{
	size_t n_in;

	if (!has_decoder(d))
		return VS_EMACHINE;
	return libdeflate_zlib_decompress_ex(d->decoder, in, n, out, size,
		       &n_in, NULL) == LIBDEFLATE_SUCCESS &&
			n_in == n
		? 0
		: VS_EINPUT;
}

int
vs_deflate_unpack_gzip(struct vs_deflate *d, const void *in, size_t n,
	void *out, size_t size)
{
	size_t n_in;

	if (!has_decoder(d))
		return VS_EMACHINE;
	return libdeflate_gzip_decompress_ex(d->decoder, in, n, out, size,
		       &n_in, NULL) == LIBDEFLATE_SUCCESS &&
			n_in == n
		? 0
		: VS_EINPUT;
}

int
vs_deflate_pack_gzip(const void *in, size_t n, char **out, size_t *size)
{
	const size_t room = libdeflate_gzip_compress_bound(NULL, n);
	struct libdeflate_compressor *z;
	int code = vs_mem_room(out, room, 1, "packed table");

	if (code)
		return code;
	z = libdeflate_alloc_compressor(GZIP_LEVEL);
	*size = z ? libdeflate_gzip_compress(z, in, n, *out, room) : 0;
	libdeflate_free_compressor(z);
	return *size ? 0
		     : vs_fail(VS_EMACHINE, "cannot pack %zu bytes by gzip", n);
}
