/* SPDX-License-Identifier: BSD-3-Clause */
/* Order of the vectors of a run by frequency. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/bits/panel.h"
#include "libcore/engine/prune/dataset_stats.h"
#include "libcore/plan/comm.h"
#include "libcore/plan/node_memory.h"
#include "tools/run/options.h"
#include "tools/run/order.h"

#define LEAST 4096      /* vectors: with fewer, one block has most of them */
#define MOST (1u << 22) /* each shard states the order */
#define MOST_RANKS 256  /* each of their machines would read the whole file */
#define FEW 1e12        /* comparisons of a rank that has a block or two */
#define SLICE 65536     /* counts read at a time */
#define MEMORY_SHARE 4

/* ---- choice ---- */

static bool
is_in_order(const struct vs_order *o)
{
	return o->bytes;
}

uint64_t
vs_order_bytes(const struct vs_order *o)
{
	int at, of;

	vs_comm_local(&at, &of);
	return o->bytes / (uint64_t)of;
}

/* Number of ranks that the run, or its plan, is for. */
static int
n_rank(void)
{
	return vs_options.ranks ? (int)vs_options.ranks : vs_comm_size();
}

/* True if there are more than a few blocks. */
static bool
has_blocks(const struct vs_setup *ask)
{
	const double n = (double)ask->packed->n_vec;

	return n_rank() > 1 || vs_options.tile || vs_options.memory ||
		n * n * (double)ask->packed->n_field > FEW;
}

/* True for correlations of all pairs of genotypes, if bounds exclude some. CCC
 * and DUO are bounded through similar neighbours in the file. */
static bool
has_use(const struct vs_setup *ask)
{
	const struct vs_query *q = &ask->query;
	const struct vs_wanted *w = &ask->run.wanted;

	return ask->way.n == 2 && vs_query_prunes(q) &&
		!vs_query_without(q, VS_WITHOUT_ORDER) &&
		!vs_query_without(q, VS_WITHOUT_BLOCK_BOUND) &&
		vs_query_family(q) == VS_FAMILY_MOMENTS &&
		q->element == VS_BIT2 && !vs_wanted_is_by_place(w) &&
		!vs_wanted_is_by_sets(w) && ask->run.n_stages == 1 &&
		!vs_options.histogram && !*ask->run.summary &&
		!vs_options.permute_test && !vs_options.shape &&
		has_blocks(ask) && n_rank() <= MOST_RANKS &&
		ask->packed->n_vec >= LEAST && ask->packed->n_vec <= MOST;
}

/* The keys of all vectors; *sorted: they ascend already. */
static int
read_keys(struct vs_packed *f, unsigned by, uint16_t *key, bool *sorted)
{
	int64_t(*count)[4] = NULL;
	int code = vs_mem_room(&count, SLICE, sizeof(*count), "counts");

	*sorted = true;
	for (uint64_t lo = 0, hi; lo < f->n_vec && !code; lo = hi) {
		hi = f->n_vec - lo < SLICE ? f->n_vec : lo + SLICE;
		code = vs_packed_stated(f, lo, hi, count);
		for (uint64_t v = lo; v < hi && !code; v++) {
			key[v] = (uint16_t)vs_panel_key(count[v - lo], by);
			*sorted &= !v || key[v - 1] <= key[v];
		}
	}
	free(count);
	return code;
}

/* The rows sorted by key, in file order within a key. */
static int
sort_rows(const uint16_t *key, uint64_t n, int64_t **row)
{
	uint64_t *at = NULL;
	int code = vs_mem_new(&at, VS_PANEL_KEYS + 1, sizeof(*at),
		"order of vectors");

	if (!code)
		code = vs_mem_room(row, n, sizeof(**row), "order of vectors");
	for (uint64_t v = 0; v < n && !code; v++)
		at[key[v] + 1]++;
	for (size_t k = 0; k < VS_PANEL_KEYS && !code; k++)
		at[k + 1] += at[k];
	for (uint64_t v = 0; v < n && !code; v++)
		(*row)[at[key[v]]++] = (int64_t)v;
	free(at);
	return code;
}

static int
find_order(struct vs_setup *ask, bool *sorted, int64_t **row)
{
	const uint64_t n = ask->packed->n_vec;
	uint16_t *key = NULL;
	int code = vs_mem_room(&key, n, sizeof(*key), "order of vectors");

	_Static_assert(VS_PANEL_KEYS <= UINT16_MAX, "a key has 16 bits");
	if (!code)
		code = read_keys(ask->packed,
			ask->query.has_missing ? VS_PANEL_BY_MISSING : 0, key,
			sorted);
	if (!code)
		code = sort_rows(key, n, row);
	free(key);
	return code;
}

