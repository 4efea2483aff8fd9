/* SPDX-License-Identifier: BSD-3-Clause */
/* Merge of the shards of a run: sorted, indexed, complete. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/results/complete.h"
#include "formats/results/shard_writer.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/plan/cube.h"
#include "tools/merge/merge_records.h"
#include "tools/merge/merge_shards.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"
#include "tools/shared/vector_names.h"

#define MOST_MEMORY (256ull << 20) /* more makes sorting hardly faster */

/* A tile that a shard says it has finished. */
struct claim {
	uint64_t number; /* vs_plan_number */
	uint32_t bi, bj, shard;
};

struct merge {
	const struct vs_merge_shards *ask;
	struct vs_text_pool files;
	const char *lost_from; /* a run that had n_lost shards more */
	uint64_t n_lost;
	struct vs_result *first; /* stays open: its run speaks for all */
	/* of vsim-run --against: the earlier result, which file it is, and the
	 * rows that its vectors have in the run */
	struct vs_result *old;
	size_t old_file;
	int64_t *now;
	struct vs_shard_row *shard;
	struct vs_plan plan;
	struct claim *claim;
	size_t n_claim, room_claim;
	uint64_t n_records;
	struct vs_stats stats;
	/* sums over records: stated by the shards, read, and written */
	struct vs_digest_sum stated, stated_source, as_source;
	bool source_stated;
	/* from the vectors file, unless names are left out */
	struct vs_vector_names_map map;
	struct vs_vector_names names;
	uint8_t *used;
};

static const char *
file_name(const struct merge *m, size_t s)
{
	size_t len;

	/* the list holds each name with its NUL */
	return vs_text_pool_get(&m->files, s, &len);
}

static const char *
first_name(const struct merge *m)
{
	return vs_h5_reader_path(m->first->file);
}

/* ---- the shards ---- */

/* Check whether a finished run had more shards than there are. */
static int
note_lost(struct merge *m, const char *operand, size_t n)
{
	struct vs_complete mark;
	bool has;
	int code = vs_complete_read(operand, &mark, &has);

	if (!code && has && mark.n_shards > n) {
		m->lost_from = operand;
		m->n_lost = mark.n_shards - n;
	}
	return code;
}

static int
list_files(struct merge *m)
{
	int code = 0;

	for (int a = 0; a < m->ask->n_from && !code; a++) {
		size_t before = m->files.n;

		code = vs_run_shards(m->ask->from[a], &m->files);
		if (!code)
			code = note_lost(m, m->ask->from[a],
				m->files.n - before);
	}
	if (!code && !m->files.n)
		code = vs_fail(VS_EINPUT, "%s: holds no shard",
			m->ask->from[0]);
	if (!code)
		code = vs_mem_new(&m->shard, m->files.n, sizeof(*m->shard),
			"shards");
	return code;
}

static int
claim_tile(struct merge *m, size_t s, const struct vs_tile_row *t)
{
	const struct vs_run *run = &m->first->run;
	uint64_t n, n_cell;
	int code;

	if (!vs_plan_has(&m->plan, t->bi, t->bj))
		return vs_fail(VS_EINPUT,
			"%s: tile (%d,%d) is outside the grid of %lld blocks",
			file_name(m, s), t->bi, t->bj,
			(long long)m->plan.n_block);
	n = run->n_way == 3 ? vs_cube_triples(&m->plan, t->bi, t->bj)
			    : vs_plan_pairs(&m->plan, t->bi, t->bj);
	n_cell = (uint64_t)__builtin_popcount((unsigned)run->cell_mask);
	if ((uint64_t)t->evaluated != n * n_cell)
		return vs_fail(VS_EINPUT,
			"%s: tile (%d,%d): %lld values evaluated, but it has "
			"%llu",
			file_name(m, s), t->bi, t->bj, (long long)t->evaluated,
			(unsigned long long)(n * n_cell));
	code = vs_mem_grow(&m->claim, &m->room_claim, m->n_claim + 1,
		sizeof(*m->claim), "tiles");
	if (code)
		return code;
	m->claim[m->n_claim++] = (struct claim){
		vs_plan_number(&m->plan, t->bi, t->bj),
		(uint32_t)t->bi,
		(uint32_t)t->bj,
		(uint32_t)s,
	};
	return 0;
}

