/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of an input by its first bytes, or by the files of a PREFIX. */
#include <string.h>
#include <sys/stat.h>

#include "formats/in/hint.h"
#include "formats/in/recognize.h"
#include "formats/in/text/lines.h"
#include "libcore/base/fail.h"

/* First bytes of files, and the option that reads it. */
static const struct {
	size_t at;
	const char *bytes;
	size_t n;
	const char *option;
} begins[] = {
#define AT(at, text) at, text, sizeof(text) - 1
#define BYTES(text) AT(0, text)
	{ BYTES("\x89VSIM\r\n\x1a"), NULL },
	{ BYTES("##fileformat=VCF"), "vcf" },
	{ BYTES("BCF\2"), "vcf" },
	{ BYTES("l\x1b\1"), "bfile" },
	{ BYTES("l\x1b\0"), "bfile" }, /* refused later: by sample */
	{ BYTES("l\x1b"), "pfile" },
	{ BYTES("\x93NUMPY"), "matrix" },
	{ BYTES("%%MatrixMarket"), "matrix" },
	{ BYTES("\x89HDF\r\n\x1a\n"), "matrix" },
	{ AT(16, "bgen"), "bgen" },
#undef BYTES
#undef AT
};

static int
by_content(const char *name, const char **option)
{
	struct vs_lines *l = NULL;
	const char *bytes = NULL;
	bool known = false;
	size_t got = 0;
	int code = vs_lines_open(&l, name);

	if (!code)
		code = vs_lines_peek(l, 64, &bytes, &got);
	for (size_t k = 0;
		k < sizeof(begins) / sizeof(*begins) && !code && !known; k++)
		if (got >= begins[k].at + begins[k].n &&
			!memcmp(bytes + begins[k].at, begins[k].bytes,
				begins[k].n)) {
			*option = begins[k].option;
			known = true;
		}
	vs_lines_close(l);
	if (known)
		return code;
	/* its content does not match its name: the reader for the name says
	 * why */
	*option = vs_hint_reader(name, true);
	if (code && *option) {
		vs_fail_clear();
		return 0;
	}
	if (!code && !*option && !got)
		return vs_fail(VS_EINPUT, "%s: is empty", name);
	if (!*option)
		*option = "";
	return code ? code : vs_hint_refuse(name);
}

bool
vs_recognize_pipe(const char *name)
{
	struct stat st;

	return !strcmp(name, "-") || (!stat(name, &st) && S_ISFIFO(st.st_mode));
}

int
vs_recognize(const char *name, const char **option)
{
	struct stat st;

	*option = "vcf";
	if (vs_recognize_pipe(name))
		return 0;
	if (!stat(name, &st) && !S_ISDIR(st.st_mode))
		return by_content(name, option);
	*option = vs_hint_reader(name, false);
	if (!*option && !stat(name, &st))
		return vs_fail(VS_EINPUT, "%s: is a directory, not an input",
			name);
	return *option ? 0
		       : vs_fail(VS_EINPUT,
				 "%s: no such file, nor a PREFIX of PLINK or "
				 "EIGENSTRAT files",
				 name);
}
