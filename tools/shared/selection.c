/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of vectors by id, region or row. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/text/lines.h"
#include "libcore/base/digest.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "tools/shared/selection.h"
#include "tools/shared/tool.h"

static int
begin(struct vs_selection *pick, const struct vs_vector_names *names)
{
	memset(pick, 0, sizeof(*pick));
	pick->n_vec = names->n_vec;
	return vs_mem_new(&pick->in, names->n_vec, 1, "picked vectors");
}

static void
add(struct vs_selection *pick, uint64_t v)
{
	pick->n_in += !pick->in[v];
	pick->in[v] = 1;
	pick->last = v > pick->last ? v : pick->last;
}

/* Report once that words selected nothing, or fail. */
static int
tell_unmatched(const struct vs_text_pool *words, const uint8_t *met,
	const struct vs_vector_names *names, bool fail)
{
	size_t n = 0, first = 0, len;
	const char *word;

	for (size_t w = words->n; w-- > 0;)
		if (!met[w]) {
			n++;
			first = w;
		}
	if (!n)
		return 0;
	word = vs_text_pool_get(words, first, &len);
	if (fail)
		return vs_fail(VS_EINPUT, "%s: no vector is called %.*s%s",
			names->from, (int)len, word,
			n > 1 ? ", nor by other names given" : "");
	vs_tool_warn("%s: no %s is called %.*s%s", names->from,
		names->whole ? "vector" : "vector of any record here", (int)len,
		word, n > 1 ? ", nor by other names given" : "");
	return 0;
}

static int
pick_ids(struct vs_selection *pick, const struct vs_vector_names *names,
	const struct vs_text_pool *words, bool each)
{
	struct vs_text_index index = { 0 };
	uint8_t *met = NULL;
	bool turned = false;
	size_t len;
	int code = vs_text_index_make(&index, words);

	VS_MEM_NEW(&code, met, words->n, "names looked for");
	for (uint64_t v = 0; v < names->n_vec && !code; v++) {
		const char *id;
		int64_t w;

		if (names->row[v] < 0)
			continue;
		id = vs_text_pool_get(&names->sites.id, (size_t)names->row[v],
			&len);
		w = vs_sites_find(&index, id, len, &turned);
		if (w < 0)
			continue;
		met[w] = 1;
		add(pick, v);
	}
	/* a repeated word matches what its first occurrence does */
	for (size_t w = 0; w < words->n && !code; w++) {
		const char *word = vs_text_pool_get(words, w, &len);

		met[w] = met[vs_text_index_find(&index, word, len)];
	}
	if (turned)
		vs_tool_say("%s: " VS_CHR_TURNED, names->from);
	if (!code)
		code = tell_unmatched(words, met, names, each);
	free(met);
	vs_text_index_free(&index);
	return code;
}

/* Select by original rows, as vsim-view shows them. */
static int
pick_rows(struct vs_selection *pick, const struct vs_vector_names *names,
	const struct vs_text_pool *words)
{
	char text[VS_NUM_ROOM];
	uint8_t *want = NULL;
	size_t len;
	int code = vs_mem_new(&want, names->n_vec, 1, "rows looked for");

	for (size_t w = 0; w < words->n && !code; w++) {
		const char *word = vs_text_pool_get(words, w, &len);
		int64_t row = -1;

		if (len < sizeof(text)) {
			memcpy(text, word, len);
			text[len] = 0;
		}
		if (len >= sizeof(text) || !vs_num_int(text, &row) || row < 0 ||
			(uint64_t)row >= names->n_vec)
			code = vs_fail(VS_EINPUT,
				"%.*s: row out of range, 0 to %llu", (int)len,
				word, (unsigned long long)names->n_vec - 1);
		else
			want[row] = 1;
	}
	for (uint64_t v = 0; v < names->n_vec && !code; v++) {
		int64_t row = names->row[v];

		if (row < 0)
			continue;
		row = names->sites.source_row[row];
		if (row >= 0 && (uint64_t)row < names->n_vec && want[row])
			add(pick, v);
	}
	free(want);
	return code;
}

static int
pick_pool(struct vs_selection *pick, const struct vs_vector_names *names,
	const struct vs_text_pool *words, enum vs_selection_by by)
{
	int code = begin(pick, names);

	if (!code)
		code = by == VS_SELECTION_ROW
			? pick_rows(pick, names, words)
			: pick_ids(pick, names, words,
				  by == VS_SELECTION_EACH_ID);
	if (code)
		vs_selection_free(pick);
	return code;
}

struct word {
	const char *text;
	size_t len;
};

