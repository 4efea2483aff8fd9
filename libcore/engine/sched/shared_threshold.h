/* SPDX-License-Identifier: BSD-3-Clause */
/* Threshold of the N strongest records, exchanged between MPI ranks. */
#ifndef VS_ENGINE_SCHED_SHARED_THRESHOLD_H
#define VS_ENGINE_SCHED_SHARED_THRESHOLD_H

/* Hear of what other ranks know, and tell them: between vs_comm_most_begin()
 * and its end, by the thread that may. */
void vs_shared_threshold_exchange(double *shared_threshold);

#endif
