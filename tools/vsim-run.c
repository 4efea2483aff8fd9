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
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/base/thread.h"
#include "libcore/bits/affinity.h"
#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/sched/thread_pool.h"
#include "libcore/plan/comm.h"
#include "tools/merge/merge_shards.h"
#include "tools/merge/summary_tables.h"
#include "tools/run/against.h"
#include "tools/run/between.h"
#include "tools/run/estimate.h"
#include "tools/run/histogram.h"
#include "tools/run/options.h"
#include "tools/run/order.h"
#include "tools/run/outdir.h"
#include "tools/run/permutations.h"
#include "tools/run/report.h"
#include "tools/run/setup.h"
#include "tools/run/share.h"
#include "tools/run/stage.h"
#include "tools/run/summarize.h"
#include "tools/run/top_records.h"
#include "tools/run/top_sample.h"
#include "tools/shared/load_vectors.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"

#define FEW 5e8 /* comparisons of one thread until others have started */

/* Lock for HDF5, which one thread at a time may use. */
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

static const struct vs_tool tool = {
	.name = "vsim-run",
	.purpose = "Compare all pairs or triples of vectors and keep what "
		   "passes a threshold.",
	.synopsis = "-t T -o RUNDIR [options] X.vec.h5\n"
		    "       vsim-run -t T --to FORMAT -o FILE [options] INPUT",
	.lesson =
		"examples:\n"
		"  vsim-run -m ccc -t 0.7 -o run x.vec.h5\n"
		"  mpirun -n 4 vsim-run -t 0.7 -o run x.vec.h5\n"
		"  vsim-run --resume -t 0.7 -o run x.vec.h5    continue\n"
		"  vsim-merge -o edges.res.h5 run              the next step\n"
		"  vsim-run -t 0.7 -o run --merge e.res.h5 x.vec.h5    both\n"
		"  vsim-run -m r2 -t 0.2 --max-kb 500 --to ld -o x.ld x.bed\n",
	.opts = vs_options_table,
	.rules = vs_options_rules,
	.n_least = 0,
	.n_most = 1,
	.ranks = true,
};

/* State of a run. */
struct state {
	struct vs_setup ask;
	struct vs_plan plan, unit; /* of the work; of tiles listed as done */
	struct vs_stages stages;
	struct vs_job pairs;
	struct vs_between_chosen chosen;      /* from sets, or from an order */
	struct vs_order order;                /* order by frequency */
	struct vs_value_histogram *histogram; /* --metric-histogram */
	struct vs_tile_counts counts;         /* its counters */
	vs_wide n_known;                      /* values counted earlier */
	struct vs_top_records *top;           /* --top */
	struct vs_top_records_place saved;
	struct vs_job_stats did;
	struct vs_provenance provenance;
	struct vs_shard_writer_plan to;
	struct vs_permutations permutations; /* --permutations */
	struct vs_record_sink sink;
	struct vs_table_want table; /* --to */
	struct vs_tool_progress progress;
	struct vs_shard_writer_sealed sealed; /* --resume */
	uint64_t n_tile, n_wanted; /* of the unit; those not yet done */
	uint64_t most_load;        /* pairs of one rank */
	struct vs_outdir dir;
	char *merge_from[2];
	struct vs_merge_shards merge; /* --merge */
	bool merged;                  /* it exists already */
	double began;
};

/* Set the sets of vectors, and count what a filter leaves. */
static int
begin_sets(struct state *s)
{
	const char *const with[2] = { vs_options.with };
	const char *const *word = vs_options.with ? with
		: vs_options.triples[0]           ? vs_options.triples
						  : vs_options.between;
	uint64_t n = 0;
	int code = vs_options.against
		? vs_against_begin(&s->chosen, vs_options.against,
			  vs_options.vectors, s->ask.packed, &s->ask.run)
		: *word
		? vs_between_begin(&s->chosen, word, s->ask.packed, &s->ask.run)
		: 0;

	code = code ? code
		    : vs_summary_reorder(&s->ask.summary, &s->ask.run.wanted);
	if (code || !vs_wanted_is_by_place(&s->ask.run.wanted))
		return code;
	code = vs_wanted_count(&s->ask.run.wanted, &n);
	s->ask.run.filtered_pairs = code ? 0 : (int64_t)n;
	return code;
}

