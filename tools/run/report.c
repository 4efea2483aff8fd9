/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of vsim-run: dry run, rates, statistics. */
#include <math.h>
#include <stdio.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/text.h"
#include "libcore/engine/sched/held_vectors.h"
#include "libcore/plan/comm.h"
#include "tools/run/predict.h"
#include "tools/run/report.h"
#include "tools/run/share.h"
#include "tools/shared/metric_options.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"

/* Print records, bytes and time, each line after a margin. */
static void
print_numbers(const struct vs_estimate *e, const char *margin)
{
	printf(e->exact ? "%srecords_estimated: %.0f\n"
			: "%srecords_estimated: %.4g\n",
		margin, e->records);
	if (e->most > 0 && !e->exact)
		printf("%srecords_estimated_between: %.3g and %.3g\n", margin,
			e->least, e->most);
	printf("%soutput_bytes_estimated: %.3g\n%sminutes_estimated: %.2g\n",
		margin, e->bytes, margin, e->seconds / 60);
	if (e->seconds_most > 0)
		printf("%sminutes_at_most_estimated: %.2g\n", margin,
			e->seconds_most / 60);
}

/* Print the sample that an estimate is based on. */
static void
print_sample(const struct vs_estimate *e, const char *margin, const char *what)
{
	if (e->share >= 1)
		printf("%sestimated_from: 'all %s, which were counted'\n",
			margin, what);
	else
		printf("%sestimated_from: '%llu of %llu vectors with %s "
		       "others, %.3g %% of the %s, with %llu records'\n",
			margin, (unsigned long long)e->n_sampled,
			(unsigned long long)e->n_vec,
			*what == 't' ? "all pairs of" : "all", 100 * e->share,
			what, (unsigned long long)e->seen);
}

static void
print_thresholds(const struct vs_report *r)
{
	const struct vs_estimate_table *t = r->thresholds;

	printf("thresholds:\n");
	for (int k = 0; k < t->n; k++) {
		printf("  - threshold: %g\n", t->row[k].threshold);
		print_numbers(&t->row[k].e, "    ");
		print_sample(&t->row[k].e, "    ", r->way->what);
	}
}

/* The exchange method, and bytes that a rank receives. */
static void
print_exchange(const struct vs_report *r)
{
	const struct vs_plan *plan = r->pairs->plan;
	double vectors = 0;

	if (r->way->n != 2 || plan->n_rank < 2)
		return;
	for (int k = 0; plan->by_path && k < plan->n_rank; k++)
		vectors = fmax(vectors, (double)vs_plan_n_read(plan, k));
	/* a ring passes a share in each step */
	if (!plan->by_path && !r->pairs->stream && !plan->n_common)
		vectors = (double)plan->n_vec * (vs_plan_n_step(plan) - 1) /
			plan->n_rank;
	printf("exchange: %s\nreceived_by_a_rank: %.4g\n",
		vs_share_exchange(r->pairs, plan),
		vectors * (double)r->row_bytes);
}

static int
print_prediction(const struct vs_report *r)
{
	const struct vs_estimate *e = r->estimate;
	const struct vs_predict_of of = { .way = r->way,
		.job = r->pairs,
		.cluster = r->cluster,
		.row_bytes = r->row_bytes,
		.records = e ? e->records : -1,
		.bytes = e ? e->bytes : -1 };
	struct vs_prediction p;
	int code = vs_predict(&p, &of);

	if (code)
		return code;
	printf("model: '%s'\nnodes: %d\nseconds_predicted: %.4g\n"
	       "seconds_starting: %.4g\nseconds_checking: %.4g\n"
	       "seconds_reading: %.4g\nseconds_computing: %.4g\n"
	       "seconds_waiting: %.4g\nseconds_writing: %.4g\n",
		r->model, p.n_node, p.seconds, p.start, p.check, p.read,
		p.compute, p.wait, p.write);
	printf("read_by_a_rank: %.4g\nread_by_all: %.4g\ntimes_read: %.4g\n"
	       "records_predicted: %.4g\noutput_bytes_predicted: %.4g\n"
	       "files_predicted: %.0f\nefficiency_predicted: %.4f\n",
		p.bytes_most, p.bytes_all,
		p.bytes_most / (double)r->pairs->plan->n_vec /
			(double)r->row_bytes,
		p.records, p.output, p.files, p.compute / p.seconds);
	return 0;
}

