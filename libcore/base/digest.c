/* SPDX-License-Identifier: BSD-3-Clause */
/* XXH3 digests, and an order-independent digest of records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "libcore/base/digest.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/record.h"

uint64_t
vs_digest_64(const void *bytes, size_t n)
{
	return XXH3_64bits(bytes, n);
}

struct vs_digest {
	XXH3_state_t *state;
};

int
vs_digest_shared(uint64_t *key, size_t n, size_t *n_shared)
{
	uint64_t mask = 1023, *once, *twice = NULL;
	int code;

	while (mask < 16 * n)
		mask = 2 * mask + 1;
	code = vs_mem_new(&twice, 2 * (mask / 64 + 1), sizeof(*twice), "names");
	*n_shared = 0;
	if (code)
		return code;
	once = twice + mask / 64 + 1;
	for (size_t k = 0; k < n; k++) {
		const uint64_t h = key[k] & mask, bit = 1ull << h % 64;

		twice[h / 64] |= once[h / 64] & bit;
		once[h / 64] |= bit;
	}
	for (size_t k = 0; k < n; k++) {
		const uint64_t h = key[k] & mask;

		if (twice[h / 64] >> h % 64 & 1)
			key[(*n_shared)++] = k;
	}
	free(twice);
	return 0;
}

int
vs_digest_new(struct vs_digest **d)
{
	struct vs_digest *p = malloc(sizeof(*p));

	if (p)
		p->state = XXH3_createState();
	if (!p || !p->state) {
		free(p);
		return vs_fail_memory("digest", sizeof(XXH3_state_t));
	}
	XXH3_128bits_reset(p->state);
	*d = p;
	return 0;
}

void
vs_digest_add(struct vs_digest *d, const void *bytes, size_t n)
{
	XXH3_128bits_update(d->state, bytes, n);
}

void
vs_digest_get(const struct vs_digest *d, uint8_t out[16])
{
	XXH128_canonical_t c;

	XXH128_canonicalFromHash(&c, XXH3_128bits_digest(d->state));
	memcpy(out, c.digest, 16);
}

_Static_assert(sizeof(XXH3_state_t) <= VS_DIGEST_STATE, "a state fits");

void
vs_digest_save(const struct vs_digest *d, void *bytes)
{
	memcpy(bytes, d->state, sizeof(*d->state));
}

void
vs_digest_load(struct vs_digest *d, const void *bytes)
{
	/* an address, which differs between processes */
	const unsigned char *secret = d->state->extSecret;

	memcpy(d->state, bytes, sizeof(*d->state));
	d->state->extSecret = secret;
}

void
vs_digest_free(struct vs_digest *d)
{
	if (d)
		XXH3_freeState(d->state);
	free(d);
}

void
vs_digest_128(const void *bytes, size_t n, uint64_t out[2])
{
	const XXH128_hash_t h = XXH3_128bits(bytes, n);

	out[0] = h.low64;
	out[1] = h.high64;
}

void
vs_digest_text(const uint8_t in[16], char out[VS_DIGEST_TEXT])
{
	for (int b = 0; b < 16; b++)
		snprintf(out + 2 * b, 3, "%02x", in[b]);
}

/* Word of XXH3's secret. */
static inline uint64_t
secret(int at)
{
	return XXH_readLE64(XXH3_kSecret + at);
}

static inline uint64_t
mix(uint64_t a, uint64_t b, int at, uint64_t seed)
{
	return XXH3_mul128_fold64(a ^ (secret(at) + seed),
		b ^ (secret(at + 8) - seed));
}

/* The part of digest_40() that depends on words 2 and 3, for each seed: pairs
 * have few values of these. */
static inline void
fill_middle(uint64_t k, uint64_t cell, uint64_t middle[2])
{
	for (uint64_t seed = 0; seed < 2; seed++)
		middle[seed] = 40 * XXH_PRIME64_1 + mix(k, cell, 32, seed);
}

/* XXH3-64 of exactly 40 bytes: the library's branches on length would take as
 * long as the digest itself. */
static inline uint64_t
digest_40(const uint64_t w[5], uint64_t middle, uint64_t seed)
{
	uint64_t sum = middle;

	sum += mix(w[1], w[2], 48, seed);
	sum += mix(w[0], w[1], 0, seed) + mix(w[3], w[4], 16, seed);
	return XXH3_avalanche(sum);
}

/* An absent cell and an absent vector are hashed as all ones. */
static inline uint64_t
word_of(uint64_t cell)
{
	return cell == VS_NO_CELL ? ~0ull : cell;
}

