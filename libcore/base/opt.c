/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser and help text of command-line option tables. */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libcore/base/fail.h"
#include "libcore/base/nearest.h"
#include "libcore/base/num.h"
#include "libcore/base/opt.h"
#include "libcore/base/yaml_scalar.h"

/*
 * If *word, of *len bytes, is an earlier spelling of a choice (case ignored),
 * replace it by that choice.
 */
static void
replace_alias(const char *aliases, const char **word, size_t *len)
{
	for (const char *p = aliases; p; p = strchr(p, '|')) {
		p += *p == '|';
		if (strcspn(p, "=") != *len || strncasecmp(p, *word, *len))
			continue;
		*word = p + *len + 1;
		*len = strcspn(*word, "|");
		return;
	}
}

/* Set o to the choice that a word names, ignoring case but in the table's
 * spelling; false: there is none. */
static bool
set_choice(struct vs_opt *o, const char *word)
{
	size_t len = strlen(word);

	replace_alias(o->aliases, &word, &len);
	for (const char *p = o->choices; p; p = strchr(p, '|')) {
		p += *p == '|';
		if (!len || strcspn(p, "|") != len || strncasecmp(p, word, len))
			continue;
		assert(len < sizeof(o->chosen));
		memcpy(o->chosen, p, len);
		o->chosen[len] = 0;
		*(const char **)o->field = o->chosen;
		return true;
	}
	return false;
}

static int
fail_choice(const struct vs_opt *o, const char *shown, const char *word)
{
	const char *choices = o->choices, *here = word;
	size_t n = strlen(word);
	struct vs_nearest hint;

	replace_alias(o->words_elsewhere, &here, &n);
	if (here != word)
		return vs_fail(VS_EUSAGE, "%s %s: use %.*s", shown, word,
			(int)n, here);
	vs_nearest_begin(&hint, word, strlen(word));
	for (const char *p = choices; p; p = strchr(p, '|')) {
		p += *p == '|';
		vs_nearest_try(&hint, p, strcspn(p, "|"));
	}
	return vs_fail(VS_EUSAGE, "%s %s: not one of %s%s%.*s%s", shown, word,
		choices, hint.best ? "; did you mean " : "", (int)hint.n_best,
		hint.best ? hint.best : "", hint.best ? "?" : "");
}

#define SMALL (1 << 20) /* bytes: a small size probably lacks its unit */

static int
set_size(const char *shown, const char *value, uint64_t *out)
{
	uint64_t size;

	if (!vs_num_size(value, &size))
		return vs_fail(VS_EUSAGE, "%s %s: not a size like 512M", shown,
			value);
	if (!size)
		return vs_fail(VS_EUSAGE,
			"%s %s: expected a size such as 512M; omit it for the "
			"default",
			shown, value);
	if (size < SMALL && isdigit((unsigned char)value[strlen(value) - 1]))
		return vs_fail(VS_EUSAGE,
			"%s %s: too few bytes; did you mean "
			"%sM?",
			shown, value, value);
	*out = size;
	return 0;
}

/* Split text at its tab or blank into two words; modifies text. */
static bool
split_words(const char *text, const char **two)
{
	char *gap = strchr(text, '\t');

	if (!gap)
		gap = strchr(text, ' ');
	if (!gap || gap == text || !gap[1])
		return false;
	*gap = 0;
	two[0] = text;
	two[1] = gap + 1;
	return true;
}

int
vs_opt_fail_number(const char *shown, const char *text, const char *what)
{
	const char *comma = strchr(text, ',');
	const int n = comma ? (int)(comma - text) : 0;
	char point[VS_NUM_ROOM];
	double x;

	/* 0,7; but 1,000 */
	if (comma &&
		snprintf(point, sizeof(point), "%.*s%s%s", n, text,
			strlen(comma) == 4 && *text != '0' ? "" : ".",
			comma + 1) < (int)sizeof(point) &&
		vs_num_real(point, &x))
		return vs_fail(VS_EUSAGE, "%s %s: not %s; did you mean %s?",
			shown, text, what, point);
	return vs_fail(VS_EUSAGE, "%s %s: not %s", shown, text, what);
}

