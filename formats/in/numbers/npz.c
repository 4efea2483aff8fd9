/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one array of a NumPy archive, .npz: a zip file. Its entry is repacked as
 * a member of gzip, which has the same checksum.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/h5/deflate.h"
#include "formats/in/numbers/npz.h"
#include "libcore/base/bytes.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define LOCAL "PK\3\4"
#define CENTRAL "PK\1\2"
#define HEAD 30 /* bytes of a local header */
#define MOST ((uint64_t)1 << 31)
#define EXPANDS 1032  /* most bytes that one byte of deflate expands to */
#define STORED 65535u /* most bytes of a stored block, and its header */
#define STORED_HEAD 5
#define GZIP_HEAD 10
#define GZIP_ENDS 18

struct entry {
	unsigned flags, method, name_len, extra_len;
	uint64_t packed, size; /* bytes */
	uint8_t sum[4];
};

bool
vs_npz_is(const char *bytes, size_t n)
{
	return n >= 4 && !memcmp(bytes, LOCAL, 4);
}

static int
damaged(const struct vs_lines *l, const char *what)
{
	return vs_fail(VS_EINPUT, "%s: cannot be read as .npz: %s",
		vs_lines_name(l), what);
}

static int
read_exactly(struct vs_lines *l, void *bytes, size_t n)
{
	size_t got = 0;
	int code = vs_lines_bytes(l, bytes, n, &got);

	return code || got == n ? code : damaged(l, "it is cut short");
}

/* Sizes of 64 bits, in the extra field with id 1. */
static void
read_wide(struct entry *e, const uint8_t *extra)
{
	size_t at = 0;

	while (at + 4 <= e->extra_len) {
		const size_t len = vs_bytes_number(extra + at + 2, 2);

		if (vs_bytes_number(extra + at, 2) == 1 && len >= 16 &&
			at + 4 + len <= e->extra_len) {
			e->size = vs_bytes_number(extra + at + 4, 8);
			e->packed = vs_bytes_number(extra + at + 12, 8);
			return;
		}
		at += 4 + len;
	}
}

static int
read_entry(struct vs_lines *l, struct entry *e)
{
	uint8_t head[HEAD], *text = NULL;
	int code = read_exactly(l, head, HEAD);
	bool npy;

	if (code)
		return code;
	*e = (struct entry){ .flags = (unsigned)vs_bytes_number(head + 6, 2),
		.method = (unsigned)vs_bytes_number(head + 8, 2),
		.packed = vs_bytes_number(head + 18, 4),
		.size = vs_bytes_number(head + 22, 4),
		.name_len = (unsigned)vs_bytes_number(head + 26, 2),
		.extra_len = (unsigned)vs_bytes_number(head + 28, 2) };
	memcpy(e->sum, head + 14, 4);
	code = vs_mem_room(&text, e->name_len + e->extra_len + 1u, 1, "names");
	if (!code)
		code = read_exactly(l, text, e->name_len + e->extra_len);
	npy = !code && e->name_len > 4 &&
		!memcmp(text + e->name_len - 4, ".npy", 4);
	if (!code && (e->packed == UINT32_MAX || e->size == UINT32_MAX))
		read_wide(e, text + e->name_len);
	free(text);
	return code || npy ? code
			   : damaged(l,
				     "its first file is not an .npy; save the "
				     "matrix by numpy.savez");
}

static int
check_entry(const struct vs_lines *l, const struct entry *e)
{
	if (e->flags & 9)
		return damaged(l,
			"it is encrypted, or was written to a pipe; save it "
			"to a file");
	if (e->method && e->method != 8)
		return damaged(l,
			"it is neither stored nor deflated; save it by "
			"numpy.savez_compressed");
	if (e->packed >= MOST || e->size >= MOST)
		return damaged(l,
			"it holds 2 GiB or more; save the matrix by "
			"numpy.save");
	if (e->packed > vs_lines_left(l))
		return damaged(l, "it is cut short");
	if (e->method ? e->size > EXPANDS * e->packed : e->size != e->packed)
		return damaged(l, "it states inconsistent sizes");
	return 0;
}

/* The entry as a member of gzip, in blocks if it is stored. */
static int
read_member(struct vs_lines *l, const struct entry *e, uint8_t *to, size_t *n)
{
	uint8_t *at = to + GZIP_HEAD;
	int code = 0;

	memcpy(to, "\x1f\x8b\x08\0\0\0\0\0\0\xff", GZIP_HEAD);
	if (e->method) {
		code = read_exactly(l, at, e->packed);
		at += e->packed;
	}
	for (uint64_t left = e->packed; !e->method && !code;) {
		const unsigned len = left < STORED ? (unsigned)left : STORED;

		left -= len;
		*at = !left;
		at[1] = (uint8_t)len;
		at[2] = (uint8_t)(len >> 8);
		at[3] = (uint8_t)~at[1];
		at[4] = (uint8_t)~at[2];
		code = read_exactly(l, at + STORED_HEAD, len);
		at += STORED_HEAD + len;
		if (!left)
			break;
	}
	memcpy(at, e->sum, 4);
	memcpy(at + 4, &(uint32_t){ (uint32_t)e->size }, 4);
	*n = (size_t)(at + 8 - to);
	return code;
}

int
vs_npz_read(struct vs_lines *l, uint8_t **bytes, size_t *n)
{
	struct vs_deflate *d = NULL;
	struct entry e = { 0 };
	uint8_t *member = NULL, after[4];
	size_t n_member, got = sizeof(after);
	int code = read_entry(l, &e);

	if (!code)
		code = check_entry(l, &e);
	if (!code)
		code = vs_mem_room(&member,
			e.packed + (e.packed / STORED + 1) * STORED_HEAD +
				GZIP_ENDS,
			1, "the archive");
	if (!code)
		code = read_member(l, &e, member, &n_member);
	if (!code)
		code = read_exactly(l, after, 4);
	if (!code && memcmp(after, CENTRAL, 4))
		code = damaged(l,
			"it holds several arrays, or has no end; save the "
			"matrix alone, by numpy.save, or a sparse one of SciPy "
			"by scipy.io.mmwrite");
	/* the digest of a source covers all of it */
	while (!code && got == sizeof(after))
		code = vs_lines_bytes(l, after, sizeof(after), &got);
	if (!code)
		code = vs_mem_room(bytes, e.size, 1, "the archive");
	if (!code)
		code = vs_deflate_new(&d);
	if (!code &&
		vs_deflate_unpack_gzip(d, member, n_member, *bytes, e.size))
		code = damaged(l, "it is damaged; save it again");
	*n = e.size;
	vs_deflate_free(d);
	free(member);
	return code;
}
