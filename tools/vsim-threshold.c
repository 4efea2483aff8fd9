/* SPDX-License-Identifier: BSD-3-Clause */
/* Shards, a run's directory or a merged file -> the same with fewer records. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/results/top.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "tools/shared/joint.h"
#include "tools/shared/p_value.h"
#include "tools/shared/result_io.h"
#include "tools/shared/rundir.h"
#include "tools/shared/selection.h"
#include "tools/shared/tool.h"
#include "tools/shared/vector_names.h"

static struct job {
	const char *out, *cells, *keep, *by, *vectors, *codec;
	const char *above, *min_joint;
	double min, max, below, p_value;
	int64_t top, top_each, level;
	bool force, either, bonferroni;
} job = { .by = "id",
	.min = -INFINITY,
	.max = INFINITY,
	.below = INFINITY,
	.p_value = INFINITY };

static struct vs_opt opts[] = {
	{ 'o', "output", "FILE", VS_OPT_TEXT, &job.out,
		.help = "what to write, of the input's kind: a file or a "
			"RUNDIR" },
	{ 0, "min", "X", VS_OPT_REAL, &job.min, .help = "keep values >= X" },
	{ 0, "above", "X", VS_OPT_TEXT, &job.above,
		.help = "keep values > X, as vsim-run -t does; or by class of "
			"cell: LL=0.7,HH=0.6,LL+HH=0.9" },
	{ 0, "max", "X", VS_OPT_REAL, &job.max, .help = "keep values <= X" },
	{ 0, "below", "X", VS_OPT_REAL, &job.below,
		.help = "keep values < X, as vsim-run -t does of k2" },
	{ 0, "p-value", "P", VS_OPT_REAL, &job.p_value,
		.help = "keep what the chi-square test with case and control "
			"gives p <= P: of association, of interaction if the "
			"metric is inter" },
	{ 0, "bonferroni", NULL, VS_OPT_FLAG, &job.bonferroni,
		.help = "--p-value: divide P by the combinations of the run" },
	{ 0, "min-joint", "N|SHARE", VS_OPT_TEXT, &job.min_joint,
		.help = "keep what rests on N samples or more that miss no "
			"call of its vectors, or on a share of all: 0.5 or "
			"50%" },
	{ 0, "cells", "LIST", VS_OPT_TEXT, &job.cells,
		.help = "keep these labels: of pairs any of 00,01,10,11 (or 0 "
			"to 3), of triples of 000 to 111 (or 0 to 7)" },
	{ 0, "top", "N", VS_OPT_INT, &job.top, 1, INT32_MAX,
		.help = "keep the N strongest of all that passes the other "
			"conditions, whatever shard they are in" },
	{ 0, "top-per-vector", "K", VS_OPT_INT, &job.top_each, 1, 1e9,
		.help = "keep what is among the K strongest of one of its "
			"vectors, of all that passes the other conditions" },
	{ 0, "keep", "LIST", VS_OPT_TEXT, &job.keep,
		.help = "keep records whose vectors are both in the file LIST, "
			"one a line; - is stdin" },
	{ 0, "keep-either", NULL, VS_OPT_FLAG, &job.either,
		.help = "one of the vectors in LIST is enough" },
	{ 0, "by", "KEY", VS_OPT_CHOICE, &job.by, .choices = "id|row",
		.help = "what LIST holds: id (unless given) or row, the "
			"original 0-based one that vsim-view shows" },
	{ 0, "vectors", "FILE", VS_OPT_TEXT, &job.vectors,
		.help = "the vectors file of the run, when it has moved" },
	{ 0, "codec", "NAME", VS_OPT_CHOICE, &job.codec,
		.choices = "deflate|zstd|none",
		.help = "packing; unless given deflate for a merged file, zstd "
			"for shards" },
	{ 0, "level", "N", VS_OPT_INT, &job.level, 1, 19,
		.help = "packing effort: 1 (unless given) to 9 of deflate, to "
			"19 of zstd" },
	{ 'f', "force", NULL, VS_OPT_FLAG, &job.force,
		.help = "replace an output that exists" },
	{ 0 },
};

static const struct vs_tool tool = {
	.name = "vsim-threshold",
	.purpose = "Keep fewer records of a shard, of a run or of a merged "
		   "result.",
	.synopsis = "-o OUT [options] RUNDIR|SHARD|E.res.h5",
	.lesson =
		"examples:\n"
		"  vsim-threshold --above 0.8 -o run8 run\n"
		"  vsim-threshold --top-per-vector 5 -o best.res.h5 e.res.h5\n",
	.opts = opts,
	.n_least = 1,
	.n_most = 1,
};

/* State shared by all files. */
struct filter {
	int32_t cells;
	int way; /* that --cells named cells of; 0: either */
	int64_t min_joint;
	struct vs_thresholds thresholds; /* of --above */
	struct vs_selection pick;
	struct vs_top *top;
	struct vs_p_value test;
	/* of the first file; null rows when neither nodes nor vectors are
	 * there */
	struct vs_vector_names names;
	struct vs_vector_names_map map;
	char started[21];
	struct vs_tool_progress progress;
	uint64_t n_seen, n_kept;
};

