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

/* Kernels and copies, by the device's clock; threads that wait for them. */
enum { VS_DEVICE_KERNELS, VS_DEVICE_COPIES, VS_DEVICE_WAITS, VS_DEVICE_TIMES };

/*
 * A device is driven by a few threads that mostly wait for it. Each has buffers
 * and a queue of its own, so that one strip is transferred while another is
 * counted. If there are several devices, each has its own drivers, numbered one
 * device after the other, and each may fail by itself.
 */
struct vs_backend {
	const char *name;
	int n_driver; /* threads that drive a device; 0: this is the CPU */
	int n_device; /* number of devices; 0 means 1 */
	/* n_worker threads will call strip() with numbers 0 .. n_worker - 1;
	 * no block has more than most vectors */
	int (*open)(void **state, const struct vs_query *q, int n_worker,
		size_t most);
	/* columns of a strip: a multiple of VS_SPAN, or fewer; follow: many of
	 * the vectors follow others */
	size_t (*columns)(const struct vs_query *q, size_t most, bool follow);
	/* finds only what passes, the same on every backend. A device that is
	 * gone returns VS_LOST; one that cannot do this strip returns VS_UNABLE
	 * and says why; found and drain() are then untouched, another worker
	 * does the strip, and this worker gets no more. To avoid holding the
	 * results of a whole strip it may do only some rows, at least one, and
	 * set found->upto; doing no row counts as failure */
	int (*strip)(void *state, int worker, const struct vs_strip *strip,
		struct vs_hits *found);
	/* the panel's memory will be refilled or freed: drop what is kept of
	 * it. No strip that uses it is under way, though others may be. Null:
	 * nothing is kept */
	void (*forget)(void *state, const struct vs_panel *panel);
	/* likewise for triples, metrics of tables: *upto becomes the first of
	 * the slab's first vectors that is still to be done, its end if none;
	 * found has hits only of those before it. All are null if the backend
	 * has no triples */
	int (*open_triples)(void **state, const struct vs_query *q,
		int n_worker, size_t most);
	int (*slab)(void *state, int worker, const struct vs_triple_data *data,
		const struct vs_slab *slab, struct vs_hits *found,
		size_t *upto);
	/* most second and third vectors of a slab, as memory allows; of first
	 * ones it takes some at a time */
	void (*slab_most)(void *state, size_t *v, size_t *w);
	void (*close)(void *state); /* null is accepted */
	/* what computes, as recorded in the file: "cpu-lanes512" */
	void (*describe)(const struct vs_query *q, size_t most, char *text,
		size_t room);
	/* bytes for n_worker workers and blocks of `most` vectors */
	size_t (*bytes)(const struct vs_query *q, int n_worker, size_t most);
	/* estimated comparisons per second: of one worker of the CPU, or of all
	 * devices together */
	double (*rate)(const struct vs_query *q);
	/* the same of all devices together for triples; null as slab() */
	double (*rate_triples)(const struct vs_query *q);
	/* seconds of completed work since the process started; drivers work at
	 * the same time, so the sum may exceed the elapsed time. Or null */
	void (*seconds)(double of[VS_DEVICE_TIMES]);
};

/* The CPU, for each family of metrics of pairs. */
extern const struct vs_backend vs_backend_cpu;

#endif
