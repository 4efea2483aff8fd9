/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of genotype readers, made of the rows of formats/in/rows.h. */
#include "formats/in/readers.h"

static const struct vs_reader_kind *const kinds[] = {
#define READER(name) &vs_reader_##name,
#define MATRIX(name)
#include "formats/in/rows.h"
#undef READER
#undef MATRIX
};

const struct vs_reader_kind *
vs_readers_at(size_t k)
{
	return k < sizeof(kinds) / sizeof(kinds[0]) ? kinds[k] : NULL;
}

int
vs_readers_list(struct vs_text *t)
{
	const struct vs_reader_kind *kind;
	int code = 0;

	for (size_t k = 0; (kind = vs_readers_at(k)) && !code; k++)
		code = vs_text_add(t, "%s--%s", k ? ", " : "", kind->name);
	return code;
}

int
vs_readers_labels(struct vs_text *t)
{
	const struct vs_reader_kind *kind;
	int code = 0;

	for (size_t k = 0; (kind = vs_readers_at(k)) && !code; k++) {
		const char *const *own = kind->label;

		if (own[0] || own[1])
			code = vs_text_add(t, ", %s%s%s with --%s",
				own[0] ? own[0] : "",
				own[0] && own[1] ? " and " : "",
				own[1] ? own[1] : "", kind->name);
	}
	return code;
}
