/* SPDX-License-Identifier: BSD-3-Clause */
/* Resource limits by cgroups, Slurm, rlimit and affinity. */
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libcore/base/fail.h"
#include "libcore/base/limits.h"
#include "libcore/base/num.h"

#define MOST_CPUS (1 << 16)
#define LEAST_STACK 1024 /* kilobytes; the largest function takes 250 */

/* Lower *least to any limit stated by the files of one cgroup directory. */
typedef void read_fn(const char *dir, double *least);

/* ---- control groups ---- */

/* Read the first line of dir/name; false: there is none. */
static bool
first_line(const char *dir, const char *name, char *line, int room)
{
	char path[PATH_MAX];
	FILE *f = NULL;
	bool got;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) <
		(int)sizeof(path))
		f = fopen(path, "r");
	got = f && fgets(line, room, f);
	if (f)
		fclose(f);
	return got;
}

static void
read_memory(const char *dir, double *least)
{
	static const char *const names[] = { "memory.max", "memory.high",
		"memory.limit_in_bytes" };
	char line[256];
	double value;

	/* "max" is not a number */
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (first_line(dir, names[k], line, sizeof(line)) &&
			sscanf(line, "%lf", &value) == 1 && value >= 0)
			*least = fmin(*least, value);
}

static void
read_quota(const char *dir, double *least)
{
	double quota, period;
	char line[256];

	if (first_line(dir, "cpu.max", line, sizeof(line)) &&
		sscanf(line, "%lf %lf", &quota, &period) == 2 && period > 0)
		*least = fmin(*least, quota / period);
	/* -1 means no limit */
	if (first_line(dir, "cpu.cfs_quota_us", line, sizeof(line)) &&
		sscanf(line, "%lf", &quota) == 1 && quota > 0 &&
		first_line(dir, "cpu.cfs_period_us", line, sizeof(line)) &&
		sscanf(line, "%lf", &period) == 1 && period > 0)
		*least = fmin(*least, quota / period);
}

/* True if the comma-separated list contains word. */
static bool
listed(const char *list, const char *word)
{
	size_t n = strlen(word), len;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (len == n && !memcmp(list, word, n))
			return true;
	}
	return false;
}

/*
 * Path of this process's cgroup in the hierarchy of a controller, or in cgroup
 * v2 if controller is null, from the line "ID:CONTROLLERS:PATH" of
 * /proc/self/cgroup. The caller frees it; null: there is none.
 */
static char *
own_path(const char *root, const char *controller)
{
	char name[PATH_MAX], *line = NULL, *path = NULL;
	size_t room = 0;
	FILE *f;

	snprintf(name, sizeof(name), "%s/proc/self/cgroup", root);
	f = fopen(name, "r");
	while (f && !path && getline(&line, &room, f) > 0) {
		char *list = strchr(line, ':'),
		     *at = list ? strchr(list + 1, ':') : NULL;

		if (!at)
			continue;
		list++;
		*at++ = 0;
		at[strcspn(at, "\n")] = 0;
		if (controller ? listed(list, controller) : !*list)
			path = strdup(at);
	}
	if (f)
		fclose(f);
	free(line);
	return path;
}

/* Decode octal escapes such as \040 (space) of /proc/self/mountinfo. */
static void
unescape(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' &&
			text[2] >= '0' && text[2] <= '7' && text[3] >= '0' &&
			text[3] <= '7') {
			*to++ = (char)((text[1] - '0') << 6 |
				(text[2] - '0') << 3 | (text[3] - '0'));
			text += 3;
		} else {
			*to++ = *text;
		}
	*to = 0;
}

/* Mount of a cgroup hierarchy: the mounted subtree and the mount point. */
struct mounted {
	char *part, *point;
};

/* Parse a line of mountinfo; false: it belongs to another hierarchy. */
static bool
parse_mount(char *line, const char *controller, struct mounted *m)
{
	char *word[6], *end = strstr(line, " - "), *type, *options, *save;
	int n = 0;

	if (!end)
		return false;
	*end = 0;
	for (char *w = strtok_r(line, " ", &save); w && n < 6;
		w = strtok_r(NULL, " ", &save))
		word[n++] = w;
	type = strtok_r(end + 3, " ", &save);
	strtok_r(NULL, " ", &save);
	options = strtok_r(NULL, " \n", &save);
	if (n < 5 || !options ||
		strcmp(type, controller ? "cgroup" : "cgroup2") ||
		(controller && !listed(options, controller)))
		return false;
	m->part = word[3];
	m->point = word[4];
	unescape(m->part);
	unescape(m->point);
	return true;
}

/* The rest of path below part, "" or "/..."; null: it is not below. */
static const char *
below(const char *path, const char *part)
{
	size_t n = strcmp(part, "/") ? strlen(part) : 0;

	if (strncmp(path, part, n) || (path[n] && path[n] != '/') ||
		!strncmp(path, "/..", 3))
		return NULL;
	return strcmp(path + n, "/") ? path + n : "";
}

/* Read the limits of cgroup dir/path and of each ancestor up to dir. */
static void
read_levels(const char *dir, const char *path, read_fn *read, double *least)
{
	char at[PATH_MAX];
	size_t top = strlen(dir);

	if (snprintf(at, sizeof(at), "%s%s", dir, path) >= (int)sizeof(at))
		path = "";
	snprintf(at, sizeof(at), "%s%s", dir, path);
	for (;;) {
		read(at, least);
		if (strlen(at) <= top)
			break;
		*strrchr(at, '/') = 0;
		if (strlen(at) < top)
			break;
	}
}

