/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison of listed records of a pair or triple with its plain values. */
#ifndef VS_TOOLS_VERIFY_JUDGE_H
#define VS_TOOLS_VERIFY_JUDGE_H

#include "formats/results/result.h"
#include "tools/verify/definition.h"
#include "tools/verify/partners.h"
#include "tools/verify/unpacked.h"

#define VS_JUDGE_TEXT 300 /* bytes that hold any difference as text */

struct vs_judge {
	const struct vs_run *run;
	struct vs_definition plain;
	uint64_t n_vec;
	size_t n_field;
	struct vs_unpacked vectors;  /* by the index that records use */
	int64_t *place;              /* from vs_wanted_places() */
	struct vs_partners partners; /* partners in wanted pairs and triples */
	/* tiles claimed to be finished; null: all or none are */
	struct vs_plan plan;
	bool claims_all;
	uint8_t *claimed;
};

/*
 * Read what the files claim to list: shards of one run, or one merged file. The
 * caller frees place, partners and claimed. 0; VS_EINPUT; VS_EMACHINE
 */
int vs_judge_claims(struct vs_judge *g, struct vs_result *const *r,
	size_t n_result);

/* False: nothing is claimed, and only listed records can be judged. */
static inline bool
vs_judge_claims_any(const struct vs_judge *g)
{
	return g->claims_all || g->claimed;
}

/* True if the files claim to list everything of a pair or triple that
 * passes. */
bool vs_judge_is_claimed(const struct vs_judge *g, const struct vs_record *of);

/* True if a record is right; otherwise text says what differs. */
bool vs_judge_record(const struct vs_judge *g, const struct vs_record *rec,
	char text[VS_JUDGE_TEXT]);

/* Compare all cells of a pair or triple with the n records listed for it, by
 * cell. */
bool vs_judge_cells(const struct vs_judge *g, const struct vs_record *of,
	const struct vs_record *rec, size_t n, char text[VS_JUDGE_TEXT]);

/*
 * Judge the pair i j, or all its wanted triples; rec are the n records that
 * begin with it. n_judged increases by those that the files claim.
 */
bool vs_judge_second(const struct vs_judge *g, uint64_t i, uint64_t j,
	const struct vs_record *rec, size_t n, uint64_t *n_judged,
	char text[VS_JUDGE_TEXT]);

#endif
