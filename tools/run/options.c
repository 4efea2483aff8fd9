/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line options of vsim-run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/runfile.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/run/options.h"
#include "tools/run/permute_test.h"
#include "tools/run/stage.h"
#include "tools/shared/metric_options.h"
#include "tools/shared/result_io.h"

#define MOST_THREADS 4096

struct vs_options vs_options = {
	.metric = "ccc",
	.value = "f64",
	.codec = "zstd",
	.backend = "auto",
	.exchange = "ring",
	.way = 2,
	.commit = 30,
};

struct vs_opt vs_options_table[] = {
	{ 'm', "metric", "NAME", VS_OPT_CHOICE, &vs_options.metric,
		.choices = &vs_metric_choices[1], .help = vs_metric_help },
	{ 'w', "way", "N", VS_OPT_INT, &vs_options.way, 2, 3,
		.help = "vectors in a combination: 2 (the default) or 3" },
	{ 't', "threshold", "T", VS_OPT_TEXT, &vs_options.threshold,
		.help = "keep values > T, of k2 those < T; required (CCC of "
			"pairs lies in 0 to 1, two common alleles reach 0.5 by "
			"themselves; where "
			"calls are missing up to 4.5, see --min-joint); or by "
			"class of cell, L the allele 0: "
			"LL=0.7,HH=0.6,LL+HH=0.9" },
	{ 0, "min-joint", "N|SHARE", VS_OPT_TEXT, &vs_options.min_joint,
		.help = "keep only what rests on N samples or more that miss "
			"no call of its vectors, or on a share of all: 0.5 or "
			"50%" },
	{ 0, "shuffle-cases", "SEED", VS_OPT_INT, &vs_options.shuffle, 1,
		0x1p53,
		.help = "of k2, lbf and so on: deal the status of the samples "
			"out anew, to see what chance finds" },
	{ 0, "permute-test", "N", VS_OPT_INT, &vs_options.permute_test,
		VS_PERMUTE_TEST_LEAST, 1000000,
		.help = "print the value that chance exceeds in 5 % of "
			"searches at most, from N searches with samples "
			"permuted, and write nothing" },
	{ 0, "permutations", "N", VS_OPT_INT, &vs_options.permutations, 1,
		VS_NULL_MAXIMA_MOST,
		.help = "before the run, search N times with samples permuted "
			"for the strongest value: vsim-view -c p_family gives "
			"the family-wise p of each record" },
	{ 0, "pairs-between", "A B", VS_OPT_TWO, vs_options.between,
		.help = "only pairs of a vector of A with one of B: each a "
			"file of ids, @FILE, rows LO-HI from 0, or a region, "
			"CHROM or CHROM:FROM-TO" },
	{ 0, "max-kb", "X", VS_OPT_REAL, &vs_options.rules.max_kb, 0.001, 1e9,
		.help = "only pairs of one chromosome, X thousand bases apart "
			"or less; others are not compared" },
	{ 0, "min-kb", "X", VS_OPT_REAL, &vs_options.rules.min_kb, 0.001, 1e9,
		.help = "only pairs X thousand bases apart or more, or of two "
			"chromosomes" },
	{ 0, "max-sites", "N", VS_OPT_INT, &vs_options.rules.max_sites, 1,
		UINT32_MAX,
		.help = "only pairs of one chromosome, N of its vectors apart "
			"or less" },
	{ 0, "within-chromosome", NULL, VS_OPT_FLAG, &vs_options.rules.within,
		.help = "only pairs of one chromosome" },
	{ 0, "inter-chromosome", NULL, VS_OPT_FLAG, &vs_options.rules.inter,
		.help = "only pairs of two chromosomes" },
	{ 0, "triples-with", "A", VS_OPT_TEXT, &vs_options.with,
		.help = "only triples with a vector of A, or several; named "
			"likewise" },
	{ 0, "triples-between", "A B", VS_OPT_TWO, vs_options.triples,
		.help = "only triples with a vector of A, another of B and "
			"any third; named likewise" },
	{ 0, "against", "E.res.h5", VS_OPT_TEXT, &vs_options.against,
		.help = "only pairs or triples with a vector that this result "
			"of earlier vectors has not; vsim-merge of both makes "
			"the whole" },
	{ 0, "vectors", "FILE", VS_OPT_TEXT, &vs_options.vectors,
		.help = "the vectors file of --against, when it has moved" },
	{ 0, "multiplier", "X", VS_OPT_TEXT, &vs_options.multiplier,
		.help = "of ccc and duo, p/q or a decimal (9/2, and 4 of "
			"duo)" },
	{ 0, "gamma", "X", VS_OPT_TEXT, &vs_options.gamma,
		.help = "of ccc and duo, from 0 to 1, likewise (2/3)" },
	{ 'o', "output", "RUNDIR", VS_OPT_TEXT, &vs_options.output,
		.help = "directory for the shards; made, or empty" },
	{ 0, "merge", "FILE", VS_OPT_TEXT, &vs_options.merge,
		.help = "then write the merged result too, sorted and indexed "
			"as vsim-merge does" },
	{ 'j', "threads", "N", VS_OPT_INT, &vs_options.threads, 1, MOST_THREADS,
		.help = "threads of each rank; default: the cores allowed by "
			"affinity, cgroup and Slurm, shared by the ranks of a "
			"node" },
	{ 'f', "force", NULL, VS_OPT_FLAG, &vs_options.force,
		.help = "remove the shards of an earlier run from RUNDIR" },
	{ 'r', "resume", NULL, VS_OPT_FLAG, &vs_options.resume,
		.help = "go on with the run in RUNDIR; any number of ranks" },
	{ 0, "stage", "K/N", VS_OPT_TEXT, &vs_options.stage,
		.help = "compute the K-th of N parts of the run alone; "
			"vsim-merge puts them together" },
	{ 0, "value", "TYPE", VS_OPT_CHOICE, &vs_options.value,
		.choices = "f64|f32",
		.help = "how values are stored: f64 (the default) or f32" },
	{ 0, "cpu", "NAME", VS_OPT_TEXT, &vs_options.cpu,
		.help = "use no more than scalar, popcnt, avx2, avx512, "
			"avx512icl or amx" },
	{ 0, "kernel", "NAME", VS_OPT_TEXT, &vs_options.kernel,
		.help = "count by one of"
#define DENSE(name, ...) " " #name
#include "libcore/kern/host_rows.h"
			"; numbers by one of"
#define MINIMA(name, type) ON_##type(name)
#define ON_u8(name) " " #name /* the type that has them all */
#define ON_u16(name)
#define ON_u32(name)
#define ON_f32(name)
#define ON_f64(name)
#include "libcore/kern/host_rows.h"
			", with their type: avx2-f32; default: the fastest "
			"that --cpu allows" },
	{ 0, "allow-empty", NULL, VS_OPT_FLAG, &vs_options.allow_empty,
		.help = "run though nothing can pass the threshold" },
	{ 0, "no-prune", NULL, VS_OPT_FLAG, &vs_options.no_prune,
		.help = "count pairs too that cannot pass the threshold" },
	{ 0, "no-bind", NULL, VS_OPT_FLAG, &vs_options.no_bind,
		.help = "let threads wander between cores" },
	{ 0, "backend", "NAME", VS_OPT_CHOICE, &vs_options.backend,
		.choices = VS_DEVICES_CHOICES,
		.help = "what computes: cpu, cuda (GPUs alone), cuda+cpu, or "
			"auto (the default), the best there is" },
	{ 0, "device", "LIST", VS_OPT_TEXT, &vs_options.device,
		.help = "GPUs to take, as 0,1: the ranks of a machine take one "
			"each, in turn; default: all" },
	{ 0, "engine", "NAME", VS_OPT_TEXT, &vs_options.engine,
		.help = "how a GPU counts; default: the best for it" },
	{ 0, "gpu-memory", "SIZE", VS_OPT_SIZE, &vs_options.gpu_memory,
		.help = "of each GPU; default: nearly all" },
	{ 0, "commit-every", "S", VS_OPT_INT, &vs_options.commit, 0, 86400,
		.help = "seal results after S seconds (30), so that a killed "
			"run loses no more" },
	{ 0, "tile", "N", VS_OPT_INT, &vs_options.tile, 1, 1 << 30,
		.help = "most vectors in a tile's edge; default: by size and "
			"ranks" },
	{ 0, "exchange", "WAY", VS_OPT_CHOICE, &vs_options.exchange,
		.choices = "ring|fetch|file",
		.help = "how ranks get each other's vectors: passed round a "
			"ring (the default), or each fetches what its tiles "
			"need from the others, as 1,000 ranks and more do, or "
			"reads it from the file" },
	{ 0, "memory", "SIZE", VS_OPT_SIZE, &vs_options.memory,
		.help = "of each rank; default: its share of what is allowed. "
			"Vectors that do not fit are read block by block" },
	{ 0, "codec", "NAME", VS_OPT_CHOICE, &vs_options.codec,
		.choices = "zstd|deflate|none",
		.help = "packing of the shards: zstd (the default), deflate, "
			"none" },
	{ 0, "level", "N", VS_OPT_INT, &vs_options.level, 1, 19,
		.help = "packing effort: 1 (the default) to 19 of zstd, to 9 "
			"of deflate" },
	{ 'n', "dry-run", NULL, VS_OPT_FLAG, &vs_options.dry_run,
		.help = "print the plan, with estimates from a sample, and "
			"write nothing; without -t of several thresholds" },
	{ 0, "ranks", "N", VS_OPT_INT, &vs_options.ranks, 1, 1 << 20,
		.help = "with -n: print the plan that N ranks would have" },
	{ 0, "model", "FILE", VS_OPT_TEXT, &vs_options.model,
		.help = "with -n: predict the time on a cluster that a YAML "
			"file describes, see vsim-scale(7)" },
	{ 0, "shape", "VxF", VS_OPT_TEXT, &vs_options.shape,
		.help = "with -n: the plan for V genotype vectors of F "
			"samples, without a file" },
	{ 0, "config", "FILE", VS_OPT_TEXT, &vs_options.config,
		.help = "take options from a YAML runfile, see "
			"vsim-runfile(5); the command line wins" },
	{ 0, "stats", "FILE", VS_OPT_TEXT, &vs_options.stats,
		.help = "write times and rates as YAML" },
	{ 0, "top", "N", VS_OPT_INT, &vs_options.top, 1, INT32_MAX,
		.help = "keep the N greatest of the values that pass, of k2 "
			"the N least; -t is then 0 unless given, or no bound" },
	{ 0, "max-records", "N", VS_OPT_INT, &vs_options.max_records, 1, 1e15,
		.help = "end the run before it has written more than N "
			"records, each rank likewise; --resume goes on" },
	{ 0, "metric-histogram", "FILE", VS_OPT_TEXT, &vs_options.histogram,
		.help = "write how many of all values, passing or not, lie in "
			"each thousandth, as TSV; nothing is left out then" },
	{ 0, "no-host", NULL, VS_OPT_FLAG, &vs_options.no_host,
		.help = "leave the name of this machine out of the files" },
	{ 0 },
};

