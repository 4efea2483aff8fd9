/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of vsim-pack --synthetic epistasis: the planted set and its model. */
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/num.h"
#include "tools/pack/pack_options.h"
#include "tools/pack/planted_options.h"

#define MOST_NAME 24

static const struct vs_pack_options *const job = &vs_pack_options;

static int
read_two(const char *name, const char *const word[2], double most, double to[2])
{
	if (!word[0])
		return 0;
	for (int k = 0; k < 2; k++)
		if (!vs_num_real(word[k], &to[k]) || to[k] < 0 || to[k] > most)
			return vs_fail(VS_EUSAGE,
				"--%s: %.40s is not within 0 and %g", name,
				word[k], most);
	if (to[0] > to[1])
		return vs_fail(VS_EUSAGE,
			"--%s: %.40s is above %.40s; the least comes first",
			name, word[0], word[1]);
	return 0;
}

/* Number of a vector from its name, v1 and so on. */
static bool
read_vector(const char *text, size_t len, uint64_t *v)
{
	char word[MOST_NAME];
	int64_t x;

	if (len < 2 || len >= sizeof(word) || *text != 'v' || text[1] < '0' ||
		text[1] > '9')
		return false;
	memcpy(word, text + 1, len - 1);
	word[len - 1] = 0;
	if (!vs_num_int(word, &x) || x < 1 || x > job->vectors)
		return false;
	*v = (uint64_t)x - 1;
	return true;
}

static int
read_set(struct vs_planted *p)
{
	const char *at = job->planted;

	while (at) {
		size_t len = strcspn(at, ",");
		uint64_t v;

		if (!read_vector(at, len, &v))
			return vs_fail(VS_EUSAGE,
				"--planted: %.*s is not one of the vectors v1 "
				"to v%lld",
				len > 40 ? 40 : (int)len, at,
				(long long)job->vectors);
		for (size_t k = 0; k < p->n_set; k++)
			if (p->set[k] == v)
				return vs_fail(VS_EUSAGE,
					"--planted: %.*s occurs twice",
					(int)len, at);
		if (p->n_set == VS_PLANTED_MOST)
			return vs_fail(VS_EUSAGE,
				"--planted: two or three vectors, as v3,v17");
		p->set[p->n_set++] = v;
		at = at[len] ? at + len + 1 : NULL;
	}
	if (p->n_set == 1)
		return vs_fail(VS_EUSAGE,
			"--planted: two or three vectors, as v3,v17");
	return 0;
}

int
vs_planted_options_read(struct vs_planted *p)
{
	double risk[2] = { 0.2, 0.6 }, frequency[2] = { 0.05, 0.5 };
	const char *name;
	int code = read_two("penetrance", job->penetrance, 1, risk);

	if (!code && (risk[0] <= 0 || risk[1] >= 1))
		code = vs_fail(VS_EUSAGE,
			"--penetrance: must be above 0 and below 1, so that "
			"all genotypes occur in both classes");
	if (!code)
		code = read_two("frequency", job->frequency, 0.5, frequency);
	if (code)
		return code;
	*p = (struct vs_planted){ .seed = (uint64_t)job->seed,
		.n_field = (uint64_t)job->fields,
		.n_case = (uint64_t)(job->cases < 0 ? job->fields / 2
						    : job->cases),
		.missing = job->missing,
		.least = frequency[0],
		.most = frequency[1],
		.low = risk[0],
		.high = risk[1] };
	for (size_t k = 0; (name = vs_planted_name(k)); k++)
		if (!strcmp(name, job->model))
			p->model = (enum vs_planted_model)k;
	if (p->n_case > p->n_field)
		return vs_fail(VS_EUSAGE, "--cases %lld: there are %lld fields",
			(long long)job->cases, (long long)job->fields);
	return read_set(p);
}
