/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded: messages of MPI_BYTE that are large come over a slow link. Each
 * reaches its memory, and is complete, no earlier than SLOW_LINK bytes a second
 * allow since it was asked for, behind those asked for before. For programs
 * that wait by MPI_Test alone.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LEAST 4096
#define MOST 64

static struct {
	MPI_Request *request; /* null: free */
	void *to, *came;
	size_t bytes;
	double due;
} on_way[MOST];
static double link_free;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int
MPI_Irecv(void *to, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	const char *rate = getenv("SLOW_LINK");
	int k = 0, code;

	if (!rate || type != MPI_BYTE || n < LEAST)
		return PMPI_Irecv(to, n, type, from, tag, comm, request);
	pthread_mutex_lock(&lock);
	while (k < MOST && on_way[k].request)
		k++;
	if (k == MOST || !(on_way[k].came = malloc((size_t)n)))
		abort();
	link_free = (link_free > now() ? link_free : now()) + n / atof(rate);
	on_way[k].request = request;
	on_way[k].to = to;
	on_way[k].bytes = (size_t)n;
	on_way[k].due = link_free;
	code = PMPI_Irecv(on_way[k].came, n, type, from, tag, comm, request);
	pthread_mutex_unlock(&lock);
	return code;
}

int
MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
	int k = 0, code;

	pthread_mutex_lock(&lock);
	while (k < MOST && on_way[k].request != request)
		k++;
	if (k == MOST) {
		code = PMPI_Test(request, done, status);
	} else if (code = PMPI_Request_get_status(*request, done,
			   MPI_STATUS_IGNORE),
		code != MPI_SUCCESS || !*done || now() < on_way[k].due) {
		*done = 0;
	} else {
		code = PMPI_Test(request, done, status);
		memcpy(on_way[k].to, on_way[k].came, on_way[k].bytes);
		free(on_way[k].came);
		on_way[k].request = NULL;
	}
	pthread_mutex_unlock(&lock);
	return code;
}
