/* SPDX-License-Identifier: BSD-3-Clause */
/* Version, libraries, kernels and flags of this build. */
#include <stdio.h>

#include "formats/h5/h5.h"
#include "libcore/kern/kernels.h"
#include "libcore/kern/minima/minima.h"
#include "libcore/plan/comm.h"
#include "tools/shared/version.h"

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
vs_version(void)
{
	return VSIM_VERSION " (git " VSIM_COMMIT ")";
}

void
vs_version_print(const char *program)
{
	const struct vs_minima *m;
	const struct vs_dense *k;
	char mpi[128];

	vs_comm_version(mpi, sizeof(mpi));
	printf("%s %s\n", program, vs_version());
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
