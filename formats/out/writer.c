/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of output formats, made from the rows of formats/out/rows.h. */
#include <assert.h>
#include <stdio.h>

#include "formats/out/writer.h"

static const struct vs_writer_kind *const kinds[] = {
#define WRITER(name) &vs_writer_##name,
#include "formats/out/rows.h"
#undef WRITER
};

#define N_KIND (sizeof(kinds) / sizeof(kinds[0]))

const struct vs_writer_kind *
vs_writer_find(const char *name)
{
	for (size_t k = 0; k < N_KIND; k++)
		if (!strcmp(kinds[k]->name, name))
			return kinds[k];
	return NULL;
}

void
vs_writer_words(char names[VS_WRITER_WORDS], char detail[VS_WRITER_WORDS],
	bool lines)
{
	size_t n = 0, h = 0;

	for (size_t k = 0; k < N_KIND; k++) {
		if (lines && kinds[k]->finish)
			continue;
		n += (size_t)snprintf(names + n, VS_WRITER_WORDS - n, "%s%s",
			k ? "|" : "", kinds[k]->name);
		h += (size_t)snprintf(detail + h, VS_WRITER_WORDS - h,
			"%s\t%s\n", kinds[k]->name, kinds[k]->help);
		assert(n < VS_WRITER_WORDS && h < VS_WRITER_WORDS);
	}
}

int
vs_writer_begin(struct vs_writer *w, const struct vs_writer_kind *kind,
	const struct vs_show *show, struct vs_out *out)
{
	w->kind = kind;
	w->show = show;
	w->out = out;
	w->state = NULL;
	w->cache = NULL;
	return kind->begin ? kind->begin(w) : 0;
}

void
vs_writer_end(struct vs_writer *w)
{
	if (w->kind && w->kind->end)
		w->kind->end(w);
	w->kind = NULL;
}
