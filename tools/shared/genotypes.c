/* SPDX-License-Identifier: BSD-3-Clause */
/* Input of genotypes by options: samples, sites, phenotypes, calls. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/in/annotation.h"
#include "formats/in/genetic_map.h"
#include "formats/in/readers.h"
#include "formats/in/recognize.h"
#include "formats/in/sample_list.h"
#include "formats/in/sample_sex.h"
#include "formats/in/sample_table.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/shared/genotypes.h"
#include "tools/shared/tool.h"

/* ---- samples and sites ---- */

const char *
vs_genotypes_name(const char *file)
{
	return strcmp(file, "-") ? file : "standard input";
}

/* ---- samples ---- */

static int
mark(const struct vs_genotypes_how *how, const struct vs_samples *all,
	const char *path, const char *input, struct vs_provenance *provenance,
	uint8_t *marked, size_t *n)
{
	char first[VS_SAMPLE_LIST_LINE];
	size_t n_unknown;
	int code = vs_sample_list_mark(all, path, provenance, marked, n,
		&n_unknown, first);

	if (!code && !*n && path == how->keep)
		return vs_fail(VS_EINPUT,
			"%s: names none of the %zu samples%s%s",
			vs_genotypes_name(path), all->n,
			n_unknown ? ", first " : "", first);
	if (!code && n_unknown)
		vs_tool_warn("%s: %zu of its samples %s not in %s, first %s",
			vs_genotypes_name(path), n_unknown,
			n_unknown == 1 ? "is" : "are", vs_genotypes_name(input),
			first);
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
		for (size_t q = 0; q < all->n; q++)
			gone[q] = !gone[q];
	}
	if (!code && how->remove)
		code = mark(how, all, how->remove, input, provenance, gone, &n);
	for (size_t q = 0; how->keep_founders && q < all->n; q++)
		gone[q] |= all->child[q];
	return code;
}

/*
 * Rows of the samples that --keep, --remove and --keep-founders leave,
 * ascending; null if all stay. The caller frees *row. 0; VS_EINPUT, also if
 * none is left; VS_EMACHINE
 */
static int
find_samples(const struct vs_genotypes_how *how, const struct vs_samples *all,
	const char *input, struct vs_provenance *provenance, int64_t **row,
	size_t *n)
{
	uint8_t *gone = NULL;
	int code;

	if (!how->keep && !how->remove && !how->keep_founders)
		return 0;
	if (how->keep_founders && !all->child)
		return vs_fail(VS_EINPUT,
			"--keep-founders: %s names no parents, as a .fam does",
			vs_genotypes_name(input));
	code = vs_mem_new(&gone, all->n, 1, "samples");
	if (!code)
		code = mark_gone(how, all, input, provenance, gone);
	VS_MEM_NEW(&code, *row, all->n, "samples");
	for (size_t q = 0; q < all->n && !code; q++)
		if (!gone[q])
			(*row)[(*n)++] = (int64_t)q;
	if (!code && !*n)
		code = vs_fail(VS_EINPUT, "%s: no sample is left of %zu",
			vs_genotypes_name(input), all->n);
	free(gone);
	return code;
}

/* ---- sites ---- */

bool
vs_genotypes_has_sites(const struct vs_genotypes_how *how)
{
	return how->extract || how->exclude || how->chr;
}

static void
set_places(const struct vs_genotypes_how *how, struct vs_site_choice *f)
{
	/* a limit of 9.5006 kb is one of 9500 bases, as in PLINK */
	const int64_t from = vs_decimal_bases(&how->from_kb),
		      to = how->to_kb.text ? vs_decimal_bases(&how->to_kb)
					   : INT64_MAX;

	f->placed = how->from_kb.text || how->to_kb.text;
	/* PLINK swaps them, too */
	f->from = from < to ? from : to;
	f->to = from < to ? to : from;
}

/*
 * Filter of --extract, --exclude, --chr, --from-kb and --to-kb; f is all zero
 * before. any: out: false: no option selects sites. 0; VS_EINPUT; VS_EUSAGE;
 * VS_EMACHINE
 */
