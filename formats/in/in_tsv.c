/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of text tables of genotypes, vsim-tsv(5). A row is a site, a column a
 * sample. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/cells.h"
#include "formats/in/reader.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"

/* the allele whose copies the table counts, and the other one */
#define SECOND "counted"
#define FIRST "other"

/* as --hard-call-threshold of PLINK, but for what rounding makes of 1.1 - 1 */
#define MEAN_SLACK (0.1 + 1e-9)

/* Rows read before it is known what a 1 is. */
struct buffered {
	struct vs_text_pool text; /* of row k: id, alleles at 3 k + 0 .. 2 */
	uint8_t *codes;           /* n_bytes a row */
	size_t n, n_bytes, room, at;
	uint64_t most; /* bytes they may take */
	bool ended;    /* there are no others */
};

struct tsv {
	struct vs_lines *lines;
	struct vs_cells cells;
	size_t n_text; /* columns before the calls: an id, or a BIMBAM's */
	bool bimbam;   /* calls are means, behind id and alleles */
	uint64_t top;  /* number of the first line */
	char *first;   /* a copy of the first row, made before it is cut */
	uint8_t *codes;
	int64_t n_row;
	char made[32]; /* id of a row without one */
	bool nameless; /* it has none: rows of a part have no number */
	struct buffered buffered;
};

/* ---- cells ---- */

static int
code_of(const char *t, size_t len)
{
	static const uint8_t by_digit[3] = { VS_CODE_0, VS_CODE_1, VS_CODE_2 };

	/* 1.0 is what a column with gaps becomes in some programs */
	if (len == 1 || (len == 3 && t[1] == '.' && t[2] == '0'))
		if (*t >= '0' && *t <= '2')
			return by_digit[*t - '0'];
	return vs_lines_word_missing(t, len) ? VS_CODE_MISSING : -1;
}

/*
 * Copies of an allele as their mean over what may be true: a call where it is
 * within 0.1 of one, as with PLINK, else it is missing, and counted.
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

/* ---- layout, from the first two lines ---- */

/* A header holds, behind its first cell, a word that is no genotype. */
static bool
is_header(const struct tsv *t)
{
	for (size_t c = t->cells.n > 1; c < t->cells.n; c++)
		if (code_of(t->cells.cell[c].text, t->cells.cell[c].len) < 0)
			return true;
	return t->cells.n > 1 && vs_cells_is_id(t->cells.cell[0].text) &&
		t->cells.cell[0].len > 0;
}

static int
keep_header(struct tsv *t, struct vs_cell **kept, size_t *n)
{
	int code = vs_mem_new(kept, t->cells.n, sizeof(**kept), "columns");

	if (code)
		return code;
	memcpy(*kept, t->cells.cell, t->cells.n * sizeof(**kept));
	*n = t->cells.n;
	return 0;
}

static int
name_samples(struct vs_reader *r, struct tsv *t, const struct vs_cell *head,
	size_t n_head)
{
	size_t n = t->cells.n - t->n_text;
	int code = 0;

	if (!head)
		return vs_sites_samples_number(&r->samples, n);
	for (size_t q = 0; q < n && !code; q++) {
		const struct vs_cell *c = head + q + (n_head > n);

		if (!c->len)
			return vs_fail(VS_EINPUT,
				"%s: line %llu, column %zu: the sample has no "
				"id",
				vs_lines_name(t->lines),
				(unsigned long long)t->top,
				(size_t)(c - head) + 1);
		code = vs_text_pool_add(&r->samples.id, c->text, c->len);
	}
	r->samples.n = n;
	return code;
}

/* The same sample twice is a header's fault, or the row is no header. */
static int
check_header(const struct vs_reader *r, const struct tsv *t)
{
	struct vs_text_index index = { 0 };
	const char *word;
	size_t len, c = 0;
	int64_t row;
	int code = vs_text_index_make(&index, &r->samples.id);

	row = code ? -1 : vs_text_index_duplicate(&index);
	if (row >= 0) {
		word = vs_text_pool_get(&r->samples.id, (size_t)row, &len);
		if (code_of(word, len) < 0) {
			code = vs_fail(VS_EINPUT,
				"%s: line %llu: sample %.*s stands twice; "
				"rename or drop one",
				vs_lines_name(t->lines),
				(unsigned long long)t->top, (int)len, word);
			goto out;
		}
		/* genotypes repeat, so this was a row: find the wrong cell */
		for (size_t q = 0; q < r->samples.n; q++) {
			char cell[64];

			word = vs_text_pool_get(&r->samples.id, q, &len);
			len = len < 63 ? len : 63;
			memcpy(cell, word, len);
			cell[len] = 0;
			if (code_of(cell, len) >= 0)
				continue;
			c = q + 1 + t->n_text;
			code = vs_fail(VS_EINPUT,
				"%s: line %llu, column %zu: %s is not a "
				"genotype (0, 1, 2 or NA), and as a header the "
				"line would name samples twice",
				vs_lines_name(t->lines),
				(unsigned long long)t->top, c, cell);
			break;
		}
	}
out:
	vs_text_index_free(&index);
	return code;
}