/* Complete the query; choose threads and devices. */
static int
set_query(struct state *s)
{
	const uint64_t n_vec = s->ask.packed->n_vec;
	const struct vs_between of = vs_wanted_parts(&s->ask.run.wanted, n_vec);
	const double n = (double)n_vec, f = (double)s->ask.packed->n_field,
		     a = (double)(of.n_first + of.n_both),
		     b = (double)(of.n_both + of.n_second),
		     near = 2 * (double)s->ask.run.filtered_pairs * f,
		     comparisons = (s->ask.way.n == 3 ? n : 1) * a * b * f,
		     wanted =
			     s->ask.way.n == 2 && near > 0 ? near : comparisons;
	int threads = (int)vs_options.threads, code;

	if (!threads && vs_options.model)
		threads = vs_cluster_threads(&s->ask.cluster);
	if (!threads)
		threads = wanted > FEW ? vs_share_threads() : 1;
	s->pairs.n_thread = threads;
	vs_setup_ask(&s->ask);
	s->ask.query.f32 = !strcmp(vs_options.value, "f32");
	s->pairs.query = &s->ask.query;
	s->ask.want.comparisons = comparisons / 2 / vs_comm_size();
	code = vs_options.model ? 0 : vs_thread_try(threads);
	return code ? code : vs_devices_choose(&s->ask.want, &s->pairs);
}

/* Read which tiles are listed as done. */
static void
set_unit(struct state *s, const struct vs_plan *unit)
{
	s->unit = *unit;
	s->ask.run.tile = unit->tile;
	s->ask.run.n_blocks = unit->n_block;
	s->ask.run.row_tiles = unit->row_tiles;
	s->n_tile = vs_plan_n_tile(unit);
}

/* Bytes of the genotypes of an input that is not packed, which are held. */
static uint64_t
planes(const struct state *s)
{
	const struct vs_packed *f = s->ask.packed;

	return f->held ? f->n_vec * f->row_bytes : 0;
}

/* Bytes for everything else; an eighth of all if the genotypes take too much */
static uint64_t
memory(const struct state *s)
{
	const uint64_t most = vs_options.memory ? vs_options.memory
		: vs_options.model
		? s->ask.cluster.memory / (uint64_t)s->ask.cluster.ranks
		: vs_share_memory();

	return most - vs_min_size(planes(s), most - most / 8);
}

