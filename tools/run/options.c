/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line options of vsim-run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/runfile.h"
#include "formats/out/writer.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/plan/comm.h"
#include "tools/run/options.h"
#include "tools/run/permutations.h"
#include "tools/run/stage.h"
#include "tools/run/summarize.h"
#include "tools/shared/elsewhere.h"
#include "tools/shared/metric_options.h"
#include "tools/shared/option_rows.h"
#include "tools/shared/result_io.h"

struct vs_options vs_options = {
	.metric = "ccc",
	.value = "f64",
	.codec = "zstd",
	.backend = "auto",
	.way = 2,
	.commit = 30,
	.how = VS_GENOTYPES_HOW,
};

/* Members of the question that options set, the OPTION rows of query_rows.h. */
static struct vs_run asked;

static char formats[VS_WRITER_WORDS], formats_detail[VS_WRITER_WORDS];

void
vs_options_begin(void)
{
	vs_writer_words(formats, formats_detail, true);
}

/* Rows of query_rows.h, in their groups. */
#define ROW(member, name, arg, kind, least, most, words)           \
	{ 0, name, arg, VS_OPT_##kind, &asked.member, least, most, \
		.help = words },
#define QUESTION_QUESTION ROW
#define QUESTION_SIGNIFICANCE(...)
#define SIGNIFICANCE_QUESTION(...)
#define SIGNIFICANCE_SIGNIFICANCE ROW

struct vs_opt vs_options_table[] = {
	{ 'm', "metric", "NAME", VS_OPT_CHOICE, &vs_options.metric,
		.group = "What to compute", .common = true,
		.choices = &vs_metric_choices[1], .detail = vs_metric_detail,
		.aliases = VS_METRIC_ALIASES,
		.words_elsewhere = VS_METRICS_ELSEWHERE,
		.help = "what to compute, see vsim-metrics(7) [ccc]" },
	{ 'w', "way", "N", VS_OPT_INT, &vs_options.way, 2, 3, .common = true,
		.help = "compare pairs (2) or triples (3) [2]" },
	{ 't', "threshold", "T", VS_OPT_TEXT, &vs_options.threshold,
		.common = true,
		.help = "keep values > T; by class of cell: LL=0.7,HH=0.6" },
	{ 0, "top", "N", VS_OPT_INT, &vs_options.top, 1, INT32_MAX,
		.common = true, .help = "keep the N strongest values" },
#define OPTION(group, ...) QUESTION_##group(__VA_ARGS__)
#include "libcore/metric/query_rows.h"
	{ 0, "abs", NULL, VS_OPT_FLAG, &vs_options.absolute,
		.help = "compare absolute values; the sign is kept" },
	VS_OPT_MIN_JOINT(&vs_options.min_joint),
	{ 0, "multiplier", "X", VS_OPT_TEXT, &vs_options.multiplier,
		.help = "factor of ccc and duo [ccc 9/2, duo 4]" },
	{ 0, "gamma", "X", VS_OPT_TEXT, &vs_options.gamma,
		.help = "frequency weight of ccc and duo, 0 to 1 [2/3]" },
	{ 0, "allow-empty", NULL, VS_OPT_FLAG, &vs_options.allow_empty,
		.help = "run even if nothing can pass the threshold" },

	{ 0, "max-kb", "X", VS_OPT_DECIMAL, &vs_options.max_kb, 0, 1e9,
		.group = "Which pairs and triples", .common = true,
		.help = "at most X kb apart, on one chromosome" },
	{ 0, "max-cm", "X", VS_OPT_DECIMAL, &vs_options.max_cm, 1e-6, 1e6,
		.help = "at most X centimorgans apart, by vsim-pack --map" },
	{ 0, "max-sites", "N", VS_OPT_INT, &vs_options.rules.max_sites, 1,
		UINT32_MAX,
		.help = "at most N variants apart, on one chromosome" },
	{ 0, "min-kb", "X", VS_OPT_DECIMAL, &vs_options.min_kb, 0.001, 1e9,
		.help = "at least X kb apart, or on two chromosomes" },
	{ 0, "within-chromosome", NULL, VS_OPT_FLAG, &vs_options.rules.within,
		.help = "on one chromosome" },
	{ 0, "inter-chromosome", NULL, VS_OPT_FLAG, &vs_options.rules.inter,
		.help = "pairs on two chromosomes" },
	{ 0, "pairs-between", "A B", VS_OPT_TWO, vs_options.between,
		.help = "a variant of A with one of B",
		.detail = "A, B\t@FILE of ids, rows LO-HI from 0, or "
			  "CHROM[:FROM-TO]\n" },
	{ 0, "triples-with", "A", VS_OPT_TEXT, &vs_options.with,
		.help = "triples with at least one variant of A" },
	{ 0, "triples-between", "A B", VS_OPT_TWO, vs_options.triples,
		.help = "a variant of A, one of B and any third" },
	{ 0, "against", "E.res.h5", VS_OPT_TEXT, &vs_options.against,
		.help = "only with variants that this earlier result lacks" },
	VS_OPT_VECTORS(&vs_options.vectors, "--against result"),

