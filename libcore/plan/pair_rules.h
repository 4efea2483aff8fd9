/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules by which pairs of vectors are chosen, and their text in files. */
#ifndef VS_PLAN_PAIR_RULES_H
#define VS_PLAN_PAIR_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* Rules for a pair; all zero: each pair is wanted. */
struct vs_pair_rules {
	/* distance of the positions, in 10^-9 kb: exact; max_kb 0: any */
	int64_t min_kb, max_kb;
	int64_t max_cm;    /* genetic distance, in 10^-9 cM; 0: any */
	int64_t max_sites; /* difference in rank; 0: any */
	bool within;       /* on the same chromosome only; max_* imply it */
	bool inter;        /* on different chromosomes only */
};

/* True if there is a rule. */
bool vs_pair_rules_any(const struct vs_pair_rules *r);

/* True if a rule limits how far apart a pair may be. */
bool vs_pair_rules_is_window(const struct vs_pair_rules *r);

/* True if a rule needs positions as well as chromosomes. */
bool vs_pair_rules_need_positions(const struct vs_pair_rules *r);

/*
 * Print the rules as a run states them, "max_kb 1000 within_chromosome", in a
 * fixed order; and parse them. "" means no rule.
 * returns  false: not such a text
 */
#define VS_PAIR_RULES_TEXT 128
#define VS_PAIR_RULES_SCALE 9 /* decimals of a kb or cM */
void vs_pair_rules_print(const struct vs_pair_rules *r,
	char text[VS_PAIR_RULES_TEXT]);
bool vs_pair_rules_read(const char *text, struct vs_pair_rules *r);

/* Least and greatest distance of a pair, in bases. */
int64_t vs_pair_rules_least(const struct vs_pair_rules *r);
int64_t vs_pair_rules_most(const struct vs_pair_rules *r);

#endif