static int
make_plan(struct state *s)
{
	int code;
	/* a tile is done at once if that takes little enough time */
	int64_t tile = s->ask.run.tile
		? s->ask.run.tile
		: vs_stage_tile(&s->ask.run, vs_options.tile);
	/* tiles of a histogram are counted one by one, and those of stages are
	 * mixed with other stages' */
	int threads = s->pairs.n_thread;
	const char *exchange = vs_options.exchange;
	bool device = s->pairs.device;
	bool single =
		s->ask.way.n == 3 || s->counts.count || s->ask.run.n_stages > 1;

	s->pairs.most_tile = vs_options.tile;
	s->pairs.n_rank = (int)vs_options.ranks;
	s->pairs.no_hold = exchange && !strcmp(exchange, "file");
	s->pairs.no_ring = exchange && strcmp(exchange, "ring") != 0;
	s->pairs.done = s->sealed.done;
	s->pairs.above = s->sealed.above;
	/* larger work is done as smaller tiles, to be sealed in time */
	s->pairs.limit = fmax((double)vs_options.commit / 3, 0.1);
	if (vs_options.model)
		s->pairs.rate = vs_cluster_rate(&s->ask.cluster, s->ask.way.n);
	code = vs_stage_job(&s->ask.run, tile, !s->pairs.no_ring, &s->stages,
		&s->pairs);
	if (!code)
		code = vs_run_kind_plan(&s->ask.way, &s->pairs, &s->plan,
			single ? NULL : &s->unit, s->ask.packed->n_vec, tile,
			memory(s) - vs_order_bytes(&s->order));
	if (code)
		return vs_fail_at(code, "%s", s->ask.input);
	vs_order_settle(&s->order, &s->chosen, &s->ask.run, &s->plan);
	if (s->ask.way.n == 2)
		code = vs_share_check_exchange(&s->pairs, &s->plan, exchange);
	if (code)
		return code;
	if (vs_options.model && s->ask.way.n == 3 && s->pairs.stream)
		return vs_fail(VS_EMACHINE,
			"--model cannot predict triples of vectors that do not "
			"fit in memory, %llu MB for a rank; use a model with "
			"more memory, or fewer ranks a node",
			(unsigned long long)(vs_triple_run_whole_bytes(
						     &s->pairs) >>
				20));
	if (s->pairs.n_thread < threads)
		vs_tool_warn(
			"memory for %d of %d threads: --memory allows more",
			s->pairs.n_thread, threads);
	if (s->ask.way.n == 3)
		vs_share_say_stream(&s->pairs, device);
	s->plan.row_tiles = s->ask.run.row_tiles;
	set_unit(s, single ? &s->plan : &s->unit);
	if (!vs_comm_rank() && s->histogram)
		s->n_known = vs_run_kind_values(&s->ask.way, &s->unit,
			s->sealed.done);
	/* with a filter the number of values of a tile is unknown */
	if (s->n_known && !vs_options.summary &&
		!vs_wanted_is_by_place(&s->ask.run.wanted))
		code = vs_histogram_check(s->histogram, vs_options.output,
			s->n_known);
	if (code)
		return code;
	code = vs_stage_leave(&s->ask.run, &s->unit, &s->sealed.done);
	s->pairs.done = s->sealed.done;
	return code;
}

/* True if shards are written: not for a plan, a threshold by permutations, or a
 * table. */
static bool
writes(void)
{
	return !vs_options.dry_run && !vs_options.permute_test &&
		!vs_options.to;
}

/* The sums beside a table. */
static int
sums_of_table(const struct state *s, bool look)
{
	const struct vs_merge_shards to = { .out = vs_options.output,
		.force = vs_options.force };

	return !vs_options.to || !vs_options.summary || !to.out
		? 0
		: vs_summary_tables_of(&to, &s->ask.run, s->ask.packed,
			  &s->ask.summary.ask, &s->counts, look);
}

static int
prepare_table(struct state *s)
{
	int code = sums_of_table(s, true);

	s->table = (struct vs_table_want){ .to = vs_options.to,
		.columns = vs_options.columns,
		.path = vs_options.output,
		.undefined = vs_options.undefined,
		.no_header = vs_options.no_header,
		.force = vs_options.force,
		.memory = memory(s) / 4 };
	return code ? code : vs_table_check(&s->table, &s->ask.run);
}

/* A run that was killed at its very end has already made the merged result. */
static int
prepare_merge(struct state *s)
{
	int code;

	s->merge_from[0] = (char *)vs_options.output;
	s->merge_from[1] = (char *)vs_options.against;
	s->merge = (struct vs_merge_shards){ .from = s->merge_from,
		.n_from = vs_options.against ? 2 : 1,
		.out = vs_options.merge,
		.codec = VS_MERGE_SHARDS_CODEC,
		.memory = vs_options.memory,
		/* a run that was killed may have written tables of sums */
		.force = vs_options.force || vs_options.resume };
	if (!vs_options.resume || access(vs_options.merge, F_OK))
		return vs_result_io_may_write(vs_options.merge,
			vs_options.force);
	code = vs_merge_shards_made(&s->merge, &s->merged);
	if (code || s->merged)
		return code;
	return vs_fail(VS_EUSAGE,
		"%s: exists, and is not what --merge makes of the shards in "
		"%s: remove it, or name another file",
		vs_options.merge, vs_options.output);
}

