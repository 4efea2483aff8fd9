/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread block on the CPU: the instructions of cuda/isa.h as the PTX manual
 * defines them, element by element, knowing nothing of the kernels' own index
 * mathematics.
 *
 * Each thread has a stack of its own and runs until an instruction that threads
 * do together; then another one is drawn at random from all that can continue,
 * including those just woken: the lanes of a warp drift apart between two such
 * instructions. Copies arrive at once, or as late as is allowed, so that a
 * stage used too early or overwritten too early shows in the sums. Bytes that
 * were never written hold leftovers.
 */
#ifndef VS_TESTS_UNIT_SM_H
#define VS_TESTS_UNIT_SM_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "cuda/isa.h"
#include "libcore/base/rng.h"

#define SM_THREADS 384
#define SM_STACK (128 << 10)
#define SM_SHARED (227 << 10)
#define SM_BASE 4096 /* address of the dynamic shared memory */
#define SM_COPIES 64 /* of a thread that are not waited for */
#define SM_BARS 32

enum sm_op {
	SM_NONE,
	SM_LDMATRIX,
	SM_MMA,
	SM_COPY,
	SM_ANY,
	SM_UP,
	SM_LANE,
	SM_WIDE,
	SM_WIDE_COMMIT,
	SM_WIDE_WAIT
};

/* An instruction that waits for all lanes of its warp. */
struct sm_call {
	enum sm_op op;
	uint32_t *out;
	int32_t *sum;
	const uint32_t *a, *b;
	const void *from;
	uint64_t wide[2]; /* descriptors of a and b */
	uint32_t v, n;
};

struct sm_copy {
	uint32_t to;
	const void *from;
};

/* State of a warp in its group's wide products. */
struct sm_wide {
	int32_t *sum[32];
	uint64_t a, b;
	uint32_t add, group;
};

/* Bytes in flight that will complete on a barrier. */
struct sm_bulk {
	uint32_t to, bytes, bar;
	const void *from;
};

struct sm_bar {
	uint32_t address, n, left, phase;
	int64_t bytes; /* announced, not yet there */
};

struct sm_thread {
	ucontext_t at; /* its first step */
	jmp_buf on;    /* later ones, without swapcontext()'s system calls */
	bool begun;
	bool blocked, done;
	struct sm_call call;
	/* copies not waited for, and how many there were at each commit */
	struct sm_copy copy[SM_COPIES];
	uint32_t n_copy, n_group, group_end[SM_COPIES];
	uint32_t bar; /* it waits for, or 0 */
	/* of lane 0, for its warp: products not done, groups committed */
	struct sm_wide wide[SM_COPIES];
	uint32_t n_wide, n_commit;
};

static struct sm {
	uint32_t n_thread, block, n_block;
	bool late; /* copies arrive when waited for, not at once */
	void (*kernel)(const void *);
	const void *job;
	struct vs_rng rng;
	jmp_buf home;
	struct sm_thread *thread, *now;
	uint32_t ready[SM_THREADS], n_ready; /* can go on, in any order */
	uint32_t n_waiting;                  /* at isa_sync() */
	struct sm_bar bar[SM_BARS];
	struct sm_bulk bulk[SM_COPIES];
	uint32_t n_bar, n_bulk;
	_Alignas(1024) unsigned char shared[SM_SHARED];
	uint32_t shared_used;
	/* what was done, and the worst over all instructions of a kind: ways
	 * of a bank conflict, 1 is none; sectors of 32 bytes read but not
	 * used */
	uint64_t n_ldmatrix, n_mma, n_copy, n_wide;
	uint32_t read_ways, fill_ways, waste;
	const char *wrong; /* null, or why the block cannot go on */
} sm;

static struct sm_thread *
sm_warp(const struct sm_thread *t)
{
	return sm.thread + (t - sm.thread) / 32 * 32;
}

