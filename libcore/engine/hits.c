/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of pairs that pass, by the exact recipe. */
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/engine/backend.h"
#include "libcore/plan/wanted.h"

static inline int
reserve(struct vs_hits *found, size_t n)
{
	if (found->n + n <= found->room)
		return 0;
	return vs_mem_grow(&found->rec, &found->room, found->n + n,
		sizeof(*found->rec), "records of a tile");
}

int
vs_hits_more(struct vs_hits *found, struct vs_record **rec)
{
	int code = reserve(found, 1);

	if (!code)
		*rec = &found->rec[found->n++];
	return code;
}

/*
 * Number in the file. The vectors of a block are sorted by frequency, so the
 * first of a pair may come later in the file: the record then swaps them.
 */
static uint64_t
number(const struct vs_panel *p, size_t v)
{
	return p->first + p->row[v];
}

int
vs_hits_pair(struct vs_hits *found, const struct vs_strip *s, size_t i,
	size_t j, struct vs_record **rec)
{
	int code = vs_hits_more(found, rec);

	if (!code)
		**rec = vs_record_pair(number(s->i, i), number(s->j, j));
	return code;
}

int
vs_hits_row(struct vs_hits *found, const struct vs_query *q,
	const struct vs_strip *s, size_t i, const uint16_t *column,
	const int32_t *num, const double *value, size_t n)
{
	const uint32_t *row = s->j->row + s->j_lo;
	const uint64_t a = number(s->i, i);
	struct vs_record *to;

	if (reserve(found, n))
		return VS_EMACHINE;
	to = found->rec + found->n;
	for (size_t k = 0; k < n; k++) {
		if (!vs_query_accepts(q, value[k]))
			continue;
		*to = vs_record_pair(a, s->j->first + row[column[k]]);
		to->value = q->f32 ? (double)(float)value[k] : value[k];
		if (q->has_missing)
			to->nvalid = (int32_t)q->n_field;
		if (num)
			to->num = num[column[k]];
		to++;
	}
	found->n = (size_t)(to - found->rec);
	return 0;
}

bool
vs_hits_wants(const struct vs_hits *found, const struct vs_two *pair)
{
	uint64_t i = number(pair->pi, pair->i), j = number(pair->pj, pair->j);

	return vs_wanted_near(found->wanted, vs_wanted_row(found->wanted, i),
		vs_wanted_row(found->wanted, j));
}

/* Exchange the bits of cells 1 and 2. */
static inline uint32_t
swap_cells(uint32_t cells)
{
	return (cells & 9) | (cells & 2) << 1 | (cells & 4) >> 1;
}

/* The last loop is over cells that pass, most often one: a look at each of the
 * four is a branch that goes wrong. */
int
vs_hits_cells(struct vs_hits *found, const struct vs_query *q,
	const struct vs_two *pair, const int32_t r[4], int32_t c)
{
	const struct vs_recipe *m = &q->alleles->recipe;
	const struct vs_panel *pi = pair->pi, *pj = pair->pj;
	int64_t si = pi->sum[pair->i], ci = pi->present[pair->i];
	int64_t sj = pj->sum[pair->j], cj = pj->present[pair->j];
	uint64_t i = number(pi, pair->i), j = number(pj, pair->j);
	const uint32_t asked = (uint32_t)q->cell_mask;
	struct vs_record rec = vs_record_pair(i, j);
	uint32_t pass;
	double v[4];

	if (!vs_query_shares(q, c))
		return 0;
#pragma GCC unroll 4
	for (int cell = 0; cell < 4; cell++)
		v[cell] = vs_recipe_value(m, r[cell],
			vs_recipe_factor(m, si, ci, cell >> 1), ci,
			vs_recipe_factor(m, sj, cj, cell & 1), cj, c);
	pass = vs_query_passes(q, 2, v) & (i > j ? swap_cells(asked) : asked);
	if (!pass)
		return 0;
	if (reserve(found, 4))
		return VS_EMACHINE;
	if (q->has_missing)
		rec.nvalid = c;
	for (; pass; pass &= pass - 1) {
		const uint32_t cell = (uint32_t)__builtin_ctz(pass);

		rec.cell = i > j ? vs_record_swap_cell(cell) : cell;
		rec.value = q->f32 ? (double)(float)v[cell] : v[cell];
		rec.num = vs_recipe_num(m, r[cell]);
		found->rec[found->n++] = rec;
	}
	return 0;
}

void
vs_hits_drop(struct vs_hits *found, const struct vs_query *q)
{
	const struct vs_query now = vs_query_now(q);
	size_t n = 0;

	if (!q->shared_threshold)
		return;
	for (size_t k = 0; k < found->n; k++)
		if (vs_query_exceeds(&now, found->rec[k].value))
			found->rec[n++] = found->rec[k];
	found->n = n;
}
