/* SPDX-License-Identifier: BSD-3-Clause */
/* Printers of the columns of records and vectors. */
#include <math.h>

#include "formats/out/column.h"
#include "libcore/base/fail.h"
#include "libcore/metric/correlation.h"
#include "libcore/metric/elementary.h"

/* Contents of a column; kinds before NUM show one end of a record. */
enum what {
	INDEX,
	LABEL,
	ID,
	CHROM,
	POS,
	ALLELE,
	FREQ,
	NUM,
	CELL,
	N,
	VALUE,
	COUNT,
	SUM,
	CLASS,
	SCORE,
	DEGREES,
	NOTE,
	CORRELATION_P,
	CHI2,
	CHI2_P,
	FAMILY,
	Q,
	R,
};

#define SITES VS_NEEDS_SITES
#define AT(member) offsetof(struct vs_scores, member)
#define REFIT (VS_NEEDS_REFIT | VS_NEEDS_INDEX)

#define OF_END(digit, end, needs)                           \
	{ "id" digit, ID, end, -1, needs },                 \
		{ "chrom" digit, CHROM, end, -1, needs },   \
		{ "pos" digit, POS, end, -1, needs },       \
		{ "allele" digit, ALLELE, end, -1, needs }, \
	{                                                   \
		"freq" digit, FREQ, end, -1, needs          \
	}

const struct vs_column vs_columns_record[] = {
	{ "i", INDEX, 0, -1, VS_NEEDS_INDEX },
	{ "j", INDEX, 1, -1, VS_NEEDS_INDEX },
	{ "k", INDEX, 2, -1, VS_NEEDS_INDEX | VS_NEEDS_THIRD },
	{ "a", LABEL, 0, -1, VS_NEEDS_INDEX },
	{ "b", LABEL, 1, -1, VS_NEEDS_INDEX },
	{ "c", LABEL, 2, -1, VS_NEEDS_INDEX | VS_NEEDS_THIRD },
	{ "cell", CELL, 0, -1, VS_NEEDS_INDEX },
	{ "num", NUM, 0, -1, VS_NEEDS_NUM },
	{ "n", N, 0, -1, 0 },
	{ "value", VALUE, 0, -1, 0 },
	OF_END("1", 0, SITES),
	OF_END("2", 1, SITES),
	OF_END("3", 2, SITES | VS_NEEDS_THIRD),
	{ "controls", CLASS, 0, 0, VS_NEEDS_TABLE },
	{ "cases", CLASS, 0, 1, VS_NEEDS_TABLE },
	{ "k2", SCORE, 0, AT(k2), VS_NEEDS_TABLE },
	{ "lbf", SCORE, 0, AT(lbf), VS_NEEDS_TABLE },
	{ "mi", SCORE, 0, AT(mi), VS_NEEDS_TABLE },
	{ "g", SCORE, 0, AT(g), VS_NEEDS_TABLE },
	{ "df", DEGREES, 0, AT(df), VS_NEEDS_TABLE },
	{ "df", DEGREES, 0, AT(df), VS_NEEDS_TRAIT },
	{ "df2", DEGREES, 0, AT(df2), VS_NEEDS_TRAIT },
	{ "p", CORRELATION_P, 0, -1, VS_NEEDS_CORRELATION },
	{ "p", SCORE, 0, AT(p), VS_NEEDS_TABLE },
	{ "p", SCORE, 0, AT(p), VS_NEEDS_TRAIT },
	{ "r", R, 0, -1, VS_NEEDS_R },
	{ "chi2", CHI2, 0, -1, VS_NEEDS_CORRELATION },
	{ "chi2_p", CHI2_P, 0, -1, VS_NEEDS_CORRELATION },
	{ "inter", SCORE, 0, AT(inter), VS_NEEDS_TABLE | VS_NEEDS_FIT },
	{ "inter_df", DEGREES, 0, AT(inter_df), VS_NEEDS_TABLE | VS_NEEDS_FIT },
	{ "inter_p", SCORE, 0, AT(inter_p), VS_NEEDS_TABLE | VS_NEEDS_FIT },
	{ "inter_p", SCORE, 0, AT(p), VS_NEEDS_TRAIT },
	{ "alpha", SCORE, 0, AT(alpha), VS_NEEDS_TABLE },
	{ "beta", SCORE, 0, AT(beta), VS_NEEDS_TABLE },
	{ "p_permuted", SCORE, 0, AT(permuted),
		VS_NEEDS_TABLE | VS_NEEDS_PERMUTED },
	{ "p_permuted", SCORE, 0, AT(permuted),
		VS_NEEDS_TRAIT | VS_NEEDS_PERMUTED },
	{ "effect", SCORE, 0, AT(refit.effect), REFIT },
	{ "effect_se", SCORE, 0, AT(refit.se), REFIT },
	{ "effect_p", SCORE, 0, AT(refit.p), REFIT },
	{ "effect_or", SCORE, 0, AT(odds_ratio), REFIT },
	{ "effect_n", DEGREES, 0, AT(n_refit), REFIT },
	{ "effect_note", NOTE, 0, -1, REFIT },
	{ "p_family", FAMILY, 0, -1, VS_NEEDS_NULL },
	{ "q", Q, 0, -1, VS_NEEDS_Q },
	{ 0 },
};

