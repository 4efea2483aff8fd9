/* SPDX-License-Identifier: BSD-3-Clause */
/* Printers of the columns of records and vectors. */
#include "formats/out/column.h"
#include "libcore/base/fail.h"
#include "libcore/metric/correlation.h"

enum what {
	INDEX,
	LABEL,
	CELL,
	NUM,
	N,
	VALUE,
	ID,
	CHROM,
	POS,
	ALLELE,
	COUNT,
	FREQ,
	SUM,
	CLASS,
	SCORE,
	CORRELATION_P,
	DEGREES,
	FAMILY,
	Q,
};

/* Scores of a contingency table. */
enum score { K2, LBF, MI, G, P, INTER, INTER_P, ALPHA, BETA, PERMUTED };

#define SITES VS_NEEDS_SITES

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
	{ "id1", ID, 0, -1, SITES },
	{ "chrom1", CHROM, 0, -1, SITES },
	{ "pos1", POS, 0, -1, SITES },
	{ "allele1", ALLELE, 0, -1, SITES },
	{ "freq1", FREQ, 0, -1, SITES },
	{ "id2", ID, 1, -1, SITES },
	{ "chrom2", CHROM, 1, -1, SITES },
	{ "pos2", POS, 1, -1, SITES },
	{ "allele2", ALLELE, 1, -1, SITES },
	{ "freq2", FREQ, 1, -1, SITES },
	{ "id3", ID, 2, -1, SITES | VS_NEEDS_THIRD },
	{ "chrom3", CHROM, 2, -1, SITES | VS_NEEDS_THIRD },
	{ "pos3", POS, 2, -1, SITES | VS_NEEDS_THIRD },
	{ "allele3", ALLELE, 2, -1, SITES | VS_NEEDS_THIRD },
	{ "freq3", FREQ, 2, -1, SITES | VS_NEEDS_THIRD },
	{ "controls", CLASS, 0, 0, VS_NEEDS_TABLE },
	{ "cases", CLASS, 0, 1, VS_NEEDS_TABLE },
	{ "k2", SCORE, 0, K2, VS_NEEDS_TABLE },
	{ "lbf", SCORE, 0, LBF, VS_NEEDS_TABLE },
	{ "mi", SCORE, 0, MI, VS_NEEDS_TABLE },
	{ "g", SCORE, 0, G, VS_NEEDS_TABLE },
	{ "df", DEGREES, 0, 0, VS_NEEDS_TABLE },
	{ "p", SCORE, 0, P, VS_NEEDS_TABLE },
	{ "inter", SCORE, 0, INTER, VS_NEEDS_TABLE | VS_NEEDS_FIT },
	{ "inter_df", DEGREES, 0, 1, VS_NEEDS_TABLE | VS_NEEDS_FIT },
	{ "inter_p", SCORE, 0, INTER_P, VS_NEEDS_TABLE | VS_NEEDS_FIT },
	{ "alpha", SCORE, 0, ALPHA, VS_NEEDS_TABLE },
	{ "beta", SCORE, 0, BETA, VS_NEEDS_TABLE },
	{ "p_permuted", SCORE, 0, PERMUTED,
		VS_NEEDS_TABLE | VS_NEEDS_PERMUTED },
	{ "p_family", FAMILY, 0, -1, VS_NEEDS_NULL },
	{ "q", Q, 0, -1, VS_NEEDS_Q },
	{ 0 },
};

const struct vs_column vs_column_correlation_p = { "p", CORRELATION_P, 0, -1,
	0 };

const struct vs_column vs_columns_vector[] = {
	{ "i", INDEX, 0, -1, VS_NEEDS_INDEX },
	{ "id", ID, 0, -1, SITES },
	{ "chrom", CHROM, 0, -1, SITES },
	{ "pos", POS, 0, -1, SITES },
	{ "allele0", ALLELE, 0, 0, SITES },
	{ "allele1", ALLELE, 0, 1, SITES },
	{ "n0", COUNT, 0, 0, SITES },
	{ "n1", COUNT, 0, 1, SITES },
	{ "n2", COUNT, 0, 2, SITES },
	{ "missing", COUNT, 0, 3, SITES },
	{ "freq1", FREQ, 0, 1, SITES },
	{ 0 },
};

const struct vs_column vs_columns_numbers[] = {
	{ "i", INDEX, 0, -1, VS_NEEDS_INDEX },
	{ "id", ID, 0, -1, SITES },
	{ "chrom", CHROM, 0, -1, SITES },
	{ "pos", POS, 0, -1, SITES },
	{ "allele0", ALLELE, 0, 0, SITES },
	{ "allele1", ALLELE, 0, 1, SITES },
	{ "sum", SUM, 0, -1, VS_NEEDS_SUMS },
	{ 0 },
};

static const struct vs_column *
find(const struct vs_column *list, const char *name, size_t len)
{
	for (; list->name; list++)
		if (strlen(list->name) == len && !memcmp(list->name, name, len))
			return list;
	return NULL;
}

