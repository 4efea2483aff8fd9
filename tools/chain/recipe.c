/* SPDX-License-Identifier: BSD-3-Clause */
/* Recipes of vsim: turn options into command lines, and run the chain of
 * programs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/in/readers.h"
#include "formats/in/recognize.h"
#include "formats/in/text/magic.h"
#include "libcore/base/fail.h"
#include "libcore/base/num.h"
#include "tools/chain/chain.h"
#include "tools/chain/option_list.h"
#include "tools/chain/recipe.h"
#include "tools/shared/elsewhere.h"
#include "tools/shared/metric_options.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"

static const struct vs_chain_recipe recipes[] = {
#define STEPS(...)          \
	{                   \
		__VA_ARGS__ \
	}
#define PACK(words) [VS_STEP_PACK] = words
#define RUN(words) [VS_STEP_RUN] = words
#define PRUNE(words) [VS_STEP_PRUNE] = words
#define VIEW(words) [VS_STEP_VIEW] = words
#define ALONE(step, words) VS_STEP_##step, words
#define NOT_ALONE VS_N_STEP, NULL
#define WORD VS_RECIPE_WORD
#define OR_ALL VS_RECIPE_OR_ALL
#define LEAST VS_RECIPE_LEAST
#define ABOVE VS_RECIPE_ABOVE
#define RECIPE(name, purpose, input, example, table, columns, steps, all, \
	elsewhere, ...)                                                   \
	{ #name, purpose, input, example, table, columns, steps, all,     \
		elsewhere, { __VA_ARGS__ } },
#include "tools/chain/rows.h"
#undef RECIPE
};

static const char *const programs[VS_N_STEP] = {
	[VS_STEP_PACK] = "vsim-pack",
	[VS_STEP_RUN] = "vsim-run",
	[VS_STEP_PRUNE] = "vsim-threshold",
	[VS_STEP_VIEW] = "vsim-view",
};

const struct vs_chain_recipe *
vs_recipe_at(size_t k)
{
	return k < sizeof(recipes) / sizeof(*recipes) ? &recipes[k] : NULL;
}

const struct vs_chain_recipe *
vs_recipe_find(const char *name)
{
	for (size_t k = 0; k < sizeof(recipes) / sizeof(*recipes); k++)
		if (!strcmp(recipes[k].name, name))
			return &recipes[k];
	return NULL;
}

struct cook {
	const struct vs_chain_recipe *r;
	struct vs_words line[VS_N_STEP];
	struct vs_text options[VS_N_STEP]; /* --list-options of each */
	struct vs_text columns;
	const char *input;
	struct vs_text reader; /* the option that reads the input, if given */
	struct vs_text packs;  /* the last option that only vsim-pack has */
	/* arguments of own options, "" of flags; null: not given */
	const char *given[sizeof(recipes->word) / sizeof(*recipes->word)];
	bool verbose, own_columns, own_format, own_undefined;
	bool force;
	const char *output; /* the file for the table, if given */
	bool zero;          /* the least value is 0 or less */
	bool alone; /* one step may do everything, if options allow it */
	bool apart; /* options do not allow it */
	struct vs_text dir; /* the temporary directory */
};

static void
print_help(const struct vs_chain_recipe *r)
{
	printf("usage: vsim %s %s [options]\n\nPrint %s.\n\n", r->name,
		r->input, r->purpose);
	for (const struct vs_recipe_word *w = r->word; w->name; w++) {
		char left[64];

		snprintf(left, sizeof(left), "--%s%s%s", w->name,
			w->arg ? " " : "", w->arg ? w->arg : "");
		printf("  %-20s %s\n", left, w->help);
	}
	if (r->columns)
		printf("  %-20s %s\n", "-o, --output FILE",
			"write the table to FILE [standard output]");
	printf("  %-20s %s\n", "-v, --verbose", "print the commands it runs");
	printf("\nRuns ");
	for (int s = 0, n = 0; s < VS_N_STEP; s++)
		if (r->always[s])
			printf("%s%s", n++ ? ", " : "", programs[s]);
	if (r->alone_words)
		printf(", or %s alone", programs[r->alone]);
	printf(".\nTheir options work too, such as %s-j.\n\nexample:\n  %s\n",
		strcmp(r->table, "matrix")
			? "--pheno, --maf, --keep, --chr and "
			: "--transpose, --normalize and ",
		r->example);
}

/* ---- options ---- */

