/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules on combinations of options: which ones exclude each other, and which
 * one requires another. One function checks a program's rows and writes the
 * message, so that no pair of options needs code of its own.
 */
#ifndef VS_BASE_OPT_RULES_H
#define VS_BASE_OPT_RULES_H

#include <stdbool.h>
#include <stdio.h>

#include "libcore/base/opt.h"

enum vs_opt_rule_kind {
	VS_OPT_EXCLUDES, /* a term of left and one of right conflict */
	VS_OPT_NEEDS,    /* each term of left requires a term of right */
};

/*
 * Terms are separated by blanks: "top": the option is given; "way=3": it has
 * this value, given or by default; "@numbers": a fact that the program knows.
 */
struct vs_opt_rule {
	const char *left; /* "": always */
	enum vs_opt_rule_kind kind;
	const char *right;
	const char *why;  /* ends the sentence: a reason or remedy; null */
	const char *when; /* the rule holds if each of these terms does */
};

/* Rows: VS_EXCLUDES("top", "stage", .why = "a stage is a part of a run"), */
#define VS_EXCLUDES(a, b, ...)                                      \
	{                                                           \
		.left = (a), .kind = VS_OPT_EXCLUDES, .right = (b), \
		__VA_ARGS__                                         \
	}
#define VS_NEEDS(a, b, ...)                                                  \
	{                                                                    \
		.left = (a), .kind = VS_OPT_NEEDS, .right = (b), __VA_ARGS__ \
	}

/* A condition other than an option that rules name, such as the kind of a
 * file. */
struct vs_opt_fact {
	const char *name; /* "numbers"; null ends the list */
	bool holds;
	const char *shown; /* in messages: "--matrix" */
};

/*
 * Check the options against rules, which end with a row of zeros.
 * facts    null: not known yet; rules that depend on one are left out
 * returns  0; VS_EUSAGE; VS_EMACHINE
 */
int vs_opt_rules_check(const struct vs_opt *table,
	const struct vs_opt_rule *rules, const struct vs_opt_fact *facts);

/* Print the rules for tests, one per line: left, kind, right, when, why,
 * separated by tabs. */
void vs_opt_rules_list(const struct vs_opt_rule *rules, FILE *to);

#endif