/*
 * Set an option; shown is its name as the user wrote it, "-t" or "--threads".
 */
static int
set(struct vs_opt *o, const char *shown, const char *value)
{
	struct vs_decimal decimal;
	int64_t whole;
	double real;
	bool good = true;
	int code;

	switch (o->kind) {
	case VS_OPT_FLAG:
		*(bool *)o->field = true;
		break;
	case VS_OPT_TEXT:
		*(const char **)o->field = value;
		break;
	case VS_OPT_CHOICE:
		if (!set_choice(o, value))
			return fail_choice(o, shown, value);
		break;
	case VS_OPT_INT:
		good = vs_num_int(value, &whole);
		if (good && (o->lo || o->hi) &&
			((double)whole < o->lo || (double)whole > o->hi))
			return vs_fail(VS_EUSAGE, "%s %s: outside %.0f to %.0f",
				shown, value, o->lo, o->hi);
		if (good)
			*(int64_t *)o->field = whole;
		break;
	case VS_OPT_REAL:
	case VS_OPT_LIMIT:
		good = vs_num_real(value, &real);
		if (good && (o->lo || o->hi) && (real < o->lo || real > o->hi))
			return vs_fail(VS_EUSAGE,
				"%s %s: outside %.15g to %.15g", shown, value,
				o->lo, o->hi);
		if (good && o->kind == VS_OPT_LIMIT)
			*(struct vs_limit *)o->field =
				(struct vs_limit){ true, real };
		else if (good)
			*(double *)o->field = real;
		break;
	case VS_OPT_DECIMAL:
		good = vs_decimal_read(value, strlen(value), &decimal);
		real = good ? strtod(value, NULL) : 0;
		if (good && (real < o->lo || real > o->hi))
			return vs_fail(VS_EUSAGE,
				"%s %s: outside %.15g to %.15g", shown, value,
				o->lo, o->hi);
		if (good)
			*(struct vs_decimal *)o->field = decimal;
		break;
	case VS_OPT_SIZE:
		code = set_size(shown, value, o->field);
		if (code)
			return code;
		break;
	case VS_OPT_TWO:
		good = split_words(value, o->field);
		break;
	}
	if (!good)
		return vs_opt_fail_number(shown, value,
			o->kind == VS_OPT_INT           ? "an integer"
				: o->kind == VS_OPT_TWO ? "a pair of words"
				: o->kind == VS_OPT_REAL ||
					o->kind == VS_OPT_LIMIT
				? VS_OPT_FINITE
				: "a decimal number");
	o->seen = true;
	return 0;
}

static struct vs_opt *
find_long(struct vs_opt *const *tables, int n_table, const char *name,
	size_t len)
{
	for (int t = 0; t < n_table; t++)
		for (struct vs_opt *o = tables[t]; o->name; o++)
			if (strlen(o->name) == len &&
				!strncmp(o->name, name, len))
				return o;
	return NULL;
}

static struct vs_opt *
find_letter(struct vs_opt *const *tables, int n_table, char letter)
{
	for (int t = 0; t < n_table; t++)
		for (struct vs_opt *o = tables[t]; o->name; o++)
			if (o->letter == letter)
				return o;
	return NULL;
}

/*
 * The next word of argv, as an argument of the option shown; null: there is
 * none, or it is itself an option, so the argument was forgotten.
 */
