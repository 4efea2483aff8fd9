/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules common to all genotype readers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/in/names.h"
#include "formats/in/reader.h"
#include "libcore/base/digest.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"

#define LONG_ALLELE 24
#define SHOWN_ALLELE 16

static int
check_twice(const struct vs_samples *s)
{
	struct vs_text key = { 0 };
	int64_t row[2];
	int code = vs_sites_samples_twice(s, row, &key);

	if (!code && row[1] >= 0)
		code = vs_fail(VS_EINPUT,
			"sample %s occurs twice, as number %lld and %lld; "
			"rename or drop one",
			key.bytes, (long long)row[0] + 1,
			(long long)row[1] + 1);
	vs_text_free(&key);
	return code;
}

/* Shorten and count ids that are too long, and count names not in UTF-8. */
static int
check_names(struct vs_reader *r, struct vs_text_pool *id)
{
	struct vs_text_pool all = { 0 };
	int code = 0;

	for (size_t q = 0; q < id->n && !code; q++) {
		size_t len;
		const char *name = vs_text_pool_get(id, q, &len);

		code = vs_names_add(&all, name, len, &r->tally.names);
	}
	vs_text_pool_free(id);
	*id = all;
	return code;
}

/* Length of name without one suffix of a list; all of it if it has none. */
static size_t
before_ending(const char *name, size_t len, const char *const *endings)
{
	for (; *endings; endings++) {
		size_t n = strlen(*endings);

		if (len > n + 1 && name[len - n - 1] == '.' &&
			!memcmp(name + len - n, *endings, n))
			return len - n - 1;
	}
	return len;
}

/*
 * Path of the file with suffix number n. name is PREFIX or one of its files; if
 * only a packed file exists, such as PREFIX.bed.gz or PREFIX.bed.zst, it is
 * that one.
 */
static int
find_file(struct vs_reader *r, const char *name, size_t n)
{
	static const char *const packings[] = { "gz", "zst", "xz", "bz2",
		NULL };
	const char *const *suffixes = r->kind->suffixes;
	size_t len = strlen(name), bare = before_ending(name, len, packings),
	       prefix = before_ending(name, bare, suffixes);
	struct vs_text t = { 0 };
	int code;

	/* x.gz alone is a prefix */
	prefix = prefix < bare ? prefix : len;
	code = vs_text_add(&t, "%.*s.%s", (int)prefix, name, suffixes[n]);
	for (size_t k = 0; !code && access(t.bytes, F_OK) && packings[k]; k++) {
		size_t plain = t.len;

		code = vs_text_add(&t, ".%s", packings[k]);
		if (code || !access(t.bytes, F_OK))
			break;
		t.bytes[t.len = plain] = 0;
	}
	if (code)
		vs_text_free(&t);
	else
		r->path[n] = t.bytes;
	return code;
}

/* Make what open() of the kind expects. */
static int
begin(struct vs_reader *r, const char *const file[2])
{
	const char *const *suffixes = r->kind->suffixes, *name = file[0];
	int code = vs_mem_new(&r->state, 1, r->kind->state, "reader");

	for (int n = 0; n < 2 && !suffixes && file[n] && !code; n++)
		code = vs_mem_copy_text(&r->path[n], file[n]);
	for (size_t n = 0; !code && suffixes && suffixes[n]; n++)
		code = find_file(r, name, n);
	return code;
}

static int
check_field(const struct vs_reader *r, const char *name)
{
	const char *own = r->kind->field;

	return !r->field || !own || !strcmp(r->field, own)
		? 0
		: vs_fail(VS_EUSAGE,
			  "%s: --format-field %s: of --%s it is %s, the dosage "
			  "of the second allele",
			  name, r->field, r->kind->name, own);
}

int
vs_reader_open(struct vs_reader *r, const struct vs_reader_kind *kind,
	const char *name, const struct vs_reader_how *how,
	struct vs_provenance *provenance)
{
	int code;

	memset(r, 0, sizeof(*r));
	r->kind = kind;
	r->n_site = -1;
	r->ploidy = how->ploidy ? how->ploidy : 1;
	r->haplotypes = !how->ploidy;
	r->threads = how->threads;
	r->field = how->field;
	r->status = how->status;
	r->table = how->table;
	r->provenance = provenance;
	code = check_field(r, name);
	if (!code)
		code = begin(r, (const char *const[2]){ name, how->sample });
	if (!code)
		code = kind->open(r);
	if (code)
		goto out;
	code = check_twice(&r->samples);
	if (!code)
		code = check_names(r, &r->samples.id);
	if (!code && r->samples.n >= 1 << 24)
		code = vs_fail(VS_EINPUT,
			"%zu samples: 16777216 or more are refused, since "
			"values would not be exact in double precision",
			r->samples.n);
	if (code)
		code = vs_fail_at(code, "%s",
			strcmp(name, "-") ? name : "standard input");
out:
	if (code)
		vs_reader_close(r);
	return code;
}

static int
pass_over(struct vs_reader *r, uint64_t n)
{
	struct vs_input_site site;
	int code = 1;

	while (code == 1 && n--)
		code = r->kind->next(r, &site);
	return code < 0 ? code : 0;
}

int
vs_reader_cut(struct vs_reader *r, int64_t k, int64_t n)
{
	r->part.k = k;
	r->part.n = n;
	if (r->kind->cut)
		return r->kind->cut(r);
	if (r->n_site < 0)
		return vs_fail(VS_EINPUT,
			"--part is not supported with --%s; convert to .bed "
			"or omit --part",
			r->kind->name);
	vs_part_rows(&r->part, (uint64_t)r->n_site);
	r->n_site = (int64_t)(r->part.hi - r->part.lo);
	return pass_over(r, r->part.lo);
}

