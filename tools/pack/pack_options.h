/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line options of vsim-pack: their table, and the checks that it cannot
 * express. */
#ifndef VS_TOOLS_PACK_PACK_OPTIONS_H
#define VS_TOOLS_PACK_PACK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/in/readers.h"
#include "formats/in/table_shape.h"
#include "libcore/base/opt.h"
#include "tools/shared/genotypes.h"

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
	const char *separator, *decimal, *id_column, *drop_columns,
		*missing_word;
	int64_t vectors, fields, seed;
	double missing;
	const char *planted, *model, *frequency[2], *penetrance[2];
	int64_t cases;
	struct vs_genotypes_how how;
	const char *output, *label, *codec, *normalize, *part;
	int64_t level, text_columns;
	bool transpose, missing_as_zero, force, no_host, parts;
} vs_pack_options;

extern struct vs_opt vs_pack_options_table[];
extern const struct vs_opt_rule vs_pack_options_rules[];

/* True for options on the shape of a text table. */
struct vs_table_how vs_pack_options_table_how(void);

/* Enter the readers of genotypes into the table; returns the synopsis with
 * them. */
const char *vs_pack_options_inputs(void);

/* Input and manner of packing. */
struct vs_pack_wanted {
	struct vs_codec codec;
	bool numbers; /* a matrix, or a field of a VCF */
	bool planted; /* --synthetic epistasis */
};

/* Check the options and derive the settings. 0; VS_EUSAGE */
int vs_pack_options_check(const struct vs_args *args,
	struct vs_pack_wanted *wanted, struct vs_genotypes *in);

#endif
