/* SPDX-License-Identifier: BSD-3-Clause */
/* vsim-threshold: shards, run or merged file -> the same with fewer records. */
#include <stdlib.h>

#include "formats/results/result_seen.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/base/text.h"
#include "tools/shared/metric_options.h"
#include "tools/shared/option_rows.h"
#include "tools/shared/prune.h"
#include "tools/shared/rundir.h"
#include "tools/shared/tool.h"
#include "tools/threshold/blocks.h"
#include "tools/threshold/clump.h"
#include "tools/threshold/components.h"
#include "tools/threshold/filter_result.h"
#include "tools/threshold/ld_graph.h"
#include "tools/threshold/prune_vectors.h"
#include "tools/threshold/tags.h"

static struct vs_conditions ask = VS_CONDITIONS_NONE;
static struct vs_filter_result filter = { .conditions = &ask };
static struct vs_prune pruned;
static struct vs_clump clump;
static struct vs_blocks blocks = VS_BLOCKS_DEFAULT;
static struct vs_genotypes_how how = VS_GENOTYPES_HOW;
static bool components, degrees, tags;

static struct vs_opt opts[] = {
	{ 't', "threshold", "T", VS_OPT_TEXT, &ask.threshold,
		.group = "Conditions", .common = true,
		.help = "values > T, as vsim-run; by class: LL=0.7,HH=0.6" },
	{ 0, "above", "X", VS_OPT_TEXT, &ask.above,
		.help = "values > X, also where lower values are stronger" },
	{ 0, "min", "X", VS_OPT_REAL, &ask.min, .help = "values >= X" },
	{ 0, "below", "X", VS_OPT_REAL, &ask.below, .common = true,
		.help = "values < X" },
	{ 0, "max", "X", VS_OPT_REAL, &ask.max, .help = "values <= X" },
	{ 0, "p-value", "P", VS_OPT_REAL, &ask.p_value, 0, 1, .common = true,
		.help = "p <= P: of correlation, else of association" },
	{ 0, "bonferroni", NULL, VS_OPT_FLAG, &ask.bonferroni,
		.help = "divide P by the number of combinations compared" },
	{ 0, "fdr", "Q", VS_OPT_REAL, &ask.fdr, 0, 1, .common = true,
		.help = "p small enough for a false discovery rate of Q" },
	VS_OPT_MIN_JOINT(&ask.min_joint),
	{ 0, "cells", "LIST", VS_OPT_TEXT, &ask.cells,
		.help = "these cells: 00,01,10,11; triples: 000 to 111" },
	{ 0, "top", "N", VS_OPT_INT, &ask.top, 1, INT32_MAX, .common = true,
		.help = "the N strongest that meet the other conditions" },
	{ 0, "top-per-vector", "K", VS_OPT_INT, &ask.top_each, 1, 1e9,
		.common = true,
		.help = "among the K strongest of one of its variants" },
	{ 0, "keep", "LIST", VS_OPT_TEXT, &ask.keep, .common = true,
		.help = "with all variants in the file LIST; - is stdin" },
	{ 0, "keep-either", NULL, VS_OPT_FLAG, &ask.either,
		.help = "--keep: with at least one variant in LIST" },
	VS_OPT_BY(&ask.by),

	{ 0, "prune", "PREFIX", VS_OPT_TEXT, &pruned.prefix,
		.group = "LD pruning", .common = true,
		.help = "write PREFIX.prune.in and PREFIX.prune.out, as "
			"PLINK" },
	{ 0, "window", "N|Xkb", VS_OPT_TEXT, &pruned.window,
		.help = "N variants or X kb [all pairs; with --tags 250kb]" },
	{ 0, "step", "N", VS_OPT_INT, &pruned.step, 1, UINT32_MAX,
		.help = "variants from one window to the next [1]" },
	{ 'j', "threads", "N", VS_OPT_INT, &how.threads, 1, 4096,
		.help = "threads [all allowed cores]" },

