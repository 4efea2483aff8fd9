/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "formats/sites.h"
#include "libcore/base/mem.h"

static int
same(const struct vs_pool *p, int32_t row, const char *text, size_t len)
{
	size_t have;
	const char *t = vs_pool_get(p, (size_t)row, &have);

	return have == len && !memcmp(t, text, len);
}

/* Row of a contig, new when not known; inputs name one many times running. */
static int
contig_row(struct vs_sites *s, const char *text, size_t len, int32_t *row)
{
	struct vs_pool *p = &s->contig_name;
	size_t n = p->n;
	int code;

	*row = -1;
	if (!len)
		return 0;
	if (s->n && s->contig[s->n - 1] >= 0)
		*row = s->contig[s->n - 1];
	if (*row >= 0 && same(p, *row, text, len))
		return 0;
	for (*row = 0; (size_t)*row < n; ++*row)
		if (same(p, *row, text, len))
			return 0;
	code = vs_grow(&s->contig_length, &s->room[5], n + 1,
		sizeof(*s->contig_length), "contigs");
	if (!code)
		code = vs_pool_add(p, text, len);
	if (!code)
		s->contig_length[n] = 0;
	return code;
}

static int
grow_columns(struct vs_sites *s)
{
	size_t need = s->n + 1;
	int code;

	if ((code = vs_grow(&s->contig, &s->room[0], need, sizeof(*s->contig),
		     "sites")) ||
		(code = vs_grow(&s->pos, &s->room[1], need, sizeof(*s->pos),
			 "sites")) ||
		(code = vs_grow(&s->allele1_source, &s->room[2], need,
			 sizeof(*s->allele1_source), "sites")) ||
		(code = vs_grow(&s->count, &s->room[3], need, sizeof(*s->count),
			 "sites")))
		return code;
	return vs_grow(&s->source_row, &s->room[4], need,
		sizeof(*s->source_row), "sites");
}

int
vs_sites_add(struct vs_sites *s, const struct vs_site *site)
{
	int code = grow_columns(s);
	int32_t contig = -1;

	if (!code)
		code = contig_row(s, site->contig, site->contig_len, &contig);
	if (!code)
		code = vs_pool_add(&s->id, site->id, site->id_len);
	for (int a = 0; a < 2 && !code; a++)
		code = vs_pool_add(&s->allele[a], site->allele[a],
			site->allele_len[a]);
	if (code)
		return code;
	s->contig[s->n] = contig;
	s->pos[s->n] = site->pos;
	s->allele1_source[s->n] = site->allele1_source;
	memcpy(s->count[s->n], site->count, sizeof(site->count));
	s->source_row[s->n] = site->source_row;
	s->n++;
	return 0;
}

void
vs_sites_get(const struct vs_sites *s, size_t row, struct vs_site *site)
{
	memset(site, 0, sizeof(*site));
	site->id = vs_pool_get(&s->id, row, &site->id_len);
	site->contig = "";
	if (s->contig[row] >= 0)
		site->contig = vs_pool_get(&s->contig_name,
			(size_t)s->contig[row], &site->contig_len);
	for (int a = 0; a < 2; a++)
		site->allele[a] =
			vs_pool_get(&s->allele[a], row, &site->allele_len[a]);
	site->pos = s->pos[row];
	site->allele1_source = s->allele1_source[row];
	memcpy(site->count, s->count[row], sizeof(site->count));
	site->source_row = s->source_row[row];
}

void
vs_sites_free(struct vs_sites *s)
{
	vs_pool_free(&s->id);
	vs_pool_free(&s->allele[0]);
	vs_pool_free(&s->allele[1]);
	vs_pool_free(&s->contig_name);
	free(s->contig);
	free(s->pos);
	free(s->allele1_source);
	free(s->count);
	free(s->source_row);
	free(s->contig_length);
	memset(s, 0, sizeof(*s));
}

double
vs_site_freq1(const int64_t count[4])
{
	int64_t known = count[0] + count[1] + count[2];

	return known ? (double)(count[1] + 2 * count[2]) / (double)(2 * known)
		     : 0;
}

void
vs_samples_free(struct vs_samples *s)
{
	for (size_t k = 0; s->phenotype && k < s->phenotype_name.n; k++)
		free(s->phenotype[k]);
	free(s->phenotype);
	vs_pool_free(&s->phenotype_name);
	vs_pool_free(&s->id);
	vs_pool_free(&s->family);
	free(s->sex);
	free(s->case_status);
	memset(s, 0, sizeof(*s));
}
