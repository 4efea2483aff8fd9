/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of sample tables: ids, sex, case status, phenotypes. */
#include <math.h>
#include <stdio.h>
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

/* A column of numbers while it is read, one value per sample. */
struct vs_sample_column {
	double *v; /* NaN: missing */
	size_t room;
	char odd[41]; /* the first word that is not a number, or empty */
};

void
vs_sample_table_free(struct vs_sample_table *t)
{
	for (size_t c = 0; c < t->n_column; c++)
		free(t->column[c].v);
	free(t->column);
	free(t->role);
	vs_text_pool_free(&t->name);
	memset(t, 0, sizeof(*t));
}

/* Add a phenotype of n missing values. */
static int
add_phenotype(struct vs_sample_table *t, size_t n)
{
	int code = vs_mem_grow(&t->column, &t->room_column, t->n_column + 1,
		sizeof(*t->column), "phenotypes");
	struct vs_sample_column *c = t->column + t->n_column;

	if (code)
		return code;
	memset(c, 0, sizeof(*c));
	t->n_column++;
	code = vs_mem_grow(&c->v, &c->room, n, sizeof(*c->v), "phenotypes");
	for (size_t q = 0; q < n && !code; q++)
		c->v[q] = NAN;
	return code;
}

static int
column_put(struct vs_sample_column *c, size_t q, const char *word, size_t len)
{
	int code = vs_mem_grow(&c->v, &c->room, q + 1, sizeof(*c->v),
		"phenotypes");

	if (code)
		return code;
	c->v[q] = NAN;
	if (!vs_lines_word_missing(word, len) && !vs_num_real(word, &c->v[q]) &&
		!*c->odd)
		snprintf(c->odd, sizeof(c->odd), "%s", word);
	/* also -9.0, as pandas and R write it; PLINK compares numbers, too */
	if (c->v[q] == -9)
		c->v[q] = NAN;
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

	for (size_t q = 0; q < n; q++)
		if (v[q] == 0 || v[q] == 1 || v[q] == 2)
			any[(int)v[q]] = true;
		else if (!isnan(v[q]))
			return NO_STATUS;
	return any[2] ? ONE_TWO : any[0] && any[1] ? ZERO_ONE : NO_STATUS;
}

