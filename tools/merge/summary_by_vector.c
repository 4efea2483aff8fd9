/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of summaries by vector: LD scores, and partners above thresholds. */
#include "libcore/engine/histogram/summary.h"
#include "tools/merge/summary_file.h"
#include "tools/shared/tool.h"

/* ---- LD scores, in the format of LDSC ---- */

/* True unless all calls of a variant are equal and so no r2 is defined. */
static bool
varies(const struct vs_site *site)
{
	return (site->count[0] > 0) + (site->count[1] > 0) +
		(site->count[2] > 0) >
		1;
}

/* True if the frequency of the rarer allele is above 5 %. */
static bool
is_common(const struct vs_summary_tables *t, const struct vs_site *site)
{
	int64_t one, all;

	vs_sites_alleles(site, t->ploidy, &one, &all);
	return 20 * one > all && 20 * (all - one) > all;
}

/* Sums of the annotations of the variants that vary, or of their number; only
 * of common ones. */
static int
write_sums(const struct vs_summary_tables *t, const char *tail, bool common)
{
	const size_t n = t->sites.annotation.n;
	struct vs_text text = { 0 };

	for (size_t k = 0; k < n || !k; k++) {
		double sum = 0;

		for (uint64_t v = 0; v < t->plan.n_vec; v++) {
			struct vs_site s;

			vs_sites_get(&t->sites, v, &s);
			if (varies(&s) && (!common || is_common(t, &s)))
				sum += n ? t->sites.annotated[v * n + k] : 1;
		}
		if (k)
			vs_text_add(&text, "\t");
		vs_summary_file_real(&text, sum);
	}
	vs_text_add(&text, "\n");
	return vs_summary_file_put(t, tail, &text);
}

/* The scores of a variant, whose r2 with itself is 1. */
static void
write_scores(const struct vs_summary_tables *t,
	const struct vs_summary_part *part, uint64_t v, struct vs_text *text)
{
	const vs_wide *n_of = vs_summary_file_counters(t, part) + v;

	for (int k = 0; k < part->n_row; k++, n_of += t->plan.n_vec) {
		const vs_wide own = vs_summary_units(part->weight
				? part->weight[(size_t)k * t->plan.n_vec + v]
				: 1);

		vs_text_add(text, "\t");
		vs_summary_file_real(text,
			vs_summary_real(*n_of + own) *
				(part->scale ? part->scale[k] : 1));
	}
}

/* The header: L2, or for each annotation its name and L2. */
static void
write_names(const struct vs_sites *s, struct vs_text *text)
{
	vs_text_add(text, "CHR\tSNP\tBP");
	for (size_t k = 0; k < s->annotation.n || !k; k++) {
		size_t len = 0;
		const char *name = s->annotation.n
			? vs_text_pool_get(&s->annotation, k, &len)
			: "";

		vs_text_add(text, "\t%.*sL2", (int)len, name);
	}
}

static int
write_ldscore(const struct vs_summary_tables *t,
	const struct vs_summary_part *part, const char *const *tail)
{
	struct vs_text text = { 0 };
	uint64_t n = 0;
	int code;

	write_names(&t->sites, &text);
	for (uint64_t v = 0; v < t->plan.n_vec; v++) {
		struct vs_site s;

		vs_sites_get(&t->sites, v, &s);
		if (!varies(&s))
			continue;
		n++;
		vs_text_add(&text, "\n%.*s\t%.*s\t%lld",
			s.contig_len ? (int)s.contig_len : 1,
			s.contig_len ? s.contig : ".", (int)s.id_len, s.id,
			(long long)s.pos);
		write_scores(t, part, v, &text);
	}
	vs_text_add(&text, "\n");
	code = vs_summary_file_put(t, tail[0], &text);
	if (!code)
		code = write_sums(t, tail[1], false);
	if (!code)
		code = write_sums(t, tail[2], true);
	if (!code && n < t->plan.n_vec && !t->look)
		vs_tool_warn("%llu of %llu variants are constant and have no "
			     "LD score",
			(unsigned long long)(t->plan.n_vec - n),
			(unsigned long long)t->plan.n_vec);
	return code;
}

/* ---- partners above thresholds ---- */

static int
write_degree(const struct vs_summary_tables *t,
	const struct vs_summary_part *part, const char *const *tail)
{
	const struct vs_summary_numbers *of = part->of;
	const vs_wide *n_of = vs_summary_file_counters(t, part);
	struct vs_text text = { 0 };

	vs_text_add(&text, "i\tid");
	for (int k = 0; k < of->n; k++) {
		vs_text_add(&text, "\t%c",
			t->plan.strong == VS_STRONG_LOW ? '<' : '>');
		vs_summary_file_real(&text, of->x[k]);
	}
	for (uint64_t v = 0; v < t->plan.n_vec; v++) {
		struct vs_site s;

		vs_sites_get(&t->sites, v, &s);
		vs_text_add(&text, "\n%llu\t%.*s", (unsigned long long)v,
			(int)s.id_len, s.id);
		for (int k = 0; k < of->n; k++)
			vs_text_add(&text, "\t%llu",
				(unsigned long long)
					n_of[(uint64_t)k * t->plan.n_vec + v]);
	}
	vs_text_add(&text, "\n");
	return vs_summary_file_put(t, tail[0], &text);
}

const struct vs_summary_writer
	vs_summary_ldscore_writer = { { ".l2.ldscore.gz", ".l2.M",
					      ".l2.M_5_50" },
		write_ldscore },
	vs_summary_degree_writer = { { ".degree.tsv" }, write_degree };
