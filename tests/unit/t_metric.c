/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of metrics: each sets what its family reads, and nothing else.
 * T_INSTALL */
#include <stddef.h>
#include <string.h>

#include "libcore/metric/metric.h"
#include "tests/unit/test.h"

enum reads { NONE, MAY, MUST };

static const struct {
	const char *name;
	size_t at, size;
	enum reads of[VS_FAMILY_TABLES + 1];
} members[] = {
#define MEMBER(name, alleles, moments, inner, minima, tables) \
	{ #name, offsetof(struct vs_metric, name),            \
		sizeof(((struct vs_metric *)0)->name),        \
		{ [VS_FAMILY_ALLELES] = alleles,              \
			[VS_FAMILY_MOMENTS] = moments,        \
			[VS_FAMILY_INNER] = inner,            \
			[VS_FAMILY_MINIMA] = minima,          \
			[VS_FAMILY_TABLES] = tables } },
#include "libcore/metric/member_rows.h"
};
#define N (sizeof(members) / sizeof(members[0]))

static bool
is_zero(const char *at, size_t n)
{
	static const char zeros[sizeof(struct vs_metric)];

	return !memcmp(at, zeros, n);
}

/* Members that are set and not read, or read and not set; and bytes that are of
 * no member. */
static int
wrong(const struct vs_metric *m)
{
	struct vs_metric rest = *m;
	int n = 0;

	for (size_t k = 0; k < N; k++) {
		const enum reads reads = members[k].of[m->family];
		char *at = (char *)&rest + members[k].at;
		const bool set = !is_zero(at, members[k].size);

		if (set ? reads == NONE : reads == MUST) {
			n++;
			T_OK(false, "%s: its family %s .%s, which is %s",
				m->name, set ? "does not read" : "has to have",
				members[k].name, set ? "set" : "not set");
		}
		memset(at, 0, members[k].size);
	}
	return n + !is_zero((const char *)&rest, sizeof(rest));
}

/* The row whose device code computes another row of its family, or null. */
static const struct vs_metric *
same_code(const struct vs_metric *m)
{
	const struct vs_metric *of;

	for (int k = 0; (of = vs_metric_at(k)) && of != m; k++)
		if (m->device > VS_DEVICE_ALLELES && of->device == m->device &&
			of->family == m->family)
			return of;
	return NULL;
}

int
main(void)
{
	const struct vs_metric *m;

	for (int k = 0; (m = vs_metric_at(k)); k++) {
		T_OK(!same_code(m), "%s has its own device code", m->name);
		T_OK(!wrong(m), "%s sets what its family reads", m->name);
		T_OK(m->highest > m->lowest || m->family == VS_FAMILY_ALLELES,
			"%s is from %g to %g", m->name, m->lowest, m->highest);
		if (m->family == VS_FAMILY_TABLES)
			T_OK((m->trait ? !m->score && !m->plain_table
				       : !m->score + !m->whole < 2 &&
						     m->needed &&
						     m->plain_table) &&
					!m->cycles == !(m->whole || m->trait),
				"%s has a score and its definition, or a value "
				"of whole tables with its cycles, or of a "
				"trait",
				m->name);
	}
	return T_DONE();
}