/* The first value that is known; NaN: none. */
static double
first_known(const double *v, size_t n)
{
	size_t q = 0;

	while (q < n && isnan(v[q]))
		q++;
	return q < n ? v[q] : NAN;
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

/* The first of n columns with a status in that encoding; n_column: none. */
static size_t
find_status(const struct vs_sample_table *t, size_t n, size_t n_sample,
	enum coding wanted)
{
	for (size_t c = 0; c < n; c++)
		if (!*t->column[c].odd &&
			coding_of(t->column[c].v, n_sample) == wanted)
			return c;
	return t->n_column;
}

/* True if the column holds two numbers. */
static bool
varies(const double *v, size_t n)
{
	const double first = first_known(v, n);

	for (size_t q = 0; q < n; q++)
		if (v[q] != first && !isnan(v[q]))
			return true;
	return false;
}

/* Find the column of a name, or else the first of n with a status. */
static int
choose_status(const struct vs_sample_table *t, const char *name, size_t n,
	size_t n_sample, const char *path, size_t *column)
{
	*column = find_status(t, n, n_sample, ONE_TWO);
	for (size_t c = 0; name && c < t->n_column; c++) {
		size_t len;
		const char *is = vs_text_pool_get(&t->name, c, &len);

		if (!same_name(is, len, name, strlen(name)))
			continue;
		*column = c;
		if (!*t->column[c].odd && varies(t->column[c].v, n_sample))
			return 0;
		return vs_fail(VS_EINPUT,
			"%s: phenotype %s is neither a case status, 1 and 2 or "
			"0 and 1 for controls and cases, nor a quantitative "
			"trait, numbers that differ",
			path, name);
	}
	return name ? vs_fail(VS_EINPUT, "%s: no phenotype is called %s%s",
			      path, name,
			      t->named ? ""
				       : "; without a header they are pheno, "
					 "pheno2 ...")
		    : 0;
}

/* Pass the columns to s, the case status as such; a quantitative trait, which
 * is named, also as such. */
static int
set_phenotypes(struct vs_samples *s, struct vs_sample_table *t, size_t status,
	size_t *n_set)
{
	int code = vs_mem_new(&s->phenotype, t->n_column + 1,
		sizeof(*s->phenotype), "phenotypes");

	for (size_t c = 0; c < t->n_column && !code; c++) {
		struct vs_sample_column *from = t->column + c;

		/* text in a later column, or with a name, is not a mistake */
		if (*from->odd && !t->named && !c)
			memcpy(s->odd_phenotype, from->odd, sizeof(from->odd));
		if (*from->odd || isnan(first_known(from->v, s->n)))
			continue;
		*n_set += 1;
		if (c == status && coding_of(from->v, s->n) != NO_STATUS) {
			code = set_case_status(s, from->v,
				coding_of(from->v, s->n));
			continue;
		}
		if (c == status)
			code = vs_mem_copy(&s->trait, from->v, s->n,
				sizeof(*s->trait), "trait");
		if (!code)
			code = vs_text_pool_add_row(&s->phenotype_name,
				&t->name, c);
		if (code)
			break;
		s->phenotype[s->phenotype_name.n - 1] = from->v;
		from->v = NULL;
	}
	return code;
}

/* ---- tables of samples ---- */

/* Contents of a column; a .fam has FID to PHENO in this order. */
enum role { FID, IID, PAT, MAT, SEX, PHENO, SID };

#define N_FAM PHENO

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
	return (n == SEX &&
		       (!strncasecmp(word, "SEX", 3) ||
			       !strncasecmp(word, "GENDER", 6))) ||
		(n == PHENO && !strncasecmp(word, "PHENO", 5));
}

static int
add_role(struct vs_sample_table *t, enum role role)
{
	int code = vs_mem_grow(&t->role, &t->room_role, t->n_role + 1, 1,
		"columns");

	if (code)
		return code;
	t->role[t->n_role++] = (uint8_t)role;
	return role == PHENO ? add_phenotype(t, 0) : 0;
}

static bool
has(const struct vs_sample_table *t, enum role role)
{
	return t->n_role && memchr(t->role, role, t->n_role);
}

static const char *
noun(const struct vs_sample_table *t)
{
	return t->covariates ? "covariate" : "phenotype";
}

/* Names are written in lower case, so they must differ beyond case. */
static int
check_names(const struct vs_sample_table *t, const struct vs_lines *l)
{
	for (size_t c = 0; c < t->n_column; c++) {
		size_t len, other;
		const char *name = vs_text_pool_get(&t->name, c, &len);

		if (len > 60)
			return vs_lines_fail(l,
				"%s %.20s...: a name may have 60 bytes",
				noun(t), name);
		for (size_t d = 0; d < c; d++) {
			const char *b = vs_text_pool_get(&t->name, d, &other);

			if (same_name(name, len, b, other))
				return vs_lines_fail(l,
					"%ss %.*s and %.*s: names must differ "
					"in letters or digits",
					noun(t), (int)other, b, (int)len, name);
		}
	}
	return 0;
}

/* Types of columns, the line after the header of a .sample. */
static int
read_types(struct vs_sample_table *t, const struct vs_lines *l, char *line)
{
	size_t n = 0, pheno = 0, len;
	char *word;

	for (; (word = vs_lines_word(&line, &len)); n++) {
		const enum role role = n < t->n_role ? t->role[n] : FID;
		const bool none = role != PHENO && role != SEX;

		if (len != 1 || !strchr(none ? "0" : "DCPB", *word))
			return vs_lines_fail(l,
				"column %zu: %.20s is not %s: line 2 of a "
				".sample has the types of columns",
				n + 1, word, none ? "0" : "D, C, P or B");
		pheno += role == PHENO;
		if (role == PHENO && *word == 'B' && !t->binary)
			t->binary = pheno;
	}
	return n == t->n_role
		? 0
		: vs_lines_fail(l, "%zu columns where the header has %zu", n,
			  t->n_role);
}

