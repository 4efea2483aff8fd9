/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening of a sealed HDF5 file: its seal is checked first and, where asked, a
 * child process reads the metadata before this one does, for HDF5 crashes on
 * some damaged files.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/h5/h5_inner.h"
#include "libcore/base/fail.h"

#define GUARD_SECONDS 60
#define GUARD_BYTES (8ull << 30)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAN_BOUND 0 /* they reserve terabytes of addresses */
#else
#define CAN_BOUND 1
#endif

/* The child: what it found goes into the pipe, the code to its parent. */
static void
go_ahead(const char *path, unsigned kinds, unsigned flags, int to)
{
	struct rlimit none = { 0, 0 }, bytes = { GUARD_BYTES, GUARD_BYTES };
	struct vs_h5_reader *r;
	struct vs_seal seal;
	int code;

	setrlimit(RLIMIT_CORE, &none);
	if (CAN_BOUND)
		setrlimit(RLIMIT_AS, &bytes);
	alarm(GUARD_SECONDS);
	code = vs_seal_check(path, kinds,
		(flags & ~(unsigned)VS_H5_GUARDED) | VS_H5_FAST, &seal);
	if (!code)
		code = vs_h5_reader_begin(&r, path, kinds, &seal, NULL);
	if (!code)
		code = vs_h5_reader_walk(r);
	if (code && write(to, vs_fail_text(), strlen(vs_fail_text())) < 0)
		code = VS_EMACHINE;
	_exit(-code);
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
		return vs_fail(VS_EINPUT,
			"%s: is damaged: HDF5 breaks on it (%s); restore it or "
			"make it anew",
			path, strsignal(WTERMSIG(status)));
	return WEXITSTATUS(status) ? vs_fail(-WEXITSTATUS(status), "%s", said)
				   : 0;
}

int
vs_h5_reader_open(struct vs_h5_reader **r, const char *path, unsigned kinds,
	unsigned flags, enum vs_kind *kind)
{
	struct vs_seal seal;
	int code = vs_seal_check(path, kinds, flags, &seal);

	if (!code && (flags & VS_H5_GUARDED))
		code = guard(path, kinds, flags);
	return code ? code : vs_h5_reader_begin(r, path, kinds, &seal, kind);
}
