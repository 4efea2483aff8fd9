/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread affinity by hwloc: one core for each thread. */
#include <hwloc.h>
#include <omp.h>
#include <stdlib.h>

#include "libcore/base/limits.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/bits/affinity.h"

struct vs_affinity {
	hwloc_topology_t machine;
	hwloc_obj_t *cpu; /* CPU of each thread, in order of assignment */
	int n_thread;
};

static bool
bound_by_user(void)
{
	static const char *const signs[] = { "OMP_PROC_BIND", "OMP_PLACES",
		"GOMP_CPU_AFFINITY", "KMP_AFFINITY" };
	size_t k = 0, n = sizeof(signs) / sizeof(signs[0]);

	while (k < n && !getenv(signs[k]))
		k++;
	return k < n;
}

/* True if this process may use all the machine's CPUs. */
static bool
runs_anywhere(hwloc_topology_t machine)
{
	hwloc_cpuset_t mine = hwloc_bitmap_alloc();
	bool yes = true;

	/* a topology from a file (simulated) has no binding */
	if (mine && !hwloc_get_cpubind(machine, mine, HWLOC_CPUBIND_PROCESS))
		yes = hwloc_bitmap_isincluded(
			hwloc_topology_get_allowed_cpuset(machine), mine);
	hwloc_bitmap_free(mine);
	return yes;
}

/*
 * Append the CPUs of cores [lo, hi): the first of each core, then the second of
 * each core, and so on.
 */
static void
assign_cpus(struct vs_affinity *p, int lo, int hi)
{
	int n = 0, before;

	for (unsigned round = 0; n < p->n_thread; round++) {
		before = n;
		for (int c = lo; c < hi && n < p->n_thread; c++) {
			hwloc_obj_t core = hwloc_get_obj_by_type(p->machine,
				HWLOC_OBJ_CORE, (unsigned)c);
			hwloc_obj_t cpu = hwloc_get_obj_inside_cpuset_by_type(
				p->machine, core->cpuset, HWLOC_OBJ_PU, round);

			if (cpu)
				p->cpu[n++] = cpu;
		}
		/* more threads than CPUs: start over */
		if (n == before)
			round = ~0u;
	}
}

/* Choose the cores of this rank; false: threads are not bound. */
static bool
choose_cores(struct vs_affinity *p, int rank, int n_rank, int least)
{
	int n_core;

	if (hwloc_topology_load(p->machine))
		return false;
	n_core = hwloc_get_nbobjs_by_type(p->machine, HWLOC_OBJ_CORE);
	if (n_core < least || n_core < n_rank ||
		p->n_thread < n_core / n_rank || !runs_anywhere(p->machine))
		return false;
	assign_cpus(p, (int)((long)n_core * rank / n_rank),
		(int)((long)n_core * (rank + 1) / n_rank));
	return true;
}

int
vs_affinity_new(struct vs_affinity **p, int n_thread, int rank, int n_rank,
	int least)
{
	struct vs_affinity *q = NULL;
	int code;

	*p = NULL;
	if (bound_by_user() || (long)n_thread * n_rank < least)
		return 0;
	code = vs_mem_new(&q, 1, sizeof(*q), "threads");
	if (!code)
		code = vs_mem_new(&q->cpu, (size_t)n_thread,
			sizeof(hwloc_obj_t), "threads");
	if (code) {
		free(q);
		return code;
	}
	q->n_thread = n_thread;
	if (hwloc_topology_init(&q->machine))
		q->machine = NULL;
	if (q->machine && choose_cores(q, rank, n_rank, least))
		*p = q;
	else
		vs_affinity_free(q);
	return 0;
}

bool
vs_affinity_bind(const struct vs_affinity *p)
{
	int n = 0;

	/*
	 * thread k binds itself in iteration k; if that fails, it runs all the
	 * same
	 */
#pragma omp parallel for schedule(static, 1) num_threads(p->n_thread) \
	reduction(+ : n)
	for (int k = 0; k < p->n_thread; k++)
		n += !hwloc_set_cpubind(p->machine, p->cpu[k]->cpuset,
			HWLOC_CPUBIND_THREAD);
	return n == p->n_thread;
}

int
vs_affinity_cpu(const struct vs_affinity *p, int thread)
{
	return (int)p->cpu[thread]->os_index;
}

void
vs_affinity_free(struct vs_affinity *p)
{
	if (!p)
		return;
	if (p->machine)
		hwloc_topology_destroy(p->machine);
	free(p->cpu);
	free(p);
}

int
vs_affinity_local(int *rank, int *n_rank)
{
	static const char *const names[][2] = {
		{ "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE" },
		{ "MPI_LOCALRANKID", "MPI_LOCALNRANKS" },
	};

	*rank = 0;
	*n_rank = 1;
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		const char *r = getenv(names[k][0]), *n = getenv(names[k][1]);
		int64_t at, of;

		if (r && n && vs_num_int(r, &at) && vs_num_int(n, &of) &&
			at >= 0 && at < of && of < 1 << 20) {
			*rank = (int)at;
			*n_rank = (int)of;
			return 0;
		}
	}
	return -1;
}

int
vs_affinity_threads(int n_thread, bool several, bool *bound)
{
	struct vs_affinity *p = NULL;
	int rank, n_rank, code;

	*bound = false;
	if (vs_affinity_local(&rank, &n_rank) && several)
		return 0;
	code = vs_affinity_new(&p, n_thread, rank, n_rank, VS_AFFINITY_LEAST);
	if (p)
		*bound = vs_affinity_bind(p);
	vs_affinity_free(p);
	return code;
}

int
vs_affinity_limit_threads(void)
{
	const int cores = vs_limits_cores(""), asked = omp_get_max_threads();

	if (asked <= cores)
		return 0;
	omp_set_num_threads(cores);
	return asked;
}
