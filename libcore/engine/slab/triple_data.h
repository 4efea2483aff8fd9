/* SPDX-License-Identifier: BSD-3-Clause */
/* Data of triples: all vectors, exact sums, records, and bounds by pairs. */
#ifndef VS_ENGINE_SLAB_TRIPLE_DATA_H
#define VS_ENGINE_SLAB_TRIPLE_DATA_H

#include <string.h>

#include "libcore/bits/class_rows.h"
#include "libcore/engine/backend.h"
#include "libcore/engine/pair_sums.h"
#include "libcore/plan/plan.h"
#include "libcore/plan/wanted.h"

/*
 * All vectors, and as they are counted: `filled` has no missing calls, each
 * being replaced by a homozygote without the leading label's allele. So its
 * sums are upper bounds of the true ones, for r and s alike; without missing
 * calls they are exact, and the two panels are the same. For vectors of numbers
 * only `all` is used.
 */
struct vs_triple_data {
	struct vs_query q;
	const struct vs_sparse *sparse;
	/* n_share ranks of this machine have one copy of the arrays, of which
	 * this rank makes share number `share`; 0 of 1: they are its own */
	int share, n_share;
	/* rows of vectors, their planes and classes, are in memory for some
	 * vectors at a time: vs_triple_groups; all else is there for each
	 * vector read so far */
	bool streamed;
	/* if streamed: the groups, which load rows for candidates, and the
	 * planes of the vectors sampled by the cost model; or null */
	struct vs_triple_groups *groups;
	/* vectors that groups have read, and the time taken */
	uint64_t n_read;
	double seconds_read;
	const struct vs_panel *sample;
	struct vs_panel all, filled;
	struct vs_class_rows by_class; /* of a metric of tables */
	bool complete;
	/* the pairs that a triple may have, by all.row, or null; and the same
	 * if these form a band and no vector changes its place, or null */
	const struct vs_wanted *wanted, *band;
	double known; /* values above it have been found already */
	/* triples per second that devices count beside each thread; none of
	 * them is excluded by its pairs */
	double beside;
	/* whether to give up long work, with VS_DONE. Called by any thread; or
	 * null */
	bool (*stop)(void *ctx);
	void *ctx;
	/* by vector, for the float test: 1 / u by label, and the fields
	 * present, more than all if there are none */
	float *e[2], *c;
	/* frequency of allele b of vector v at 2 v + b, in 65535ths, rounded
	 * down; genotypes only */
	uint16_t *grade;
};
#define VS_TRIPLE_DATA_GRADES 65535

static inline bool
vs_triple_data_stopped(const struct vs_triple_data *t)
{
	return t->stop && t->stop(t->ctx);
}

/*
 * Read all vectors by load(ctx, lo, hi, panel).
 *
 * shared   the ranks of this machine have one copy, of which each reads a
 *          share: collective on the machine, as is vs_triple_data_sort()
 * returns  0; what load() returns; VS_DONE: another rank has failed
 */
int vs_triple_data_open(struct vs_triple_data *t, const struct vs_query *q,
	uint64_t n_vec, bool shared,
	int (*load)(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p),
	void *ctx, int n_thread);
void vs_triple_data_close(struct vs_triple_data *t);

/*
 * Arrays for all vectors, none of which is loaded: rows are only address space,
 * see reserve.h.
 * returns  0; VS_EMACHINE
 */
int vs_triple_data_reserve(struct vs_triple_data *t, const struct vs_query *q,
	uint64_t n_vec);

/* The arrays of rows: vector v has `bytes` bytes at at + v * bytes. returns
 * their number */
#define VS_TRIPLE_DATA_ROWS 8
int vs_triple_data_rows(const struct vs_triple_data *t,
	struct vs_panel_part rows[VS_TRIPLE_DATA_ROWS]);

/* Derive everything for vectors [lo, hi), which have been read. 0;
 * VS_EMACHINE */
int vs_triple_data_derive(struct vs_triple_data *t, size_t lo, size_t hi,
	int n_thread);

/*
 * Genotypes: sort the vectors of each block of the plan by ascending frequency
 * of the rarer allele. Vector v is then the one named all.row[v].
 * returns  0; VS_EMACHINE; VS_DONE: another rank has failed
 */
