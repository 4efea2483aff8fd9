/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs wanted by chromosome and distance, from the places in a vectors
 * file. */
#include <stdlib.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/shared/site_filter.h"

/* The sites of a vectors file, and the chromosome of each: PLINK gives a
 * variant without one the chromosome 0. */
static int
read_sites(struct vs_sites *s, int32_t **contig, struct vs_packed *vectors)
{
	int code = vs_packed_lend_sites(vectors, s);

	if (!code)
		code = vs_mem_copy(contig, s->contig, s->n, sizeof(**contig),
			"chromosomes");
	for (size_t c = 0; c < s->contig_name.n && !code; c++) {
		size_t len;
		const char *name = vs_text_pool_get(&s->contig_name, c, &len);

		for (size_t v = 0; len == 1 && *name == '0' && v < s->n; v++)
			if ((*contig)[v] == (int32_t)c)
				(*contig)[v] = -1;
	}
	return code;
}

int
vs_site_filter_summary(struct vs_summary_plan *plan,
	const struct vs_summary_ask *ask, struct vs_packed *vectors,
	const struct vs_metric *metric)
{
	struct vs_sites s = { 0 };
	int32_t *contig = NULL;
	int code = vs_summary_ask_places(ask) ? read_sites(&s, &contig, vectors)
					      : 0;

	if (!code)
		code = vs_summary_plan_make(plan, ask, vectors->n_vec, metric,
			&(struct vs_summary_places){ contig, s.pos, s.annotated,
				s.annotation.n });
	free(contig);
	vs_sites_free(&s);
	return code;
}

int
vs_site_filter_make(struct vs_wanted *w, const struct vs_pair_rules *r,
	struct vs_packed *vectors)
{
	struct vs_sites sites = { 0 };
	int32_t *contig = NULL;
	int code = read_sites(&sites, &contig, vectors);

	if (!code && r->max_cm > 0 && !sites.cm)
		code = vs_fail(VS_EINPUT,
			"it has no genetic positions; pack it with "
			"--map");
	if (!code)
		code = vs_wanted_by_place(w, r, contig,
			vs_pair_rules_need_positions(r) ? sites.pos : NULL,
			r->max_cm > 0 ? sites.cm : NULL, sites.source_row);
	if (code == VS_EINPUT)
		code = vs_fail_at(code, "%s", vs_packed_path(vectors));
	free(contig);
	vs_sites_free(&sites);
	return code;
}
