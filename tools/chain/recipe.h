/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recipes of vsim: common questions as chains of programs. A recipe has a few
 * options of its own; any other option is passed to the program of the chain
 * that has it.
 */
#ifndef VS_TOOLS_CHAIN_RECIPE_H
#define VS_TOOLS_CHAIN_RECIPE_H

#include <stddef.h>

/* Programs of a chain, in order. */
enum vs_chain_step {
	VS_STEP_PACK,
	VS_STEP_RUN,
	VS_STEP_PRUNE,
	VS_STEP_VIEW,
	VS_N_STEP
};

/* An option of a recipe, and its equivalent for a program of the chain. */
struct vs_recipe_word {
	const char *name, *arg; /* without arg: a flag */
	enum vs_chain_step step;
	const char *words; /* what the program gets, followed by the argument */
	/* OR_ALL: "all" switches it off; of a limit on values: LEAST is passed
	 * on as the number below */
	enum {
		VS_RECIPE_WORD,
		VS_RECIPE_OR_ALL,
		VS_RECIPE_LEAST,
		VS_RECIPE_ABOVE
	} kind;
	const char *unless; /* default argument, or null */
	const char *help;
	/* columns that it adds to the table, in the list's order; or null */
	const char *columns;
};

struct vs_chain_recipe {
	const char *name, *purpose, *input, *example;
	const char *table; /* the option of vsim-pack that reads a text table */
	const char
		*columns; /* of the table, unless --columns or --to is given */
	const char *always[VS_N_STEP]; /* null: no such step */
	/* the step that does everything alone, if no option belongs to another
	 * step, and what its program then gets; or null */
	enum vs_chain_step alone;
	const char *alone_words; /* unless the output is given */
	/* names in other programs, and its own, as in struct vs_opt */
	const char *elsewhere;
	struct vs_recipe_word word[8]; /* ends with a null name */
};

/* Recipe number k, null past the last; the one of a name, or null. */
const struct vs_chain_recipe *vs_recipe_at(size_t k);
const struct vs_chain_recipe *vs_recipe_find(const char *name);

/*
 * Run a recipe with the words after its name.
 * code     exit code of the program that failed, or 0
 * returns  0; VS_DONE: its help was printed; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_recipe_run(const struct vs_chain_recipe *r, int argc, char **argv,
	int *code);

#endif
