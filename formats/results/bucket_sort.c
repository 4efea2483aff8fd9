/* SPDX-License-Identifier: BSD-3-Clause */
/* Bucket sort of the records of results, a band of buckets at a time. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "formats/results/bucket_sort.h"
#include "formats/results/sorter.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/base/team.h"
#include "libcore/plan/comm.h"

#define MOST_BUCKETS (1u << 18)

/* Results open at a time. */
#define N_OPEN 256

/* Reading a block costs a third of sorting it on disk: if blocks are read more
 * often than this, sorting on disk is faster. */
#define MOST_TIMES 4

/* With more bytes than this, touching memory takes longer than reading some
 * blocks again; half as many if at most one block in MOST_AGAIN is read
 * again. */
#define ENOUGH (256ull << 20)
#define MOST_AGAIN 5

/* Fewest records that one call sorts, if buckets are smaller: they stay in
 * L2. */
#define SORT_LEAST 8192

/* Consecutive records of a result, a chunk of each column. */
struct block {
	size_t s;
	uint64_t lo;
	uint32_t n;
	uint32_t first, last; /* buckets of its records */
};

/* Buffers of one thread. */
struct hand {
	struct vs_result_reader *reader;
	struct vs_record *rec, *turned; /* renamed: only their places */
	uint64_t *i;
};

struct vs_bucket_sort {
	struct vs_bucket_source source;
	struct vs_team *team;
	struct hand *hand;
	int n_hand;
	struct block *block;
	size_t n_block, room_block;
	int shift; /* from i to its bucket */
	size_t n_bucket;
	size_t from, to; /* buckets of the part */
	/* records of each bucket; in a band: where the next goes */
	_Atomic(uint64_t) *count;
	uint64_t *begin; /* of each bucket among all records, and their end */
	/* first bucket of each band, and the end of the last */
	uint32_t *band;
	size_t n_band, room_band, at;
	/* of ranks, where a band is a round: rows of a piece, one for each */
	uint64_t piece_rows;
	uint64_t n_records, n_read;
	struct vs_record *rec; /* of the band */
	/* the job of the threads */
	struct vs_result *open[N_OPEN];
	size_t first_open; /* first of the open results */
	size_t *todo, n_todo;
	uint32_t lo, hi; /* buckets of the band */
	uint32_t own;    /* first whose records are passed to taken() */
	uint32_t *part;  /* first buckets of those that one call sorts */
	/* instead of bands, or null */
	struct vs_sorter *sorter;
	pthread_mutex_t lock; /* of the sorter */
};

static size_t
hand_bytes(const struct vs_bucket_source *source)
{
	return (source->turn ? 2 : 1) * VS_RESULT_BLOCK *
		sizeof(struct vs_record) +
		10 * VS_RESULT_BLOCK * 8;
}

static int
make_hands(struct vs_bucket_sort *b)
{
	int code = vs_mem_new(&b->hand, (size_t)b->n_hand, sizeof(*b->hand),
		"threads");

	for (int t = 0; t < b->n_hand && !code; t++) {
		struct hand *h = &b->hand[t];

		code = vs_result_reader_new(&h->reader);
		VS_MEM_ROOM(&code, h->rec, VS_RESULT_BLOCK, "records");
		if (!code && b->source.turn)
			code = vs_mem_room(&h->turned, VS_RESULT_BLOCK,
				sizeof(*h->rec), "records");
		VS_MEM_ROOM(&code, h->i, VS_RESULT_BLOCK, "records");
	}
	return code ? code : vs_team_new(&b->team, b->n_hand);
}

static uint32_t
bucket_of(const struct vs_bucket_sort *b, uint64_t i)
{
	return (uint32_t)(i >> b->shift);
}

/* ---- blocks ---- */

static int
open_result(const struct vs_bucket_sort *b, size_t s, struct vs_result **r)
{
	if (!b->source.r)
		return b->source.open(b->source.ctx, s, r);
	*r = b->source.r[s];
	return 0;
}

static void
leave_result(const struct vs_bucket_sort *b, size_t s, struct vs_result *r)
{
	if (b->source.r)
		vs_result_rest(r);
	else
		b->source.leave(b->source.ctx, s, r);
}