/* The next site, within a part if there is one; the rest after a part is
 * skipped. */
static int
next_site(struct vs_reader *r, struct vs_input_site *site)
{
	if (r->part.n && !r->kind->cut && r->n_given++ == r->n_site)
		return pass_over(r, r->part.all);
	return r->kind->next(r, site);
}

/* The same of a site's. 0; VS_EINPUT: its contig's is too long; VS_EMACHINE */
static int
check_site(struct vs_reader *r, struct vs_site *s)
{
	int code = 0;

	if (s->contig_len > VS_NAMES_MOST)
		return vs_fail(VS_EINPUT,
			"site %.*s: its chromosome's name has %zu bytes; %d "
			"are the most",
			s->id_len < 40 ? (int)s->id_len : 40, s->id,
			s->contig_len, VS_NAMES_MOST);
	r->tally.names.n_not_utf8 += !vs_names_utf8(s->id, s->id_len) ||
		!vs_names_utf8(s->contig, s->contig_len);
	if (s->id_len <= VS_NAMES_MOST)
		return 0;
	r->tally.names.n_shortened++;
	code = vs_names_shorten(&r->short_id, s->id, s->id_len);
	s->id = r->short_id.bytes;
	s->id_len = r->short_id.len;
	return code;
}

int
vs_reader_next(struct vs_reader *r, struct vs_input_site *site)
{
	int code = next_site(r, site);

	if (code != 1)
		return code;
	code = check_site(r, &site->site);
	return code ? code : 1;
}

void
vs_reader_close(struct vs_reader *r)
{
	if (!r->kind)
		return;
	if (r->state)
		r->kind->close(r);
	free(r->state);
	for (size_t n = 0; n < VS_READER_FILES; n++)
		free(r->path[n]);
	vs_sites_samples_free(&r->samples);
	vs_text_pool_free(&r->contig_name);
	free(r->contig_length);
	vs_text_free(&r->note);
	vs_text_pool_free(&r->guess);
	vs_text_free(&r->site_id);
	vs_text_free(&r->short_id);
	memset(r, 0, sizeof(*r));
}

/* ":ALLELE"; of a long allele the beginning, length and a digest. */
static int
add_allele(struct vs_text *t, const char *allele, size_t len)
{
	if (len <= LONG_ALLELE)
		return vs_text_add(t, ":%.*s", (int)len, allele);
	return vs_text_add(t, ":%.*s~%zu~%016llx", SHOWN_ALLELE, allele, len,
		(unsigned long long)vs_digest_64(allele, len));
}

int
vs_reader_name(struct vs_reader *r, struct vs_site *site)
{
	struct vs_text *t = &r->site_id;

	if (site->id_len > 1 || (site->id_len && *site->id != '.'))
		return 0;
	t->len = 0;
	vs_text_add(t, "%.*s:%lld", (int)site->contig_len, site->contig,
		(long long)site->pos);
	for (int a = 0; a < 2; a++)
		add_allele(t, site->allele[a], site->allele_len[a]);
	site->id = t->bytes;
	site->id_len = t->len;
	return t->code;
}

int
vs_reader_contigs(const struct vs_reader *r, struct vs_sites *sites)
{
	struct vs_text_index known = { 0 };
	int code = vs_text_index_make(&known, &r->contig_name);

	for (size_t k = 0; k < sites->contig_name.n && !code; k++) {
		size_t len;
		const char *name =
			vs_text_pool_get(&sites->contig_name, k, &len);
		int64_t row = vs_text_index_find(&known, name, len);

		if (row >= 0)
			sites->contig_length[k] = r->contig_length[row];
	}
	vs_text_index_free(&known);
	return code;
}

bool
vs_reader_position(struct vs_reader *r, const char *word, int64_t *pos)
{
	double x = 0;

	if (!vs_num_int(word, pos)) {
		/* neither 0x10 nor inf */
		if (word[strspn(word, "+-.0123456789eE")] ||
			!vs_num_real(word, &x) ||
			fabs(x) > VS_READER_POSITION + 1.)
			return false;
		*pos = (int64_t)x;
	}
	r->tally.negative += *pos < 0 || x < 0; /* -.5 too */
	*pos = *pos < 0 ? 0 : *pos;
	return *pos <= VS_READER_POSITION;
}

int
vs_reader_no_position(const struct vs_lines *l, size_t column, const char *word)
{
	return vs_lines_fail(l, "column %zu: %.40s is not a position%s", column,
		word, vs_lines_header_hint(l));
}

int
vs_reader_words(struct vs_reader *r, const struct vs_lines *l,
	const uint8_t at[VS_WORDS], const struct vs_word *word, size_t n,
	struct vs_site *site)
{
	const struct vs_word *pos = word + at[VS_WORD_POS];

	/* field by field: to clear the others would take longer */
	site->contig = word[at[VS_WORD_CHROM]].text;
	site->contig_len = word[at[VS_WORD_CHROM]].len;
	site->id = word[at[VS_WORD_ID]].text;
	site->id_len = word[at[VS_WORD_ID]].len;
	for (int a = 0; a < 2; a++) {
		const struct vs_word *w = word + at[VS_WORD_FIRST + a];
		const bool is = at[VS_WORD_FIRST + a] < n;

		site->allele[a] = is ? w->text : "0";
		site->allele_len[a] = is ? w->len : 1;
	}
	return vs_reader_position(r, pos->text, &site->pos)
		? 0
		: vs_reader_no_position(l, at[VS_WORD_POS] + 1u, pos->text);
}
