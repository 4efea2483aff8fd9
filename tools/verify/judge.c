/* SPDX-License-Identifier: BSD-3-Clause */
/* One pair or triple by the plain definition, compared with what is listed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/results/record_rules.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "tools/verify/judge.h"

/* ---- claims of the files ---- */

bool
vs_judge_is_claimed(const struct vs_judge *g, const struct vs_record *of)
{
	if (!vs_wanted_has(&g->run->wanted, of))
		return false;
	return g->claims_all ||
		(g->claimed &&
			g->claimed[vs_wanted_tile_of(&g->plan, g->place, of)]);
}

int
vs_judge_claims(struct vs_judge *g, struct vs_result *const *r, size_t n_result)
{
	int code;

	g->partners.wanted = &g->run->wanted;
	code = vs_partners_make(&g->partners);
	/* records selected by more than a bound and cells */
	if (code || *g->run->selection)
		return code;
	code = vs_wanted_places(&g->run->wanted, &g->place);
	if (code)
		return code;
	if (r[0]->kind == VS_KIND_MERGED) {
		g->claims_all = !strcmp(g->run->coverage, "full");
		return 0;
	}
	code = vs_run_plan(g->run, &g->plan);
	VS_MEM_NEW(&code, g->claimed, vs_plan_n_tile(&g->plan), "tiles");
	for (size_t s = 0; s < n_result && !code; s++) {
		struct vs_tile_row *tile = NULL;
		size_t n = 0;

		code = vs_result_tiles(r[s], &tile, &n);
		for (size_t t = 0; t < n && !code; t++)
			g->claimed[vs_plan_number_unordered(&g->plan,
				tile[t].bi, tile[t].bj)] = 1;
		free(tile);
	}
	return code;
}

/* ---- one pair or triple ---- */

/* The vectors of a pair or triple; returns how many. */
static int
vectors_of(const struct vs_judge *g, const struct vs_record *of,
	const uint8_t *v[3])
{
	v[0] = vs_unpacked_get(&g->vectors, of->i);
	v[1] = vs_unpacked_get(&g->vectors, of->j);
	if (of->k == VS_NO_VEC)
		return 2;
	v[2] = vs_unpacked_get(&g->vectors, of->k);
	return 3;
}

/* By the definition; a pair uses the first four cells. */
static void
define(const struct vs_judge *g, const struct vs_record *of,
	struct vs_plain_triple *out)
{
	struct vs_plain_pair pair;
	const uint8_t *v[3];

	if (vectors_of(g, of, v) == 3) {
		vs_definition_triple(&g->plain, v, g->n_field, out);
		return;
	}
	vs_definition_pair(&g->plain, v[0], v[1], g->n_field, &pair);
	out->nvalid = pair.nvalid;
	memcpy(out->num, pair.num, sizeof(pair.num));
	memcpy(out->value, pair.value, sizeof(pair.value));
}

/* True if an upper bound shows that no threshold is passed. */
static bool
cannot_pass(const struct vs_judge *g, const struct vs_record *of)
{
	const uint8_t *v[3];
	const int n_way = vectors_of(g, of, v);
	const double most = vs_definition_most(&g->plain, v, n_way, g->n_field);

	return (!strcmp(g->run->threshold_op, "gt") ||
		       !strcmp(g->run->threshold_op, "ge")) &&
		most < g->run->threshold;
}

/*
 * vsim-run decides before it rounds to f32, vsim-threshold afterwards: if the
 * two disagree, a value may be listed but need not be.
 */
static double
as_stored(const struct vs_run *run, double value)
{
	return strcmp(run->value_type, "f32") ? value : (double)(float)value;
}

static void
listed(const struct vs_run *run, const struct vs_plain_triple *p, uint32_t *may,
	uint32_t *must)
{
	double rounded[8] = { 0 };
	uint32_t exact = vs_record_rules_passes(run, p->value), stored;

	for (int cell = 0; cell < 1 << run->n_way; cell++)
		rounded[cell] = as_stored(run, p->value[cell]);
	stored = vs_record_rules_passes(run, rounded);
	if (p->nvalid < vs_run_least_joint(run))
		exact = stored = 0;
	*may = exact | stored;
	*must = exact & stored & (uint32_t)run->cell_mask;
}

/* Index of a record's value among those of a definition. */
static uint32_t
cell_of(const struct vs_record *rec)
{
	return rec->cell == VS_NO_CELL ? 0 : rec->cell;
}

/* "with num 3 of 90 fields"; num where the run's records have it. */
static void
counts(const struct vs_run *run, int64_t num, int64_t n_field, char text[64])
{
	const int n = !run->has_num
		? 0
		: snprintf(text, 64, "with num %lld ", (long long)num);

	snprintf(text + n, (size_t)(64 - n), "of %lld fields",
		(long long)n_field);
}

