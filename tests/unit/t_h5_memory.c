/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a column without memory: whichever allocation fails first, the
 * machine has failed, not the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/h5/h5.h"
#include "formats/vectors/packed.h"
#include "libcore/base/fail.h"
#include "libcore/base/sanitized.h"
#include "tests/unit/test.h"

#define PLACES 2000

static long left = -1; /* allocations that there is memory for; < 0: any */

#if !VS_SANITIZED
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t),
	*__libc_realloc(void *, size_t);

static bool
fails(void)
{
	if (left > 0)
		left--;
	else if (!left)
		errno = ENOMEM;
	return !left;
}

void *
malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *
calloc(size_t a, size_t b)
{
	return fails() ? NULL : __libc_calloc(a, b);
}

void *
realloc(void *p, size_t n)
{
	return fails() ? NULL : __libc_realloc(p, n);
}
#endif

/* In a child, as HDF5 keeps what it has freed. */
static int
read_with(long n_alloc, const char *path, char said[512])
{
	struct vs_text_pool texts = { 0 };
	struct vs_h5_reader *r;
	int ends[2], status, code;
	ssize_t n;
	pid_t child;

	if (pipe(ends))
		exit(4);
	fflush(stdout);
	child = fork();
	if (!child) {
		vs_fail_mute(); /* libgomp has a line of its own */
		if (vs_h5_reader_open(&r, path, ~0u, VS_H5_TRUSTED, NULL))
			_exit(9);
		left = n_alloc;
		code = vs_h5_reader_strings(r, "/provenance/started",
			VS_ROWS_UNKNOWN, &texts);
		left = -1;
		if (write(ends[1], vs_fail_text(), strlen(vs_fail_text())) < 0)
			_exit(9);
		_exit(-code);
	}
	close(ends[1]);
	n = read(ends[0], said, 511);
	said[n < 0 ? 0 : n] = 0;
	close(ends[0]);
	waitpid(child, &status, 0);
	/* programs say the same of a library that crashes or ends them */
	return WIFSIGNALED(status) || (WEXITSTATUS(status) && !*said)
		? 4
		: WEXITSTATUS(status);
}

static int
write_file(const char *path)
{
	struct vs_text_pool texts = { 0 };
	struct vs_codec none = { .id = VS_CODEC_NONE };
	struct vs_h5_writer *w = NULL;
	char content[VS_DIGEST_TEXT];
	int code = vs_text_pool_add(&texts, "now", 3);

	if (!code)
		code = vs_h5_writer_create(&w, path, VS_KIND_VECTORS, "bit2",
			"t_h5_memory", true);
	if (!code)
		code = vs_h5_writer_group(w, "/provenance");
	if (!code)
		code = vs_h5_writer_strings(w, "/provenance/started", &texts,
			none);
	if (!code)
		code = vs_h5_writer_finish(&w, &vs_packed_content, content);
	vs_text_pool_free(&texts);
	return code;
}

int
main(void)
{
	char path[] = "/tmp/t_h5_memory.XXXXXX", said[512];
	int code = 4, fd = mkstemp(path);
	long n = 1;

	if (fd < 0 || close(fd))
		return 1;
	T_OK(!write_file(path), "%s", vs_fail_text());
	T_OK(!read_with(-1, path, said), "%s: %s", path, said);
	for (; !VS_SANITIZED && n < PLACES && code == 4; n++)
		code = read_with(n, path, said);
	T_OK(VS_SANITIZED || !code, "with memory for %ld: %d: %s", n - 1, code,
		said);
	unlink(path);
	return T_DONE();
}