/* A file on its way through the filter. */
struct pass {
	struct filter *filter;
	struct vs_result *in;
	struct vs_result_writer *w;
	struct vs_record *kept;
	struct vs_tile_row *tile; /* of a shard; count, sum and first anew */
	size_t n_tile, at_tile;
	uint64_t left_in_tile, n_out;
	uint8_t *used; /* of a merged file, for its nodes */
	struct vs_digest_sum source_sum;
};

/* --above names classes of cells. */
static bool
by_class(void)
{
	return job.above && strchr(job.above, '=');
}

/* both: the sum of its pair's or triple's two like cells passes. */
static bool
keeps(const struct filter *s, const struct vs_record *r, bool both)
{
	int cell = r->cell == VS_NO_CELL ? 0 : (int)r->cell;
	int last = r->k == VS_NO_VEC ? 3 : 7;

	return r->value >= job.min && r->value <= job.max &&
		r->value < job.below &&
		(r->value > s->thresholds.one[__builtin_popcount(
				    (unsigned)cell)] ||
			(both && (!cell || cell == last))) &&
		(r->cell == VS_NO_CELL || s->cells >> r->cell & 1) &&
		vs_joint_keeps(r, s->min_joint) &&
		(!job.keep ||
			vs_selection_includes(&s->pick, r, !job.either)) &&
		(isinf(job.p_value) || vs_p_value_passes(&s->test, r));
}

/*
 * The records of one pair or triple from rec on, at most n: does the sum of its
 * two like cells pass? returns  how many they are
 */
static size_t
group(const struct filter *s, const struct vs_record *rec, size_t n, bool *both)
{
	uint32_t last = rec->k == VS_NO_VEC ? 3 : 7;
	const struct vs_record *low = NULL, *high = NULL;
	size_t end = 0;

	for (; end < n && rec[end].i == rec->i && rec[end].j == rec->j &&
		rec[end].k == rec->k;
		end++) {
		low = rec[end].cell ? low : &rec[end];
		high = rec[end].cell == last ? &rec[end] : high;
	}
	*both = low && high &&
		vs_thresholds_sum(&s->thresholds, low->value, high->value);
	return end;
}

/* ---- the query that the output answers ---- */

static int
parse_cells(struct filter *s)
{
	static const char *const names[] = { "00", "01", "10", "11", "000",
		"001", "010", "011", "100", "101", "110", "111" };

	s->cells = job.cells ? 0 : 255;
	for (const char *p = job.cells; p; p++) {
		size_t len = strcspn(p, ",");
		int cell = -1;

		for (int c = 0; c < 12; c++)
			if (len == strlen(names[c]) &&
				!strncmp(p, names[c], len)) {
				cell = c < 4 ? c : c - 4;
				s->way = c < 4 ? 2 : 3;
			}
		if (len == 1 && *p >= '0' && *p < '8')
			cell = *p - '0';
		if (cell < 0)
			return vs_fail(VS_EUSAGE,
				"--cells %.*s: not one of 00 01 10 11 or 0 1 2 "
				"3, nor, of triples, of 000 to 111 or 0 to 7",
				(int)len, p);
		s->cells |= 1 << cell;
		p += len;
		if (!*p)
			break;
	}
	return 0;
}