static int
prepare_output(struct state *s)
{
	struct vs_text path = { 0 };
	char host[VS_HOST_ROOM] = "";
	int code = 0;

	s->dir.mode = -1;
	if (s->counts.count)
		s->sealed.counts = &s->counts;
	if (!vs_options.no_host)
		vs_result_io_host(host);
	if (!vs_comm_rank() && writes())
		code = vs_outdir_acquire(&s->dir, vs_options.output, host,
			vs_options.force, vs_options.resume);
	if (!code && vs_options.merge && !vs_comm_rank())
		code = prepare_merge(s);
	if (!code && vs_options.to)
		code = prepare_table(s);
	code = vs_comm_agree(code);
	if (!code) {
		vs_comm_share(&s->dir.mode, sizeof(s->dir.mode));
		code = vs_outdir_keep_mode(&s->dir, vs_options.output);
	}
	s->sealed.look = !writes();
	if (!code)
		code = vs_outdir_resume(vs_options.resume ? vs_options.output
							  : NULL,
			&s->ask.run, &s->sealed);
	code = code
		? code
		: vs_order_choose(&s->order, &s->chosen, &s->ask, memory(s));
	if (!code)
		code = make_plan(s);
	if (!code && writes() && !vs_comm_rank()) {
		/* now that nothing can go wrong with the run's setup any
		 * more */
		code = vs_outdir_clear(&s->dir, vs_options.force);
		if (!code)
			code = vs_run_shards_make_dirs(vs_options.output,
				vs_comm_size());
		if (!code)
			code = vs_text_add(&path, "%s/" VS_RUNFILE_NAME,
				vs_options.output);
		if (!code)
			code = vs_runfile_write(path.bytes, vs_tool_generator(),
				vs_options_table, s->ask.run.vectors_path);
	}
	vs_text_free(&path);
	return vs_comm_agree(code);
}

/* ---- callbacks of the engine ---- */

static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	struct state *s = ctx;
	const struct vs_known known = { s->ask.dead, &s->plan };
	bool skip_dead = s->ask.dead && s->ask.way.n == 2 && !s->pairs.hold &&
		vs_query_prunes(&s->ask.query);
	int code;

	/* shards may be written at the same time */
	pthread_mutex_lock(&door);
	code = s->chosen.place ? vs_between_load(&s->chosen, s->ask.packed,
					 &s->ask.run, lo, hi, p)
			       : vs_load_vectors_panel(s->ask.packed, lo, hi,
					 skip_dead ? &known : NULL, p);
	pthread_mutex_unlock(&door);
	return code;
}

