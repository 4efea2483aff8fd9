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

void
vs_digest_free(struct vs_digest *d)
{
	if (d)
		XXH3_freeState(d->state);
	free(d);
}

void
vs_digest_text(const uint8_t in[16], char out[VS_DIGEST_TEXT])
{
	for (int b = 0; b < 16; b++)
		snprintf(out + 2 * b, 3, "%02x", in[b]);
}

void
vs_digest_sum_record(struct vs_digest_sum *s, uint64_t i, uint64_t j,
	uint64_t k, uint64_t cell, double value)
{
	/* an absent cell is hashed as all ones, like an absent vector */
	uint64_t record[5] = { i, j, k, cell == VS_NO_CELL ? ~0ull : cell, 0 };

	memcpy(&record[4], &value, 8);
	s->h[0] += XXH3_64bits_withSeed(record, sizeof(record), 0);
	s->h[1] += XXH3_64bits_withSeed(record, sizeof(record), 1);
}

void
vs_digest_sum_add(struct vs_digest_sum *s, const struct vs_digest_sum *other)
{
	s->h[0] += other->h[0];
	s->h[1] += other->h[1];
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
