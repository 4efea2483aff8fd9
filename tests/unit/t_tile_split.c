/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A strip in parts, and a tile in pieces: every pair that is wanted is wanted
 * of one part, of none that is not.
 */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/sched/tile_split.h"
#include "tests/sim/sim_device.h"
#include "tests/unit/panels.h"
#include "tests/unit/test.h"

#define MOST 2600

static uint8_t wanted[MOST][MOST];

/* Add 1 to the pairs of a strip. */
static void
mark(const struct vs_strip *s)
{
	for (size_t j = s->j_lo; j < s->j_hi; j++) {
		size_t k = (j - s->j_lo) / VS_SPAN;

		for (size_t i = s->span[k].lo; i < s->span[k].hi; i++)
			wanted[i][j] += !s->diagonal || i < j;
	}
}

static size_t
count(uint8_t value)
{
	size_t n = 0;

	for (size_t i = 0; i < MOST; i++)
		for (size_t j = 0; j < MOST; j++)
			n += wanted[i][j] == value;
	return n;
}

/* Its rows are those of its spans, and none is past their last column. */
static int
is_sound(const struct vs_strip *s)
{
	size_t lo = MOST, hi = 0;
	int good = 1;

	for (size_t k = 0; k < VS_SPANS; k++) {
		size_t end = s->j_lo + (k + 1) * VS_SPAN;

		if (s->span[k].lo >= s->span[k].hi)
			continue;
		end = end < s->j_hi ? end : s->j_hi;
		good &= !s->diagonal || s->span[k].hi < end;
		lo = s->span[k].lo < lo ? s->span[k].lo : lo;
		hi = s->span[k].hi > hi ? s->span[k].hi : hi;
	}
	return good && s->i_lo == lo && s->i_hi == hi;
}

static void
try_parts(struct vs_rng *r, size_t step, bool diagonal)
{
	struct vs_strip s = { .i_hi = MOST, .diagonal = diagonal }, part;
	size_t n, unsound = 0, rows;

	s.j_lo = vs_rng_below(r, 200);
	s.j_hi = s.j_lo + 1 + vs_rng_below(r, MOST - s.j_lo);
	for (size_t k = 0; s.j_lo + k * VS_SPAN < s.j_hi; k++) {
		size_t end = s.j_lo + (k + 1) * VS_SPAN;

		s.span[k].hi = vs_rng_below(r, MOST);
		s.span[k].lo = vs_rng_below(r, s.span[k].hi + 1);
		end = (end < s.j_hi ? end : s.j_hi) - 1;
		if (diagonal && s.span[k].hi > end)
			s.span[k].hi = end;
	}
	memset(wanted, 0, sizeof(wanted));
	mark(&s);
	n = count(1);
	rows = 1 + vs_rng_below(r, MOST);
	for (size_t col = s.j_lo; col < s.j_hi; col += step)
		for (size_t lo = 0; lo < MOST; lo += rows)
			if (vs_strip_part(&s, lo, lo + rows, col, col + step,
				    &part)) {
				unsound += !is_sound(&part);
				mark(&part);
			}
	T_OK(!unsound && count(2) == n && !count(1) && !count(3),
		"columns %zu to %zu%s by %zu, rows by %zu: %zu pairs, each in "
		"one part, %zu parts unsound",
		s.j_lo, s.j_hi, diagonal ? " of a diagonal" : "", step, rows, n,
		unsound);
}

static void
try_tile(int n_front, int64_t bi, int64_t bj)
{
	struct vs_query q = { .n_field = 1, .cpu = vs_cpu_best() };
	struct vs_panel p;
	struct vs_plan plan;
	struct vs_job job = { .plan = &plan,
		.query = &q,
		.backend = &vs_backend_cpu,
		.n_thread = 2,
		.device = &sim_backend };
	struct vs_tile_task task = { .bi = bi, .bj = bj, .i = &p, .j = &p };
	struct vs_tile_split cut = { 0 };
	uint64_t n = 0, amount = 0;
	int others = 0, code = panel_new(&p, MOST, 1);

	p.n_vec = MOST;
	if (!code)
		code = vs_plan_make(&plan, MOST, 1, 1500);
	task.i_at = (size_t)vs_plan_place(&plan, bi);
	task.j_at = (size_t)vs_plan_place(&plan, bj);
	if (!code)
		code = vs_tile_split_make(&cut, &job, &task, n_front, &plan);
	memset(wanted, 0, sizeof(wanted));
	for (size_t k = 0; k < cut.n_piece && !code; k++) {
		const struct vs_piece *x = &cut.piece[k];
		const struct vs_strip *s = &cut.strip[x->part];
		struct vs_strip part;

		amount += x->cost;
		others += x->of != &plan || !x->grain || !x->cost;
		others += k && x->cost > x[-1].cost;
		if (vs_strip_part(s, x->lo, x->hi, s->j_lo, s->j_hi, &part))
			mark(&part);
	}
	for (size_t i = 0; i < MOST; i++)
		for (size_t j = 0; j < MOST; j++)
			n += wanted[i][j] == 1 && (bi < bj || i < j) &&
				(int64_t)i / 1500 == bi &&
				(int64_t)j / 1500 == bj;
	T_OK(!code && n == vs_plan_pairs(&plan, bi, bj) && count(1) == n &&
			!count(2) && cut.counted == n && cut.amount == amount &&
			!others,
		"tile %d %d for %d drivers: %llu pairs, each in one of %zu "
		"pieces of %zu strips",
		(int)bi, (int)bj, n_front, (unsigned long long)n, cut.n_piece,
		cut.n_strip);
	vs_tile_split_free(&cut);
	vs_panel_free(&p);
}

int
main(void)
{
	struct vs_rng r;

	vs_rng_seed(&r, 1);
	for (size_t step = 64; step <= 8192; step *= 2)
		for (int diagonal = 0; diagonal < 2; diagonal++)
			try_parts(&r, step, diagonal);
	for (int n_front = 0; n_front < 4; n_front += 3) {
		try_tile(n_front, 0, 0);
		try_tile(n_front, 0, 1);
		try_tile(n_front, 1, 1);
	}
	return T_DONE();
}
