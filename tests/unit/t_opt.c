/* SPDX-License-Identifier: BSD-3-Clause */
/* One table: parsed, refused with the offending word, shown, echoed. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/opt_rules.h"
#include "tests/unit/test.h"

static struct job {
	bool force, quiet;
	const char *out, *label;
	int64_t threads;
	double least;
	uint64_t room;
	const char *two[2];
} job;

static struct vs_opt table[] = {
	{ 'f', "force", NULL, VS_OPT_FLAG, &job.force, .group = "Output",
		.help = "replace" },
	{ 'q', "quiet", NULL, VS_OPT_FLAG, &job.quiet, .help = "say less" },
	{ 'o', "out", "FILE", VS_OPT_TEXT, &job.out, .help = "write FILE",
		.common = true },
	{ 0, "label", "WHICH", VS_OPT_CHOICE, &job.label, .group = "Input",
		.choices = "minor|alt|a1", .aliases = "altern=alt|small=minor",
		.help = "label 1", .detail = "minor\tthe rarer\nalt\tALT\n" },
	{ 'j', "threads", "N", VS_OPT_INT, &job.threads, 1, 64,
		.help = "threads" },
	{ 't', "threshold", "T", VS_OPT_REAL, &job.least, .help = "keep" },
	{ 'M', "memory", "SIZE", VS_OPT_SIZE, &job.room, .help = "room" },
	{ 0, "pair", "A B", VS_OPT_TWO, job.two, .help = "both" },
	{ 0 },
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
		{ "--pair one", "--pair: requires an argument A B" },
		{ "--pair one -f",
			"--pair: requires an argument A B before -f" },
		{ "--label --force", "--label: requires an argument" },
		{ "-j -f", "-j: requires an argument N before -f" },
		{ "-o --threads=2", "before --threads=2" }, { "-t abc", "abc" },
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
	struct vs_opt other[] = {
		{ 0, "pair", "A B", VS_OPT_TWO, job.two, .help = "both" }, { 0 }
	};
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

	vs_opt_help(table, false, to);
	fclose(to);
	T_OK(strstr(help, "Output:\n  -f, --force               replace\n") ==
			help,
		"--help begins with a heading: %s", help);
	T_OK(strstr(help,
		     "\n\nInput:\n      --label WHICH         label 1\n"
		     "        minor        the rarer\n"
		     "        alt          ALT\n  -j, --threads N "),
		"the next group, with details: %s", help);
	T_OK(!strstr(help, "altern"), "--help does not show aliases");
	free(help);

	to = open_memstream(&help, &n);
	vs_opt_help(table, true, to);
	fclose(to);
	T_OK(!strcmp(help, "  -o, --out FILE            write FILE\n"),
		"-h shows common options alone: %s", help);
	free(help);

	to = open_memstream(&help, &n);
	vs_opt_list(table + 2, to);
	fclose(to);
	T_OK(strstr(help,
		     "o\tout\tFILE\t\twrite FILE\t\n"
		     "\tlabel\tWHICH\tminor|alt|a1\tlabel 1\tInput\n"
		     "j\tthreads\t#\t\tthreads\tInput\n") == help,
		"lines for programs: %s", help);
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

static void
rules(void)
{
	static const struct vs_opt_rule rows[] = {
		VS_EXCLUDES("force quiet", "label=alt @file",
			.why = "a reason"),
		VS_EXCLUDES("memory", "threads", .when = "@file quiet"),
		VS_NEEDS("threshold pair", "memory threads=3 @file"),
		VS_NEEDS("", "out label"),
		{ 0 },
	};
	static const struct {
		const char *line;
		int file; /* -1: not known */
		const char *said;
	} cases[] = {
		{ "-o x", -1, "" },
		{ "-f --label alt", -1,
			"--force cannot be combined with --label alt: a "
			"reason" },
		{ "-f --label a1", -1, "" },
		{ "-q -o x", 1,
			"--quiet cannot be combined with x.bed: a reason" },
		{ "-q -o x", 0, "" },
		{ "-M 1M -j 2 -o x", 1, "" },
		{ "-t 1", 0,
			"--threshold requires --memory, --threads 3 or "
			"x.bed" },
		{ "--pair a b -o x", 0,
			"--pair requires --memory, --threads 3 or x.bed" },
		{ "-t 1 -o x", -1, "" },
		{ "-t 1 -o x -j 3", 0, "" },
		{ "-t 1 -o x -j 4", 0,
			"--threshold requires --memory, --threads 3 or x.bed" },
		{ "-f", -1, "--out or --label is required" },
	};
	char rest[256];

	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		const struct vs_opt_fact facts[] = {
			{ "file", cases[k].file > 0, "x.bed" }, { 0 }
		};
		int code;

		parse(cases[k].line, rest);
		code = vs_opt_rules_check(table, rows,
			cases[k].file < 0 ? NULL : facts);
		T_OK(!code == !*cases[k].said &&
				(!code ||
					!strcmp(vs_fail_text(), cases[k].said)),
			"%s: %s", cases[k].line, vs_fail_text());
		vs_fail_clear();
	}
}

int
main(void)
{
	rules();
	good();
	bad();
	runfile();
	shown();
	return T_DONE();
}
