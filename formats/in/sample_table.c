/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of sample tables: ids, sex, case status, phenotypes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/fields.h"
#include "formats/in/sample_index.h"
#include "formats/in/sample_sex.h"
#include "formats/in/sample_table.h"
#include "formats/in/text/lines.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"

/* Columns of numbers while they are read, one value per sample. */
struct column {
	double *v; /* NaN: missing */
	size_t room;
	bool odd; /* holds a word that is not a number */
};

struct vs_sample_columns {
	struct column *col;
	size_t n_col, room;
	struct vs_text_pool name;
};

static void
table_free(struct vs_sample_columns *t)
{
	for (size_t c = 0; c < t->n_col; c++)
		free(t->col[c].v);
	free(t->col);
	vs_text_pool_free(&t->name);
	memset(t, 0, sizeof(*t));
}

/* Add a column of n missing values. */
static int
table_grow(struct vs_sample_columns *t, size_t n)
{
	int code = vs_mem_grow(&t->col, &t->room, t->n_col + 1, sizeof(*t->col),
		"phenotypes");
	struct column *c = t->col + t->n_col;

	if (code)
		return code;
	memset(c, 0, sizeof(*c));
	t->n_col++;
	code = vs_mem_grow(&c->v, &c->room, n, sizeof(*c->v), "phenotypes");
	for (size_t q = 0; q < n && !code; q++)
		c->v[q] = NAN;
	return code;
}

static int
column_put(struct column *c, size_t q, const char *word, size_t len)
{
	int code = vs_mem_grow(&c->v, &c->room, q + 1, sizeof(*c->v),
		"phenotypes");

	if (code)
		return code;
	c->v[q] = NAN;
	if (!vs_lines_word_missing(word, len) && !vs_num_real(word, &c->v[q]))
		c->odd = true;
	return 0;
}

/* Name of a data set: a-z and 0-9 are kept, all other bytes become _. */
static char
plain(char c)
{
	if (c >= 'A' && c <= 'Z')
		c = (char)(c - 'A' + 'a');
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
}

static bool
same_name(const char *a, size_t n_a, const char *b, size_t n_b)
{
	for (size_t k = 0; n_a == n_b && k < n_a; k++)
		if (plain(a[k]) != plain(b[k]))
			return false;
	return n_a == n_b;
}

/* How a column encodes the case status. */
enum coding {
	NO_STATUS,
	ONE_TWO, /* PLINK's: 1 control, 2 case, 0 missing */
	ZERO_ONE /* 0 control, 1 case */
};

/* A case is required and, for ZERO_ONE, a control. */
static enum coding
coding_of(const double *v, size_t n)
{
	bool any[3] = { false };

	for (size_t q = 0; q < n; q++) {
		if (isnan(v[q]))
			continue;
		if (v[q] != 0 && v[q] != 1 && v[q] != 2)
			return NO_STATUS;
		any[(int)v[q]] = true;
	}
	return any[2] ? ONE_TWO : any[0] && any[1] ? ZERO_ONE : NO_STATUS;
}

static bool
is_empty(const double *v, size_t n)
{
	for (size_t q = 0; q < n; q++)
		if (!isnan(v[q]))
			return false;
	return true;
}

static void
drop_phenotypes(struct vs_samples *s)
{
	for (size_t c = 0; c < s->phenotype_name.n; c++)
		free(s->phenotype[c]);
	free(s->phenotype);
	free(s->case_status);
	vs_text_pool_free(&s->phenotype_name);
	s->phenotype = NULL;
	s->case_status = NULL;
}

static int
set_case_status(struct vs_samples *s, const double *v, enum coding coding)
{
	const double control = coding == ZERO_ONE ? 0 : 1;
	int code = vs_mem_new(&s->case_status, s->n, 1, "case status");

	for (size_t q = 0; q < s->n && !code; q++)
		s->case_status[q] = v[q] == control ? 0
			: v[q] == control + 1       ? 1
						    : 255;
	return code;
}