/* The header of a .psam, past its #, or of a .sample. */
static int
read_header(struct vs_sample_table *t, const struct vs_lines *l, char *line)
{
	/* by enum role */
	static const char *const names[2][SID + 1] = {
		{ "FID", "IID", "PAT", "MAT", "SEX", "", "SID" },
		{ "ID_1", "ID_2", "father", "mother", "sex", "", "missing" }
	};
	const char *const *known = names[t->oxford];
	char *word;
	size_t len;
	int code = 0, role;

	t->named = true;
	while (!code && (word = vs_lines_word(&line, &len))) {
		for (role = 0; role <= SID && strcasecmp(word, known[role]);)
			role++;
		/* of QCTOOL 2 */
		if (t->oxford && !strcmp(word, "ID"))
			role = IID;
		if (role > SID) {
			role = PHENO;
			code = vs_text_pool_add(&t->name, word, len);
		} else if (has(t, (enum role)role))
			return vs_lines_fail(l, "column %s occurs twice", word);
		if (!code)
			code = add_role(t, (enum role)role);
	}
	if (!code && !has(t, IID))
		return vs_lines_fail(l, "has no column %s", known[IID]);
	return code ? code : check_names(t, l);
}

/* Store a word of sample s->n; *pheno counts the phenotypes of its line. */
static int
put_word(struct vs_sample_table *t, struct vs_samples *s, enum role role,
	size_t *pheno, const char *word, size_t len)
{
	const size_t q = s->n;
	int sex;

	switch (role) {
	case FID:
		t->family |= strcmp(word, "0") != 0;
		return vs_text_pool_add(&s->family, word, len);
	case IID:
		return vs_text_pool_add(&s->id, word, len);
	case PAT:
	case MAT:
		s->child[q] |= strcmp(word, "0") != 0;
		break;
	case SEX:
		sex = vs_sample_sex_of(word, len);
		s->sex[q] = sex > 0 ? (uint8_t)sex : 0;
		break;
	case PHENO:
		return column_put(t->column + (*pheno)++, q, word, len);
	case SID:
		break;
	}
	return 0;
}

static int
read_line(struct vs_sample_table *t, struct vs_samples *s,
	const struct vs_lines *l, char *line)
{
	size_t q = s->n, len, n = 0, pheno = 0;
	size_t name = 0; /* column of a header, from 1 */
	size_t tabs = 0;
	char *word;
	int code = vs_mem_grow(&s->child, &t->room_child, q + 1, 1, "samples");

	if (!code)
		code = vs_mem_grow(&s->sex, &t->room_sex, q + 1, 1, "samples");
	if (!code)
		s->child[q] = s->sex[q] = 0;
	for (word = line; (word = strchr(word, '\t')); word++)
		tabs++;
	for (; !code && (word = vs_lines_word(&line, &len)); n++) {
		if (!t->named && !q && n == t->n_role)
			code = add_role(t, n < PHENO ? (enum role)n : PHENO);
		if (!t->named && !q && !name && fam_name(word, n))
			name = n + 1;
		if (code || n >= t->n_role)
			continue;
		code = put_word(t, s, (enum role)t->role[n], &pheno, word, len);
		if (t->role[n] == PHENO && pheno == t->binary &&
			!vs_lines_word_missing(word, len) &&
			strcmp(word, "0") && strcmp(word, "1"))
			return vs_lines_fail(l,
				"column %zu: %.40s is not 0 (a control), 1 (a "
				"case) or NA, as its type B requires",
				n + 1, word);
	}
	if (code)
		return code;
	if (name)
		return vs_lines_fail(l,
			"is a header, as column %zu is a name; begin it with # "
			"or remove it",
			name);
	if (!t->named && !q && n > N_FAM + 1 && tabs == N_FAM)
		return vs_lines_fail(l,
			"%zu words in the %d columns that tabs separate; ids "
			"have no blanks",
			n, N_FAM + 1);
	if (!t->named && n <= N_FAM)
		return vs_lines_fail(l,
			"%zu columns where family, id, father, mother, sex and "
			"phenotype are expected",
			n);
	if (n != t->n_role)
		return vs_lines_fail(l, "%zu columns where %s has %zu", n,
			t->named ? "the header" : "line 1", t->n_role);
	s->n++;
	return 0;
}

