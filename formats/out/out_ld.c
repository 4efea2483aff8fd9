/* SPDX-License-Identifier: BSD-3-Clause */
/* PLINK .ld output: chromosome, position and id of both ends, and the value. */
#include "formats/out/column_cache.h"
#include "formats/out/writer.h"
#include "libcore/base/fail.h"
#include "libcore/base/num.h"

/* Columns are as wide as PLINK's if names are short. */
#define WIDE_CONTIG 6
#define WIDE_POS 12
#define WIDE_ID 11

static void
put_right(struct vs_out *o, const char *text, size_t len, size_t width)
{
	static const char blanks[] = "            ";

	vs_out_put(o, blanks, 1 + (len < width ? width - len : 0));
	vs_out_put(o, text, len);
}

static void
put_word(struct vs_out *o, const char *text, size_t width)
{
	put_right(o, text, strlen(text), width);
}

static int
ld_begin(struct vs_writer *w)
{
	static const char *const heads[2][3] = { { "CHR_A", "BP_A", "SNP_A" },
		{ "CHR_B", "BP_B", "SNP_B" } };
	/* metrics, and their columns */
	static const char *const of[][2] = { { "r2", "R2" }, { "r2em", "R2" },
		{ "dprime", "DP" }, { "d", "D" }, { NULL, NULL } };
	const char *is = w->show->metric ? w->show->metric : "no metric";
	size_t k = 0;

	while (of[k][0] && strcmp(of[k][0], is))
		k++;
	if (!of[k][0])
		return vs_fail(VS_EUSAGE,
			"--to ld shows r2, r2em, dprime or d; this is a result "
			"of %s",
			is);
	if (!w->show->head)
		return 0;
	for (int e = 0; e < 2; e++) {
		put_word(w->out, heads[e][0], WIDE_CONTIG - 1);
		put_word(w->out, heads[e][1], WIDE_POS);
		put_word(w->out, heads[e][2], WIDE_ID);
	}
	put_word(w->out, of[k][1], WIDE_POS);
	vs_out_char(w->out, '\n');
	return 0;
}

static void
put_end(struct vs_out *o, const void *sites, const struct vs_line *line,
	int end)
{
	const struct vs_sites *s = sites;
	size_t row = line->row[end], len;
	const char *name = vs_column_contig_name(s, row, &len);
	char text[VS_NUM_ROOM];
	int n = vs_num_print_int(s->pos ? s->pos[row] : 0, text);

	put_right(o, name ? name : "0", name ? len : 1, WIDE_CONTIG - 1);
	put_right(o, text, (size_t)n, WIDE_POS);
	name = vs_text_pool_get(&s->id, row, &len);
	put_right(o, name, len, WIDE_ID);
}

static void
ld_line(struct vs_writer *w, const struct vs_line *line)
{
	char text[VS_NUM_ROOM];
	int n;

	for (int e = 0; e < 2; e++)
		vs_column_cache_text(w->cache, e, w->out, line, e, put_end,
			w->show->sites);
	if (line->text) {
		put_right(w->out, line->text->text, (size_t)line->text->n,
			WIDE_POS);
		vs_out_char(w->out, '\n');
		return;
	}
	n = w->show->f32 ? vs_num_print_f32((float)line->rec.value, text)
			 : vs_num_print(line->rec.value, text);
	put_right(w->out, text, (size_t)n, WIDE_POS);
	vs_out_char(w->out, '\n');
}

const struct vs_writer_kind vs_writer_ld = {
	.name = "ld",
	.help = "the columns of PLINK --r2, with R2, DP or D",
	.needs = VS_NEEDS_SITES | VS_NEEDS_PAIRS,
	.begin = ld_begin,
	.line = ld_line,
};