int vs_triple_data_sort(struct vs_triple_data *t, const struct vs_plan *plan,
	int n_thread);

/* Memory of n_vec vectors, for all ranks that share it. */
uint64_t vs_triple_data_bytes(const struct vs_query *q, uint64_t n_vec);

/* Memory of a vector's rows, part of the above. */
uint64_t vs_triple_data_row_bytes(const struct vs_query *q);

/*
 * Upper bound of the values of a triple with this cell of vectors i, j, if the
 * pair has at most r there and any third vector shares at least c fields with
 * both.
 *
 * Let the third vector have s copies where both are present, at most 2 per
 * field. They count rho_i rho_j = 4 times in at most m = min(two_i, two_j)
 * fields, at least 2 times in at most two_i + two_j - m fields, else once: so
 * r_ijk is at most 4 s, 2 s + 4 m, s + 2 m + 2 (two_i + two_j), and 2 r; and
 * u_k at most 1 - gamma s / (2 n).
 *
 * two   fields where i, and where j, has two copies of the cell's allele
 * uu    u_i(a) u_j(b)
 * c     if 0 or less, the bound is infinite
 */
double vs_triple_data_most(const struct vs_query *q, int64_t r,
	const int32_t two[2], double uu, int64_t c);

/* The least threshold of a triple with this cell 2a + b of a pair. */
double vs_triple_data_threshold(const struct vs_query *q, int cell);

/* Bits of the cells 2a + b of a pair that a passing triple may have. */
unsigned vs_triple_data_open_cells(const struct vs_triple_data *t, size_t i,
	size_t j, const int32_t r[4], int64_t c_low);

/*
 * Sums over the fields that all three vectors share, of products of the g of
 * some of them: bit 2 of the index is the first vector's, bit 0 the third's.
 * [0] is the number of fields.
 */
struct vs_sums {
	int32_t g[8];
};

/* Products of two vectors, three in a panel, so that many third ones can be
 * counted with them. */
struct vs_products {
	struct vs_panel panel;
	size_t i, j;
	bool valid;
};

/* All sums of a triple, with missing calls too. */
void vs_triple_data_count(const struct vs_triple_data *t, struct vs_products *p,
	size_t i, size_t j, size_t k, struct vs_sums *sums);

/* r by cell 4a + 2b + c, of sums as vs_sums has them. */
void vs_triple_data_eight(const int32_t g[8], int32_t r[8]);

/* Set i < j < k of a record to the names of vectors given in any order. */
static inline void
vs_triple_data_name(const struct vs_triple_data *t, const size_t v[3],
	struct vs_record *rec)
{
	uint32_t name[3];

	for (int x = 0; x < 3; x++) {
		const uint32_t *row = t->all.row, own = row[v[x]];

		name[(own > row[v[(x + 1) % 3]]) +
			(own > row[v[(x + 2) % 3]])] = own;
	}
	rec->i = name[0];
	rec->j = name[1];
	rec->k = name[2];
}

/*
 * The next run [*at, *end) of columns [*at, hi), vector w being the first one,
 * whose places allow triples with both vectors of a pair.
 * returns  false: there is none
 */
bool vs_triple_data_wants(const struct vs_triple_data *t, const size_t pair[2],
	size_t w, size_t *at, size_t *end, size_t hi);

/*
 * Append the records of a triple that pass by the exact recipe, with its
 * vectors' names in ascending order; they may be given in any. Only the cells
 * in mask, 4a + 2b + c in the given order, are tested; the others are known not
 * to pass by themselves.
 */
int vs_triple_data_keep(const struct vs_triple_data *t, const size_t v[3],
	const struct vs_sums *sums, unsigned mask, struct vs_hits *found);

/* True if any of eight results of a bound is set. Few are: loops over them skip
 * the others eight at a time. */
static inline bool
vs_triple_data_any_of_8(const int32_t *hit)
{
	uint64_t w[4];

	memcpy(w, hit, sizeof(w));
	return w[0] | w[1] | w[2] | w[3];
}

#endif