int
vs_report_plan(const struct vs_report *r)
{
	const struct vs_plan *plan = r->pairs->plan;
	uint64_t all = vs_run_kind_all(r->way, plan);
	double n = (double)all;
	uint64_t most, least;
	char compute[sizeof(r->run->compute)];
	char front[VS_METRIC_OPTIONS_ROOM], weight[VS_METRIC_OPTIONS_ROOM];
	const struct vs_plan *unit = r->pairs->unit ? r->pairs->unit : plan;
	int code = vs_run_kind_shares(r->way, r->pairs, &least, &most);

	if (code)
		return code;
	printf("vectors: %lld\nfields: %lld\nmissing: %s\n",
		(long long)r->run->n_vectors, (long long)r->run->n_fields,
		r->run->missing);
	if (*r->run->between)
		printf("between: '%s'\n", r->run->between);
	if (*r->run->pair_filter) {
		printf("pair_filter: %s\nfiltered_%s: %lld\n",
			r->run->pair_filter, r->way->what,
			(long long)r->run->filtered_pairs);
		n = (double)r->run->filtered_pairs;
	}
	printf("%s: %llu\ncomparisons: %.6g\n", r->way->what,
		(unsigned long long)all, n * (double)r->run->n_fields);
	if (r->run->ccc_multiplier > 0) {
		vs_metric_options_print(r->run->ccc_multiplier, front);
		vs_metric_options_print(r->run->ccc_gamma, weight);
		printf("multiplier: %s\ngamma: %s\n", front, weight);
	}
	vs_run_kind_describe(r->way, r->pairs, compute, sizeof(compute));
	printf("ranks: %d\nthreads: %d\ncompute: %s\n", plan->n_rank,
		r->pairs->n_thread, compute);
	printf("tile: %lld\ntiles: %llu\ntiles_done: %llu\n",
		(long long)unit->tile, (unsigned long long)vs_plan_n_tile(unit),
		(unsigned long long)r->n_done);
	printf("block: %lld\n", (long long)plan->tile);
	printf("stage: %d\nstages: %d\n", r->run->stage_end, r->run->n_stages);
	printf("%s_of_a_rank: %llu to %llu\n", r->way->what,
		(unsigned long long)least, (unsigned long long)most);
	printf("memory_of_a_rank: %llu\nblocks: %s\n",
		(unsigned long long)(vs_run_kind_bytes(r->way, r->pairs) +
			r->planes),
		r->pairs->stream ? "streamed" : "in memory");
	print_exchange(r);
	if (*r->run->summary)
		printf("summary: %s\n", r->run->summary);
	if (!vs_summary_ask_alone(r->run->summary))
		printf("output_bytes_at_most: %.4g\n",
			n * vs_run_kind_cells(r->way) *
				(r->way->n == 3 ? 49 : 41));
	if (r->thresholds) {
		print_thresholds(r);
	} else if (r->estimate) {
		print_numbers(r->estimate, "");
		print_sample(r->estimate, "", r->way->what);
	}
	return r->cluster ? print_prediction(r) : 0;
}