	VS_OPTS_LIMITS(&how, .group = "Genotypes to prune"),
	VS_OPTS_SITES(&how),

	{ 0, "clump", "TABLE", VS_OPT_TEXT, &clump.table, .group = "Clumping",
		.common = true,
		.help = "clump the p-values of TABLE, as PLINK" },
	{ 0, "clump-p1", "P", VS_OPT_DECIMAL, &clump.first, 0, 1,
		.help = "largest p-value of an index variant [0.0001]" },
	{ 0, "clump-p2", "P", VS_OPT_DECIMAL, &clump.second, 0, 1,
		.help = "list variants with smaller p-values [0.01]" },
	{ 0, "clump-kb", "X", VS_OPT_DECIMAL, &clump.kb, 0.001, 1e9,
		.help = "less than X kb from the index variant [250]" },
	{ 0, "clump-id-field", "NAME", VS_OPT_TEXT, &clump.id_field,
		.help = "column of ids [SNP, ID, rsid, variant_id ...]" },
	{ 0, "clump-field", "NAME", VS_OPT_TEXT, &clump.field,
		.help = "column of p or -log10 p [P, p_value, LOG10P ...]" },
	{ 0, "clump-p-field", "NAME", VS_OPT_TEXT, &clump.field,
		.help = "the same, by its name in PLINK 2" },
	{ 0, "clump-test", "NAME", VS_OPT_TEXT, &clump.test,
		.help = "only rows with NAME in column TEST [ADD]" },

	{ 0, "tags", NULL, VS_OPT_FLAG, &tags, .group = "Tags",
		.help = "list the variants that tag each one, as PLINK" },

	{ 0, "blocks", "PREFIX", VS_OPT_TEXT, &blocks.prefix,
		.group = "Haplotype blocks",
		.help = "write PREFIX.blocks and PREFIX.blocks.det, as PLINK" },
	{ 0, "blocks-max-kb", "X", VS_OPT_DECIMAL, &blocks.kb, 0.001, 1e9,
		.help = "blocks of at most X kb [200]" },
	{ 0, "blocks-min-maf", "X", VS_OPT_REAL, &blocks.maf, 0, 0.5,
		.help = "skip variants with a lower allele frequency [0.05]" },
	{ 0, "blocks-strong-lowci", "X", VS_OPT_REAL, &blocks.strong_low, 0.51,
		0.8, .help = "strong LD: lower end of D' at least X [0.7]" },
	{ 0, "blocks-strong-highci", "X", VS_OPT_REAL, &blocks.strong_high,
		0.84, 1, .help = "and its upper end at least X [0.98]" },
	{ 0, "blocks-recomb-highci", "X", VS_OPT_REAL, &blocks.recombined, 0.02,
		1, .help = "recombined: upper end of D' below X [0.9]" },
	{ 0, "blocks-inform-frac", "X", VS_OPT_REAL, &blocks.strong_share, 0,
		0.99999,
		.help = "more than X of both kinds must be strong [0.95]" },
	{ 0, "blocks-any-span", NULL, VS_OPT_FLAG, &blocks.any_span,
		.help = "no limits of 20 and 30 kb for two and three "
			"variants" },

	{ 0, "components", NULL, VS_OPT_FLAG, &components, .group = "Clusters",
		.common = true,
		.help = "write variants, degrees and connected components" },
	{ 0, "degrees", NULL, VS_OPT_FLAG, &degrees,
		.help = "write variants and degrees, in input order" },

	{ 'o', "output", "OUT", VS_OPT_TEXT, &filter.out, .group = "Output",
		.common = true,
		.help = "a file or RUNDIR, as the input; - is stdout" },
	VS_OPTS_OUTPUT(&filter.force, &filter.codec, &filter.level,
		"deflate; shards: zstd"),
	VS_OPT_VECTORS(&ask.vectors, "run"),
	{ 0 },
};