/*
 * Read all levels of one hierarchy. In a container without a cgroup namespace
 * the path is the host's; where no mount contains the path, the first mount is
 * all that is visible.
 */
static void
read_hierarchy(const char *root, const char *controller, read_fn *read,
	double *least)
{
	char name[PATH_MAX], dir[PATH_MAX], other[PATH_MAX] = "";
	char *path = own_path(root, controller), *line = NULL;
	bool found = false;
	size_t room = 0;
	struct mounted m;
	FILE *f;

	snprintf(name, sizeof(name), "%s/proc/self/mountinfo", root);
	f = path ? fopen(name, "r") : NULL;
	while (f && getline(&line, &room, f) > 0) {
		const char *rest;

		if (!parse_mount(line, controller, &m) ||
			snprintf(dir, sizeof(dir), "%s%s", root, m.point) >=
				(int)sizeof(dir))
			continue;
		rest = below(path, m.part);
		if (rest)
			read_levels(dir, rest, read, least);
		else if (!*other)
			memcpy(other, dir, sizeof(other));
		found |= rest != NULL;
	}
	if (!found && *other)
		read_levels(other, "", read, least);
	if (f)
		fclose(f);
	free(line);
	free(path);
}

static double
by_cgroups(const char *root, const char *controller, read_fn *read)
{
	double least = INFINITY;

	read_hierarchy(root, NULL, read, &least);
	read_hierarchy(root, controller, read, &least);
	return least;
}

/* ---- Slurm ---- */

/* A positive number from the environment of a Slurm job; 0: there is none. */
static double
job_number(const char *name)
{
	const char *text = getenv("SLURM_JOB_ID") ? getenv(name) : NULL;
	int64_t value;

	return text && vs_num_int(text, &value) && value > 0 ? (double)value
							     : 0;
}

static double
slurm_memory(void)
{
	static const char *const of[][2] = {
		{ "SLURM_MEM_PER_NODE", NULL },
		{ "SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE" },
		{ "SLURM_MEM_PER_GPU", "SLURM_GPUS_ON_NODE" },
	};
	double least = INFINITY;

	/* in MiB; 0 means all of the node's */
	for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++) {
		double each = job_number(of[k][0]),
		       n = of[k][1] ? job_number(of[k][1]) : 1;

		if (each > 0 && n > 0)
			least = fmin(least, each * n * 0x1p20);
	}
	return least;
}

/* ---- the machine and the process ---- */

static double
available(const char *root)
{
	double least =
		(double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
	unsigned long long value;
	char line[256];
	FILE *f;

	snprintf(line, sizeof(line), "%s/proc/meminfo", root);
	f = fopen(line, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %llu kB", &value) == 1)
			least = (double)value * 1024;
	if (f)
		fclose(f);
	return least;
}

static double
by_rlimit(void)
{
	static const int of[] = { RLIMIT_AS, RLIMIT_DATA };
	double least = INFINITY;
	struct rlimit r;

	for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++)
		if (!getrlimit(of[k], &r) && r.rlim_cur != RLIM_INFINITY)
			least = fmin(least, (double)r.rlim_cur);
	return least;
}

uint64_t
vs_limits_memory(const char *root)
{
	double least = fmin(available(root), by_rlimit());

	least = fmin(least, by_cgroups(root, "memory", read_memory));
	return (uint64_t)fmin(least, slurm_memory());
}

int
vs_limits_quota(const char *root)
{
	double least = ceil(by_cgroups(root, "cpu", read_quota));
	double n = job_number("SLURM_CPUS_ON_NODE");

	if (n > 0)
		least = fmin(least, n);
	return least >= INT_MAX ? INT_MAX : least < 1 ? 1 : (int)least;
}

int
vs_limits_affinity(uint64_t *count, int most)
{
	int n = 0;

	/* the kernel refuses a mask with fewer bits than it has CPUs */
	for (int room = 1024; room <= MOST_CPUS && !n; room *= 4) {
		size_t bytes = CPU_ALLOC_SIZE((size_t)room);
		cpu_set_t *set = CPU_ALLOC((size_t)room);

		if (set && !sched_getaffinity(0, bytes, set)) {
			n = CPU_COUNT_S(bytes, set);
			for (int c = 0; c < room && c < most; c++)
				count[c] += CPU_ISSET_S((size_t)c, bytes, set)
					? 1
					: 0;
		}
		CPU_FREE(set);
	}
	return n < 1 ? 1 : n;
}

int
vs_limits_cores(const char *root)
{
	int quota = vs_limits_quota(root), n = vs_limits_affinity(NULL, 0);

	return n < quota ? n : quota;
}

int
vs_limits_stack(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_STACK, &r) || r.rlim_cur == RLIM_INFINITY ||
		r.rlim_cur >> 10 >= LEAST_STACK)
		return 0;
	return vs_fail(VS_EMACHINE,
		"the stack is limited to %llu kB; allow %d or more: ulimit -s "
		"%d",
		(unsigned long long)r.rlim_cur >> 10, LEAST_STACK, LEAST_STACK);
}