static int
by_word(const void *a, const void *b)
{
	const struct word *x = a, *y = b;
	int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* Select by a list in any order. Each word ends with a newline, which none
 * contains. */
static int
digest_words(const struct vs_text_pool *words, enum vs_selection_by by,
	uint8_t out[16])
{
	struct word *word = NULL;
	struct vs_digest *d = NULL;
	int code = vs_mem_new(&word, words->n, sizeof(*word), "names");

	if (!code)
		code = vs_digest_new(&d);
	for (size_t w = 0; w < words->n && !code; w++)
		word[w].text = vs_text_pool_get(words, w, &word[w].len);
	if (!code && words->n)
		qsort(word, words->n, sizeof(*word), by_word);
	if (!code)
		vs_digest_add(d, by == VS_SELECTION_ROW ? "row\n" : "id\n",
			by == VS_SELECTION_ROW ? 4 : 3);
	for (size_t w = 0; w < words->n && !code; w++) {
		if (w && !by_word(&word[w - 1], &word[w]))
			continue;
		vs_digest_add(d, word[w].text, word[w].len);
		vs_digest_add(d, "\n", 1);
	}
	if (!code)
		vs_digest_get(d, out);
	vs_digest_free(d);
	free(word);
	return code;
}

/* True if a word is a column of vsim-view and not the name of a vector. */
static bool
is_heading(const char *word, const struct vs_vector_names *names)
{
	static const char *const columns[] = { "id", "id1", "id2", "id3", "i",
		"j", "k" };
	const size_t n = sizeof(columns) / sizeof(*columns);
	size_t k = 0, len;

	while (k < n && strcmp(word, columns[k]))
		k++;
	for (uint64_t v = 0; v < names->n_vec && k < n; v++) {
		const char *id = names->row[v] < 0
			? NULL
			: vs_text_pool_get(&names->sites.id,
				  (size_t)names->row[v], &len);

		if (id && len == strlen(word) && !memcmp(id, word, len))
			return false;
	}
	return k < n;
}

int
vs_selection_file(struct vs_selection *pick,
	const struct vs_vector_names *names, const char *file,
	enum vs_selection_by by)
{
	struct vs_lines *lines = NULL;
	struct vs_text_pool words = { 0 };
	int code = vs_lines_open(&lines, file), got = 0;
	char *line, *word;
	bool first = true;
	size_t len;

	while (!code && (got = vs_lines_next_full(lines, &line, &len)) > 0) {
		word = vs_lines_word(&line, &len);
		if (*word != '#' && !(first && is_heading(word, names)))
			code = vs_text_pool_add(&words, word, len);
		first = false;
	}
	if (!code)
		code = got;
	if (!code)
		code = pick_pool(pick, names, &words, by);
	if (!code)
		code = digest_words(&words, by, pick->digest);
	vs_lines_close(lines);
	vs_text_pool_free(&words);
	return code;
}

int
vs_selection_words(struct vs_selection *pick,
	const struct vs_vector_names *names, const char *words,
	enum vs_selection_by by)
{
	struct vs_text_pool pool = { 0 };
	int code = 0;

	if (*words == '@')
		return vs_selection_file(pick, names, words + 1, by);
	for (const char *p = words; !code; p++) {
		size_t len = strcspn(p, ",");

		if (len)
			code = vs_text_pool_add(&pool, p, len);
		p += len;
		if (!*p)
			break;
	}
	if (!code)
		code = pick_pool(pick, names, &pool, by);
	vs_text_pool_free(&pool);
	return code;
}

/* ---- regions ---- */

struct region {
	int32_t contig;
	int64_t from, to;
};

/* The contig of this name, or else one that differs by a leading chr. */
static int32_t
contig_row(const struct vs_vector_names *names, const char *name, size_t len,
	bool *turned)
{
	const struct vs_text_pool *contigs = &names->sites.contig_name;
	int32_t nearly = -1;

	for (size_t c = 0; c < contigs->n; c++) {
		size_t have;
		const char *text = vs_text_pool_get(contigs, c, &have);

		if (have == len && !memcmp(text, name, len))
			return (int32_t)c;
		if (nearly < 0 && vs_sites_contig_same(text, have, name, len))
			nearly = (int32_t)c;
	}
	*turned |= nearly >= 0;
	return nearly;
}

/*
 * Length of the region at the start of a list. A comma in a position is
 * followed by three digits, 3,000,000.
 */
static int
region_length(const struct vs_vector_names *names, const char *list,
	size_t *out)
{
	const char *digits = "0123456789";
	size_t len = strcspn(list, ",");
	bool turned = false,
	     placed = memchr(list, ':', len) &&
		contig_row(names, list, len, &turned) < 0;

	for (size_t n = 0; placed && list[len]; n = 0) {
		const char *next = list + len + 1;
		char end = next[strspn(next, digits)];

		while (n < len && isdigit((unsigned char)list[len - 1 - n]))
			n++;
		if (!n || n > 3 || (n < 3 && list[len - 1 - n] == ',') ||
			strspn(next, digits) != 3 ||
			(end && end != ',' && end != '-'))
			break;
		if (end != '-' && contig_row(names, next, 3, &turned) >= 0)
			return vs_fail(VS_EUSAGE,
				"region %s: ,%.3s may be part of a position "
				"or chromosome %.3s; write positions without "
				"commas",
				list, next, next);
		len += 4 + (end == '-' ? strcspn(next + 3, ",") : 0);
	}
	*out = len;
	return 0;
}

/* Refuse the rest of a position with commas if it is not a chromosome. */
static int
check_number(const char *word, size_t len)
{
	if (strspn(word, "0123456789-") < len ||
		(len < 3 && *word != '0' && !memchr(word, '-', len)))
		return 0;
	return vs_fail(VS_EUSAGE,
		"region %.*s: no such chromosome; a position has commas "
		"before three digits each, as 3,000,000",
		(int)len, word);
}

/* Parse a number that ends before len; `empty` if it is missing. */
static bool
place(const char *text, size_t len, int64_t missing, int64_t *out)
{
	char copy[VS_NUM_ROOM];
	size_t n = 0;

	*out = missing;
	if (!len)
		return true;
	if (len >= sizeof(copy))
		return false;
	for (size_t k = 0; k < len; k++)
		if (text[k] != ',')
			copy[n++] = text[k];
	copy[n] = 0;
	return vs_num_int(copy, out) && *out >= 0;
}

/*
 * A contig's own name may contain colons: try the whole word first.
 * placed  the word before it has a position
 */
static int
parse_region(struct region *r, const struct vs_vector_names *names,
	const char *word, size_t len, bool placed, bool *turned)
{
	const char *colon = memrchr(word, ':', len), *dash;
	size_t name = len, rest;
	bool good = true;

	r->from = 0;
	r->to = INT64_MAX;
	r->contig = contig_row(names, word, len, turned);
	if (r->contig < 0 && colon) {
		name = (size_t)(colon - word);
		rest = len - name - 1;
		dash = memchr(colon + 1, '-', rest);
		if (dash)
			good = place(colon + 1, (size_t)(dash - colon - 1), 0,
				       &r->from) &&
				place(dash + 1, (size_t)(word + len - dash - 1),
					INT64_MAX, &r->to);
		else
			good = rest && place(colon + 1, rest, 0, &r->from);
		if (!dash)
			r->to = r->from;
		if (!good || r->from > r->to)
			return vs_fail(VS_EUSAGE,
				"region %.*s: not CHROM, CHROM:POS or "
				"CHROM:FROM-TO",
				(int)len, word);
		r->contig = contig_row(names, word, name, turned);
	}
	if (r->contig < 0 && placed) {
		int code = check_number(word, len);

		if (code)
			return code;
	}
	if (r->contig < 0)
		vs_tool_warn("%s: no %s is on %.*s", names->from,
			names->whole ? "vector" : "vector of any record here",
			(int)name, word);
	return 0;
}

int
vs_selection_regions(struct vs_selection *pick,
	const struct vs_vector_names *names, const char *regions)
{
	const struct vs_sites *s = &names->sites;
	struct region *region = NULL;
	size_t n = 0, room = 0;
	bool turned = false, placed = false;
	int code = begin(pick, names);

	for (const char *p = regions; !code; p++) {
		size_t len = 0;

		code = region_length(names, p, &len);
		if (!code)
			code = vs_mem_grow(&region, &room, n + 1,
				sizeof(*region), "regions");
		if (!code)
			code = parse_region(&region[n++], names, p, len, placed,
				&turned);
		placed = memchr(p, ':', len) != NULL;
		p += len;
		if (!*p)
			break;
	}
	for (uint64_t v = 0; v < names->n_vec && !code; v++) {
		int64_t row = names->row[v];

		for (size_t k = 0; k < n && row >= 0; k++)
			if (s->contig[row] == region[k].contig &&
				region[k].contig >= 0 &&
				s->pos[row] >= region[k].from &&
				s->pos[row] <= region[k].to)
				add(pick, v);
	}
	if (turned)
		vs_tool_say("%s: " VS_CHR_TURNED, names->from);
	free(region);
	if (code)
		vs_selection_free(pick);
	return code;
}

void
vs_selection_free(struct vs_selection *pick)
{
	free(pick->in);
	memset(pick, 0, sizeof(*pick));
}
