/* SPDX-License-Identifier: BSD-3-Clause */
/* Workers of the CPU that count strips of pairs, for one family of metrics. */
#ifndef VS_ENGINE_PAIR_WORKER_H
#define VS_ENGINE_PAIR_WORKER_H

#include "libcore/base/layout.h"
#include "libcore/engine/backend.h"
#include "libcore/engine/packed_columns.h"
#include "libcore/kern/minima/minima.h"

/* Columns in one kernel's order. */
struct vs_taken {
	void *cols;
	bool valid;
};

/* Plan of CCC and DUO. */
struct vs_alleles_plan {
	struct vs_query q;
	const struct vs_dense *wide, *few; /* few: up to n_few columns */
	const struct vs_sparse *sparse;
	size_t n_plain, n_few; /* columns taken at a time, if none follow */
	/* leaders taken at a time, of up to twice n_plain columns */
	size_t n_col;
	size_t ld;     /* distance of the sums of two rows */
	size_t n_row;  /* rows counted at a time, at most */
	bool gives_up; /* pairs, before all their fields are counted */
};

/* Plan of r, r2, cosine and the like. */
struct vs_moments_plan {
	struct vs_query q;
	double least; /* correlation or cosine of what passes */
	const struct vs_dense *dense;
	const struct vs_sparse *sparse;
	size_t n_col; /* columns taken at a time */
	size_t ld;    /* distance of the sums of two rows */
};

/* Plan of proportional similarity. */
struct vs_minima_plan {
	struct vs_query q;
	const struct vs_minima *kernel;
	size_t most;    /* vectors of a block */
	size_t n_col;   /* columns counted at a time */
	size_t n_taken; /* columns brought into order: a multiple of n_col */
	size_t ld;      /* distance of the sums of two rows */
};

/* How the CPU counts pairs for a query: the same for all workers. */
union vs_pair_plan {
	struct vs_alleles_plan alleles;
	struct vs_moments_plan moments;
	struct vs_minima_plan minima;
};

/*
 * Family of metrics: what its workers hold and how they count a strip. A worker
 * is a struct of the family, all bytes 0 at first.
 */
struct vs_pair_family {
	size_t worker_bytes;
	/* no block has more than most vectors */
	void (*choose)(union vs_pair_plan *plan, const struct vs_query *q,
		size_t most);
	/* as of struct vs_backend */
	size_t (*columns)(const union vs_pair_plan *plan, bool follow);
	/* arrays of a worker, which are one allocation */
	void (*lay_out)(const union vs_pair_plan *plan, void *worker,
		struct vs_layout *l);
	/* bytes of a worker, of these arrays and of what open() adds */
	size_t (*bytes)(const union vs_pair_plan *plan);
	/* other memory of a worker; null: none */
	int (*open)(const union vs_pair_plan *plan, void *worker);
	void (*close)(void *worker);
	/* as of struct vs_backend */
	void (*forget)(void *worker, const struct vs_panel *panel);
	int (*strip)(const union vs_pair_plan *plan, void *worker,
		const struct vs_strip *s, struct vs_hits *found);
	const char *(*kernel)(const union vs_pair_plan *plan, size_t most);
	/* as of struct vs_backend; null: that of genotype vectors */
	double (*rate)(const struct vs_query *q);
};

extern const struct vs_pair_family vs_pair_alleles;
extern const struct vs_pair_family vs_pair_moments;
extern const struct vs_pair_family vs_pair_minima;

#endif