/* Integer totals over all ranks. */
enum total {
	RECORDS,
	PAIRS,
	SUM,
	SUM_LOW,
	BY_SOURCE,
	BY_SOURCE_LOW,
	COUNTED,
	SKIPPED,
	LOST,
	FAILED,
	MICROSECONDS,
	CPU_MICROSECONDS,
	HELPED,
	BY_CPU,
	BY_DEVICE,
	FETCHED,
	FETCH_MICROSECONDS,
	DEVICE_MICROSECONDS,
	N_TOTAL = DEVICE_MICROSECONDS + VS_DEVICE_TIMES
};

/* Over all ranks: sums, and what the slowest one took. */
struct totals {
	uint64_t n[N_TOTAL];
	/* n[PAIRS] is the number of pairs or triples compared; false: unknown,
	 * for part of a run with a pair filter */
	bool known;
	double most[3]; /* seconds in all, computing, and of CPU for it */
	double mean[2]; /* seconds computing, and of CPU for it */
};

static int
write_stats(const struct vs_report *r, const struct totals *all)
{
	const uint64_t *n = all->n, *of_device = n + DEVICE_MICROSECONDS;
	double seconds = all->most[0],
	       comparisons = (double)n[PAIRS] * (double)r->run->n_fields;
	struct vs_text t = { 0 };
	int code;

	vs_text_add(&t,
		"seconds_total: %.6f\nseconds_input: %.6f\n"
		"seconds_compute: %.6f\nseconds_output: %.6f\n"
		"seconds_wait: %.6f\n",
		seconds, r->did->seconds_input, r->did->seconds_compute,
		r->seconds_output, r->did->seconds_wait);
	vs_text_add(&t,
		"seconds_compute_mean: %.6f\nseconds_compute_most: %.6f\n"
		"cpu_compute_mean: %.6f\ncpu_compute_most: %.6f\n"
		"tiles_of_other_ranks: %llu\n"
		"vectors_fetched: %llu\nseconds_fetching: %.6f\n",
		all->mean[0], all->most[1], all->mean[1], all->most[2],
		(unsigned long long)n[HELPED], (unsigned long long)n[FETCHED],
		(double)n[FETCH_MICROSECONDS] * 1e-6);
	if (all->known)
		vs_text_add(&t,
			"comparisons: %.17g\ncomparisons_per_second: %.6g\n"
			"%s: %llu\n",
			comparisons, comparisons / seconds, r->way->what,
			(unsigned long long)n[PAIRS]);
	vs_text_add(&t,
		"%s_counted: %llu\ncomparisons_counted: %.17g\n"
		"records: %llu\n",
		r->way->what, (unsigned long long)n[COUNTED],
		(double)(n[COUNTED] - n[SKIPPED]) * (double)r->run->n_fields,
		(unsigned long long)n[RECORDS]);
	code = vs_text_add(&t,
		"peak_rss: %llu\nranks: %d\nthreads: %d\n"
		"compute: %s\ndevice_share: %.4g\n"
		"device_pieces_lost: %llu\n"
		"device_pieces_failed: %llu\n"
		"device_seconds_kernels: %.6f\n"
		"device_seconds_copies: %.6f\n"
		"device_seconds_waits: %.6f\n",
		(unsigned long long)vs_mem_peak(), r->pairs->plan->n_rank,
		r->pairs->n_thread, r->run->compute,
		n[BY_DEVICE] ? (double)n[BY_DEVICE] /
				(double)(n[BY_CPU] + n[BY_DEVICE])
			     : 0,
		(unsigned long long)n[LOST], (unsigned long long)n[FAILED],
		(double)of_device[VS_DEVICE_KERNELS] * 1e-6,
		(double)of_device[VS_DEVICE_COPIES] * 1e-6,
		(double)of_device[VS_DEVICE_WAITS] * 1e-6);
	if (!code)
		code = vs_result_io_print(r->stats, &t);
	vs_text_free(&t);
	return code;
}

/* The word for n pairs or triples. */
static const char *
what_of(const struct vs_report *r, uint64_t n)
{
	return n != 1 ? r->way->what : r->way->n == 3 ? "triple" : "pair";
}

