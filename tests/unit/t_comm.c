/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement of ranks on the worst code; among ranks if there is a launcher.
 */
#include "libcore/base/fail.h"
#include "libcore/plan/comm.h"
#include "tests/unit/test.h"

/* From best to worst. */
static const int codes[] = { 0, VS_DONE, 2, 255, VS_EUSAGE, VS_EINPUT,
	VS_EMACHINE, -255 };

#define N_CODE ((int)(sizeof(codes) / sizeof(codes[0])))

/* Rank 0 has one code and the others another, by place. */
static void
agree_on(int first, int others)
{
	bool alone = vs_comm_size() == 1;
	int worst = first > others || alone ? first : others;

	T_OK(vs_comm_agree(codes[vs_comm_rank() ? others : first]) ==
			codes[worst],
		"%d beside %d", codes[first], codes[others]);
}

/* Each rank has its own bytes, parts of which all ranks copy. */
static void
copy(void)
{
	const size_t bytes = 10 << 20;
	const int n = vs_comm_size();
	unsigned char *mine, to[2][3000];
	void *memory;
	bool equal = true, there;

	there = vs_comm_memory_begin(bytes, &memory);
	T_OK(n > 1 || !there, "alone there is no memory of others");
	if (!there)
		return;
	mine = memory;
	for (size_t k = 0; k < bytes; k++)
		mine[k] = (unsigned char)(k * 7 + k / 4096 +
			(size_t)vs_comm_rank() * 31);
	vs_comm_memory_filled();
	vs_comm_agree(0);
	for (int of = 0; of < n; of++)
		for (size_t from = 0; from + 3000 < bytes; from += bytes / 9) {
			const struct vs_comm_piece piece[] = {
				{ to[0], from, 3000 }, { to[1], from / 2, 1000 }
			};

			vs_comm_memory_get(of, piece, 2);
			for (size_t k = 0; k < 3000; k++) {
				size_t a = from + k, b = from / 2 + k;

				equal &= to[0][k] ==
					(unsigned char)(a * 7 + a / 4096 +
						(size_t)of * 31);
				equal &= k >= 1000 ||
					to[1][k] ==
						(unsigned char)(b * 7 +
							b / 4096 +
							(size_t)of * 31);
			}
		}
	T_OK(equal, "bytes of %d ranks are theirs", n);
	vs_comm_memory_end();
}

int
main(void)
{
	bool ordered = true, inverse = true;

	for (int k = 0; k < N_CODE; k++) {
		ordered &= !k ||
			vs_comm_order(codes[k]) < vs_comm_order(codes[k - 1]);
		inverse &= vs_comm_code(vs_comm_order(codes[k])) == codes[k];
	}
	T_OK(ordered, "failures are worse than answers, these than 0");
	T_OK(inverse, "the order of a code gives the code again");
	if (vs_comm_begin(NULL))
		return 1;
	for (int a = 0; a < N_CODE; a++)
		for (int b = 0; b < N_CODE; b++)
			agree_on(a, b);
	copy();
	vs_comm_end();
	return T_DONE();
}
