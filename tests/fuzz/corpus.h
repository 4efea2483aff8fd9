/* SPDX-License-Identifier: BSD-3-Clause */
/* Corpora made of the inputs of tests/data/in. */
#ifndef VS_TESTS_FUZZ_CORPUS_H
#define VS_TESTS_FUZZ_CORPUS_H

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Files of one input end to end, with this between them: a prefix stands for
 * several.
 */
#define CORPUS_APART "\n\xff%%\n"
#define CORPUS_MOST 32768

struct corpus_input {
	char bytes[CORPUS_MOST];
	size_t n;
};

/* Append a file; one that is absent or too long adds nothing. */
__attribute__((unused)) static void
corpus_add(struct corpus_input *x, const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f)
		return;
	x->n += fread(x->bytes + x->n, 1, CORPUS_MOST - x->n, f);
	fclose(f);
}

/* For each file that pattern names; there must be one, or nothing is tried. */
__attribute__((unused)) static void
corpus_each(const char *pattern, void (*see)(const char *path, void *ctx),
	void *ctx)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found)) {
		fprintf(stderr,
			"no file %s: start fuzz targets in the top folder of "
			"the source\n",
			pattern);
		exit(1);
	}
	for (size_t k = 0; k < found.gl_pathc; k++)
		see(found.gl_pathv[k], ctx);
	globfree(&found);
}

#endif