	VS_OPTS_LIMITS(&vs_options.how, .group = "Genotypes to compare"),
	VS_OPTS_SAMPLES(&vs_options.how),
	VS_OPTS_SITES(&vs_options.how),
	VS_OPT_MAP(&vs_options.how),

	{ 0, "permute-test", "N", VS_OPT_INT, &vs_options.permute_test,
		VS_PERMUTE_TEST_LEAST, 1000000, .group = "Significance",
		.help = "print the 5% family-wise threshold; no output" },
#define OPTION(group, ...) SIGNIFICANCE_##group(__VA_ARGS__)
#include "libcore/metric/query_rows.h"

	{ 'o', "output", "RUNDIR", VS_OPT_TEXT, &vs_options.output,
		.group = "Output", .common = true,
		.help = "directory for the shards; with --to a file or -" },
	{ 'f', "force", NULL, VS_OPT_FLAG, &vs_options.force, .common = true,
		.help = "remove the shards of an earlier run from RUNDIR",
		.not_in_runfile = true },
	{ 'r', "resume", NULL, VS_OPT_FLAG, &vs_options.resume, .common = true,
		.help = "continue an interrupted run, on any number of ranks",
		.not_in_runfile = true },
	{ 0, "merge", "FILE", VS_OPT_TEXT, &vs_options.merge, .common = true,
		.help = "also write the sorted, indexed result" },
	{ 0, "to", "FORMAT", VS_OPT_CHOICE, &vs_options.to, .common = true,
		.choices = formats, .detail = formats_detail,
		.help = "write a table instead of shards" },
	{ 'c', "columns", "LIST", VS_OPT_TEXT, &vs_options.columns,
		.help = "columns to show, separated by commas" },
	{ 0, "no-header", NULL, VS_OPT_FLAG, &vs_options.no_header,
		.help = "omit the header line" },
	VS_OPT_UNDEFINED(&vs_options.undefined, "0"),
	{ 0, "max-records", "N", VS_OPT_INT, &vs_options.max_records, 1, 1e15,
		.help = "stop before any rank writes more records" },
	{ 0, "metric-histogram", "FILE", VS_OPT_TEXT, &vs_options.histogram,
		.help = "histogram of all values, as TSV" },
	{ 0, "summary", "LIST", VS_OPT_TEXT, &vs_options.summary,
		.help = "sums over all pairs; add -t for records",
		.detail = vs_summary_detail },
	{ 0, "stats", "FILE", VS_OPT_TEXT, &vs_options.stats,
		.help = "write times and rates as YAML" },

	VS_OPT_THREADS(&vs_options.threads, "allowed cores, shared by ranks",
		.group = "Resources"),
	VS_OPT_MEMORY(&vs_options.memory,
		"per rank [its share of what is allowed]", .common = true),
	{ 0, "commit-every", "S", VS_OPT_INT, &vs_options.commit, 0, 86400,
		.help = "checkpoint every S seconds [30]" },
	{ 'n', "dry-run", NULL, VS_OPT_FLAG, &vs_options.dry_run,
		.common = true,
		.help = "print the plan and estimates; write nothing" },