/* Print the lines of -v about rates. */
static void
say_rates(const struct vs_report *r, const struct totals *all)
{
	const uint64_t *n = all->n;
	const int n_rank = r->pairs->plan->n_rank,
		  n_thread = r->pairs->n_thread;
	double seconds = all->most[0], fields = (double)r->run->n_fields;
	char on[64];

	snprintf(on, sizeof(on), "%d rank%s of %d thread%s", n_rank,
		vs_text_s((uint64_t)n_rank), n_thread,
		vs_text_s((uint64_t)n_thread));
	if (all->known)
		vs_tool_say("%llu %s of %lld samples in %.2f s: %.1f G "
			    "comparisons/s on %s, %s",
			(unsigned long long)n[PAIRS], what_of(r, n[PAIRS]),
			(long long)r->run->n_fields, seconds,
			(double)n[PAIRS] * fields / seconds * 1e-9, on,
			r->run->compute);
	/* with a filter some are counted that are not compared */
	if (*r->run->pair_filter)
		vs_tool_say("counted %llu %s in %.2f s, on %s, %s",
			(unsigned long long)n[COUNTED], what_of(r, n[COUNTED]),
			seconds, on, r->run->compute);
	else
		vs_tool_say("%.2f %% of the %s were counted, as far as needed: "
			    "%.1f G comparisons/s; no other can pass",
			n[PAIRS] ? 100 * (double)n[COUNTED] / (double)n[PAIRS]
				 : 0,
			r->way->what,
			(double)(n[COUNTED] - n[SKIPPED]) * fields / seconds *
				1e-9);
	if (r->pairs->plan->n_rank > 1)
		vs_tool_say("ranks computed for %.2f s, the busiest for %.2f "
			    "s; of CPU %.2f s and %.2f s; took %llu tiles from "
			    "others",
			all->mean[0], all->most[1], all->mean[1], all->most[2],
			(unsigned long long)n[HELPED]);
}

void
vs_report_stats(const struct vs_report *r, struct vs_stats *st)
{
	const struct vs_plan *plan = r->pairs->plan;
	const uint64_t n_vec = (uint64_t)r->run->n_vectors,
		       n_share = (uint64_t)(r->pairs->n_share > 1
				       ? r->pairs->n_share
				       : 1),
		       n_read = r->did->read ? r->did->read
		: r->way->n == 3             ? n_vec / n_share
		: r->did->held               ? vs_held_vectors_share(plan)
			       : vs_plan_n_read(plan, vs_comm_rank());

	*st = (struct vs_stats){ .seconds_total = r->seconds,
		.seconds_input = r->did->seconds_input,
		.seconds_compute = r->did->seconds_compute,
		.seconds_output = r->seconds_output,
		.seconds_wait = r->did->seconds_wait,
		.comparisons = (double)r->did->pairs * (double)r->run->n_fields,
		.bytes_input = (int64_t)(n_read * r->row_bytes),
		.peak_rss = (int64_t)vs_mem_peak() };
	vs_run_stats_set_values(st,
		(vs_wide)r->did->pairs * (vs_wide)vs_run_kind_cells(r->way));
	snprintf(st->device, sizeof(st->device), "%s", r->run->compute);
}

