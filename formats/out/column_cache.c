/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of columns with a separator, and a cache of the texts of vectors. */
#include <stdlib.h>

#include "formats/out/column_cache.h"
#include "libcore/base/mem.h"

/* Entries for each run of columns: 2 MB, most of the vectors that are near. */
#define N_ENTRY 32768
#define N_RUN 3 /* later runs of columns are not cached */
#define TEXT 55

/* A cache line. */
struct entry {
	uint64_t key; /* 0: empty */
	uint8_t n;
	char text[TEXT];
};

struct vs_column_cache {
	struct entry *run[N_RUN];
};

int
vs_column_cache_new(struct vs_column_cache **cache)
{
	return vs_mem_new(cache, 1, sizeof(**cache), "texts of vectors");
}

void
vs_column_cache_free(struct vs_column_cache *cache)
{
	for (int k = 0; cache && k < N_RUN; k++)
		free(cache->run[k]);
	free(cache);
}

/* True if a column says the same of a vector and its allele in every line. */
static bool
is_of_vector(const struct vs_column *c)
{
	return c->needs & VS_NEEDS_SITES && !(c->needs & VS_NEEDS_INDEX);
}

/* Columns from c on that are of one vector alone. */
static int
run_length(const struct vs_show *show, int c)
{
	const struct vs_column *const *column = show->column;
	int n = 0;

	while (c + n < show->n_column && is_of_vector(column[c + n]) &&
		column[c + n]->end == column[c]->end)
		n++;
	return n;
}

static void
put_columns(struct vs_out *o, const struct vs_show *show,
	const struct vs_line *line, int c, int n, char separator,
	const struct vs_column_style *style)
{
	for (int k = c; k < c + n; k++) {
		if (k)
			vs_out_char(o, separator);
		vs_column_put(o, show, show->column[k], line, style);
	}
}

/* Entry of a vector and its allele; null: there is no memory. */
static struct entry *
find(struct vs_column_cache *cache, int run, const struct vs_line *line,
	int end, uint64_t *key)
{
	int last = line->rec.k == VS_NO_VEC ? 1 : 2;

	if (!cache || run >= N_RUN)
		return NULL;
	if (!cache->run[run])
		cache->run[run] = calloc(N_ENTRY, sizeof(struct entry));
	if (!cache->run[run])
		return NULL;
	*key = 2 * (uint64_t)line->row[end] +
		(line->rec.cell >> (last - end) & 1) + 1;
	return &cache->run[run][*key % N_ENTRY];
}

/* A run of columns, from the cache or into it. */
static void
put_run(struct vs_column_cache *cache, int run, struct vs_out *o,
	const struct vs_show *show, const struct vs_line *line, int c, int n,
	char separator, const struct vs_column_style *style)
{
	uint64_t key = 0;
	struct entry *e = find(cache, run, line, show->column[c]->end, &key);
	size_t at = o->len;

	if (e && e->key == key) {
		if (o->room - at < TEXT) {
			vs_out_put(o, e->text, e->n);
		} else {
			memcpy(o->buf + at, e->text, TEXT);
			o->len += e->n;
		}
		return;
	}
	put_columns(o, show, line, c, n, separator, style);
	/* unless it is long, or was written meanwhile */
	if (e && o->len >= at && o->len - at <= TEXT) {
		e->key = key;
		e->n = (uint8_t)(o->len - at);
		memcpy(e->text, o->buf + at, e->n);
	}
}

void
vs_column_cache_line(struct vs_column_cache *cache, struct vs_out *o,
	const struct vs_show *show, const struct vs_line *line, char separator,
	const struct vs_column_style *style)
{
	for (int c = 0, n, run = 0; c < show->n_column; c += n) {
		n = run_length(show, c);
		if (n) {
			put_run(cache, run++, o, show, line, c, n, separator,
				style);
			continue;
		}
		n = 1;
		put_columns(o, show, line, c, n, separator, style);
	}
	vs_out_char(o, '\n');
}
