/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * vsim-run: NAME.vec.h5 -> a directory of sealed shards with every pair or
 * triple whose value passes, on any number of MPI ranks and threads.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/h5/runfile.h"
#include "formats/results/complete.h"
#include "formats/vectors/packed.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/bits/affinity.h"
#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/sched/pair_run.h"
#include "libcore/engine/sched/thread_pool.h"
#include "libcore/metric/metric.h"
#include "libcore/plan/comm.h"
#include "tools/run/between.h"
#include "tools/run/devices.h"
#include "tools/run/estimate.h"
#include "tools/run/histogram.h"
#include "tools/run/outdir.h"
#include "tools/run/record_sink.h"
#include "tools/run/report.h"
#include "tools/run/resume.h"
#include "tools/run/run_kind.h"
#include "tools/run/share.h"
#include "tools/run/stage.h"
#include "tools/run/top_records.h"
#include "tools/shared/joint.h"
#include "tools/shared/load_vectors.h"
#include "tools/shared/metric_options.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"

#define MOST_FIELDS (1ull << 24)
#define MOST_THREADS 4096
#define FEW 1e8 /* comparisons: a thread has done them before others start */

static struct job {
	const char *metric, *output, *cpu, *value, *codec, *backend, *config;
	const char *stats, *kernel, *device, *engine, *multiplier, *gamma;
	const char *threshold, *histogram, *stage, *between[2], *min_joint;
	int64_t way, threads, commit, tile, level, top;
	uint64_t memory, gpu_memory;
	bool force, resume, dry_run, no_host, no_prune, no_bind, allow_empty;
} job = {
	.metric = "ccc",
	.value = "f64",
	.codec = "zstd",
	.backend = "auto",
	.way = 2,
	.commit = 30,
};

/* HDF5 is one thread's at a time. */
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

