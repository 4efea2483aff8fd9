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

/* Arguments of vs_h5_reader_open(). */
struct expected {
	unsigned kinds, flags;
};

static int
look_at_ours(const char *path, void *arg)
{
	const struct expected *e = arg;
	struct vs_h5_reader *r = NULL;
	struct vs_seal seal;
	int code = vs_seal_check(path, e->kinds, e->flags | VS_H5_FAST, &seal);

	if (!code)
		code = vs_h5_reader_begin(&r, path, e->kinds, &seal, NULL);
	if (!code)
		code = vs_h5_reader_walk(r);
	vs_h5_reader_close(r);
	return code;
}

/*
 * The child: a NUL for each file that is good, up to the first that is not;
 * then why, and the code to its parent.
 */
static void
go_ahead(const struct vs_text_pool *files, vs_h5_look *look, void *arg, int to)
{
	int code = 0;

	begin_child();
	for (size_t k = 0; k < files->n && !code; k++) {
		bound_time();
		code = look(vs_text_pool_string(files, k), arg);
		if (!code && write(to, "", 1) != 1)
			_exit(0);
	}
	if (code && write(to, vs_fail_text(), strlen(vs_fail_text())) < 0)
		code = VS_EMACHINE;
	_exit(-code);
}

/* Answer of a child, and its exit status. */
struct verdict {
	size_t n_good;
	char why[4096];
	int status;
};

/* Let a child of this process open files and look at each object. */
static int
ask_child(const struct vs_text_pool *files, vs_h5_look *look, void *arg,
	struct verdict *v)
{
	const char *first = vs_text_pool_string(files, 0);
	char some[256];
	size_t n = 0;
	ssize_t got;
	pid_t child;
	int ends[2];

	*v = (struct verdict){ 0 };
	if (pipe2(ends, O_CLOEXEC))
		return vs_fail_errno(VS_EMACHINE, "%s: cannot make a pipe",
			first);
	child = fork();
	if (!child)
		go_ahead(files, look, arg, ends[1]);
	close(ends[1]);
	while (child > 0 && (got = read(ends[0], some, sizeof(some))) != 0) {
		if (got < 0 && errno != EINTR)
			break;
		for (ssize_t k = 0; k < got; k++)
			if (!some[k])
				v->n_good++;
			else if (n < sizeof(v->why) - 1)
				v->why[n++] = some[k];
	}
	close(ends[0]);
	if (child < 0)
		return vs_fail_errno(VS_EMACHINE, "%s: cannot fork", first);
	while (waitpid(child, &v->status, 0) < 0)
		if (errno != EINTR)
			return vs_fail_errno(VS_EMACHINE, "%s: cannot wait",
				first);
	return 0;
}

/* A signal from outside says nothing about the file. */
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

int
vs_h5_guard(const char *path, vs_h5_look *look, void *arg)
{
	struct vs_text_pool one = { 0 };
	struct verdict v;
	int code = vs_text_pool_add(&one, path, strlen(path) + 1);

	if (!code)
		code = ask_child(&one, look, arg, &v);
	vs_text_pool_free(&one);
	if (code)
		return code;
	if (WIFSIGNALED(v.status))
		return judge_death(path, WTERMSIG(v.status));
	switch (-WEXITSTATUS(v.status)) {
	case VS_OK:
		return 0;
	case VS_EUSAGE:
	case VS_EINPUT:
	case VS_EMACHINE:
		if (*v.why)
			return vs_fail(-WEXITSTATUS(v.status), "%s", v.why);
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
	struct expected e = { kinds, flags };
	struct stat st;
	int code;

	if (stat(path, &st))
		return vs_fail_input(path, "access it");
	if (is_looked_at(&st))
		return 0;
	code = vs_h5_begin(); /* once for both */
	if (!code)
		code = vs_h5_guard(path, look_at_ours, &e);
	return code ? code : add_looked_at(&st);
}

/* A failure here is met, and said, again as each file is opened. */
int
vs_h5_reader_look(const struct vs_text_pool *files, unsigned kinds,
	unsigned flags)
{
	struct expected e = { kinds, flags };
	struct stat *st = NULL;
	struct verdict v;
	size_t n = 0;
	int code = 0;

	if (files->n > 1)
		code = vs_h5_begin();
	if (files->n > 1)
		VS_MEM_NEW(&code, st, files->n, "inputs");
	while (st && n < files->n &&
		!stat(vs_text_pool_string(files, n), &st[n]))
		n++;
	if (n && ask_child(files, look_at_ours, &e, &v))
		vs_fail_clear();
	for (size_t k = 0; n && k < v.n_good && k < n && !code; k++)
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
