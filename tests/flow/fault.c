/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * To be preloaded: the call FAULT_AT of those named FAULT_CALL (write,
 * fsync, rename, strdup, thread) fails as on a machine that fails; how many
 * there were goes to the file FAULT_COUNT at the end.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long n_call;

/* Is this call to fail? errno then says why. */
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

#define FAULT(type, name, failed, call, why, params, ...)                   \
	type name params                                                    \
	{                                                                   \
		static type(*real) params;                                  \
                                                                            \
		if (!real)                                                  \
			real = (type(*) params)dlsym(RTLD_NEXT, #name);     \
		return fails(call, why) ? (type)failed : real(__VA_ARGS__); \
	}

FAULT(ssize_t, write, -1, "write", ENOSPC, (int fd, const void *p, size_t n),
	fd, p, n)
FAULT(ssize_t, pwrite, -1, "write", ENOSPC,
	(int fd, const void *p, size_t n, off_t at), fd, p, n, at)
FAULT(ssize_t, pwrite64, -1, "write", ENOSPC,
	(int fd, const void *p, size_t n, off64_t at), fd, p, n, at)
FAULT(int, fsync, -1, "fsync", EIO, (int fd), fd)
FAULT(int, rename, -1, "rename", EIO, (const char *a, const char *b), a, b)
FAULT(int, renameat2, -1, "rename", EIO,
	(int i, const char *a, int j, const char *b, unsigned f), i, a, j, b, f)
FAULT(char *, strdup, NULL, "strdup", ENOMEM, (const char *s), s)
FAULT(int, pthread_create, EAGAIN, "thread", EAGAIN,
	(pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *x),
	t, a, f, x)