static struct vs_opt opts[] = {
	{ 'm', "metric", "NAME", VS_OPT_CHOICE, &job.metric,
		.choices = &vs_metric_choices[1], .help = vs_metric_help },
	{ 'w', "way", "N", VS_OPT_INT, &job.way, 2, 3,
		.help = "vectors in a combination: 2 (the default) or 3" },
	{ 't', "threshold", "T", VS_OPT_TEXT, &job.threshold,
		.help = "keep values > T; required (CCC of pairs lies in 0 to "
			"1, two common alleles reach 0.5 by themselves; where "
			"calls are missing up to 4.5, see --min-joint); or by "
			"class of cell, L the allele 0: "
			"LL=0.7,HH=0.6,LL+HH=0.9" },
	{ 0, "min-joint", "N|SHARE", VS_OPT_TEXT, &job.min_joint,
		.help = "keep only what rests on N samples or more that miss "
			"no call of its vectors, or on a share of all: 0.5 or "
			"50%" },
	{ 0, "pairs-between", "A B", VS_OPT_TWO, job.between,
		.help = "only pairs of a vector of A with one of B: each a "
			"file of ids, @FILE, rows LO-HI from 0, or a region, "
			"CHROM or CHROM:FROM-TO" },
	{ 0, "multiplier", "X", VS_OPT_TEXT, &job.multiplier,
		.help = "of ccc and duo, p/q or a decimal (9/2, and 4 of "
			"duo)" },
	{ 0, "gamma", "X", VS_OPT_TEXT, &job.gamma,
		.help = "of ccc and duo, from 0 to 1, likewise (2/3)" },
	{ 'o', "output", "RUNDIR", VS_OPT_TEXT, &job.output,
		.help = "directory for the shards; made, or empty" },
	{ 'j', "threads", "N", VS_OPT_INT, &job.threads, 1, MOST_THREADS,
		.help = "threads of each rank; default: the cores allowed by "
			"affinity, cgroup and Slurm, shared by the ranks of a "
			"node" },
	{ 'f', "force", NULL, VS_OPT_FLAG, &job.force,
		.help = "remove the shards of an earlier run from RUNDIR" },
	{ 'r', "resume", NULL, VS_OPT_FLAG, &job.resume,
		.help = "go on with the run in RUNDIR; any number of ranks" },
	{ 0, "stage", "K/N", VS_OPT_TEXT, &job.stage,
		.help = "compute the K-th of N parts of the run alone; "
			"vsim-merge puts them together" },
	{ 0, "value", "TYPE", VS_OPT_CHOICE, &job.value, .choices = "f64|f32",
		.help = "how values are stored: f64 (the default) or f32" },
	{ 0, "cpu", "NAME", VS_OPT_TEXT, &job.cpu,
		.help = "use no more than scalar, popcnt, avx2, avx512, "
			"avx512icl or amx" },
	{ 0, "kernel", "NAME", VS_OPT_TEXT, &job.kernel,
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
	{ 0, "allow-empty", NULL, VS_OPT_FLAG, &job.allow_empty,
		.help = "run though nothing can pass the threshold" },
	{ 0, "no-prune", NULL, VS_OPT_FLAG, &job.no_prune,
		.help = "count pairs too that cannot pass the threshold" },
	{ 0, "no-bind", NULL, VS_OPT_FLAG, &job.no_bind,
		.help = "let threads wander between cores" },
	{ 0, "backend", "NAME", VS_OPT_CHOICE, &job.backend,
		.choices = VS_DEVICES_CHOICES,
		.help = "what computes: cpu, cuda (GPUs alone), cuda+cpu, or "
			"auto (the default), the best there is; sim, sim+cpu: "
			"a device for tests" },
	{ 0, "device", "LIST", VS_OPT_TEXT, &job.device,
		.help = "GPUs to take, as 0,1: the ranks of a machine take one "
			"each, in turn; default: all" },
	{ 0, "engine", "NAME", VS_OPT_TEXT, &job.engine,
		.help = "how a GPU counts; default: the best for it" },
	{ 0, "gpu-memory", "SIZE", VS_OPT_SIZE, &job.gpu_memory,
		.help = "of each GPU; default: nearly all" },
	{ 0, "commit-every", "S", VS_OPT_INT, &job.commit, 0, 86400,
		.help = "seal results after S seconds (30), so that a killed "
			"run loses no more" },
	{ 0, "tile", "N", VS_OPT_INT, &job.tile, 1, 1 << 30,
		.help = "vectors in a tile's edge; default: by size and "
			"ranks" },
	{ 0, "memory", "SIZE", VS_OPT_SIZE, &job.memory,
		.help = "of each rank; default: its share of what is allowed. "
			"Vectors that do not fit are read block by block" },
	{ 0, "codec", "NAME", VS_OPT_CHOICE, &job.codec,
		.choices = "zstd|deflate|none",
		.help = "packing of the shards: zstd (the default), deflate, "
			"none" },
	{ 0, "level", "N", VS_OPT_INT, &job.level, 1, 19,
		.help = "packing effort: zstd 1 (the default) to 19, deflate 1 "
			"to 9 (4)" },
	{ 'n', "dry-run", NULL, VS_OPT_FLAG, &job.dry_run,
		.help = "print the plan, with estimates from a sample, and "
			"write nothing" },
	{ 0, "config", "FILE", VS_OPT_TEXT, &job.config,
		.help = "take options from a YAML runfile, see "
			"vsim-runfile(5); the command line wins" },
	{ 0, "stats", "FILE", VS_OPT_TEXT, &job.stats,
		.help = "write times and rates as YAML" },
	{ 0, "top", "N", VS_OPT_INT, &job.top, 1, INT32_MAX,
		.help = "keep the N greatest of the values that pass; -t is "
			"then 0 unless given" },
	{ 0, "metric-histogram", "FILE", VS_OPT_TEXT, &job.histogram,
		.help = "write how many of all values, passing or not, lie in "
			"each thousandth, as TSV; nothing is left out then" },
	{ 0, "no-host", NULL, VS_OPT_FLAG, &job.no_host,
		.help = "leave the name of this machine out of the files" },
	{ 0 },
};

static const struct vs_tool tool = {
	.name = "vsim-run",
	.purpose = "Compare all pairs or triples of vectors and keep what "
		   "passes a threshold.",
	.synopsis = "-t T -o RUNDIR [options] X.vec.h5",
	.lesson =
		"examples:\n"
		"  vsim-run -m ccc -t 0.7 -o run x.vec.h5\n"
		"  mpirun -n 4 vsim-run -t 0.7 -o run x.vec.h5\n"
		"  vsim-run --resume -t 0.7 -o run x.vec.h5    after a kill\n"
		"  vsim-merge -o edges.res.h5 run              the next step\n",
	.opts = opts,
	.n_least = 0,
	.n_most = 1,
};

/* Everything a run holds. */
struct state {
	char *input;
	struct vs_packed *packed;
	struct vs_run run;
	struct vs_query query;
	struct vs_alleles alleles;
	struct vs_thresholds thresholds;
	struct vs_codec codec;
	struct vs_plan plan,
		unit; /* of the work, and of what is listed as done */
	struct vs_run_kind way;
	struct vs_job pairs;
	struct vs_devices_want want;
	struct vs_between_chosen chosen;      /* --pairs-between */
	struct vs_value_histogram *histogram; /* --metric-histogram */
	struct vs_tile_counts counts;         /* its counters */
	vs_wide n_known;                      /* values counted before */
	struct vs_top_records *top;           /* --top */
	struct vs_top_records_place saved;
	struct vs_job_stats did;
	struct vs_provenance provenance;
	struct vs_shard_writer_plan to;
	struct vs_record_sink sink;
	struct vs_tool_progress progress;
	const struct vs_estimate *estimate; /* --dry-run */
	struct vs_shard_writer_found found; /* --resume */
	uint64_t n_tile, most_load;
	uint64_t *dead; /* bits: vectors that pass with none */
	struct vs_outdir dir;
	double began;
};

/* Who is asked to compute; triples and histograms are the CPU's. */
static int
choose_backend(struct state *s)
{
	bool cpu = s->way.n == 3 || job.histogram;

	s->want =
		(struct vs_devices_want){ .backend = cpu ? "cpu" : job.backend,
			.list = job.device,
			.engine = job.engine,
			.memory = job.gpu_memory };
	return vs_devices_check(&s->want);
}

/* Options that do not go with each other, or with what is asked. */
static int
check_together(const struct state *s)
{
	if (s->way.n == 3 && s->query.metric->family == VS_FAMILY_MOMENTS)
		return vs_fail(VS_EUSAGE,
			"--way 3: --metric %s is of pairs: leave it out",
			job.metric);
	if (s->way.n == 3 && strcmp(job.backend, "auto") &&
		strcmp(job.backend, "cpu"))
		return vs_fail(VS_EUSAGE,
			"--backend %s: triples are computed by the CPU alone",
			job.backend);
	if (job.histogram && strcmp(job.backend, "auto") &&
		strcmp(job.backend, "cpu"))
		return vs_fail(VS_EUSAGE,
			"--backend %s: values are counted into a histogram by "
			"the CPU alone",
			job.backend);
	if (job.min_joint && s->query.metric->family == VS_FAMILY_MINIMA)
		return vs_fail(VS_EUSAGE,
			"--min-joint: --metric %s rests on all fields, a bit "
			"that is missing counts as 0: leave it out",
			job.metric);
	if (job.top && job.stage)
		return vs_fail(VS_EUSAGE,
			"--top is of all of a run, --stage computes a part: "
			"give one of them");
	if (job.between[0] && s->way.n == 3)
		return vs_fail(VS_EUSAGE,
			"--pairs-between is of pairs, --way 3 of triples: give "
			"one of them");
	return 0;
}

static int
check_options(const struct vs_args *args, struct state *s)
{
	int code;

	if (args->n_operand) {
		code = vs_mem_copy_text(&s->input, args->operands[0]);
		if (code)
			return code;
	}
	if (job.config) {
		code = vs_runfile_read(job.config, opts, &s->input);
		if (code)
			return code;
	}
	if (!s->input)
		return vs_fail(VS_EUSAGE,
			"no vectors file given: usage: vsim-run %s",
			tool.synopsis);
	if (!job.threshold && job.top)
		job.threshold = "0";
	if (!job.threshold)
		return vs_fail(VS_EUSAGE,
			"--threshold is missing: -t 0.7 keeps strong pairs, -t "
			"-1 all of them; where no call is missing triples of "
			"ccc stay below 0.712");
	if (!job.output && !job.dry_run)
		return vs_fail(VS_EUSAGE,
			"--output is missing: name a directory with -o");
	if (job.force && job.resume)
		return vs_fail(VS_EUSAGE,
			"--force removes what --resume would go on with: give "
			"one of them");
	code = vs_metric_options_choose(job.metric, job.multiplier, job.gamma,
		&s->alleles, &s->run);
	if (code)
		return code;
	s->query.alleles = s->alleles.weight ? &s->alleles : NULL;
	s->query.metric = vs_metric_find(job.metric);
	vs_run_kind_set(&s->way, (int)job.way,
		vs_metric_has_cells(s->query.metric));
	code = check_together(s);
	if (!code)
		code = choose_backend(s);
	if (code)
		return code;
	s->query.kernel = job.kernel;
	s->run.n_way = (int32_t)job.way;
	snprintf(s->run.metric, sizeof(s->run.metric), "%s", job.metric);
	s->query.prune = !job.no_prune;
	code = vs_metric_options_thresholds(job.threshold, s->way.has_cells,
		&s->thresholds, &s->run);
	if (!code)
		code = vs_stage_choose(job.stage, &s->run);
	if (code)
		return code;
	s->query.threshold = s->run.threshold;
	s->query.thresholds = *s->run.class_thresholds ? &s->thresholds : NULL;
	code = vs_result_io_codec(&s->codec, job.codec, job.level);
	return code ? code : vs_cpu_choose(job.cpu, &s->query.cpu);
}

static int
open_input(struct state *s)
{
	/* one rank checks the digest of the whole file for all */
	unsigned flags = vs_comm_rank() ? VS_H5_FAST : 0;
	int code = vs_packed_open(&s->packed, s->input, flags);

	if (!code)
		code = vs_load_vectors_check(s->packed, s->input, job.metric);
	if (!code && !vs_comm_rank() && !job.dry_run)
		code = vs_result_io_side(job.stats);
	if (!code && !vs_comm_rank() && !job.dry_run)
		code = vs_result_io_side(job.histogram);
	if (code)
		return code;
	s->query.element = vs_load_vectors_element(s->packed, job.metric);
	if (!vs_devices_have_kernel(&s->query))
		return vs_fail(VS_EUSAGE,
			"--kernel %s: not among the kernels of --version, or "
			"not for %s of %s",
			job.kernel, vs_cpu_name(s->query.cpu),
			vs_element_name(s->query.element));
	if (s->packed->n_field >= MOST_FIELDS)
		return vs_fail(VS_EINPUT,
			"%s: %llu samples: values are exact below %llu "
			"samples, no more are taken",
			s->input, (unsigned long long)s->packed->n_field,
			MOST_FIELDS);
	code = vs_metric_options_check(&s->alleles, &s->run, s->input,
		s->packed->n_field);
	if (code)
		return code;
	s->query.n_field = s->packed->n_field;
	code = vs_joint_read(job.min_joint, s->input,
		(int64_t)s->packed->n_field, &s->run.min_joint);
	if (code)
		return code;
	s->query.min_joint = s->run.min_joint;
	code = vs_load_vectors_look(s->packed, &s->query, &s->dead);
	/* a histogram is of all values */
	if (!code && !job.histogram && !job.allow_empty)
		code = vs_metric_options_reach(job.threshold, &s->query,
			s->packed->n_vec, s->dead, &s->run);
	return code;
}

static int
describe_run(struct state *s)
{
	struct vs_run *run = &s->run;
	uint8_t uuid[16];
	int code = vs_digest_uuid_make(uuid);

	if (!code)
		code = vs_load_vectors_describe(s->packed, s->input, &s->query,
			run);
	if (code)
		return code;
	vs_digest_uuid_text(uuid, run->run_uuid);
	snprintf(run->value_type, sizeof(run->value_type), "%s", job.value);
	run->cell_mask = (1 << vs_run_kind_cells(&s->way)) - 1;
	run->n_phases = run->phase_end = 1;
	run->n_proc = vs_comm_size();
	return 0;
}

static int
begin_top(struct state *s)
{
	int code = vs_top_records_new(&s->top, (uint64_t)job.top,
		!strcmp(job.value, "f32"), &s->counts, s->packed);

	if (code)
		return code;
	s->query.shared_threshold = vs_top_records_rising(s->top);
	snprintf(s->run.selection, sizeof(s->run.selection), "top %lld",
		(long long)job.top);
	return 0;
}

/* What is asked and who computes it. */
static int
set_question(struct state *s)
{
	const struct vs_between *of = s->pairs.between;
	double n = (double)s->packed->n_vec,
	       a = of ? (double)(of->n_first + of->n_both) : n,
	       b = of ? (double)(of->n_both + of->n_second) : n,
	       comparisons = (s->way.n == 3 ? n : 1) * a * b *
		(double)s->packed->n_field;
	int threads = (int)job.threads;

	if (!threads)
		threads = comparisons > FEW ? vs_share_threads() : 1;
	s->pairs.n_thread = threads;
	s->query.cell_mask = (uint32_t)s->run.cell_mask;
	s->query.f32 = !strcmp(job.value, "f32");
	s->pairs.query = &s->query;
	s->want.comparisons = comparisons / 2 / vs_comm_size();
	return vs_devices_choose(&s->want, &s->pairs);
}

/* The tiles that are listed as done. */
static void
take_tiles(struct state *s, const struct vs_plan *unit)
{
	s->unit = *unit;
	s->run.tile = unit->tile;
	s->run.n_blocks = unit->n_block;
	s->n_tile = vs_plan_n_tile(unit);
}

static int
make_plan(struct state *s)
{
	int code;
	int64_t tile = s->run.tile ? s->run.tile : job.tile;
	/* those that are given are done one by one, as those of a histogram are
	 * counted, and those of stages stand among others' */
	bool single = s->way.n == 3 || job.tile || s->histogram ||
		s->run.n_stages > 1;

	s->pairs.done = s->found.done;
	s->pairs.above = s->found.above;
	/* what takes longer is done in smaller ones, to be sealed in time */
	s->pairs.limit = fmax((double)job.commit / 3, 0.1);
	code = vs_run_kind_plan(&s->way, &s->pairs, &s->plan,
		single ? NULL : &s->unit, s->packed->n_vec,
		tile ? tile : vs_stage_tile(&s->run),
		job.memory ? job.memory : vs_share_memory());
	if (code)
		return vs_fail_at(code, "%s", s->input);
	take_tiles(s, single ? &s->plan : &s->unit);
	if (!vs_comm_rank())
		s->n_known =
			vs_run_kind_values(&s->way, &s->unit, s->found.done);
	code = vs_stage_leave(&s->run, &s->unit, &s->found.done);
	s->pairs.done = s->found.done;
	return code;
}

static int
prepare_output(struct state *s)
{
	struct vs_text path = { 0 };
	char host[VS_HOST_ROOM] = "";
	bool speaker;
	int code = 0;

	if (s->histogram)
		s->found.counts = &s->counts;
	if (!job.no_host)
		vs_tool_host(host);
	if (!vs_comm_rank() && !job.dry_run)
		code = vs_outdir_take(&s->dir, job.output, host, job.force,
			job.resume);
	code = vs_comm_agree(code, &speaker);
	if (!code)
		code = vs_resume_look(job.resume ? job.output : NULL, &s->run,
			&s->found);
	if (!code)
		code = make_plan(s);
	if (!code && !job.dry_run && !vs_comm_rank()) {
		/* now that nothing speaks against the run any more */
		code = job.force ? vs_outdir_clear(&s->dir) : 0;
		if (!code)
			code = vs_text_add(&path, "%s/run.yaml", job.output);
		if (!code)
			code = vs_runfile_write(path.bytes, vs_tool_generator(),
				opts, s->run.vectors_path);
	}
	vs_text_free(&path);
	return vs_comm_agree(code, &speaker);
}

/* ---- what the engine calls ---- */

static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	struct state *s = ctx;
	const struct vs_known known = { s->dead, &s->query, &s->plan };
	bool spare = s->dead && s->way.n == 2 && vs_query_prunes(&s->query);
	int code;

