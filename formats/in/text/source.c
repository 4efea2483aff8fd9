/* SPDX-License-Identifier: BSD-3-Clause */
/* Input file whose bytes are digested as they are read. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/in/text/magic.h"
#include "formats/in/text/source.h"
#include "formats/vectors/part.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"

static int
open_checked(struct vs_source *s)
{
	struct stat st;

	if (!strcmp(s->path, "-")) {
		s->name = "standard input";
		s->fd = dup(STDIN_FILENO);
	} else {
		s->name = s->path;
		s->fd = open(s->path, O_RDONLY | O_CLOEXEC);
	}
	if (s->fd < 0)
		return errno == ENOENT && vs_magic_check_url(s->path)
			? VS_EINPUT
			: vs_fail_input(s->name, "open");
	if (fstat(s->fd, &st))
		return vs_fail_errno(VS_EMACHINE, "%s: cannot access", s->name);
	if (S_ISDIR(st.st_mode))
		return vs_fail(VS_EINPUT, "%s: is a directory, not a file",
			s->name);
	if (vs_file_note_input(s->fd, s->name))
		return VS_EMACHINE;
	s->regular = S_ISREG(st.st_mode) && s->name == s->path;
	s->size = s->regular ? (int64_t)st.st_size : -1;
	s->modified = st.st_mtim;
	posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* only advice */
	return vs_digest_new(&s->digest);
}

int
vs_source_open(struct vs_source *s, const char *path)
{
	int code;

	memset(s, 0, sizeof(*s));
	s->fd = -1;
	code = vs_mem_copy_text(&s->path, path);
	if (!code)
		code = open_checked(s);
	if (code)
		vs_source_close(s);
	return code;
}

/*
 * Read up to n bytes, from the present position or at an offset. A pipe may
 * return fewer. 0; VS_EMACHINE
 */
static int
read_some(const struct vs_source *s, const uint64_t *at, void *bytes, size_t n,
	size_t *have)
{
	for (*have = 0; *have < n;) {
		char *to = (char *)bytes + *have;
		ssize_t got = at
			? pread(s->fd, to, n - *have, (off_t)(*at + *have))
			: read(s->fd, to, n - *have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return vs_fail_errno(VS_EMACHINE, "%s: cannot read",
				s->name);
		*have += (size_t)got;
		if (!got || !s->regular)
			break;
	}
	return 0;
}

int
vs_source_read(struct vs_source *s, void *bytes, size_t room, size_t *got)
{
	size_t have;
	int code = read_some(s, NULL, bytes, room, &have);

	if (code)
		return code;
	vs_digest_add(s->digest, bytes, have);
	s->n_read += have;
	s->at += have;
	*got = have;
	return 0;
}

int
vs_source_seek(struct vs_source *s, uint64_t at)
{
	if (lseek(s->fd, (off_t)at, SEEK_SET) < 0)
		return vs_fail_errno(VS_EMACHINE, "%s: cannot read", s->name);
	s->at = at;
	return 0;
}

int
vs_source_peek(const struct vs_source *s, uint64_t at, void *bytes, size_t n)
{
	size_t have;
	int code = read_some(s, &at, bytes, n, &have);

	return code || have == n
		? code
		: vs_fail(VS_EINPUT,
			  "%s: is cut short, or became shorter while it "
			  "was read",
			  s->name);
}

int
vs_source_note(const struct vs_source *s, struct vs_provenance *p)
{
	char hex[VS_DIGEST_TEXT];
	uint8_t sum[16];

	if (!p)
		return 0;
	vs_digest_get(s->digest, sum);
	vs_digest_text(sum, hex);
	return vs_provenance_source(p, s->path,
		s->regular ? (int64_t)s->n_read : -1, hex, "");
}

/* Block k of the probe; blocks of a small file overlap and cover all of it. */
static int
add_block(const struct vs_source *s, uint64_t k, struct vs_digest *d)
{
	const uint64_t size = (uint64_t)s->size,
		       n = size < VS_SOURCE_BLOCK ? size : VS_SOURCE_BLOCK;
	uint8_t bytes[VS_SOURCE_BLOCK];
	int code = vs_source_peek(s,
		vs_part_end(size - n, (int64_t)k, VS_SOURCE_BLOCKS - 1), bytes,
		n);

	if (!code)
		vs_digest_add(d, bytes, n);
	return code;
}

int
vs_source_note_part(const struct vs_source *s, struct vs_provenance *p)
{
	char probe[VS_DIGEST_TEXT + 48];
	struct vs_digest *d = NULL;
	uint8_t sum[16];
	struct stat st;
	int code = p ? vs_digest_new(&d) : 0;

	if (!p)
		return 0;
	for (uint64_t k = 0; k < VS_SOURCE_BLOCKS && !code; k++)
		code = add_block(s, k, d);
	if (!code && fstat(s->fd, &st))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot access", s->name);
	if (!code &&
		(st.st_mtim.tv_sec != s->modified.tv_sec ||
			st.st_mtim.tv_nsec != s->modified.tv_nsec))
		code = vs_fail(VS_EINPUT,
			"%s: was changed while it was read; pack all parts "
			"again",
			s->name);
	if (!code) {
		vs_digest_get(d, sum);
		vs_digest_text(sum, probe);
		snprintf(probe + strlen(probe), 48, " %lld.%09ld",
			(long long)s->modified.tv_sec, s->modified.tv_nsec);
		code = vs_provenance_source(p, s->path, s->size, "", probe);
	}
	vs_digest_free(d);
	return code;
}

void
vs_source_close(struct vs_source *s)
{
	if (!s->path)
		return;
	if (s->fd >= 0)
		close(s->fd);
	vs_digest_free(s->digest);
	free(s->path);
	memset(s, 0, sizeof(*s));
	s->fd = -1;
}
