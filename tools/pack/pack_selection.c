/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of samples and sites by the options of vsim-pack. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/sample_table.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/pack/pack_options.h"
#include "tools/pack/pack_selection.h"
#include "tools/shared/tool.h"

/* A limit of 9.5006 kb is one of 9500 bases, and 1.001 kb is 1001, as PLINK. */
#define ROUNDING 0x1p-44

static const struct vs_pack_options *const job = &vs_pack_options;

const char *
vs_pack_selection_name(const char *file)
{
	return strcmp(file, "-") ? file : "standard input";
}

/* ---- samples ---- */

static int
mark(const struct vs_samples *all, const char *path, const char *input,
	struct vs_provenance *provenance, uint8_t *marked, size_t *n)
{
	size_t n_unknown;
	int code = vs_sample_table_mark(all, path, provenance, marked, n,
		&n_unknown);

	if (!code && n_unknown && (*n || path != job->keep))
		vs_tool_warn("%s: %zu of its samples are not in %s",
			vs_pack_selection_name(path), n_unknown,
			vs_pack_selection_name(input));
	return code;
}

/* gone[q] is 1 for a sample that is left out. */
static int
mark_gone(const struct vs_samples *all, const char *input,
	struct vs_provenance *provenance, uint8_t *gone)
{
	size_t n = 0;
	int code = 0;

	if (job->keep) {
		code = mark(all, job->keep, input, provenance, gone, &n);
		if (!code && !n)
			code = vs_fail(VS_EINPUT,
				"%s: names none of the %zu samples", job->keep,
				all->n);
		for (size_t q = 0; q < all->n; q++)
			gone[q] = !gone[q];
	}
	if (!code && job->remove)
		code = mark(all, job->remove, input, provenance, gone, &n);
	for (size_t q = 0; job->keep_founders && q < all->n; q++)
		gone[q] |= all->child[q];
	return code;
}

int
vs_pack_selection_samples(const struct vs_samples *all, const char *input,
	struct vs_provenance *provenance, int64_t **row, size_t *n)
{
	uint8_t *gone = NULL;
	int code;

	if (!job->keep && !job->remove && !job->keep_founders)
		return 0;
	if (job->keep_founders && !all->child)
		return vs_fail(VS_EINPUT,
			"--keep-founders: %s names no parents, as a .fam does",
			vs_pack_selection_name(input));
	code = vs_mem_new(&gone, all->n, 1, "samples");
	if (!code)
		code = mark_gone(all, input, provenance, gone);
	if (!code)
		code = vs_mem_new(row, all->n, sizeof(**row), "samples");
	for (size_t q = 0; q < all->n && !code; q++)
		if (!gone[q])
			(*row)[(*n)++] = (int64_t)q;
	if (!code && !*n)
		code = vs_fail(VS_EINPUT, "%s: no sample is left of %zu",
			vs_pack_selection_name(input), all->n);
	free(gone);
	return code;
}

/* ---- sites ---- */

bool
vs_pack_selection_has_sites(void)
{
	return job->extract || job->exclude || job->chr;
}

static void
set_places(struct vs_site_choice *f)
{
	double from = job->from_kb * 1e3 * (1 + ROUNDING),
	       to = job->to_kb * 1e3 * (1 + ROUNDING), t;

	if (job->from_kb < 0 && job->to_kb < 0)
		return;
	/* PLINK swaps them, too */
	if (job->to_kb >= 0 && from > to) {
		t = from;
		from = to;
		to = t;
	}
	f->placed = true;
	f->from = job->from_kb < 0 ? 0 : (int64_t)from;
	f->to = job->to_kb < 0 ? INT64_MAX : (int64_t)to;
}

int
vs_pack_selection_sites(struct vs_site_choice *f, bool *any,
	struct vs_provenance *provenance)
{
	int code = 0;

	*any = vs_pack_selection_has_sites();
	if (job->extract)
		code = vs_site_choice_list(&f->extract, job->extract,
			provenance);
	if (!code && job->extract && !f->extract.id.n)
		code = vs_fail(VS_EINPUT, "%s: lists no variants",
			job->extract);
	if (!code && job->exclude)
		code = vs_site_choice_list(&f->exclude, job->exclude,
			provenance);
	if (!code && job->chr)
		code = vs_site_choice_chromosomes(f, job->chr);
	set_places(f);
	if (!code && f->placed &&
		(f->n_chromosome != 1 ||
			f->chromosome->lo <= f->chromosome->hi))
		code = vs_fail(VS_EUSAGE,
			"--%s needs --chr with one chromosome",
			job->from_kb < 0 ? "to-kb" : "from-kb");
	return code;
}

void
vs_pack_selection_warn(const struct vs_site_choice *f, const char *input)
{
	const struct {
		const char *path;
		const struct vs_site_list *list;
	} lists[] = { { job->extract, &f->extract },
		{ job->exclude, &f->exclude } };

	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
		size_t n = vs_site_choice_missed(lists[k].list);

		if (n)
			vs_tool_warn("%s: %zu of its ids are not in %s",
				vs_pack_selection_name(lists[k].path), n,
				vs_pack_selection_name(input));
	}
	for (size_t k = 0; k < f->n_chromosome; k++)
		if (!f->chromosome[k].found)
			vs_tool_warn("--chr: %s has no site on %.*s",
				vs_pack_selection_name(input),
				(int)f->chromosome[k].len,
				f->chromosome[k].name);
}

void
vs_pack_selection_say(const struct vs_site_choice *f)
{
	if (f->extract.turned)
		vs_tool_say("%s: " VS_CHR_TURNED,
			vs_pack_selection_name(job->extract));
	if (f->exclude.turned)
		vs_tool_say("%s: " VS_CHR_TURNED,
			vs_pack_selection_name(job->exclude));
}
