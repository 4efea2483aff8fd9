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

static int
write_number(const struct vs_summary_tables *t, const char *tail, uint64_t n)
{
	struct vs_text text = { 0 };

	vs_text_add(&text, "%llu\n", (unsigned long long)n);
	return vs_summary_file_put(t, tail, &text);
}

static int
write_ldscore(const struct vs_summary_tables *t,
	const struct vs_summary_part *part, const char *const *tail)
{
	struct vs_text text = { 0 };
	const vs_wide *n_of = vs_summary_file_counters(t, part);
	uint64_t n = 0, n_common = 0;
	int code;

	vs_text_add(&text, "CHR\tSNP\tBP\tL2\n");
	for (uint64_t v = 0; v < t->plan.n_vec; v++) {
		struct vs_site s;

		vs_sites_get(&t->sites, v, &s);
		if (!varies(&s))
			continue;
		n++;
		n_common += is_common(t, &s);
		vs_text_add(&text, "%.*s\t%.*s\t%lld\t",
			s.contig_len ? (int)s.contig_len : 1,
			s.contig_len ? s.contig : ".", (int)s.id_len, s.id,
			(long long)s.pos);
		/* its r2 with itself is 1 */
		vs_summary_file_real(&text,
			vs_summary_real(n_of[v] + vs_summary_one()));
		vs_text_add(&text, "\n");
	}
	code = vs_summary_file_put(t, tail[0], &text);
	if (!code)
		code = write_number(t, tail[1], n);
	if (!code)
		code = write_number(t, tail[2], n_common);
	if (!code && n < t->plan.n_vec)
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