#define CONDITIONS "min max below min-joint p-value cells keep"
#define ABOVE "threshold above"
#define STRONGEST "top top-per-vector"
#define TEXTS "prune clump tags blocks components degrees"

static const struct vs_opt_rule rules[] = {
	VS_EXCLUDES("prune", "clump tags blocks components degrees"),
	VS_EXCLUDES("clump", "tags blocks components degrees"),
	VS_EXCLUDES("tags", "blocks components degrees"),
	VS_EXCLUDES("blocks", "components degrees"),
	VS_EXCLUDES("blocks", ABOVE " vectors",
		.why = "it compares the genotypes of a vectors file"),
	VS_EXCLUDES("blocks", "output",
		.why = "it writes PREFIX.blocks and PREFIX.blocks.det"),
	VS_EXCLUDES("components", "degrees"),
	VS_EXCLUDES("prune", "output",
		.why = "it writes PREFIX.prune.in and PREFIX.prune.out"),
	VS_EXCLUDES(TEXTS, "codec level", .why = "it writes text"),
	VS_EXCLUDES("fdr", ABOVE " " CONDITIONS " " STRONGEST,
		.why = "it is a rate of all that were compared"),
	VS_EXCLUDES("blocks", CONDITIONS " fdr " STRONGEST,
		.why = "it takes all variants"),
	VS_EXCLUDES("prune clump tags", CONDITIONS " fdr " STRONGEST,
		.why = "its only condition is --threshold"),
	VS_EXCLUDES("components degrees", "fdr " STRONGEST,
		.why = "filter first, in a run of its own"),
	VS_EXCLUDES("threshold", "above", .why = "both are lower limits"),
	VS_EXCLUDES("top", "top-per-vector",
		.why = "apply one, then the other to its output"),
	VS_NEEDS("bonferroni", "p-value"),
	VS_NEEDS("keep-either", "keep"),
	VS_NEEDS("window", "prune tags"),
	VS_NEEDS("step threads " VS_NAMES_SITES, "prune"),
	VS_NEEDS(VS_NAMES_SITES, "@genotypes",
		.why = "vsim-pack makes the choice for a vectors file"),
	VS_NEEDS("prune clump", ABOVE, .when = "@vectors",
		.why = "-t 0.2 is common"),
	VS_NEEDS("clump-p1 clump-p2 clump-kb clump-id-field clump-field "
		 "clump-p-field clump-test",
		"clump"),
	VS_NEEDS("blocks-max-kb blocks-min-maf blocks-strong-lowci "
		 "blocks-strong-highci blocks-recomb-highci "
		 "blocks-inform-frac blocks-any-span",
		"blocks"),
	VS_NEEDS("", ABOVE " " CONDITIONS " fdr " STRONGEST " " TEXTS),
	VS_NEEDS("", "output prune blocks",
		.why = "-o names a file or a directory"),
	{ 0 },
};

static const struct vs_tool tool = {
	.name = "vsim-threshold",
	.purpose = "Filter the records of a shard, a run or a merged result.",
	.synopsis =
		"-o OUT [options] RUNDIR|SHARD|E.res.h5\n"
		"       vsim-threshold --prune|--blocks PREFIX [options] "
		"INPUT\n"
		"       vsim-threshold --clump TABLE -o OUT [options] "
		"E.res.h5|X.vec.h5\n"
		"       vsim-threshold --tags|--components|--degrees -o OUT "
		"[options] E.res.h5",
	.lesson =
		"examples:\n"
		"  vsim-threshold -t 0.8 -o run8 run\n"
		"  vsim-threshold --top-per-vector 5 -o best.res.h5 e.res.h5\n"
		"  vsim-threshold --prune x --window 50 --step 5 -t 0.2 "
		"x.bed\n",
	.opts = opts,
	.rules = rules,
	.n_least = 1,
	.n_most = 1,
};

struct graph {
	struct vs_ld_graph of;
	struct vs_prune_place *place;
	uint8_t *out;
};