/* Do a job on the blocks b->todo, with some results open at a time. */
static int
for_blocks(struct vs_bucket_sort *b, vs_team_part *part)
{
	size_t end, n_todo = b->n_todo, *todo = b->todo;
	int code = 0;

	for (size_t at = 0; at < n_todo && !code; at = end) {
		size_t n_open = 0, s = b->block[todo[at]].s, last = SIZE_MAX;

		b->first_open = s;
		memset(b->open, 0, sizeof(b->open));
		for (end = at; end < n_todo && !code; end++) {
			size_t now = b->block[todo[end]].s;

			if (now - s >= N_OPEN)
				break;
			if (now == last)
				continue;
			code = open_result(b, now, &b->open[now - s]);
			if (!code)
				code = vs_result_wake(b->open[now - s]);
			last = now;
			n_open = now - s + 1;
		}
		b->todo = todo + at;
		if (!code) {
			vs_team_start(b->team, part, b, end - at);
			code = vs_team_wait(b->team);
		}
		for (size_t k = 0; k < n_open; k++)
			if (b->open[k])
				leave_result(b, s + k, b->open[k]);
	}
	b->todo = todo;
	return code;
}

static struct vs_result *
result_of(const struct vs_bucket_sort *b, const struct block *block)
{
	return b->open[block->s - b->first_open];
}

/* Records of a block as read, and renamed. */
static int
read_block(const struct vs_bucket_sort *b, const struct block *block,
	const struct hand *h, struct vs_record **turned)
{
	int code = vs_result_reader_records(h->reader, result_of(b, block),
		block->lo, block->lo + block->n, h->rec);

	*turned = h->rec;
	if (code || !b->source.turn)
		return code;
	*turned = h->turned;
	memcpy(h->turned, h->rec, block->n * sizeof(*h->rec));
	b->source.turn(b->source.ctx, block->s, h->turned, block->n);
	return 0;
}

/* First vectors of a block, renamed. */
static int
read_first(const struct vs_bucket_sort *b, const struct block *block,
	const struct hand *h)
{
	struct vs_record *turned;
	int code;

	if (!b->source.turn)
		return vs_result_reader_first(h->reader, result_of(b, block),
			block->lo, block->lo + block->n, h->i);
	code = read_block(b, block, h, &turned);
	for (uint32_t k = 0; k < block->n && !code; k++)
		h->i[k] = turned[k].i;
	return code;
}

/* Count the records of a block in each bucket. */
static int
count_block(void *ctx, size_t part, int thread)
{
	struct vs_bucket_sort *b = ctx;
	struct block *block = &b->block[b->todo[part]];
	const uint64_t *i = b->hand[thread].i;
	int code = read_first(b, block, &b->hand[thread]);

	block->first = UINT32_MAX;
	block->last = 0;
	for (uint32_t k = 0, end; k < block->n && !code; k = end) {
		uint32_t bucket = bucket_of(b, i[k]);

		if (i[k] >= b->source.n_vec)
			return vs_fail(VS_EINPUT,
				"%s: /records: row %llu names a vector that "
				"cannot be; recreate the file",
				vs_h5_reader_path(result_of(b, block)->file),
				(unsigned long long)block->lo + k);
		for (end = k + 1;
			end < block->n && bucket_of(b, i[end]) == bucket;)
			end++;
		atomic_fetch_add_explicit(&b->count[bucket], end - k,
			memory_order_relaxed);
		block->first = bucket < block->first ? bucket : block->first;
		block->last = bucket > block->last ? bucket : block->last;
	}
	return code;
}

static int
list_blocks(struct vs_bucket_sort *b)
{
	int code = 0;

	for (size_t s = 0; s < b->source.n && !code; s++) {
		struct vs_result *r = NULL;
		uint64_t n;

		code = open_result(b, s, &r);
		if (code)
			break;
		n = r->n_records;
		b->n_records += n;
		for (uint64_t lo = 0; lo < n && !code; lo += VS_RESULT_BLOCK) {
			uint64_t end = lo + VS_RESULT_BLOCK;

			code = vs_mem_grow(&b->block, &b->room_block,
				b->n_block + 1, sizeof(*b->block), "blocks");
			if (!code)
				b->block[b->n_block++] = (struct block){ .s = s,
					.lo = lo,
					.n = (uint32_t)((end < n ? end : n) -
						lo) };
		}
		leave_result(b, s, r);
	}
	VS_MEM_NEW(&code, b->todo, b->n_block, "blocks");
	return code;
}