static int
find_sites(const struct vs_genotypes_how *how, struct vs_site_choice *f,
	bool *any, struct vs_provenance *provenance)
{
	int code = 0;

	*any = vs_genotypes_has_sites(how);
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
		code = vs_site_choice_chromosomes(f, how->chr, how->autosomes);
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
vs_genotypes_warn_of_lists(const struct vs_genotypes_how *how,
	const struct vs_site_choice *f, const char *input)
{
	const struct {
		const char *path;
		const struct vs_site_list *list;
	} lists[] = { { how->extract, &f->extract },
		{ how->exclude, &f->exclude } };

	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
		const struct vs_text_pool *id = &lists[k].list->id;
		size_t first = 0, len = 0;
		size_t n = vs_site_choice_missed(lists[k].list, &first);
		const char *word = n ? vs_text_pool_get(id, first, &len) : NULL;

		if (n)
			vs_tool_warn("%s: %zu of its ids %s not in %s, first "
				     "%.*s",
				vs_genotypes_name(lists[k].path), n,
				n == 1 ? "is" : "are", vs_genotypes_name(input),
				len > 60 ? 60 : (int)len, word);
	}
	for (size_t k = 0; k < f->n_chromosome; k++)
		if (!f->chromosome[k].found)
			vs_tool_warn("--chr: %s has no site on %.*s",
				vs_genotypes_name(input),
				(int)f->chromosome[k].len,
				f->chromosome[k].name);
}

void
vs_genotypes_say_lists(const struct vs_genotypes_how *how,
	const struct vs_site_choice *f)
{
	if (f->extract.turned)
		vs_tool_say("%s: " VS_CHR_TURNED,
			vs_genotypes_name(how->extract));
	if (f->exclude.turned)
		vs_tool_say("%s: " VS_CHR_TURNED,
			vs_genotypes_name(how->exclude));
}

#define FEW (1 << 20) /* bytes of calls */

int
vs_genotypes_recognize(struct vs_genotypes *g, const char *path)
{
	const char *option;
	struct stat st;
	int code = vs_recognize(path, &option);

	/* name of the run directory, or nothing: other programs have more to
	 * report */
	if (code == VS_EINPUT && (stat(path, &st) || S_ISDIR(st.st_mode))) {
		vs_fail_clear();
		return 0;
	}
	if (code || !option)
		return code;
	for (size_t k = 0; (g->kind = vs_readers_at(k)); k++)
		if (!strcmp(g->kind->name, option) && !g->kind->table)
			break;
	if (!g->kind)
		return vs_fail(VS_EINPUT,
			"%s: is a table; vsim-pack makes a vectors file of it",
			path);
	g->input = path;
	g->began = vs_clock();
	return 0;
}

static int
select_samples(struct vs_genotypes *g)
{
	size_t n = 0;
	int code = find_samples(g->how, &g->reader.samples, g->input,
		g->provenance, &g->keep, &n);

	if (code || !g->keep)
		return code;
	g->import.keep = g->keep;
	g->samples = &g->kept;
	return vs_sample_list_pick(&g->kept, &g->reader.samples, g->keep, n);
}

static int
read_phenotypes(struct vs_genotypes *g)
{
	struct vs_sample_table_said said;
	int code = vs_sample_table_pheno(g->samples, g->how->pheno,
		g->how->pheno_name, g->provenance, &said);

	if (code)
		return code;
	if (said.n_found < g->samples->n)
		vs_tool_warn("%s: %zu of %zu samples have no line in it",
			vs_genotypes_name(g->how->pheno),
			g->samples->n - said.n_found, g->samples->n);
	if (!said.named)
		vs_tool_warn("%s: without a header of FID IID or IID, its "
			     "columns are FID, IID, pheno, pheno2 and so on",
			vs_genotypes_name(g->how->pheno));
	if (said.zero_one)
		vs_tool_warn("%s: its first column of 0 and 1 is used as case "
			     "status; --pheno-name selects another",
			vs_genotypes_name(g->how->pheno));
	vs_tool_say("%s: %zu phenotypes of %zu samples, %zu other samples",
		vs_genotypes_name(g->how->pheno), said.n_pheno, said.n_found,
		said.n_unknown);
	return 0;
}