/* Cells named as those of pairs are of no use with triples, and so on. */
static int
check_cells(const struct filter *s, const char *path, const struct vs_run *run)
{
	bool wrong = job.cells &&
		((s->way && s->way != run->n_way) ||
			(run->n_way == 2 && s->cells > 15));

	return wrong
		? vs_fail(VS_EUSAGE, "--cells %s: %s is of %s", job.cells, path,
			  run->n_way == 3 ? "triples, cells 000 to 111"
					  : "pairs, cells 00 to 11")
		: 0;
}

static int
parse_above(struct filter *s)
{
	double x = -INFINITY;

	if (job.above && !by_class() && !vs_num_real(job.above, &x))
		return vs_fail(VS_EUSAGE, "--above %s: not a finite number",
			job.above);
	if (job.min > job.max || x >= job.max || job.min >= job.below ||
		x >= job.below)
		return vs_fail(VS_EUSAGE,
			"no value can pass: --max or --below is less than "
			"--min, or no more than --above");
	vs_thresholds_all(&s->thresholds, x);
	return 0;
}

/*
 * Check that the file lists all that thresholds by class may keep. A sum takes
 * both values, all that are above 0, unless the file has all such sums.
 */
static bool
lists(const struct vs_run *run, const struct vs_thresholds *b)
{
	uint32_t ends = 1u | 1u << ((1u << run->n_way) - 1);
	bool all = !*run->selection && (run->cell_mask & ends) == ends;
	struct vs_thresholds own;

	if (!strcmp(run->threshold_op, "none"))
		vs_thresholds_all(&own, -INFINITY);
	else
		vs_thresholds_all(&own, run->threshold);
	if (!strcmp(run->threshold_op, "class") &&
		!vs_thresholds_read(run->class_thresholds, run->n_way, &own))
		return false;
	if (own.one[0] <= 0 && own.one[run->n_way] <= 0)
		own.sum = -INFINITY;
	for (int k = 0; k <= run->n_way; k++)
		if (b->one[k] < own.one[k])
			return false;
	return isinf(b->sum) || (all && b->sum >= own.sum);
}

/* Thresholds by class are those of pairs or of triples. */
static int
check_classes(struct filter *s, const char *path, const struct vs_run *run)
{
	if (!by_class())
		return 0;
	if (!vs_run_has_cells(run) ||
		!vs_thresholds_read(job.above, run->n_way, &s->thresholds))
		return vs_fail(VS_EUSAGE,
			"--above %s: not thresholds by class of cell of %d-way "
			"%s in %s",
			job.above, run->n_way, run->metric, path);
	if (!lists(run, &s->thresholds))
		return vs_fail(VS_EINPUT,
			"--above %s: %s does not list all that this keeps: "
			"lower thresholds of its own are needed, for sums 0 or "
			"less",
			job.above, path);
	return 0;
}

/* State a bound where it is stricter than the one that held so far. */
static void
tighten(struct vs_run *run, double bound, const char *op)
{
	bool none = !strcmp(run->threshold_op, "none");
	bool strict = run->threshold_op[1] == 't';
	bool lower = vs_run_is_lower(run);

	if (isinf(bound))
		return;
	if (none || (lower ? bound < run->threshold : bound > run->threshold) ||
		(bound == run->threshold && !strict && op[1] == 't')) {
		run->threshold = bound;
		strcpy(run->threshold_op, op);
	}
}