/* The first of n columns with a status in that encoding; n_col: none. */
static size_t
find_status(const struct vs_sample_columns *t, size_t n, size_t n_sample,
	enum coding wanted)
{
	for (size_t c = 0; c < n; c++)
		if (!t->col[c].odd &&
			coding_of(t->col[c].v, n_sample) == wanted)
			return c;
	return t->n_col;
}

/* Find the column of a name. */
static int
name_status(const struct vs_sample_columns *t, const char *name,
	size_t n_sample, const char *path, size_t *column)
{
	for (size_t c = 0; c < t->n_col; c++) {
		size_t len;
		const char *is = vs_text_pool_get(&t->name, c, &len);

		if (!same_name(is, len, name, strlen(name)))
			continue;
		*column = c;
		if (t->col[c].odd ||
			coding_of(t->col[c].v, n_sample) == NO_STATUS)
			return vs_fail(VS_EINPUT,
				"%s: phenotype %s is not a case status: that "
				"is 1 and 2, or 0 and 1, for controls and "
				"cases",
				path, name);
		return 0;
	}
	return vs_fail(VS_EINPUT, "%s: no phenotype is called %s", path, name);
}

/* Pass the columns to s, the case status as such. */
static int
set_phenotypes(struct vs_samples *s, struct vs_sample_columns *t, size_t status,
	size_t *n_set)
{
	int code = vs_mem_new(&s->phenotype, t->n_col + 1,
		sizeof(*s->phenotype), "phenotypes");
	const char *name;
	size_t len;

	for (size_t c = 0; c < t->n_col && !code; c++) {
		struct column *from = t->col + c;

		if (from->odd || is_empty(from->v, s->n))
			continue;
		*n_set += 1;
		if (c == status) {
			code = set_case_status(s, from->v,
				coding_of(from->v, s->n));
			continue;
		}
		name = vs_text_pool_get(&t->name, c, &len);
		code = vs_text_pool_add(&s->phenotype_name, name, len);
		if (code)
			break;
		s->phenotype[s->phenotype_name.n - 1] = from->v;
		from->v = NULL;
	}
	return code;
}

/* ---- .fam ---- */

#define N_FAM 5 /* family, id, father, mother, sex; then phenotypes */

/* True for a name of a column, as PLINK 2 and others begin a table: in its own
 * column a name may go on. */
static bool
fam_name(const char *word, size_t n)
{
	static const char *const of[] = { "FID", "IID", "SEX", "GENDER",
		"PHENO", "PHENOTYPE" };

	for (size_t k = 0; k < sizeof(of) / sizeof(*of); k++)
		if (!strcasecmp(word, of[k]))
			return n <= N_FAM;
	return (n == 4 &&
		       (!strncasecmp(word, "SEX", 3) ||
			       !strncasecmp(word, "GENDER", 6))) ||
		(n == N_FAM && !strncasecmp(word, "PHENO", 5));
}

static int
fam_line(struct vs_samples *s, size_t *room_sex, struct vs_sample_columns *t,
	const struct vs_lines *l, char *line)
{
	char *at = line, *word;
	size_t q = s->n, len, n = 0;
	size_t named = 0; /* column of a header, from 1 */
	size_t room_child = *room_sex;
	int code = vs_mem_grow(&s->child, &room_child, q + 1, 1, "samples");

	if (!code)
		code = vs_mem_grow(&s->sex, room_sex, q + 1, 1, "samples");
	if (!code)
		s->child[q] = 0;
	for (; !code && (word = vs_lines_word(&at, &len)); n++) {
		if (!q && !named && fam_name(word, n))
			named = n + 1;
		if (n == 0)
			code = vs_text_pool_add(&s->family, word, len);
		else if (n == 1)
			code = vs_text_pool_add(&s->id, word, len);
		else if (n == 2 || n == 3)
			s->child[q] |= strcmp(word, "0") != 0;
		else if (n == 4)
			s->sex[q] = !strcmp(word, "1") ? 1
				: !strcmp(word, "2")   ? 2
						       : 0;
		else if (n >= N_FAM && !q && n - N_FAM == t->n_col)
			code = table_grow(t, 0);
		if (!code && n >= N_FAM && n - N_FAM < t->n_col)
			code = column_put(t->col + n - N_FAM, q, word, len);
	}
	if (code)
		return code;
	if (named)
		return vs_lines_fail(l,
			"is a header, as column %zu is a name; begin it with # "
			"or remove it",
			named);
	if (n < N_FAM + 1)
		return vs_lines_fail(l,
			"%zu columns where family, id, father, mother, sex and "
			"phenotype are expected",
			n);
	if (n - N_FAM != t->n_col)
		return vs_lines_fail(l, "%zu columns where line 1 has %zu", n,
			N_FAM + t->n_col);
	s->n++;
	return 0;
}