/* The tiles of a shard follow one another and make up its records. */
static int
claim_tiles(struct merge *m, size_t s, struct vs_result *r)
{
	struct vs_tile_row *tile = NULL;
	struct vs_digest_sum sum = { { 0, 0 } };
	uint64_t at = 0;
	size_t n;
	int code = vs_result_tiles(r, &tile, &n);

	for (size_t t = 0; t < n && !code; t++) {
		if ((uint64_t)tile[t].first != at || tile[t].count < 0)
			code = vs_fail(VS_EINPUT,
				"%s: tile (%d,%d) begins at record %lld, not "
				"%llu",
				file_name(m, s), tile[t].bi, tile[t].bj,
				(long long)tile[t].first,
				(unsigned long long)at);
		else
			code = claim_tile(m, s, &tile[t]);
		at += (uint64_t)tile[t].count;
		vs_digest_sum_add(&sum, &tile[t].sum);
	}
	if (!code &&
		(at != r->n_records || !vs_result_io_sum_equal(&sum, &r->sum)))
		code = vs_fail(VS_EINPUT,
			"%s: its tiles do not add up to its %llu records",
			file_name(m, s), (unsigned long long)r->n_records);
	free(tile);
	return code;
}

/* Work adds up; of times the slowest rank's count. */
static void
add_stats(struct vs_stats *all, const struct vs_stats *one)
{
	all->seconds_total = fmax(all->seconds_total, one->seconds_total);
	all->seconds_input = fmax(all->seconds_input, one->seconds_input);
	all->seconds_compute = fmax(all->seconds_compute, one->seconds_compute);
	all->seconds_output = fmax(all->seconds_output, one->seconds_output);
	all->seconds_wait = fmax(all->seconds_wait, one->seconds_wait);
	all->comparisons += one->comparisons;
	vs_run_stats_set_values(all,
		vs_run_stats_values(all) + vs_run_stats_values(one));
	all->bytes_input += one->bytes_input;
	if (one->peak_rss > all->peak_rss)
		all->peak_rss = one->peak_rss;
	memcpy(all->device, one->device, sizeof(all->device));
}

/* The first shard: what was asked, and the grid that must be filled. */
static int
take_run(struct merge *m, struct vs_result *r)
{
	const struct vs_run *run = &r->run;

	m->first = r;
	m->source_stated = true;
	if (run->n_way != 2 && run->n_way != 3)
		return vs_fail(VS_EINPUT,
			"%s: %d-way results are not known to this version",
			first_name(m), run->n_way);
	return vs_run_plan(run, &m->plan);
}

static int
keep_row(struct merge *m, size_t s, const struct vs_result *r)
{
	struct vs_shard_row *row = &m->shard[s];
	const char *name = file_name(m, s), *slash = strrchr(name, '/');

	snprintf(row->uuid, sizeof(row->uuid), "%s", r->uuid);
	snprintf(row->content, sizeof(row->content), "%s", r->content);
	row->n_records = (int64_t)r->n_records;
	row->sum = r->sum;
	row->has_counts = r->has_counts;
	row->counts = r->counts;
	m->n_records += r->n_records;
	vs_digest_sum_add(&m->stated, &r->sum);
	vs_digest_sum_add(&m->stated_source, &r->source_sum);
	m->source_stated &=
		!r->n_records || vs_result_io_sum_stated(&r->source_sum);
	return vs_mem_copy_text(&row->name, slash ? slash + 1 : name);
}

/* A merged result, which a run may go on from. */
static int
take_old(struct merge *m, size_t s, struct vs_result *r)
{
	struct vs_stats stats;
	int code = vs_result_stats(r, &stats);

	if (!code && m->old)
		code = vs_fail(VS_EINPUT,
			"%s and %s: are both merged already; shards of a run, "
			"and the result it goes on from, are wanted",
			vs_h5_reader_path(m->old->file), file_name(m, s));
	if (!code)
		code = keep_row(m, s, r);
	if (code) {
		vs_result_close(r);
		return code;
	}
	add_stats(&m->stats, &stats);
	m->old = r;
	m->old_file = s;
	return 0;
}

