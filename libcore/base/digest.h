/* SPDX-License-Identifier: BSD-3-Clause */
/* XXH3 digests of bytes, and an order-independent digest of result records. */
#ifndef VS_BASE_DIGEST_H
#define VS_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VS_DIGEST_TEXT 33 /* 32 hexadecimal digits and the NUL */

/* XXH3-64, seed 0. */
uint64_t vs_digest_64(const void *bytes, size_t n);

/*
 * Find the digests among n that occur twice: their places replace the digests
 * in key, ascending, *n_shared of them. Only some bits are compared, so a few
 * others are among them. 0; VS_EMACHINE
 */
int vs_digest_shared(uint64_t *key, size_t n, size_t *n_shared);

/* XXH3-128 of bytes that arrive in pieces. */
struct vs_digest;
int vs_digest_new(struct vs_digest **d);
void vs_digest_add(struct vs_digest *d, const void *bytes, size_t n);

/* The digest so far in its canonical order (big-endian, 16 bytes). */
void vs_digest_get(const struct vs_digest *d, uint8_t out[16]);
void vs_digest_free(struct vs_digest *d);

/* The state of a digest as bytes, with which another process of this program
 * goes on. */
#define VS_DIGEST_STATE 1024
void vs_digest_save(const struct vs_digest *d, void *bytes);
void vs_digest_load(struct vs_digest *d, const void *bytes);

/* The same for all bytes at once, as two words of native byte order. */
void vs_digest_128(const void *bytes, size_t n, uint64_t out[2]);

/* 16 bytes as hexadecimal text. */
void vs_digest_text(const uint8_t in[16], char out[VS_DIGEST_TEXT]);

/*
 * Commutative sum over records: two runs that split the same work differently
 * are compared by two integers. For each record the 40 bytes {i, j, k, cell,
 * value bits} (u64 little-endian; k is all ones when there is no third vector)
 * are hashed by XXH3-64 with seeds 0 and 1, and the hashes are added modulo
 * 2^64.
 */
struct vs_digest_sum {
	uint64_t h[2];
};

void vs_digest_sum_record(struct vs_digest_sum *s, uint64_t i, uint64_t j,
	uint64_t k, uint64_t cell, double value);
struct vs_record;
void vs_digest_sum_records(struct vs_digest_sum *s, const struct vs_record *rec,
	size_t n);

/*
 * For a caller's own loop over records of pairs, as in
 * libcore/bits/record_digest.h: the first words of XXH3's secret, and the part
 * of the digest that depends on the cell, for each cell and seed, the absent
 * cell last.
 */
#define VS_DIGEST_CELLS 4
void vs_digest_sum_constants(uint64_t secret[8],
	uint64_t middle[VS_DIGEST_CELLS + 1][2]);

void vs_digest_sum_add(struct vs_digest_sum *s,
	const struct vs_digest_sum *other);

static inline bool
vs_digest_sum_equal(const struct vs_digest_sum *a,
	const struct vs_digest_sum *b)
{
	return a->h[0] == b->h[0] && a->h[1] == b->h[1];
}

/* The same for a sum that several threads add to. */
void vs_digest_sum_add_shared(struct vs_digest_sum *s,
	const struct vs_digest_sum *other);

/*
 * The same for the counts behind the values, with seed 0 alone and num + nvalid
 * * VS_DIGEST_COUNTS, modulo 2^64, in place of the value; a count that records
 * do not have is -1.
 */
#define VS_DIGEST_COUNTS 0x9e3779b185ebca87
uint64_t vs_digest_counts(const struct vs_record *rec, size_t n, bool has_num,
	bool has_nvalid);

/* A random (version 4) UUID: 16 bytes, and its 36 characters. */
int vs_digest_uuid_make(uint8_t out[16]);
void vs_digest_uuid_text(const uint8_t in[16], char out[37]);

#endif
