/* SPDX-License-Identifier: BSD-3-Clause */
/* Provenance groups of a file: tools, commands, sources. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/provenance.h"
#include "libcore/base/clock.h"
#include "libcore/base/mem.h"

/* A command line may be longer than a column of texts may be wide. */
#define MAX_TEXT 4096

/* Columns of /provenance, in the order of struct vs_step's texts. */
static const struct {
	const char *path;
	size_t pool, text;
} columns[] = {
#define COLUMN(name)                                                        \
	{                                                                   \
		"/provenance/" #name, offsetof(struct vs_provenance, name), \
			offsetof(struct vs_step, name)                      \
	}
	COLUMN(tool),
	COLUMN(version),
	COLUMN(command),
	COLUMN(started),
	COLUMN(finished),
	COLUMN(input_content),
	COLUMN(output_uuid),
	COLUMN(host),
#undef COLUMN
};
#define N_COLUMN (sizeof(columns) / sizeof(columns[0]))

static struct vs_text_pool *
pool_of(const struct vs_provenance *p, size_t k)
{
	return (struct vs_text_pool *)((char *)(uintptr_t)p + columns[k].pool);
}

/* Bytes of text that fit, without cutting a UTF-8 character in two. */
static size_t
fitting(const char *text)
{
	size_t n = strlen(text);

	if (n <= MAX_TEXT)
		return n;
	for (n = MAX_TEXT; n && ((unsigned char)text[n] & 0xc0) == 0x80;)
		n--;
	return n;
}

int
vs_provenance_add(struct vs_provenance *p, const struct vs_step *step)
{
	int code = 0;

	for (size_t k = 0; k < N_COLUMN && !code; k++) {
		const char *text;

		memcpy(&text, (const char *)step + columns[k].text,
			sizeof(text));
		if (!text)
			text = "";
		code = vs_text_pool_add(pool_of(p, k), text, fitting(text));
	}
	if (!code)
		p->n++;
	return code;
}

int
vs_provenance_source(struct vs_provenance *p, const char *name, int64_t size,
	const char *xxh128, const char *probe)
{
	int code = vs_mem_grow(&p->source_size, &p->room_source,
		p->n_source + 1, sizeof(*p->source_size), "sources");

	if (!code)
		code = vs_text_pool_add(&p->source_name, name, fitting(name));
	if (!code)
		code = vs_text_pool_add(&p->source_xxh128, xxh128,
			strlen(xxh128));
	if (!code)
		code = vs_text_pool_add(&p->source_probe, probe, strlen(probe));
	if (!code)
		p->source_size[p->n_source++] = size;
	return code;
}

/* Append n texts of a file to a pool. */
static int
read_texts(struct vs_text_pool *to, struct vs_h5_reader *r, const char *path,
	uint64_t n)
{
	struct vs_text_pool texts = { 0 };
	int code = vs_h5_reader_strings(r, path, n, &texts);

	for (size_t k = 0; k < texts.n && !code; k++)
		code = vs_text_pool_add_row(to, &texts, k);
	vs_text_pool_free(&texts);
	return code;
}

static int
read_sources(struct vs_provenance *p, struct vs_h5_reader *r)
{
	int64_t *size = NULL;
	uint64_t n = VS_ROWS_UNKNOWN;
	bool has, probed = false;
	int code = vs_h5_reader_has(r, "/sources", &has);

	if (code || !has)
		return code;
	code = vs_h5_reader_column(r, "/sources/size", VS_I64, &n, &size);
	if (!code)
		code = vs_mem_grow(&p->source_size, &p->room_source,
			p->n_source + n, sizeof(*p->source_size), "sources");
	if (!code)
		code = read_texts(&p->source_name, r, "/sources/name", n);
	if (!code)
		code = read_texts(&p->source_xxh128, r, "/sources/xxh128", n);
	if (!code)
		code = vs_h5_reader_has(r, "/sources/probe", &probed);
	if (!code && probed)
		code = read_texts(&p->source_probe, r, "/sources/probe", n);
	for (size_t k = 0; k < n && !code; k++) {
		p->source_size[p->n_source++] = size[k];
		if (!probed)
			code = vs_text_pool_add(&p->source_probe, "", 0);
	}
	free(size);
	return code;
}

