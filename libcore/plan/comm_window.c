/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI wrapper: memory that all ranks reach, counters and vectors. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "libcore/base/clock.h"
#include "libcore/plan/comm_inner.h"
#include "libcore/plan/comm_mpi.h"

#define PROBE_SECONDS 0.005
#define NAP_SECONDS 2e-5 /* at least, and at most */
#define MOST_NAP_SECONDS 1e-3
#define NAP_SHARE 0.125 /* share of the time taken so far */
#define ALIGN ((size_t)4096)
/* MPICH 4.0 confuses the 8-byte windows of ranks on one node */
#define LINE ((size_t)64)
#define PART ((size_t)1 << 22) /* bytes per request */
#define DEPTH 8                /* requests at a time */

struct window {
	MPI_Win window;
	bool open;
	void *mine;
};

static struct window counters, memory;
/* counters requested, with answers on the way */
static struct {
	MPI_Request request[VS_COMM_ASKED];
	int64_t value[VS_COMM_ASKED];
	int n;
} asked;
static int64_t alone; /* the counter used without MPI */
static double probed;
static int n_rank = 1;
static bool any_thread;

/* ---- windows ---- */

static void
on_window_error(MPI_Win *window, int *error, ...)
{
	(void)window;
	vs_comm_break(*error);
}

static bool
all_say(bool yes)
{
	int mine = yes, all;

	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	return all;
}

/* Not every network has windows; their absence is not a failure. */
static bool
make(struct window *w, size_t bytes)
{
	MPI_Errhandler usual;
	bool made;

	MPI_Comm_get_errhandler(MPI_COMM_WORLD, &usual);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	made = MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL,
		       MPI_COMM_WORLD, &w->mine, &w->window) == MPI_SUCCESS;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, usual);
	MPI_Errhandler_free(&usual);
	return all_say(made);
}

static bool
begin(struct window *w, size_t bytes)
{
	MPI_Errhandler handler;

	if (n_rank == 1 || !make(w, bytes))
		return false;
	w->open = true;
	if (vs_comm_may_break()) {
		MPI_Win_create_errhandler(on_window_error, &handler);
		MPI_Win_set_errhandler(w->window, handler);
		MPI_Errhandler_free(&handler);
	}
	MPI_Win_lock_all(MPI_MODE_NOCHECK, w->window);
	return true;
}

/* Drop answers that nobody waits for any more. */
static void
end_asked(void)
{
	/* one by one: gcc takes MPICH's MPI_STATUSES_IGNORE for an array */
	for (int k = 0; k < asked.n; k++)
		MPI_Wait(&asked.request[k], MPI_STATUS_IGNORE);
	asked.n = 0;
}

static void
end(struct window *w)
{
	if (!w->open)
		return;
	if (w == &counters)
		end_asked();
	MPI_Win_unlock_all(w->window);
	MPI_Win_free(&w->window);
	w->open = false;
}

void
vs_comm_windows_begin(int n, bool serial)
{
	n_rank = n;
	any_thread = serial;
}

/* For networks where others reach memory only through this rank's calls; a call
 * may yield the processor. */
void
vs_comm_windows_poke(void)
{
	int there;

	if (!(counters.open || memory.open) ||
		vs_clock() - probed <= PROBE_SECONDS)
		return;
	probed = vs_clock();
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there,
		MPI_STATUS_IGNORE);
}

void
vs_comm_windows_end(void)
{
	end(&counters);
	end(&memory);
}

/* ---- counters ---- */

bool
vs_comm_counters_begin(void)
{
	end(&counters);
	alone = 0;
	if (!begin(&counters, LINE))
		return false;
	memset(counters.mine, 0, sizeof(int64_t));
	MPI_Win_sync(counters.window);
	MPI_Barrier(MPI_COMM_WORLD);
	return true;
}

int64_t
vs_comm_counter_add(int of, int64_t n)
{
	int64_t was = alone;

	if (!counters.open) {
		alone += n;
		return was;
	}
	vs_comm_enter();
	MPI_Fetch_and_op(&n, &was, MPI_INT64_T, of, 0, MPI_SUM,
		counters.window);
	MPI_Win_flush(of, counters.window);
	vs_comm_leave();
	return was;
}

bool
vs_comm_counters_ask(int first, int n, int64_t *values)
{
	int all = 1;

	if (!counters.open) {
		*values = alone;
		return true;
	}
	vs_comm_enter();
	for (; asked.n < n; asked.n++)
		MPI_Rget_accumulate(NULL, 0, MPI_INT64_T, &asked.value[asked.n],
			1, MPI_INT64_T, first + asked.n, 0, 1, MPI_INT64_T,
			MPI_NO_OP, counters.window, &asked.request[asked.n]);
	for (int k = 0; k < n; k++) {
		int done;

		MPI_Test(&asked.request[k], &done, MPI_STATUS_IGNORE);
		all &= done;
	}
	vs_comm_leave();
	if (all) {
		memcpy(values, asked.value, (size_t)n * sizeof(*values));
		asked.n = 0;
	}
	return all;
}

/* ---- memory ---- */

bool
vs_comm_memory_begin(size_t bytes, void **mine)
{
	end(&memory);
	if (!any_thread || !begin(&memory, (bytes + ALIGN - 1) / ALIGN * ALIGN))
		return false;
	if (!all_say(!((uintptr_t)memory.mine % 8))) {
		end(&memory);
		return false;
	}
	*mine = memory.mine;
	return true;
}

void
vs_comm_memory_filled(void)
{
	if (memory.open)
		MPI_Win_sync(memory.window);
}

/* Others may call MPI meanwhile. */
static void
await(MPI_Request *request)
{
	const double began = vs_clock();
	int done;

	for (;;) {
		struct timespec nap = { 0 };
		double seconds;

		vs_comm_enter();
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
		vs_comm_leave();
		if (done)
			return;
		seconds = NAP_SHARE * (vs_clock() - began);
		seconds = fmin(fmax(seconds, NAP_SECONDS), MOST_NAP_SECONDS);
		nap.tv_nsec = (long)(seconds * 1e9);
		nanosleep(&nap, NULL);
	}
}

void
vs_comm_memory_get(int of, const struct vs_comm_piece *piece, int n)
{
	MPI_Request request[DEPTH];
	int at = 0;

	for (int k = 0; k < DEPTH; k++)
		request[k] = MPI_REQUEST_NULL;
	for (int k = 0; k < n; k++) {
		const struct vs_comm_piece *p = &piece[k];

		for (size_t x = 0; x < p->bytes; x += PART) {
			size_t part = p->bytes - x < PART ? p->bytes - x : PART;

			await(&request[at]);
			vs_comm_enter();
			MPI_Rget((char *)p->to + x, (int)part, MPI_BYTE, of,
				(MPI_Aint)(p->from + x), (int)part, MPI_BYTE,
				memory.window, &request[at]);
			vs_comm_leave();
			at = (at + 1) % DEPTH;
		}
	}
	for (int k = 0; k < DEPTH; k++)
		await(&request[k]);
}

void
vs_comm_memory_end(void)
{
	end(&memory);
}
