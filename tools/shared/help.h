/* SPDX-License-Identifier: BSD-3-Clause */
/* Help of a program: --help, -h, --version, and lists for other programs. */
#ifndef VS_TOOLS_SHARED_HELP_H
#define VS_TOOLS_SHARED_HELP_H

#include "tools/shared/tool.h"

/*
 * Print the help.
 * common  options that every program has
 * all     --help; else -h, the common ones of its own
 */
void vs_help_print(const struct vs_tool *tool, const struct vs_opt *common,
	bool all);

/*
 * Print options or rules, one a line, for completion by a shell and for tests.
 * word     --list-options or --list-rules, which --help does not show
 * returns  false, with nothing printed: another word
 */
bool vs_help_list(const struct vs_tool *tool, const struct vs_opt *common,
	const char *word);

/* "1.0.0 (git 1a2b3c4)" */
const char *vs_help_version(void);

/* Print program, commit, libraries, kernels built, compiler and flags to
 * stdout. */
void vs_help_versions(const char *program);

#endif
