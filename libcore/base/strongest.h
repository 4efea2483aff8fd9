/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The K strongest of a stream of records. Equal values are ranked by (i, j, k,
 * cell), first is stronger, and a record that comes twice counts once, so the
 * outcome depends only on the set of records.
 */
#ifndef VS_BASE_STRONGEST_H
#define VS_BASE_STRONGEST_H

#include "libcore/base/record.h"

/* A buffer that is sorted and cut once it holds half as many again as wanted:
 * 48 bytes x `most` when full. Zero-initialise the rest. */
struct vs_strongest {
	size_t most;                /* wanted, > 0 */
	enum vs_record_order order; /* by value */
	struct vs_record *rec;
	size_t n, room;
	size_t n_sorted; /* sorted and distinct, the first ones */
};

/* Sort the records held, strongest first, and drop all but the first `most`. */
void vs_strongest_trim(struct vs_strongest *s);

/* Make room for one more. 0; VS_EMACHINE */
int vs_strongest_make_room(struct vs_strongest *s);

/* The weakest of the `most` records kept by the last sort; weaker ones are out.
 * Or null. */
static inline const struct vs_record *
vs_strongest_weakest(const struct vs_strongest *s)
{
	return s->n_sorted < s->most ? NULL : &s->rec[s->most - 1];
}

/* False: the record is weaker than all that are kept. */
static inline bool
vs_strongest_takes(const struct vs_strongest *s, const struct vs_record *rec)
{
	const struct vs_record *weakest = vs_strongest_weakest(s);

	return !weakest || vs_record_compare_in(s->order, rec, weakest) <= 0;
}

/* returns  0; VS_EMACHINE */
static inline int
vs_strongest_add(struct vs_strongest *s, const struct vs_record *rec)
{
	if (s->n == s->room || s->n > s->most + s->most / 2) {
		int code = vs_strongest_make_room(s);

		if (code)
			return code;
	}
	s->rec[s->n++] = *rec;
	return 0;
}

void vs_strongest_free(struct vs_strongest *s);

/*
 * The K strongest of each vector, or of all records, in two passes over them in
 * any order: add all, then ask which ones are among them.
 */
struct vs_strongest_each {
	struct vs_strongest *of; /* of each vector, or one; null: not open */
	uint64_t n;
};

/* k > 0 for each of n_vec vectors; n_vec 0: of all. 0; VS_EMACHINE */
int vs_strongest_each_open(struct vs_strongest_each *s, uint64_t n_vec,
	size_t k, enum vs_record_order order);
int vs_strongest_each_add(struct vs_strongest_each *s,
	const struct vs_record *rec);

/* True if the record is among the strongest of at least one of its vectors. */
bool vs_strongest_each_has(struct vs_strongest_each *s,
	const struct vs_record *rec);
void vs_strongest_each_close(struct vs_strongest_each *s);

#endif