/* Do a job on the blocks [lo, hi). */
static int
for_share(struct vs_bucket_sort *b, vs_team_part *part, size_t lo, size_t hi)
{
	b->n_todo = hi - lo;
	for (size_t k = lo; k < hi; k++)
		b->todo[k - lo] = k;
	return for_blocks(b, part);
}

/* The first bucket of a part, with at least the part's share of all records
 * before it. */
static size_t
part_begin(const struct vs_bucket_sort *b, uint32_t part)
{
	const unsigned __int128 share = (unsigned __int128)b->n_records * part;
	size_t k = 0;

	if (part == b->source.n_part)
		return b->n_bucket;
	while (k < b->n_bucket &&
		(unsigned __int128)b->begin[k] * b->source.n_part < share)
		k++;
	return k;
}

static void
choose_part(struct vs_bucket_sort *b)
{
	for (size_t k = 0; k < b->n_bucket; k++)
		b->begin[k + 1] = b->begin[k] + b->count[k];
	b->to = b->n_bucket;
	if (!b->source.n_part)
		return;
	b->from = part_begin(b, b->source.part);
	b->to = part_begin(b, b->source.part + 1);
	b->n_records = b->begin[b->to] - b->begin[b->from];
}

/* Let each rank count the records of its share of the blocks. */
static int
count_together(struct vs_bucket_sort *b)
{
	const size_t rank = (size_t)vs_comm_rank(), n = (size_t)vs_comm_size(),
		     lo = b->n_block * rank / n,
		     hi = b->n_block * (rank + 1) / n;
	int code = vs_comm_agree_if(b->source.joint,
		for_share(b, count_block, lo, hi));

	if (code)
		return code;
	vs_comm_sum_u64((uint64_t *)b->count, b->n_bucket);
	for (size_t k = 0; k < b->n_block; k++)
		b->todo[k] =
			(uint64_t)b->block[k].first << 32 | b->block[k].last;
	vs_comm_sum_u64(b->todo, b->n_block);
	for (size_t k = 0; k < b->n_block; k++) {
		b->block[k].first = (uint32_t)(b->todo[k] >> 32);
		b->block[k].last = (uint32_t)b->todo[k];
	}
	return 0;
}

static int
count_buckets(struct vs_bucket_sort *b)
{
	int code;

	while (b->source.n_vec >> b->shift >= MOST_BUCKETS)
		b->shift++;
	b->n_bucket = (size_t)(b->source.n_vec >> b->shift) + 1;
	code = vs_mem_new(&b->count, b->n_bucket, sizeof(*b->count), "buckets");
	VS_MEM_NEW(&code, b->begin, b->n_bucket + 1, "buckets");
	VS_MEM_NEW(&code, b->part, b->n_bucket + 1, "buckets");
	code = vs_comm_agree_if(b->source.joint, code);
	if (!code)
		code = b->source.joint
			? count_together(b)
			: for_share(b, count_block, 0, b->n_block);
	if (!code)
		choose_part(b);
	return code;
}

/* ---- bands ---- */

static int
add_band(struct vs_bucket_sort *b, size_t bucket)
{
	int code = vs_mem_grow(&b->band, &b->room_band, b->n_band + 2,
		sizeof(*b->band), "bands");

	if (!code)
		b->band[b->n_band] = (uint32_t)bucket;
	return code;
}

/* Records of blocks that would be read by two bands if cut before each
 * bucket. */
static int
count_split(const struct vs_bucket_sort *b, int64_t **split)
{
	int64_t *n = NULL, sum = 0;
	int code = vs_mem_new(&n, b->n_bucket + 1, sizeof(*n), "buckets");

	for (size_t k = 0; k < b->n_block && !code; k++) {
		n[b->block[k].first + 1] += b->block[k].n;
		n[b->block[k].last + 1] -= b->block[k].n;
	}
	for (size_t k = 0; k <= b->n_bucket && !code; k++)
		n[k] = sum += n[k];
	*split = n;
	return code;
}

/* The best end of a band that begins at lo and is full before hi: the cut in
 * its last half that splits the fewest records. */
static size_t
best_cut(const struct vs_bucket_sort *b, const int64_t *split, size_t lo,
	size_t hi)
{
	const uint64_t half = (b->begin[hi] - b->begin[lo]) / 2;
	size_t best = hi;

	for (size_t k = hi; --k > lo && b->begin[k] - b->begin[lo] >= half;)
		best = split[k] < split[best] ? k : best;
	return best;
}

/* Cut buckets into bands of at most `most` records; VS_DONE: a bucket has
 * more. */