static uint64_t
find(void *with, uint64_t a, uint64_t from, uint64_t end)
{
	const struct graph *g = with;

	for (uint64_t k = g->of.first[a]; k < g->of.first[a + 1]; k++) {
		const uint32_t b = g->of.to[k];

		if (b >= end)
			break;
		if (b >= from && !g->place[b].out)
			return b;
	}
	return end;
}

static int
prune(struct graph *g, const struct vs_ld_window *w, uint64_t step)
{
	int code =
		vs_mem_new(&g->place, g->of.n, sizeof(*g->place), "variants");
	struct vs_prune_scan s = {
		.window = *w,
		.step = step,
		.n = g->of.n,
		.place = g->place,
		.mask = UINT64_MAX,
		.find = find,
		.with = g,
	};

	for (uint64_t a = 0; a < s.n && !code; a++)
		s.place[a] = (struct vs_prune_place){
			.contig = g->of.contig[a],
			.pos = g->of.pos[a],
			.alleles = { g->of.alleles[a][0], g->of.alleles[a][1] },
			.out = !g->of.alleles[a][1],
		};
	/* variants of no chromosome are in no window */
	while ((w->variants || w->bases) && s.n && !code &&
		s.place[s.n - 1].contig < 0)
		s.n--;
	if (!code)
		vs_prune_scan(&s, true);
	return code;
}

struct listed {
	int64_t source, row;
	uint8_t out;
};

static int
by_source(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	return x->source < y->source ? -1 : x->source > y->source;
}

/* Lists are in input order. */
static int
write_lists(const char *prefix, struct graph *g)
{
	struct listed *order = NULL;
	int64_t *row = NULL;
	int code = vs_mem_new(&order, g->of.n, sizeof(*order), "variants");

	VS_MEM_NEW(&code, row, g->of.n, "variants");
	for (uint64_t a = 0; a < g->of.n && !code; a++)
		order[a] = (struct listed){ g->of.source[a],
			g->of.names.row[g->of.vector[a]], g->place[a].out };
	if (!code)
		qsort(order, g->of.n, sizeof(*order), by_source);
	for (uint64_t k = 0; k < g->of.n && !code; k++) {
		row[k] = order[k].row;
		g->out[k] = order[k].out;
	}
	if (!code)
		code = vs_prune_write(prefix, &g->of.names.sites.id, g->of.n,
			row, g->out);
	free(order);
	free(row);
	return code;
}

/*
 * Write the lists of PREFIX.
 * result   merged, vs_ld_graph_read()
 * vectors  that it was made from, or null: those it names
 * above    bound for a pair; NaN: that of the result
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
static int
prune_result(const struct vs_prune *p, const char *result, const char *vectors,
	double above, bool force)
{
	struct graph g = { 0 };
	struct vs_ld_window w;
	int code = vs_prune_check(p, &w);

	if (!code)
		code = vs_prune_may_write(p->prefix, force);
	if (!code)
		code = vs_ld_graph_read(&g.of, result, vectors, above, &w,
			false);
	VS_MEM_NEW(&code, g.out, g.of.n, "variants");
	if (!code)
		code = prune(&g, &w, p->step ? (uint64_t)p->step : 1);
	if (!code)
		code = write_lists(p->prefix, &g);
	vs_ld_graph_free(&g.of);
	free(g.place);
	free(g.out);
	return code;
}

/* The strongest of some shards are not those of the run that vsim-merge would
 * make: all tiles must be here. */
static int
check_all(const struct vs_result *first, uint64_t n_tile, const char *input)
{
	struct vs_plan plan;
	int code = vs_run_plan(&first->run, &plan);

	if (code || n_tile >= vs_plan_n_tile(&plan))
		return code;
	return vs_fail(VS_EINPUT,
		"%s: has %llu of the %llu tiles of the run, and --%s is of "
		"all: merge them first",
		input, (unsigned long long)n_tile,
		(unsigned long long)vs_plan_n_tile(&plan),
		ask.top ? "top" : "top-per-vector");
}