/* Choose the backend; histograms and searches of permuted samples are computed
 * by the CPU alone, and triples but for those of tables. */
static int
choose_backend(struct vs_setup *s)
{
	bool cpu = vs_options.histogram || vs_options.permute_test ||
		vs_options.model ||
		(s->way.n == 3 && s->query.metric->family != VS_FAMILY_TABLES);

	s->want = (struct vs_devices_want){ .backend = cpu ? "cpu"
							   : vs_options.backend,
		.list = vs_options.device,
		.engine = vs_options.engine,
		.memory = vs_options.gpu_memory,
		.triples = s->way.n == 3 };
	return vs_devices_check(&s->want);
}

/* The option given that chooses triples by sets of vectors, or null. */
static const char *
triples_option(void)
{
	return vs_options.with          ? "--triples-with"
		: vs_options.triples[0] ? "--triples-between"
					: NULL;
}

/* Refuse what does not go with a choice of pairs by chromosome and distance. */
static int
check_filter(const struct vs_setup *s)
{
	const struct vs_pair_rules *r = &vs_options.rules;
	const char *name = r->max_kb > 0 ? "--max-kb"
		: r->min_kb > 0          ? "--min-kb"
		: r->max_sites > 0       ? "--max-sites"
		: r->within              ? "--within-chromosome"
					 : "--inter-chromosome";

	if (triples_option())
		return vs_fail(VS_EUSAGE,
			"%s and %s both choose triples: give one of them", name,
			triples_option());
	if (s->way.n == 3 && vs_options.histogram)
		return vs_fail(VS_EUSAGE,
			"--metric-histogram is of all triples, %s of some: "
			"give one of them",
			name);
	if (r->inter &&
		(r->within || r->max_sites > 0 ||
			vs_pair_rules_need_positions(r)))
		return vs_fail(VS_EUSAGE,
			"--inter-chromosome and %s exclude each other: give "
			"one "
			"of them",
			r->within ? "--within-chromosome" : name);
	if (r->max_kb > 0 && r->min_kb > r->max_kb)
		return vs_fail(VS_EUSAGE,
			"--min-kb is more than --max-kb: no pair is left");
	return 0;
}