	/* shards may be written beside */
	pthread_mutex_lock(&door);
	code = s->chosen.place
		? vs_between_load(&s->chosen, s->packed, &s->run, lo, hi, p)
		: vs_load_vectors_panel(s->packed, lo, hi,
			  spare ? &known : NULL, p);
	pthread_mutex_unlock(&door);
	return code;
}

static int
sink(void *ctx, const struct vs_tile_done *tile)
{
	struct state *s = ctx;
	int code = s->top ? vs_top_records_take(s->top, tile)
			  : vs_record_sink_take(&s->sink, tile);

	if (!code && s->top && (tile->last || tile->searched) &&
		vs_top_records_is_due(s->top, s->to.commit_seconds))
		code = vs_top_records_save(s->top, &s->saved);
	return code;
}

static void
tick(void *ctx, uint64_t pairs)
{
	struct state *s = ctx;
	char rate[64];

	if (vs_comm_rank())
		return;
	snprintf(rate, sizeof(rate), "%.0f G comparisons/s a rank",
		(double)pairs * (double)s->query.n_field * 1e-9 /
			(vs_clock() - s->progress.started + 1e-9));
	vs_tool_progress_step(&s->progress, (double)pairs, rate);
}

/* ---- the end ---- */

/* Called by another thread, when this one does not come to an end. */
static void
rescue(void *ctx, bool work)
{
	struct state *s = ctx;
	if (work && !s->top && s->sink.shards)
		s->sink.sealed = !vs_shard_writer_seal(s->sink.shards, NULL) &&
			!vs_shard_writer_dropped(s->sink.shards);
	vs_record_sink_say(&s->sink);
	/* others may still seal into a directory that has no shard yet */
	vs_outdir_leave(&s->dir, !work || vs_comm_size() == 1);
}