static int
ask_options(struct cook *c, int step)
{
	char *words[] = { (char *)programs[step], (char *)"--list-options",
		NULL };
	int code = 0, failed;

	if (c->options[step].len)
		return 0;
	failed = vs_chain_run(words, &c->options[step], "", &code);
	if (!failed && code)
		failed = vs_fail(VS_EMACHINE, "%s failed (exit code %d)",
			programs[step], code);
	return failed;
}

/*
 * Look up an option of a program, by its name without dashes. Starting a
 * program to ask for its options takes a third of a small job: those that all
 * have are known.
 */
static int
look_up(struct cook *c, int step, const char *name, size_t n, bool letter,
	struct vs_listed *f)
{
	int code;

	*f = vs_option_list_find("f\tforce\t\t\nj\tthreads\t#\t\n"
				 "v\tverbose\t\t\n",
		name, n, letter);
	if (f->name)
		return 0;
	code = ask_options(c, step);
	if (!code)
		*f = vs_option_list_find(c->options[step].bytes, name, n,
			letter);
	return code;
}

/* True for an option that is passed to every program of the chain that has
 * it. */
static bool
is_shared(const char *name, size_t n)
{
	return vs_option_list_is(name, n, "threads") ||
		vs_option_list_is(name, n, "verbose") ||
		vs_option_list_is(name, n, "force") ||
		vs_option_list_is(name, n, "no-host");
}

/* True for the options of vsim-pack that name its input. */
static bool
is_input(const char *name, size_t n)
{
	const struct vs_reader_kind *kind;

	for (size_t k = 0; (kind = vs_readers_at(k)); k++)
		if (vs_option_list_is(name, n, kind->name))
			return true;
	return vs_option_list_is(name, n, "matrix");
}

static int
set_input(struct cook *c, const char *input)
{
	if (c->input)
		return vs_fail(VS_EUSAGE, "%s: one input too many", input);
	if (*input == '-' && input[1])
		return vs_fail(VS_EUSAGE, "%s: write ./%s", input, input);
	c->input = input;
	return 0;
}

/* Refuse an option that no program of the chain has, as a program would. */
static int
refuse_unknown(const struct vs_chain_recipe *r, char *word)
{
	struct vs_opt own[1 + sizeof(r->word) / sizeof(*r->word)] = { { 0 } };
	struct vs_opt *const table = own;
	char *argv[] = { (char *)r->name, word, NULL };
	int first, n = 0;

	for (; r->word[n].name; n++)
		own[n].name = r->word[n].name;
	own[0].elsewhere = r->elsewhere;
	own[n] = (struct vs_opt){ .name = "help",
		.elsewhere = VS_OPTIONS_ELSEWHERE };
	return vs_opt_parse(&table, 1, 2, argv, &first);
}

/* Options of the table, for the last program: the one that writes it. */
static bool
is_of_table(const char *name, size_t n)
{
	return vs_option_list_is(name, n, "columns") ||
		vs_option_list_is(name, n, "to") ||
		vs_option_list_is(name, n, "no-header") ||
		vs_option_list_is(name, n, "undefined") ||
		vs_option_list_is(name, n, "output");
}

/*
 * Find the program that an option is for: in a full chain the first one that
 * has it; if one step does everything, that program, if its option is the same.
 * step  out: VS_N_STEP: none
 */
static int
find_program(struct cook *c, const char *name, size_t n, bool letter,
	struct vs_listed *f, int *step)
{
	const int last =
		c->r->always[VS_STEP_VIEW] ? VS_STEP_VIEW : VS_STEP_PRUNE;
	struct vs_listed own;
	int code = 0, s = 0;

	for (; s < VS_N_STEP; s++) {
		if (!c->r->always[s])
			continue;
		code = look_up(c, s, name, n, letter, f);
		if (code)
			return code;
		if (f->name && (s == last || !is_of_table(f->name, f->n)))
			break;
	}
	*step = s;
	if (!c->alone || s == VS_N_STEP || s == (int)c->r->alone ||
		is_input(f->name, f->n))
		return 0;
	code = look_up(c, c->r->alone, f->name, f->n, false, &own);
	if (code)
		return code;
	c->apart |= !own.name ||
		!(vs_option_list_is_same(f->name, own.name) ||
			is_shared(own.name, own.n) ||
			vs_option_list_is(own.name, own.n, "to") ||
			vs_option_list_is(own.name, own.n, "output"));
	if (!c->apart) {
		*f = own;
		*step = c->r->alone;
	}
	return 0;
}

