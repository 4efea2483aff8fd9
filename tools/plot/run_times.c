/* SPDX-License-Identifier: BSD-3-Clause */
/* Times at which the tiles of a run were finished, from its sealed shards. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/plot/run_times.h"

#define SHORT 10 /* seconds */
#define APART 2  /* seconds between two ranks' dates of one start, at most */

/* ---- what a shard states ---- */

/* Seconds that a file states; 0 where they are no time. */
static double
checked(double seconds)
{
	return seconds > 0 && seconds < 1e12 ? seconds : 0;
}

/* Seconds since 1970; 0: none is stated. */
static double
seconds_of(const struct vs_text_pool *dates, size_t row)
{
	char text[32] = "";
	struct tm tm = { 0 };
	size_t len;
	const char *date = vs_text_pool_get(dates, row, &len);

	memcpy(text, date, len < sizeof(text) ? len : sizeof(text) - 1);
	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ", &tm.tm_year, &tm.tm_mon,
		    &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec) != 6)
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return checked((double)timegm(&tm));
}

/* The dates of its last step by vsim-run. */
static int
read_dates(struct vs_run_times_shard *s, struct vs_h5_reader *file)
{
	struct vs_provenance p = { 0 };
	int code = vs_provenance_read(&p, file);

	for (size_t k = 0; k < p.n && !code; k++) {
		size_t len;
		const char *tool = vs_text_pool_get(&p.tool, k, &len);

		if (len != 8 || memcmp(tool, "vsim-run", 8))
			continue;
		s->started = seconds_of(&p.started, k);
		s->sealed = fmax(seconds_of(&p.finished, k), s->started);
	}
	vs_provenance_free(&p);
	return code;
}

/* Tiles stand in the order in which they were finished. */
static int
read_tiles(struct vs_run_times_shard *s, struct vs_result *r)
{
	struct vs_tile_row *tile = NULL;
	size_t n = 0;
	double at = 0;
	int code = vs_result_tiles(r, &tile, &n);

	for (size_t k = 0; k < n && !code; k++)
		s->core += checked(tile[k].seconds);
	for (size_t k = 0; k < n && !code; k++) {
		double share;
		int part;

		at += checked(tile[k].seconds);
		share = s->core > 0 ? at / s->core
				    : (double)(k + 1) / (double)n;
		part = (int)ceil(share * VS_RUN_TIMES_PARTS - 1e-9) - 1;
		part = part < 0                      ? 0
			: part >= VS_RUN_TIMES_PARTS ? VS_RUN_TIMES_PARTS - 1
						     : part;
		s->tile[part]++;
		s->record[part] += (uint64_t)tile[k].count;
	}
	s->n_tile = n;
	s->n_record = r->n_records;
	free(tile);
	return code;
}

static int
read_shard(struct vs_run_times *t, const char *path)
{
	struct vs_run_times_shard *s;
	struct vs_result *r = NULL;
	struct vs_stats stats = { 0 };
	int code = vs_result_open(&r, path, VS_H5_FAST);

	if (!code && r->kind != VS_KIND_SHARD)
		code = vs_fail(VS_EUSAGE,
			"--plot progress: %s is a merged result; a directory "
			"of vsim-run has the times",
			path);
	if (!code)
		code = vs_mem_grow(&t->shard, &t->room, t->n + 1,
			sizeof(*t->shard), "shards");
	if (code)
		goto out;
	s = &t->shard[t->n++];
	memset(s, 0, sizeof(*s));
	s->number = t->n;
	s->rank = r->run.shard;
	s->stage_begin = r->run.stage_begin;
	s->stage_end = r->run.stage_end;
	code = read_tiles(s, r);
	if (!code)
		code = read_dates(s, r->file);
	if (!code)
		code = vs_result_stats(r, &stats);
	s->total = checked(stats.seconds_total);
	if (!code && t->n == 1) {
		/* texts of its own go with the file */
		t->run = r->run;
		memset(&r->run, 0, sizeof(r->run));
	}
out:
	vs_result_close(r);
	return code;
}

/* ---- times of work ---- */

/* By rank, start, seal and stage; of equal ones in the order of the files. */
static int
by_seal(const void *a, const void *b)
{
	const struct vs_run_times_shard *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->started != y->started)
		return x->started < y->started ? -1 : 1;
	if (x->sealed != y->sealed)
		return x->sealed < y->sealed ? -1 : 1;
	if (x->stage_begin != y->stage_begin)
		return x->stage_begin < y->stage_begin ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static int
