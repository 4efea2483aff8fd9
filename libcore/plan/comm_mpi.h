/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI or, in a build without it, its names alone. The one process of such a
 * build starts no MPI, so it calls none of these functions.
 */
#ifndef VS_PLAN_COMM_MPI_H
#define VS_PLAN_COMM_MPI_H

#ifndef VSIM_NO_MPI
#include <mpi.h>
#define VS_HAS_MPI 1
#else
#include <stdint.h>
#include <stdlib.h>
#define VS_HAS_MPI 0

typedef int MPI_Comm, MPI_Win, MPI_Errhandler, MPI_Request;
typedef intptr_t MPI_Aint;

enum {
	MPI_SUCCESS,
	MPI_COMM_NULL,
	MPI_COMM_WORLD,
	MPI_COMM_TYPE_SHARED,
	MPI_INFO_NULL,
	MPI_REQUEST_NULL,
	MPI_ERRORS_RETURN,
	MPI_THREAD_FUNNELED,
	MPI_THREAD_SERIALIZED,
	MPI_ANY_SOURCE,
	MPI_ANY_TAG,
	MPI_MODE_NOCHECK,
	MPI_BYTE,
	MPI_INT,
	MPI_2INT,
	MPI_DOUBLE,
	MPI_INT64_T,
	MPI_UINT64_T,
	MPI_SUM,
	MPI_MIN,
	MPI_MAX,
	MPI_MINLOC,
	MPI_NO_OP,
	MPI_MAX_ERROR_STRING = 256,
	MPI_MAX_LIBRARY_VERSION_STRING = 256
};
#define MPI_IN_PLACE NULL
#define MPI_STATUS_IGNORE NULL

static inline int
vs_comm_no_mpi(int n, ...)
{
	(void)n;
	abort();
}
#define MPI_Abort(...) vs_comm_no_mpi(0, ##__VA_ARGS__)
#define MPI_Allreduce MPI_Abort
#define MPI_Barrier MPI_Abort
#define MPI_Bcast MPI_Abort
#define MPI_Comm_create_errhandler MPI_Abort
#define MPI_Comm_free MPI_Abort
#define MPI_Comm_get_errhandler MPI_Abort
#define MPI_Comm_rank MPI_Abort
#define MPI_Comm_set_errhandler MPI_Abort
#define MPI_Comm_size MPI_Abort
#define MPI_Comm_split_type MPI_Abort
#define MPI_Errhandler_free MPI_Abort
#define MPI_Error_string MPI_Abort
#define MPI_Fetch_and_op MPI_Abort
#define MPI_Finalize MPI_Abort
#define MPI_Get_library_version MPI_Abort
#define MPI_Iallreduce MPI_Abort
#define MPI_Init_thread MPI_Abort
#define MPI_Iprobe MPI_Abort
#define MPI_Irecv MPI_Abort
#define MPI_Isend MPI_Abort
#define MPI_Recv MPI_Abort
#define MPI_Rget MPI_Abort
#define MPI_Rget_accumulate MPI_Abort
#define MPI_Send MPI_Abort
#define MPI_Test MPI_Abort
#define MPI_Wait MPI_Abort
#define MPI_Win_allocate MPI_Abort
#define MPI_Win_create_errhandler MPI_Abort
#define MPI_Win_flush MPI_Abort
#define MPI_Win_free MPI_Abort
#define MPI_Win_lock_all MPI_Abort
#define MPI_Win_set_errhandler MPI_Abort
#define MPI_Win_sync MPI_Abort
#define MPI_Win_unlock_all MPI_Abort
#endif

#endif
