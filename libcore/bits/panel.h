/* SPDX-License-Identifier: BSD-3-Clause */
/* Panel: a block of vectors in the layout that counting kernels read. */
#ifndef VS_BITS_PANEL_H
#define VS_BITS_PANEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/numbers.h"
#include "libcore/bits/vec.h"

/*
 * Prefix filter: counts of some leading fields are kept, so that a pair can be
 * rejected before all fields are counted. Vectors that are long enough have
 * prefixes of 1/8 to 5/8 of their fields.
 */
#define VS_FIRSTS 5
#define VS_FIRSTS_LEAST 1536

/* Fields in prefix k: a multiple of 512; 0: vectors are too short. */
static inline size_t
vs_first_fields(size_t n_field, int k)
{
	size_t blocks = ((size_t)(k + 1) * (n_field / 512) + 4) / 8;

	return n_field < VS_FIRSTS_LEAST ? 0 : (blocks ? blocks : 1) * 512;
}

/* The next longer prefix after k: with few fields some prefixes are equal. */
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
 * Vectors of one or several ranges of a file, in one allocation that can be
 * sent as is. With x = g - 1 in {-1, 0, 1}, and x = 0 where g is missing, a
 * kernel needs
 *   plane 0, h: x is not 0 (present and homozygous)
 *   plane 1, p: g is 2 or missing, so h & p: x = 1, p & ~h: missing
 * and the products of x follow from two words: with u = h & h',
 * sum x x' = |u| - 2 |u & (p ^ p')|, missing calls adding nothing.
 *
 * Numeric vectors keep the file's layout and have totals instead of counts.
 */
struct vs_panel {
	struct vs_vec vec; /* h and p instead of a file's planes */
	/* s: label-1 alleles of each vector; for numbers see
	 * vs_panel_centre() */
	int32_t *sum;
	int32_t *present; /* c: fields that are not missing */
	int32_t *two;     /* fields where g is 2 */
	int32_t *behind;  /* places from v's leader to v; 0: v is a leader */
	int32_t *above;   /* set by vs_panel_follow() */
	/* counts of each prefix, set by vs_panel_count_first() */
	struct vs_panel_counts {
		int32_t *sum, *present, *two, *above;
	} first_of[VS_FIRSTS];
	/*
	 * numeric vectors only; in a genotype panel total is null and the
	 * element is bit2
	 */
	struct vs_numbers number;
	double *total;
	uint32_t *row; /* vector v is number first + row[v] of the file */
	uint8_t *dead; /* 1: excluded, no value of the vector can pass */
	/* source and flip keep the order in which the vectors were loaded */
	int64_t *source; /* row in the first packed file */
	uint8_t *flip;   /* 1: label 1 is the first allele there */
	uint64_t first;  /* number in the file of the first one loaded */
	size_t n_vec;    /* vectors loaded; vec.n_vec is the capacity */
	size_t bytes;    /* of the allocation that begins at vec.word */
};

/* Bytes of a vector with planes of n_word words. */
#define VS_PANEL_BYTES(n_word)           \
	(16 * (n_word) + 8 + 6 * 4 + 2 + \
		(64 * (n_word) < VS_FIRSTS_LEAST ? 0 : VS_FIRSTS * 4 * 4))

/*
 * Allocate n_vec vectors of n_field fields, n_field < 2^29, uninitialised: they
 * are read or received whole.
 */
int vs_panel_room(struct vs_panel *p, size_t n_vec, size_t n_field);
void vs_panel_free(struct vs_panel *p);

/*
 * Append vectors [lo, lo + n) of the file after the present ones. The caller
 * then calls vs_panel_take() for each, from any threads, and fills source and
 * flip.
 * returns  the first place
 */
size_t vs_panel_begin(struct vs_panel *p, uint64_t lo, size_t n);

/*
 * Convert and count vector `number`, whose planes in the file's encoding are in
 * row v of p->vec.
 */
void vs_panel_take(struct vs_panel *p, size_t v, uint64_t number);

/*
 * Exclude vector `number`, with these counts of 0, 1, 2 and missing, at place
 * v. Its planes are left undefined; no kernel may read them.
 */
void vs_panel_leave(struct vs_panel *p, size_t v, uint64_t number,
	const int64_t count[4]);

/*
 * Leader clustering among the vectors [lo, hi) that are not excluded: linked
 * neighbours in the file are often nearly equal. With G the copies of one
 * label's allele, 0 where a call is missing, vector v follows the nearest L of
 * the last leaders before it if sum |G_v - G_L| is at most gap; else v becomes
 * a leader. Each G lies between 0 and 2, so for any vector j
 *   -2 below <= sum G_v G_j - sum G_L G_j <= 2 above
 * above = sum max(0, G_v - G_L), below = above - (sum G_v - sum G_L).
 * threads  splits the work among n_thread of them; the result does not depend
 *          on their number
 */
void vs_panel_follow(struct vs_panel *p, size_t lo, size_t hi, int label,
	int32_t gap, int n_thread);

/*
 * Sort the vectors of [lo, hi) by minor allele frequency, in steps of 1 / 8192
 * and within a step in file order, with a leader's followers right behind it;
 * excluded vectors come last, in any order. Numeric vectors: by their total.
 * order    VS_PANEL_BY_MISSING: by vs_panel_missing_class() first;
 *          VS_PANEL_BY_TWOS: within a class, leaders are sorted by frequency,
 *          then each run of consecutive ones by the share of their fields with
 *          two copies of the rarer allele; a run has at least
 *          VS_PANEL_RUN_BY sqrt(all / sqrt(n_field)) of them, rounded up to a
 *          power of two from VS_PANEL_LEAST_RUN to VS_PANEL_RUN; or both;
 *          VS_PANEL_BY_EIGHTHS: in steps of 1 / 8
 * all      number of vectors in the sorted file of which [lo, hi) is a part;
 *          else hi - lo
 * threads  splits the work among n_thread of them
 * returns  0; VS_EMACHINE, the panel is unchanged
 */