/*
 * The first line that is no remark, and a copy of it in *top, cut into cells.
 */
static int
read_top(struct tsv *t, char **line, size_t *len, char **top)
{
	int code;

	do
		code = vs_cells_line(t->lines, line, len);
	while (code == 1 && !strncmp(*line, "##", 2));
	if (!code)
		code = vs_fail(VS_EINPUT, "%s: is empty",
			vs_lines_name(t->lines));
	if (code < 0)
		return code;
	t->top = vs_lines_number(t->lines);
	t->cells.apart = vs_cells_apart(*line, *len);
	code = vs_mem_copy_text(top, *line);
	return code ? code : vs_cells_split(&t->cells, *top, *len);
}

/* The first row: the top line, or the one below where that is a header. */
static int
read_first_row(struct tsv *t, char *line, size_t len, struct vs_cell **head,
	size_t *n_head)
{
	int code;

	t->bimbam = vs_cells_are_bimbam(&t->cells);
	if (!t->bimbam && is_header(t)) {
		code = keep_header(t, head, n_head);
		if (!code)
			code = vs_cells_line(t->lines, &line, &len);
		if (!code)
			code = vs_fail(VS_EINPUT,
				"%s: has a header and no rows, or its only row "
				"is not of genotypes (0, 1, 2 or NA)",
				vs_lines_name(t->lines));
		if (code < 0)
			return code;
		if (*(*head)->text == '#') {
			(*head)->text++;
			(*head)->len--;
		}
	}
	code = vs_mem_copy_text(&t->first, line);
	return code ? code : vs_cells_split(&t->cells, t->first, len);
}

/* True if column 1 holds ids and the row has as many columns as the header. */
static int
find_ids(struct tsv *t, const struct vs_cell *head, size_t n_head)
{
	const struct vs_cell *first = t->cells.cell;
	size_t n = t->cells.n;
	bool above = head &&
		(n_head + 1 == n ||
			(n_head == n && n_head > 1 &&
				vs_cells_is_id(head->text)));

	t->n_text = above || code_of(first->text, first->len) < 0;
	if (t->bimbam)
		t->n_text = VS_BIMBAM_TEXT;
	if (t->n_text && n < 2)
		return vs_fail(VS_EINPUT,
			"%s: line %llu, column 1: %.40s is not a genotype (0, "
			"1, 2 or NA)",
			vs_lines_name(t->lines),
			(unsigned long long)vs_lines_number(t->lines),
			first->text);
	if (head && n_head != n && !(t->n_text && n_head + 1 == n))
		return vs_lines_fail(t->lines,
			"%zu columns where the header has %zu; give both as "
			"many, or the header one less where column 1 holds ids",
			n, n_head);
	return 0;
}

/* Header, separator, ids: all is decided here. */
static int
begin(struct vs_reader *r, struct tsv *t)
{
	struct vs_cell *head = NULL;
	char *line, *top = NULL;
	size_t len, n_head = 0;
	int code = read_top(t, &line, &len, &top);

	if (!code)
		code = read_first_row(t, line, len, &head, &n_head);
	if (!code)
		code = find_ids(t, head, n_head);
	if (!code)
		code = name_samples(r, t, head, n_head);
	if (!code && head)
		code = check_header(r, t);
	if (!code && t->bimbam)
		code = vs_text_add(&r->note,
			"a mean genotype file of BIMBAM: id, two alleles, and "
			"how many of the first the samples s1, s2 ... have");
	else if (!code)
		code = vs_text_add(&r->note, "line %llu %s; column 1 %s",
			(unsigned long long)t->top,
			head ? "is a header"
			     : "is a row, samples are s1, s2 ...",
			t->n_text ? "holds ids"
				  : "is a sample, sites are v1, v2 ...");
	free(head);
	free(top);
	return code;
}

/* ---- rows ---- */

static int
bad_cell(struct vs_reader *r, struct tsv *t, size_t c)
{
	const char *name = "id";
	size_t len = 2;

	if (c >= t->n_text)
		name = vs_text_pool_get(&r->samples.id, c - t->n_text, &len);
	return vs_fail(VS_EINPUT,
		"%s: line %llu, column %zu (%.*s): %.40s is not a genotype (0, "
		"1, 2 or NA)%s",
		vs_lines_name(t->lines),
		(unsigned long long)vs_lines_number(t->lines), c + 1, (int)len,
		name, t->cells.cell[c].text,
		c ? "" : "; if column 1 holds ids, begin the header with id");
}

