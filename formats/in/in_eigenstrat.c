/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * EIGENSTRAT reader, text form of EIGENSOFT and ADMIXTOOLS: PREFIX.geno, a
 * digit a sample and a line a site, PREFIX.snp and PREFIX.ind.
 *
 * A digit is the sample's number of copies of the reference allele, the first
 * in the .snp; 9 is missing. A line of the .snp is id, chromosome, Morgans,
 * position, reference and variant allele; of the .ind id, sex (M, F, U) and
 * population.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/in/reader.h"
#include "formats/in/text/lines.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

struct eigenstrat {
	const char *geno, *snp, *ind;
	struct vs_lines *calls, *sites;
	uint8_t *codes;
	uint64_t at, end; /* end: of a part; UINT64_MAX: of all */
	uint8_t *ignored; /* of each line of the .ind: no sample */
	size_t n_line, room;
};

/*
 * The population is kept as the family, since ids repeat between populations.
 * Samples labelled Ignore are skipped, as in EIGENSOFT.
 */
static int
sample_line(struct eigenstrat *e, struct vs_samples *s, size_t *room_sex,
	const struct vs_lines *l, char *line)
{
	struct vs_word word[4];
	const size_t n = vs_lines_words(&line, word, 4);
	const char sex = n > 1 ? *word[1].text : 0;
	int code;

	if (n != 3)
		return vs_lines_fail(l,
			"%zu columns where id, sex and population are expected",
			n);
	if (word[1].len != 1 || !strchr("MFU", sex))
		return vs_lines_fail(l, "column 2: %.40s is not M, F or U%s",
			word[1].text, vs_lines_header_hint(l));
	code = vs_mem_grow(&e->ignored, &e->room, e->n_line + 1, 1, "samples");
	if (code)
		return code;
	e->ignored[e->n_line] = !strcmp(word[2].text, "Ignore");
	if (e->ignored[e->n_line++])
		return 0;
	code = vs_mem_grow(&s->sex, room_sex, s->n + 1, 1, "samples");
	if (!code)
		code = vs_text_pool_add(&s->id, word[0].text, word[0].len);
	if (!code)
		code = vs_text_pool_add(&s->family, word[2].text, word[2].len);
	if (code)
		return code;
	s->sex[s->n++] = sex == 'M' ? 1 : sex == 'F' ? 2 : 0;
	return 0;
}

static int
read_samples(struct vs_reader *r, const char *path)
{
	struct vs_samples *s = &r->samples;
	struct eigenstrat *e = r->state;
	struct vs_lines *l = NULL;
	size_t room_sex = 0, len;
	char *line;
	int code = vs_lines_open(&l, path);

	while (!code && (code = vs_lines_next_data(l, &line, &len)) == 1)
		code = sample_line(e, s, &room_sex, l, line);
	if (!code && !s->n)
		code = vs_fail(VS_EINPUT,
			e->n_line ? "%s: lists no samples but those that are "
				    "labelled Ignore"
				  : "%s: lists no samples",
			path);
	r->tally.ignored = (int64_t)(e->n_line - s->n);
	if (!code)
		code = vs_lines_note(l, r->provenance);
	vs_lines_close(l);
	return code;
}

/* The packed forms begin with their name. */
static int
check_text(struct eigenstrat *e)
{
	const char *bytes;
	size_t n;
	int code = vs_lines_peek(e->calls, 5, &bytes, &n);

	if (code)
		return code;
	if (n >= 4 && (!memcmp(bytes, "GENO", 4) || !memcmp(bytes, "TGEN", 4)))
		return vs_fail(VS_EINPUT,
			"%s: is packed: convertf with outputformat EIGENSTRAT "
			"makes text of it, with PACKEDPED a .bed",
			e->geno);
	return 0;
}

static int
eigenstrat_open(struct vs_reader *r)
{
	struct eigenstrat *e = r->state;
	int code;

	e->end = UINT64_MAX;
	e->geno = r->path[0];
	e->snp = r->path[1];
	e->ind = r->path[2];
	code = vs_lines_open(&e->calls, e->geno);
	if (!code)
		code = check_text(e);
	if (!code)
		code = read_samples(r, e->ind);
	if (!code)
		code = vs_lines_open(&e->sites, e->snp);
	VS_MEM_NEW(&code, e->codes, (r->samples.n + 3) / 4 + 8, "calls");
	return code;
}

static int
site_line(struct vs_reader *r, struct eigenstrat *e, struct vs_site *s,
	char *line)
{
	static const uint8_t at[VS_WORDS] = { 1, 3, 0, 4, 5 };
	struct vs_word word[7];
	const size_t n = vs_lines_words(&line, word, 7);

	return n == 4 || n == 6
		? vs_reader_words(r, e->sites, at, word, n, s)
		: vs_lines_fail(e->sites,
			  "%zu columns where id, chromosome, Morgans, position "
			  "and two alleles are expected",
			  n);
}