#define VS_PANEL_BY_MISSING 1u
#define VS_PANEL_BY_TWOS 2u
#define VS_PANEL_BY_EIGHTHS 4u
#define VS_PANEL_LEAST_RUN 128
#define VS_PANEL_RUN 2048
#define VS_PANEL_RUN_BY 15
int vs_panel_sort(struct vs_panel *p, size_t lo, size_t hi, unsigned order,
	size_t all, int n_thread);

/*
 * Classes of vectors by their share of missing calls: up to 1/64, 1/32, 1/16,
 * 1/8, 1/4, more. The bound of a group of vectors allows for the missing calls
 * of its worst member.
 */
#define VS_MISSING_CLASSES 6
static inline int
vs_missing_class(size_t n_field, size_t missing)
{
	int k = 0;

	while (k < VS_MISSING_CLASSES - 1 && 64 * missing > n_field << k)
		k++;
	return k;
}

static inline int
vs_panel_missing_class(const struct vs_panel *p, size_t v)
{
	const size_t n = p->vec.n_field;

	return vs_missing_class(n, n - (size_t)p->present[v]);
}

/*
 * Sort key of a vector that is not excluded, below VS_PANEL_KEYS, the same on
 * every machine.
 * counts   of a vector: fields with 0, 1 and 2 copies of label 1, and missing
 * order    as for vs_panel_sort()
 */
#define VS_PANEL_STEPS 4097 /* of minor allele frequency, 0 to 0.5 */
#define VS_PANEL_KEYS (VS_MISSING_CLASSES * VS_PANEL_STEPS)
size_t vs_panel_key(const int64_t count[4], unsigned order);

/*
 * Count the prefixes of all vectors that are not excluded, after sorting. A
 * follower's above is increased so that -2 below and 2 above still bound the
 * difference of two sums over the prefix, each plus the most, or the least,
 * that the remaining fields can add by the rearrangement inequality. label: as
 * for vs_panel_follow()
 */
void vs_panel_count_first(struct vs_panel *p, int label, int n_thread);

/*
 * Set `above` for the prefixes of follower v, once its own and its leader's
 * prefixes are counted.
 */
void vs_panel_above_first(struct vs_panel *p, size_t v, int label);

/* The panel restricted to prefix k; it shares all memory. */
struct vs_panel vs_panel_first(const struct vs_panel *p, int k);

/* Copies of the allele labelled 0 or 1 in vector v. */
static inline int32_t
vs_panel_sum(const struct vs_panel *p, size_t v, int label)
{
	return label ? p->sum[v] : 2 * p->present[v] - p->sum[v];
}

/* Fields where vector v has two copies of that allele. */
static inline int32_t
vs_panel_two(const struct vs_panel *p, size_t v, int label)
{
	return label ? p->two[v] : p->present[v] - p->sum[v] + p->two[v];
}

/* Allocate a panel of any element type, uninitialised; n_field < 2^29. */
int vs_panel_room_of(struct vs_panel *p, enum vs_element element, size_t n_vec,
	size_t n_field);

/* A panel in the caller's memory of vs_panel_bytes() per vector plus
 * VS_PANEL_MORE, 8-byte aligned; kernels want 64. */
void vs_panel_on(struct vs_panel *p, enum vs_element element, size_t n_vec,
	size_t n_field, void *memory);

/*
 * Arrays that hold vectors as loaded, in file order: vector v has `bytes` bytes
 * at at + v * bytes. The other arrays are derived: once these are filled,
 * vs_panel_came() sets them for the vectors from place `at` on, the first of
 * which is number lo of the file.
 * returns  the number of arrays
 */
#define VS_PANEL_PARTS 6
struct vs_panel_part {
	char *at;
	size_t bytes;
};
int vs_panel_parts(const struct vs_panel *p,
	struct vs_panel_part part[VS_PANEL_PARTS]);
void vs_panel_came(struct vs_panel *p, size_t at, uint64_t lo);

/* Bytes of a panel per vector, and further bytes per panel. */
size_t vs_panel_bytes(enum vs_element element, size_t n_field);
#define VS_PANEL_MORE 64

/*
 * Like vs_panel_take(), for the numeric vector that was read into place v.
 * of       name of the file in the error message
 * returns  0; VS_EINPUT: its total is too large to be exact, or infinite
 */
int vs_panel_total(struct vs_panel *p, size_t v, uint64_t number,
	const char *of);

/*
 * Replace the numbers x of vector v, f32 or f64, whose sum is its total, by
 * what an inner product multiplies:
 *   whole    whole numbers below 2^16: if centred, x less the whole number
 *            nearest to the mean, halves upwards; all is exact, and s is their
 *            sum
 *   else     x, times 2^600 if centred and all are below 2^-900 in absolute
 *            value, less the mean, if centred, and times the power of two that
 *            brings the largest absolute value into [1/2, 1); s is 0. The mean
 *            is total / n plus the mean of the residuals x - total / n, which
 *            are summed in doubles in the order of numbers.h. Rounded to the
 *            type last. A vector whose numbers are all the same becomes 0
 */
void vs_panel_centre(struct vs_panel *p, size_t v, bool centred, bool whole);

/* True if no call of vectors [lo, hi) is missing. */
int vs_panel_complete(const struct vs_panel *p, size_t lo, size_t hi);

#endif