static int
fam_begin(struct vs_sample_fam *f)
{
	return f->columns
		? 0
		: vs_mem_new(&f->columns, 1, sizeof(*f->columns), "phenotypes");
}

int
vs_sample_table_fam_six(struct vs_sample_fam *f, struct vs_samples *s,
	const struct vs_lines *l, char **at)
{
	char *line = *at, *p = line + strspn(line, " \t");
	int code = fam_begin(f);

	for (int k = 0; k <= N_FAM; k++) {
		p += strcspn(p, " \t");
		if (k < N_FAM)
			p += strspn(p, " \t");
	}
	*at = *p ? p + 1 : p;
	*p = 0;
	return code ? code : fam_line(s, &f->room_sex, f->columns, l, line);
}

int
vs_sample_table_fam_end(struct vs_sample_fam *f, struct vs_samples *s,
	const char *path, const char *status)
{
	struct vs_sample_columns *t = f->columns;
	struct vs_text name = { 0 };
	size_t n_set = 0, column = 0;
	int code = 0;

	if (!s->n)
		return vs_fail(VS_EINPUT, "%s: lists no samples", path);
	for (size_t c = 0; c < t->n_col && !code; c++) {
		name.len = 0;
		code = c ? vs_text_add(&name, "pheno%zu", c + 1)
			 : vs_text_add(&name, "pheno");
		if (!code)
			code = vs_text_pool_add(&t->name, name.bytes, name.len);
	}
	if (!code && status)
		code = name_status(t, status, s->n, path, &column);
	else if (!code)
		column = find_status(t, 1, s->n, ONE_TWO);
	if (!code)
		code = set_phenotypes(s, t, column, &n_set);
	vs_text_free(&name);
	return code;
}

void
vs_sample_table_fam_free(struct vs_sample_fam *f)
{
	if (f->columns)
		table_free(f->columns);
	free(f->columns);
	memset(f, 0, sizeof(*f));
}

int
vs_sample_table_fam(struct vs_samples *s, const char *path, const char *status,
	struct vs_provenance *provenance)
{
	struct vs_sample_fam f = { 0 };
	struct vs_lines *l = NULL;
	char *line;
	size_t len;
	int code = fam_begin(&f);

	if (!code)
		code = vs_lines_open(&l, path);
	while (!code && (code = vs_lines_next_data(l, &line, &len)) == 1)
		code = fam_line(s, &f.room_sex, f.columns, l, line);
	if (!code)
		code = vs_sample_table_fam_end(&f, s, path, status);
	if (!code)
		code = vs_lines_note(l, provenance);
	vs_lines_close(l);
	vs_sample_table_fam_free(&f);
	return code;
}

/* ---- table of phenotypes ---- */

/* Names are written in lower case, so they must differ beyond case. */
static int
check_names(const struct vs_sample_columns *t, const struct vs_lines *l)
{
	for (size_t c = 0; c < t->n_col; c++) {
		size_t len, other;
		const char *name = vs_text_pool_get(&t->name, c, &len);

		if (len > 60)
			return vs_lines_fail(l,
				"phenotype %.20s...: a name may have 60 bytes",
				name);
		for (size_t d = 0; d < c; d++) {
			const char *b = vs_text_pool_get(&t->name, d, &other);

			if (same_name(name, len, b, other))
				return vs_lines_fail(l,
					"phenotypes %.*s and %.*s: names must "
					"differ in letters or digits",
					(int)other, b, (int)len, name);
		}
	}
	return 0;
}

