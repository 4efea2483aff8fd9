/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BIOM 2.1 reader: an HDF5 file with a sparse table, once by observation and
 * once by sample. Vectors are observations, as rows; transposed, samples.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/h5/h5_foreign.h"
#include "formats/in/numbers/matrix.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define REMEDY                                                        \
	"--matrix reads BIOM 2.1 (biom convert --to-hdf5) and 10x's " \
	"matrix.mtx"
#define MAGIC "\x89HDF\r\n\x1a\n"

/* A file of another kind lacks the first. */
enum { START, CELL, VALUE, OBSERVATION, SAMPLE, VERSION, SHAPE, NNZ, N_WANT };

/* By observation, and by sample. */
static const struct row {
	const char *object[2], *attr;
	uint64_t n; /* of an attribute */
	enum vs_type type;
} rows[N_WANT] = {
#define BOTH(name)                                    \
	{                                             \
		"/observation/" name, "/sample/" name \
	}
#define EACH(name)         \
	{                  \
		name, name \
	}
	[START] = { BOTH("matrix/indptr"), NULL, 0, VS_I64 },
	[CELL] = { BOTH("matrix/indices"), NULL, 0, VS_I64 },
	[VALUE] = { BOTH("matrix/data"), NULL, 0, VS_F64 },
	[OBSERVATION] = { EACH("/observation/ids"), NULL, 0, VS_STR },
	[SAMPLE] = { EACH("/sample/ids"), NULL, 0, VS_STR },
	[VERSION] = { EACH("/"), "format-version", 2, VS_I64 },
	[SHAPE] = { EACH("/"), "shape", 2, VS_I64 },
	[NNZ] = { EACH("/"), "nnz", 1, VS_I64 },
#undef BOTH
#undef EACH
};

struct biom {
	struct vs_matrix_entries s; /* members of want */
	struct vs_h5_want want[N_WANT];
};

static bool
biom_is(const char *bytes, size_t n)
{
	return n >= strlen(MAGIC) && !memcmp(bytes, MAGIC, strlen(MAGIC));
}

/* Refuse a thing that has another number of values. */
static int
check_n(const struct vs_matrix *m, int k, uint64_t n)
{
	const struct vs_h5_want *w = &((struct biom *)m->state)->want[k];

	if (w->n == n)
		return 0;
	return vs_fail(VS_EINPUT,
		"%s: is damaged: %s%s%s has %llu values, not %llu; " REMEDY,
		vs_lines_name(m->lines), w->object, w->attr ? ": " : "",
		w->attr ? w->attr : "", (unsigned long long)w->n,
		(unsigned long long)n);
}

static int
check_head(struct vs_matrix *m)
{
	const struct biom *b = m->state;
	const int64_t *version = b->want[VERSION].values,
		      *shape = b->want[SHAPE].values,
		      *nnz = b->want[NNZ].values;
	int code = 0;

	for (int k = VERSION; k <= NNZ && !code; k++)
		code = check_n(m, k, rows[k].n);
	if (code)
		return code;
	if (version[0] != 2)
		return vs_fail(VS_EINPUT,
			"%s: has format-version %lld.%lld of BIOM; " REMEDY,
			vs_lines_name(m->lines), (long long)version[0],
			(long long)version[1]);
	if (shape[0] < 1 || shape[1] < 1 || *nnz < 0 ||
		(uint64_t)shape[m->by_column] > VS_PACKED_VECTORS ||
		(uint64_t)shape[!m->by_column] > VS_PACKED_FIELDS ||
		vs_matrix_too_sparse((double)shape[0], (double)shape[1],
			(double)*nnz))
		return vs_fail(VS_EINPUT,
			"%s: its shape is %lld x %lld with %lld entries: empty "
			"or too large; leave empty observations and samples "
			"out",
			vs_lines_name(m->lines), (long long)shape[0],
			(long long)shape[1], (long long)*nnz);
	m->n_line = (uint64_t)shape[m->by_column];
	m->n_cell = (uint64_t)shape[!m->by_column];
	for (int k = START; k <= SAMPLE && !code; k++) {
		const int64_t n[] = { (int64_t)m->n_line + 1, *nnz, *nnz,
			shape[0], shape[1] };

		code = check_n(m, k, (uint64_t)n[k]);
	}
	return code;
}

