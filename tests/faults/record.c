/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recorder of what a program does to files, to be preloaded: each call that
 * changes a file or a directory below RECORD_ROOT becomes a line of RECORD_LOG,
 * in the order of their ends, for cuts.py.
 *
 *	create FILE BLOB   opened, new or emptied
 *	write FILE BLOB    written or cut; BLOB holds all its bytes by now
 *	fsync PATH BLOB    of a file, or, with the blob "-", of a directory
 *	rename OLD NEW     exchange OLD NEW, unlink PATH, mkdir PATH, rmdir PATH
 *
 * Fields stand between tabs. Blobs are files beside the log. What stdio writes
 * by itself is seen at the next call of fsync().
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXCHANGE 2 /* RENAME_EXCHANGE */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *root, *log_path;
static int log_fd = -1;
static pid_t log_pid;
static unsigned n_blob;

static void
stop(const char *why)
{
	dprintf(2, "record: %s: %s\n", why, strerror(errno));
	abort();
}

#define REAL(type, name, params)   \
	static type(*real) params; \
                                   \
	if (!real)                 \
	real = (type(*) params)dlsym(RTLD_NEXT, #name)

/* One process at a time acts and writes its line. */
static void
begin(void)
{
	pthread_mutex_lock(&lock);
	if (!root) {
		root = getenv("RECORD_ROOT");
		log_path = getenv("RECORD_LOG");
		if (!root || !log_path)
			stop("RECORD_ROOT and RECORD_LOG are wanted");
	}
	if (log_pid != getpid()) { /* a lock is its opener's and children's */
		log_fd = (int)syscall(SYS_openat, AT_FDCWD, log_path,
			O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
		log_pid = getpid();
		n_blob = 0;
	}
	if (log_fd < 0 || flock(log_fd, LOCK_EX))
		stop(log_path);
}

static void
end(void)
{
	int why = errno;

	flock(log_fd, LOCK_UN);
	pthread_mutex_unlock(&lock);
	errno = why;
}

/* The path below root, or null: of no interest. */
static const char *
below(const char *path, char full[PATH_MAX])
{
	size_t n = strlen(root);
	char copy[PATH_MAX], *slash;

	snprintf(copy, sizeof(copy), "%s", path);
	slash = strrchr(copy, '/');
	if (slash && !slash[1]) {
		*slash = 0;
		slash = strrchr(copy, '/');
	}
	/* the last component may be gone by now */
	if (slash)
		*slash = 0;
	if (!realpath(!slash ? "." : slash == copy ? "/" : copy, full))
		return NULL;
	strcat(full, "/");
	strcat(full, slash ? slash + 1 : copy);
	return !strncmp(full, root, n) && full[n] == '/' ? full + n + 1 : NULL;
}

static const char *
below_fd(int fd, char full[PATH_MAX])
{
	size_t n = strlen(root);
	char link[40];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, full, PATH_MAX - 1);
	full[len < 0 ? 0 : len] = 0;
	if (len < 0 || strstr(full, " (deleted)") || strncmp(full, root, n))
		return NULL;
	return full[n] == '/' ? full + n + 1 : full[n] ? NULL : ".";
}

static void
line(const char *what, const char *a, const char *b)
{
	char text[3 * PATH_MAX];
	int n = snprintf(text, sizeof(text), "%s\t%s\t%s\n", what, a, b);

	if (syscall(SYS_write, log_fd, text, n) != n)
		stop("log");
}

/* Copy the file's bytes to a blob. */
static void
blob(const char *what, int fd, const char *path)
{
	char from[40], to[PATH_MAX + 40], piece[65536];
	struct stat st;
	ssize_t n;
	int in, out;

	if (fstat(fd, &st))
		stop(path);
	if (S_ISDIR(st.st_mode)) {
		line(what, path, "-");
		return;
	}
	if (!S_ISREG(st.st_mode))
		return;
	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	snprintf(to, sizeof(to), "%s.%d.%u", log_path, (int)getpid(), n_blob++);
	in = (int)syscall(SYS_openat, AT_FDCWD, from, O_RDONLY | O_CLOEXEC);
	out = (int)syscall(SYS_openat, AT_FDCWD, to,
		O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (in < 0 || out < 0)
		stop(to);
	while ((n = syscall(SYS_read, in, piece, sizeof(piece))) > 0)
		if (syscall(SYS_write, out, piece, n) != n)
			stop(to);
	syscall(SYS_close, in);
	syscall(SYS_close, out);
	line(what, path, strrchr(to, '/') + 1);
}

static void
note_fd(const char *what, int fd)
{
	char full[PATH_MAX];
	const char *path = fd > 2 ? below_fd(fd, full) : NULL;

	if (path)
		blob(what, fd, path);
}

/* ---- calls ---- */

#define OPEN(name, before, params, ...)                                    \
	int name params                                                    \
	{                                                                  \
		va_list more;                                              \
		int mode, fd;                                              \
		REAL(int, name, (before const char *, int, ...));          \
		va_start(more, flags);                                     \
		mode = va_arg(more, int);                                  \
		va_end(more);                                              \
		if (!(flags & (O_CREAT | O_TRUNC)) || flags & O_DIRECTORY) \
			return real(__VA_ARGS__, mode);                    \
		begin();                                                   \
		fd = real(__VA_ARGS__, mode);                              \
		if (fd >= 0)                                               \
			note_fd("create", fd);                             \
		end();                                                     \
		return fd;                                                 \
	}
#define COMMA ,

OPEN(open, , (const char *path, int flags, ...), path, flags)
OPEN(open64, , (const char *path, int flags, ...), path, flags)
OPEN(openat, int COMMA, (int d, const char *path, int flags, ...), d, path,
	flags)
OPEN(openat64, int COMMA, (int d, const char *path, int flags, ...), d, path,
	flags)

#define STDIO(name)                                               \
	FILE *name(const char *path, const char *mode)            \
	{                                                         \
		FILE *f;                                          \
		REAL(FILE *, name, (const char *, const char *)); \
		if (*mode == 'r')                                 \
			return real(path, mode);                  \
		begin();                                          \
		f = real(path, mode);                             \
		if (f)                                            \
			note_fd("create", fileno(f));             \
		end();                                            \
		return f;                                         \
	}
STDIO(fopen)
STDIO(fopen64)

#define BY_FD(type, name, what, params, ...)      \
	type name params                          \
	{                                         \
		type got;                         \
		REAL(type, name, params);         \
		if (fd <= 2)                      \
			return real(__VA_ARGS__); \
		begin();                          \
		got = real(__VA_ARGS__);          \
		if (got >= 0)                     \
			note_fd(what, fd);        \
		end();                            \
		return got;                       \
	}
BY_FD(ssize_t, write, "write", (int fd, const void *p, size_t n), fd, p, n)
BY_FD(ssize_t, pwrite, "write", (int fd, const void *p, size_t n, off_t o), fd,
	p, n, o)
BY_FD(ssize_t, pwrite64, "write", (int fd, const void *p, size_t n, off64_t o),
	fd, p, n, o)
BY_FD(ssize_t, writev, "write", (int fd, const struct iovec *v, int n), fd, v,
	n)
BY_FD(int, ftruncate, "write", (int fd, off_t n), fd, n)
BY_FD(int, ftruncate64, "write", (int fd, off64_t n), fd, n)
BY_FD(int, fsync, "fsync", (int fd), fd)
BY_FD(int, fdatasync, "fsync", (int fd), fd)

/* A call on one path, of which the place is looked up before it is gone. */
static int
by_path(const char *what, const char *path, int (*act)(const char *, int),
	int arg)
{
	char full[PATH_MAX];
	const char *at;
	int code;

	begin();
	at = below(path, full);
	code = act(path, arg);
	if (!code && at)
		line(what, at, "");
	end();
	return code;
}

static int
act_unlink(const char *path, int unused)
{
	(void)unused;
	return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

static int
act_rmdir(const char *path, int unused)
{
	(void)unused;
	return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

static int
act_mkdir(const char *path, int mode)
{
	return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int
unlink(const char *path)
{
	return by_path("unlink", path, act_unlink, 0);
}

int
rmdir(const char *path)
{
	return by_path("rmdir", path, act_rmdir, 0);
}

int
mkdir(const char *path, mode_t mode)
{
	return by_path("mkdir", path, act_mkdir, (int)mode);
}

int
unlinkat(int d, const char *name, int flags)
{
	char full[PATH_MAX], path[2 * PATH_MAX], *end_of;
	const char *dir = ".";
	int code;

	begin();
	if (d != AT_FDCWD)
		dir = below_fd(d, full);
	snprintf(path, sizeof(path), "%s%s%s", dir && d != AT_FDCWD ? dir : "",
		dir && d != AT_FDCWD ? "/" : "", name);
	end_of = path + (strncmp(path, "./", 2) ? 0 : 2);
	code = (int)syscall(SYS_unlinkat, d, name, flags);
	if (!code && dir && d != AT_FDCWD)
		line(flags & AT_REMOVEDIR ? "rmdir" : "unlink", end_of, "");
	else if (!code && d == AT_FDCWD && (dir = below(name, full)))
		line(flags & AT_REMOVEDIR ? "rmdir" : "unlink", dir, "");
	end();
	return code;
}

static int
move(int i, const char *a, int j, const char *b, unsigned flags)
{
	char full_a[PATH_MAX], full_b[PATH_MAX];
	const char *at_a, *at_b;
	int code;

	if (i != AT_FDCWD || j != AT_FDCWD)
		stop("rename below an open directory");
	begin();
	at_a = below(a, full_a);
	at_b = below(b, full_b);
	code = (int)syscall(SYS_renameat2, i, a, j, b, flags);
	if (!code && at_a && at_b)
		line(flags & EXCHANGE ? "exchange" : "rename", at_a, at_b);
	end();
	return code;
}

int
rename(const char *a, const char *b)
{
	return move(AT_FDCWD, a, AT_FDCWD, b, 0);
}

int
renameat2(int i, const char *a, int j, const char *b, unsigned flags)
{
	return move(i, a, j, b, flags);
}

int
link(const char *a, const char *b)
{
	(void)a;
	(void)b;
	errno = EPERM; /* as on file systems without it */
	return -1;
}

int
linkat(int i, const char *a, int j, const char *b, int flags)
{
	(void)i;
	(void)j;
	(void)flags;
	return link(a, b);
}
