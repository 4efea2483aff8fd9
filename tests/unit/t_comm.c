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
	bool speaker, alone = vs_comm_size() == 1;
	int worst = first > others || alone ? first : others;

	T_OK(vs_comm_agree(codes[vs_comm_rank() ? others : first], &speaker) ==
			codes[worst],
		"%d beside %d", codes[first], codes[others]);
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
	vs_comm_end();
	return T_DONE();
}
