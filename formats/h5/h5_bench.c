/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers and codec states of the threads that pack and unpack chunks. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/h5_common.h"
#include "libcore/base/mem.h"

#define BATCH_BYTES (32u << 20)
#define SMALL_BATCH (16u << 20)

static int n_threads;

void
vs_h5_threads(int n)
{
	n_threads = n;
}

int
vs_h5_n_thread(void)
{
	return n_threads ? n_threads : omp_get_max_threads();
}

size_t
vs_h5_batch(size_t chunk_bytes)
{
	size_t threads = (size_t)vs_h5_n_thread(), n = 2 * threads;

	/* large chunks balance the threads by themselves */
	while (n > threads && n * chunk_bytes > BATCH_BYTES)
		n--;
	/* small chunks belong to columns, and a file has several of them */
	if (chunk_bytes < 1u << 20 && n > SMALL_BATCH / chunk_bytes)
		n = SMALL_BATCH / chunk_bytes;
	return n ? n : 1;
}

/* Resize a slot; its previous bytes are discarded. */
static int
slot_fit(struct vs_h5_slot *s, size_t bytes)
{
	int code;

	if (bytes <= s->room)
		return 0;
	free(s->bytes);
	s->bytes = NULL;
	s->room = 0;
	code = vs_mem_room(&s->bytes, bytes, 1, "chunk");
	s->room = code ? 0 : bytes;
	return code;
}

int
vs_h5_bench_fit(struct vs_h5_bench *b, size_t n_slot, size_t bytes,
	size_t scratch_bytes)
{
	size_t n_thread = (size_t)vs_h5_n_thread();
	int code = 0;

	if (n_slot > b->n_slot) {
		struct vs_h5_slot *more = NULL;

		code = vs_mem_new(&more, n_slot, sizeof(*more), "chunks");
		if (code)
			return code;
		if (b->n_slot)
			memcpy(more, b->slot, b->n_slot * sizeof(*more));
		free(b->slot);
		b->slot = more;
		b->n_slot = n_slot;
	}
	if (n_thread > b->n_thread) {
		struct vs_codec_state **c = NULL;
		struct vs_h5_slot *s = NULL;

		code = vs_mem_new(&c, n_thread, sizeof(*c), "chunks");
		if (!code)
			code = vs_mem_new(&s, n_thread, sizeof(*s), "chunks");
		if (code) {
			free(c);
			return code;
		}
		for (size_t t = 0; t < b->n_thread; t++) {
			c[t] = b->chunker[t];
			s[t] = b->scratch[t];
		}
		free(b->chunker);
		free(b->scratch);
		b->chunker = c;
		b->scratch = s;
		b->n_thread = n_thread;
	}
	for (size_t k = 0; k < n_slot && !code; k++)
		code = slot_fit(&b->slot[k], bytes);
	for (size_t t = 0; t < b->n_thread && !code; t++) {
		code = slot_fit(&b->scratch[t], scratch_bytes);
		if (!code && !b->chunker[t])
			code = vs_codec_new(&b->chunker[t]);
	}
	return code;
}

void
vs_h5_bench_free(struct vs_h5_bench *b)
{
	for (size_t k = 0; k < b->n_slot; k++)
		free(b->slot[k].bytes);
	for (size_t t = 0; t < b->n_thread; t++) {
		free(b->scratch[t].bytes);
		vs_codec_free(b->chunker[t]);
	}
	free(b->slot);
	free(b->scratch);
	free(b->chunker);
	memset(b, 0, sizeof(*b));
}
