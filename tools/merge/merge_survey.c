/* SPDX-License-Identifier: BSD-3-Clause */
/* Survey of shards to be merged: they belong to one run, with each tile once.
 * */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/results/complete.h"
#include "formats/results/shard_logs.h"
#include "formats/results/shard_writer.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"
#include "libcore/base/text.h"
#include "tools/merge/merge_survey.h"
#include "tools/shared/tool.h"

#define SCRATCH_NAME 48 /* most bytes of .checkpoints-PID-N */

static const char *
file_name(const struct vs_merge_survey *m, size_t s)
{
	return vs_text_pool_string(&m->files, s);
}

const char *
vs_merge_survey_name(const struct vs_merge_survey *m)
{
	return vs_h5_reader_path(m->first->file);
}

/* ---- the shards ---- */

/* Check whether a finished run had more shards than exist now. */
static int
note_lost(struct vs_merge_survey *m, const char *operand, size_t n)
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

/* Make a shard of the logs in a directory, if it has any. */
static int
list_saved(struct vs_merge_survey *m, const char *dir)
{
	struct vs_merge_partial *p = &m->partial;
	enum vs_file_kind kind;
	struct vs_text path = { 0 };
	bool made = false;
	int code = vs_file_kind(dir, &kind);

	if (code || kind != VS_FILE_DIR)
		return code;
	/* a unique name */
	code = vs_text_add(&path, "%.*s.checkpoints-%d-%zu",
		(int)vs_file_stem(m->ask->out, SCRATCH_NAME), m->ask->out,
		(int)getpid(), p->n_scratch);
	if (!code && !p->n_scratch)
		code = vs_file_parents(path.bytes, &p->parents);
	if (!code)
		code = vs_mem_grow(&p->scratch, &p->room_scratch,
			p->n_scratch + 1, sizeof(*p->scratch), "names");
	if (!code)
		code = vs_file_scratch(path.bytes);
	if (code) {
		vs_text_free(&path);
		return code;
	}
	p->scratch[p->n_scratch++] = path.bytes;
	code = vs_shard_logs_gather(dir, path.bytes, vs_tool_generator(),
		&made);
	return code || !made
		? code
		: vs_text_pool_add(&m->files, path.bytes, path.len + 1);
}

/* Record the state of the files listed last: a run in progress may replace
 * them. */
static int
note_files(struct vs_merge_survey *m)
{
	struct vs_merge_partial *p = &m->partial;
	int code = vs_mem_grow(&p->file, &p->room, m->files.n, sizeof(*p->file),
		"shards");

	while (p->n < m->files.n && !code) {
		struct vs_merge_file *f = &p->file[p->n];
		struct stat st = { 0 };

		f->name = NULL;
		code = vs_mem_copy_text(&f->name, file_name(m, p->n));
		if (code)
			break;
		stat(f->name, &st); /* a missing file has moved */
		f->inode = st.st_ino;
		f->size = st.st_size;
		f->changed = st.st_ctim;
		p->n++;
	}
	return code;
}

static int
no_shards(const char *dir)
{
	struct vs_text_pool logs = { 0 };
	int code = vs_run_shards_logs(dir, &logs);

	if (!code)
		code = vs_fail(VS_EINPUT,
			logs.n ? "%s: the run is unfinished: vsim-run --resume "
				 "continues it, --partial merges what it has "
				 "saved"
			       : "%s: contains no shards",
			dir);
	vs_text_pool_free(&logs);
	return code;
}

static int
list_files(struct vs_merge_survey *m)
{
	int code = 0;

	for (int a = 0; a < m->ask->n_from && !code; a++) {
		size_t before = m->files.n;

		code = vs_run_shards(m->ask->from[a], &m->files);
		if (!code)
			code = note_lost(m, m->ask->from[a],
				m->files.n - before);
		if (code || !m->ask->partial)
			continue;
		code = note_files(m);
		/* what is sealed between the two would be in neither */
		if (!code)
			code = list_saved(m, m->ask->from[a]);
	}
	return code || m->files.n ? code : no_shards(m->ask->from[0]);
}

