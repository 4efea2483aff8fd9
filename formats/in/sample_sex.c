/* SPDX-License-Identifier: BSD-3-Clause */
/* Sexes of samples, as words and as a separate table. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/in/sample_index.h"
#include "formats/in/sample_sex.h"
#include "formats/in/text/lines.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define MOST_SEX 64 /* columns used */

int
vs_sample_sex_of(const char *word, size_t len)
{
	static const char *const name[][4] = {
		{ "0", "u", "unknown", NULL },
		{ "1", "m", "male", NULL },
		{ "2", "f", "female", NULL },
	};

	for (int sex = 0; sex < 3; sex++)
		for (int k = 0; name[sex][k]; k++)
			if (!strcasecmp(word, name[sex][k]))
				return sex;
	return vs_lines_word_missing(word, len) ? 0 : -1;
}

/* Columns of FID (-1: none), IID and SEX by a header that begins with #. */
static int
sex_header(const struct vs_lines *l, char *line, int at[3])
{
	static const char *const name[3] = { "FID", "IID", "SEX" };
	char *word;
	size_t len;

	at[0] = at[1] = at[2] = -1;
	line += strspn(line, "#");
	for (int c = 0; (word = vs_lines_word(&line, &len)); c++)
		for (int k = 0; k < 3; k++)
			if (!strcasecmp(word, name[k]))
				at[k] = c;
	return at[1] >= 0 && at[2] >= 0
		? 0
		: vs_lines_fail(l, "its header names no columns IID and SEX");
}

static int
sex_line(struct vs_sample_index *f, const struct vs_lines *l, char *line,
	const int header[3], uint8_t *sex, uint8_t *seen, size_t *n_unknown)
{
	char *word[MOST_SEX];
	size_t len[MOST_SEX], n = 0;
	int at[3] = { header[0], header[1], header[2] }, is, code;
	int64_t row;

	while (n < MOST_SEX && (word[n] = vs_lines_word(&line, &len[n])))
		n++;
	if (at[1] < 0) {
		at[0] = n == 2 ? -1 : 0;
		at[1] = n == 2 ? 0 : 1;
		at[2] = n <= 3 ? (int)n - 1 : 4;
		if (n < 2 || n == 4 || n == 5)
			return vs_lines_fail(l,
				"has %zu columns; expected IID SEX, FID IID "
				"SEX or the six columns of a .fam",
				n);
	}
	for (int k = 0; k < 3; k++)
		if (at[k] >= (int)n)
			return vs_lines_fail(l, "is shorter than its header");
	is = vs_sample_sex_of(word[at[2]], len[at[2]]);
	if (is < 0)
		return vs_lines_fail(l,
			"%.20s is not a sex: 1 or M, 2 or F, 0 for unknown",
			word[at[2]]);
	code = vs_sample_index_find(f, at[0] < 0 ? NULL : word[at[0]],
		at[0] < 0 ? 0 : len[at[0]], word[at[1]], len[at[1]], &row);
	if (!code && row >= 0 && at[0] < 0 && f->shared[row])
		return vs_lines_fail(l,
			"sample %.60s: its id is in several families; FID IID "
			"SEX names one",
			word[at[1]]);
	if (!code && row >= 0 && seen[row] && sex[row] != is)
		return vs_lines_fail(l,
			"sample %.60s occurs twice, with different sexes",
			word[at[1]]);
	if (code || row < 0) {
		*n_unknown += !code;
		return code;
	}
	seen[row] = 1;
	sex[row] = (uint8_t)is;
	return 0;
}

int
vs_sample_sex_read(struct vs_samples *s, const char *path,
	struct vs_provenance *provenance, size_t *n_found, size_t *n_unknown)
{
	struct vs_sample_index f = { 0 };
	struct vs_lines *l = NULL;
	uint8_t *seen = NULL;
	int header[3] = { -1, -1, -1 };
	char *line;
	size_t len;
	int code = vs_lines_open(&l, path);

	*n_found = *n_unknown = 0;
	if (!code)
		code = vs_sample_index_make(&f, s);
	if (!code)
		code = vs_mem_new(&seen, s->n, 1, "samples");
	if (!code && !s->sex)
		code = vs_mem_new(&s->sex, s->n, 1, "samples");
	while (!code && (code = vs_lines_next_full(l, &line, &len)) == 1)
		code = vs_lines_number(l) == 1 && *line == '#'
			? sex_header(l, line, header)
			: sex_line(&f, l, line, header, s->sex, seen,
				  n_unknown);
	for (size_t q = 0; q < s->n && !code; q++)
		*n_found += seen[q];
	if (!code && !*n_found)
		code = vs_fail(VS_EINPUT, "%s: names none of the %zu samples",
			path, s->n);
	if (!code)
		code = vs_lines_note(l, provenance);
	vs_lines_close(l);
	vs_sample_index_free(&f);
	free(seen);
	return code;
}
