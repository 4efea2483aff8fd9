/* SPDX-License-Identifier: BSD-3-Clause */
/* NumPy .npy reader: a header dictionary, then the raw entries. One of an .npz
 * is unpacked first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/deflate.h"
#include "formats/in/numbers/matrix.h"
#include "formats/in/text/lines.h"
#include "libcore/base/bytes.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define MAGIC "\x93NUMPY"
#define MAX_HEAD (1u << 16) /* a dictionary has some hundred bytes */

/* ---- zip ---- */

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

/* True for the first bytes of a zip file. */
static bool
is_npz(const char *bytes, size_t n)
{
	return n >= 4 && !memcmp(bytes, LOCAL, 4);
}

static int
damaged_zip(const struct vs_lines *l, const char *what)
{
	return vs_fail(VS_EINPUT, "%s: cannot be read as .npz: %s",
		vs_lines_name(l), what);
}

static int
read_zip(struct vs_lines *l, void *bytes, size_t n)
{
	size_t got = 0;
	int code = vs_lines_bytes(l, bytes, n, &got);

	return code || got == n ? code : damaged_zip(l, "it is cut short");
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
	int code = read_zip(l, head, HEAD);
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
		code = read_zip(l, text, e->name_len + e->extra_len);
	npy = !code && e->name_len > 4 &&
		!memcmp(text + e->name_len - 4, ".npy", 4);
	if (!code && (e->packed == UINT32_MAX || e->size == UINT32_MAX))
		read_wide(e, text + e->name_len);
	free(text);
	return code || npy ? code
			   : damaged_zip(l,
				     "its first file is not an .npy; save the "
				     "matrix by numpy.savez");
}

static int
check_entry(const struct vs_lines *l, const struct entry *e)
{
	if (e->flags & 9)
		return damaged_zip(l,
			"it is encrypted, or was written to a pipe; save it "
			"to a file");
	if (e->method && e->method != 8)
		return damaged_zip(l,
			"it is neither stored nor deflated; save it by "
			"numpy.savez_compressed");
	if (e->packed >= MOST || e->size >= MOST)
		return damaged_zip(l,
			"it holds 2 GiB or more; save the matrix by "
			"numpy.save");
	if (e->packed > vs_lines_left(l))
		return damaged_zip(l, "it is cut short");
	if (e->method ? e->size > EXPANDS * e->packed : e->size != e->packed)
		return damaged_zip(l, "it states inconsistent sizes");
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
		code = read_zip(l, at, e->packed);
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
		code = read_zip(l, at + STORED_HEAD, len);
		at += STORED_HEAD + len;
		if (!left)
			break;
	}
	memcpy(at, e->sum, 4);
	memcpy(at + 4, &(uint32_t){ (uint32_t)e->size }, 4);
	*n = (size_t)(at + 8 - to);
	return code;
}

/*
 * Unpack the .npy file in it, n bytes; free with free(). The checksum is
 * checked.
 * returns  0; VS_EINPUT: damaged, or it does not hold one array of below 2 GiB;
 *          VS_EMACHINE
 */
static int
read_npz(struct vs_lines *l, uint8_t **bytes, size_t *n)
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
		code = read_zip(l, after, 4);
	if (!code && memcmp(after, CENTRAL, 4))
		code = damaged_zip(l,
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
		code = damaged_zip(l, "it is damaged; save it again");
	*n = e.size;
	vs_deflate_free(d);
	free(member);
	return code;
}

/* ---- the array ---- */

struct npy {
	char kind; /* b f i u */
	size_t size;
	uint8_t *line;
	uint8_t *held; /* n_held bytes of an .npz; null: read the file */
	size_t n_held, at_held;
};

static bool
npy_is(const char *bytes, size_t n)
{
	return is_npz(bytes, n) || (n >= 6 && !memcmp(bytes, MAGIC, 6));
}

