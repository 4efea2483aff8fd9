/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of memory and cores, in made-up /proc and /sys. */
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcore/base/limits.h"
#include "tests/unit/test.h"

static char root[256];

/* A file below root, and the directories on the way to it. */
static void
put(const char *path, const char *text)
{
	char name[1024];
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", root, path);
	for (char *at = strchr(name + strlen(root) + 1, '/'); at;
		at = strchr(at + 1, '/')) {
		*at = 0;
		mkdir(name, 0777);
		*at = '/';
	}
	f = fopen(name, "w");
	if (!f || fputs(text, f) < 0 || fclose(f)) {
		perror(name);
		exit(4);
	}
}

/* A machine with 64 GiB available, in a directory of its own. */
static void
machine(const char *cgroup, const char *mountinfo)
{
	static int n;
	static char base[128];

	if (!n++) {
		snprintf(base, sizeof(base), "%s/t_limits.XXXXXX",
			getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
		if (!mkdtemp(base))
			exit(4);
	}
	snprintf(root, sizeof(root), "%s/%d", base, n);
	mkdir(root, 0777);
	put("/proc/meminfo",
		"MemTotal:       70000000 kB\nMemFree:        1 kB\n"
		"MemAvailable:   67108864 kB\nBuffers: 3 kB\n");
	put("/proc/self/cgroup", cgroup);
	put("/proc/self/mountinfo", mountinfo);
}

static void
done(void)
{
	char command[512];

	*strrchr(root, '/') = 0;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	if (system(command))
		exit(4);
}

static void
has_memory(uint64_t wanted, const char *what)
{
	uint64_t got = vs_limits_memory(root);

	T_OK(got == wanted, "%s: %llu bytes, %llu wanted", what,
		(unsigned long long)got, (unsigned long long)wanted);
}

static void
has_quota(int wanted, const char *what)
{
	int got = vs_limits_quota(root);

	T_OK(got == wanted, "%s: %d cores, %d wanted", what, got, wanted);
}

#define MOUNT "25 18 0:21 / /sys rw - sysfs sysfs rw\n"
#define V2                                                                  \
	MOUNT                                                               \
	"31 25 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 " \
	"rw,nsdelegate\n"
#define V1                                                                     \
	MOUNT                                                                  \
	"33 25 0:28 / /sys/fs/cgroup/systemd rw - cgroup cgroup "              \
	"rw,name=systemd\n"                                                    \
	"34 25 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:3 - cgroup cgroup " \
	"rw,cpu,cpuacct\n"                                                     \
	"35 25 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
#define JOB                                                               \
	"/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/step_0/user/" \
	"task_0"

static void
version_2(void)
{
	machine("0::/a/b\n", V2);
	has_memory(64ull << 30, "v2, no limit");
	has_quota(INT_MAX, "v2, no limit");
	put("/sys/fs/cgroup/a/b/memory.max", "max\n");
	put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	has_memory(64ull << 30, "v2, max");
	has_quota(INT_MAX, "v2, max");
	put("/sys/fs/cgroup/a/b/memory.max", "3000000\n");
	put("/sys/fs/cgroup/a/b/cpu.max", "250000 100000\n");
	has_memory(3000000, "v2, its own");
	has_quota(3, "v2, its own, rounded up");
	put("/sys/fs/cgroup/a/memory.max", "2000000\n");
	put("/sys/fs/cgroup/a/cpu.max", "100000 50000\n");
	has_memory(2000000, "v2, the parent's is smaller");
	has_quota(2, "v2, the parent's is smaller");
	put("/sys/fs/cgroup/a/memory.high", "1000000\n");
	has_memory(1000000, "v2, memory.high");
	put("/sys/fs/cgroup/memory.max", "900000\n");
	has_memory(900000, "v2, at the root of a container");
	put("/sys/fs/cgroup/a/c/memory.max", "5\n");
	put("/sys/fs/cgroup/a/b/d/memory.max", "5\n");
	has_memory(900000, "v2, not a sibling's, nor a child's");

	machine("0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n",
		V2);
	put(JOB "/memory.max", "max\n");
	put("/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.max",
		"314572800\n");
	has_memory(314572800, "v2, four levels above");
}

static void
version_1(void)
{
	machine("12:memory:/slurm/uid_1/job_2/step_0\n"
		"4:cpu,cpuacct:/slurm/uid_1/job_2\n1:name=systemd:/x\n",
		V1);
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes",
		"9223372036854771712\n");
	put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
	put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
	has_memory(64ull << 30, "v1, none");
	has_quota(INT_MAX, "v1, none");
	put("/sys/fs/cgroup/memory/slurm/uid_1/job_2/step_0/"
	    "memory.limit_in_bytes",
		"8000000\n");
	has_memory(8000000, "v1, its own");
	put("/sys/fs/cgroup/memory/slurm/uid_1/job_2/memory.limit_in_bytes",
		"7000000\n");
	has_memory(7000000, "v1, the job's");
	put("/sys/fs/cgroup/cpu,cpuacct/slurm/uid_1/cpu.cfs_quota_us",
		"600000\n");
	put("/sys/fs/cgroup/cpu,cpuacct/slurm/uid_1/cpu.cfs_period_us",
		"100000\n");
	has_quota(6, "v1, a parent's, mounted with another controller");
}

