/* SPDX-License-Identifier: BSD-3-Clause */
/* Two sets of vectors whose cross pairs a run compares, in a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/results/sets.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/plan/cube.h"

#define N_PART 3

static const char *const part_path[N_PART] = { "/sets/first", "/sets/both",
	"/sets/second" };
static const char old_path[] = "/sets/old";

static uint64_t *
part_size(struct vs_between *of, int part)
{
	return !part ? &of->n_first : part == 1 ? &of->n_both : &of->n_second;
}

/* Rows of the sets, and below the vectors of neither too. */
static uint64_t
n_row(const struct vs_sets *s)
{
	return s->of.n_first + s->of.n_both + s->of.n_second;
}

static uint64_t
n_place(const struct vs_sets *s)
{
	return n_row(s) + s->of.n_rest;
}

int
vs_sets_make(struct vs_sets *s, const uint8_t *in, uint64_t n_vec, int n_way)
{
	uint64_t n[4] = { 0 }, at = 0;
	uint8_t part[N_PART] = { 1, 3, 2 }, begins = 0;
	int code;

	for (uint64_t v = 0; v < n_vec; v++) {
		if (!begins && (in[v] == 1 || in[v] == 2))
			begins = in[v];
		n[in[v] & 3]++;
	}
	if (n[1] > n[2] || (n[1] == n[2] && begins == 2)) {
		part[0] = 2;
		part[2] = 1;
	}
	memset(s, 0, sizeof(*s));
	s->of.triples = n_way == 3;
	s->of.n_rest = s->of.triples ? n[0] : 0;
	code = vs_mem_room(&s->row, n_vec - n[0] + s->of.n_rest,
		sizeof(*s->row), "sets");
	if (code)
		return code;
	for (int p = 0; p < N_PART; p++) {
		*part_size(&s->of, p) = n[part[p]];
		for (uint64_t v = 0; v < n_vec; v++)
			if (in[v] == part[p])
				s->row[at++] = (int64_t)v;
	}
	for (uint64_t v = 0; v < n_vec && s->of.n_rest; v++)
		if (!in[v])
			s->row[at++] = (int64_t)v;
	return 0;
}

int
vs_sets_filtered(const struct vs_sets *s, const struct vs_pair_filter *f,
	uint64_t *n_pair)
{
	uint64_t both = s->of.n_first, second = both + s->of.n_both;
	uint8_t *in = NULL;
	int code = vs_mem_new(&in, f->n_vec, 1, "sets");

	for (uint64_t k = 0; k < n_row(s) && !code; k++)
		in[s->row[k]] = k < both ? 1 : k < second ? 3 : 2;
	if (!code)
		code = vs_pair_filter_between(f, in, n_pair);
	free(in);
	return code;
}

void
vs_sets_free(struct vs_sets *s)
{
	free(s->row);
	free(s->old);
	memset(s, 0, sizeof(*s));
}

int
vs_sets_turn(const struct vs_sets *s, const int64_t *to, uint64_t n_vec,
	struct vs_sets *out)
{
	uint64_t both = s->of.n_first, second = both + s->of.n_both;
	uint8_t *in = NULL;
	int code = vs_mem_new(&in, n_vec, 1, "sets");

	for (uint64_t k = 0; k < n_row(s) && !code; k++)
		in[to[s->row[k]]] = k < both ? 1 : k < second ? 3 : 2;
	if (!code)
		code = vs_sets_make(out, in, n_vec, s->of.triples ? 3 : 2);
	free(in);
	return code;
}

static int
digest_rows(const int64_t *row, uint64_t n, char hex[VS_DIGEST_TEXT])
{
	struct vs_digest *d = NULL;
	uint8_t bytes[16];
	int code = vs_digest_new(&d);

	if (code)
		return code;
	vs_digest_add(d, row, n * sizeof(*row));
	vs_digest_get(d, bytes);
	vs_digest_free(d);
	vs_digest_text(bytes, hex);
	return 0;
}