/* To the scheduler, until it goes on with this thread. */
static void
sm_leave(void)
{
	if (!_setjmp(sm.now->on))
		_longjmp(sm.home, 1);
}

static void
sm_stop(const char *why)
{
	if (!sm.wrong)
		sm.wrong = why;
	if (sm.now)
		sm_leave();
}

/* Let others run until someone unblocks us. */
static void
sm_block(void)
{
	sm.now->blocked = true;
	sm_leave();
}

static void
sm_wake(struct sm_thread *t)
{
	if (!t->blocked)
		return;
	t->blocked = false;
	sm.ready[sm.n_ready++] = (uint32_t)(t - sm.thread);
}

static unsigned char *
sm_at(uint32_t address, uint32_t bytes)
{
	if (address < SM_BASE || address - SM_BASE + bytes > sm.shared_used ||
		address % bytes) {
		sm_stop("a shared address outside or not aligned");
		return sm.shared;
	}
	return sm.shared + (address - SM_BASE);
}

static uint32_t
sm_word(const void *from)
{
	uint32_t v;

	memcpy(&v, from, 4);
	return v;
}

/* Bank conflicts: the most of eight lanes with 16 bytes each that meet in a
 * group of banks. */
static uint32_t
sm_ways(const uint32_t address[8])
{
	uint32_t most = 0;

	for (int g = 0; g < 8; g++) {
		uint32_t n = 0;

		for (int k = 0; k < 8; k++) {
			bool again = false;

			for (int m = 0; m < k; m++)
				again |= address[m] == address[k];
			n += !again && address[k] / 16 % 8 == (uint32_t)g;
		}
		most = n > most ? n : most;
	}
	return most;
}

/* ldmatrix .x4: lanes 8 m to 8 m + 7 give the rows of matrix m; lane l receives
 * of each matrix the elements 2 (l % 4) and the next one of row l / 4. */
static void
sm_ldmatrix(struct sm_thread *w)
{
	uint32_t way, rows[32];

	for (int l = 0; l < 32; l++)
		rows[l] = w[l].call.v;
	for (int m = 0; m < 4; m++) {
		way = sm_ways(rows + 8 * m);
		sm.read_ways = way > sm.read_ways ? way : sm.read_ways;
	}
	for (int l = 0; l < 32; l++)
		for (int m = 0; m < 4; m++)
			w[l].call.out[m] =
				sm_word(sm_at(rows[8 * m + l / 4], 16) +
					2 * 2 * (l % 4));
	sm.n_ldmatrix++;
}

/*
 * mma m16n8k256 .b1. With group g = lane / 4 and t = lane % 4: bit i of A, of
 * 128, is row g (0 <= i < 32, 64 <= i < 96) or g + 8, column 32 t + i % 32, and
 * 128 more from i = 64 on; bit i of B, of 64, is row 32 t + i % 32, and 128
 * more from 32 on, column g; sum i is row g (i < 2) or g + 8, column 2 t + i %
 * 2.
 */
static void
sm_mma(struct sm_thread *w)
{
	uint32_t a[16][8], b[8][8]; /* 256 bits each */

	for (int l = 0; l < 32; l++) {
		for (int i = 0; i < 128; i += 32)
			a[l / 4 + (i < 32 || (64 <= i && i < 96) ? 0 : 8)]
			 [l % 4 + (i < 64 ? 0 : 4)] = w[l].call.a[i / 32];
		for (int i = 0; i < 64; i += 32)
			b[l / 4][l % 4 + (i < 32 ? 0 : 4)] =
				w[l].call.b[i / 32];
	}
	for (int l = 0; l < 32; l++)
		for (int i = 0; i < 4; i++)
			for (int k = 0; k < 8; k++)
				w[l].call.sum[i] += __builtin_popcount(
					a[l / 4 + (i < 2 ? 0 : 8)][k] &
					b[2 * (l % 4) + i % 2][k]);
	sm.n_mma++;
}

static void
sm_arrive_copy(const struct sm_copy *c)
{
	memcpy(sm_at(c->to, 16), c->from, 16);
}

