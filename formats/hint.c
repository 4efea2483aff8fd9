/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "formats/hint.h"
#include "libcore/base/err.h"

/*
 * Of a name PREFIX.ending, % stands for PREFIX and @ for the whole. What is
 * made of others stands before them: x.pvar.zst beside x.pgen needs vzs.
 */
static const struct {
	const char *ending, *words;
} known_as[] = {
	{ ".pvar.zst", "plink2 --pfile % vzs --make-bed --out %" },
	{ ".pgen", "plink2 --pfile % --make-bed --out %" },
	{ ".pvar", "plink2 --pfile % --make-bed --out %" },
	{ ".psam", "plink2 --pfile % --make-bed --out %" },
	{ ".ped", "plink1.9 --file % --make-bed --out %" },
	{ ".map", "plink1.9 --file % --make-bed --out %" },
	{ ".bgen", "plink2 --bgen @ ref-first --make-bed --out %" },
	{ ".bed.gz", "gunzip @" },
	{ ".bim.gz", "gunzip @" },
	{ ".fam.gz", "gunzip @" },
	{ ".tped.gz", "gunzip @" },
	{ ".tfam.gz", "gunzip @" },
	{ ".bed.zst", "zstd -d @" },
	{ ".bim.zst", "zstd -d @" },
	{ ".fam.zst", "zstd -d @" },
	{ ".tped.zst", "zstd -d @" },
	{ ".tfam.zst", "zstd -d @" },
	{ ".bed", "vsim-pack --bfile %" },
	{ ".bim", "vsim-pack --bfile %" },
	{ ".fam", "vsim-pack --bfile %" },
	{ ".tped", "vsim-pack --tped %" },
	{ ".tfam", "vsim-pack --tped %" },
	{ ".vcf.gz", "vsim-pack --vcf @" },
	{ ".vcf.bgz", "vsim-pack --vcf @" },
	{ ".vcf", "vsim-pack --vcf @" },
	{ ".bcf", "vsim-pack --vcf @" },
	{ ".npy", "vsim-pack --matrix @" },
	{ ".mtx", "vsim-pack --matrix @" },
	{ ".mtx.gz", "vsim-pack --matrix @" },
};
#define N_KNOWN (sizeof(known_as) / sizeof(*known_as))

/* The row of a name's ending, and how long what is before it is; or N_KNOWN. */
static size_t
find(const char *name, size_t *prefix)
{
	size_t len = strlen(name), k, n;

	for (k = 0; k < N_KNOWN; k++) {
		n = strlen(known_as[k].ending);
		if (len > n && !strcmp(name + len - n, known_as[k].ending))
			break;
	}
	*prefix = k < N_KNOWN ? len - n : len;
	return k;
}

static int
put_words(struct vs_text *to, size_t k, const char *name, size_t prefix)
{
	int code = 0;

	for (const char *p = known_as[k].words; *p && !code; p++)
		code = *p == '%'    ? vs_text_put(to, name, prefix)
			: *p == '@' ? vs_text_add(to, "%.*s%s", (int)prefix,
					      name, known_as[k].ending)
				    : vs_text_put(to, p, 1);
	return code;
}

int
vs_hint_of(const char *name, struct vs_text *words, bool *known)
{
	size_t prefix, k = find(name, &prefix);

	*known = k < N_KNOWN;
	return *known ? put_words(words, k, name, prefix) : 0;
}

/* Is row k what the option reads anyway? */
static bool
is_of(size_t k, const char *option)
{
	const char *dash = strstr(known_as[k].words, " --");

	return !strncmp(known_as[k].words, "vsim-pack", 9) &&
		!strncmp(dash + 3, option, strlen(option));
}

/* Is there a file PREFIX and this ending? */
static bool
is_there(const char *name, size_t prefix, const char *ending)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%.*s%s", (int)prefix, name,
		ending);

	return n > 0 && (size_t)n < sizeof(path) && !access(path, F_OK);
}

static bool
is_packed(size_t k)
{
	return !strncmp(known_as[k].words, "gunzip", 6) ||
		!strncmp(known_as[k].words, "zstd", 4);
}

/*
 * The first row of a file that is there in place of one that a prefix lacks: a
 * packed part only where it is that part. N_KNOWN: none.
 */
static size_t
look_beside(const char *name, size_t prefix, const char *option,
	const char *const *suffixes)
{
	size_t found = N_KNOWN;

	for (; *suffixes; suffixes++) {
		size_t len = strlen(*suffixes);
		char part[16];

		snprintf(part, sizeof(part), ".%s", *suffixes);
		if (is_there(name, prefix, part))
			continue;
		for (size_t k = 0; k < found; k++)
			if (!is_of(k, option) &&
				(!is_packed(k) ||
					!strncmp(known_as[k].ending + 1,
						*suffixes, len)) &&
				is_there(name, prefix, known_as[k].ending))
				found = k;
	}
	return found;
}

int
vs_hint_instead(int code, const char *name, const char *option,
	const char *const *suffixes)
{
	struct vs_text words = { 0 };
	size_t prefix, k = find(name, &prefix);

	if (code != VS_EINPUT || !strcmp(name, "-"))
		return code;
	if (suffixes)
		k = look_beside(name, prefix, option, suffixes);
	else if (k < N_KNOWN && is_of(k, option))
		k = N_KNOWN;
	if (k == N_KNOWN)
		return code;
	if (!vs_text_add(&words, "; %.*s%s %s: ", (int)prefix, name,
		    known_as[k].ending, suffixes ? "is there" : "is for") &&
		!put_words(&words, k, name, prefix))
		vs_err_append(words.bytes);
	vs_text_free(&words);
	return code;
}
