/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BEDPE output, as bedtools reads it: chrom, start and end of both vectors,
 * name, score and strands, without a header line. Intervals are 0-based and
 * half-open; a vector is as long as its source's first allele, REF in a VCF, if
 * that is spelt out, else one base.
 */
#include "formats/out/writer.h"

/* A name as one field: blanks and control characters become '_'. */
static void
put_name(struct vs_out *o, const char *text, size_t len)
{
	for (size_t k = 0; k < len; k++)
		vs_out_char(o, (unsigned char)text[k] <= ' ' ? '_' : text[k]);
}

/* Number of bases covered by the vector of a row. */
static int64_t
n_base(const struct vs_sites *s, size_t row)
{
	static const char bases[] = "ACGTNacgtn";
	unsigned source =
		s->allele1_source ? s->allele1_source[row] : VS_ALLELE_UNKNOWN;
	const struct vs_text_pool *pool =
		&s->allele[source == VS_ALLELE_FIRST ? 1 : 0];
	const char *text;
	size_t len = 0;

	if (source == VS_ALLELE_UNKNOWN || row >= pool->n)
		return 1;
	text = vs_text_pool_get(pool, row, &len);
	for (size_t k = 0; k < len; k++)
		if (!memchr(bases, text[k], sizeof(bases) - 1))
			return 1;
	return len ? (int64_t)len : 1;
}

static void
put_place(struct vs_out *o, const struct vs_sites *s, size_t row)
{
	size_t len;
	const char *contig = vs_column_contig_name(s, row, &len);
	int64_t pos = s->pos ? s->pos[row] : 0;

	if (!contig || !len || pos < 1) {
		vs_out_text(o, ".\t-1\t-1\t");
		return;
	}
	put_name(o, contig, len);
	vs_out_char(o, '\t');
	vs_out_int(o, pos - 1);
	vs_out_char(o, '\t');
	vs_out_int(o, pos - 1 + n_base(s, row));
	vs_out_char(o, '\t');
}

static void
bedpe_line(struct vs_writer *w, const struct vs_line *line)
{
	const struct vs_sites *s = w->show->sites;
	const char *name;
	size_t len;

	for (int e = 0; e < 2; e++)
		put_place(w->out, s, line->row[e]);
	for (int e = 0; e < 2; e++) {
		if (e)
			vs_out_char(w->out, '-');
		name = vs_text_pool_get(&s->id, line->row[e], &len);
		put_name(w->out, name, len);
		if (!w->show->cells)
			continue;
		vs_out_char(w->out, ':');
		name = vs_column_allele_name(s, line->row[e],
			(int)(line->rec.cell >> (1 - e) & 1), &len);
		put_name(w->out, name, len);
	}
	vs_out_char(w->out, '\t');
	vs_column_value(w->out, w->show, line->rec.value);
	vs_out_text(w->out, "\t.\t.\n");
}

const struct vs_writer_kind vs_writer_bedpe = {
	.name = "bedpe",
	.help = "for bedtools and genome browsers",
	.needs = VS_NEEDS_SITES | VS_NEEDS_PAIRS,
	.line = bedpe_line,
};
