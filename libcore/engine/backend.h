/* SPDX-License-Identifier: BSD-3-Clause */
/* What computes tiles: the CPU, and whatever else learns to. */
#ifndef VS_ENGINE_BACKEND_H
#define VS_ENGINE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include "libcore/base/record.h"
#include "libcore/bits/panel.h"
#include "libcore/kern/tally.h"
#include "libcore/metric/formula.h"

/* Which values are asked for: those of kept cells that are > threshold. */
struct vs_question {
	const struct vs_metric *metric;
	double threshold;
	uint32_t cell_mask; /* bit c: cell c is kept */
	bool f32;           /* values are rounded to float once decided */
	bool has_missing;   /* some call in the data is missing: tell nvalid */
	int64_t least_present; /* fields of any vector that has a call */
	bool prune;            /* leave out vectors that cannot pass at all */
	int lead; /* the label whose allele is the common one, by and large */
	size_t n_field;
	enum vs_cpu cpu;    /* the most that kernels may use */
	const char *kernel; /* a dense kernel that cpu allows; null: the best */
};

/* Rows [i_lo, i_hi) of panel i against columns [j_lo, j_hi) of panel j. The
 * same panel and range: only pairs i < j. */
struct vs_tile_work {
	const struct vs_panel *i, *j;
	size_t i_lo, i_hi, j_lo, j_hi;
};

/* Records found, rising by (i, j, cell); one per worker, used again. */
struct vs_found {
	struct vs_record *rec;
	size_t n, room;
};

struct vs_backend {
	const char *name;
	/* n_worker threads will call tile() with numbers 0 .. n_worker - 1 */
	int (*open)(void **state, const struct vs_question *q, int n_worker,
		size_t most);
	/* appends nothing past what passes; the same for every backend */
	int (*tile)(void *state, int worker, const struct vs_tile_work *work,
		struct vs_found *found);
	void (*close)(void *state); /* null is accepted */
	/* what computes, for the file: "cpu-lanes512" */
	void (*describe)(void *state, char *text, size_t room);
	/* memory for n_worker workers and tiles of most vectors */
	size_t (*bytes)(const struct vs_question *q, int n_worker, size_t most);
};

extern const struct vs_backend vs_backend_cpu;

#endif
