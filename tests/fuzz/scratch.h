/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scratch files of fuzz targets, in a directory of $TMPDIR that goes at exit.
 */
#ifndef VS_TESTS_FUZZ_SCRATCH_H
#define VS_TESTS_FUZZ_SCRATCH_H

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRATCH_PATH 600

static char scratch_dir[300];
static pid_t scratch_owner;

static void
scratch_empty(void)
{
	DIR *d = opendir(scratch_dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

static void
scratch_end(void)
{
	if (getpid() != scratch_owner)
		return;
	scratch_empty();
	rmdir(scratch_dir);
}

/* The path of a scratch file; path has SCRATCH_PATH bytes. */
static void
scratch_path(char *path, const char *name)
{
	const char *in = getenv("TMPDIR");

	if (!*scratch_dir) {
		snprintf(scratch_dir, sizeof(scratch_dir), "%.200s/fuzz-XXXXXX",
			in ? in : "/tmp");
		if (!mkdtemp(scratch_dir))
			abort();
		scratch_owner = getpid();
		atexit(scratch_end);
	}
	snprintf(path, SCRATCH_PATH, "%s/%.200s", scratch_dir, name);
}

/*
 * Make a new file of n bytes. Its time differs from that of each one before,
 * by which a program tells files apart.
 */
__attribute__((unused)) static void
scratch_file(const char *path, const void *bytes, size_t n)
{
	static struct timespec time[2] = { { 1, 0 }, { 1, 0 } };
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	time[0].tv_sec = ++time[1].tv_sec;
	/* truncating to nothing first would wait for the disk each time */
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n ||
		ftruncate(fd, (off_t)n) || futimens(fd, time))
		abort();
	close(fd);
}

#endif
