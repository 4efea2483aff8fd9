/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel map over the blocks of records of a result, taken in order. */
#include <pthread.h>
#include <stdlib.h>

#include "formats/results/block_map.h"
#include "libcore/base/mem.h"
#include "libcore/base/team.h"

/* Buffers of one thread. */
struct hand {
	struct vs_result_reader *reader;
	struct vs_record *rec;
};

struct vs_block_map {
	struct vs_team *team;
	struct hand *hand;
	int n_hand;
	/* the run */
	const struct vs_block_work *work;
	const struct vs_result *r;
	uint64_t n;
	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t taken;
	size_t next; /* block to be taken next */
	int code;
};

int
vs_block_map_new(struct vs_block_map **out, int n_thread)
{
	struct vs_block_map *m = NULL;
	int code = vs_mem_new(&m, 1, sizeof(*m), "threads");

	if (code)
		return code;
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->taken, NULL);
	m->n_hand = n_thread;
	code = vs_mem_new(&m->hand, (size_t)n_thread, sizeof(*m->hand),
		"threads");
	if (!code)
		code = vs_team_new(&m->team, n_thread);
	if (code)
		vs_block_map_free(m);
	else
		*out = m;
	return code;
}

void
vs_block_map_free(struct vs_block_map *m)
{
	if (!m)
		return;
	vs_team_free(m->team);
	for (int t = 0; t < m->n_hand && m->hand; t++) {
		vs_result_reader_free(m->hand[t].reader);
		free(m->hand[t].rec);
	}
	free(m->hand);
	pthread_mutex_destroy(&m->lock);
	pthread_cond_destroy(&m->taken);
	free(m);
}

/* An idle thread takes no memory. */
static int
make_hand(struct hand *h)
{
	int code = h->reader ? 0 : vs_result_reader_new(&h->reader);

	if (!h->rec)
		VS_MEM_ROOM(&code, h->rec, VS_RESULT_BLOCK, "records");
	return code;
}

static int
map_block(struct vs_block_map *m, size_t k, int thread)
{
	/* blocks begin at chunk boundaries */
	uint64_t lo = k * VS_RESULT_BLOCK, hi = lo + VS_RESULT_BLOCK;
	struct hand *h = &m->hand[thread];
	int code = make_hand(h);

	hi = hi < m->n ? hi : m->n;
	if (!code)
		code = vs_result_reader_records(h->reader, m->r, lo, hi,
			h->rec);
	return code ? code
		    : m->work->map(m->work->ctx, thread, h->rec, lo, hi - lo);
}

/* Blocks begin in order, so the one that others wait for is being processed. */
static int
do_block(void *ctx, size_t k, int thread)
{
	struct vs_block_map *m = ctx;
	int code = map_block(m, k, thread);

	pthread_mutex_lock(&m->lock);
	while (m->next != k && !m->code)
		pthread_cond_wait(&m->taken, &m->lock);
	if (m->code)
		code = m->code;
	else if (!code && m->work->take)
		code = m->work->take(m->work->ctx, thread);
	m->code = code;
	m->next = k + 1;
	pthread_cond_broadcast(&m->taken);
	pthread_mutex_unlock(&m->lock);
	return code;
}

int
vs_block_map_run(struct vs_block_map *m, struct vs_result *r, uint64_t n,
	const struct vs_block_work *work)
{
	int code = vs_result_wake(r);

	if (code || !n)
		return code;
	m->work = work;
	m->r = r;
	m->n = n;
	m->next = 0;
	m->code = 0;
	vs_team_start(m->team, do_block, m,
		(size_t)((n + VS_RESULT_BLOCK - 1) / VS_RESULT_BLOCK));
	vs_team_wait(m->team);
	return m->code;
}