static int
pheno_header(struct vs_sample_columns *t, const struct vs_lines *l,
	struct vs_fields *f, char *line, size_t n, bool *family)
{
	int code;
	size_t k;

	while (*line == '#')
		line++;
	code = vs_fields_of(f, line);
	if (code)
		return code;
	*family = f->n && !strcasecmp(vs_fields_text(f, 0), "FID");
	k = *family;
	if (f->n <= k || strcasecmp(vs_fields_text(f, k), "IID"))
		return vs_lines_fail(l,
			"the header must begin with FID IID "
			"or IID, then name each phenotype");
	while (!code && ++k < f->n) {
		code = vs_text_pool_add(&t->name, f->field[k].text,
			f->field[k].len);
		if (!code)
			code = table_grow(t, n);
	}
	if (!code && !t->n_col)
		return vs_lines_fail(l, "names no phenotype");
	return code ? code : check_names(t, l);
}

/*
 * Split a line into as many fields as the header has, by tabs or else into
 * words. If there are more words, those before the phenotypes are one id with
 * blanks.
 *
 * n_more  words that the id has beyond its first
 */
static int
pheno_fields(const struct vs_sample_columns *t, struct vs_fields *f, char *line,
	bool family, size_t *n_more)
{
	const size_t want = (family ? 2 : 1) + t->n_col;
	int code = vs_fields_of(f, line);
	struct vs_field *id, *last;

	*n_more = 0;
	/* a tab may end a line */
	if (f->n == want + 1 && !f->field[want].len)
		f->n--;
	if (!code && f->n != want)
		code = vs_fields_split(f, line, false);
	if (code || f->n <= want)
		return code;
	*n_more = f->n - want;
	id = f->field + family;
	last = id + *n_more;
	id->len = (size_t)(last->text + last->len - id->text);
	memmove(id + 1, last + 1, t->n_col * sizeof(*id));
	f->n = want;
	return 0;
}

static int
pheno_line(struct vs_sample_columns *t, const struct vs_lines *l,
	struct vs_sample_index *x, struct vs_fields *f, char *line, bool family,
	uint8_t *seen, struct vs_sample_table_said *said)
{
	struct vs_field fam = { 0 }, id;
	size_t n_more, n_id = family ? 2 : 1;
	int64_t row = -1;
	int code = pheno_fields(t, f, line, family, &n_more);

	if (code)
		return code;
	if (f->n < n_id)
		return vs_lines_fail(l, "has no sample id");
	if (family)
		fam = f->field[0];
	id = f->field[family];
	code = vs_sample_index_find(x, fam.text, fam.len, id.text, id.len,
		&row);
	if (code)
		return code;
	if (f->n - n_id != t->n_col || (n_more && row < 0))
		return vs_lines_fail(l,
			"%zu phenotypes where the header names %zu",
			f->n - n_id + n_more, t->n_col);
	if (!family && row >= 0 && x->shared[row])
		return vs_lines_fail(l,
			"sample %.*s: its id is in several families; begin the "
			"header with FID IID",
			(int)id.len, id.text);
	if (row >= 0 && seen[row])
		return vs_lines_fail(l, "sample %.*s occurs twice", (int)id.len,
			id.text);
	if (row < 0) {
		said->n_unknown++;
		return 0;
	}
	for (size_t c = 0; !code && c < t->n_col; c++)
		code = column_put(t->col + c, (size_t)row,
			vs_fields_text(f, n_id + c), f->field[n_id + c].len);
	seen[row] = 1;
	said->n_found++;
	return code;
}

int
vs_sample_table_pheno(struct vs_samples *s, const char *path,
	const char *status, struct vs_provenance *provenance,
	struct vs_sample_table_said *said)
{
	struct vs_lines *l = NULL;
	struct vs_sample_columns t = { 0 };
	struct vs_sample_index x = { 0 };
	struct vs_fields f = { 0 };
	uint8_t *seen = NULL;
	bool family = false, header = true;
	char *line;
	size_t len, column = 0;
	int code = vs_lines_open(&l, path);

