/* SPDX-License-Identifier: BSD-3-Clause */
/* Tokeniser of table lines. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/in/text/cells.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"

/* Strip blanks and quotes. */
static void
trim(struct vs_cell *c)
{
	char *to = NULL;

	while (c->len && c->text[c->len - 1] == ' ')
		c->len--;
	while (c->len && *c->text == ' ') {
		c->text++;
		c->len--;
	}
	if (c->len >= 2 && *c->text == '"' && c->text[c->len - 1] == '"') {
		c->text++;
		c->len -= 2;
		c->quoted = true;
		c->text[c->len] = 0;
		to = strstr(c->text, "\"\"");
	}
	c->text[c->len] = 0;
	for (const char *at = to; to; at++) {
		at += at[0] == '"' && at[1] == '"';
		*to = *at;
		if (!*to++)
			break;
		c->len = (uint32_t)(to - c->text);
	}
}

static int
add(struct vs_cells *c, char *text, size_t len)
{
	int code = vs_mem_grow(&c->cell, &c->room, c->n + 1, sizeof(*c->cell),
		"columns");

	if (code)
		return code;
	c->cell[c->n] = (struct vs_cell){ text, (uint32_t)len, false };
	trim(&c->cell[c->n++]);
	return 0;
}

/* The closing quote of a quoted cell; null: the cell is not quoted. */
static char *
closing(const struct vs_cells *c, char *at, char *line_end)
{
	char *q = at + 1;

	while ((q = memchr(q, '"', (size_t)(line_end - q))) && q[1] == '"')
		q += 2;
	if (!q)
		return NULL;
	at = q + 1;
	if (c->apart != ' ')
		at += strspn(at, " ");
	return at == line_end || *at == c->apart ||
			(c->apart == ' ' && *at == '\t')
		? q
		: NULL;
}

/* End of the cell that begins at `at`; null: the end of the line. */
static char *
cell_end(const struct vs_cells *c, char *at, char *line_end)
{
	char *quote = NULL, *from = at;

	while (*from == ' ')
		from++;
	if (*from == '"')
		quote = closing(c, from, line_end);
	at = quote ? quote + 1 : at;
	return memchr(at, c->apart, (size_t)(line_end - at));
}

/* Cells between runs of blanks. */
static int
split_words(struct vs_cells *c, char *line, size_t len)
{
	char *last = line + len, *quote, *end;
	char *at = line + strspn(line, " \t");
	int code = 0;

	for (; *at && !code; at = end + strspn(end, " \t")) {
		quote = *at == '"' ? closing(c, at, last) : NULL;
		end = quote ? quote + 1 : at + strcspn(at, " \t");
		len = (size_t)(end - at);
		if (*end)
			*end++ = 0;
		code = add(c, at, len);
	}
	return code;
}

int
vs_cells_split(struct vs_cells *c, char *line, size_t len)
{
	char *at = line, *end;
	int code = 0;

	c->n = 0;
	if (c->apart == ' ')
		return split_words(c, line, len);
	while (!code && (end = cell_end(c, at, line + len))) {
		*end = 0;
		code = add(c, at, (size_t)(end - at));
		at = end + 1;
	}
	return code ? code : add(c, at, len - (size_t)(at - line));
}

int
vs_cells_check_quote(const struct vs_cell *c, size_t column, const char *file,
	uint64_t line)
{
	if (!c->len || *c->text != '"' || c->quoted)
		return 0;
	return vs_fail(VS_EINPUT,
		"%s: line %llu, column %zu: %.40s begins with a quotation mark "
		"and does not end with one: close it in the same line, or "
		"remove it",
		file, (unsigned long long)line, column + 1, c->text);
}

void
vs_cells_free(struct vs_cells *c)
{
	free(c->cell);
	memset(c, 0, sizeof(*c));
}

int
vs_cells_line(struct vs_lines *l, char **line, size_t *len)
{
	int code;

	do
		code = vs_lines_next(l, line, len);
	while (code == 1 && strspn(*line, " ") == *len);
	return code;
}

/* True for one base, X, or a string of bases. */
static bool
is_allele(const struct vs_cell *c)
{
	static const char bases[] = "ACGTNacgtn";

	return (c->len == 1 && !strchr("012.", *c->text)) ||
		(c->len > 1 && strspn(c->text, bases) == c->len);
}

bool
vs_cells_are_bimbam(const struct vs_cells *c, bool numbers)
{
	double x;

	if (c->n <= VS_BIMBAM_TEXT || vs_cells_is_id(c->cell->text) ||
		!is_allele(&c->cell[1]) || !is_allele(&c->cell[2]))
		return false;
	for (size_t k = VS_BIMBAM_TEXT; numbers && k < c->n; k++)
		if (!vs_lines_word_missing(c->cell[k].text, c->cell[k].len) &&
			(!vs_num_real(c->cell[k].text, &x) || x < 0 || x > 2))
			return false;
	return true;
}

/* Length of the longest word of a list that begins here; 0: none. */
static size_t
longest(const char *at, const char *const *words)
{
	size_t best = 0;

	for (; *words; words++) {
		size_t n = strlen(*words);

		if (n > best && !strncmp(at, *words, n))
			best = n;
	}
	return best;
}

/* True if it consists only of words of a list. */
static bool
made_of(const char *word, const char *const *words)
{
	size_t n = 1;

	while (*word && (n = longest(word, words)))
		word += n;
	return n || !strcmp(word, "s");
}

/* A word in lower case without separators; false: too long. */
static bool
plain(const char *word, char *to, size_t room)
{
	for (; *word; word++) {
		if (strchr(" _.-#:", *word))
			continue;
		if (!--room)
			return false;
		*to++ = (char)tolower((unsigned char)*word);
	}
	*to = 0;
	return true;
}

bool
vs_cells_is_id(const char *word)
{
	static const char *const words[] = { "accession", "array", "asv",
		"barcode", "cell", "clone", "compound", "cpg", "ensembl",
		"ensg", "entrez", "family", "feature", "gene", "genus", "hgnc",
		"id", "ids", "identifier", "index", "individual", "isoform",
		"label", "locus", "marker", "metabolite", "microrna", "mirna",
		"name", "names", "ncbi", "number", "observation", "orf", "otu",
		"patient", "peptide", "plot", "probe", "probeset", "protein",
		"ref", "refseq", "row", "rs", "rsid", "sample", "site", "snp",
		"species", "strain", "subject", "symbol", "tag", "taxa",
		"taxon", "transcript", "uniprot", "unigene", "unnamed0",
		"variant", "vector", "zotu", NULL };
	size_t n = strlen(word);
	char text[64];

	if (n > 3 && strchr(" _.-", word[n - 3]) &&
		!strcasecmp(word + n - 2, "id"))
		return true;
	return plain(word, text, sizeof(text)) && made_of(text, words);
}

bool
vs_cells_is_annotation(const char *word)
{
	static const char *const words[] = { "biotype", "chr", "chrom",
		"chromosome", "class", "confidence", "contig", "coordinate",
		"description", "effective", "end", "exon", "gc", "gene",
		"genomic", "length", "lineage", "pos", "position", "seqname",
		"size", "start", "stop", "strand", "taxonomy", "transcript",
		"tx", "type", "width", NULL };
	char text[64];

	return plain(word, text, sizeof(text)) && *text && made_of(text, words);
}
