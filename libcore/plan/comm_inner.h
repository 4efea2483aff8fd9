/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI wrapper: functions that its files share. */
#ifndef VS_PLAN_COMM_INNER_H
#define VS_PLAN_COMM_INNER_H

#include "libcore/plan/comm.h"

/* Look which launcher started the program, if any; false: none. */
bool vs_comm_start(void);

/* A process that is rank 0 of 1: VS_EUSAGE if it was started as one of several;
 * mpi: "Open MPI v4.1.4", or null: built without. */
int vs_comm_start_alone(const char *mpi);

/* A call of MPI failed with this error: the listener is called, and all ranks
 * are ended. There is one if ranks may break. */
void vs_comm_listen(void (*broken)(const char *why));
bool vs_comm_may_break(void);
void vs_comm_break(int error);

/* Calls of MPI are one thread's at a time. */
void vs_comm_enter(void);
bool vs_comm_try(void);
void vs_comm_leave(void);

/* n: ranks; serial: any thread may call MPI, one at a time */
void vs_comm_windows_begin(int n, bool serial);
void vs_comm_windows_poke(void);
void vs_comm_windows_end(void);

#endif