int
vs_sample_table_six(struct vs_sample_table *t, struct vs_samples *s,
	const struct vs_lines *l, char **at)
{
	char *line = *at, *p = line + strspn(line, " \t");

	for (int k = 0; k <= N_FAM; k++) {
		p += strcspn(p, " \t");
		if (k < N_FAM)
			p += strspn(p, " \t");
	}
	*at = *p ? p + 1 : p;
	*p = 0;
	return read_line(t, s, l, line);
}

/* Names of columns without a header. */
static int
number_columns(struct vs_sample_table *t)
{
	char name[32];
	int code = 0;

	for (size_t c = 0; c < t->n_column && !code; c++) {
		const char *form = c ? "pheno%zu" : "pheno";

		snprintf(name, sizeof(name), t->covariates ? "COV%zu" : form,
			c + 1);
		code = vs_text_pool_add(&t->name, name, strlen(name));
	}
	return code;
}

int
vs_sample_table_end(struct vs_sample_table *t, struct vs_samples *s,
	const char *path, const char *status)
{
	size_t n_set = 0, column;
	int code = 0;

	if (!s->n)
		return vs_fail(VS_EINPUT, "%s: lists no samples", path);
	if (!t->named)
		code = number_columns(t);
	if (!code)
		code = choose_status(t, status, t->named ? t->n_column : 1,
			s->n, path, &column);
	if (!code && t->oxford && !status) {
		column = t->binary ? t->binary - 1 : t->n_column;
		if (t->binary &&
			coding_of(t->column[column].v, s->n) != ZERO_ONE)
			column = t->n_column;
	}
	if (!code)
		code = set_phenotypes(s, t, column, &n_set);
	if (t->named && !t->family)
		vs_text_pool_free(&s->family);
	if (!has(t, PAT) && !has(t, MAT)) {
		free(s->child);
		s->child = NULL;
	}
	return code;
}

int
vs_sample_table_read(struct vs_samples *s, const char *path,
	enum vs_sample_kind kind, const char *status,
	struct vs_provenance *provenance)
{
	struct vs_sample_table t = { .oxford = kind == VS_SAMPLE_OXFORD };
	bool psam = kind == VS_SAMPLE_PSAM, typed = !t.oxford, head;
	struct vs_lines *l = NULL;
	char *line;
	size_t len;
	int code = vs_lines_open(&l, path);

	/* psam: its header may still come */
	while (!code &&
		(code = psam || t.oxford || t.named
				? vs_lines_next_full(l, &line, &len)
				: vs_lines_next_data(l, &line, &len)) == 1) {
		code = 0;
		if (psam && !strncmp(line, "##", 2))
			continue;
		head = psam ? *line == '#' : t.oxford && !t.named;
		code = head     ? read_header(&t, l, line + psam)
			: typed ? read_line(&t, s, l, line)
				: read_types(&t, l, line);
		typed |= !head;
		psam = false;
	}
	if (!code)
		code = vs_sample_table_end(&t, s, path, status);
	if (!code)
		code = vs_lines_note(l, provenance);
	vs_lines_close(l);
	vs_sample_table_free(&t);
	return code;
}

