/* SPDX-License-Identifier: BSD-3-Clause */
/* Tokeniser of lines with names that may hold blanks. */
#include <stdlib.h>
#include <string.h>

#include "formats/in/fields.h"
#include "libcore/base/mem.h"

static struct vs_word
trimmed(char *at, size_t len)
{
	while (len && at[len - 1] == ' ')
		len--;
	while (len && *at == ' ') {
		at++;
		len--;
	}
	return (struct vs_word){ at, len };
}

int
vs_fields_split(struct vs_fields *f, char *line, bool tabs)
{
	const char *apart = tabs ? "\t" : " \t";
	char *at = line;
	int code = 0;

	for (f->n = 0; !code; f->n++) {
		size_t len;

		if (!tabs)
			at += strspn(at, apart);
		len = strcspn(at, apart);
		if (!tabs && !len)
			break;
		code = vs_mem_grow(&f->field, &f->room, f->n + 1,
			sizeof(*f->field), "columns");
		if (code)
			break;
		f->field[f->n] = trimmed(at, len);
		if (!at[len]) {
			f->n++;
			break;
		}
		at += len + 1;
	}
	return code;
}

int
vs_fields_of(struct vs_fields *f, char *line)
{
	return vs_fields_split(f, line, strchr(line, '\t'));
}

char *
vs_fields_text(struct vs_fields *f, size_t k)
{
	f->field[k].text[f->field[k].len] = 0;
	return f->field[k].text;
}

void
vs_fields_free(struct vs_fields *f)
{
	free(f->field);
	memset(f, 0, sizeof(*f));
}