static bool
is_own(const struct vs_chain_recipe *r, const char *name, size_t n)
{
	for (const struct vs_recipe_word *w = r->word; w->name; w++)
		if (vs_option_list_is(name, n, w->name))
			return true;
	return false;
}

/* Note an option of vsim-pack: it would have no effect on an input that is
 * already packed. */
static int
note_packs(struct cook *c, const char *option, size_t n)
{
	c->packs.len = 0;
	return vs_text_add(&c->packs, "%.*s", (int)n, option);
}

/* Pass argv[*k], which is not an option of the recipe, to a program that has
 * it. */
static int
pass_on(struct cook *c, int argc, char **argv, int *k)
{
	const char *word = argv[*k], *equal = strchr(word, '=');
	const bool letter = word[1] != '-';
	const char *name = word + (letter ? 1 : 2), *argument = NULL;
	const size_t n = equal ? (size_t)(equal - name) : strlen(name);
	double limit;
	struct vs_listed f = { 0 }, later;
	bool shared;
	int code, s;

	code = find_program(c, name, n, letter && n == 1, &f, &s);
	if (code)
		return code;
	if (letter && n != 1)
		return f.name || is_own(c->r, name, n)
			? vs_fail(VS_EUSAGE,
				  "unknown option %s; did you mean -%s?", word,
				  word)
			: vs_fail(VS_EUSAGE,
				  "%s: write options of one letter apart, as "
				  "-j 4",
				  word);
	if (s == VS_N_STEP)
		return refuse_unknown(c->r, argv[*k]);
	if (f.takes) {
		if (!equal && *k + 1 >= argc)
			return vs_fail(VS_EUSAGE, "%s requires an argument",
				word);
		argument = equal ? equal + 1 : argv[++*k];
	}
	shared = is_shared(f.name, f.n);
	c->verbose |= vs_option_list_is(f.name, f.n, "verbose");
	if (s == VS_STEP_PACK && is_input(f.name, f.n)) {
		code = vs_text_add(&c->reader, "%.*s", (int)f.n, f.name);
		return code ? code : set_input(c, argument);
	}
	if (vs_option_list_is(f.name, f.n, "to")) {
		c->own_format = true;
		c->own_undefined |=
			!strcmp(argument, "matrix") || !strcmp(argument, "npy");
		c->apart |= c->alone && !vs_option_list_has(f.name, argument);
	}
	c->own_undefined |= vs_option_list_is(f.name, f.n, "undefined");
	c->zero |= vs_option_list_is(f.name, f.n, "threshold") &&
		vs_num_real(argument, &limit) && limit < 0;
	c->force |= vs_option_list_is(f.name, f.n, "force");
	if (vs_option_list_is(f.name, f.n, "output"))
		c->output = argument;
	c->own_columns |=
		vs_option_list_is(f.name, f.n, "columns") || c->own_format;
	code = vs_chain_words_option(&c->line[s], f.name, f.n, argument);
	if (!code && s == VS_STEP_PACK && !shared)
		code = note_packs(c, f.name, f.n);
	/* later programs get it, too */
	for (s++; s < VS_N_STEP && shared && !code; s++) {
		if (!c->r->always[s])
			continue;
		code = look_up(c, s, f.name, f.n, false, &later);
		if (!code && later.name)
			code = vs_chain_words_option(&c->line[s], f.name, f.n,
				argument);
	}
	return code;
}

/* The largest number below a least value, for a program that wants values above
 * it. */
static int
put_least(struct vs_words *to, const char *argument)
{
	char below[VS_NUM_ROOM];
	double x;

	/* check_limits() refuses it */
	if (!vs_num_real(argument, &x))
		x = 0;
	vs_num_print(nextafter(x, -INFINITY), below);
	return vs_chain_words_add(to, below);
}

static int
put_word(struct cook *c, const struct vs_recipe_word *w, const char *argument)
{
	struct vs_words *to = &c->line[w->step];
	int code = 0;

	if (w->kind == OR_ALL && !strcmp(argument, "all"))
		return 0;
	c->apart |= c->alone && w->step != c->r->alone;
	code = vs_chain_words_split(to, w->words);
	if (!code && w->arg)
		code = w->kind == LEAST ? put_least(to, argument)
					: vs_chain_words_add(to, argument);
	return code;
}

/* The given option of a recipe that sets the same option of a program as
 * number x does; or null. */
