/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The door to MPI. A program that no MPI launcher started is rank 0 of 1 and
 * never initialises MPI, which costs a third of a second.
 */
#ifndef VS_PLAN_COMM_H
#define VS_PLAN_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start MPI when a launcher's environment is there. 0; VS_EMACHINE */
int vs_comm_begin(void);

/*
 * Several processes were started, but each is rank 0 of 1, as srun starts them
 * where it speaks no PMI that this MPI knows: VS_EUSAGE, with a sentence from the
 * first of them. 0: all is well
 */
int vs_comm_check_start(void);

/* Did a launcher start the program, and MPI begin? */
bool vs_comm_launched(void);

/* End MPI. The exit code given by all ranks is the same by now. */
void vs_comm_end(void);

int vs_comm_rank(void);
int vs_comm_size(void);

/* Which rank of how many on this machine; 0 of 1 when alone. */
void vs_comm_local(int *at, int *of);

/* Everything below is collective and does nothing when alone. */

/*
 * The worst code of all ranks, for all. *speaker: this rank is the lowest one
 * that holds it and has a sentence, and so the one to print why. A code > 0 is
 * no failure, but worse than 0; the least negative one is worst.
 */
int vs_comm_agree(int code, bool *speaker);

/* Codes as they are compared, the less the worse; and back. Alone as well. */
int vs_comm_order(int code);
int vs_comm_code(int order);

/* Sum, or largest, of n values over all ranks, in place. */
void vs_comm_sum_u64(uint64_t *v, int n);
void vs_comm_max_f64(double *v, int n);

/* Sum of n values over the ranks of this machine, in place. */
void vs_comm_local_sum_u64(uint64_t *v, int n);

/* n bytes of rank 0 to all. */
void vs_comm_share(void *bytes, size_t n);

/*
 * Start sending n_out bytes to rank to and receiving n_in from rank from.
 * Memory must stay until vs_comm_wait(). One exchange at a time.
 */
void vs_comm_exchange(const void *out, size_t n_out, int to, void *in,
	size_t n_in, int from);

/*
 * The largest of a value that grows on each rank, behind the computation: begin
 * and end are collective, with no other collective call between them; in
 * between each rank asks as often as it likes, giving its own and getting what
 * is known of all. The rounds go on until every rank is at the end.
 */
void vs_comm_most_begin(double v);
double vs_comm_most(double v);
void vs_comm_most_end(double v);

/* Let the exchange go on behind the computation; call now and then. */
void vs_comm_poke(void);
void vs_comm_wait(void);

/* "Open MPI v4.1.4, ..." for --version */
void vs_comm_version(char *text, size_t room);

#endif
