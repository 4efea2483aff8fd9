/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of text output for records and vectors. */
#ifndef VS_FORMATS_OUT_COLUMN_H
#define VS_FORMATS_OUT_COLUMN_H

#include <stdbool.h>

#include "formats/out/out.h"
#include "formats/vectors/sites.h"
#include "libcore/base/record.h"
#include "libcore/bits/value_text.h"
#include "libcore/metric/scores.h"

/* A record to be shown; for a vector only end[0] is set. */
struct vs_line {
	struct vs_record rec; /* i < j < k as shown, cell bits moved along */
	/* rows of the sites, for ends i, j and k; if sites are unknown, the
	 * vectors */
	size_t row[3];
	uint64_t vec[3];                /* these ends as named by the result */
	const struct vs_scores *scores; /* for columns that need them */
	double p_family, q, r;          /* likewise */
	const struct vs_value_text *text; /* of the value, or null */
};

/* The same for all lines. */
struct vs_show {
	const struct vs_sites *sites; /* may be null if no column needs it */
	const struct vs_column *const *column;
	int n_column;
	bool head;               /* begin with a line of column names */
	const char *head_prefix; /* for tsv: text before these, or null */
	bool f32;                /* value is a widened float */
	const char *metric;      /* of a result */
	enum vs_strong strong;   /* which of its values are stronger */
	bool cells;              /* its records refer to alleles */
	int n_way;               /* 2: pairs, 3: triples */
	bool squared;            /* values are r2, else r; of correlations */
	int64_t n_field;
	/* for numbers, from vs_packed_sums() */
	const void *sums;
	bool whole_sums; /* they are integers */
	/* vectors of a matrix in order: rows of the sites, and each one's value
	 * with itself, NaN: unknown */
	const size_t *row;
	const uint64_t *vec; /* as the result names them */
	const double *itself;
	size_t n_row;
	/* true if a record's value 0 is 0/0 for its n vectors; null: show 0 */
	bool (*undefined)(const void *with, const uint64_t *vec, int n);
	const void *undefined_with;
	int64_t neighbors; /* most of a vector; 0: all */
	bool absent_zero;  /* the value of a pair without a record is 0 */
};

/* Data that a column needs. */
enum {
	VS_NEEDS_SITES = 1,
	VS_NEEDS_INDEX = 2, /* original rows, also for the order of the ends */
	VS_NEEDS_NUM = 4,
	VS_NEEDS_SUMS = 8,
	VS_NEEDS_THIRD = 16, /* triples */
	VS_NEEDS_PAIRS = 32,
	VS_NEEDS_TABLE = 64, /* the contingency table with case and control */
	VS_NEEDS_FIT = 128,  /* and its fit without interaction */
	VS_NEEDS_PERMUTED = 256,     /* and tables of permuted cases */
	VS_NEEDS_MATRIX = 512,       /* its vectors; one value per pair */
	VS_NEEDS_NULL = 1024,        /* strongest values of permuted data */
	VS_NEEDS_Q = 2048,           /* the p-values of all records */
	VS_NEEDS_CORRELATION = 4096, /* values that are correlations */
	VS_NEEDS_COUNTS = 8192,      /* genotypes */
	VS_NEEDS_TRAIT = 16384,      /* the table with a quantitative trait */
	VS_NEEDS_R = 32768,          /* r of the genotypes behind r2 */
	VS_NEEDS_REFIT = 65536,      /* regression on the genotypes */
};

struct vs_column {
	const char *name;
	unsigned char what, end;
	short label; /* -1: of the record; else class, or offset of a score */
	unsigned needs;
};

/* Columns of records and of vectors; each list ends with a null name. */
extern const struct vs_column vs_columns_record[], vs_columns_vector[];

/* Parse a comma-separated list of columns; `column` has room for all of them.
 * lacks: columns that need any of these may not be named. */
int vs_column_parse(const struct vs_column *list, const char *words,
	unsigned lacks, const struct vs_column **column, int *n);

/* Most columns that one line can have. */
#define VS_COLUMNS_MOST 64

/* Differences between formats; numbers look the same in all. */
struct vs_column_style {
	const char *unknown; /* text for unknown values */
	const char *nan;     /* text for a value that is 0/0 */
	bool zero_pos;       /* an unknown position is 0 */
	bool empty;          /* an empty text is empty, not unknown */
	void (*text)(struct vs_out *o, const char *text, size_t len);
};

/* True if a column says the same about an end, by its row and label, in every
 * line of a result. */
bool vs_column_is_of_end(const struct vs_column *c);

/* True for the value of a record. */
bool vs_column_is_value(const struct vs_column *c);

/* True if the value of a line is 0/0, if that is asked for. */
bool vs_column_undefined(const struct vs_show *show,
	const struct vs_line *line);

/* The line of the columns' names, if there is one. */
int vs_column_head(struct vs_out *o, const struct vs_show *show,
	char separator);

/* A value as the result has it, a double or a float. */
void vs_column_value(struct vs_out *o, const struct vs_show *show,
	double value);

/* The value of a line likewise. */
static inline void
vs_column_line_value(struct vs_out *o, const struct vs_show *show,
	const struct vs_line *line)
{
	char *to = vs_out_room(o, VS_VALUE_TEXT);

	if (!line->text) {
		vs_column_value(o, show, line->rec.value);
		return;
	}
	memcpy(to, line->text->text, VS_VALUE_TEXT);
	o->len += (size_t)line->text->n;
}

void vs_column_put(struct vs_out *o, const struct vs_show *show,
	const struct vs_column *c, const struct vs_line *line,
	const struct vs_column_style *style);

/*
 * The allele of a label of row, or the label's digit if the alleles of
 * genotypes have no names: never empty. Null, of length 0, for numbers without
 * alleles.
 */
const char *vs_column_allele_name(const struct vs_sites *s, size_t row,
	int label, size_t *len);

/* The contig of row, null if unknown. */
const char *vs_column_contig_name(const struct vs_sites *s, size_t row,
	size_t *len);

#endif
