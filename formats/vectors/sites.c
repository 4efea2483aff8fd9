/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of sites and samples in a vectors file. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/vectors/sites.h"
#include "libcore/base/digest.h"
#include "libcore/base/mem.h"

const struct vs_sites_column vs_sites_columns[VS_SITES_NUMBERS] = {
#define COLUMN(name, member, type, n, expected)                           \
	{                                                                 \
		name, offsetof(struct vs_sites, member), type, n,         \
			sizeof(*((struct vs_sites *)0)->member), expected \
	}
	COLUMN("contig", contig, VS_I32, 1, "a row of /contigs, or -1"),
	COLUMN("pos", pos, VS_I64, 1, "0 or more"),
	COLUMN("allele1_source", allele1_source, VS_U8, 1, "0, 1 or 255"),
	COLUMN("genotype_count", count, VS_I64, 4, NULL),
	COLUMN("source_row", source_row, VS_I64, 1, NULL),
	COLUMN("haploid", haploid, VS_U8, 1, "0, 1 or 2"),
	COLUMN("male_count", males, VS_I64, 2, NULL),
	COLUMN("cm", cm, VS_F64, 1, "-1000000 to 1000000, or NaN"),
	COLUMN("annotation", annotated, VS_F64, 0, "-1e15 to 1e15"),
#undef COLUMN
};

/* Place of the pointer to the rows of a column. */
static void *
place_of(struct vs_sites *s, int column)
{
	return (char *)s + vs_sites_columns[column].at;
}

static int
same(const struct vs_text_pool *p, int32_t row, const char *text, size_t len)
{
	size_t have;
	const char *t = vs_text_pool_get(p, (size_t)row, &have);

	return have == len && !memcmp(t, text, len);
}

int
vs_sites_contig(struct vs_sites *s, const char *text, size_t len, int32_t *row)
{
	size_t n = s->contig_name.n;
	int code;

	*row = len ? s->last_contig : -1;
	/* inputs often repeat a name in consecutive rows */
	if (!len || (n && same(&s->contig_name, *row, text, len)))
		return 0;
	code = vs_text_index_make(&s->contig_index, &s->contig_name);
	if (code)
		return code;
	*row = (int32_t)vs_text_index_find(&s->contig_index, text, len);
	if (*row >= 0) {
		s->last_contig = *row;
		return 0;
	}
	code = vs_mem_grow(&s->contig_length, &s->room[VS_SITES_NUMBERS], n + 1,
		sizeof(*s->contig_length), "contigs");
	if (!code)
		code = vs_text_pool_add(&s->contig_name, text, len);
	if (code)
		return code;
	s->contig_length[n] = 0;
	s->last_contig = *row = (int32_t)n;
	return 0;
}

int
vs_sites_room(struct vs_sites *s, size_t n)
{
	int code = 0;

	for (int k = 0; k < VS_SITES_HAPLOID && !code; k++)
		code = vs_mem_grow(place_of(s, k), &s->room[k], n,
			vs_sites_columns[k].bytes, "sites");
	for (int k = 0; k < 3 && !code; k++) {
		struct vs_text_pool *p = k < 2 ? &s->allele[k] : &s->id;

		code = vs_mem_grow(&p->offset, &p->room_offset, n + 1,
			sizeof(*p->offset), "sites");
	}
	return code;
}

/* The columns of haploid fields start with the first vector that has some. */
static int
add_haploid(struct vs_sites *s, const struct vs_site *site)
{
	const size_t from = s->haploid ? s->n : 0;
	int code = 0;

	if (!s->haploid && !site->haploid)
		return 0;
	/* the kinds last: they show that both are there */
	for (int k = VS_SITES_MALES; k >= VS_SITES_HAPLOID && !code; k--)
		code = vs_mem_grow(place_of(s, k), &s->room[k], s->n + 1,
			vs_sites_columns[k].bytes, "sites");
	if (code)
		return code;
	memset(s->haploid + from, 0, s->n + 1 - from);
	memset(s->males + from, 0, (s->n + 1 - from) * sizeof(*s->males));
	s->haploid[s->n] = site->haploid;
	memcpy(s->males[s->n], site->males, sizeof(site->males));
	return 0;
}