static int
claim_tiles(struct vs_merge_survey *m, size_t s, struct vs_result *r)
{
	struct vs_tile_row *tile = NULL;
	size_t n = 0;
	int code = vs_result_tiles(r, &tile, &n);

	if (!code)
		code = vs_mem_grow(&m->claim, &m->room_claim, m->n_claim + n,
			sizeof(*m->claim), "tiles");
	for (size_t t = 0; t < n && !code; t++)
		m->claim[m->n_claim++] = (struct vs_merge_claim){
			vs_plan_number(&m->plan, tile[t].bi, tile[t].bj),
			(uint32_t)tile[t].bi,
			(uint32_t)tile[t].bj,
			(uint32_t)s,
		};
	free(tile);
	return code;
}

/* Work adds up; for times the slowest rank's count. */
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

/* Take from the first shard what was asked, and the grid that must be
 * filled. */
static int
take_run(struct vs_merge_survey *m, struct vs_result *r)
{
	const struct vs_run *run = &r->run;

	m->first = r;
	m->source_stated = true;
	if (run->n_way != 2 && run->n_way != 3)
		return vs_fail(VS_EINPUT,
			"%s: %d-way results are not supported by this version",
			vs_merge_survey_name(m), run->n_way);
	return vs_run_plan(run, &m->plan);
}

static int
keep_row(struct vs_merge_survey *m, size_t s, const struct vs_result *r)
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
		!r->n_records || r->source_sum.h[0] || r->source_sum.h[1];
	return vs_mem_copy_text(&row->name, slash ? slash + 1 : name);
}

/* A merged result, which a run may extend. */
static int
take_old(struct vs_merge_survey *m, size_t s, struct vs_result *r)
{
	struct vs_stats stats;
	int code = vs_result_stats(r, &stats);

	if (!code && m->old)
		code = vs_fail(VS_EINPUT,
			"%s and %s: are both merged results; give the shards "
			"of a run, and the result it extends",
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

/* Check that an earlier result is the one that the run extends. */
static int
check_old(struct vs_merge_survey *m)
{
	const char *name = m->old ? vs_h5_reader_path(m->old->file) : NULL;
	const char *against = m->first ? m->first->run.against : "", *why;
	uint64_t n;
	int code;

	if (!m->old && *against)
		vs_tool_warn("%s: extends an earlier result: only that has the "
			     "records of its vectors, until both are merged "
			     "together",
			vs_merge_survey_name(m));
	if (!m->old)
		return 0;
	if (!*against)
		return vs_fail(VS_EINPUT,
			"%s: is a merged result; give the shards of a run, or "
			"also those of vsim-run --against it",
			name);
	if (strncmp(against, m->old->content, strlen(m->old->content)))
		return vs_fail(VS_EINPUT,
			"%s: is not the result that %s extends: content "
			"%s, not %.32s",
			name, vs_merge_survey_name(m), m->old->content,
			against);
	/* shards that vsim-threshold has made ask for more */
	why = vs_run_differs_from_old(&m->first->run, &m->old->run);
	if (why)
		return vs_fail(VS_EINPUT,
			"%s: answers a different question than %s: its %s "
			"differs; "
			"merge it with the shards of vsim-run, then "
			"vsim-threshold the result",
			name, vs_merge_survey_name(m), why);
	if (m->ask->partial)
		return vs_fail(VS_EUSAGE,
			"--partial: a run that extends %s is merged with it "
			"when it is complete",
			name);
	code = vs_sets_now(&m->first->run.wanted, &m->now, &n);
	if (!code && n != (uint64_t)m->old->run.n_vectors)
		code = vs_fail(VS_EINPUT,
			"%s: has %lld vectors, but %s continues %llu", name,
			(long long)m->old->run.n_vectors,
			vs_merge_survey_name(m), (unsigned long long)n);
	m->source_stated = false; /* the sources are in different orders */
	return code;
}

static int
survey_one(struct vs_merge_survey *m, size_t s)
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
			"%s: is from an unfinished run, with records that are "
			"not among the %s; vsim-run --resume continues it",
			file_name(m, s), r->run.selection);
	else if (!m->first)
		code = take_run(m, r);
	else if (strcmp(m->first->run.run_uuid, r->run.run_uuid))
		m->several_runs = true;
	if (!code && (why = vs_run_differs(&m->first->run, &r->run)))
		code = vs_fail(VS_EINPUT,
			"%s and %s are not of one run: %s differs",
			vs_merge_survey_name(m), file_name(m, s), why);
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
check_twice(const struct vs_merge_survey *m)
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
	const struct vs_merge_claim *a = x, *b = y;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->shard > b->shard) - (a->shard < b->shard);
}