/* ---- table of phenotypes or covariates ---- */

static bool
is_field(const struct vs_fields *f, size_t k, const char *word)
{
	return k < f->n && f->field[k].len == strlen(word) &&
		!strncasecmp(f->field[k].text, word, f->field[k].len);
}

#define HEADER "; unless a header begins with IID, FID and IID come first"

/* Name the columns by the first line, or number them: t is unnamed then. */
static int
pheno_header(struct vs_sample_table *t, const struct vs_lines *l,
	struct vs_fields *f, char *line, size_t n, bool *family)
{
	int code;
	size_t k;

	while (*line == '#')
		line++;
	code = vs_fields_of(f, line);
	if (code)
		return code;
	*family = is_field(f, 0, "FID");
	t->named = is_field(f, *family, "IID");
	*family |= !t->named;
	for (k = *family; !code && ++k < f->n;) {
		if (t->named)
			code = vs_text_pool_add(&t->name, f->field[k].text,
				f->field[k].len);
		if (!code)
			code = add_phenotype(t, n);
	}
	if (!code && !t->named)
		code = number_columns(t);
	if (!code && !t->n_column)
		return vs_lines_fail(l, "names no %s%s", noun(t),
			t->named ? "" : HEADER);
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
pheno_fields(const struct vs_sample_table *t, struct vs_fields *f, char *line,
	bool family, size_t *n_more)
{
	const size_t want = (family ? 2 : 1) + t->n_column;
	int code = vs_fields_of(f, line);
	struct vs_word *id, *last;

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
	memmove(id + 1, last + 1, t->n_column * sizeof(*id));
	f->n = want;
	return 0;
}

static int
pheno_line(struct vs_sample_table *t, struct vs_sample_lines *x,
	struct vs_fields *f, char *line, bool family)
{
	struct vs_word fam = { 0 }, id;
	size_t n_more, n_id = family ? 2 : 1;
	int64_t row = -1;
	int code = pheno_fields(t, f, line, family, &n_more);

	if (code)
		return code;
	if (f->n < n_id)
		return vs_lines_fail(x->l, "has no sample id");
	if (family)
		fam = f->field[0];
	id = f->field[family];
	code = vs_sample_index_look_up(x, fam, id, &row);
	if (code)
		return code;
	if (f->n - n_id != t->n_column || (n_more && row < 0))
		return vs_lines_fail(x->l, "%zu %ss where the %s %zu",
			f->n - n_id + n_more, noun(t),
			t->named ? "header names" : "first line has",
			t->n_column);
	if (row < 0)
		return 0;
	if (x->seen[row])
		return vs_lines_fail(x->l, "sample %.*s occurs twice",
			(int)id.len, id.text);
	for (size_t c = 0; !code && c < t->n_column; c++)
		code = column_put(t->column + c, (size_t)row,
			vs_fields_text(f, n_id + c), f->field[n_id + c].len);
	x->seen[row] = 1;
	return code;
}

/* The columns are to hold numbers; the case status is found or named. */
static int
take_phenotypes(struct vs_sample_table *t, struct vs_samples *s,
	const char *path, const char *status, struct vs_sample_table_said *said)
{
	size_t column, len;
	int code;

	for (size_t c = 0; c < t->n_column; c++) {
		const char *name = vs_text_pool_get(&t->name, c, &len);

		if (*t->column[c].odd)
			return vs_fail(VS_EINPUT,
				"%s: phenotype %.*s contains words that are "
				"not numbers, first %s; write 1 and 2",
				path, (int)len, name, t->column[c].odd);
	}
	code = choose_status(t, status, t->n_column, s->n, path, &column);
	if (!code && !status && column == t->n_column) {
		column = find_status(t, t->n_column, s->n, ZERO_ONE);
		said->zero_one = column < t->n_column;
	}
	if (code)
		return code;
	vs_sites_samples_drop(s);
	return set_phenotypes(s, t, column, &said->n_pheno);
}

/* Columns with a value for each sample of s, from a table. */
static int
read_columns(struct vs_sample_table *t, const struct vs_samples *s,
	const char *path, struct vs_provenance *provenance,
	struct vs_sample_table_said *said)
{
	struct vs_sample_lines x = { 0 };
	struct vs_fields f = { 0 };
	bool family = false;
	char *line;
	size_t len;
	int code = vs_sample_index_open(&x, s, path);