const struct vs_column vs_columns_vector[] = {
	{ "i", INDEX, 0, -1, VS_NEEDS_INDEX },
	{ "id", ID, 0, -1, SITES },
	{ "chrom", CHROM, 0, -1, SITES },
	{ "pos", POS, 0, -1, SITES },
	{ "allele0", ALLELE, 0, 0, SITES },
	{ "allele1", ALLELE, 0, 1, SITES },
	{ "n0", COUNT, 0, 0, SITES | VS_NEEDS_COUNTS },
	{ "n1", COUNT, 0, 1, SITES | VS_NEEDS_COUNTS },
	{ "n2", COUNT, 0, 2, SITES | VS_NEEDS_COUNTS },
	{ "missing", COUNT, 0, 3, SITES | VS_NEEDS_COUNTS },
	{ "freq1", FREQ, 0, 1, SITES | VS_NEEDS_COUNTS },
	{ "sum", SUM, 0, -1, VS_NEEDS_SUMS },
	{ 0 },
};

static const struct vs_column *
find(const struct vs_column *list, const char *name, size_t len, unsigned lacks)
{
	for (; list->name; list++)
		if (strlen(list->name) == len &&
			!memcmp(list->name, name, len) &&
			!(list->needs & lacks))
			return list;
	return NULL;
}

int
vs_column_parse(const struct vs_column *list, const char *words, unsigned lacks,
	const struct vs_column **column, int *n)
{
	int n_column = 0;

	for (const char *p = words;; p++) {
		size_t len = strcspn(p, ",");
		const struct vs_column *c = find(list, p, len, lacks);

		if (!c || n_column == VS_COLUMNS_MOST)
			return vs_fail(VS_EUSAGE, "--columns %.*s: %s",
				(int)len, p,
				c ? "too many columns"
				  : "no such column here; --help lists them");
		column[n_column++] = c;
		p += len;
		if (!*p)
			break;
	}
	*n = n_column;
	return 0;
}

/* True for genotypes; for numbers all counts are 0. */
static bool
is_counted(const struct vs_sites *s, size_t row)
{
	const int64_t *count = s->count ? s->count[row] : NULL;

	return !count || count[0] || count[1] || count[2] || count[3];
}

const char *
vs_column_allele_name(const struct vs_sites *s, size_t row, int label,
	size_t *len)
{
	const struct vs_text_pool *pool = &s->allele[label];
	const char *name =
		row < pool->n ? vs_text_pool_get(pool, row, len) : NULL;

	if (name && *len && (*len > 1 || *name != '.'))
		return name;
	*len = is_counted(s, row);
	return !*len ? NULL : label ? "1" : "0";
}

/* NaN: no sample is called. */
static double
frequency(const struct vs_sites *s, size_t row, int label)
{
	struct vs_site site;
	int64_t one, all;

	vs_sites_get(s, row, &site);
	vs_sites_alleles(&site, s->ploidy, &one, &all);
	return (double)(label ? one : all - one) / (double)all;
}

static int
label_of(const struct vs_column *c, const struct vs_line *line)
{
	int last = line->rec.k == VS_NO_VEC ? 1 : 2;

	return c->label >= 0 ? c->label
			     : (int)(line->rec.cell >> (last - c->end) & 1);
}

const char *
vs_column_contig_name(const struct vs_sites *s, size_t row, size_t *len)
{
	if (!s->contig || s->contig[row] < 0)
		return NULL;
	return vs_text_pool_get(&s->contig_name, (size_t)s->contig[row], len);
}

bool
vs_column_undefined(const struct vs_show *show, const struct vs_line *line)
{
	return show->undefined && line->rec.value == 0 &&
		show->undefined(show->undefined_with, line->vec,
			line->rec.k == VS_NO_VEC ? 2 : 3);
}

/* Samples of a class by cell, comma-separated. */
static void
put_class(struct vs_out *o, const struct vs_scores *s, int class)
{
	for (int x = 0; x < (s->n_way == 3 ? 27 : 9); x++) {
		if (x)
			vs_out_char(o, ',');
		vs_out_int(o, s->cell[x][class]);
	}
}

static int64_t
fields_of(const struct vs_show *show, const struct vs_record *r)
{
	return r->nvalid < 0 ? show->n_field : r->nvalid;
}

/* The chi-square statistic n r2 of a correlation, of one degree of freedom. */
static double
chi2_of(const struct vs_show *show, const struct vs_record *r)
{
	return (double)fields_of(show, r) *
		(show->squared ? r->value : r->value * r->value);
}