	{ 0, "stage", "K/N", VS_OPT_TEXT, &vs_options.stage,
		.group = "Cluster and GPU",
		.help = "compute part K of N; vsim-merge joins the parts" },
	{ 0, "ranks", "N", VS_OPT_INT, &vs_options.ranks, 1, 1 << 20,
		.help = "plan for N ranks" },
	{ 0, "model", "FILE", VS_OPT_TEXT, &vs_options.model,
		.help = "predict the time on a cluster, see vsim-scale(7)" },
	{ 0, "shape", "VxF", VS_OPT_TEXT, &vs_options.shape,
		.help = "plan for V variants of F samples, without a file" },
	{ 0, "exchange", "WAY", VS_OPT_CHOICE, &vs_options.exchange,
		.choices = "ring|fetch|file",
		.help = "how ranks get vectors: ring, fetch or file [ring]" },
	{ 0, "backend", "NAME", VS_OPT_CHOICE, &vs_options.backend,
		.choices = vs_devices_choices,
		.help = "cpu, cuda, cuda+cpu or the fastest, auto [auto]" },
	{ 0, "device", "LIST", VS_OPT_TEXT, &vs_options.device,
		.help = "GPUs to use, such as 0,1 [all]" },
	{ 0, "engine", "NAME", VS_OPT_TEXT, &vs_options.engine,
		.help = "counting engine of the GPU [fastest]" },
	{ 0, "gpu-memory", "SIZE", VS_OPT_SIZE, &vs_options.gpu_memory,
		.help = "memory limit per GPU [nearly all]" },

	{ 0, "config", "FILE", VS_OPT_TEXT, &vs_options.config,
		.group = "Expert",
		.help = "read options from a runfile, see vsim-runfile(5)",
		.not_in_runfile = true },
	{ 0, "value", "TYPE", VS_OPT_CHOICE, &vs_options.value,
		.choices = "f64|f32",
		.help = "stored values: f64 or f32 [f64]" },
	VS_OPTS_CODEC(&vs_options.codec, &vs_options.level, "zstd"),
	VS_OPT_NO_HOST(&vs_options.no_host),
	{ 0, "cpu", "NAME", VS_OPT_TEXT, &vs_options.cpu,
		.help = "at most scalar|popcnt|avx2|avx512|avx512icl|amx" },
	{ 0, "kernel", "NAME", VS_OPT_TEXT, &vs_options.kernel,
		.help = "one of the kernels that --version lists [fastest]" },
	{ 0, "tile", "N", VS_OPT_INT, &vs_options.tile, 1, 1 << 30,
		.help = "longest tile edge, in vectors [by size and ranks]" },
	{ 0, "no-prune", NULL, VS_OPT_FLAG, &vs_options.no_prune,
		.help = "also count pairs that cannot pass" },
	{ 0, "no-bind", NULL, VS_OPT_FLAG, &vs_options.no_bind,
		.help = "do not pin threads to cores" },
	{ 0 },
};

/* Choose the backend; only the CPU computes histograms and searches of permuted
 * samples. */
static int
choose_backend(struct vs_setup *s)
{
	const bool any = !strcmp(vs_options.backend, "auto");
	const char *cpu = vs_options.histogram ? "histograms"
		: vs_options.summary           ? "summaries"
		: vs_options.permute_test      ? "permutations"
					       : NULL;

	if (cpu && any && !vs_options.model)
		vs_tool_say("no device: the CPU alone computes %s", cpu);
	s->want = (struct vs_devices_want){ .backend = cpu || vs_options.model
			? "cpu"
			: vs_options.backend,
		.list = vs_options.device,
		.engine = vs_options.engine,
		.memory = vs_options.gpu_memory,
		.triples = s->way.n == 3 };
	return vs_devices_check(&s->want);
}

#define BY_SITES \
	"max-kb max-cm min-kb max-sites within-chromosome inter-chromosome"
#define BY_SETS "triples-with triples-between"