/* Refuse what does not go with a search of permuted samples, which writes no
 * result. */
static int
check_permute(void)
{
	const char *other = vs_options.output ? "--output"
		: vs_options.merge            ? "--merge"
		: vs_options.dry_run          ? "--dry-run"
		: vs_options.top              ? "--top"
		: vs_options.stage            ? "--stage"
		: vs_options.histogram        ? "--metric-histogram"
		: vs_options.resume           ? "--resume"
		: vs_options.stats            ? "--stats"
		: vs_options.max_records      ? "--max-records"
		: vs_options.against          ? "--against"
		: vs_options.shuffle          ? "--shuffle-cases"
		: vs_options.permutations     ? "--permutations"
		: vs_options.threshold && strchr(vs_options.threshold, '=')
		? "a threshold by class"
		: NULL;

	if (vs_options.permute_test && !other &&
		strcmp(vs_options.backend, "auto") &&
		strcmp(vs_options.backend, "cpu"))
		return vs_fail(VS_EUSAGE,
			"--backend %s: permuted samples are searched by the "
			"CPU alone",
			vs_options.backend);
	return vs_options.permute_test && other
		? vs_fail(VS_EUSAGE,
			  "--permute-test prints a threshold alone: leave %s "
			  "out",
			  other)
		: 0;
}