/* State a condition that no attribute of its own tells. */
static void
select_by(struct vs_run *run, const char *what, const char *how)
{
	size_t len = strlen(run->selection);

	snprintf(run->selection + len, sizeof(run->selection) - len, "%s%s %s",
		len ? ", " : "", what, how);
}

/* One that all values pass; beside thresholds by class a condition more, and so
 * where it leaves out the strongest. */
static void
bound(struct vs_run *run, double value, const char *what, const char *op)
{
	bool of_weak = vs_run_is_lower(run) == (*op == 'l');
	char text[VS_NUM_ROOM];

	if (of_weak && !*run->class_thresholds) {
		tighten(run, value, op);
	} else if (!isinf(value)) {
		vs_num_print(value, text);
		select_by(run, what, text);
	}
}

static struct vs_run
query(const struct filter *s, const struct vs_run *in)
{
	struct vs_run run = *in;
	char text[VS_NUM_ROOM];

	if (by_class()) {
		vs_thresholds_print(&s->thresholds, run.n_way,
			run.class_thresholds);
		run.threshold = vs_thresholds_least(&s->thresholds, run.n_way);
		strcpy(run.threshold_op, "class");
	}
	bound(&run, job.min, "min", "ge");
	bound(&run, by_class() ? -INFINITY : s->thresholds.one[0], "above",
		"gt");
	run.cell_mask &= s->cells;
	if (run.min_joint < s->min_joint)
		run.min_joint = s->min_joint;
	bound(&run, job.max, "max", "le");
	bound(&run, job.below, "below", "lt");
	if (job.keep)
		select_by(&run, job.either ? "one end" : "both ends",
			"in a list");
	if (!isinf(job.p_value)) {
		vs_num_print(s->test.most, text);
		select_by(&run, "p at most", text);
	}
	if (job.top || job.top_each) {
		snprintf(text, sizeof(text), "%lld",
			(long long)(job.top + job.top_each));
		select_by(&run, job.top ? "top" : "top per vector", text);
	}
	return run;
}

/* ---- records ---- */

static int
see_records(void *with, struct vs_record *rec, size_t n)
{
	struct filter *s = with;
	bool both = false;
	int code = 0;

	for (size_t x = 0, end = 0; x < n && !code; x++) {
		if (x == end)
			end = x + group(s, rec + x, n - x, &both);
		if (keeps(s, &rec[x], both))
			code = vs_top_see(s->top, &rec[x]);
	}
	s->n_seen += n;
	vs_tool_progress_step(&s->progress, (double)s->n_seen, NULL);
	return code;
}

static void
note(struct pass *p, const struct vs_record *rec)
{
	const struct vs_vector_names_map *map = &p->filter->map;
	struct vs_record turned = *rec;

	if (p->n_tile) {
		struct vs_tile_row *t = &p->tile[p->at_tile];

		t->count++;
		vs_result_io_sum(&t->sum, rec, 1);
	}
	if (p->used) {
		p->used[rec->i] = p->used[rec->j] = 1;
		if (rec->k != VS_NO_VEC)
			p->used[rec->k] = 1;
	}
	if (map->n) {
		vs_run_record_to_source(&turned, map->row, map->allele1);
		vs_result_io_sum(&p->source_sum, &turned, 1);
	}
}

/* The tile that the next record of the input is in, made ready for counting. */
static void
enter_tile(struct pass *p)
{
	while (p->n_tile && !p->left_in_tile && p->at_tile + 1 < p->n_tile) {
		struct vs_tile_row *t = &p->tile[++p->at_tile];

		p->left_in_tile = (uint64_t)t->count;
		t->count = 0;
		t->sum = (struct vs_digest_sum){ { 0, 0 } };
	}
	p->left_in_tile--;
}