/* Fast path for tabs and one byte a cell; false: take the slow path. */
static bool
row_fast(struct tsv *t, const char *at, const char *end, size_t n)
{
	if (t->cells.apart == ' ' || (size_t)(end - at) != 2 * n - 1)
		return false;
	memset(t->codes, 0, (n + 3) / 4);
	for (size_t q = 0; q < n; q++, at += 2) {
		unsigned digit = (unsigned)(*at - '0');

		if (digit > 2 || (q + 1 < n && at[1] != t->cells.apart))
			return false;
		/* 0 1 2 -> 00 10 11 */
		vs_code_put(t->codes, q, digit + !!digit);
	}
	return true;
}

static int
row_slow(struct vs_reader *r, struct tsv *t)
{
	size_t n = r->samples.n;

	if (t->cells.n != n + t->n_text)
		return vs_lines_fail(t->lines,
			"%zu columns where the lines before have %zu",
			t->cells.n, n + t->n_text);
	memset(t->codes, 0, (n + 3) / 4);
	for (size_t q = 0; q < n; q++) {
		struct vs_cell *c = t->cells.cell + q + t->n_text;
		int code = t->bimbam
			? code_of_mean(c->text, c->len, &r->tally.uncertain)
			: code_of(c->text, c->len);

		if (code < 0)
			return bad_cell(r, t, q + t->n_text);
		vs_code_put(t->codes, q, (unsigned)code);
	}
	return 0;
}

static int
parse_row(struct vs_reader *r, struct tsv *t, char *line, size_t len)
{
	char *end = t->n_text ? memchr(line, t->cells.apart, len) : NULL;
	char *calls = end ? end + 1 : line;
	int code;

	if (!t->bimbam && (end || !t->n_text) &&
		row_fast(t, calls, line + len, r->samples.n)) {
		if (end)
			*end = 0;
		return vs_cells_split(&t->cells, line,
			end ? (size_t)(end - line) : 0);
	}
	code = vs_cells_split(&t->cells, line, len);
	return code ? code : row_slow(r, t);
}

/* Site of a row, from its first cells. */
static void
name_site(struct tsv *t, struct vs_site *s)
{
	const struct vs_cell *c = t->cells.cell;

	*s = (struct vs_site){
		.contig = "",
		.id = t->made,
		.allele = { FIRST, SECOND },
		.allele_len = { sizeof(FIRST) - 1, sizeof(SECOND) - 1 },
	};
	for (int a = 0; a < 2 && t->bimbam; a++) {
		s->allele[a] = c[2 - a].text;
		s->allele_len[a] = c[2 - a].len;
	}
	if (t->n_text && c->len && strcmp(c->text, ".")) {
		s->id = c->text;
		s->id_len = c->len;
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

	if (!t->n_row) {
		code = row_slow(r, t); /* cut already */
	} else {
		code = vs_cells_line(t->lines, &line, &len);
		if (!code)
			return vs_lines_note(t->lines, r->provenance);
		if (code == 1)
			code = parse_row(r, t, line, len);
	}
	if (code)
		return code;
	t->n_row++;
	name_site(t, &site->site);
	site->codes = t->codes;
	return 1;
}

/* ---- tables of one allele a call ---- */

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
 * With a 2 in it a table is of two copies, which ploidy 1 wants alike; without
 * one a 1 is the one copy there is. So rows are held until a 2 is met.
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
tsv_open(struct vs_reader *r, const char *name)
{
	struct tsv *t = NULL;
	int code = vs_mem_new(&t, 1, sizeof(*t), "table reader");

	if (code)
		return code;
	r->state = t;
	code = vs_lines_open(&t->lines, name);
	if (!code)
		code = begin(r, t);
	/* bits past the last sample stay zero */
	if (!code)
		code = vs_mem_new(&t->codes, (r->samples.n + 3) / 4 + 8, 1,
			"calls");
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

	if (!t)
		return;
	vs_lines_close(t->lines);
	free(t->first);
	vs_cells_free(&t->cells);
	free(t->codes);
	free(t->buffered.codes);
	vs_text_pool_free(&t->buffered.text);
	free(t);
}

static int
tsv_cut(struct vs_reader *r)
{
	struct tsv *t = r->state;

	if (r->ploidy == 1)
		return vs_fail(VS_EINPUT,
			"%s: whether a table has a 2 only the whole shows: "
			"with --ploidy 1 leave --part out, or --matrix "
			"--element bit reads 0, 1 and NA",
			vs_lines_name(t->lines));
	t->nameless = true;
	/* the first row, read already, is of the first part */
	t->n_row = r->part.k > 1;
	return vs_lines_cut(t->lines, &r->part);
}

const struct vs_reader_kind vs_reader_tsv = {
	.name = "tsv",
	.arg = "FILE",
	.help = "read a table of 0, 1, 2, NA, or mean genotypes of BIMBAM: "
		"rows are sites, columns are samples; .gz and .zst too; - is "
		"standard input",
	.open = tsv_open,
	.next = tsv_next,
	.close = tsv_close,
	.cut = tsv_cut,
};
