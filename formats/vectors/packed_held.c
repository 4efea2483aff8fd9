/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of genotypes in memory, as a vectors file has them. */
#include <stdlib.h>
#include <string.h>

#include "formats/vectors/packed_held.h"
#include "libcore/base/mem.h"

static int
hold(struct vs_packed *p, const char *name, uint64_t n_field, uint64_t n_vec)
{
	int code = vs_mem_new(&p->held, 1, sizeof(*p->held), "vectors");

	if (!code)
		code = vs_mem_copy_text(&p->held->name, name);
	if (!code)
		code = vs_mem_copy_text(&p->uuid, "");
	if (!code)
		code = vs_mem_copy_text(&p->content, "");
	p->element = VS_BIT2;
	p->ploidy = 2;
	p->sited = true;
	p->n_field = n_field;
	p->plane_bytes = (n_field + 63) / 64 * 8;
	p->row_bytes = 2 * p->plane_bytes;
	return code ? code
		    : vs_mem_grow(&p->held->row, &p->held->room,
			      n_vec * p->row_bytes, 1, "genotype planes");
}

int
vs_packed_held_new(struct vs_packed **out, const char *name, uint64_t n_field,
	uint64_t n_vec)
{
	struct vs_packed *p = NULL;
	int code = vs_mem_new(&p, 1, sizeof(*p), name);

	*out = p;
	return code ? code : hold(p, name, n_field, n_vec);
}

int
vs_packed_held_add(struct vs_packed *p, const struct vs_vec *vec, uint64_t lo,
	uint64_t hi)
{
	const size_t bytes = p->plane_bytes;
	uint8_t *to;
	int code = vs_mem_grow(&p->held->row, &p->held->room,
		(p->n_vec + hi - lo) * p->row_bytes, 1, "genotype planes");

	if (code)
		return code;
	to = p->held->row + p->n_vec * p->row_bytes;
	for (; lo < hi; lo++)
		for (int k = 0; k < 2; k++, to += bytes)
			memcpy(to, vs_vec_plane(vec, lo, k), bytes);
	p->n_vec = (uint64_t)(to - p->held->row) / p->row_bytes;
	return 0;
}

int
vs_packed_held_end(struct vs_packed *p, struct vs_sites *sites,
	const struct vs_samples *samples)
{
	struct vs_packed_held *h = p->held;
	const uint64_t n = p->n_field;
	int code = 0;

	h->sites = *sites;
	memset(sites, 0, sizeof(*sites));
	h->sites.ploidy = p->ploidy;
	if (h->sites.haploid)
		code = vs_mem_new(&h->male, n / 64 + 1, sizeof(*h->male),
			"sexes");
	for (uint64_t q = 0; q < n && h->male; q++)
		h->male[q / 64] |= (uint64_t)(samples->sex[q] == 1) << q % 64;
	if (!code)
		code = vs_mem_copy(&h->status, samples->case_status, n, 1,
			"samples");
	return code ? code
		    : vs_mem_copy(&h->trait, samples->trait, n,
			      sizeof(*h->trait), "samples");
}

void
vs_packed_held_free(struct vs_packed_held *h)
{
	if (!h)
		return;
	free(h->name);
	free(h->row);
	free(h->male);
	free(h->status);
	free(h->trait);
	vs_sites_free(&h->sites);
	free(h);
}