const struct vs_opt_rule vs_options_rules[] = {
	VS_EXCLUDES("force", "resume",
		.why = "it removes what an interrupted run has done"),

	/* which pairs and triples */
	VS_EXCLUDES("pairs-between", BY_SETS),
	VS_EXCLUDES("triples-with", "triples-between"),
	VS_NEEDS(BY_SETS, "way=3", .why = "for pairs use --pairs-between"),
	VS_EXCLUDES("pairs-between", "way=3",
		.why = "use --triples-with or --triples-between"),
	VS_EXCLUDES("inter-chromosome",
		"within-chromosome max-sites max-kb max-cm min-kb"),
	VS_EXCLUDES("against", "pairs-between " BY_SETS " top metric-histogram",
		.why = "it completes an earlier result with all new pairs"),
	VS_EXCLUDES("against", "max-sites",
		.why = "new vectors move earlier ones apart"),
	VS_EXCLUDES("against", "max-cm",
		.why = "genetic positions depend on the map"),
	VS_NEEDS("vectors", "against"),

	/* parts of a run */
	VS_EXCLUDES("top merge", "stage",
		.why = "a stage is a part of a run; vsim-merge merges stages"),
	VS_EXCLUDES("top", "max-records",
		.why = "it keeps no more than its number"),

	/* tables */
	VS_EXCLUDES("to",
		"resume merge stage against max-records metric-histogram "
		"permutations permute-test codec level commit-every no-host",
		.why = "it writes no shards"),
	VS_EXCLUDES("to", "@ranks", .why = "one process writes a table"),
	VS_NEEDS("columns no-header undefined", "to"),
	VS_EXCLUDES("columns", "@fixed-line",
		.why = "it has columns of its own"),
	VS_EXCLUDES("undefined=NA", "@fixed-line",
		.why = "it holds numbers only; use omit or 0"),

	/* genotypes that are not packed */
	VS_NEEDS("@genotypes", "to dry-run permute-test",
		.why = "shards name a vectors file, which vsim-pack makes"),
	VS_EXCLUDES("@genotypes", "@ranks", .why = "pack it first"),
	VS_NEEDS(VS_NAMES_SITES " map " VS_NAMES_SAMPLES, "@genotypes",
		.why = "vsim-pack makes the choice for a vectors file"),

	/* metrics */
	VS_EXCLUDES("way=3", "@pairs-alone", .why = "this metric is for pairs"),
	VS_EXCLUDES("multiplier gamma", "@fixed",
		.why = "only ccc and duo have it"),
	VS_EXCLUDES("abs", "@unsigned",
		.why = "this metric has no negative values"),
	VS_EXCLUDES("abs", "below", .why = "it is a limit of signed values"),
	VS_EXCLUDES("shuffle-cases", "@no-cases",
		.why = "this metric does not use case/control status"),
	VS_EXCLUDES("min-joint", "@minima",
		.why = "it compares all fields; a missing bit counts as 0"),
	VS_EXCLUDES("metric-histogram", "@unbounded",
		.why = "this metric has no maximum to count up to"),

	/* summaries */
	VS_EXCLUDES("summary", "way=3", .why = "it adds up values of pairs"),
	VS_EXCLUDES("summary", "permutations permute-test",
		.why = "these keep the strongest values of whole searches"),
	VS_EXCLUDES("summary", "@standard-output",
		.why = "-o FILE names its tables, too"),
	VS_EXCLUDES("summary", "against",
		.why = "the earlier result has no sums to add to"),
	VS_EXCLUDES("abs below max-records value top to", "@alone",
		.why = "no records are kept"),
	VS_EXCLUDES("summary", "@cells",
		.why = "this metric has several values for each pair"),

	/* permutations */
	VS_EXCLUDES("permute-test",
		"output merge dry-run top stage metric-histogram resume stats "
		"max-records against shuffle-cases permutations @by-class "
		"@limit",
		.why = "it prints a threshold and writes nothing"),
	VS_EXCLUDES("permutations", "metric-histogram against @by-class @limit",
		.why = "it compares the strongest values of whole searches"),

	/* devices */
	VS_EXCLUDES("permute-test metric-histogram summary", "@device",
		.why = "it runs on the CPU only"),
	VS_EXCLUDES("way=3", "@device",
		.why = "triples of this metric run on the CPU only",
		.when = "@minima"),
	VS_EXCLUDES("device engine gpu-memory", "backend=cpu",
		.why = "it is for GPUs"),
	VS_EXCLUDES("exchange", "way=3",
		.why = "for triples each rank or machine has all vectors"),

	/* plans */
	VS_NEEDS("ranks model shape", "dry-run"),
	VS_EXCLUDES("shape", "@cases",
		.why = "it counts cases and controls, which a file has"),
	VS_EXCLUDES("shape",
		"@file pairs-between against " BY_SETS " " BY_SITES,
		.why = "it replaces the vectors file"),
	VS_NEEDS("", "output dry-run permute-test",
		.why = "-o names a directory"),
	{ 0 },
};