static char *
next_word(struct vs_opt *const *tables, int n_table, const struct vs_opt *o,
	const char *shown, char **argv, int *at)
{
	char *word = argv[*at + 1];
	bool is_option = word && word[0] == '-' &&
		(word[1] == '-' ? find_long(tables, n_table, word + 2,
					  strcspn(word + 2, "=")) != NULL
				: word[1] && !word[2] &&
					find_letter(tables, n_table, word[1]));

	if (word && !is_option) {
		++*at;
		return word;
	}
	vs_fail(VS_EUSAGE, "%s: requires an argument %s%s%s", shown, o->arg,
		is_option ? " before " : "", is_option ? word : "");
	return NULL;
}

/* Set an option from value, or from the next words of argv. */
static int
set_words(struct vs_opt *const *tables, int n_table, struct vs_opt *o,
	const char *shown, char *value, char **argv, int *at)
{
	const char **two = o->field, *second;

	if (!value)
		value = next_word(tables, n_table, o, shown, argv, at);
	if (!value || o->kind != VS_OPT_TWO)
		return value ? set(o, shown, value) : VS_EUSAGE;
	second = next_word(tables, n_table, o, shown, argv, at);
	if (!second)
		return VS_EUSAGE;
	two[0] = value;
	two[1] = second;
	o->seen = true;
	return 0;
}

/* Drop the program from a hint such as "vsim-run -t" where the one at hand has
 * that option, too. */
static void
skip_program(struct vs_opt *const *tables, int n_table, const char **hint,
	size_t *n)
{
	const size_t at = strcspn(*hint, " |");
	const char *option = *hint + at + 1;

	if (at >= *n || **hint == '-' || *option != '-' ||
		!(option[1] == '-' ? find_long(tables, n_table, option + 2,
					     strcspn(option + 2, " |"))
				   : find_letter(tables, n_table, option[1])))
		return;
	*n -= at + 1;
	*hint = option;
}

/* Fail for an unknown option, with the nearest known name as a hint. */
static int
fail_unknown(struct vs_opt *const *tables, int n_table, const char *where,
	const char *name, size_t len)
{
	const char *here = name;
	struct vs_nearest hint;
	size_t n = len;

	vs_nearest_begin(&hint, name, len);
	for (int t = 0; t < n_table; t++)
		for (const struct vs_opt *o = tables[t]; o->name; o++) {
			if (here == name)
				replace_alias(o->elsewhere, &here, &n);
			vs_nearest_try(&hint, o->name, strlen(o->name));
		}
	if (here != name) {
		skip_program(tables, n_table, &here, &n);
		return vs_fail(VS_EUSAGE, "unknown option --%.*s; use %.*s",
			(int)len, name, (int)n, here);
	}
	if (where)
		return vs_fail(VS_EUSAGE, "%s: %.*s: unknown option%s%s%s",
			where, (int)len, name,
			hint.best ? "; did you mean " : "",
			hint.best ? hint.best : "", hint.best ? "?" : "");
	return hint.best
		? vs_fail(VS_EUSAGE,
			  "unknown option --%.*s; did you mean --%s?", (int)len,
			  name, hint.best)
		: vs_fail(VS_EUSAGE,
			  "unknown option --%.*s; --help lists them all",
			  (int)len, name);
}

static int
parse_long(struct vs_opt *const *tables, int n_table, char **argv, int *at)
{
	char *word = argv[*at], *eq = strchr(word, '=');
	size_t len = eq ? (size_t)(eq - word) - 2 : strlen(word) - 2;
	struct vs_opt *o = find_long(tables, n_table, word + 2, len);

	if (!o)
		return fail_unknown(tables, n_table, NULL, word + 2, len);
	if (!o->arg) {
		if (eq)
			return vs_fail(VS_EUSAGE, "%s: takes no argument",
				word);
		return set(o, word, NULL);
	}
	if (eq)
		*eq++ = 0;
	return set_words(tables, n_table, o, word, eq, argv, at);
}

static int
fail_letter(struct vs_opt *const *tables, int n_table, const char *shown)
{
	char other = (char)(islower((unsigned char)shown[1])
			? toupper((unsigned char)shown[1])
			: tolower((unsigned char)shown[1]));

	return find_letter(tables, n_table, other)
		? vs_fail(VS_EUSAGE, "unknown option %s; did you mean -%c?",
			  shown, other)
		: vs_fail(VS_EUSAGE, "unknown option %s; --help lists them all",
			  shown);
}

