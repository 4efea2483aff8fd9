/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs wanted by chromosome and distance, from the places in a vectors
 * file. */
#include "tools/shared/site_filter.h"
#include "libcore/base/fail.h"

/* PLINK gives a variant without a chromosome the chromosome 0. */
static void
forget_zero(struct vs_sites *s)
{
	for (size_t v = 0; v < s->n; v++) {
		struct vs_site site;

		vs_sites_get(s, v, &site);
		if (site.contig_len == 1 && *site.contig == '0')
			s->contig[v] = -1;
	}
}

/* The sites of a vectors file, without chromosome 0. */
static int
read_sites(struct vs_sites *sites, struct vs_packed *vectors)
{
	int code = vs_packed_sites(vectors, sites);

	if (!code)
		forget_zero(sites);
	return code;
}

int
vs_site_filter_summary(struct vs_summary_plan *plan,
	const struct vs_summary_ask *ask, struct vs_packed *vectors,
	const struct vs_metric *metric)
{
	struct vs_sites s = { 0 };
	int code = vs_summary_ask_places(ask) ? read_sites(&s, vectors) : 0;

	if (!code)
		code = vs_summary_plan_make(plan, ask, vectors->n_vec, metric,
			&(struct vs_summary_places){ s.contig, s.pos,
				s.annotated, s.annotation.n });
	vs_sites_free(&s);
	return code;
}

int
vs_site_filter_make(struct vs_wanted *w, const struct vs_pair_rules *r,
	struct vs_packed *vectors)
{
	struct vs_sites sites = { 0 };
	int code = read_sites(&sites, vectors);

	if (!code && r->max_cm > 0 && !sites.cm)
		code = vs_fail(VS_EINPUT,
			"it has no genetic positions; pack it with "
			"--map");
	if (!code)
		code = vs_wanted_by_place(w, r, sites.contig,
			vs_pair_rules_need_positions(r) ? sites.pos : NULL,
			r->max_cm > 0 ? sites.cm : NULL, sites.source_row);
	if (code == VS_EINPUT)
		code = vs_fail_at(code, "%s", vs_packed_path(vectors));
	vs_sites_free(&sites);
	return code;
}
