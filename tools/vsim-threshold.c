/* SPDX-License-Identifier: BSD-3-Clause */
/* vsim-threshold: shards, run or merged file -> the same with fewer records. */
#include <float.h>
#include <stdlib.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/num.h"
#include "tools/shared/rundir.h"
#include "tools/shared/tool.h"
#include "tools/threshold/clump.h"
#include "tools/threshold/components.h"
#include "tools/threshold/filter_result.h"
#include "tools/threshold/prune.h"

static struct vs_conditions ask = VS_CONDITIONS_NONE;
static struct vs_filter_result filter = { .conditions = &ask };
static struct vs_prune pruned;
static struct vs_clump clump = VS_CLUMP_NONE;
static bool components, degrees;

static struct vs_opt opts[] = {
	{ 'o', "output", "FILE", VS_OPT_TEXT, &filter.out,
		.help = "what to write, of the input's kind: a file or a "
			"RUNDIR" },
	{ 0, "min", "X", VS_OPT_REAL, &ask.min, .help = "keep values >= X" },
	{ 0, "above", "X", VS_OPT_TEXT, &ask.above,
		.help = "keep values > X, as vsim-run -t does; or by class of "
			"cell: LL=0.7,HH=0.6,LL+HH=0.9" },
	{ 0, "max", "X", VS_OPT_REAL, &ask.max, .help = "keep values <= X" },
	{ 0, "below", "X", VS_OPT_REAL, &ask.below,
		.help = "keep values < X, as vsim-run -t does of k2" },
	{ 0, "p-value", "P", VS_OPT_REAL, &ask.p_value,
		.help = "keep what the chi-square test with case and control "
			"gives p <= P: of association, of interaction if the "
			"metric is inter" },
	{ 0, "bonferroni", NULL, VS_OPT_FLAG, &ask.bonferroni,
		.help = "--p-value: divide P by the combinations of the run" },
	{ 0, "min-joint", "N|SHARE", VS_OPT_TEXT, &ask.min_joint,
		.help = "keep what rests on N samples or more that miss no "
			"call of its vectors, or on a share of all: 0.5 or "
			"50%" },
	{ 0, "cells", "LIST", VS_OPT_TEXT, &ask.cells,
		.help = "keep these labels: of pairs any of 00,01,10,11 (or 0 "
			"to 3), of triples of 000 to 111 (or 0 to 7)" },
	{ 0, "top", "N", VS_OPT_INT, &ask.top, 1, INT32_MAX,
		.help = "keep the N strongest of all that passes the other "
			"conditions, whatever shard they are in" },
	{ 0, "top-per-vector", "K", VS_OPT_INT, &ask.top_each, 1, 1e9,
		.help = "keep what is among the K strongest of one of its "
			"vectors, of all that passes the other conditions" },
	{ 0, "keep", "LIST", VS_OPT_TEXT, &ask.keep,
		.help = "keep records whose vectors are both in the file LIST, "
			"one a line; - is stdin" },
	{ 0, "keep-either", NULL, VS_OPT_FLAG, &ask.either,
		.help = "one of the vectors in LIST is enough" },
	{ 0, "by", "KEY", VS_OPT_CHOICE, &ask.by, .choices = "id|row",
		.help = "what LIST holds: id (unless given) or row, the "
			"original 0-based one that vsim-view shows" },
	{ 0, "prune", "PREFIX", VS_OPT_TEXT, &pruned.prefix,
		.help = "write PREFIX.prune.in, ids of variants of which no "
			"two "
			"have a value above --above, and PREFIX.prune.out, the "
			"others, as PLINK's --indep-pairwise does; no result "
			"is "
			"written" },
	{ 0, "window", "N|Xkb", VS_OPT_TEXT, &pruned.window,
		.help = "--prune: look at N variants at a time, or at X "
			"thousand bases; unless given at all pairs listed" },
	{ 0, "step", "N", VS_OPT_INT, &pruned.step, 1, UINT32_MAX,
		.help = "--prune: variants from one window of N to the next; 1 "
			"unless given" },
	{ 0, "clump", "TABLE", VS_OPT_TEXT, &clump.table,
		.help = "gather the variants of a table with columns SNP and P "
			"around the most significant, as PLINK does; -o is a "
			"text, - standard output" },
	{ 0, "clump-p1", "P", VS_OPT_REAL, &clump.first, 0, 1,
		.help = "greatest p-value of an index variant: 0.0001" },
	{ 0, "clump-p2", "P", VS_OPT_REAL, &clump.second, 0, 1,
		.help = "greatest p-value of those named with it: 0.01" },
	{ 0, "clump-kb", "X", VS_OPT_REAL, &clump.kb, 0.001, 1e9,
		.help = "thousand bases from the index variant: 250" },
	{ 0, "components", NULL, VS_OPT_FLAG, &components,
		.help = "write a table of the vectors in records kept, with "
			"their degrees and the connected components they are "
			"in; -o is a text, - standard output" },
	{ 0, "degrees", NULL, VS_OPT_FLAG, &degrees,
		.help = "write the table of degrees alone, in the order of the "
			"input" },
	{ 0, "vectors", "FILE", VS_OPT_TEXT, &ask.vectors,
		.help = "the vectors file of the run, when it has moved" },
	{ 0, "codec", "NAME", VS_OPT_CHOICE, &filter.codec,
		.choices = "deflate|zstd|none",
		.help = "packing; unless given deflate for a merged file, zstd "
			"for shards" },
	{ 0, "level", "N", VS_OPT_INT, &filter.level, 1, 19,
		.help = "packing effort: 1 (unless given) to 9 of deflate, to "
			"19 of zstd" },
	{ 'f', "force", NULL, VS_OPT_FLAG, &filter.force,
		.help = "replace an output that exists" },
	{ 0 },
};