static int
parse_letters(struct vs_opt *const *tables, int n_table, char **argv, int *at)
{
	char *word = argv[*at];

	/* a long option with a single dash, not letters with an argument */
	if (find_long(tables, n_table, word + 1, strcspn(word + 1, "=")))
		return vs_fail(VS_EUSAGE,
			"unknown option %s; did you mean -%s?", word, word);

	for (char *p = word + 1; *p; p++) {
		char shown[3] = { '-', *p, 0 };
		struct vs_opt *o = find_letter(tables, n_table, *p);
		int code;

		if (!o)
			return fail_letter(tables, n_table, shown);
		if (o->arg && p[1] == '=')
			return vs_fail(VS_EUSAGE,
				"%s: a one-letter option takes no =: write %s "
				"%s",
				word, shown, p + 2);
		if (o->arg)
			return set_words(tables, n_table, o, shown,
				p[1] ? p + 1 : NULL, argv, at);
		code = set(o, shown, NULL);
		if (code)
			return code;
	}
	return 0;
}

int
vs_opt_parse(struct vs_opt *const *tables, int n_table, int argc, char **argv,
	int *first)
{
	int n_operand = 0, at, code = 0;
	char *operands[argc + 1];

	for (at = 1; at < argc && !code; at++) {
		if (!strcmp(argv[at], "--")) {
			at++;
			break;
		}
		if (argv[at][0] != '-' || !argv[at][1])
			operands[n_operand++] = argv[at];
		else if (argv[at][1] == '-')
			code = parse_long(tables, n_table, argv, &at);
		else
			code = parse_letters(tables, n_table, argv, &at);
	}
	if (code)
		return code;
	while (at < argc)
		operands[n_operand++] = argv[at++];
	*first = argc - n_operand;
	memcpy(argv + *first, operands, (size_t)n_operand * sizeof(*operands));
	return 0;
}

/* The option that a line of a runfile sets. */
static int
find_set(struct vs_opt *table, const char *name, const char *where,
	struct vs_opt **o)
{
	*o = find_long(&table, 1, name, strlen(name));
	if (!*o)
		return fail_unknown(&table, 1, where, name, strlen(name));
	return (*o)->not_in_runfile ? vs_fail(VS_EUSAGE,
					      "%s: %s is only for the command "
					      "line: remove this line",
					      where, name)
				    : 0;
}

int
vs_opt_set(struct vs_opt *table, const char *name, const char *value,
	const char *where)
{
	struct vs_opt *o;
	bool yes = !strcmp(value, "true");
	int code = find_set(table, name, where, &o);

	if (code || o->seen)
		return code;
	if (o->kind == VS_OPT_FLAG && !yes && strcmp(value, "false"))
		return vs_fail(VS_EUSAGE, "%s: %s: true or false, not %s",
			where, name, value);
	if (o->kind == VS_OPT_FLAG && !yes)
		return 0;
	code = set(o, name, value);
	return code ? vs_fail_at(code, "%s", where) : 0;
}

int
vs_opt_set_two(struct vs_opt *table, const char *name, const char *first,
	const char *second, const char *where)
{
	struct vs_opt *o;
	const char **two;
	int code = find_set(table, name, where, &o);

	if (code || o->seen)
		return code;
	if (o->kind != VS_OPT_TWO)
		return vs_fail(VS_EUSAGE,
			"%s: %s: one value expected, not a list of two", where,
			name);
	two = o->field;
	two[0] = first;
	two[1] = second;
	o->seen = true;
	return 0;
}

#define MARGIN 28 /* column of the help texts; longer names push it out */

