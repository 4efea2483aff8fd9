/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "tools/shared/version.h"

/* The Makefile gives these. */
#ifndef VSIM_VERSION
#define VSIM_VERSION "0.0.0"
#endif
#ifndef VSIM_COMMIT
#define VSIM_COMMIT "unknown"
#endif
#ifndef VSIM_FLAGS
#define VSIM_FLAGS ""
#endif

const char *
vs_version(void)
{
	return VSIM_VERSION " (git " VSIM_COMMIT ")";
}

void
vs_version_print(const char *program)
{
	printf("%s %s\n", program, vs_version());
	printf("compiler %s\nflags %s\n", __VERSION__, VSIM_FLAGS);
}
