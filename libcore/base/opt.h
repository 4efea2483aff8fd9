/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One table of options per program: parsing, --help, the settings echoed into
 * files and the runfile are all read from it.
 */
#ifndef VS_BASE_OPT_H
#define VS_BASE_OPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libcore/base/text.h"

enum vs_opt_kind {
	VS_OPT_FLAG,   /* field is bool */
	VS_OPT_TEXT,   /* field is const char * */
	VS_OPT_CHOICE, /* field is const char *, one of choices "a|b|c" */
	VS_OPT_INT,    /* field is int64_t, within lo..hi */
	VS_OPT_REAL,   /* field is double, finite, within lo..hi */
	VS_OPT_SIZE,   /* field is uint64_t, bytes; K M G T allowed */
	VS_OPT_TWO,    /* field is const char *[2]: two words; in a runfile one
	                  text with a tab, or else a blank, between */
};

struct vs_opt {
	char letter;      /* 0: has no letter */
	const char *name; /* long name; a row without one ends the table */
	const char *arg;  /* argument's word in --help, null for a flag */
	enum vs_opt_kind kind;
	void *field;         /* holds the default until set */
	double lo, hi;       /* limits of INT and REAL; both 0: none */
	const char *choices; /* of CHOICE */
	const char *aliases; /* of CHOICE, "old=new|old=new": earlier spellings
	                        of choices, accepted and not shown; null: none */
	const char *help;    /* one sentence, in one line */
	bool seen;           /* set on the command line or in a runfile */
	char chosen[24];     /* of CHOICE: what field points at, once set */
};

/*
 * Parse argv. Operands end up in argv[*first ..]; options may stand among
 * them; "--" ends options; a lone "-" is an operand or an argument.
 * tables  n_table option tables, looked through in order
 * returns 0; VS_EUSAGE with the offending word in the sentence
 */
int vs_opt_parse(struct vs_opt *const *tables, int n_table, int argc,
	char **argv, int *first);

/*
 * Set one option by name from a runfile; where is for the message. An option
 * seen already (on the command line) keeps its value.
 * returns 0; VS_EUSAGE
 */
int vs_opt_set(struct vs_opt *table, const char *name, const char *value,
	const char *where);

/* Print the table as --help shows it. */
void vs_opt_help(const struct vs_opt *table, FILE *to);

/*
 * Append text, and where more is not null a tab and that, as a YAML scalar in
 * quotes and the end of the line.
 */
int vs_opt_put_text(struct vs_text *to, const char *text, const char *more);

/* Append "name: value" lines (YAML) of every option that was set. */
int vs_opt_echo(const struct vs_opt *table, struct vs_text *to);

#endif