static int
cut_bands_at(struct vs_bucket_sort *b, const int64_t *split, uint64_t most,
	uint64_t *widest)
{
	const uint64_t *begin = b->begin;
	size_t lo = b->from;
	int code = add_band(b, lo);

	*widest = 0;
	for (size_t k = lo; k < b->to && !code; k++) {
		if (begin[k + 1] - begin[k] > most)
			return VS_DONE;
		while (begin[k + 1] - begin[lo] > most && !code) {
			lo = best_cut(b, split, lo, k);
			b->n_band++;
			code = add_band(b, lo);
		}
		*widest = vs_max_size(*widest, begin[k + 1] - begin[lo]);
	}
	b->n_band++;
	return code ? code : add_band(b, b->to);
}

static int
cut_bands(struct vs_bucket_sort *b, uint64_t most, uint64_t *widest)
{
	int64_t *split = NULL;
	int code = count_split(b, &split);

	if (!code)
		code = cut_bands_at(b, split, most, widest);
	free(split);
	return code;
}

/* Records that all bands read: a block counts once for each band it meets. */
static uint64_t
count_reads(const struct vs_bucket_sort *b)
{
	uint64_t n = 0;

	for (size_t k = 0; k < b->n_block; k++)
		for (size_t d = 0; d < b->n_band; d++)
			if (b->block[k].first < b->band[d + 1] &&
				b->block[k].last >= b->band[d])
				n += b->block[k].n;
	return n;
}

/* Records read if the blocks with some of the part are read once. */
static uint64_t
count_once(const struct vs_bucket_sort *b)
{
	uint64_t n = 0;

	for (size_t k = 0; k < b->n_block; k++)
		if (b->block[k].first < b->to && b->block[k].last >= b->from)
			n += b->block[k].n;
	return n;
}

/* Plan bands for that much memory; VS_DONE: it is not enough. */
static int
plan_bands_in(struct vs_bucket_sort *b, uint64_t memory, uint64_t *widest)
{
	uint64_t used = (uint64_t)b->n_hand * hand_bytes(&b->source);
	int code;

	if (used + VS_RESULT_BLOCK * sizeof(*b->rec) > memory)
		return VS_DONE;
	b->n_band = 0;
	code = cut_bands(b, (memory - used) / sizeof(*b->rec), widest);
	if (code)
		return code;
	b->n_read = count_reads(b);
	return b->n_read > MOST_TIMES * count_once(b) ? VS_DONE : 0;
}

/* The bucket with this row among all records. */
static uint32_t
bucket_at(const struct vs_bucket_sort *b, uint64_t row)
{
	uint32_t k = 0;

	while (b->begin[k + 1] <= row)
		k++;
	return k;
}

/* Set the buckets of rows [lo, hi). */
static void
choose_rows(struct vs_bucket_sort *b, uint64_t lo, uint64_t hi)
{
	b->lo = bucket_at(b, lo);
	b->hi = bucket_at(b, hi - 1) + 1;
	b->own = b->lo + (b->begin[b->lo] < lo);
}

/*
 * Plan pieces of whole chunks for that much memory, of the first rank, and half
 * of it for their columns; VS_DONE: it is not enough.
 */
static int
plan_pieces(struct vs_bucket_sort *b, uint64_t memory)
{
	const uint64_t used = (uint64_t)b->n_hand * hand_bytes(&b->source),
		       rank = (uint64_t)vs_comm_rank(),
		       n_rank = (uint64_t)vs_comm_size();
	/* in chunks */
	uint64_t most = used > memory / 2
		? 0
		: (memory / 2 - used) / sizeof(*b->rec) / VS_RESULT_BLOCK,
		 n = b->n_records / VS_RESULT_BLOCK, widest = 0;

	vs_comm_share(&most, sizeof(most));
	if (!most)
		return VS_DONE;
	b->n_band = n / (most * n_rank) + 1;
	b->piece_rows = (n / (b->n_band * n_rank) + 1) * VS_RESULT_BLOCK;
	for (uint64_t lo = rank * b->piece_rows; lo < b->n_records;
		lo += n_rank * b->piece_rows) {
		choose_rows(b, lo,
			vs_min_size(lo + b->piece_rows, b->n_records));
		widest = vs_max_size(widest, b->begin[b->hi] - b->begin[b->lo]);
	}
	b->n_read = count_once(b);
	if (widest > 2 * (most + 1) * VS_RESULT_BLOCK)
		return VS_DONE;
	return vs_mem_room(&b->rec, widest, sizeof(*b->rec), "records to sort");
}

