/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line options of vsim-pack: their table and the checks that it cannot
 * express. */
#ifndef VS_TOOLS_PACK_PACK_OPTIONS_H
#define VS_TOOLS_PACK_PACK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/in/import.h"
#include "formats/in/readers.h"
#include "libcore/base/opt.h"
#include "tools/shared/tool.h"

/* Readers of genotypes. */
enum {
#define READER(name) VS_PACK_##name,
#define MATRIX(name)
#include "formats/in/rows.h"
#undef READER
#undef MATRIX
	VS_N_PACK
};

/* Values of the options; defaults until vs_tool_begin() has parsed argv. */
extern struct vs_pack_options {
	const char *input[VS_N_PACK];
	const char *matrix, *element, *header, *synthetic;
	int64_t vectors, fields, seed;
	double missing;
	const char *planted, *model, *frequency[2], *penetrance[2];
	int64_t cases;
	const char *output, *label, *keep, *extract, *pheno, *pheno_name,
		*codec, *remove, *exclude, *chr, *format_field, *normalize,
		*multiallelic, *part;
	double maf, max_missing;
	double from_kb, to_kb; /* below 0: none */
	int64_t level, threads, ploidy, text_columns;
	bool transpose, missing_as_zero;
	bool force, drop_monomorphic, no_host, keep_founders, parts;
} vs_pack_options;

extern struct vs_opt vs_pack_options_table[];

/* Enter the readers of genotypes into the table; the synopsis they make. */
const char *vs_pack_options_inputs(void);

/* Input and manner of packing. */
struct vs_pack_wanted {
	const struct vs_reader_kind *kind; /* null: numbers, or made up */
	const char *input;                 /* its name, or - */
	enum vs_label label;
	struct vs_codec codec;
	bool numbers;         /* a matrix, or a field of a VCF */
	bool planted;         /* --synthetic epistasis */
	int64_t part, n_part; /* --part; n_part is 0: all */
};

/* Check the options and fill in what they ask for. 0; VS_EUSAGE */
int vs_pack_options_check(const struct vs_args *args,
	struct vs_pack_wanted *wanted);

#endif
