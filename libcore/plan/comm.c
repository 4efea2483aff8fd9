/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI wrapper: collectives, agreement on errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/float_env.h"
#include "libcore/base/limits.h"
#include "libcore/plan/comm_inner.h"
#include "libcore/plan/comm_mpi.h"

static int rank, size = 1;
static bool threaded; /* lock for calls by several threads, one at a time */
static bool running;
static MPI_Comm machine = MPI_COMM_NULL; /* the ranks on this machine */
static int local_rank, local_size = 1;

/* An MPI message counts bytes in an int. */
#define PIECE ((size_t)1 << 30)
#define NUMBERS ((size_t)1 << 20) /* MPI copies as many to add them up */

/* MPI's error handler of any communicator. */
static void
on_error(MPI_Comm *comm, int *error, ...)
{
	(void)comm;
	vs_comm_break(*error);
}

/* Communicators made later inherit the handler. */
static int
handle_errors(void (*broken)(const char *why))
{
	MPI_Errhandler handler;

	vs_comm_listen(broken);
	if (MPI_Comm_create_errhandler(on_error, &handler) != MPI_SUCCESS ||
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler) !=
			MPI_SUCCESS ||
		MPI_Errhandler_free(&handler) != MPI_SUCCESS)
		return vs_fail(VS_EMACHINE, "MPI cannot report errors");
	return 0;
}

int
vs_comm_begin(void (*broken)(const char *why))
{
	int provided;

	/* MPI is the first to need more than a small one */
	if (VS_HAS_MPI && vs_limits_stack())
		return VS_EMACHINE;
	if (!vs_comm_start() || !VS_HAS_MPI)
		return 0;
	/* else Open MPI locks a shared file by another beside it, which a rank
	 * that is killed leaves behind */
	setenv("OMPI_MCA_sharedfp", "^lockedfile", 0);
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) !=
		MPI_SUCCESS)
		return vs_fail(VS_EMACHINE, "MPI cannot be started");
	vs_float_env_set();
	running = true;
	if (broken && handle_errors(broken))
		return VS_EMACHINE;
	if (provided < MPI_THREAD_FUNNELED)
		return vs_fail(VS_EMACHINE, "this MPI allows no threads");
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	threaded = provided >= MPI_THREAD_SERIALIZED;
	vs_comm_windows_begin(size, threaded);
	if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank,
		    MPI_INFO_NULL, &machine) != MPI_SUCCESS)
		return vs_fail(VS_EMACHINE,
			"MPI cannot say which ranks are on one machine");
	MPI_Comm_rank(machine, &local_rank);
	MPI_Comm_size(machine, &local_size);
	return 0;
}

int
vs_comm_check_start(void)
{
	char mpi[64];

	vs_comm_version(mpi, sizeof(mpi));
	return size > 1 ? 0 : vs_comm_start_alone(VS_HAS_MPI ? mpi : NULL);
}

bool
vs_comm_launched(void)
{
	return running;
}

void
vs_comm_end(void)
{
	vs_comm_windows_end();
	if (machine != MPI_COMM_NULL)
		MPI_Comm_free(&machine);
	if (running)
		MPI_Finalize();
	running = false;
}

int
vs_comm_rank(void)
{
	return rank;
}

int
vs_comm_size(void)
{
	return size;
}

void
vs_comm_local(int *at, int *of)
{
	*at = local_rank;
	*of = local_size;
}

void
vs_comm_local_sum_u64(uint64_t *v, int n)
{
	if (running)
		MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_UINT64_T, MPI_SUM,
			machine);
}

int
vs_comm_local_agree(int code)
{
	uint64_t n_failed = code != 0;

	vs_comm_local_sum_u64(&n_failed, 1);
	return n_failed && !code ? VS_DONE : code;
}

static bool speaks = true;

bool
vs_comm_speaks(void)
{
	return speaks;
}

int
vs_comm_agree(int code)
{
	struct {
		int order, rank;
	} mine = { vs_comm_order(code), *vs_fail_text() ? rank : rank + size },
	  worst = mine;

	/*
	 * MINLOC: the worst code, and of equal codes the lowest rank. Ranks
	 * that received the code in an earlier call have no sentence.
	 */
	if (running)
		MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MINLOC,
			MPI_COMM_WORLD);
	speaks = worst.rank == mine.rank;
	return vs_comm_code(worst.order);
}

void
vs_comm_sum_u64(uint64_t *v, size_t n)
{
	for (size_t at = 0; running && at < n; at += NUMBERS)
		MPI_Allreduce(MPI_IN_PLACE, v + at,
			(int)(n - at < NUMBERS ? n - at : NUMBERS),
			MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

void
vs_comm_max_f64(double *v, int n)
{
	if (running)
		MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_DOUBLE, MPI_MAX,
			MPI_COMM_WORLD);
}

static void
broadcast(void *bytes, size_t n, MPI_Comm to)
{
	for (size_t at = 0; running && at < n; at += PIECE)
		MPI_Bcast((char *)bytes + at,
			(int)(n - at < PIECE ? n - at : PIECE), MPI_BYTE, 0,
			to);
}

void
vs_comm_share(void *bytes, size_t n)
{
	broadcast(bytes, n, MPI_COMM_WORLD);
}

void
vs_comm_turn(void *bytes, size_t n, void (*change)(void *ctx), void *ctx)
{
	const int before = (rank + size - 1) % size, after = (rank + 1) % size;

	if (rank)
		MPI_Recv(bytes, (int)n, MPI_BYTE, before, 1, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
	change(ctx);
	if (size > 1)
		MPI_Send(bytes, (int)n, MPI_BYTE, after, 1, MPI_COMM_WORLD);
	if (size > 1 && !rank)
		MPI_Recv(bytes, (int)n, MPI_BYTE, before, 1, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
}

void
vs_comm_local_share(void *bytes, size_t n)
{
	broadcast(bytes, n, machine);
}

bool
vs_comm_is_threaded(void)
{
	return running && threaded;
}

/*
 * One round of the reduction: each rank's value and whether it still works;
 * then the maximum.
 */
static struct {
	double mine[2], all[2], known;
	MPI_Request request;
	bool open; /* between begin and end: all ranks take part */
} global_max;

static void
begin_round(double v, bool busy)
{
	global_max.mine[0] = v;
	global_max.mine[1] = busy;
	MPI_Iallreduce(global_max.mine, global_max.all, 2, MPI_DOUBLE, MPI_MAX,
		MPI_COMM_WORLD, &global_max.request);
}

void
vs_comm_most_begin(double v)
{
	global_max.known = v;
	global_max.open = running;
	if (running)
		begin_round(v, true);
}

double
vs_comm_most(double v)
{
	int done = 0;

	/* other ranks would take a further round for one of the next
	 * reduction */
	if (!global_max.open)
		return v;
	vs_comm_enter();
	MPI_Test(&global_max.request, &done, MPI_STATUS_IGNORE);
	if (done) {
		global_max.known = global_max.all[0];
		begin_round(v, true);
	}
	vs_comm_leave();
	return global_max.known;
}

void
vs_comm_most_end(double v)
{
	while (global_max.open) {
		MPI_Wait(&global_max.request, MPI_STATUS_IGNORE);
		global_max.open = global_max.all[1] != 0;
		if (global_max.open)
			begin_round(v, false);
	}
}

void
vs_comm_version(char *text, size_t room)
{
	char all[MPI_MAX_LIBRARY_VERSION_STRING] = "no MPI";
	int n;

	if (VS_HAS_MPI)
		MPI_Get_library_version(all, &n);
	snprintf(text, room, "%.*s", (int)strcspn(all, ",\n"), all);
}
