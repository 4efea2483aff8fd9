/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of text tables of genotypes, vsim-tsv(5). Rows are sites, columns are
 * samples. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/number_cell.h"
#include "formats/in/reader.h"
#include "formats/in/table.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"

/* the allele whose copies the table counts, and the other one */
#define SECOND "counted"
#define FIRST "other"

/* PLINK's --hard-call-threshold, allowing for the rounding of 1.1 - 1 */
#define MEAN_SLACK (0.1 + 1e-9)

/* Rows read before it is known what a 1 means. */
struct buffered {
	struct vs_text_pool text; /* of row k: id, alleles at 3 k + 0 .. 2 */
	uint8_t *codes;           /* n_bytes a row */
	size_t n, n_bytes, room, at;
	uint64_t most; /* bytes they may take */
	bool ended;    /* there are no others */
};

struct tsv {
	struct vs_lines *lines;
	struct vs_table table;
	bool fast; /* fields are the last columns, after at most one column */
	uint8_t *codes;
	int64_t n_row;
	char made[32]; /* id of a row without one */
	bool nameless; /* rows have no ids: a part's rows cannot be numbered */
	struct buffered buffered;
};

/* ---- cells ---- */

static int
code_of(const char *t, size_t len)
{
	static const uint8_t by_digit[3] = { VS_CODE_0, VS_CODE_1, VS_CODE_2 };

	/* some programs write 1.0 in a column with gaps */
	if (len == 1 || (len == 3 && t[1] == '.' && t[2] == '0'))
		if (*t >= '0' && *t <= '2')
			return by_digit[*t - '0'];
	return vs_lines_word_missing(t, len) ? VS_CODE_MISSING : -1;
}

/*
 * Copies of an allele given as a mean over possible genotypes: a call if it is
 * within 0.1 of one, as in PLINK; else missing, and counted.
 */
static int
code_of_mean(const char *t, size_t len, int64_t *uncertain)
{
	static const uint8_t by_copies[3] = { VS_CODE_0, VS_CODE_1, VS_CODE_2 };
	double x;
	int copies;

	if (vs_lines_word_missing(t, len))
		return VS_CODE_MISSING;
	if (!vs_num_real(t, &x) || x < 0 || x > 2)
		return -1;
	copies = (int)(x + 0.5);
	if (fabs(x - copies) <= MEAN_SLACK)
		return by_copies[copies];
	++*uncertain;
	return VS_CODE_MISSING;
}

/* Genotypes; --missing-word adds to the words for a missing one. */
static enum vs_cell_kind
kind_of(const struct vs_cell *c, const struct vs_table_how *how)
{
	int code = code_of(c->text, c->len);
	double x;

	if (code == VS_CODE_MISSING || vs_number_cell_listed(c, how) ||
		vs_number_cell(c, how, &x) == VS_CELL_MISSING)
		return VS_CELL_MISSING;
	return code >= 0                                      ? VS_CELL_VALUE
		: vs_number_cell(c, how, &x) == VS_CELL_VALUE ? VS_CELL_ODD
							      : VS_CELL_TEXT;
}

static enum vs_cell_kind
kind_of_mean(const struct vs_cell *c, const struct vs_table_how *how)
{
	int64_t uncertain;
	enum vs_cell_kind kind = kind_of(c, how);

	return kind == VS_CELL_ODD &&
			code_of_mean(c->text, c->len, &uncertain) >= 0
		? VS_CELL_VALUE
		: kind;
}

#define WHAT "a genotype (0, 1, 2 or NA)"
static const struct vs_table_cells means = { .kind = kind_of_mean,
	.what = WHAT };
static const struct vs_table_cells genotypes = { .kind = kind_of,
	.what = WHAT,
	.means = &means };

/* ---- samples ---- */

static int
name_samples(struct vs_reader *r, const struct vs_table *t)
{
	size_t n = t->shape.n_field;
	int code = 0;

	if (!t->shape.header)
		return vs_sites_samples_number(&r->samples, n);
	for (size_t q = 0; q < n && !code; q++)
		code = vs_text_pool_add_row(&r->samples.id, &t->shape.name,
			t->field[q]);
	r->samples.n = n;
	return code;
}

