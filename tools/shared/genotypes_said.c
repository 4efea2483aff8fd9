/* SPDX-License-Identifier: BSD-3-Clause */
/* Warnings and reports about an input of genotypes that has been read. */
#include <stdio.h>
#include <string.h>

#include "formats/in/chromosome.h"
#include "tools/shared/genotypes.h"

/* Warn with vs_text_count() about things in the input, if there are any. */
static void
warn_of_count(const struct vs_genotypes *g, uint64_t n, const char *words,
	const char *name)
{
	struct vs_text t = { 0 };

	if (n && !vs_text_count(&t, n, words, name))
		vs_tool_warn("%s: %s", vs_genotypes_name(g->input), t.bytes);
	vs_text_free(&t);
}

void
vs_genotypes_warn_of_ids(const struct vs_genotypes *g)
{
	char name[61];
	const char *id;
	size_t len;

	/* alleles of a site share its id */
	if (!g->n_repeat || g->n_part ||
		g->reader.multiallelic == VS_MULTIALLELIC_WHOLE)
		return;
	id = vs_text_pool_get(&g->sites.id, g->first_repeat, &len);
	snprintf(name, sizeof(name), "%.*s", len > 60 ? 60 : (int)len, id);
	warn_of_count(g, g->n_repeat,
		"# {id occurs|ids occur} more than once, first %; a list of "
		"ids selects all that share one",
		name);
}

void
vs_genotypes_warn_of_rounded(const struct vs_genotypes *g, uint64_t n,
	const char *first)
{
	warn_of_count(g, n,
		"# {integer is|integers are} beyond 2^53 and {was|were} "
		"rounded to a double, first %",
		first);
}

/* Warnings about samples that PLINK treats differently, and about how X and Y
 * were treated. */
static void
warn_of_sexes(const struct vs_genotypes *g)
{
	const struct vs_import *in = &g->import;
	const struct vs_samples *of = g->samples;
	uint64_t n_child = 0, n_unknown = 0;
	char words[256];

	for (size_t q = 0; q < of->n; q++) {
		n_child += of->child && of->child[q];
		n_unknown += !of->sex || !of->sex[q];
	}
	snprintf(words, sizeof(words),
		"# of %zu samples {has|have} parents here; PLINK's --r2 and "
		"--indep-pairwise use founders only: --keep-founders",
		of->n);
	/* if there are no founders, PLINK reports nothing */
	warn_of_count(g, n_child < of->n ? n_child : 0, words, "");
	warn_of_count(g, in->n_numbered && g->how->autosomes == 22,
		"chromosomes 23 and 24 are counted as X and Y, as in PLINK; "
		"--autosomes states another number of autosomes than 22",
		"");
	snprintf(words, sizeof(words),
		"the sex of # of %zu samples is unknown; as in PLINK they "
		"count as female on X, and not on Y: --update-sex states it",
		of->n);
	warn_of_count(g, in->n_haploid ? n_unknown : 0, words, "");
	warn_of_count(g, in->n_sexless,
		"# {site on X or Y is|sites on X and Y are} read as diploid, "
		"as no call there is haploid and no sex is stated: "
		"--update-sex states it",
		"");
	warn_of_count(g, in->n_male_het,
		"# heterozygous {call of a male|calls of males} on X or Y "
		"{was|were} taken as missing, as PLINK does; --split-par "
		"excepts the pseudo-autosomal regions",
		"");
	warn_of_count(g, in->n_not_male,
		"# {call on Y of a sample that is|calls on Y of samples that "
		"are} not male {was|were} taken as missing, as PLINK does",
		"");
	warn_of_count(g, in->n_misfit,
		"# {call on X or Y does|calls on X or Y do} not have the "
		"ploidy of {its|their} sample's sex, which counts: "
		"--update-sex states it",
		"");
}

/* Metrics of numbers know nothing of the sex of a sample, nor do calls of one
 * allele. */
static void
warn_of_no_sex(const struct vs_genotypes *g)
{
	const bool one = g->how->ploidy == 1 && !g->how->field &&
		!strcmp(g->how->sex_chromosomes, "plink");
	const struct vs_sites *t = &g->sites;
	char words[256];
	uint64_t n = 0;

	for (size_t v = 0; (g->how->field || one) && t->contig && v < t->n;
		v++) {
		size_t len;
		const char *contig = t->contig[v] < 0
			? NULL
			: vs_text_pool_get(&t->contig_name,
				  (size_t)t->contig[v], &len);

		n += contig &&
			vs_chromosome_of(contig, len, g->how->autosomes)
					.haploid != VS_HAPLOID_NONE;
	}
	snprintf(words, sizeof(words),
		"the %% of # {site|sites} on X and Y are compared as they are, "
		"without regard to sex; without %s calls are counted as in "
		"PLINK",
		one ? "--ploidy 1" : "--format-field");
	warn_of_count(g, n, words, one ? "calls" : g->how->field);
}