void
vs_opt_list(const struct vs_opt *table, FILE *to)
{
	const char *group = "";

	for (const struct vs_opt *o = table; o->name; o++) {
		bool number = o->kind == VS_OPT_INT || o->kind == VS_OPT_REAL ||
			o->kind == VS_OPT_LIMIT || o->kind == VS_OPT_DECIMAL ||
			o->kind == VS_OPT_SIZE;

		group = o->group ? o->group : group;
		if (o->letter)
			fputc(o->letter, to);
		fprintf(to, "\t%s\t%s\t%s\t%s\t%s\n", o->name,
			number           ? "#"
				: o->arg ? o->arg
					 : "",
			o->choices ? o->choices : "", o->help, group);
	}
}

/* Print the detail lines below an option. */
static void
print_detail(const char *line, FILE *to)
{
	for (; line && *line; line += strcspn(line, "\n") + 1) {
		int word = (int)strcspn(line, "\t");

		fprintf(to, "        %-12.*s %.*s\n", word, line,
			(int)strcspn(line, "\n") - word - 1, line + word + 1);
	}
}

void
vs_opt_help(const struct vs_opt *table, bool common, FILE *to)
{
	for (const struct vs_opt *o = table; o->name; o++) {
		int n;

		if (o->group && !common)
			fprintf(to, "%s%s:\n", o == table ? "" : "\n",
				o->group);
		if (common && !o->common)
			continue;
		n = fprintf(to, o->letter ? "  -%c, --%s" : "  %c   --%s",
			o->letter ? o->letter : ' ', o->name);
		if (o->arg)
			n += fprintf(to, " %s", o->arg);
		fprintf(to, "%*s%s\n", n > MARGIN - 2 ? 2 : MARGIN - n, "",
			o->help);
		if (!common)
			print_detail(o->detail, to);
	}
}

/* Print a size in the largest unit that divides it. */
static int
echo_size(struct vs_text *to, uint64_t size)
{
	static const char *const units[] = { "", "K", "M", "G", "T" };
	int k = 0;

	for (; k < 4 && size && size % 1024 == 0; k++)
		size /= 1024;
	return vs_text_add(to, "%llu%s\n", (unsigned long long)size, units[k]);
}

static int
echo_two(struct vs_text *to, const char *const *two)
{
	vs_text_put(to, "[", 1);
	vs_yaml_scalar_put(to, two[0]);
	vs_text_put(to, ", ", 2);
	vs_yaml_scalar_put(to, two[1]);
	return vs_text_put(to, "]\n", 2);
}

int
vs_opt_echo(const struct vs_opt *table, struct vs_text *to)
{
	char number[VS_NUM_ROOM];
	int code = 0;

	for (const struct vs_opt *o = table; o->name && !code; o++) {
		const char **two = o->field;

		if (!o->seen || o->not_in_runfile)
			continue;
		vs_text_add(to, "%s: ", o->name);
		switch (o->kind) {
		case VS_OPT_FLAG:
			code = vs_text_add(to, "true\n");
			break;
		case VS_OPT_TEXT:
		case VS_OPT_CHOICE:
			vs_yaml_scalar_put(to, *two);
			code = vs_text_put(to, "\n", 1);
			break;
		case VS_OPT_TWO:
			code = echo_two(to, two);
			break;
		case VS_OPT_INT:
			code = vs_text_add(to, "%lld\n",
				(long long)*(int64_t *)o->field);
			break;
		case VS_OPT_REAL:
		case VS_OPT_LIMIT:
			vs_num_print(o->kind == VS_OPT_REAL
					? *(double *)o->field
					: ((struct vs_limit *)o->field)->at,
				number);
			code = vs_text_add(to, "%s\n", number);
			break;
		case VS_OPT_DECIMAL:
			code = vs_text_add(to, "%s\n",
				((struct vs_decimal *)o->field)->text);
			break;
		case VS_OPT_SIZE:
			code = echo_size(to, *(uint64_t *)o->field);
			break;
		}
	}
	return code;
}