/* Refuse what an earlier result cannot be completed with. */
static int
check_against(void)
{
	const char *other = vs_options.between[0] ? "--pairs-between"
		: triples_option()                ? triples_option()
		: vs_options.top                  ? "--top"
		: vs_options.histogram            ? "--metric-histogram"
						  : NULL;

	if (!vs_options.against)
		return vs_options.vectors
			? vs_fail(VS_EUSAGE,
				  "--vectors is of --against: leave it out")
			: 0;
	if (vs_options.rules.max_sites > 0)
		return vs_fail(VS_EUSAGE,
			"--max-sites: new vectors move old ones apart, so that "
			"--against has other pairs: leave one of them out");
	return other ? vs_fail(VS_EUSAGE,
			       "%s is of other values than --against leaves: "
			       "give one of them",
			       other)
		     : 0;
}

/* Refuse what permutations have no strongest value of. */
static int
check_permutations(void)
{
	const char *other = vs_options.histogram ? "--metric-histogram"
		: vs_options.against             ? "--against"
		: vs_options.threshold && strchr(vs_options.threshold, '=')
		? "a threshold by class"
		: NULL;

	return vs_options.permutations && other
		? vs_fail(VS_EUSAGE,
			  "--permutations compares strongest values: leave %s "
			  "out",
			  other)
		: 0;
}

