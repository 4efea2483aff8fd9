/* SPDX-License-Identifier: BSD-3-Clause */
/* Copy of a result file with the records that pass; its tiles and digests are
 * recomputed. */
#include <stdlib.h>
#include <string.h>

#include "formats/check/check.h"
#include "formats/results/result_seen.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/shared/result_io.h"
#include "tools/threshold/filter_result.h"

/* A file passing through the filter. */
struct pass {
	struct vs_filter_result *filter;
	struct vs_result *in;
	struct vs_result_writer *w;
	struct vs_record *kept;
	struct vs_tile_row *tile; /* of a shard; partly recomputed */
	size_t n_tile, at_tile;
	uint64_t left_in_tile, n_out;
	uint8_t *used; /* of a merged file, for its nodes */
	struct vs_digest_sum source_sum;
};

/* ---- records ---- */

static int
see_records(void *with, struct vs_record *rec, size_t n)
{
	struct vs_filter_result *f = with;
	struct vs_conditions_group group = { 0 };
	int code = 0;

	for (size_t x = 0; x < n && !code; x++)
		if (vs_conditions_pass(f->conditions, rec, n, x, &group))
			code = f->fdr ? vs_p_value_see(f->fdr, &rec[x])
				      : vs_strongest_each_add(&f->top, &rec[x]);
	f->n_seen += n;
	vs_tool_progress_step(&f->progress, (double)f->n_seen, NULL);
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

/* Find the tile of the next input record, and prepare it for counting. */
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
	struct vs_filter_result *f = p->filter;
	size_t n_kept = 0;
	struct vs_conditions_group group = { 0 };

	if (vs_tool_stopped())
		return vs_fail(VS_EMACHINE, "%s: stopped by a signal", f->out);
	for (size_t x = 0; x < n; x++) {
		enter_tile(p);
		if (!vs_conditions_pass(f->conditions, rec, n, x, &group) ||
			(f->top.of && !vs_strongest_each_has(&f->top, &rec[x])))
			continue;
		note(p, &rec[x]);
		p->kept[n_kept++] = rec[x];
	}
	p->n_out += n_kept;
	f->n_kept += n_kept;
	f->n_seen += n;
	vs_tool_progress_step(&f->progress, (double)f->n_seen, NULL);
	return n_kept ? vs_result_add(p->w, p->kept, n_kept) : 0;
}

/* ---- a file ---- */

static int
read_tiles(struct pass *p)
{
	int code = vs_result_tiles(p->in, &p->tile, &p->n_tile);

	if (!code && p->n_tile) {
		p->left_in_tile = (uint64_t)p->tile[0].count;
		p->tile[0].count = 0;
		p->tile[0].sum = (struct vs_digest_sum){ { 0, 0 } };
	}
	return code;
}

/* Write the tiles as they are now; only the remaining cells of each pair were
 * asked for. */
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

/* Copy the tiles that a partial merged file lacks; they are missing here,
 * too. */
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

int
vs_filter_result_write(struct vs_filter_result *f, struct vs_result *in,
	const char *out)
{
	bool merged = in->kind == VS_KIND_MERGED, has_nodes = false;
	struct pass p = { .filter = f, .in = in };
	struct vs_run run = vs_conditions_query(f->conditions, &in->run);
	struct vs_result_plan plan = {
		.path = out,
		.kind = in->kind,
		.generator = vs_tool_generator(),
		.force = f->force,
	};
	int code = f->conditions->cells && !vs_run_has_cells(&in->run)
		? vs_fail(VS_EUSAGE, "--cells: %s has one value a pair",
			  in->run.metric)
		: 0;

	if (!code)
		code = vs_result_io_codec(&plan.codec,
			f->codec         ? f->codec
				: merged ? "deflate"
					 : "zstd",
			f->level);

	if (!code && !merged)
		code = read_tiles(&p);
	if (!code)
		code = vs_result_create(&p.w, &plan, &run);
	VS_MEM_ROOM(&code, p.kept, VS_BLOCK_ROOM, "records");
	if (!code)
		code = vs_h5_reader_has(in->file, "/nodes", &has_nodes);
	if (merged && f->names.row && has_nodes)
		VS_MEM_NEW(&code, p.used, f->names.n_vec, "nodes");
	if (!code)
		code = vs_result_io_each(in, 0, in->n_records, filter_records,
			&p);
	if (!code)
		code = vs_result_seen_check(in);
	if (!code && !merged)
		code = vs_check_twice(in, vs_mem_allowed() / 8);
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

int
vs_filter_result_see(struct vs_filter_result *f, struct vs_result *in)
{
	int code = vs_result_watch(in, false);

	return code ? code
		    : vs_result_io_each(in, 0, in->n_records, see_records, f);
}