static int
begin(struct vs_reader *r, struct tsv *x)
{
	static const struct vs_table_how found = VS_TABLE_FOUND;
	struct vs_table *t = &x->table;
	int code = vs_table_open(t, x->lines, r->table ? r->table : &found,
		&genotypes);

	if (!code)
		code = name_samples(r, t);
	if (code)
		return code;
	x->fast = !t->how.missing && t->shape.separator != ' ' &&
		t->field[0] <= 1 &&
		t->field[0] + t->shape.n_field == t->shape.n_column;
	r->guess = t->shape.guess;
	memset(&t->shape.guess, 0, sizeof(t->shape.guess));
	return t->shape.bimbam
		? vs_text_add(&r->note,
			  "a mean genotype file of BIMBAM: id, two alleles, "
			  "and how many of the first the samples s1, s2 ... "
			  "have")
		: vs_text_add(&r->note, "%s", t->shape.note.bytes);
}

/* ---- rows ---- */

/* Fast path for tabs and one byte per cell; false: take the slow path. */
static bool
row_fast(struct tsv *t, const char *at, const char *end, size_t n)
{
	if ((size_t)(end - at) != 2 * n - 1)
		return false;
	memset(t->codes, 0, (n + 3) / 4);
	for (size_t q = 0; q < n; q++, at += 2) {
		unsigned digit = (unsigned)(*at - '0');

		if (digit > 2 ||
			(q + 1 < n && at[1] != t->table.shape.separator))
			return false;
		/* 0 1 2 -> 00 10 11 */
		vs_code_put(t->codes, q, digit + !!digit);
	}
	return true;
}

static int
row_slow(struct vs_reader *r, struct tsv *x)
{
	const struct vs_table *t = &x->table;
	size_t n = r->samples.n;

	memset(x->codes, 0, (n + 3) / 4);
	for (size_t q = 0; q < n; q++) {
		const struct vs_cell *c = t->cells.cell + t->field[q];
		int code = t->shape.bimbam
			? code_of_mean(c->text, c->len, &r->tally.uncertain)
			: code_of(c->text, c->len);

		if ((code < 0 || t->how.missing) &&
			kind_of(c, &t->how) == VS_CELL_MISSING)
			code = VS_CODE_MISSING;
		if (code < 0)
			return vs_table_wrong(t, t->field[q]);
		vs_code_put(x->codes, q, (unsigned)code);
	}
	return 0;
}

static int
parse_row(struct vs_reader *r, struct tsv *t, char *line, size_t len)
{
	bool before = t->table.field[0] > 0;
	char *end = before ? memchr(line, t->table.shape.separator, len) : NULL;
	char *calls = end ? end + 1 : line;
	int code;

	if (t->fast && (end || !before) &&
		row_fast(t, calls, line + len, r->samples.n)) {
		if (end)
			*end = 0;
		/* only the id */
		return vs_table_split_id(&t->table, line,
			end ? (size_t)(end - line) : 0);
	}
	code = vs_table_split(&t->table, line, len);
	return code ? code : row_slow(r, t);
}

/* Site of a row, from its first cells. */
static void
name_site(struct tsv *t, struct vs_site *s)
{
	const struct vs_cell *c = t->table.cells.cell;
	size_t len;
	const char *id = vs_table_id(&t->table, &len);

	*s = (struct vs_site){
		.contig = "",
		.id = t->made,
		.allele = { FIRST, SECOND },
		.allele_len = { sizeof(FIRST) - 1, sizeof(SECOND) - 1 },
	};
	for (int a = 0; a < 2 && t->table.shape.bimbam; a++) {
		s->allele[a] = c[2 - a].text;
		s->allele_len[a] = c[2 - a].len;
	}
	if (len && strcmp(id, ".")) {
		s->id = id;
		s->id_len = len;
	} else if (!t->nameless) {
		s->id_len = (size_t)snprintf(t->made, sizeof(t->made), "v%lld",
			(long long)t->n_row);
	}
}

static int
next_row(struct vs_reader *r, struct vs_input_site *site)
{
	struct tsv *t = r->state;
	char *line;
	size_t len;
	int code;

	code = vs_table_line(&t->table, &line, &len);
	if (!code)
		return vs_lines_note(t->lines, r->provenance);
	if (code == 1)
		code = parse_row(r, t, line, len);
	if (code)
		return code;
	t->n_row++;
	name_site(t, &site->site);
	site->codes = t->codes;
	return 1;
}

/* ---- tables with one allele per call ---- */

