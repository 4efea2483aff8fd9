/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of the case-control status or trait of a vectors file. */
#include <math.h>
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

/* Shuffle the items of the samples whose status is known (Fisher-Yates). */
static int
shuffle(void *item, size_t bytes, const uint8_t *status, uint64_t n,
	uint64_t seed)
{
	uint64_t left = 0;
	struct vs_rng rng;
	char *known = NULL, *at = item;
	int code = vs_mem_room(&known, n, bytes, "statuses");

	if (code)
		return code;
	for (uint64_t q = 0; q < n; q++)
		if (status[q] <= 1)
			memcpy(known + bytes * left++, at + bytes * q, bytes);
	vs_rng_seed(&rng, seed);
	for (uint64_t q = 0; q < n; q++) {
		uint64_t one;

		if (status[q] > 1)
			continue;
		one = vs_rng_below(&rng, left);
		memcpy(at + bytes * q, known + bytes * one, bytes);
		left--;
		memmove(known + bytes * one, known + bytes * left, bytes);
	}
	free(known);
	return 0;
}

static int
read_trait(struct vs_case_control *c, struct vs_packed *f, const char *path,
	int64_t case_seed)
{
	const size_t n = (size_t)f->n_field;
	int code = vs_packed_trait(f, &c->value);

	if (!code && !c->value)
		code = vs_fail(VS_EINPUT,
			"%s: has no quantitative trait; give vsim-pack or vsim "
			"epistasis --pheno-name NAME, and --pheno FILE unless "
			"the input has phenotypes",
			path);
	if (!code)
		code = vs_mem_room(&c->status, n, 1, "statuses");
	for (size_t q = 0; q < n && !code; q++)
		c->status[q] = isfinite(c->value[q]) ? 0 : 255;
	if (!code && case_seed)
		code = shuffle(c->value, sizeof(*c->value), c->status, n,
			(uint64_t)case_seed);
	if (!code)
		code = vs_trait_new(&c->trait, c->value, n);
	if (!code)
		code = vs_classes_new(&c->classes, c->status, n);
	c->classes.in_order = true;
	if (code)
		vs_case_control_free(c);
	return code;
}

void
vs_case_control_ask(const struct vs_case_control *c, struct vs_query *q)
{
	q->classes = c->status ? &c->classes : NULL;
	q->logs = c->status && !c->value ? &c->logs : NULL;
	q->trait = c->value ? &c->trait : NULL;
}

int
vs_case_control_read(struct vs_case_control *c, struct vs_packed *f,
	const char *path, const struct vs_metric *m, int64_t case_seed)
{
	int code;

	memset(c, 0, sizeof(*c));
	if (m->family != VS_FAMILY_TABLES)
		return 0;
	if (m->trait)
		return read_trait(c, f, path, case_seed);
	code = read_status(f, path, &c->status);
	if (!code && case_seed)
		code = shuffle(c->status, 1, c->status, f->n_field,
			(uint64_t)case_seed);
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
	vs_trait_free(&c->trait);
	free(c->value);
	memset(c, 0, sizeof(*c));
}
