/* SPDX-License-Identifier: BSD-3-Clause */
/* Help of a program, made from its tables of options and rules, and its
 * version. */
#include <stdio.h>
#include <string.h>

#include "formats/h5/h5.h"
#include "libcore/kern/kernels.h"
#include "libcore/kern/minima/minima.h"
#include "libcore/plan/comm.h"
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

/* The Makefile gives these. */
#ifndef VSIM_VERSION
#define VSIM_VERSION "0.0.0"
#endif
#ifndef VSIM_COMMIT
#define VSIM_COMMIT "unknown"
#endif
#ifndef VSIM_STATIC
#define VSIM_STATIC "none"
#endif
#ifndef VSIM_FLAGS
#define VSIM_FLAGS ""
#endif

const char *
vs_help_version(void)
{
	return VSIM_VERSION " (git " VSIM_COMMIT ")";
}

void
vs_help_versions(const char *program)
{
	const struct vs_minima *m;
	const struct vs_dense *k;
	char mpi[128];

	vs_comm_version(mpi, sizeof(mpi));
	printf("%s %s\n", program, vs_help_version());
	printf("libraries %s, %s; linked statically: %s\n", vs_h5_version(),
		mpi, VSIM_STATIC);
	printf("kernels");
	for (int n = 0; (k = vs_registry_dense[n]); n++)
		printf(" %s", k->name);
	printf("; this CPU supports at most %s\n", vs_cpu_name(vs_cpu_best()));
	printf("of numbers");
	for (int n = 0; (m = vs_registry_minima[n]); n++)
		printf(" %s", m->name);
	printf("\ncompiler %s\nflags %s\n", __VERSION__, VSIM_FLAGS);
}