static const struct vs_recipe_word *
find_rival(const struct cook *c, int x)
{
	const struct vs_recipe_word *w = c->r->word;
	const size_t n = strcspn(w[x].words, " ");

	for (int y = 0; w[y].name; y++)
		if (y != x && c->given[y] && w[y].step == w[x].step &&
			strcspn(w[y].words, " ") == n &&
			!memcmp(w[y].words, w[x].words, n))
			return &w[y];
	return NULL;
}

/* Handle argv[*k], if it is an option of the recipe. 1: it was; 0; negative */
static int
own_option(struct cook *c, int argc, char **argv, int *k)
{
	const char *word = argv[*k] + 2, *equal = strchr(word, '=');
	const size_t n = equal ? (size_t)(equal - word) : strlen(word);

	for (int x = 0; c->r->word[x].name; x++) {
		const struct vs_recipe_word *w = &c->r->word[x];
		const struct vs_recipe_word *rival = find_rival(c, x);
		const char *argument = equal ? equal + 1 : NULL;
		int code;

		if (argv[*k][1] != '-' || !vs_option_list_is(word, n, w->name))
			continue;
		if (w->arg && !argument) {
			if (*k + 1 >= argc)
				return vs_fail(VS_EUSAGE,
					"--%s requires an argument %s", w->name,
					w->arg);
			argument = argv[++*k];
		}
		if (rival)
			return vs_fail(VS_EUSAGE,
				"--%s cannot be combined with --%s", w->name,
				rival->name);
		c->given[x] = w->arg ? argument : "";
		code = put_word(c, w, argument);
		return code ? code : 1;
	}
	return 0;
}

/* Refuse a limit that no value of the metric passes, by the option's name. */
static int
check_limits(struct cook *c)
{
	const char *always = c->r->always[VS_STEP_RUN];
	const struct vs_words *given = &c->line[VS_STEP_RUN];
	struct vs_run run = { .metric = "r2", .n_way = 2 };
	const char *metric = NULL;
	struct vs_opt row[] = { { .name = "metric",
					.kind = VS_OPT_CHOICE,
					.field = &metric,
					.choices = &vs_metric_choices[1],
					.aliases = VS_METRIC_ALIASES },
		{ 0 } };
	int code = 0;

	if (always)
		sscanf(always, "-m %15s", run.metric);
	for (size_t k = 0; k + 1 < given->n; k++)
		if (!strcmp(given->word[k], "-m") ||
			!strcmp(given->word[k], "--metric")) {
			row->seen = false;
			if (vs_opt_set(row, "metric", given->word[k + 1], "")) {
				vs_fail_clear();
				return 0; /* vsim-run refuses it */
			}
		}
	if (metric)
		snprintf(run.metric, sizeof(run.metric), "%s", metric);
	for (int x = 0; c->r->word[x].name && !code; x++) {
		const struct vs_recipe_word *w = &c->r->word[x];
		char shown[32];
		double limit;

		if (w->kind == WORD || w->kind == OR_ALL || !c->given[x])
			continue;
		snprintf(shown, sizeof(shown), "--%s", w->name);
		code = vs_num_real(c->given[x], &limit)
			? vs_metric_options_passes(&run, shown, limit,
				  w->kind == ABOVE)
			: vs_opt_fail_number(shown, c->given[x], "a number");
		c->zero |= !code && w->kind == LEAST && limit <= 0;
	}
	return code;
}

/* Put the defaults before the words given: a program that gets an option twice,
 * by any of its names, takes the last. */
static int
put_defaults(struct cook *c)
{
	struct vs_words given[VS_N_STEP];
	int code = 0, failed;

	memcpy(given, c->line, sizeof(given));
	memset(c->line, 0, sizeof(c->line));
	for (int x = 0; c->r->word[x].name && !code; x++)
		if (!c->given[x] && c->r->word[x].unless && !find_rival(c, x))
			code = put_word(c, &c->r->word[x],
				c->r->word[x].unless);
	for (int s = 0; s < VS_N_STEP; s++) {
		failed = vs_chain_words_move(&c->line[s], &given[s]);
		code = code ? code : failed;
	}
	return code;
}