int
vs_sites_add(struct vs_sites *s, const struct vs_site *site)
{
	int code = vs_sites_room(s, s->n + 1);
	int32_t contig = -1;

	if (!code)
		code = add_haploid(s, site);
	if (!code)
		code = vs_sites_contig(s, site->contig, site->contig_len,
			&contig);
	if (!code)
		code = vs_text_pool_add(&s->id, site->id, site->id_len);
	for (int a = 0; a < 2 && !code; a++)
		code = vs_text_pool_add(&s->allele[a], site->allele[a],
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
	site->id = vs_text_pool_get(&s->id, row, &site->id_len);
	site->contig = "";
	if (s->contig[row] >= 0)
		site->contig = vs_text_pool_get(&s->contig_name,
			(size_t)s->contig[row], &site->contig_len);
	for (int a = 0; a < 2; a++)
		site->allele[a] = vs_text_pool_get(&s->allele[a], row,
			&site->allele_len[a]);
	site->pos = s->pos[row];
	site->allele1_source = s->allele1_source[row];
	memcpy(site->count, s->count[row], sizeof(site->count));
	if (s->haploid) {
		site->haploid = s->haploid[row];
		memcpy(site->males, s->males[row], sizeof(site->males));
	}
	site->source_row = s->source_row[row];
}

int
vs_sites_copy(struct vs_sites *to, const struct vs_sites *from)
{
	struct vs_sites s = { .n = from->n, .ploidy = from->ploidy };
	int code = vs_text_pool_copy(&s.id, &from->id);

	for (int a = 0; a < 2 && !code; a++)
		code = vs_text_pool_copy(&s.allele[a], &from->allele[a]);
	if (!code)
		code = vs_text_pool_copy(&s.contig_name, &from->contig_name);
	if (!code)
		code = vs_text_pool_copy(&s.annotation, &from->annotation);
	for (int k = 0; k < VS_SITES_NUMBERS && !code; k++)
		code = vs_mem_copy(place_of(&s, k), vs_sites_rows(from, k), s.n,
			vs_sites_row_bytes(from, k), "sites");
	if (!code)
		code = vs_mem_copy(&s.contig_length, from->contig_length,
			from->contig_name.n, sizeof(*s.contig_length), "sites");
	if (code)
		vs_sites_free(&s);
	*to = s;
	return code;
}

void
vs_sites_free(struct vs_sites *s)
{
	if (s->lent)
		memset(s, 0, sizeof(*s));
	vs_text_pool_free(&s->id);
	vs_text_pool_free(&s->allele[0]);
	vs_text_pool_free(&s->allele[1]);
	vs_text_pool_free(&s->contig_name);
	vs_text_pool_free(&s->annotation);
	for (int k = 0; k < VS_SITES_NUMBERS; k++)
		free(vs_sites_rows(s, k));
	free(s->contig_length);
	vs_text_index_free(&s->contig_index);
	memset(s, 0, sizeof(*s));
}

#define CHR "chr"
#define N_CHR 3

static bool
has_chr(const char *name, size_t len)
{
	return len > N_CHR && !strncasecmp(name, CHR, N_CHR);
}

bool
vs_sites_contig_same(const char *a, size_t n_a, const char *b, size_t n_b)
{
	size_t k = has_chr(a, n_a) ? N_CHR : 0, m = has_chr(b, n_b) ? N_CHR : 0;

	return n_a - k == n_b - m && !memcmp(a + k, b + m, n_a - k);
}

int64_t
vs_sites_find_turned(const struct vs_text_index *x, const char *id, size_t len)
{
	char with[256] = CHR;

	if (!memchr(id, ':', len))
		return -1;
	if (has_chr(id, len))
		return vs_text_index_find(x, id + N_CHR, len - N_CHR);
	if (len + N_CHR >= sizeof(with))
		return -1;
	memcpy(with + N_CHR, id, len);
	return vs_text_index_find(x, with, len + N_CHR);
}

int64_t
vs_sites_find(const struct vs_text_index *x, const char *id, size_t len,
	bool *turned)
{
	int64_t row = vs_text_index_find(x, id, len);

	if (row < 0) {
		row = vs_sites_find_turned(x, id, len);
		*turned |= row >= 0;
	}
	return row;
}

/* The rows whose ids others may have, too, and these ids. */
static int
shared_ids(const struct vs_sites *s, uint64_t **row, struct vs_text_pool *id)
{
	const size_t n = s->id.n;
	size_t n_shared = 0, len;
	int code = vs_mem_room(row, n, sizeof(**row), "variants");

	for (size_t v = 0; v < n && !code; v++) {
		const char *name = vs_text_pool_get(&s->id, v, &len);

		(*row)[v] = vs_digest_64(name, len);
	}
	if (!code)
		code = vs_digest_shared(*row, n, &n_shared);
	for (size_t k = 0; k < n_shared && !code; k++)
		code = vs_text_pool_add_row(id, &s->id, (*row)[k]);
	return code;
}

int
vs_sites_repeats(const struct vs_sites *s, size_t *n, size_t *first)
{
	struct vs_text_index index = { 0 };
	struct vs_text_pool id = { 0 };
	uint64_t *row = NULL;
	uint8_t *repeats = NULL;
	size_t len;
	int code = shared_ids(s, &row, &id);

	if (!code)
		code = vs_text_index_make(&index, &id);
	VS_MEM_NEW(&code, repeats, id.n, "variants");
	*first = s->id.n;
	for (size_t v = 0; v < id.n && !code; v++) {
		const char *name = vs_text_pool_get(&id, v, &len);
		size_t k = (size_t)vs_text_index_find(&index, name, len);

		if (k == v || repeats[k])
			continue;
		repeats[k] = 1;
		++*n;
		if (row[k] < *first)
			*first = row[k];
	}
	free(row);
	free(repeats);
	vs_text_index_free(&index);
	vs_text_pool_free(&id);
	return code;
}

int
vs_sites_samples_join(const struct vs_samples *s, const char *between,
	struct vs_text_pool *name)
{
	struct vs_text t = { 0 };
	const char *word;
	size_t len;
	int code = 0;

	for (size_t q = 0; q < s->n && !code; q++) {
		t.len = 0;
		if (s->family.n && between) {
			word = vs_text_pool_get(&s->family, q, &len);
			vs_text_put(&t, word, len);
			vs_text_put(&t, between, strlen(between));
		}
		word = vs_text_pool_get(&s->id, q, &len);
		code = vs_text_put(&t, word, len);
		if (!code)
			code = vs_text_pool_add(name, t.bytes, t.len);
	}
	vs_text_free(&t);
	return code;
}

int
vs_sites_samples_number(struct vs_samples *s, size_t n)
{
	char id[32];
	int code = 0;

	for (size_t q = 0; q < n && !code; q++)
		code = vs_text_pool_add(&s->id, id,
			(size_t)snprintf(id, sizeof(id), "s%zu", q + 1));
	s->n = s->id.n;
	return code;
}

int
vs_sites_samples_keys(const struct vs_samples *s, struct vs_text_pool *key)
{
	return vs_sites_samples_join(s, " ", key);
}

int
vs_sites_samples_twice(const struct vs_samples *s, int64_t row[2],
	struct vs_text *key)
{
	struct vs_text_index index = { 0 };
	struct vs_text_pool keys = { 0 };
	const char *word;
	size_t len;
	int code = vs_sites_samples_keys(s, &keys);

	row[0] = row[1] = -1;
	if (!code)
		code = vs_text_index_make(&index, &keys);
	if (!code)
		row[1] = vs_text_index_duplicate(&index);
	if (row[1] >= 0) {
		word = vs_text_pool_get(&keys, (size_t)row[1], &len);
		row[0] = vs_text_index_find(&index, word, len);
		code = vs_text_put(key, word, len);
	}
	vs_text_index_free(&index);
	vs_text_pool_free(&keys);
	return code;
}

void
vs_sites_samples_drop(struct vs_samples *s)
{
	for (size_t k = 0; s->phenotype && k < s->phenotype_name.n; k++)
		free(s->phenotype[k]);
	free(s->phenotype);
	free(s->case_status);
	free(s->trait);
	vs_text_pool_free(&s->phenotype_name);
	s->phenotype = NULL;
	s->case_status = NULL;
	s->trait = NULL;
}

void
vs_sites_samples_free(struct vs_samples *s)
{
	vs_sites_samples_drop(s);
	vs_text_pool_free(&s->id);
	vs_text_pool_free(&s->family);
	free(s->sex);
	free(s->child);
	memset(s, 0, sizeof(*s));
}
