/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libcore/base/err.h"
#include "libcore/base/mem.h"

/* From here on a block is worth huge pages: fewer faults, fewer misses. */
#define HUGE_PAGE ((size_t)2 << 20)

int
vs_room(void *out, size_t n, size_t size, const char *what)
{
	size_t bytes, align = 64;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes) ||
		bytes > SIZE_MAX - HUGE_PAGE)
		return vs_fail_memory(what, ~0ull);
	bytes = (bytes + 63) / 64 * 64;
	if (bytes >= 2 * HUGE_PAGE) {
		align = HUGE_PAGE;
		bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	}
	if (posix_memalign(&p, align, bytes ? bytes : 64))
		return vs_fail_memory(what, bytes);
	/* advice: where there are no huge pages, small ones do */
	if (align == HUGE_PAGE)
		madvise(p, bytes, MADV_HUGEPAGE);
	memcpy(out, &p, sizeof(p));
	return 0;
}

int
vs_new(void *out, size_t n, size_t size, const char *what)
{
	void *p = NULL;
	int code = vs_room(&p, n, size, what);

	if (code)
		return code;
	memset(p, 0, (n * size + 63) / 64 * 64);
	memcpy(out, &p, sizeof(p));
	return 0;
}

int
vs_grow(void *array, size_t *room, size_t need, size_t size, const char *what)
{
	size_t more = *room + *room / 2 + 16, bytes;
	void *p;

	if (need <= *room)
		return 0;
	if (more < need)
		more = need;
	if (__builtin_mul_overflow(more, size, &bytes))
		return vs_fail_memory(what, ~0ull);
	memcpy(&p, array, sizeof(p));
	p = realloc(p, bytes);
	if (!p)
		return vs_fail_memory(what, bytes);
	memcpy(array, &p, sizeof(p));
	*room = more;
	return 0;
}

int
vs_copy_text(char **out, const char *text)
{
	char *p = strdup(text);

	if (!p)
		return vs_fail_memory("text", strlen(text));
	*out = p;
	return 0;
}

uint64_t
vs_mem_peak(void)
{
	struct rusage use;

	if (getrusage(RUSAGE_SELF, &use))
		return 0;
	return (uint64_t)use.ru_maxrss * 1024;
}

/* First line of a small file of the kernel; 0 when there is none. */
static int
first_line(const char *path, char *line, int room)
{
	FILE *f = fopen(path, "r");
	int got = 0;

	if (f) {
		got = fgets(line, room, f) != NULL;
		fclose(f);
	}
	return got;
}

uint64_t
vs_mem_allowed(void)
{
	static const char *const limits[] = {
		"/sys/fs/cgroup/memory.max",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes",
	};
	uint64_t least = (uint64_t)sysconf(_SC_PHYS_PAGES) *
		(uint64_t)sysconf(_SC_PAGESIZE);
	unsigned long long value;
	char line[256];
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %llu kB", &value) == 1)
			least = value * 1024;
	if (f)
		fclose(f);
	for (size_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++)
		if (first_line(limits[k], line, sizeof(line)) &&
			sscanf(line, "%llu", &value) == 1 && value < least)
			least = value;
	return least;
}

int
vs_cores_allowed(void)
{
	double quota, period, cores = 1;
	char line[256];
	cpu_set_t set;

	if (!sched_getaffinity(0, sizeof(set), &set))
		cores = CPU_COUNT(&set);
	if (first_line("/sys/fs/cgroup/cpu.max", line, sizeof(line))) {
		if (sscanf(line, "%lf %lf", &quota, &period) == 2 &&
			period > 0 && quota / period < cores)
			cores = ceil(quota / period);
	} else if (first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", line,
			   sizeof(line)) &&
		sscanf(line, "%lf", &quota) == 1 && quota > 0 &&
		first_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", line,
			sizeof(line)) &&
		sscanf(line, "%lf", &period) == 1 && period > 0 &&
		quota / period < cores) {
		cores = ceil(quota / period);
	}
	return cores < 1 ? 1 : (int)cores;
}