static void
say(const struct vs_judge *g, char text[VS_JUDGE_TEXT],
	const struct vs_record *of, uint32_t cell, const char *what,
	const struct vs_plain_triple *p)
{
	char number[VS_NUM_ROOM], third[24] = "", count[64];

	vs_num_print(p->value[cell], number);
	counts(g->run, p->num[cell], p->nvalid, count);
	if (of->k != VS_NO_VEC)
		snprintf(third, sizeof(third), " %llu",
			(unsigned long long)of->k);
	snprintf(text, VS_JUDGE_TEXT,
		"%s %llu %llu%s cell %u: %s, expected value %s %s",
		*third ? "triple" : "pair", (unsigned long long)of->i,
		(unsigned long long)of->j, third, cell, what, number, count);
}

/* Compare a record with the definition; true if it is right. */
static bool
judge_record(const struct vs_judge *g, const struct vs_record *rec,
	const struct vs_plain_triple *p, char text[VS_JUDGE_TEXT])
{
	struct vs_plain_triple stored = *p;
	uint32_t cell = cell_of(rec);
	double *right = &stored.value[cell];
	char found[VS_NUM_ROOM], what[120], count[64];
	uint32_t may, must;

	listed(g->run, p, &may, &must);
	*right = as_stored(g->run, *right);
	if (!vs_wanted_has(&g->run->wanted, rec)) {
		say(g, text, rec, cell, "is listed but left out by pair_filter",
			&stored);
		return false;
	}
	if (!memcmp(right, &rec->value, sizeof(*right)) &&
		(!g->run->has_num || rec->num == p->num[cell]) &&
		(!g->run->has_nvalid || rec->nvalid == p->nvalid)) {
		if (may >> cell & 1)
			return true;
		say(g, text, rec, cell,
			p->nvalid < vs_run_least_joint(g->run)
				? "is listed but has fewer fields than "
				  "min_joint, or none"
				: "is listed but does not pass the threshold",
			&stored);
		return false;
	}
	vs_num_print(rec->value, found);
	counts(g->run, rec->num,
		g->run->has_nvalid ? rec->nvalid : g->run->n_fields, count);
	snprintf(what, sizeof(what), "value %s %s", found, count);
	say(g, text, rec, cell, what, &stored);
	return false;
}

bool
vs_judge_record(const struct vs_judge *g, const struct vs_record *rec,
	char text[VS_JUDGE_TEXT])
{
	struct vs_plain_triple p;

	define(g, rec, &p);
	return judge_record(g, rec, &p, text);
}

bool
vs_judge_cells(const struct vs_judge *g, const struct vs_record *of,
	const struct vs_record *rec, size_t n, char text[VS_JUDGE_TEXT])
{
	struct vs_plain_triple p;
	uint32_t n_cell = of->k == VS_NO_VEC ? 4 : 8, may, must;
	size_t at = 0;

	if (!n && cannot_pass(g, of))
		return true;
	define(g, of, &p);
	listed(g->run, &p, &may, &must);
	for (uint32_t cell = 0; cell < n_cell; cell++) {
		if (at < n && cell_of(&rec[at]) == cell) {
			if (!judge_record(g, &rec[at++], &p, text))
				return false;
		} else if (must >> cell & 1 && vs_judge_is_claimed(g, of)) {
			say(g, text, of, cell, "is not listed", &p);
			return false;
		}
	}
	if (at == n)
		return true;
	say(g, text, of, cell_of(&rec[at]), "is listed twice", &p);
	return false;
}

/* One that is neither listed nor claimed is not checked. */
static bool
judge_one(const struct vs_judge *g, const struct vs_record *of,
	const struct vs_record *rec, size_t n, uint64_t *n_judged,
	char text[VS_JUDGE_TEXT])
{
	bool claimed = vs_judge_is_claimed(g, of);

	*n_judged += claimed;
	return (!n && !claimed) || vs_judge_cells(g, of, rec, n, text);
}

/* Triples with a listed record. */
static bool
judge_listed(const struct vs_judge *g, const struct vs_record *rec, size_t n,
	char text[VS_JUDGE_TEXT])
{
	bool good = true;

	for (size_t at = 0, end; at < n && good; at = end) {
		for (end = at; end < n && rec[end].k == rec[at].k;)
			end++;
		good = vs_judge_cells(g, &rec[at], rec + at, end - at, text);
	}
	return good;
}

bool
vs_judge_second(const struct vs_judge *g, uint64_t i, uint64_t j,
	const struct vs_record *rec, size_t n, uint64_t *n_judged,
	char text[VS_JUDGE_TEXT])
{
	struct vs_record of = { .i = i, .j = j, .k = VS_NO_VEC };
	struct vs_partner_list third;
	bool good = true;
	size_t at = 0;

	if (!vs_judge_claims_any(g))
		return judge_listed(g, rec, n, text);
	if (g->run->n_way == 2)
		return judge_one(g, &of, rec, n, n_judged, text);
	third = vs_partners_third(&g->partners, i, j);
	for (uint64_t x = vs_partners_from(&third, j + 1); x < third.n && good;
		x++) {
		size_t first = at;

		of.k = (uint32_t)vs_partners_at(&third, x);
		while (at < n && rec[at].k == of.k)
			at++;
		good = judge_one(g, &of, rec + first, at - first, n_judged,
			text);
	}
	/* an unwanted one may not be listed, whatever its value */
	return good && at < n ? judge_listed(g, rec + at, n - at, text) : good;
}
