/* SPDX-License-Identifier: BSD-3-Clause */
/* Sample table: ids, sex, case status and phenotypes, from a .fam or a
 * table. */
#ifndef VS_FORMATS_IN_SAMPLE_TABLE_H
#define VS_FORMATS_IN_SAMPLE_TABLE_H

#include "formats/h5/provenance.h"
#include "formats/in/text/lines.h"
#include "formats/vectors/sites.h"

enum vs_sample_kind { VS_SAMPLE_FAM, VS_SAMPLE_PSAM, VS_SAMPLE_OXFORD };

/*
 * A table of samples: a .fam, .tfam, .psam or .sample, or the columns of a .fam
 * in other text. All zero before the first line is read; a .fam until a header
 * is.
 */
struct vs_sample_table {
	struct vs_sample_column *column; /* phenotypes */
	struct vs_text_pool name;        /* of these */
	uint8_t *role;                   /* what each column of a line says */
	size_t n_column, n_role, room_column, room_role, room_sex, room_child;
	bool named;      /* a header names the columns, as in a .psam */
	bool covariates; /* the columns are these, not phenotypes */
	bool oxford;     /* it is a .sample */
	size_t binary;   /* of a .sample: its first column of type B, from 1 */
	bool family;     /* of some sample, besides 0 */
};

/*
 * Read a table of samples into empty s. In a .fam column 6 is phenotype
 * "pheno", later ones "pheno2" and so on; a column that is missing throughout
 * (-9, NA), or not numeric, is skipped. The header of a .psam names the
 * columns: IID, optionally FID, PAT, MAT and SEX; all others except SID are
 * phenotypes. Without a header it is a .fam. The header of a .sample names ID_1
 * and ID_2 for FID and IID, missing, and optionally sex, and the next line has
 * the types of columns: 0 for these three, else D, C, P or B.
 * status   name of the one that is the case status, of 1 and 2 (0: missing) or
 *          of 0 and 1, or else the quantitative trait; null: column 6 of a
 *          .fam, the first of a .psam, whose values are 1 and 2; the first of
 *          type B of a .sample, of 0 and 1
 * returns  0; VS_EINPUT: also where that is neither; VS_EMACHINE
 */
int vs_sample_table_read(struct vs_samples *s, const char *path,
	enum vs_sample_kind kind, const char *status,
	struct vs_provenance *provenance);

/*
 * The same for text with lines that begin with the six columns of a .fam.
 *
 * six  read the columns at *at, which moves past them
 * end  read the phenotype, after all lines; path is for messages
 */
int vs_sample_table_six(struct vs_sample_table *t, struct vs_samples *s,
	const struct vs_lines *l, char **at);
int vs_sample_table_end(struct vs_sample_table *t, struct vs_samples *s,
	const char *path, const char *status);
void vs_sample_table_free(struct vs_sample_table *t);

struct vs_sample_table_said {
	size_t n_found;   /* samples with a line in the file */
	size_t n_unknown; /* lines whose sample is not among s */
	size_t n_pheno;   /* columns taken */
	bool zero_one; /* the status column was found by its values 0 and 1 */
	bool named;    /* the file has a header */
};

/*
 * Replace the phenotypes of s by the columns of a table whose header begins
 * with FID IID, or IID, and then names each column. Samples without a line are
 * missing.
 * status   as above; null: the first column of 1 and 2, or if there is none the
 *          first of 0 and 1
 * returns  as above
 */
int vs_sample_table_pheno(struct vs_samples *s, const char *path,
	const char *status, struct vs_provenance *provenance,
	struct vs_sample_table_said *said);

/*
 * Replace the phenotypes of s by covariates likewise. A table without a header
 * begins with FID and IID, and its columns are COV1, COV2 and so on.
 * names    of those wanted, in this order, separated by commas; null: all
 * returns  0; VS_EINPUT: also where one of these is not numeric; VS_EMACHINE
 */
int vs_sample_table_covar(struct vs_samples *s, const char *path,
	const char *names, struct vs_sample_table_said *said);

#endif