int
vs_sets_against(const struct vs_sets *s, const char *content,
	char text[VS_SETS_AGAINST])
{
	char hex[VS_DIGEST_TEXT];
	int code = digest_rows(s->old, s->of.n_second, hex);

	if (!code)
		snprintf(text, VS_SETS_AGAINST, "%.32s %s", content, hex);
	return code;
}

int
vs_sets_now(const struct vs_sets *s, int64_t **now, uint64_t *n)
{
	const int64_t *row = s->row + s->of.n_first + s->of.n_both;
	int code;

	*n = s->of.n_second;
	code = vs_mem_room(now, *n, sizeof(**now), "vectors of a result");
	for (uint64_t k = 0; k < *n && !code; k++)
		(*now)[s->old[k]] = row[k];
	return code;
}

int
vs_sets_text(const struct vs_sets *s, char text[VS_SETS_TEXT])
{
	const struct vs_between *of = &s->of;
	char hex[VS_DIGEST_TEXT];
	int code = digest_rows(s->row, n_row(s), hex);

	if (code)
		return code;
	snprintf(text, VS_SETS_TEXT, "%llu %llu %llu %s",
		(unsigned long long)(of->n_first + of->n_both),
		(unsigned long long)(of->n_second + of->n_both),
		(unsigned long long)of->n_both, hex);
	return 0;
}

int
vs_sets_places(const struct vs_sets *s, uint64_t n_vec, int64_t **place)
{
	int code =
		vs_mem_room(place, n_vec, sizeof(**place), "places of vectors");

	if (code)
		return code;
	memset(*place, 0xff, n_vec * sizeof(**place));
	for (uint64_t k = 0; k < n_place(s); k++)
		(*place)[s->row[k]] = (int64_t)k;
	return 0;
}

/* Places of a record's vectors, rising. */
static void
places_of(const int64_t *place, const struct vs_record *rec, int64_t at[3])
{
	const uint64_t v[3] = { rec->i, rec->j, rec->k };
	const int n = rec->k == VS_NO_VEC ? 2 : 3;

	for (int k = 0; k < n; k++) {
		const int64_t own = place ? place[v[k]] : (int64_t)v[k];
		int to = k;

		for (; to && at[to - 1] > own; to--)
			at[to] = at[to - 1];
		at[to] = own;
	}
	if (n == 2)
		at[2] = at[1];
}

bool
vs_sets_want(const struct vs_sets *s, const int64_t *place,
	const struct vs_record *rec)
{
	const int64_t both = (int64_t)s->of.n_first,
		      second = both + (int64_t)s->of.n_both,
		      rest = second + (int64_t)s->of.n_second;
	int64_t at[3], other;

	places_of(place, rec, at);
	/* the second one, or with two of the first set alone the third */
	other = at[1] < both ? at[2] : at[1];
	return at[0] >= 0 && at[0] < second && other >= both && other < rest;
}

uint64_t
vs_sets_tile_of(const struct vs_plan *plan, const int64_t *place,
	const struct vs_record *rec)
{
	int64_t at[3];

	places_of(place, rec, at);
	return vs_cube_tile_of(plan, (uint64_t)at[0], (uint64_t)at[1],
		rec->k == VS_NO_VEC ? VS_NO_VEC : (uint64_t)at[2]);
}

int
vs_sets_write(const struct vs_sets *s, struct vs_h5_writer *w,
	struct vs_codec codec)
{
	struct vs_between of = s->of;
	const int64_t *row = s->row;

	vs_h5_writer_group(w, "/sets");
	for (int p = 0; p < N_PART; p++) {
		uint64_t n = *part_size(&of, p);

		vs_h5_writer_column(w, part_path[p], VS_I64, 0, row, n, codec);
		row += n;
	}
	if (s->old)
		vs_h5_writer_column(w, old_path, VS_I64, 0, s->old, of.n_second,
			codec);
	return vs_h5_writer_code(w);
}