/* Both at once, as systemd's hybrid layout has it. */
static void
hybrid(void)
{
	machine("5:memory:/job\n0::/user\n",
		V1 "40 25 0:33 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 "
		   "rw\n");
	put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4000000\n");
	put("/sys/fs/cgroup/unified/user/cpu.max", "400000 100000\n");
	has_memory(4000000, "hybrid, memory by v1");
	has_quota(4, "hybrid, cores by v2");
}

static void
containers(void)
{
	/* the host's path, and only the container's part of it is mounted */
	machine("3:memory:/docker/abc/inner\n",
		"50 25 0:30 /docker/abc /sys/fs/cgroup/memory ro - cgroup "
		"cgroup rw,memory\n");
	put("/sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "6000000\n");
	has_memory(6000000, "container, a group inside");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "5000000\n");
	has_memory(5000000, "container, its own limit");

	/* nothing mounted holds the path */
	machine("3:memory:/elsewhere\n",
		"50 25 0:30 /docker/abc /sys/fs/cgroup/memory ro - cgroup "
		"cgroup rw,memory\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "5000000\n");
	has_memory(5000000, "container, the mount is all there is to see");

	/* a similar name that is not the same */
	machine("0::/docker/abcd\n",
		"50 25 0:30 /docker/abc /mnt/other rw - cgroup2 cgroup2 rw\n"
		"51 25 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	put("/mnt/other/memory.max", "7\n");
	put("/sys/fs/cgroup/docker/abcd/memory.max", "8000000\n");
	has_memory(8000000, "container, not one whose name begins alike");

	/* outside of the namespace's root */
	machine("0::/../sibling\n", V2);
	put("/sys/fs/cgroup/memory.max", "3000000\n");
	put("/sys/memory.max", "7\n");
	has_memory(3000000, "namespace, a path out of it is not followed");

	machine("0::/my job\n",
		"51 25 0:30 / /sys/fs/c\\040group rw - cgroup2 cgroup2 rw\n");
	put("/sys/fs/c group/my job/memory.max", "2000000\n");
	has_memory(2000000, "blanks in names");
}

static void
slurm(void)
{
	machine("0::/\n", V2);
	setenv("SLURM_MEM_PER_NODE", "300", 1);
	has_memory(64ull << 30, "Slurm, outside of a job");
	setenv("SLURM_JOB_ID", "7", 1);
	has_memory(300ull << 20, "Slurm, memory of a node");
	setenv("SLURM_MEM_PER_NODE", "0", 1);
	has_memory(64ull << 30, "Slurm, all of a node");
	unsetenv("SLURM_MEM_PER_NODE");
	setenv("SLURM_MEM_PER_CPU", "50", 1);
	setenv("SLURM_CPUS_ON_NODE", "4", 1);
	has_memory(200ull << 20, "Slurm, memory of a CPU");
	has_quota(4, "Slurm, CPUs of a node");
	put("/sys/fs/cgroup/memory.max", "100000000\n");
	has_memory(100000000, "Slurm, but the cgroup's is smaller");
	unsetenv("SLURM_JOB_ID");
	unsetenv("SLURM_MEM_PER_CPU");
	unsetenv("SLURM_CPUS_ON_NODE");
}

static void
process(void)
{
	struct rlimit old, r;
	uint64_t count[4096] = { 0 };
	cpu_set_t set;
	int n = vs_limits_affinity(count, 4096), wrong = 0;

	machine("", "");
	has_memory(64ull << 30, "no cgroups at all");
	if (!getrlimit(RLIMIT_DATA, &old)) {
		r = old;
		r.rlim_cur = 40 << 20;
		setrlimit(RLIMIT_DATA, &r);
		has_memory(40 << 20, "ulimit -d");
		setrlimit(RLIMIT_DATA, &old);
	}
	if (!sched_getaffinity(0, sizeof(set), &set)) {
		for (int c = 0; c < CPU_SETSIZE; c++)
			wrong += count[c] != !!CPU_ISSET(c, &set);
		T_OK(!wrong && n == CPU_COUNT(&set), "%d CPUs by affinity", n);
	}
	put("/proc/self/cgroup", "0::/\n");
	put("/proc/self/mountinfo", V2);
	put("/sys/fs/cgroup/cpu.max", "1000 100000\n");
	T_OK(vs_limits_cores(root) == 1, "a hundredth of a core is one");
}

int
main(void)
{
	unsetenv("SLURM_JOB_ID");
	version_2();
	version_1();
	hybrid();
	containers();
	slurm();
	process();
	done();
	return T_DONE();
}
