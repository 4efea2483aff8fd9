/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of columns with a separator, and a cache of the texts of vectors. */
#include <stdlib.h>

#include "formats/out/column_cache.h"
#include "libcore/base/mem.h"

/* Entries for each run of columns: 2 MB, enough for most nearby vectors. */
#define N_ENTRY 32768
#define N_RUN 4 /* later runs of columns are not cached */
#define TEXT 55

/* A cache line. */
struct entry {
	uint64_t key; /* 0: empty */
	uint8_t n;
	char text[TEXT];
};

struct vs_column_cache {
	struct entry *run[N_RUN];
	void *room[N_RUN];
	/* columns of each run, which are the same in all lines; 0: not known */
	unsigned char length[VS_COLUMNS_MOST + 1];
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
		free(cache->room[k]);
	free(cache);
}

/* Number of columns from c on that depend on one vector only, plus one. */
static int
run_length(struct vs_column_cache *cache, const struct vs_show *show, int c)
{
	const struct vs_column *const *column = show->column;
	int n = 0;

	if (cache && cache->length[c])
		return cache->length[c];
	while (c + n < show->n_column && vs_column_is_of_end(column[c + n]) &&
		column[c + n]->end == column[c]->end)
		n++;
	if (cache)
		cache->length[c] = (unsigned char)(n + 1);
	return n + 1;
}

static uint64_t
key_of(const struct vs_record *rec, size_t row, int end)
{
	int last = rec->k == VS_NO_VEC ? 1 : 2;

	return 2 * (uint64_t)row + (rec->cell >> (last - end) & 1) + 1;
}

/* The first aligned address for an entry in room, or null. */
static struct entry *
align(char *room)
{
	return room ? (struct entry *)(room +
			      (-(uintptr_t)room & (sizeof(struct entry) - 1)))
		    : NULL;
}

/* Entry of a vector and its allele; null: no memory. */
static struct entry *
find(struct vs_column_cache *cache, int run, uint64_t key)
{
	if (!cache || run >= N_RUN)
		return NULL;
	if (!cache->run[run]) {
		/* untouched zero pages; an entry across two cache lines would
		 * be twice as slow */
		cache->room[run] = calloc(N_ENTRY + 1, sizeof(struct entry));
		cache->run[run] = align(cache->room[run]);
	}
	return cache->run[run] ? &cache->run[run][key % N_ENTRY] : NULL;
}

void
vs_column_cache_fetch(const struct vs_column_cache *cache,
	const struct vs_record *rec, size_t row, int end)
{
	const uint64_t key = key_of(rec, row, end);

	if (cache && cache->run[end])
		__builtin_prefetch(&cache->run[end][key % N_ENTRY]);
}

void
vs_column_cache_text(struct vs_column_cache *cache, int run, struct vs_out *o,
	const struct vs_line *line, int end, vs_column_cache_put *put,
	const void *with)
{
	const uint64_t key = key_of(&line->rec, line->row[end], end);
	struct entry *e = find(cache, run, key);
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
	put(o, with, line, end);
	/* unless it is long, or was written meanwhile */
	if (e && o->len >= at && o->len - at <= TEXT) {
		e->key = key;
		e->n = (uint8_t)(o->len - at);
		memcpy(e->text, o->buf + at, e->n);
	}
}

/* Columns [c, c + n) of a line. */
struct columns {
	const struct vs_show *show;
	int c, n;
	char separator;
	const struct vs_column_style *style;
};

static void
put_columns(struct vs_out *o, const void *with, const struct vs_line *line,
	int end)
{
	const struct columns *x = with;

	(void)end;
	for (int k = x->c; k < x->c + x->n; k++) {
		if (k)
			vs_out_char(o, x->separator);
		vs_column_put(o, x->show, x->show->column[k], line, x->style);
	}
}

void
vs_column_cache_line(struct vs_column_cache *cache, struct vs_out *o,
	const struct vs_show *show, const struct vs_line *line, char separator,
	const struct vs_column_style *style)
{
	struct columns x = { show, 0, 0, separator, style };

	for (int run = 0; x.c < show->n_column; x.c += x.n) {
		x.n = run_length(cache, show, x.c) - 1;
		if (x.n) {
			vs_column_cache_text(cache, run++, o, line,
				show->column[x.c]->end, put_columns, &x);
			continue;
		}
		x.n = 1;
		put_columns(o, &x, line, 0);
	}
	vs_out_char(o, '\n');
}
