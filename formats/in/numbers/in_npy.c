/* SPDX-License-Identifier: BSD-3-Clause */
/* NumPy .npy reader: a header dictionary, then the raw entries. One of an .npz
 * is unpacked first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/numbers/matrix.h"
#include "formats/in/numbers/npz.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define MAGIC "\x93NUMPY"
#define MAX_HEAD (1u << 16) /* a dictionary has some hundred bytes */

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
	return vs_npz_is(bytes, n) || (n >= 6 && !memcmp(bytes, MAGIC, 6));
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

	if (!code && vs_npz_is(bytes, n))
		code = vs_npz_read(m->lines, &y->held, &y->n_held);
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