/* The given option that excludes strong values; its name is null: none. */
static const struct vs_opt *
limit_option(void)
{
	const struct vs_opt *o = vs_options_table;

	while (o->name && (o->kind != VS_OPT_LIMIT || !o->seen))
		o++;
	return o;
}

/* Check the rules, given the metric, the threshold and the backend. */
static int
check_rules(const struct vs_metric *metric, const struct vs_genotypes *in,
	const char *input)
{
	const bool tables = metric->family == VS_FAMILY_TABLES,
		   inner = metric->family == VS_FAMILY_INNER;
	const char *threshold = vs_options.threshold;
	const char *limit = limit_option()->name;
	const struct vs_writer_kind *kind =
		vs_options.to ? vs_writer_find(vs_options.to) : NULL;
	char name[64], backend[64], limited[64], to[64];
	const struct vs_opt_fact facts[] = {
		{ "file", input, input },
		{ "genotypes", in->kind, in->kind ? input : "genotypes" },
		{ "by-class", threshold && strchr(threshold, '='),
			"thresholds by class" },
		{ "limit", limit, limited },
		{ "device",
			strcmp(vs_options.backend, "auto") &&
				strcmp(vs_options.backend, "cpu"),
			backend },
		{ "ranks", vs_comm_size() > 1, "several ranks" },
		{ "alone",
			vs_options.summary &&
				vs_summarize_alone(vs_options.summary,
					threshold, vs_options.top),
			"--summary without records" },
		{ "standard-output",
			vs_options.to && vs_options.output &&
				!strcmp(vs_options.output, "-"),
			"a table on standard output" },
		{ "fixed-line", kind && !kind->columns, to },
		{ "pairs-alone", metric->family == VS_FAMILY_MOMENTS || inner,
			name },
		{ "fixed", metric->family != VS_FAMILY_ALLELES, name },
		{ "cases", tables, name },
		{ "no-cases", !tables, name },
		{ "minima", metric->family == VS_FAMILY_MINIMA, name },
		{ "unbounded", vs_metric_is_open(metric), name },
		{ "unsigned", !vs_metric_is_signed(metric), name },
		{ "cells", vs_metric_has_cells(metric), name },
		{ 0 },
	};

	snprintf(name, sizeof(name), "--metric %s", vs_options.metric);
	snprintf(limited, sizeof(limited), "--%s", limit ? limit : "");
	snprintf(backend, sizeof(backend), "--backend %s", vs_options.backend);
	snprintf(to, sizeof(to), "--to %s", kind ? kind->name : "");
	return vs_tool_check(facts);
}

/* Rounding further decimals changes no comparison with whole bases. 0 in the
 * rules means no limit, so --max-kb 0 becomes a distance below one base. */
static void
read_kb(const struct vs_decimal *kb, bool up, int64_t *out)
{
	if (kb->text && vs_decimal_scaled(kb, VS_PAIR_RULES_SCALE, up, out) &&
		!*out)
		*out = 1;
}

/* An example of a threshold, for the metric requested. */
static int
fail_threshold(const struct vs_metric *metric)
{
	const bool pair = vs_options.way == 2,
		   cells = vs_metric_has_cells(metric),
		   low = vs_metric_strong(metric) == VS_STRONG_LOW;

	if (vs_metric_is_open(metric))
		return vs_fail(VS_EUSAGE,
			"--threshold is missing: %s depends on the data: --top "
			"100 keeps the strongest, -t T what is %s T",
			vs_options.metric, low ? "below" : "above");
	return vs_fail(VS_EUSAGE,
		"--threshold is missing: -m %s -t %s keeps strong %s, -t -1 "
		"all of them%s",
		vs_options.metric,
		!cells         ? "0.5"
			: pair ? "0.7"
			       : "0.4",
		pair ? "pairs" : "triples",
		cells && !pair ? "; where no call is missing triples stay "
				 "below 0.712"
			       : "");
}

/* The threshold to use if none is given and none is needed. */
static void
choose_threshold(const struct vs_metric *metric)
{
	if (vs_options.threshold)
		return;
	if (vs_options.top || vs_options.permute_test)
		vs_options.threshold = vs_metric_strong(metric) == VS_STRONG_LOW
			? "1e308"
			: "0";
	/* the lowest of the thresholds that a dry run compares */
	vs_options.no_threshold = !vs_options.threshold && vs_options.dry_run &&
		!vs_metric_is_open(metric);
	if (vs_options.no_threshold)
		vs_options.threshold =
			vs_options.way == 3 && vs_metric_has_cells(metric)
			? "0.3"
			: "0.5";
}