static void
fill_stats(const struct state *s, struct vs_stats *st)
{
	memset(st, 0, sizeof(*st));
	st->seconds_total = vs_clock() - s->began;
	st->seconds_input = s->did.seconds_input;
	st->seconds_compute = s->did.seconds_compute;
	st->seconds_output = s->sink.seconds;
	st->seconds_wait = s->did.seconds_wait;
	st->comparisons = (double)s->did.pairs * (double)s->packed->n_field;
	vs_run_stats_set_values(st,
		(vs_wide)s->did.pairs * (vs_wide)vs_run_kind_cells(&s->way));
	st->bytes_input =
		(int64_t)(vs_plan_most(&s->plan) * s->packed->row_bytes);
	st->peak_rss = (int64_t)vs_mem_peak();
	snprintf(st->device, sizeof(st->device), "%s", s->run.compute);
}

static int
compute(struct state *s)
{
	struct vs_stats stats;
	bool speaker, bound = false;
	char date[21];
	int code;

	vs_clock_date(date);
	code = vs_result_io_step(&s->provenance, s->packed->file,
		s->packed->content, date, s->run.run_uuid, !job.no_host);
	/* from here on the directory is being changed */
	if (!code && !vs_comm_rank())
		code = vs_complete_remove(job.output);
	s->to = (struct vs_shard_writer_plan){ .dir = job.output,
		.rank = vs_comm_rank(),
		.generator = vs_tool_generator(),
		.codec = s->codec,
		.commit_seconds = (double)job.commit * 2 / 3,
		/* a stream reads HDF5 while others count */
		.n_thread = s->pairs.stream ? 1 : s->pairs.n_thread,
		.provenance = &s->provenance,
		.door = &door,
		.counts = &s->counts,
		.stop = vs_tool_stopped };
	code = vs_comm_agree(code, &speaker);
	if (code)
		return code;
	code = vs_run_kind_begin(&s->way, &s->pairs, &s->did, s->run.compute,
		sizeof(s->run.compute), &s->most_load);
	if (s->way.n == 3)
		take_tiles(s, &s->plan);
	if (!code)
		code = vs_record_sink_begin(&s->sink, &s->to, &s->run);
	s->saved = (struct vs_top_records_place){ &s->unit, s->chosen.place,
		&s->to, &s->run };
	code = vs_comm_agree(code, &speaker);
	if (!code && s->top && (s->found.n_done || s->found.above))
		code = vs_top_records_load(s->top, &s->saved, &s->way);
	/* behind the thread that writes, which is not to be bound, nor are a
	 * device's drivers, which come later and are bound as we are */
	if (!code && !job.no_bind && !s->pairs.device)
		code = vs_affinity_threads(s->pairs.n_thread,
			vs_comm_size() > 1, &bound);
	if (bound)
		vs_tool_say("each thread is bound to a core");
	code = vs_comm_agree(code, &speaker);
	if (code)
		return code;
	vs_tool_phase(VS_PHASE_WORK);
	vs_tool_progress_begin(&s->progress, s->way.what, (double)s->most_load);
	code = vs_run_kind_run(&s->way, &s->did);
	vs_thread_pool_rest();
	if (s->top)
		code = vs_top_records_finish(s->top, &s->saved, &s->sink, code);
	vs_tool_phase(VS_PHASE_SAVE);
	vs_tool_progress_end(&s->progress);
	fill_stats(s, &stats);
	code = vs_record_sink_end(&s->sink, code, &stats);
	vs_tool_phase(VS_PHASE_LATE);
	return code;
}