static int
damaged(const struct vs_matrix *m, const char *what)
{
	return vs_fail(VS_EINPUT, "%s: cannot be read as .npy: %s",
		vs_lines_name(m->lines), what);
}

static int
read_some(struct vs_matrix *m, void *bytes, size_t n, size_t *got)
{
	struct npy *y = m->state;
	const size_t left = y->n_held - y->at_held;

	if (!y->held)
		return vs_lines_bytes(m->lines, bytes, n, got);
	*got = n < left ? n : left;
	memcpy(bytes, y->held + y->at_held, *got);
	y->at_held += *got;
	return 0;
}

/* Read n bytes, or fail. */
static int
read_exactly(struct vs_matrix *m, void *bytes, size_t n)
{
	size_t got = 0;
	int code = read_some(m, bytes, n, &got);

	return code || got == n ? code : damaged(m, "it is cut short");
}

/* Text after 'key': in the dictionary; null: no such key. */
static const char *
value_of(const char *head, const char *key)
{
	char word[32];
	const char *at;

	snprintf(word, sizeof(word), "'%s':", key);
	at = strstr(head, word);
	if (!at)
		return NULL;
	at += strlen(word);
	return at + strspn(at, " ");
}

static int
read_descr(struct vs_matrix *m, const char *descr)
{
	static const char *const known[] = { "b1", "u1", "u2", "u4", "u8", "i1",
		"i2", "i4", "i8", "f2", "f4", "f8" };
	struct npy *y = m->state;

	if (descr && descr[0] == '\'' && strchr("<|=", descr[1]) && descr[1])
		for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++)
			if (!strncmp(descr + 2, known[k], 2) &&
				descr[4] == '\'') {
				y->kind = *known[k];
				y->size = (size_t)(known[k][1] - '0');
				return 0;
			}
	return vs_fail(VS_EINPUT,
		"%s: entries of type %.*s are not supported, only bool, u1 u2 "
		"u4 u8, i1 i2 i4 i8, f2 f4 and f8, little-endian: save "
		"a.astype('<f8')",
		vs_lines_name(m->lines),
		descr ? (int)strcspn(descr + 1, "'\n") + 2 : 1,
		descr ? descr : "?");
}

static int
read_shape(struct vs_matrix *m, const char *shape, bool fortran)
{
	const struct npy *y = m->state;
	const uint64_t left =
		y->held ? y->n_held - y->at_held : vs_lines_left(m->lines);
	unsigned long long dim[2];
	char end = 0;

	if (!shape ||
		sscanf(shape, "(%llu,%llu%c", &dim[0], &dim[1], &end) < 3 ||
		end != ')')
		return damaged(m,
			"it is not a matrix of two dimensions; save "
			"one, or a.reshape(rows, columns)");
	if (!dim[0] || !dim[1] || dim[0] > VS_PACKED_VECTORS ||
		dim[1] > VS_PACKED_VECTORS ||
		(dim[0] > VS_PACKED_FIELDS && dim[1] > VS_PACKED_FIELDS))
		return damaged(m, "it has no entries, or too many");
	if ((double)dim[0] * (double)dim[1] * (double)y->size > (double)left)
		return damaged(m, "it is cut short");
	m->by_column = fortran;
	m->n_line = dim[fortran];
	m->n_cell = dim[!fortran];
	return 0;
}

static int
read_head(struct vs_matrix *m, char **head)
{
	uint8_t front[12];
	size_t len;
	int code = read_exactly(m, front, 10);

	if (code)
		return code;
	if (front[6] < 1 || front[6] > 3)
		return damaged(m, "it has an unknown version");
	len = (size_t)front[8] | (size_t)front[9] << 8;
	if (front[6] > 1) {
		code = read_exactly(m, front + 10, 2);
		len |= (size_t)front[10] << 16 | (size_t)front[11] << 24;
	}
	if (!code && len > MAX_HEAD)
		code = damaged(m, "it has too long a header");
	VS_MEM_NEW(&code, *head, len + 1, "header");
	return code ? code : read_exactly(m, *head, len);
}

