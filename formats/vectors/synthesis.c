/* SPDX-License-Identifier: BSD-3-Clause */
/* Writer of synthetic vectors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/vectors/synthesis.h"
#include "libcore/base/mem.h"

#define BLOCK (4u << 20) /* bytes made together */

static int
add_site(struct vs_sites *to, uint64_t v, bool genotypes,
	const int64_t count[4])
{
	char id[32];
	struct vs_site site = { .id = id,
		.contig = "",
		.allele = { genotypes ? "0" : "", genotypes ? "1" : "" },
		.allele_len = { genotypes, genotypes },
		.allele1_source =
			genotypes ? VS_ALLELE_SECOND : VS_ALLELE_UNKNOWN,
		.source_row = (int64_t)v };

	site.id_len = (size_t)snprintf(id, sizeof(id), "v%llu",
		(unsigned long long)v + 1);
	for (int g = 0; g < 4; g++)
		site.count[g] = count[g];
	return vs_sites_add(to, &site);
}

static int
make_genotypes(const struct vs_packed_plan *plan,
	const struct vs_planted *planted, struct vs_packed_writer *w,
	struct vs_sites *sites)
{
	uint64_t n = 1 + BLOCK / (vs_vec_words(plan->n_field) * 16);
	struct vs_vec b = { 0 };
	int64_t count[4];
	int code = vs_vec_new(&b, n, plan->n_field);

	for (uint64_t lo = 0; lo < plan->n_vec && !code; lo += n) {
		n = plan->n_vec - lo < n ? plan->n_vec - lo : n;
		for (uint64_t k = 0; k < n && !code; k++) {
			if (planted)
				vs_planted_genotypes(planted, lo + k, &b, k);
			else
				vs_synthetic_genotypes(plan->synthetic, lo + k,
					plan->ploidy == 1 ? 1 : 2, &b, k);
			vs_vec_count(&b, k, count);
			code = add_site(sites, lo + k, true, count);
		}
		if (!code)
			code = vs_packed_add(w, &b, 0, n);
	}
	vs_vec_free(&b);
	return code;
}

static int
make_numbers(const struct vs_packed_plan *plan, struct vs_packed_writer *w,
	struct vs_sites *sites)
{
	static const int64_t none[4];
	size_t bytes = plan->n_field * vs_element_bytes(plan->element);
	uint64_t n = 1 + BLOCK / bytes;
	uint8_t *rows = NULL;
	int code = vs_mem_room(&rows, n, bytes, "vectors");

	for (uint64_t lo = 0; lo < plan->n_vec && !code; lo += n) {
		n = plan->n_vec - lo < n ? plan->n_vec - lo : n;
		for (uint64_t k = 0; k < n && !code; k++) {
			vs_synthetic_numbers(plan->synthetic, lo + k,
				plan->element, plan->n_field, rows + k * bytes);
			code = add_site(sites, lo + k, false, none);
		}
		if (!code)
			code = vs_packed_add_rows(w, rows, n);
	}
	free(rows);
	return code;
}

int
vs_synthesis_write(struct vs_packed_plan *plan, struct vs_packed_writer **w,
	struct vs_sites *sites, struct vs_samples *samples)
{
	int code;

	plan->allele_rule = "given";
	code = vs_packed_create(w, plan);
	if (!code)
		code = plan->element == VS_BIT2
			? make_genotypes(plan, NULL, *w, sites)
			: make_numbers(plan, *w, sites);
	return code ? code : vs_sites_samples_number(samples, plan->n_field);
}

int
vs_synthesis_planted(struct vs_packed_plan *plan,
	const struct vs_planted *planted, struct vs_packed_writer **w,
	struct vs_sites *sites, struct vs_samples *samples)
{
	int code;

	plan->allele_rule = "given";
	code = vs_packed_create(w, plan);
	if (!code)
		code = make_genotypes(plan, planted, *w, sites);
	if (!code)
		code = vs_sites_samples_number(samples, plan->n_field);
	VS_MEM_NEW(&code, samples->case_status, samples->n, "case status");
	if (!code)
		memcpy(samples->case_status, planted->status, samples->n);
	return code;
}
