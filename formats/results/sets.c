/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of vectors that a run chose pairs or triples by, in a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/results/sets.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define N_PART 3

static const char *const part_path[N_PART] = { "/sets/first", "/sets/both",
	"/sets/second" };
static const char old_path[] = "/sets/old";
static const char order_path[] = "/order/row";

static uint64_t *
part_size(struct vs_between *of, int part)
{
	return !part ? &of->n_first : part == 1 ? &of->n_both : &of->n_second;
}

static uint64_t
n_row(const struct vs_wanted *w)
{
	return w->of.n_first + w->of.n_both + w->of.n_second;
}

int
vs_sets_turn(const struct vs_wanted *w, const int64_t *to,
	struct vs_wanted *out)
{
	uint8_t *in = NULL;
	int code = vs_mem_new(&in, w->n_vec, 1, "sets");

	*out = (struct vs_wanted){ .n_vec = w->n_vec, .n_way = w->n_way };
	for (uint64_t v = 0; v < w->n_vec && !code; v++)
		in[to[v]] = w->in[v];
	if (!code)
		code = vs_wanted_by_sets(out, in);
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
vs_sets_against(const struct vs_wanted *w, const char *content,
	char text[VS_SETS_AGAINST])
{
	char hex[VS_DIGEST_TEXT];
	int code = digest_rows(w->old, w->of.n_second, hex);

	if (!code)
		snprintf(text, VS_SETS_AGAINST, "%.32s %s", content, hex);
	return code;
}

int
vs_sets_now(const struct vs_wanted *w, int64_t **now, uint64_t *n)
{
	const int64_t *row = w->row + w->of.n_first + w->of.n_both;
	int code;

	*n = w->of.n_second;
	code = vs_mem_room(now, *n, sizeof(**now), "vectors of a result");
	for (uint64_t k = 0; k < *n && !code; k++)
		(*now)[w->old[k]] = row[k];
	return code;
}

int
vs_sets_text(const struct vs_wanted *w, char text[VS_SETS_TEXT])
{
	const struct vs_between *of = &w->of;
	char hex[VS_DIGEST_TEXT];
	int code = digest_rows(w->row, n_row(w), hex);

	if (code)
		return code;
	snprintf(text, VS_SETS_TEXT, "%llu %llu %llu %s",
		(unsigned long long)(of->n_first + of->n_both),
		(unsigned long long)(of->n_second + of->n_both),
		(unsigned long long)of->n_both, hex);
	return 0;
}

int
vs_sets_write(const struct vs_wanted *w, struct vs_h5_writer *writer,
	struct vs_codec codec)
{
	struct vs_between of = w->of;
	const int64_t *row = w->row;

	vs_h5_writer_group(writer, "/sets");
	for (int p = 0; p < N_PART; p++) {
		uint64_t n = *part_size(&of, p);

		vs_h5_writer_column(writer, part_path[p], VS_I64, row, n,
			codec);
		row += n;
	}
	if (w->old)
		vs_h5_writer_column(writer, old_path, VS_I64, w->old,
			of.n_second, codec);
	return vs_h5_writer_code(writer);
}

/* Mark the rows of a part in in[]; false: one is invalid, or occurs twice. */
static bool
mark(const struct vs_wanted *w, const int64_t *row, uint64_t n, uint8_t bits,
	uint8_t *in)
{
	for (uint64_t k = 0; k < n; k++) {
		if (row[k] < 0 || (uint64_t)row[k] >= w->n_vec || in[row[k]])
			return false;
		in[row[k]] = bits;
	}
	return true;
}

static int
refuse(const struct vs_h5_reader *r, const char *what)
{
	return vs_fail(VS_EINPUT,
		"%s: %s not what /run says; recreate the file",
		vs_h5_reader_path(r), what);
}

/* Read the rows of an earlier result: each occurs once. */
static int
read_old(struct vs_wanted *w, struct vs_h5_reader *r, const char *against)
{
	char found[VS_SETS_AGAINST] = "";
	uint64_t n = w->of.n_second;
	uint8_t *in = NULL;
	int code = vs_h5_reader_column(r, old_path, VS_I64, &n, &w->old);

	VS_MEM_NEW(&code, in, w->n_vec, "sets");
	if (!code && !w->of.n_first && mark(w, w->old, n, 1, in) &&
		(!n || !memchr(in, 0, n)))
		code = vs_sets_against(w, against, found);
	free(in);
	return code                      ? code
		: strcmp(found, against) ? refuse(r, "/sets/old is")
					 : 0;
}

int
vs_sets_read(struct vs_wanted *w, struct vs_h5_reader *r, const char *text,
	const char *against)
{
	static const uint8_t bits[N_PART] = { 1, 3, 2 };
	char found[VS_SETS_TEXT] = "";
	bool sound = true;
	uint8_t *in = NULL;
	int code = vs_mem_new(&in, w->n_vec, 1, "sets");

	for (int p = 0; p < N_PART && !code && sound; p++) {
		uint64_t n = VS_ROWS_UNKNOWN;
		int64_t *row = NULL;

		code = vs_h5_reader_column(r, part_path[p], VS_I64, &n, &row);
		sound = !code && mark(w, row, n, bits[p], in);
		free(row);
	}
	if (!code && sound)
		code = vs_wanted_by_sets(w, in);
	/* the text has rows in ascending order in each part */
	if (!code && sound)
		code = vs_sets_text(w, found);
	if (!code && strcmp(found, text))
		code = refuse(r, "/sets are");
	if (!code && *against)
		code = read_old(w, r, against);
	free(in);
	return code;
}

/* ---- order ---- */

int
vs_sets_order(const int64_t *row, uint64_t n, char text[VS_SETS_ORDER])
{
	char hex[VS_DIGEST_TEXT];
	int code = digest_rows(row, n, hex);

	if (!code)
		snprintf(text, VS_SETS_ORDER, "frequency %s", hex);
	return code;
}

int
vs_sets_order_write(const struct vs_wanted *w, struct vs_h5_writer *writer,
	struct vs_codec codec)
{
	vs_h5_writer_group(writer, "/order");
	vs_h5_writer_column(writer, order_path, VS_I64, w->row, w->n_vec,
		codec);
	return vs_h5_writer_code(writer);
}

int
vs_sets_order_read(struct vs_wanted *w, struct vs_h5_reader *r,
	const char *text)
{
	char found[VS_SETS_ORDER] = "";
	uint64_t n = w->n_vec;
	int64_t *row = NULL;
	uint8_t *in = NULL;
	int code = vs_h5_reader_column(r, order_path, VS_I64, &n, &row);

	VS_MEM_NEW(&code, in, w->n_vec, "order of vectors");
	if (!code && mark(w, row, n, 1, in))
		code = vs_sets_order(row, n, found);
	if (!code && strcmp(found, text))
		code = refuse(r, "/order/row is");
	free(in);
	if (code)
		free(row);
	else
		vs_wanted_by_order(w, row);
	return code;
}