static int
read_words(struct cook *c, int argc, char **argv)
{
	struct vs_words *table;
	bool ended = false; /* by --, which only inputs follow */
	int code = 0;

	for (int k = 0; k < argc && code >= 0; k++) {
		if (!ended && !strcmp(argv[k], "--")) {
			ended = true;
			continue;
		}
		if (!strcmp(argv[k], "-h") || !strcmp(argv[k], "--help")) {
			print_help(c->r);
			return VS_DONE;
		}
		if (ended || argv[k][0] != '-' || !argv[k][1]) {
			code = set_input(c, argv[k]);
			continue;
		}
		code = own_option(c, argc, argv, &k);
		if (!code)
			code = pass_on(c, argc, argv, &k);
	}
	if (code < 0)
		return code;
	if (!c->input)
		return vs_fail(VS_EUSAGE,
			"no input: vsim %s %s; vsim %s --help says more",
			c->r->name, c->r->input, c->r->name);
	code = put_defaults(c);
	if (!code)
		code = check_limits(c);
	for (int x = 0; c->r->word[x].name && !code; x++)
		if (c->r->word[x].columns &&
			(c->given[x] || c->r->word[x].unless))
			code = vs_text_add(&c->columns, ",%s",
				c->r->word[x].columns);
	table = &c->line[c->alone ? c->r->alone : VS_STEP_VIEW];
	if (!code && c->alone && c->columns.len && !c->own_format)
		code = vs_chain_words_option(table, "to", 2, "tsv");
	if (!code && c->columns.len && !c->own_columns)
		code = vs_chain_words_option(table, "columns", 7,
			c->columns.bytes);
	/* 0/0 is stored as 0 */
	if (!code && c->zero && !c->own_undefined)
		code = vs_chain_words_option(table, "undefined", 9, "omit");
	return code;
}

/* ---- the chain ---- */

static int
put_path(struct vs_words *to, const struct cook *c, const char *name)
{
	struct vs_text t = { 0 };
	int code = vs_text_add(&t, "%s/%s", c->dir.bytes, name);

	if (!code)
		code = vs_chain_words_add(to, t.bytes);
	vs_text_free(&t);
	return code;
}

/* Add the files that a step reads and writes. */
static int
put_files(struct cook *c, int step, bool packed)
{
	struct vs_words *to = &c->line[step];
	int code = 0;

	switch (step) {
	case VS_STEP_PACK:
		code = vs_chain_words_add(to, "-o");
		return code ? code : put_path(to, c, "x.vec.h5");
	case VS_STEP_RUN:
		code = vs_chain_words_add(to, "-o");
		if (!code)
			code = put_path(to, c, "run");
		if (!code)
			code = vs_chain_words_add(to, "--merge");
		if (!code)
			code = put_path(to, c, "x.res.h5");
		break;
	case VS_STEP_VIEW:
		return put_path(to, c, "x.res.h5");
	default:
		break;
	}
	if (code)
		return code;
	return packed ? put_path(to, c, "x.vec.h5")
		      : vs_chain_words_add(to, c->input);
}

static int
run_steps(struct cook *c, const char *option, int *code)
{
	struct vs_text step = { 0 };
	int failed = vs_text_add(&step, "%s/x.vec.h5\t%s", c->dir.bytes,
		strcmp(c->input, "-") ? c->input : "standard input");

	*code = 0;
	for (int s = 0; s < VS_N_STEP && !failed && !*code; s++) {
		if (!c->r->always[s] || (s == VS_STEP_PACK && !option))
			continue;
		failed = put_files(c, s, option != NULL);
		if (!failed && c->verbose)
			vs_chain_words_show(&c->line[s]);
		if (!failed)
			failed = vs_chain_run(c->line[s].word, NULL, step.bytes,
				code);
		if (vs_tool_stopped())
			break;
	}
	vs_text_free(&step);
	return failed;
}

/* The first words of a command line. */
static int
begin_line(struct cook *c, int step, const char *option)
{
	struct vs_words *to = &c->line[step];
	int code = vs_chain_words_add(to, programs[step]);

	if (!code && step == VS_STEP_PACK && option)
		code = vs_chain_words_option(to, option, strlen(option),
			c->input);
	return code ? code : vs_chain_words_split(to, c->r->always[step]);
}

/* The option that reads the input; "": it may be a table. */
static int
recognize(const struct cook *c, const char **option)
{
	struct vs_text pipe = { 0 };
	int code;

	*option = c->reader.bytes;
	if (*option)
		return 0;
	*option = c->r->table;
	if (vs_recognize_pipe(c->input) && !strcmp(*option, "matrix"))
		return 0;
	code = vs_magic_check_url(c->input);
	if (!code)
		code = vs_recognize(c->input, option);
	if (code && strstr(vs_fail_text(), VS_MAGIC_COMMAND) &&
		!vs_text_add(&pipe, " | vsim %s -", c->r->name))
		vs_fail_append(pipe.bytes);
	vs_text_free(&pipe);
	return code;
}