by_begin(const void *a, const void *b)
{
	const struct vs_run_times_shard *const *x = a, *const *y = b;

	return ((*x)->begin > (*y)->begin) - ((*x)->begin < (*y)->begin);
}

/*
 * Shards of one rank and one start: from seal to seal. Dates are whole seconds:
 * those of one date share the time by that of their tiles, and the end of a
 * short run is by the program's seconds, which the last one states.
 */
static void
set_times(struct vs_run_times_shard *s, size_t n)
{
	double from = s[0].started, total = 0;

	for (size_t k = 0; k < n; k++)
		total = fmax(total, s[k].total);
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		double group = 0, end = s[lo].sealed, at;

		for (hi = lo; hi < n && s[hi].sealed == s[lo].sealed; hi++)
			group += s[hi].core;
		if (hi == n && total > 0 && end - s[0].started < SHORT)
			end = s[0].started + total;
		if (hi == n && end <= from)
			end = from + fmax(group, 1e-3);
		end = fmax(end, from);
		at = from;
		for (size_t k = lo; k < hi; k++) {
			s[k].begin = at;
			at += (end - from) *
				(group > 0 ? s[k].core / group
					   : 1.0 / (double)(hi - lo));
			s[k].end = at;
		}
		from = end;
	}
}

/* Leave out the time between two starts. */
static int
leave_gaps(struct vs_run_times *t)
{
	struct vs_run_times_shard **order = NULL;
	double end = 0, shift = 0;
	int code = vs_mem_new(&order, t->n, sizeof(struct vs_run_times_shard *),
		"shards");

	if (!code)
		code = vs_mem_new(&t->start, t->n, sizeof(*t->start), "starts");
	for (size_t k = 0; k < t->n && !code; k++)
		order[k] = &t->shard[k];
	if (!code)
		qsort(order, t->n, sizeof(struct vs_run_times_shard *),
			by_begin);
	for (size_t k = 0; k < t->n && !code; k++) {
		struct vs_run_times_shard *s = order[k];

		if (!k || s->begin > end + APART) {
			shift += s->begin - end;
			t->start[t->n_start++] = s->begin - shift;
		}
		end = fmax(end, s->end);
		s->begin -= shift;
		s->end -= shift;
		t->seconds = fmax(t->seconds, s->end);
	}
	free(order);
	return code;
}

/* ---- the whole ---- */

static int
read_all(struct vs_run_times *t, const char *path,
	const struct vs_text_pool *files)
{
	struct vs_plan plan;
	int code = 0;

	for (size_t k = 0; k < files->n && !code; k++)
		code = read_shard(t, vs_text_pool_string(files, k));
	if (!code && !t->n)
		code = vs_fail(VS_EINPUT,
			"%s: has no sealed shard of vsim-run yet", path);
	if (!code)
		code = vs_run_plan(&t->run, &plan);
	if (code)
		return code;
	t->n_all = vs_plan_n_tile(&plan);
	for (size_t k = 0; k < t->n; k++) {
		t->n_tile += t->shard[k].n_tile;
		t->n_record += t->shard[k].n_record;
		if (t->shard[k].rank >= t->n_rank)
			t->n_rank = t->shard[k].rank + 1;
	}
	return 0;
}

int
vs_run_times_read(struct vs_run_times *t, const char *path)
{
	struct vs_text_pool files = { 0 };
	int code = vs_run_shards(path, &files);

	memset(t, 0, sizeof(*t));
	if (!code)
		code = read_all(t, path, &files);
	vs_text_pool_free(&files);
	if (code)
		return code;
	qsort(t->shard, t->n, sizeof(*t->shard), by_seal);
	for (size_t lo = 0, hi; lo < t->n; lo = hi) {
		const struct vs_run_times_shard *s = &t->shard[lo];

		for (hi = lo; hi < t->n && t->shard[hi].rank == s->rank &&
			t->shard[hi].started == s->started;
			hi++)
			;
		set_times(&t->shard[lo], hi - lo);
	}
	return leave_gaps(t);
}

void
vs_run_times_free(struct vs_run_times *t)
{
	vs_run_free(&t->run);
	free(t->shard);
	free(t->start);
}