	memset(said, 0, sizeof(*said));
	if (!code)
		code = vs_sample_index_make(&x, s);
	if (!code)
		code = vs_mem_new(&seen, s->n, 1, "samples");
	while (!code && (code = vs_lines_next_full(l, &line, &len)) == 1) {
		code = header
			? pheno_header(&t, l, &f, line, s->n, &family)
			: pheno_line(&t, l, &x, &f, line, family, seen, said);
		header = false;
	}
	if (!code && !said->n_found)
		code = vs_fail(VS_EINPUT, "%s: names none of the %zu samples",
			path, s->n);
	for (size_t c = 0; c < t.n_col && !code; c++)
		if (t.col[c].odd)
			code = vs_fail(VS_EINPUT,
				"%s: phenotype %.*s contains words that are "
				"not numbers",
				path,
				(int)(t.name.offset[c + 1] - t.name.offset[c]),
				vs_text_pool_string(&t.name, c));
	if (!code && status)
		code = name_status(&t, status, s->n, path, &column);
	else if (!code)
		column = find_status(&t, t.n_col, s->n, ONE_TWO);
	if (!code && !status && column == t.n_col) {
		column = find_status(&t, t.n_col, s->n, ZERO_ONE);
		said->zero_one = column < t.n_col;
	}
	if (!code) {
		drop_phenotypes(s);
		code = set_phenotypes(s, &t, column, &said->n_pheno);
	}
	if (!code)
		code = vs_lines_note(l, provenance);
	vs_lines_close(l);
	vs_sample_index_free(&x);
	vs_fields_free(&f);
	table_free(&t);
	free(seen);
	return code;
}

/* ---- .psam ---- */

/* Columns that a header names, besides phenotypes. */
enum { FID, IID, SID, PAT, MAT, SEX, N_KNOWN };

struct psam {
	struct vs_sample_columns pheno;
	size_t at[N_KNOWN]; /* column indices, from 0 */
	bool has[N_KNOWN];
	bool family; /* of a sample at least, besides 0 */
	size_t n_column, room_sex, room_child;
};

static int
psam_header(struct psam *p, const struct vs_lines *l, char *line)
{
	static const char *const known[N_KNOWN] = { "FID", "IID", "SID", "PAT",
		"MAT", "SEX" };
	char *word;
	size_t len;
	int code = 0, c;

	for (line++; !code && (word = vs_lines_word(&line, &len));
		p->n_column++) {
		for (c = 0; c < N_KNOWN && strcmp(word, known[c]); c++)
			;
		if (c < N_KNOWN && p->has[c])
			return vs_lines_fail(l, "column %s occurs twice", word);
		if (c < N_KNOWN) {
			p->has[c] = true;
			p->at[c] = p->n_column;
			continue;
		}
		code = vs_text_pool_add(&p->pheno.name, word, len);
		if (!code)
			code = table_grow(&p->pheno, 0);
	}
	if (!code && !p->has[IID])
		return vs_lines_fail(l, "has no column IID");
	return code ? code : check_names(&p->pheno, l);
}

static int
psam_line(struct psam *p, struct vs_samples *s, const struct vs_lines *l,
	char *line)
{
	size_t q = s->n, len, n, c = 0;
	char *word;
	int code = vs_mem_grow(&s->sex, &p->room_sex, q + 1, 1, "samples");

	if (!code)
		code = vs_mem_grow(&s->child, &p->room_child, q + 1, 1,
			"samples");
	if (code)
		return code;
	s->sex[q] = s->child[q] = 0;
	for (n = 0; !code && (word = vs_lines_word(&line, &len)); n++) {
		if (p->has[FID] && n == p->at[FID]) {
			code = vs_text_pool_add(&s->family, word, len);
			p->family |= strcmp(word, "0") != 0;
		} else if (n == p->at[IID]) {
			code = vs_text_pool_add(&s->id, word, len);
		} else if (p->has[SEX] && n == p->at[SEX]) {
			int sex = vs_sample_sex_of(word, len);

			s->sex[q] = sex < 0 ? 0 : (uint8_t)sex;
		} else if ((p->has[PAT] && n == p->at[PAT]) ||
			(p->has[MAT] && n == p->at[MAT])) {
			s->child[q] |= strcmp(word, "0") != 0;
		} else if (n < p->n_column &&
			!(p->has[SID] && n == p->at[SID])) {
			code = column_put(p->pheno.col + c++, q, word, len);
		}
	}
	if (!code && n != p->n_column)
		return vs_lines_fail(l, "%zu columns where the header has %zu",
			n, p->n_column);
	s->n++;
	return code;
}

