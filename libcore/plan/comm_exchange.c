/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI wrapper: exchange of memory between neighbours, in consecutive pieces. */
#include <time.h>

#include "libcore/base/minmax.h"
#include "libcore/plan/comm_inner.h"
#include "libcore/plan/comm_mpi.h"

/*
 * An exchange is cut into this many pieces, as long as a piece has at least the
 * bytes worth a message, and no more than an int can count. MPI sends pending
 * messages in turns, so only some are begun before the first ones are done.
 */
#define N_PIECE 32
#define LEAST_PIECE ((size_t)1 << 20)
#define MOST_PIECE ((size_t)1 << 30)
#define DEPTH 2
#define NAP_NANOSECONDS 50000

/* One direction of an exchange; all zero: nothing to do. */
struct lane {
	char *bytes;
	size_t n, first; /* bytes from `first` on come before the others */
	int with;
	bool sends;
	size_t posted, done; /* bytes, in order of arrival */
	MPI_Request request[DEPTH];
	size_t size[DEPTH];
	size_t n_posted, n_done; /* number of pieces */
};

static struct lane in, out;

/* The piece after `at` bytes; no piece spans both parts. */
static size_t
piece_at(const struct lane *l, size_t at)
{
	const size_t ahead = l->n - l->first, end = at < ahead ? ahead : l->n;
	size_t piece = l->n / N_PIECE;

	piece = piece < LEAST_PIECE ? LEAST_PIECE : piece;
	piece = piece < MOST_PIECE ? piece : MOST_PIECE;
	return vs_min_size(piece, end - at);
}

static void
post_next(struct lane *l)
{
	const size_t ahead = l->n - l->first, at = l->posted,
		     n = piece_at(l, at), k = l->n_posted++ % DEPTH;
	char *from = l->bytes + (at < ahead ? l->first + at : at - ahead);

	l->posted += n;
	l->size[k] = n;
	if (l->sends)
		MPI_Isend(from, (int)n, MPI_BYTE, l->with, 0, MPI_COMM_WORLD,
			&l->request[k]);
	else
		MPI_Irecv(from, (int)n, MPI_BYTE, l->with, 0, MPI_COMM_WORLD,
			&l->request[k]);
}

/* Note the pieces that are done and begin as many; the others wait their
 * turn. */
static void
advance(struct lane *l)
{
	for (;;) {
		const size_t k = l->n_done % DEPTH;
		int done = 0;

		while (l->posted < l->n && l->n_posted - l->n_done < DEPTH)
			post_next(l);
		if (l->n_done < l->n_posted)
			MPI_Test(&l->request[k], &done, MPI_STATUS_IGNORE);
		if (!done)
			return;
		l->done += l->size[k];
		l->n_done++;
	}
}

static void
move_on(void)
{
	advance(&in);
	advance(&out);
}

void
vs_comm_poke(void)
{
	/* another thread that waits for MPI makes all requests progress */
	if (!vs_comm_try())
		return;
	move_on();
	vs_comm_windows_poke();
	vs_comm_leave();
}

void
vs_comm_exchange(const void *from, int to, void *into, int of, size_t n,
	size_t first)
{
	if (vs_comm_size() == 1)
		return;
	vs_comm_enter();
	in = (struct lane){ .bytes = into, .n = n, .first = first, .with = of };
	out = (struct lane){ .bytes = (char *)from,
		.n = n,
		.first = first,
		.with = to,
		.sends = true };
	move_on();
	vs_comm_leave();
}

size_t
vs_comm_arrived_upto(void)
{
	const size_t ahead = in.n - in.first;
	size_t done;

	vs_comm_enter();
	move_on();
	done = in.done;
	vs_comm_leave();
	return done < ahead ? 0 : done - ahead;
}

bool
vs_comm_arrived(void)
{
	bool all;

	vs_comm_enter();
	move_on();
	all = in.done == in.n && out.done == out.n;
	vs_comm_leave();
	return all;
}

void
vs_comm_wait(void)
{
	const struct timespec nap = { .tv_nsec = NAP_NANOSECONDS };

	while (!vs_comm_arrived())
		nanosleep(&nap, NULL);
}
