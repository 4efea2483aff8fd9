/* SPDX-License-Identifier: BSD-3-Clause */
/* Threshold of the N strongest records, exchanged by MPI. */
#include "libcore/engine/sched/shared_threshold.h"
#include "libcore/engine/query.h"
#include "libcore/plan/comm.h"

void
vs_shared_threshold_exchange(double *shared_threshold)
{
	double v;

	__atomic_load(shared_threshold, &v, __ATOMIC_RELAXED);
	vs_query_raise_threshold(shared_threshold, vs_comm_most(v));
}