static int
npy_open(struct vs_matrix *m)
{
	char *head = NULL;
	const char *order;
	struct npy *y = m->state;
	const char *bytes;
	size_t n;
	int code = vs_lines_peek(m->lines, 4, &bytes, &n);

	if (!code && is_npz(bytes, n))
		code = read_npz(m->lines, &y->held, &y->n_held);
	if (!code)
		code = read_head(m, &head);
	if (!code)
		code = read_descr(m, value_of(head, "descr"));
	if (code)
		goto out;
	order = value_of(head, "fortran_order");
	if (!order || (strncmp(order, "True", 4) && strncmp(order, "False", 5)))
		code = damaged(m, "it does not state the order of its entries");
	else
		code = read_shape(m, value_of(head, "shape"), *order == 'T');
	if (!code)
		code = vs_mem_room(&y->line, m->n_cell, y->size, "a line");
	if (!code)
		code = vs_text_add(&m->note, "%llu x %llu of %c%zu, %s by %s",
			(unsigned long long)m->n_line,
			(unsigned long long)m->n_cell, y->kind, y->size,
			m->by_column ? "column" : "row",
			m->by_column ? "column" : "row");
out:
	free(head);
	return code;
}

/* A number of IEEE's binary16. */
static double
half(unsigned bits)
{
	const int exponent = bits >> 10 & 31, fraction = bits & 1023;
	const double x = exponent == 31
		? (fraction ? NAN : INFINITY)
		: ldexp(fraction + (exponent ? 1024 : 0),
			  (exponent ? exponent : 1) - 25);

	return bits >> 15 ? -x : x;
}

static double
entry(const struct npy *y, uint64_t c)
{
	const uint8_t *at = y->line + c * y->size;
	uint64_t bits = 0;
	double d;
	float f;

	memcpy(&bits, at, y->size);
	if (y->kind == 'f' && y->size == 2)
		return half((unsigned)bits);
	if (y->kind == 'f' && y->size == 4) {
		memcpy(&f, at, 4);
		return (double)f;
	}
	if (y->kind == 'f') {
		memcpy(&d, at, 8);
		return d;
	}
	if (y->kind == 'b')
		return bits != 0;
	if (y->kind == 'u')
		return (double)bits;
	/* widen the sign */
	return (double)((int64_t)(bits << (64 - 8 * y->size)) >>
		(64 - 8 * y->size));
}

static void
npy_word(const struct vs_matrix *m, uint64_t cell, char *text, size_t room)
{
	const struct npy *y = m->state;
	unsigned long long bits = 0;

	*text = 0;
	memcpy(&bits, y->line + cell * y->size, y->size);
	if (y->kind == 'u' || y->kind == 'i')
		snprintf(text, room, y->kind == 'u' ? "%llu" : "%lld", bits);
}

static int
npy_next(struct vs_matrix *m, double *cell)
{
	struct npy *y = m->state;
	size_t got = 0;
	char byte;
	int code;

	if (m->n_given == m->n_line) {
		code = read_some(m, &byte, 1, &got);
		if (!code && got)
			code = damaged(m, "it has more bytes than its shape");
		return code;
	}
	code = read_exactly(m, y->line, m->n_cell * y->size);
	if (code)
		return code;
	for (uint64_t c = 0; c < m->n_cell; c++)
		cell[c] = entry(y, c);
	return 1;
}

static void
npy_close(struct vs_matrix *m)
{
	free(((struct npy *)m->state)->line);
	free(((struct npy *)m->state)->held);
}

const struct vs_matrix_kind vs_matrix_npy = {
	.is = npy_is,
	.state = sizeof(struct npy),
	.open = npy_open,
	.next = npy_next,
	.place = vs_matrix_place,
	.word = npy_word,
	.close = npy_close,
};
