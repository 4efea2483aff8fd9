/* SPDX-License-Identifier: BSD-3-Clause */
/* External merge sort of records. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/results/sorter.h"
#include "libcore/base/digest.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"
#include "libcore/base/text.h"

#define LEAST_HELD 16 /* records of each run */

/* A sorted run: records of the file not yet read, and those held. */
struct run {
	uint64_t at, end;
	struct vs_record *rec;
	size_t n;
};

struct vs_sorter {
	enum vs_record_order order;
	char *beside;
	/* records being collected; while reading, the batch last merged */
	struct vs_record *rec;
	size_t n, room, most;
	bool reading;
	/* runs on disk, and the first records of each in memory */
	struct vs_file file;
	struct run *run;
	size_t n_run, room_run, each;
	struct vs_record *held;
};

/* Number of records that fit, including the memory for sorting them. */
static size_t
most_records(uint64_t memory)
{
	const size_t each = sizeof(struct vs_record);
	const size_t more = vs_record_sort_bytes(SIZE_MAX);
	const size_t n = memory > 2 * more
		? (memory - more) / each
		: memory / (each + vs_record_sort_bytes(1));

	return n < UINT32_MAX ? n : UINT32_MAX;
}

int
vs_sorter_new(struct vs_sorter **out, enum vs_record_order order,
	const char *beside, uint64_t memory)
{
	const char *dir = getenv("TMPDIR");
	const bool given = beside && strcmp(beside, "-");
	struct vs_text path = { 0 };
	struct vs_sorter *s = NULL;
	int code = vs_mem_new(&s, 1, sizeof(*s), "sorter");

	if (!code)
		code = given ? vs_text_add(&path, "%s", beside)
			     : vs_text_add(&path, "%s/vsim-sort",
				       dir && *dir ? dir : "/tmp");
	if (code) {
		free(s);
		return code;
	}
	s->order = order;
	s->beside = path.bytes;
	s->file.fd = -1;
	s->most = most_records(
		memory < VS_SORTER_LEAST ? VS_SORTER_LEAST : memory);
	*out = s;
	return 0;
}

/* The file has a name only until it is open. */
static int
open_file(struct vs_sorter *s)
{
	uint8_t uuid[16];
	uint32_t tag;
	int code = vs_digest_uuid_make(uuid);

	if (code)
		return code;
	memcpy(&tag, uuid, 4);
	code = vs_file_create(&s->file, s->beside, tag, true);
	if (!code)
		unlink(s->file.temp);
	return code;
}

/* Write the records collected as a run behind the others. */
static int
spill(struct vs_sorter *s)
{
	const uint64_t at = s->n_run ? s->run[s->n_run - 1].end : 0;
	int code = s->file.fd < 0 ? open_file(s) : 0;

	if (!code)
		code = vs_mem_grow(&s->run, &s->room_run, s->n_run + 1,
			sizeof(*s->run), "sorted runs");
	if (code)
		return code;
	vs_record_sort_in(s->order, s->rec, s->n);
	s->run[s->n_run++] = (struct run){ .at = at, .end = at + s->n };
	code = vs_file_put(s->file.fd, s->beside, s->rec,
		s->n * sizeof(*s->rec), at * sizeof(*s->rec));
	s->n = 0;
	return code;
}

int
vs_sorter_add(struct vs_sorter *s, const struct vs_record *rec, size_t n)
{
	int code = 0;

	while (n && !code) {
		const size_t now = s->most - s->n < n ? s->most - s->n : n;

		if (s->n + now > s->room) {
			size_t room = s->n + now;
			void *p;

			room = room > 2 * s->room ? room : 2 * s->room;
			room = room < s->most ? room : s->most;
			p = realloc(s->rec, room * sizeof(*s->rec));
			if (!p)
				return vs_fail_memory("records to sort",
					room * sizeof(*s->rec));
			s->rec = p;
			s->room = room;
		}
		memcpy(s->rec + s->n, rec, now * sizeof(*rec));
		s->n += now;
		rec += now;
		n -= now;
		if (s->n == s->most)
			code = spill(s);
	}
	return code;
}

/* ---- merging runs ---- */

/* Runs share half of the memory; their records are merged into the other. */
static int
begin_reading(struct vs_sorter *s)
{
	int code = 0;

	s->reading = true;
	if (!s->n_run) {
		vs_record_sort_in(s->order, s->rec, s->n);
		return 0;
	}
	if (s->n)
		code = spill(s);
	free(s->rec);
	s->rec = NULL;
	s->each = s->most / 2 / s->n_run;
	s->each = s->each > LEAST_HELD ? s->each : LEAST_HELD;
	VS_MEM_ROOM(&code, s->held, s->n_run * s->each, "sorted runs");
	VS_MEM_ROOM(&code, s->rec, s->n_run * s->each, "sorted runs");
	for (size_t r = 0; r < s->n_run && !code; r++)
		s->run[r].rec = s->held + r * s->each;
	return code;
}

/* Read as many records of a run as there is room for. */
static int
fill(struct vs_sorter *s, struct run *run)
{
	const uint64_t left = run->end - run->at, room = s->each - run->n;
	const size_t now = (size_t)(left < room ? left : room);
	int code = vs_file_get(s->file.fd, s->beside, run->rec + run->n,
		now * sizeof(*run->rec), run->at * sizeof(*run->rec));

	run->at += now;
	run->n += now;
	return code;
}

/* Take all records that no unread one can precede: those up to the least of
 * the runs' last records held. */
static int
merge(struct vs_sorter *s)
{
	const struct vs_record *last = NULL;
	struct vs_record bound;
	int code = 0;

	for (size_t r = 0; r < s->n_run && !code; r++) {
		struct run *run = &s->run[r];
		const struct vs_record *end;

		code = fill(s, run);
		if (code || run->at == run->end)
			continue;
		end = run->rec + run->n - 1;
		if (!last || vs_record_compare_in(s->order, end, last) < 0)
			last = end;
	}
	if (last)
		bound = *last;
	for (size_t r = 0; r < s->n_run && !code; r++) {
		struct run *run = &s->run[r];
		const size_t n = last ? vs_record_before(s->order, run->rec,
						run->n, &bound, true)
				      : run->n;

		memcpy(s->rec + s->n, run->rec, n * sizeof(*run->rec));
		s->n += n;
		run->n -= n;
		memmove(run->rec, run->rec + n, run->n * sizeof(*run->rec));
	}
	vs_record_sort_in(s->order, s->rec, s->n);
	return code;
}

int
vs_sorter_next(struct vs_sorter *s, struct vs_record **rec, size_t *n)
{
	int code = 0;

	if (s->reading)
		s->n = 0; /* they were given */
	else
		code = begin_reading(s);
	if (!code && s->n_run)
		code = merge(s);
	*rec = s->rec;
	*n = s->n;
	return code;
}

uint64_t
vs_sorter_runs(const struct vs_sorter *s, uint64_t *bytes)
{
	*bytes = s->n_run ? s->run[s->n_run - 1].end * sizeof(*s->rec) : 0;
	return s->n_run;
}

void
vs_sorter_free(struct vs_sorter *s)
{
	if (!s)
		return;
	vs_file_abandon(&s->file);
	free(s->run);
	free(s->held);
	free(s->rec);
	free(s->beside);
	free(s);
}
