/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of the case-control status of a vectors file. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "tools/shared/case_control.h"

static int
read_status(struct vs_packed *f, const char *path, uint8_t **status)
{
	int code = vs_packed_status(f, status);

	return code || *status
		? code
		: vs_fail(VS_EINPUT,
			  "%s: has no case/control status; give vsim-pack or "
			  "vsim epistasis --pheno FILE, or a .fam with 1 for "
			  "controls and 2 for cases (0 and 1: --pheno-name "
			  "pheno)",
			  path);
}

/* Shuffle the known statuses (Fisher-Yates). */
static int
shuffle(uint8_t *status, uint64_t n, uint64_t seed)
{
	uint8_t *known = NULL;
	uint64_t left = 0;
	struct vs_rng rng;
	int code = vs_mem_new(&known, n, 1, "statuses");

	if (code)
		return code;
	for (uint64_t q = 0; q < n; q++)
		if (status[q] <= 1)
			known[left++] = status[q];
	vs_rng_seed(&rng, seed);
	for (uint64_t q = 0; q < n; q++) {
		uint64_t one;

		if (status[q] > 1)
			continue;
		one = vs_rng_below(&rng, left);
		status[q] = known[one];
		known[one] = known[--left];
	}
	free(known);
	return 0;
}

int
vs_case_control_read(struct vs_case_control *c, struct vs_packed *f,
	const char *path, const struct vs_metric *m, int64_t case_seed)
{
	int code;

	memset(c, 0, sizeof(*c));
	if (m->family != VS_FAMILY_TABLES)
		return 0;
	code = read_status(f, path, &c->status);
	if (!code && case_seed)
		code = shuffle(c->status, f->n_field, (uint64_t)case_seed);
	if (!code)
		code = vs_classes_new(&c->classes, c->status,
			(size_t)f->n_field);
	if (!code && (!c->classes.n[0] || !c->classes.n[1]))
		code = vs_fail(VS_EINPUT,
			"%s: %lld controls and %lld cases: both are required",
			path, (long long)c->classes.n[0],
			(long long)c->classes.n[1]);
	if (!code)
		code = vs_log_tables_new(&c->logs, m->log,
			c->classes.n[0] + c->classes.n[1]);
	if (code)
		vs_case_control_free(c);
	return code;
}

void
vs_case_control_free(struct vs_case_control *c)
{
	free(c->status);
	vs_classes_free(&c->classes);
	vs_log_tables_free(&c->logs);
	memset(c, 0, sizeof(*c));
}