static int
read_sexes(struct vs_genotypes *g)
{
	size_t n_found, n_unknown;
	int code = vs_sample_sex_read(&g->reader.samples, g->how->update_sex,
		g->provenance, &n_found, &n_unknown);

	if (!code && n_unknown)
		vs_tool_warn("%s: %zu of its samples are not in %s",
			vs_genotypes_name(g->how->update_sex), n_unknown,
			vs_genotypes_name(g->input));
	return code;
}

/* Warn that the first phenotype, column 6 of a .fam, may be meant as the case
 * status. */
static void
warn_of_zero_one(const struct vs_genotypes *g)
{
	const struct vs_samples *samples = g->samples;
	bool seen[2] = { false };
	const char *name;
	size_t len;

	if (!samples->phenotype_name.n)
		return;
	for (size_t q = 0; q < samples->n; q++) {
		double x = samples->phenotype[0][q];

		if (x == 0 || x == 1)
			seen[x == 1] = true;
		else if (!isnan(x))
			return;
	}
	name = vs_text_pool_get(&samples->phenotype_name, 0, &len);
	if (seen[0] && seen[1])
		vs_tool_warn(
			"%s: phenotype %.*s has values 0 and 1, not 1 and 2; "
			"--pheno-name %.*s uses it as case status, 1 for cases",
			vs_genotypes_name(g->input), (int)len, name, (int)len,
			name);
}

static void
say_status(const struct vs_genotypes *g)
{
	const struct vs_samples *samples = g->samples;
	size_t n[2] = { 0 };

	for (size_t q = 0; q < samples->n && samples->trait; q++)
		n[0] += !isnan(samples->trait[q]);
	if (samples->trait) {
		vs_tool_say("%zu of %zu samples have the quantitative trait %s",
			n[0], samples->n, g->how->pheno_name);
		return;
	}
	if (!samples->case_status) {
		warn_of_zero_one(g);
		return;
	}
	for (size_t q = 0; q < samples->n; q++)
		if (samples->case_status[q] <= 1)
			n[samples->case_status[q]]++;
	vs_tool_say("%zu controls, %zu cases, %zu samples of unknown status",
		n[0], n[1], samples->n - n[0] - n[1]);
}

void
vs_genotypes_guesses(const struct vs_genotypes *g,
	const struct vs_text_pool *guess)
{
	for (size_t k = 0; k < guess->n; k++)
		vs_tool_warn("%s: %s", vs_genotypes_name(g->input),
			vs_text_pool_string(guess, k));
}

int
vs_genotypes_open(struct vs_genotypes *g)
{
	struct vs_import *in = &g->import;
	int code = vs_reader_open(&g->reader, g->kind, g->input,
		&(struct vs_reader_how){
			.ploidy = g->how->haplotypes ? 0 : (int)g->how->ploidy,
			.threads = (int)g->how->threads,
			.sample = g->how->sample,
			.field = g->how->field,
			.status = g->how->pheno ? NULL : g->how->pheno_name,
			.table = g->table },
		g->provenance);
	bool filtered = false;

	if (code)
		return code;
	g->reader.multiallelic = !strcmp(g->how->multiallelic, "whole")
		? VS_MULTIALLELIC_WHOLE
		: !strcmp(g->how->multiallelic, "split") ? VS_MULTIALLELIC_SPLIT
							 : VS_MULTIALLELIC_DROP;
	g->reader.polyploid = !strcmp(g->how->polyploid, "refuse")
		? VS_POLYPLOID_REFUSE
		: !strcmp(g->how->polyploid, "drop") ? VS_POLYPLOID_DROP
						     : VS_POLYPLOID_MISSING;
	g->samples = &g->reader.samples;
	if (g->n_part)
		code = vs_reader_cut(&g->reader, g->part, g->n_part);
	if (code)
		return code;
	if (g->reader.n_site >= 0)
		vs_tool_say("%s: %lld sites of %zu samples",
			vs_genotypes_name(g->input),
			(long long)g->reader.n_site, g->samples->n);
	else
		vs_tool_say("%s: sites of %zu samples",
			vs_genotypes_name(g->input), g->samples->n);
	vs_genotypes_guesses(g, &g->reader.guess);
	if (g->reader.note.len)
		vs_tool_say("%s: %s", vs_genotypes_name(g->input),
			g->reader.note.bytes);
	if (g->how->update_sex)
		code = read_sexes(g);
	if (!code)
		code = select_samples(g);
	if (!code && g->how->pheno)
		code = read_phenotypes(g);
	if (!code)
		say_status(g);
	if (!code)
		code = find_sites(g->how, &g->filter, &filtered, g->provenance);
	in->reader = &g->reader;
	in->n_field = g->samples->n;
	in->filter = filtered ? &g->filter : NULL;
	in->maf = g->how->maf;
	in->max_missing = g->how->max_missing;
	in->drop_monomorphic = g->how->drop_monomorphic;
	return code;
}

