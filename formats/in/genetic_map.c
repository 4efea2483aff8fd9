/* SPDX-License-Identifier: BSD-3-Clause */
/* Genetic maps: linear interpolation of positions in centimorgans. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/in/chromosome.h"
#include "formats/in/genetic_map.h"
#include "formats/in/text/lines.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"

#define MOST_COLUMNS 32 /* header columns that are used */

enum { CHROM, POS, CM, ROLES };
#define ABSENT MOST_COLUMNS

struct point {
	size_t chrom; /* row of the contigs */
	int64_t pos;
	double cm;
	uint64_t line;
};

struct map {
	const struct vs_sites *sites;
	int64_t n_autosome;
	struct vs_lines *lines;
	bool named;       /* its first line names the columns */
	size_t at[ROLES]; /* columns; ABSENT: none */
	struct point *point;
	size_t n, room;
	size_t *first; /* of each contig's points: [contigs + 1] */
	/* the chromosome of the line before, and its contig, or that there is
	 * none */
	struct vs_text chrom;
	size_t contig;
};

/* ---- form ---- */

static bool
begins(const char *word, const char *with)
{
	return !strncasecmp(word, with, strlen(with));
}

/* The role of a column by its name: Position(bp), pposition, Map(cM), ... */
static int
role_of(const char *name)
{
	const char *word = name + (*name == '#');

	return begins(word, "chr") ? CHROM
		: begins(word, "pos") || begins(word, "pposition") ||
			!strcasecmp(word, "bp")
		? POS
		: !strcasecmp(word, "cM") || begins(word, "gpos") ||
			begins(word, "map(") || begins(word, "genetic_map")
		? CM
		: ROLES;
}

static int
read_form(struct map *m, const struct vs_word *word, size_t n)
{
	double x;

	m->at[CHROM] = m->at[POS] = m->at[CM] = ABSENT;
	for (size_t k = 0; k < n; k++) {
		int role = role_of(word[k].text);

		if (role != ROLES && m->at[role] == ABSENT)
			m->at[role] = k;
	}
	m->named = m->at[POS] != ABSENT && m->at[CM] != ABSENT;
	if (m->named)
		return 0;
	m->at[CHROM] = 0;
	m->at[CM] = 2;
	m->at[POS] = 3;
	if ((n == 4 || n == 6) && vs_num_real(word[CM].text, &x) &&
		vs_num_real(word[3].text, &x))
		return 0;
	return vs_lines_fail(m->lines,
		"neither the names of columns for position and centimorgans "
		"nor a line of a .map or .bim (chromosome, id, centimorgans, "
		"position); put a line such as \"pos chr cM\" first");
}

static int
describe(const struct map *m, double rate, struct vs_text *note)
{
	int code = vs_text_add(note, "%s: ", vs_lines_name(m->lines));

	if (!code && m->at[CHROM] == ABSENT)
		code = vs_text_add(note, "a map without chromosomes");
	else if (!code)
		code = vs_text_add(note, "chromosome in column %zu",
			m->at[CHROM] + 1);
	return code
		? code
		: vs_text_add(note,
			  ", position in %zu, centimorgans in %zu, %s; "
			  "mean rate %.3g cM/Mb",
			  m->at[POS] + 1, m->at[CM] + 1,
			  m->named ? "by its header" : "as in a .map or .bim",
			  rate);
}

/* ---- points ---- */

/* The contig of a chromosome of the map, or their number if none has it. */
static size_t
find_contig(const struct map *m, const char *name, size_t len)
{
	const struct vs_text_pool *have = &m->sites->contig_name;
	const struct vs_chromosome c =
		vs_chromosome_of(name, len, m->n_autosome);

	for (size_t k = 0; k < have->n; k++) {
		size_t n;
		const char *text = vs_text_pool_get(have, k, &n);

		if (vs_sites_contig_same(text, n, name, len) ||
			(*c.name &&
				!strcmp(c.name,
					vs_chromosome_of(text, n, m->n_autosome)
						.name)))
			return k;
	}
	return have->n;
}

