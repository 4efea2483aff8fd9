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

/* Columns [c, c + n) of all lines, which depend on one vector, or a single
 * column of the record. */
struct step {
	struct entry *run; /* texts of these columns, or null */
	unsigned char c, n;
	signed char end; /* -1: of the record, */
	bool value;      /* and its value, which is never unknown */
	int shift;       /* from a cell to the end's label */
};

struct vs_column_cache {
	struct entry *run[N_RUN];
	void *room[N_RUN];
	struct step step[VS_COLUMNS_MOST];
	int n_step; /* 0: not known yet */
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

/* The step that begins at column c. */
static struct step
step_at(const struct vs_show *show, int c)
{
	const struct vs_column *const *column = show->column;
	struct step s = { .c = (unsigned char)c, .end = -1 };

	while (c + s.n < show->n_column &&
		vs_column_is_of_end(column[c + s.n]) &&
		column[c + s.n]->end == column[c]->end)
		s.n++;
	if (s.n)
		s.end = (signed char)column[c]->end;
	else
		s.n = 1;
	s.value = vs_column_is_value(column[c]) && !show->undefined;
	return s;
}

/* From a cell to the label of an end. */
static int
shift_of(const struct vs_record *rec, int end)
{
	return (rec->k == VS_NO_VEC ? 1 : 2) - end;
}

static uint64_t
key_of(const struct vs_record *rec, size_t row, int shift)
{
	return 2 * (uint64_t)row + (rec->cell >> shift & 1) + 1;
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
	const uint64_t key = key_of(rec, row, shift_of(rec, end));

	if (cache && cache->run[end])
		__builtin_prefetch(&cache->run[end][key % N_ENTRY]);
}

/* Put the text of an entry, if it has this key and there is room. */
static inline bool
put_entry(struct vs_out *o, const struct entry *e, uint64_t key)
{
	const size_t len = o->len;

	if (e->key != key || o->room - len < TEXT)
		return false;
	memcpy(o->buf + len, e->text, TEXT);
	o->len = len + e->n;
	return true;
}

void
vs_column_cache_text(struct vs_column_cache *cache, int run, struct vs_out *o,
	const struct vs_line *line, int end, vs_column_cache_put *put,
	const void *with)
{
	const uint64_t key =
		key_of(&line->rec, line->row[end], shift_of(&line->rec, end));
	struct entry *e = find(cache, run, key);
	size_t at = o->len;

	if (e && put_entry(o, e, key))
		return;
	put(o, with, line, end);
	/* unless it is long, or was written meanwhile */
	if (e && o->len >= at && o->len - at <= TEXT) {
		e->key = key;
		e->n = (uint8_t)(o->len - at);
		memcpy(e->text, o->buf + at, e->n);
	}
}

/* Columns of a line. */
struct columns {
	const struct vs_show *show;
	const struct step *step;
	char separator;
	const struct vs_column_style *style;
};

static void
put_columns(struct vs_out *o, const void *with, const struct vs_line *line,
	int end)
{
	const struct columns *x = with;
	const struct step *s = x->step;

	(void)end;
	for (int k = s->c; k < s->c + s->n; k++) {
		if (k)
			vs_out_char(o, x->separator);
		vs_column_put(o, x->show, x->show->column[k], line, x->style);
	}
}

/* The first line, which shows what the steps are. */
static void
put_first(struct vs_column_cache *cache, struct vs_out *o, struct columns *x,
	const struct vs_line *line)
{
	struct step s;

	for (int c = 0, run = 0; c < x->show->n_column; c += s.n) {
		s = step_at(x->show, c);
		x->step = &s;
		if (s.end < 0) {
			put_columns(o, x, line, 0);
		} else {
			vs_column_cache_text(cache, run, o, line, s.end,
				put_columns, x);
			s.shift = shift_of(&line->rec, s.end);
			s.run = cache && run < N_RUN ? cache->run[run] : NULL;
			run++;
		}
		if (cache)
			cache->step[cache->n_step++] = s;
	}
}

void
vs_column_cache_line(struct vs_column_cache *cache, struct vs_out *o,
	const struct vs_show *show, const struct vs_line *line, char separator,
	const struct vs_column_style *style)
{
	struct columns x = { show, NULL, separator, style };
	const int n_step = cache ? cache->n_step : 0;
	int run = 0;

	if (!n_step)
		put_first(cache, o, &x, line);
	for (int k = 0; k < n_step; k++) {
		const struct step *s = x.step = &cache->step[k];
		uint64_t key;

		if (s->value) {
			if (s->c)
				vs_out_char(o, separator);
			vs_column_line_value(o, show, line);
		} else if (s->end < 0) {
			put_columns(o, &x, line, 0);
		} else {
			key = key_of(&line->rec, line->row[s->end], s->shift);
			if (!s->run ||
				!put_entry(o, &s->run[key % N_ENTRY], key))
				vs_column_cache_text(cache, run, o, line,
					s->end, put_columns, &x);
			run++;
		}
	}
	vs_out_char(o, '\n');
}