static int
tell(const struct state *s, int (*how)(const struct vs_report *))
{
	return how(&(struct vs_report){ .way = &s->way,
		.pairs = &s->pairs,
		.run = &s->run,
		.n_done = s->found.n_done,
		.estimate = s->estimate,
		.did = &s->did,
		.n_record = s->sink.n_record,
		.sum = s->sink.sum,
		.renamed = s->sink.renamed,
		.seconds = vs_clock() - s->began,
		.seconds_output = s->sink.seconds,
		.stats = job.stats,
		.output = job.output });
}

/* --dry-run; of --top the threshold is not known before the end. */
static int
plan_only(struct state *s)
{
	const struct vs_estimate_of of = { .way = &s->way,
		.pairs = &s->pairs,
		.run = &s->run,
		.packed = s->packed,
		.codec = s->codec };
	struct vs_estimate estimate;
	int code = 0;

	if (!job.top) {
		s->estimate = &estimate;
		code = vs_estimate_make(&estimate, &of);
	}
	/* the plan stands without it */
	if (code == VS_EMACHINE) {
		vs_tool_warn("no estimate: %s", vs_fail_text());
		vs_fail_clear();
		s->estimate = NULL;
		code = 0;
	}
	if (!code && !vs_comm_rank())
		code = tell(s, vs_report_plan);
	return code;
}

