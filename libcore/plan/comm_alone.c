/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI wrapper of a build without MPI: one process, rank 0 of 1. */
#include <stdio.h>
#include <stdlib.h>

#include "libcore/plan/comm_inner.h"

static int64_t counter;

int
vs_comm_begin(void (*broken)(const char *why))
{
	(void)broken;
	vs_comm_start();
	return 0;
}

int
vs_comm_check_start(void)
{
	return vs_comm_start_alone(NULL);
}

bool
vs_comm_launched(void)
{
	return false;
}

void
vs_comm_end(void)
{
}

int
vs_comm_rank(void)
{
	return 0;
}

int
vs_comm_size(void)
{
	return 1;
}

void
vs_comm_local(int *at, int *of)
{
	*at = 0;
	*of = 1;
}

int
vs_comm_agree(int code)
{
	return code;
}

bool
vs_comm_speaks(void)
{
	return true;
}

int
vs_comm_local_agree(int code)
{
	return code;
}

void
vs_comm_sum_u64(uint64_t *v, size_t n)
{
	(void)v;
	(void)n;
}

void
vs_comm_max_f64(double *v, int n)
{
	(void)v;
	(void)n;
}

void
vs_comm_local_sum_u64(uint64_t *v, int n)
{
	(void)v;
	(void)n;
}

void
vs_comm_share(void *bytes, size_t n)
{
	(void)bytes;
	(void)n;
}

void
vs_comm_turn(void *bytes, size_t n, void (*change)(void *ctx), void *ctx)
{
	(void)bytes;
	(void)n;
	change(ctx);
}

void
vs_comm_give_up(const char *why)
{
	(void)why;
	abort();
}

void
vs_comm_local_share(void *bytes, size_t n)
{
	(void)bytes;
	(void)n;
}

void
vs_comm_most_begin(double v)
{
	(void)v;
}

double
vs_comm_most(double v)
{
	return v;
}

void
vs_comm_most_end(double v)
{
	(void)v;
}

bool
vs_comm_is_threaded(void)
{
	return false;
}

bool
vs_comm_counters_begin(void)
{
	counter = 0;
	return false;
}

int64_t
vs_comm_counter_add(int of, int64_t n)
{
	const int64_t was = counter;

	(void)of;
	counter += n;
	return was;
}

bool
vs_comm_counters_ask(int first, int n, int64_t *values)
{
	(void)first;
	(void)n;
	*values = counter;
	return true;
}

bool
vs_comm_memory_begin(size_t bytes, void **mine)
{
	(void)bytes;
	(void)mine;
	return false;
}

void
vs_comm_memory_filled(void)
{
}

void
vs_comm_memory_get(int of, const struct vs_comm_piece *piece, int n)
{
	(void)of;
	(void)piece;
	(void)n;
}

void
vs_comm_memory_end(void)
{
}

void
vs_comm_version(char *text, size_t room)
{
	snprintf(text, room, "no MPI");
}

void
vs_comm_exchange(const void *from, int to, void *into, int of, size_t n,
	size_t first)
{
	(void)from;
	(void)to;
	(void)into;
	(void)of;
	(void)n;
	(void)first;
}

size_t
vs_comm_arrived_upto(void)
{
	return 0;
}

bool
vs_comm_arrived(void)
{
	return true;
}

void
vs_comm_wait(void)
{
}

void
vs_comm_poke(void)
{
}