static int
filter_records(void *with, struct vs_record *rec, size_t n)
{
	struct pass *p = with;
	struct filter *s = p->filter;
	size_t n_kept = 0;
	bool both = false;

	if (vs_tool_stopped())
		return vs_fail(VS_EMACHINE, "%s: stopped by a signal", job.out);
	for (size_t x = 0, end = 0; x < n; x++) {
		if (x == end)
			end = x + group(s, rec + x, n - x, &both);
		enter_tile(p);
		if (!keeps(s, &rec[x], both) ||
			(s->top && !vs_top_keeps(s->top, &rec[x])))
			continue;
		note(p, &rec[x]);
		p->kept[n_kept++] = rec[x];
	}
	p->n_out += n_kept;
	s->n_kept += n_kept;
	s->n_seen += n;
	vs_tool_progress_step(&s->progress, (double)s->n_seen, NULL);
	return n_kept ? vs_result_add(p->w, p->kept, n_kept) : 0;
}

/* ---- a file ---- */

static int
read_tiles(struct pass *p)
{
	uint64_t at = 0;
	int code = vs_result_tiles(p->in, &p->tile, &p->n_tile);

	for (size_t t = 0; t < p->n_tile && !code; t++) {
		if ((uint64_t)p->tile[t].first != at || p->tile[t].count < 0)
			code = vs_fail(VS_EINPUT,
				"%s: tile (%d,%d) begins at record %lld, not "
				"%llu",
				vs_h5_reader_path(p->in->file), p->tile[t].bi,
				p->tile[t].bj, (long long)p->tile[t].first,
				(unsigned long long)at);
		at += (uint64_t)p->tile[t].count;
	}
	if (!code && at != p->in->n_records)
		code = vs_fail(VS_EINPUT,
			"%s: its tiles have %llu records, the file %llu",
			vs_h5_reader_path(p->in->file), (unsigned long long)at,
			(unsigned long long)p->in->n_records);
	if (!code && p->n_tile) {
		p->left_in_tile = (uint64_t)p->tile[0].count;
		p->tile[0].count = 0;
		p->tile[0].sum = (struct vs_digest_sum){ { 0, 0 } };
	}
	return code;
}

/* Tiles as they are now; of each pair only the cells left were asked for. */
static int
write_tiles(struct pass *p, const struct vs_run *run)
{
	int before = __builtin_popcount((unsigned)p->in->run.cell_mask);
	int now = __builtin_popcount((unsigned)run->cell_mask);
	int64_t first = 0;
	int code = 0;

	for (size_t t = 0; t < p->n_tile && !code; t++) {
		if (before)
			p->tile[t].evaluated =
				p->tile[t].evaluated / before * now;
		p->tile[t].first = first;
		first += p->tile[t].count;
		code = vs_result_tile(p->w, &p->tile[t]);
	}
	return code;
}

/* The tiles that a partial merged file lacks, lacking here too. */
static int
copy_gaps(struct pass *p)
{
	struct vs_tile_row *tile = NULL;
	size_t n = 0;
	int code = vs_result_tiles(p->in, &tile, &n);

	for (size_t t = 0; t < n && !code; t++)
		code = vs_result_tile(p->w, &tile[t]);
	free(tile);
	return code;
}

static int
finish(struct pass *p)
{
	struct vs_provenance provenance = { 0 };
	struct vs_shard_row self = { 0 };
	struct vs_nodes nodes = { 0 };
	struct vs_stats stats;
	struct vs_result_end end = {
		.provenance = &provenance,
		.stats = &stats,
		.source_sum = p->filter->map.n ? &p->source_sum : NULL,
	};
	bool merged = p->in->kind == VS_KIND_MERGED;
	int code = vs_result_io_step(&provenance, p->in->file, p->in->content,
		p->filter->started, NULL, false);

	if (!code)
		code = vs_result_stats(p->in, &stats);
	if (!code && p->used) {
		code = vs_vector_names_nodes(&p->filter->names, p->used,
			&nodes);
		end.nodes = &nodes;
	}
	if (merged) {
		const char *path = vs_h5_reader_path(p->in->file);
		const char *slash = strrchr(path, '/');

		self.name = (char *)(slash ? slash + 1 : path);
		memcpy(self.uuid, p->in->uuid, sizeof(self.uuid));
		memcpy(self.content, p->in->content, sizeof(self.content));
		self.n_records = (int64_t)p->in->n_records;
		self.sum = p->in->sum;
		end.shards = &self;
		end.n_shards = 1;
	}
	if (code) {
		vs_result_abandon(p->w);
		p->w = NULL;
	} else {
		code = vs_result_finish(p->w, &end, NULL);
		p->w = NULL;
	}
	vs_result_nodes_free(&nodes);
	vs_provenance_free(&provenance);
	return code;
}

