/* SPDX-License-Identifier: BSD-3-Clause */
/* A block of vectors as the counting kernels take it. */
#ifndef VS_BITS_PANEL_H
#define VS_BITS_PANEL_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/numbers.h"
#include "libcore/bits/vec.h"

/*
 * Some first fields whose counts are kept, so that a pair may be given up
 * before all are counted: from a quarter of them to five eighths, of vectors
 * long enough.
 */
#define VS_FIRSTS 4
#define VS_FIRSTS_LEAST 2048

/* How many: a multiple of 512; 0: vectors are too short. */
static inline size_t
vs_first_fields(size_t n_field, int k)
{
	size_t blocks = n_field / 512;

	return n_field < VS_FIRSTS_LEAST
		? 0
		: ((size_t)(k + 2) * blocks + 4) / 8 * 512;
}

/* The next that are more than those of k: some are told twice. */
static inline int
vs_first_more(size_t n_field, int k)
{
	int more = k + 1;

	while (more < VS_FIRSTS &&
		vs_first_fields(n_field, more) == vs_first_fields(n_field, k))
		more++;
	return more;
}

/*
 * Vectors of one or several ranges of a file, one allocation that can be sent
 * as it lies. With
 * x = g - 1 in {-1, 0, 1}, and x = 0 where g is missing, a kernel needs
 *
 *   plane 0, h: x is not 0 (present and homozygous)
 *   plane 1, p: g is 2 or missing, so h & p: x = 1, p & ~h: missing
 *
 * and the products of x follow from two words: with u = h & h',
 * sum x x' = |u| - 2 |u & (p ^ p')|, missing calls adding nothing.
 *
 * Vectors of numbers are as a file has them, and have their totals in place of
 * all counts.
 */
struct vs_panel {
	struct vs_vec vec; /* h and p in place of the planes of a file */
	int32_t *sum;      /* s: label-1 alleles of each vector */
	int32_t *present;  /* c: fields that are not missing */
	int32_t *two;      /* fields where g is 2 */
	int32_t *
		behind; /* the places v stands behind its leader; 0: it leads */
	int32_t *above; /* vs_panel_follow() */
	/* the same of the first fields alone, vs_panel_first() */
	struct vs_panel_counts {
		int32_t *sum, *present, *two, *above;
	} first_of[VS_FIRSTS];
	/* numbers only; of genotypes total is null, and element bit2 */
	struct vs_numbers number;
	double *total;
	uint32_t *row; /* vector v is number first + row[v] of the file */
	uint8_t *dead; /* 1: no value of the vector can pass */
	/* these two stay in the order in which the vectors were loaded */
	int64_t *source; /* row in the first packed order */
	uint8_t *flip;   /* 1: label 1 is the first allele there */
	uint64_t first;  /* number in the file of the first one loaded */
	size_t n_vec;    /* vectors held; vec.n_vec is the room */
	size_t bytes;    /* of the allocation that begins at vec.word */
};

/* Bytes of a vector whose planes have n_word words. */
#define VS_PANEL_BYTES(n_word)           \
	(16 * (n_word) + 8 + 6 * 4 + 2 + \
		(64 * (n_word) < VS_FIRSTS_LEAST ? 0 : VS_FIRSTS * 4 * 4))

/* Room for n_vec vectors of n_field fields, n_field < 2^29, all 0. */
int vs_panel_new(struct vs_panel *p, size_t n_vec, size_t n_field);

/* The same, not zeroed: for whole vectors to be read or received. */
int vs_panel_room(struct vs_panel *p, size_t n_vec, size_t n_field);
void vs_panel_free(struct vs_panel *p);

/*
 * Append vectors [lo, lo + n) of the file: their places begin behind those of
 * the vectors that the panel holds. The caller has each of them taken, by
 * any threads, and fills source and flip.
 * returns  the first place
 */
size_t vs_panel_begin(struct vs_panel *p, uint64_t lo, size_t n);