/* Add up what each rank counted. Collective */
static struct totals
totals_of(const struct vs_report *r)
{
	const bool filtered = *r->run->pair_filter;
	double seconds[VS_DEVICE_TIMES] = { 0 };
	struct totals all = {
		.known = !filtered || (r->run->n_stages == 1 && !r->n_done),
		.n = { r->n_record, r->did->pairs, r->sum.h[0], r->sum.h[1],
			r->renamed.h[0], r->renamed.h[1], r->did->counted,
			/* in pairs, which fit 63 bits */
			(uint64_t)(r->did->fields_skipped /
				fmax((double)r->run->n_fields, 1)),
			r->did->lost, r->did->failed,
			(uint64_t)(r->did->seconds_compute * 1e6),
			(uint64_t)(r->did->cpu_compute * 1e6), r->did->helped,
			(uint64_t)r->did->cost[0], (uint64_t)r->did->cost[1],
			r->did->fetched,
			(uint64_t)(r->did->seconds_fetch * 1e6) },
		.most = { r->seconds, r->did->seconds_compute,
			r->did->cpu_compute },
	};
	uint64_t *n = all.n;

	if (r->pairs->device && r->pairs->device->seconds)
		r->pairs->device->seconds(seconds);
	for (int k = 0; k < VS_DEVICE_TIMES; k++)
		n[DEVICE_MICROSECONDS + k] = (uint64_t)(seconds[k] * 1e6);
	if (n[SKIPPED] > n[COUNTED])
		n[SKIPPED] = n[COUNTED];
	vs_comm_sum_u64(n, N_TOTAL);
	vs_comm_max_f64(all.most, 3);
	for (int k = 0; k < 2; k++)
		all.mean[k] = (double)n[MICROSECONDS + k] * 1e-6 /
			r->pairs->plan->n_rank;
	return all;
}

/* The last line: what was compared and found. */
static void
close_report(const struct vs_report *r, const struct totals *all, bool nothing)
{
	const uint64_t *n = all->n;
	const bool cells = vs_metric_has_cells(vs_metric_find(r->run->metric));
	/* the table of a chain of programs comes from the last of them */
	const char *output = vs_tool_is_step() ? NULL : r->output;
	char found[64] = "";

	if (!vs_summary_ask_alone(r->run->summary))
		snprintf(found, sizeof(found), ", %llu%s%s found",
			(unsigned long long)n[RECORDS], cells ? " record" : "",
			cells ? vs_text_s(n[RECORDS]) : "");
	if (nothing)
		vs_tool_close(output, "nothing was left to do");
	else if (all->known)
		vs_tool_close(output,
			"%lld %s%s of %lld samples, %llu %s compared%s",
			(long long)r->run->n_vectors, r->noun,
			vs_text_s((uint64_t)r->run->n_vectors),
			(long long)r->run->n_fields,
			(unsigned long long)n[PAIRS], what_of(r, n[PAIRS]),
			found);
	else
		vs_tool_close(output, "%llu record%s",
			(unsigned long long)n[RECORDS], vs_text_s(n[RECORDS]));
}

int
vs_report(const struct vs_report *r)
{
	struct totals all = totals_of(r);
	uint64_t *n = all.n;
	const bool nothing = r->n_done && !n[PAIRS];
	int code = 0;

	if (r->pairs->hold && !r->did->held && !nothing)
		vs_tool_warn("MPI has no memory here that ranks reach, or too "
			     "little: blocks were read from the file");
	if (*r->run->pair_filter && all.known)
		n[PAIRS] = (uint64_t)r->run->filtered_pairs;
	say_rates(r, &all);
	vs_tool_say("%llu record%s, sum %016llx%016llx, by source "
		    "%016llx%016llx",
		(unsigned long long)n[RECORDS], vs_text_s(n[RECORDS]),
		(unsigned long long)n[SUM], (unsigned long long)n[SUM_LOW],
		(unsigned long long)n[BY_SOURCE],
		(unsigned long long)n[BY_SOURCE_LOW]);
	if (n[FAILED])
		vs_tool_say("%s: its %llu pieces were computed by others",
			r->did->failed ? r->did->why : "a device failed",
			(unsigned long long)n[FAILED]);
	close_report(r, &all, nothing);
	if (r->stats && !vs_comm_rank())
		code = write_stats(r, &all);
	if (!code && n[LOST])
		code = vs_fail(VS_EMACHINE,
			"device lost: its %llu pieces were computed by others; "
			"the result in %s is complete",
			(unsigned long long)n[LOST], r->output);
	return code;
}