static int
sink(void *ctx, const struct vs_tile_done *tile)
{
	struct state *s = ctx;
	int code = s->top ? vs_top_records_add(s->top, tile)
			  : vs_record_sink_add(&s->sink, tile);

	vs_tile_counts_add(&s->counts, tile->counts);
	if (!code && s->top && !vs_options.to &&
		(tile->last || tile->searched) &&
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
	snprintf(rate, sizeof(rate), "%.0f G comparisons/s%s",
		(double)pairs * (double)s->ask.query.n_field * 1e-9 /
			(vs_clock() - s->progress.started + 1e-9),
		vs_comm_size() > 1 ? " a rank" : "");
	/* this rank may do some tiles of others */
	vs_tool_progress_step(&s->progress,
		fmin((double)pairs, (double)s->most_load), rate);
}

/* ---- the end of a run ---- */

/* Save what there is; called by another thread if this one does not end in
 * time. */
static void
rescue(void *ctx, bool work)
{
	struct state *s = ctx;
	if (work && !s->top && s->sink.shards)
		s->sink.sealed = !vs_shard_writer_stop(s->sink.shards) &&
			!vs_shard_writer_dropped(s->sink.shards);
	if (!writes() || vs_tool_is_step())
		vs_tool_line("stopped by a signal");
	else if (s->sink.dir || !vs_permutations_say(&s->permutations))
		vs_record_sink_say(&s->sink);
	/* others may still seal into a directory that has no shard yet */
	vs_outdir_leave(&s->dir, !work || vs_comm_size() == 1);
}

static struct vs_report
report_of(const struct state *s)
{
	return (struct vs_report){ .way = &s->ask.way,
		.pairs = &s->pairs,
		.run = &s->ask.run,
		.noun = vs_packed_noun(s->ask.packed),
		.row_bytes = s->ask.packed->row_bytes,
		.planes = planes(s),
		.n_done = s->sealed.n_done,
		.did = &s->did,
		.n_record = s->sink.n_record,
		.sum = s->sink.sum,
		.renamed = s->sink.renamed,
		.seconds = vs_clock() - s->began,
		.seconds_output = s->sink.seconds,
		.stats = vs_options.stats,
		.output = vs_options.output };
}

static struct vs_permute_test
permute_test_of(const struct state *s)
{
	return (struct vs_permute_test){ .way = &s->ask.way,
		.pairs = &s->pairs,
		.packed = s->ask.packed,
		.input = s->ask.input,
		.n = vs_options.permute_test };
}

static struct vs_shard_writer_plan
shards_of(struct state *s)
{
	return (struct vs_shard_writer_plan){ .dir = vs_options.to
			? NULL
			: vs_options.output,
		.rank = vs_comm_rank(),
		.n_rank = vs_comm_size(),
		.generator = vs_tool_generator(),
		.codec = s->ask.codec,
		.commit_seconds = (double)vs_options.commit * 2 / 3,
		/* a stream reads HDF5 while others count */
		.n_thread = s->pairs.stream ? 1 : s->pairs.n_thread,
		.provenance = &s->provenance,
		.input = s->ask.packed->file,
		.door = &door,
		.counts = &s->counts,
		.resume = vs_options.resume };
}

/* Begin to change the directory; search permutations first, since each shard
 * will state all of them. */
static int
begin_output(struct state *s)
{
	char date[21];
	int code;

	vs_clock_date(date);
	code = vs_result_io_step(&s->provenance, s->ask.packed->file,
		s->ask.packed->content, date, s->ask.run.run_uuid,
		!vs_options.no_host);
	if (!code && !vs_comm_rank() && writes())
		code = vs_complete_remove(vs_options.output);
	s->to = shards_of(s);
	code = vs_comm_agree(code);
	if (!code && s->ask.run.permutations) {
		s->permutations = (struct vs_permutations){
			.test = permute_test_of(s),
			.to = &s->to,
			.run = &s->ask.run,
		};
		code = vs_permutations_search(&s->permutations);
	}
	return code ? code : vs_order_read(&s->order, &s->ask, &s->chosen);
}

/* Start what takes the records, and bind threads. Collective */
static int
begin_work(struct state *s)
{
	bool bound = false;
	int code = vs_run_kind_begin(&s->ask.way, &s->pairs, &s->did,
		s->ask.run.compute, sizeof(s->ask.run.compute), &s->most_load);
	if (s->ask.way.n == 3)
		set_unit(s, &s->plan);
	s->n_wanted = vs_stage_rest(&s->unit, s->sealed.done);
	s->sink.most = (uint64_t)vs_options.max_records;
	s->sink.before = s->sealed.n_record;
	if (!code && vs_options.to)
		code = vs_table_new(&s->sink.table, &s->table, &s->ask.run,
			s->ask.packed,
			s->ask.way.n == 3 || s->chosen.place ? NULL : &s->unit);
	if (!code)
		code = vs_record_sink_begin(&s->sink, &s->to, &s->ask.run);
	s->saved = (struct vs_top_records_place){ &s->unit, s->chosen.place,
		&s->to, &s->ask.run };
	code = vs_comm_agree(code);
	if (!code && s->top && (s->sealed.n_done || s->sealed.above))
		code = vs_top_records_load(s->top, &s->saved, &s->ask.way);
	/* after starting the thread that writes, which must not be bound, nor
	 * must a device's drivers, which start later and are bound like this
	 * thread */
	if (!code && !vs_options.no_bind && !s->pairs.device)
		code = vs_affinity_threads(s->pairs.n_thread,
			vs_comm_size() > 1, &bound);
	if (bound)
		vs_tool_say("each thread is bound to a core");
	return vs_comm_agree(code);
}

static int
compute(struct state *s)
{
	struct vs_report report;
	struct vs_stats stats;
	int code = begin_output(s);

	if (!code)
		code = begin_work(s);
	if (code)
		return code;
	vs_tool_phase(VS_PHASE_WORK);
	vs_tool_progress_begin(&s->progress, s->ask.way.what,
		(double)s->most_load);
	code = vs_run_kind_run(&s->ask.way, &s->did);
	vs_thread_pool_rest();
	if (s->top)
		code = vs_top_records_finish(s->top, &s->saved, &s->sink, code);
	vs_tool_phase(VS_PHASE_SAVE);
	vs_tool_progress_end(&s->progress);
	report = report_of(s);
	vs_report_stats(&report, &stats);
	code = vs_record_sink_end(&s->sink, code, &stats);
	/* the shards have what was saved of them */
	if (!code)
		vs_permutations_end(&s->permutations);
	vs_tool_phase(VS_PHASE_LATE);
	return code;
}

/* --dry-run: print the plan, with an estimate if one can be made. */
static int
plan_only(const struct state *s)
{
	const struct vs_estimate_of of = { .way = &s->ask.way,
		.pairs = &s->pairs,
		.run = &s->ask.run,
		.packed = s->ask.packed,
		.codec = s->ask.codec,
		.top = (uint64_t)vs_options.top };
	struct vs_report report = report_of(s);
	struct vs_estimate estimate;
	struct vs_estimate_table table;
	int code = 0;

	if (!vs_options.shape && vs_options.no_threshold) {
		code = vs_estimate_thresholds(&table, &of);
		report.thresholds = &table;
	} else if (!vs_options.shape) {
		code = vs_estimate_make(&estimate, &of);
		report.estimate = &estimate;
		/* the sums */
		if (vs_options.summary)
			estimate.bytes +=
				(double)(s->counts.n * sizeof(uint64_t));
	}
	report.cluster = vs_options.model ? &s->ask.cluster : NULL;
	report.model = vs_options.model;
	/* the plan is valid without an estimate */
	if (code == VS_EMACHINE) {
		vs_tool_warn("no estimate: %s", vs_fail_text());
		vs_fail_clear();
		report.estimate = NULL;
		report.thresholds = NULL;
		code = 0;
	}
	return code || vs_comm_rank() ? code : vs_report_plan(&report);
}

/* The number of values of a stage with a filter is unknown; and the fields
 * determine the total only for all pairs and for pairs of two sets. */
static int
end_histogram(struct state *s)
{
	const bool filter = vs_wanted_is_by_place(s->pairs.wanted),
		   triples = s->ask.way.n == 3 &&
		vs_wanted_is_by_sets(s->pairs.wanted);
	const vs_wide cells = (vs_wide)vs_run_kind_cells(&s->ask.way),
		      pairs = !filter ? (vs_wide)s->did.pairs
		: vs_comm_rank()      ? 0
				      : (vs_wide)s->ask.run.filtered_pairs;
	const struct vs_histogram_proof of = { .n_value = pairs * cells +
			(filter ? 0 : s->n_known),
		.counts = !filter || !vs_options.stage,
		.sums = !filter && !triples && !vs_options.stage,
		.summed = s->counts.count };

	return vs_histogram_end(s->histogram, vs_options.histogram, &of,
		&s->pairs, &s->ask.way);
}

/* Read the question and what it takes of the input. Collective */
static int
ask(const struct vs_args *args, struct state *s)
{
	int code = vs_comm_check_start();

	if (!code)
		code = vs_options_check(args, &s->ask);
	if (!code)
		code = vs_setup_open(&s->ask);
	/* all ranks read the counts together */
	code = vs_comm_agree(code);
	if (!code)
		code = vs_setup_scan(&s->ask);
	if (!code)
		code = vs_setup_describe(&s->ask);
	if (!code && vs_options.summary)
		code = vs_summarize_begin(&s->ask, &s->counts);
	if (!code && vs_options.histogram)
		code = vs_histogram_begin(&s->histogram, &s->counts,
			&s->ask.run, &s->ask.way, &s->pairs, &s->ask.query);
	/* a shape has no vectors whose greatest values could be kept */
	if (!code && vs_options.top && !vs_options.shape)
		code = vs_top_records_begin(&s->top, &s->counts, &s->ask);
	/* from here on every rank is there or none is */
	code = vs_comm_agree(code);
	if (!code)
		vs_setup_say_cases(&s->ask);
	if (!code)
		code = vs_comm_agree(vs_setup_places(&s->ask, &s->pairs));
	if (!code)
		code = vs_comm_agree(begin_sets(s));
	if (!code)
		code = vs_comm_agree(vs_stage_chromosomes(&s->ask.run));
	if (!code)
		code = vs_comm_agree(set_query(s));
	return code;
}

static int
run(const struct vs_args *args, struct state *s)
{
	struct vs_permute_test test;
	struct vs_report report;
	int code = ask(args, s);

	if (code)
		return code;
	if (s->top && !vs_options.permute_test && !vs_options.dry_run &&
		!s->histogram)
		code = vs_top_sample_take(&s->ask, s->pairs.n_thread,
			memory(s));
	if (vs_comm_agree(code))
		return code;
	if (s->ask.way.n == 3)
		vs_share_vectors(&s->pairs,
			vs_options.model ? &s->ask.cluster : NULL,
			(int)vs_options.ranks, s->ask.packed->n_vec);
	code = prepare_output(s);
	if (code)
		return code;
	if (vs_options.dry_run)
		return plan_only(s);
	test = permute_test_of(s);
	if (vs_options.permute_test)
		return vs_permutations_print(&test);
	if (s->sealed.n_done)
		vs_tool_say("%llu of %llu tiles are done already",
			(unsigned long long)s->sealed.n_done,
			(unsigned long long)s->n_tile);
	code = vs_comm_agree(compute(s));
	if (!code && s->histogram)
		code = vs_comm_agree(end_histogram(s));
	if (!code)
		code = vs_comm_agree(vs_record_sink_warn(&s->sink.few,
			&s->ask.run, s->ask.packed));
	code = code ? code : sums_of_table(s, false);
	if (!code && !vs_comm_rank() && writes())
		code = vs_complete_write(vs_options.output, vs_tool_generator(),
			s->sealed.n_done + s->n_wanted);
	code = vs_comm_agree(code);
	if (code)
		return code;
	report = report_of(s);
	return vs_report(&report);
}

/* --merge, on the first rank, which has its memory back. */
static int
merge(const struct state *s)
{
	if (vs_comm_rank())
		return 0;
	if (s->merged) {
		vs_tool_say("%s already exists", vs_options.merge);
		return 0;
	}
	vs_h5_threads((int)vs_options.how.threads);
	return vs_merge_shards_write(&s->merge);
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
	int code = vs_comm_begin(vs_tool_broken);

	vs_options_begin();
	if (vs_comm_rank())
		vs_tool_mute();
	if (!code)
		code = vs_tool_begin(&tool, argc, argv, &args);
	if (!code)
		code = vs_tool_guard(vs_comm_launched(), rescue, &s);
	/* a rank that cannot begin reports it before the others wait */
	code = vs_comm_agree(code);
	if (!code)
		code = run(&args, &s);
	vs_tool_phase(VS_PHASE_LATE);
	vs_record_sink_abandon(&s.sink);
	vs_run_kind_end(&s.ask.way);
	code = vs_comm_agree(code);
	if (!code && vs_options.merge && writes())
		code = vs_comm_agree(merge(&s));
	if (!code && !vs_options.merge && writes() && !vs_comm_rank())
		vs_tool_next("vsim-merge -o %s %s%s",
			vs_summary_ask_alone(s.ask.run.summary) ? "NAME"
								: "X.res.h5",
			vs_options.output,
			vs_options.stage ? " ... (all stages)" : "");
	if (code < 0)
		vs_tool_share_signal();
	vs_outdir_leave(&s.dir, code < 0);
	vs_plan_free(&s.plan);
	vs_stages_free(&s.stages);
	free(s.sealed.done);
	free(s.sealed.above);
	vs_provenance_free(&s.provenance);
	vs_order_free(&s.order);
	vs_between_free(&s.chosen);
	vs_value_histogram_free(s.histogram);
	vs_top_records_free(s.top);
	vs_setup_free(&s.ask);
	code = vs_tool_end(code, vs_comm_speaks());
	vs_comm_end();
	return code;
}
