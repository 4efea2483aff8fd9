/* SPDX-License-Identifier: BSD-3-Clause */
/* Input of genotypes by options: opened, filtered, and delivered vector by
 * vector. */
#ifndef VS_TOOLS_SHARED_GENOTYPES_H
#define VS_TOOLS_SHARED_GENOTYPES_H

#include "formats/in/import.h"
#include "formats/in/reader.h"
#include "formats/in/site_choice.h"
#include "formats/vectors/sites.h"
#include "libcore/base/decimal.h"
#include "libcore/base/opt.h"
#include "tools/shared/tool.h"

/* Options of an input of genotypes; VS_GENOTYPES_HOW unless given. */
struct vs_genotypes_how {
	const char *keep, *remove, *extract, *exclude, *chr;
	struct vs_decimal from_kb, to_kb;
	double maf, max_missing;
	bool keep_founders, drop_monomorphic;
	const char *sample; /* of a .bgen */
	const char *pheno, *pheno_name, *update_sex, *map, *annot;
	const char *multiallelic, *polyploid, *sex_chromosomes, *split_par;
	enum vs_label label;
	int64_t ploidy, autosomes, threads;
	bool haplotypes;   /* of phased calls; ploidy is 1 */
	const char *field; /* whose numbers are read; null: genotypes */
};
#define VS_GENOTYPES_HOW                                            \
	{                                                           \
		.max_missing = 1, .multiallelic = "drop",           \
		.polyploid = "missing", .sex_chromosomes = "plink", \
		.ploidy = 2, .autosomes = 22,                       \
	}

/*
 * Rows of options for these: limits of sites, samples, sites; how is a struct
 * vs_genotypes_how.
 */
#define VS_OPTS_LIMITS(how, ...)                                              \
	{ 0, "maf", "X", VS_OPT_REAL, &(how)->maf, 0, 0.5, .common = true,    \
		.help = "drop sites with a minor allele frequency below X",   \
		__VA_ARGS__ },                                                \
		{ 0, "max-missing", "X", VS_OPT_REAL, &(how)->max_missing, 0, \
			1, .common = true,                                    \
			.help = "drop sites with more than this share "       \
				"missing" },                                  \
	{                                                                     \
		0, "drop-monomorphic", NULL, VS_OPT_FLAG,                     \
			&(how)->drop_monomorphic,                             \
			.help = "drop sites where only one allele occurs"     \
	}

#define VS_OPTS_SAMPLES(how)                                                  \
	{ 0, "keep", "FILE", VS_OPT_TEXT, &(how)->keep, .common = true,       \
		.help = "only these samples: IID or FID IID per line" },      \
		{ 0, "remove", "FILE", VS_OPT_TEXT, &(how)->remove,           \
			.help = "without these samples" },                    \
	{                                                                     \
		0, "keep-founders", NULL, VS_OPT_FLAG, &(how)->keep_founders, \
			.help = "only samples whose parents are unknown"      \
	}

#define VS_OPTS_SITES(how)                                                     \
	{ 0, "extract", "FILE", VS_OPT_TEXT, &(how)->extract, .common = true,  \
		.help = "only these sites, an id per line" },                  \
		{ 0, "exclude", "FILE", VS_OPT_TEXT, &(how)->exclude,          \
			.help = "without these sites" },                       \
		{ 0, "chr", "LIST", VS_OPT_TEXT, &(how)->chr, .common = true,  \
			.help = "only these chromosomes, such as 1-4,X" },     \
		{ 0, "from-kb", "X", VS_OPT_DECIMAL, &(how)->from_kb, 0, 1e12, \
			.help = "only positions from X kb on, of one "         \
				"chromosome" },                                \
	{                                                                      \
		0, "to-kb", "X", VS_OPT_DECIMAL, &(how)->to_kb, 0, 1e12,       \
			.help = "only positions up to X kb"                    \
	}

#define VS_OPT_MAP(how)                                                   \
	{                                                                 \
		0, "map", "FILE", VS_OPT_TEXT, &(how)->map,               \
			.help = "genetic map: centimorgans, for --max-cm" \
	}

/* Names of the options of limits and sites, for rules. */
#define VS_NAMES_SITES \
	"maf max-missing drop-monomorphic extract exclude chr from-kb to-kb"
#define VS_NAMES_SAMPLES "keep remove keep-founders"

/* A file's name for messages: "-" is standard input. */
const char *vs_genotypes_name(const char *file);

/* Warn of words that found nothing; with -v report how names matched. */
void vs_genotypes_warn_of_lists(const struct vs_genotypes_how *how,
	const struct vs_site_choice *f, const char *input);
void vs_genotypes_say_lists(const struct vs_genotypes_how *how,
	const struct vs_site_choice *f);

/* True if some sites may be left out by these options. */
bool vs_genotypes_has_sites(const struct vs_genotypes_how *how);

struct vs_table_how;

struct vs_genotypes {
	const struct vs_genotypes_how *how;
	const struct vs_reader_kind *kind; /* null: a matrix, or synthetic */
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

/* Read everything; import.give and giving are set. 0; VS_EINPUT; VS_EMACHINE */
int vs_genotypes_read(struct vs_genotypes *g);

/* For import.give: add n sites to the table. 0; VS_EMACHINE */
int vs_genotypes_keep(struct vs_genotypes *g, const struct vs_site *site,
	uint64_t n);

/* Genetic positions and annotations of the sites read, if --map and --annot
 * name files. 0; VS_EINPUT; VS_EMACHINE */
int vs_genotypes_annotate(struct vs_genotypes *g);

/* Separate steps of these, for numbers: guesses, ids that occur more than
 * once. */
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
