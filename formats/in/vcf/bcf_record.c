/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parser of BCF records, which are typed values end to end: each states its
 * type and its length.
 */
#include <stdbool.h>
#include <string.h>

#include "formats/in/vcf/bcf_record.h"
#include "libcore/base/fail.h"

enum { INT8 = 1, INT16, INT32, FLOAT = 5, CHAR = 7 };

#define LONGER 15     /* the length follows separately */
#define NO_VALUE 0x07 /* as a text */

static const uint8_t size_of[16] = {
	[INT8] = 1,
	[INT16] = 2,
	[INT32] = 4,
	[FLOAT] = 4,
	[CHAR] = 1,
};

/* The rest of a record. */
struct left {
	const uint8_t *at, *end;
};

static bool
take(struct left *l, uint64_t n, const uint8_t **at)
{
	if (n > (uint64_t)(l->end - l->at))
		return false;
	*at = l->at;
	l->at += n;
	return true;
}

uint64_t
vs_bcf_record_sum(const void *bytes, size_t n)
{
	const uint8_t *at = bytes;
	uint64_t sum = 0;

	for (size_t k = 0; k < n; k++, at += 4)
		sum += at[0] | at[1] << 8 | at[2] << 16 | (uint64_t)at[3] << 24;
	return sum;
}

static int32_t
number(const uint8_t *at, int type)
{
	if (type == INT8)
		return (int8_t)at[0];
	if (type == INT16)
		return (int16_t)(at[0] | at[1] << 8);
	return (int32_t)vs_bcf_record_sum(at, 1);
}

/* Type and length of the value that follows. */
static bool
take_type(struct left *l, int *type, uint64_t *n)
{
	const uint8_t *at;
	int of;

	if (!take(l, 1, &at))
		return false;
	*type = *at & 15;
	*n = *at >> 4;
	if (*n != LONGER)
		return true;
	if (!take(l, 1, &at) || *at >> 4 != 1)
		return false;
	of = *at & 15;
	if (of < INT8 || of > INT32 || !take(l, size_of[of], &at) ||
		number(at, of) < 0)
		return false;
	*n = (uint64_t)number(at, of);
	return true;
}

static bool
take_text(struct left *l, const uint8_t **at, size_t *len)
{
	int type;
	uint64_t n;

	if (!take_type(l, &type, &n) || (n && type != CHAR) || !take(l, n, at))
		return false;
	*len = n ? strnlen((const char *)*at, n) : 0;
	return true;
}

static bool
take_key(struct left *l, int32_t *key)
{
	const uint8_t *at;
	int type;
	uint64_t n;

	if (!take_type(l, &type, &n) || n != 1 || type < INT8 || type > INT32 ||
		!take(l, size_of[type], &at))
		return false;
	*key = number(at, type);
	return true;
}

/* Any value for n_sample samples. */
static bool
take_value(struct left *l, uint64_t n_sample, int *type,
	struct vs_bcf_calls *value)
{
	uint64_t n;

	if (!take_type(l, type, &n) || (n && !size_of[*type]))
		return false;
	value->n = n;
	value->size = size_of[*type];
	value->real = *type == FLOAT;
	value->text = *type == CHAR;
	/* each factor is below 2^32, 2^3 and 2^24 */
	return take(l, n * value->size * n_sample, &value->at);
}

void
vs_bcf_record_fixed(struct vs_bcf_record *r, const void *bytes)
{
	const uint8_t *at = bytes;
	uint64_t pos = vs_bcf_record_sum(at + 4, 1);

	r->contig = number(at, INT32);
	r->pos = pos == UINT32_MAX ? 0 : (int64_t)pos + 1;
	r->n_info = at[16] | at[17] << 8;
	r->n_allele = at[18] | at[19] << 8;
	r->n_sample = at[20] | at[21] << 8 | at[22] << 16;
	r->n_format = at[23];
}

/* Text k of the site, with a NUL. 0; VS_EMACHINE */
static int
keep(struct vs_text *t, const uint8_t *at, size_t len)
{
	size_t from = t->len;
	int code = len ? vs_text_put(t, at, len) : vs_text_put(t, ".", 1);

	for (; !code && from < t->len; from++)
		if (t->bytes[from] == NO_VALUE)
			t->bytes[from] = '.';
	return code ? code : vs_text_put(t, "", 1);
}

/* Id, alleles, FILTER and INFO. */
static int
read_site(struct vs_bcf_record *r, struct left l)
{
	struct vs_bcf_calls none;
	const uint8_t *at;
	size_t len, allele[2] = { 0 };
	int32_t key;
	int type, code = 0;

	if (r->n_allele < 1 || !take_text(&l, &at, &len))
		return VS_EINPUT;
	r->text.len = 0;
	code = keep(&r->text, at, len);
	for (int a = 0; a < r->n_allele && !code; a++) {
		if (!take_text(&l, &at, &len))
			return VS_EINPUT;
		if (a < 2)
			allele[a] = r->text.len;
		code = keep(&r->text, at, len);
	}
	if (!code && r->n_allele == 1) {
		allele[1] = r->text.len;
		code = keep(&r->text, at, 0);
	}
	if (code)
		return code;
	r->id = r->text.bytes;
	for (int a = 0; a < 2; a++)
		r->allele[a] = r->text.bytes + allele[a];
	if (!take_value(&l, 1, &type, &none))
		return VS_EINPUT;
	for (int k = 0; k < r->n_info; k++)
		if (!take_key(&l, &key) || !take_value(&l, 1, &type, &none))
			return VS_EINPUT;
	return 0;
}

int
vs_bcf_record_read(struct vs_bcf_record *r, const void *site, size_t n,
	const void *calls, size_t n_calls, int gt)
{
	struct left l = { site, (const uint8_t *)site + n };
	int type, code = read_site(r, l);

	r->gt = (struct vs_bcf_calls){ 0 };
	l = (struct left){ calls, (const uint8_t *)calls + n_calls };
	for (int k = 0; k < r->n_format && !code; k++) {
		struct vs_bcf_calls value;
		int32_t key;

		if (!take_key(&l, &key) ||
			!take_value(&l, (uint64_t)r->n_sample, &type, &value))
			return VS_EINPUT;
		if (key != gt || gt < 0 || r->gt.at || !value.n)
			continue;
		r->gt = value;
	}
	return code;
}