int
vs_provenance_read(struct vs_provenance *p, struct vs_h5_reader *r)
{
	struct vs_h5_reader_data *d = NULL;
	uint64_t n = VS_ROWS_UNKNOWN;
	size_t width;
	bool has;
	int code = vs_h5_reader_has(r, "/provenance", &has);

	if (code || !has)
		return code ? code : read_sources(p, r);
	/* how many steps there are */
	code = vs_h5_reader_data(r, columns[0].path, VS_STR, 1, &n, &width, &d);
	vs_h5_reader_data_close(d);
	for (size_t k = 0; k < N_COLUMN && !code; k++)
		code = read_texts(pool_of(p, k), r, columns[k].path, n);
	if (code)
		return code;
	p->n += n;
	return read_sources(p, r);
}

/* A column, with fill as the last row where that is empty. */
static int
write_column(struct vs_h5_writer *w, const char *path,
	const struct vs_text_pool *pool, const char *fill,
	struct vs_codec codec)
{
	struct vs_text_pool copy = { 0 };
	size_t len;
	int code = 0;

	if (!pool->n || !fill)
		return vs_h5_writer_strings(w, path, pool, codec);
	for (size_t k = 0; k < pool->n && !code; k++) {
		const char *t = vs_text_pool_get(pool, k, &len);

		if (!len && k == pool->n - 1) {
			t = fill;
			len = strlen(fill);
		}
		code = vs_text_pool_add(&copy, t, len);
	}
	if (!code)
		code = vs_h5_writer_strings(w, path, &copy, codec);
	vs_text_pool_free(&copy);
	return code;
}

const char *
vs_provenance_text(const struct vs_provenance *p, size_t s, size_t k,
	const char **name, size_t *len)
{
	if (k >= N_COLUMN)
		return NULL;
	*name = strrchr(columns[k].path, '/') + 1;
	return vs_text_pool_get(pool_of(p, k), s, len);
}

void
vs_provenance_cut(struct vs_provenance *p, const char *tool)
{
	size_t n = 0, len;

	for (; n < p->n; n++) {
		const char *t = vs_text_pool_get(&p->tool, n, &len);

		if (len == strlen(tool) && !memcmp(t, tool, len))
			break;
	}
	for (size_t k = 0; k < N_COLUMN; k++)
		pool_of(p, k)->n = n;
	p->n = n;
}

int
vs_provenance_write(const struct vs_provenance *p, struct vs_h5_writer *w,
	struct vs_codec codec)
{
	char now[21];
	int code = vs_h5_writer_group(w, "/provenance");

	vs_clock_date(now);
	for (size_t k = 0; k < N_COLUMN && !code; k++) {
		const struct vs_text_pool *pool = pool_of(p, k);
		const char *fill = pool == &p->output_uuid
			? vs_h5_writer_uuid(w)
			: pool == &p->finished ? now
					       : NULL;

		code = write_column(w, columns[k].path, pool, fill, codec);
	}
	if (code)
		return code;
	vs_h5_writer_group(w, "/sources");
	vs_h5_writer_strings(w, "/sources/name", &p->source_name, codec);
	vs_h5_writer_column(w, "/sources/size", VS_I64, p->source_size,
		p->n_source, codec);
	if (p->n_source && p->source_probe.offset[p->n_source])
		vs_h5_writer_strings(w, "/sources/probe", &p->source_probe,
			codec);
	return vs_h5_writer_strings(w, "/sources/xxh128", &p->source_xxh128,
		codec);
}

void
vs_provenance_free(struct vs_provenance *p)
{
	for (size_t k = 0; k < N_COLUMN; k++)
		vs_text_pool_free(pool_of(p, k));
	vs_text_pool_free(&p->source_name);
	vs_text_pool_free(&p->source_xxh128);
	vs_text_pool_free(&p->source_probe);
	free(p->source_size);
	memset(p, 0, sizeof(*p));
}