static int
plan_bands(struct vs_bucket_sort *b, uint64_t memory)
{
	uint64_t widest = 0;
	int code = VS_DONE;

	if (memory >= ENOUGH)
		code = plan_bands_in(b, ENOUGH / 2, &widest);
	if (!code && b->n_read - count_once(b) > count_once(b) / MOST_AGAIN)
		code = VS_DONE;
	if (code == VS_DONE && memory > ENOUGH)
		code = plan_bands_in(b, ENOUGH, &widest);
	if (code == VS_DONE)
		code = plan_bands_in(b, memory, &widest);
	return code ? code
		    : vs_mem_room(&b->rec, widest, sizeof(*b->rec),
			      "records to sort");
}

/* Add a block to the sorter. */
static int
pass_block(void *ctx, size_t part, int thread)
{
	struct vs_bucket_sort *b = ctx;
	const struct block *block = &b->block[b->todo[part]];
	struct vs_record *rec;
	int code = read_block(b, block, &b->hand[thread], &rec);

	if (code)
		return code;
	if (b->source.taken)
		b->source.taken(b->source.ctx, rec, block->n);
	pthread_mutex_lock(&b->lock);
	code = vs_sorter_add(b->sorter, rec, block->n);
	pthread_mutex_unlock(&b->lock);
	return code;
}

int
vs_bucket_sort_new(struct vs_bucket_sort **out,
	const struct vs_bucket_source *source, uint64_t memory)
{
	const uint64_t most = memory / 4 / hand_bytes(source);
	const int n_thread = vs_h5_n_thread();
	struct vs_bucket_sort *b = NULL;
	int code = vs_comm_agree_if(source->joint,
		vs_mem_new(&b, 1, sizeof(*b), "sorting"));

	if (code) {
		free(b);
		return code;
	}
	b->source = *source;
	pthread_mutex_init(&b->lock, NULL);
	b->n_hand = most < (uint64_t)n_thread ? (int)most + !most : n_thread;
	code = make_hands(b);
	if (!code)
		code = list_blocks(b);
	code = vs_comm_agree_if(source->joint, code);
	if (!code)
		code = most || source->joint ? count_buckets(b) : VS_DONE;
	if (!code)
		code = source->joint ? vs_comm_agree_if(source->joint,
					       plan_pieces(b, memory))
				     : plan_bands(b, memory);
	if (code == VS_DONE && !source->n_part && !source->joint) {
		code = vs_sorter_new(&b->sorter, VS_BY_PLACE, source->beside,
			memory - memory / 4);
		if (!code)
			code = for_share(b, pass_block, 0, b->n_block);
	}
	if (code)
		vs_bucket_sort_free(b);
	else
		*out = b;
	return code;
}

/* ---- a band ---- */

static int
changed(const struct vs_bucket_sort *b, const struct block *block)
{
	return vs_fail(VS_EMACHINE,
		"%s: /records: have changed: a broken disk or memory",
		vs_h5_reader_path(result_of(b, block)->file));
}

/* Put the records of a block that belong to the band into their buckets. */
static int
gather_block(void *ctx, size_t part, int thread)
{
	struct vs_bucket_sort *b = ctx;
	const struct block *block = &b->block[b->todo[part]];
	const struct hand *h = &b->hand[thread];
	bool all = block->first >= b->own && block->last < b->hi;
	struct vs_record *rec;
	int code = read_block(b, block, h, &rec);

	if (!code && all && b->source.taken)
		b->source.taken(b->source.ctx, rec, block->n);
	for (uint32_t k = 0, end; k < block->n && !code; k = end) {
		uint32_t bucket = bucket_of(b, rec[k].i);
		uint64_t at;

		for (end = k + 1;
			end < block->n && bucket_of(b, rec[end].i) == bucket;)
			end++;
		if (bucket < b->lo || bucket >= b->hi)
			continue;
		at = atomic_fetch_add_explicit(&b->count[bucket], end - k,
			memory_order_relaxed);
		if (at + (end - k) > b->begin[bucket + 1] - b->begin[b->lo])
			return changed(b, block);
		memcpy(&b->rec[at], &rec[k], (end - k) * sizeof(*rec));
		if (!all && b->source.taken && bucket >= b->own)
			b->source.taken(b->source.ctx, &rec[k], end - k);
	}
	return code;
}

