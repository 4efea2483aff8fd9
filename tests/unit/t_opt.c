/* SPDX-License-Identifier: BSD-3-Clause */
/* One table: parsed, refused with the offending word, shown, echoed. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/opt.h"
#include "tests/unit/test.h"

static struct job {
	bool force, quiet;
	const char *out, *label;
	int64_t threads;
	double least;
	uint64_t room;
	const char *two[2];
} job;

#define LONG                                                            \
	"room for ten or for twelve or for more than that, even for a " \
	"gigabyte"

static struct vs_opt table[] = {
	{ 'f', "force", NULL, VS_OPT_FLAG, &job.force, 0, 0, NULL, NULL,
		"replace", false, "" },
	{ 'q', "quiet", NULL, VS_OPT_FLAG, &job.quiet, 0, 0, NULL, NULL,
		"say less", false, "" },
	{ 'o', "out", "FILE", VS_OPT_TEXT, &job.out, 0, 0, NULL, NULL,
		"write FILE", false, "" },
	{ 0, "label", "WHICH", VS_OPT_CHOICE, &job.label, 0, 0, "minor|alt|a1",
		"altern=alt|small=minor", "label 1", false, "" },
	{ 'j', "threads", "N", VS_OPT_INT, &job.threads, 1, 64, NULL, NULL,
		"threads", false, "" },
	{ 't', "threshold", "T", VS_OPT_REAL, &job.least, 0, 0, NULL, NULL,
		"keep", false, "" },
	{ 'M', "memory", "SIZE", VS_OPT_SIZE, &job.room, 0, 0, NULL, NULL, LONG,
		false, "" },
	{ 0, "pair", "A B", VS_OPT_TWO, job.two, 0, 0, NULL, NULL, "both",
		false, "" },
	{ 0, NULL, NULL, VS_OPT_FLAG, NULL, 0, 0, NULL, NULL, NULL, false, "" },
};

static char both[64]; /* the two words of --pair */