static const struct vs_tool tool = {
	.name = "vsim-threshold",
	.purpose = "Keep fewer records of a shard, of a run or of a merged "
		   "result.",
	.synopsis = "-o OUT [options] RUNDIR|SHARD|E.res.h5\n"
		    "       vsim-threshold --prune PREFIX [options] E.res.h5\n"
		    "       vsim-threshold --clump TABLE -o OUT [options] "
		    "E.res.h5\n"
		    "       vsim-threshold --components|--degrees -o OUT "
		    "[options] E.res.h5",
	.lesson =
		"examples:\n"
		"  vsim-threshold --above 0.8 -o run8 run\n"
		"  vsim-threshold --top-per-vector 5 -o best.res.h5 e.res.h5\n"
		"  vsim-threshold --prune x --window 50 --step 5 --above 0.5 "
		"ld.res.h5\n",
	.opts = opts,
	.n_least = 1,
	.n_most = 1,
};

/* The strongest of some shards are not those of the run that vsim-merge would
 * put together: all tiles have to be here. */
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

/* The tiles that a shard lists. */
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

/* Look at every file before anything is written; see all for the strongest. */
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
		if (!code && (ask.top || ask.top_each) && !filter.top)
			code = vs_top_new(&filter.top,
				ask.top ? 0 : (uint64_t)r->run.n_vectors,
				(size_t)(ask.top + ask.top_each),
				vs_run_is_lower(&r->run));
		if (!code && filter.top)
			code = vs_filter_result_see(&filter, r);
		if (!code && filter.top && r->kind != VS_KIND_MERGED)
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
	if (!code && filter.top && first->kind != VS_KIND_MERGED)
		code = check_all(first, n_tile, input);
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
			code = vs_result_watch(r);
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

	vs_clock_date(filter.started);
	code = vs_rundir_begin(&dir, input, filter.out, filter.force);
	vs_tool_progress_begin(&filter.progress, "records", 0);
	if (!code)
		code = first_pass(&dir, input);
	if (!code)
		code = second_pass(&dir);
	vs_tool_progress_end(&filter.progress);
	code = vs_rundir_end(&dir, code);
	if (!code)
		vs_tool_close(filter.out, "%llu of %llu records kept",
			(unsigned long long)filter.n_kept,
			(unsigned long long)filter.n_seen);
	vs_top_free(filter.top);
	vs_vector_names_map_free(&filter.map);
	vs_vector_names_free(&filter.names);
	vs_conditions_free(&ask);
	return code;
}

/* Refuse what packs a result where a text is written. */
static int
check_text(void)
{
	return filter.codec || filter.level
		? vs_fail(VS_EUSAGE,
			  "%s packs a result, and what is written is a text: "
			  "leave it out",
			  filter.codec ? "--codec" : "--level")
		: 0;
}

/* Lists and clumps of variants: no result is written. */
static int
write_variants(const char *input)
{
	double above = NAN;
	int code = check_text();

	if (code)
		return code;
	if (pruned.prefix && clump.table)
		return vs_fail(VS_EUSAGE,
			"--prune and --clump: give one of them");
	if (pruned.prefix && filter.out)
		return vs_fail(VS_EUSAGE,
			"--prune writes PREFIX.prune.in and PREFIX.prune.out: "
			"leave -o out");
	if (!vs_conditions_above_alone(&ask))
		return vs_fail(VS_EUSAGE, "%s takes no condition but --above",
			pruned.prefix ? "--prune" : "--clump");
	if (ask.above && !vs_num_real(ask.above, &above))
		return vs_fail(VS_EUSAGE, "--above %s: not a finite number",
			ask.above);
	if (pruned.prefix)
		return vs_prune_write(&pruned, input, ask.vectors, above,
			filter.force);
	if (!filter.out)
		return vs_fail(VS_EUSAGE, "no output: -o names it");
	return vs_clump_write(&clump, input, ask.vectors, above, filter.out,
		filter.force);
}

/* A table of components or degrees; no condition is needed. */
static int
write_components(const char *input)
{
	int code = 0;

	if (pruned.prefix || clump.table || (components && degrees))
		code = vs_fail(VS_EUSAGE,
			"--components, --degrees, --prune and --clump: give "
			"one of them");
	else if (ask.top || ask.top_each)
		code = vs_fail(VS_EUSAGE,
			"--%s takes no --top: keep them first",
			components ? "components" : "degrees");
	else if (!filter.out)
		code = vs_fail(VS_EUSAGE, "no output: -o names it");
	else
		code = check_text();
	/* a condition that every record meets */
	if (!code && !ask.above && vs_conditions_above_alone(&ask))
		ask.min = -DBL_MAX;
	if (!code)
		code = vs_conditions_read(&ask);
	if (!code)
		code = vs_components_write(&ask, input, filter.out, components,
			filter.force);
	vs_conditions_free(&ask);
	return code;
}

int
main(int argc, char **argv)
{
	struct vs_args args;
	int code = vs_tool_begin(&tool, argc, argv, &args);

	if (!code)
		code = vs_prune_check(&pruned);
	if (!code && (components || degrees))
		return vs_tool_end(write_components(args.operands[0]), true);
	if (!code && (pruned.prefix || clump.table))
		return vs_tool_end(write_variants(args.operands[0]), true);
	if (!code && !filter.out)
		code = vs_fail(VS_EUSAGE, "no output: -o names it");
	if (!code)
		code = vs_conditions_read(&ask);
	if (!code)
		code = threshold(args.operands[0]);
	return vs_tool_end(code, true);
}
