/* SPDX-License-Identifier: BSD-3-Clause */
/* External merge sort of records. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/results/sorter.h"
#include "libcore/base/digest.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"

/*
 * A record on disk: i less the i before, j - i, then k + 1, the value's 8
 * bytes, cell, num + 1 and nvalid + 1, all but the value in 7-bit groups,
 * lowest first: about 17 bytes instead of 32. Modulo 2^32 or 2^64, so any
 * record fits.
 */
#define PACKED_MOST (6 * 10 + 8)

struct run {
	uint64_t at, end; /* bytes of the file not yet read */
	uint8_t *buf;
	size_t lo, hi; /* of buf not yet unpacked */
	uint64_t i;
	struct vs_record head;
};

struct vs_sorter {
	enum vs_record_order order;
	char *beside;
	uint64_t memory;
	/* records being collected */
	struct vs_record *rec;
	size_t n, room, most, given;
	/* runs on disk: run r is bytes offset[r] .. offset[r + 1] */
	struct vs_file file;
	uint64_t *offset;
	size_t n_run, room_offset;
	uint64_t n_run_made;
	uint8_t *out;
	size_t n_out, out_bytes;
	uint64_t out_i, out_at;
	/* runs being merged */
	struct run *run;
	size_t *heap, n_heap;
	uint8_t *bufs;
	size_t buf_bytes, fan;
	bool reading;
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
vs_sorter_new(struct vs_sorter **out, const char *beside, uint64_t memory)
{
	struct vs_sorter *s = NULL;
	int code = vs_mem_new(&s, 1, sizeof(*s), "sorter");

	if (code)
		return code;
	if (memory < VS_SORTER_LEAST)
		memory = VS_SORTER_LEAST;
	s->file.fd = -1;
	s->memory = memory;
	s->most = most_records(memory);
	/* a run's share of the memory in a merge: 4 KiB .. 256 KiB */
	s->buf_bytes = memory / 64 > 256 << 10 ? 256 << 10 : memory / 64;
	if (s->buf_bytes < 4096)
		s->buf_bytes = 4096;
	s->fan = memory / s->buf_bytes - 1;
	code = vs_mem_copy_text(&s->beside, beside);
	if (code) {
		vs_sorter_free(s);
		return code;
	}
	*out = s;
	return 0;
}

void
vs_sorter_by_value(struct vs_sorter *s, bool least_first)
{
	s->order = vs_record_strongest_first(least_first);
}

/* ---- runs on disk ---- */

static uint8_t *
pack_number(uint8_t *p, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		*p++ = (uint8_t)(v | 128);
	*p++ = (uint8_t)v;
	return p;
}

static const uint8_t *
unpack_number(const uint8_t *p, uint64_t *v)
{
	*v = 0;
	for (int shift = 0; shift < 64; shift += 7) {
		*v |= (uint64_t)(*p & 127) << shift;
		if (*p++ < 128)
			break;
	}
	return p;
}

static size_t
pack(uint8_t *to, const struct vs_record *r, uint64_t i_before)
{
	uint8_t *p = pack_number(to, (uint32_t)(r->i - i_before));

	p = pack_number(p, (uint32_t)(r->j - r->i));
	p = pack_number(p, (uint32_t)(r->k + 1));
	memcpy(p, &r->value, 8);
	p = pack_number(p + 8, (r->cell + 1) & VS_NO_CELL);
	p = pack_number(p, (uint64_t)r->num + 1);
	p = pack_number(p, (uint32_t)r->nvalid + 1u);
	return (size_t)(p - to);
}

static size_t
unpack(const uint8_t *from, struct vs_record *r, uint64_t i_before)
{
	uint64_t i, j, k, cell, num, nvalid;
	const uint8_t *p = unpack_number(from, &i);

	p = unpack_number(p, &j);
	p = unpack_number(p, &k);
	memcpy(&r->value, p, 8);
	p = unpack_number(p + 8, &cell);
	p = unpack_number(p, &num);
	p = unpack_number(p, &nvalid);
	r->i = (uint32_t)(i_before + i);
	r->j = (uint32_t)(r->i + j);
	r->k = (uint32_t)(k - 1);
	r->cell = (cell - 1) & VS_NO_CELL;
	r->num = (int64_t)(num - 1);
	r->nvalid = (int32_t)(nvalid - 1);
	return (size_t)(p - from);
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

static int
run_flush(struct vs_sorter *s)
{
	int code =
		vs_file_put(s->file.fd, s->beside, s->out, s->n_out, s->out_at);

	s->out_at += s->n_out;
	s->n_out = 0;
	return code;
}

static int
run_begin(struct vs_sorter *s)
{
	int code = s->file.fd < 0 ? open_file(s) : 0;

	if (!code && !s->out) {
		s->out_bytes = s->buf_bytes;
		code = vs_mem_new(&s->out, s->out_bytes, 1, "sorted records");
	}
	s->out_i = 0;
	return code;
}

static int
run_put(struct vs_sorter *s, const struct vs_record *r)
{
	int code = 0;

	if (s->n_out + PACKED_MOST > s->out_bytes)
		code = run_flush(s);
	s->n_out += pack(s->out + s->n_out, r, s->out_i);
	s->out_i = r->i;
	return code;
}

static int
run_end(struct vs_sorter *s)
{
	int code = run_flush(s);

	if (!code)
		code = vs_mem_grow(&s->offset, &s->room_offset, s->n_run + 2,
			sizeof(*s->offset), "sorted runs");
	if (code)
		return code;
	if (!s->n_run)
		s->offset[0] = 0;
	s->offset[++s->n_run] = s->out_at;
	s->n_run_made++;
	return 0;
}

static int
spill(struct vs_sorter *s)
{
	int code = run_begin(s);

	vs_record_sort_in(s->order, s->rec, s->n);
	for (size_t r = 0; r < s->n && !code; r++)
		code = run_put(s, &s->rec[r]);
	s->n = 0;
	return code ? code : run_end(s);
}

int
vs_sorter_add(struct vs_sorter *s, const struct vs_record *rec, size_t n)
{
	int code = 0;

	while (n && !code) {
		size_t n_part = s->most - s->n < n ? s->most - s->n : n;
		size_t more = 2 * s->room < s->most ? 2 * s->room : s->most;

		if (s->n + n_part > s->room) {
			void *p;

			if (more < s->n + n_part)
				more = s->n + n_part;
			p = realloc(s->rec, more * sizeof(*s->rec));
			if (!p)
				return vs_fail_memory("records to sort",
					more * sizeof(*s->rec));
			s->rec = p;
			s->room = more;
		}
		memcpy(s->rec + s->n, rec, n_part * sizeof(*rec));
		s->n += n_part;
		rec += n_part;
		n -= n_part;
		if (s->n == s->most)
			code = spill(s);
	}
	return code;
}

/* ---- merging runs ---- */

/* Read the next record of a run into its head; VS_DONE at its end. */
static int
run_step(struct vs_sorter *s, struct run *run)
{
	size_t have = run->hi - run->lo, more;
	int code;

	if (have < PACKED_MOST && run->at < run->end) {
		memmove(run->buf, run->buf + run->lo, have);
		more = s->buf_bytes - have;
		if (more > run->end - run->at)
			more = run->end - run->at;
		code = vs_file_get(s->file.fd, s->beside, run->buf + have, more,
			run->at);
		if (code)
			return code;
		run->at += more;
		run->lo = 0;
		run->hi = have + more;
	}
	if (run->lo == run->hi)
		return VS_DONE;
	run->lo += unpack(run->buf + run->lo, &run->head, run->i);
	run->i = run->head.i;
	return 0;
}

static bool
before(const struct vs_sorter *s, size_t a, size_t b)
{
	int c = vs_record_compare_in(s->order, &s->run[a].head,
		&s->run[b].head);

	return c ? c < 0 : a < b;
}

/* Sift down the run at place `at` of the heap. */
static void
sink(struct vs_sorter *s, size_t at)
{
	size_t *h = s->heap, x = h[at], child;

	while ((child = 2 * at + 1) < s->n_heap) {
		if (child + 1 < s->n_heap && before(s, h[child + 1], h[child]))
			child++;
		if (!before(s, h[child], x))
			break;
		h[at] = h[child];
		at = child;
	}
	h[at] = x;
}

/* Open runs [first, first + n) and put them in a heap. */
static int
merge_begin(struct vs_sorter *s, size_t first, size_t n)
{
	s->n_heap = 0;
	for (size_t k = 0; k < n; k++) {
		struct run *run = &s->run[k];
		int code;

		memset(run, 0, sizeof(*run));
		run->at = s->offset[first + k];
		run->end = s->offset[first + k + 1];
		run->buf = s->bufs + k * s->buf_bytes;
		code = run_step(s, run);
		if (code < 0)
			return code;
		if (!code)
			s->heap[s->n_heap++] = k;
	}
	for (size_t at = s->n_heap / 2; at-- > 0;)
		sink(s, at);
	return 0;
}

/* The least record of all runs; VS_DONE if there is none. */
static int
merge_step(struct vs_sorter *s, struct vs_record *out)
{
	int code;

	if (!s->n_heap)
		return VS_DONE;
	*out = s->run[s->heap[0]].head;
	code = run_step(s, &s->run[s->heap[0]]);
	if (code < 0)
		return code;
	if (code == VS_DONE)
		s->heap[0] = s->heap[--s->n_heap];
	if (s->n_heap)
		sink(s, 0);
	return 0;
}

/* Merge `fan` runs at a time into longer ones until at most `fan` are left. */
static int
merge_down(struct vs_sorter *s, size_t *first)
{
	struct vs_record rec;
	int code = 0;

	for (*first = 0; s->n_run - *first > s->fan && !code;
		*first += s->fan) {
		code = merge_begin(s, *first, s->fan);
		if (!code)
			code = run_begin(s);
		while (!code && !(code = merge_step(s, &rec)))
			code = run_put(s, &rec);
		if (code == VS_DONE)
			code = run_end(s);
	}
	return code;
}

static int
begin_reading(struct vs_sorter *s)
{
	size_t first = 0;
	int code;

	s->reading = true;
	if (!s->n_run) {
		vs_record_sort_in(s->order, s->rec, s->n);
		return 0;
	}
	code = s->n ? spill(s) : 0;
	free(s->rec);
	s->rec = NULL;
	if (!code)
		code = vs_mem_new(&s->run, s->fan, sizeof(*s->run),
			"sorted runs");
	if (!code)
		code = vs_mem_new(&s->heap, s->fan, sizeof(*s->heap),
			"sorted runs");
	if (!code)
		code = vs_mem_new(&s->bufs, s->fan, s->buf_bytes,
			"sorted runs");
	if (!code)
		code = merge_down(s, &first);
	return code ? code : merge_begin(s, first, s->n_run - first);
}

int
vs_sorter_next(struct vs_sorter *s, struct vs_record *out, size_t room,
	size_t *n)
{
	int code = s->reading ? 0 : begin_reading(s);
	size_t did = 0;

	if (!s->n_run)
		while (did < room && s->given < s->n && !code)
			out[did++] = s->rec[s->given++];
	else
		while (did < room && !code &&
			!(code = merge_step(s, &out[did])))
			did++;
	if (code < 0)
		return code;
	*n = did;
	return 0;
}

uint64_t
vs_sorter_runs(const struct vs_sorter *s, uint64_t *bytes)
{
	*bytes = s->out_at;
	return s->n_run_made;
}

void
vs_sorter_free(struct vs_sorter *s)
{
	if (!s)
		return;
	vs_file_abandon(&s->file);
	free(s->bufs);
	free(s->heap);
	free(s->run);
	free(s->out);
	free(s->offset);
	free(s->rec);
	free(s->beside);
	free(s);
}