static int
sort_part(void *ctx, size_t part, int thread)
{
	struct vs_bucket_sort *b = ctx;
	const uint64_t lo = b->begin[b->part[part]],
		       hi = b->begin[b->part[part + 1]];

	(void)thread;
	vs_record_sort(b->rec + (lo - b->begin[b->lo]), hi - lo);
	return 0;
}

/* Sort the buckets of the band, several at a time if they are small. */
static int
sort_band(struct vs_bucket_sort *b)
{
	size_t n = 0;

	b->part[0] = b->lo;
	for (uint32_t k = b->lo + 1; k <= b->hi; k++)
		if (k == b->hi ||
			b->begin[k] - b->begin[b->part[n]] >= SORT_LEAST)
			b->part[++n] = k;
	vs_team_start(b->team, sort_part, b, n);
	return vs_team_wait(b->team);
}

/* Gather the records of the buckets [lo, hi) and sort them. */
static int
take_band(struct vs_bucket_sort *b)
{
	const uint64_t first = b->begin[b->lo];
	int code;

	for (uint32_t k = b->lo; k < b->hi; k++)
		b->count[k] = b->begin[k] - first;
	b->n_todo = 0;
	for (size_t k = 0; k < b->n_block; k++)
		if (b->block[k].first < b->hi && b->block[k].last >= b->lo)
			b->todo[b->n_todo++] = k;
	code = for_blocks(b, gather_block);
	for (uint32_t k = b->lo; k < b->hi && !code; k++)
		if (b->count[k] != b->begin[k + 1] - first)
			code = vs_fail(VS_EMACHINE,
				"records to sort are fewer than before: a "
				"broken disk or memory");
	return code ? code : sort_band(b);
}

int
vs_bucket_sort_next(struct vs_bucket_sort *b, struct vs_record **rec, size_t *n)
{
	if (b->sorter)
		return vs_sorter_next(b->sorter, rec, n);
	*n = 0;
	*rec = b->rec;
	while (b->at < b->n_band && !*n) {
		b->own = b->lo = b->band[b->at];
		b->hi = b->band[++b->at];
		*n = (size_t)(b->begin[b->hi] - b->begin[b->lo]);
	}
	return *n ? take_band(b) : 0;
}

int
vs_bucket_sort_piece(struct vs_bucket_sort *b, struct vs_bucket_piece *piece)
{
	const uint64_t lo = b->piece_rows *
		(b->at * (uint64_t)vs_comm_size() + (uint64_t)vs_comm_rank());
	int code;

	*piece = (struct vs_bucket_piece){ .row = lo };
	if (b->at++ == b->n_band)
		return VS_DONE;
	if (lo >= b->n_records)
		return 0;
	piece->n = (size_t)vs_min_size(b->piece_rows, b->n_records - lo);
	choose_rows(b, lo, lo + piece->n);
	code = take_band(b);
	piece->rec = b->rec + (lo - b->begin[b->lo]);
	if (piece->rec > b->rec)
		piece->before = piece->rec - 1;
	return code;
}

int
vs_bucket_sort_say(const struct vs_bucket_sort *b, struct vs_text *text)
{
	uint64_t bytes, n;

	if (!b->sorter)
		return vs_text_add(text,
			"sorted in %zu band%s, records read %.2f times",
			b->n_band, vs_text_s(b->n_band),
			b->n_records ? (double)b->n_read / (double)b->n_records
				     : 1);
	n = vs_sorter_runs(b->sorter, &bytes);
	return vs_text_add(text,
		"sorted through %llu run%s, %llu bytes on disk",
		(unsigned long long)n, vs_text_s(n), (unsigned long long)bytes);
}

void
vs_bucket_sort_free(struct vs_bucket_sort *b)
{
	if (!b)
		return;
	vs_team_free(b->team);
	vs_sorter_free(b->sorter);
	pthread_mutex_destroy(&b->lock);
	for (int t = 0; t < b->n_hand && b->hand; t++) {
		vs_result_reader_free(b->hand[t].reader);
		free(b->hand[t].rec);
		free(b->hand[t].turned);
		free(b->hand[t].i);
	}
	free(b->hand);
	free(b->block);
	free(b->count);
	free(b->begin);
	free(b->part);
	free(b->band);
	free(b->todo);
	free(b->rec);
	free(b);
}