static int
set_contig(struct map *m, const struct vs_word *word)
{
	int code;

	if (m->at[CHROM] == ABSENT)
		return 0;
	word += m->at[CHROM];
	if (m->chrom.len == word->len &&
		!memcmp(m->chrom.bytes, word->text, word->len))
		return 0;
	m->chrom.len = 0;
	code = vs_text_put(&m->chrom, word->text, word->len);
	m->contig = find_contig(m, word->text, word->len);
	return code;
}

static int
add_point(struct map *m, const struct vs_word *word, size_t n)
{
	struct point p = { .line = vs_lines_number(m->lines) };
	int code;

	for (int k = 0; k < ROLES; k++)
		if (m->at[k] != ABSENT && m->at[k] >= n)
			return vs_lines_fail(m->lines,
				"has %zu columns, and %zu are needed", n,
				m->at[k] + 1);
	/* files of single chromosomes, joined by cat */
	if (m->named && role_of(word[m->at[POS]].text) == POS)
		return 0;
	if (!vs_num_int(word[m->at[POS]].text, &p.pos))
		return vs_lines_fail(m->lines, "position expected, '%s' found",
			word[m->at[POS]].text);
	if (!vs_num_real(word[m->at[CM]].text, &p.cm) ||
		!(fabs(p.cm) <= VS_SITES_CM_MOST))
		return vs_lines_fail(m->lines,
			"centimorgans expected, '%s' found",
			word[m->at[CM]].text);
	code = set_contig(m, word);
	/* PLINK ignores a variant with a negative position */
	if (code || p.pos < 0 || m->contig == m->sites->contig_name.n)
		return code;
	p.chrom = m->contig;
	code = vs_mem_grow(&m->point, &m->room, m->n + 1, sizeof(p),
		"genetic map");
	if (!code)
		m->point[m->n++] = p;
	return code;
}

static int
read_points(struct map *m)
{
	struct vs_word word[MOST_COLUMNS];
	bool first = true;
	char *line;
	size_t len, n;
	int code;

	while ((code = vs_lines_next_full(m->lines, &line, &len)) == 1) {
		if (!strncmp(line, "##", 2))
			continue;
		n = vs_lines_words(&line, word, MOST_COLUMNS);
		code = first ? read_form(m, word, n) : 0;
		if (!code && first && m->at[CHROM] == ABSENT &&
			m->sites->contig_name.n != 1)
			code = vs_fail(VS_EINPUT,
				"%s: has no column of chromosomes, and the "
				"variants are on %zu of them; add one, headed "
				"chr",
				vs_lines_name(m->lines),
				m->sites->contig_name.n);
		if (!code && !(first && m->named))
			code = add_point(m, word, n);
		if (code)
			return code;
		first = false;
	}
	return code || !first ? code
			      : vs_fail(VS_EINPUT,
					"%s: is empty; give a map of "
					"positions and centimorgans",
					vs_lines_name(m->lines));
}

static int
by_place(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	return x->chrom != y->chrom ? (x->chrom > y->chrom ? 1 : -1)
		: x->pos != y->pos  ? (x->pos > y->pos ? 1 : -1)
				    : (x->line > y->line) - (x->line < y->line);
}

