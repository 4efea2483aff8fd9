/* SPDX-License-Identifier: BSD-3-Clause */
/* Exhaustive work unit of triples: pairs as rows, third vectors as columns. */
#ifndef VS_ENGINE_SLAB_SLAB_H
#define VS_ENGINE_SLAB_SLAB_H

#include "libcore/base/layout.h"
#include "libcore/engine/slab/triple_data.h"

/*
 * Most vectors of a slab of genotypes; few u, so that threads finish together.
 */
#define VS_SLAB_U 8
#define VS_SLAB_V 512
#define VS_SLAB_W 1024

/*
 * Rows: pairs of u in [u_lo, u_hi) and v in [v_lo, v_hi); if both are one range
 * only those with u < v. Columns: [w_lo, w_hi), for a row with v except those
 * of [skip, v].
 */
struct vs_slab {
	size_t u_lo, u_hi, v_lo, v_hi, w_lo, w_hi;
	bool ordered; /* only u < v */
	size_t skip;  /* SIZE_MAX: none is left out */
};

/* Number of columns that a row with v does not want. */
size_t vs_slab_left_out(const struct vs_slab *s, size_t v);

/* Ranges of columns [lo, hi) that a row with v wants: two, either may be
 * empty. */
void vs_slab_wanted(const struct vs_slab *s, size_t v, size_t lo, size_t hi,
	size_t part[2][2]);

/* Number of its triples. */
uint64_t vs_slab_triples(const struct vs_slab *s);

/*
 * Most vectors of a slab of one kind.
 * halves  the kernel also counts columns that a row does not want, so a block
 *         with itself is split into pairs within its halves and all others
 */
struct vs_slab_most {
	size_t u, v, w;
	bool halves;
};

/* Second and third vectors that are in memory. */
struct vs_slab_window {
	size_t v_lo, v_hi, w_lo, w_hi;
};

/* band: the pairs wanted, for vectors in file order; or null. Slabs are
 * restricted to what may have three such pairs, and to the window; null: all
 * vectors. */
struct vs_slabs {
	struct vs_slab *at;
	size_t n, room;
	const struct vs_wanted *band;
	const struct vs_slab_window *window;
};

/* Append a slab, cut into pieces that a worker takes. 0; VS_EMACHINE */
int vs_slab_cut(struct vs_slabs *list, const struct vs_slab_most *most,
	const struct vs_slab *whole);

/* Likewise the pairs within [lo, hi), with all n vectors as third ones except
 * those of the block before the second. */
int vs_slab_cut_own(struct vs_slabs *list, const struct vs_slab_most *most,
	size_t lo, size_t hi, size_t n);

/* Likewise all triples of n vectors whose first one is in [lo, hi). */
int vs_slab_cut_row(struct vs_slabs *list, const struct vs_slab_most *most,
	size_t lo, size_t hi, size_t n);

/*
 * A way to count slabs. A worker is a struct of the kind, all bytes 0 at first,
 * with its arrays in the same memory.
 *
 * kernel   what counts them
 * lay_out  choose kernels, and lay out the arrays
 * begin    set what they hold at first; or null
 * count    append the records that pass the data's threshold; found->drain()
 *          takes many; counted increases by the triples that no bound excluded
 */
struct vs_slab_kind {
	size_t worker_bytes;
	const char *(*kernel)(const struct vs_query *q);
	struct vs_slab_most (*most)(const struct vs_query *q);
	void (*lay_out)(void *worker, const struct vs_query *q,
		struct vs_layout *l);
	void (*begin)(void *worker, const struct vs_triple_data *t);
	int (*count)(void *worker, const struct vs_triple_data *t,
		const struct vs_slab *s, struct vs_hits *found,
		uint64_t *counted);
};

/* Bytes of a worker. */
size_t vs_slab_bytes(const struct vs_slab_kind *kind, const struct vs_query *q);

/* One thread's worker, for vs_slab_count(); free it with free(). 0;
 * VS_EMACHINE */
int vs_slab_open(void **worker, const struct vs_slab_kind *kind,
	const struct vs_triple_data *data);

/* Count a slab, with the threshold that the question has by now. */
int vs_slab_count(const struct vs_slab_kind *kind, void *worker,
	const struct vs_triple_data *data, const struct vs_slab *s,
	struct vs_hits *found, uint64_t *counted);

/* Lay out a panel of n vectors of genotypes, all bytes 0. */
void vs_slab_lay_panel(struct vs_panel *p, size_t n, size_t n_field,
	struct vs_layout *l);

/*
 * genotypes  values that pass; without missing calls also a histogram
 * missing    a histogram, with or without missing calls
 * minima     vectors of numbers, by the panel and the question alone
 * tables     vectors split by case and control
 */
extern const struct vs_slab_kind vs_slab_genotypes, vs_slab_missing,
	vs_slab_minima, vs_slab_tables;

#endif