/* True if the content of the input tells the option given for it, too. */
static bool
is_told(const struct cook *c)
{
	const char *option;
	bool is = !vs_recognize(c->input, &option) && option &&
		!strcmp(option, c->reader.bytes);

	vs_fail_clear();
	return is;
}

/* Read any other text as a table, and report that. */
static void
guess_table(const struct cook *c, const char **option)
{
	const bool numbers = !strcmp(c->r->table, "matrix");

	*option = c->r->table;
	vs_tool_warn("%s: read as a table of %s; --%s %s reads %s", c->input,
		numbers ? "numbers" : "genotypes 0, 1 and 2",
		numbers ? "tsv" : "matrix", c->input,
		numbers ? "genotypes" : "numbers");
}

static void
forget(struct cook *c)
{
	for (int s = 0; s < VS_N_STEP; s++)
		vs_chain_words_free(&c->line[s]);
	vs_text_free(&c->columns);
	vs_text_free(&c->reader);
	vs_text_free(&c->packs);
	c->input = NULL;
	c->apart = c->own_columns = c->own_format = false;
	c->own_undefined = c->force = c->zero = false;
	c->output = NULL;
	memset(c->given, 0, sizeof(c->given));
}

/* Parse the options, for one program or for the chain. */
static int
read_options(struct cook *c, int argc, char **argv)
{
	const char *option = NULL;
	int code = 0;

	forget(c);
	if (c->r->columns)
		code = vs_text_add(&c->columns, "%s", c->r->columns);
	if (!code)
		code = read_words(c, argc, argv);
	if (!code && c->alone && !c->apart)
		code = recognize(c, &option);
	/* only vsim-pack reads a table, or what its content does not tell */
	c->apart |= option && (!*option || !strcmp(option, "matrix"));
	if (!code && c->reader.len && !c->apart)
		c->apart = !is_told(c);
	return code;
}

/* Build the command line of a step: first words, options, last words. */
static int
complete(struct cook *c, int step, const char *option)
{
	struct vs_words given = c->line[step];
	int code, failed;

	memset(&c->line[step], 0, sizeof(given));
	code = begin_line(c, step, option);
	failed = vs_chain_words_move(&c->line[step], &given);
	return code ? code : failed;
}

/* Become the program that does everything. */
static int
run_alone(struct cook *c)
{
	struct vs_words *line = &c->line[c->r->alone];
	int code = complete(c, c->r->alone, NULL);

	if (!code && !c->output)
		code = vs_chain_words_split(line, c->r->alone_words);
	if (!code)
		code = vs_chain_words_add(line, c->input);
	if (!code && c->verbose)
		vs_chain_words_show(line);
	return code ? code : vs_chain_become(line->word);
}

static int
run_chain(struct cook *c, int *code)
{
	const char *option = NULL;
	int failed = recognize(c, &option);

	if (!failed && !option && c->packs.len)
		failed = vs_fail(VS_EUSAGE,
			"%s: is a vectors file already, and --%s is for "
			"vsim-pack, which made it",
			c->input, c->packs.bytes);
	if (!failed && option && !*option)
		guess_table(c, &option);
	for (int s = 0; s < VS_N_STEP && !failed; s++)
		if (c->r->always[s])
			failed = complete(c, s, option);
	/* refuse it now, and not after hours of work */
	if (!failed && c->output && strcmp(c->output, "-"))
		failed = vs_result_io_may_write(c->output, c->force);
	if (!failed)
		failed = vs_chain_directory(&c->dir);
	if (failed)
		return failed;
	failed = run_steps(c, option, code);
	vs_chain_remove(c->dir.bytes);
	return failed;
}

static int
cook(struct cook *c, int argc, char **argv, int *code)
{
	int failed;

	c->alone = c->r->alone_words != NULL;
	failed = read_options(c, argc, argv);
	if (!failed && c->apart) {
		c->alone = false;
		failed = read_options(c, argc, argv);
	}
	if (failed)
		return failed;
	return c->alone ? run_alone(c) : run_chain(c, code);
}

int
vs_recipe_run(const struct vs_chain_recipe *r, int argc, char **argv, int *code)
{
	struct cook c = { .r = r };
	int failed = cook(&c, argc, argv, code);

	for (int s = 0; s < VS_N_STEP; s++)
		vs_text_free(&c.options[s]);
	vs_text_free(&c.dir);
	forget(&c);
	return failed;
}