/* Sort the points, check them, and drop those that repeat another. */
static int
sort_points(struct map *m)
{
	const size_t n_contig = m->sites->contig_name.n;
	size_t n = 0;
	int code = vs_mem_new(&m->first, n_contig + 1, sizeof(*m->first),
		"genetic map");

	if (code)
		return code;
	if (m->n)
		qsort(m->point, m->n, sizeof(*m->point), by_place);
	for (size_t k = 0; k < m->n; k++) {
		const struct point *p = &m->point[k],
				   *q = n ? &m->point[n - 1] : p;
		const bool same = p->chrom == q->chrom;

		if (same &&
			(p->cm < q->cm || (p->pos == q->pos && p->cm > q->cm)))
			return vs_fail(VS_EINPUT,
				"%s: line %llu: %g cM at position %lld, but "
				"%g cM at %lld in line %llu; centimorgans must "
				"rise with the position",
				vs_lines_name(m->lines),
				(unsigned long long)p->line, p->cm,
				(long long)p->pos, q->cm, (long long)q->pos,
				(unsigned long long)q->line);
		if (n && same && p->pos == q->pos)
			continue;
		m->point[n++] = *p;
		m->first[p->chrom + 1] = n;
	}
	for (size_t c = 0; c < n_contig; c++)
		if (m->first[c + 1] < m->first[c])
			m->first[c + 1] = m->first[c];
	return 0;
}

/* ---- positions ---- */

static double
interpolate(const struct map *m, size_t contig, int64_t pos)
{
	size_t lo = m->first[contig], hi = m->first[contig + 1];
	const struct point *p = m->point;

	if (hi - lo < 2 || p[lo].cm == p[hi - 1].cm)
		return NAN;
	if (pos <= p[lo].pos || pos >= p[hi - 1].pos)
		return p[pos <= p[lo].pos ? lo : hi - 1].cm;
	/* p[lo] is at or before pos, p[hi] after it */
	for (hi--; hi - lo > 1;) {
		const size_t half = lo + (hi - lo) / 2;

		*(p[half].pos <= pos ? &lo : &hi) = half;
	}
	return (p[hi].cm - p[lo].cm) / (double)(p[hi].pos - p[lo].pos) *
		(double)(pos - p[lo].pos) +
		p[lo].cm;
}

/* cM/Mb of the chromosomes together. */
static double
mean_rate(const struct map *m)
{
	double cm = 0, mb = 0;

	for (size_t c = 0; c < m->sites->contig_name.n; c++) {
		const size_t lo = m->first[c], hi = m->first[c + 1];

		if (hi > lo) {
			cm += m->point[hi - 1].cm - m->point[lo].cm;
			mb += (double)(m->point[hi - 1].pos -
				      m->point[lo].pos) /
				1e6;
		}
	}
	return mb > 0 ? cm / mb : 0;
}

static int
place_sites(const struct map *m, struct vs_sites *s, size_t *n_unknown)
{
	int code = vs_mem_room(&s->cm, s->n, sizeof(*s->cm), "genetic map");

	*n_unknown = 0;
	for (size_t v = 0; v < s->n && !code; v++) {
		s->cm[v] = s->contig[v] >= 0 && s->pos[v] > 0
			? interpolate(m, (size_t)s->contig[v], s->pos[v])
			: NAN;
		*n_unknown += isnan(s->cm[v]);
	}
	if (!code && *n_unknown == s->n)
		code = vs_fail(VS_EINPUT,
			"%s: states centimorgans on no chromosome of the "
			"variants; a .map often has 0 for all: give a map that "
			"has them",
			vs_lines_name(m->lines));
	return code;
}

int
vs_genetic_map_apply(struct vs_sites *sites, const char *path,
	int64_t n_autosome, struct vs_text *note, size_t *n_unknown,
	struct vs_provenance *provenance)
{
	struct map m = { .sites = sites, .n_autosome = n_autosome };
	int code = vs_lines_open(&m.lines, path);

	if (!code)
		code = read_points(&m);
	if (!code)
		code = sort_points(&m);
	if (!code)
		code = place_sites(&m, sites, n_unknown);
	if (!code)
		code = describe(&m, mean_rate(&m), note);
	if (!code)
		code = vs_lines_note(m.lines, provenance);
	vs_lines_close(m.lines);
	free(m.point);
	free(m.first);
	vs_text_free(&m.chrom);
	return code;
}
