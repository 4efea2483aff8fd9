/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI wrapper: functions that its files share. */
#ifndef VS_PLAN_COMM_INNER_H
#define VS_PLAN_COMM_INNER_H

#include "libcore/plan/comm.h"

/* Find out which launcher started the program, if any; false: none. */
bool vs_comm_start(void);

/* For a process that is rank 0 of 1: VS_EUSAGE if it was started as one of
 * several. mpi: "Open MPI v4.1.4", or null if built without. */
int vs_comm_start_alone(const char *mpi);

/* An MPI call failed with this error: call the listener, if there is one, and
 * end all ranks. */
void vs_comm_listen(void (*broken)(const char *why));
bool vs_comm_may_break(void);
void vs_comm_break(int error);

/* Lock: MPI is called by one thread at a time. */
void vs_comm_enter(void);
bool vs_comm_try(void);
void vs_comm_leave(void);

/* n: ranks; serial: any thread may call MPI, one at a time */
void vs_comm_windows_begin(int n, bool serial);
void vs_comm_windows_poke(void);
void vs_comm_windows_end(void);

#endif
