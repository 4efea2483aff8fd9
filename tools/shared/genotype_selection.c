/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of samples and sites of an input of genotypes by options. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/sample_list.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/shared/genotype_selection.h"
#include "tools/shared/tool.h"

const char *
vs_genotype_selection_name(const char *file)
{
	return strcmp(file, "-") ? file : "standard input";
}

/* ---- samples ---- */

static int
mark(const struct vs_genotypes_how *how, const struct vs_samples *all,
	const char *path, const char *input, struct vs_provenance *provenance,
	uint8_t *marked, size_t *n)
{
	size_t n_unknown;
	int code = vs_sample_list_mark(all, path, provenance, marked, n,
		&n_unknown);

	if (!code && n_unknown && (*n || path != how->keep))
		vs_tool_warn("%s: %zu of its samples are not in %s",
			vs_genotype_selection_name(path), n_unknown,
			vs_genotype_selection_name(input));
	return code;
}

/* gone[q] is 1 for a sample that is left out. */
static int
mark_gone(const struct vs_genotypes_how *how, const struct vs_samples *all,
	const char *input, struct vs_provenance *provenance, uint8_t *gone)
{
	size_t n = 0;
	int code = 0;

	if (how->keep) {
		code = mark(how, all, how->keep, input, provenance, gone, &n);
		if (!code && !n)
			code = vs_fail(VS_EINPUT,
				"%s: names none of the %zu samples", how->keep,
				all->n);
		for (size_t q = 0; q < all->n; q++)
			gone[q] = !gone[q];
	}
	if (!code && how->remove)
		code = mark(how, all, how->remove, input, provenance, gone, &n);
	for (size_t q = 0; how->keep_founders && q < all->n; q++)
		gone[q] |= all->child[q];
	return code;
}

int
vs_genotype_selection_samples(const struct vs_genotypes_how *how,
	const struct vs_samples *all, const char *input,
	struct vs_provenance *provenance, int64_t **row, size_t *n)
{
	uint8_t *gone = NULL;
	int code;

	if (!how->keep && !how->remove && !how->keep_founders)
		return 0;
	if (how->keep_founders && !all->child)
		return vs_fail(VS_EINPUT,
			"--keep-founders: %s names no parents, as a .fam does",
			vs_genotype_selection_name(input));
	code = vs_mem_new(&gone, all->n, 1, "samples");
	if (!code)
		code = mark_gone(how, all, input, provenance, gone);
	if (!code)
		code = vs_mem_new(row, all->n, sizeof(**row), "samples");
	for (size_t q = 0; q < all->n && !code; q++)
		if (!gone[q])
			(*row)[(*n)++] = (int64_t)q;
	if (!code && !*n)
		code = vs_fail(VS_EINPUT, "%s: no sample is left of %zu",
			vs_genotype_selection_name(input), all->n);
	free(gone);
	return code;
}

/* ---- sites ---- */

bool
vs_genotype_selection_has_sites(const struct vs_genotypes_how *how)
{
	return how->extract || how->exclude || how->chr;
}

static void
set_places(const struct vs_genotypes_how *how, struct vs_site_choice *f)
{
	/* a limit of 9.5006 kb is one of 9500 bases, as in PLINK */
	const int64_t from = vs_decimal_bases(&how->from_kb, false),
		      to = how->to_kb.text
		? vs_decimal_bases(&how->to_kb, false)
		: INT64_MAX;

	f->placed = how->from_kb.text || how->to_kb.text;
	/* PLINK swaps them, too */
	f->from = from < to ? from : to;
	f->to = from < to ? to : from;
}

int
vs_genotype_selection_sites(const struct vs_genotypes_how *how,
	struct vs_site_choice *f, bool *any, struct vs_provenance *provenance)
{
	int code = 0;

	*any = vs_genotype_selection_has_sites(how);
	if (how->extract)
		code = vs_site_choice_list(&f->extract, how->extract,
			provenance);
	if (!code && how->extract && !f->extract.id.n)
		code = vs_fail(VS_EINPUT, "%s: lists no variants",
			how->extract);
	if (!code && how->exclude)
		code = vs_site_choice_list(&f->exclude, how->exclude,
			provenance);
	if (!code && how->chr)
		code = vs_site_choice_chromosomes(f, how->chr);
	set_places(how, f);
	if (!code && f->placed &&
		(f->n_chromosome != 1 ||
			f->chromosome->lo <= f->chromosome->hi))
		code = vs_fail(VS_EUSAGE,
			"--%s needs --chr with one chromosome",
			!how->from_kb.text ? "to-kb" : "from-kb");
	return code;
}

void
vs_genotype_selection_warn(const struct vs_genotypes_how *how,
	const struct vs_site_choice *f, const char *input)
{
	const struct {
		const char *path;
		const struct vs_site_list *list;
	} lists[] = { { how->extract, &f->extract },
		{ how->exclude, &f->exclude } };

	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
		size_t n = vs_site_choice_missed(lists[k].list);

		if (n)
			vs_tool_warn("%s: %zu of its ids are not in %s",
				vs_genotype_selection_name(lists[k].path), n,
				vs_genotype_selection_name(input));
	}
	for (size_t k = 0; k < f->n_chromosome; k++)
		if (!f->chromosome[k].found)
			vs_tool_warn("--chr: %s has no site on %.*s",
				vs_genotype_selection_name(input),
				(int)f->chromosome[k].len,
				f->chromosome[k].name);
}

void
vs_genotype_selection_say(const struct vs_genotypes_how *how,
	const struct vs_site_choice *f)
{
	if (f->extract.turned)
		vs_tool_say("%s: " VS_CHR_TURNED,
			vs_genotype_selection_name(how->extract));
	if (f->exclude.turned)
		vs_tool_say("%s: " VS_CHR_TURNED,
			vs_genotype_selection_name(how->exclude));
}