static int
hold(struct tsv *t, const struct vs_input_site *site)
{
	struct buffered *h = &t->buffered;
	const struct vs_site *s = &site->site;
	size_t at = h->n * h->n_bytes;
	int code;

	if (at > h->most)
		return vs_lines_fail(t->lines,
			"no 2 up to here, and more than fits in memory: "
			"--matrix --element bit reads 0, 1 and NA piece by "
			"piece");
	code = vs_mem_grow(&h->codes, &h->room, at + h->n_bytes + 8, 1,
		"calls");
	if (!code)
		code = vs_text_pool_add(&h->text, s->id, s->id_len);
	for (int a = 0; a < 2 && !code; a++)
		code = vs_text_pool_add(&h->text, s->allele[a],
			s->allele_len[a]);
	if (code)
		return code;
	memcpy(h->codes + at, site->codes, h->n_bytes);
	h->n++;
	return 0;
}

static bool
has_two(const uint8_t *codes, size_t n)
{
	unsigned two = 0;

	for (size_t k = 0; k < n; k++)
		two |= codes[k] & codes[k] >> 1 & 0x55;
	return two != 0;
}

/*
 * A table with a 2 has two copies per call, which must be equal for ploidy 1;
 * without any 2, a 1 is a single copy. So rows are held until a 2 occurs.
 */
static int
scan_for_two(struct vs_reader *r, struct tsv *t)
{
	struct buffered *h = &t->buffered;
	struct vs_input_site site;
	bool two = false;
	int code = 1;

	h->n_bytes = (r->samples.n + 3) / 4;
	h->most = vs_mem_allowed() / 2;
	while (!two && (code = next_row(r, &site)) == 1) {
		two = has_two(site.codes, h->n_bytes);
		code = hold(t, &site);
		if (code)
			return code;
	}
	if (code < 0 || two)
		return code;
	h->ended = true;
	for (size_t k = 0; k < h->n * h->n_bytes; k++)
		h->codes[k] |= h->codes[k] >> 1 & 0x55;
	return vs_text_add(&r->note,
		"; there is no 2, so a 1 is a call of one "
		"allele");
}

static int
tsv_open(struct vs_reader *r)
{
	struct tsv *t = r->state;
	int code;

	code = vs_lines_open(&t->lines, r->path[0]);
	if (!code)
		code = begin(r, t);
	/* bits past the last sample stay zero */
	VS_MEM_NEW(&code, t->codes, (r->samples.n + 3) / 4 + 8, "calls");
	if (!code && r->ploidy == 1)
		code = scan_for_two(r, t);
	return code;
}

static int
tsv_next(struct vs_reader *r, struct vs_input_site *site)
{
	struct tsv *t = r->state;
	struct buffered *h = &t->buffered;
	struct vs_site *s = &site->site;

	if (h->at == h->n)
		return h->ended ? 0 : next_row(r, site);
	*s = (struct vs_site){ .contig = "" };
	s->id = vs_text_pool_get(&h->text, 3 * h->at, &s->id_len);
	for (size_t a = 0; a < 2; a++)
		s->allele[a] = vs_text_pool_get(&h->text, 3 * h->at + 1 + a,
			&s->allele_len[a]);
	site->codes = h->codes + h->at++ * h->n_bytes;
	return 1;
}

static void
tsv_close(struct vs_reader *r)
{
	struct tsv *t = r->state;

	vs_table_close(&t->table);
	vs_lines_close(t->lines);
	free(t->codes);
	free(t->buffered.codes);
	vs_text_pool_free(&t->buffered.text);
}

static int
tsv_cut(struct vs_reader *r)
{
	struct tsv *t = r->state;

	if (r->ploidy == 1)
		return vs_fail(VS_EINPUT,
			"%s: --ploidy 1 must look for a 2 in the whole table: "
			"omit --part, or use --matrix --element bit for 0, 1 "
			"and NA",
			vs_lines_name(t->lines));
	t->nameless = true;
	return vs_table_cut(&t->table, &r->part);
}

const struct vs_reader_kind vs_reader_tsv = {
	.name = "tsv",
	.arg = "FILE",
	.help = "table of 0, 1, 2, NA or of BIMBAM; - is stdin",
	.state = sizeof(struct tsv),
	.open = tsv_open,
	.next = tsv_next,
	.close = tsv_close,
	.cut = tsv_cut,
	.table = true,
};