static int
filter_file(struct filter *s, struct vs_result *in, const char *out)
{
	bool merged = in->kind == VS_KIND_MERGED, has_nodes = false;
	struct pass p = { .filter = s, .in = in };
	struct vs_run run = query(s, &in->run);
	struct vs_result_plan plan = {
		.path = out,
		.kind = in->kind,
		.generator = vs_tool_generator(),
		.force = job.force,
	};
	int code = job.cells && !vs_run_has_cells(&in->run)
		? vs_fail(VS_EUSAGE, "--cells: %s has one value a pair",
			  in->run.metric)
		: 0;

	if (!code)
		code = vs_result_io_codec(&plan.codec,
			job.codec        ? job.codec
				: merged ? "deflate"
					 : "zstd",
			job.level);

	if (!code && !merged)
		code = read_tiles(&p);
	if (!code)
		code = vs_result_create(&p.w, &plan, &run);
	if (!code)
		code = vs_mem_room(&p.kept, VS_BLOCK_ROOM, sizeof(*p.kept),
			"records");
	if (!code)
		code = vs_h5_reader_has(in->file, "/nodes", &has_nodes);
	if (!code && merged && s->names.row && has_nodes)
		code = vs_mem_new(&p.used, s->names.n_vec, 1, "nodes");
	if (!code)
		code = vs_result_io_each(in, 0, in->n_records, filter_records,
			&p);
	if (!code)
		code = vs_result_seen_check(in);
	if (!code)
		code = merged ? copy_gaps(&p) : write_tiles(&p, &run);
	if (!code)
		code = finish(&p);
	vs_result_abandon(p.w);
	free(p.used);
	free(p.tile);
	free(p.kept);
	return code;
}

/* ---- the whole ---- */

/*
 * Names are needed for a list; the rest only tells more when they are known:
 * a sum as the source has it, and nodes.
 */
static int
find_names(struct filter *s, struct vs_result *first)
{
	int code = vs_vector_names_of_result(&s->names, first, job.vectors, "");

	if (code && (job.keep || job.vectors || code == VS_EMACHINE))
		return code;
	if (code) {
		vs_tool_say("%s", vs_fail_text());
		vs_fail_clear();
		return 0;
	}
	code = vs_vector_names_map_of_names(&s->map, &s->names);
	if (!code && job.keep)
		code = vs_selection_file(&s->pick, &s->names, job.keep,
			strcmp(job.by, "row") ? VS_SELECTION_ID
					      : VS_SELECTION_ROW);
	return code;
}

/* --min-joint, as the first file has samples. */
static int
read_joint(struct filter *s, const char *path, const struct vs_run *run)
{
	int code = job.min_joint ? vs_joint_known(run, path) : 0;

	return code ? code
		    : vs_joint_read(job.min_joint, path, run->n_fields,
			      &s->min_joint);
}

