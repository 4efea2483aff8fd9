/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared memory of the ranks of a machine, by memfd_create(2). */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcore/base/fail.h"
#include "libcore/plan/comm.h"
#include "libcore/plan/node_memory.h"

#define PIECE ((size_t)2 << 20) /* bytes reserved at a time, a huge page */

/* Location of the first rank's memory: process, descriptor fd, and the file's
 * identity. In another PID namespace the process has another number. */
struct key {
	int64_t pid, fd;
	uint64_t device, inode;
};

static int
failed(const char *what, size_t bytes)
{
	return vs_fail_errno(VS_EMACHINE,
		"%s: %llu MB that the ranks of this machine share", what,
		(unsigned long long)(bytes >> 20));
}

/* Create the descriptor of zeroed memory, on the machine's first rank. */
static int
create(size_t bytes, struct key *key)
{
	struct stat st;
	int fd = memfd_create("vsim-vectors", MFD_CLOEXEC);

	if (fd >= 0 && (ftruncate(fd, (off_t)bytes) || fstat(fd, &st))) {
		close(fd);
		fd = -1;
	}
	*key = (struct key){ .pid = getpid(), .fd = fd };
	if (fd >= 0) {
		key->device = st.st_dev;
		key->inode = st.st_ino;
	}
	return fd;
}

/* Open it on the other ranks; if the path leads to anything else, that is not
 * opened. */
static int
find(const struct key *key)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%lld/fd/%lld", (long long)key->pid,
		(long long)key->fd);
	if (key->fd < 0 || stat(path, &st))
		return -1;
	if (st.st_dev != key->device || st.st_ino != key->inode) {
		errno = ESTALE;
		return -1;
	}
	return open(path, O_RDWR | O_CLOEXEC);
}

static void *
map(int fd, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Map the memory on each rank; close *fd once all ranks have mapped it. */
static void *
map_all(size_t bytes, int *fd)
{
	struct key key = { .fd = -1 };
	int at, of;

	vs_comm_local(&at, &of);
	*fd = at ? -1 : create(bytes, &key);
	vs_comm_local_share(&key, sizeof(key));
	if (at)
		*fd = find(&key);
	return *fd < 0 ? NULL : map(*fd, bytes);
}

/* Round bytes up to whole pieces, at least one. */
static size_t
in_pieces(size_t bytes)
{
	return bytes ? (bytes + PIECE - 1) / PIECE * PIECE : PIECE;
}

bool
vs_node_memory_works(size_t bytes)
{
	void *p;
	int at, of, fd;
	bool works;

	vs_comm_local(&at, &of);
	if (of < 2)
		return false;
	bytes = in_pieces(bytes);
	p = map_all(bytes, &fd);
	works = !vs_comm_local_agree(p ? 0 : VS_EMACHINE);
	vs_node_memory_free(p, bytes);
	if (fd >= 0)
		close(fd);
	return works;
}

/* Reserve this rank's share of the pages, a few at a time: a signal undoes a
 * whole call. */
static int
reserve(int fd, size_t bytes)
{
	const size_t n = bytes / PIECE;
	int at, of, failed = 0;

	vs_comm_local(&at, &of);
	for (size_t k = n * (size_t)at / (size_t)of;
		k < n * (size_t)(at + 1) / (size_t)of && !failed; k++)
		do
			failed = fallocate(fd, 0, (off_t)(k * PIECE),
				(off_t)PIECE);
		while (failed && errno == EINTR);
	/* ENOSPC speaks of a device, and there is none */
	errno = errno == ENOSPC ? ENOMEM : errno;
	return failed;
}

int
vs_node_memory_new(void *out, size_t bytes, const char *what)
{
	int fd, code = 0;
	void *p;

	bytes = in_pieces(bytes);
	p = map_all(bytes, &fd);
	if (!p || reserve(fd, bytes))
		code = failed(what, bytes);
	code = vs_comm_local_agree(code);
	if (fd >= 0)
		close(fd);
	if (code)
		vs_node_memory_free(p, bytes);
	else
		memcpy(out, &p, sizeof(p));
	return code;
}

void
vs_node_memory_free(void *at, size_t bytes)
{
	if (at)
		munmap(at, in_pieces(bytes));
}
