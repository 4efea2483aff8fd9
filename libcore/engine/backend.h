/* SPDX-License-Identifier: BSD-3-Clause */
/* Backend: the CPU or a device that computes strips of tiles. */
#ifndef VS_ENGINE_BACKEND_H
#define VS_ENGINE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include "libcore/engine/hits.h"
#include "libcore/kern/kernels.h"

struct vs_triple_data; /* libcore/engine/slab/triple_data.h */
struct vs_slab;        /* libcore/engine/slab/slab.h */

/*
 * A device is driven by few threads that mostly wait for it, each with buffers
 * and a queue of its own, so that one strip travels while another is counted.
 * Of several devices each has drivers of its own, one device's after the
 * other's, and each may fail by itself.
 */
struct vs_backend {
	const char *name;
	int n_driver; /* threads that drive a device; 0: this is the CPU */
	int n_device; /* devices; 0 is one */
	/* n_worker threads will call strip() with numbers 0 .. n_worker - 1;
	 * no block has more than most vectors */
	int (*open)(void **state, const struct vs_query *q, int n_worker,
		size_t most);
	/* columns of a strip: a multiple of VS_SPAN, or fewer than that; of
	 * vectors many of whom follow others, or not */
	size_t (*columns)(const struct vs_query *q, size_t most, bool follow);
	/* finds nothing but what passes; the same for every backend. A device
	 * that goes away says VS_LOST, one that fails at this VS_UNABLE and
	 * why, with found and drain() untouched: the strip is another's to do,
	 * and this worker gets no more. So that it need not hold what a whole
	 * strip has it may do some rows, one at least, and say so in
	 * found->upto; one that says it did none counts as one that fails */
	int (*strip)(void *state, int worker, const struct vs_strip *strip,
		struct vs_hits *found);
	/* the panel's memory is to be refilled or freed: drop what is kept
	 * of it. No strip is under way that uses it, of others some may be.
	 * Null: nothing is kept */
	void (*forget)(void *state, const struct vs_panel *panel);
	/* likewise of triples of metrics of tables: *upto becomes the first of
	 * the slab's first vectors that is left to be done, its end if none;
	 * all that found has got is of those before. Both are null where the
	 * backend has none of triples */
	int (*open_triples)(void **state, const struct vs_query *q,
		int n_worker, size_t most);
	int (*slab)(void *state, int worker, const struct vs_triple_data *data,
		const struct vs_slab *slab, struct vs_hits *found,
		size_t *upto);
	void (*close)(void *state); /* null is accepted */
	/* what computes, for the file: "cpu-lanes512" */
	void (*describe)(const struct vs_query *q, size_t most, char *text,
		size_t room);
	/* memory for n_worker workers and blocks of most vectors */
	size_t (*bytes)(const struct vs_query *q, int n_worker, size_t most);
	/* estimated comparisons a second: what a worker of the CPU makes, and
	 * what all devices make whatever drives them */
	double (*rate)(const struct vs_query *q);
	/* seconds by the device's own clock of the counting kernels that have
	 * ended since the process began; those of several drivers overlap and
	 * are each counted in full; or null */
	double (*kernel_seconds)(void);
};

/* The CPU, for each family of metrics of pairs. */
extern const struct vs_backend vs_backend_cpu;

#endif
