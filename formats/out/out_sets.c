/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SetID output, as SKAT reads it: each record is a set of variants, with a line
 * for each one: the set's name, its indices as shown and any cell, and the id.
 */
#include "formats/out/writer.h"

static void
sets_line(struct vs_writer *w, const struct vs_line *line)
{
	const struct vs_record *r = &line->rec;
	const uint64_t index[3] = { r->i, r->j, r->k };
	const int n = r->k == VS_NO_VEC ? 2 : 3;

	for (int e = 0; e < n; e++) {
		size_t len;
		const char *id = vs_text_pool_get(&w->show->sites->id,
			line->row[e], &len);

		for (int x = 0; x < n; x++) {
			vs_out_char(w->out, x ? '_' : 's');
			vs_out_int(w->out, (int64_t)index[x]);
		}
		for (int x = n; w->show->cells && x--;) {
			if (x == n - 1)
				vs_out_char(w->out, '_');
			vs_out_char(w->out, (r->cell >> x & 1) ? '1' : '0');
		}
		vs_out_char(w->out, '\t');
		for (size_t k = 0; k < len; k++)
			vs_out_char(w->out,
				(unsigned char)id[k] <= ' ' ? '_' : id[k]);
		vs_out_char(w->out, '\n');
	}
}

const struct vs_writer_kind vs_writer_sets = {
	.name = "sets",
	.help = "sets of variants, one a record, SetID of SKAT",
	.needs = VS_NEEDS_SITES,
	.line = sets_line,
};
