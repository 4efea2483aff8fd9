/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening of a sealed HDF5 file. The seal is checked first; then a child
 * process reads the metadata before this one does, since HDF5 crashes on some
 * damaged files, and a forger can make the seal right.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/h5/h5_inner.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/sanitized.h"

/* CPU seconds after which HDF5 is considered to be in an endless loop, and
 * seconds after which a disk is considered dead. */
#define GUARD_SECONDS 60
#define GUARD_PATIENCE 3600
#define GUARD_BYTES (8ull << 30)

/* GUARD_BYTES on top of the parent's present size. */
static void
bound_memory(void)
{
	FILE *f = VS_SANITIZED ? NULL : fopen("/proc/self/statm", "re");
	unsigned long long pages;
	struct rlimit r;

	if (f && fscanf(f, "%llu", &pages) == 1 && !getrlimit(RLIMIT_AS, &r)) {
		rlim_t most =
			pages * (rlim_t)sysconf(_SC_PAGESIZE) + GUARD_BYTES;

		r.rlim_cur = most < r.rlim_max ? most : r.rlim_max;
		setrlimit(RLIMIT_AS, &r);
	}
	if (f)
		fclose(f);
}

static void
bound_time(void)
{
	const struct itimerval cpu = { .it_value.tv_sec = GUARD_SECONDS };

	signal(SIGPROF, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	setitimer(ITIMER_PROF, &cpu, NULL);
	alarm(GUARD_PATIENCE);
}

/* Status of a child that ran out of memory. */
#define NO_MEMORY (1 - VS_EMACHINE)

/* HDF5 goes on after failed allocations: errno still shows them. */
static void
on_crash(int number)
{
	if (errno == ENOMEM)
		_exit(NO_MEMORY);
	signal(number, SIG_DFL);
	raise(number);
}

/*
 * The handler has a stack of its own: out of memory, HDF5 recurses endlessly
 * while reporting that.
 */
static void
catch_crashes(void)
{
	static const int numbers[] = { SIGSEGV, SIGBUS, SIGABRT };
	static char stack[64u << 10];
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction act = { .sa_handler = on_crash,
		.sa_flags = SA_ONSTACK };

	if (!VS_SANITIZED)
		sigaltstack(&own, NULL);
	for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
		sigaction(numbers[k], &act, NULL);
	errno = 0;
}

/*
 * The child prints nothing: out of memory, HDF5 corrupts the heap, and glibc
 * would print a line about that.
 */
static void
begin_child(void)
{
	struct rlimit none = { 0, 0 };

	if (!VS_SANITIZED)
		vs_fail_mute();
	vs_fail_clear();
	setrlimit(RLIMIT_CORE, &none);
	bound_memory();
	catch_crashes();
}

static int
look(const char *path, unsigned kinds, unsigned flags)
{
	struct vs_h5_reader *r = NULL;
	struct vs_seal seal;
	int code;

	bound_time();
	code = vs_seal_check(path, kinds, flags | VS_H5_FAST, &seal);
	if (!code)
		code = vs_h5_reader_begin(&r, path, kinds, &seal, NULL);
	if (!code)
		code = vs_h5_reader_walk(r);
	vs_h5_reader_close(r);
	return code;
}

/* The child: what it found goes into the pipe, the code to its parent. */
static void
go_ahead(const char *path, unsigned kinds, unsigned flags, int to)
{
	int code;

	begin_child();
	code = look(path, kinds, flags);
	if (code && write(to, vs_fail_text(), strlen(vs_fail_text())) < 0)
		code = VS_EMACHINE;
	_exit(-code);
}

/* A signal from outside is no verdict on the file. */
static int
judge_death(const char *path, int number)
{
	switch (number) {
	case SIGKILL:
	case SIGTERM:
	case SIGINT:
	case SIGHUP:
	case SIGALRM:
	case SIGXCPU:
		return vs_fail(VS_EMACHINE,
			"%s: the checking process was killed (%s)", path,
			strsignal(number));
	}
	return vs_fail(VS_EINPUT,
		"%s: is damaged: HDF5 crashes on it (%s); restore it or "
		"recreate it",
		path, strsignal(number));
}

/* Let a child of this process open the file and look at each object. */
static int
guard(const char *path, unsigned kinds, unsigned flags)
{
	char said[4096];
	size_t n = 0;
	ssize_t got;
	pid_t child;
	int ends[2], status;

	if (pipe2(ends, O_CLOEXEC))
		return vs_fail_errno(VS_EMACHINE, "%s: cannot make a pipe",
			path);
	child = fork();
	if (!child)
		go_ahead(path, kinds, flags, ends[1]);
	close(ends[1]);
	while (child > 0 && n < sizeof(said) - 1 &&
		(got = read(ends[0], said + n, sizeof(said) - 1 - n)) != 0) {
		if (got > 0)
			n += (size_t)got;
		else if (errno != EINTR)
			break;
	}
	said[n] = 0;
	close(ends[0]);
	if (child < 0)
		return vs_fail_errno(VS_EMACHINE, "%s: cannot fork", path);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return vs_fail_errno(VS_EMACHINE, "%s: cannot wait",
				path);
	if (WIFSIGNALED(status))
		return judge_death(path, WTERMSIG(status));
	switch (-WEXITSTATUS(status)) {
	case VS_OK:
		return 0;
	case VS_EUSAGE:
	case VS_EINPUT:
	case VS_EMACHINE:
		if (n)
			return vs_fail(-WEXITSTATUS(status), "%s", said);
		return vs_fail(VS_EMACHINE,
			"%s: the checking process cannot report what it found",
			path);
	}
	/* a library's own exit */
	return vs_fail(VS_EMACHINE, "%s: HDF5 ran out of memory", path);
}

/* Files that a child has looked at, by device, inode, size and time. */
static struct stat *looked_at;
static size_t n_looked_at, room_looked_at;

/* Files come in the order of last time: from behind the one found last. */
static bool
is_looked_at(const struct stat *st)
{
	static size_t from;

	for (size_t k = 0; k < n_looked_at; k++, from++) {
		from = from < n_looked_at ? from : 0;
		if (vs_seal_same_stamp(&looked_at[from], st)) {
			from++;
			return true;
		}
	}
	return false;
}

static int
add_looked_at(const struct stat *st)
{
	int code = vs_mem_grow(&looked_at, &room_looked_at, n_looked_at + 1,
		sizeof(*looked_at), "names of inputs");

	if (!code)
		looked_at[n_looked_at++] = *st;
	return code;
}

static int
guard_once(const char *path, unsigned kinds, unsigned flags)
{
	struct stat st;
	int code;

	if (stat(path, &st))
		return vs_fail_input(path, "access it");
	if (is_looked_at(&st))
		return 0;
	code = vs_h5_begin(); /* once for both */
	if (!code)
		code = guard(path, kinds, flags);
	return code ? code : add_looked_at(&st);
}

/* The child of many files: a byte for each that is good, up to the first that
 * is not. */
static void
go_through(const struct vs_text_pool *files, unsigned kinds, unsigned flags,
	int to)
{
	begin_child();
	for (size_t k = 0; k < files->n; k++)
		if (look(vs_text_pool_string(files, k), kinds, flags) ||
			write(to, "", 1) != 1)
			break;
	_exit(0);
}

/* Bytes that come from a child until it ends. */
static size_t
count_bytes(int from)
{
	char some[256];
	size_t n = 0;
	ssize_t got;

	while ((got = read(from, some, sizeof(some))) != 0) {
		if (got > 0)
			n += (size_t)got;
		else if (errno != EINTR)
			break;
	}
	return n;
}

/* A failure here is met, and said, again as each file is opened. */
int
vs_h5_reader_look(const struct vs_text_pool *files, unsigned kinds,
	unsigned flags)
{
	struct stat *st = NULL;
	size_t n = 0, good = 0;
	pid_t child = -1;
	int ends[2], code = 0;

	if (files->n > 1)
		code = vs_h5_begin();
	if (!code && files->n > 1)
		code = vs_mem_new(&st, files->n, sizeof(*st), "inputs");
	while (st && n < files->n &&
		!stat(vs_text_pool_string(files, n), &st[n]))
		n++;
	if (n && !pipe2(ends, O_CLOEXEC)) {
		child = fork();
		if (!child)
			go_through(files, kinds, flags, ends[1]);
		close(ends[1]);
		good = child < 0 ? 0 : count_bytes(ends[0]);
		close(ends[0]);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	for (size_t k = 0; k < good && k < n && !code; k++)
		code = add_looked_at(&st[k]);
	free(st);
	return code;
}

int
vs_h5_reader_open(struct vs_h5_reader **r, const char *path, unsigned kinds,
	unsigned flags, enum vs_kind *kind)
{
	struct vs_seal seal;
	int code = vs_seal_check(path, kinds, flags, &seal);

	if (!code && !(flags & VS_H5_TRUSTED))
		code = guard_once(path, kinds, flags);
	return code ? code : vs_h5_reader_begin(r, path, kinds, &seal, kind);
}
