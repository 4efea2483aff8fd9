/* SPDX-License-Identifier: BSD-3-Clause */
#include "formats/writer.h"

static const struct vs_writer_kind *const kinds[] = {
#define X(NAME) &vs_writer_##NAME,
	VS_WRITERS(X)
#undef X
};

const struct vs_writer_kind *
vs_writer_find(const char *name)
{
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		if (!strcmp(kinds[k]->name, name))
			return kinds[k];
	return NULL;
}

int
vs_writer_begin(struct vs_writer *w, const struct vs_writer_kind *kind,
	const struct vs_show *show, struct vs_out *out)
{
	w->kind = kind;
	w->show = show;
	w->out = out;
	w->state = NULL;
	return kind->begin ? kind->begin(w) : 0;
}

void
vs_writer_end(struct vs_writer *w)
{
	if (w->kind && w->kind->end)
		w->kind->end(w);
	w->kind = NULL;
}