/* A warp's copies: eight lanes write at a time; all read whole sectors. */
static void
sm_copies(struct sm_thread *w)
{
	uint32_t to[32], way, sectors = 0;

	for (int l = 0; l < 32; l++) {
		uintptr_t s = (uintptr_t)w[l].call.from / 32;
		bool again = false;

		to[l] = w[l].call.v;
		for (int m = 0; m < l; m++)
			again |= (uintptr_t)w[m].call.from / 32 == s;
		sectors += !again;
	}
	for (int m = 0; m < 32; m += 8) {
		way = sm_ways(to + m);
		sm.fill_ways = way > sm.fill_ways ? way : sm.fill_ways;
	}
	sm.waste = sectors - 16 > sm.waste ? sectors - 16 : sm.waste;
	for (int l = 0; l < 32; l++) {
		struct sm_copy c = { to[l], w[l].call.from };

		if (!sm.late)
			sm_arrive_copy(&c);
		else if (w[l].n_copy == SM_COPIES)
			sm_stop("more copies than are remembered");
		else
			w[l].copy[w[l].n_copy++] = c;
	}
	sm.n_copy++;
}

static void
sm_shuffle(struct sm_thread *w, enum sm_op op)
{
	uint32_t v[32], any = 0;

	for (uint32_t l = 0; l < 32; l++) {
		const struct sm_call *c = &w[l].call;
		uint32_t from = op == SM_LANE ? c->n : l >= c->n ? l - c->n : l;

		any |= c->v;
		v[l] = w[from % 32].call.v;
	}
	for (uint32_t l = 0; l < 32; l++)
		*w[l].call.out = op == SM_ANY ? any : v[l];
}

/*
 * 32 bytes, 256 bits, of row r that a descriptor tells of: bits 0 to 13 are the
 * address over 16, 32 to 45 the step from eight rows to the next eight over 16,
 * 62 and 63 the swizzle. With 1, of 128 bytes, rows are 128 bytes apart and
 * bits 4 to 6 of an address are changed by its bits 7 to 9; the other step is
 * not used.
 */
static void
sm_row(uint64_t about, uint32_t r, uint32_t out[8])
{
	uint32_t start = (uint32_t)(about & 0x3fff) << 4;
	uint32_t step = (uint32_t)(about >> 32 & 0x3fff) << 4;

	if (about >> 62 != 1 || (about >> 49 & 7)) {
		sm_stop("a descriptor of another kind");
		return;
	}
	for (uint32_t k = 0; k < 8; k++) {
		uint32_t at = start + r / 8 * step + r % 8 * 128 + 4 * k;

		out[k] = sm_word(sm_at(at ^ (at >> 7 & 7) << 4, 4));
	}
}

/*
 * wgmma m64n256k256 .b1, the part of one of the four warps: sum i of a lane is
 * row 16 w + l / 4 + 8 (i / 2 % 2), column 8 (i / 4) + 2 (l % 4) + i % 2.
 */
static void
sm_wide(const struct sm_wide *x, uint32_t warp)
{
	static uint32_t a[16][8], b[256][8];

	for (uint32_t r = 0; r < 16; r++)
		sm_row(x->a, 16 * warp + r, a[r]);
	for (uint32_t c = 0; c < 256; c++)
		sm_row(x->b, c, b[c]);
	for (int l = 0; l < 32; l++)
		for (int i = 0; i < 128; i++) {
			int32_t n = x->add ? x->sum[l][i] : 0;

			for (int k = 0; k < 8; k++)
				n += __builtin_popcount(
					a[l / 4 + 8 * (i / 2 % 2)][k] &
					b[8 * (i / 4) + 2 * (l % 4) + i % 2]
					 [k]);
			x->sum[l][i] = n;
		}
	sm.n_wide++;
}

