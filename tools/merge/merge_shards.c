/* SPDX-License-Identifier: BSD-3-Clause */
/* Merge of the shards of a run: sorted, indexed, complete. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/base/text.h"
#include "libcore/plan/comm.h"
#include "tools/merge/merge_records.h"
#include "tools/merge/merge_shards.h"
#include "tools/merge/merge_survey.h"
#include "tools/merge/summary_tables.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"
#include "tools/shared/vector_names.h"

#define MOST_PARTS 100000
#define TRIES 32       /* waits for a run that is joining its shards: */
#define PAUSE 5000000L /* first for these nanoseconds, then twice as long, */
#define DOUBLED 5      /* at most this many times */
#define MOST_MEMORY (256ull << 20) /* more memory hardly speeds up sorting */

struct merge {
	struct vs_merge_survey in;
	struct vs_digest_sum as_source; /* of the records read */
	uint64_t n_records;             /* written */
	uint32_t part, n_part;          /* from 0; n_part 0: all */
	struct vs_summary_tables tables;
	/* from the vectors file, unless names are omitted */
	struct vs_vector_names_map map;
	struct vs_vector_names names;
	uint8_t *used;
};

static int
find_names(struct merge *m)
{
	struct vs_packed *vectors = NULL;
	int code;

	if (m->in.ask->unpermute && *m->in.first->run.class_thresholds)
		return vs_fail(VS_EUSAGE,
			"--unpermute: %s has thresholds by class of cell, L "
			"and H as the vectors file labels its alleles",
			vs_merge_survey_name(&m->in));
	if (m->in.ask->no_nodes && !m->in.ask->unpermute && !m->in.ask->vectors)
		return 0;
	code = vs_vector_names_open(&vectors, &m->in.first->run,
		vs_merge_survey_name(&m->in), m->in.ask->vectors,
		m->in.ask->unpermute ? "" : ", or go on without by --no-nodes");
	if (!code)
		code = vs_vector_names_map_read(&m->map, vectors);
	if (!code && !m->in.ask->no_nodes)
		code = vs_vector_names_of_vectors(&m->names, vectors,
			m->in.ask->unpermute);
	if (!m->in.ask->no_nodes)
		VS_MEM_NEW(&code, m->used, m->names.n_vec, "nodes");
	vs_packed_close(vectors);
	return code;
}

/* ---- the whole ---- */

/* Number of ranks that share the memory of this machine. */
static uint64_t
local_ranks(const struct vs_merge_shards *ask)
{
	int at, of;

	vs_comm_local(&at, &of);
	return ask->joint ? (uint64_t)of : 1;
}

static int
write_records(struct merge *m, struct vs_result_writer *w)
{
	uint64_t quarter = vs_mem_allowed() / 4 / local_ranks(m->in.ask);
	struct vs_merge_records records = {
		.in = &m->in,
		.files = &m->in.files,
		.shard = m->in.shard,
		.run = &m->in.first->run,
		.n_records = m->in.n_records,
		.stated = m->in.stated,
		.stated_source = m->in.stated_source,
		.source_stated = m->in.source_stated,
		.map = &m->map,
		.unpermute = m->in.ask->unpermute,
		.old = m->in.old_file,
		.now = m->in.now,
		.used = m->used,
		.out = m->in.ask->out,
		.memory = m->in.ask->memory     ? m->in.ask->memory
			: quarter < MOST_MEMORY ? quarter
						: MOST_MEMORY,
		.part = m->part,
		.n_part = m->n_part,
		.joint = m->in.ask->joint,
	};

	return vs_merge_records_write(&records, w, &m->as_source,
		&m->n_records);
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
		.path = m->in.ask->out,
		.kind = VS_KIND_MERGED,
		.generator = vs_tool_generator(),
		.force = m->in.ask->force,
		.joint = m->in.ask->joint,
		.n_records = m->in.n_records,
	};
	struct vs_run run = m->in.first->run; /* texts still belong to the
					       * shard */
	char *slash;
	bool full = m->in.n_claim == vs_plan_n_tile(&m->in.plan);
	struct vs_wanted turned = { 0 };
	int code = 0;

	strcpy(run.coverage, full && !m->n_part ? "full" : "partial");
	if (m->n_part)
		snprintf(run.part, sizeof(run.part), "%u/%u", m->part + 1,
			m->n_part);
	strcpy(run.index_space, m->in.ask->unpermute ? "source" : "file");
	*run.summary = 0; /* a result has records alone */
	run.n_shards = (int32_t)m->in.files.n;
	run.wanted.old = NULL; /* for shards only */
	if (m->in.old) {
		run.between[0] = 0;
		run.between_names = NULL;
		run.filtered_pairs += m->in.old->run.filtered_pairs;
	}
	if (m->in.ask->reproducible) {
		plan.reproducible = true;
		memset(run.run_uuid, 0, sizeof(run.run_uuid));
		memset(run.compute, 0, sizeof(run.compute));
		run.n_shards = 0;
		run.between_names = NULL;
		slash = strrchr(run.vectors_path, '/');
		run.vectors_path = slash ? slash + 1 : run.vectors_path;
	}
	if (*run.between && m->in.ask->unpermute) {
		code = vs_sets_turn(&run.wanted, m->map.row, &turned);
		run.wanted = turned;
		if (!code)
			code = vs_sets_text(&turned, run.between);
	}
	if (!code)
		code = vs_result_io_codec(&plan.codec, m->in.ask->codec,
			m->in.ask->level);
	if (!code)
		code = vs_result_create(w, &plan, &run);
	vs_wanted_free(&turned);
	return code;
}