/* Refuse what sets of vectors of triples do not go with. */
static int
check_triples(const struct vs_setup *s)
{
	const char *name = triples_option();

	if (s->way.n == 2)
		return vs_fail(VS_EUSAGE,
			"%s goes with --way 3; of pairs there is "
			"--pairs-between",
			name);
	if (vs_options.with && vs_options.triples[0])
		return vs_fail(VS_EUSAGE,
			"--triples-with and --triples-between both choose "
			"triples: give one of them");
	return vs_options.histogram
		? vs_fail(VS_EUSAGE,
			  "--metric-histogram is of all triples, %s of some: "
			  "give one of them",
			  name)
		: 0;
}

/* Refuse what the shape of vectors alone does not tell. */
static int
check_shape(const struct vs_setup *s)
{
	const char *other = !vs_options.dry_run ? "a run"
		: vs_options.between[0]         ? "--pairs-between"
		: vs_options.against            ? "--against"
		: triples_option()              ? triples_option()
		: vs_pair_rules_any(&vs_options.rules)
		? "a choice by chromosome or distance"
		: NULL;

	if (s->input)
		return vs_fail(VS_EUSAGE,
			"--shape is in place of a file: leave %s out",
			s->input);
	return other ? vs_fail(VS_EUSAGE,
			       "--shape is of a plan (--dry-run) of all pairs "
			       "or triples, %s needs the vectors",
			       other)
		     : 0;
}

/* Refuse options that exclude each other. */
static int
check_together(const struct vs_setup *s)
{
	if (s->way.n == 3 &&
		(s->query.metric->family == VS_FAMILY_MOMENTS ||
			vs_metric_is_distance(s->query.metric)))
		return vs_fail(VS_EUSAGE,
			"--way 3: --metric %s is of pairs: leave it out",
			vs_options.metric);
	if (s->way.n == 3 && s->query.metric->family != VS_FAMILY_TABLES &&
		strcmp(vs_options.backend, "auto") &&
		strcmp(vs_options.backend, "cpu"))
		return vs_fail(VS_EUSAGE,
			"--backend %s: triples of %s are computed by the CPU "
			"alone",
			vs_options.backend, vs_options.metric);
	if (vs_options.histogram && strcmp(vs_options.backend, "auto") &&
		strcmp(vs_options.backend, "cpu"))
		return vs_fail(VS_EUSAGE,
			"--backend %s: values are counted into a histogram by "
			"the CPU alone",
			vs_options.backend);
	if (vs_options.histogram &&
		(s->query.metric->family == VS_FAMILY_TABLES ||
			vs_metric_is_distance(s->query.metric)))
		return vs_fail(VS_EUSAGE,
			"--metric-histogram: %s has no greatest value to count "
			"up to: leave it out",
			vs_options.metric);
	if (vs_options.shuffle && s->query.metric->family != VS_FAMILY_TABLES)
		return vs_fail(VS_EUSAGE,
			"--shuffle-cases: --metric %s looks at no cases: leave "
			"it out",
			vs_options.metric);
	if (vs_options.min_joint && s->query.metric->family == VS_FAMILY_MINIMA)
		return vs_fail(VS_EUSAGE,
			"--min-joint: --metric %s rests on all fields, a bit "
			"that is missing counts as 0: leave it out",
			vs_options.metric);
	if (vs_options.top && vs_options.stage)
		return vs_fail(VS_EUSAGE,
			"--top is of all of a run, --stage computes a part: "
			"give one of them");
	if (vs_options.top && vs_options.max_records)
		return vs_fail(VS_EUSAGE,
			"--top keeps no more than its number: leave "
			"--max-records out");
	if (vs_options.merge && vs_options.stage)
		return vs_fail(VS_EUSAGE,
			"--merge is of all of a run, --stage computes a part: "
			"vsim-merge puts the parts together");
	if (vs_options.between[0] && s->way.n == 3)
		return vs_fail(VS_EUSAGE,
			"--pairs-between is of pairs: with --way 3 give "
			"--triples-with or --triples-between");
	if (vs_pair_rules_any(&vs_options.rules)) {
		int code = check_filter(s);

		if (code)
			return code;
	}
	return triples_option() ? check_triples(s) : 0;
}