int
vs_merge_survey_gaps(const struct vs_merge_survey *m,
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
	struct vs_stages stages;
};

static int
mark_stage(void *with, const struct vs_tile_row *tile)
{
	struct gaps *gaps = with;

	gaps->lacks[vs_stages_of(&gaps->stages, tile->bi, tile->bj)] = true;
	return 0;
}

/* Name them, if there are several. */
static int
name_stages(const struct vs_merge_survey *m)
{
	int n = m->first->run.n_stages, code;
	struct gaps gaps = { 0 };
	struct vs_text list = { 0 };

	code = vs_run_stages(&m->first->run, &m->plan, &gaps.stages);
	VS_MEM_NEW(&code, gaps.lacks, (size_t)n, "stages");
	if (!code)
		code = vs_merge_survey_gaps(m, mark_stage, &gaps);
	for (int k = 0; k < n && !code; k++)
		if (gaps.lacks[k])
			code = vs_text_add(&list, "%s%d", list.len ? ", " : "",
				k + 1);
	if (!code)
		code = vs_fail(VS_EINPUT,
			"%s: stages %s of %d are missing or unfinished: "
			"vsim-run --stage computes them, --partial merges the "
			"finished part",
			vs_merge_survey_name(m), list.bytes, n);
	vs_text_free(&list);
	free(gaps.lacks);
	vs_stages_free(&gaps.stages);
	return code;
}

static int
check_coverage(const struct vs_merge_survey *m)
{
	uint64_t n_missing = vs_plan_n_tile(&m->plan);
	struct vs_tile_row tile;

	for (size_t c = 1; c < m->n_claim; c++)
		if (m->claim[c].number == m->claim[c - 1].number)
			return vs_fail(VS_EINPUT,
				"tile (%u,%u) is in %s and %s; vsim-run "
				"--resume cleans up after a killed run",
				m->claim[c].bi, m->claim[c].bj,
				file_name(m, m->claim[c - 1].shard),
				file_name(m, m->claim[c].shard));
	n_missing -= m->n_claim;
	if (!n_missing || m->ask->partial)
		return 0;
	if (m->first->run.n_stages > 1)
		return name_stages(m);
	vs_merge_survey_gaps(m, first_gap, &tile);
	if (m->n_lost)
		return vs_fail(VS_EINPUT,
			"%s: %llu tiles are missing, tile (%d,%d) first: the "
			"run was complete, but %llu shards are gone; "
			"vsim-run --resume computes them again, --partial "
			"merges the others",
			m->lost_from, (unsigned long long)n_missing, tile.bi,
			tile.bj, (unsigned long long)m->n_lost);
	if (n_missing > 1)
		return vs_fail(VS_EINPUT,
			"%s: tile (%d,%d) and %llu more are missing: the run "
			"is unfinished; vsim-run --resume computes the rest, "
			"--partial merges the finished part",
			vs_merge_survey_name(m), tile.bi, tile.bj,
			(unsigned long long)n_missing - 1);
	return vs_fail(VS_EINPUT,
		"%s: tile (%d,%d) is missing: the run is unfinished; vsim-run "
		"--resume computes the rest, --partial merges the finished "
		"part",
		vs_merge_survey_name(m), tile.bi, tile.bj);
}

/*
 * Count the tiles of each shard, and those that another shard, with as many or
 * more tiles, has, too.
 */
static void
count_twice(const struct vs_merge_survey *m, uint64_t *n_tile,
	uint64_t *n_twice, uint32_t *in)
{
	for (size_t c = 0; c < m->n_claim; c++)
		n_tile[m->claim[c].shard]++;
	for (size_t c = 1; c < m->n_claim; c++) {
		uint32_t a = m->claim[c - 1].shard, b = m->claim[c].shard;

		if (m->claim[c].number != m->claim[c - 1].number)
			continue;
		if (n_tile[a] > n_tile[b]) {
			a = b;
			b = m->claim[c - 1].shard;
		}
		if (!n_twice[a])
			in[a] = b;
		n_twice[a] += in[a] == b;
	}
}

