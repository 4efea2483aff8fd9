/* SPDX-License-Identifier: BSD-3-Clause */
#include "libcore/kern/tally.h"

/* rows of another processor's kernels are empty */
#if defined(__x86_64__)
#define X86(name) X(name)
#else
#define X86(name)
#endif

#define X(name) extern const struct vs_kernel vs_##name;
#include "libcore/kern/rows.h"
#undef X

static const struct vs_kernel *const kernels[] = {
#define X(name) &vs_##name,
#include "libcore/kern/rows.h"
#undef X
};

const struct vs_kernel *
vs_kernel_at(int k)
{
	return k < (int)(sizeof(kernels) / sizeof(kernels[0])) ? kernels[k]
							       : NULL;
}

const struct vs_kernel *
vs_kernel_pick(enum vs_cpu cpu)
{
	int k = 0;

	while (kernels[k]->cpu > cpu)
		k++;
	return kernels[k];
}