int
vs_column_parse(const struct vs_column *list, const char *words,
	const struct vs_column **column, int *n)
{
	int n_column = 0;

	for (const char *p = words;; p++) {
		size_t len = strcspn(p, ",");
		const struct vs_column *c = find(list, p, len);

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

static double
frequency(const struct vs_sites *s, size_t row, int label)
{
	struct vs_site site;
	int64_t one, all;

	vs_sites_get(s, row, &site);
	vs_sites_alleles(&site, s->ploidy, &one, &all);
	return all ? (double)(label ? one : all - one) / (double)all : 0;
}

static int
label_of(const struct vs_column *c, const struct vs_line *line)
{
	int last = line->rec.k == VS_NO_VEC ? 1 : 2;

	return c->label >= 0 ? c->label
			     : (int)(line->rec.cell >> (last - c->end) & 1);
}

/* False for the cell and its labels if a metric has none; its alleles are those
 * labelled 1. */
static bool
has_label(const struct vs_column *c, const struct vs_line *line)
{
	return line->rec.cell != VS_NO_CELL ||
		(c->what != LABEL && c->what != CELL);
}

const char *
vs_column_contig_name(const struct vs_sites *s, size_t row, size_t *len)
{
	if (!s->contig || s->contig[row] < 0)
		return NULL;
	return vs_text_pool_get(&s->contig_name, (size_t)s->contig[row], len);
}

static double
score_of(const struct vs_scores *s, enum score which)
{
	switch (which) {
	case K2:
		return s->k2;
	case LBF:
		return s->lbf;
	case MI:
		return s->mi;
	case G:
		return s->g;
	case P:
		return s->p;
	case INTER:
		return s->inter;
	case INTER_P:
		return s->inter_p;
	case ALPHA:
		return s->alpha;
	case BETA:
		return s->beta;
	case PERMUTED:
		break;
	}
	return s->permuted;
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

/* Write a column that has the same form in all formats; false: a text or
 * unknown value. */
static bool
put_number(struct vs_out *o, const struct vs_show *show,
	const struct vs_column *c, const struct vs_line *line)
{
	const struct vs_record *r = &line->rec;
	size_t row = line->row[c->end];

	switch ((enum what)c->what) {
	case CLASS:
		put_class(o, line->scores, c->label);
		break;
	case SCORE:
		vs_out_real(o, score_of(line->scores, (enum score)c->label));
		break;
	case CORRELATION_P:
		if (vs_column_undefined(show, line))
			return false;
		vs_out_real(o,
			vs_correlation_p(r->value, show->squared,
				fields_of(show, r)));
		break;
	case DEGREES:
		vs_out_int(o,
			c->label ? line->scores->inter_df : line->scores->df);
		break;
	case FAMILY:
		vs_out_real(o, line->p_family);
		break;
	case Q:
		if (vs_column_undefined(show, line))
			return false;
		vs_out_real(o, line->q);
		break;
	case INDEX:
		vs_out_int(o,
			(int64_t)(c->end == 2    ? r->k
					: c->end ? r->j
						 : r->i));
		break;
	case LABEL:
		vs_out_char(o, (char)('0' + label_of(c, line)));
		break;
	case CELL:
		vs_out_int(o, r->cell);
		break;
	case NUM:
		vs_out_int(o, r->num);
		break;
	case N:
		vs_out_int(o, fields_of(show, r));
		break;
	case VALUE:
		if (vs_column_undefined(show, line))
			return false;
		if (show->f32)
			vs_out_f32(o, (float)r->value);
		else
			vs_out_real(o, r->value);
		break;
	case COUNT:
		vs_out_int(o, show->sites->count[row][c->label]);
		break;
	case FREQ:
		if (!is_counted(show->sites, row))
			return false;
		vs_out_real(o, frequency(show->sites, row, label_of(c, line)));
		break;
	case SUM:
		if (show->whole_sums)
			vs_out_int(o,
				(int64_t)((const uint64_t *)show->sums)[row]);
		else
			vs_out_real(o, ((const double *)show->sums)[row]);
		break;
	case ID:
	case CHROM:
	case POS:
	case ALLELE:
		return false;
	}
	return true;
}

bool
vs_column_is_of_end(const struct vs_column *c)
{
	switch ((enum what)c->what) {
	case INDEX:
	case LABEL:
	case ID:
	case CHROM:
	case POS:
	case ALLELE:
	case FREQ:
		return true;
	default:
		return false;
	}
}

/* Text of a column; null: unknown. */
static const char *
text_of(const struct vs_sites *s, const struct vs_column *c,
	const struct vs_line *line, size_t *len)
{
	size_t row = line->row[c->end];

	switch (c->what) {
	case ID:
		return vs_text_pool_get(&s->id, row, len);
	case CHROM:
		return vs_column_contig_name(s, row, len);
	case ALLELE:
		return vs_column_allele_name(s, row, label_of(c, line), len);
	default:
		return NULL;
	}
}

void
vs_column_put(struct vs_out *o, const struct vs_show *show,
	const struct vs_column *c, const struct vs_line *line,
	const struct vs_column_style *style)
{
	const struct vs_sites *s = show->sites;
	size_t row = line->row[c->end], len = 0;
	const char *text = NULL;

	if (has_label(c, line) && put_number(o, show, c, line))
		return;
	if (has_label(c, line) && c->what == POS &&
		(style->zero_pos || (s->pos && s->pos[row]))) {
		vs_out_int(o, s->pos ? s->pos[row] : 0);
		return;
	}
	if (has_label(c, line))
		text = text_of(s, c, line, &len);
	if (c->what == VALUE)
		vs_out_text(o, style->nan);
	else if (text && (len || style->empty))
		style->text(o, text, len);
	else
		vs_out_text(o, style->unknown);
}
