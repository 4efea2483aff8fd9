/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI wrapper, parts that need no MPI: the launcher, from its environment, and
 * the order of codes. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libcore/base/fail.h"
#include "libcore/base/num.h"
#include "libcore/plan/comm_inner.h"

/*
 * Process count and launcher found in the environment before MPI modifies it.
 */
static int64_t n_started = 1;
static const char *started_by;

/*
 * True if a launcher's variable is set: mpirun of Open MPI or MPICH, srun,
 * Intel MPI, PALS.
 */
static bool
launched(void)
{
	static const char *const signs[] = { "OMPI_COMM_WORLD_SIZE",
		"PMIX_RANK", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID",
		"PALS_RANKID" };
	size_t k = 0, n = sizeof(signs) / sizeof(signs[0]);

	while (k < n && !getenv(signs[k]))
		k++;
	return k < n;
}

/* A number in the environment, or -1. */
static int64_t
stated(const char *name)
{
	const char *text = getenv(name);
	int64_t value;

	return text && vs_num_int(text, &value) ? value : -1;
}

/*
 * Slurm step ids from here on belong to batch scripts and interactive shells,
 * not to srun.
 */
#define SPECIAL_STEP 0xfffffff0

/* Number of processes that the launcher states; 1: this process only. */
static int64_t
started_with(const char **by)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
		"MPI_LOCALNRANKS" };
	int64_t step = stated("SLURM_STEP_ID"),
		n = stated("SLURM_STEP_NUM_TASKS");

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (stated(names[k]) > 0) {
			*by = "an MPI launcher";
			return stated(names[k]);
		}
	/* a batch script has SLURM_NTASKS and SLURM_PROCID, but no step */
	if (step < 0 || step >= SPECIAL_STEP || stated("SLURM_PROCID") < 0)
		return 1;
	*by = "srun";
	return n > 0 ? n : stated("SLURM_NTASKS");
}

bool
vs_comm_start(void)
{
	n_started = started_with(&started_by);
	return launched();
}

/* One message for all processes. */
static bool
speaks(void)
{
	return stated("SLURM_PROCID") <= 0 && stated("PMI_RANK") <= 0 &&
		stated("OMPI_COMM_WORLD_RANK") <= 0;
}

#define COMMAND 65536 /* bytes of a launcher's command line that are read */
#define ANCESTORS 3   /* MPICH has a proxy between launcher and program */

/* Read /proc/PID/FILE, or its first bytes, and add a NUL. returns bytes read */
static size_t
read_proc(long pid, const char *file, char *bytes, size_t room)
{
	char path[64];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, bytes, room - 1);
		close(fd);
	}
	n = n < 0 ? 0 : n;
	bytes[n] = 0;
	return (size_t)n;
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* True if the words of a command, each followed by NUL, are those of a launcher
 * that starts only this program. */
static bool
starts(const char *words, size_t n, const char *program)
{
	const char *first = base_name(words);
	bool found = false;

	if (strncmp(first, "mpi", 3) && strcmp(first, "orterun") &&
		strcmp(first, "prterun") && strcmp(first, "srun"))
		return false;
	for (const char *word = words; word < words + n;
		word += strlen(word) + 1) {
		found = found || !strcmp(base_name(word), program);
		if (!strcmp(word, ":"))
			return false;
	}
	return found;
}

/* A launcher among the nearest ancestors starts only this program. */
static bool
is_started(const char *program)
{
	static char words[COMMAND];
	long pid = getppid();
	bool starter = false;

	for (int k = 0; k < ANCESTORS && pid > 1; k++) {
		size_t n = read_proc(pid, "cmdline", words, sizeof(words));
		const char *end;

		starter = starter || starts(words, n, program);
		read_proc(pid, "stat", words, sizeof(words));
		end = strrchr(words, ')');
		if (!end || sscanf(end, ") %*c %ld", &pid) != 1)
			break;
	}
	return starter;
}

/* The parent starts ranks for a launcher on another machine. */
static bool
is_of_daemon(void)
{
	static const char *const names[] = { "orted", "prted",
		"hydra_pmi_proxy", "slurmstepd" };
	char words[256];
	bool is = false;

	read_proc(getppid(), "cmdline", words, sizeof(words));
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		is |= !strncmp(base_name(words), names[k], strlen(names[k]));
	return is;
}

bool
vs_comm_is_copy(const char *program)
{
	const char *by;

	return started_with(&by) > 1 && launched() &&
		(is_of_daemon() || is_started(program));
}

int
vs_comm_check_single(const char *program, const char *remedy)
{
	const char *by;
	const int64_t count = started_with(&by);

	if (count <= 1 || !is_started(program))
		return 0;
	if (speaks())
		return vs_fail(VS_EUSAGE,
			"%s started %lld processes, and each would do all of "
			"the work: start one%s",
			by, (long long)count, remedy);
	/* the first process to end ends the others, along with their
	 * messages */
	sleep(1);
	return VS_EUSAGE;
}

int
vs_comm_start_alone(const char *mpi)
{
	if (n_started <= 1)
		return 0;
	if (!speaks())
		return VS_EUSAGE;
	if (!mpi)
		return vs_fail(VS_EUSAGE,
			"%s started %lld processes, but this vsim was built "
			"without MPI; start one process, or build it with MPI",
			started_by, (long long)n_started);
	return vs_fail(VS_EUSAGE,
		"%s started %lld processes, but MPI (%s) finds one: each would "
		"be a run of its own; srun --mpi=pmix, or the mpirun of this "
		"MPI, starts ranks",
		started_by, (long long)n_started, mpi);
}

int
vs_comm_order(int code)
{
	return code < 0 ? INT_MIN / 2 + code : -code;
}

int
vs_comm_code(int order)
{
	return order < INT_MIN / 2 ? order - INT_MIN / 2 : -order;
}