/* The vector of this number, whose planes as a file has them were put into row v
 * of p->vec: turn them into the panel's own, and count. */
void vs_panel_take(struct vs_panel *p, size_t v, uint64_t number);

/* One that is dead by its counts, of 0, 1, 2 and missing: nobody is to ask for
 * the planes of place v, which are left as they are. */
void vs_panel_leave(struct vs_panel *p, size_t v, uint64_t number,
	const int64_t count[4]);

/* All of them at once, each in its place, on n_thread threads. */
void vs_panel_make(struct vs_panel *p, uint64_t lo, size_t n, int n_thread);

/*
 * Leaders and followers, among the living of the vectors [lo, hi) as they
 * stand in the file: of two that hang together one is often nearly the other.
 * With G the copies of one label's allele, 0 where a call is missing, vector v
 * follows the nearest L of some leaders before it if sum |G_v - G_L| is at most
 * gap; else it leads. Each G lies between 0 and 2, so for any vector j
 *
 *   -2 below <= sum G_v G_j - sum G_L G_j <= 2 above
 *
 * above = sum max(0, G_v - G_L), below = above - (sum G_v - sum G_L).
 * threads  splits the work among n_thread of them, which changes nothing
 */
void vs_panel_follow(struct vs_panel *p, size_t lo, size_t hi, int label,
	int32_t gap, int n_thread);

/* sum |G_u - G_v| over words [lo, hi) of the planes. */
int64_t vs_panel_gap(const struct vs_panel *p, size_t u, size_t v, int label,
	size_t lo, size_t hi);

/*
 * Bring the vectors of [lo, hi) into rising order of the rarer allele's
 * frequency, in steps of 1 / 8192 and within a step as in the file, and a
 * leader's followers right behind it; those that are dead come last, in any
 * order. Numbers: by their total.
 * threads  splits the work among n_thread of them
 * returns  0; VS_EMACHINE, the panel is as it was
 */
int vs_panel_sort(struct vs_panel *p, size_t lo, size_t hi, int n_thread);

/*
 * Count the first fields, once the vectors have their places; nothing is told
 * of those of the dead. What is above of
 * them is so far more that -2 below and 2 above hold between two sums over the
 * first fields with, each time, the most and the least that by rearrangement
 * the fields left can add.
 * label  as it was for vs_panel_follow()
 */
void vs_panel_count_first(struct vs_panel *p, int label, int n_thread);

/* What is above of them, of a follower whose first fields are counted, as are
 * its leader's. */
void vs_panel_above_first(struct vs_panel *p, size_t v, int label);

/* The panel as if it had only the first fields of k; it shares all memory. */
struct vs_panel vs_panel_first(const struct vs_panel *p, int k);

/* Copies of the allele labelled 0 or 1 that vector v has in all. */
static inline int32_t
vs_panel_sum(const struct vs_panel *p, size_t v, int label)
{
	return label ? p->sum[v] : 2 * p->present[v] - p->sum[v];
}

/* Fields where vector v has two of them. */
static inline int32_t
vs_panel_two(const struct vs_panel *p, size_t v, int label)
{
	return label ? p->two[v] : p->present[v] - p->sum[v] + p->two[v];
}

/* The same for vectors of any kind, n_field < 2^29. */
int vs_panel_room_of(struct vs_panel *p, enum vs_element element, size_t n_vec,
	size_t n_field);

/* Bytes of a vector in a panel, and of the panel beside them. */
size_t vs_panel_bytes(enum vs_element element, size_t n_field);
#define VS_PANEL_MORE 64

/*
 * As vs_panel_take(), of the vector of numbers that was read into place v.
 * of       the file, as it is to be named
 * returns  0; VS_EINPUT: its sum is too large to be exact, or infinite
 */
int vs_panel_total(struct vs_panel *p, size_t v, uint64_t number,
	const char *of);

/* True when no call of vectors [lo, hi) is missing. */
int vs_panel_complete(const struct vs_panel *p, size_t lo, size_t hi);

#endif