	memset(said, 0, sizeof(*said));
	while (!code && (code = vs_lines_next_full(x.l, &line, &len)) == 1) {
		const bool first = !t->n_column;

		code = 0;
		if (first)
			code = pheno_header(t, x.l, &f, line, s->n, &family);
		if (!code && !(first && t->named))
			code = pheno_line(t, &x, &f, line, family);
	}
	said->n_unknown = x.n_unknown;
	said->named = t->named;
	if (t->n_column && !t->named)
		x.hint = HEADER;
	code = vs_sample_index_close(&x, code, provenance, &said->n_found);
	vs_fields_free(&f);
	return code;
}

int
vs_sample_table_pheno(struct vs_samples *s, const char *path,
	const char *status, struct vs_provenance *provenance,
	struct vs_sample_table_said *said)
{
	struct vs_sample_table t = { 0 };
	int code = read_columns(&t, s, path, provenance, said);

	if (!code)
		code = take_phenotypes(&t, s, path, status, said);
	vs_sample_table_free(&t);
	return code;
}

/* Pass a column of covariates to s. */
static int
take_covariate(struct vs_sample_table *t, size_t c, struct vs_samples *s,
	const char *path)
{
	size_t len;
	const char *name = vs_text_pool_get(&t->name, c, &len);
	int code;

	if (*t->column[c].odd)
		return vs_fail(VS_EINPUT,
			"%s: covariate %.*s contains words that are not "
			"numbers, first %s; code k categories as k - 1 columns "
			"of 0 and 1, or choose others with --covar-name",
			path, (int)len, name, t->column[c].odd);
	if (!t->column[c].v)
		return vs_fail(VS_EUSAGE, "--covar-name: %.*s occurs twice",
			(int)len, name);
	code = vs_text_pool_add(&s->phenotype_name, name, len);
	if (code)
		return code;
	s->phenotype[s->phenotype_name.n - 1] = t->column[c].v;
	t->column[c].v = NULL;
	return 0;
}

static int
take_covariates(struct vs_sample_table *t, struct vs_samples *s,
	const char *path, const char *names)
{
	int code = vs_mem_new(&s->phenotype, t->n_column + 1,
		sizeof(*s->phenotype), "covariates");

	for (size_t c = 0; !names && c < t->n_column && !code; c++)
		code = take_covariate(t, c, s, path);
	while (names && !code) {
		const size_t n = strcspn(names, ",");
		size_t c = 0, len;

		for (; c < t->n_column; c++) {
			const char *is = vs_text_pool_get(&t->name, c, &len);

			if (same_name(is, len, names, n))
				break;
		}
		if (c < t->n_column)
			code = take_covariate(t, c, s, path);
		else
			code = vs_fail(VS_EINPUT,
				"%s: no covariate is called %.*s%s", path,
				(int)n, names,
				t->named ? ""
					 : "; without a header they are COV1, "
					   "COV2 ...");
		names = names[n] ? names + n + 1 : NULL;
	}
	return code;
}

int
vs_sample_table_covar(struct vs_samples *s, const char *path, const char *names,
	struct vs_sample_table_said *said)
{
	struct vs_sample_table t = { .covariates = true };
	int code = read_columns(&t, s, path, NULL, said);

	vs_sites_samples_drop(s);
	if (!code)
		code = take_covariates(&t, s, path, names);
	said->n_pheno = s->phenotype_name.n;
	vs_sample_table_free(&t);
	return code;
}
