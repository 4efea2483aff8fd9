/* SPDX-License-Identifier: BSD-3-Clause */
#include "libcore/base/record.h"

int
vs_record_compare(const struct vs_record *a, const struct vs_record *b)
{
	if (a->i != b->i)
		return a->i < b->i ? -1 : 1;
	if (a->j != b->j)
		return a->j < b->j ? -1 : 1;
	if (a->k != b->k)
		return a->k < b->k ? -1 : 1;
	return (a->cell > b->cell) - (a->cell < b->cell);
}

static void
rename_pair(struct vs_record *rec, const int64_t source[3],
	const uint8_t flip[3])
{
	uint32_t a = (rec->cell >> 1 & 1) ^ flip[0];
	uint32_t b = (rec->cell & 1) ^ flip[1];
	int turned = source[1] < source[0];

	rec->i = (uint64_t)source[turned];
	rec->j = (uint64_t)source[!turned];
	rec->cell = turned ? 2 * b + a : 2 * a + b;
}

void
vs_record_rename(struct vs_record *rec, const int64_t source[3],
	const uint8_t flip[3])
{
	const int n = 3;
	uint64_t v[3];
	uint32_t label[3];

	if (rec->k == VS_NO_VEC) {
		rename_pair(rec, source, flip);
		return;
	}
	for (int x = 0; x < n; x++) {
		v[x] = (uint64_t)source[x];
		label[x] = (rec->cell >> (n - 1 - x) & 1) ^ flip[x];
	}
	for (int x = 1; x < n; x++) /* insertion sort */
		for (int y = x; y && v[y] < v[y - 1]; y--) {
			uint64_t tv = v[y];
			uint32_t tl = label[y];

			v[y] = v[y - 1];
			v[y - 1] = tv;
			label[y] = label[y - 1];
			label[y - 1] = tl;
		}
	rec->i = v[0];
	rec->j = v[1];
	rec->cell = label[0];
	for (int x = 1; x < n; x++)
		rec->cell = 2 * rec->cell + label[x];
	rec->k = v[2];
}