static int
call_line(struct vs_reader *r, struct eigenstrat *e, const char *line,
	size_t len)
{
	size_t n = e->n_line, k = 0;

	while (len && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	if (len != n)
		return vs_lines_fail(e->calls,
			"%zu digits where %s has %zu samples", len, e->ind, n);
	memset(e->codes, 0, (r->samples.n + 3) / 4);
	for (size_t q = 0; q < n; q++) {
		if (line[q] != '9' && (line[q] < '0' || line[q] > '2'))
			return vs_lines_fail(e->calls,
				"sample %zu: %c is not 0, 1, 2 or 9", q + 1,
				line[q]);
		if (e->ignored[q])
			continue;
		vs_code_put(e->codes, k++,
			line[q] == '0'           ? VS_CODE_2
				: line[q] == '1' ? VS_CODE_1
				: line[q] == '2' ? VS_CODE_0
						 : VS_CODE_MISSING);
	}
	return 0;
}

/* Skip up to n lines. */
static int
pass_lines(struct vs_lines *l, uint64_t n, uint64_t *passed)
{
	char *line;
	size_t len;
	int code = 1;

	for (*passed = 0; *passed < n && code == 1; *passed += code == 1)
		code = vs_lines_next_data(l, &line, &len);
	return code < 0 ? code : 0;
}

/* Skip sites of both files that belong to other parts. */
static int
pass_sites(struct eigenstrat *e, uint64_t n)
{
	uint64_t passed = 0;
	int code = pass_lines(e->sites, n, &passed);

	if (!code)
		code = pass_lines(e->calls, passed, &n);
	e->at += passed;
	return code || n == passed
		? code
		: vs_lines_fail(e->sites, "has no line in %s", e->geno);
}

static int
eigenstrat_cut(struct vs_reader *r)
{
	struct eigenstrat *e = r->state;
	struct vs_lines *l = NULL;
	uint64_t n = 0;
	int code = vs_lines_open(&l, e->snp);

	if (!code)
		code = pass_lines(l, UINT64_MAX, &n);
	vs_lines_close(l);
	if (code)
		return code;
	vs_part_rows(&r->part, n);
	e->end = r->part.hi;
	r->n_site = (int64_t)(r->part.hi - r->part.lo);
	return pass_sites(e, r->part.lo);
}

/* Check that both files are at their end; else one is too long. */
static int
at_end(struct vs_reader *r, struct eigenstrat *e)
{
	char *line;
	size_t len;
	int code = vs_lines_next_full(e->calls, &line, &len);

	if (code == 1)
		return vs_lines_fail(e->calls, "has no line in %s", e->snp);
	if (!code)
		code = vs_lines_note(e->calls, r->provenance);
	return code ? code : vs_lines_note(e->sites, r->provenance);
}

static int
eigenstrat_next(struct vs_reader *r, struct vs_input_site *site)
{
	struct eigenstrat *e = r->state;
	char *line;
	size_t len;
	int code = e->at == e->end ? pass_sites(e, UINT64_MAX) : 0;

	if (!code)
		code = vs_lines_next_data(e->sites, &line, &len);
	if (!code)
		return at_end(r, e);
	e->at++;
	if (code == 1)
		code = site_line(r, e, &site->site, line);
	if (code)
		return code;
	code = vs_lines_next_full(e->calls, &line, &len);
	if (!code)
		return vs_lines_fail(e->sites, "has no line in %s", e->geno);
	if (code == 1)
		code = call_line(r, e, line, len);
	if (!code)
		code = vs_reader_name(r, &site->site);
	site->codes = e->codes;
	return code ? code : 1;
}

static void
eigenstrat_close(struct vs_reader *r)
{
	struct eigenstrat *e = r->state;

	vs_lines_close(e->calls);
	vs_lines_close(e->sites);
	free(e->codes);
	free(e->ignored);
}

static const char *const suffixes[] = { "geno", "snp", "ind", NULL };

const struct vs_reader_kind vs_reader_eigenstrat = {
	.name = "eigenstrat",
	.arg = "PREFIX",
	.help = "EIGENSTRAT text: PREFIX.geno, .snp, .ind",
	.suffixes = suffixes,
	.label = { NULL, "alt" },
	.state = sizeof(struct eigenstrat),
	.open = eigenstrat_open,
	.next = eigenstrat_next,
	.close = eigenstrat_close,
	.cut = eigenstrat_cut,
};
