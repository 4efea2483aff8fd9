/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of genotypes or numbers as text: one row per vector, one column per
 * sample. */
#include <math.h>
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "tools/view/genotype_table.h"

static void
put_genotypes(struct vs_out *o, const struct vs_packed *p, const uint8_t *row)
{
	static const char *const cell[] = { "\t0", "\tNA", "\t1", "\t2" };
	const uint8_t *other = row + p->plane_bytes;

	for (uint64_t q = 0; q < p->n_field; q++) {
		unsigned a = row[q / 8] >> q % 8 & 1;
		unsigned b = other[q / 8] >> q % 8 & 1;

		vs_out_text(o, cell[2 * b + a]);
	}
}

static void
put_numbers(struct vs_out *o, const struct vs_packed *p, const uint8_t *row)
{
	for (uint64_t q = 0; q < p->n_field; q++) {
		double x = vs_element_get(p->element, row, q);

		vs_out_char(o, '\t');
		if (isnan(x))
			vs_out_text(o, "NA");
		else if (vs_element_is_integer(p->element))
			vs_out_int(o, (int64_t)x);
		else if (p->element == VS_NUM_F32)
			vs_out_f32(o, (float)x);
		else
			vs_out_real(o, x);
	}
}

static int
names_repeat(const struct vs_text_pool *names, bool *yes)
{
	struct vs_text_index index = { 0 };
	int code = vs_text_index_make(&index, names);

	*yes = !code && vs_text_index_duplicate(&index) >= 0;
	vs_text_index_free(&index);
	return code;
}

/*
 * Names of samples into the empty pool: ids or, if ids repeat, FAMILY_ID as in
 * PLINK. A_B 1 and A B_1 would give the same name: then a blank separates them.
 */
static int
name_samples(const struct vs_samples *s, struct vs_text_pool *names)
{
	static const char *const between[] = { NULL, "_", " " };
	bool again = true;
	int code = 0;

	for (int k = 0; k < (s->family.n ? 3 : 1) && again && !code; k++) {
		vs_text_pool_free(names);
		code = vs_sites_samples_join(s, between[k], names);
		if (!code)
			code = names_repeat(names, &again);
	}
	return code;
}

static int
put_heads(const struct vs_genotype_table *t, struct vs_out *o)
{
	struct vs_samples samples = { 0 };
	struct vs_text_pool names = { 0 };
	const char *word;
	size_t len;
	int code = vs_packed_samples(t->vectors, &samples);

	if (!code)
		code = name_samples(&samples, &names);
	vs_out_text(o, "id");
	for (size_t q = 0; q < names.n; q++) {
		vs_out_char(o, '\t');
		word = vs_text_pool_get(&names, q, &len);
		vs_out_put(o, word, len);
	}
	vs_out_char(o, '\n');
	vs_text_pool_free(&names);
	vs_sites_samples_free(&samples);
	return code;
}

int
vs_genotype_table_write(const struct vs_genotype_table *t, struct vs_out *o)
{
	struct vs_packed *p = t->vectors;
	uint64_t n = 1 + (4u << 20) / p->row_bytes;
	uint8_t *block = NULL;
	size_t len;
	int code = t->head ? put_heads(t, o) : 0;

	if (!code)
		code = vs_mem_room(&block, n, p->row_bytes, "vectors");
	for (uint64_t lo = 0; lo < p->n_vec && !code; lo += n) {
		uint64_t hi = p->n_vec - lo < n ? p->n_vec : lo + n;

		code = vs_packed_rows(p, lo, hi, block);
		for (uint64_t k = lo; k < hi && !code; k++) {
			const uint8_t *row = block + (k - lo) * p->row_bytes;
			const char *id = vs_text_pool_get(t->names, k, &len);

			if (!vs_selection_has(t->ids, k) ||
				!vs_selection_has(t->regions, k))
				continue;
			vs_out_put(o, id, len);
			if (p->element == VS_BIT2)
				put_genotypes(o, p, row);
			else
				put_numbers(o, p, row);
			vs_out_char(o, '\n');
			code = o->code;
		}
	}
	free(block);
	return code;
}