static inline uint64_t
third_of(uint64_t k)
{
	return k == VS_NO_VEC ? ~0ull : k;
}

static inline void
add_words(struct vs_digest_sum *s, uint64_t i, uint64_t j, uint64_t k,
	uint64_t cell, double value, const uint64_t middle[2])
{
	uint64_t record[5] = { i, j, k, cell, 0 };

	memcpy(&record[4], &value, 8);
	s->h[0] += digest_40(record, middle[0], 0);
	s->h[1] += digest_40(record, middle[1], 1);
}

void
vs_digest_sum_record(struct vs_digest_sum *s, uint64_t i, uint64_t j,
	uint64_t k, uint64_t cell, double value)
{
	uint64_t middle[2];

	cell = word_of(cell);
	k = third_of(k);
	fill_middle(k, cell, middle);
	add_words(s, i, j, k, cell, value, middle);
}

static void
fill_pairs(uint64_t pair[VS_DIGEST_CELLS + 1][2])
{
	for (unsigned at = 0; at <= VS_DIGEST_CELLS; at++)
		fill_middle(~0ull, at < VS_DIGEST_CELLS ? at : ~0ull, pair[at]);
}

void
vs_digest_sum_constants(uint64_t words[8],
	uint64_t middle[VS_DIGEST_CELLS + 1][2])
{
	for (int k = 0; k < 8; k++)
		words[k] = secret(8 * k);
	fill_pairs(middle);
}

/* Middle terms of a record's digest: for a pair those tabulated by cell, else
 * computed into own. */
static const uint64_t *
middle_of(const struct vs_record *x, uint64_t pair[VS_DIGEST_CELLS + 1][2],
	uint64_t own[2])
{
	if (x->k == VS_NO_VEC)
		return pair[x->cell < VS_DIGEST_CELLS ? x->cell
						      : VS_DIGEST_CELLS];
	fill_middle(x->k, word_of(x->cell), own);
	return own;
}

void
vs_digest_sum_records(struct vs_digest_sum *s, const struct vs_record *rec,
	size_t n)
{
	struct vs_digest_sum sum = *s;
	uint64_t pair[VS_DIGEST_CELLS + 1][2];

	fill_pairs(pair);
	for (size_t r = 0; r < n; r++) {
		const struct vs_record *x = &rec[r];
		const uint64_t cell = word_of(x->cell);
		uint64_t own[2];
		const uint64_t *middle = middle_of(x, pair, own);

		add_words(&sum, x->i, x->j, third_of(x->k), cell, x->value,
			middle);
	}
	*s = sum;
}

uint64_t
vs_digest_counts(const struct vs_record *rec, size_t n, bool has_num,
	bool has_nvalid)
{
	uint64_t sum = 0, pair[VS_DIGEST_CELLS + 1][2];

	fill_pairs(pair);
	for (size_t r = 0; r < n; r++) {
		const struct vs_record *x = &rec[r];
		uint64_t num = has_num ? (uint64_t)x->num : ~0ull;
		uint64_t nvalid = has_nvalid ? (uint64_t)x->nvalid : ~0ull;
		uint64_t words[5] = { x->i, x->j, third_of(x->k),
			word_of(x->cell), num + nvalid * VS_DIGEST_COUNTS };
		uint64_t own[2];

		sum += digest_40(words, middle_of(x, pair, own)[0], 0);
	}
	return sum;
}

void
vs_digest_sum_add(struct vs_digest_sum *s, const struct vs_digest_sum *other)
{
	s->h[0] += other->h[0];
	s->h[1] += other->h[1];
}

void
vs_digest_sum_add_shared(struct vs_digest_sum *s,
	const struct vs_digest_sum *other)
{
	for (int h = 0; h < 2; h++)
		__atomic_fetch_add(&s->h[h], other->h[h], __ATOMIC_RELAXED);
}

int
vs_digest_uuid_make(uint8_t out[16])
{
	if (getrandom(out, 16, 0) != 16)
		return vs_fail_errno(VS_EMACHINE, "no random bytes for a uuid");
	out[6] = (uint8_t)((out[6] & 0x0f) | 0x40);
	out[8] = (uint8_t)((out[8] & 0x3f) | 0x80);
	return 0;
}

void
vs_digest_uuid_text(const uint8_t in[16], char out[37])
{
	int at = 0;

	for (int b = 0; b < 16; b++) {
		if (b == 4 || b == 6 || b == 8 || b == 10)
			out[at++] = '-';
		snprintf(out + at, 3, "%02x", in[b]);
		at += 2;
	}
}
