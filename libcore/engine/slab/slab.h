/* SPDX-License-Identifier: BSD-3-Clause */
/* Exhaustive work unit of triples: pairs as rows, third vectors as columns. */
#ifndef VS_ENGINE_SLAB_SLAB_H
#define VS_ENGINE_SLAB_SLAB_H

#include "libcore/engine/slab/triple_data.h"

/*
 * No slab of genotypes has more vectors; few u, so that threads end together.
 */
#define VS_SLAB_U 8
#define VS_SLAB_V 512
#define VS_SLAB_W 1024

/*
 * Rows: pairs of u in [u_lo, u_hi) and v in [v_lo, v_hi), of one range only
 * those with u < v. Columns: [w_lo, w_hi), but for a row with v not those of
 * [skip, v].
 */
struct vs_slab {
	size_t u_lo, u_hi, v_lo, v_hi, w_lo, w_hi;
	bool ordered; /* u < v alone */
	size_t skip;  /* SIZE_MAX: none is left out */
};

/* Columns that are not wanted of a row with v. */
size_t vs_slab_left_out(const struct vs_slab *s, size_t v);

/* Ranges of columns [lo, hi) that a row with v wants: two, either may be
 * empty. */
void vs_slab_wanted(const struct vs_slab *s, size_t v, size_t lo, size_t hi,
	size_t part[2][2]);

/* Triples of it. */
uint64_t vs_slab_triples(const struct vs_slab *s);

/*
 * Most vectors of a slab of one kind.
 * halves  the kernel counts columns that a row does not want too, so a block
 *         with itself is split into pairs within its halves and all others
 */
struct vs_slab_most {
	size_t u, v, w;
	bool halves;
};

/* Second and third vectors that are there. */
struct vs_slab_window {
	size_t v_lo, v_hi, w_lo, w_hi;
};

/* band: the pairs wanted, of vectors in the order of the file; or null. Slabs
 * are cut to what may have three, and to the window, null: all vectors. */
struct vs_slabs {
	struct vs_slab *at;
	size_t n, room;
	const struct vs_wanted *band;
	const struct vs_slab_window *window;
};

/* Leave out vectors at the ends that are in no pair with any of the others. */
void vs_slab_narrow(const struct vs_wanted *band, struct vs_slab *s);

/* Append a slab, cut into those that a worker takes. 0; VS_EMACHINE */
int vs_slab_cut(struct vs_slabs *list, const struct vs_slab_most *most,
	const struct vs_slab *whole);

/* Likewise the pairs within [lo, hi), with all third vectors of n but those of
 * the block before the second. */
int vs_slab_cut_own(struct vs_slabs *list, const struct vs_slab_most *most,
	size_t lo, size_t hi, size_t n);

/* Likewise all triples of n vectors whose first one is in [lo, hi). */
int vs_slab_cut_row(struct vs_slabs *list, const struct vs_slab_most *most,
	size_t lo, size_t hi, size_t n);

/*
 * A way to count slabs, and one thread's worker.
 *
 * kernel  what counts them
 * bytes   of a worker
 * open    0; VS_EMACHINE
 * close   null is accepted
 * count   append the records that pass; found->drain() takes many; counted
 *         grows by the triples that no bound left out
 */
struct vs_slab_kind {
	const char *(*kernel)(const struct vs_query *q);
	struct vs_slab_most (*most)(const struct vs_query *q);
	size_t (*bytes)(const struct vs_query *q);
	int (*open)(void **worker, const struct vs_triple_data *t);
	void (*close)(void *worker);
	int (*count)(void *worker, const struct vs_slab *s,
		struct vs_hits *found, uint64_t *counted);
};

/*
 * genotypes  values that pass; and where no call is missing, a histogram
 * missing    a histogram whatever is missing
 * minima     vectors of numbers, by the panel and the question alone
 * tables     vectors split by case and control
 */
extern const struct vs_slab_kind vs_slab_genotypes, vs_slab_missing,
	vs_slab_minima, vs_slab_tables;

#endif
