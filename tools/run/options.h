/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line options of vsim-run: their table, and the checks that it cannot
 * express. */
#ifndef VS_TOOLS_RUN_OPTIONS_H
#define VS_TOOLS_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "libcore/base/opt.h"
#include "tools/run/setup.h"
#include "tools/shared/tool.h"

/* Values of the options; defaults until vs_tool_begin() has parsed argv. */
extern struct vs_options {
	const char *metric, *output, *cpu, *value, *codec, *backend, *config;
	const char *stats, *kernel, *device, *engine, *multiplier, *gamma;
	const char *threshold, *histogram, *summary, *stage, *between[2],
		*triples[2], *with, *min_joint;
	const char *to, *columns, *undefined;
	struct vs_genotypes_how how;
	const char *merge, *against, *vectors, *exchange, *model, *shape;
	int64_t way, threads, commit, tile, level, top, max_records,
		permute_test, ranks;
	struct vs_decimal min_kb, max_kb, max_cm;
	struct vs_pair_rules rules; /* with these kb, once checked */
	uint64_t memory, gpu_memory;
	bool force, resume, dry_run, no_threshold, no_host, no_prune, no_bind,
		absolute, allow_empty, no_header;
} vs_options;

/* Complete the choices, before vs_tool_begin(). */
void vs_options_begin(void);

extern struct vs_opt vs_options_table[];
extern const struct vs_opt_rule vs_options_rules[];

/*
 * Check the options, read a runfile, and store the settings in s.
 * returns  0; VS_EUSAGE; VS_EINPUT
 */
int vs_options_check(const struct vs_args *args, struct vs_setup *s);

#endif
