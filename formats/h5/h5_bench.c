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
vs_h5_unpacker_fit(struct vs_h5_unpacker *u, size_t chunk_bytes)
{
	int code = slot_fit(&u->chunk, chunk_bytes);

	return code || u->codec ? code : vs_codec_new(&u->codec);
}

int
vs_h5_unpacker_new(struct vs_h5_unpacker **u)
{
	return vs_mem_new(u, 1, sizeof(**u), "chunk");
}

static void
empty(struct vs_h5_unpacker *u)
{
	vs_codec_free(u->codec);
	free(u->stored.bytes);
	free(u->chunk.bytes);
}

void
vs_h5_unpacker_free(struct vs_h5_unpacker *u)
{
	if (u)
		empty(u);
	free(u);
}

/* Grow an array; new items are zero. */
static int
grow(void *array, size_t *n, size_t need, size_t size)
{
	size_t had = *n;
	char *items;
	int code = vs_mem_grow(array, n, need, size, "chunks");

	memcpy(&items, array, sizeof(items));
	if (*n > had)
		memset(items + had * size, 0, (*n - had) * size);
	return code;
}

int
vs_h5_bench_fit(struct vs_h5_bench *b, size_t n_slot, size_t bytes,
	size_t chunk_bytes)
{
	size_t n_thread = (size_t)vs_h5_n_thread();
	int code = grow(&b->slot, &b->n_slot, n_slot, sizeof(*b->slot));

	if (!code)
		code = grow(&b->thread, &b->n_thread, n_thread,
			sizeof(*b->thread));
	for (size_t k = 0; k < n_slot && !code; k++)
		code = slot_fit(&b->slot[k], bytes);
	for (size_t t = 0; t < n_thread && !code; t++)
		code = vs_h5_unpacker_fit(&b->thread[t], chunk_bytes);
	return code;
}

void
vs_h5_bench_free(struct vs_h5_bench *b)
{
	for (size_t k = 0; k < b->n_slot; k++)
		free(b->slot[k].bytes);
	for (size_t t = 0; t < b->n_thread; t++)
		empty(&b->thread[t]);
	free(b->slot);
	free(b->thread);
	memset(b, 0, sizeof(*b));
}