/* Number of tiles that a shard lists. */
static int
add_tiles(struct vs_result *r, uint64_t *n_tile)
{
	struct vs_tile_row *tile = NULL;
	size_t n = 0;
	int code = vs_result_tiles(r, &tile, &n);

	*n_tile += n;
	free(tile);
	return code;
}

/* Let the records pass that the rate allows, and say where weaker ones that the
 * run left out might pass too. */
static void
control(void)
{
	struct vs_p_value *t = filter.fdr;

	vs_p_value_select(t, ask.fdr);
	if (t->n_seen && t->n_seen == filter.n_seen && t->n_seen < t->compared)
		vs_tool_warn("--fdr: all records pass, and weaker ones may; "
			     "vsim-run with a lower -t finds them");
}

/* Check every file before anything is written; read all records where what
 * passes depends on all. */
static int
first_pass(const struct vs_rundir *dir, const char *input)
{
	struct vs_result *first = NULL, *r = NULL;
	uint64_t total = 0, n_tile = 0;
	int code = 0;

	for (size_t f = 0; f < dir->n && !code; f++) {
		const char *why;

		code = vs_result_open(&r, dir->in[f], 0);
		if (code)
			break;
		code = vs_conditions_check(&ask, &r->run, dir->in[f]);
		if (!code && first &&
			(why = vs_run_differs(&first->run, &r->run)))
			code = vs_fail(VS_EINPUT,
				"%s and %s are not of one run: %s differs",
				dir->in[0], dir->in[f], why);
		if (!code && !first)
			code = vs_conditions_open(&ask, r, dir->in[f],
				&filter.names);
		if (!code && !first && filter.names.row)
			code = vs_vector_names_map_of_names(&filter.map,
				&filter.names);
		if (!code && (ask.top || ask.top_each) && !filter.top.of)
			code = vs_strongest_each_open(&filter.top,
				ask.top ? 0 : (uint64_t)r->run.n_vectors,
				(size_t)(ask.top + ask.top_each),
				vs_record_strongest_first(
					vs_run_strong(&r->run)));
		if (!code && !isinf(ask.fdr))
			filter.fdr = &ask.test;
		if (!code && (filter.top.of || filter.fdr))
			code = vs_filter_result_see(&filter, r);
		if (!code && (filter.top.of || filter.fdr) &&
			r->kind != VS_KIND_MERGED)
			code = add_tiles(r, &n_tile);
		if (!code)
			code = vs_result_seen_check(r);
		total += r->n_records;
		if (!first)
			first = r;
		else
			vs_result_close(r);
		r = NULL;
	}
	if (!code && (filter.top.of || filter.fdr) &&
		first->kind != VS_KIND_MERGED)
		code = check_all(first, n_tile, input);
	if (!code && filter.fdr)
		control();
	filter.n_seen = 0;
	filter.progress.total = (double)total;
	vs_result_close(first);
	vs_result_close(r);
	return code;
}

static int
second_pass(const struct vs_rundir *dir)
{
	int code = 0;

	for (size_t f = 0; f < dir->n && !code; f++) {
		struct vs_result *r = NULL;

		code = vs_result_open(&r, dir->in[f], VS_H5_FAST);
		if (!code)
			code = vs_result_watch(r, false);
		if (!code)
			code = vs_filter_result_write(&filter, r, dir->out[f]);
		vs_result_close(r);
	}
	return code;
}

