/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults in MPI, to be preloaded: call number MPI_FAULT_AT of those named
 * MPI_FAULT_CALL, or of any, fails on rank MPI_FAULT_RANK as MPI reports it:
 * the communicator's error handler is called, then the code is returned.
 *
 * MPI_FAULT_HOW    once (unless given); on: later calls of the rank fail, too;
 *                  all: those of each rank, as where the network is gone
 * MPI_FAULT_COUNT  file, with the rank behind a dot, that receives lines of
 *                  names and how many calls there were, and of "stack" and a
 *                  hash of the call stack of each
 */
#include <execinfo.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
#define CALLS(X) \
	X(Allreduce) X(Bcast) X(Iallreduce) X(Irecv) X(Isend) X(Test) X(Wait) \
	X(Barrier) X(Comm_split_type) X(Comm_free) X(Finalize) \
	X(Win_flush) X(Fetch_and_op) X(Rget) X(Rget_accumulate)
// clang-format on

#define NUMBER(name) N_##name,
enum { CALLS(NUMBER) N_CALL };
#define NAME(name) #name,
static const char *const names[] = { CALLS(NAME) };
#define MOST 100000
static long n_call[N_CALL], n_all;
static unsigned long stacks[MOST];

static unsigned long
stack_hash(void)
{
	void *stack[64];
	unsigned long hash = 14695981039346656037ul;
	int depth = backtrace(stack, 64);

	for (int k = 1; k < depth; k++)
		hash = (hash ^ (unsigned long)stack[k]) * 1099511628211ul;
	return hash;
}

static int
number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? atoi(text) : -1;
}

static int
fails(int which, MPI_Comm comm)
{
	const char *call = getenv("MPI_FAULT_CALL"),
		   *how = getenv("MPI_FAULT_HOW");
	int at = number_of("MPI_FAULT_AT"), rank, all = how && *how == 'a',
	    later = all || (how && !strcmp(how, "on")),
	    any = call && !strcmp(call, "any");
	long n = ++n_call[which];

	if (n_all < MOST && getenv("MPI_FAULT_COUNT"))
		stacks[n_all] = stack_hash();
	n_all++;
	if (!call || (!any && strcmp(call, names[which])))
		return MPI_SUCCESS;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	n = any ? n_all : n;
	if (!at || n < at || (n > at && !later) ||
		(!all && rank != number_of("MPI_FAULT_RANK")))
		return MPI_SUCCESS;
	PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
	return MPI_ERR_OTHER;
}

static void
count(void)
{
	const char *to = getenv("MPI_FAULT_COUNT");
	char path[4200];
	int rank;
	FILE *f;

	if (!to)
		return;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(path, sizeof(path), "%.4000s.%d", to, rank);
	f = fopen(path, "w");
	if (!f)
		abort();
	for (int k = 0; k < N_CALL; k++)
		fprintf(f, "%s %ld\n", names[k], n_call[k]);
	fprintf(f, "any %ld\n", n_all);
	for (long k = 0; k < n_all && k < MOST; k++)
		fprintf(f, "stack %lu\n", stacks[k]);
	fclose(f);
}

#define FAIL(name, comm, params, ...)                          \
	int MPI_##name params                                  \
	{                                                      \
		int code = fails(N_##name, comm);              \
                                                               \
		return code ? code : PMPI_##name(__VA_ARGS__); \
	}

FAIL(Allreduce, c,
	(const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
	a, b, n, t, o, c)
FAIL(Bcast, c, (void *a, int n, MPI_Datatype t, int root, MPI_Comm c), a, n, t,
	root, c)
FAIL(Iallreduce, c,
	(const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c,
		MPI_Request *r),
	a, b, n, t, o, c, r)
FAIL(Irecv, c,
	(void *a, int n, MPI_Datatype t, int from, int tag, MPI_Comm c,
		MPI_Request *r),
	a, n, t, from, tag, c, r)
FAIL(Isend, c,
	(const void *a, int n, MPI_Datatype t, int to, int tag, MPI_Comm c,
		MPI_Request *r),
	a, n, t, to, tag, c, r)
FAIL(Test, MPI_COMM_WORLD, (MPI_Request * r, int *done, MPI_Status *s), r, done,
	s)
FAIL(Wait, MPI_COMM_WORLD, (MPI_Request * r, MPI_Status *s), r, s)
FAIL(Comm_split_type, c,
	(MPI_Comm c, int how, int key, MPI_Info i, MPI_Comm *out), c, how, key,
	i, out)
FAIL(Barrier, c, (MPI_Comm c), c)
FAIL(Win_flush, MPI_COMM_WORLD, (int rank, MPI_Win w), rank, w)
FAIL(Fetch_and_op, MPI_COMM_WORLD,
	(const void *a, void *b, MPI_Datatype t, int rank, MPI_Aint at,
		MPI_Op o, MPI_Win w),
	a, b, t, rank, at, o, w)
FAIL(Rget, MPI_COMM_WORLD,
	(void *to, int n, MPI_Datatype t, int rank, MPI_Aint at, int m,
		MPI_Datatype u, MPI_Win w, MPI_Request *r),
	to, n, t, rank, at, m, u, w, r)
FAIL(Rget_accumulate, MPI_COMM_WORLD,
	(const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u,
		int rank, MPI_Aint at, int k, MPI_Datatype v, MPI_Op o,
		MPI_Win w, MPI_Request *r),
	a, n, t, b, m, u, rank, at, k, v, o, w, r)
FAIL(Comm_free, MPI_COMM_WORLD, (MPI_Comm * c), c)

int
MPI_Finalize(void)
{
	int code = fails(N_Finalize, MPI_COMM_WORLD);

	count();
	return code ? code : PMPI_Finalize();
}
