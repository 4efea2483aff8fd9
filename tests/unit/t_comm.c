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

static void
agree_on(int mine, int others)
{
	bool speaker, first = !vs_comm_rank();
	int worst = vs_comm_order(mine) < vs_comm_order(others) ? mine : others;

	T_OK(vs_comm_agree(first ? mine : others, &speaker) ==
			(vs_comm_size() > 1 ? worst : mine),
		"%d beside %d", mine, others);
}

int
main(void)
{
	int shared_threshold = 1, back = 1;

	for (int k = 0; k < N_CODE; k++) {
		shared_threshold &= !k ||
			vs_comm_order(codes[k]) < vs_comm_order(codes[k - 1]);
		back &= vs_comm_code(vs_comm_order(codes[k])) == codes[k];
	}
	T_OK(shared_threshold, "failures are worse than answers, these than 0");
	T_OK(back, "codes are compared by their order");
	if (vs_comm_begin())
		return 1;
	for (int a = 0; a < N_CODE; a++)
		agree_on(codes[a], codes[(a + 3) % N_CODE]);
	agree_on(0, VS_DONE);
	agree_on(VS_DONE, 0);
	vs_comm_end();
	return T_DONE();
}
