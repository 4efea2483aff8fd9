/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI wrapper; no other file calls MPI. A program without an MPI launcher
 * is rank 0 of 1 and never initialises MPI, which costs a third of a second.
 * In a build without MPI comm_alone*.c take the place of the files that call
 * it.
 */
#ifndef VS_PLAN_COMM_H
#define VS_PLAN_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Start MPI if the environment shows a launcher. Where a call of MPI fails
 * later on, ranks cannot agree on anything any more: broken() gets the sentence
 * of MPI, to print it and to remove what is unfinished; all ranks are ended
 * after its return.
 *
 * broken   null: MPI itself ends the program
 * returns  0; VS_EMACHINE
 */
int vs_comm_begin(void (*broken)(const char *why));

/*
 * Detect several processes that are each rank 0 of 1, as srun starts them if
 * its PMI is unknown to this MPI: VS_EUSAGE, with a sentence on the first of
 * them. 0: all is well
 */
int vs_comm_check_start(void);

/*
 * For a program without ranks: detect a launcher that started several copies,
 * each of which would do all the work. A launcher's shell that starts the
 * program is free to give each other work, and so is one with several commands.
 * remedy   what else to do, or ""
 * returns  0; VS_EUSAGE, with a sentence in one process alone
 */
int vs_comm_check_single(const char *program, const char *remedy);

/* True if a launcher started the program and MPI was initialised. */
bool vs_comm_launched(void);

/* Finalise MPI. All ranks hold the same exit code by then. */
void vs_comm_end(void);

int vs_comm_rank(void);
int vs_comm_size(void);

/*
 * This process's rank and the number of ranks on this machine; 0 of 1 when
 * alone.
 */
void vs_comm_local(int *at, int *of);

/* Everything below is collective and does nothing when alone. */

/*
 * The worst code of all ranks, on all ranks. *speaker: this rank is the lowest
 * one that holds it with a sentence, and prints it. A code > 0 is no failure,
 * but worse than 0; the least negative one is worst.
 */
int vs_comm_agree(int code, bool *speaker);

/* Map codes to an order in which less is worse, and back. Not collective. */
int vs_comm_order(int code);
int vs_comm_code(int order);

/* Sum, or maximum, of n values over all ranks, in place. */
void vs_comm_sum_u64(uint64_t *v, int n);
void vs_comm_max_f64(double *v, int n);

/* Sum of n values over the ranks of this machine, in place. */
void vs_comm_local_sum_u64(uint64_t *v, int n);

/*
 * The ranks of this machine meet: 0 if each has 0; where another alone has a
 * code VS_DONE, and a rank's own code stays.
 */
int vs_comm_local_agree(int code);

/* Broadcast n bytes from the first rank of this machine. */
void vs_comm_local_share(void *bytes, size_t n);

/* Broadcast n bytes from rank 0. */
void vs_comm_share(void *bytes, size_t n);

/*
 * Start sending n bytes to rank to and receiving n from rank of, those from
 * `first` on before the others. The buffers must stay until vs_comm_arrived().
 * One exchange at a time, the next by any thread.
 */
void vs_comm_exchange(const void *from, int to, void *into, int of, size_t n,
	size_t first);

/*
 * The bytes before this place have been received, and those from `first` on; 0:
 * not all of those have.
 */
size_t vs_comm_arrived_upto(void);

/*
 * Maximum of a value that grows on each rank, by non-blocking reductions during
 * the computation. begin and end are collective, with no other collective call
 * between them; in between each rank may call vs_comm_most() at any time,
 * passing its own value and getting the maximum known so far; before and after
 * it gets its own. Rounds continue until every rank has reached the end.
 */
void vs_comm_most_begin(double v);
double vs_comm_most(double v);
void vs_comm_most_end(double v);

/* Let a pending exchange progress; call now and then during the computation.
 * Any thread may, beside the first one's calls but for begin and collective
 * ones, where vs_comm_is_threaded(). So may any the next ones. */
void vs_comm_poke(void);
bool vs_comm_is_threaded(void);

/* True if the exchange is complete both ways, or there was none. */
bool vs_comm_arrived(void);
void vs_comm_wait(void);

/*
 * One counter of each rank, from 0, that any rank adds to without that rank
 * taking part where the network allows it: MPI_Fetch_and_op; else as soon as
 * that rank calls any function here. begin is collective; the counters stay
 * until the next begin or the end. It returns false where the network has no
 * such memory, and alone: each rank has its own counter then, and no other. add
 * returns what the counter was.
 */
bool vs_comm_counters_begin(void);
int64_t vs_comm_counter_add(int of, int64_t n);

/*
 * Ask for the counters of n ranks from first on, VS_COMM_ASKED at most, without
 * waiting for the answer, which may be behind a panel on a slow link.
 * returns  true: values are those of some moment since it was first asked;
 *          false: they come later, to one who asks for the same ranks again
 */
#define VS_COMM_ASKED 64
bool vs_comm_counters_ask(int first, int n, int64_t *values);

/*
 * Memory of each rank that any rank copies from without that rank taking part
 * where the network allows it: MPI_Rget; else as soon as that rank calls any
 * function here. Bytes are the same on all ranks.
 *
 * begin    collective; false: there is no such memory, of which *mine is this
 *          rank's, 8-byte aligned; alone; or calls by several threads are not
 *          allowed by this MPI
 * filled   this rank has written all of its memory; any collective call then
 *          comes before the first get
 * get      copies n pieces, each from `from` bytes behind the start of rank
 *          of's memory, and waits; by any thread, beside the first one's calls
 *          of vs_comm_poke, vs_comm_most and those of counters
 * end      collective; nothing where there is none
 */
struct vs_comm_piece {
	void *to;
	size_t from, bytes;
};
bool vs_comm_memory_begin(size_t bytes, void **mine);
void vs_comm_memory_filled(void);
void vs_comm_memory_get(int of, const struct vs_comm_piece *piece, int n);
void vs_comm_memory_end(void);

/* "Open MPI v4.1.4" for --version; "no MPI": built without */
void vs_comm_version(char *text, size_t room);

#endif
