/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * To be preloaded: the call FAULT_AT of those named FAULT_CALL (write,
 * fsync, rename, strdup, thread) fails as on a machine that fails; how many
 * there were goes to the file FAULT_COUNT at the end. The file FAULT_ORDER
 * receives a line for each call that changes files, in the order of their
 * beginning: its name and, after tabs, the files.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long n_call;

/* One line for FAULT_ORDER, by calls that are not counted here themselves. */
static void
note(const char *call, const char *a, const char *b)
{
	const char *path = getenv("FAULT_ORDER");
	char line[8300];
	int fd, n;

	if (!path)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	n = snprintf(line, sizeof(line), "%s\t%s%s%s\n", call, a, b ? "\t" : "",
		b ? b : "");
	if (fd < 0 || n >= (int)sizeof(line) ||
		syscall(SYS_write, fd, line, n) != n)
		abort();
	close(fd);
}

/* The same of an open file. */
static void
note_open(const char *call, int fd)
{
	char link[40], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n > 0) {
		path[n] = 0;
		note(call, path, NULL);
	}
}

/* True if this call has to fail, with errno set. */
static int
fails(const char *name, int why)
{
	const char *call = getenv("FAULT_CALL"), *at = getenv("FAULT_AT");

	if (!call || strcmp(call, name) ||
		__atomic_add_fetch(&n_call, 1, __ATOMIC_SEQ_CST) !=
			(at ? atol(at) : 0))
		return 0;
	errno = why;
	return 1;
}

__attribute__((destructor)) static void
count(void)
{
	const char *path = getenv("FAULT_COUNT");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;

	if (fd >= 0) {
		dprintf(fd, "%ld\n", n_call);
		close(fd);
	}
}

#define FAULT(type, name, failed, call, why, said, params, ...)         \
	type name params                                                \
	{                                                               \
		static type(*real) params;                              \
                                                                        \
		if (!real)                                              \
			real = (type(*) params)dlsym(RTLD_NEXT, #name); \
		if (fails(call, why))                                   \
			return (type)failed;                            \
		said;                                                   \
		return real(__VA_ARGS__);                               \
	}

FAULT(ssize_t, write, -1, "write", ENOSPC, note_open("write", fd),
	(int fd, const void *p, size_t n), fd, p, n)
FAULT(ssize_t, pwrite, -1, "write", ENOSPC, note_open("write", fd),
	(int fd, const void *p, size_t n, off_t at), fd, p, n, at)
FAULT(ssize_t, pwrite64, -1, "write", ENOSPC, note_open("write", fd),
	(int fd, const void *p, size_t n, off64_t at), fd, p, n, at)
FAULT(int, fsync, -1, "fsync", EIO, note_open("fsync", fd), (int fd), fd)
FAULT(int, rename, -1, "rename", EIO, note("rename", a, b),
	(const char *a, const char *b), a, b)
FAULT(int, renameat2, -1, "rename", EIO, note("rename", a, b),
	(int i, const char *a, int j, const char *b, unsigned f), i, a, j, b, f)
FAULT(int, unlink, -1, "unlink", EIO, note("unlink", a, NULL), (const char *a),
	a)
FAULT(char *, strdup, NULL, "strdup", ENOMEM, (void)0, (const char *s), s)
FAULT(int, pthread_create, EAGAIN, "thread", EAGAIN, (void)0,
	(pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *x),
	t, a, f, x)
