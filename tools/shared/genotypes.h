/* SPDX-License-Identifier: BSD-3-Clause */
/* Input of genotypes by options: opened, filtered, and delivered vector by
 * vector. */
#ifndef VS_TOOLS_SHARED_GENOTYPES_H
#define VS_TOOLS_SHARED_GENOTYPES_H

#include "formats/in/reader.h"
#include "tools/shared/genotype_selection.h"
#include "tools/shared/tool.h"

struct vs_table_how;

struct vs_genotypes {
	const struct vs_genotypes_how *how;
	const struct vs_reader_kind *kind; /* null: numbers, or synthetic */
	const char *input;                 /* its name, or - */
	const struct vs_table_how *table;  /* shape of a table; null: detect */
	int64_t part, n_part;              /* n_part 0: all */
	struct vs_provenance *provenance;
	/* as opened */
	struct vs_reader reader;
	struct vs_samples kept;     /* samples selected, if not all are */
	struct vs_samples *samples; /* these, or all */
	int64_t *keep;
	struct vs_site_choice filter;
	struct vs_import import;
	/* as read */
	struct vs_sites sites;
	size_t n_repeat, first_repeat; /* ids that occur at several sites */
	struct vs_tool_progress progress;
	double began;
};

/* Find input and kind of a path by its content; for a vectors file or a result
 * kind stays null. 0; VS_EINPUT: no such file, or a table */
int vs_genotypes_recognize(struct vs_genotypes *g, const char *path);

/* Open the input and read the lists that options name. 0; VS_EUSAGE; VS_EINPUT;
 * VS_EMACHINE */
int vs_genotypes_open(struct vs_genotypes *g);

/* Read everything; give is as in struct vs_import. 0; VS_EINPUT; VS_EMACHINE */
int vs_genotypes_read(struct vs_genotypes *g,
	int (*give)(void *giving, const struct vs_vec *vec, uint64_t lo,
		uint64_t hi, const struct vs_sites *sites),
	void *giving);

/* Genetic positions of the sites read, if --map names a map. 0; VS_EINPUT;
 * VS_EMACHINE */
int vs_genotypes_map(struct vs_genotypes *g);

/* Separate steps of these, for numbers: phenotypes of the samples, limits of
 * sites, guesses, ids that occur more than once. */
int vs_genotypes_phenotypes(struct vs_genotypes *g);
void vs_genotypes_filters(struct vs_genotypes *g);
void vs_genotypes_guesses(const struct vs_genotypes *g,
	const struct vs_text_pool *guess);
int vs_genotypes_repeats(struct vs_genotypes *g);

/* Warnings after success; about all inputs except parts, about names; with -v
 * what was done. */
void vs_genotypes_warn(const struct vs_genotypes *g);
void vs_genotypes_warn_of_names(const struct vs_genotypes *g);
void vs_genotypes_warn_of_ids(const struct vs_genotypes *g);
void vs_genotypes_warn_of_rounded(const struct vs_genotypes *g, uint64_t n,
	const char *first);
void vs_genotypes_say(const struct vs_genotypes *g);

/* Bytes of the packed calls of the input's n_site sites: a quarter of a byte
 * each. */
double vs_genotypes_bytes(const struct vs_genotypes *g, uint64_t n_site);

void vs_genotypes_close(struct vs_genotypes *g);

#endif
