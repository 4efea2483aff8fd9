/* SPDX-License-Identifier: BSD-3-Clause */
/* PLINK 1 binary reader: PREFIX.bed, PREFIX.bim and PREFIX.fam. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/pvar.h"
#include "formats/in/reader.h"
#include "formats/in/sample_table.h"
#include "formats/in/text/lines.h"
#include "libcore/base/fail.h"

#define N_MAGIC 3

struct bed {
	const char *bed, *bim, *fam;
	struct vs_lines *calls;
	struct vs_pvar sites;
	uint64_t n_vec, at; /* number of rows; rows delivered */
	uint64_t end;       /* the same at the end, for a part */
	size_t row_bytes;
};

static int
check_magic(struct bed *b)
{
	uint8_t m[N_MAGIC] = { 0 };
	size_t got;
	int code = vs_lines_bytes(b->calls, m, N_MAGIC, &got);

	if (code)
		return code;
	if (got == N_MAGIC && m[0] == 0x6c && m[1] == 0x1b && m[2] == 0)
		return vs_fail(VS_EINPUT,
			"%s: is in sample-major order, as of old PLINK; plink "
			"--make-bed converts it",
			b->bed);
	if (got < N_MAGIC || m[0] != 0x6c || m[1] != 0x1b || m[2] != 1)
		return vs_fail(VS_EINPUT,
			"%s: is not a PLINK .bed: its first bytes are %02x "
			"%02x %02x, not 6c 1b 01",
			b->bed, m[0], m[1], m[2]);
	return 0;
}

/* Three files must agree; if they do not, say which one may be the odd one
 * out. */
static int
check_size(const struct bed *b, size_t n_sample)
{
	uint64_t have = vs_lines_left(b->calls), need, wide;
	char line[96] = "", row[96] = "";

	if (__builtin_mul_overflow(b->n_vec, b->row_bytes, &need))
		return vs_fail(VS_EINPUT, "%s: too many variants", b->bim);
	/* the size of a packed file shows only at its end */
	if (have == need || vs_lines_packed(b->calls))
		return 0;
	if (have == UINT64_MAX)
		return vs_fail(VS_EINPUT, "%s: is not a regular file", b->bed);
	wide = have / b->n_vec;
	if (have && have % b->row_bytes == 0)
		snprintf(row, sizeof(row), "; it fits %llu variants",
			(unsigned long long)(have / b->row_bytes));
	if (have && have % b->n_vec == 0)
		snprintf(line, sizeof(line), "; it fits %llu to %llu samples",
			(unsigned long long)(4 * wide - 3),
			(unsigned long long)(4 * wide));
	if (!*row && !*line)
		snprintf(row, sizeof(row), "; it is %s, or belongs to others",
			have < need ? "cut short" : "too long");
	return vs_fail(VS_EINPUT,
		"%s: has %llu bytes where the %llu variants of %s and the %zu "
		"samples of %s take %llu%s%s",
		b->bed, (unsigned long long)have + N_MAGIC,
		(unsigned long long)b->n_vec, b->bim, n_sample, b->fam,
		(unsigned long long)need + N_MAGIC, row, line);
}

static int
bed_open(struct vs_reader *r)
{
	struct bed *b = r->state;
	int code;

	b->bed = r->path[0];
	b->bim = r->path[1];
	b->fam = r->path[2];
	code = vs_lines_open_threads(&b->calls, b->bed,
		r->threads > 1 ? r->threads : 1);
	if (!code)
		code = check_magic(b);
	if (!code)
		code = vs_sample_table_read(&r->samples, b->fam, VS_SAMPLE_FAM,
			r->status, r->provenance);
	if (!code)
		code = vs_pvar_count(b->bim, true, &b->n_vec);
	if (code)
		return code;
	b->row_bytes = (r->samples.n + 3) / 4;
	code = check_size(b, r->samples.n);
	if (!code)
		code = vs_pvar_open(&b->sites, b->bim, true);
	b->end = b->n_vec;
	r->n_site = (int64_t)b->n_vec;
	return code;
}

/* A packed .bed has another size than the other files require. */
static int
wrong_size(const struct vs_reader *r, const char *how)
{
	const struct bed *b = r->state;

	return vs_fail(VS_EINPUT,
		"%s: holds %s bytes than the %llu that the %llu variants of %s "
		"and the %zu samples of %s take",
		b->bed, how,
		(unsigned long long)(b->n_vec * b->row_bytes) + N_MAGIC,
		(unsigned long long)b->n_vec, b->bim, r->samples.n, b->fam);
}

/* The next row of the .bed. */
static int
next_row(struct vs_reader *r, const uint8_t **codes)
{
	struct bed *b = r->state;
	const char *bytes;
	size_t got;
	int code = vs_lines_peek(b->calls, b->row_bytes, &bytes, &got);

	if (code)
		return code;
	if (got < b->row_bytes && vs_lines_packed(b->calls))
		return wrong_size(r, "fewer");
	if (got < b->row_bytes)
		return vs_fail(VS_EINPUT,
			"%s: became shorter while it was read", b->bed);
	vs_lines_skip(b->calls, got);
	*codes = (const uint8_t *)bytes;
	return 0;
}

static int
bed_cut(struct vs_reader *r)
{
	struct bed *b = r->state;
	int code;

	vs_part_rows(&r->part, b->n_vec);
	b->at = r->part.lo;
	b->end = r->part.hi;
	r->n_site = (int64_t)(b->end - b->at);
	code = vs_pvar_pass(&b->sites, b->at);
	return code ? code
		    : vs_lines_seek(b->calls, N_MAGIC + b->at * b->row_bytes);
}

/* Check that nothing follows the last row. */
static int
finish(struct vs_reader *r)
{
	struct bed *b = r->state;
	const char *past;
	size_t len = 0;
	int code = vs_pvar_pass(&b->sites, b->n_vec - b->end);

	if (!code && b->end == b->n_vec)
		code = vs_lines_peek(b->calls, 1, &past, &len);
	if (!code && len && vs_lines_packed(b->calls))
		code = wrong_size(r, "more");
	if (!code)
		code = vs_pvar_finish(&b->sites, r->provenance);
	return code ? code : vs_lines_note(b->calls, r->provenance);
}

static int
bed_next(struct vs_reader *r, struct vs_input_site *site)
{
	struct bed *b = r->state;
	bool multiallelic;
	int code;

	if (b->at == b->end)
		return finish(r);
	code = next_row(r, &site->codes);
	if (!code)
		code = vs_pvar_next(&b->sites, r, &site->site, &multiallelic);
	if (!code)
		code = vs_reader_name(r, &site->site);
	if (code)
		return code;
	r->tally.past += vs_codes_past(site->codes, r->samples.n);
	b->at++;
	return 1;
}

static void
bed_close(struct vs_reader *r)
{
	struct bed *b = r->state;

	vs_lines_close(b->calls);
	vs_pvar_close(&b->sites);
}

static const char *const suffixes[] = { "bed", "bim", "fam", NULL };

const struct vs_reader_kind vs_reader_bed = {
	.name = "bfile",
	.arg = "PREFIX",
	.help = "PLINK: PREFIX.bed, PREFIX.bim, PREFIX.fam",
	.suffixes = suffixes,
	.phenotypes = true,
	.label = { "a1", "a2" },
	.state = sizeof(struct bed),
	.open = bed_open,
	.next = bed_next,
	.close = bed_close,
	.cut = bed_cut,
};