/* Compute a warp's products of all its groups but the newest n. */
static void
sm_wide_done(struct sm_thread *w, uint32_t but)
{
	uint32_t n = 0;

	while (n < w->n_wide && w->wide[n].group + but < w->n_commit)
		sm_wide(&w->wide[n++], (uint32_t)(w - sm.thread) / 32 % 4);
	w->n_wide -= n;
	memmove(w->wide, w->wide + n, w->n_wide * sizeof(*w->wide));
}

static void
sm_wide_begin(struct sm_thread *w)
{
	struct sm_wide *x = &w->wide[w->n_wide];

	if (w->n_wide == SM_COPIES) {
		sm_stop("more products than are remembered");
		return;
	}
	for (int l = 0; l < 32; l++)
		x->sum[l] = w[l].call.sum;
	x->a = w->call.wide[0];
	x->b = w->call.wide[1];
	x->add = w->call.v;
	x->group = w->n_commit;
	if (sm.late)
		w->n_wide++;
	else
		sm_wide(x, (uint32_t)(w - sm.thread) / 32 % 4);
}

/* The instruction of a warp, once its last lane has come to it. */
static void
sm_do(struct sm_thread *w)
{
	enum sm_op op = w->call.op;

	for (int l = 0; l < 32; l++)
		if (w[l].call.op != op)
			sm_stop("lanes of a warp are at unlike instructions");
	if (op == SM_LDMATRIX)
		sm_ldmatrix(w);
	else if (op == SM_MMA)
		sm_mma(w);
	else if (op == SM_COPY)
		sm_copies(w);
	else if (op == SM_WIDE)
		sm_wide_begin(w);
	else if (op == SM_WIDE_COMMIT)
		w->n_commit++;
	else if (op == SM_WIDE_WAIT)
		sm_wide_done(w, w->call.n);
	else
		sm_shuffle(w, op);
}

static void
sm_together(const struct sm_call *call)
{
	struct sm_thread *w = sm_warp(sm.now);

	sm.now->call = *call;
	for (int l = 0; l < 32; l++)
		if (w[l].call.op == SM_NONE) {
			sm_block();
			return;
		}
	sm_do(w);
	for (int l = 0; l < 32; l++) {
		w[l].call.op = SM_NONE;
		sm_wake(&w[l]);
	}
}

uint32_t
isa_thread(void)
{
	return (uint32_t)(sm.now - sm.thread);
}

uint32_t
isa_block(void)
{
	return sm.block;
}

uint32_t
isa_n_block(void)
{
	return sm.n_block;
}

uint32_t
isa_shared(void)
{
	return SM_BASE;
}

void
isa_trap(void)
{
	sm_stop("a trap");
}

void
isa_sync(void)
{
	if (++sm.n_waiting < sm.n_thread) {
		sm_block();
		return;
	}
	sm.n_waiting = 0;
	for (uint32_t k = 0; k < sm.n_thread; k++)
		sm_wake(&sm.thread[k]);
}

void
isa_store(uint32_t to, uint32_t v)
{
	memcpy(sm_at(to, 4), &v, 4);
}

uint32_t
isa_load(uint32_t from)
{
	return sm_word(sm_at(from, 4));
}

void
isa_ldmatrix4(uint32_t to[4], uint32_t from)
{
	sm_together(
		&(struct sm_call){ .op = SM_LDMATRIX, .out = to, .v = from });
}

void
isa_mma(int32_t c[4], const uint32_t a[4], const uint32_t b[2])
{
	sm_together(
		&(struct sm_call){ .op = SM_MMA, .sum = c, .a = a, .b = b });
}

void
isa_copy16(uint32_t to, const void *from)
{
	sm_together(&(struct sm_call){ .op = SM_COPY, .v = to, .from = from });
}

void
isa_commit(void)
{
	struct sm_thread *t = sm.now;

	if (t->n_group == SM_COPIES)
		sm_stop("more groups than are remembered");
	t->group_end[t->n_group++] = t->n_copy;
}