/* Warn of a chromosome with two names, which are two chromosomes here. */
static void
warn_of_two_names(const struct vs_genotypes *g)
{
	const struct vs_text_pool *pool = &g->sites.contig_name;
	struct vs_text_pool common = { 0 };
	struct vs_text_index index = { 0 };
	size_t len, n;
	int code = 0;

	for (size_t k = 0; k < pool->n && !code; k++) {
		const char *name = vs_text_pool_get(pool, k, &len);
		struct vs_chromosome c =
			vs_chromosome_of(name, len, g->how->autosomes);

		code = *c.name
			? vs_text_pool_add(&common, c.name, strlen(c.name))
			: vs_text_pool_add(&common, name, len);
	}
	if (!code)
		code = vs_text_index_make(&index, &common);
	for (size_t k = 0; k < common.n && !code; k++) {
		const char *name = vs_text_pool_get(&common, k, &len);
		size_t first = (size_t)vs_text_index_find(&index, name, len);
		const char *one = vs_text_pool_get(pool, first, &n);

		if (first == k)
			continue;
		name = vs_text_pool_get(pool, k, &len);
		vs_tool_warn("%s: %.*s and %.*s are names of one chromosome "
			     "and count as two; give it one name to have pairs "
			     "of both within it",
			vs_genotypes_name(g->input), (int)n, one, (int)len,
			name);
		break;
	}
	vs_text_index_free(&index);
	vs_text_pool_free(&common);
}

void
vs_genotypes_warn_of_names(const struct vs_genotypes *g)
{
	const struct vs_names_said *t = &g->reader.tally.names;

	warn_of_count(g, (uint64_t)t->n_shortened,
		"# {id|ids} of more than 4096 bytes {was|were} shortened; a "
		"digest of each ends it",
		"");
	warn_of_count(g, (uint64_t)t->n_not_utf8,
		"# {name is not UTF-8; its|names are not UTF-8; their} bytes "
		"are kept",
		"");
}

void
vs_genotypes_warn(const struct vs_genotypes *g)
{
	const struct vs_reader_tally *t = &g->reader.tally;
	const int64_t n_haploid = t->haploid - (int64_t)g->import.n_one_allele;
	const char *field = g->how->field ? g->how->field : "GT";
	char ignored[128];
	const struct {
		int64_t n;
		const char *words;
	} row[] = {
		{ t->ignored, ignored },
		{ t->unended,
			"the last line has no line end; it is read, but "
			"the file may be cut short" },
		{ t->past,
			"# {variant has|variants have} calls past the last "
			"sample: the file of samples may belong to another "
			"file of genotypes" },
		{ t->extra,
			"# {column|columns} of the .bim after the sixth {is|"
			"are} ignored, as in PLINK" },
		{ t->dosages,
			"# {variant has|variants have} dosages, and {its|"
			"their} hard calls were read; --format-field DS reads "
			"dosages" },
		{ t->negative,
			"# {position is|positions are} negative and taken as "
			"unknown; PLINK drops such sites" },
		{ t->multiallelic,
			"# {site|sites} with more than two alleles {was|were} "
			"left out" },
		{ t->no_gt, "# {site|sites} without % {was|were} left out" },
		{ t->polyploid,
			"# {call|calls} of more than two alleles {was|were} "
			"taken as missing; --polyploid drop leaves {its "
			"site|their sites} out" },
		{ t->polyploid_sites,
			"# {site|sites} with a call of more than two alleles "
			"{was|were} left out" },
		{ t->of_none,
			"# {call|calls} of *, <*> or <NON_REF> {was|were} "
			"taken as missing" },
		{ (int64_t)g->import.n_het,
			"# heterozygous {call|calls} {was|were} taken as "
			"missing, as --ploidy 1 has one allele a call" },
		{ g->how->ploidy == 2 && n_haploid > 0 ? n_haploid : 0,
			"# haploid {call|calls} {was|were} taken as homozygous "
			"(0 as 0/0, 1 as 1/1)" },
		{ t->uncertain,
			"# mean {genotype is|genotypes are} more than 0.1 from "
			"0, 1 and 2 and {was|were} taken as missing" },
		{ t->half_missing,
			"# half-missing {call|calls} {was|were} taken as "
			"missing" },
	};

	snprintf(ignored, sizeof(ignored),
		"# of %lld samples {is|are} labelled Ignore and {was|were} "
		"left out",
		(long long)t->ignored + (long long)g->reader.samples.n);
	for (size_t k = 0; k < sizeof(row) / sizeof(*row); k++)
		warn_of_count(g, (uint64_t)row[k].n, row[k].words, field);
	if (*g->reader.samples.odd_phenotype && !g->how->pheno)
		vs_tool_warn(
			"%s: column 6 of its samples is left out, as %s is "
			"not a number: 1 means control, 2 case, 0 or -9 "
			"missing",
			vs_genotypes_name(g->input),
			g->reader.samples.odd_phenotype);
	warn_of_sexes(g);
	warn_of_no_sex(g);
	warn_of_two_names(g);
	/* for a part, the input has more */
	if (!g->n_part)
		vs_genotypes_warn_of_lists(g->how, &g->filter, g->input);
}

void
vs_genotypes_say(const struct vs_genotypes *g)
{
	const struct vs_import *in = &g->import;

	vs_genotypes_say_lists(g->how, &g->filter);
	vs_tool_say(
		"read %llu sites; dropped: %llu not selected, %llu with too "
		"many missing calls, %llu monomorphic, %llu too rare",
		(unsigned long long)in->n_read,
		(unsigned long long)in->n_unwanted,
		(unsigned long long)in->n_missing,
		(unsigned long long)in->n_monomorphic,
		(unsigned long long)in->n_rare);
}
