/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI wrapper; no other file calls MPI. A program without an MPI launcher is
 * rank 0 of 1 and never initialises MPI, which costs a third of a second; nor
 * does a build without MPI.
 */
#ifndef VS_PLAN_COMM_H
#define VS_PLAN_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Start MPI if the environment shows a launcher. If an MPI call fails later on,
 * the ranks can no longer agree on anything: broken() is called with MPI's
 * message, to print it and to remove unfinished files; after it returns all
 * ranks are ended.
 *
 * broken   null: MPI itself ends the program
 * returns  0; VS_EMACHINE
 */
int vs_comm_begin(void (*broken)(const char *why));

/*
 * Detect several processes that are each rank 0 of 1, as srun starts them if
 * this MPI does not know its PMI. returns 0 if all is well; VS_EUSAGE, with a
 * sentence in the first of the processes
 */
int vs_comm_check_start(void);

/*
 * For a program without ranks: detect a launcher that started several copies,
 * each of which would do all the work. A shell that a launcher starts may give
 * each copy different work, and so may a launcher given several commands: these
 * pass.
 * remedy   what else to do, or ""
 * returns  0; VS_EUSAGE, with a sentence in one process only
 */
int vs_comm_check_single(const char *program, const char *remedy);

/*
 * True if a launcher, or its daemon on this machine, started several copies of
 * this program itself, with no shell in between.
 */
bool vs_comm_is_copy(const char *program);

/* True if a launcher started the program and MPI was initialised. */
bool vs_comm_launched(void);

/* Finalise MPI. All ranks hold the same exit code by then. */
void vs_comm_end(void);

int vs_comm_rank(void);
int vs_comm_size(void);

/*
 * This process's rank on this machine, and the machine's number of ranks; 0 of
 * 1 when alone.
 */
void vs_comm_local(int *at, int *of);

/* Everything below is collective and does nothing when alone. */

/*
 * The worst code of all ranks, on all ranks. A code > 0 is not a failure but
 * worse than 0; of negative codes the lowest is worst.
 */
int vs_comm_agree(int code);

/* The same where only some callers work with the other ranks. */
static inline int
vs_comm_agree_if(bool joint, int code)
{
	return joint ? vs_comm_agree(code) : code;
}

/* True if this rank prints the failure agreed on last: it is the lowest that
 * holds that code with a sentence. Not collective. */
bool vs_comm_speaks(void);

/* Map codes to an order in which less is worse, and back. Not collective. */
int vs_comm_order(int code);
int vs_comm_code(int order);

/* Sum, or maximum, of n values over all ranks, in place. */
void vs_comm_sum_u64(uint64_t *v, size_t n);
void vs_comm_max_f64(double *v, int n);

/* Sum of n values over the ranks of this machine, in place. */
void vs_comm_local_sum_u64(uint64_t *v, int n);

/*
 * Barrier for the ranks of this machine. returns 0 if each passes 0; VS_DONE if
 * only others have a code; else the rank's own code
 */
int vs_comm_local_agree(int code);

/* Broadcast n bytes from the first rank of this machine. */
void vs_comm_local_share(void *bytes, size_t n);

/* Broadcast n bytes from rank 0. */
void vs_comm_share(void *bytes, size_t n);

/*
 * Let each rank in turn, from the first, change n bytes that it gets from the
 * rank before it; the first rank gets them back from the last.
 */
void vs_comm_turn(void *bytes, size_t n, void (*change)(void *ctx), void *ctx);

/*
 * End all ranks from one of them, which no longer agrees with the others: as if
 * an MPI call had failed with this reason. Not collective; does not return.
 */
void vs_comm_give_up(const char *why);

/*
 * Start sending n bytes to rank `to` and receiving n from rank `of`, those from
 * `first` on before the others. The buffers must stay until vs_comm_arrived().
 * One exchange at a time; any thread may start the next.
 */
void vs_comm_exchange(const void *from, int to, void *into, int of, size_t n,
	size_t first);

/*
 * True if the bytes before this place, and those from `first` on, have been
 * received.
 */
size_t vs_comm_arrived_upto(void);

/*
 * Maximum of a value that grows on each rank, by non-blocking reductions during
 * the computation. begin and end are collective, with no other collective call
 * between them; in between each rank may call vs_comm_most() at any time,
 * passing its own value and getting the maximum known so far; outside of them
 * it gets its own value. Rounds continue until every rank has reached the end.
 */
void vs_comm_most_begin(double v);
double vs_comm_most(double v);
void vs_comm_most_end(double v);

/* Let a pending exchange progress; call now and then during the computation. If
 * vs_comm_is_threaded(), any thread may call this, and the next functions,
 * while the first thread makes other calls except begin and collective ones. */
void vs_comm_poke(void);
bool vs_comm_is_threaded(void);

/* True if the exchange is complete both ways, or there was none. */
bool vs_comm_arrived(void);
void vs_comm_wait(void);

/*
 * One counter per rank, from 0, that any rank adds to. Where the network allows
 * it, the owner takes no part (MPI_Fetch_and_op); else the addition happens as
 * soon as the owner calls any function here. begin is collective; the counters
 * stay until the next begin or the end. It returns false if the network has no
 * such memory, or when alone: then each rank has only its own counter. add
 * returns the counter's previous value.
 */
bool vs_comm_counters_begin(void);
int64_t vs_comm_counter_add(int of, int64_t n);

/*
 * Ask for the counters of n <= VS_COMM_ASKED ranks from first on, without
 * waiting for the answer, which may be queued behind a panel on a slow link.
 * returns  true: values are those of some moment since the first request;
 *          false: not yet there; ask for the same ranks again
 */
#define VS_COMM_ASKED 64
bool vs_comm_counters_ask(int first, int n, int64_t *values);

/*
 * Memory of each rank that any rank can copy from. Where the network allows it,
 * the owner takes no part (MPI_Rget); else the copy happens as soon as the
 * owner calls any function here. Each rank has the same number of bytes.
 *
 * begin    collective; *mine is this rank's memory, 8-byte aligned. false:
 *          there is no such memory, the rank is alone, or this MPI does not
 *          allow calls by several threads
 * filled   this rank has written all of its memory; a collective call must come
 *          before the first get
 * get      copies n pieces, each from `from` bytes past the start of rank of's
 *          memory, and waits; any thread may call it, while the first one calls
 *          vs_comm_poke, vs_comm_most or the counters
 * end      collective; does nothing if there is no memory
 */
struct vs_comm_piece {
	void *to;
	size_t from, bytes;
};
bool vs_comm_memory_begin(size_t bytes, void **mine);
void vs_comm_memory_filled(void);
void vs_comm_memory_get(int of, const struct vs_comm_piece *piece, int n);
void vs_comm_memory_end(void);

/* "Open MPI v4.1.4" for --version; "no MPI" if built without */
void vs_comm_version(char *text, size_t room);

#endif
