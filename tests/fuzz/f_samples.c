/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sample tables, lists of samples and of sites on any bytes: the first byte
 * says which. Rows are ascending and within the table.
 */
#include <math.h>
#include <string.h>

#include "formats/in/sample_list.h"
#include "formats/in/sample_table.h"
#include "formats/in/site_choice.h"
#include "libcore/base/fail.h"
#include "tests/fuzz/corpus.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch.h"

const unsigned fuzz_rounds = 8000;

#define N 3 /* samples of the table that a file speaks of */

static void
table(struct vs_samples *s)
{
	static const char *const id[N] = { "i1", "i2", "i3" };

	memset(s, 0, sizeof(*s));
	for (int q = 0; q < N; q++)
		if (vs_text_pool_add(&s->id, id[q], 2) ||
			vs_text_pool_add(&s->family, "f", 1))
			exit(4);
	s->n = N;
}

static void
see(const struct vs_samples *s)
{
	FUZZ_HOLDS(s->id.n == s->n && (!s->family.n || s->family.n == s->n),
		"%zu samples, %zu ids, %zu families", s->n, s->id.n,
		s->family.n);
	for (size_t q = 0; q < s->n; q++) {
		FUZZ_HOLDS(!s->sex || s->sex[q] <= 2, "sex %d", s->sex[q]);
		FUZZ_HOLDS(!s->case_status || s->case_status[q] <= 1 ||
				s->case_status[q] == 255,
			"case status %d", s->case_status[q]);
		for (size_t p = 0; p < s->phenotype_name.n; p++)
			FUZZ_HOLDS(!isinf(s->phenotype[p][q]), "infinity");
	}
}

static int
list(const char *path)
{
	struct vs_samples s;
	uint8_t marked[N] = { 0 };
	size_t n = 0, n_unknown;
	char first[VS_SAMPLE_LIST_LINE];
	int code;

	table(&s);
	code = vs_sample_list_mark(&s, path, NULL, marked, &n, &n_unknown,
		first);
	for (size_t k = 0; !code && k < N; k++)
		n -= marked[k] == 1;
	FUZZ_HOLDS(code || !n, "marked, but for %zu", n);
	vs_sites_samples_free(&s);
	return code;
}

static int
wanted(const char *path)
{
	struct vs_site_list w = { 0 };
	struct vs_site_choice f = { 0 };
	size_t first;
	int code = vs_site_choice_list(&w, path, NULL);

	FUZZ_HOLDS(code || vs_site_choice_missed(&w, &first) == w.id.n,
		"ids found in nothing");
	f.extract = w;
	vs_site_choice_free(&f);
	return code;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct vs_sample_table_said said;
	struct vs_samples s = { 0 };
	char path[SCRATCH_PATH];
	const char *status = NULL;
	int code;

	if (!n)
		return 0;
	scratch_path(path, "x");
	scratch_file(path, bytes + 1, n - 1);
	if (bytes[0] & 0x80)
		status = "pheno";
	switch (bytes[0] % 4) {
	case 0:
		code = vs_sample_table_read(&s, path, VS_SAMPLE_FAM, status,
			NULL);
		if (!code)
			see(&s);
		break;
	case 1:
		table(&s);
		code = bytes[0] & 0x40
			? vs_sample_table_covar(&s, path,
				  status ? "COV1,a" : NULL, &said)
			: vs_sample_table_pheno(&s, path, status, NULL, &said);
		if (!code)
			see(&s);
		FUZZ_HOLDS(code || said.n_found <= N, "%zu found",
			said.n_found);
		break;
	case 2:
		code = list(path);
		break;
	default:
		code = wanted(path);
	}
	FUZZ_HOLDS(!code || (code == VS_EINPUT && *vs_fail_text()),
		"code %d: %s", code, vs_fail_text());
	vs_sites_samples_free(&s);
	vs_fail_clear();
	return 0;
}

static void
seed(const char *path, void *data)
{
	void (**take)(const void *, size_t) = data;
	static struct corpus_input x;

	x.bytes[0] = 0;
	x.n = 1;
	corpus_add(&x, path);
	(*take)(x.bytes, x.n);
}

void
fuzz_seeds(void (*take)(const void *bytes, size_t n))
{
	static const char *const text[] = {
		"\1FID IID a b\nf i1 1 0.5\nf i2 2 NA\nf i3 -9 7\n",
		"\101FID IID a b\nf i3 -9 7\n", "\101f i2 1 x\nf i1 3 4\n",
		"\301f i2 1 2\n", "\1IID\tcase\ni3\t0\ni1\t1\nno\t1\n",
		"\2i1\ni3\n", "\2f i2\nf i1\n", "\2i1\ni1\n",
		"\3rs1 rs2\nrs3\n", "\00321:9411:A:G\nchr21:9411:A:G\n"
	};

	for (size_t k = 0; k < sizeof(text) / sizeof(*text); k++)
		take(text[k], strlen(text[k]));
	corpus_each("tests/data/in/*/*/*fam", seed, &take);
}