static int
threshold(const char *input)
{
	struct vs_rundir dir = { 0 };
	int code;
	bool is_dir;

	vs_clock_date(filter.started);
	code = vs_rundir_begin(&dir, input, filter.out, filter.force);
	vs_tool_progress_begin(&filter.progress, "records", 0);
	if (!code)
		code = first_pass(&dir, input);
	if (!code)
		code = second_pass(&dir);
	vs_tool_progress_end(&filter.progress);
	is_dir = dir.is_dir;
	code = vs_rundir_end(&dir, code);
	if (!code)
		vs_tool_close(filter.out, "%llu of %llu record%s kept",
			(unsigned long long)filter.n_kept,
			(unsigned long long)filter.n_seen,
			vs_text_s(filter.n_seen));
	if (!code)
		vs_tool_next("%s %s",
			is_dir ? "vsim-merge -o X.res.h5"
			       : "vsim-view --sort value",
			filter.out);
	vs_strongest_each_close(&filter.top);
	vs_vector_names_map_free(&filter.map);
	vs_vector_names_free(&filter.names);
	return code;
}

/* Kind of an input: genotypes to be read, or true for a vectors file. */
static int
look(struct vs_genotypes *in, const char *input, bool *is_vectors)
{
	struct vs_h5_reader *r = NULL;
	enum vs_kind kind = VS_KIND_VECTORS;
	int code = vs_genotypes_recognize(in, input);

	if (!code && !in->kind)
		code = vs_h5_reader_open(&r, input,
			1u << VS_KIND_VECTORS | 1u << VS_KIND_SHARD |
				1u << VS_KIND_MERGED,
			0, &kind);
	vs_h5_reader_close(r);
	*is_vectors = kind == VS_KIND_VECTORS;
	return code ? code
		    : vs_tool_check((const struct vs_opt_fact[]){
			      { "vectors", *is_vectors, "" },
			      { "genotypes", in->kind, "genotypes" }, { 0 } });
}

static int
list(const char *input, double above)
{
	struct vs_provenance unused = { 0 };
	struct vs_genotypes in = { .how = &how, .provenance = &unused };
	bool is_vectors = false;
	const struct vs_run genotypes = { .metric = "r2", .n_way = 2 };
	int code = look(&in, input, &is_vectors);

	how.threads = vs_tool_threads(how.threads);
	if (!code && is_vectors)
		code = vs_metric_options_passes(&genotypes,
			vs_conditions_above(&ask), above, true);
	if (!code && !pruned.prefix)
		code = vs_clump_write(&clump, input, is_vectors, ask.vectors,
			above, filter.out, filter.force);
	else if (!code)
		code = is_vectors ? vs_prune_vectors(&pruned, &in, input, above,
					    filter.force)
				  : prune_result(&pruned, input, ask.vectors,
					    above, filter.force);
	vs_genotypes_close(&in);
	vs_provenance_free(&unused);
	return code;
}

/* Lists and clumps of variants: no result is written. */
static int
write_variants(const char *input)
{
	struct vs_ld_window window;
	double above = NAN;
	int code = vs_prune_check(&pruned, &window);

	if (code)
		return code;
	if (ask.threshold)
		ask.above = ask.threshold;
	if (ask.above && !vs_num_real(ask.above, &above))
		return vs_opt_fail_number(vs_conditions_above(&ask), ask.above,
			VS_OPT_FINITE);
	if (tags)
		return vs_tags_write(pruned.window, input, ask.vectors, above,
			filter.out, filter.force);
	return list(input, above);
}

int
main(int argc, char **argv)
{
	struct vs_args args;
	int code = vs_tool_begin(&tool, argc, argv, &args);

	if (!code && blocks.prefix)
		return vs_tool_end(vs_blocks_write(&blocks, args.operands[0],
					   filter.force),
			true);
	if (!code && (pruned.prefix || clump.table || tags))
		return vs_tool_end(write_variants(args.operands[0]), true);
	if (!code)
		code = vs_conditions_read(&ask);
	if (!code && (components || degrees))
		code = vs_components_write(&ask, args.operands[0], filter.out,
			components, filter.force);
	else if (!code)
		code = threshold(args.operands[0]);
	vs_conditions_free(&ask);
	return vs_tool_end(code, true);
}