int
vs_options_check(const struct vs_args *args, const char *synopsis,
	struct vs_setup *s)
{
	const struct vs_metric *metric;
	int code = 0;

	if (args->n_operand) {
		code = vs_mem_copy_text(&s->input, args->operands[0]);
		if (code)
			return code;
	}
	if (vs_options.config) {
		code = vs_runfile_read(vs_options.config, vs_options_table,
			&s->input);
		if (code)
			return code;
	}
	if (vs_options.shape)
		code = check_shape(s);
	else if (!s->input)
		return vs_fail(VS_EUSAGE,
			"no vectors file given: usage: vsim-run %s", synopsis);
	if (code)
		return code;
	metric = vs_metric_find(vs_options.metric);
	if (!vs_options.threshold &&
		(vs_options.top || vs_options.permute_test))
		vs_options.threshold = metric->lower ? "1e308" : "0";
	/* the lowest of the thresholds that a dry run compares */
	if (!vs_options.threshold && vs_options.dry_run &&
		metric->family != VS_FAMILY_TABLES &&
		!vs_metric_is_distance(metric)) {
		vs_options.no_threshold = true;
		vs_options.threshold =
			vs_options.way == 3 && vs_metric_has_cells(metric)
			? "0.3"
			: "0.5";
	}
	if (!vs_options.threshold)
		return vs_fail(VS_EUSAGE,
			"--threshold is missing: -t 0.7 keeps strong pairs, -t "
			"-1 all of them; where no call is missing triples of "
			"ccc stay below 0.712");
	if (!vs_options.output && !vs_options.dry_run &&
		!vs_options.permute_test)
		return vs_fail(VS_EUSAGE,
			"--output is missing: name a directory with -o");
	if ((vs_options.ranks || vs_options.model) && !vs_options.dry_run)
		return vs_fail(VS_EUSAGE,
			"--%s is of a plan: give --dry-run, or start as many "
			"ranks by mpirun",
			vs_options.ranks ? "ranks" : "model");
	if (vs_options.force && vs_options.resume)
		return vs_fail(VS_EUSAGE,
			"--force removes what --resume would go on with: give "
			"one of them");
	code = vs_metric_options_choose(vs_options.metric,
		vs_options.multiplier, vs_options.gamma, &s->alleles, &s->run);
	if (code)
		return code;
	s->query.alleles = s->alleles.weight ? &s->alleles : NULL;
	s->query.metric = metric;
	vs_run_kind_set(&s->way, (int)vs_options.way,
		vs_metric_has_cells(s->query.metric));
	code = check_permute();
	if (!code)
		code = check_against();
	if (!code)
		code = check_permutations();
	if (!code)
		code = check_together(s);
	if (!code)
		code = choose_backend(s);
	if (code)
		return code;
	if (vs_options.model)
		code = vs_cluster_read(&s->cluster, vs_options.model);
	if (code)
		return code;
	s->query.kernel = vs_options.kernel;
	s->run.n_way = (int32_t)vs_options.way;
	snprintf(s->run.metric, sizeof(s->run.metric), "%s", vs_options.metric);
	s->query.prune = !vs_options.no_prune;
	code = vs_ablation_read(&s->query.without);
	if (code)
		return code;
	if (s->query.without)
		vs_tool_say("VSIM_WITHOUT=%s: for measurement only",
			getenv("VSIM_WITHOUT"));
	code = vs_metric_options_thresholds(vs_options.threshold,
		s->way.has_cells, &s->thresholds, &s->run);
	if (!code)
		code = vs_stage_choose(vs_options.stage, &s->run);
	if (code)
		return code;
	s->query.threshold = vs_metric_strength(metric, s->run.threshold);
	s->query.thresholds = *s->run.class_thresholds ? &s->thresholds : NULL;
	code = vs_result_io_codec(&s->codec, vs_options.codec,
		vs_options.level);
	return code ? code : vs_cpu_choose(vs_options.cpu, &s->query.cpu);
}