int
vs_sample_table_psam(struct vs_samples *s, const char *path, const char *status,
	struct vs_provenance *provenance)
{
	struct vs_lines *l = NULL;
	struct psam p = { 0 };
	size_t len, column = 0, n_set = 0;
	char *line;
	bool header = false;
	int code = vs_lines_open(&l, path);

	while (!code && (code = vs_lines_next_full(l, &line, &len)) == 1) {
		code = 0;
		if (!header && !strncmp(line, "##", 2))
			continue;
		if (!header && *line != '#')
			break;
		code = header ? psam_line(&p, s, l, line)
			      : psam_header(&p, l, line);
		header = true;
	}
	if (!code && header && !s->n)
		code = vs_fail(VS_EINPUT, "%s: lists no samples", path);
	if (!code && header && status)
		code = name_status(&p.pheno, status, s->n, path, &column);
	else if (!code && header)
		column = find_status(&p.pheno, p.pheno.n_col, s->n, ONE_TWO);
	if (!code && header)
		code = set_phenotypes(s, &p.pheno, column, &n_set);
	if (!p.family)
		vs_text_pool_free(&s->family);
	if (!code && header)
		code = vs_lines_note(l, provenance);
	vs_lines_close(l);
	table_free(&p.pheno);
	if (!p.has[PAT] && !p.has[MAT]) {
		free(s->child);
		s->child = NULL;
	}
	return code || header
		? code
		: vs_sample_table_fam(s, path, status, provenance);
}

/* ---- selection of samples ---- */

static int
pick_pool(struct vs_text_pool *to, const struct vs_text_pool *from,
	const int64_t *row, size_t n)
{
	const char *word;
	size_t len;
	int code = 0;

	for (size_t k = 0; from->n && k < n && !code; k++) {
		word = vs_text_pool_get(from, (size_t)row[k], &len);
		code = vs_text_pool_add(to, word, len);
	}
	return code;
}

static int
pick_bytes(uint8_t **to, const uint8_t *from, const int64_t *row, size_t n)
{
	int code = 0;

	if (from)
		code = vs_mem_new(to, n, 1, "samples");
	for (size_t k = 0; from && k < n && !code; k++)
		(*to)[k] = from[row[k]];
	return code;
}

int
vs_sample_table_pick(struct vs_samples *s, const struct vs_samples *from,
	const int64_t *row, size_t n)
{
	size_t n_pheno = from->phenotype_name.n, len;
	const char *name;
	int code = pick_pool(&s->id, &from->id, row, n);

	s->n = n;
	if (!code)
		code = pick_pool(&s->family, &from->family, row, n);
	if (!code)
		code = pick_bytes(&s->sex, from->sex, row, n);
	if (!code)
		code = pick_bytes(&s->child, from->child, row, n);
	if (!code)
		code = pick_bytes(&s->case_status, from->case_status, row, n);
	if (!code)
		code = vs_mem_new(&s->phenotype, n_pheno + 1,
			sizeof(*s->phenotype), "phenotypes");
	for (size_t c = 0; c < n_pheno && !code; c++) {
		name = vs_text_pool_get(&from->phenotype_name, c, &len);
		code = vs_mem_new(&s->phenotype[c], n, sizeof(double),
			"phenotypes");
		for (size_t k = 0; k < n && !code; k++)
			s->phenotype[c][k] = from->phenotype[c][row[k]];
		if (!code)
			code = vs_text_pool_add(&s->phenotype_name, name, len);
	}
	return code;
}
