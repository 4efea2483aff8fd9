/* SPDX-License-Identifier: BSD-3-Clause */
/* Sexes of samples, as words and as a separate table. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/in/sample_index.h"
#include "formats/in/sample_sex.h"
#include "formats/in/text/lines.h"
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
sex_line(struct vs_sample_lines *x, char *line, const int header[3],
	uint8_t *sex)
{
	struct vs_word word[MOST_SEX], family = { 0 };
	int at[3] = { header[0], header[1], header[2] }, is, code;
	int64_t row;
	size_t n;

	n = vs_lines_words(&line, word, MOST_SEX);
	if (at[1] < 0) {
		at[0] = n == 2 ? -1 : 0;
		at[1] = n == 2 ? 0 : 1;
		at[2] = n <= 3 ? (int)n - 1 : 4;
		if (n < 2 || n == 4 || n == 5)
			return vs_lines_fail(x->l,
				"has %zu columns; expected IID SEX, FID IID "
				"SEX or the six columns of a .fam",
				n);
	}
	for (int k = 0; k < 3; k++)
		if (at[k] >= (int)n)
			return vs_lines_fail(x->l,
				"is shorter than its header");
	is = vs_sample_sex_of(word[at[2]].text, word[at[2]].len);
	if (is < 0)
		return vs_lines_fail(x->l,
			"%.20s is not a sex: 1 or M, 2 or F, 0 for unknown; "
			"a header begins with #",
			word[at[2]].text);
	if (at[0] >= 0)
		family = word[at[0]];
	code = vs_sample_index_look_up(x, family, word[at[1]], &row);
	if (code || row < 0)
		return code;
	if (x->seen[row] && sex[row] != is)
		return vs_lines_fail(x->l,
			"sample %.60s occurs twice, with different sexes",
			word[at[1]].text);
	x->seen[row] = 1;
	sex[row] = (uint8_t)is;
	return 0;
}

int
vs_sample_sex_read(struct vs_samples *s, const char *path,
	struct vs_provenance *provenance, size_t *n_found, size_t *n_unknown)
{
	struct vs_sample_lines x = { 0 };
	int header[3] = { -1, -1, -1 };
	char *line;
	size_t len;
	int code = vs_sample_index_open(&x, s, path);

	if (!s->sex)
		VS_MEM_NEW(&code, s->sex, s->n, "samples");
	while (!code && (code = vs_lines_next_full(x.l, &line, &len)) == 1)
		code = vs_lines_number(x.l) == 1 && *line == '#'
			? sex_header(x.l, line, header)
			: sex_line(&x, line, header, s->sex);
	*n_unknown = x.n_unknown;
	return vs_sample_index_close(&x, code, provenance, n_found);
}