static int
finish(struct merge *m, struct vs_result_writer *w, const char *started)
{
	bool source = m->map.n || (m->in.source_stated && !m->n_part);
	struct vs_provenance provenance = { 0 };
	struct vs_nodes nodes = { 0 };
	struct vs_result_end end = {
		.provenance = &provenance,
		.stats = &m->in.stats,
		.nodes = m->used ? &nodes : NULL,
		.shards = m->in.shard,
		.n_shards = m->in.files.n,
		.source_sum = m->map.n ? &m->as_source : &m->in.stated_source,
	};
	char content[VS_DIGEST_TEXT];
	int code;

	if (m->in.ask->reproducible) {
		/* the provenance of the vectors does not depend on the run */
		code = vs_provenance_read(&provenance, m->in.first->file);
		vs_provenance_cut(&provenance, "vsim-run");
		end.stats = NULL;
		end.n_shards = 0;
	} else {
		code = vs_result_io_step(&provenance, m->in.first->file,
			m->in.first->content, started, NULL, false);
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
		vs_tool_say("%s: content %s", m->in.ask->out, content);
	if (!code)
		vs_tool_close(m->in.ask->out, "%zu shard%s, %llu record%s",
			m->in.files.n, vs_text_s(m->in.files.n),
			(unsigned long long)m->n_records,
			vs_text_s(m->n_records));
	if (!code)
		vs_tool_next("vsim-view --sort value %s", m->in.ask->out);
	vs_result_nodes_free(&nodes);
	vs_provenance_free(&provenance);
	return code;
}

static void
release(struct merge *m)
{
	free(m->used);
	vs_summary_tables_free(&m->tables);
	vs_vector_names_free(&m->names);
	vs_vector_names_map_free(&m->map);
	vs_merge_survey_free(&m->in);
}

static bool
is_made(const struct merge *m, const struct vs_result *out)
{
	struct vs_run run = m->in.first->run;
	const struct vs_run *old = &out->run;

	*run.summary = 0;
	return out->kind == VS_KIND_MERGED && !m->in.old &&
		!strcmp(old->coverage, "full") &&
		!strcmp(old->index_space, "file") &&
		!strcmp(old->run_uuid, run.run_uuid) &&
		!strcmp(old->vectors_content, run.vectors_content) &&
		!vs_run_differs_from_old(&run, old) &&
		out->n_records == m->in.n_records &&
		vs_digest_sum_equal(&out->sum, &m->in.stated);
}

int
vs_merge_shards_made(const struct vs_merge_shards *ask, bool *made)
{
	struct merge m = { .in = { .ask = ask } };
	struct vs_result *out = NULL;
	int code;

	*made = false;
	code = vs_merge_survey_take(&m.in);
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

/* "2/4" */
static int
read_part(struct merge *m, const char *text)
{
	int64_t part, n;

	if (!text)
		return 0;
	if (!vs_num_part(text, MOST_PARTS, &part, &n))
		return vs_fail(VS_EUSAGE,
			"--part %s: expected K/N with K from 1 to N, and N up "
			"to %d",
			text, MOST_PARTS);
	m->part = (uint32_t)part - 1;
	m->n_part = (uint32_t)n;
	return 0;
}

/* Add up the sums of a run. If it has records, too, only a merge of all of them
 * has tables. */
static int
read_tables(struct merge *m)
{
	const struct vs_merge_shards *ask = m->in.ask;
	const char *summary = m->in.first->run.summary;

	if (!*summary ||
		((ask->partial || ask->part || ask->unpermute) &&
			!vs_summary_ask_alone(summary)))
		return 0;
	return vs_summary_tables_read(&m->tables, &m->in);
}

/* Write a result, but do not seal it yet. */
static int
begin_result(struct merge *m, struct vs_result_writer **w)
{
	int code = find_names(m);

	if (!code)
		code = vs_result_io_may_write(m->in.ask->out, m->in.ask->force);
	if (!code)
		code = create(m, w);
	code = vs_comm_agree_if(m->in.ask->joint, code);
	if (!code)
		code = write_records(m, *w);
	return code ? code : vs_merge_survey_gaps(&m->in, state_gap, *w);
}

/* Merge once. *moved: it failed because a listed file is gone or was
 * replaced. */
static int
write_once(const struct vs_merge_shards *ask, bool *moved)
{
	struct vs_result_writer *w = NULL;
	struct merge m = { .in = { .ask = ask } };
	/* the first rank has the file */
	const bool others = ask->joint && vs_comm_rank();
	char started[21];
	int code;

	vs_clock_date(started);
	code = read_part(&m, ask->part);
	if (!code)
		code = vs_merge_survey_take(&m.in);
	if (!code && !others)
		code = read_tables(&m);
	code = vs_comm_agree_if(ask->joint, code);
	if (!code && !vs_summary_ask_alone(m.in.first->run.summary))
		code = begin_result(&m, &w);
	if (!code && !others)
		code = vs_summary_tables_write(&m.tables);
	if (!code && w && !others) {
		code = finish(&m, w, started);
		w = NULL;
	}
	vs_result_abandon(w);
	*moved = code && vs_merge_survey_moved(&m.in);
	release(&m);
	return code;
}

int
vs_merge_shards_write(const struct vs_merge_shards *ask)
{
	bool moved = true;
	int code = 0;

	/* an unfinished run may be at work */
	for (int n = 0; n < TRIES && moved; n++) {
		const struct timespec moment = { .tv_nsec = PAUSE
				<< (n < DOUBLED ? n : DOUBLED) };

		if (n)
			nanosleep(&moment, NULL);
		vs_fail_clear();
		code = write_once(ask, &moved);
	}
	return code;
}