/* The metric and its options. */
static int
read_query(struct vs_setup *s, const struct vs_metric *metric)
{
	int code = vs_metric_options_choose(vs_options.metric,
		vs_options.multiplier, vs_options.gamma, &s->alleles, &s->run);

	if (code)
		return code;
	s->query.alleles = s->alleles.weight ? &s->alleles : NULL;
	s->query.metric = metric;
	vs_run_kind_set(&s->way, (int)vs_options.way,
		vs_metric_has_cells(s->query.metric));
	s->query.kernel = vs_options.kernel;
	s->run.n_way = (int32_t)vs_options.way;
#define OPTION(group, member, ...) s->run.member = asked.member;
#include "libcore/metric/query_rows.h"
	snprintf(s->run.metric, sizeof(s->run.metric), "%s", vs_options.metric);
	s->run.absolute = s->query.absolute = vs_options.absolute;
	s->query.prune = !vs_options.no_prune;
	code = vs_ablation_read(&s->query.without);
	if (code)
		return code;
	if (s->query.without)
		vs_tool_say("VSIM_WITHOUT=%s: for measurement only",
			getenv("VSIM_WITHOUT"));
	code = vs_metric_options_thresholds(vs_options.threshold,
		s->way.has_cells, &s->thresholds, &s->run);
	s->query.threshold = vs_strength_of_threshold(
		vs_query_strong(&s->query), s->run.threshold);
	s->query.thresholds = *s->run.class_thresholds ? &s->thresholds : NULL;
	return code;
}

/* The cluster's cores have caches of their own, whichever machine predicts. */
static int
read_model(struct vs_cluster *cluster)
{
	const int code = vs_cluster_read(cluster, vs_options.model);

	if (!code)
		vs_cpu_assume_cache(cluster->cache);
	return code;
}

int
vs_options_check(const struct vs_args *args, struct vs_setup *s)
{
	const struct vs_metric *metric;
	int code = 0;

	if (args->n_operand)
		code = vs_mem_copy_text(&s->input, args->operands[0]);
	if (!code && vs_options.config)
		code = vs_runfile_read(vs_options.config, vs_options_table,
			&s->input);
	if (code)
		return code;
	metric = vs_metric_find(vs_options.metric);
	s->in.how = &vs_options.how;
	/* a model has cores of its own */
	vs_options.how.threads =
		vs_tool_threads(vs_options.model ? 0 : vs_options.threads);
	code = vs_tool_check(NULL);
	if (!code && s->input && !vs_options.shape)
		code = vs_genotypes_recognize(&s->in, s->input);
	if (code)
		return code;
	code = check_rules(metric, &s->in, s->input);
	if (code)
		return code;
	if (!s->input && !vs_options.shape)
		return vs_tool_fail_usage("no vectors file given");
	read_kb(&vs_options.max_kb, false, &vs_options.rules.max_kb);
	read_kb(&vs_options.max_cm, false, &vs_options.rules.max_cm);
	read_kb(&vs_options.min_kb, true, &vs_options.rules.min_kb);
	if (vs_options.max_kb.text &&
		vs_options.rules.min_kb > vs_options.rules.max_kb)
		return vs_fail(VS_EUSAGE,
			"--min-kb is more than --max-kb: no pair is left");
	if (vs_options.summary)
		code = vs_summarize_choose(&s->summary.ask, vs_options.summary,
			vs_options.histogram != NULL, metric,
			&vs_options.threshold, vs_options.top, &s->run);
	choose_threshold(metric);
	if (!code && !vs_options.threshold)
		code = fail_threshold(metric);
	if (code)
		return code;
	code = read_query(s, metric);
	if (!code)
		code = choose_backend(s);
	if (!code && vs_options.model)
		code = read_model(&s->cluster);
	if (!code)
		code = vs_stage_choose(vs_options.stage, &s->run);
	if (!code)
		code = vs_result_io_codec(&s->codec, vs_options.codec,
			vs_options.level);
	return code ? code : vs_cpu_choose(vs_options.cpu, &s->query.cpu);
}
