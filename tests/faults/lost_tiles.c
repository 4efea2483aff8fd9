/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MPI that loses tiles, to be preloaded: LOST_TILES times a rank that claims
 * some from another gets what was claimed already, or TWICE given; else one of
 * those that are left is claimed by nobody. MPICH 4.0 was seen to do the like,
 * where windows of several ranks overlap.
 */
#include <mpi.h>
#include <stdlib.h>

int
MPI_Fetch_and_op(const void *from, void *result, MPI_Datatype type, int target,
	MPI_Aint at, MPI_Op op, MPI_Win window)
{
	static long left = -1, more[2];
	const long *n = from;

	if (left < 0)
		left = getenv("LOST_TILES") ? atol(getenv("LOST_TILES")) : 0;
	if (left && op == MPI_SUM && *n > 0) {
		left--;
		more[0] = getenv("TWICE") ? 0 : *n + 1;
		from = more;
	}
	return PMPI_Fetch_and_op(from, result, type, target, at, op, window);
}