/* Check that an earlier result is the one that the run goes on from. */
static int
check_old(struct merge *m)
{
	const char *name = m->old ? vs_h5_reader_path(m->old->file) : NULL;
	const char *against = m->first ? m->first->run.against : "";
	uint64_t n;
	int code;

	if (!m->old && *against)
		vs_tool_warn("%s: goes on from an earlier result: the records "
			     "of its vectors are in that alone, until both are "
			     "merged together",
			first_name(m));
	if (!m->old)
		return 0;
	if (!*against)
		return vs_fail(VS_EINPUT,
			"%s: is merged already; shards of a run are wanted, "
			"and with it those of vsim-run --against it",
			name);
	if (strncmp(against, m->old->content, strlen(m->old->content)))
		return vs_fail(VS_EINPUT,
			"%s: is not the result that %s goes on from: content "
			"%s, not %.32s",
			name, first_name(m), m->old->content, against);
	if (m->ask->partial)
		return vs_fail(VS_EUSAGE,
			"--partial: a run that goes on from %s is merged with "
			"it when it is complete",
			name);
	code = vs_sets_now(&m->first->run.sets, &m->now, &n);
	if (!code && n != (uint64_t)m->old->run.n_vectors)
		code = vs_fail(VS_EINPUT,
			"%s: is of %lld vectors, %s goes on from %llu", name,
			(long long)m->old->run.n_vectors, first_name(m),
			(unsigned long long)n);
	m->source_stated = false; /* the sources are not of one order */
	return code;
}

static int
survey_one(struct merge *m, size_t s)
{
	struct vs_result *r = NULL;
	struct vs_stats stats;
	const char *why;
	int code = vs_result_open(&r, file_name(m, s), 0);

	if (code)
		return code;
	if (r->kind != VS_KIND_SHARD)
		return take_old(m, s, r);
	if (vs_shard_writer_unfinished(&r->run))
		code = vs_fail(VS_EINPUT,
			"%s: is of a run that has not come to its end, and has "
			"records that are not among the %s; vsim-run --resume "
			"goes on with it",
			file_name(m, s), r->run.selection);
	else if (!m->first)
		code = take_run(m, r);
	else if ((why = vs_run_differs(&m->first->run, &r->run)))
		code = vs_fail(VS_EINPUT,
			"%s and %s are not of one run: %s differs",
			first_name(m), file_name(m, s), why);
	if (!code)
		code = vs_null_maxima_join(m->first->run.null_maxima,
			r->run.null_maxima, r->run.permutations,
			file_name(m, s));
	if (!code)
		code = keep_row(m, s, r);
	if (!code)
		code = claim_tiles(m, s, r);
	if (!code)
		code = vs_result_stats(r, &stats);
	if (!code)
		add_stats(&m->stats, &stats);
	if (r != m->first)
		vs_result_close(r);
	return code;
}

static int
check_twice(const struct merge *m)
{
	struct vs_text_pool uuids = { 0 };
	struct vs_text_index index = { 0 };
	int64_t row = -1, first = -1;
	int code = 0;

	for (size_t s = 0; s < m->files.n && !code; s++)
		code = vs_text_pool_add(&uuids, m->shard[s].uuid,
			strlen(m->shard[s].uuid));
	if (!code)
		code = vs_text_index_make(&index, &uuids);
	if (!code)
		row = vs_text_index_duplicate(&index);
	if (row >= 0) {
		first = vs_text_index_find(&index, m->shard[row].uuid,
			strlen(m->shard[row].uuid));
		code = vs_fail(VS_EINPUT, "%s and %s are the same shard",
			file_name(m, (size_t)first), file_name(m, (size_t)row));
	}
	vs_text_index_free(&index);
	vs_text_pool_free(&uuids);
	return code;
}

static int
by_number(const void *x, const void *y)
{
	const struct claim *a = x, *b = y;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->shard > b->shard) - (a->shard < b->shard);
}

