/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI wrapper: errors of MPI, and the lock of its calls. */
#include <pthread.h>
#include <stdio.h>

#include "libcore/base/fail.h"
#include "libcore/plan/comm_inner.h"
#include "libcore/plan/comm_mpi.h"

static void (*on_broken)(const char *why);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void
vs_comm_listen(void (*broken)(const char *why))
{
	on_broken = broken;
}

bool
vs_comm_may_break(void)
{
	return on_broken;
}

void
vs_comm_break(int error)
{
	char why[MPI_MAX_ERROR_STRING];
	int n;

	if (MPI_Error_string(error, why, &n) != MPI_SUCCESS)
		snprintf(why, sizeof(why), "error %d", error);
	vs_comm_give_up(why);
}

void
vs_comm_give_up(const char *why)
{
	on_broken(why);
	MPI_Abort(MPI_COMM_WORLD, -VS_EMACHINE);
}

void
vs_comm_enter(void)
{
	pthread_mutex_lock(&lock);
}

bool
vs_comm_try(void)
{
	return !pthread_mutex_trylock(&lock);
}

void
vs_comm_leave(void)
{
	pthread_mutex_unlock(&lock);
}