static int
check_start(const struct vs_matrix *m, const int64_t *s)
{
	const struct biom *b = m->state;
	uint64_t l = 0;

	while (l < m->n_line && s[l] <= s[l + 1])
		l++;
	if (!s[0] && l == m->n_line && (uint64_t)s[l] == b->want[VALUE].n)
		return 0;
	return vs_fail(VS_EINPUT,
		"%s: is damaged: %s must rise from 0 to %llu, but does "
		"not at entry %llu; " REMEDY,
		vs_lines_name(m->lines), b->want[START].object,
		(unsigned long long)b->want[VALUE].n,
		(unsigned long long)(s[0] ? 0 : l) + 1);
}

/* Check cells, which are n numbers of 64 bits, and narrow them in place. */
static int
narrow_cells(const struct vs_matrix *m, int64_t *wide, uint64_t n)
{
	const struct biom *b = m->state;
	uint32_t *cell = (uint32_t *)wide;

	for (uint64_t k = 0; k < n; k++) {
		const int64_t c = wide[k];

		if (c < 0 || (uint64_t)c >= m->n_cell)
			return vs_fail(VS_EINPUT,
				"%s: is damaged: %s: entry %llu is %lld, which "
				"is outside the table; " REMEDY,
				vs_lines_name(m->lines), b->want[CELL].object,
				(unsigned long long)k + 1, (long long)c);
		cell[k] = (uint32_t)c;
	}
	return 0;
}

/* Pass the bytes that HDF5 read, for the digest of the source. */
static int
pass_bytes(const struct vs_matrix *m)
{
	static char some[1 << 16];
	size_t got = 0;
	int code;

	do
		code = vs_lines_bytes(m->lines, some, sizeof(some), &got);
	while (!code && got);
	return code;
}

static int
biom_open(struct vs_matrix *m)
{
	struct biom *b = m->state;
	const char *path = vs_lines_name(m->lines);
	int code;

	if (vs_lines_packed(m->lines))
		return vs_fail(VS_EINPUT,
			"%s: is packed HDF5; unpack it first, by gzip -d or "
			"zstd -d",
			path);
	m->by_column = m->how.transpose;
	for (int k = 0; k < N_WANT; k++) {
		b->want[k].object = rows[k].object[m->by_column];
		b->want[k].attr = rows[k].attr;
		b->want[k].type = rows[k].type;
	}
	code = vs_h5_foreign_read(path, b->want, N_WANT, REMEDY);
	if (!code)
		code = check_head(m);
	if (!code)
		code = check_start(m, b->want[START].values);
	if (!code)
		code = narrow_cells(m, b->want[CELL].values, b->want[CELL].n);
	b->s.at = b->want[START].values;
	b->s.cell = b->want[CELL].values;
	b->s.value = b->want[VALUE].values;
	for (int k = OBSERVATION; k <= SAMPLE && !code; k++)
		code = vs_text_pool_copy((k == SAMPLE) == m->by_column
				? &m->line_ids
				: &m->cell_id,
			&b->want[k].text);
	if (!code)
		code = pass_bytes(m);
	return code ? code : vs_matrix_sparse(m, b->want[VALUE].n);
}

static void
biom_close(struct vs_matrix *m)
{
	struct biom *b = m->state;

	vs_h5_foreign_free(b->want, N_WANT);
	free(b->s.seen);
}

const struct vs_matrix_kind vs_matrix_biom = {
	.is = biom_is,
	.state = sizeof(struct biom),
	.open = biom_open,
	.next = vs_matrix_sparse_next,
	.place = vs_matrix_place,
	.close = biom_close,
};