/* Look at every file before anything is written; see all for the strongest. */
static int
first_pass(struct filter *s, const struct vs_rundir *dir)
{
	struct vs_result *first = NULL, *r = NULL;
	uint64_t total = 0;
	int code = 0;

	for (size_t f = 0; f < dir->n && !code; f++) {
		const char *why;

		code = vs_result_open(&r, dir->in[f], 0);
		if (code)
			break;
		code = check_cells(s, dir->in[f], &r->run);
		if (!code)
			code = check_classes(s, dir->in[f], &r->run);
		if (!code && first &&
			(why = vs_run_differs(&first->run, &r->run)))
			code = vs_fail(VS_EINPUT,
				"%s and %s are not of one run: %s differs",
				dir->in[0], dir->in[f], why);
		if (!code && !first)
			code = read_joint(s, dir->in[f], &r->run);
		if (!code && !first)
			code = find_names(s, r);
		if (!code && !first && !isinf(job.p_value))
			code = vs_p_value_open(&s->test, r, job.vectors,
				job.p_value, job.bonferroni);
		if (!code && (job.top || job.top_each) && !s->top)
			code = vs_top_new(&s->top,
				job.top ? 0 : (uint64_t)r->run.n_vectors,
				(size_t)(job.top + job.top_each),
				vs_run_is_lower(&r->run));
		if (!code && s->top)
			code = vs_result_watch(r);
		if (!code && s->top)
			code = vs_result_io_each(r, 0, r->n_records,
				see_records, s);
		if (!code)
			code = vs_result_seen_check(r);
		total += r->n_records;
		if (!first)
			first = r;
		else
			vs_result_close(r);
		r = NULL;
	}
	s->n_seen = 0;
	s->progress.total = (double)total;
	vs_result_close(first);
	vs_result_close(r);
	return code;
}

static int
second_pass(struct filter *s, const struct vs_rundir *dir)
{
	int code = 0;

	for (size_t f = 0; f < dir->n && !code; f++) {
		struct vs_result *r = NULL;

		code = vs_result_open(&r, dir->in[f], VS_H5_FAST);
		if (!code)
			code = vs_result_watch(r);
		if (!code)
			code = filter_file(s, r, dir->out[f]);
		vs_result_close(r);
	}
	return code;
}

static int
threshold(const char *input)
{
	struct vs_rundir dir = { 0 };
	struct filter s = { 0 };
	int code = parse_cells(&s);

	if (!code)
		code = parse_above(&s);
	vs_clock_date(s.started);
	if (!code)
		code = vs_rundir_begin(&dir, input, job.out, job.force);
	vs_tool_progress_begin(&s.progress, "records", 0);
	if (!code)
		code = first_pass(&s, &dir);
	if (!code)
		code = second_pass(&s, &dir);
	vs_tool_progress_end(&s.progress);
	code = vs_rundir_end(&dir, code);
	if (!code)
		vs_tool_close(job.out, "%llu of %llu records kept",
			(unsigned long long)s.n_kept,
			(unsigned long long)s.n_seen);
	vs_top_free(s.top);
	vs_p_value_close(&s.test);
	vs_selection_free(&s.pick);
	vs_vector_names_map_free(&s.map);
	vs_vector_names_free(&s.names);
	return code;
}

int
main(int argc, char **argv)
{
	struct vs_args args;
	int code = vs_tool_begin(&tool, argc, argv, &args);

	if (!code && !job.out)
		code = vs_fail(VS_EUSAGE, "no output: -o names it");
	if (!code && isinf(job.min) && !job.above && isinf(job.max) &&
		isinf(job.below) && !job.cells && !job.top && !job.top_each &&
		!job.keep && !job.min_joint && isinf(job.p_value))
		code = vs_fail(VS_EUSAGE,
			"no condition: --min, --above, --max, --below, "
			"--min-joint, --p-value, "
			"--cells, --top, --top-per-vector or --keep");
	if (!code && job.top && job.top_each)
		code = vs_fail(VS_EUSAGE,
			"--top is of all records, --top-per-vector of each "
			"vector's: give one of them, then the other");
	if (!code && !isinf(job.p_value) &&
		!(job.p_value >= 0 && job.p_value <= 1))
		code = vs_fail(VS_EUSAGE, "--p-value: 0 to 1 expected");
	if (!code && job.bonferroni && isinf(job.p_value))
		code = vs_fail(VS_EUSAGE, "--bonferroni goes with --p-value");
	if (!code && job.either && !job.keep)
		code = vs_fail(VS_EUSAGE, "--keep-either goes with --keep");
	if (!code)
		code = threshold(args.operands[0]);
	return vs_tool_end(code, true);
}