static int
run(const struct vs_args *args, struct state *s)
{
	bool speaker;
	int code = vs_comm_check_start();

	if (!code)
		code = check_options(args, s);
	if (!code)
		code = open_input(s);
	if (!code)
		code = describe_run(s);
	if (!code && job.histogram)
		code = vs_histogram_begin(&s->histogram, &s->counts, &s->run,
			&s->way, &s->pairs, &s->query);
	if (!code && job.top)
		code = begin_top(s);
	/* from here on every rank is there or none */
	code = vs_comm_agree(code, &speaker);
	if (!code && job.between[0])
		code = vs_comm_agree(vs_between_begin(&s->chosen, job.between,
					     s->packed, &s->run, &s->pairs),
			&speaker);
	if (!code)
		code = vs_comm_agree(set_question(s), &speaker);
	if (code)
		return code;
	code = prepare_output(s);
	if (code)
		return code;
	if (job.dry_run)
		return plan_only(s);
	if (s->found.n_done)
		vs_tool_say("%llu of %llu tiles are done already",
			(unsigned long long)s->found.n_done,
			(unsigned long long)s->n_tile);
	code = vs_comm_agree(compute(s), &speaker);
	if (!code && s->histogram)
		code = vs_comm_agree(
			vs_histogram_end(s->histogram, job.histogram,
				s->n_known +
					(vs_wide)s->did.pairs *
						(vs_wide)vs_run_kind_cells(
							&s->way),
				&s->pairs, &s->way, !job.stage),
			&speaker);
	if (!code)
		code = vs_comm_agree(
			vs_few_warn(&s->sink.few, &s->run, s->packed),
			&speaker);
	if (!code && !vs_comm_rank())
		code = vs_complete_write(job.output, vs_tool_generator());
	code = vs_comm_agree(code, &speaker);
	return code ? code : tell(s, vs_report);
}

