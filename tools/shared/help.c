/* SPDX-License-Identifier: BSD-3-Clause */
/* Help of a program, made from its tables of options and rules. */
#include <stdio.h>
#include <string.h>

#include "tools/shared/help.h"

void
vs_help_print(const struct vs_tool *tool, const struct vs_opt *common, bool all)
{
	printf("usage: %s %s\n\n%s\n\n", tool->name, tool->synopsis,
		tool->purpose);
	vs_opt_help(tool->opts, !all, stdout);
	if (!all) {
		printf("\n%s --help lists all options\n", tool->name);
		return;
	}
	putchar('\n');
	vs_opt_help(common, false, stdout);
	if (tool->lesson)
		printf("\n%s", tool->lesson);
	printf("\nexit: 0 done, 1 answer is no, 2 wrong usage, 3 wrong input, "
	       "4 machine failed\n");
}

bool
vs_help_list(const struct vs_tool *tool, const struct vs_opt *common,
	const char *word)
{
	if (!strcmp(word, "--list-options")) {
		vs_opt_list(tool->opts, stdout);
		vs_opt_list(common, stdout);
		return true;
	}
	if (strcmp(word, "--list-rules") != 0)
		return false;
	vs_opt_rules_list(tool->rules, stdout);
	return true;
}
