/* SPDX-License-Identifier: BSD-3-Clause */
/* Cores for threads, on machines described in words and on this one. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/bits/affinity.h"
#include "tests/unit/test.h"

/* Two packages of 8 cores of 2 CPUs: CPU c is of core c / 2. */
#define MACHINE "pack:2 core:8 pu:2"

static int used[1024];

/* Take the CPUs of a rank; false: the threads are left alone. */
static int
take(int n_thread, int rank, int n_rank, int lo, int hi)
{
	struct vs_affinity *p = NULL;
	int ok;

	if (vs_affinity_new(&p, n_thread, rank, n_rank, 1) || !p)
		return 0;
	ok = 1;
	for (int t = 0; t < n_thread; t++) {
		int cpu = vs_affinity_cpu(p, t);

		used[cpu]++;
		ok &= cpu >= 2 * lo && cpu < 2 * hi;
		/* whole cores first */
		ok &= t >= hi - lo || cpu % 2 == 0;
	}
	vs_affinity_free(p);
	return ok;
}

static int
most_used(void)
{
	int most = 0;

	for (int c = 0; c < 1024; c++)
		most = used[c] > most ? used[c] : most;
	memset(used, 0, sizeof(used));
	return most;
}

static void
described(void)
{
	int ok = 1;

	T_OK(take(16, 0, 1, 0, 16) && most_used() == 1, "a thread a core");
	T_OK(take(32, 0, 1, 0, 16) && most_used() == 1, "a thread a CPU");
	T_OK(take(70, 0, 1, 0, 16) && most_used() == 3,
		"more threads than CPUs go round");
	for (int r = 0; r < 4; r++)
		ok &= take(4, r, 4, 4 * r, 4 * r + 4);
	T_OK(ok && most_used() == 1, "four ranks share no core");
	ok = take(5, 0, 3, 0, 5) && take(5, 1, 3, 5, 10) &&
		take(6, 2, 3, 10, 16);
	T_OK(ok && most_used() == 1, "nor do three");
	T_OK(!take(15, 0, 1, 0, 16), "fewer threads than cores are left alone");
	T_OK(!take(1, 0, 17, 0, 1), "and more ranks than cores");
	setenv("OMP_PROC_BIND", "close", 1);
	T_OK(!take(16, 0, 1, 0, 16), "and what the user has bound");
	unsetenv("OMP_PROC_BIND");
	memset(used, 0, sizeof(used));
}

/* Two nodes of memory with 4 cores of 2 CPUs each, numbered as Linux likes to:
 * first CPUs of cores in turn by node, then their second ones. */
#define NODES "numa:2 core:4 pu:2(indexes=numa:core)"

/* The nodes that a rank's threads are on, bit by bit; 0: left alone. */
static unsigned
nodes(int n_thread, int rank, int n_rank)
{
	struct vs_affinity *p = NULL;
	unsigned on = 0;

	if (vs_affinity_new(&p, n_thread, rank, n_rank, 1) || !p)
		return 0;
	for (int t = 0; t < n_thread; t++) {
		used[vs_affinity_cpu(p, t)]++;
		on |= 1u << vs_affinity_cpu(p, t) % 2;
	}
	vs_affinity_free(p);
	return on;
}

static void
by_node(void)
{
	struct vs_affinity *p = NULL;
	int ok;

	T_OK(nodes(4, 0, 2) == 1 && nodes(4, 1, 2) == 2 && most_used() == 1,
		"two ranks: a node each");
	T_OK(nodes(8, 0, 2) == 1 && nodes(8, 1, 2) == 2 && most_used() == 1,
		"all CPUs of it too");
	ok = 1;
	for (int r = 0; r < 4; r++)
		ok &= nodes(2, r, 4) == 1u << r / 2;
	T_OK(ok && most_used() == 1, "four ranks: two on each node");
	T_OK(nodes(2, 0, 3) == 1 && nodes(3, 2, 3) == 2 &&
			nodes(3, 1, 3) == 3 && most_used() == 1,
		"three: one alone is on both");
	if (vs_affinity_new(&p, 8, 0, 1, 1) || !p)
		exit(4);
	ok = 1;
	for (int t = 0; t < 8; t++)
		ok &= vs_affinity_cpu(p, t) % 2 == t / 4;
	T_OK(ok, "one rank: neighbours among threads are on one node");
	vs_affinity_free(p);
}

/* Fewer CPUs than the machine has, as taskset gives them. */
static void
confined(void)
{
	struct vs_affinity *p = NULL;
	cpu_set_t all, one;
	int first = 0, n;

	if (sched_getaffinity(0, sizeof(all), &all) ||
		(n = CPU_COUNT(&all)) < 2) {
		T_SKIP("one CPU");
		return;
	}
	while (!CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	if (sched_setaffinity(0, sizeof(one), &one)) {
		T_SKIP("CPUs cannot be chosen");
		return;
	}
	T_OK(vs_mem_cores_allowed() == 1 && !vs_affinity_new(&p, n, 0, 1, 1) &&
			!p,
		"who is confined to a CPU stays there");
	vs_affinity_free(p);
	sched_setaffinity(0, sizeof(all), &all);
}

/* CPUs of the threads that compute later on. */
static void
bound(int n)
{
	struct vs_affinity *p = NULL;
	int right = 0;

	if (vs_affinity_new(&p, n, 0, 1, 1) || !p) {
		T_SKIP("threads here are bound already, or not all ours");
		return;
	}
	T_OK(vs_affinity_bind(p), "%d threads are bound", n);
#pragma omp parallel for schedule(static, 1) num_threads(n) reduction(+ : right)
	for (int t = 0; t < n; t++) {
		cpu_set_t set;

		right += !sched_getaffinity(0, sizeof(set), &set) &&
			CPU_COUNT(&set) == 1 &&
			CPU_ISSET(vs_affinity_cpu(p, t), &set);
	}
	T_OK(right == n, "%d threads stay on their cores", n);
	vs_affinity_free(p);
}

int
main(void)
{
	int rank, n_rank;

	setenv("HWLOC_SYNTHETIC", MACHINE, 1);
	described();
	setenv("HWLOC_SYNTHETIC", NODES, 1);
	by_node();
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("OMPI_COMM_WORLD_LOCAL_RANK");
	unsetenv("MPI_LOCALRANKID");
	T_OK(vs_affinity_local(&rank, &n_rank) && rank == 0 && n_rank == 1,
		"no launcher");
	setenv("MPI_LOCALRANKID", "2", 1);
	setenv("MPI_LOCALNRANKS", "3", 1);
	T_OK(!vs_affinity_local(&rank, &n_rank) && rank == 2 && n_rank == 3,
		"a launcher that says where we are");
	setenv("MPI_LOCALNRANKS", "2", 1);
	T_OK(vs_affinity_local(&rank, &n_rank) && n_rank == 1,
		"one that contradicts itself");
	confined();
	bound(vs_mem_cores_allowed());
	return T_DONE();
}