/* line is split at blanks; the operands left come back joined by blanks */
static int
parse(const char *line, char *operands)
{
	struct vs_opt *tables[] = { table };
	char text[256], *argv[32], *save = NULL;
	int argc = 1, first, code;

	memset(&job, 0, sizeof(job));
	for (struct vs_opt *o = table; o->name; o++)
		o->seen = false;
	vs_fail_clear();
	snprintf(text, sizeof(text), "%s", line);
	argv[0] = "vsim-test";
	for (char *w = strtok_r(text, " ", &save); w;
		w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	code = vs_opt_parse(tables, 1, argc, argv, &first);
	*operands = 0;
	for (; !code && first < argc; first++)
		strcat(strcat(operands, argv[first]), " ");
	/* text is about to go; whole words were checked through operands */
	job.out = job.out ? "set" : NULL;
	if (job.label)
		job.label = !strcmp(job.label, "alt") ? "alt" : "other";
	snprintf(both, sizeof(both), "%s+%s", job.two[0] ? job.two[0] : "",
		job.two[1] ? job.two[1] : "");
	return code;
}

static void
keeps_words(void)
{
	char first[] = "--label", word[] = "ALT", other[] = "MINOR";
	char *argv[] = { first, first, word, NULL };
	struct vs_opt *tables[] = { table };
	int at;

	T_OK(!vs_opt_parse(tables, 1, 3, argv, &at) && !strcmp(word, "ALT") &&
			!strcmp(job.label, "alt"),
		"the word of a choice stays as it was typed: %s", word);
	argv[2] = other;
	T_OK(!vs_opt_parse(tables, 1, 3, argv, &at) &&
			!strcmp(job.label, "minor"),
		"a longer choice behind a shorter one: %s", job.label);
}

static void
good(void)
{
	char rest[256];

	T_OK(!parse("-f x -j 3 y --threshold=0.7 -", rest) && job.force &&
			job.threads == 3 && job.least == 0.7 &&
			!strcmp(rest, "x y - "),
		"options may stand among operands: %s", rest);
	T_OK(!parse("-fqj8 -M2K", rest) && job.force && job.quiet &&
			job.threads == 8 && job.room == 2048,
		"letters in one word, argument attached");
	T_OK(!parse("--label alt -- -f --out", rest) && !job.force &&
			!strcmp(job.label, "alt") && !strcmp(rest, "-f --out "),
		"-- ends the options: %s", rest);
	T_OK(!parse("--label ALT", rest) && !strcmp(job.label, "alt"),
		"a choice is compared without case, and has its own spelling");
	T_OK(!parse("--label altern", rest) && !strcmp(job.label, "alt") &&
			!parse("--label Small", rest) &&
			!strcmp(table[3].chosen, "minor"),
		"an earlier spelling names the choice of today: %s",
		table[3].chosen);
	keeps_words();
	T_OK(!parse("-M 1048576", rest) && job.room == 1048576,
		"a megabyte in bytes");
	T_OK(!parse("-t -1", rest) && job.least == -1,
		"an argument may begin with -");
	T_OK(!parse("-j 1 -j 2", rest) && job.threads == 2, "the last counts");
	T_OK(!parse("-o -", rest) && job.out, "a lone - is an argument");
	T_OK(!parse("x --pair @a 1-2 y", rest) && !strcmp(both, "@a+1-2") &&
			!strcmp(rest, "x y "),
		"an option of two words: %s, %s", both, rest);
}

static void
bad(void)
{
	static const char *const cases[][2] = { { "--no-such", "--no-such" },
		{ "-x", "-x" }, { "-fx", "-x" }, { "--threads", "--threads" },
		{ "-j", "-j" }, { "--force=1", "--force" },
		{ "-j 0", "1 to 64" }, { "-j 65", "1 to 64" },
		{ "-j 1.5", "-j 1.5" }, { "-j x", "not an integer" },
		{ "--pair one", "--pair: needs A B" }, { "-t abc", "abc" },
		{ "-t nan", "nan" }, { "-t inf", "inf" }, { "-M 1X", "1X" },
		{ "-M -1", "-1" }, { "-M 4000", "did you mean 4000M?" },
		{ "-M 0", "512M" }, { "--label major", "minor|alt|a1" },
		{ "--label mino", "mino" },
		{ "--label minor|alt", "not one of" },
		{ "--threshol 1", "--threshol" },
		{ "--treshold 1", "--treshold; did you mean --threshold?" },
		{ "--treshold=1", "--treshold; did you mean --threshold?" },
		{ "--thres 1", "--thres; did you mean --threshold?" },
		{ "--haerds 1", "--haerds; --help" },
		{ "--quite", "did you mean --quiet?" },
		{ "--helm", "--helm; --help" },
		{ "-force", "-force; did you mean --force?" },
		{ "-F", "-F; did you mean -f?" },
		{ "--label al", "did you mean alt?" },
		{ "--label ALTT", "did you mean alt?" },
		{ "--label blt", "a1" }, { "--label alter", "minor|alt|a1" },
		{ "--label altern=alt", "not one of" }, { "--", "" } };
	char rest[256];

	for (size_t i = 0; *cases[i][1]; i++)
		T_OK(parse(cases[i][0], rest) == VS_EUSAGE &&
				strstr(vs_fail_text(), cases[i][1]),
			"%s: %s", cases[i][0], vs_fail_text());
}

static void
runfile(void)
{
	struct vs_opt other[] = { { 0, "pair", "A B", VS_OPT_TWO, job.two, 0, 0,
					  NULL, NULL, "both", false, "" },
		{ 0, NULL, NULL, VS_OPT_FLAG, NULL, 0, 0, NULL, NULL, NULL,
			false, "" } };
	char rest[256], one[] = "a b\tc";

	parse("-j 3", rest);
	T_OK(!vs_opt_set(table, "threads", "9", "r.yaml") && job.threads == 3,
		"the command line beats the runfile");
	T_OK(!vs_opt_set(table, "threshold", "0.5", "r.yaml") &&
			job.least == 0.5,
		"the runfile sets what is not set");
	T_OK(!vs_opt_set(table, "force", "false", "r.yaml") && !job.force,
		"force: false");
	T_OK(!vs_opt_set(table, "pair", one, "r.yaml") &&
			!strcmp(job.two[0], "a b") && !strcmp(job.two[1], "c"),
		"two words with a tab between them");
	other[0].seen = false;
	T_OK(!vs_opt_set_two(other, "pair", "", "x\ty", "r.yaml") &&
			!*job.two[0] && !strcmp(job.two[1], "x\ty"),
		"any two words");
	T_OK(!vs_opt_set_two(other, "pair", "a", "b", "r.yaml") && !*job.two[0],
		"which are set once");
	T_OK(vs_opt_set_two(table, "quiet", "a", "b", "r.yaml") == VS_EUSAGE &&
			strstr(vs_fail_text(), "r.yaml: quiet: one value"),
		"%s", vs_fail_text());
	vs_fail_clear();
	other[0].seen = false;
	T_OK(vs_opt_set(other, "pair", "word", "r.yaml") == VS_EUSAGE &&
			strstr(vs_fail_text(), "not a pair of words"),
		"%s", vs_fail_text());
	vs_fail_clear();
	T_OK(vs_opt_set(table, "quiet", "yes", "r.yaml: line 3") == VS_EUSAGE &&
			strstr(vs_fail_text(), "r.yaml: line 3: quiet"),
		"%s", vs_fail_text());
	vs_fail_clear();
	T_OK(vs_opt_set(table, "thread", "1", "r.yaml") == VS_EUSAGE &&
			strstr(vs_fail_text(),
				"r.yaml: thread: unknown option; did you mean "
				"threads?"),
		"%s", vs_fail_text());
	vs_fail_clear();
	T_OK(vs_opt_set(table, "memory", "much", "r.yaml") == VS_EUSAGE &&
			!strncmp(vs_fail_text(), "r.yaml: memory", 14),
		"%s", vs_fail_text());
}

static void
shown(void)
{
	struct vs_text text = { 0 };
	char rest[256], *help = NULL;
	size_t n;
	FILE *to = open_memstream(&help, &n);

	vs_opt_help(table, to);
	fclose(to);
	T_OK(strstr(help, ", even\n                          for a gigabyte\n"),
		"a line of help too long ends at a space, not in a word");
	for (const char *p = help; *p; p += strcspn(p, "\n") + 1)
		if (strcspn(p, "\n") > 80)
			T_OK(false, "longer than a line: %.90s", p);
	T_OK(strstr(help, "  -f, --force ") && strstr(help, "--label WHICH"),
		"--help shows letters and words");
	T_OK(!strstr(help, "altern"), "--help does not show aliases");
	free(help);

	parse("-f --label alt -t 0.7 -M 1K -j 2 --pair a b", rest);
	job.label = "it's";
	job.two[0] = "\t\"\x7f";
	job.two[1] = "\xff\xfe\xfd\xfc";
	T_OK(!vs_opt_echo(table, &text) &&
			!strcmp(text.bytes,
				"force: true\nlabel: 'it''s'\nthreads: 2\n"
				"threshold: 0.7\nmemory: 1K\n"
				"pair: [\"\\t\\\"\\u007f\", "
				"!!binary \"//79/A==\"]\n"),
		"what was set is echoed, and only that");
	vs_text_free(&text);
}

int
main(void)
{
	good();
	bad();
	runfile();
	shown();
	return T_DONE();
}
