/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command-line option tables: one table per program serves parsing, --help, the
 * settings recorded in files, and the runfile.
 */
#ifndef VS_BASE_OPT_H
#define VS_BASE_OPT_H

#include <stdbool.h>
#include <stdio.h>

#include "libcore/base/decimal.h"
#include "libcore/base/text.h"
#include "libcore/base/thresholds.h"

enum vs_opt_kind {
	VS_OPT_FLAG,    /* field is bool */
	VS_OPT_TEXT,    /* field is const char * */
	VS_OPT_CHOICE,  /* field is const char *, one of choices "a|b|c" */
	VS_OPT_INT,     /* field is int64_t, within lo..hi */
	VS_OPT_REAL,    /* field is double, finite, within lo..hi */
	VS_OPT_LIMIT,   /* field is struct vs_limit, finite, within lo..hi */
	VS_OPT_DECIMAL, /* field is struct vs_decimal, within lo..hi */
	VS_OPT_SIZE,    /* field is uint64_t, bytes; K M G T allowed */
	/* field is const char *[2]: two words, a list of two in a runfile */
	VS_OPT_TWO,
};

struct vs_opt {
	char letter;      /* short option; 0: none */
	const char *name; /* long option; null ends the table */
	const char *arg;  /* argument's name in the help; null for a flag */
	enum vs_opt_kind kind;
	void *field;         /* the option's variable, initially the default */
	double lo, hi;       /* limits of INT, REAL, DECIMAL; both 0: none */
	const char *choices; /* of CHOICE: "a|b|c" */
	/* of CHOICE: accepted but not shown: "old=new|old=new"; null: none */
	const char *aliases;
	const char *help; /* what it does, on one line, and its [default] */
	/* heading of --help above it; null: in the same group as the row
	 * before */
	const char *group;
	bool common; /* -h shows it too */
	/* lines below it in --help, "WORD\tmeaning\n" each; null: none */
	const char *detail;
	bool seen;       /* set on the command line or in a runfile */
	char chosen[24]; /* of CHOICE: the matched choice; field points here */
	/* not stored in a runfile and not accepted there: it applies to one
	 * start only */
	bool not_in_runfile;
	/* options of other programs and their equivalents, for the message
	 * about an unknown option: "out=-o|bfile=vsim-pack --bfile" */
	const char *elsewhere;
	/* of CHOICE: the same for words of other programs: "bray=ps" */
	const char *words_elsewhere;
};

/*
 * Parse argv. Operands end up in argv[*first ..]; options may come between
 * them; "--" ends options; a lone "-" is an operand or an argument.
 * tables  n_table option tables, searched in order
 * returns 0; VS_EUSAGE with the offending word in the sentence
 */
int vs_opt_parse(struct vs_opt *const *tables, int n_table, int argc,
	char **argv, int *first);

/*
 * Set one option by name from a runfile; where is for the message. An option
 * already seen (on the command line) keeps its value. returns 0; VS_EUSAGE
 */
int vs_opt_set(struct vs_opt *table, const char *name, const char *value,
	const char *where);

/*
 * The same for an option of two words, each any text. vs_opt_set() takes them
 * as one text, separated by a tab or, if there is none, by a blank.
 */
int vs_opt_set_two(struct vs_opt *table, const char *name, const char *first,
	const char *second, const char *where);

/* Fail with VS_EUSAGE: "-t 0,7: not a finite number; did you mean 0.7?" */
#define VS_OPT_FINITE "a finite number"
int vs_opt_fail_number(const char *shown, const char *text, const char *what);

/* Print the table as --help does, or its common options, as -h does. */
void vs_opt_help(const struct vs_opt *table, bool common, FILE *to);

/*
 * Print the table for programs, one line per option: letter, name, argument,
 * choices, help and group, separated by tabs; the argument is # for a number
 * and empty for a flag.
 */
void vs_opt_list(const struct vs_opt *table, FILE *to);

/* Append a YAML line "name: value" for every option that was set. */
int vs_opt_echo(const struct vs_opt *table, struct vs_text *to);

#endif
