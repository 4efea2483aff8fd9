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

	return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev &&
		a.st_ino == b.st_ino;
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

	/* the former holder removed the file while we waited */
	while (!code && (fd < 0 || !is_named(fd, path.bytes))) {
		if (fd >= 0)
			close(fd);
		fd = open(path.bytes, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		if (fd < 0)
			code = vs_fail_errno(VS_EMACHINE, "%s: cannot create",
				path.bytes);
		else if (!flock(fd, LOCK_EX | LOCK_NB))
			continue;
		else if (errno == EWOULDBLOCK)
			code = fail_locked(fd, dir);
		else
			break;
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
	return 0;
}

void
vs_lock_drop(struct vs_lock *l)
{
	if (!l->path)
		return;
	unlink(l->path);
	close(l->fd);
	free(l->path);
	l->path = NULL;
}
