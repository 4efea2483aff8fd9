/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "libcore/kern/tally.h"

/* rows of another processor's kernels are empty */
#if defined(__x86_64__)
#define DENSE86(name) DENSE(name)
#define SPARSE86(name) SPARSE(name)
#else
#define DENSE86(name)
#define SPARSE86(name)
#endif
#if defined(__aarch64__)
#define DENSE64(name) DENSE(name)
#define SPARSE64(name) SPARSE(name)
#else
#define DENSE64(name)
#define SPARSE64(name)
#endif

#define DENSE(name) extern const struct vs_dense vs_dense_##name;
#define SPARSE(name) extern const struct vs_sparse vs_sparse_##name;
#include "libcore/kern/rows.h"
#undef DENSE
#undef SPARSE

static const struct vs_dense *const denses[] = {
#define DENSE(name) &vs_dense_##name,
#define SPARSE(name)
#include "libcore/kern/rows.h"
#undef DENSE
#undef SPARSE
	NULL
};

static const struct vs_sparse *const sparses[] = {
#define DENSE(name)
#define SPARSE(name) &vs_sparse_##name,
#include "libcore/kern/rows.h"
	NULL
};

const struct vs_dense *
vs_dense_at(int k)
{
	return denses[k];
}

const struct vs_sparse *
vs_sparse_at(int k)
{
	return sparses[k];
}

const struct vs_dense *
vs_dense_pick(enum vs_cpu cpu, const char *name)
{
	int k = 0;

	while (denses[k] &&
		(denses[k]->cpu > cpu ||
			(name && strcmp(denses[k]->name, name))))
		k++;
	return denses[k];
}

const struct vs_sparse *
vs_sparse_pick(enum vs_cpu cpu)
{
	int k = 0;

	while (sparses[k]->cpu > cpu)
		k++;
	return sparses[k];
}