int
vs_column_head(struct vs_out *o, const struct vs_show *show, char separator)
{
	for (int c = 0; c < show->n_column && show->head; c++) {
		if (c)
			vs_out_char(o, separator);
		vs_out_text(o, show->column[c]->name);
	}
	if (show->head)
		vs_out_char(o, '\n');
	return 0;
}

void
vs_column_value(struct vs_out *o, const struct vs_show *show, double value)
{
	if (show->f32)
		vs_out_f32(o, (float)value);
	else
		vs_out_real(o, value);
}

/* Write a number of a record or of its scores; false: it is unknown, or the
 * column shows something else. */
static bool
put_of_record(struct vs_out *o, const struct vs_show *show,
	const struct vs_column *c, const struct vs_line *line)
{
	const struct vs_record *r = &line->rec;
	const char *scores = (const char *)line->scores;

	switch ((enum what)c->what) {
	case INDEX:
		vs_out_int(o, c->end == 2 ? r->k : c->end ? r->j : r->i);
		break;
	case LABEL:
		if (r->cell == VS_NO_CELL)
			return false;
		vs_out_char(o, (char)('0' + label_of(c, line)));
		break;
	case CELL:
		if (r->cell == VS_NO_CELL)
			return false;
		vs_out_int(o, r->cell);
		break;
	case NUM:
		vs_out_int(o, r->num);
		break;
	case N:
		vs_out_int(o, fields_of(show, r));
		break;
	case VALUE:
		vs_column_value(o, show, r->value);
		break;
	case CLASS:
		put_class(o, line->scores, c->label);
		break;
	case SCORE:
		if (isnan(*(const double *)(scores + c->label)))
			return false;
		vs_out_real(o, *(const double *)(scores + c->label));
		break;
	case DEGREES:
		vs_out_int(o, *(const int *)(scores + c->label));
		break;
	case CORRELATION_P:
		vs_out_real(o,
			vs_correlation_p(r->value, show->squared,
				fields_of(show, r)));
		break;
	case CHI2:
		vs_out_real(o, chi2_of(show, r));
		break;
	case CHI2_P:
		vs_out_real(o, vs_elementary_erfc_root(chi2_of(show, r) / 2));
		break;
	case R:
		vs_out_real(o, line->r);
		break;
	case FAMILY:
		vs_out_real(o, line->p_family);
		break;
	case Q:
		vs_out_real(o, line->q);
		break;
	default:
		return false;
	}
	return true;
}

/* Likewise a number of a site. */
static bool
put_of_site(struct vs_out *o, const struct vs_show *show,
	const struct vs_column *c, const struct vs_line *line, bool zero_pos)
{
	const struct vs_sites *s = show->sites;
	const size_t row = line->row[c->end];
	const double freq = c->what == FREQ && is_counted(s, row)
		? frequency(s, row, label_of(c, line))
		: NAN;

	if (c->what == POS && (zero_pos || (s->pos && s->pos[row])))
		vs_out_int(o, s->pos ? s->pos[row] : 0);
	else if (c->what == COUNT)
		vs_out_int(o, s->count[row][c->label]);
	else if (!isnan(freq))
		vs_out_real(o, freq);
	else if (c->what == SUM && show->whole_sums)
		vs_out_int(o, (int64_t)((const uint64_t *)show->sums)[row]);
	else if (c->what == SUM)
		vs_out_real(o, ((const double *)show->sums)[row]);
	else
		return false;
	return true;
}

bool
vs_column_is_of_end(const struct vs_column *c)
{
	return c->what < NUM;
}

bool
vs_column_is_value(const struct vs_column *c)
{
	return c->what == VALUE;
}

/* Text of a column; null: unknown. */
static const char *
text_of(const struct vs_sites *s, const struct vs_column *c,
	const struct vs_line *line, size_t *len)
{
	size_t row = line->row[c->end];

	if (c->what == NOTE) {
		*len = line->scores->refit.note
			? strlen(line->scores->refit.note)
			: 0;
		return line->scores->refit.note;
	}
	return c->what == ID       ? vs_text_pool_get(&s->id, row, len)
		: c->what == CHROM ? vs_column_contig_name(s, row, len)
		: c->what == ALLELE
		? vs_column_allele_name(s, row, label_of(c, line), len)
		: NULL;
}

void
vs_column_put(struct vs_out *o, const struct vs_show *show,
	const struct vs_column *c, const struct vs_line *line,
	const struct vs_column_style *style)
{
	const bool none =
		(c->what == VALUE ||
			(c->what >= CORRELATION_P && c->what != FAMILY)) &&
		vs_column_undefined(show, line);
	const char *text;
	size_t len = 0;

	if (!none &&
		(put_of_record(o, show, c, line) ||
			put_of_site(o, show, c, line, style->zero_pos)))
		return;
	text = text_of(show->sites, c, line, &len);
	if (c->what == VALUE || c->what == SCORE)
		vs_out_text(o, style->nan);
	else if (text && (len || style->empty))
		style->text(o, text, len);
	else
		vs_out_text(o, style->unknown);
}