/*
 * Each tile of the grid once and no more. missing is called for each that is
 * not there, in order, and may be null.
 */
static int
walk_gaps(const struct merge *m,
	int (*missing)(void *with, const struct vs_tile_row *tile), void *with)
{
	uint64_t next = 0, end = vs_plan_n_tile(&m->plan);
	int64_t bi, bj;
	int code = 0;

	for (size_t c = 0; c <= m->n_claim && !code; c++) {
		uint64_t to = c < m->n_claim ? m->claim[c].number : end;

		for (; next < to && !code; next++) {
			vs_plan_tile_of(&m->plan, next, &bi, &bj);
			code = missing(with,
				&(struct vs_tile_row){ .bi = (int32_t)bi,
					.bj = (int32_t)bj });
		}
		next = to + 1;
	}
	return code;
}

static int
first_gap(void *with, const struct vs_tile_row *tile)
{
	*(struct vs_tile_row *)with = *tile;
	return VS_DONE;
}

/* Find the stages of a run that lack a tile. */
struct gaps {
	bool *lacks;
	int n_stage;
};

static int
mark_stage(void *with, const struct vs_tile_row *tile)
{
	struct gaps *gaps = with;

	gaps->lacks[vs_plan_stage(tile->bi, tile->bj, gaps->n_stage)] = true;
	return 0;
}

/* Name them, where there are several. */
static int
name_stages(const struct merge *m)
{
	int n = m->first->run.n_stages, code;
	struct gaps gaps = { .n_stage = n };
	struct vs_text list = { 0 };

	code = vs_mem_new(&gaps.lacks, (size_t)n, sizeof(*gaps.lacks),
		"stages");
	if (!code)
		code = walk_gaps(m, mark_stage, &gaps);
	for (int k = 0; k < n && !code; k++)
		if (gaps.lacks[k])
			code = vs_text_add(&list, "%s%d", list.len ? ", " : "",
				k + 1);
	if (!code)
		code = vs_fail(VS_EINPUT,
			"%s: stages %s of %d are missing or unfinished: "
			"vsim-run --stage does them, --partial merges what is "
			"there",
			first_name(m), list.bytes, n);
	vs_text_free(&list);
	free(gaps.lacks);
	return code;
}

static int
check_coverage(const struct merge *m)
{
	uint64_t n_missing = vs_plan_n_tile(&m->plan);
	struct vs_tile_row tile;

	qsort(m->claim, m->n_claim, sizeof(*m->claim), by_number);
	for (size_t c = 1; c < m->n_claim; c++)
		if (m->claim[c].number == m->claim[c - 1].number)
			return vs_fail(VS_EINPUT,
				"tile (%u,%u) is in %s and %s; vsim-run "
				"--resume clears up after a killed run",
				m->claim[c].bi, m->claim[c].bj,
				file_name(m, m->claim[c - 1].shard),
				file_name(m, m->claim[c].shard));
	n_missing -= m->n_claim;
	if (!n_missing || m->ask->partial)
		return 0;
	if (m->first->run.n_stages > 1)
		return name_stages(m);
	walk_gaps(m, first_gap, &tile);
	if (m->n_lost)
		return vs_fail(VS_EINPUT,
			"%s: %llu tiles are missing, tile (%d,%d) first: the "
			"run was complete, and %llu shards are gone since; "
			"vsim-run --resume computes them again, --partial "
			"merges what is there",
			m->lost_from, (unsigned long long)n_missing, tile.bi,
			tile.bj, (unsigned long long)m->n_lost);
	if (n_missing > 1)
		return vs_fail(VS_EINPUT,
			"%s: tile (%d,%d) and %llu more are missing: the run "
			"is unfinished; vsim-run --resume does the rest, "
			"--partial merges what is there",
			first_name(m), tile.bi, tile.bj,
			(unsigned long long)n_missing - 1);
	return vs_fail(VS_EINPUT,
		"%s: tile (%d,%d) is missing: the run is unfinished; vsim-run "
		"--resume does the rest, --partial merges what is there",
		first_name(m), tile.bi, tile.bj);
}