/* The vectors that are in neither set: place[v] is 0. */
static int
add_rest(struct vs_sets *s, uint64_t n_vec, const int64_t *place)
{
	uint64_t at = n_row(s);
	int64_t *row = NULL;
	int code = vs_mem_room(&row, n_vec, sizeof(*row), "sets");

	if (code)
		return code;
	memcpy(row, s->row, at * sizeof(*row));
	for (uint64_t v = 0; v < n_vec; v++)
		if (!place[v])
			row[at++] = (int64_t)v;
	free(s->row);
	s->row = row;
	s->of.triples = true;
	s->of.n_rest = n_vec - n_row(s);
	return 0;
}

/* Each part rises within the vectors, and no row is in two of them. place: all
 * 0, set to 1 of each row. */
static bool
is_sound(const struct vs_sets *s, uint64_t n_vec, int64_t *place)
{
	struct vs_between of = s->of;
	uint64_t k = 0, end = 0;

	for (int p = 0; p < N_PART; p++) {
		int64_t last = -1;

		for (end += *part_size(&of, p); k < end; last = s->row[k++]) {
			int64_t v = s->row[k];

			if (v <= last || (uint64_t)v >= n_vec || place[v])
				return false;
			place[v] = 1;
		}
	}
	return true;
}

/* Read the rows of an earlier result: each is there once. place: all 0, of as
 * many or more. */
static int
read_old(struct vs_sets *s, struct vs_h5_reader *r, const char *against,
	int64_t *place)
{
	char found[VS_SETS_AGAINST] = "";
	uint64_t n = s->of.n_second;
	bool sound = !s->of.n_first;
	int code = vs_h5_reader_column(r, old_path, VS_I64, NULL, &n, &s->old);

	for (uint64_t k = 0; k < n && !code && sound; k++) {
		int64_t v = s->old[k];

		sound = v >= 0 && (uint64_t)v < n && !place[v];
		if (sound)
			place[v] = 1;
	}
	if (!code && sound)
		code = vs_sets_against(s, against, found);
	return code ? code
		: strcmp(found, against)
		? vs_fail(VS_EINPUT,
			  "%s: /sets/old is not what /run says of it; make the "
			  "file anew",
			  vs_h5_reader_path(r))
		: 0;
}

int
vs_sets_read(struct vs_sets *s, struct vs_h5_reader *r, uint64_t n_vec,
	int n_way, const char *text, const char *against)
{
	char found[VS_SETS_TEXT] = "";
	struct vs_sets got = { 0 };
	int64_t *part[N_PART] = { NULL }, *place = NULL;
	uint64_t at = 0;
	bool sound = false;
	int code = 0;

	for (int p = 0; p < N_PART && !code; p++) {
		uint64_t *n = part_size(&got.of, p);

		*n = VS_ROWS_UNKNOWN;
		code = vs_h5_reader_column(r, part_path[p], VS_I64, NULL, n,
			&part[p]);
	}
	if (!code)
		code = vs_mem_room(&got.row, n_row(&got), sizeof(*got.row),
			"sets");
	for (int p = 0; p < N_PART && !code; p++) {
		uint64_t n = *part_size(&got.of, p);

		if (n)
			memcpy(got.row + at, part[p], n * sizeof(**part));
		at += n;
	}
	if (!code)
		code = vs_mem_new(&place, n_vec, sizeof(*place), "sets");
	if (!code)
		sound = is_sound(&got, n_vec, place);
	if (sound)
		code = vs_sets_text(&got, found);
	if (!code && strcmp(found, text))
		code = vs_fail(VS_EINPUT,
			"%s: /sets are not what /run says of them; make the "
			"file anew",
			vs_h5_reader_path(r));
	for (int p = 0; p < N_PART; p++)
		free(part[p]);
	if (!code && n_way == 3)
		code = add_rest(&got, n_vec, place);
	if (!code && *against) {
		memset(place, 0, n_vec * sizeof(*place));
		code = read_old(&got, r, against, place);
	}
	free(place);
	if (code)
		vs_sets_free(&got);
	else
		*s = got;
	return code;
}
