/* SPDX-License-Identifier: BSD-3-Clause */
/* Choice of sites by id and by place. */
#include <stdlib.h>
#include <string.h>

#include "formats/in/names.h"
#include "formats/in/site_choice.h"
#include "formats/in/text/lines.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* ---- ids ---- */

int
vs_site_choice_list(struct vs_site_list *w, const char *path,
	struct vs_provenance *provenance)
{
	struct vs_lines *l = NULL;
	char *line, *word;
	size_t len;
	int code = vs_lines_open(&l, path);

	while (!code && (code = vs_lines_next(l, &line, &len)) == 1) {
		code = 0;
		while (!code && (word = vs_lines_word(&line, &len)))
			code = vs_names_add(&w->id, word, len, NULL);
	}
	if (!code)
		code = vs_text_index_make(&w->index, &w->id);
	VS_MEM_NEW(&code, w->found, w->id.n + 1, "variants");
	if (!code)
		code = vs_lines_note(l, provenance);
	vs_lines_close(l);
	return code;
}

/* Look up an id; one that the list names twice is found in its first row. */
size_t
vs_site_choice_missed(const struct vs_site_list *w, size_t *first)
{
	const char *word;
	size_t len, n = 0;

	for (size_t k = 0; w->found && k < w->id.n; k++) {
		word = vs_text_pool_get(&w->id, k, &len);
		if (!w->found[vs_text_index_find(&w->index, word, len)] && !n++)
			*first = k;
	}
	return n;
}

static bool
has(struct vs_site_list *w, const struct vs_site *site)
{
	int64_t row;

	if (!w->id.n)
		return false;
	row = vs_sites_find(&w->index, site->id, site->id_len, &w->turned);
	if (row >= 0)
		w->found[row] = 1;
	return row >= 0;
}

static void
list_free(struct vs_site_list *w)
{
	vs_text_index_free(&w->index);
	vs_text_pool_free(&w->id);
	free(w->found);
}

/* ---- places ---- */

/* A chromosome's number, if it is only digits and few enough; -1: none. */
static int64_t
number(const char *text, size_t len)
{
	int64_t x = 0;

	if (!len || len > 15)
		return -1;
	for (size_t k = 0; k < len; k++) {
		if (text[k] < '0' || text[k] > '9')
			return -1;
		x = 10 * x + (text[k] - '0');
	}
	return x;
}

#define CHR "chr"
#define N_CHR (sizeof(CHR) - 1)

/* The same after a leading chr. */
static int64_t
number_of(const char *text, size_t len)
{
	bool chr = len > N_CHR && !strncasecmp(text, CHR, N_CHR);

	return chr ? number(text + N_CHR, len - N_CHR) : number(text, len);
}

/* A word of the list: "7", "X", "1-4", "chr1-chr4". A name may hold a dash. */
static int
read_chromosome(struct vs_site_chromosome *c, const char *word, size_t len,
	int64_t n_autosome)
{
	const char *dash = memchr(word, '-', len);
	int64_t lo = -1, hi = -1;

	*c = (struct vs_site_chromosome){ .name = word,
		.len = len,
		.of = vs_chromosome_of(word, len, n_autosome),
		.lo = 1 };
	if (!len)
		return vs_fail(VS_EUSAGE, "--chr: a name is empty");
	if (dash) {
		size_t n = (size_t)(dash - word);

		lo = number_of(word, n);
		hi = number_of(dash + 1, len - n - 1);
	}
	if (lo < 0 || hi < 0)
		return 0;
	if (lo > hi)
		return vs_fail(VS_EUSAGE,
			"--chr %.*s: a range must end with its greater number",
			(int)len, word);
	c->lo = lo;
	c->hi = hi;
	return 0;
}

int
vs_site_choice_chromosomes(struct vs_site_choice *f, const char *list,
	int64_t n_autosome)
{
	size_t n = 1;
	int code;

	for (const char *p = list; *p; p++)
		n += *p == ',';
	code = vs_mem_new(&f->chromosome, n, sizeof(*f->chromosome),
		"chromosomes");
	for (size_t k = 0; k < n && !code; k++) {
		size_t len = strcspn(list, ",");

		code = read_chromosome(f->chromosome + k, list, len,
			n_autosome);
		list += len + 1;
	}
	f->n_chromosome = n;
	f->n_autosome = n_autosome;
	return code;
}

/* All words are tried, so that each one that has a site is marked. */
static bool
on_chromosome(struct vs_site_choice *f, const struct vs_site *site)
{
	const struct vs_chromosome of = f->chromosome
		? vs_chromosome_of(site->contig, site->contig_len,
			  f->n_autosome)
		: (struct vs_chromosome){ 0 };
	int64_t x = number_of(site->contig, site->contig_len);
	bool any = !f->chromosome;

	for (size_t k = 0; f->chromosome && k < f->n_chromosome; k++) {
		struct vs_site_chromosome *c = f->chromosome + k;
		bool is = c->lo <= c->hi
			? x >= c->lo && x <= c->hi
			: (*of.name && !strcmp(c->of.name, of.name)) ||
				vs_sites_contig_same(c->name, c->len,
					site->contig, site->contig_len);

		c->found |= is;
		any |= is;
	}
	return any;
}

/* ---- all of it ---- */

bool
vs_site_choice_passes(struct vs_site_choice *f, const struct vs_site *site)
{
	/* every part is tried, since it marks matches */
	bool extracted = has(&f->extract, site) || !f->extract.found;
	bool excluded = has(&f->exclude, site);
	bool placed = on_chromosome(f, site) &&
		(!f->placed || (site->pos >= f->from && site->pos <= f->to));

	return extracted && !excluded && placed;
}

void
vs_site_choice_free(struct vs_site_choice *f)
{
	list_free(&f->extract);
	list_free(&f->exclude);
	free(f->chromosome);
	memset(f, 0, sizeof(*f));
}