double
vs_genotypes_bytes(const struct vs_genotypes *g, uint64_t n_site)
{
	return (double)n_site * (double)((g->reader.samples.n + 3) / 4);
}

static void
show_progress(void *to, uint64_t n_read)
{
	struct vs_genotypes *g = to;
	double spent = vs_clock() - g->began;
	char note[64];

	snprintf(note, sizeof(note), "%.0f MB/s",
		vs_genotypes_bytes(g, n_read) / 1e6 / (spent > 0 ? spent : 1));
	vs_tool_progress_step(&g->progress, (double)n_read, note);
}

int
vs_genotypes_keep(struct vs_genotypes *g, const struct vs_site *site,
	uint64_t n)
{
	const int64_t n_site = g->import.filter ? 0 : g->reader.n_site;
	int code = vs_sites_room(&g->sites, n_site > 0 ? (size_t)n_site : 0);

	for (uint64_t k = 0; k < n && !code; k++)
		code = vs_sites_add(&g->sites, site + k);
	return code;
}

int
vs_genotypes_read(struct vs_genotypes *g)
{
	struct vs_import *in = &g->import;
	int code;

	in->ploidy = (int)g->how->ploidy;
	in->label = g->how->label;
	in->sexes =
		strcmp(g->how->sex_chromosomes, "plink") ? NULL : g->samples;
	in->n_autosome = g->how->autosomes;
	in->split_par = g->how->split_par;
	/* threads would wait for one another longer than a few sites take */
	in->threads = g->reader.n_site >= 0 &&
			vs_genotypes_bytes(g, (uint64_t)g->reader.n_site) < FEW
		? 1
		: (int)g->how->threads;
	in->progress = show_progress;
	in->to = g;
	vs_tool_progress_begin(&g->progress, "sites", (double)g->reader.n_site);
	code = vs_import_run(in);
	vs_tool_progress_end(&g->progress);
	return code ? code : vs_reader_contigs(&g->reader, &g->sites);
}

int
vs_genotypes_annotate(struct vs_genotypes *g)
{
	struct vs_text note = { 0 }, annotations = { 0 };
	size_t n = 0;
	int code = !g->how->map
		? 0
		: vs_genetic_map_apply(&g->sites, g->how->map,
			  g->how->autosomes, &note, &n, g->provenance);

	if (!code && note.len)
		vs_tool_warn("%s", note.bytes);
	if (!code && n)
		vs_tool_warn("%s: %zu of %zu variants get no centimorgans from "
			     "it",
			vs_genotypes_name(g->how->map), n, g->sites.n);
	if (!code && g->how->annot)
		code = vs_annotation_apply(&g->sites, g->how->annot,
			&annotations, g->provenance);
	if (!code && annotations.len)
		vs_tool_warn("%s", annotations.bytes);
	vs_text_free(&annotations);
	vs_text_free(&note);
	return code;
}

int
vs_genotypes_repeats(struct vs_genotypes *g)
{
	return vs_sites_repeats(&g->sites, &g->n_repeat, &g->first_repeat);
}

void
vs_genotypes_close(struct vs_genotypes *g)
{
	vs_sites_free(&g->sites);
	vs_site_choice_free(&g->filter);
	vs_sites_samples_free(&g->kept);
	free(g->keep);
	vs_reader_close(&g->reader);
}