/*
 * Remove shards from the list if another one has all of their tiles: their run
 * was joining shards, or was killed while doing so. The same tiles of a run
 * have the same records.
 */
static int
leave_out_contained(struct vs_merge_survey *m, bool *found)
{
	struct vs_text_pool rest = { 0 };
	uint64_t *n_tile = NULL, *n_twice = NULL;
	uint32_t *in = NULL;
	int code = vs_mem_new(&n_tile, m->files.n, sizeof(*n_tile), "shards");

	*found = false;
	VS_MEM_NEW(&code, n_twice, m->files.n, "shards");
	VS_MEM_NEW(&code, in, m->files.n, "shards");
	if (!code)
		count_twice(m, n_tile, n_twice, in);
	for (size_t s = 0; s < m->files.n && !code; s++)
		if (n_twice[s] && n_twice[s] == n_tile[s])
			*found = true;
		else
			code = vs_text_pool_add_row(&rest, &m->files, s);
	free(n_tile);
	free(n_twice);
	free(in);
	if (code || !*found) {
		vs_text_pool_free(&rest);
		return code;
	}
	vs_text_pool_free(&m->files);
	m->files = rest;
	return 0;
}

/* Free what is known of the files, but not their list. */
static void
forget(struct vs_merge_survey *m, size_t n_file)
{
	free(m->claim);
	for (size_t s = 0; s < n_file && m->shard; s++)
		free(m->shard[s].name);
	free(m->shard);
	free(m->now);
	vs_result_close(m->old);
	vs_result_close(m->first);
}

/* Examine the listed files. *again: there are fewer now; examine them again. */
static int
look_at_files(struct vs_merge_survey *m, bool *again)
{
	const size_t n = m->files.n;
	int code = vs_mem_new(&m->shard, n, sizeof(*m->shard), "shards");

	*again = false;
	if (!code)
		code = vs_result_look(&m->files);
	for (size_t s = 0; s < n && !code; s++)
		code = survey_one(m, s);
	if (!code)
		code = check_old(m);
	if (!code)
		code = check_twice(m);
	if (!code && m->n_claim) /* shards may hold no tile */
		qsort(m->claim, m->n_claim, sizeof(*m->claim), by_number);
	if (!code && m->ask->partial && !m->several_runs)
		code = leave_out_contained(m, again);
	if (!code && *again) {
		const struct vs_merge_survey listed = { .ask = m->ask,
			.files = m->files,
			.partial = m->partial };

		forget(m, n);
		*m = listed;
	}
	return code;
}

int
vs_merge_survey_take(struct vs_merge_survey *m)
{
	bool again = true;
	int code = list_files(m);

	while (!code && again)
		code = look_at_files(m, &again);
	if (!code)
		code = check_coverage(m);
	if (!code)
		vs_tool_say("%zu shard%s%s, %zu tile%s, %llu record%s",
			m->files.n - !!m->old, vs_text_s(m->files.n - !!m->old),
			m->old ? " and a result" : "", m->n_claim,
			vs_text_s(m->n_claim), (unsigned long long)m->n_records,
			vs_text_s(m->n_records));
	return code;
}

bool
vs_merge_survey_moved(const struct vs_merge_survey *m)
{
	bool moved = false;

	for (size_t k = 0; k < m->partial.n && !moved; k++) {
		const struct vs_merge_file *f = &m->partial.file[k];
		struct stat st;

		moved = stat(f->name, &st) || st.st_ino != f->inode ||
			st.st_size != f->size ||
			st.st_ctim.tv_sec != f->changed.tv_sec ||
			st.st_ctim.tv_nsec != f->changed.tv_nsec;
	}
	return moved;
}

void
vs_merge_survey_free(struct vs_merge_survey *m)
{
	struct vs_merge_partial *p = &m->partial;

	forget(m, m->files.n);
	vs_text_pool_free(&m->files);
	for (size_t k = 0; k < p->n; k++)
		free(p->file[k].name);
	free(p->file);
	for (size_t k = 0; k < p->n_scratch; k++) {
		vs_file_scratch_end(p->scratch[k]);
		free(p->scratch[k]);
	}
	free(p->scratch);
	vs_file_parents_drop(m->ask->out, p->parents);
}
