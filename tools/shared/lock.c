/* SPDX-License-Identifier: BSD-3-Clause */
/* Lock file of a directory, by flock(). */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/text.h"
#include "tools/shared/lock.h"

#define MOST_TEXT 200

/* Holder of the lock, as far as the file states it. */
static int
fail_locked(int fd, const char *dir)
{
	char who[MOST_TEXT + 1] = "";
	ssize_t n = pread(fd, who, MOST_TEXT, 0);

	for (ssize_t k = 0; k < n; k++)
		if (!isprint((unsigned char)who[k]))
			who[k] = 0;
	return vs_fail(VS_EINPUT,
		"%s: another run writes here%s%s; let it end, or give another "
		"directory",
		dir, *who ? ": " : "", who);
}

/* True if the open file is still the one of this name. */
static bool
is_named(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !lstat(path, &b) && a.st_dev == b.st_dev &&
		a.st_ino == b.st_ino;
}

/*
 * Open the file and make sure that it is ours: in somebody else's directory,
 * this name may lead to any file of ours, which sign() would truncate.
 */
static int
open_lock(const char *path, int *fd)
{
	struct stat st;

	*fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		0666);
	if (*fd < 0 && (errno == ELOOP || errno == EISDIR || errno == ENXIO))
		return vs_fail(VS_EINPUT,
			"%s: is not a regular file; remove it, vsim makes its "
			"own",
			path);
	if (*fd < 0)
		return vs_fail_errno(VS_EMACHINE, "%s: cannot create", path);
	if (fstat(*fd, &st))
		return vs_fail_errno(VS_EMACHINE, "%s: cannot access", path);
	if (!S_ISREG(st.st_mode) || st.st_nlink > 1)
		return vs_fail(VS_EINPUT,
			"%s: %s; remove it, vsim makes its own", path,
			S_ISREG(st.st_mode) ? "has another name, too"
					    : "is not a regular file");
	return 0;
}

static int
sign(int fd, const char *path, const char *host)
{
	struct vs_text t = { 0 };
	int code = vs_text_add(&t, "process %ld%s%s\n", (long)getpid(),
		*host ? " on " : "", host);

	if (!code && ftruncate(fd, 0))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot write", path);
	if (!code)
		code = vs_file_put(fd, path, t.bytes, t.len, 0);
	vs_text_free(&t);
	return code;
}

int
vs_lock_acquire(struct vs_lock *l, const char *dir, const char *host)
{
	struct vs_text path = { 0 };
	int code = vs_text_add(&path, "%s/.lock", dir), fd = -1;
	bool locks = true;

	/* the previous holder removed the file while we waited */
	while (!code && locks && (fd < 0 || !is_named(fd, path.bytes))) {
		if (fd >= 0)
			close(fd);
		code = open_lock(path.bytes, &fd);
		locks = !code && !flock(fd, LOCK_EX | LOCK_NB);
		if (!code && !locks && errno == EWOULDBLOCK)
			code = fail_locked(fd, dir);
	}
	if (!code) {
		code = sign(fd, path.bytes, host);
		if (code)
			unlink(path.bytes);
	}
	if (code) {
		if (fd >= 0)
			close(fd);
		vs_text_free(&path);
		return code;
	}
	l->path = path.bytes;
	l->fd = fd;
	l->held = locks;
	return 0;
}

int
vs_lock_move(struct vs_lock *l, const char *dir)
{
	struct vs_text path = { 0 };
	int code = vs_text_add(&path, "%s/.lock", dir);

	if (code)
		return code;
	free(l->path);
	l->path = path.bytes;
	return 0;
}

void
vs_lock_exchange(struct vs_lock *a, struct vs_lock *b)
{
	char *path = a->path;

	a->path = b->path;
	b->path = path;
}

void
vs_lock_leave(struct vs_lock *l)
{
	if (!l->path)
		return;
	close(l->fd);
	free(l->path);
	l->path = NULL;
}

void
vs_lock_drop(struct vs_lock *l)
{
	if (l->path)
		unlink(l->path);
	vs_lock_leave(l);
}