static int
scan(struct merge *m)
{
	int code = vs_result_look(&m->files);

	for (size_t s = 0; s < m->files.n && !code; s++)
		code = survey_one(m, s);
	if (!code)
		code = check_old(m);
	if (!code)
		code = check_twice(m);
	if (!code)
		code = check_coverage(m);
	if (!code)
		vs_tool_say("%zu %s, %zu tiles, %llu records", m->files.n,
			m->old ? "shards and results" : "shards", m->n_claim,
			(unsigned long long)m->n_records);
	return code;
}

static int
find_names(struct merge *m)
{
	struct vs_packed *vectors = NULL;
	int code;

	if (m->ask->unpermute && *m->first->run.class_thresholds)
		return vs_fail(VS_EUSAGE,
			"--unpermute: %s has thresholds by class of cell, L "
			"and H as the vectors file labels its alleles",
			first_name(m));
	if (m->ask->no_nodes && !m->ask->unpermute && !m->ask->vectors)
		return 0;
	code = vs_vector_names_open(&vectors, &m->first->run, first_name(m),
		m->ask->vectors,
		m->ask->unpermute ? "" : ", or go on without by --no-nodes");
	if (!code)
		code = vs_vector_names_map_read(&m->map, vectors);
	if (!code && !m->ask->no_nodes)
		code = vs_vector_names_of_vectors(&m->names, vectors,
			m->ask->unpermute);
	if (!code && !m->ask->no_nodes)
		code = vs_mem_new(&m->used, m->names.n_vec, 1, "nodes");
	vs_packed_close(vectors);
	return code;
}

/* ---- the whole ---- */

static int
write_records(struct merge *m, struct vs_result_writer *w)
{
	uint64_t quarter = vs_mem_allowed() / 4;
	struct vs_merge_records records = {
		.files = &m->files,
		.shard = m->shard,
		.run = &m->first->run,
		.n_records = m->n_records,
		.stated = m->stated,
		.stated_source = m->stated_source,
		.source_stated = m->source_stated,
		.map = &m->map,
		.unpermute = m->ask->unpermute,
		.old = m->old_file,
		.now = m->now,
		.used = m->used,
		.out = m->ask->out,
		.memory = m->ask->memory        ? m->ask->memory
			: quarter < MOST_MEMORY ? quarter
						: MOST_MEMORY,
	};

	return vs_merge_records_write(&records, w, &m->as_source);
}

static int
state_gap(void *with, const struct vs_tile_row *tile)
{
	return vs_result_tile(with, tile);
}

static int
create(struct merge *m, struct vs_result_writer **w)
{
	struct vs_result_plan plan = {
		.path = m->ask->out,
		.kind = VS_KIND_MERGED,
		.generator = vs_tool_generator(),
		.force = m->ask->force,
	};
	struct vs_run run = m->first->run; /* texts stay the shard's */
	char *slash;
	bool full = m->n_claim == vs_plan_n_tile(&m->plan);
	struct vs_sets turned = { 0 };
	int code = 0;

	strcpy(run.coverage, full ? "full" : "partial");
	strcpy(run.index_space, m->ask->unpermute ? "source" : "file");
	run.n_shards = (int32_t)m->files.n;
	run.sets.old = NULL; /* of shards alone */
	if (m->old) {
		run.between[0] = 0;
		run.between_names = NULL;
		run.filtered_pairs += m->old->run.filtered_pairs;
	}
	if (m->ask->reproducible) {
		plan.reproducible = true;
		memset(run.run_uuid, 0, sizeof(run.run_uuid));
		memset(run.compute, 0, sizeof(run.compute));
		run.n_shards = 0;
		run.between_names = NULL;
		slash = strrchr(run.vectors_path, '/');
		run.vectors_path = slash ? slash + 1 : run.vectors_path;
	}
	if (*run.between && m->ask->unpermute) {
		code = vs_sets_turn(&run.sets, m->map.row, m->map.n, &turned);
		run.sets = turned;
		if (!code)
			code = vs_sets_text(&turned, run.between);
	}
	if (!code)
		code = vs_result_io_codec(&plan.codec, m->ask->codec,
			m->ask->level);
	if (!code)
		code = vs_result_create(w, &plan, &run);
	vs_sets_free(&turned);
	return code;
}

