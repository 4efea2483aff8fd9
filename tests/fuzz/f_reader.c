/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Genotype readers on any bytes: the first says which reader, and whether calls
 * or numbers, and the files that it reads follow. What a reader gives is within
 * the limits of reader.h.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/in/readers.h"
#include "formats/vectors/sites.h"
#include "libcore/base/fail.h"
#include "tests/fuzz/corpus.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch.h"

const unsigned fuzz_rounds = 2000;

static size_t
n_kind(void)
{
	size_t n = 0;

	while (vs_readers_at(n))
		n++;
	return n;
}

/* Files of a kind, cut at CORPUS_APART; an empty part: no file. */
static void
write_files(const struct vs_reader_kind *kind, const uint8_t *bytes, size_t n)
{
	static const char *const one[] = { "", NULL };
	const char *const *suffix = kind->suffixes ? kind->suffixes : one;
	const size_t apart = strlen(CORPUS_APART);

	for (; *suffix; suffix++) {
		const uint8_t *end =
			bytes ? memmem(bytes, n, CORPUS_APART, apart) : NULL;
		size_t len = end ? (size_t)(end - bytes) : n;
		char path[SCRATCH_PATH], name[40];

		snprintf(name, sizeof(name), "x%s%s", **suffix ? "." : "",
			*suffix);
		scratch_path(path, name);
		if (bytes)
			scratch_file(path, bytes, len);
		else
			unlink(path);
		bytes = end ? end + apart : NULL;
		n = end ? n - len - apart : 0;
	}
}

/* Each byte is looked at, so that a sanitizer sees those that are not there. */
static void
look(const char *text, size_t len)
{
	FUZZ_HOLDS(text || !len, "a text of %zu bytes is null", len);
	FUZZ_HOLDS(!len || !memchr(text, 0, len), "a text holds a NUL");
}

static void
see_values(struct vs_reader *r)
{
	double *x = calloc(r->samples.n + 1, sizeof(*x));
	int code = x ? r->kind->values(r, x) : 0;

	FUZZ_HOLDS(!code || code == VS_EINPUT, "numbers: code %d", code);
	free(x);
}

static void
see(struct vs_reader *r, const struct vs_input_site *x)
{
	const int64_t most =
		r->kind == &vs_reader_vcf ? 1000000000000000 : INT32_MAX;
	unsigned sum = 0;

	look(x->site.id, x->site.id_len);
	look(x->site.contig, x->site.contig_len);
	for (int a = 0; a < 2; a++)
		look(x->site.allele[a], x->site.allele_len[a]);
	/* htslib knows positions of 64 bits */
	FUZZ_HOLDS(x->site.pos >= 0 && x->site.pos < most, "position %lld",
		(long long)x->site.pos);
	if (r->field)
		see_values(r);
	for (size_t q = 0; !r->field && q < (r->samples.n + 3) / 4 + 8; q++)
		sum += x->codes[q];
	FUZZ_HOLDS(sum < UINT32_MAX, "codes");
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct vs_reader_kind *kind;
	struct vs_provenance provenance = { 0 };
	struct vs_reader r = { 0 };
	struct vs_input_site site;
	char path[SCRATCH_PATH];
	int64_t n_site = 0;
	int code, ploidy;

	if (!n)
		return 0;
	kind = vs_readers_at(bytes[0] % n_kind());
	ploidy = bytes[0] & 0x80 ? 1 : 2;
	write_files(kind, bytes + 1, n - 1);
	scratch_path(path, "x");
	code = vs_reader_open(&r, kind, path,
		&(struct vs_reader_how){ .ploidy = ploidy,
			.threads = 1,
			.field =
				kind->values && bytes[0] & 0x20 ? "DS" : NULL },
		&provenance);
	r.multiallelic = !(bytes[0] & 0x40) ? VS_MULTIALLELIC_DROP
		: ploidy == 1               ? VS_MULTIALLELIC_WHOLE
					    : VS_MULTIALLELIC_SPLIT;
	while (!code && (code = vs_reader_next(&r, &site)) == 1) {
		see(&r, &site);
		n_site++;
		code = 0;
	}
	FUZZ_HOLDS(code <= 0 && (!code || *vs_fail_text()),
		"code %d without a sentence", code);
	FUZZ_HOLDS(code != VS_EMACHINE, "a file is the machine's fault: %s",
		vs_fail_text());
	FUZZ_HOLDS(code || r.n_site < 0 || r.n_site == n_site,
		"%lld sites stated, %lld given", (long long)r.n_site,
		(long long)n_site);
	vs_reader_close(&r);
	vs_provenance_free(&provenance);
	vs_fail_clear();
	return 0;
}

struct ctx {
	void (*take)(const void *bytes, size_t n);
	size_t kind;
};

/* One more file of an input, the stem of path and a suffix. */
static void
corpus_more(struct corpus_input *x, const char *path, int stem,
	const char *suffix)
{
	char name[600];

	if (x->n + 8 < CORPUS_MOST) {
		memcpy(x->bytes + x->n, CORPUS_APART, strlen(CORPUS_APART));
		x->n += strlen(CORPUS_APART);
	}
	snprintf(name, sizeof(name), "%.*s.%s", stem, path, suffix);
	corpus_add(x, name);
}

/* The first file of an input; the others have its stem. */
static void
seed(const char *path, void *data)
{
	static const char *const not_files[] = { ".want", ".says", ".warns",
		".options" };
	static struct corpus_input x;
	const struct ctx *ctx = data;
	const char *const *suffix = vs_readers_at(ctx->kind)->suffixes;
	const char *end = strrchr(path, '.');
	int stem = (int)(end - path);

	for (size_t k = 0; k < sizeof(not_files) / sizeof(*not_files); k++)
		if (!strcmp(end, not_files[k]))
			return;
	x.n = 1;
	x.bytes[0] = (char)ctx->kind;
	if (!suffix) {
		corpus_add(&x, path);
	} else if (strcmp(end + 1, *suffix) != 0) {
		return;
	} else {
		corpus_add(&x, path);
		while (*++suffix)
			corpus_more(&x, path, stem, *suffix);
	}
	ctx->take(x.bytes, x.n);
}

void
fuzz_seeds(void (*take)(const void *bytes, size_t n))
{
	struct ctx ctx = { take, 0 };

	for (; vs_readers_at(ctx.kind); ctx.kind++) {
		const char *name = vs_readers_at(ctx.kind)->name;
		char pattern[200];

		snprintf(pattern, sizeof(pattern), "tests/data/in/%s/good/*",
			name);
		corpus_each(pattern, seed, &ctx);
		snprintf(pattern, sizeof(pattern), "tests/data/in/%s/bad/*",
			name);
		corpus_each(pattern, seed, &ctx);
	}
}