void
isa_wait(int n)
{
	struct sm_thread *t = sm.now;
	uint32_t past, end;

	if (t->n_group <= (uint32_t)n)
		return;
	past = t->n_group - (uint32_t)n;
	end = t->group_end[past - 1];
	for (uint32_t k = 0; k < end; k++)
		sm_arrive_copy(&t->copy[k]);
	t->n_copy -= end;
	memmove(t->copy, t->copy + end, t->n_copy * sizeof(*t->copy));
	t->n_group = (uint32_t)n;
	for (uint32_t k = 0; k < t->n_group; k++)
		t->group_end[k] = t->group_end[k + past] - end;
}

int
isa_any(int yes)
{
	uint32_t any = 0;

	sm_together(&(struct sm_call){ .op = SM_ANY, .out = &any, .v = !!yes });
	return (int)any;
}

uint32_t
isa_shuffle_up(uint32_t v, uint32_t by)
{
	sm_together(
		&(struct sm_call){ .op = SM_UP, .out = &v, .v = v, .n = by });
	return v;
}

uint32_t
isa_shuffle(uint32_t v, uint32_t lane)
{
	sm_together(&(
		struct sm_call){ .op = SM_LANE, .out = &v, .v = v, .n = lane });
	return v;
}

uint32_t
isa_add(uint32_t *to, uint32_t n)
{
	uint32_t old = *to;

	*to += n;
	return old;
}

void
isa_wide(int32_t c[128], uint64_t a, uint64_t b, int add)
{
	sm_together(&(struct sm_call){ .op = SM_WIDE,
		.sum = c,
		.wide = { a, b },
		.v = !!add });
}

void
isa_wide_begin(void)
{
}

void
isa_wide_commit(void)
{
	sm_together(&(struct sm_call){ .op = SM_WIDE_COMMIT });
}

void
isa_wide_wait(int n)
{
	sm_together(&(struct sm_call){ .op = SM_WIDE_WAIT, .n = (uint32_t)n });
}

static struct sm_bar *
sm_bar(uint32_t address)
{
	for (uint32_t k = 0; k < sm.n_bar; k++)
		if (sm.bar[k].address == address)
			return &sm.bar[k];
	sm_stop("a barrier that was not made");
	return sm.bar;
}

void
isa_bar_new(uint32_t bar, uint32_t n)
{
	sm_at(bar, 8);
	if (sm.n_bar == SM_BARS)
		sm_stop("more barriers than are remembered");
	sm.bar[sm.n_bar++] = (struct sm_bar){ bar, n, n, 0, 0 };
}

void
isa_bar_made(void)
{
}

/* Begin the next phase if this one is complete. */
static void
sm_bar_look(struct sm_bar *b)
{
	if (b->left || b->bytes)
		return;
	b->phase++;
	b->left = b->n;
	for (uint32_t k = 0; k < sm.n_thread; k++)
		if (sm.thread[k].bar == b->address) {
			sm.thread[k].bar = 0;
			sm_wake(&sm.thread[k]);
		}
}

void
isa_bar_arrive(uint32_t bar)
{
	isa_bar_expect(bar, 0);
}

void
isa_bar_expect(uint32_t bar, uint32_t bytes)
{
	struct sm_bar *b = sm_bar(bar);

	if (!b->left)
		sm_stop("more arrivals than a barrier was made for");
	b->bytes += bytes;
	b->left--;
	sm_bar_look(b);
}

/* A phase is complete when the present one has the other parity. */
void
isa_bar_wait(uint32_t bar, uint32_t parity)
{
	while (sm_bar(bar)->phase % 2 == parity) {
		sm.now->bar = bar;
		sm_block();
	}
}

static void
sm_arrive_bulk(uint32_t k)
{
	struct sm_bulk c = sm.bulk[k];

	sm.bulk[k] = sm.bulk[--sm.n_bulk];
	for (uint32_t at = 0; at < c.bytes; at += 16)
		memcpy(sm_at(c.to + at, 16), (const char *)c.from + at, 16);
	sm_bar(c.bar)->bytes -= c.bytes;
	sm_bar_look(sm_bar(c.bar));
}