static int
finish(struct merge *m, struct vs_result_writer *w, const char *started)
{
	bool source = m->map.n || m->source_stated;
	struct vs_provenance provenance = { 0 };
	struct vs_nodes nodes = { 0 };
	struct vs_result_end end = {
		.provenance = &provenance,
		.stats = &m->stats,
		.nodes = m->used ? &nodes : NULL,
		.shards = m->shard,
		.n_shards = m->files.n,
		.source_sum = m->map.n ? &m->as_source : &m->stated_source,
	};
	char content[VS_DIGEST_TEXT];
	int code;

	if (m->ask->reproducible) {
		/* what made the vectors is the same whatever compared them */
		code = vs_provenance_read(&provenance, m->first->file);
		vs_provenance_cut(&provenance, "vsim-run");
		end.stats = NULL;
		end.n_shards = 0;
	} else {
		code = vs_result_io_step(&provenance, m->first->file,
			m->first->content, started, NULL, false);
	}

	if (!source)
		end.source_sum = NULL;
	if (!code && m->used)
		code = vs_vector_names_nodes(&m->names, m->used, &nodes);
	if (code)
		vs_result_abandon(w);
	else
		code = vs_result_finish(w, &end, content);
	if (!code)
		vs_tool_say("%s: content %s", m->ask->out, content);
	if (!code)
		vs_tool_close(m->ask->out, "%zu shards, %llu records",
			m->files.n, (unsigned long long)m->n_records);
	vs_result_nodes_free(&nodes);
	vs_provenance_free(&provenance);
	return code;
}

static void
release(struct merge *m)
{
	free(m->used);
	vs_vector_names_free(&m->names);
	vs_vector_names_map_free(&m->map);
	free(m->claim);
	for (size_t s = 0; s < m->files.n && m->shard; s++)
		free(m->shard[s].name);
	free(m->shard);
	free(m->now);
	vs_result_close(m->old);
	vs_result_close(m->first);
	vs_text_pool_free(&m->files);
}

static bool
is_made(const struct merge *m, const struct vs_result *out)
{
	const struct vs_run *run = &m->first->run, *old = &out->run;

	return out->kind == VS_KIND_MERGED && !m->old &&
		!strcmp(old->coverage, "full") &&
		!strcmp(old->index_space, "file") &&
		!strcmp(old->run_uuid, run->run_uuid) &&
		!strcmp(old->vectors_content, run->vectors_content) &&
		!vs_run_differs_from_old(run, old) &&
		out->n_records == m->n_records &&
		vs_result_io_sum_equal(&out->sum, &m->stated);
}

int
vs_merge_shards_made(const struct vs_merge_shards *ask, bool *made)
{
	struct merge m = { .ask = ask };
	struct vs_result *out = NULL;
	int code;

	*made = false;
	code = list_files(&m);
	if (!code)
		code = scan(&m);
	if (!code)
		code = vs_result_open(&out, ask->out, 0);
	if (!code)
		*made = is_made(&m, out);
	vs_result_close(out);
	release(&m);
	if (!code || code == VS_EMACHINE)
		return code;
	vs_fail_clear();
	return 0;
}

int
vs_merge_shards_write(const struct vs_merge_shards *ask)
{
	struct vs_result_writer *w = NULL;
	struct merge m = { .ask = ask };
	char started[21];
	int code;

	vs_clock_date(started);
	code = ask->partial && ask->reproducible
		? vs_fail(VS_EUSAGE,
			  "--reproducible: which tiles are missing depends on "
			  "how a run was shared out: leave --partial out")
		: list_files(&m);
	if (!code)
		code = scan(&m);
	if (!code)
		code = find_names(&m);
	if (!code)
		code = vs_result_io_may_write(ask->out, ask->force);
	if (!code)
		code = create(&m, &w);
	if (!code)
		code = write_records(&m, w);
	if (!code)
		code = walk_gaps(&m, state_gap, w);
	if (!code) {
		code = finish(&m, w, started);
		w = NULL;
	}
	vs_result_abandon(w);
	release(&m);
	return code;
}