static void
take_rounds(struct vs_setup *ask)
{
	const uint64_t n = ask->packed->n_vec;
	uint64_t dead = 0;

	for (uint64_t k = 0; ask->dead && k < n / 64 + 1; k++)
		dead += (uint64_t)__builtin_popcountll(ask->dead[k]);
	ask->query.rounds = vs_dataset_stats_rounds(n, n - dead);
}

/* State the order, which is that of the shards if there are any. */
static int
set(struct vs_between_chosen *c, struct vs_setup *ask, int64_t *row)
{
	struct vs_run *run = &ask->run;
	char text[VS_SETS_ORDER];
	int code;

	vs_wanted_by_order(&run->wanted, row);
	code = vs_sets_order(row, ask->packed->n_vec, text);
	if (!code && *run->order && strcmp(text, run->order))
		code = vs_fail(VS_EINPUT,
			"%s: the shards of this run have its vectors in an "
			"order that this program does not make: start again, "
			"in an empty directory",
			ask->input);
	if (code)
		return code;
	memcpy(run->order, text, sizeof(text));
	code = vs_wanted_places(&run->wanted, &c->place);
	if (!code)
		code = vs_packed_source(ask->packed, &c->source, &c->allele1);
	take_rounds(ask);
	return code;
}

/* True if each machine has room for the planes. Collective. */
static bool
fits_all(uint64_t bytes, uint64_t memory)
{
	uint64_t n_without;
	int at, of;

	vs_comm_local(&at, &of);
	n_without = bytes / (uint64_t)of > memory / MEMORY_SHARE;
	if (of > 1)
		n_without += !vs_node_memory_works(bytes);
	vs_comm_sum_u64(&n_without, 1);
	return !n_without;
}

int
vs_order_choose(struct vs_order *o, struct vs_between_chosen *c,
	struct vs_setup *ask, uint64_t memory)
{
	const uint64_t bytes = ask->packed->n_vec * ask->packed->row_bytes;
	const bool stated = *ask->run.order;
	bool sorted = false, fits;
	int64_t *row = NULL;
	int code;

	if (!stated && (ask->run.tile || !has_use(ask)))
		return 0;
	fits = fits_all(bytes, memory);
	if (!fits && !stated)
		return 0;
	code = fits ? find_order(ask, &sorted, &row)
		    : vs_fail(VS_EMACHINE,
			      "%s: a run whose vectors are sorted by frequency "
			      "has all in memory, %llu MB: --memory allows "
			      "more",
			      ask->input,
			      (unsigned long long)(bytes * MEMORY_SHARE >> 20));
	code = vs_comm_agree(code);
	if (code || (sorted && !stated)) {
		free(row);
		return code;
	}
	o->bytes = bytes;
	return vs_comm_agree(set(c, ask, row));
}

void
vs_order_settle(struct vs_order *o, struct vs_between_chosen *c,
	struct vs_run *run, const struct vs_plan *plan)
{
	if (!is_in_order(o) || plan->n_block > 1 || run->tile)
		return;
	vs_between_free(c);
	vs_wanted_by_order(&run->wanted, NULL);
	run->order[0] = '\0';
	o->bytes = 0;
}

/* ---- planes ---- */

struct reading {
	uint8_t *planes;
	const int64_t *place;
	size_t bytes; /* of a vector */
};

static int
put(void *ctx, uint64_t lo, uint64_t hi, const void *rows)
{
	const struct reading *r = ctx;
	const uint8_t *row = rows;

	for (uint64_t v = lo; v < hi; v++, row += r->bytes)
		memcpy(r->planes + (size_t)r->place[v] * r->bytes, row,
			r->bytes);
	return 0;
}

int
vs_order_read(struct vs_order *o, struct vs_setup *ask,
	struct vs_between_chosen *c)
{
	const uint64_t n = ask->packed->n_vec;
	struct reading r = { .place = c->place,
		.bytes = ask->packed->row_bytes };
	int at, of, code;

	if (!is_in_order(o))
		return 0;
	vs_comm_local(&at, &of);
	o->shared = of > 1;
	code = o->shared
		? vs_node_memory_new(&o->planes, o->bytes, "vectors in order")
		: vs_mem_room(&o->planes, o->bytes, 1, "vectors in order");
	if (!code) {
		const uint64_t lo = n * (uint64_t)at / (uint64_t)of,
			       hi = n * (uint64_t)(at + 1) / (uint64_t)of;

		r.planes = o->planes;
		code = lo < hi
			? vs_packed_each(ask->packed, lo, hi, NULL, put, &r)
			: 0;
		if (ask->packed->file)
			vs_h5_reader_rest(ask->packed->file);
	}
	c->planes = code ? NULL : o->planes;
	return vs_comm_agree(code);
}

void
vs_order_free(struct vs_order *o)
{
	if (o->shared)
		vs_node_memory_free(o->planes, o->bytes);
	else
		free(o->planes);
	memset(o, 0, sizeof(*o));
}