int
main(int argc, char **argv)
{
	struct state s = { .began = vs_clock(),
		.pairs = { .load = load,
			.sink = sink,
			.tick = tick,
			.stop = vs_tool_stop,
			.ctx = &s } };
	struct vs_args args;
	bool speaker;
	int code = vs_comm_begin();

	if (vs_comm_rank())
		vs_tool_mute();
	if (!code)
		code = vs_tool_begin(&tool, argc, argv, &args);
	if (!code)
		code = vs_tool_guard(vs_comm_launched(), rescue, &s);
	/* one that cannot begin is heard before the others wait for it */
	code = vs_comm_agree(code, &speaker);
	if (!code)
		code = run(&args, &s);
	vs_tool_phase(VS_PHASE_LATE);
	vs_record_sink_abandon(&s.sink);
	vs_run_kind_end(&s.way);
	code = vs_comm_agree(code, &speaker);
	vs_outdir_leave(&s.dir, code < 0);
	free(s.found.done);
	free(s.found.above);
	free(s.dead);
	vs_provenance_free(&s.provenance);
	vs_between_free(&s.chosen);
	vs_run_free(&s.run);
	vs_value_histogram_free(s.histogram);
	vs_top_records_free(s.top);
	vs_packed_close(s.packed);
	free(s.input);
	code = vs_tool_end(code, speaker);
	vs_comm_end();
	return code;
}