void
isa_bulk(uint32_t to, const void *from, uint32_t bytes, uint32_t bar)
{
	if (to % 16 || bytes % 16 || (uintptr_t)from % 16)
		sm_stop("a bulk copy that is not aligned");
	if (sm.n_bulk == SM_COPIES)
		sm_stop("more bulk copies than are remembered");
	sm.bulk[sm.n_bulk++] = (struct sm_bulk){ to, bytes, bar, from };
	/* by lot at once, the sooner to overwrite what is still being read */
	if (!sm.late || vs_rng_below(&sm.rng, 2))
		sm_arrive_bulk(sm.n_bulk - 1);
}

static void
sm_enter(void)
{
	sm.kernel(sm.job);
	sm.now->done = true;
	sm_leave();
}

static void
sm_start(struct sm_thread *t, char *stack)
{
	getcontext(&t->at);
	t->at.uc_stack.ss_sp = stack;
	t->at.uc_stack.ss_size = SM_STACK;
	t->at.uc_link = NULL;
	makecontext(&t->at, sm_enter, 0);
	t->begun = false;
}

/* Returns when the thread leaves. */
static void
sm_go_on(struct sm_thread *t)
{
	if (_setjmp(sm.home))
		return;
	if (t->begun)
		_longjmp(t->on, 1);
	t->begun = true;
	setcontext(&t->at);
}

/* Threads that can go on, until there are none. */
static void
sm_schedule(void)
{
	while (!sm.wrong && (sm.n_ready || sm.n_bulk)) {
		uint32_t k;

		if (!sm.n_ready) {
			sm_arrive_bulk(
				(uint32_t)vs_rng_below(&sm.rng, sm.n_bulk));
			continue;
		}
		k = (uint32_t)vs_rng_below(&sm.rng, sm.n_ready);
		sm.now = &sm.thread[sm.ready[k]];
		sm.ready[k] = sm.ready[--sm.n_ready];
		sm_go_on(sm.now);
		sm.now = NULL;
	}
}

/*
 * Run a kernel's thread blocks one after another. returns  null, or why a block
 * could not go on: a wrong address, lanes apart, threads that wait for ever
 */
__attribute__((unused)) static const char *
sm_run(void (*kernel)(const void *), const void *job, uint32_t n_block,
	uint32_t n_thread, uint32_t shared, bool late, uint64_t seed)
{
	static char *stacks;

	if (!stacks && !(stacks = malloc((size_t)SM_THREADS * SM_STACK)))
		exit(4);
	if (!sm.thread && !(sm.thread = calloc(SM_THREADS, sizeof(*sm.thread))))
		exit(4);
	sm.wrong = shared > SM_SHARED ? "too much shared memory" : NULL;
	sm.n_thread = n_thread;
	sm.n_block = n_block;
	sm.shared_used = shared;
	sm.late = late;
	sm.kernel = kernel;
	sm.job = job;
	vs_rng_seed(&sm.rng, seed);
	for (sm.block = 0; sm.block < n_block && !sm.wrong; sm.block++) {
		memset(sm.shared, 0xa5, SM_SHARED);
		memset(sm.thread, 0, SM_THREADS * sizeof(*sm.thread));
		sm.n_waiting = sm.n_bar = sm.n_bulk = 0;
		for (uint32_t k = 0; k < n_thread; k++) {
			sm_start(&sm.thread[k], stacks + (size_t)k * SM_STACK);
			sm.ready[k] = k;
		}
		sm.n_ready = n_thread;
		sm_schedule();
		for (uint32_t k = 0; k < n_thread && !sm.wrong; k++)
			if (!sm.thread[k].done)
				sm.wrong = "threads wait for each other";
	}
	return sm.wrong;
}

#endif
