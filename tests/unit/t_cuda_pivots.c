/* SPDX-License-Identifier: BSD-3-Clause */
/* First vectors of triples on a card: how many vectors its slabs have, which
 * pairs a launch counts, and how wide their counts are. */
#include "cuda/card_query.h"
#include "cuda/pivots.h"
#include "tests/unit/test.h"

/* Pairs of a slab are counted once, until its ranges change or it ends. */
static void
test_counted(void)
{
	static const uint32_t at[][5] = { { 0, 64, 0, 32, 0 },
		{ 0, 64, 0, 32, 1 }, { 0, 64, 0, 16, 0 }, { 0, 64, 16, 32, 0 },
		{ 0, 64, 16, 32, 1 }, { 0, 64, 0, 32, 0 }, { 0, 32, 0, 32, 0 },
		{ 32, 64, 0, 32, 0 } };
	struct vs_pivots p = { 0 };
	int wrong = 0;

	for (size_t k = 0; k < sizeof(at) / sizeof(at[0]); k++) {
		struct vs_card_triples t = { .work = { .i_lo = at[k][0],
						     .i_hi = at[k][1],
						     .j_lo = at[k][2],
						     .j_hi = at[k][3] } };

		vs_pivots_count(&p, &t);
		wrong += t.counted != (int32_t)at[k][4];
		t.work.j.first = 128;
		vs_pivots_count(&p, &t);
		wrong += t.counted;
		t.work.j.first = 0;
		vs_pivots_count(&p, &t);
		vs_pivots_count(&p, &t);
		wrong += !t.counted;
		if (k % 2 == 0)
			continue;
		vs_pivots_forget(&p);
		vs_pivots_count(&p, &t);
		wrong += t.counted;
	}
	T_OK(!wrong,
		"pairs are counted for new ranges, and not again for the "
		"same ones");
}

static size_t
bytes_of_pairs(const struct vs_query *q)
{
	const size_t checked = 128 / VS_CARD_CHECKED * sizeof(uint32_t);

	return vs_pivots_bytes(q, &(struct vs_pivots_side){ 128, 256 }, 0) -
		checked;
}

/* Slabs are as large as memory allows, for the vectors there are. */
static void
test_slabs(void)
{
	struct vs_classes classes = { .n = { 2000, 3000 } };
	struct vs_query q = { .metric = vs_metric_find("k2"),
		.classes = &classes,
		.n_field = 5000 };
	struct vs_pivots_side s, last = { 0 };
	int wrong = 0;

	for (int miss = 0; miss < 2; miss++) {
		q.has_missing = miss;
		last = (struct vs_pivots_side){ 0 };
		for (size_t room = 1; room < (size_t)1 << 34; room *= 2) {
			vs_pivots_fit(&q, 100000, room, &s);
			wrong += s.v % 128 || s.w % 128 || s.v < 128 ||
				s.w < s.v || s.w < last.w || s.v < last.v;
			wrong += s.v + s.w > 256 &&
				vs_pivots_bytes(&q, &s, 1) > room;
			last = s;
		}
		wrong += last.v * last.w * VS_CARD_PIVOTS < 500000000;
		vs_pivots_fit(&q, 300, (size_t)1 << 34, &s);
		wrong += s.v != 384 || s.w != 384;
	}
	T_OK(!wrong, "slabs of 5e8 triples a launch, or what memory allows");
}

/* Counts fit 16 bits, unless a class is larger. */
static void
test_wide(void)
{
	struct vs_classes classes = { 0 };
	struct vs_query q = { .metric = vs_metric_find("k2"),
		.classes = &classes };
	int wrong = 0;

	for (int k = 0; k < 2; k++)
		for (uint32_t n = 65534; n < 65538; n++) {
			size_t once;

			classes.n[k] = 9;
			classes.n[1 - k] = 9;
			once = bytes_of_pairs(&q);
			classes.n[k] = n;
			wrong += bytes_of_pairs(&q) !=
				(n > 65535 ? 2 : 1) * once;
			/* all nine cells, or none is kept */
			q.has_missing = true;
			wrong += bytes_of_pairs(&q) !=
				(n > 65535 ? 0 : once / 4 * 9);
			q.has_missing = false;
		}
	T_OK(!wrong, "counts of 16 bits are kept for classes below 65536");
}

int
main(void)
{
	test_counted();
	test_wide();
	test_slabs();
	return T_DONE();
}
